"""The output of a hook: a summary line for each paper, then findings as compilers print them.

It covers one change only: the papers that it touches, and what could not be looked at there.
Exactly the counted findings follow; those shared by several papers are printed once.

`pf check --format rdjsonl`: a line of JSON for each finding, as reviewdog reads them.
"""

import json
import posixpath
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from pfcore.domain.errors import SourceError
from pfcore.domain.paper_settings import FILE_NAME, LEDGER_NAME
from pfcore.domain.values import Finding, Severity
from pfcore.graph.paper_state import PaperState
from pfcore.reporters.printing import place_of, plural, safe
from pfcore.reporters.review_outcome import gaps_in_words
from pfcore.repository.source_files import is_setting
from pfcore.review.review import PaperReport, Report
from pfcore.review.unseen import Gap, Unseen, beside, once, unseen_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The lines about a change; `is_incomplete`: a part of it could not be looked at."""

    said: tuple[str, ...]
    is_incomplete: bool


def finding_lines(report: Report, *, notes: bool, whole: str = "pf check --all") -> Lines:
    """The new and unanswered findings, the gravest first; notes only if wanted.

    `whole` is the command that lists older errors, too.
    """
    papers = [paper for paper in report.papers if _is_touched(paper, report)]
    if any(paper.plan.total for paper in papers):
        papers = [one for one in papers if one.plan.total or printed_findings(one, notes=notes)]
    gaps = {paper.state.paper.name: _gaps(paper) for paper in papers}
    others = [item for item in beside(report) if _is_of_change(item, report)]
    said: list[str] = []
    left = dict(gaps)
    for names, body in _shared(papers, notes=notes).items():
        own = [item for name in names for item in left.pop(name, ())]
        more = [] if said else others
        group = [paper for paper in papers if paper.state.paper.name in names]
        said += [_summary(group, body, [*more, *once(own)]), *(line for _, line in body)]
    if not papers:
        unseen = gaps_in_words(others)
        said.append(
            "the change does not touch the text of a paper" + (f"; {unseen}" if unseen else "")
        )
    if older := _older(papers):
        told = f"older: {plural(older, 'error')} ({whole})"
        said = [f"{said[0]}; {told}"] if len(said) == 1 else [*said, told]
    # A commit may repair the ledger, or have nothing to do with it, so its lines are warnings here.
    is_incomplete = any(
        item.is_failure and posixpath.basename(item.path) != LEDGER_NAME
        for own in (others, *gaps.values())
        for item in own
    )
    return Lines(said=tuple(said), is_incomplete=is_incomplete)


_Line = tuple[Severity | None, str]


def _shared(papers: Sequence[PaperReport], *, notes: bool) -> dict[tuple[str, ...], list[_Line]]:
    """The lines of papers, by the names of the papers that share them; no paper is left out.

    A finding in the same place of several papers is one line, with the first paper's numbers.
    """
    having: dict[tuple[str, ...], dict[str, _Line]] = {}
    alone: list[str] = []
    for paper in papers:
        body = list(_lines(paper, notes=notes))
        name = paper.state.paper.name
        if not body:
            alone.append(name)
        for key, severity, text in body:
            having.setdefault(key, {})[name] = (severity, text)
    found: dict[tuple[str, ...], list[_Line]] = {}
    for lines in having.values():
        (name, (severity, text)), *others = lines.items()
        if any(other[1][1] != text for other in others):
            text += f" (as numbered in {safe(name)})"
        found.setdefault(tuple(lines), []).append((severity, text))
    return found | ({tuple(alone): []} if alone else {})


def _gaps(paper: PaperReport) -> list[Unseen]:
    """The parts of a paper that were not looked at; unread proofs only if there is a ledger.

    Without a model nobody expects proofs to be read, and the line would look like a failure.
    """
    found = unseen_of(paper, is_change=paper.is_change)
    return [item for item in found if item.kind is not Gap.PROOF or paper.sheet is not None]


def _older(papers: Iterable[PaperReport]) -> int:
    """The number of unanswered errors that were there before the change, one for each place."""
    return len(
        {
            (place_of(item), item.id)
            for paper in papers
            for item in paper.findings
            if item.introduced is False
            and item.dismissed is None
            and item.severity is Severity.ERROR
        }
    )


def _is_touched(paper: PaperReport, report: Report) -> bool:
    """Whether a change touches a file of a paper, or its settings or ledger."""
    if report.changed is None or paper.before is None or paper.plan.affected:
        return True
    settings = paper.state.paper.settings
    outlines = paper.state.paper.outline, paper.before.paper.outline
    files = {path for outline in outlines for path in outline.order}
    files |= {
        item.subject
        for outline in outlines
        for found in outline.problems.values()
        for item in found
    }
    if not report.changed.isdisjoint(files | {settings.ledger, settings.path or FILE_NAME}):
        return True
    return _is_touched_beside(paper, paper.before, report.changed)


def _is_touched_beside(paper: PaperReport, before: PaperState, changed: Set[str]) -> bool:
    """Whether a change touches a paper's bibliographies, or removes a figure that it includes."""
    from pfcore.checks import change
    from pfcore.checks.bibliography import Bibliography

    now, then = paper.state.paper, before.paper
    if not any(change.beside_the_text(now, then)):
        return False
    bibs = {path for one in (now, then) for path in Bibliography(one).bib}
    return not changed.isdisjoint(bibs) or bool(printed_findings(paper, notes=False))


