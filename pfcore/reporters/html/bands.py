"""The top of a page: four numbers, what was read by whom, and the findings in three bands."""

from collections import Counter
from collections.abc import Iterator
from html import escape

from pfcore.domain.values import Finding, Role, Severity, Status
from pfcore.reporters.formats.json_report import contract
from pfcore.reporters.html.page_entries import card
from pfcore.reporters.html.place import PaperOnPage
from pfcore.reporters.html.typeset import typeset
from pfcore.reporters.objections import NOT_READ, readings
from pfcore.reporters.printing import place_of, plural, safe
from pfcore.review.review import NO_PROOF, Report

_MOST = 8
_BECAUSE = {NO_PROOF: " without a proof"}


def band_of_numbers(report: Report) -> str:
    """What was read in this run, what was known, what was found, what is left: no zero of these."""
    known = sum(
        len(paper.sheet.readings) - len(paper.sheet.unread())
        for paper in report.papers
        if paper.sheet is not None
    )
    read = report.spent.calls if report.spent else 0
    listed = (
        (read, "replies asked for"),
        (known, "proofs with a verdict"),
        (sum(len(_open(paper.findings)) for paper in report.papers), "findings"),
        (sum(len(paper.unreached) for paper in report.papers), "not reached"),
    )
    shown = "".join(f"<div><dd>{n:,}</dd><dt>{words}</dt></div>" for n, words in listed if n)
    return f'<dl class="numbers">{shown}</dl>' if shown else ""


def _open(findings: tuple[Finding, ...]) -> list[Finding]:
    return [f for f in findings if f.dismissed is None and f.severity is not Severity.NOTE]


def facts(report: Report) -> Iterator[str]:
    """What was compared, by whom, under which contract."""
    if report.before is not None:
        yield f"{escape(safe(report.after))} against {escape(safe(report.before))}"
    else:
        yield f"{escape(safe(report.after))}, the whole paper"
    known = contract(report)
    if known:
        yield f"contract <code>{known[:12]}</code>"
    yield from (escape(line) for line in readings(report))


def bands(places: list[PaperOnPage]) -> str:
    """Structure, reading and Lean apart: what is certain, what is judgement, what is claimed."""
    return (
        _band("structure", "Structure", "found without judgement", "".join(_structure(places)))
        + _band("reading", "Reading", "a reader's judgement, which can be wrong", _reading(places))
        + _band("lean", "Lean", "formal, as the authors claim", "".join(_lean(places)))
    )


def _band(name: str, title: str, words: str, body: str) -> str:
    return (
        f'<section class="band" id="{name}" aria-labelledby="h-{name}">'
        f'<h2 id="h-{name}">{title} <small>{words}</small></h2>{body}</section>'
    )


def _structure(places: list[PaperOnPage]) -> Iterator[str]:
    rows = [
        (at, item) for at in places for item in at.paper.findings if item not in at.paper.objections
    ]
    loud = [(at, item) for at, item in rows if item in _open((item,))]
    notes = [(at, item) for at, item in rows if item.severity is Severity.NOTE]
    answered = [
        (at, item) for at, item in rows if item.dismissed is not None and (at, item) not in notes
    ]
    yield _list(loud) if loud else "<p>No structural check found an error or a warning.</p>"
    for title, listed in (("note", notes), ("answered finding", answered)):
        if listed:
            words = plural(len(listed), title)
            yield f"<details><summary>{words}</summary>{_list(listed)}</details>"


def _list(rows: list[tuple[PaperOnPage, Finding]]) -> str:
    items = [f"<li>{_line(at, item)}</li>" for at, item in rows]
    few, rest = "".join(items[:_MOST]), "".join(items[_MOST:])
    if not rest:
        return f'<ul class="rows">{few}</ul>'
    head = f"<summary>and {len(items) - _MOST:,} more</summary>"
    return f'<ul class="rows">{few}</ul><details>{head}<ul class="rows">{rest}</ul></details>'


def _line(at: PaperOnPage, finding: Finding) -> str:
    name = finding.module
    result = f"{at.link(name)}: " if name and at.anchor(name) else ""
    older = " · older than this change" if finding.introduced is False else ""
    answered = f" · answered: {escape(safe(finding.dismissed))}" if finding.dismissed else ""
    return (
        f'<b class="{finding.severity.value}">{finding.severity.value}</b> {result}'
        f"{typeset(finding.message, at.maths)} "
        f'<span class="facts"><code>{escape(place_of(finding))}</code> '
        f"{escape(safe(finding.rule))} {escape(finding.id)}{older}{answered}</span>"
    )


def _reading(places: list[PaperOnPage]) -> str:
    found = [(at, item) for at in places for item in at.paper.objections]
    rows = "".join(
        f"<li>{at.link(item.module)}{card(at, item)}</li>" for at, item in found if item.module
    )
    if rows:
        return f'<ul class="cards">{rows}</ul>{_unreached(places)}'
    is_read = any(at.paper.sheet is not None for at in places)
    words = "No objection found. That is not a proof." if is_read else escape(NOT_READ)
    return f"<p>{words}</p>{_unreached(places)}"


def _unreached(places: list[PaperOnPage]) -> str:
    """What has no verdict, by reasons: never to be read as a pass."""
    found = [(at, item) for at in places for item in at.paper.unreached]
    if not found:
        return ""
    rows = []
    for reason, number in Counter(item.reason for _, item in found).most_common():
        links = ", ".join(at.link(item.module) for at, item in found if item.reason == reason)
        head = f"{plural(number, 'result')}{_BECAUSE.get(reason) or f': {escape(safe(reason))}'}"
        rows.append(f"<details><summary>{head}</summary><p>{links}</p></details>")
    return f'<div class="unreached"><h3>Not reached, and why</h3>{"".join(rows)}</div>'


def _lean(places: list[PaperOnPage]) -> Iterator[str]:
    names = [
        (at, name)
        for at in places
        for name in at.shown
        if at.paper.statuses[name] is Status.FORMAL and at.modules[name].role is not Role.FRAGMENT
    ]
    if not names:
        yield "<p>Nothing is marked as formal.</p>"
        return
    links = ", ".join(at.link(name) for at, name in names)
    head = f"{plural(len(names), 'result')} with a formal proof, as claimed"
    yield f"<details><summary>{head}</summary><p>{links}</p></details>"
