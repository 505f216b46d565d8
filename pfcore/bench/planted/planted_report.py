"""What `pf bench mutate` shows: planted errors, settings and stages as tables, and the advice."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pfcore.bench.planted.advice import FEW, RULE, Advice, MeasuredSetting
from pfcore.bench.planted.hearing import StageUse, summed
from pfcore.bench.planted.planting import Mutant
from pfcore.bench.planted.rates import PlantedRates
from pfcore.bench.planted.study import Study
from pfcore.bench.scoring.scaling import IntervalEstimate
from pfcore.bench.terminal_table import Cell, table_lines
from pfcore.llm.costs import Price
from pfcore.reporters.printing import plural, safe, shortened
from pfcore.reporters.style import Style

_MEANING = (
    "found: objections to the sentence with the error, or to anything new where something is "
    "missing; anywhere: to anything new in the result; flagged: results as the authors wrote them "
    "that were objected to, an upper bound of false alarms, since authors err, too; right: "
    "objections that were to planted errors. In brackets 95 % intervals: what other results of "
    "such a paper would have given. k readings out of more are averaged over all choices. Nobody "
    "has looked at the planted errors: where one is harmless, nothing can be found."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One operator: how many places it finds, in how many results, and what was planted.

    `seen` are those that checks without a model see.
    """

    name: str
    places: int
    results: int
    planted: Sequence[Mutant]
    seen: Sequence[Mutant]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One run: `proofs` is how many the paper has; `model` the name that the user gave."""

    paper: str
    proofs: int
    seed: int
    day: str
    operators: Sequence[Operator]
    model: str = ""
    simulated: bool = False
    price: Price | None = None
    studies: Sequence[Study] = ()
    advice: Advice | None = None

    @property
    def planted(self) -> int:
        """How many errors were planted."""
        return sum(len(item.planted) for item in self.operators)

    @property
    def apart(self) -> list[Study]:
        """The studies without those that asked the same as one before."""
        found: list[Study] = []
        for study in self.studies:
            if not any(_is_alike(study, other) for other in found):
                found.append(study)
        return found

    @property
    def served(self) -> tuple[str, ...]:
        """What the model calls itself."""
        return tuple(sorted({name for study in self.studies for name in study.served}))


def _is_alike(one: Study, other: Study) -> bool:
    """Whether two contracts that differ in granularity alone took all proofs the same way."""
    contract = replace(one.contract, granularity=other.contract.granularity)
    return contract == other.contract and one.taken == other.taken and one.rates == other.rates


def planted_text(shown: Shown, style: Style) -> str:
    """For people."""
    return style.finish(_text(shown, style))


def _text(shown: Shown, style: Style) -> Iterator[str]:
    errors = plural(shown.planted, "planted error")
    yield f"{style.paint(safe(shown.paper), 'bold')}  {errors}, drawn by the seed {shown.seed}"
    yield ""
    yield from _operators(shown)
    seen = sum(len(item.seen) for item in shown.operators)
    yield f"Checks without a model see {seen:,} of {shown.planted:,}."
    yield ""
    if not shown.studies:
        yield "No model was asked: name one with --model to measure how it reads this paper."
        return
    yield from _about(shown)
    yield ""
    yield from _settings(shown)
    yield ""
    yield from _wrapped(_MEANING, style)
    yield ""
    yield from _stages(shown)
    yield ""
    yield from _left_out(shown)
    yield from _advised(shown, style)


def _operators(shown: Shown) -> Iterator[str]:
    found = _found(shown)
    heads = ("planted error", "places", "results", "planted", "seen by checks")
    rows: list[list[Cell]] = []
    for item in shown.operators:
        counts = [item.places, item.results, len(item.planted), len(item.seen)]
        rows.append([item.name, *counts, *(_of(each.get(item.name)) for _, each in found)])
    yield from table_lines((*heads, *(f"found, {name}" for name, _ in found)), rows)


def _found(shown: Shown) -> list[tuple[str, Mapping[str, tuple[int, int]]]]:
    """For each way of reading what all rollouts find, by operator."""
    return [(_way(shown, study), study.operators(1)) for study in shown.apart if study.answered]


def _of(pair: tuple[int, int] | None) -> str:
    return "–" if pair is None else f"{pair[1]} of {pair[0]}"


def _way(shown: Shown, study: Study) -> str:
    """A way of reading, by what tells it from the others."""
    contract = study.contract
    levels = {item.contract.strictness for item in shown.studies}
    level = f" {shortened(safe(contract.strictness), 24)}" if len(levels) > 1 else ""
    return f"{contract.granularity.value}{level}"


def _about(shown: Shown) -> Iterator[str]:
    served = ", ".join(map(safe, shown.served)) or "nothing: there is no reply"
    if shown.simulated:
        yield f"Simulated: no model was asked. {shown.day}."
    else:
        yield f"Model: {safe(shown.model)}, which calls itself {served}. {shown.day}."
    for study in shown.studies:
        same = next(other for other in shown.apart if other is study or _is_alike(study, other))
        like = "" if same is study else f"; it asks the same as {_way(shown, same)} here"
        yield (
            f"  {_way(shown, study)}: contract {study.contract.digest()[:8]}, "
            f"{plural(study.errors, 'error')} in {plural(study.proofs, 'result')}{like}"
        )


def _settings(shown: Shown) -> Iterator[str]:
    heads = ["reading", "k", "votes", "found", "anywhere", "flagged", "right", "F1"]
    cost = "$ for all" if shown.price else "tokens for all"
    rows = [_setting(shown, study, rates) for study in shown.apart for rates in study.rates]
    yield from table_lines([*heads, cost], rows)


def _setting(shown: Shown, study: Study, rates: PlantedRates) -> list[Cell]:
    names = ("recall", "anywhere", "flagged", "precision")
    return [
        _way(shown, study),
        rates.rollouts,
        rates.min_votes,
        *(_share(rates.measures[name]) for name in names),
        _number(rates.measures["balanced"]),
        cost(shown, study, rates),
    ]


def cost(shown: Shown, study: Study, rates: PlantedRates) -> str:
    """What it takes to read all proofs of the paper, if they are like those that were read."""
    if shown.price is None:
        return f"{shown.proofs * study.tokens(rates.rollouts):,.0f}"
    return f"{shown.proofs * study.dollars(rates.rollouts, shown.price):,.2f}"


def _share(item: IntervalEstimate) -> str:
    if item.value is None:
        return "–"
    if item.low is None or item.high is None:
        return f"{100 * item.value:.0f} %"
    return f"{100 * item.value:.0f} % ({100 * item.low:.0f}–{100 * item.high:.0f})"


def _number(item: IntervalEstimate) -> str:
    if item.value is None:
        return "–"
    return f"{item.value:.2f} ({item.low or 0:.2f}–{item.high or 0:.2f})"


def _stages(shown: Shown) -> Iterator[str]:
    heads = ["replies", "stage", "calls", "input", "cached", "output"]
    rows: list[list[Cell]] = []
    for study in shown.apart:
        name = _way(shown, study)
        for stage, taken in (*study.taken.items(), ("all", summed(study.taken))):
            rows.append([name, stage, *_taken(shown, taken)])
    yield from table_lines([*heads, "$"] if shown.price else heads, rows)


def _taken(shown: Shown, taken: StageUse) -> list[Cell]:
    usage = taken.usage
    found: list[Cell] = [taken.calls, usage.input, usage.cached, usage.output]
    return [*found, shown.price.of(usage)] if shown.price else found


def _left_out(shown: Shown) -> Iterator[str]:
    for study in shown.studies:
        reasons = dict.fromkeys(study.left_out.values())
        if reasons:
            errors = plural(len(study.left_out), "error")
            first = safe(next(iter(reasons)))
            yield f"{_way(shown, study)}: {errors} not counted, for want of a verdict ({first})."
    if any(study.left_out for study in shown.studies):
        yield "Run it again: what has its replies is not asked again."
        yield ""


def _advised(shown: Shown, style: Style) -> Iterator[str]:
    advice = shown.advice
    if advice is None:
        yield "Nothing is recommended: no setting has read every error and found any."
        return
    simulated = " (simulated: this says nothing of a model)" if shown.simulated else ""
    yield from _wrapped(f"Recommended{simulated}: {_words(shown, advice.chosen)}.", style)
    if advice.best != advice.chosen:
        yield from _wrapped(f"The best F1 has {_words(shown, advice.best)}.", style)
        yield f"The cheaper one does as well in {100 * advice.share:.0f} % of the draws."
    if advice.chosen.study.errors < FEW:
        errors = plural(advice.chosen.study.errors, "error")
        yield f"{errors} are too few to tell settings apart: take it for a hint."
    yield from _wrapped(RULE, style)
    yield ""
    yield "    [reading]"
    for line in settings(advice):
        yield f"    {line}"


def settings(advice: Advice) -> list[str]:
    """The recommendation as lines of pf.toml."""
    contract, rates = advice.chosen.study.contract, advice.chosen.rates
    return [
        f'granularity = "{contract.granularity.value}"',
        f"strictness = {_toml(contract.strictness)}",
        f"rollouts = {rates.rollouts}",
        f"min_votes = {rates.min_votes}",
    ]


def _toml(words: str) -> str:
    return '"' + safe(words).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _words(shown: Shown, setting: MeasuredSetting) -> str:
    rates, study = setting.rates, setting.study
    money = "$" if shown.price else ""
    unit = "" if shown.price else " tokens"
    return (
        f"{_way(shown, study)}, {plural(rates.rollouts, 'reading')}, "
        f"{plural(rates.min_votes, 'vote')}: F1 {_number(rates.measures['balanced'])}, finds "
        f"{_share(rates.measures['recall'])}, flags {_share(rates.measures['flagged'])} of "
        f"unchanged results, {money}{cost(shown, study, rates)}{unit} for "
        f"{plural(shown.proofs, 'proof')}"
    )


def _wrapped(words: str, style: Style) -> Iterator[str]:
    yield from textwrap.wrap(words, style.width)
