"""A paper read k times from its PDF: the objections of all readings, united by their places.

Also estimates the cost of such readings: at most, and likely.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pfcore.domain.findings import finding_id
from pfcore.domain.values import Severity, Unreached
from pfcore.llm.prices import Price, most, tokens_at_most
from pfcore.llm.protocol import Document, TokenUsage
from pfcore.review.known_verdicts import NOT_YET
from pfcore.verification import verify, whole_paper
from pfcore.verification.contract import Judging
from pfcore.verification.estimate import CostEstimate
from pfcore.verification.locations import printed_place
from pfcore.verification.prompt import COMPLAINT, ActionFactory
from pfcore.verification.rollouts import Cluster, Vote
from pfcore.verification.verify import SECOND, ModuleVerifier, listed_at_most
from pfcore.verification.whole_paper import (
    FAITHFUL,
    LABEL,
    LONGEST,
    TRANSLATE,
    PaperRead,
    PaperVerdict,
    read_paper,
    seeing,
)

Observe = Callable[[int, PaperVerdict], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeFinding:
    """All objections of readings to one place, in the words of a representative one.

    `location` is the place as the paper prints it; `also` are the other objections to it. `quote`
    was not compared with the PDF.
    """

    id: str
    location: str
    rule: str
    severity: Severity
    message: str
    quote: str
    reason: str
    votes: int
    rollouts: int
    is_blocking: bool
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """The result of k readings of a paper; `name` is the file's.

    `readings` counts those with a verdict, complete or partial. `unreached` has the readings
    without one, under the paper's name, and the pieces that a reading left out.
    """

    name: str
    findings: tuple[WholeFinding, ...]
    unreached: tuple[Unreached, ...]
    readings: int
    rollouts: int

    @property
    def blocking(self) -> tuple[WholeFinding, ...]:
        """The findings that make the review fail."""
        return tuple(item for item in self.findings if item.is_blocking)


async def verdicts(
    reading: ModuleVerifier, numbers: Iterable[int], observe: Observe
) -> dict[int, PaperVerdict]:
    """The verdicts of some rollouts, by their numbers; all run at the same time."""

    async def one(number: int) -> PaperVerdict:
        found = await read_paper(reading, number)
        observe(number, found)
        return found

    wanted = list(numbers)
    found = await asyncio.gather(*(one(number) for number in wanted))
    return dict(zip(wanted, found, strict=True))


def is_open(found: PaperVerdict) -> bool:
    """Whether a reading from the store alone lacks a reply that a model could be asked for."""
    reasons = found.unread.values() if isinstance(found, PaperRead) else (found.reason,)
    return any(NOT_YET in reason for reason in reasons)


def whole(name: str, found: Mapping[int, PaperVerdict], judging: Judging) -> Whole:
    """The pessimistic union by location, with votes; a failure is neither a vote nor a pass."""
    made = {number: item for number, item in found.items() if isinstance(item, PaperRead)}
    listed = [_finding(key, group, judging, len(made)) for key, group in _groups(made).items()]
    reported = [item for item in listed if item.votes >= judging.min_votes]
    return Whole(
        name=name,
        findings=tuple(sorted(reported, key=lambda item: -item.severity.rank)),
        unreached=tuple(_unreached(name, found)),
        readings=len(made),
        rollouts=judging.rollouts,
    )


_Group = list[tuple[str, Vote]]
"""Votes for one place, each with its name for the place."""


def _groups(made: Mapping[int, PaperRead]) -> dict[str, _Group]:
    groups: dict[str, _Group] = {}
    for number, item in sorted(made.items()):
        for defect in item.defects:
            key, shown = printed_place(defect.location)
            groups.setdefault(key, []).append((shown, Vote(number, defect.judged, None)))
    return groups


def _finding(key: str, group: _Group, judging: Judging, rollouts: int) -> WholeFinding:
    cluster = Cluster(votes=tuple(vote for _, vote in group))
    chosen = cluster.representative.objection
    words = dict.fromkeys(vote.objection.objection for vote in cluster.votes)
    is_grave = cluster.severity.rank >= judging.threshold.rank
    return WholeFinding(
        id=finding_id(chosen.rule, key, None),
        location=group[0][0],
        rule=chosen.rule,
        severity=cluster.severity,
        message=chosen.objection,
        quote=" ".join(chosen.quote.split()),
        reason=chosen.reason,
        votes=cluster.count,
        rollouts=rollouts,
        is_blocking=is_grave and cluster.count >= judging.blocking_votes,
        also=tuple(text for text in words if text != chosen.objection),
    )


def _unreached(name: str, found: Mapping[int, PaperVerdict]) -> Iterable[Unreached]:
    for number, item in sorted(found.items()):
        if isinstance(item, PaperRead):
            for piece, reason in item.unread.items():
                yield Unreached(module=piece, reason=f"reading {number}: {reason}")
        else:
            yield Unreached(module=name, reason=f"reading {number}: {item.reason}")


_ASKED = 2
"""The most calls for one value: an invalid reply is asked for once more."""
_FENCES = 1_500
"""Characters around the texts of one request: boundary lines, titles, names of pieces."""
_NAME = LABEL + 48
"""The most characters that name a piece in a list or before an objection."""

_AVERAGE = TokenUsage(input=213_000, output=96_000)
"""Tokens of one reading: the paper's cost table (35 arXiv papers, 8 rollouts, GPT-5.4 mini)."""


def pdf_reading_at_most(
    asking: ActionFactory, pdf: Document, rollouts: int, price: Price | None
) -> CostEstimate:
    """An upper bound of some readings, in tokens as `most` counts them.

    It counts every rewriting that the contract allows, with the most pieces and the greatest
    length, each piece compared twice and verified twice, and two calls for a calibration.
    Calls without a reply are not counted: the budget counts those.
    """
    contract = asking.contract
    pieces, times = contract.pieces, contract.rewritings
    calls = {
        TRANSLATE: times,
        FAITHFUL: _ASKED * pieces * times if contract.attempts else 0,
        verify.STAGE: _ASKED * pieces,
        whole_paper.CALIBRATE_PAPER: _ASKED,
    }
    objections = verify.MOST * pieces
    carried = {
        TRANSLATE: LONGEST + COMPLAINT,
        FAITHFUL: LONGEST + SECOND,
        verify.STAGE: LONGEST + SECOND,
        whole_paper.CALIBRATE_PAPER: listed_at_most(objections)
        + _NAME * (objections + 2 * pieces)
        + SECOND,
    }
    usage = TokenUsage()
    for stage, count in calls.items():
        bare = most(seeing(asking.action(stage, (), rollout=1), pdf).request)
        into = bare.input + tokens_at_most(carried[stage] + _FENCES)
        usage += TokenUsage(input=rollouts * count * into, output=rollouts * count * bare.output)
    return CostEstimate.of(rollouts * sum(calls.values()), usage, price)


def likely_pdf_reading(rollouts: int, price: Price | None) -> CostEstimate:
    """The cost of some readings of an average paper; the number of calls is unknown."""
    usage = TokenUsage(input=rollouts * _AVERAGE.input, output=rollouts * _AVERAGE.output)
    return CostEstimate.of(0, usage, price)
