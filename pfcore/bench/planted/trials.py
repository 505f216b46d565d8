"""What is read to see whether planted errors are found: each result as it was, and with an error.

The original stands beside its mutants because it says what is no error: what a reader objects to
there as well was not planted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pfcore.bench.planted.operators import PassageWords, passages
from pfcore.bench.planted.planting import Mutant, reread
from pfcore.domain.values import Location
from pfcore.graph.paper_state import PaperState
from pfcore.verification.task import ContextTask
from pfcore.verification.tasks import tasks

_MISSING = frozenset({"dropped-hypothesis", "missing-case"})
"""Errors that consist in something that is not there any more."""


class Span(NamedTuple):
    """Characters of a file, the end exclusive."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A mutant as it is read.

    `sentence` is where its error stands in the changed file; None where something is missing, which
    stands nowhere.
    """

    mutant: Mutant
    after: PaperState
    task: ContextTask
    sentence: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedTrial:
    """A result as its authors wrote it, and with errors in it, one at a time."""

    original: ContextTask
    planted: tuple[Planted, ...]

    @property
    def tasks(self) -> tuple[ContextTask, ...]:
        """All that is read."""
        return (self.original, *(item.task for item in self.planted))


def trials(found: PaperState, listed: Iterable[Mutant]) -> list[PlantedTrial]:
    """The trials of some mutants, a trial for each result, in the order of the mutants."""
    groups: dict[str, list[Mutant]] = {}
    for mutant in listed:
        groups.setdefault(mutant.module, []).append(mutant)
    originals = {task.module: task for task in tasks(found, groups)}
    return [
        PlantedTrial(original=_named(originals[name], name), planted=tuple(_planted(found, group)))
        for name, group in groups.items()
    ]


def limited(listed: Sequence[Mutant], most: int) -> list[Mutant]:
    """At most so many mutants, as many of each operator as of the others where there are as many.

    Those that a smaller number has are among those that a larger one has.
    """
    seen: dict[str, int] = {}
    ranks = []
    for mutant in listed:
        seen[mutant.operator] = seen.get(mutant.operator, 0) + 1
        ranks.append(seen[mutant.operator])
    order = sorted(range(len(listed)), key=lambda index: (ranks[index], index))
    kept = set(order[:most])
    return [mutant for index, mutant in enumerate(listed) if index in kept]


def _planted(found: PaperState, group: Iterable[Mutant]) -> Iterable[Planted]:
    for mutant in group:
        after = reread(found, mutant)
        if after is None:
            raise ValueError(f"the mutant of {mutant.module} is no longer part of the paper")
        (task,) = tasks(after, [mutant.module])
        yield Planted(
            mutant=mutant,
            after=after,
            task=_named(task, f"{mutant.module}, {mutant.operator}"),
            sentence=_sentence(found, mutant),
        )


def _named(task: ContextTask, name: str) -> ContextTask:
    """A task under a name of its own, which is not read sooner because more rests on it."""
    return replace(task, module=name, rests=0)


def _sentence(found: PaperState, mutant: Mutant) -> Span | None:
    if mutant.operator in _MISSING:
        return None
    start, end = mutant.start, mutant.end
    for words in _passages(found, mutant):
        for first, last in words.sentences:
            if first < mutant.end and mutant.start < last:
                start, end = min(start, first), max(end, last)
    return Span(mutant.path, start, end + len(mutant.new) - len(mutant.old))


def _passages(found: PaperState, mutant: Mutant) -> list[PassageWords]:
    """The statement or the proof in which the mutant stands."""
    return [
        words
        for words in passages(found, found.document.modules[mutant.module])
        if words.part is mutant.part and _is_in(mutant, words.passage.location)
    ]


def _is_in(mutant: Mutant, where: Location) -> bool:
    return where.path == mutant.path and where.start <= mutant.start < where.end
