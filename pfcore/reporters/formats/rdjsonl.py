"""`pf check --format rdjsonl`: one line of JSON for each finding, as reviewdog reads them."""

import json
from typing import Any

from pfcore.domain.errors import SourceError
from pfcore.domain.values import Finding, Severity
from pfcore.reporters.printing import plural, safe
from pfcore.review.review import PaperReport, Report

_SEVERITY = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.NOTE: "INFO"}


def check_rdjsonl(report: Report) -> str:
    """The findings that nobody has answered, each on a line of its own."""
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
    """A place with its column in bytes of UTF-8, which is what RDFormat counts."""
    line, column = place
    try:
        before = paper.state.paper.source(path)[max(0, offset - column + 1) : offset]
    except SourceError:  # a finding may be that a file cannot be read
        before = ""
    return {"line": line, "column": len(before.encode("utf-8", "replace")) + 1}
