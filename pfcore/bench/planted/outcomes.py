"""Scores readings of planted errors: which errors are found, and what else is objected to.

Recall, false alarms and precision of one way of reading, for each k and number of votes, with its
cost and what was left out. Also recommends one of the measured settings for reading a paper, and
says how certain that is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from pfcore.bench.planted.planting import (
    NO_FAILURES,
    Heard,
    Planted,
    PlantedTrial,
    StageUse,
    heard,
    sum_of_stages,
    summed,
)
from pfcore.bench.scoring.scaling import (
    USUAL,
    IntervalEstimate,
    Sampling,
    added,
    averaged,
    estimates,
    resampled,
    subsets,
    widened,
    wilson,
)
from pfcore.llm.engine.run import Store
from pfcore.llm.prices import Price
from pfcore.review.located_objections import quote_location
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.quotes import QuoteSpan, find_quote
from pfcore.verification.rollouts import Vote, clustered, votes
from pfcore.verification.task import ContextTask


class Sums(NamedTuple):
    """Sums over results, each read as it was and with planted errors.

    Of the `planted` errors, `near` counts those whose own sentence gets an objection (any new
    objection if something is missing), `found` those with any objection that the original does not
    get. Of the objections to mutants, `said` counts all, `right` those that make an error `near`.
    Of the `proofs` as they were, `flagged` counts those with objections, `alarms` the objections.
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
    """One vote; whether the original does not get it, and whether it is at the error."""

    vote: Vote
    is_new: bool
    is_near: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutated:
    """The votes of all rollouts on one mutant."""

    planted: Planted
    voices: tuple[Voice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOutcome:
    """The votes of all rollouts on a result, as it was and with each error."""

    trial: PlantedTrial
    original: tuple[Vote, ...]
    mutated: tuple[Mutated, ...]


class Result(NamedTuple):
    """The trials that have been read, and why mutants (by operator and result) have not."""

    answered: list[TrialOutcome]
    left_out: dict[tuple[str, str], str]


def trial_outcomes(listed: Iterable[PlantedTrial], heard: Mapping[str, Heard]) -> Result:
    """The trials with the verdicts on each context; left out, with reasons, if one is missing."""
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
    """The sums for the rollouts with these numbers, if an objection needs `least` votes."""
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
    """A vote without a place counts as known if the original has such a vote as well."""
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
    """For each operator, how many errors were planted and how many of them were found."""
    counts: dict[str, tuple[int, int]] = {}
    for item in listed:
        for mutant in item.mutated:
            alone = TrialOutcome(trial=item.trial, original=item.original, mutated=(mutant,))
            operator = mutant.planted.mutant.operator
            planted, found = counts.get(operator, (0, 0))
            counts[operator] = (planted + 1, found + sums(alone, chosen, least).near)
    return counts


Measure = Callable[[Sums], float | None]


def recall(found: Sums) -> float | None:
    """The share of planted errors whose own sentence gets an objection.

    If something is missing, any objection that the original does not get counts. A lower bound:
    a reader that objects to the step after the wrong one has also seen the error.
    """
    return _ratio(found.near, found.planted)


def anywhere(found: Sums) -> float | None:
    """The share of planted errors in whose result some objection is new.

    This is how the paper's inclusive judge counts. An upper bound: a reader that objects to
    something in every proof has most of them.
    """
    return _ratio(found.found, found.planted)


def precision(found: Sums) -> float | None:
    """The share of objections that are to planted errors, as counted by `recall`.

    Every mutant counts once, and every unchanged result once, so that more than half of the texts
    have an error. In a paper with fewer errors the share is smaller.
    """
    return _ratio(found.right, found.said + found.alarms)


def flagged(found: Sums) -> float | None:
    """The share of unchanged results with objections: an upper bound on false alarms."""
    return _ratio(found.flagged, found.proofs)


def alarms(found: Sums) -> float | None:
    """The average number of objections to an unchanged result; not a share."""
    return _ratio(found.alarms, found.proofs)


def balanced(found: Sums) -> float | None:
    """The harmonic mean of `recall` and the share of unchanged results without objections."""
    return _harmonic(recall(found), flagged(found))


def _harmonic(share: float | None, flagged: float | None) -> float | None:
    if share is None or flagged is None:
        return None
    quiet = 1 - flagged
    return 2 * share * quiet / (share + quiet) if share + quiet else 0.0


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {item.__name__: item for item in (recall, anywhere, precision, flagged, alarms, balanced)}
)
"""The measures by name."""

