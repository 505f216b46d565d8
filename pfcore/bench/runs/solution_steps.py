"""Grades a solution step by step: by one question, or taken apart, verified, and calibrated.

The translator does not see where its steps end (Competition Math, Methods, of the paper).

Also parses the grades of a solution's steps in replies (a word for each, and the first wrong one)
and the calibrator's audit of each flag.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pfcore.markup.pf_proof import PfProof
from pfcore.verification.calibrate import entries_of
from pfcore.verification.prompt import Part
from pfcore.verification.reply_parsing import Malformed, last_json, tagged
from pfcore.verification.translate import (
    ORIGINAL,
    Original,
    Rewriting,
    block,
    rewriting,
    words_of_piece,
)
from pfcore.verification.verify import BlockObjection, Checked, ModuleVerifier, Unread, listed

TRANSLATE, FAITHFUL = "translate-solution", "faithfulness-solution"

_GROWTH, _SLACK = 4, 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    """The steps that are wrong, by their numbers from 0, in order."""

    wrong: tuple[int, ...]

    @property
    def first(self) -> int | None:
        """The first wrong step; None if all are right."""
        return self.wrong[0] if self.wrong else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDefect:
    """What is wrong, in words, and in which step; None: in no single step."""

    id: str
    step: int | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SolutionRead:
    """The result of one reading of a solution, all of whose pieces had a verdict.

    `pieces` is 0 if it was not taken apart; `defects` are those that were upheld.
    """

    grades: Grades
    defects: tuple[StepDefect, ...] = ()
    false_alarms: int = 0
    pieces: int = 0
    unfaithful: tuple[str, ...] = ()


SolutionVerdict = SolutionRead | Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """A problem, and a solution of it in steps."""

    problem: str
    steps: tuple[str, ...]

    @property
    def text(self) -> str:
        """The solution as one text."""
        return "\n\n".join(self.steps)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The problem and each step separately, so that steps cannot be confused."""
        numbered = ((f"Step {number}", text) for number, text in enumerate(self.steps))
        return (("Problem", self.problem), *numbered, ("The steps", self._count()))

    def _count(self) -> str:
        count = len(self.steps)
        many = f"There are {count}, with the numbers 0 to {count - 1}."
        return many if count > 1 else "There is one, 0."


async def direct(reading: ModuleVerifier, solution: Solution, rollout: int) -> SolutionVerdict:
    """One question about all steps: the baseline of the paper."""
    found = await reading.asked(
        DIRECT,
        solution.parts,
        rollout,
        lambda text: parse_grades(text, len(solution.steps)),
    )
    return found if isinstance(found, Unread) else SolutionRead(grades=found)


async def read_solution(
    reading: ModuleVerifier, solution: Solution, rollout: int
) -> SolutionVerdict:
    """One reading by pieces; all steps are right if there is no objection and it was faithful."""
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
    """The text to be taken apart: the problem, and the solution as one text."""
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
    """The most characters of a rewriting: each piece repeats its hypotheses."""
    return _GROWTH * (len(solution.problem) + len(solution.text)) + _SLACK


