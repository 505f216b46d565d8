"""A simulated verifier with known rates over a paper with planted errors: votes follow the theory.

Nothing here says how good a model is. What a reading finds is drawn from the action's key, so it is
the same in every run; each frequency has to lie where a binomial one lies all but once in 15,000.
"""

import asyncio
import math
from collections.abc import Callable, Mapping
from functools import cache, partial

import pytest

import prompts
from pfcore.domain.digest import text_digest
from pfcore.graph.paper_state import PaperState
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import Outcome
from pfcore.llm.protocol import Endpoint
from pfcore.testing import reply
from pfcore.verification.contract import Contract, Judging
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.rollouts import ballot, verdicts
from pfcore.verification.task import ContextTask, tasks
from pfcore.verification.verify import ModuleVerifier, Verdict
from tests.pfcore.verification.conftest import is_blocked

LEMMAS = 600  # every second one has a planted error
DETECTION, FALSE_ALARM = 0.6, 0.1
SIGMAS = 4.0
WRONG = "so in particular the square is negative"
INNOCENT = "and both sides are integers"
CONTRACT = Contract(
    endpoint=Endpoint.CHAT, model="simulated", prompts=tuple(prompts.CURRENT.items())
)


def lemma(number: int) -> str:
    step = WRONG if number % 2 else "so in particular the square is not negative"
    return (
        f"\\begin{{lemma}}\\label{{lem:{number}}} The square of ${number + 2}$ is large."
        "\\end{lemma}\n"
        f"\\begin{{proof}} We square ${number + 2}$, {step}. Then we compare, {INNOCENT}. "
        "This proves it.\\end{proof}\n"
    )


