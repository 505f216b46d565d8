"""The map of a paper as SVG: its sections, their results, citations, hubs and gaps.

Drawn here and not by the page's script, so that equal papers have equal maps, and printed pages
have one. A paper with many results has a dot for each, and lines between sections.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from pfcore.domain.values import Role
from pfcore.reporters.html.page_entries import PaperOnPage, StatusLook
from pfcore.reporters.paper_overview import PaperOverview, counted_as, counts_in_words
from pfcore.reporters.printing import plural, safe, shortened

_SMALL = 70
"""The most results that are all named on a map."""
_FEW_EDGES = 160
_HUBS = 8
_FEWEST_USES = 3
_MOST_BOWS = 60
_WIDTH, _MARGIN, _BOWS = 880.0, 14.0, 110.0
_TITLE, _PILL, _DOT, _GAP = 24.0, 20.0, 15.0, 8.0
_ABOVE = 7.0
"""The space below a title, for the lines above the first row."""
_ROW, _TIGHT_ROW = 42.0, 24.0
_LETTER = 6.7
_LONGEST_NAME, _LONGEST_TITLE = 22, 70
_SHORT = {
    "Theorem": "Thm", "Proposition": "Prop", "Corollary": "Cor", "Definition": "Def",
    "Remark": "Rem", "Example": "Ex", "Exercise": "Exer", "Conjecture": "Conj", "Lemma": "Lem",
}  # fmt: skip


class MapNode(NamedTuple):
    """A result on the map; `lack` says what is missing or doubted, "" for nothing.

    `look` is a class of the style sheet; `number` is its index among the page's results; `counted`
    is the kind under which the top of the page counts it.
    """

    number: int
    name: str
    title: str
    anchor: str
    look: str
    is_box: bool
    main: str
    lack: str
    counted: str


class MapCluster(NamedTuple):
    """A section with its results in the order of the paper."""

    title: str
    nodes: tuple[MapNode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperMap:
    """The sections of a paper, and its citations as pairs of nodes' numbers."""

    clusters: tuple[MapCluster, ...]
    edges: tuple[tuple[int, int], ...]

    @property
    def nodes(self) -> Iterator[MapNode]:
        """All results."""
        return (node for cluster in self.clusters for node in cluster.nodes)

    def uses(self) -> Counter[int]:
        """How many results cite each one, counted as in the sentences about the paper."""
        results = {node.number for node in self.nodes if node.counted == "result"}
        return Counter(target for source, target in self.edges if source in results)

    def hubs(self) -> list[MapNode]:
        """The most cited results, the most cited first."""
        uses = self.uses()
        found = [node for node in self.nodes if uses[node.number] >= _FEWEST_USES]
        return sorted(found, key=lambda node: (-uses[node.number], node.number))[:_HUBS]

    def is_small(self) -> bool:
        """Whether every result is named and every citation drawn."""
        return sum(1 for _ in self.nodes) <= _SMALL and len(self.edges) <= _FEW_EDGES


DEFINING = frozenset({Role.DEFINITION, Role.ASSUMPTION, Role.CONVENTION})
"""Roles that are drawn as boxes."""
_DOUBTED = frozenset({StatusLook.GAP, StatusLook.POSSIBLE, StatusLook.FAULT})
_BEFORE = "Before the first section"
_MOST_LISTED = 10


def paper_map(at: PaperOnPage, found: PaperOverview, *, first: int) -> PaperMap:
    """The map of a paper on a page, including its main result; `first` is its first number."""
    numbers = {name: first + index for index, name in enumerate(at.shown)}
    lacks = dict.fromkeys(at.paper.unproved, "no proof")
    nodes = {
        number: MapNode(
            number=number,
            name=at.called(name),
            title=at.title(name) if at.called(name) == at.name(name) else "",
            anchor=at.anchor(name),
            look=at.states[name].value.name,
            is_box=at.modules[name].role in DEFINING,
            main=found.main_is if name == found.main_id else "",
            lack=_lack(at, name) or lacks.get(name, ""),
            counted=counted_as(at.modules[name]),
        )
        for name, number in numbers.items()
    }
    headings = [
        (item.level, at.plain(item.title), item.first)
        for item in at.paper.state.document.headings
        if item.title
    ]
    positions = {number: at.modules[name].position for name, number in numbers.items()}
    clusters = clustered(headings, positions)
    untitled = _BEFORE if len(clusters) > 1 else "Results"
    return PaperMap(
        clusters=tuple(
            MapCluster(title or untitled, tuple(nodes[number] for number in listed))
            for title, listed in clusters
        ),
        edges=tuple(
            (numbers[source], numbers[target])
            for (source, target), is_reference in at.arrows.items()
            if is_reference and source in numbers and target in numbers
        ),
    )


