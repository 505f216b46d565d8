"""Reads one module k times and combines the readings: objections to the same place are merged.

All rollouts run at once, or one after the other until the result is decided.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.domain.values import Severity
from pfcore.verification.calibrate import Judged
from pfcore.verification.contract import Contract, Granularity, Judging, Weights, is_final, weighed
from pfcore.verification.quotes import QuoteSpan, align_quote
from pfcore.verification.task import ContextTask
from pfcore.verification.translate import fine
from pfcore.verification.verify import Flagged, ModuleVerifier, Unread, Verdict


class Vote(NamedTuple):
    """An objection of one rollout, and the place of its quote (None: not found).

    `likeness` is the similarity of the text at that place to the quote, in thousandths.
    """

    rollout: int
    objection: Judged
    place: QuoteSpan | None
    likeness: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Objections to the same place, in the order of their rollouts."""

    votes: tuple[Vote, ...]

    @property
    def count(self) -> int:
        """The number of rollouts that object here."""
        return len({vote.rollout for vote in self.votes})

    @property
    def representative(self) -> Vote:
        """The first vote of the most frequent class; the first such class if several are."""
        classes = Counter(vote.objection.rule for vote in self.votes)
        most = max(classes.values())
        return next(vote for vote in self.votes if classes[vote.objection.rule] == most)

    @property
    def gravest(self) -> Mapping[int, Severity]:
        """The most severe objection of each rollout that objects here."""
        found: dict[int, Severity] = {}
        for vote in self.votes:
            other = found.get(vote.rollout, vote.objection.severity)
            found[vote.rollout] = max(other, vote.objection.severity, key=_rank)
        return found

    @property
    def severity(self) -> Severity:
        """The highest severity that at least half of the rollouts objecting here reach."""
        return self.weights.severity

    @property
    def weights(self) -> Weights:
        """How severely the rollouts object here."""
        return weighed(self.gravest.values())


def clusters(verdicts: Mapping[int, Verdict], text: str) -> tuple[Cluster, ...]:
    """The objections of some rollouts grouped by place, in the order of the text.

    Overlapping places are merged. Objections whose quote is not found are grouped by class.
    """
    return clustered(votes(verdicts, text))


def votes(verdicts: Mapping[int, Verdict], text: str) -> list[Vote]:
    """The objections of some rollouts, in order."""
    return [
        _vote(rollout, objection, text)
        for rollout, verdict in sorted(verdicts.items())
        if isinstance(verdict, Flagged)
        for objection in verdict.objections
    ]


def _vote(rollout: int, objection: Judged, text: str) -> Vote:
    found = align_quote(objection.quote, text)
    if found is None:
        return Vote(rollout, objection, None, 0)
    return Vote(rollout, objection, found.span, round(1000 * found.likeness))


def clustered(votes: Sequence[Vote]) -> tuple[Cluster, ...]:
    """The clusters of some votes, as in `clusters`."""
    placed = sorted((vote for vote in votes if vote.place), key=_start)
    groups: list[list[Vote]] = []
    reach = -1
    for vote in placed:
        place = vote.place or QuoteSpan(0, 0)
        if groups and place.start < reach:
            groups[-1].append(vote)
        else:
            groups.append([vote])
        reach = max(reach, place.end)
    nowhere: dict[str, list[Vote]] = {}
    for vote in votes:
        if vote.place is None:
            nowhere.setdefault(vote.objection.rule, []).append(vote)
    return tuple(
        Cluster(votes=tuple(sorted(group, key=lambda vote: vote.rollout)))
        for group in (*groups, *nowhere.values())
    )


def _rank(severity: Severity) -> int:
    return severity.rank


def _start(vote: Vote) -> tuple[int, int]:
    return (vote.place.start, vote.place.end) if vote.place else (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """The combined result of k rollouts of one module, under some settings.

    `reported` are the clusters with enough votes; `unread` says why rollouts gave no verdict.
    """

    reported: tuple[Cluster, ...]
    rollouts: int
    unread: tuple[str, ...]

    @property
    def is_accepted(self) -> bool:
        """Whether every rollout read the module, and no place has enough objections."""
        return not self.reported and not self.unread

    @property
    def is_flagged(self) -> bool:
        """Whether enough rollouts object to one place; a module that is neither is unreached."""
        return bool(self.reported)


def ballot(verdicts: Mapping[int, Verdict], text: str, judging: Judging) -> Ballot:
    """Count the votes; the paper's pessimistic rule is one vote."""
    found = clusters(verdicts, text)
    reasons = [verdict.reason for verdict in verdicts.values() if isinstance(verdict, Unread)]
    missing = judging.rollouts - len(verdicts)
    if missing > 0 and not (judging.progressive and is_decided(verdicts, text, judging)):
        reasons.append(f"{missing} of {judging.rollouts} readings are missing")
    return Ballot(
        reported=tuple(item for item in found if item.count >= judging.min_votes),
        rollouts=judging.rollouts,
        unread=tuple(dict.fromkeys(reasons)),
    )


def is_decided(verdicts: Mapping[int, Verdict], text: str, judging: Judging) -> bool:
    """Whether rollouts that are missing or without verdict cannot change whether it blocks."""
    found = clusters(verdicts, text)
    read = sum(1 for verdict in verdicts.values() if not isinstance(verdict, Unread))
    return is_final(
        everywhere(found),
        [item.weights for item in found],
        left=judging.rollouts - read,
        judging=judging,
    )


def everywhere(found: Iterable[Cluster]) -> Weights:
    """How severely the rollouts object over all places."""
    gravest: dict[int, Severity] = {}
    for item in found:
        for rollout, severity in item.gravest.items():
            gravest[rollout] = max(gravest.get(rollout, severity), severity, key=_rank)
    return weighed(gravest.values())


def flip_rate(verdicts: Sequence[Verdict]) -> float | None:
    """The share of pairs of rollouts of a module that disagree; None with fewer than two."""
    flags = [isinstance(item, Flagged) for item in verdicts if not isinstance(item, Unread)]
    pairs = len(flags) * (len(flags) - 1) // 2
    return sum(flags) * (len(flags) - sum(flags)) / pairs if pairs else None


async def verdicts(
    reading: ModuleVerifier, task: ContextTask, judging: Judging
) -> dict[int, Verdict]:
    """The verdict of each rollout, numbered from 1.

    With `progressive` the number of rollouts depends only on the replies for this module.
    """
    numbers = range(1, judging.rollouts + 1)
    if not judging.progressive:
        found = await asyncio.gather(*(verdict(reading, task, number) for number in numbers))
        return dict(zip(numbers, found, strict=True))
    listed: dict[int, Verdict] = {}
    for number in numbers:
        listed[number] = await verdict(reading, task, number)
        if not isinstance(listed[number], Unread) and is_decided(listed, task.text, judging):
            break
    return listed


async def verdict(reading: ModuleVerifier, task: ContextTask, rollout: int) -> Verdict:
    """One rollout, in the granularity of the contract."""
    if is_taken_apart(task, reading.asking.contract):
        return await fine(reading, task, rollout)
    return await reading.block(task, rollout)


def is_taken_apart(task: ContextTask, contract: Contract) -> bool:
    """Whether a module is translated; by default only if it exceeds the Good-PF bound.

    A proof of a few lines is never translated.
    """
    if len(task.proof) < contract.shortest:
        return False
    match contract.granularity:
        case Granularity.AUTHOR:
            return False
        case Granularity.FINE:
            return True
        case Granularity.AUTO:
            return task.length > contract.bound
