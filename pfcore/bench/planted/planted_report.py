"""The output of `pf bench mutate`: tables of planted errors, settings and stages, and the advice.

A run is also turned into lines of a ledger, and into JSON for programs.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pfcore.bench.planted.outcomes import FEW, RULE, Advice, MeasuredSetting, PlantedRates, Study
from pfcore.bench.planted.planting import Mutant, StageUse, summed
from pfcore.bench.scoring.scaling import IntervalEstimate
from pfcore.bench.terminal_table import Cell, table_lines
from pfcore.ledger.ledger import Fields
from pfcore.ledger.measurement import MeasuredContract, MeasuredRate, Share
from pfcore.llm.prices import Price
from pfcore.reporters.formats.json_report import SCHEMA, dumps
from pfcore.reporters.printing import Style, plural, safe, shortened

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
    """One operator: its places, in how many results, and the planted mutants.

    `seen` are those that checks without a model find.
    """

    name: str
    places: int
    results: int
    planted: Sequence[Mutant]
    seen: Sequence[Mutant]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One run: `proofs` is the paper's number of proofs; `model` the name given by the user."""

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
        """The studies, without those that made the same requests as an earlier one."""
        found: list[Study] = []
        for study in self.studies:
            if not any(_is_alike(study, other) for other in found):
                found.append(study)
        return found

    @property
    def served(self) -> tuple[str, ...]:
        """The names that the models report."""
        return tuple(sorted({name for study in self.studies for name in study.served}))


def _is_alike(one: Study, other: Study) -> bool:
    """Whether contracts that differ only in granularity treated all proofs the same way."""
    contract = replace(one.contract, granularity=other.contract.granularity)
    return contract == other.contract and one.taken == other.taken and one.rates == other.rates


def planted_text(shown: Shown, style: Style) -> str:
    """The report for people."""
    return style.finish(_text(shown, style))


def _text(shown: Shown, style: Style) -> Iterator[str]:
    errors = plural(shown.planted, "planted error")
    yield f"{style.paint(safe(shown.paper), 'bold')}  {errors}, drawn with seed {shown.seed}"
    yield ""
    yield from _operators(shown)
    seen = sum(len(item.seen) for item in shown.operators)
    yield f"Checks without a model see {seen:,} of {shown.planted:,}."
    yield ""
    if not shown.studies:
        yield "No model was used: add --model NAME to measure how it reads this paper."
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
    """For each way of reading, what all rollouts find, by operator."""
    return [(_way(shown, study), study.operators(1)) for study in shown.apart if study.answered]


def _of(pair: tuple[int, int] | None) -> str:
    return "–" if pair is None else f"{pair[1]} of {pair[0]}"


def _way(shown: Shown, study: Study) -> str:
    """The name of a way of reading that distinguishes it from the others."""
    contract = study.contract
    levels = {item.contract.strictness for item in shown.studies}
    level = f" {shortened(safe(contract.strictness), 24)}" if len(levels) > 1 else ""
    return f"{contract.granularity.value}{level}"


def _about(shown: Shown) -> Iterator[str]:
    served = ", ".join(map(safe, shown.served)) or "nothing: there is no reply"
    if shown.simulated:
        yield f"Simulated: no model was used. {shown.day}."
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
    """The cost of reading all proofs of the paper, if they are like those that were read."""
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


def measured(shown: Shown) -> list[MeasuredContract]:
    """The measurements of the contracts, as a ledger stores them.

    Studies that left out errors are excluded: errors that could not be read may be the hard ones.
    """
    return [
        MeasuredContract(
            contract=study.contract.digest(),
            paper=shown.paper,
            model=", ".join(study.served),
            day=shown.day,
            simulated=shown.simulated,
            errors=study.errors,
            proofs=study.proofs,
            rates=tuple(_rate(rates) for rates in study.rates),
        )
        for study in _whole(shown)
    ]


def contracts(shown: Shown) -> dict[str, Fields]:
    """The contracts of these measurements, by digest."""
    listed = (study.contract for study in _whole(shown))
    return {contract.digest(): contract.fields() for contract in listed}


def _whole(shown: Shown) -> list[Study]:
    return [study for study in shown.studies if study.answered and not study.left_out]


def planted_json(shown: Shown) -> str:
    """The report of `pf bench mutate --format json`."""
    return dumps(
        {
            "schema": SCHEMA,
            "paper": shown.paper,
            "date": shown.day,
            "model": shown.model or None,
            "served": list(shown.served),
            "simulated": shown.simulated,
            "seed": shown.seed,
            "proofs": shown.proofs,
            "planted": [
                {**_mutant(mutant), "seen": mutant in item.seen}
                for item in shown.operators
                for mutant in item.planted
            ],
            "studies": [_study(shown, study) for study in shown.studies],
            "recommended": _advice(shown.advice) if shown.advice else None,
        }
    )


def _rate(rates: PlantedRates) -> MeasuredRate:
    found = rates.measures
    recall, flagged = _share_json(found["recall"]), _share_json(found["flagged"])
    if recall is None or flagged is None:
        raise ValueError("what was read has a recall")
    return MeasuredRate(
        rollouts=rates.rollouts,
        min_votes=rates.min_votes,
        recall=recall,
        flagged=flagged,
        precision=_share_json(found["precision"]),
    )


def _share_json(item: IntervalEstimate) -> Share | None:
    if item.value is None:
        return None
    low = item.value if item.low is None else item.low
    high = item.value if item.high is None else item.high
    return Share(*(round(1000 * number) for number in (item.value, low, high)))


def _mutant(mutant: Mutant) -> dict[str, Any]:
    return {
        "operator": mutant.operator,
        "module": mutant.module,
        "part": mutant.part.value,
        "file": mutant.path,
        "line": mutant.line,
        "old": mutant.old,
        "new": mutant.new,
    }


def _study(shown: Shown, study: Study) -> dict[str, Any]:
    return {
        "contract": study.contract.digest(),
        "fields": study.contract.fields(),
        "served": list(study.served),
        "errors": study.errors,
        "proofs": study.proofs,
        "left_out": [
            {"operator": operator, "module": module, "reason": reason}
            for (operator, module), reason in study.left_out.items()
        ],
        "settings": [_setting_json(shown, study, rates) for rates in study.rates],
        "operators": {
            name: {"planted": planted, "found": found}
            for name, (planted, found) in study.operators(1).items()
        },
        "stages": {
            stage: {
                "calls": taken.calls,
                "input_tokens": taken.usage.input,
                "cached_tokens": taken.usage.cached,
                "output_tokens": taken.usage.output,
                "cost_usd": round(shown.price.of(taken.usage), 6) if shown.price else None,
            }
            for stage, taken in study.taken.items()
        },
    }


def _setting_json(shown: Shown, study: Study, rates: PlantedRates) -> Mapping[str, Any]:
    dollars = study.dollars(rates.rollouts, shown.price) if shown.price else None
    return {
        "rollouts": rates.rollouts,
        "min_votes": rates.min_votes,
        **{name: list(item) for name, item in rates.measures.items()},
        "tokens_per_proof": round(study.tokens(rates.rollouts)),
        "cost_usd_per_proof": None if dollars is None else round(dollars, 6),
    }


def _advice(found: Advice) -> dict[str, Any]:
    return {
        "contract": found.chosen.study.contract.digest(),
        "rollouts": found.chosen.rates.rollouts,
        "min_votes": found.chosen.rates.min_votes,
        "settings": settings(found),
        "best_in_resamples": round(found.share, 4),
    }
