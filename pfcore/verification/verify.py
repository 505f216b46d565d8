"""One module read once: verify, then calibrate what was flagged; a failure is never a verdict.

Verify block: a context in, accepted or objections out.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import NoReply, Outcome
from pfcore.verification import calibrate
from pfcore.verification.calibrate import FlagAudit, Judged
from pfcore.verification.prompt import ActionFactory, Part
from pfcore.verification.quotes import align_quote
from pfcore.verification.reply_parsing import (
    Malformed,
    count_opened,
    last_json,
    tagged,
    unknown_verdict,
)
from pfcore.verification.second_question import (
    NOTHING_MISSED,
    Answer,
    MissedKeys,
    Trace,
    nothing,
    parse_missed,
    parse_used,
    told,
)
from pfcore.verification.task import ContextTask

Run = Callable[[Action], Awaitable[Outcome]]
Value = TypeVar("Value")

SECOND = 500
"""Characters at most that say why a question is asked a second time."""
_QUOTE = 300
"""Characters of an objection's quote that the calibrator is shown."""
_ALL, _FEWEST = 24_000, 240
"""Characters of all reasons together, and of each one if that is too little for many."""
_ENTRY = 60
"""Characters around an objection in the list, at the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """No objection stands; `false_alarms` counts those that did not; `trace` is what was asked."""

    false_alarms: int = 0
    trace: Trace = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged:
    """Objections that the calibrator upholds; `trace` is what was asked for."""

    objections: tuple[Judged, ...]
    false_alarms: int = 0
    trace: Trace = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """No verdict was reached, and why; `trace` is what was asked for before.

    `is_answered`: all replies are stored, and give none, so that nobody is asked again by itself.
    """

    reason: str
    trace: Trace = ()
    is_answered: bool = False


Verdict = Accepted | Flagged | Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockObjection:
    """What a reader holds against a block: the words it is about, and what fails there."""

    quote: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A block was read; without objections it was accepted, unless something is `missed`.

    `used` are the entries that the verdict rests on, as the reader names them; `supplied` is what
    it was told when it asked, and `lacking` what nobody could tell.
    """

    objections: tuple[BlockObjection, ...]
    missed: MissedKeys = NOTHING_MISSED
    used: tuple[str, ...] = ()
    supplied: tuple[Part, ...] = ()
    trace: Trace = ()
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleVerifier:
    """Reads modules under one contract; `generation` counts explicit rechecks."""

    run: Run
    asking: ActionFactory
    generation: int = 0

    async def block(self, task: ContextTask, rollout: int) -> Verdict:
        """The verdict on a module whose text is one block."""
        checked = await self.checked(task.parts, rollout, task.answer)
        if isinstance(checked, Unread):
            return checked
        return await self.calibrated(task, checked, rollout)

    async def checked(
        self, parts: Sequence[Part], rollout: int, answer: Answer = nothing
    ) -> Checked | Unread:
        """What a block verifier says of some parts, and of what it asks for; it may ask once.

        Whoever wants what nobody can tell has accepted nothing, whatever it says at last. What it
        objected to at first is not lost where it says nothing more: the calibrator decides.
        """
        contract = self.asking.contract
        parse = partial(parse_verdict, may_miss=contract.knows_asking)
        first = await self.asked(STAGE, parts, rollout, parse)
        if isinstance(first, Unread) or not first.missed.wanted:
            return first
        if not contract.asks:
            return _unless_lacking(replace(first, lacking=first.missed.wanted))
        given = told(first.missed, answer, rollout)
        is_told = given.lacking != first.missed.wanted
        if not given.parts or not (is_told or first.objections):
            return _unless_lacking(replace(first, trace=given.trace, lacking=first.missed.wanted))
        second = await self.asked(STAGE, (*parts, *given.parts), rollout, parse)
        if isinstance(second, Unread):
            return replace(second, trace=given.trace)
        lacking = (*given.lacking, *second.missed.wanted)
        return _unless_lacking(
            replace(
                second,
                objections=second.objections or first.objections,
                supplied=given.parts,
                trace=given.trace,
                lacking=tuple(dict.fromkeys(lacking)),
            )
        )

    async def calibrated(
        self, task: ContextTask, checked: Checked, rollout: int, note: str = ""
    ) -> Verdict:
        """What becomes of objections when the authors' text is held against them."""
        objections = checked.objections
        if not objections:
            return Accepted(trace=checked.trace)
        flags = [f"F{number}" for number in range(1, len(objections) + 1)]
        parts = (
            *task.parts,
            *checked.supplied,
            ("Objections", listed(flags, objections)),
            ("Note", note),
        )
        audit = await self.asked(
            calibrate.STAGE,
            parts,
            rollout,
            lambda text: calibrate.parse_calibration(text, flags),
            second=lambda found: _misquoted(found, task.text),
        )
        if isinstance(audit, Unread):
            return replace(audit, trace=checked.trace)
        alarms = len(audit.false_alarms)
        if not audit.genuine:
            if checked.lacking:
                return Unread(reason=MissedKeys(wanted=checked.lacking).reason, trace=checked.trace)
            return Accepted(false_alarms=alarms, trace=checked.trace)
        return Flagged(objections=audit.genuine, false_alarms=alarms, trace=checked.trace)

    async def asked(
        self,
        stage: str,
        parts: Sequence[Part],
        rollout: int,
        parse: Callable[[str], Value | Malformed],
        *,
        second: Callable[[Value], str] = lambda value: "",
    ) -> Value | Unread:
        """A stage's value; asked once more where the reply does not count or has a complaint."""
        found = await self._once(stage, parts, rollout, parse)
        if isinstance(found, Unread):
            return found
        complaint = found.reason if isinstance(found, Malformed) else second(found)
        if not complaint:
            return _unread(found) if isinstance(found, Malformed) else found
        again = await self._once(stage, parts, rollout, parse, complaint=complaint[:SECOND])
        if isinstance(again, Malformed | Unread):
            return _unread(again) if isinstance(found, Malformed) else found
        return again

    async def answer(
        self, stage: str, parts: Sequence[Part], rollout: int, complaint: str = ""
    ) -> str | Unread:
        """The text of a reply, or why there is none."""
        found = await self._once(stage, parts, rollout, lambda text: text, complaint=complaint)
        return _unread(found) if isinstance(found, Malformed) else found

    async def _once(
        self,
        stage: str,
        parts: Sequence[Part],
        rollout: int,
        parse: Callable[[str], Value | Malformed],
        *,
        complaint: str = "",
    ) -> Value | Malformed | Unread:
        outcome = await self.run(
            self.asking.action(
                stage, parts, rollout=rollout, generation=self.generation, complaint=complaint
            )
        )
        return (
            Unread(reason=outcome.reason) if isinstance(outcome, NoReply) else parse(outcome.text)
        )


