"""Findings as GitHub's workflow commands, which put them beside the lines of a change."""

from collections.abc import Iterator

from pfcore.domain.values import Finding, Severity
from pfcore.reporters.formats.line_formats import printed_findings
from pfcore.reporters.module_names import module_name
from pfcore.reporters.printing import plural, safe, shortened
from pfcore.reporters.review_outcome import gaps_in_words
from pfcore.reporters.style import Style
from pfcore.review.review import PaperReport, Report
from pfcore.review.unseen import Gap, unseen

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_MOST = 10
"""Of one level, GitHub shows no more of a step."""
_LONGEST = 2_000
_TOLD = frozenset({Gap.PROOF, Gap.REFERENCE})
"""What the summary of the job says of every review, and what findings say."""


def annotations(report: Report) -> Iterator[str]:
    """One command for each new finding, the gravest first; what is left out is counted."""
    said = gaps_in_words(item for item in unseen(report) if item.kind not in _TOLD)
    if said:
        yield notice(f"{said[0].upper()}{said[1:]}")
    told = dict.fromkeys(_LEVELS, 0)
    for paper in report.papers:
        for finding in printed_findings(paper, notes=False):
            told[finding.severity] += 1
            if told[finding.severity] <= _MOST:
                yield _finding(finding, paper)
    if hidden := sum(max(0, number - _MOST) for number in told.values()):
        verb = "is" if hidden == 1 else "are"
        yield notice(f"{plural(hidden, 'more finding')} {verb} in the summary of this job")


def notice(message: str, *, title: str = "pf-verify") -> str:
    """A neutral remark that belongs to no line."""
    return command("notice", message, title=title)


def command(name: str, message: str, **properties: str) -> str:
    """A workflow command; no sign of its values ends a value, a property or the line."""
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(shortened(safe(message), _LONGEST))}"


def _finding(finding: Finding, paper: PaperReport) -> str:
    where = finding.location
    module = paper.state.document.modules.get(finding.module or "")
    name = f"{module_name(module, paper, Style(ascii=True))}: " if module else ""
    properties = {
        "file": where.path,
        "line": str(where.line),
        "endLine": str(where.end_line),
        "title": shortened(safe(f"{name}{finding.rule} [{finding.id}]"), 200),
    }
    if where.line == where.end_line:  # of several lines GitHub refuses columns
        properties |= {"col": str(where.column), "endColumn": str(where.end_column)}
    return command(_LEVELS[finding.severity], finding.message, **properties)


def _data(text: str) -> str:
    """The escapes that the runner undoes: https://github.com/actions/toolkit, command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