def _is_of_change(item: Unseen, report: Report) -> bool:
    """Whether a change is to blame for it; a commit is not for a paper without results."""
    changed = report.changed
    if item.kind is Gap.RESULTS:
        return False
    if changed is None or item.kind is Gap.PAPER or is_setting(item.path):
        return True
    if item.kind is Gap.IGNORED:
        return any(map(is_setting, changed)) or not changed.isdisjoint(report.library.ignored)
    return item.path in changed


def _lines(
    paper: PaperReport, *, notes: bool
) -> Iterator[tuple[tuple[str, ...], Severity | None, str]]:
    """The lines of a paper; lines with equal keys are the same in several papers."""
    for finding in printed_findings(paper, notes=notes):
        kind = f"{finding.rule} {finding.id}"
        place = place_of(finding)
        message = safe(finding.message)
        line = f"{place}: {finding.severity.value} [{kind}] {message}"
        yield (place, kind, finding.severity.value), finding.severity, line
    for severity, line in _ledger(paper):
        yield (line,), severity, line


def printed_findings(paper: PaperReport, *, notes: bool) -> list[Finding]:
    """The findings that are printed."""
    return [
        item
        for item in paper.findings
        if item.introduced is not False
        and item.dismissed is None
        and (notes or paper.is_shown(item))
    ]


def _ledger(paper: PaperReport) -> Iterator[tuple[Severity | None, str]]:
    """Lines on parts of the ledger that are invalid or do not count here; they are not findings."""
    if paper.sheet is None:
        return
    where = safe(paper.state.paper.settings.ledger)
    for problem in paper.sheet.problems:
        message = safe(problem.message)
        yield Severity.WARNING, f"{where}:{problem.line}:1: warning [pf.lock] {message}"
    if paper.sheet.uncounted:
        is_one = paper.sheet.uncounted == 1
        counts = "does not count until it is" if is_one else "do not count until they are"
        number = plural(paper.sheet.uncounted, "line")
        yield None, f"{number} of {where} {counts} on the base branch."


_NAMED = 3
"""How many papers are named in a summary; the others are counted."""


def _summary(papers: Sequence[PaperReport], body: Sequence[_Line], gaps: list[Unseen]) -> str:
    """The numbers of findings of each kind, and what was not looked at."""
    kinds = (Severity.ERROR, Severity.WARNING)
    numbers = {kind: sum(1 for found, _ in body if found is kind) for kind in kinds}
    found = ", ".join(plural(number, kind.value) for kind, number in numbers.items() if number)
    if not found:
        new = "new " if papers[0].is_change else ""
        is_empty = not any(paper.plan.total for paper in papers)
        found = "no results found" if is_empty else f"no {new}errors or warnings"
    if notes := sum(1 for kind, _ in body if kind is Severity.NOTE):
        found += f", {plural(notes, 'note')}"
    *most, last = [safe(paper.state.paper.name) for paper in papers]
    if len(most) >= _NAMED:
        most, last = most[:_NAMED], f"{len(most) + 1 - _NAMED} more"
    name = f"{', '.join(most)} and {last}" if most else last
    unseen = gaps_in_words(gaps)
    return f"{name}: {found}" + (f"; {unseen}" if unseen else "")


_SEVERITY = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.NOTE: "INFO"}


def check_rdjsonl(report: Report) -> str:
    """The unanswered findings, each on a line of its own."""
    return "".join(
        json.dumps(_diagnostic(finding, paper)) + "\n"
        for paper in report.papers
        for finding in paper.findings
        if finding.dismissed is None
    )


def _diagnostic(finding: Finding, paper: PaperReport) -> dict[str, Any]:
    where = finding.location
    votes = f", {finding.votes} of {plural(finding.rollouts, 'reading')}"
    told = f"{finding.id}{votes if finding.rollouts > 1 else ''}"
    return {
        "message": f"{safe(finding.message)} [{told}]",
        "location": {
            "path": where.path,
            "range": {
                "start": _position(paper, where.path, where.start, where[3:5]),
                "end": _position(paper, where.path, where.end, where[5:7]),
            },
        },
        "severity": _SEVERITY[finding.severity],
        "source": {"name": "pf-verify"},
        "code": {"value": finding.rule},
    }


def _position(paper: PaperReport, path: str, offset: int, place: tuple[int, int]) -> dict[str, int]:
    """A place with its column in bytes of UTF-8, as RDFormat requires."""
    line, column = place
    try:
        before = paper.state.paper.source(path)[max(0, offset - column + 1) : offset]
    except SourceError:  # a finding may be about a file that cannot be read
        before = ""
    return {"line": line, "column": len(before.encode("utf-8", "replace")) + 1}
