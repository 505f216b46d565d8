"""Edits real papers by chance, and says which edit was not seen, or was seen where it says nothing.

    python -m tests.plain_edits FOLDER… --number N --seed S   # N edits of each folder
    python -m tests.plain_edits FOLDER --seed S --only INDEX  # one of them again, with its words

What is edited, and what that has to affect, is found by `tests/plain_latex.py`, which knows nothing
of the product. A *miss*: a statement or proof says something else, and its result, or one that
cites it, is not affected; or the product has no such result, or gives its proof to another one. An
*excess*: what no reader sees affects a result. *Farther*: what is said affects a result to which no
reference leads, by a name, a symbol or a word that points; to be read, and no fault in itself.
Each is one line with its index, by which it comes again; the last lines are sums by kinds of edits.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from random import Random
from time import process_time
from types import MappingProxyType

from pfcore.bench.real_papers import Edited, apply_edit
from pfcore.graph.context import ancestors
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import context_digest
from pfcore.impact.plan import make_plan
from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository.snapshot import Snapshot, from_folder
from tests.plain_latex import (
    MATHEMATICS,
    SILENT,
    WHOLE,
    PlainBlock,
    PlainEdit,
    PlainPaper,
    edit_inside,
    readers,
)

_TRIES = 40
_ALL_DIGESTS = 10
"""Of so many silent edits, after one all contexts of the paper are compared."""


@dataclass(frozen=True)
class EditedPaper:
    """A paper as the product and as plain expressions see it."""

    state: PaperState
    plain: PlainPaper

    @cached_property
    def modules(self) -> list[str | None]:
        """For each block the module of the product that stands there."""
        modules = [m for m in self.state.document.modules.values() if m.role.stands_alone]
        places = {(m.statement.location.path, m.statement.location.start): m.id for m in modules}
        return [
            places.get((block.statement.path, block.statement.start)) for block in self.plain.blocks
        ]

    def has_pair(self, number: int) -> bool:
        """Whether the product gives the proof of a block to the block's result."""
        block, name = self.plain.blocks[number], self.modules[number]
        if name is None or block.proof is None:
            return False
        proofs = self.state.document.modules[name].proofs
        return any(
            (proof.location.path, proof.location.start) == (block.proof.path, block.proof.start)
            for proof in proofs
        )


@dataclass(slots=True)
class Outcome:
    """What became of one edit; `excess` and `farther` have the reasons that the product gives."""

    kind: str
    said: str
    misses: list[str] = field(default_factory=list)
    excess: list[str] = field(default_factory=list)
    farther: list[str] = field(default_factory=list)


@dataclass
class Subject:
    """The papers of a folder, and what is edited in them."""

    name: str
    snapshot: Snapshot
    parse_cache: ParseCache
    papers: list[EditedPaper]
    wrong: list[str] = field(default_factory=list)

    def outcome(self, seed: int, index: int) -> Outcome | None:
        """Make one edit and look at what it affects; None if nothing offers itself."""
        chance = Random(f"{seed} {self.name} {index}")
        for _ in range(_TRIES):
            paper = chance.choices(self.papers, [len(p.plain.pairs) for p in self.papers])[0]
            edit = _edit(paper.plain, index, chance)
            if edit is not None:
                return self._examined(paper, edit, is_whole=index % _ALL_DIGESTS == 0)
        return None

    def _examined(self, paper: EditedPaper, edit: PlainEdit, *, is_whole: bool) -> Outcome:
        before = paper.state
        snapshot = apply_edit(self.snapshot, Edited(subject=edit.said, files=edit.texts))
        snapshot = _without(snapshot, edit.gone)
        name = before.paper.name
        found = discover_papers(snapshot, self.parse_cache, only=name).papers
        outcome = Outcome(edit.kind, f"{before.paper.root}: {edit.path}:{edit.place}: {edit.said}")
        if not found:
            outcome.excess.append("the paper is not found any more")
            return outcome
        after = build_paper_state(found[0], before)
        plan = make_plan(before, after)
        reasons = {plan.pairs.get(item.id, item.id): item.reasons for item in plan.affected}
        must, may = set[str](), set[str]()
        if edit.kind in MATHEMATICS:
            assert edit.block
            must, may = _expected(paper, edit.block, is_proof=edit.is_proof)
        outcome.misses += [f"{name} is not affected" for name in sorted(must - reasons.keys())]
        others = sorted(reasons.keys() - must - may)
        told = [f"{name}: {'; '.join(reasons[name])}" for name in others]
        if edit.kind in MATHEMATICS:
            outcome.farther += told
        else:
            outcome.excess += [*told, *(_changed_digests(before, after) if is_whole else ())]
        return outcome


