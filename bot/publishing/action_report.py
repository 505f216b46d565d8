"""The reports of a workflow's last job: a comment, a check, an issue, the start of the next push.

Conclusions and the handling of comments are the same as for the App; the texts differ.

Also adds lines to the ledgers on the default branch, each in a commit of its own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from bot.domain import comment
from bot.domain.comment import (
    CommentCaps,
    CommentKind,
    ObjectionSource,
    ReviewComments,
    WantedComment,
    parse_hunks,
)
from bot.domain.forge import (
    PROOFS,
    ActionForge,
    BranchFile,
    BranchFiles,
    CommitCheck,
    MovedError,
    OpenPull,
    bring,
)
from bot.domain.reconcile import Changes, Existing
from bot.publishing.action_checks import (
    JOB,
    check_name,
    check_suffix,
    first_pull,
    hand_proofs_on,
    other_owner,
)
from bot.publishing.pull_comments import beside_lines, summary_by_result
from bot.publishing.review_checks import ISSUE, comment_changes, conclusion_of, keep_issue
from pfcore.cli.github_actions import WITHHELD
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.paper_settings import LEDGER_NAME
from pfcore.ledger.ledger import merged
from pfcore.ledger.lock_lines import ledger_text, read_ledger
from pfcore.reporters.formats.publication import Conclusion, Publication
from pfcore.review.review import Report

PUSH = "pf / push"
"""The check of a commit on the default branch; its key is the base of the next push's comparison.

That is the commit itself if all of it was reviewed, else the base of its own push.
"""
QUEUED = "merge_group"
"""The event of a merge queue's commit."""
_REVIEW = "review"
"""The key of the report on a pull request, by which our own comment is found again."""
_UNREAD = (
    "**The proofs could not be read;** see the job `proofs`. The findings here are about "
    "the structure only."
)

_COMMIT = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
_AGAINST = re.compile("<sub>Commit `[0-9a-f]{12}` against `(?P<base>[0-9a-f]{12})`")
_REMARKS = TypeAdapter(ReviewComments)


def remarks(
    report: Report, made: Publication, patches: str | None, paper: str
) -> tuple[Publication, frozenset[str]]:
    """The publication with its texts and comments on lines, as JSON; and the ids of the latter.

    `patches` is the output of `git diff` for the change, None for no comments on lines; `paper` is
    the folder of one of several papers.
    """
    caps, ids = CommentCaps(), frozenset[str]()
    diff = None if patches is None else parse_hunks(patches)
    text = ""
    if diff is not None:
        said = beside_lines(report, made, diff, caps, of=comment.paper_word(paper))
        text = _REMARKS.dump_json(said).decode()
        ids = frozenset(item.key for item in said.comments)
    words = summary_by_result(report, ids, diff, caps)
    return made.model_copy(update={"remarks": text, "summary": words}), ids


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionReview:
    """A review to publish: of the proofs if they were read, else of the structure.

    `is_expected`: the proofs were to be read; `is_awaited`: rules may require their check even if
    there are none; `page` is the address of the run. `paper` is the paper's folder if there are
    several.
    """

    structure: Publication
    proofs: Publication | None
    is_expected: bool
    is_awaited: bool
    is_advisory: bool
    page: str
    paper: str = "."

    @property
    def shown(self) -> Publication:
        """The half that says more."""
        return self.proofs or self.structure

    @property
    def is_unread(self) -> bool:
        """Whether proofs were to be read but there is no result."""
        return self.is_expected and self.proofs is None

    @property
    def is_complete(self) -> bool:
        """Whether everything that was to be reviewed was."""
        if self.shown.conclusion is Conclusion.INCOMPLETE:
            return False
        return not self.is_expected or (self.proofs is not None and self.proofs.is_read)

    @property
    def is_quiet(self) -> bool:
        """Whether nobody needs to be notified."""
        return self.shown.is_quiet and not self.is_unread

    def named(self, check: str) -> str:
        """The name of a check of this paper."""
        return check_name(check, self.paper)

    @property
    def text(self) -> str:
        """The text of the check, the comment and the issue."""
        words = comment.shown_words(self.shown.summary)
        unread = [_UNREAD] if self.is_unread else []
        base = f" against `{self.shown.base[:12]}`" if self.shown.base else ""
        foot = f"<sub>Commit `{self.shown.head[:12]}`{base} · [run]({self.page})</sub>"
        return "\n\n".join([words, *unread, foot])

    @property
    def remarks(self) -> ReviewComments | None:
        """The comments on lines; None if they are unknown."""
        if not self.shown.remarks:
            return None
        try:
            return _REMARKS.validate_json(self.shown.remarks)
        except ValidationError as error:
            raise UsageError(f"invalid publication: {type(error).__name__}") from error

    def report(self, kind: str, *, is_optional: bool, ahead: str = "") -> ReviewComments:
        """A report of a kind, as the only comment of its place; `ahead` is put before its text."""
        key = check_name(kind, quote(self.paper))
        body = comment.report_body("\n\n".join(filter(None, (ahead, self.text.strip()))), key)
        return ReviewComments(
            comments=(
                WantedComment(
                    kind=CommentKind.SUMMARY, key=key, body=body, is_optional=is_optional
                ),
            )
        )


