"""The whole page: one file that runs and shows only what it contains.

The top of a page has each paper's overview, the readers, and the findings in three bands. Also the
section in which the page's script draws the graph, with its controls, list and legend, and the
dependency graph as data for that script.
"""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Any, NamedTuple

from pfcore.domain.findings import number_of
from pfcore.domain.values import Finding, Severity, Status
from pfcore.latex.blocks.front_matter import FrontMatter
from pfcore.latex.lexer.whitespace import first_form
from pfcore.ledger.ledger import LedgerEntry
from pfcore.reporters.formats.json_report import contract
from pfcore.reporters.html.page_entries import (
    HeadingOnPage,
    PaperOnPage,
    StatusLook,
    card,
    entry,
    where,
)
from pfcore.reporters.html.paper_map import DEFINING, legend, map_section, paper_map
from pfcore.reporters.html.typeset import Maths, typeset
from pfcore.reporters.module_names import PrintedIds
from pfcore.reporters.objections import NOT_READ, readings
from pfcore.reporters.paper_overview import (
    PaperOverview,
    change_sentence,
    leading,
    paper_overview,
    told_paragraphs,
    unchanged_sentence,
)
from pfcore.reporters.printing import COMMAND, place_of, plural, safe, shortened
from pfcore.reporters.review_outcome import (
    CALLER,
    Caller,
    gaps_in_words,
    loud,
    next_step,
    outcome,
)
from pfcore.review.review import NOTHING_TO_READ, Report
from pfcore.review.unseen import Gap, unseen

MARK = '<meta name="generator" content="pf-verify report">'
"""The mark by which a page is recognised as ours."""
_LOOKS = tuple(state.value.name for state in StatusLook)


class Assets(NamedTuple):
    """The fixed parts of a page: its style sheet and its script."""

    style: str
    script: str


def report_page(
    report: Report,
    assets: Assets,
    maths: Maths,
    verdict: Sequence[str] = (),
    caller: Caller = CALLER,
) -> str:
    """The report of a review; equal reports give equal pages.

    `verdict` is the gate's headline and its reasons, if the gate writes the page; else the head
    ends with the next step, as `caller` types it. Papers without results come last, as on the first
    screen.
    """
    names = PrintedIds(report)  # in the order of papers of all other reports
    papers = tuple(sorted(report.papers, key=lambda paper: not paper.plan.total))
    report = replace(report, papers=papers)
    sizes: list[int] = []  # the sizes of all papers' pictures
    places = [
        PaperOnPage(paper=paper, ids=names.of(paper), maths=maths, sizes=sizes)
        for paper in report.papers
    ]
    told = [paper_overview(paper, report) for paper in report.papers]
    fronts = [paper.state.paper.front_matter() for paper in report.papers]
    unchanged = unchanged_sentence(told)
    named = [one for one in told if one.results] or told  # only these are in the title
    listed = ", ".join(dict.fromkeys(one.title for one in named))
    title = escape(
        plural(len(named), "paper") if len(named) > _MOST_TITLES else listed or "no paper"
    )
    # What was not looked at comes first, but some of it is found only while the rest is made.
    rest = "".join(
        [
            *(
                about(*one, unchanged, is_one=len(told) == 1)
                for one in zip(told, places, fronts, strict=True)
            ),
            f"<p>{escape(unchanged)}</p>" if unchanged else "",
            ""
            if verdict
            else f'<p class="unlooked">{escape(outcome(report))}{_older(report)}.</p>',
            _unlooked(report, is_unread=True),
            f'<p class="facts">{" · ".join(facts(report))}</p>',
            "</header>",
            _printed_contents(places),
            f'<div class="columns"><nav aria-label="Contents">{_contents(places)}</nav><main>',
            *_maps(places, told),
            canvas(state.value.name for at in places for state in at.states.values()),
            bands(places, "" if verdict else _next(report, told, caller)),
            _general(places),
            '<section id="results" aria-label="Results">',
            *(piece for at in places for piece in _entries(at)),
            "</section></main></div>",
            f'<script type="application/json" id="network">{network(places, told)}</script>',
        ]
    )
    skip = '<a class="skip" href="#results">Skip to the results</a>'
    # If there are several papers, their titles and authors follow further down.
    shown = title_html(told[0], places[0], fronts[0]) if len(told) == 1 else title
    by = _authors(fronts[0]) if len(told) == 1 else ""
    unlooked = _unlooked(report, is_unread=False)
    body = f"{skip}<header><h1>{shown}</h1>{by}{_judged(verdict)}{unlooked}{rest}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{_policy(assets)}{MARK}'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}: pf-verify</title><style>{assets.style}</style></head>"
        f"<body>{body}<script>{assets.script}</script></body></html>\n"
    )


