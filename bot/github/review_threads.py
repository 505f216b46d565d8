"""Comments of a pull request, and issues: read, made once, changed, folded, deleted and answered.

Also review threads, which only GraphQL offers: resolved once their finding is closed.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from bot.domain import comment as marks
from bot.domain.comment import CommentKind, CommentState, WantedComment
from bot.domain.forge import BusyError, ExistingIssue, GoneError, RefusedError
from bot.domain.reconcile import Changes, EditComment, Existing
from bot.github.client import Client, Json, understood
from bot.github.responses import CommentResponse, IssueResponse, ReviewCommentResponse
from pfcore.domain.errors import IncompleteError
from pfcore.reporters.printing import code, plural, safe

_log = logging.getLogger(__name__)
_WHOLE = frozenset((CommentKind.SUMMARY, CommentKind.REVIEW))
"""The kinds of comments that are about the whole pull request and begin no thread."""


class Talk:
    """The comments and issues of a repository; `me` is the App's own login."""

    def __init__(self, client: Client, repository: str, me: str, *, is_resolving: bool) -> None:
        self._client = client
        self._root = f"/repos/{quote(repository)}"
        self._me = me
        self._threads = ReviewThreads(client, repository) if is_resolving else None

    def comments(self, number: int) -> list[Existing]:
        """All comments, including those whose line has changed since."""
        remarks = self._remarks(number)
        answered = {item.in_reply_to_id for item in remarks}
        return [
            *(self._existing(item, CommentKind.SUMMARY) for item in self._whole(number)),
            *(self._existing(item, CommentKind.REVIEW) for item in self._reviews(number)),
            *(
                self._existing(
                    item, item.kind, is_answered=item.id in answered, is_left=item.line is None
                )
                for item in remarks
            ),
        ]

    def change(
        self, number: int, head: str, changes: Changes, require_head: Callable[[], None]
    ) -> None:
        """Carry out changes; `require_head` raises if the head has changed.

        New comments that exist already, because this was done before, are not repeated.
        """
        new = self._left(number, changes.create)
        edits = (*changes.edit, *changes.close)
        if new:
            require_head()
            new, refused = self._review(number, head, new, require_head)
            edits = self._with_refused(number, refused, edits)
        for item in new:
            if item.kind is CommentKind.FILE:
                self._on_file(number, head, item)
        for item in new:
            if item.kind is CommentKind.SUMMARY:
                self._on_whole(number, item)
        reopened = self._reopened(number, changes)
        for edit in edits:
            self._minimise(edit)
            self._edit(number, edit)
        for existing in changes.delete:
            self._delete(existing)
        if self._threads is not None:
            ended = [item.id for item in changes.close if item.kind not in _WHOLE]
            self._threads.bring(number, ended=ended, reopened=reopened)

    def answer(
        self, number: int, comment: int, body: str, *, is_review: bool, mark: int = 0
    ) -> None:
        """Answer a comment unless it has an answer of ours, whatever its words."""
        meant = mark or comment
        if marks.answered_comment(body) != meant:
            body = marks.answering(body, meant)
        sentence = f"a comment on #{number} cannot be answered"

        def find() -> bool | None:
            said: Iterable[CommentResponse] = (
                self._remarks(number) if is_review else self._whole(number)
            )
            own = (item for item in said if item.is_by(self._me))
            return (
                True if any(marks.answered_comment(it.body or "") == meant for it in own) else None
            )

        def say() -> bool:
            self._client.write("POST", path, sentence, {"body": body})
            return True

        if find():
            return
        path = f"{self._root}/issues/{number}/comments"
        if is_review:
            path = f"{self._root}/pulls/{number}/comments/{self._first(comment)}/replies"
        self._client.once(say, find)

    def issues(self, label: str) -> Iterator[ExistingIssue]:
        """The issues with a label, closed ones too, the oldest first."""
        sentence, path = "the issues cannot be listed", f"{self._root}/issues"
        order = {"sort": "created", "direction": "asc"}
        found = self._client.pages(path, sentence, state="all", labels=label, **order)
        for item in (understood(IssueResponse, it, sentence) for it in found):
            yield ExistingIssue(
                id=item.number,
                kind=CommentKind.SUMMARY,
                body=item.body or "",
                is_ours=item.is_by(self._me),
                is_open=item.state == "open",
                url=item.html_url,
            )

    def open_issue(self, title: str, body: str, label: str) -> None:
        """Open an issue; if the answer is lost, look for the issue before trying again."""
        asked = {"title": title, "body": body, "labels": [label]}

        def make() -> bool:
            self._client.write("POST", f"{self._root}/issues", "an issue cannot be opened", asked)
            return True

        def find() -> bool | None:
            standing = (item.body.strip() for item in self.issues(label) if item.is_ours)
            return True if body.strip() in standing else None

        self._client.once(make, find)

    def change_issue(self, number: int, body: str, *, is_open: bool) -> None:
        """Change an issue."""
        asked = {"body": body, "state": "open" if is_open else "closed"}
        path = f"{self._root}/issues/{number}"
        self._client.rewrite("PATCH", path, f"issue #{number} cannot be changed", asked)

    def _first(self, comment: int) -> int:
        """The first comment of a thread, the only one that can be answered."""
        sentence = "a comment cannot be read"
        found = self._client.read(f"{self._root}/pulls/comments/{comment}", sentence)
        return understood(ReviewCommentResponse, found, sentence).in_reply_to_id or comment

    def _whole(self, number: int) -> list[CommentResponse]:
        sentence = f"the comments of #{number} cannot be read"
        found = self._client.pages(f"{self._root}/issues/{number}/comments", sentence)
        return [understood(CommentResponse, item, sentence) for item in found]

    def _reviews(self, number: int) -> list[CommentResponse]:
        sentence = f"the reviews of #{number} cannot be read"
        found = self._client.pages(f"{self._root}/pulls/{number}/reviews", sentence)
        return [understood(CommentResponse, item, sentence) for item in found]

    def _remarks(self, number: int) -> list[ReviewCommentResponse]:
        sentence = f"the comments of #{number} cannot be read"
        found = self._client.pages(f"{self._root}/pulls/{number}/comments", sentence)
        return [understood(ReviewCommentResponse, item, sentence) for item in found]

    def _existing(
        self,
        item: CommentResponse,
        kind: CommentKind,
        *,
        is_answered: bool = False,
        is_left: bool = False,
    ) -> Existing:
        return Existing(
            id=item.id,
            kind=kind,
            body=item.body or "",
            is_ours=item.is_by(self._me),
            has_replies=is_answered,
            is_outdated=kind is CommentKind.INLINE and is_left,
            url=item.html_url,
            node=item.node_id,
        )

    def _reopened(self, number: int, changes: Changes) -> list[int]:
        """The comments on lines that we had closed and that a change reopens."""
        edited = {item.id for item in changes.edit if item.kind not in _WHOLE}
        if self._threads is None or not edited:
            return []
        marked = ((item.id, marks.read_mark(item.body or "")) for item in self._remarks(number))
        return [
            comment
            for comment, mark in marked
            if comment in edited and mark is not None and mark.state is not CommentState.OPEN
        ]

    def _left(self, number: int, wanted: Iterable[WantedComment]) -> list[WantedComment]:
        """The wanted comments that are not on the pull request yet."""
        wanted = list(wanted)
        if not wanted:
            return []
        seen = (it for it in self.comments(number) if it.is_ours and not it.is_outdated)
        own = (marks.read_mark(item.body) for item in seen)
        standing = {mark.key for mark in own if mark and mark.state is not CommentState.MOVED}
        return [item for item in wanted if standing.isdisjoint({item.key, *item.aliases})]

    def _once(self, number: int, wanted: list[WantedComment], path: str, body: Json) -> None:
        """Create comments by one request; if the answer is lost, look for them before a retry."""

        def make() -> bool:
            self._client.write("POST", path, f"#{number} cannot be commented on", body)
            return True

        self._client.once(make, lambda: None if self._left(number, wanted) else True)

    def _review(
        self, number: int, head: str, new: list[WantedComment], require_head: Callable[[], None]
    ) -> tuple[list[WantedComment], list[WantedComment]]:
        """Post the comments on lines as one review with the summary as its body.

        So all who watch get one message. If GitHub refuses it, comments are moved into the summary,
        since GitHub does not say which one cannot be on its line. Returns the comments still to be
        posted, and the refused ones that no summary contains.
        """
        wanted = [item for item in new if item.kind is CommentKind.INLINE]
        whole = [item for item in new if item.kind is CommentKind.SUMMARY]
        rest = [item for item in new if item.kind is CommentKind.FILE]
        path, beside = f"{self._root}/pulls/{number}/reviews", list[WantedComment]()
        for some in _fewer(wanted):
            body: dict[str, Json] = {"commit_id": head, "event": "COMMENT"}
            body["comments"] = [_line(item) for item in some]
            if whole:
                body["body"] = _telling(whole[0].body, _but(wanted, some))
            try:
                self._once(number, [*some, *whole], path, body)
            except RefusedError:
                require_head()
                continue
            beside = some
            break
        refused = _but(wanted, beside)
        if not whole or (not beside and not self._left(number, whole)):
            return rest, refused  # the summary may exist although the review with it was refused
        if not beside:
            rest.append(replace(whole[0], body=_telling(whole[0].body, refused)))
        return rest, []

    def _with_refused(
        self, number: int, refused: list[WantedComment], edits: tuple[EditComment, ...]
    ) -> tuple[EditComment, ...]:
        """The edits, with refused comments added to the existing summary.

        If there is no summary, each refused comment is posted on the whole pull request.
        """
        if not refused:
            return edits
        own = (item for item in self.comments(number) if item.is_ours and item.kind in _WHOLE)
        known = next((item for item in own if _is_summary(item.body)), None)
        if known is None:
            for item in refused:
                self._on_whole(number, item)
            return edits
        said = next((edit.body for edit in edits if edit.id == known.id), known.body)
        others = [edit for edit in edits if edit.id != known.id]
        body = _telling(said, refused)
        if body == known.body:
            return tuple(others)
        return (*others, EditComment(id=known.id, kind=known.kind, body=body))

    def _on_file(self, number: int, head: str, item: WantedComment) -> None:
        """Comment on a file; if GitHub refuses that, on the whole pull request."""
        path = f"{self._root}/pulls/{number}/comments"
        body = {"commit_id": head, "path": item.path, "subject_type": "file", "body": item.body}
        try:
            self._once(number, [item], path, body)
        except RefusedError:
            self._on_whole(number, item)

    def _on_whole(self, number: int, item: WantedComment) -> None:
        path = f"{self._root}/issues/{number}/comments"
        self._once(number, [item], path, {"body": item.body})

    def _edit(self, number: int, edit: EditComment) -> None:
        """Change a body; does nothing if someone has deleted the comment."""
        method, path = "PATCH", f"{self._root}/{_place(edit.kind)}/comments/{edit.id}"
        if edit.kind is CommentKind.REVIEW:
            method, path = "PUT", f"{self._root}/pulls/{number}/reviews/{edit.id}"
        try:
            self._client.rewrite(method, path, "a comment cannot be changed", {"body": edit.body})
        except GoneError:
            return

    def _minimise(self, edit: EditComment) -> None:
        """Have GitHub fold a comment as outdated; if that fails, its text is folded anyway."""
        if not edit.minimised:
            return
        try:
            self._client.query(MINIMISE, "a comment cannot be hidden", comment=edit.minimised)
        except BusyError:
            raise
        except IncompleteError:
            _log.warning("an outdated comment was not hidden", extra={"what": str(edit.id)})

    def _delete(self, item: Existing) -> None:
        path = f"{self._root}/{_place(item.kind)}/comments/{item.id}"
        try:
            self._client.rewrite("DELETE", path, "a comment cannot be deleted")
        except GoneError:
            return


