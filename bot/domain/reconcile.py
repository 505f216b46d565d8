"""Compares existing comments with those wanted, and plans the changes; nothing is posted twice.

Repeating the plan against the current comments, however far it was carried out, ends the same.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from bot.domain import comment
from bot.domain.comment import CommentKind, CommentState, Mark, ReviewComments, WantedComment
from pfcore.reporters.printing import prose


@dataclass(frozen=True, slots=True, kw_only=True)
class Existing:
    """A comment of the pull request; `is_ours`: the App itself wrote it, whatever it says.

    `is_outdated`: its line was edited since, so that GitHub hides it from the diff. `node` is its
    id in GraphQL.
    """

    id: int
    kind: CommentKind
    body: str
    is_ours: bool
    has_replies: bool = False
    is_outdated: bool = False
    url: str = ""
    node: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditComment:
    """A new body for a comment; `minimised` is the GraphQL id of a comment to fold, else ""."""

    id: int
    kind: CommentKind
    body: str
    minimised: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes to make; `close` are edits that mark a finding as resolved or answered.

    `delete` are duplicates of our comments that have no replies.
    """

    create: tuple[WantedComment, ...] = ()
    edit: tuple[EditComment, ...] = ()
    close: tuple[EditComment, ...] = ()
    delete: tuple[Existing, ...] = ()


def reconcile(existing: Iterable[Existing], words: ReviewComments, *, head: str) -> Changes:
    """The changes that bring the comments of a pull request in line with a review of its head."""
    existing = list(existing)
    first, again, left = _ours(existing)
    current = [*(found for items in left.values() for found in items), *first.values()]
    reworded = _Reworded(first, left, words)
    create, edit, told = [], [], set()
    for wanted in words.comments:
        names = (wanted.key, *sorted(wanted.aliases))
        is_said = any(key in first or key in left for key in names)
        names = names if is_said else (*names, *reworded.take(wanted))
        known = next((key for key in names if key in first), None)
        if known is not None:
            told.add(known)
            edit += _edited(wanted, *first[known])
            names = (*names, *filter(None, [first[known][1].was]))
            behind = [item for key in names for item in left.pop(key, ())]
            edit += [_moved(*item, first[known][0]) for item in behind]
        else:
            behind = [item for key in names for item in left.pop(key, ())]
            create += [] if wanted.is_optional else [_instead(wanted, behind)]
    ended = [found for key, found in first.items() if key not in told]
    ended += [found for items in left.values() for found in items]
    closed = [_closed(*found, words, head) for found in ended if not reworded.stands(found[1])]
    closed += _with_those_they_follow(existing, current, closed, words, head)
    return Changes(
        create=tuple(create),
        edit=tuple(edit),
        close=tuple(item for item in closed if item is not None),
        delete=tuple(again),
    )


_Found = tuple[Existing, Mark]


class _Reworded:
    """Objections whose id changed since they were posted, because they are worded differently.

    An id depends on the sentence objected to. If sentences change, a new objection of the same
    class to the same result is taken for the one that is no longer found.
    """

    def __init__(
        self,
        first: Mapping[str, _Found],
        left: Mapping[str, list[_Found]],
        words: ReviewComments,
    ) -> None:
        open_ = [*(found[1] for found in first.values())]
        open_ += [mark for items in left.values() for _, mark in items]
        self._lost = [mark for mark in dict.fromkeys(open_) if _is_lost(mark, words)]
        wanted = {item.key for item in words.comments}
        self._spare = Counter(
            kin for key, kin in words.kins.items() if key not in {*wanted, *first, *left}
        )

    def take(self, wanted: WantedComment) -> tuple[str, ...]:
        """The id under which a wanted comment was posted earlier, if any; empty otherwise."""
        mark = comment.read_mark(wanted.body)
        kin = mark.kin if mark else ""
        found = next((item for item in self._lost if kin and item.kin == kin), None)
        if found is None:
            return ()
        self._lost.remove(found)
        return (found.key,)

    def stands(self, mark: Mark) -> bool:
        """Whether a comment's objection may be one that still holds but has no comment itself."""
        if mark not in self._lost or not self._spare[mark.kin]:
            return False
        self._spare[mark.kin] -= 1
        return True


def _is_lost(mark: Mark, words: ReviewComments) -> bool:
    is_known = mark.key in words.open or mark.key in words.answered
    return bool(mark.kin) and mark.state is CommentState.OPEN and not is_known


def _instead(wanted: WantedComment, behind: list[_Found]) -> WantedComment:
    """A new comment, with the id of the one that it rewords and a link back to it."""
    old = next((mark.key for _, mark in behind if mark.key != wanted.key), "")
    body = _with_id(wanted.body, old) if old else wanted.body
    places = [item.url for item, _ in sorted(behind, key=lambda found: found[0].id) if item.url]
    back = _BACK.format(url=places[-1]) if places else ""
    return replace(wanted, body=_with_way_back(body, back))


