"""The cost of reading some modules: an upper bound, and a likely value."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from pfcore.llm.prices import Price, fitted, tokens_at_most
from pfcore.llm.protocol import TokenUsage
from pfcore.verification import calibrate, translate, verify
from pfcore.verification.contract import Judging
from pfcore.verification.prompt import COMPLAINT, ActionFactory, Part
from pfcore.verification.rollouts import is_taken_apart
from pfcore.verification.second_question import MOST_CHARACTERS
from pfcore.verification.task import ContextTask
from pfcore.verification.translate import longest
from pfcore.verification.verify import SECOND, listed_at_most

_FENCE = 200
"""The most characters around a part: two boundary lines with one of our titles."""

_PARTS = 4
"""The most parts that a stage adds to a module's: a rewriting, a list, a complaint."""

_NAME = 24
"""The number of characters of a piece's name in a list."""

_ASKED = 2
"""Calls for one value: an invalid reply is requested once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEstimate:
    """Calls, tokens and dollars; `dollars` is None if the price is unknown."""

    calls: int = 0
    input: int = 0
    output: int = 0
    dollars: float | None = 0.0

    @classmethod
    def of(cls, calls: int, usage: TokenUsage, price: Price | None) -> Self:
        """The estimate for some calls at a price."""
        dollars = None if price is None else price.of(usage)
        return cls(calls=calls, input=usage.input, output=usage.output, dollars=dollars)


def reading_at_most(
    tasks: Iterable[ContextTask], asking: ActionFactory, judging: Judging, price: Price | None
) -> CostEstimate:
    """An upper bound on the cost of reading, in tokens as counted by `most`.

    It includes all k rollouts (progressive or not), a second call after each invalid reply, another
    reading with requested material, as many rewritings and pieces as the contract allows, two
    readings of each piece, two comparisons (of each piece, or of all at once), a calibration, and
    reading and calibration again for the proof as it stands. It does not include calls without a
    reply: the budget counts those.
    """
    fixed = _fixed(asking)
    reading = [_one(task, asking, fixed) for task in tasks]
    calls = judging.rollouts * sum(count for count, _ in reading)
    tokens = judging.rollouts * sum(count for _, count in reading)
    usage = TokenUsage(input=tokens, output=calls * asking.contract.limit)
    return CostEstimate.of(calls, usage, price)


def _one(task: ContextTask, asking: ActionFactory, fixed: dict[str, int]) -> tuple[int, int]:
    """The most calls and input tokens of one rollout."""
    contract = asking.contract
    own = _size(task.parts) + _PARTS * _FENCE
    is_fine = is_taken_apart(task, contract)
    pieces = max(1, contract.pieces) if is_fine else 1
    compared = 1 if contract.compares_whole(translate.FAITHFUL) else pieces
    rewriting = longest(task) if is_fine else 0
    times = contract.rewritings
    again = 1 if is_fine and contract.attempts else 0
    asks = 2 if contract.may_ask else 1
    supplied = MOST_CHARACTERS + _FENCE if contract.may_ask else 0
    calls = {
        translate.TRANSLATE: times if is_fine else 0,
        translate.FAITHFUL: _ASKED * compared * times if is_fine and contract.attempts else 0,
        verify.STAGE: _ASKED * asks * (pieces + again),
        calibrate.STAGE: _ASKED * (1 + again),
    }
    carried = {
        translate.TRANSLATE: rewriting + COMPLAINT,
        translate.FAITHFUL: rewriting + SECOND,
        verify.STAGE: rewriting + SECOND + supplied,
        calibrate.STAGE: listed_at_most(verify.MOST * pieces)
        + pieces * (_NAME + supplied)
        + SECOND,
    }
    tokens = sum(
        count * tokens_at_most(fixed[stage] + own + carried[stage])
        for stage, count in calls.items()
    )
    return sum(calls.values()), tokens


def is_too_long(task: ContextTask, asking: ActionFactory, window: int | None) -> bool:
    """Whether the first request about a module does not fit a window of this many tokens."""
    if window is None:
        return False
    is_fine = is_taken_apart(task, asking.contract)
    stage = translate.TRANSLATE if is_fine else verify.STAGE
    return fitted(asking.action(stage, task.parts, rollout=1).request, window) is None


def _fixed(asking: ActionFactory) -> dict[str, int]:
    """The number of characters of each stage's instructions."""
    stages = (translate.TRANSLATE, translate.FAITHFUL, verify.STAGE, calibrate.STAGE)
    return {
        stage: len(asking.action(stage, (), rollout=1).request.instructions) for stage in stages
    }


def _size(parts: Sequence[Part]) -> int:
    return sum(len(title) * 3 + len(text) + _FENCE for title, text in parts)


OUTPUT = {
    translate.TRANSLATE: 8_550,
    translate.FAITHFUL: 372,
    verify.STAGE: 1_000,
    calibrate.STAGE: 4_138,
}
"""Output tokens per call of each stage, thinking included: the paper's table of stage costs
(200 competition proofs, 8 rollouts, GPT-5.4 mini)."""

_PIECES = 10
"""The average number of pieces of a rewriting in that table (9.9 readings for each rewriting)."""

USUAL = 3.5
"""Characters per token of LaTeX; a guess."""


def likely_reading(
    tasks: Iterable[ContextTask], asking: ActionFactory, judging: Judging, price: Price | None
) -> CostEstimate:
    """The cost of reading if every call were an average call of the paper's benchmark runs.

    This is an expectation and not a measurement: the benchmark had other proofs and another model.
    It assumes one rewriting with ten pieces for a module that is taken apart, no repeated requests,
    a calibration in every rollout as in the paper, and no discount for cached input; if
    `progressive`, that no rollout objects.
    """
    fixed = _fixed(asking)
    rollouts = judging.rollouts
    if judging.progressive:
        rollouts = max(1, rollouts - judging.blocking_votes + 1)
    calls = into = out = 0
    for task in tasks:
        is_fine = is_taken_apart(task, asking.contract)
        pieces = min(_PIECES, asking.contract.pieces) if is_fine else 1
        counts = {verify.STAGE: pieces, calibrate.STAGE: 1}
        if is_fine:
            counts[translate.TRANSLATE] = 1
            compared = 1 if asking.contract.compares_whole(translate.FAITHFUL) else pieces
            counts[translate.FAITHFUL] = compared if asking.contract.attempts else 0
        for stage, count in counts.items():
            calls += count
            into += count * math.ceil((fixed[stage] + _size(task.parts)) / USUAL)
            out += count * min(OUTPUT[stage], asking.contract.limit)
    usage = TokenUsage(input=rollouts * into, output=rollouts * out)
    return CostEstimate.of(rollouts * calls, usage, price)


def seconds(estimate: CostEstimate, tokens_per_second: float, in_flight: int) -> float:
    """The seconds that a free model needs to write its replies.

    Each call in flight writes `tokens_per_second`; reading the input is not counted.
    """
    together = max(1, min(in_flight, estimate.calls))
    return estimate.output / (tokens_per_second * together)
