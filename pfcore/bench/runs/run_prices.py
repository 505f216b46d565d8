"""The cost of benchmark readings: an upper bound, and a likely value."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pfcore.bench.runs import location_judges, solution_steps
from pfcore.bench.runs.benchmark_run import (
    ANEW,
    PLACES,
    GradedProofItem,
    Item,
    PaperItem,
    ProofItem,
)
from pfcore.bench.runs.location_judges import Question
from pfcore.bench.runs.saved_run import Benchmark, Method
from pfcore.bench.runs.solution_steps import FAITHFUL, TRANSLATE, longest, original
from pfcore.llm.prices import Price, most, tokens_at_most
from pfcore.llm.protocol import TokenUsage
from pfcore.review import pdf_review
from pfcore.verification import calibrate, verify, whole_paper
from pfcore.verification.estimate import OUTPUT, USUAL, CostEstimate
from pfcore.verification.prompt import COMPLAINT
from pfcore.verification.second_question import MOST_CHARACTERS
from pfcore.verification.verify import SECOND, listed_at_most
from pfcore.verification.whole_paper import INCLUSIVE, seeing

_ASKED = 2
"""Calls for one value: an invalid reply is requested once more."""
_FENCES = 1_500
"""Characters around the texts of one request: boundary lines, titles, names of pieces."""
_NAME = 24
"""Characters of a piece's name in a list."""
_NOTE = 200
"""Characters of the sentence that names unfaithful pieces, without their names."""

_AVERAGE: Mapping[tuple[Benchmark, Method], TokenUsage] = {
    (Benchmark.HARD2VERIFY, Method.DIRECT): TokenUsage(input=2_600, output=3_900),
    (Benchmark.HARD2VERIFY, Method.PF): TokenUsage(input=64_000, output=26_000),
    (Benchmark.ARXIV, Method.DIRECT): TokenUsage(input=60_000, output=16_000),
    (Benchmark.ARXIV, Method.PF): TokenUsage(input=213_000, output=96_000),
}
"""Tokens of one rollout: the paper's table of token usage (GPT-5.4 mini)."""

_JUDGED = TokenUsage(input=3 * 60_700, output=3 * 600)
"""Tokens of judging one rollout, a guess, since the paper does not say: three places that are new
in this rollout, and the PDF with one of the two questions about each."""


