"""What is told of a review, and where: decided here, said through a forge.

Whatever was said before is found by a hidden mark, which counts only in the bot's own words; so a
second run changes what is there and adds nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pfcore.report.publication import Conclusion, Publication

LABEL = "pf-verify"
CHECK = "pf / proofs"
TITLE = "pf-verify: what is open on the default branch"
_REVIEW, _ISSUE = "<!-- pf-verify:review -->", "<!-- pf-verify:branch -->"
_UNREAD = (
    "**The proofs could not be read.** What is said here is about the structure alone; the job "
    "`proofs` says why."
)


class Remark(NamedTuple):
    """A comment or an issue, as it is."""

    id: int
    author: str
    body: str
    is_open: bool = True


class Verdict(NamedTuple):
    """A check run; `key` tells the runs of one job apart from those of others."""

    name: str
    head: str
    key: str
    conclusion: str
    title: str
    summary: str


class Forge(Protocol):
    """What is asked of GitHub about one repository; `me` is the name that its own words have."""

    me: str

    def pulls_at(self, head: str) -> list[int]:
        """The open pull requests whose head this commit is now."""

    def remarks(self, number: int) -> Iterable[Remark]:
        """The comments of a pull request, the oldest first."""

    def remark(self, number: int, body: str) -> None:
        """Add a comment."""

    def reword(self, number: int, remark: int, body: str) -> None:
        """Change a comment."""

    def conclude(self, verdict: Verdict) -> None:
        """Make a check run, or change the one with this key."""

    def issues(self, label: str) -> Iterable[Remark]:
        """The issues with a label, closed ones too, the oldest first."""

    def open_issue(self, title: str, body: str, label: str) -> None:
        """Open an issue."""

    def change_issue(self, number: int, body: str, *, is_open: bool) -> None:
        """Change an issue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A review that is told: of the proofs where they were read, else of the structure.

    `is_expected`: the proofs were to be read; `page` is the address of the run.
    """

    structure: Publication
    proofs: Publication | None
    is_expected: bool
    is_advisory: bool
    page: str

    @property
    def shown(self) -> Publication:
        """What says most."""
        return self.proofs or self.structure

    @property
    def is_unread(self) -> bool:
        """Whether proofs were to be read and nothing is known of them."""
        return self.is_expected and self.proofs is None

    @property
    def is_quiet(self) -> bool:
        """Whether nobody has to be told."""
        return self.shown.is_quiet and not self.is_unread

    def text(self, mark: str) -> str:
        """The words of a comment or an issue; of a mark inside of them nothing is left."""
        words = self.shown.summary.replace("<!--", "&lt;!--").strip()
        unread = [_UNREAD] if self.is_unread else []
        foot = f"<sub>Commit `{self.shown.head[:12]}` · [run]({self.page})</sub>"
        return "\n\n".join([words, *unread, foot, mark])


def tell_pull_request(told: Told, number: int | None, forge: Forge) -> str:
    """Comment on the pull request of the commit, or change what was said; a sentence about it."""
    pulls = forge.pulls_at(told.shown.head)
    if number is not None and number not in pulls:
        return f"#{number} is closed, or has moved on to another commit: nothing was said"
    if not pulls:
        return "this commit is the head of no open pull request: nothing was said"
    return "; ".join(_tell(told, name, forge) for name in ([number] if number else pulls))


def _tell(told: Told, number: int, forge: Forge) -> str:
    body = told.text(_REVIEW)
    known = _own(forge.remarks(number), _REVIEW, forge.me)
    if known is None:
        if told.is_quiet:
            return f"#{number}: there is nothing to say"
        forge.remark(number, body)
        return f"#{number}: commented"
    if known.body.strip() != body:
        forge.reword(number, known.id, body)
    return f"#{number}: the comment is up to date"


def tell_issue(told: Told, forge: Forge) -> str:
    """Keep one issue up to date: open as long as something is to be answered."""
    body, is_open = told.text(_ISSUE), told.shown.is_open or told.is_unread
    known = _own(forge.issues(LABEL), _ISSUE, forge.me)
    if known is None:
        if not is_open:
            return "there is nothing to open an issue for"
        forge.open_issue(TITLE, body, LABEL)
        return "an issue was opened"
    if known.body.strip() != body or (known.is_open and not is_open):
        forge.change_issue(known.id, body, is_open=is_open)
    return f"issue #{known.id} is up to date"


def tell_check(told: Told, key: str, forge: Forge) -> str:
    """Conclude the check of the proofs: what was not read never passes where it has to."""
    if not told.is_expected:
        return f"{CHECK}: there was no proof to read"
    ended = told.proofs.conclusion if told.proofs else Conclusion.INCOMPLETE
    if told.proofs and not told.proofs.is_read and ended is not Conclusion.BLOCKING:
        ended = Conclusion.INCOMPLETE
    title = "The proofs could not be read" if told.proofs is None else told.proofs.title
    conclusion = conclusion_of(ended, is_advisory=told.is_advisory)
    forge.conclude(
        Verdict(
            name=CHECK,
            head=told.shown.head,
            key=key,
            conclusion=conclusion,
            title=title,
            summary=told.text("").strip(),
        )
    )
    return f"{CHECK}: {conclusion}"


def conclusion_of(ended: Conclusion, *, is_advisory: bool) -> str:
    """A check's conclusion; to GitHub, neutral passes a check that is required."""
    if ended is Conclusion.CLEAN:
        return "success"
    if is_advisory or ended is Conclusion.FINDINGS:
        return "neutral"
    return "failure" if ended is Conclusion.BLOCKING else "action_required"


def _own(remarks: Iterable[Remark], mark: str, me: str) -> Remark | None:
    """The first that is ours; anybody can write a mark."""
    return next((r for r in remarks if r.author == me and r.body.rstrip().endswith(mark)), None)