def _judged(verdict: Sequence[str]) -> str:
    """The gate's verdict, right after the title."""
    if not verdict:
        return ""
    listed = "".join(f"<li>{escape(safe(line))}</li>" for line in verdict[1:])
    reasons = f"<ul>{listed}</ul>" if listed else ""
    return (
        '<section class="verdict" aria-label="Verdict of the gate">'
        f"<p><strong>{escape(safe(verdict[0]))}</strong></p>{reasons}</section>"
    )


def _unlooked(report: Report, *, is_unread: bool) -> str:
    """The parts not looked at; if no model was asked, the unread proofs are a separate sentence."""
    is_asked = report.model is not None or any(paper.sheet is not None for paper in report.papers)
    found = [
        item for item in unseen(report) if (item.kind is Gap.PROOF and not is_asked) is is_unread
    ]
    said = gaps_in_words(found)
    return f'<p class="unlooked">{escape(said[0].upper() + said[1:])}.</p>' if said else ""


def _policy(assets: Assets) -> str:
    """The policy: nothing is loaded, and only our own style and script are allowed."""
    rules = (
        f"default-src 'none'; style-src {_digest(assets.style)}; "
        f"script-src {_digest(assets.script)}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


def _digest(text: str) -> str:
    raw = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(raw).decode()}'"


def _contents(places: list[PaperOnPage]) -> str:
    """The results in the order of the paper, under the headings of its sections."""
    parts = [
        '<h2>Contents</h2><label>Filter <input type="search" id="filter"></label>',
        '<p id="found" role="status"></p>',
        '<p><a href="#h-map-0">Map</a> · <a href="#graph">Focus</a> · '
        '<a href="#structure">Structure</a> · <a href="#reading">Reading</a> · '
        '<a href="#lean">Lean</a></p>',
    ]
    for at in places:
        if len(places) > 1:
            parts.append(f"<h3>{escape(safe(at.paper.state.paper.name))}</h3>")
        parts.append(f"<ul>{_listed(at)}</ul>")
    return "".join(parts)


def _listed(at: PaperOnPage) -> str:
    rows = []
    for name in at.shown:
        rows += [_in_contents(at, one) for one in at.headings.get(name, ())]
        rows.append(f"<li>{at.link(name)}</li>")
    return "".join(rows)


def _in_contents(at: PaperOnPage, found: HeadingOnPage) -> str:
    words = f"{found.number} {escape(at.plain(found.title))}".strip()
    kind = f"section{_CHAPTER * found.is_chapter}"
    return f'<li class="{kind}"><a href="#{found.anchor}">{words}</a></li>'


_CHAPTER = " chapter"


def _printed_contents(places: list[PaperOnPage]) -> str:
    """The headings with the names of the results under each, only for printing."""
    rows: list[str] = []
    for at in places:
        for name in at.shown:
            rows += [_in_contents(at, one) for one in at.headings.get(name, ())]
    return (
        f'<section class="toc"><h2>Contents</h2><ul>{"".join(rows)}</ul></section>' if rows else ""
    )


def _entries(at: PaperOnPage) -> Iterator[str]:
    """The results under the headings of their sections, in the order of the paper."""
    for name in at.shown:
        for found in at.headings.get(name, ()):
            title = typeset(at.expanded(found.title), at.maths)
            kind = f"section{_CHAPTER * found.is_chapter}"
            words = f"{found.number} {title}".strip()
            yield f'<h2 class="{kind}" id="{found.anchor}">{words}</h2>'
        yield entry(at, name)


def _maps(places: list[PaperOnPage], told: list[PaperOverview]) -> Iterator[str]:
    """The map of each paper."""
    first = 0
    for index, (at, found) in enumerate(zip(places, told, strict=True)):
        drawn = paper_map(at, found, first=first)
        yield map_section(drawn, index=index, title=found.title if len(places) > 1 else "")
        first += len(at.shown)


