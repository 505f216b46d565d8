"""`pf numbers` as text and JSON: each statement with place, number, and the number's source."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pfcore.domain.values import Module
from pfcore.graph.paper_state import Numbering
from pfcore.reporters.formats.json_report import SCHEMA, dumps
from pfcore.reporters.printing import Style, plural, safe
from pfcore.review.review import PaperReport, Report

_AGREES, _DIFFERS, _ONLY_LATEX, _ONLY_OURS = "agrees", "differs", "latex only", "ours only"
_UNCERTAIN = "a counter here is uncertain"
_REPORT_IT = "pf-verify miscounts here: please report it, with the paper's preamble"


class _Row(NamedTuple):
    """A statement with the number that pf-verify counts and the one from LaTeX."""

    module: Module
    own: str | None
    latex: str | None
    is_uncertain: bool

    @property
    def number(self) -> str | None:
        """The number that is displayed."""
        return self.latex or self.own

    @property
    def comparison(self) -> str:
        """The comparison of the two numbers; "" if one is missing."""
        if self.own and self.latex:
            return _AGREES if _bare(self.own) == _bare(self.latex) else _DIFFERS
        return _ONLY_LATEX if self.latex else _ONLY_OURS if self.own else ""


def _bare(number: str) -> str:
    return number.replace(" ", "")


def _rows(paper: PaperReport) -> list[_Row]:
    """The statements in the order of the paper."""
    numbering, printed = Numbering(paper.state.paper), paper.latex_numbers
    return [
        _Row(
            module=module,
            own=numbering.of(module),
            latex=printed.get(module.id),
            is_uncertain=numbering.is_uncertain(module),
        )
        for module in sorted(_listed(paper), key=lambda item: item.position)
    ]


def _listed(paper: PaperReport) -> list[Module]:
    return [item for item in paper.state.document.modules.values() if item.role.stands_alone]


def numbers_text(report: Report, style: Style) -> str:
    """The output of `pf numbers`; papers without statements come last."""
    papers = sorted(report.papers, key=lambda paper: not _listed(paper))
    return style.finish(line for paper in papers for line in _paper(paper, style))


def _paper(paper: PaperReport, style: Style) -> Iterator[str]:
    rows = _rows(paper)
    name = style.paint(safe(paper.state.paper.name), "bold")
    printed = sum(row.comparison != _ONLY_OURS for row in rows)
    by = "as LaTeX printed them" if paper.latex_word else "as pf-verify counts them"
    if paper.latex_word and printed < len(rows):
        by = f"as LaTeX printed them, but {len(rows) - printed:,} as pf-verify counts"
    yield f"{name}  {plural(len(rows), 'statement')}, numbers {by}"
    yield ""
    cells = [
        (
            f"{safe(row.module.statement.location.path)}:{row.module.statement.location.line}",
            f"{safe(row.module.kind).capitalize()} {_shown(row)}".rstrip(),
            safe(row.module.label or ""),
        )
        for row in rows
    ]
    widths = [min(40, max((len(cell[column]) for cell in cells), default=0)) for column in (0, 1)]
    for (place, called, label), row in zip(cells, rows, strict=True):
        note = f"  ({_UNCERTAIN})" if _shown(row) == "?" else ""
        yield f"  {place:{widths[0]}}  {called:{widths[1]}}  {label}{note}"
    yield ""
    yield from _compared(paper, rows)


def _shown(row: _Row) -> str:
    if row.number:
        return safe(row.number)
    return "?" if row.is_uncertain else ""


def _compared(paper: PaperReport, rows: list[_Row]) -> Iterator[str]:
    """How our numbers compare with LaTeX's."""
    word = paper.latex_word
    if word is None:
        return
    counted = Counter(row.comparison for row in rows)
    total = sum(1 for row in rows if row.latex)
    parts = [f"{counted[_AGREES]:,} agree", f"{counted[_DIFFERS]:,} differ"]
    parts.append(f"{counted[_ONLY_LATEX]:,} known only to LaTeX")
    if counted[_ONLY_OURS]:
        parts.append(f"{counted[_ONLY_OURS]:,} not numbered by LaTeX")
    yield f"LaTeX printed {plural(total, 'number')}: {', '.join(parts)}."
    yield from (_difference(row) for row in rows if row.comparison == _DIFFERS)
    if counted[_DIFFERS] and not word.errors:
        yield f"  {_REPORT_IT}."
    if word.errors:
        yield (
            f"LaTeX reported {plural(word.errors, 'error')}, the first: "
            f"{safe(word.first).rstrip('.')}"
            f"{' (differences may be due to them)' if counted[_DIFFERS] else ''}."
        )
    yield ""


def _difference(row: _Row) -> str:
    where = row.module.statement.location
    numbers = f"LaTeX {safe(row.latex or '')}, pf-verify {safe(row.own or '')}"
    return f"  {safe(where.path)}:{where.line}  {safe(row.module.kind).capitalize()}: {numbers}"


def numbers_json(report: Report) -> str:
    """`pf numbers --format json`."""
    return dumps({"schema": SCHEMA, "papers": [_json(paper) for paper in report.papers]})


def _json(paper: PaperReport) -> dict[str, object]:
    rows, word = _rows(paper), paper.latex_word
    counted = Counter(row.comparison for row in rows)
    latex = word and {
        "agree": counted[_AGREES],
        "differ": counted[_DIFFERS],
        "latex_only": counted[_ONLY_LATEX],
        "not_numbered": counted[_ONLY_OURS],
        "errors": word.errors,
        "first_error": word.first or None,
    }
    return {
        "paper": paper.state.paper.name,
        "root": paper.state.paper.root,
        "latex": latex,
        "statements": [
            {
                "id": row.module.id,
                "kind": row.module.kind,
                "label": row.module.label,
                "file": row.module.statement.location.path,
                "line": row.module.statement.location.line,
                "number": row.number,
                "counted": row.own,
                "latex": row.latex,
                "reason": _UNCERTAIN if _shown(row) == "?" else None,
            }
            for row in rows
        ],
    }
