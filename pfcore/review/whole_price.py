"""What reading a paper from its PDF takes: at most, and likely."""

from pfcore.llm.costs import Price, most, tokens_at_most
from pfcore.llm.protocol import Document, TokenUsage
from pfcore.verification import paper_calibration, stages_verify
from pfcore.verification.estimate import CostEstimate
from pfcore.verification.prompt import COMPLAINT, ActionFactory
from pfcore.verification.verify import SECOND, listed_at_most
from pfcore.verification.whole_paper import FAITHFUL, LABEL, LONGEST, TRANSLATE, seeing

_ASKED = 2
"""Calls for one value: a reply that does not count is asked for once more."""
_FENCES = 1_500
"""Characters around the texts of one request: boundary lines, titles, names of pieces."""
_NAME = LABEL + 48
"""Characters at most that name a piece in a list or before an objection."""

_AVERAGE = TokenUsage(input=213_000, output=96_000)
"""Tokens of one reading: the paper's cost table (35 arXiv papers, 8 rollouts, GPT-5.4 mini)."""


def pdf_reading_at_most(
    asking: ActionFactory, pdf: Document, rollouts: int, price: Price | None
) -> CostEstimate:
    """An upper bound of some readings, in tokens as `most` counts them.

    Counted are every rewriting that the contract allows, with as many pieces as it allows, as long
    as it may be, each piece compared twice and verified twice, and a calibration asked for twice.
    Not counted are calls that gave no reply: the budget counts those.
    """
    contract = asking.contract
    pieces, times = contract.pieces, contract.rewritings
    calls = {
        TRANSLATE: times,
        FAITHFUL: _ASKED * pieces * times if contract.attempts else 0,
        stages_verify.STAGE: _ASKED * pieces,
        paper_calibration.CALIBRATE_PAPER: _ASKED,
    }
    objections = stages_verify.MOST * pieces
    carried = {
        TRANSLATE: LONGEST + COMPLAINT,
        FAITHFUL: LONGEST + SECOND,
        stages_verify.STAGE: LONGEST + SECOND,
        paper_calibration.CALIBRATE_PAPER: listed_at_most(objections)
        + _NAME * (objections + 2 * pieces)
        + SECOND,
    }
    usage = TokenUsage()
    for stage, count in calls.items():
        bare = most(seeing(asking.action(stage, (), rollout=1), pdf).request)
        into = bare.input + tokens_at_most(carried[stage] + _FENCES)
        usage += TokenUsage(input=rollouts * count * into, output=rollouts * count * bare.output)
    return _estimate(rollouts * sum(calls.values()), usage, price)


def likely_pdf_reading(rollouts: int, price: Price | None) -> CostEstimate:
    """What some readings would take if the paper were an average one; its calls are not known."""
    usage = TokenUsage(input=rollouts * _AVERAGE.input, output=rollouts * _AVERAGE.output)
    return _estimate(0, usage, price)


def _estimate(calls: int, usage: TokenUsage, price: Price | None) -> CostEstimate:
    dollars = None if price is None else price.of(usage)
    return CostEstimate(calls=calls, input=usage.input, output=usage.output, dollars=dollars)
