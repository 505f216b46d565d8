"""What is told of a review, and where: decided here, said through a forge.

Whatever was said before is found by a hidden mark, which counts only in the bot's own words; so a
second run changes what is there and adds nothing.

Adds lines to the ledgers on the default branch, as commits of their own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from urllib.parse import quote

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.paper_settings import LEDGER_NAME
from pfcore.ledger.ledger import merged
from pfcore.ledger.lock_lines import ledger_text, read_ledger
from pfcore.reporters.formats.publication import Conclusion, Publication

LABEL = "pf-verify"
CHECK = "pf / proofs"
PUSH = "pf / push"
"""Beside a commit of the default branch: its key is the commit that the next push is compared with.

That is the commit itself, once all of it was reviewed; else what its own push was compared with.
"""
TITLE = "pf-verify: what is open on the default branch"
_REVIEW, _ISSUE = "review", "branch"
"""What marks are of, by which our own words are found again."""
_UNREAD = (
    "**The proofs could not be read.** What is said here is about the structure alone; the job "
    "`proofs` says why."
)

_COMMIT = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")


class ExistingText(NamedTuple):
    """A comment or an issue, as it is."""

    id: int
    author: str
    body: str
    is_open: bool = True


class ActionCheck(NamedTuple):
    """A check run; `key` tells the runs of one job apart from those of others."""

    name: str
    head: str
    key: str
    conclusion: str
    title: str
    summary: str


class ActionForge(Protocol):
    """What is asked of GitHub about one repository; `me` is the name that its own words have."""

    me: str

    def pulls_at(self, head: str) -> list[int]:
        """The open pull requests whose head this commit is now."""

    def remarks(self, number: int) -> Iterable[ExistingText]:
        """The comments of a pull request, the oldest first."""

    def remark(self, number: int, body: str) -> None:
        """Add a comment."""

    def reword(self, number: int, remark: int, body: str) -> None:
        """Change a comment."""

    def conclude(self, verdict: ActionCheck) -> None:
        """Make a check run, or change the one with this key."""

    def keys(self, name: str, head: str) -> list[str]:
        """The keys of the check runs of a name that a commit has, and that are over."""

    def issues(self, label: str) -> Iterable[ExistingText]:
        """The issues with a label, closed ones too, the oldest first."""

    def open_issue(self, title: str, body: str, label: str) -> None:
        """Open an issue."""

    def change_issue(self, number: int, body: str, *, is_open: bool) -> None:
        """Change an issue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionReview:
    """A review that is told: of the proofs where they were read, else of the structure.

    `is_expected`: the proofs were to be read; `page` is the address of the run. `paper` is the
    folder of a paper that is one of several.
    """

    structure: Publication
    proofs: Publication | None
    is_expected: bool
    is_advisory: bool
    page: str
    paper: str = "."

    @property
    def shown(self) -> Publication:
        """What says most."""
        return self.proofs or self.structure

    @property
    def is_unread(self) -> bool:
        """Whether proofs were to be read and nothing is known of them."""
        return self.is_expected and self.proofs is None

    @property
    def is_complete(self) -> bool:
        """Whether all that was to be reviewed was."""
        if self.shown.conclusion is Conclusion.INCOMPLETE:
            return False
        return not self.is_expected or (self.proofs is not None and self.proofs.is_read)

    @property
    def is_quiet(self) -> bool:
        """Whether nobody has to be told."""
        return self.shown.is_quiet and not self.is_unread

    def named(self, check: str) -> str:
        """The name of a check of this paper."""
        return check_name(check, self.paper)

    def mark(self, kind: str) -> str:
        """What is behind our own words of a kind, unseen."""
        return f"<!-- pf-verify:{check_name(kind, quote(self.paper))} -->"

    def text(self, mark: str) -> str:
        """The words of a comment or an issue; of a mark inside of them nothing is left."""
        words = self.shown.summary.replace("<!--", "&lt;!--").strip()
        unread = [_UNREAD] if self.is_unread else []
        foot = f"<sub>Commit `{self.shown.head[:12]}` · [run]({self.page})</sub>"
        return "\n\n".join([words, *unread, foot, mark])


def tell_pull_request(told: ActionReview, number: int | None, forge: ActionForge) -> str:
    """Comment on the pull request of the commit, or change what was said; a sentence about it."""
    pulls = forge.pulls_at(told.shown.head)
    if number is not None and number not in pulls:
        return f"#{number} is closed, or has moved on to another commit: nothing was said"
    if not pulls:
        return "this commit is the head of no open pull request: nothing was said"
    return "; ".join(_tell(told, name, forge) for name in ([number] if number else pulls))


def _tell(told: ActionReview, number: int, forge: ActionForge) -> str:
    mark = told.mark(_REVIEW)
    body, known = told.text(mark), _own(forge.remarks(number), mark, forge.me)
    if known is None:
        if told.is_quiet:
            return f"#{number}: there is nothing to say"
        forge.remark(number, body)
        return f"#{number}: commented"
    if known.body.strip() != body:
        forge.reword(number, known.id, body)
    return f"#{number}: the comment is up to date"