_TRIES = 10
"""How many reduced reviews of each kind are tried at most."""
_REFUSED = "\n\n**GitHub does not accept comments on these lines:**\n\n"
_ROOM = 64_000
"""The room for text in characters; GitHub's limit counts bytes."""


def _fewer(wanted: list[WantedComment]) -> Iterator[list[WantedComment]]:
    """The comments to try in a review: all; all but one file's; all but one; halves, gravest first.

    Files come first, because no comment is possible in a file whose diff GitHub does not show.
    """
    if wanted:
        yield wanted
    paths = list(dict.fromkeys(item.path for item in wanted))
    for path in paths[:_TRIES] if len(paths) > 1 else ():
        yield [item for item in wanted if item.path != path]
    for one in wanted[:_TRIES] if len(wanted) > 2 else ():
        yield _but(wanted, [one])
    size = len(wanted) // 2
    while size:
        yield wanted[:size]
        yield wanted[size:]
        size //= 2


def _but(items: list[WantedComment], some: list[WantedComment]) -> list[WantedComment]:
    return [item for item in items if item not in some]


def _telling(body: str, refused: list[WantedComment]) -> str:
    """The body of a summary with the text of refused comments added, as far as there is room.

    Its mark is unchanged, because the wanted content is the same, whatever GitHub accepts.
    """
    words, _, mark = body.rstrip().rpartition("\n")
    words = words.rstrip().partition(_REFUSED)[0]
    if not refused:
        return body
    more, said = _REFUSED, 0
    for item in refused:
        text = f"{code(safe(item.path or ''))}\n\n{marks.without_mark(item.body)}\n\n"
        if len(words) + len(more) + len(text) > _ROOM:
            break
        more, said = more + text, said + 1
    left = len(refused) - said
    more += f"{plural(left, 'more finding')} of that kind." if left else ""
    return f"{words}{more.rstrip()}\n\n{mark}"


