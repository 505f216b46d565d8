"""Reads a whole paper once from its PDF: translated into pieces, verified, calibrated.

The baseline is here as well: one request about the whole paper, its PDF in, a list of errors with
places out.

The calibration may add defects of its own, each with a place. Quotes are not checked, because the
text of a PDF is not known without a model.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from pfcore.domain.lazy_regex import regex
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import Outcome
from pfcore.llm.protocol import Document
from pfcore.markup.pf_proof import Component, PfProof
from pfcore.verification.calibrate import (
    Entries,
    Judged,
    audit,
    complete,
    entries_of,
    words_of_findings,
)
from pfcore.verification.prompt import Part
from pfcore.verification.reply_parsing import Malformed, Tagged, count_opened, last_json, tagged
from pfcore.verification.translate import Original, Rewriting, block, rewriting
from pfcore.verification.verify import BlockObjection, Checked, ModuleVerifier, Run, Unread, listed

TRANSLATE, FAITHFUL = "translate-paper", "faithfulness-paper"
INCLUSIVE = "judge-inclusive"

CALIBRATE_PAPER = "calibrate-paper"

DIRECT_PAPER = "direct-paper"

SEEING = frozenset({TRANSLATE, FAITHFUL, CALIBRATE_PAPER, DIRECT_PAPER, INCLUSIVE})
"""The stages that receive the PDF; a block is verified without it."""
LONG = frozenset({TRANSLATE, CALIBRATE_PAPER, DIRECT_PAPER})
"""The stages whose replies are about the whole paper."""
TIMES = 4
"""The factor by which such a reply may exceed the contract's limit."""
LONGEST = 160_000
"""The most characters of a rewriting: about sixty dense pages."""
LABEL = 80
"""The most characters of a label that are passed on."""

_NAME = "paper.pdf"  # the model would see the file's real name, which is not in the key
_TASK: Part = ("Task", "The paper is the attached PDF.")
_QUIET = "There are none: nobody objects to any piece."


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperDefect:
    """An upheld objection and its place: words with a label as printed in the paper."""

    location: str
    judged: Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRead:
    """The result of one reading of a paper; `unread` maps pieces without a verdict to reasons."""

    defects: tuple[PaperDefect, ...]
    pieces: int
    unread: Mapping[str, str]
    unfaithful: tuple[str, ...] = ()
    false_alarms: int = 0


PaperVerdict = PaperRead | Unread


def document(content: bytes) -> Document:
    """A PDF for requests, identified by its content alone."""
    return Document(name=_NAME, digest=sha256(content).hexdigest(), content=content)


def sighted(run: Run, pdf: Document) -> Run:
    """A `run` that adds the PDF to the requests of the stages that need it."""

    async def see(action: Action) -> Outcome:
        return await run(seeing(action, pdf))

    return see


def seeing(action: Action, pdf: Document) -> Action:
    """An action with the PDF, and a larger limit, if its stage needs them."""
    request = action.request
    if action.stage in LONG:
        request = replace(request, limit=TIMES * request.limit)
    if action.stage in SEEING:
        request = replace(request, document=pdf)
    return replace(action, request=request)


async def read_paper(reading: ModuleVerifier, rollout: int) -> PaperVerdict:
    """One reading of the paper that is attached to the reading's actions."""
    original = Original(
        parts=(_TASK,),
        shown=(),
        text="",
        longest=LONGEST,
        translate=TRANSLATE,
        faithful=FAITHFUL,
    )
    made = await rewriting(reading, original, rollout)
    if isinstance(made, Unread):
        return made
    pieces = made.outline.components
    found = await asyncio.gather(
        *(reading.checked(block((), made.outline, piece), rollout) for piece in pieces.values())
    )
    return await _calibrated(reading, made, dict(zip(pieces, found, strict=True)), rollout)


async def _calibrated(
    reading: ModuleVerifier, made: Rewriting, found: Mapping[str, Checked | Unread], rollout: int
) -> PaperVerdict:
    """Have the objections judged with the paper itself; the calibrator is called in any case."""
    pieces = made.outline.components
    objections = [
        BlockObjection(quote=item.quote, problem=f"[{piece_name(pieces[name])}] {item.problem}")
        for name, checked in found.items()
        if isinstance(checked, Checked)
        for item in checked.objections
    ]
    flags = [f"F{number}" for number in range(1, len(objections) + 1)]
    parts: tuple[Part, ...] = (
        ("Pieces", _table(made.outline)),
        ("Objections", listed(flags, objections) or _QUIET),
        ("Note", made.note),
    )
    audit = await reading.asked(
        CALIBRATE_PAPER,
        parts,
        rollout,
        lambda text: parse_paper_calibration(text, flags),
    )
    if isinstance(audit, Unread):
        return audit
    unread = {
        printed_piece(pieces[name]): checked.reason
        for name, checked in found.items()
        if isinstance(checked, Unread)
    }
    return PaperRead(
        defects=audit.defects,
        pieces=len(pieces),
        unread=unread,
        unfaithful=made.unfaithful,
        false_alarms=audit.false_alarms,
    )


