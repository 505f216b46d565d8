"""Asks a judge which objections to a result mean its known defect.

The judge sees the result before the correction, the row's description of the defect, and all
objections, but not the correction.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pfcore.bench.errata.paired_scores import PairedReading, RaisedObjection
from pfcore.bench.errata.rebuilt_corrections import PairedMoment, RebuiltCorrection
from pfcore.verification.prompt import Part
from pfcore.verification.reply_parsing import Malformed, last_json
from pfcore.verification.verify import ModuleVerifier, Unread

STAGE = "judge-defect"

_MOST = 40
"""The most objections judged for one result; the readings of a result rarely have ten."""
_LONGEST = 1_500
"""The most characters of an objection that the judge sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefectQuestion:
    """A result before its correction, its defect in words, and the objections to it."""

    row: str
    text: str
    wrong: str
    objections: Sequence[RaisedObjection]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts for the judge; the same objections make the same question."""
        listed = "\n\n".join(
            f"{number}. At: {item.quote[:_LONGEST]}\nWhat fails: {item.message[:_LONGEST]}"
            for number, item in enumerate(self.objections, 1)
        )
        return (
            ("The text", self.text),
            ("The known defect", self.wrong),
            ("Objections", listed),
        )


def defect_questions(
    items: Sequence[RebuiltCorrection], readings: Sequence[PairedReading]
) -> list[DefectQuestion]:
    """One question for each result with an objection before its correction."""
    found = []
    for item, reading in zip(items, readings, strict=True):
        before = reading.readings[PairedMoment.BEFORE]
        if before.objections:
            found.append(
                DefectQuestion(
                    row=item.row.id,
                    text=item.versions[PairedMoment.BEFORE].task.text,
                    wrong=item.row.wrong,
                    objections=before.objections[:_MOST],
                )
            )
    return found


async def judged_defects(
    reading: ModuleVerifier, listed: Sequence[DefectQuestion]
) -> dict[str, frozenset[int] | Unread]:
    """By row, the indices (from 0) of the objections that mean the defect."""
    found = await asyncio.gather(*(_judged(reading, item) for item in listed))
    return {item.row: said for item, said in zip(listed, found, strict=True)}


async def _judged(reading: ModuleVerifier, item: DefectQuestion) -> frozenset[int] | Unread:
    count = len(item.objections)
    return await reading.asked(STAGE, item.parts, 1, lambda text: parse_meant(text, count))


def parse_meant(text: str, count: int) -> frozenset[int] | Malformed:
    """The indices, from 0, of the objections that mean the defect; replies count from 1."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    listed = choice.get("matches")
    if not isinstance(listed, list):
        return Malformed(reason="the JSON block has no list of matches")
    if any(isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= count for n in listed):
        return Malformed(reason=f"a match is none of the numbers 1 to {count}")
    return frozenset(number - 1 for number in listed)


def with_judge(
    readings: Sequence[PairedReading], said: Mapping[str, frozenset[int] | Unread]
) -> list[PairedReading]:
    """The readings with the judge's answers; without an answer, a reading has no outcome."""
    return [_with(reading, said.get(reading.row.id, frozenset())) for reading in readings]


def _with(reading: PairedReading, said: frozenset[int] | Unread) -> PairedReading:
    if isinstance(said, Unread):
        return replace(reading, unjudged=said.reason)
    return replace(reading, meant=said)