def _is_summary(body: str) -> bool:
    mark = marks.read_mark(body)
    return mark is not None and not marks.is_key(mark.key)


def _place(kind: CommentKind) -> str:
    return "issues" if kind is CommentKind.SUMMARY else "pulls"


def _line(item: WantedComment) -> dict[str, Json]:
    """The position of a comment for GitHub, which refuses a `start_line` for a single line."""
    placed = {"path": item.path, "line": item.line, "side": "RIGHT", "body": item.body}
    if item.start_line is None or item.start_line == item.line:
        return placed
    return placed | {"start_line": item.start_line, "start_side": "RIGHT"}


_MOST_PAGES = 50

THREADS = """
query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { id isResolved comments(first: 1) { nodes { databaseId } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
"""
RESOLVE = """
mutation ($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}
"""
REOPEN = """
mutation ($thread: ID!) {
  unresolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}
"""
MINIMISE = """
mutation ($comment: ID!) {
  minimizeComment(input: {subjectId: $comment, classifier: OUTDATED}) { clientMutationId }
}
"""
_SENTENCE = "the threads of #{} cannot be resolved or reopened"


class _ThreadModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _ThreadComment(_ThreadModel):
    id: int | None = Field(alias="databaseId")


class _ThreadComments(_ThreadModel):
    nodes: list[_ThreadComment]


