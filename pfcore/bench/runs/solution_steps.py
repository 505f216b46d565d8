"""A solution graded step by step: by one question, or taken apart, verified, and calibrated.

Whoever takes it apart does not see where its steps end (Competition Math, Methods, of the paper).
"""

import asyncio
from dataclasses import dataclass

from pfcore.bench.runs import grading, step_calibration
from pfcore.bench.runs.grading import Grades, Solution
from pfcore.bench.runs.step_calibration import StepDefect
from pfcore.markup.pf_proof import PfProof
from pfcore.verification.fence import Part
from pfcore.verification.stages_verify import BlockObjection, Checked
from pfcore.verification.translate import (
    ORIGINAL,
    Original,
    Rewriting,
    block,
    rewriting,
    words_of_piece,
)
from pfcore.verification.verify import ModuleVerifier, Unread, listed

TRANSLATE, FAITHFUL = "translate-solution", "faithfulness-solution"

_GROWTH, _SLACK = 4, 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SolutionRead:
    """What one reading of a solution came to: all of its pieces had a verdict.

    `pieces` is 0 where it was not taken apart; `defects` are those that stand.
    """

    grades: Grades
    defects: tuple[StepDefect, ...] = ()
    false_alarms: int = 0
    pieces: int = 0
    unfaithful: tuple[str, ...] = ()


SolutionVerdict = SolutionRead | Unread


async def direct(reading: ModuleVerifier, solution: Solution, rollout: int) -> SolutionVerdict:
    """One question about all steps: the baseline of the paper."""
    found = await reading.asked(
        grading.DIRECT,
        solution.parts,
        rollout,
        lambda text: grading.parse_grades(text, len(solution.steps)),
    )
    return found if isinstance(found, Unread) else SolutionRead(grades=found)


async def read_solution(
    reading: ModuleVerifier, solution: Solution, rollout: int
) -> SolutionVerdict:
    """One reading by pieces; without an objection, and if it was faithful, all steps are right."""
    made = await rewriting(reading, original(solution), rollout)
    if isinstance(made, Unread):
        return made
    pieces = made.outline.components
    found = await asyncio.gather(
        *(reading.checked(block((), made.outline, piece), rollout) for piece in pieces.values())
    )
    checked = dict(zip(pieces, found, strict=True))
    unread = [
        f"{name}: {said.reason}" for name, said in checked.items() if isinstance(said, Unread)
    ]
    if unread:
        return Unread(reason="; ".join(unread))
    objections = tuple(
        BlockObjection(quote=item.quote, problem=f"[{name}] {item.problem}")
        for name, said in checked.items()
        if isinstance(said, Checked)
        for item in said.objections
    )
    if not objections and not made.unfaithful:
        return SolutionRead(grades=Grades(wrong=()), pieces=len(pieces))
    return await _calibrated(reading, solution, made, objections, rollout)


def original(solution: Solution) -> Original:
    """What is taken apart: the problem, and the solution as one text."""
    text = f"{solution.problem}\n\n{solution.text}"
    return Original(
        parts=(("Problem", solution.problem), ("Solution", solution.text)),
        shown=((ORIGINAL, text),),
        text=text,
        longest=longest(solution),
        translate=TRANSLATE,
        faithful=FAITHFUL,
    )


def longest(solution: Solution) -> int:
    """Characters that a rewriting may have: each piece says its hypotheses again."""
    return _GROWTH * (len(solution.problem) + len(solution.text)) + _SLACK


async def _calibrated(
    reading: ModuleVerifier,
    solution: Solution,
    made: Rewriting,
    objections: tuple[BlockObjection, ...],
    rollout: int,
) -> SolutionVerdict:
    """The grades when the steps themselves are at hand."""
    flags = [f"F{number}" for number in range(1, len(objections) + 1)]
    parts: tuple[Part, ...] = (
        *solution.parts,
        ("Rewriting", _whole(made.outline)),
        ("Objections", listed(flags, objections) or "There are none."),
        ("Note", made.note),
    )
    audit = await reading.asked(
        step_calibration.STAGE,
        parts,
        rollout,
        lambda text: step_calibration.parse_step_audit(text, flags, len(solution.steps)),
    )
    if isinstance(audit, Unread):
        return audit
    return SolutionRead(
        grades=audit.grades,
        defects=(*audit.genuine, *audit.own),
        false_alarms=audit.false_alarms,
        pieces=len(made.outline.components),
        unfaithful=made.unfaithful,
    )


def _whole(made: PfProof) -> str:
    return "\n\n".join(words_of_piece(piece) for piece in made.components.values())
