"""Mutants of a paper, each with one error and its location, and the tasks of reading them.

It finds the requests needed to measure some contracts on planted errors, without duplicates, and
what stored replies say about a task, rollout by rollout, with their usage.

Each result is read as it was, and with an error. The original is needed because it shows what is
not an error: an objection that a reader also raises there was not planted.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from pfcore.bench.planted.operators import (
    Operator,
    PassageWords,
    SourceEdit,
    circular_citation,
    dropped_hypothesis,
    flipped_inequality,
    missing_case,
    off_by_one_index,
    passages,
    sign_or_constant,
    strengthened_use,
    swapped_quantifiers,
    wrong_cited_lemma,
)
from pfcore.bench.real_papers import Edited, apply_edit
from pfcore.domain.values import Location, Module, ModulePart, Role
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import context_digest
from pfcore.ledger.ledger import LedgerEntry
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import NoReply, Outcome, Store
from pfcore.llm.protocol import TokenUsage
from pfcore.papers import discover
from pfcore.review.known_verdicts import KnownVerdicts
from pfcore.review.reading_session import ReadJob
from pfcore.verification.contract import Contract, Granularity, Judging
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.rollouts import is_taken_apart, verdict
from pfcore.verification.task import ContextTask, tasks
from pfcore.verification.verify import ModuleVerifier, Unread, Verdict

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
"""The operators by their names in tables."""


class Planting(NamedTuple):
    """The wanted number of mutants for each operator, the operators, and the random seed."""

    seed: int = 0
    most: int = 5
    operators: Sequence[str] = tuple(OPERATORS)


USUAL = Planting()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One error to be planted in a paper, and its true location.

    The error counts as one in the proof of `module`, even if it is in the statement. `start` and
    `end` are the offsets of `old` in the original file; `line` counts from 1, and is the same in
    the new file.
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
    """All edits that an operator finds in the proved results of a paper, in reading order."""
    return [
        _mutant(operator, words, edit)
        for module in found.document.modules.values()
        if module.proofs and module.role is Role.RESULT
        for words in passages(found, module)
        for edit in OPERATORS[operator](words)
        if _is_as_written(words, edit)
    ]


def mutants(found: PaperState, how: Planting = USUAL) -> list[Mutant]:
    """A sample of sound mutants for each operator, at most one per result; depends on the seed."""
    listed: list[Mutant] = []
    for operator in how.operators:
        chance = Random(f"{how.seed}:{operator}")  # noqa: S311 - only a sample
        pool = candidates(found, operator)
        chance.shuffle(pool)
        listed += _sound(found, pool, how.most)
    return listed


def reread(found: PaperState, mutant: Mutant) -> PaperState | None:
    """The paper with its error; None if the file is no longer part of the paper."""
    snap = apply_edit(found.paper.snapshot, edited(found, mutant))
    listed = discover.discover_papers(snap, found.paper.parse_cache, only=found.paper.name).papers
    return build_paper_state(listed[0], found) if listed else None


def is_sound(found: PaperState, mutant: Mutant) -> bool:
    """Whether the mutant has the same well-formed modules, and only its own text changed.

    Its context must differ, so that no verdict on the original applies to it.
    """
    after = reread(found, mutant)
    if after is None or _names(after) != _names(found):
        return False
    if _problems(after, mutant.path) != _problems(found, mutant.path):
        return False
    if _context(after, mutant.module) == _context(found, mutant.module):
        return False
    return _changed(found, after) <= _around(found, mutant.module)


def _names(state: PaperState) -> list[str]:
    """The modules except displays and notation."""
    return [name for name, module in state.document.modules.items() if module.role.stands_alone]


def _sound(found: PaperState, pool: Sequence[Mutant], most: int) -> list[Mutant]:
    chosen: dict[str, Mutant] = {}
    for mutant in pool:
        if len(chosen) == most:
            break
        if mutant.module not in chosen and is_sound(found, mutant):
            chosen[mutant.module] = mutant
    return list(chosen.values())


def _is_as_written(words: PassageWords, edit: SourceEdit) -> bool:
    """Whether an edit changes something and replaces no comment."""
    source = words.state.paper.source(words.passage.location.path)
    old = words.text[edit.start : edit.end]
    return source[edit.start : edit.end] == old and old != edit.new


def _mutant(operator: str, words: PassageWords, edit: SourceEdit) -> Mutant:
    where = words.passage.location
    source = words.state.paper.source(where.path)  # in masked text, comments lose their line ends
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
    """The digests of each module's own text."""
    return {name: tuple(item.digest for item in module.argued) for name, module in modules.items()}


def _changed(before: PaperState, after: PaperState) -> set[str]:
    old, new = _own(before.document.modules), _own(after.document.modules)
    return {name for name in _names(before) if old[name] != new.get(name)}


def _around(found: PaperState, name: str) -> set[str]:
    """A module, the modules around it, and those inside it."""
    modules = found.document.modules
    above = set(_ancestors(modules, name))
    return above | {other for other in modules if name in _ancestors(modules, other)}


def _ancestors(modules: Mapping[str, Module], name: str | None) -> Iterator[str]:
    while name is not None:
        yield name
        name = modules[name].parent


_MISSING = frozenset({"dropped-hypothesis", "missing-case"})
"""Errors in which something is missing."""


