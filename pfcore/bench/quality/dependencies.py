"""Contexts of blueprints compared with the edges of their authors' `\\uses`, which are hidden.

python -m pfcore.bench.quality.dependencies CORPUS [--paper NAME] [--missed N] [--wrong N]

The truth is CORPUS/*/_truth/uses.json. An edge counts once for each pair of modules, and is found
if its target is in the context of its source. A member is right if a path of true edges leads to
it; conventions and equations, which `\\uses` cannot name, count only in the size.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pfcore.bench.real_papers import Edited, apply_edit, paper, papers_with_truth
from pfcore.bench.terminal_table import Cell, sample, show, spread
from pfcore.domain.values import Module, Role
from pfcore.graph.context import members
from pfcore.graph.document import ProofDocument
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.repository import snapshot
from pfcore.repository.snapshot import Snapshot

_USES = r"\\uses[ \t]*\{(?:[^{}%]|%.*\n|\{[^{}]*\})*\}"
_LINE = re.compile(rf"^[ \t]*{_USES}[ \t]*\n", re.MULTILINE)
_PLACE = re.compile(_USES)
_UNNAMED = (Role.CONVENTION, Role.FRAGMENT, Role.NOTATION)
_HEAD = (
    "paper", "edges", "recall", "definitions", "others", "precision", "members", "p90", "left out",
)  # fmt: skip


class TrueEdge(NamedTuple):
    """A true edge between two modules, and the half of the source where it is first named."""

    source: str
    target: str
    part: str
    is_to_definition: bool


class Member(NamedTuple):
    """A member of a context that no path of true edges leads to, and how it came there."""

    source: str
    member: str
    how: str


class DependencyScore(NamedTuple):
    """The true edges in contexts; `sizes` are those of the contexts of the edges' sources.

    `left_out` counts edges whose ends are not both modules of the paper, `members` the members
    that an edge could name.
    """

    found: tuple[TrueEdge, ...]
    missed: tuple[TrueEdge, ...]
    wrong: tuple[Member, ...]
    members: int
    sizes: tuple[int, ...]
    left_out: int

    @property
    def edges(self) -> int:
        """The number of edges that were looked for."""
        return len(self.found) + len(self.missed)

    @property
    def recall(self) -> float:
        """The share of true edges that are in the contexts."""
        return _share(len(self.found), self.edges)

    @property
    def precision(self) -> float:
        """The share of members that true edges imply."""
        return _share(self.members - len(self.wrong), self.members)

    def recall_of(self, *, definitions: bool) -> float:
        """The recall for edges to definitions, or for all other edges."""
        hits, misses = (
            sum(edge.is_to_definition == definitions for edge in edges)
            for edges in (self.found, self.missed)
        )
        return _share(hits, hits + misses)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def without_uses(text: str) -> str:
    """A text without its `\\uses{…}`; comments replace them, so that lines keep their numbers."""
    return _PLACE.sub(_empty, _LINE.sub(_empty, text))


def _empty(match: re.Match[str]) -> str:
    return "%\n" * match[0].count("\n")


def hidden(folder: Path, main: str) -> PaperState:
    """The paper of a folder with this main file, read without `\\uses`."""
    return build_paper_state(paper(without_marks(snapshot.from_folder(folder)), main))


def without_marks(whole: Snapshot) -> Snapshot:
    """The snapshot without `\\uses` in any file; the same snapshot if there are none."""
    texts = {path: source.text for path, source in whole.read_many(whole.files).items()}
    files = {path: without_uses(text) for path, text in texts.items() if "\\uses" in text}
    return apply_edit(whole, Edited(subject="uses", files=files)) if files else whole


def scores(corpus: Path) -> Iterator[tuple[str, DependencyScore]]:
    """The score of each paper whose true edges are known."""
    for name, moment, truth in _papers(corpus, None):
        yield name, score(moment, truth)


def _papers(
    corpus: Path, only: str | None
) -> Iterator[tuple[str, PaperState, Sequence[Mapping[str, str]]]]:
    for item in papers_with_truth(corpus, "uses.json"):
        if only in (None, item.name):
            yield item.name, hidden(item.folder, item.main), item.truth


def score(moment: PaperState, truth: Sequence[Mapping[str, str]]) -> DependencyScore:
    """Compare the contexts of a paper with its true edges: src, part and target are labels."""
    document = moment.document
    edges, left_out = _edges(document, truth)
    targets: dict[str, set[str]] = {}
    for edge in edges:
        targets.setdefault(edge.source, set()).add(edge.target)
    contexts = {name: members(document, name) for name in targets}
    named = {name: _named(document, inside) for name, inside in contexts.items()}
    return DependencyScore(
        found=tuple(edge for edge in edges if edge.target in contexts[edge.source]),
        missed=tuple(edge for edge in edges if edge.target not in contexts[edge.source]),
        wrong=tuple(
            Member(name, member, _how(document, name, member, contexts[name]))
            for name, inside in named.items()
            for member in sorted(inside - implied(name, targets))
        ),
        members=sum(map(len, named.values())),
        sizes=tuple(map(len, contexts.values())),
        left_out=left_out,
    )


def _edges(
    document: ProofDocument, truth: Iterable[Mapping[str, str]]
) -> tuple[tuple[TrueEdge, ...], int]:
    """The distinct edges between modules, and the number of edges from or to something else."""
    found: dict[tuple[str, str], TrueEdge] = {}
    left_out = 0
    for said in truth:
        source, target = (_module(document, said[key]) for key in ("src", "target"))
        if source and target and source != target:
            is_definition = document.modules[target].role is Role.DEFINITION
            edge = TrueEdge(source, target, said["part"], is_definition)
            found.setdefault((source, target), edge)
        else:
            left_out += 1
    return tuple(found.values()), left_out


def _module(document: ProofDocument, label: str) -> str:
    return next((place.module for place in document.labels.get(label, ()) if place.module), "")


def _named(document: ProofDocument, inside: Iterable[str]) -> set[str]:
    """The members that `\\uses` could name."""
    return {name for name in inside if document.modules[name].role not in _UNNAMED}


def implied(name: str, targets: Mapping[str, set[str]]) -> set[str]:
    """All modules that paths of true edges lead to."""
    found: set[str] = set()
    pending = [name]
    while pending:
        fresh = targets.get(pending.pop(), set()) - found
        found |= fresh
        pending += fresh
    return found


def _how(document: ProofDocument, name: str, member: str, inside: Iterable[str]) -> str:
    """The kind of edge that brings a member into a context, and the member that it comes from."""
    for source in (name, *sorted(inside)):
        kinds = {str(edge.via) for edge in document.edges_of(source) if edge.target == member}
        if kinds:
            return ", ".join(sorted(kinds)) + ("" if source == name else f" from {source}")
    return "inheritance"


def sum_of_scores(parts: Iterable[DependencyScore]) -> DependencyScore:
    """The sum of several scores."""
    listed = list(parts)
    return DependencyScore(
        found=tuple(edge for part in listed for edge in part.found),
        missed=tuple(edge for part in listed for edge in part.missed),
        wrong=tuple(item for part in listed for item in part.wrong),
        members=sum(part.members for part in listed),
        sizes=tuple(size for part in listed for size in part.sizes),
        left_out=sum(part.left_out for part in listed),
    )


def _row(name: str, made: DependencyScore) -> tuple[Cell, ...]:
    recalls = (made.recall, *(made.recall_of(definitions=which) for which in (True, False)))
    return name, made.edges, *recalls, made.precision, *spread(made.sizes), made.left_out


def _place(module: Module) -> str:
    """A module, its place, and the terms that it is known to define."""
    where = module.statement.location
    terms = f" [{', '.join(module.terms)}]" if module.terms else ""
    return f"{module.kind} {module.id} ({where.path}:{where.line}){terms}"


def _lines(name: str, moment: PaperState, made: DependencyScore) -> tuple[list[str], list[str]]:
    """A line for each missed edge and each wrong member."""
    modules = moment.document.modules
    missed = [
        f"missed: {name}: {edge.part} of {_place(modules[edge.source])}"
        f" -> {_place(modules[edge.target])}"
        for edge in made.missed
    ]
    wrong = [
        f"wrong: {name}: {_place(modules[item.source])} -> {_place(modules[item.member])},"
        f" by {item.how}"
        for item in made.wrong
    ]
    return missed, wrong


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m pfcore.bench.quality.dependencies")
    parser.add_argument("corpus", type=Path, nargs="?", default=Path("../shared/corpus"))
    parser.add_argument("--paper", help="only this paper of the collection")
    parser.add_argument("--missed", type=int, default=0, help="show so many edges not found")
    parser.add_argument("--wrong", type=int, default=0, help="show so many members not implied")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each paper and for all together, then the requested samples."""
    asked = _arguments(argv)
    made: list[DependencyScore] = []
    rows: list[tuple[Cell, ...]] = []
    missed: list[str] = []
    wrong: list[str] = []
    for name, moment, truth in _papers(asked.corpus, asked.paper):
        made.append(score(moment, truth))
        rows.append(_row(name, made[-1]))
        lines = _lines(name, moment, made[-1])
        missed += lines[0]
        wrong += lines[1]
    if not made:
        sys.stderr.write("no paper with known edges there\n")
        return 2
    show(_HEAD, [*rows, _row("total", sum_of_scores(made))])
    for line in (*sample(missed, asked.missed), *sample(wrong, asked.wrong)):
        print(line)  # noqa: T201 - an entry point prints
    return 0


if __name__ == "__main__":
    sys.exit(main())
