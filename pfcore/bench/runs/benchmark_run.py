"""Rows of a benchmark as things to be read: a proof in steps, or a paper, by one of two methods."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pfcore.bench.runs import location_judges, solution_steps
from pfcore.bench.runs.anew import settled
from pfcore.bench.runs.arxiv import ArxivRow
from pfcore.bench.runs.grading import Solution
from pfcore.bench.runs.hard2verify import HardRow
from pfcore.bench.runs.location_judges import Matches, Question
from pfcore.bench.runs.matching import Relation, relation
from pfcore.bench.runs.published_prompts import published_reader
from pfcore.bench.runs.saved_run import Judge, Method, Prediction, Rollout, Truth
from pfcore.bench.runs.solution_steps import SolutionVerdict
from pfcore.llm.protocol import Document
from pfcore.verification import direct, whole_paper
from pfcore.verification.direct import Listed, ReportedError
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.verify import Run, Unread
from pfcore.verification.whole_paper import INCLUSIVE, PaperRead

PLACES = 60
"""Places that one reading may name: a longer list is no reading, and nobody judges it."""

_JUDGES = {Judge.INCLUSIVE: INCLUSIVE, Judge.STRICT: location_judges.STRICT}


class Item(Protocol):
    """A row that can be read."""

    @property
    def name(self) -> str:
        """What tells it from the others."""
        ...

    @property
    def truth(self) -> Truth:
        """What is known of it."""
        ...

    @property
    def content(self) -> list[object]:
        """All of it that is read or scored, for a digest."""
        ...

    async def read(self, run: Run, number: int) -> Rollout:
        """One reading, without what it used."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofItem:
    """A solution whose steps have labels."""

    row: HardRow
    method: Method
    asking: ActionFactory

    @property
    def name(self) -> str:
        """The row's."""
        return self.row.name

    @property
    def truth(self) -> Truth:
        """How many steps there are, and which are wrong."""
        wrong = tuple(step for step, is_right in enumerate(self.row.labels) if not is_right)
        return Truth(name=self.row.name, steps=len(self.row.steps), wrong=wrong)

    @property
    def content(self) -> list[object]:
        """The problem, the steps and their labels."""
        return [self.name, self.row.problem, list(self.row.steps), list(self.row.labels)]

    @property
    def solution(self) -> Solution:
        """What is read."""
        return Solution(problem=self.row.problem, steps=self.row.steps)

    async def read(self, run: Run, number: int) -> Rollout:
        """One reading: steps that are said to be wrong."""
        how = (
            solution_steps.direct if self.method is Method.DIRECT else solution_steps.read_solution
        )

        async def one(run: Run, generation: int) -> SolutionVerdict:
            return await how(published_reader(run, self.asking, generation), self.solution, number)

        found = await settled(run, one, lambda said: isinstance(said, Unread))
        made = Rollout(row=self.row.name, number=number)
        if isinstance(found, Unread):
            return replace(made, unreached=(found.reason,))
        return replace(
            made,
            steps=found.grades.wrong,
            first=found.grades.first,
            pieces=found.pieces,
            unfaithful=found.unfaithful,
            false_alarms=found.false_alarms,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperItem:
    """A paper with known errors; `judge` asks about the locations that are named."""

    row: ArxivRow
    pdf: Document
    method: Method
    asking: ActionFactory
    judge: ActionFactory

    @property
    def name(self) -> str:
        """The row's."""
        return self.row.name

    @property
    def truth(self) -> Truth:
        """The places that have known errors, split by our rules and by those of the reference."""
        places = tuple(dict.fromkeys((*self.row.errors, *self.row.reference)))
        return Truth(
            name=self.row.name,
            title=self.row.title,
            places=places,
            own=tuple(places.index(place) for place in self.row.errors),
            reference=tuple(places.index(place) for place in self.row.reference),
        )

    @property
    def content(self) -> list[object]:
        """The PDF, the title, and the known errors."""
        truth = self.truth
        listed = [list(truth.places), list(truth.own), list(truth.reference)]
        return [self.name, self.row.title, self.pdf.digest, *listed]

    async def read(self, run: Run, number: int) -> Rollout:
        """One reading: places that are said to have errors, each judged."""
        made = Rollout(row=self.row.name, number=number)

        async def one(run: Run, generation: int) -> Listed | PaperRead | Unread:
            reader = published_reader(whole_paper.sighted(run, self.pdf), self.asking, generation)
            how = direct.read_directly if self.method is Method.DIRECT else whole_paper.read_paper
            return await how(reader, number)

        found = await settled(run, one, _is_nothing)
        if isinstance(found, Unread):
            return replace(made, unreached=(found.reason,))
        if isinstance(found, Listed):
            return await self._judged(run, made, found.errors)
        made = replace(
            made,
            unreached=tuple(f"{name}: {reason}" for name, reason in found.unread.items()),
            pieces=found.pieces,
            unfaithful=found.unfaithful,
            false_alarms=found.false_alarms,
        )
        named = [
            ReportedError(location=item.location, words=item.judged.objection)
            for item in found.defects
        ]
        return await self._judged(run, made, named)

    async def _judged(self, run: Run, made: Rollout, named: Sequence[ReportedError]) -> Rollout:
        """A reading with what the judges say; one that does not count is not judged."""
        plain = tuple(Prediction(location=item.location, words=item.words) for item in named)
        made = replace(made, predictions=plain)
        if made.unreached:
            return made
        if len({item.location for item in named}) > PLACES:
            return replace(made, unjudged=(f"it names more than {PLACES} places",))
        found = await asyncio.gather(*(self._matched(run, item) for item in named))
        unjudged = dict.fromkeys(reason for _, reasons in found for reason in reasons)
        return replace(made, predictions=tuple(item for item, _ in found), unjudged=tuple(unjudged))

    async def _matched(self, run: Run, named: ReportedError) -> tuple[Prediction, list[str]]:
        """A prediction with its matches, and why some are lacking."""
        known = self.truth.places
        question = Question(
            title=self.row.title, known=known, location=named.location, words=named.words
        )
        said = await asyncio.gather(
            *(self._asked(run, stage, question) for stage in _JUDGES.values())
        )
        matches: dict[Judge, tuple[int, ...] | None] = {
            judge: found.found if isinstance(found, Matches) else None
            for judge, found in zip(_JUDGES, said, strict=True)
        }
        matches[Judge.LABELS] = tuple(
            number
            for number, place in enumerate(known)
            if relation(place, named.location) is not Relation.OTHER
        )
        reasons = [
            f"{judge}: {found.reason}"
            for judge, found in zip(_JUDGES, said, strict=True)
            if isinstance(found, Unread)
        ]
        overruled = tuple(
            judge
            for judge, found in zip(_JUDGES, said, strict=True)
            if isinstance(found, Matches) and found.overruled
        )
        made = Prediction(
            location=named.location, words=named.words, matches=matches, overruled=overruled
        )
        return made, reasons

    async def _asked(self, run: Run, stage: str, question: Question) -> Matches | Unread:
        """What one judge says of a location."""

        async def one(run: Run, generation: int) -> Matches | Unread:
            judge = published_reader(whole_paper.sighted(run, self.pdf), self.judge, generation)
            return await location_judges.judged(judge, stage, question)

        return await settled(run, one, lambda said: isinstance(said, Unread))


def _is_nothing(found: Listed | PaperRead | Unread) -> bool:
    """Whether a reading has no verdict, or none on some piece."""
    return isinstance(found, Unread) or (isinstance(found, PaperRead) and bool(found.unread))
