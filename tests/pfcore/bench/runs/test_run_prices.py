"""What readings of a benchmark take at most, and about."""

import asyncio
from dataclasses import dataclass, field, replace
from itertools import product

import pytest

from pfcore.bench.runs.benchmark_run import jobs, read_items
from pfcore.bench.runs.run_prices import Prices, benchmark_at_most, likely_benchmark, reading_bounds
from pfcore.bench.runs.saved_run import Benchmark, Method, Rollout, RunAccount, Truth
from pfcore.bench.runs.simulated_reader import SimulatedRates
from pfcore.llm.prices import Price
from pfcore.llm.protocol import TokenUsage
from pfcore.testing import MemoryStore
from pfcore.verification.verify import Run

PRICE = Price(input=0.75, cached=0.075, output=4.5)
ALL = list(product(Benchmark, Method))
BAD = SimulatedRates(
    block_found=1, block_false=1, kept=1, let_pass=1, direct_found=1, direct_false=1, unfaithful=1
)


@pytest.mark.parametrize("rates", [BAD, replace(BAD, malformed=0.4), SimulatedRates(malformed=1)])
@pytest.mark.parametrize(("benchmark", "method"), ALL)
def test_no_reading_takes_more_than_the_bound(items, drawn_desk, benchmark, method, rates) -> None:
    for item in items(benchmark, method, 2):
        made = drawn_desk(rates=rates, store=MemoryStore())
        asyncio.run(
            read_items(
                jobs([item], 1),
                made.engine.run,
                RunAccount(price=None),
                at_once=1,
                fresh=made.ran,
                observe=lambda rollout: None,
            )
        )
        usage = sum((event.usage for event in made.log), TokenUsage())
        bound = benchmark_at_most([item], Prices(reader=PRICE, judge=PRICE))
        assert len(made.ran) <= bound.calls
        assert usage.input <= bound.input
        assert usage.output <= bound.output
        assert bound.dollars is not None
        assert PRICE.of(usage) <= bound.dollars


def test_a_direct_question_is_two_calls_at_most_each_time_it_is_asked(
    items,
) -> None:
    (item,) = items(Benchmark.HARD2VERIFY, Method.DIRECT, 1)
    read_, judged = reading_bounds(item)
    assert (read_.calls, judged.calls) == (6, 0)


def test_what_is_likely_is_what_the_paper_measured(items) -> None:
    one = Prices(reader=PRICE, judge=PRICE)
    proofs = items(Benchmark.HARD2VERIFY, Method.PF, 2)
    found = likely_benchmark(proofs, one)
    assert (found.input, found.output) == (128_000, 52_000)
    assert found.dollars == pytest.approx(2 * (64_000 * 0.75 + 26_000 * 4.5) / 1e6)
    assert likely_benchmark([], one).dollars == 0


@pytest.mark.parametrize(("benchmark", "method", "tokens"), [
    (Benchmark.HARD2VERIFY, Method.DIRECT, TokenUsage(input=2_600, output=3_900)),
    (Benchmark.HARD2VERIFY, Method.PF, TokenUsage(input=64_000, output=26_000)),
    (Benchmark.ARXIV, Method.DIRECT, TokenUsage(input=60_000, output=16_000)),
    (Benchmark.ARXIV, Method.PF, TokenUsage(input=213_000, output=96_000)),
])  # fmt: skip
def test_what_is_likely_is_the_average_of_each_row_of_the_papers_table(
    items, benchmark, method, tokens
) -> None:
    found = likely_benchmark(items(benchmark, method, 1), Prices(reader=PRICE, judge=Price()))
    assert found.dollars == pytest.approx(PRICE.of(tokens))


def test_judges_may_have_a_price_of_their_own(items) -> None:
    papers = items(Benchmark.ARXIV, Method.DIRECT, 1)
    dear = likely_benchmark(papers, Prices(reader=PRICE, judge=PRICE)).dollars
    free = likely_benchmark(papers, Prices(reader=PRICE, judge=Price())).dollars
    assert dear is not None and free is not None and dear > free
    assert free == pytest.approx((60_000 * 0.75 + 16_000 * 4.5) / 1e6)


def test_without_a_price_there_are_no_dollars(items) -> None:
    papers = items(Benchmark.ARXIV, Method.DIRECT, 1)
    assert likely_benchmark(papers, Prices(reader=None)).dollars is None
    assert benchmark_at_most(papers, Prices(reader=PRICE, judge=None)).dollars is None


def test_what_nobody_can_price_is_an_error() -> None:
    @dataclass
    class Other:
        """Neither a proof nor a paper."""

        name: str = ""
        truth: Truth = field(default_factory=lambda: Truth(name=""))
        content: list[object] = field(default_factory=list)

        async def read(self, run: Run, number: int) -> Rollout:
            raise AssertionError

    with pytest.raises(TypeError, match="Other"):
        reading_bounds(Other())
