"""A run of `pf bench mutate` as lines of a ledger, and as JSON for programs."""

from collections.abc import Mapping
from typing import Any

from pfcore.bench.planted.advice import Advice
from pfcore.bench.planted.planted_report import Shown, settings
from pfcore.bench.planted.planting import Mutant
from pfcore.bench.planted.rates import PlantedRates
from pfcore.bench.planted.study import Study
from pfcore.bench.scoring.scaling import IntervalEstimate
from pfcore.ledger.ledger import Fields
from pfcore.ledger.measurement import MeasuredContract, MeasuredRate, Share
from pfcore.reporters.formats.json_report import SCHEMA, dumps


def measured(shown: Shown) -> list[MeasuredContract]:
    """What each contract was measured to find, as a ledger keeps it beside the contract.

    Those that left errors out are not kept: what cannot be read may be what is hard to find.
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
    """The contracts of these, by their digests."""
    listed = (study.contract for study in _whole(shown))
    return {contract.digest(): contract.fields() for contract in listed}


def _whole(shown: Shown) -> list[Study]:
    return [study for study in shown.studies if study.answered and not study.left_out]


def planted_json(shown: Shown) -> str:
    """`pf bench mutate --format json`."""
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