def tell_pull_request(told: ActionReview, number: int | None, forge: ActionForge) -> str:
    """Comment on the commit's pull requests, or update the comments; a sentence about it."""
    pulls = forge.pulls_at(told.shown.head)
    there = [pull for pull in pulls if number in (None, pull.number)]
    if number is not None and not there:
        return f"#{number} is closed, or has a newer commit: no comment"
    if not pulls:
        return "this commit is not the head of an open pull request: no comment"
    return "; ".join(_tell(told, pull.number, forge, _aside(told, pull, pulls)) for pull in there)


def _aside(told: ActionReview, pull: OpenPull, pulls: Sequence[OpenPull]) -> str:
    """Why a pull request's checks have names of their own; "" if they do not."""
    first = first_pull(pulls)
    if first is None or not pull.is_own or pull == first:
        return ""
    suffix, proofs = check_suffix(pull.number), told.named(PROOFS)
    return (
        f"This commit is also the head of #{first.number}, where its checks are `{JOB}` and "
        f"`{proofs}`. The checks of this pull request are `{JOB}{suffix}` and `{proofs}{suffix}`."
    )


def _tell(told: ActionReview, number: int, forge: ActionForge, aside: str) -> str:
    head, is_beside = told.shown.head, bool(told.remarks and told.remarks.comments)
    is_optional = told.is_quiet and not aside and not is_beside
    report = told.report(_REVIEW, is_optional=is_optional, ahead=aside)
    said, is_said = told.remarks, False
    unsettled: frozenset[ObjectionSource] | None = None

    def wanted(there: list[Existing]) -> Changes:
        nonlocal is_said, unsettled
        words, known = report, _oldest(there, report.comments[0].key)
        if unsettled is None:  # only at first, because later the report names its own base
            unsettled = _unsettled(told, known)
        if said is not None:
            own = comment.paper_word(told.paper)
            words = replace(
                said,
                comments=(*said.comments, *report.comments),
                settled=(said.settled | _over(told)) - unsettled,
            )
            known += [item for item in there if item.is_ours and _paper(item.body) == own]
        is_said = bool(known)
        return comment_changes(words, known, head=head)

    try:
        changes = bring(forge, number, head, wanted)
    except MovedError:
        return f"#{number} has a newer commit: no comment"
    if changes.create:
        return f"#{number}: commented"
    return f"#{number}: the comment is up to date" if is_said else f"#{number}: nothing to report"


def _over(told: ActionReview) -> frozenset[ObjectionSource]:
    """The sources without open findings: readers, if no proof is affected any more."""
    is_looked_at = told.structure.conclusion is not Conclusion.INCOMPLETE
    is_over = told.is_awaited and not told.is_expected and is_looked_at
    return frozenset((ObjectionSource.READING,)) if is_over else frozenset()


def _unsettled(told: ActionReview, known: list[Existing]) -> frozenset[ObjectionSource]:
    """The sources whose silence means nothing: readers, if the earlier report had another base."""
    before = _AGAINST.search(known[0].body) if known else None
    is_same = before is None or told.shown.base.startswith(before["base"])
    return frozenset() if is_same else frozenset((ObjectionSource.READING,))


def _paper(body: str) -> str:
    """The word of the paper that a comment on a line is about; "" if it is about none."""
    mark = comment.read_mark(body)
    return mark.of if mark else ""


def tell_issue(told: ActionReview, forge: ActionForge) -> str:
    """Keep one issue up to date, which is open as long as something needs an answer."""
    is_open = told.shown.is_open or not told.is_complete
    (issue,) = told.report(ISSUE, is_optional=not is_open).comments
    return keep_issue(issue.body, forge, is_open=is_open)


def tell_check(
    told: ActionReview, key: str, forge: ActionForge, number: int | None = None, event: str = QUEUED
) -> str:
    """Conclude the check of the proofs; where it is required, unread proofs never pass.

    The key is `key`, followed by the number if there is a pull request. The oldest pull request
    from a branch of the repository, whose jobs alone may make checks, has the plain name; the
    others have a name with their `number`. A report without a pull request has a name with its
    `event` if a pull request has this head, unless a merge queue waits for it.
    """
    if not told.is_expected and not told.is_awaited:
        return f"{PROOFS}: no proof to read"
    title, conclusion = _proofs_outcome(told)
    head, name = told.shown.head, told.named(PROOFS)
    owner = None if number is None and event == QUEUED else other_owner(head, number, forge)
    suffix, words = "", told.text.strip()
    if owner is not None:
        what = f"#{number}" if number is not None else event
        suffix = f" ({what})"
        words = (
            f"This commit is also the head of #{owner}, where its check is `{name}`. The "
            f"check of {what} is `{name}{suffix}`.\n\n{words}"
        )
    forge.conclude(
        CommitCheck(
            name=f"{name}{suffix}",
            head=head,
            key=key if number is None else f"{key}:{number}",
            title=title,
            summary=words,
            conclusion=conclusion,
        )
    )
    said = f"{PROOFS}{suffix}: {conclusion}"
    if number is None or other_owner(head, number, forge) == owner:
        return said
    # The owner changed meanwhile, so that whoever handed its check on did not know of this one.
    return f"{said}; {hand_proofs_on(head, owner or number, key, forge, name)}"


