"""How many errors can be planted in papers, and how many of them checks without a model see.

python -m pfcore.bench.mutants FOLDER…

Places are what an operator finds, planted a sample of those that are sound. An error is seen where
a check says something of its module that it did not say of the paper as it was.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from pfcore import papers, snapshot
from pfcore.bench.mutation.planting import OPERATORS, Mutant, Planting, candidates, mutants, reread
from pfcore.bench.table import show
from pfcore.cache import MemoryCache
from pfcore.checks.registry import run
from pfcore.checks.scene import Scene
from pfcore.graph.paper import State, state
from pfcore.model import Finding
from pfcore.shelf import Shelf


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table: for each paper, a line for each operator."""
    rows = []
    for folder in argv if argv is not None else sys.argv[1:]:
        snap = snapshot.current(Path(folder))
        for paper in papers.library(snap, Shelf(MemoryCache())).papers:
            rows += _rows(paper.name, state(paper))
    show(("paper", "operator", "places", "results", "planted", "seen"), rows)
    return 0


def seen(found: State, planted: Sequence[Mutant]) -> list[Mutant]:
    """The mutants about whose module a check without a model says something new."""
    known = {item.id for item in _findings(found)}
    return [
        mutant
        for mutant in planted
        if (after := reread(found, mutant))
        and any(_is_about(mutant, item) for item in _findings(after) if item.id not in known)
    ]


def _rows(name: str, found: State) -> list[tuple[str, str, int, int, int, int]]:
    rows = []
    for operator in OPERATORS:
        places = candidates(found, operator)
        planted = mutants(found, Planting(operators=(operator,)))
        results = len({item.module for item in places})
        counts = (len(places), results, len(planted), len(seen(found, planted)))
        rows.append((name, operator, *counts))
    return rows


def _findings(found: State) -> Sequence[Finding]:
    return run(Scene(state=found), None)


def _is_about(mutant: Mutant, item: Finding) -> bool:
    return mutant.module in (item.module, *item.related)


if __name__ == "__main__":
    sys.exit(main())