class Simulated:
    """Answers each action by draws from its key; counts what it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def run(self, action: Action) -> Outcome:
        """Verify by chance; calibrate by upholding whatever was found."""
        self.asked += action.stage == "verify"
        text, key = action.request.text, action.key()
        said = _checked(text, key) if action.stage == "verify" else _upheld(text)
        return reply(said, action.request)


def _draw(key: str, what: str) -> float:
    """A number from 0 to 1 that key and purpose determine."""
    return int(text_digest(f"{what} {key}")[:13], 16) / 16**13


def _checked(text: str, key: str) -> str:
    found = [WRONG] if WRONG in text and _draw(key, "error") < DETECTION else []
    found += [INNOCENT] if _draw(key, "alarm") < FALSE_ALARM else []
    listed = "".join(
        f"<objection><quote>{quote}</quote><problem>No.</problem></objection>" for quote in found
    )
    verdict = "flag" if found else "accept"
    return f'<objections>{listed}</objections>\n```json\n{{"verdict": "{verdict}"}}\n```'


def _upheld(text: str) -> str:
    quotes = [line.removeprefix("quote: ") for line in text.splitlines() if line[:7] == "quote: "]
    words = "".join(
        f'<finding id="F{number}"><quote>{quote}</quote><objection>No.</objection></finding>\n'
        for number, quote in enumerate(quotes, start=1)
    )
    entries = ", ".join(
        f'{{"id": "F{number}", "status": "genuine", "class": "gap", "severity": "error"}}'
        for number in range(1, len(quotes) + 1)
    )
    return f'{words}```json\n{{"flags": [{entries}]}}\n```'


Read = list[tuple[ContextTask, Mapping[int, Verdict]]]


def read(listed: list[ContextTask], judging: Judging) -> tuple[Read, int]:
    """All verdicts on some tasks, and how many readings they took."""
    model = Simulated()
    reading = ModuleVerifier(
        run=model.run, asking=ActionFactory(contract=CONTRACT, prompt=cache(prompts.prompt))
    )

    async def all_of_them() -> Read:
        return [(task, await verdicts(reading, task, judging)) for task in listed]

    return asyncio.run(all_of_them()), model.asked


@pytest.fixture
def paper_tasks(paper: Callable[..., PaperState]) -> list[ContextTask]:
    """What there is to read of the paper."""
    state = paper("".join(lemma(number) for number in range(LEMMAS)))
    made = tasks(state, [f"lem:{number}" for number in range(LEMMAS)])
    assert sum(WRONG in task.text for task in made) == LEMMAS // 2
    return made


def exactly(k: int, votes: int, rate: float) -> float:
    return math.comb(k, votes) * rate**votes * (1 - rate) ** (k - votes)


def at_least(k: int, votes: int, rate: float) -> float:
    """The tail of a binomial; 1-(1-rate)^k for one vote."""
    return sum(exactly(k, number, rate) for number in range(votes, k + 1))


def around(trials: int, rate: float) -> tuple[float, float]:
    """Where a binomial count lies."""
    middle, width = trials * rate, SIGMAS * math.sqrt(trials * rate * (1 - rate)) + 0.5
    return middle - width, middle + width


def is_in(count: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= count <= bounds[1]


def first(found: Mapping[int, Verdict], count: int) -> dict[int, Verdict]:
    return {number: found[number] for number in range(1, count + 1)}


def votes_for(quote: str, task: ContextTask, found: Mapping[int, Verdict], judging: Judging) -> int:
    """How many rollouts object to a place, where that is reported."""
    reported = ballot(found, task.text, judging).reported
    return next(
        (item.count for item in reported if item.representative.objection.quote == quote), 0
    )


@pytest.mark.acceptance
def test_recall_precision_and_votes_follow_the_theory(paper_tasks: list[ContextTask]) -> None:
    listed, asked = read(paper_tasks, Judging(rollouts=8))
    assert asked == 8 * LEMMAS
    planted = LEMMAS // 2
    for k in (1, 2, 4, 8):
        for wanted in {1, min(2, k), (k + 1) // 2, k}:
            judging = Judging(rollouts=k, min_votes=wanted, blocking_votes=wanted)
            count = partial(_counts, listed, k=k, judging=judging)
            hits, alarms = count(quote=WRONG), count(quote=INNOCENT)
            recall, noise = (at_least(k, wanted, rate) for rate in (DETECTION, FALSE_ALARM))
            found = sum(hits.values())
            false = sum(alarms.values())
            assert is_in(found, around(planted, recall)), (k, wanted)
            assert is_in(false, around(LEMMAS, noise)), (k, wanted)
            low, high = (
                _precision(around(planted, recall)[side], around(LEMMAS, noise)[1 - side])
                for side in (0, 1)
            )
            assert low <= _precision(found, false) <= high, (k, wanted)
            for votes in range(wanted, k + 1):
                assert is_in(hits.get(votes, 0), around(planted, exactly(k, votes, DETECTION)))
                assert is_in(alarms.get(votes, 0), around(LEMMAS, exactly(k, votes, FALSE_ALARM)))


def _precision(found: float, false: float) -> float:
    found, false = max(0.0, found), max(0.0, false)
    return found / (found + false) if found + false else 1.0


def _counts(listed: Read, *, quote: str, k: int, judging: Judging) -> dict[int, int]:
    """How many modules have so many votes for the place of a quote."""
    counted: dict[int, int] = {}
    for task, found in listed:
        votes = votes_for(quote, task, first(found, k), judging)
        if votes:
            counted[votes] = counted.get(votes, 0) + 1
    return counted


@pytest.mark.acceptance
@pytest.mark.parametrize(("k", "blocking"), [(2, 2), (3, 2), (4, 1), (8, 2)])
def test_progressive_rollouts_block_the_same_with_fewer_calls(
    k: int, blocking: int, paper_tasks: list[ContextTask]
) -> None:
    judging = Judging(rollouts=k, blocking_votes=blocking)
    early = Judging(rollouts=k, blocking_votes=blocking, progressive=True)
    listed = paper_tasks[:200]
    complete, asked = read(listed, judging)
    spared, fewer = read(listed, early)
    for (task, whole), (same, part) in zip(complete, spared, strict=True):
        assert task is same
        assert is_blocked(part, task.text, judging) == is_blocked(whole, task.text, judging)
    words = f"{fewer} readings instead of {asked}"
    print(f"simulated, k = {k}, blocking at {blocking}: {words}")  # noqa: T201 - shown by pytest -rP
    assert fewer < asked
