"""A whole paper read once from its PDF: taken apart, verified piece by piece, calibrated."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import Outcome
from pfcore.llm.protocol import Document
from pfcore.markup.pf_proof import Component, PfProof
from pfcore.verification import direct, paper_calibration
from pfcore.verification.fence import Part
from pfcore.verification.paper_calibration import PaperDefect
from pfcore.verification.stages_verify import BlockObjection, Checked
from pfcore.verification.translate import Original, Rewriting, block, rewriting
from pfcore.verification.verify import ModuleVerifier, Run, Unread, listed

TRANSLATE, FAITHFUL = "translate-paper", "faithfulness-paper"
INCLUSIVE = "judge-inclusive"
SEEING = frozenset(
    {TRANSLATE, FAITHFUL, paper_calibration.CALIBRATE_PAPER, direct.DIRECT_PAPER, INCLUSIVE}
)
"""The stages that the PDF goes along with; a block is verified without it."""
LONG = frozenset({TRANSLATE, paper_calibration.CALIBRATE_PAPER, direct.DIRECT_PAPER})
"""The stages whose replies are about all of a paper."""
TIMES = 4
"""How often the contract's limit such a reply may have."""
LONGEST = 160_000
"""Characters of a rewriting at most: about sixty dense pages."""
LABEL = 80
"""Characters of a label that are passed on."""

_NAME = "paper.pdf"  # the file's own name would be seen by the model, and is in no key
_TASK = ("Task", "The paper is the attached PDF.")
_QUIET = "There are none: nobody objects to any piece."


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRead:
    """What one reading of a paper came to; `unread` says which pieces had no verdict, and why."""

    defects: tuple[PaperDefect, ...]
    pieces: int
    unread: Mapping[str, str]
    unfaithful: tuple[str, ...] = ()
    false_alarms: int = 0


PaperVerdict = PaperRead | Unread


def document(content: bytes) -> Document:
    """A PDF as it goes with requests: its content is all that matters of it."""
    return Document(name=_NAME, digest=sha256(content).hexdigest(), content=content)


def sighted(run: Run, pdf: Document) -> Run:
    """Runs actions so that the stages that have to see the paper do."""

    async def see(action: Action) -> Outcome:
        return await run(seeing(action, pdf))

    return see


def seeing(action: Action, pdf: Document) -> Action:
    """An action with the PDF, and with room for a reply about all of it, where its stage wants."""
    request = action.request
    if action.stage in LONG:
        request = replace(request, limit=TIMES * request.limit)
    if action.stage in SEEING:
        request = replace(request, document=pdf)
    return replace(action, request=request)


async def read_paper(reading: ModuleVerifier, rollout: int) -> PaperVerdict:
    """One reading of the paper that the reading's actions see."""
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
    """What becomes of the objections when the paper itself is at hand; it is asked in any case."""
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
        paper_calibration.CALIBRATE_PAPER,
        parts,
        rollout,
        lambda text: paper_calibration.parse_paper_calibration(text, flags),
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
    """A piece by its name in the rewriting, with what the paper calls it."""
    return f"{piece.name}, in the paper: {piece.label[:LABEL]}" if piece.label else piece.name


def printed_piece(piece: Component) -> str:
    """A piece as people find it; its own name comes along, for a proof may have many pieces."""
    return f"{piece.label[:LABEL]} ({piece.name})" if piece.label else piece.name


def _table(made: PfProof) -> str:
    return "\n".join(f"- {piece_name(piece)}" for piece in made.components.values())