def _lack(at: PaperOnPage, name: str) -> str:
    """The doubt about a result: an objection, or a check's finding; "" for none."""
    if at.states[name] in _DOUBTED:
        return at.states[name].value.words
    rules = [
        safe(item.rule)
        for item in at.findings.get(name, [])
        if item.dismissed is None and at.paper.is_loud(item)
    ]
    return ", ".join(dict.fromkeys(rules))


def map_section(paper: PaperMap, *, index: int, title: str) -> str:
    """The section with the map, a sentence on how to read it, its hubs and its gaps."""
    nodes = list(paper.nodes)
    if not nodes:
        return ""
    lacking = [node for node in nodes if node.lack]
    lists = [
        f"<p>{head}: {_listed(listed)}</p>"
        for head, listed in (("Most cited", paper.hubs()), ("With a gap", lacking))
        if listed
    ]
    # If there are several papers, each map has its paper's name.
    name = f" <small>{escape(title)}</small>" if title else ""
    return (
        f'<section class="band map" aria-labelledby="h-map-{index}">'
        f'<h2 id="h-map-{index}">Map{name}</h2>'
        f'<p class="facts">{_reading(paper)}'
        ' <span class="scrolls-on">The map is wider than the screen: scroll it sideways.</span></p>'
        f'<div class="chart" tabindex="0" role="region" aria-labelledby="h-map-{index}">'
        f"{map_svg(paper, title or 'the paper')}</div>"
        f'<ul class="legend" aria-label="Legend">{legend(node.look for node in nodes)}</ul>'
        f'<div class="marked">{"".join(lists)}</div></section>'
    )


def legend(looks: Iterable[str]) -> str:
    """The symbols and colours of some looks, in words."""
    wanted = set(looks)
    return "".join(
        f'<li><span class="key {state.value.name}" aria-hidden="true">{state.value.glyph}</span> '
        f"{escape(state.value.words)}</li>"
        for state in StatusLook
        if state.value.name in wanted
    )


def _counted(nodes: Sequence[MapNode]) -> str:
    """The number of statements, in the words of the top of the page."""
    *most, last = counts_in_words(Counter(node.counted for node in nodes)) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def _reading(paper: PaperMap) -> str:
    """The numbers of what is drawn, and how to read it, as HTML."""
    sections = len(paper.clusters)
    head = escape(_counted(tuple(paper.nodes)))
    inside = f" in {plural(sections, 'section')}" if sections > 1 else ""
    parts = [f"{head}{inside}."]
    if paper.edges and paper.is_small():
        parts.append("An arrow leads to what is cited.")
    elif paper.edges and sections > 1:
        parts.append(
            "A line leads from a section to one that it cites; its width shows how many citations. "
            '<span class="pointing">Point at a result to see what it cites and what cites '
            "it.</span>"
        )
    parts += ["Box: definition; round: result."]
    parts += ["×3: cited by three results."] if paper.hubs() else []
    parts += [f"★: {node.main}." for node in paper.nodes if node.main]
    parts += ["!: a gap."] if any(node.lack for node in paper.nodes) else []
    return " ".join(parts)


def _listed(nodes: Sequence[MapNode]) -> str:
    few, rest = nodes[:_MOST_LISTED], nodes[_MOST_LISTED:]
    text = ", ".join(map(_link, few))
    if not rest:
        return f"{text}."
    more = ", ".join(map(_link, rest))
    return f'{text} <details class="more"><summary>and {len(rest):,} more</summary>{more}</details>'


def _link(node: MapNode) -> str:
    lack = f" ({escape(node.lack)})" if node.lack else ""
    return f'<a href="#{escape(node.anchor)}">{escape(node.name)}</a>{lack}'


class _Box(NamedTuple):
    """The place of a result: its upper left corner and its width."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


class _Frame(NamedTuple):
    """The place of a section."""

    y: float
    height: float


def map_svg(paper: PaperMap, title: str) -> str:
    """The drawing; `title` is the paper's. All text is escaped."""
    drawing = _Drawing(paper)
    size = f'viewBox="0 0 {_WIDTH:.0f} {drawing.height:.0f}"'
    return (
        f'<svg class="map" {size} width="{_WIDTH:.0f}" height="{drawing.height:.0f}" role="group" '
        f'aria-label="{escape(f"Map of {title}")}">{"".join(drawing.pieces())}</svg>'
    )


