"""How fast papers are read without a cache, in MB of LaTeX per second, stage by stage.

python -m pfcore.bench.speed.parse FOLDER…

A second table covers what is only done on demand: the plain text of single blocks.
"""

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import NamedTuple

from pfcore.bench.terminal_table import sample, show
from pfcore.domain.spans import Spans
from pfcore.graph.building.draft import draft, modules
from pfcore.graph.building.term_index import dictionary
from pfcore.graph.paper_state import Numbering, build_paper_state
from pfcore.latex import reader
from pfcore.latex.blocks.plain_text import converted
from pfcore.latex.language import terms
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask
from pfcore.latex.lexer.whitespace import bare
from pfcore.latex.macros.macro_table import Lexicon
from pfcore.latex.project.recipes import Joined, SplicedSource
from pfcore.latex.project.survey import survey_file
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.structure.scanner import CommandScanner
from pfcore.latex.structure.tree import Tree, grow
from pfcore.papers import discover
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.repository.snapshot import Snapshot

_TIMES = 3
_BLOCKS = 500
_STAGES = ("survey", "structure", "terms", "texts")


class ParseTimes(NamedTuple):
    """A paper's size in MB; the seconds of each stage, of its document, and of its folder."""

    name: str
    size: float
    stages: tuple[float, ...]
    graph: float
    library: float


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table: a line for each paper, stages in MB/s, the document and folder in seconds."""
    gc.disable()
    measured, plain = [], []
    for folder in argv if argv is not None else sys.argv[1:]:
        snap = snapshot.current(Path(folder))
        snap.read_many(snap.files)
        found = _library(snap).papers
        whole = _seconds(partial(_library, snap))
        name = Path(folder).resolve().name
        measured += [_measured(f"{name} {paper.name}", paper, whole) for paper in found]
        plain += [_plain(f"{name} {paper.name}", paper) for paper in found]
    stages = [f"{stage} MB/s" for stage in (*_STAGES, "parse", "all")]
    show(
        ("paper", "MB", *stages, "graph s", "library s"),
        [_row(item) for item in (*measured, _total(measured))],
    )
    show(("plain text of blocks", "blocks", "ms/block", "failing"), plain)
    return 0


def _measured(name: str, paper: Paper, library: float) -> ParseTimes:
    sources = [paper.recipes[path].source(paper.source, paper.surveys) for path in paper.readings]
    size = sum(len(source.text.encode("utf-8", "replace")) for source in sources) / 1e6
    surveyed = _seconds(lambda: [survey_file(source.text) for source in sources])
    structure = _seconds(lambda: [_tree(source, paper.syntax) for source in sources], masked=True)
    reading = _seconds(
        lambda: [reader.parse_latex_file(source, paper.syntax) for source in sources], masked=True
    )
    terms_used = _seconds(lambda: list(_terms(paper)))
    stages = (surveyed, structure, terms_used, reading - structure)
    return ParseTimes(name, size, stages, _seconds(lambda: build_paper_state(paper)), library)


def _total(measured: Sequence[ParseTimes]) -> ParseTimes:
    stages = tuple(map(sum, zip(*(item.stages for item in measured), strict=True)))
    graph = sum(item.graph for item in measured)
    return ParseTimes("total", sum(item.size for item in measured), stages, graph, 0.0)


def _row(item: ParseTimes) -> tuple[str | float, ...]:
    """A row; `parse` is the rate without the texts, `all` the rate of all stages."""
    sums = (*item.stages, sum(item.stages[:3]), sum(item.stages))
    rates = [item.size / max(seconds, 1e-6) for seconds in sums]
    return item.name, item.size, *rates, item.graph, item.library


def _plain(name: str, paper: Paper) -> tuple[str | float, ...]:
    """For a sample of blocks: how many, the milliseconds of each, and the share that fails."""
    texts = [bare(text) for path in paper.readings for text in paper.texts(path)]
    chosen = sample(texts, _BLOCKS)
    converted("$x$")  # loads the modules that it needs
    start = process_time()
    found = [converted(text) for text in chosen]
    seconds = process_time() - start
    count = max(len(chosen), 1)
    return name, len(chosen), 1000 * seconds / count, found.count(None) / count


def _library(snap: Snapshot) -> discover.DiscoveredPapers:
    return discover.discover_papers(snap, ParseCache(MemoryCache()))


def _tree(source: SplicedSource, syntax: Syntax) -> Tree:
    """Mask, scan and nest: the environments, labels and references with their places."""
    joined = Joined(source)
    groups = Groups(joined.text)
    scanner = CommandScanner(syntax, Lexicon(syntax.macros, joined.changes))
    events = scanner.structure(groups, Spans(joined.silent))
    return grow(list(scanner.flatten(groups, events)), syntax, len(joined.text))


def _terms(paper: Paper) -> Iterator[tuple[str, ...]]:
    """The terms that each block uses."""
    made = draft(paper.outline, paper.readings, Numbering(paper).at)
    heads = terms.by_head(dictionary(made.ids, modules(made), made.at, paper.readings).positions)
    for path in paper.readings:
        for text in paper.texts(path):
            yield terms.used(text, heads)


def _seconds(run: Callable[[], object], *, masked: bool = False) -> float:
    """The fastest of a few runs, in processor seconds; `masked` keeps the cached masks."""
    found = []
    for _ in range(_TIMES):
        if not masked:
            mask.cache_clear()
        start = process_time()
        run()
        found.append(process_time() - start)
    return min(found)


if __name__ == "__main__":
    sys.exit(main())