def piece_name(piece: Component) -> str:
    """A piece by its name in the rewriting, with its name in the paper."""
    return f"{piece.name}, in the paper: {piece.label[:LABEL]}" if piece.label else piece.name


def printed_piece(piece: Component) -> str:
    """A piece by its name in the paper, with its own name, because a proof may have many pieces."""
    return f"{piece.label[:LABEL]} ({piece.name})" if piece.label else piece.name


def _table(made: PfProof) -> str:
    return "\n".join(f"- {piece_name(piece)}" for piece in made.components.values())


MOST_DEFECTS = 20
"""The most defects that a calibrator may add; a longer list is invalid."""

_PLACE = 200
"""The most characters of a location that count: a longer one is not a place."""
_OWN = regex(r"E[1-9][0-9]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperAudit:
    """What became of the flags of one reading, and the defects found in addition."""

    defects: tuple[PaperDefect, ...]
    false_alarms: int = 0


def parse_paper_calibration(text: str, flags: Sequence[str]) -> PaperAudit | Malformed:
    """The audit in a reply: every flag judged once, own defects consistent, all with locations."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    entries, said = entries_of(choice, flags), words_of_findings(text)
    if isinstance(entries, Malformed):
        return entries
    own = _own(choice, said)
    if isinstance(own, Malformed):
        return own
    made = audit({**entries, **own}, said)
    found = made if isinstance(made, Malformed) else complete(made, text)
    if isinstance(found, Malformed):
        return found
    defects = tuple(
        PaperDefect(location=said[item.flags[0]].inner("location")[:_PLACE], judged=item)
        for item in found.genuine
    )
    for item in defects:
        if not item.location:
            return Malformed(reason=f"{item.judged.flags[0]} is genuine, and has no location")
    return PaperAudit(defects=defects, false_alarms=len(found.false_alarms))


def _own(choice: Mapping[str, Any], said: Mapping[str, Tagged]) -> Entries | Malformed:
    """The calibrator's own defects; the JSON list and the findings must have the same ids."""
    listed = choice.get("own", [])
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        return Malformed(reason='"own" in the JSON block is no list')
    if len(listed) > MOST_DEFECTS:
        return Malformed(
            reason=f"there are {len(listed)} own defects; name the {MOST_DEFECTS} gravest"
        )
    own = {str(entry.get("id")): {**entry, "status": "genuine"} for entry in listed}
    worded = {name for name in said if _OWN.fullmatch(name)}
    if len(own) < len(listed) or set(own) != worded:
        return Malformed(reason="the own defects in the JSON block are not those in the findings")
    return own


MOST_ERRORS = 40
"""The most errors of a paper; a longer list is invalid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedError:
    """A reported error: its location, with a label as printed in the paper, and its description."""

    location: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The errors found in one reading."""

    errors: tuple[ReportedError, ...]


async def read_directly(reading: ModuleVerifier, rollout: int) -> Listed | Unread:
    """One reading of the attached paper by a single request, the paper's baseline."""
    return await reading.asked(DIRECT_PAPER, (_TASK,), rollout, parse_reported_errors)


def parse_reported_errors(text: str) -> Listed | Malformed:
    """The last list of a reply; its length must equal the number in the JSON block."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    last = text[max(0, text.rfind("<errors")) :]
    lists = tagged(last, "errors")
    found = tuple(
        ReportedError(location=item.inner("location")[:_PLACE], words=item.inner("description"))
        for whole in lists
        for item in tagged(whole.body, "error")
    )
    if not lists or len(found) < count_opened(last, "error"):
        return Malformed(reason="there is no list of errors, or an error has no end")
    if not all(item.location and item.words for item in found):
        return Malformed(reason="an error has no location or no description")
    if len(found) > MOST_ERRORS:
        return Malformed(reason=f"there are {len(found)} errors; name the {MOST_ERRORS} gravest")
    count = choice.get("errors")
    if isinstance(count, bool) or count != len(found):
        return Malformed(reason="the number in the JSON block is not that of the list")
    return Listed(errors=found)
