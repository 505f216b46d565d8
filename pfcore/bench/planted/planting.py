"""Mutants of a paper: one error each, where it stands, and that the paper still reads the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from pfcore.bench.planted.citing import circular_citation, strengthened_use, wrong_cited_lemma
from pfcore.bench.planted.formulas import flipped_inequality, off_by_one_index, sign_or_constant
from pfcore.bench.planted.operators import Operator, PassageWords, SourceEdit, passages
from pfcore.bench.planted.wording import dropped_hypothesis, missing_case, swapped_quantifiers
from pfcore.bench.real_papers import Edited, apply_edit
from pfcore.domain.values import Module, ModulePart, Role
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import context_digest
from pfcore.papers import discover

OPERATORS = MappingProxyType[str, Operator](
    {
        "dropped-hypothesis": dropped_hypothesis,
        "flipped-inequality": flipped_inequality,
        "swapped-quantifiers": swapped_quantifiers,
        "off-by-one-index": off_by_one_index,
        "wrong-cited-lemma": wrong_cited_lemma,
        "strengthened-use": strengthened_use,
        "sign-or-constant": sign_or_constant,
        "missing-case": missing_case,
        "circular-citation": circular_citation,
    }
)
"""The operators by the names that tables give them."""


class Planting(NamedTuple):
    """How many mutants of each operator are wanted, which operators, and by what chance."""

    seed: int = 0
    most: int = 5
    operators: Sequence[str] = tuple(OPERATORS)


USUAL = Planting()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One error to be planted in a paper, and its true location.

    The error is in the proof of `module`: one of another statement is none. `start` and `end` are
    offsets of `old` in the file as it was; `line` counts from 1, and is the same in the new file.
    """

    operator: str
    module: str
    part: ModulePart
    path: str
    start: int
    end: int
    line: int
    old: str
    new: str


def edited(found: PaperState, mutant: Mutant) -> Edited:
    """The change that plants an error, to be applied to the paper's snapshot."""
    source = found.paper.source(mutant.path)
    text = source[: mutant.start] + mutant.new + source[mutant.end :]
    return Edited(subject=mutant.module, files={mutant.path: text})


def candidates(found: PaperState, operator: str) -> list[Mutant]:
    """All that an operator finds in the proved results of a paper, in reading order."""
    return [
        _mutant(operator, words, edit)
        for module in found.document.modules.values()
        if _is_wanted(module)
        for words in passages(found, module)
        for edit in OPERATORS[operator](words)
        if _is_as_written(words, edit)
    ]


def mutants(found: PaperState, how: Planting = USUAL) -> list[Mutant]:
    """For each operator a sample of sound mutants, at most one per result; the same for a seed."""
    listed: list[Mutant] = []
    for operator in how.operators:
        chance = Random(f"{how.seed}:{operator}")  # noqa: S311 - a sample, no secret
        pool = candidates(found, operator)
        chance.shuffle(pool)
        listed += _sound(found, pool, how.most)
    return listed


def reread(found: PaperState, mutant: Mutant) -> PaperState | None:
    """The paper with its error; None where the file is no longer read as part of it."""
    snap = apply_edit(found.paper.snapshot, edited(found, mutant))
    listed = discover.discover_papers(snap, found.paper.shelf, only=found.paper.name).papers
    return build_paper_state(listed[0], found) if listed else None


def is_sound(found: PaperState, mutant: Mutant) -> bool:
    """Whether the mutant has the same modules, well-formed, and only its own text is another.

    The context in which it would be read differs, so no verdict on the original answers for it.
    """
    after = reread(found, mutant)
    if after is None or list(after.document.modules) != list(found.document.modules):
        return False
    if _problems(after, mutant.path) != _problems(found, mutant.path):
        return False
    if _context(after, mutant.module) == _context(found, mutant.module):
        return False
    return _changed(found, after) <= _around(found, mutant.module)


def _sound(found: PaperState, pool: Sequence[Mutant], most: int) -> list[Mutant]:
    chosen: dict[str, Mutant] = {}
    for mutant in pool:
        if len(chosen) == most:
            break
        if mutant.module not in chosen and is_sound(found, mutant):
            chosen[mutant.module] = mutant
    return list(chosen.values())


def _is_wanted(module: Module) -> bool:
    return bool(module.proofs) and module.role is Role.RESULT


def _is_as_written(words: PassageWords, edit: SourceEdit) -> bool:
    """Whether no comment lies in what is replaced, and something is."""
    source = words.state.paper.source(words.passage.location.path)
    old = words.text[edit.start : edit.end]
    return source[edit.start : edit.end] == old and old != edit.new


def _mutant(operator: str, words: PassageWords, edit: SourceEdit) -> Mutant:
    where = words.passage.location
    source = words.state.paper.source(where.path)  # the line ends of comments are masked, too
    return Mutant(
        operator=operator,
        module=words.module.id,
        part=words.part,
        path=where.path,
        start=edit.start,
        end=edit.end,
        line=where.line + source.count("\n", where.start, edit.start),
        old=words.text[edit.start : edit.end],
        new=edit.new,
    )


def _problems(found: PaperState, path: str) -> list[tuple[str, str]]:
    return [(item.code, item.subject) for item in found.paper.readings[path].problems]


def _context(found: PaperState, name: str) -> str:
    return context_digest(found.document, name, found.paper.texts)


def _own(modules: Mapping[str, Module]) -> dict[str, tuple[str, ...]]:
    """The digests of what each module says itself."""
    return {
        name: tuple(item.digest for item in (module.statement, *module.proofs))
        for name, module in modules.items()
    }


def _changed(before: PaperState, after: PaperState) -> set[str]:
    old, new = _own(before.document.modules), _own(after.document.modules)
    return {name for name in old if old[name] != new[name]}


def _around(found: PaperState, name: str) -> set[str]:
    """A module, those that it stands in, and those that stand in it."""
    modules = found.document.modules
    above = set(_ancestors(modules, name))
    return above | {other for other in modules if name in _ancestors(modules, other)}


def _ancestors(modules: Mapping[str, Module], name: str | None) -> Iterator[str]:
    while name is not None:
        yield name
        name = modules[name].parent