_MOST = 8
_MOST_TITLES = 3
"""The most papers in a title; if there are more, it gives their number."""
_BECAUSE = {NOTHING_TO_READ: " without a proof"}


def title_html(found: PaperOverview, at: PaperOnPage, front: FrontMatter) -> str:
    """The title typeset; plain text if a part of it cannot be."""
    made = typeset(first_form(front.title), at.maths).strip()
    is_whole = made and 'class="tex"' not in made and found.title != found.root
    return made if is_whole else escape(found.title)


def about(
    found: PaperOverview, at: PaperOnPage, front: FrontMatter, unchanged: str, *, is_one: bool
) -> str:
    """A paper's overview: its abstract, our sentences, and the effect of a change.

    If there are several papers, each has its title and authors here.
    """
    place = f"{found.root}, {plural(found.files, 'file')}"
    told = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in told_paragraphs(found))
    is_same = found.change is None or found.change.is_empty
    said = "" if is_same else change_sentence(found, unchanged)
    changed = f"<p>{escape(said)}</p>" if said else ""
    head = "" if is_one else f"<h2>{title_html(found, at, front)}</h2>{_authors(front)}"
    abstract = _abstract(at, front, is_one=is_one)
    return (
        f'<div class="about">{head}<p class="facts">{escape(place)}</p>{abstract}'
        f"{told}{changed}</div>"
    )


def _authors(front: FrontMatter) -> str:
    names = escape(safe(", ".join(front.authors)))
    return f'<p class="authors">{names}</p>' if names else ""


def _abstract(at: PaperOnPage, front: FrontMatter, *, is_one: bool) -> str:
    """The abstract; if there are several papers it is folded, because the maps follow."""
    if not front.abstract:
        return ""
    if not is_one:
        said = f"<summary>Abstract</summary><div>{at.abstract(front)}</div>"
        return f'<details class="abstract">{said}</details>'
    return f'<section class="abstract"><h2>Abstract</h2><div>{at.abstract(front)}</div></section>'


def facts(report: Report) -> Iterator[str]:
    """What was compared, the models, and the contract."""
    if report.before is not None:
        yield f"{escape(safe(report.after))} against {escape(safe(report.before))}"
    else:
        yield f"{escape(safe(report.after))}, the whole paper"
    known = contract(report)
    if known:
        yield f"contract <code>{known[:12]}</code>"
    yield from (_with_commands(line) for line in readings(report))


def _next(report: Report, told: list[PaperOverview], caller: Caller) -> str:
    """The next command."""
    step = next_step(report, caller, leading(told))
    if not step:
        return ""
    return f'<p class="facts">For the authors: <code class="whole">{escape(step)}</code></p>'


def _outcome(report: Report) -> str:
    """How the review ended, with the number of findings older than the change."""
    return f'<p class="unlooked">{escape(outcome(report))}{_older(report)}.</p>'


def _older(report: Report) -> str:
    """The number of findings older than a change, with the errors among them; "" if none."""
    found = [item for paper in report.papers for item in loud(paper) if item.introduced is False]
    errors = [item for item in found if item.severity is Severity.ERROR]
    if not found:
        return ""
    more = f", {plural(number_of(errors), 'error')} among them" if errors else ""
    return f"; {plural(number_of(found), 'older finding')}{more}"


def _with_commands(line: str) -> str:
    """A line as HTML in which commands are not broken."""
    return COMMAND.sub(r'<code class="whole">\g<0></code>', escape(line))


def bands(places: list[PaperOnPage], step: str = "") -> str:
    """Structure, reading and Lean separately: what is certain, what is judged, what is claimed.

    `step` is the next command, as HTML.
    """
    found = "".join(_structure(places)) + step
    return (
        _band("structure", "Structure", "exact, no model involved", found)
        + _band("reading", "Reading", "a reader's judgement, which can be wrong", _reading(places))
        + _band("lean", "Lean", "formal (authors' claim)", "".join(_lean(places)))
    )


def _band(name: str, title: str, words: str, body: str) -> str:
    return (
        f'<section class="band" id="{name}" aria-labelledby="h-{name}">'
        f'<h2 id="h-{name}">{title} <small>{words}</small></h2>{body}</section>'
    )