class _Drawing:
    """The places of all results and sections, and the shapes drawn there."""

    def __init__(self, paper: PaperMap) -> None:
        self._paper = paper
        self._is_small = paper.is_small()
        self._uses = paper.uses()
        self._hubs = {node.number for node in paper.hubs()}
        self._boxes: dict[int, _Box] = {}
        self._frames: list[_Frame] = []
        self._right = _WIDTH - _MARGIN - (0 if self._is_small else _BOWS)
        self.height = self._placed()

    def _placed(self) -> float:
        y = 6.0
        for cluster in self._paper.clusters:
            bottom = self._row_by_row(cluster, y + _TITLE + (_ABOVE if self._is_small else 0.0))
            self._frames.append(_Frame(y, bottom - y))
            y = bottom + (14.0 if self._is_small else 8.0)
        return y

    def _row_by_row(self, cluster: MapCluster, y: float) -> float:
        """Place the results of a section in rows from left to right; the bottom of the last row."""
        row = _ROW if self._is_small else _TIGHT_ROW
        x, left = _MARGIN + 10.0, _MARGIN + 10.0
        for node in cluster.nodes:
            width = self._width(node)
            if x + width > self._right - 6.0 and x > left:
                x, y = left, y + row
            height = _PILL if self._has_name(node) else _DOT
            self._boxes[node.number] = _Box(x, y + (row - height) / 2 - 3.0, width, height)
            x += width + (_GAP * 1.6 if self._is_small else _GAP / 2)
        return y + row

    def _has_name(self, node: MapNode) -> bool:
        return self._is_small or bool(node.main) or node.number in self._hubs

    def _width(self, node: MapNode) -> float:
        return 18.0 + _LETTER * len(self._words(node)) if self._has_name(node) else _DOT

    def _words(self, node: MapNode) -> str:
        kind, _, rest = node.name.partition(" ")
        short = shortened(f"{_SHORT.get(kind, kind)} {rest}".strip(), _LONGEST_NAME)
        sign = ("★ " if node.main else "") + ("! " if node.lack else "")
        used = f" ×{self._uses[node.number]}" if node.number in self._hubs else ""
        return f"{sign}{short}{used}"

    def pieces(self) -> Iterator[str]:
        """The parts of the drawing; those in front come last."""
        yield (
            '<defs><marker id="map-tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" '
            'markerHeight="6" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>'
        )
        for cluster, frame in zip(self._paper.clusters, self._frames, strict=True):
            yield self._section(cluster, frame)
        yield from self._lines() if self._is_small else self._bows()
        yield '<g class="live"></g>'
        for node in self._paper.nodes:
            yield self._node(node)

    def _section(self, cluster: MapCluster, frame: _Frame) -> str:
        lacking = sum(1 for node in cluster.nodes if node.lack)
        told = _counted(cluster.nodes) + (f", {lacking} with a gap" if lacking else "")
        title = shortened(cluster.title, _LONGEST_TITLE)
        width = self._right - _MARGIN + 4.0
        return (
            f'<rect class="section" x="{_MARGIN}" y="{frame.y:.0f}" width="{width:.0f}" '
            f'height="{frame.height:.0f}" rx="8"/>'
            f'<text class="section" x="{_MARGIN + 10}" y="{frame.y + 17:.0f}">{escape(title)}'
            f'<tspan class="sub" dx="10">{told}</tspan></text>'
        )

    def _lines(self) -> Iterator[str]:
        """A line for each citation, from the citing result to the cited one."""
        for source, target in self._paper.edges:
            path = line(self._boxes[source], self._boxes[target])
            yield f'<path class="edge" marker-end="url(#map-tip)" d="{path}"/>'

    def _bows(self) -> Iterator[str]:
        """Lines between sections, with widths by the number of citations."""
        counted = self._between()
        listed = sorted(counted, key=lambda pair: (-counted[pair], pair))[:_MOST_BOWS]
        for source, target in listed:
            one, other = self._frames[source], self._frames[target]
            # Both ends are at the right border; longer lines bend further.
            start, end = one.y + one.height * 0.6, other.y + other.height * 0.4
            reach = 18.0 + (_BOWS - 24.0) * min(1.0, abs(end - start) / max(self.height, 1.0) * 1.6)
            x = self._right + 5.0
            wide = min(6, 1 + round(counted[source, target] ** 0.5 / 2))
            words = (
                f"{self._paper.clusters[source].title} cites {self._paper.clusters[target].title}: "
                f"{plural(counted[source, target], 'time')}"
            )
            yield (
                f'<path class="edge bow wide-{wide}" d="M{x:.0f} {start:.0f}'
                f'C{x + reach:.0f} {start:.0f} {x + reach:.0f} {end:.0f} {x:.0f} {end:.0f}">'
                f"<title>{escape(words)}</title></path>"
                f'<path class="tip" d="M{x:.0f} {end:.0f}l7 -4v8z"/>'
            )

    def _between(self) -> Counter[tuple[int, int]]:
        home = {
            node.number: index
            for index, cluster in enumerate(self._paper.clusters)
            for node in cluster.nodes
        }
        pairs = ((home[source], home[target]) for source, target in self._paper.edges)
        return Counter(pair for pair in pairs if pair[0] != pair[1])

    def _node(self, node: MapNode) -> str:
        box = self._boxes[node.number]
        used = self._uses[node.number]
        is_hub, has_name = node.number in self._hubs, self._has_name(node)
        marks = (("hub", is_hub), ("main", bool(node.main)), ("lack", node.lack != ""))
        names = " ".join(["shape", node.look, *(name for name, is_so in marks if is_so)])
        told = [f"{node.name} ({node.title})" if node.title else node.name]
        told += [node.main] if node.main else []
        told += [f"cited by {plural(used, 'other')}"] if used else []
        told += [node.lack] if node.lack else []
        # The contents link to every result, so the keyboard can skip dots without a mark.
        skipped = "" if has_name or node.lack else ' tabindex="-1"'
        round_by = 3.0 if node.is_box else box.height / 2
        words = self._words(node) if has_name else "!" if node.lack else ""
        x, y = box.middle
        text = f'<text class="{node.look}" x="{x:.1f}" y="{y + 4:.1f}">{escape(words)}</text>'
        return (
            f'<a href="#{escape(node.anchor)}" data-n="{node.number}"{skipped}>'
            f"<title>{escape(', '.join(told))}</title>"
            f'<rect class="{names}" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
            f'height="{box.height:.1f}" rx="{round_by:g}"/>{text if words else ""}</a>'
        )


