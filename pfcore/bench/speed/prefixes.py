"""A paper cut off behind its first modules, as if no more had been written."""

from pfcore.bench.real_papers import Edited, apply_edit
from pfcore.domain.values import Location, Module
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.markup.tags import is_markup
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache
from pfcore.papers.shelf import ParseCache

_END = "\n\\end{document}\n"


def prefix(found: PaperState, count: int) -> PaperState:
    """The paper with its first modules alone, as many as these, and nothing behind them.

    A module stands in it with all that stands in it: what begins in the proof of the last one
    counts as later only where it stands outside of it. A file that was begun before and is not over
    loses what begins with its first later module, and not the words before that one.
    """
    later = _later(found, count)
    unread = _unread(found, later[0].statement.location) if later else []
    cuts = dict.fromkeys(unread, 0)
    for module in later:
        for passage in (module.statement, *module.proofs):
            where = passage.location
            cuts[where.path] = min(cuts.get(where.path, where.start), where.start)
    files = {path: _cut(found, path, cut) for path, cut in cuts.items()}
    snap = apply_edit(found.paper.snapshot, Edited(subject="", files=files))
    listed = discover.discover_papers(snap, ParseCache(MemoryCache())).papers
    kept = next((item for item in listed if item.root == found.paper.root), None)
    if kept is None:
        raise ValueError(f"nothing of {found.paper.root} is a paper before its module {count}")
    return build_paper_state(kept)


def _later(found: PaperState, count: int) -> list[Module]:
    ordered = sorted(found.document.modules.values(), key=lambda module: module.position)
    kept = {module.id for module in ordered[:count]}
    return [module for module in ordered[count:] if module.parent not in kept]


def _unread(found: PaperState, first: Location) -> list[str]:
    """The files that are read in behind a place.

    Files that nobody is seen to read in come in the paper's order, each as a whole.
    """
    outline = found.paper.outline
    place = [*_way(outline, first.path), first.start]
    return [path for path in outline.order if _way(outline, path) > place]


def _way(outline: IncludeGraph, path: str) -> list[int]:
    """Where a file is first read in: which file is begun with, then the offset in each."""
    found: list[int] = []
    at = path
    while at in outline.opened:
        at, offset = outline.opened[at]
        found.insert(0, offset)
    return [outline.order.index(at), *found]


def _cut(found: PaperState, path: str, cut: int) -> str:
    text = found.paper.source(path)[:cut]
    is_closed = path == found.paper.root and not is_markup(path)
    return text + _END if is_closed else text
