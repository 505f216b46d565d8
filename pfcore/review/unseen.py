"""What a review has not looked at, and whether that keeps it from passing.

Every interface shows it first, and none passes if a requested part could not be reviewed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.paper_settings import FILE_NAME
from pfcore.domain.spans import count_before
from pfcore.domain.values import Severity
from pfcore.latex.lexer.commands import REFERENCES
from pfcore.latex.parsed_file import ALTERNATIVE
from pfcore.latex.project.documents import UNINCLUDED
from pfcore.markup.pf_paper import SUFFIX

if TYPE_CHECKING:
    from pfcore.domain.values import Finding
    from pfcore.graph.paper_state import PaperState
    from pfcore.latex.parsed_file import SourceProblem
    from pfcore.review.review import PaperReport, Report

_TEXTS = (".tex", ".ltx", SUFFIX)
"""The extensions of files that may be a paper, or a part of one."""
MISSING_FILE = "missing-file"
"""The problem code for a missing file, and the check that reports it."""
_UNFOLLOWED = "not followed"
_GENERATED = ".lake/build/"
_PLAIN = regex(r"(?:[^\\]*/)?[^/.\\]+(?:\.(?:tex|ltx))?")
_LACKING = {
    MISSING_FILE: "not found",
    "uncertain-file": "not found",
    "unfollowed-file": _UNFOLLOWED,
}
STALE = "out of date: its numbers are not used"
"""The message for an .aux file that was written for other sources."""


class Gap(StrEnum):
    """Kinds of things not looked at, in the order of reports."""

    PAPER = "paper"
    BLOCK = "block"
    RESULTS = "results"
    FILE = "file"
    ROOT = "root"
    IGNORED = "ignored"
    CHECK = "check"
    LEDGER = "ledger"
    REFERENCE = "reference"
    LOOSE = "loose proof"
    PROOF = "proof"


class Unseen(NamedTuple):
    """One thing, or several of a kind; `line` is 0 for a whole file, `path` "" for no place.

    `is_failure`: the review could not be completed because of it: status 3, never a pass.
    `command` is the paper's own command for references, and `is_labelled` says that its argument
    is a label.
    """

    kind: Gap
    path: str
    line: int
    what: str
    reason: str
    number: int = 1
    is_failure: bool = False
    command: str = ""
    is_labelled: bool = False


def unseen(report: Report) -> tuple[Unseen, ...]:
    """Everything that was not looked at, in each paper and outside of them."""
    found = [*beside(report), *(item for paper in report.papers for item in unseen_of(paper))]
    order = list(Gap)
    return tuple(sorted(once(found), key=lambda item: order.index(item.kind)))


def once(found: Iterable[Unseen]) -> Iterator[Unseen]:
    """The items, each once if several papers share it."""
    known: set[tuple[Gap, str, int, str]] = set()
    for item in found:
        key = item.kind, item.path, item.line, item.what
        if item.path and key in known:
            continue
        known.add(key)
        yield item


def is_incomplete(report: Report) -> bool:
    """Whether a requested part could not be reviewed."""
    own = (bool(paper.faults) or _may_hide_objections(paper) for paper in report.papers)
    return any(item.is_failure for item in beside(report)) or any(own)


def _may_hide_objections(paper: PaperReport) -> bool:
    """Whether an unreadable line of the ledger may be a verdict on a present proof."""
    sheet = paper.sheet
    if sheet is None or not sheet.problems:
        return False
    contexts = {task.context for task in sheet.tasks.values()}
    return any(problem.may_concern(contexts) for problem in sheet.problems)


def exit_status(report: Report) -> int:
    """1 if findings block, else 3 if the review could not be completed, else 0."""
    if any(paper.blocking for paper in report.papers):
        return 1
    return 3 if is_incomplete(report) else 0


def beside(report: Report) -> Iterator[Unseen]:
    """Items outside of the reviewed papers: papers that failed, files, dropped roots."""
    for one in report.failed:
        reason = f"pf-verify could not read it: {one.cause}"
        yield Unseen(Gap.PAPER, one.root, 0, "paper", reason, is_failure=True)
    is_empty = not any(paper.plan.total for paper in report.papers)
    for paper in report.papers:
        if not paper.plan.total:
            root = paper.state.paper.root
            is_lost = is_empty or _is_not_built(paper)
            yield Unseen(Gap.RESULTS, root, 0, "paper", "no results found", is_failure=is_lost)
    ledgers = {paper.state.paper.settings.ledger for paper in report.papers}
    for path, reason in report.library.unread.items():
        is_failure = path.lower().endswith(_TEXTS) and _is_under_review(path, report)
        is_failure |= path in ledgers
        yield Unseen(Gap.FILE, path, 0, "file", reason, is_failure=is_failure)
    for item in report.library.asides:
        yield Unseen(Gap.ROOT, item.path, 0, "document", item.reason)
    if report.library.ignored:
        number = len(report.library.ignored)
        yield Unseen(Gap.IGNORED, "", 0, "ignored file", "settings leave it out", number)


def _is_not_built(paper: PaperReport) -> bool:
    """Whether a paper inputs files that Lean generates for a blueprint, and these are missing."""
    return any(_GENERATED in item.subject for _, item in _problems(paper.state))


def _is_under_review(path: str, report: Report) -> bool:
    """Whether an unreadable file is part of the change, or everything is reviewed."""
    changed = report.changed
    return changed is None or path in changed or path not in report.long_unread


def unseen_of(paper: PaperReport, *, is_change: bool = False) -> Iterator[Unseen]:
    """What was not looked at in one paper; `is_change`: only what a change adds or affects."""
    for fault in paper.faults:
        yield Unseen(Gap.BLOCK, fault.path, fault.line, fault.what, fault.cause, is_failure=True)
    yield from _not_read_in(paper, is_change=is_change)
    if not is_change:
        yield from _not_believed(paper.state)
        yield from _other_branches(paper.state)
    settings = paper.state.paper.settings
    off = len(settings.checks.disable)
    if off:
        where = settings.path or FILE_NAME
        yield Unseen(Gap.CHECK, where, 0, "disabled check", "settings switch it off", off)
    lines = sum(item.number for item in paper.sheet.problems) if paper.sheet else 0
    if lines:
        where = paper.state.paper.settings.ledger
        why = "see its warnings"
        is_failure = _may_hide_objections(paper)
        yield Unseen(Gap.LEDGER, where, 0, "unreadable line", why, lines, is_failure)
    lost = Counter(item.key for item in paper.unresolved)
    if lost and is_change and paper.before is not None:
        from pfcore.checks.references import unresolved  # late: only with lost ones

        lost -= Counter(item.key for item in unresolved(paper.before))
    if lost:
        from pfcore.checks.references import loose_files

        for path in loose_files(paper.lost):
            yield Unseen(Gap.ROOT, path, 0, "document", UNINCLUDED)
        yield from _lost(paper, _untold(lost, paper, is_change=is_change))
    proofs = len(paper.plan.unread) + (0 if is_change else paper.plan.backlog)
    if proofs:
        yield Unseen(Gap.PROOF, "", 0, "proof", "not read", proofs)
    loose = 0 if is_change else len(paper.state.document.loose)
    if loose:
        yield Unseen(Gap.LOOSE, "", 0, "unattached proof", "proves no result", loose)


def _not_read_in(paper: PaperReport, *, is_change: bool) -> Iterator[Unseen]:
    """The files that a paper inputs and that are missing or not followed."""
    before = _problems(paper.before) if is_change and paper.before else ()
    known = {(path, item.subject) for path, item in before}
    for path, item in _problems(paper.state):
        if (path, item.subject) not in known:
            line = paper.state.paper.source(path).count("\n", 0, item.start) + 1
            closed = paper.state.paper.outline.closed.get((path, item.start), "")
            why = closed.partition(":")[0] or _LACKING[item.code]
            if _GENERATED in item.subject:
                is_here = paper.state.paper.snapshot.root is not None
                why = "not found" if is_here else "not committed"
                why += ": lake build :blueprint generates it"
            elif why == _UNFOLLOWED and _PLAIN.fullmatch(item.subject):
                why = "not in the repository"
            reason = f"included at {path}:{line}, {why}"
            yield Unseen(Gap.FILE, item.subject, 0, "file", reason)


def _other_branches(state: PaperState) -> Iterator[Unseen]:
    """The second branches of conditions that state the same results in another way."""
    for path, reading in state.paper.readings.items():
        for item in reading.problems:
            if item.code == ALTERNATIVE:
                line = state.paper.source(path).count("\n", 0, item.start) + 1
                reason = "an earlier branch of this condition has the same labels"
                yield Unseen(Gap.RESULTS, path, line, "second branch of a condition", reason)


def _not_believed(state: PaperState) -> Iterator[Unseen]:
    """A committed .aux file, if its numbers are those of other sources."""
    if not any(path.endswith(".aux") for path in state.paper.snapshot.files):
        return
    from pfcore.papers.rendered_numbers import stale_aux  # late: `pf plan` does not need it

    if path := stale_aux(state.paper):
        yield Unseen(Gap.FILE, path, 0, "file", STALE)


def to_be_made(paper: PaperReport) -> Iterator[Finding]:
    """The unanswered notes about missing files.

    For a check they are notes, since a build may make these files; for the gate they are parts that
    were not read.
    """
    lacking = {
        f"{path} {item.subject}"
        for path, item in _problems(paper.state)
        if item.code == MISSING_FILE
    }
    for item in paper.findings:
        is_open = item.severity is Severity.NOTE and item.dismissed is None
        if item.rule == MISSING_FILE and is_open and item.subject in lacking:
            yield item


def _problems(state: PaperState) -> Iterator[tuple[str, SourceProblem]]:
    """The places where a paper inputs something that was not read, by the inputting file."""
    for path, found in state.paper.outline.problems.items():
        for item in found:
            if item.code in _LACKING and item.end:
                yield path, item


def lacking_files(state: PaperState) -> list[str]:
    """The files that a paper inputs, that may contain a part of it, and that were not read."""
    found: list[str] = []
    for listed in state.paper.outline.problems.values():
        for item in listed:
            is_made = item.code in _LACKING and _GENERATED in item.subject
            if (is_made or item.code in _UNAVAILABLE) and item.subject not in found:
                found.append(item.subject)
    return found


_UNAVAILABLE = frozenset({MISSING_FILE, "uncertain-file", "unread-file"})


def _untold(lost: Counter[str], paper: PaperReport, *, is_change: bool) -> Counter[str]:
    """The references, by key, that no shown finding reports, so that each is reported once.

    Answered findings, and notes that do not count, are not shown everywhere; for a change, nor are
    earlier ones.
    """
    left = Counter(lost)
    more = 0
    for item in paper.lost:
        is_shown = item.dismissed is None and paper.is_loud(item)
        is_old = is_change and item.introduced is False
        if is_old or not is_shown:
            continue
        if item.left:
            more += item.left
            continue
        keys = [key for key in lost if f"{item.subject} ".startswith(f"{key} ")]
        left.subtract(sorted(keys, key=len)[-1:])
    for key in reversed(tuple(left)):
        taken = min(more, max(left[key], 0))
        left[key] -= taken
        more -= taken
    return +left


def _lost(paper: PaperReport, left: Counter[str]) -> Iterator[Unseen]:
    """The lines with references to undefined labels; `left` is the number of them by key."""
    if not any(left.values()):
        return
    from pfcore.checks.conditional_code import is_never_read  # late: only if some are left

    source, labels = paper.state.paper, paper.state.document.labels
    is_gone = is_never_read(source)
    found: Counter[tuple[str, int, str]] = Counter()
    labelled: set[str] = set()
    for key, path, reference in paper.unresolved:
        if left[key] > 0:
            left[key] -= 1
            if not is_gone(path, reference, key):
                text = source.source(path)
                line = count_before(text, "\n", reference.start) + 1
                call = _OWN.match(text, reference.start)
                command = call[1] if call and call[1] not in REFERENCES else ""
                found[path, line, command] += 1
                labelled |= {command} if call and call[2] in labels else set()
    for (path, line, command), number in found.items():
        yield Unseen(
            Gap.REFERENCE,
            path,
            line,
            "unresolved reference",
            "no label found",
            number,
            command=command,
            is_labelled=command in labelled,
        )


_OWN = regex(r"\\([A-Za-z@]+)\*?\s{0,9}\{([^{}\n]{0,200})\}")
"""A command with its argument."""