async def _calibrated(
    reading: ModuleVerifier,
    solution: Solution,
    made: Rewriting,
    objections: tuple[BlockObjection, ...],
    rollout: int,
) -> SolutionVerdict:
    """The calibrator's grades, given the steps themselves."""
    flags = [f"F{number}" for number in range(1, len(objections) + 1)]
    parts: tuple[Part, ...] = (
        *solution.parts,
        ("Rewriting", _whole(made.outline)),
        ("Objections", listed(flags, objections) or "There are none."),
        ("Note", made.note),
    )
    audit = await reading.asked(
        STAGE,
        parts,
        rollout,
        lambda text: parse_step_audit(text, flags, len(solution.steps)),
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


DIRECT = "direct-steps"

_WORDS = ("right", "wrong")


def parse_grades(text: str, count: int) -> Grades | Malformed:
    """The grades of a reply to the direct question."""
    choice = last_json(text)
    return choice if isinstance(choice, Malformed) else grades(choice, count)


def grades(choice: Mapping[str, Any], count: int) -> Grades | Malformed:
    """The grades of `count` steps in a JSON block; its first wrong step must be consistent."""
    listed = choice.get("steps")
    if not isinstance(listed, list) or any(word not in _WORDS for word in listed):
        return Malformed(reason='"steps" in the JSON block is no list of "right" and "wrong"')
    if len(listed) != count:
        return Malformed(reason=f"there are {count} steps, and {len(listed)} grades")
    found = Grades(wrong=tuple(n for n, word in enumerate(listed) if word == "wrong"))
    if "first" not in choice or choice["first"] is True or choice["first"] != found.first:
        return Malformed(reason='"first" in the JSON block is not the first wrong step')
    return found


STAGE = "calibrate-steps"
MOST = 20
"""The most defects that a calibrator may add; a longer list is invalid."""

_OWN = re.compile(r"E[1-9][0-9]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepAudit:
    """What became of the flags, the defects found in addition, and the grade of each step."""

    genuine: tuple[StepDefect, ...]
    own: tuple[StepDefect, ...]
    false_alarms: int
    grades: Grades


def parse_step_audit(text: str, flags: Sequence[str], count: int) -> StepAudit | Malformed:
    """The audit in a reply: every flag judged exactly once, with grades that agree with it.

    A step with a defect is wrong, and if steps are wrong some defect says why.
    """
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    entries, graded = entries_of(choice, flags), grades(choice, count)
    if isinstance(entries, Malformed):
        return entries
    if isinstance(graded, Malformed):
        return graded
    own = choice.get("own", [])
    if not isinstance(own, list) or not all(isinstance(entry, dict) for entry in own):
        return Malformed(reason='"own" in the JSON block is no list')
    names = [str(entry.get("id")) for entry in own]
    if len(own) > MOST or len(set(names)) < len(names) or not all(map(_OWN.fullmatch, names)):
        return Malformed(reason=f"the own defects are not E1, E2, …, each once, {MOST} at most")
    for flag, entry in entries.items():
        if fault := _status_fault(flag, entry, entries):
            return Malformed(reason=fault)
    upheld = {flag: entry for flag, entry in entries.items() if entry["status"] == "genuine"}
    return _agreeing(text, upheld, dict(zip(names, own, strict=True)), _alarms(entries), graded)


def _status_fault(
    flag: str, entry: Mapping[str, Any], entries: Mapping[str, Mapping[str, Any]]
) -> str:
    """Why the status of a flag is invalid, or ""."""
    status = entry.get("status")
    if status in ("genuine", "false_alarm"):
        return ""
    of = entries.get(str(entry.get("of"))) if status == "duplicate" else None
    is_known = of is not None and of.get("status") in ("genuine", "false_alarm")
    return "" if is_known else f"{flag} has no status that counts"


def _alarms(entries: Mapping[str, Mapping[str, Any]]) -> int:
    """The number of flags that are false alarms, including duplicates."""
    meant = (
        entries[str(entry["of"])] if entry["status"] == "duplicate" else entry
        for entry in entries.values()
    )
    return sum(entry["status"] == "false_alarm" for entry in meant)


def _agreeing(
    text: str,
    upheld: Mapping[str, Mapping[str, Any]],
    own: Mapping[str, Mapping[str, Any]],
    alarms: int,
    graded: Grades,
) -> StepAudit | Malformed:
    said = {item.id: item.body for item in tagged(text, "defect")}
    found: dict[str, StepDefect] = {}
    for name, entry in {**upheld, **own}.items():
        step = entry.get("step")
        if step is not None and (isinstance(step, bool) or step not in graded.wrong):
            return Malformed(reason=f"{name} is a defect of step {step}, which is not wrong")
        if not said.get(name):
            return Malformed(reason=f"{name} is a defect, and nothing says why")
        found[name] = StepDefect(id=name, step=step, words=" ".join(said[name].split()))
    if graded.wrong and not found:
        return Malformed(reason="steps are wrong, and no defect says why")
    if found and not graded.wrong:
        return Malformed(reason="there is a defect, and no step is wrong")
    return StepAudit(
        genuine=tuple(found[name] for name in upheld),
        own=tuple(found[name] for name in own),
        false_alarms=alarms,
        grades=graded,
    )
