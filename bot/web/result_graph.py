"""A paper's stored graph, for the script that draws it and for a list of its results."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.domain.review_result import ReviewResult
from bot.web.viewmodels import is_blocking
from pfcore.domain.values import Role, Status, Via
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.reporters.html.page import network_json
from pfcore.reporters.html.page_entries import BY_WORDS, PageLook, state
from pfcore.reporters.html.paper_map import DEFINING
from pfcore.reporters.printing import safe, shortened

_MOST = 5_000
_UNDRAWN = {Role.FRAGMENT, Role.NOTATION, "citation"}
"""How many results a page lists; for larger papers there is the report."""


class _GraphValue(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _KeptModule(_GraphValue):
    id: str
    kind: str
    title: str | None
    label: str | None
    number: str | None
    file: str
    start_line: int
    parent: str | None
    status: Status
    at_fault: bool = False
    role: str


class _DrawnEdge(_GraphValue):
    source: str
    target: str
    via: Via


class _Graph(_GraphValue):
    modules: tuple[_KeptModule, ...]
    edges: tuple[_DrawnEdge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEntry:
    """A result on a page; `anchor` is its place there."""

    id: str
    anchor: str
    name: str
    title: str
    look: PageLook
    is_box: bool
    path: str
    line: int


@dataclass(frozen=True, kw_only=True)
class PaperGraphView:
    """The graph for a page; empty if none was stored."""

    entries: tuple[GraphEntry, ...] = ()
    edges: tuple[tuple[int, int, bool], ...] = field(default=(), repr=False)

    @cached_property
    def network(self) -> str:
        """The graph as JSON for the script."""
        nodes: list[dict[str, Any]] = [
            {
                "id": entry.id,
                "name": entry.name,
                "title": entry.title,
                "look": entry.look.name,
                "box": entry.is_box,
                "at": entry.anchor,
            }
            for entry in self.entries
        ]
        return network_json(nodes, [[one, other, int(plain)] for one, other, plain in self.edges])


def paper(saved: ReviewResult) -> PaperGraphView:
    """The graph of a result."""
    try:
        graph = _Graph.model_validate_json(saved.graph)
    except ValidationError:
        return PaperGraphView()
    modules = {module.id: module for module in graph.modules}
    shown = [m for m in graph.modules if m.role not in _UNDRAWN][:_MOST]
    blocking, stale = _blocking(saved), _stale(saved)
    entries = tuple(
        _entry(module, number, is_blocking=module.id in blocking, is_stale=module.id in stale)
        for number, module in enumerate(shown)
    )
    numbers = {module.id: number for number, module in enumerate(shown)}
    return PaperGraphView(entries=entries, edges=tuple(_edges(graph.edges, modules, numbers)))


def _entry(module: _KeptModule, number: int, *, is_blocking: bool, is_stale: bool) -> GraphEntry:
    return GraphEntry(
        id=module.id,
        anchor=f"r{number}",
        name=_name(module),
        title=shortened(safe(plain_text(module.title or "")), 80),
        look=state(
            module.status,
            is_blocking=is_blocking,
            is_stale=is_stale,
            is_at_fault=module.at_fault,
        ).value,
        is_box=module.role in DEFINING,
        path=module.file,
        line=module.start_line,
    )


def _name(module: _KeptModule) -> str:
    kind = safe(module.kind).capitalize()
    known = module.number or module.label
    if known or module.title:
        return shortened(f"{kind} {safe(known or '')}".strip(), 80)
    return shortened(f"{kind}, {safe(module.file)}:{module.start_line}", 80)


def _edges(
    edges: Iterable[_DrawnEdge], modules: Mapping[str, _KeptModule], numbers: Mapping[str, int]
) -> Iterable[tuple[int, int, bool]]:
    """The edges between shown results; an equation counts as part of its result."""
    found: dict[tuple[int, int], bool] = {}
    for edge in edges:
        pair = _shown(edge.source, modules, numbers), _shown(edge.target, modules, numbers)
        if pair[0] is not None and pair[1] is not None and pair[0] != pair[1]:
            key = pair[0], pair[1]
            found[key] = found.get(key, False) or edge.via not in BY_WORDS
    return ((source, target, plain) for (source, target), plain in found.items())


def _shown(name: str, modules: Mapping[str, _KeptModule], numbers: Mapping[str, int]) -> int | None:
    seen: set[str] = set()
    while name not in numbers:
        known = modules.get(name)
        if known is None or known.parent is None or known.parent in seen:
            return None
        name = known.parent
        seen.add(name)
    return numbers[name]


def _blocking(saved: ReviewResult) -> set[str]:
    """The printed ids of the modules with a blocking finding."""
    wanted = [item for item in saved.objections if is_blocking(item, saved)]
    printed = _printed(saved)
    own = {item.module for item in wanted if item.module}
    return own | {printed[item.id] for item in wanted if item.id in printed}


def _stale(saved: ReviewResult) -> set[str]:
    return {item.module for item in saved.reached if item.unread}


def _printed(saved: ReviewResult) -> dict[str, str]:
    """The printed ids of the modules of findings, by the findings' ids."""
    if not saved.check:
        return {}
    try:
        findings = json.loads(saved.check)["findings"]
        return {item["id"]: item["module"] for item in findings if item["module"]}
    except (ValueError, LookupError, TypeError):
        return {}