class _Thread(_ThreadModel):
    id: str
    is_resolved: bool = Field(alias="isResolved")
    comments: _ThreadComments


class _ThreadPage(_ThreadModel):
    has_next: bool = Field(alias="hasNextPage")
    end: str | None = Field(alias="endCursor")


class _ThreadsResponse(_ThreadModel):
    nodes: list[_Thread]
    page: _ThreadPage = Field(alias="pageInfo")


class ReviewThreads:
    """The threads of a repository; resolving needs the permission `contents: write`."""

    def __init__(self, client: Client, repository: str) -> None:
        self._client = client
        self._owner, _, self._name = repository.partition("/")

    def bring(self, number: int, *, ended: Iterable[int], reopened: Iterable[int]) -> None:
        """Resolve or reopen the threads that these comments begin, unless they are so already."""
        wanted = {**dict.fromkeys(ended, True), **dict.fromkeys(reopened, False)}
        if not wanted:
            return
        for thread in self._all(number):
            begun = thread.comments.nodes[0].id if thread.comments.nodes else None
            if begun in wanted and wanted[begun] is not thread.is_resolved:
                document = RESOLVE if wanted[begun] else REOPEN
                self._client.query(document, _SENTENCE.format(number), thread=thread.id)

    def _all(self, number: int) -> Iterator[_Thread]:
        after: str | None = None
        for _ in range(_MOST_PAGES):
            found = self._page(number, after)
            yield from found.nodes
            if not found.page.has_next:
                return
            after = found.page.end
        _log.warning(
            "too many threads; the rest are left unchanged", extra={"count": _MOST_PAGES * 100}
        )

    def _page(self, number: int, after: str | None) -> _ThreadsResponse:
        sentence = _SENTENCE.format(number)
        place: dict[str, Any] = {"owner": self._owner, "name": self._name}
        data = self._client.query(THREADS, sentence, **place, number=number, after=after)
        try:
            found = data["repository"]["pullRequest"]["reviewThreads"]
        except (KeyError, TypeError):
            found = None
        return understood(_ThreadsResponse, found, sentence)
