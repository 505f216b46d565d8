"""Reads one module once: verify, then calibrate what was flagged; a failure is never a verdict."""

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
"""The most characters of the reason for asking a second time."""
_QUOTE = 300
"""The most characters of an objection's quote that the calibrator sees."""
_ALL, _FEWEST = 24_000, 240
"""The most characters of all reasons together, and the least for each one of many."""
_ENTRY = 60
"""The most characters around an objection in the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """No objection was upheld; `false_alarms` counts the others; `trace` is what was asked for."""

    false_alarms: int = 0
    trace: Trace = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged:
    """The objections that the calibrator upholds; `trace` is what was asked for."""

    objections: tuple[Judged, ...]
    false_alarms: int = 0
    trace: Trace = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """No verdict was reached, and why; `trace` is what was asked for before.

    `is_answered`: all replies are stored and yield no verdict, so asking again must be explicit.
    """

    reason: str
    trace: Trace = ()
    is_answered: bool = False


Verdict = Accepted | Flagged | Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockObjection:
    """A reader's objection to a block: the words that it is about, and what fails there."""

    quote: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The reading of a block; without objections it was accepted, unless something is `missed`.

    `used` are the entries that the verdict depends on, as the reader names them; `supplied` are
    the answers to its requests, and `lacking` the keys without an answer.
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
        """The block verifier's reading of some parts; it may ask for more material once.

        A reader that wants something which cannot be supplied has not accepted, whatever its last
        verdict. If the second reading has no objections, those of the first go to the calibrator.
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
        """The verdict after the calibrator has compared the objections with the authors' text."""
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
        """A stage's value; requested once more if the reply is invalid or `second` complains."""
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
    """An unread value without a trace; the caller adds the trace."""
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
    """The most characters of a list of up to `count` objections."""
    return count * (_QUOTE + _ENTRY) + max(_ALL, _FEWEST * count)


def _clipped(text: str, most: int) -> str:
    """A text, cut to `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _misquoted(audit: FlagAudit, text: str) -> str:
    """A complaint about quotes that are not in the text, or ""."""
    wrong = [item for item in audit.genuine if align_quote(item.quote, text) is None]
    named = ", ".join(item.flags[0] for item in wrong)
    return f"the quotes of {named} do not stand in the authors' text; copy them" if named else ""


def _unless_lacking(checked: Checked) -> Checked | Unread:
    """The reading, unless it has no objections and lacks something: then why nothing was judged."""
    if checked.lacking and not checked.objections:
        return Unread(reason=MissedKeys(wanted=checked.lacking).reason, trace=checked.trace)
    return checked


def _contradiction(verdict: object, *, has_objections: bool, is_wanting: bool) -> str:
    """A contradiction between the verdict and the lists of a reply; "" if they agree."""
    if verdict == "flag" and not has_objections:
        return "the verdict is a flag without an objection"
    if verdict == "accept" and has_objections:
        return "the verdict accepts, and there are objections"
    if verdict == "open" and not is_wanting:
        return "the verdict is open, and nothing is wanted"
    return ""


STAGE = "verify"
MOST = 20
"""The most objections to one block; a longer list is invalid."""


def parse_verdict(text: str, *, may_miss: bool = True) -> Checked | Malformed:
    """The verdict in a reply, whose lists and JSON block must agree.

    `may_miss`: the prompt explains how to ask for missing material.
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