def _proofs_outcome(told: ActionReview) -> tuple[str, str]:
    """The title and the conclusion of the check of the proofs.

    If no proof is affected it passes, because rules may require it, and the commit may have a check
    from another base or run.
    """
    if told.structure.title == WITHHELD:
        return WITHHELD, "action_required"  # GitHub lets a neutral check pass where it is required
    incomplete = "neutral" if told.is_advisory else "action_required"
    if not told.is_expected:
        # The parts that could not be looked at may be just the affected ones.
        is_cut = told.structure.conclusion is Conclusion.INCOMPLETE
        return (told.structure.title, incomplete) if is_cut else ("No proof is affected", "success")
    if told.proofs is None:
        return "The proofs could not be read", incomplete
    ended = told.proofs.conclusion
    conclusion = conclusion_of(
        ended,
        is_whole=told.proofs.is_read and ended is not Conclusion.STRUCTURE,
        is_advisory=told.is_advisory,
        incomplete=incomplete,
    )
    title = _BLOCKING.sub("", told.proofs.title) if told.is_advisory else told.proofs.title
    return title, conclusion


_BLOCKING = re.compile(r", [\d,]+ blocking\Z")
"""The part of a title about blocking findings, of which an advisory check has none."""

_BEGIN = {
    True: (
        "Reviewed",
        "This push was reviewed completely; the next one is compared with this commit.",
    ),
    False: (
        "Review incomplete",
        "Part of this push was not reviewed; the next review covers that part, because it compares "
        "with the same commit.",
    ),
}


def tell_push(told: ActionReview, start: str, forge: ActionForge) -> str:
    """Publish the base of the next push; `start` is the base of this one, "" the whole paper."""
    head = told.shown.head
    key = head if told.is_complete else start
    if not key:
        return f"{PUSH}: review incomplete"
    title, summary = _BEGIN[told.is_complete]
    # Neutral, because it says nothing about findings.
    forge.conclude(
        CommitCheck(
            name=told.named(PUSH),
            head=head,
            key=key,
            title=title,
            summary=summary,
            conclusion="neutral",
        )
    )
    return f"{PUSH}: the next one is compared with {key}"


def push_start(
    before: str | None, commits: Sequence[str], forge: ActionForge, *, paper: str
) -> str | None:
    """The base of a push: the last reviewed commit before it; None if there is none.

    `commits` led to its head, and `before` is the event's. The start recorded by any earlier push
    to the default branch will do, because everything up to there was reviewed; the nearest one
    takes the fewest requests.
    """
    for commit in sorted(commits, key=lambda commit: commit != before):
        found = [
            key for key in forge.keys(check_name(PUSH, paper), commit) if _COMMIT.fullmatch(key)
        ]
        if found:
            return commit if commit in found else found[0]
    return None


def _oldest(existing: Iterable[Existing], key: str) -> list[Existing]:
    """Our first item with a mark; reading stops there, because duplicates are left alone."""
    for item in existing:
        mark = comment.read_mark(item.body)
        if item.is_ours and mark is not None and mark.key == key:
            return [item]
    return []


_MESSAGE = "Record what pf-verify has read"
_ATTEMPTS = 4


def record(lines: Mapping[str, str], branch: str, files: BranchFiles) -> str:
    """Merge lines into the ledgers of a branch; a sentence about it."""
    written = [path for path, text in lines.items() if _record(path, text, branch, files)]
    return f"committed {', '.join(written)}" if written else "pf.lock is up to date"


def _record(path: str, text: str, branch: str, files: BranchFiles) -> bool:
    if path.rpartition("/")[2] != LEDGER_NAME or ".." in path.split("/") or path[0] == "/":
        raise UsageError("only pf.lock files are written")
    more = read_ledger(text)
    if more.problems:
        raise UsageError("not lines of pf.lock")
    for _ in range(_ATTEMPTS):
        held = files.held(path, branch)
        new = ledger_text(merged(read_ledger(held.text).ledger, more.ledger))
        if new == held.text:
            return False
        if files.put(path, branch, BranchFile(new, held.blob), _MESSAGE):
            return True
    raise IncompleteError(f"{path} keeps changing; the next run adds what is missing")