_SHARES: Mapping[str, Measure] = MappingProxyType(
    {
        "recall": lambda found: found.planted,
        "anywhere": lambda found: found.planted,
        "precision": lambda found: found.said + found.alarms,
        "flagged": lambda found: found.proofs,
    }
)
"""The denominator of each share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedRates:
    """The measures at k rollouts and `min_votes` votes; `draws` are `balanced` in each resample."""

    rollouts: int
    min_votes: int
    measures: Mapping[str, IntervalEstimate]
    draws: tuple[float, ...]


def rates(listed: Sequence[TrialOutcome], most: int, how: Sampling = USUAL) -> list[PlantedRates]:
    """The rates at each k up to `most` and each number of votes up to k.

    Each is the mean over the subsets of k rollouts. An interval covers what other results with
    other errors would have given, not other rollouts. It is no narrower than Wilson's: resampling
    draws whole results, whose errors tend to be found together; but if all of ten errors are found,
    every resample finds all, and the interval would have no width.
    """
    return [
        _rates(listed, k, votes, most, how) for k in range(1, most + 1) for votes in range(1, k + 1)
    ]


def _rates(
    listed: Sequence[TrialOutcome], k: int, votes: int, most: int, how: Sampling
) -> PlantedRates:
    chosen = [[index + 1 for index in item] for item in subsets(most, k, seed=how.seed)]
    table = [[sums(item, subset, votes) for item in listed] for subset in chosen]
    found = estimates(table, MEASURES, how)
    totals = [added(line) for line in table if line]
    for name, of in _SHARES.items():
        share, trials = found[name].value, averaged(totals, of)
        if share is not None and trials:
            found[name] = widened(found[name], *wilson(share, trials, how.confidence))
    found["balanced"] = _spanned(found)
    return PlantedRates(
        rollouts=k,
        min_votes=votes,
        measures=found,
        draws=tuple(averaged(drawn, balanced) or 0.0 for drawn in resampled(table, how)),
    )


def _spanned(found: Mapping[str, IntervalEstimate]) -> IntervalEstimate:
    """The interval of balanced F1 from both shares at their worst to both at their best: wide."""
    shares, flags, own = found["recall"], found["flagged"], found["balanced"]
    ends = (
        _harmonic(shares.low, flags.high),
        _harmonic(shares.high, flags.low),
        own.low,
        own.high,
    )
    known = [end for end in ends if end is not None]
    return IntervalEstimate(own.value, min(known, default=None), max(known, default=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The results of one contract at each k and number of votes.

    `served` are the names that the models report. `left_out` says by operator and result why a
    mutant does not count. `taken` is the usage by stage, for all `readings` (texts times rollouts).
    """

    contract: Contract
    served: tuple[str, ...]
    answered: tuple[TrialOutcome, ...]
    left_out: Mapping[tuple[str, str], str]
    rates: tuple[PlantedRates, ...]
    taken: Mapping[str, StageUse]
    readings: int

    @property
    def errors(self) -> int:
        """How many planted errors were read."""
        return sum(len(item.mutated) for item in self.answered)

    @property
    def proofs(self) -> int:
        """How many unchanged results were read."""
        return len(self.answered)

    def at(self, rollouts: int, min_votes: int) -> PlantedRates | None:
        """The rates of one setting, if they were measured."""
        for item in self.rates:
            if (item.rollouts, item.min_votes) == (rollouts, min_votes):
                return item
        return None

    def tokens(self, rollouts: int) -> float:
        """The average number of tokens for one text, input and output."""
        usage = summed(self.taken).usage
        return rollouts * (usage.input + usage.output) / max(1, self.readings)

    def dollars(self, rollouts: int, price: Price) -> float:
        """The average cost of one text in dollars."""
        return rollouts * price.of(summed(self.taken).usage) / max(1, self.readings)

    def operators(self, min_votes: int) -> dict[str, tuple[int, int]]:
        """For each operator, how many errors were planted and found, with all rollouts."""
        most = max((item.rollouts for item in self.rates), default=0)
        return by_operator(self.answered, range(1, most + 1), min_votes)