def tell_issue(told: ActionReview, forge: ActionForge) -> str:
    """Keep one issue up to date: open as long as something is to be answered."""
    mark = told.mark(_ISSUE)
    body, is_open = told.text(mark), told.shown.is_open or not told.is_complete
    known = _own(forge.issues(LABEL), mark, forge.me)
    if known is None:
        if not is_open:
            return "there is nothing to open an issue for"
        forge.open_issue(TITLE, body, LABEL)
        return "an issue was opened"
    if known.body.strip() != body or (known.is_open and not is_open):
        forge.change_issue(known.id, body, is_open=is_open)
    return f"issue #{known.id} is up to date"


def tell_check(told: ActionReview, key: str, forge: ActionForge) -> str:
    """Conclude the check of the proofs: what was not read never passes where it has to."""
    if not told.is_expected:
        return f"{CHECK}: there was no proof to read"
    ended = told.proofs.conclusion if told.proofs else Conclusion.INCOMPLETE
    if told.proofs and not told.proofs.is_read and ended is not Conclusion.BLOCKING:
        ended = Conclusion.INCOMPLETE
    title = "The proofs could not be read" if told.proofs is None else told.proofs.title
    conclusion = conclusion_of(ended, is_advisory=told.is_advisory)
    forge.conclude(
        ActionCheck(
            name=told.named(CHECK),
            head=told.shown.head,
            key=key,
            conclusion=conclusion,
            title=title,
            summary=told.text("").strip(),
        )
    )
    return f"{CHECK}: {conclusion}"


_BEGIN = {
    True: ("Reviewed", "All of this push was reviewed: the next one is compared with this commit."),
    False: (
        "Not reviewed to its end",
        "Something of this push was not reviewed: it is part of the next one, which is compared "
        "with the same commit as this one.",
    ),
}


def tell_push(told: ActionReview, start: str, forge: ActionForge) -> str:
    """Say what the next push is compared with; `start` is what this one was, "" the whole paper."""
    head = told.shown.head
    key = head if told.is_complete else start
    if not key:
        return f"{PUSH}: the paper was not reviewed to its end"
    title, summary = _BEGIN[told.is_complete]
    # Neutral, for it says nothing of what was found.
    forge.conclude(ActionCheck(told.named(PUSH), head, key, "neutral", title, summary))
    return f"{PUSH}: the next one is compared with {key}"


def push_start(
    before: str | None, commits: Sequence[str], forge: ActionForge, *, paper: str
) -> str:
    """What a push is compared with: whatever came before that was reviewed; "" the whole paper.

    `commits` led to its head, and `before` is what the event says. The start of any push to the
    default branch that was told of will do, for all up to there was reviewed: that of the nearest
    is told by the fewest requests. Where there is none it is the first push that is reviewed.
    """
    for commit in sorted(commits, key=lambda commit: commit != before):
        found = [
            key for key in forge.keys(check_name(PUSH, paper), commit) if _COMMIT.fullmatch(key)
        ]
        if found:
            return commit if commit in found else found[0]
    return before or ""


def check_name(check: str, paper: str) -> str:
    """The name of a check, where a repository has several papers that of one; `paper`: a folder."""
    return check if paper in ("", ".") else f"{check} ({paper})"


def conclusion_of(ended: Conclusion, *, is_advisory: bool) -> str:
    """A check's conclusion; to GitHub, neutral passes a check that is required."""
    if ended is Conclusion.CLEAN:
        return "success"
    if is_advisory or ended is Conclusion.FINDINGS:
        return "neutral"
    return "failure" if ended is Conclusion.BLOCKING else "action_required"


def _own(remarks: Iterable[ExistingText], mark: str, me: str) -> ExistingText | None:
    """The first that is ours; anybody can write a mark."""
    return next((r for r in remarks if r.author == me and r.body.rstrip().endswith(mark)), None)


_MESSAGE = "Record what pf-verify has read"
_ATTEMPTS = 4


class BranchFile(NamedTuple):
    """A file of a branch, and the id of its content; both empty where there is none."""

    text: str
    blob: str


class BranchFiles(Protocol):
    """The files of a branch, through GitHub."""

    def held(self, path: str, branch: str) -> BranchFile:
        """The file as it is now."""

    def put(self, path: str, branch: str, new: BranchFile, message: str) -> bool:
        """Commit a text in place of the content `new.blob`; False if another came first."""


def record(lines: Mapping[str, str], branch: str, parse_cache: BranchFiles) -> str:
    """Unite lines with the ledgers of a branch; a sentence about it."""
    written = [path for path, text in lines.items() if _record(path, text, branch, parse_cache)]
    return f"committed {', '.join(written)}" if written else "the ledger has it all"


def _record(path: str, text: str, branch: str, parse_cache: BranchFiles) -> bool:
    if path.rpartition("/")[2] != LEDGER_NAME or ".." in path.split("/") or path[0] == "/":
        raise UsageError("only a ledger is written")
    more = read_ledger(text)
    if more.problems:
        raise UsageError("these are no lines of a ledger")
    for _ in range(_ATTEMPTS):
        held = parse_cache.held(path, branch)
        new = ledger_text(merged(read_ledger(held.text).ledger, more.ledger))
        if new == held.text:
            return False
        if parse_cache.put(path, branch, BranchFile(new, held.blob), _MESSAGE):
            return True
    raise IncompleteError(f"{path} changes all the time; the next run adds what is missing")
