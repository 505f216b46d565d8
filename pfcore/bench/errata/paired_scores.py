"""Readings of corrections, scored in pairs: hits before, alarms after, with Wilson intervals.

A hit is an objection at lines that were wrong, or one that a judge says means the defect. Without a
judge, objections elsewhere may mean the same defect: they are counted separately.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pfcore.bench.errata.corrections import CorrectionRow
from pfcore.bench.errata.rebuilt_corrections import PairedMoment, RebuiltCorrection, ResultVersion
from pfcore.bench.planted.planting import Heard
from pfcore.bench.scoring.scaling import wilson
from pfcore.domain.values import Location
from pfcore.review.located_objections import quote_location
from pfcore.verification.rollouts import Cluster, Vote, clusters
from pfcore.verification.verify import Verdict


class DefectOutcome(StrEnum):
    """The result of reading a wrong version."""

    HIT = "hit"
    ELSEWHERE = "elsewhere"
    MISS = "miss"


class RaisedObjection(NamedTuple):
    """An objection by some rollouts: quote, message, votes, and the places of the quotes.

    `places` is empty if the quotes are not in the source.
    """

    quote: str
    message: str
    votes: int
    places: tuple[Location, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionReading:
    """The objections of all rollouts to one version; `lacking` says why a verdict is missing."""

    objections: tuple[RaisedObjection, ...] = ()
    lacking: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedReading:
    """A correction and the readings of its two or three versions.

    `meant` are the indices of the objections to the earlier version that a judge says mean the
    defect; None if there was no judge. `unjudged` says why the judge gave no answer.
    """

    row: CorrectionRow
    readings: Mapping[PairedMoment, VersionReading]
    meant: frozenset[int] | None = None
    unjudged: str = ""

    @property
    def outcome(self) -> DefectOutcome | None:
        """The outcome before the correction; None if a rollout or the judge's answer is missing."""
        if self.unjudged:
            return None
        if self.meant is None:
            return self.outcome_by_lines
        return self._outcome(is_hit=bool(self.meant))

    @property
    def outcome_by_lines(self) -> DefectOutcome | None:
        """The outcome by the corrected lines alone, regardless of a judge."""
        before = self._read(PairedMoment.BEFORE)
        objections = before.objections if before else ()
        is_hit = any(self._is_hit(place) for item in objections for place in item.places)
        return self._outcome(is_hit=is_hit)

    def _outcome(self, *, is_hit: bool) -> DefectOutcome | None:
        before = self._read(PairedMoment.BEFORE)
        if before is None:
            return None
        if is_hit:
            return DefectOutcome.HIT
        return DefectOutcome.ELSEWHERE if before.objections else DefectOutcome.MISS

    def is_alarm(self, moment: PairedMoment) -> bool | None:
        """Whether a corrected version has an objection.

        None if it was not read, or is known to have another error.
        """
        found = self._read(moment)
        if found is None or self.row.is_control_wrong:
            return None
        return bool(found.objections)

    @property
    def is_told_apart(self) -> bool | None:
        """Whether there is a hit before and no alarm after; None if either is unknown."""
        outcome, alarm = self.outcome, self.is_alarm(PairedMoment.AFTER)
        if outcome is None or alarm is None:
            return None
        return outcome is DefectOutcome.HIT and not alarm

    @property
    def lacking(self) -> dict[PairedMoment, str]:
        """The versions without a verdict of some rollout, and why."""
        return {moment: item.lacking for moment, item in self.readings.items() if item.lacking}

    def _read(self, moment: PairedMoment) -> VersionReading | None:
        found = self.readings.get(moment)
        return None if found is None or found.lacking else found

    def _is_hit(self, place: Location) -> bool:
        is_near = self.row.is_at_defect(place.line, place.end_line)
        return is_near and place.path == self.row.file


class CountedShare(NamedTuple):
    """A share: `part` of `of`."""

    part: int
    of: int

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson interval at 95 %; None if `of` is 0."""
        return wilson(self.part / self.of, self.of) if self.of else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedScores:
    """Shares for some corrections; rows without a value for a share are left out of it.

    `elsewhere` and `misses` are the rows without a hit; `told_apart` had a hit before and no
    objection after.
    """

    hits: CountedShare
    elsewhere: CountedShare
    misses: CountedShare
    after: CountedShare
    control: CountedShare
    told_apart: CountedShare


def paired_reading(item: RebuiltCorrection, heard: Mapping[str, Heard]) -> PairedReading:
    """The readings of a correction, from the stored verdicts on each context."""
    return PairedReading(
        row=item.row,
        readings={
            moment: _reading(version, heard[version.task.context])
            for moment, version in item.versions.items()
        },
    )


def paired_scores(listed: Iterable[PairedReading]) -> PairedScores:
    """The shares for some corrections."""
    items = list(listed)
    outcomes = [item.outcome for item in items if item.outcome]

    def share(outcome: DefectOutcome) -> CountedShare:
        return CountedShare(outcomes.count(outcome), len(outcomes))

    return PairedScores(
        hits=share(DefectOutcome.HIT),
        elsewhere=share(DefectOutcome.ELSEWHERE),
        misses=share(DefectOutcome.MISS),
        after=_share(item.is_alarm(PairedMoment.AFTER) for item in items),
        control=_share(item.is_alarm(PairedMoment.CONTROL) for item in items),
        told_apart=_share(item.is_told_apart for item in items),
    )


def grouped_scores(
    listed: Sequence[PairedReading], group: Callable[[CorrectionRow], str | None]
) -> dict[str, PairedScores]:
    """The shares by a label of the rows, sorted by label; "not labelled" is last."""
    names = {group(item.row) for item in listed}
    ordered = [*sorted(filter(None, names)), *([None] if None in names else [])]
    return {
        name or "not labelled": paired_scores(item for item in listed if group(item.row) == name)
        for name in ordered
    }


def _share(values: Iterable[bool | None]) -> CountedShare:
    known = [value for value in values if value is not None]
    return CountedShare(sum(known), len(known))


def _reading(version: ResultVersion, heard: Heard) -> VersionReading:
    return VersionReading(
        objections=raised(version, heard.verdicts) if not heard.lacking else (),
        lacking=heard.lacking,
    )


def raised(version: ResultVersion, verdicts: Mapping[int, Verdict]) -> tuple[RaisedObjection, ...]:
    """The objections of some rollouts; one vote is enough, as by the paper's pessimistic rule."""
    return tuple(_raised(version, item) for item in clusters(verdicts, version.task.text))


def _raised(version: ResultVersion, cluster: Cluster) -> RaisedObjection:
    chosen = cluster.representative
    places = dict.fromkeys(place for vote in cluster.votes for place in _places(version, vote))
    return RaisedObjection(
        quote=chosen.objection.quote,
        message=chosen.objection.objection,
        votes=cluster.count,
        places=tuple(places),
    )


def _places(version: ResultVersion, vote: Vote) -> Iterator[Location]:
    """The place of a vote's quote in the source; nothing if the source lacks it."""
    if vote.place is None:
        return
    quote = version.task.text[vote.place.start : vote.place.end]
    place = quote_location(version.state, version.module, version.task, quote)
    # A quote that the source lacks is located at the first command, where no quote can begin.
    if place[:2] != version.own.statement.location[:2]:
        yield place
