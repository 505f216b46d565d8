"""What a person sees in a terminal: the plan, the findings, and what was not read.

What `pf plan --why` says: why a module is affected, what it rests on, who cites a result.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pfcore.domain.values import Affected, Edge, Finding, Module, Severity, Status, Via
from pfcore.graph.context import members
from pfcore.impact.reasons import chain
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.latex.project.documents import RIVAL
from pfcore.reporters.module_names import (
    Leaf,
    ShownStatus,
    leaves,
    module_name,
    needs_of_affected,
    standing,
)
from pfcore.reporters.objections import objection, readings, unread
from pfcore.reporters.printing import (
    Style,
    place_of,
    plural,
    quote_line,
    safe,
    shortened,
    status_words,
)
from pfcore.reporters.review_outcome import not_looked_at, of_paper, outcome
from pfcore.review.review import PaperReport, Report

if TYPE_CHECKING:
    from pfcore.graph.needs import Need

_MOST = 40
_MOST_CHOICES = 3


def check_text(report: Report, style: Style) -> str:
    """The output of `pf check`."""
    return style.finish(_check(report, style))


def _check(report: Report, style: Style) -> Iterator[str]:
    # What was not looked at stands first, and some of it shows only when all has been asked for.
    bodies = [
        [*_affected(paper, style), *_findings(paper, style), *unread(paper, style)]
        for paper in report.papers
    ]
    yield from _top(report)
    for paper, body in zip(report.papers, bodies, strict=True):
        yield from _head(paper, report, style)
        yield from body
    yield _verdict(report)
    yield from readings(report)
    yield from _choices(report)


def _choices(report: Report) -> Iterator[str]:
    """The lines of pf.toml that say which of several documents is the paper."""
    rivals: dict[str, list[str]] = {}
    for item in report.library.asides:
        if item.reason.startswith(f"{RIVAL} "):
            rivals.setdefault(item.reason.removeprefix(f"{RIVAL} "), []).append(item.path)
    for root, others in list(rivals.items())[:_MOST_CHOICES]:
        name = json.dumps(root.rpartition("/")[2].rpartition(".")[0])
        yield ""
        listed = " or ".join(others)
        yield safe(f"To read {listed} instead of {root}, name it in pf.toml; as it is:")
        for line in ("[[paper]]", f"name = {name}", f"root = {json.dumps(root)}"):
            yield f"  {safe(line)}"


def _top(report: Report) -> Iterator[str]:
    """What stands above the papers: of one paper all is said in its own first line."""
    if len(report.papers) == 1:
        return
    total = sum(paper.plan.total for paper in report.papers)
    said = not_looked_at(report)
    yield _with(f"{plural(len(report.papers), 'paper')}  {plural(total, 'module')}", said)
    yield ""


def _with(line: str, said: str) -> str:
    return f"{line}  ({said})" if said else line


def _head(paper: PaperReport, report: Report, style: Style) -> Iterator[str]:
    plan = paper.plan
    said = not_looked_at(report) if len(report.papers) == 1 else of_paper(paper)
    parts = [style.paint(safe(paper.state.paper.name), "bold"), plural(plan.total, "module")]
    if report.before is not None:
        parts += [plural(len(plan.edited), "edited", "edited")]
        if plan.restated:
            parts.append(plural(len(plan.restated), "statement changed", "statements changed"))
        if plan.removed:
            parts.append(plural(len(plan.removed), "removed", "removed"))
        parts.append(f"→ {plural(len(plan.affected), 'affected', 'affected')}")
    is_marked = any(module.is_formal for module in paper.state.document.modules.values())
    formal = sum(1 for item in _claims(paper) if item.status is Status.FORMAL) if is_marked else 0
    if formal:
        parts.append(f"{formal:,} {status_words(Status.FORMAL)}")
    yield _with("  ".join(parts), said)
    if report.before is not None:
        yield style.paint(f"  {safe(report.after)} against {safe(report.before)}", "dim")
    yield ""


def _claims(paper: PaperReport) -> list[ShownStatus]:
    """How the modules stand that can be read, want a proof, or say where it is."""
    modules = paper.state.document.modules
    return [
        standing(paper, name)
        for name in paper.statuses
        if modules[name].is_asserted and modules[name].role.stands_alone
    ]


def _affected(paper: PaperReport, style: Style) -> Iterator[str]:
    shown = paper.plan.affected[:_MOST]
    width = min(34, max((len(safe(item.id)) for item in shown), default=0))
    for item in shown:
        yield _row(item, paper, width, style)
    hidden = len(paper.plan.affected) - len(shown)
    if hidden:
        yield f"  … and {hidden:,} more: pf plan lists them all"
    if shown:
        yield ""


def _row(item: Affected, paper: PaperReport, width: int, style: Style) -> str:
    glyph = standing(paper, item.id).glyph
    module = paper.state.document.modules[item.id]
    name = shortened(safe(item.id), width).ljust(width)
    title = shortened(module_name(module, paper, style), 30).ljust(30)
    more = f" (+{len(item.reasons) - 1})" if len(item.reasons) > 1 else ""
    more += _formally(module, paper)
    reason = shortened(safe(item.reasons[0]), max(40, style.width - width - 37 - len(more)))
    return f"  {glyph} {name}  {title}  {reason}{more}"


def _findings(paper: PaperReport, style: Style) -> Iterator[str]:
    new = [f for f in paper.findings if f.introduced is not False and f.dismissed is None]
    loud = [f for f in new if f.severity is not Severity.NOTE or style.notes]
    read = {item.id for item in paper.objections}
    for finding in loud:
        is_read = finding.id in read
        yield from objection(finding, paper, style) if is_read else _finding(finding, style)
    older = [f for f in paper.findings if f.introduced is False and f.dismissed is None]
    shown = [f for f in older if f.severity is Severity.ERROR or style.notes]
    if shown:
        yield "  Older, not caused by this change:"
        for finding in shown[:_MOST]:
            yield f"    {place_of(finding)}  {shortened(safe(finding.message), style.width - 20)}"
        if len(shown) > _MOST:
            yield f"    … and {len(shown) - _MOST} more"
        yield ""
    answered = [finding for finding in paper.findings if finding.dismissed is not None]
    for finding in answered:
        yield f"  answered  {place_of(finding)}  [{finding.rule}] {safe(finding.dismissed or '')}"
    if answered:
        yield ""


def _finding(finding: Finding, style: Style) -> Iterator[str]:
    word = style.paint(finding.severity.value, finding.severity.value)
    yield f"  {word}  {place_of(finding)}  [{finding.rule} {finding.id}]"
    yield f"      {safe(finding.message)}"
    if quote := quote_line(finding, style.width - 8):
        yield style.paint(f"      > {quote}", "dim")
    yield ""


def _verdict(report: Report) -> str:
    findings = [
        finding
        for paper in report.papers
        for finding in paper.findings
        if finding.dismissed is None
    ]
    new = [item for item in findings if item.introduced is not False]
    notes = sum(1 for item in new if item.severity is Severity.NOTE)
    older = len(findings) - len(new)
    parts = [outcome(report)]
    if notes:
        parts.append(f"{plural(notes, 'note')} (--notes)")
    if older:
        parts.append(f"{older} older")
    return "; ".join(parts) + "."


_FREE = ("No model is configured: this plan costs nothing and calls nobody.",)


def plan_text(
    report: Report, style: Style, price: Sequence[str] = _FREE, *, is_deep: bool = False
) -> str:
    """The output of `pf plan`: every affected module with all of its reasons, and the price.

    `is_deep`: with what knows only the name of what changed, with the hubs, and without a change
    with what nothing explains in all of the paper.
    """
    return style.finish([*_plan(report, style, is_deep=is_deep), *price])


def _plan(report: Report, style: Style, *, is_deep: bool) -> Iterator[str]:
    bodies = [
        [
            *_planned(paper, style),
            *_beyond(paper, style, is_deep=is_deep),
            *(_hubs(paper, style) if is_deep else ()),
            *_lacking(paper, is_deep=is_deep),
        ]
        for paper in report.papers
    ]
    yield from _top(report)
    for paper, body in zip(report.papers, bodies, strict=True):
        yield from _head(paper, report, style)
        yield from body
        if report.before is None:
            yield "  There is no earlier version to compare with: name one with --base."
        unread = sum(1 for item in paper.plan.affected if item.unread)
        yield from _asked_before(paper)
        yield (
            f"  {plural(unread, 'affected proof')} to read; backlog: "
            f"{plural(paper.plan.backlog, 'proof')} that nothing has read."
        )
        yield ""


def _asked_before(paper: PaperReport) -> Iterator[str]:
    """What has to be read again although its context is the same."""
    affected = {item.id for item in paper.plan.affected}
    number = len(set(paper.plan.reopened or ()) - affected)
    if number:
        yield (
            f"  {plural(number, 'proof')} more to read again: "
            "this change edits what their readers had asked for."
        )


def _planned(paper: PaperReport, style: Style) -> Iterator[str]:
    """The affected modules, each with its place and all of its reasons."""
    for item in paper.plan.affected:
        module = paper.state.document.modules[item.id]
        where = module.statement.location
        place = f"{safe(where.path)}:{where.line}{_formally(module, paper)}"
        yield f"  {safe(item.id)}  {module_name(module, paper, style)}  {place}"
        for reason in item.reasons:
            yield f"      {safe(reason)}"
    if paper.plan.affected:
        yield ""


def _beyond(paper: PaperReport, style: Style, *, is_deep: bool) -> Iterator[str]:
    """What changed beyond the contexts of modules, each thing once."""
    modules = paper.state.document.modules
    for item in paper.plan.beyond:
        count = len(item.modules)
        proofs = (
            f"{plural(count, 'proof')} that {'knows' if count == 1 else 'know'} it by name only"
        )
        tell = "" if is_deep else "; pf plan --deep prices " + ("it" if count == 1 else "them")
        was = "was" if count == 1 else "were"
        what = safe(item.what[:1].upper() + item.what[1:])
        yield f"  {what}. {proofs} {was} not read again{tell}."
        for name in item.modules if is_deep else ():
            yield f"      {_line(modules[name], paper, style)}"
    if paper.plan.beyond:
        yield ""


_MOST_HUBS = 5


def _hubs(paper: PaperReport, style: Style, of: str = "") -> Iterator[str]:
    """The worst hubs, or those of one context: an edit re-opens proofs that say nothing of it."""
    from pfcore.graph.needs import hubs

    document = paper.state.document
    found = hubs(document)
    if of:
        held = members(document, of)
        found = [hub for hub in found if hub.id in held]
    for hub in found[:_MOST_HUBS]:
        module = paper.state.document.modules[hub.id]
        named = f"{hub.says:,} of which {'names' if hub.says == 1 else 'name'} it"
        claims = plural(hub.held, "result")
        yield f"  Hub: {_source(module, paper, style)} is in the contexts of {claims}, {named}."
    if found:
        yield ""


def _lacking(paper: PaperReport, *, is_deep: bool) -> Iterator[str]:
    """How many needs of the affected modules nothing supplies, where there are any."""
    needs = needs_of_affected(paper, is_deep=is_deep)
    found = Counter(need.outcome.value for one in needs.values() for need in one)
    unexplained, ambiguous = found["unexplained"], found["ambiguous"]
    parts = [f"{unexplained:,} unexplained"] if unexplained else []
    parts += [f"{ambiguous:,} ambiguous"] if ambiguous else []
    if parts:
        of = "affected modules" if paper.is_change else "all proofs and their results"
        yield f"  Symbols of {of}: {', '.join(parts)} (pf plan --why MODULE lists them)."


def _source(module: Module, paper: PaperReport, style: Style, path: str = "") -> str:
    """What introduces something, as told in a file: a sentence by its place, else by its name."""
    where = module.statement.location
    place = f"line {where.line}" if where.path == path else f"{safe(where.path)}:{where.line}"
    if not module.role.stands_alone or module.kind == "convention":
        return place
    label = f" {safe(module.label)}" if module.label else ""
    return f"{module_name(module, paper, style)}{label} ({place})"


def _formally(module: Module, paper: PaperReport) -> str:
    """What is added where nobody needs to read a proof."""
    is_formal = module.is_formal and paper.statuses[module.id] is Status.FORMAL
    return f"  {status_words(Status.FORMAL)}" if is_formal else ""


def graph_text(report: Report, style: Style) -> str:
    """The output of `pf graph` without a format: what the papers consist of."""
    return style.finish(_graph(report, style))


def _graph(report: Report, style: Style) -> Iterator[str]:
    bodies = [list(_drawn(paper)) for paper in report.papers]
    yield from _top(report)
    for paper, body in zip(report.papers, bodies, strict=True):
        said = not_looked_at(report) if len(report.papers) == 1 else of_paper(paper)
        yield _with(style.paint(safe(paper.state.document.name), "bold"), said)
        yield from body
    yield "pf graph --format json, dot or mermaid prints the graph itself."


def _drawn(paper: PaperReport) -> Iterator[str]:
    """The kinds of modules, how they stand, and the ways of the edges, each in numbers."""
    document = paper.state.document
    kinds: dict[str, int] = {}
    for module in document.modules.values():
        if module.role.stands_alone:
            kinds[module.kind] = kinds.get(module.kind, 0) + 1
    for kind, number in sorted(kinds.items(), key=lambda item: (-item[1], item[0])):
        yield f"  {number:6,}  {safe(kind)}"
    tally = Counter(item.words for item in _claims(paper))
    if tally:
        yield "  " + ", ".join(f"{number:,} {words}" for words, number in sorted(tally.items()))
    ways: dict[str, int] = {}
    for edge in document.edges:
        ways[edge.via] = ways.get(edge.via, 0) + 1
    listed = ", ".join(f"{number:,} by {way}" for way, number in sorted(ways.items()))
    yield f"  {plural(len(document.edges), 'edge')}" + (f": {listed}" if listed else "")
    bounds = paper.bounds
    yield (
        f"  longest module: {bounds.length:,} characters ({safe(bounds.longest) or 'none'}); "
        f"deepest nesting: {bounds.depth}"
    )
    yield ""


CITATION = "cite:"
"""Begins the id of a result of another work."""


def known_names(paper: PaperReport) -> list[str]:
    """What may be asked about: modules, and the results of other works that they cite."""
    return [*paper.state.document.modules, *(CITATION + leaf.id for leaf in leaves(paper))]


def id_of_name(paper: PaperReport, name: str) -> str:
    """What a name asks about: an id that may be asked about, or any label of a module; else ""."""
    if name in known_names(paper):
        return name
    modules = paper.state.document.modules.values()
    return next((module.id for module in modules if name in module.labels), "")


def why(paper: PaperReport, name: str, style: Style) -> str:
    """Why a module is affected and what it rests on; of a cited result, who cites it."""
    if name in paper.state.document.modules:
        return style.finish(_module(paper, name, style))
    leaf = next(leaf for leaf in leaves(paper) if CITATION + leaf.id == name)
    return style.finish(_leaf(paper, leaf, style))


def _module(paper: PaperReport, name: str, style: Style) -> Iterator[str]:
    document = paper.state.document
    module = document.modules[name]
    yield _line(module, paper, style)
    yield f"status: {standing(paper, name).words}"
    yield from _pairing(module)
    found = next((item for item in paper.plan.affected if item.id == name), None)
    if found:
        yield "affected:"
        yield from (f"  {safe(reason)}" for reason in found.reasons)
    elif paper.is_change:
        yield "not affected: its context is what it was"
    else:
        yield "not compared: there is no earlier version of the paper here"
    if keys := paper.sheet.edited_keys(name) if paper.sheet else ():
        yield (
            "to be read again: this change edits what its readers had asked for: "
            f"{', '.join(map(safe, keys))}"
        )
    for change in paper.plan.beyond:
        if name in change.modules:
            yield (
                f"  {safe(change.what)}; it is known here by name only, so the proof was not read "
                "again and is at best conditional"
            )
    yield "rests on:"
    ways: dict[str, dict[str, list[str]]] = {}
    for edge in chain(document, name):
        ways.setdefault(edge.target, {}).setdefault(_half(edge), []).append(edge.via)
    for target, told in ways.items():
        line = _line(document.modules[target], paper, style)
        found_by = (f"by {' and '.join(listed)}{half}" for half, listed in told.items())
        yield f"  {line}  found {', '.join(found_by)}"
    cited = dict.fromkeys((item.key, item.locator) for item in module.cites)
    yield from (f"  {_cited(key, locator)}  cited, not read" for key, locator in cited)
    if not ways and not cited:
        yield "  nothing in this paper"
    yield from _needs(paper, name, style)
    yield from (line.strip() for line in _hubs(paper, style, name) if line)


def _needs(paper: PaperReport, name: str, style: Style) -> Iterator[str]:
    """What a module uses and does not bind itself: first what nothing supplies."""
    from pfcore.graph.needs import NeedOutcome, needs_of

    listed = needs_of(paper.state, name)
    order = list(reversed(NeedOutcome))
    if listed:
        yield "needs:"
    for need in sorted(listed, key=lambda item: order.index(item.outcome)):
        same = need.path == paper.state.document.modules[name].statement.location.path
        where = f"line {need.line}" if same else f"{safe(need.path)}:{need.line}"
        yield f"  {safe(need.key)} ({where}) {_supply(paper, name, need, style)}"


def _supply(paper: PaperReport, name: str, need: "Need", style: Style) -> str:
    from pfcore.graph.needs import NeedOutcome, stands_first

    modules = paper.state.document.modules
    sources = [_source(modules[one], paper, style, need.path) for one in need.via]
    match need.outcome:
        case NeedOutcome.SUPPLIED:
            return f"is introduced in {' and '.join(sources)}"
        case NeedOutcome.AMBIGUOUS:
            return f"may be the one of {' or of '.join(sources)}: neither was taken"
        case NeedOutcome.UNEXPLAINED:
            first = stands_first(paper.state, name, need)
            if not first:
                return "is introduced nowhere"
            where = _source(modules[first], paper, style, need.path)
            return f"is unexplained; no introduction was found, it also occurs in {where}"


def _pairing(module: Module) -> Iterator[str]:
    """What is to be known of a module's proof: that it was guessed, or that there is none."""
    if module.is_guessed:
        where = module.proofs[-1].location
        of = f"\\ref{{{safe(module.label)}}}" if module.label else "..."
        yield (
            f"proof: guessed ({safe(where.path)}:{where.line}): another statement stands between, "
            f"and it names none; \\begin{{proof}}[Proof of {of}] makes it certain"
        )
    elif module.stand_in is Status.OMITTED:
        yield "proof: none; what stands there is empty or says only that it is omitted"
    elif module.stand_in is Status.CITED:
        yield "proof: none; what stands there names only where it is to be found"


def _half(edge: Edge) -> str:
    """Where an edge was found; a convention applies to where the statement or a proof stands."""
    return "" if edge.via is Via.SCOPE else f" in its {edge.part}"


def _leaf(paper: PaperReport, leaf: Leaf, style: Style) -> Iterator[str]:
    yield _cited(leaf.key, leaf.locator)
    yield "status: cited, not read"
    yield "cited by:"
    modules = paper.state.document.modules
    yield from (f"  {_line(modules[user], paper, style)}" for user in leaf.users)


def _cited(key: str, locator: str) -> str:
    return f"{safe(plain_text(locator))} of {safe(key)}"


def _line(module: Module, paper: PaperReport, style: Style) -> str:
    where = module.statement.location
    return (
        f"{safe(module.id)}  {module_name(module, paper, style)}  {safe(where.path)}:{where.line}"
    )