def _unread(found: Malformed | Unread) -> Unread:
    """Without a trace, as what was asked for is known elsewhere."""
    return Unread(reason=found.words if isinstance(found, Malformed) else found.reason)


def listed(flags: Sequence[str], objections: Sequence[BlockObjection]) -> str:
    """Objections for a calibrator, each with its number."""
    room = max(_FEWEST, _ALL // max(1, len(objections)))
    return "\n\n".join(
        f"{flag}\nquote: {_clipped(item.quote, _QUOTE) or '(none)'}\n"
        f"reason: {_clipped(item.problem, room)}"
        for flag, item in zip(flags, objections, strict=True)
    )


def listed_at_most(count: int) -> int:
    """The most characters of a list of so many objections, or fewer."""
    return count * (_QUOTE + _ENTRY) + max(_ALL, _FEWEST * count)


def _clipped(text: str, most: int) -> str:
    """A text, or its beginning if it is longer than that: the calibrator reads no books."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _misquoted(audit: FlagAudit, text: str) -> str:
    """A complaint about quotes that the text does not have."""
    wrong = [item for item in audit.genuine if align_quote(item.quote, text) is None]
    named = ", ".join(item.flags[0] for item in wrong)
    return f"the quotes of {named} do not stand in the authors' text; copy them" if named else ""


def _unless_lacking(checked: Checked) -> Checked | Unread:
    """A reading with objections, else why nothing could be judged."""
    if checked.lacking and not checked.objections:
        return Unread(reason=MissedKeys(wanted=checked.lacking).reason, trace=checked.trace)
    return checked


def _contradiction(verdict: object, *, has_objections: bool, is_wanting: bool) -> str:
    """What a verdict and the lists of a reply say otherwise; "" where they agree."""
    if verdict == "flag" and not has_objections:
        return "the verdict is a flag without an objection"
    if verdict == "accept" and has_objections:
        return "the verdict accepts, and there are objections"
    if verdict == "open" and not is_wanting:
        return "the verdict is open, and nothing is wanted"
    return ""


STAGE = "verify"
MOST = 20
"""Objections to one block at most: a longer list is no reading."""


def parse_verdict(text: str, *, may_miss: bool = True) -> Checked | Malformed:
    """The verdict of a reply: the lists and the JSON block have to say the same.

    Whoever was not told how to say what is missing cannot have said it.
    """
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    verdict = choice.get("verdict")
    words = ("accept", "flag", *(["open"] if may_miss else ()))
    if verdict not in words:
        return unknown_verdict(choice, words)
    last = text[max(0, text.rfind("<objections")) :]
    found = tuple(
        BlockObjection(quote=item.inner("quote"), problem=item.inner("problem"))
        for whole in tagged(last, "objections")
        for item in tagged(whole.body, "objection")
        if item.inner("problem")
    )
    if len(found) < count_opened(last, "objection"):
        return Malformed(reason="an objection has no problem, no end, or no place in the list")
    if len(found) > MOST:
        return Malformed(reason=f"there are {len(found)} objections; name the {MOST} gravest")
    missed = parse_missed(text) if may_miss else NOTHING_MISSED
    if isinstance(missed, Malformed):
        return missed
    fault = _contradiction(verdict, has_objections=bool(found), is_wanting=bool(missed.wanted))
    if fault:
        return Malformed(reason=fault)
    return Checked(objections=found, missed=missed, used=parse_used(text))
