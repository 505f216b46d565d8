"""Which of the settings that were measured to read a paper with, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.bench.planted.rates import PlantedRates
from pfcore.bench.planted.study import Study
from pfcore.llm.costs import Price

RULE = (
    "The rule: balanced F1 is the harmonic mean of the share of planted errors found and the share "
    "of unchanged results left alone. Results with their errors are drawn anew 1,000 times. Of the "
    "settings that do as well as the best one, or better, in at least one draw of twenty, the "
    "cheapest is recommended; of equally cheap ones the best."
)
_RARE = 0.05
"""What happens less often than in this share of the resamples counts as settled."""

FEW = 20
"""With fewer planted errors than this a recommendation is hardly more than a guess."""


class MeasuredSetting(NamedTuple):
    """A way of reading, at one k and number of votes."""

    study: Study
    rates: PlantedRates

    @property
    def balanced(self) -> float:
        """The balanced F1; 0 where it is not defined."""
        return self.rates.measures["balanced"].value or 0.0

    def cost(self, price: Price | None) -> float:
        """Dollars of a text, or its tokens where no price is known or nothing is charged."""
        dollars = self.study.dollars(self.rates.rollouts, price) if price else 0.0
        return dollars or self.study.tokens(self.rates.rollouts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The recommended setting, and the best one, which may be the same.

    `share` is in what share of the resamples the first has no lower balanced F1 than the second.
    """

    chosen: MeasuredSetting
    best: MeasuredSetting
    share: float


def advice(studies: Sequence[Study], price: Price | None) -> Advice | None:
    """The recommended setting; None where no way of reading has read every mutant, or found any.

    Ways that left mutants out are not compared: they were measured on other errors.
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
    """How often the same results, drawn anew, put one setting no lower than another."""
    pairs = list(zip(one.rates.draws, other.rates.draws, strict=True))
    return sum(a >= b for a, b in pairs) / len(pairs) if pairs else 0.0
