"""Which planted errors the readings name, and what else they object to: sums for each result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.bench.planted.hearing import Heard
from pfcore.bench.planted.trials import Planted, PlantedTrial
from pfcore.review.places import quote_location
from pfcore.verification.quotes import QuoteSpan, find_quote
from pfcore.verification.rollouts import Vote, clustered, votes
from pfcore.verification.task import ContextTask


class Sums(NamedTuple):
    """Sums over results, each as it was and with errors planted in it.

    Of `planted` errors, `near` counts those whose own sentence is objected to (of what is missing:
    anything), `found` those with an objection anywhere that nobody has to the original. Of the
    objections to mutants, `said` counts all, `right` those that make an error `near`. Of `proofs`
    as they were, `flagged` counts those objected to, `alarms` the objections.
    """

    planted: int = 0
    near: int = 0
    found: int = 0
    said: int = 0
    right: int = 0
    proofs: int = 0
    flagged: int = 0
    alarms: int = 0


class Voice(NamedTuple):
    """One vote, and whether it is about the error: by what the original gets, and by its place."""

    vote: Vote
    is_new: bool
    is_near: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutated:
    """What all rollouts say of one mutant."""

    planted: Planted
    voices: tuple[Voice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOutcome:
    """What all rollouts say of a result, as it was and with each error."""

    trial: PlantedTrial
    original: tuple[Vote, ...]
    mutated: tuple[Mutated, ...]


class Result(NamedTuple):
    """The trials that have been read, and why mutants (by operator and result) have not."""

    answered: list[TrialOutcome]
    left_out: dict[tuple[str, str], str]


def trial_outcomes(listed: Iterable[PlantedTrial], heard: Mapping[str, Heard]) -> Result:
    """The trials by what was heard of each context; what lacks a verdict is left out, with why."""
    found: list[TrialOutcome] = []
    left_out: dict[tuple[str, str], str] = {}
    for trial in listed:
        before = heard[trial.original.context]
        mutated = []
        for planted in trial.planted:
            after = heard[planted.task.context]
            if lacking := before.lacking or after.lacking:
                left_out[planted.mutant.operator, planted.mutant.module] = lacking
            else:
                mutated.append(_mutated(trial.original, before, planted, after))
        if mutated:
            original = tuple(votes(before.verdicts, trial.original.text))
            found.append(TrialOutcome(trial=trial, original=original, mutated=tuple(mutated)))
    return Result(found, left_out)


def sums(item: TrialOutcome, chosen: Sequence[int], least: int) -> Sums:
    """What some rollouts, by their numbers, come to where an objection needs so many votes."""
    numbers = frozenset(chosen)
    alarms = _reported((vote for vote in item.original if vote.rollout in numbers), least)
    planted = near = found = said = right = 0
    for mutant in item.mutated:
        voices = {id(voice.vote): voice for voice in mutant.voices}
        heard = (voice.vote for voice in mutant.voices if voice.vote.rollout in numbers)
        groups = [[voices[id(vote)] for vote in group] for group in _reported(heard, least)]
        close = sum(any(voice.is_near for voice in group) for group in groups)
        planted, said, right = planted + 1, said + len(groups), right + close
        near += bool(close)
        found += any(voice.is_new for group in groups for voice in group)
    return Sums(planted, near, found, said, right, 1, bool(alarms), len(alarms))


def _reported(heard: Iterable[Vote], least: int) -> list[tuple[Vote, ...]]:
    return [item.votes for item in clustered(list(heard)) if item.count >= least]


def _mutated(original: ContextTask, before: Heard, planted: Planted, after: Heard) -> Mutated:
    known = [vote.place for vote in votes(before.verdicts, original.text)]
    places = [item for item in known if item is not None]
    is_vague = len(places) < len(known)
    return Mutated(
        planted=planted,
        voices=tuple(
            _voice(vote, original, places, planted, is_vague=is_vague)
            for vote in votes(after.verdicts, planted.task.text)
        ),
    )


def _voice(
    vote: Vote,
    original: ContextTask,
    known: Iterable[QuoteSpan],
    planted: Planted,
    *,
    is_vague: bool,
) -> Voice:
    """A vote without a place counts as known where the original has such a one, too."""
    quote = vote.objection.quote
    if vote.place is None:
        return Voice(vote, not is_vague, False)
    there = find_quote(quote, original.text)
    is_known = there is not None and any(_overlap(there, item) for item in known)
    return Voice(vote, not is_known, not is_known and _is_near(planted, quote))


def _is_near(planted: Planted, quote: str) -> bool:
    if planted.sentence is None:
        return True
    where = quote_location(planted.after, planted.mutant.module, planted.task, quote)
    return (
        where.path == planted.sentence.path
        and where.start < planted.sentence.end
        and planted.sentence.start < where.end
    )


def _overlap(one: QuoteSpan, other: QuoteSpan) -> bool:
    return one.start < other.end and other.start < one.end


def by_operator(
    listed: Iterable[TrialOutcome], chosen: Sequence[int], least: int
) -> dict[str, tuple[int, int]]:
    """For each operator how many errors were planted, and how many of them found."""
    counts: dict[str, tuple[int, int]] = {}
    for item in listed:
        for mutant in item.mutated:
            alone = TrialOutcome(trial=item.trial, original=item.original, mutated=(mutant,))
            operator = mutant.planted.mutant.operator
            planted, found = counts.get(operator, (0, 0))
            counts[operator] = (planted + 1, found + sums(alone, chosen, least).near)
    return counts