def _general(places: list[PaperOnPage]) -> str:
    """The sentences on which nearly all later results depend, each once."""
    rows = [
        f"<li>{at.link(name) if at.anchor(name) else ''} {at.sentence(name)} "
        f'<span class="facts">{count:,} of {plural(len(at.shown), "result")} · '
        f"<code>{escape(where(at.modules[name].statement))}</code></span></li>"
        for at in places
        for name, count in at.general.items()
    ]
    if not rows:
        return ""
    return _band(
        "general",
        "Applies to every result",
        "sentences on which everything after them depends, listed only here",
        f'<ul class="rows">{"".join(rows)}</ul>',
    )


def _structure(places: list[PaperOnPage]) -> Iterator[str]:
    rows = [
        (at, item) for at in places for item in at.paper.findings if item not in at.paper.objections
    ]
    loud = [(at, item) for at, item in rows if item.dismissed is None and at.paper.is_shown(item)]
    notes = [
        (at, item) for at, item in rows if item.severity is Severity.NOTE and (at, item) not in loud
    ]
    answered = [
        (at, item) for at, item in rows if item.dismissed is not None and (at, item) not in notes
    ]
    yield _list(loud) if loud else "<p>No structural check found a problem.</p>"
    for title, listed in (("note", notes), ("answered finding", answered)):
        if listed:
            words = plural(len(listed), title)
            yield (f'<details class="notes"><summary>{words}</summary>{_list(listed)}</details>')


def _list(rows: list[tuple[PaperOnPage, Finding]]) -> str:
    items = [f"<li>{_line(at, item)}</li>" for at, item in rows]
    few, rest = "".join(items[:_MOST]), "".join(items[_MOST:])
    if not rest:
        return f'<ul class="rows">{few}</ul>'
    head = f"<summary>and {len(items) - _MOST:,} more</summary>"
    more = f'<details class="more">{head}<ul class="rows">{rest}</ul></details>'
    return f'<ul class="rows">{few}</ul>{more}'