class Span(NamedTuple):
    """A span of a file; the end is exclusive."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A mutant as it is read.

    `sentence` is the place of its error in the changed file; None if something is missing, which
    has no place.
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
        """The tasks for the original and all mutants."""
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
    """At most `most` mutants, as evenly distributed over the operators as possible.

    A smaller limit selects a subset of what a larger one selects.
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
    """A task under a name of its own, and without dependants, so that it is not read first."""
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
    """The statement or the proof that contains the mutant."""
    return [
        words
        for words in passages(found, found.document.modules[mutant.module])
        if words.part is mutant.part and _is_in(mutant, words.passage.location)
    ]


def _is_in(mutant: Mutant, where: Location) -> bool:
    return where.path == mutant.path and where.start <= mutant.start < where.end


def judging(rollouts: int) -> Judging:
    """Settings that need all rollouts in any case, because all are measured."""
    return Judging(rollouts=rollouts, min_votes=1, blocking_votes=1)


def questions(
    listed: Iterable[PlantedTrial], askings: Sequence[ActionFactory], store: Store, rollouts: int
) -> list[ReadJob]:
    """The texts that lack a verdict of some rollout, trial by trial under every contract.

    Contracts that differ only in granularity ask the same about a proof that neither takes apart.
    """
    knowledge = [
        KnownVerdicts(asking=asking, store=store, judging=judging(rollouts)) for asking in askings
    ]
    found: dict[tuple[str, str], ReadJob] = {}
    for trial in listed:
        for known, asking in zip(knowledge, askings, strict=True):
            for task in asyncio.run(_unread(known, trial.tasks)):
                found.setdefault(_asked(task, asking.contract), ReadJob(task=task, knowledge=known))
    return list(found.values())


async def _unread(known: KnownVerdicts, tasks: Iterable[ContextTask]) -> list[ContextTask]:
    return [task for task in tasks if not _is_read(await known.entry(task), known.judging)]


def _is_read(found: LedgerEntry | Unread, judging: Judging) -> bool:
    return isinstance(found, LedgerEntry) and found.is_enough(judging)


def _asked(task: ContextTask, contract: Contract) -> tuple[str, str]:
    """A key of the requests about a text: texts with the same key share all replies."""
    granularity = Granularity.FINE if is_taken_apart(task, contract) else Granularity.AUTHOR
    return task.context, replace(contract, granularity=granularity, bound=0).digest()


NO_FAILURES: Mapping[str, str] = MappingProxyType({})
_NOT_KEPT = NoReply(reason="not read")


@dataclass(frozen=True, slots=True, kw_only=True)
class StageUse:
    """Calls of one stage, and their tokens."""

    calls: int = 0
    usage: TokenUsage = TokenUsage()  # noqa: RUF009 - immutable

    def __add__(self, other: "StageUse") -> "StageUse":
        return StageUse(calls=self.calls + other.calls, usage=self.usage + other.usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The verdicts of k rollouts on one task; `taken` is by stage, `served` are model names.

    `failure` says why a reading of it failed, if known.
    """

    verdicts: Mapping[int, Verdict]
    taken: Mapping[str, StageUse]
    served: frozenset[str]
    failure: str = ""

    @property
    def lacking(self) -> str:
        """Why a rollout reached no verdict; "" if all did."""
        reasons = [item.reason for item in self.verdicts.values() if isinstance(item, Unread)]
        return (self.failure or reasons[0]) if reasons else ""


class _Hearing:
    """Runs actions from a store alone, and records the usage of their replies."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.taken: dict[str, StageUse] = {}
        self.served: set[str] = set()

    async def run(self, action: Action) -> Outcome:
        known = self._store.get(action.key())
        if known is None:
            return _NOT_KEPT
        before = self.taken.get(action.stage, StageUse())
        self.taken[action.stage] = before + StageUse(calls=1, usage=known.usage)
        self.served.add(known.model)
        return known


def heard(
    store: Store,
    asking: ActionFactory,
    listed: Iterable[ContextTask],
    rollouts: int,
    failures: Mapping[str, str] = NO_FAILURES,
) -> list[Heard]:
    """What a store has on each task, without any calls. `failures` are reasons by context."""
    found = asyncio.run(_all(store, asking, listed, rollouts))
    return [replace(item, failure=failures.get(task.context, "")) for task, item in found]


async def _all(
    store: Store, asking: ActionFactory, listed: Iterable[ContextTask], rollouts: int
) -> list[tuple[ContextTask, Heard]]:
    return [(task, await _one(store, asking, task, rollouts)) for task in listed]


async def _one(store: Store, asking: ActionFactory, task: ContextTask, rollouts: int) -> Heard:
    hearing = _Hearing(store)
    reading = ModuleVerifier(run=hearing.run, asking=asking)
    found = {number: await verdict(reading, task, number) for number in range(1, rollouts + 1)}
    return Heard(verdicts=found, taken=hearing.taken, served=frozenset(hearing.served))


def sum_of_stages(listed: Iterable[Mapping[str, StageUse]]) -> dict[str, StageUse]:
    """The sums by stage."""
    found: dict[str, StageUse] = {}
    for taken in listed:
        for stage, item in taken.items():
            found[stage] = found.get(stage, StageUse()) + item
    return found


def summed(taken: Mapping[str, StageUse]) -> StageUse:
    """The sum over the stages."""
    return sum(taken.values(), StageUse())