def study(
    listed: Sequence[PlantedTrial],
    asking: ActionFactory,
    store: Store,
    rollouts: int,
    how: Sampling = USUAL,
    *,
    failures: Mapping[str, str] = NO_FAILURES,
) -> Study:
    """The study of a store's replies, without any calls. `failures` are reasons by context."""
    tasks = [task for trial in listed for task in trial.tasks]
    found = heard(store, asking, tasks, rollouts, failures)
    known = {task.context: item for task, item in zip(tasks, found, strict=True)}
    result = trial_outcomes(listed, known)
    read = [item for item in found if not item.lacking]
    return Study(
        contract=asking.contract,
        served=tuple(sorted(frozenset[str]().union(*(item.served for item in found)))),
        answered=tuple(result.answered),
        left_out=result.left_out,
        rates=tuple(rates(result.answered, rollouts, how)) if result.answered else (),
        taken=sum_of_stages(item.taken for item in read),
        readings=len(read) * rollouts,
    )


RULE = (
    "The rule: balanced F1 is the harmonic mean of the share of planted errors found and the share "
    "of unchanged results left alone. Results with their errors are drawn anew 1,000 times. Of the "
    "settings that do as well as the best one, or better, in at least one draw of twenty, the "
    "cheapest is recommended; of equally cheap ones the best."
)
_RARE = 0.05
"""Events in less than this share of the resamples count as excluded."""

FEW = 20
"""With fewer planted errors than this a recommendation is hardly more than a guess."""


class MeasuredSetting(NamedTuple):
    """A way of reading, at one k and number of votes."""

    study: Study
    rates: PlantedRates

    @property
    def balanced(self) -> float:
        """The balanced F1; 0 if it is undefined."""
        return self.rates.measures["balanced"].value or 0.0

    def cost(self, price: Price | None) -> float:
        """The dollars for one text, or its tokens if the price is unknown or zero."""
        dollars = self.study.dollars(self.rates.rollouts, price) if price else 0.0
        return dollars or self.study.tokens(self.rates.rollouts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The recommended setting, and the best one, which may be the same.

    `share` is the share of resamples in which the first has no lower balanced F1 than the second.
    """

    chosen: MeasuredSetting
    best: MeasuredSetting
    share: float


def advice(studies: Sequence[Study], price: Price | None) -> Advice | None:
    """The recommended setting; None if no way of reading has read every mutant, or found any.

    Ways that left out mutants are not compared, because they were measured on other errors.
    """
    settings = [
        MeasuredSetting(study, rates)
        for study in studies
        if study.answered and not study.left_out
        for rates in study.rates
        if rates.measures["balanced"].value
    ]
    if not settings:
        return None
    best = max(settings, key=lambda item: (item.balanced, -item.cost(price)))
    enough = [item for item in settings if _share(item, best) >= _RARE]
    chosen = min(enough, key=lambda item: (item.cost(price), -item.balanced))
    return Advice(chosen=chosen, best=best, share=_share(chosen, best))


def _share(one: MeasuredSetting, other: MeasuredSetting) -> float:
    """How often, in resamples, one setting is at least as good as another."""
    pairs = list(zip(one.rates.draws, other.rates.draws, strict=True))
    return sum(a >= b for a, b in pairs) / len(pairs) if pairs else 0.0