def _line(at: PaperOnPage, finding: Finding) -> str:
    name = finding.module
    result = f"{at.link(name)}: " if name and at.anchor(name) else ""
    older = " · older than this change" if finding.introduced is False else ""
    answered = f" · answered: {escape(safe(finding.dismissed))}" if finding.dismissed else ""
    return (
        f'<b class="{finding.severity.value}">{finding.severity.value}</b> {result}'
        f"{at.message(finding)} "
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
    sheets = [at.paper.sheet for at in places if at.paper.sheet is not None]
    is_read = any(isinstance(one, LedgerEntry) for item in sheets for one in item.readings.values())
    words = "No proof was read." if sheets else _with_commands(NOT_READ)
    words = "No objection found; that is not a proof." if is_read else words
    return f"<p>{words}</p>{_unreached(places)}"


def _unreached(places: list[PaperOnPage]) -> str:
    """The proofs without a verdict, by reason, which must not look like a pass."""
    found = [(at, item) for at in places for item in at.paper.unreached]
    if not found:
        return ""
    rows = []
    for reason, number in Counter(item.reason for _, item in found).most_common():
        links = ", ".join(at.link(item.module) for at, item in found if item.reason == reason)
        head = f"{plural(number, 'result')}{_BECAUSE.get(reason) or f': {escape(safe(reason))}'}"
        rows.append(f"<details><summary>{head}</summary><p>{links}</p></details>")
    return f'<div class="unreached"><h3>Not read, and why</h3>{"".join(rows)}</div>'


def _lean(places: list[PaperOnPage]) -> Iterator[str]:
    names = [
        (at, name)
        for at in places
        for name in at.shown
        if at.paper.statuses[name] is Status.FORMAL and at.modules[name].role.stands_alone
    ]
    if names:
        links = ", ".join(at.link(name) for at, name in names)
        head = f"{plural(len(names), 'result')} with a formal proof, as claimed"
        yield f"<details><summary>{head}</summary><p>{links}</p></details>"
    else:
        yield "<p>No result is marked as formal.</p>"
    found = [(at, name) for at in places for name in at.shown if name in at.lean]
    if found:
        links = ", ".join(at.link(name) for at, name in found)
        head = f"{plural(len(found), 'result')} with their assumptions, in words and in Lean"
        yield f"<details><summary>{head}</summary><p>{links}</p></details>"


def canvas(looks: Iterable[str] = _LOOKS) -> str:
    """The section of the graph; its legend explains some looks."""
    return (
        '<section class="band" id="graph" aria-labelledby="h-graph">'
        '<h2 id="h-graph">Focus <small>what one result depends on, what depends on it</small></h2>'
        '<form id="controls"><label>Result <input id="focus" list="names" autocomplete="off">'
        '</label><datalist id="names"></datalist>'
        '<label>Show <select id="dir"><option value="up">what it depends on</option>'
        '<option value="down">what depends on it</option><option value="both">'
        "both</option></select>"
        '</label><label>Depth <select id="depth"><option>1</option><option>2</option>'
        '<option>3</option><option>5</option><option value="99">all</option></select></label>'
        '<label><input type="checkbox" id="words"> include uses inferred by wording</label>'
        '</form><p id="said" role="status"></p><div id="canvas" tabindex="0" role="region" '
        'aria-label="Drawing of the graph"></div>'
        '<details id="list"><summary>The graph as a list</summary><ul></ul></details>'
        f'<ul class="legend" aria-label="Legend">{legend(looks)}'
        "<li>box: definition; round: result; an arrow leads to what is used</li></ul></section>"
    )


class Focus(NamedTuple):
    """The printed id of the result that a graph shows first, and the reason."""

    start: str
    why: str


def network(places: list[PaperOnPage], told: list[PaperOverview]) -> str:
    """The graph of a page, as `network_json` writes it."""
    numbers = {
        (index, name): number
        for number, (index, name) in enumerate(
            (index, name) for index, at in enumerate(places) for name in at.shown
        )
    }
    nodes = [_node(at, name) for at in places for name in at.shown]
    edges = [
        [numbers[index, source], numbers[index, target], int(is_reference)]
        for index, at in enumerate(places)
        for (source, target), is_reference in at.arrows.items()
        if (index, source) in numbers and (index, target) in numbers
    ]
    mains = [
        Focus(
            at.ids[found.main_id],
            f"the {found.main_is}, which depends on {plural(found.depends_on, 'other')}",
        )
        for at, found in zip(places, told, strict=True)
        if found.main_id in at.shown
    ]
    return network_json(nodes, edges, mains)


def network_json(
    nodes: list[dict[str, Any]], edges: list[list[int]], mains: Sequence[Focus] = ()
) -> str:
    """JSON for a script element, read by report.js.

    A node has id, name, title, the name of its look, whether it is a box, and its anchor `at`; an
    edge has the numbers of two nodes, and 1 if it comes from a reference, 0 if only from words.
    `mains` are the main results of the papers, if known.
    """
    looks = {state.value.name: [state.value.glyph, state.value.words] for state in StatusLook}
    focus = _focus(nodes, edges, mains)
    value = {"nodes": nodes, "edges": edges, "looks": looks, **focus._asdict()}
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _node(at: PaperOnPage, name: str) -> dict[str, Any]:
    return {
        "id": at.ids[name],
        "name": at.name(name),
        "title": shortened(at.title(name), 80),
        "look": at.states[name].value.name,
        "box": at.modules[name].role in DEFINING,
        "at": at.anchor(name),
    }


_WORST = {"gap": 2, "possible": 1, "fault": 1}


def _focus(nodes: list[dict[str, Any]], edges: list[list[int]], mains: Sequence[Focus]) -> Focus:
    """The first focus: a doubted result, else a main result, else the most used one."""
    if not nodes:
        return Focus("", "")
    uses, used = [0] * len(nodes), [0] * len(nodes)
    for source, target, is_reference in edges:
        uses[source] += is_reference
        used[target] += is_reference

    def doubt(number: int) -> int:
        return _WORST.get(nodes[number]["look"], 0)

    doubted = max(range(len(nodes)), key=lambda n: (doubt(n), uses[n], -n))
    if doubt(doubted):
        return Focus(nodes[doubted]["id"], "to be looked at first, since a reader doubts it")
    if mains:
        return mains[0]
    most = max(range(len(nodes)), key=lambda n: (used[n], uses[n], -n))
    why = f"the most used result, cited by {plural(used[most], 'other')}" if used[most] else ""
    return Focus(nodes[most]["id"], why)