_BACK = "\n\n<sub>Moved from [an earlier comment]({url}), whose line was edited.</sub>"
_WAY_BACK = re.compile(re.escape(_BACK).replace(re.escape("{url}"), r"[^()\s]+") + r"\Z")


def _with_way_back(body: str, back: str) -> str:
    """A body with one more paragraph; the mark stays the same, because the finding does."""
    words, _, mark = body.rstrip().rpartition("\n")
    return f"{words.rstrip()}{back}\n\n{mark}" if back else body


def _with_id(body: str, was: str) -> str:
    mark = comment.read_mark(body)
    if mark is None:
        return body
    said = comment.without_mark(body)
    return comment.marked(said, key=mark.key, source=mark.source, kin=mark.kin, was=was, of=mark.of)


def _ours(
    existing: Iterable[Existing],
) -> tuple[Mapping[str, _Found], list[Existing], dict[str, list[_Found]]]:
    """Our comments by key, superfluous duplicates, and outdated comments by key.

    Of duplicates, the one with replies stays, else the oldest; none with a reply is deleted.
    Comments marked as moved are ignored.
    """
    first: dict[str, _Found] = {}
    again, left = list[Existing](), dict[str, list[_Found]]()
    for item in sorted(existing, key=lambda item: (not item.has_replies, item.id)):
        mark = comment.read_mark(item.body) if item.is_ours else None
        if mark is None or mark.state is CommentState.MOVED:
            continue
        if item.is_outdated:
            left.setdefault(mark.key, []).append((item, mark))
        elif mark.key not in first:
            first[mark.key] = item, mark
        elif not item.has_replies and item.kind is not CommentKind.REVIEW:  # reviews stay
            again.append(item)
    return first, again, left


def _moved(known: Existing, mark: Mark, new: Existing) -> EditComment:
    """The edit that links a comment whose line was edited to its replacement.

    GitHub folds it, link included; if that fails, its old text is folded in the body.
    """
    title = f"**Moved:** this line was edited; the finding [is still open]({new.url})."
    edit = _retitled(known, mark, title, CommentState.MOVED)
    return replace(edit, minimised=known.node)


def _with_those_they_follow(
    existing: list[Existing],
    current: list[_Found],
    closed: list[EditComment | None],
    words: ReviewComments,
    head: str,
) -> Iterator[EditComment]:
    """Edits that close comments marked as moved when the comment that they lead to is closed."""
    ending = {edit.id for edit in closed if edit is not None}
    leading = {name: found for found in current for name in (found[1].was, found[1].key)}
    for item in existing:
        mark = comment.read_mark(item.body) if item.is_ours else None
        if mark is None or mark.state is not CommentState.MOVED:
            continue
        known, now = leading.get(mark.key, (item, mark))
        if now is not mark and known.id not in ending and now.state is CommentState.OPEN:
            continue
        edit = _closed(item, replace(mark, key=now.key), words, head)
        if edit is not None:
            yield edit


def _edited(wanted: WantedComment, known: Existing, mark: Mark) -> list[EditComment]:
    """The edit that a comment needs, if any; it keeps its place."""
    now = comment.read_mark(wanted.body)
    if now == replace(mark, was=""):
        return []
    body = _with_id(wanted.body, mark.was) if mark.was else wanted.body
    back = _WAY_BACK.search(comment.without_mark(known.body))
    body = _with_way_back(body, back[0] if back else "")
    return [EditComment(id=known.id, kind=known.kind, body=body)]


def _closed(known: Existing, mark: Mark, words: ReviewComments, head: str) -> EditComment | None:
    """The edit that closes a comment that is no longer wanted, if its finding has surely ended."""
    if mark.key == comment.SUMMARY or mark.key in words.open:
        return None
    answer = words.answered.get(mark.key)
    if answer is not None:
        state, title = CommentState.ANSWERED, f"**Answered:** {prose(answer)}"
    elif mark.source in words.settled:
        state, title = CommentState.RESOLVED, f"**Resolved** in {head[:10]}."
    else:
        return None
    if mark.state is state:
        return None
    return _retitled(known, mark, title, state)


def _retitled(known: Existing, mark: Mark, title: str, state: CommentState) -> EditComment:
    """A comment under a new title, with its former text folded.

    Text that was folded already is not folded twice: the fold holds the original text.
    """
    said = _said_first(comment.without_mark(known.body))
    body = f"{title}\n\n{_FOLD}{said}{_END}"
    mended = comment.marked(
        body, key=mark.key, source=mark.source, state=state, kin=mark.kin, of=mark.of
    )
    return EditComment(id=known.id, kind=known.kind, body=mended)


_FOLD = "<details><summary>What was said</summary>\n\n"
_END = "\n\n</details>"


def _said_first(words: str) -> str:
    _, fold, said = words.partition(_FOLD)
    return said.removesuffix(_END) if fold else words