def _edit(plain: PlainPaper, index: int, chance: Random) -> PlainEdit | None:
    kinds = list(MATHEMATICS) if index % 5 < 3 else list(SILENT)
    if index % 20 == 19:
        return chance.choice(WHOLE)(plain, chance)
    kind = kinds[index // 5 % len(kinds)]
    block = chance.choice(plain.pairs)
    return edit_inside(plain, kind, block, is_proof=chance.random() < 0.5, chance=chance)


def _expected(
    paper: EditedPaper, block: PlainBlock, *, is_proof: bool
) -> tuple[set[str], set[str]]:
    """The modules that have to be affected, and those that may be."""
    number = paper.plain.blocks.index(block)
    must, may = readers(paper.plain, block, is_proof=is_proof)
    names = paper.modules
    keys = block.labels[is_proof].union(*(paper.plain.blocks[one].labels[0] for one in may))
    apart = {
        (span.path, span.start)
        for span, refers in paper.plain.detached
        if not refers.isdisjoint(keys)
    }
    modules = paper.state.document.modules
    proved_apart = {
        module.id
        for module in modules.values()
        if any((p.location.path, p.location.start) in apart for p in module.proofs)
    }
    own = names[number]
    around = {*ancestors(paper.state.document, own)} if own else set()
    inside = {module.id for module in modules.values() if module.parent in {own, *around}}
    return (
        {name for one in {number, *must} if (name := names[one])},
        {name for one in may if (name := names[one])} | proved_apart | around | inside,
    )


def _changed_digests(before: PaperState, after: PaperState) -> Iterator[str]:
    """The contexts of claims that no claim had before."""
    then = {context_digest(before.document, n, before.paper.texts) for n in before.document.modules}
    for name, module in after.document.modules.items():
        is_read = module.is_claim and module.role.stands_alone
        if is_read and context_digest(after.document, name, after.paper.texts) not in then:
            yield f"{name}: its context is another one"


def _without(snapshot: Snapshot, gone: frozenset[str]) -> Snapshot:
    if not gone:
        return snapshot
    files = {path: entry for path, entry in snapshot.files.items() if path not in gone}
    return replace(snapshot, files=MappingProxyType(files), paths=snapshot.paths - gone)


def open_subject(folder: Path) -> Subject:
    """Read the papers of a folder that have results whose proofs nobody can doubt.

    A file counts for the first paper that reads it in.
    """
    snapshot, parse_cache = from_folder(folder), ParseCache(MemoryCache())
    subject = Subject(folder.name, snapshot, parse_cache, [])
    paths = [path for path in snapshot.files if path.endswith(".tex")]
    texts = {path: read.text for path, read in snapshot.read_many(paths).items()}
    seen: set[str] = set()
    for paper in discover_papers(snapshot, parse_cache).papers:
        plain = PlainPaper(paper.root, texts)
        if seen.isdisjoint(block.statement.path for block in plain.pairs) and plain.pairs:
            seen.update(block.statement.path for block in plain.pairs)
            found = EditedPaper(build_paper_state(paper), plain)
            subject.papers.append(found)
            subject.wrong += _wrong_pairs(found)
    return subject


def _wrong_pairs(paper: EditedPaper) -> Iterator[str]:
    for number, block in enumerate(paper.plain.blocks):
        if block.is_certain and not paper.has_pair(number):
            where = f"{paper.state.paper.root}: {block.statement.path}:{block.statement.start}"
            name = paper.modules[number]
            yield f"{where}: " + (f"another has the proof of {name}" if name else "no such result")


def run(folders: Sequence[Path], seed: int, indices: Sequence[int]) -> int:
    """Edit the papers of each folder; 1 if anything was missed or seen in excess."""
    made, missed, exceeded, farther = (Counter[str]() for _ in range(4))
    start = process_time()
    for folder in folders:
        subject = open_subject(folder)
        pairs = sum(len(paper.plain.pairs) for paper in subject.papers)
        _say(f"{folder.name}: {len(subject.papers)} papers, {pairs} pairs")
        for problem in subject.wrong:
            _say(f"{folder.name}: MISS: {problem}")
        missed["pairs"] += len(subject.wrong)
        made["pairs"] += pairs
        for index in indices if subject.papers else ():
            outcome = subject.outcome(seed, index)
            if outcome is None:
                continue
            made[outcome.kind] += 1
            missed[outcome.kind] += bool(outcome.misses)
            exceeded[outcome.kind] += bool(outcome.excess)
            farther[outcome.kind] += bool(outcome.farther)
            lines = [f"MISS: {problem}" for problem in outcome.misses]
            lines += [f"EXCESS: {problem}" for problem in outcome.excess]
            lines += [f"FARTHER: {problem}" for problem in outcome.farther]
            if len(indices) == 1:
                lines = lines or ["as expected"]
            for line in lines:
                _say(f"{folder.name} --seed {seed} --only {index} {outcome.kind}: {line}")
            if lines:
                _say(f"    {outcome.said}")
    for kind, number in made.items():
        counts = f"{missed[kind]:,} missed, {exceeded[kind]:,} in excess, {farther[kind]:,} farther"
        _say(f"{kind}: {number:,} made, {counts}")
    edits = made.total() - made["pairs"]
    _say(
        f"{edits:,} edits, {missed.total():,} missed, {exceeded.total():,} in excess, "
        f"{farther.total():,} farther, {process_time() - start:,.0f} processor seconds"
    )
    return 1 if missed.total() or exceeded.total() else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--number", type=int, default=100, help="edits of each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the index of the one edit")
    wanted = parser.parse_args(argv)
    indices = range(wanted.number) if wanted.only is None else (wanted.only,)
    return run(wanted.folders, wanted.seed, indices)


if __name__ == "__main__":
    sys.exit(main())
