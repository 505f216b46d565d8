"""How many errors can be planted in papers, and how many of them checks without a model find.

python -m pfcore.bench.quality.mutants FOLDER…

`places` are all that an operator finds, `planted` is a sample of the sound ones. An error is seen
if a check has a finding about its module that it did not have in the original paper. The last lines
are the sums over the papers, and the share that is seen.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pfcore.bench.planted.planting import OPERATORS, Mutant, Planting, candidates, mutants, reread
from pfcore.bench.terminal_table import Cell, show
from pfcore.checks.check import CheckInput
from pfcore.checks.registry import run_checks
from pfcore.domain.values import Finding
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot


class _MutantCount(NamedTuple):
    paper: str
    operator: str
    places: int
    results: int
    planted: int
    seen: int


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table: for each paper, a line for each operator; then the sums."""
    rows = []
    for folder in map(Path, argv if argv is not None else sys.argv[1:]):
        for paper in discover.discover_papers(
            snapshot.current(folder), ParseCache(MemoryCache())
        ).papers:
            rows += _rows(f"{folder.name} {paper.root}", build_paper_state(paper))
    table: list[Sequence[Cell]] = [(*row, "") for row in rows]
    table += _sums(rows)
    show(("paper", "operator", "places", "results", "planted", "seen", "share"), table)
    return 0


def seen(found: PaperState, planted: Sequence[Mutant]) -> list[Mutant]:
    """The mutants about whose module a check without a model has a new finding."""
    known = {item.id for item in _findings(found)}
    return [
        mutant
        for mutant in planted
        if (after := reread(found, mutant))
        and any(
            mutant.module in (item.module, *item.related)
            for item in _findings(after)
            if item.id not in known
        )
    ]


def _sums(rows: Sequence[_MutantCount]) -> Iterator[list[Cell]]:
    """The sums over papers for each operator, and for all of them."""
    for operator in (*OPERATORS, "all"):
        mine = [row for row in rows if operator in (row.operator, "all")]
        planted, found = sum(row.planted for row in mine), sum(row.seen for row in mine)
        counts = (sum(row.places for row in mine), sum(row.results for row in mine), planted, found)
        yield ["all papers", operator, *counts, found / planted if planted else ""]


def _rows(name: str, found: PaperState) -> list[_MutantCount]:
    rows = []
    for operator in OPERATORS:
        places = candidates(found, operator)
        planted = mutants(found, Planting(operators=(operator,)))
        results = len({item.module for item in places})
        counts = (len(places), results, len(planted), len(seen(found, planted)))
        rows.append(_MutantCount(name, operator, *counts))
    return rows


def _findings(found: PaperState) -> Sequence[Finding]:
    return run_checks(CheckInput(state=found), None)


if __name__ == "__main__":
    sys.exit(main())