@dataclass(frozen=True, slots=True)
class PriceBound:
    """Calls and tokens."""

    calls: int = 0
    usage: TokenUsage = TokenUsage()  # noqa: RUF009 - immutable

    def __add__(self, other: "PriceBound") -> "PriceBound":
        return PriceBound(self.calls + other.calls, self.usage + other.usage)

    def times(self, count: int) -> "PriceBound":
        """The same `count` times."""
        usage = self.usage
        return PriceBound(
            count * self.calls, TokenUsage(input=count * usage.input, output=count * usage.output)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The prices of the reading model and of the judge; None: unknown."""

    reader: Price | None
    judge: Price | None = None


def benchmark_at_most(items: Iterable[Item], prices: Prices) -> CostEstimate:
    """An upper bound on one reading of each item, in tokens as counted by `most`.

    It includes every rewriting that the contract allows, with as many pieces of maximal length as
    it allows, two comparisons and two verifications of each piece, two calibrations, and as many
    places as can be judged, by two judges with two calls each; and all of this as often as an
    invalid result is repeated. It does not include calls without a reply: the budget counts those.
    """
    read = judged = PriceBound()
    for item in items:
        one, other = reading_bounds(item)
        read, judged = read + one, judged + other
    return _estimate(read, judged, prices)


def likely_benchmark(items: Iterable[Item], prices: Prices) -> CostEstimate:
    """The cost of one average reading of each item; the number of calls is unknown."""
    read = judged = PriceBound()
    for item in items:
        if isinstance(item, PaperItem):
            read += PriceBound(0, _AVERAGE[Benchmark.ARXIV, item.method])
            judged += PriceBound(0, _JUDGED)
        elif isinstance(item, ProofItem):
            read += PriceBound(0, _AVERAGE[Benchmark.HARD2VERIFY, item.method])
        elif isinstance(item, GradedProofItem):
            read += _likely_proof(item)
    return _estimate(read, judged, prices)


def reading_bounds(item: Item) -> tuple[PriceBound, PriceBound]:
    """The most that one reading costs, and the most that judging it costs."""
    if isinstance(item, PaperItem):
        return _paper(item).times(ANEW + 1), _judging(item).times(ANEW + 1)
    if isinstance(item, ProofItem):
        return _proof(item).times(ANEW + 1), PriceBound()
    if isinstance(item, GradedProofItem):
        return _graded_proof(item).times(ANEW + 1), PriceBound()
    raise TypeError(f"nobody knows what {type(item).__name__} takes")


def _proof(item: ProofItem) -> PriceBound:
    parts = item.solution.parts
    if item.method is Method.DIRECT:
        return _directly(item)
    contract = item.roomy.contract
    whole, made = longest(item.solution), original(item.solution)
    pieces, times = contract.pieces, contract.rewritings
    objections = verify.MOST * pieces
    named = _NAME * (objections + pieces) + _NOTE
    stages = (
        (TRANSLATE, made.parts, whole + COMPLAINT, times),
        (FAITHFUL, made.shown, whole + SECOND, _ASKED * pieces * times if contract.attempts else 0),
        (verify.STAGE, (), whole + SECOND, _ASKED * pieces),
        (
            solution_steps.STAGE,
            parts,
            whole + listed_at_most(objections) + named + SECOND,
            _ASKED,
        ),
    )
    total = PriceBound()
    for stage, known, carried, count in stages:
        bare = most(item.roomy.action(stage, known, rollout=1).request)
        total += _bound(bare, carried).times(count)
    return total


def _directly(item: ProofItem | GradedProofItem) -> PriceBound:
    action = item.asking.action(solution_steps.DIRECT, item.solution.parts, rollout=1)
    return _bound(most(action.request), SECOND).times(_ASKED)


def _graded_proof(item: GradedProofItem) -> PriceBound:
    if item.method is Method.DIRECT:
        return _directly(item)
    task, contract = item.task, item.asking.contract
    times = 2 if contract.may_ask else 1
    told = MOST_CHARACTERS if contract.may_ask else 0
    found = PriceBound()
    for stage, carried, count in (
        (verify.STAGE, told + SECOND, times * _ASKED),
        (calibrate.STAGE, told + listed_at_most(verify.MOST) + SECOND, _ASKED),
    ):
        bare = most(item.asking.action(stage, task.parts, rollout=1).request)
        found += _bound(bare, carried).times(count)
    return found


def _likely_proof(item: GradedProofItem) -> PriceBound:
    """A verification and a calibration of average length; directly, the paper's average."""
    if item.method is Method.DIRECT:
        return PriceBound(0, _AVERAGE[Benchmark.HARD2VERIFY, item.method])
    found = PriceBound()
    for stage in (verify.STAGE, calibrate.STAGE):
        request = item.asking.action(stage, item.task.parts, rollout=1).request
        into = math.ceil((len(request.instructions) + len(request.text)) / USUAL)
        out = min(OUTPUT[stage], item.asking.contract.limit)
        found += PriceBound(1, TokenUsage(input=into, output=out))
    return found


def _paper(item: PaperItem) -> PriceBound:
    if item.method is Method.DIRECT:
        bare = most(
            seeing(item.asking.action(whole_paper.DIRECT_PAPER, (), rollout=1), item.pdf).request
        )
        return _bound(bare, SECOND).times(_ASKED)
    found = pdf_review.pdf_reading_at_most(item.asking, item.pdf, 1, None)
    return PriceBound(found.calls, TokenUsage(input=found.input, output=found.output))


def _judging(item: PaperItem) -> PriceBound:
    question = Question(
        title=item.row.title, known=item.truth.places, location="x" * 200, words="x" * 2_000
    )
    total = PriceBound()
    for stage in (INCLUSIVE, location_judges.STRICT):
        action = seeing(item.judge.action(stage, question.parts, rollout=1), item.pdf)
        total += _bound(most(action.request), SECOND).times(_ASKED * PLACES)
    return total


def _bound(bare: TokenUsage, carried: int) -> PriceBound:
    """One call with `carried` more characters than were counted."""
    more = tokens_at_most(carried + _FENCES)
    return PriceBound(1, TokenUsage(input=bare.input + more, output=bare.output))


def _estimate(read: PriceBound, judged: PriceBound, prices: Prices) -> CostEstimate:
    usage = read.usage + judged.usage
    is_known = prices.reader is not None and (prices.judge is not None or not judged.usage.input)
    dollars = 0.0
    if prices.reader is not None and is_known:
        dollars = prices.reader.of(read.usage)
        dollars += prices.judge.of(judged.usage) if prices.judge is not None else 0.0
    return CostEstimate(
        calls=read.calls + judged.calls,
        input=usage.input,
        output=usage.output,
        dollars=dollars if is_known else None,
    )