def line(one: _Box, other: _Box) -> str:
    """A line from one box to another; if both are in one row, it goes above them."""
    (x, y), (to, end) = one.middle, other.middle
    if abs(y - end) < 2:
        start = stop = min(one.y, other.y)
        first = last = start - 8 - min(14, abs(x - to) / 30)
    else:
        way = -1 if end < y else 1
        start, stop = y + way * one.height / 2, end - way * other.height / 2
        bend = way * max(14, abs(stop - start) * 0.4)
        first, last = start + bend, stop - bend
    return f"M{x:.0f} {start:.0f}C{x:.0f} {first:.0f} {to:.0f} {last:.0f} {to:.0f} {stop:.0f}"


def clustered(
    headings: Sequence[tuple[int, str, int]], positions: Mapping[int, int]
) -> list[tuple[str, list[int]]]:
    """Results by section, at the finest level of headings with few enough sections.

    A heading has its level, its title, and the position where it begins; `positions` are those of
    the results, by their numbers. Results before the first heading have the title "".
    """
    best: list[tuple[str, list[int]]] = _by_level(headings, positions, None)
    for level in sorted({level for level, _, _ in headings}):
        found = _by_level(headings, positions, level)
        is_sparse = len(positions) < _FEWEST_IN_SECTION * len(found)
        if len(found) > _MOST_SECTIONS or (is_sparse and len(found) > _FEW_SECTIONS):
            break
        best = found
    return best


_MOST_SECTIONS = 40
_FEW_SECTIONS = 6
"""This many sections are drawn even if they have few results."""
_FEWEST_IN_SECTION = 4
"""The average number of results in a section that a finer level needs."""


def _by_level(
    headings: Sequence[tuple[int, str, int]], positions: Mapping[int, int], level: int | None
) -> list[tuple[str, list[int]]]:
    """The results under the headings up to a level; sections without results are left out."""
    begins = [one for one in headings if level is not None and one[0] <= level]
    found: list[tuple[str, list[int]]] = []
    at, last = 0, -1
    for number, position in sorted(positions.items(), key=lambda item: item[1]):
        while at < len(begins) and begins[at][2] <= position:
            at += 1
        if not found or at - 1 != last:
            found.append((begins[at - 1][1] if at else "", []))
            last = at - 1
        found[-1][1].append(number)
    return found
