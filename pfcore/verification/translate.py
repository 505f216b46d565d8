"""Verifies a proof in pieces: translate, compare with the original, then verify each piece alone.

Also builds the complaints with which a translation is requested again, and parses the replies about
faithfulness.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import LineIndex
from pfcore.markup.pf_proof import Component, PfProof, outline
from pfcore.markup.tagged_sections import read_sections
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import Part
from pfcore.verification.quotes import find_quote
from pfcore.verification.reply_parsing import (
    Malformed,
    count_opened,
    last_json,
    tagged,
    unknown_verdict,
)
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import (
    Accepted,
    BlockObjection,
    Checked,
    ModuleVerifier,
    Unread,
    Verdict,
)

ORIGINAL = "The original"
_AROUND = "The rewriting so far"
_WHOLE = "The rewriting"
_PIECE = "The piece"
_LAST = "The last attempt"
_BETWEEN = "between the pieces"
"""The place of a difference that a reply assigns to no piece of the rewriting."""
_GROWTH, _SLACK = 4, 8_000
_NOTE = "The rewriting that the readers saw was not faithful in these pieces: {pieces}."
_MUCH = 6
"""The fewest characters in a row that matter if all pieces lack them: "Thus," does not."""
_HEADS = regex(r"\A\w+\.|^Proof(?: \d+)?\.", re.MULTILINE)
_INSERTED = regex(r"\[[^\[\]]*\]")
_TOKEN = regex(r"\\[A-Za-z]+|\w+|[^\w\s]")

_VERDICTS = ("faithful", "unfaithful")
TRANSLATE, FAITHFUL = "translate", "faithfulness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """What is translated, by which stages, and what rewritings are compared with.

    `parts` are for the translator, `shown` for the comparison; `text` are the words that a piece
    may take over without being compared, if they are known; `longest` is the most characters of a
    rewriting.
    """

    parts: tuple[Part, ...]
    shown: tuple[Part, ...]
    text: str
    longest: int
    translate: str = TRANSLATE
    faithful: str = FAITHFUL


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """A translated proof, and the names of the pieces that are still unfaithful."""

    outline: PfProof
    unfaithful: tuple[str, ...]

    @property
    def note(self) -> str:
        """A note about it for the calibrator; "" if there is nothing to say."""
        pieces = ", ".join(self.unfaithful)
        return _NOTE.format(pieces=pieces) if pieces else ""


async def fine(reading: ModuleVerifier, task: ContextTask, rollout: int) -> Verdict:
    """The verdict on a module whose proof is translated into pieces.

    If the rewriting stays unfaithful, its acceptance does not count for the proof, which is then
    read as it stands.
    """
    made = await rewriting(reading, _original(task), rollout)
    if isinstance(made, Unread):
        return made
    if len(made.outline.components) < 2:
        return await reading.block(task, rollout)
    found = await asyncio.gather(
        *(
            reading.checked(block(task.given, made.outline, piece), rollout, task.answer)
            for piece in made.outline.components.values()
        )
    )
    verdict = await _together(reading, task, rollout, made, found)
    if made.unfaithful and isinstance(verdict, Accepted):
        whole = await reading.block(task, rollout)
        return replace(whole, trace=(*verdict.trace, *whole.trace))
    return verdict


async def _together(
    reading: ModuleVerifier,
    task: ContextTask,
    rollout: int,
    made: Rewriting,
    found: Sequence[Checked | Unread],
) -> Verdict:
    """Calibrate the objections to all pieces together; an unread piece prevents acceptance."""
    objections = tuple(
        BlockObjection(quote=_own_words(item.quote, task.text), problem=f"[{name}] {item.problem}")
        for name, checked in zip(made.outline.components, found, strict=True)
        if isinstance(checked, Checked)
        for item in checked.objections
    )
    unread = [
        f"{name}: {checked.reason}"
        for name, checked in zip(made.outline.components, found, strict=True)
        if isinstance(checked, Unread)
    ]
    read = [checked for checked in found if isinstance(checked, Checked)]
    whole = Checked(
        objections=objections,
        supplied=tuple(dict.fromkeys(part for checked in read for part in checked.supplied)),
        trace=tuple(dict.fromkeys(key for checked in found for key in checked.trace)),
        lacking=tuple(dict.fromkeys(key for checked in read for key in checked.lacking)),
    )
    verdict = await reading.calibrated(task, whole, rollout, made.note)
    if unread and isinstance(verdict, Accepted):
        return Unread(reason="; ".join(unread), trace=whole.trace)
    return verdict


def _own_words(quote: str, text: str) -> str:
    """A quote without the insertions in brackets that the translator added."""
    if find_quote(quote, text) is not None:
        return quote
    bare = " ".join(_INSERTED.sub(" ", quote).split())
    return bare if find_quote(bare, text) is not None else quote


def _original(task: ContextTask) -> Original:
    shown = "\n\n".join([*(f"{title}\n{text}" for title, text in task.given), task.text])
    return Original(
        parts=task.parts, shown=((ORIGINAL, shown),), text=task.text, longest=longest(task)
    )


async def rewriting(
    reading: ModuleVerifier, original: Original, rollout: int
) -> Rewriting | Unread:
    """Translate until the form is valid and every piece faithful, as often as the contract allows.

    A rewriting that is still unfaithful after the last attempt is kept, with the names of these
    pieces; one whose form is still invalid is not.
    """
    attempts = reading.asking.contract.attempts
    complaint = last = fault = ""
    for attempt in range(reading.asking.contract.rewritings):
        parts = (*original.parts, (_LAST, last))
        text = await reading.answer(original.translate, parts, rollout, complaint)
        if isinstance(text, Unread):
            return text
        last, made = text[: original.longest], outline(read_sections(text))
        fault = _fault(made, text, original, reading.asking.contract)
        if fault:
            complaint = form_in_words(fault, made, text)
            continue
        if not attempts:
            return Rewriting(outline=made, unfaithful=())
        compared = await _compared(reading, original, made, rollout)
        if isinstance(compared, Unread):
            return compared
        if not compared or attempt == attempts:
            return Rewriting(outline=made, unfaithful=tuple(compared))
        complaint = differences_in_words(compared)
    return Unread(reason=f"the translation is still malformed: {fault}")


def longest(task: ContextTask) -> int:
    """The most characters of a rewriting: each piece repeats its hypotheses."""
    return _GROWTH * task.length + _SLACK


def _fault(made: PfProof, text: str, original: Original, contract: Contract) -> str:
    """The first fault in the form of a rewriting, or ""."""
    if len(made.components) > contract.pieces:
        return f"there are {len(made.components)} pieces; at most {contract.pieces} may be"
    if len(text) > original.longest:
        return f"it has {len(text):,} characters; at most {original.longest:,} may be"
    return made.faults[0].message if made.faults else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessGap:
    """A difference: what the original says, what the rewriting says, and its effect.

    `piece` is the place as the reply names it; "" if only one piece was compared.
    """

    piece: str = ""
    original: str
    rewriting: str
    effect: str


async def _compared(
    reading: ModuleVerifier, original: Original, made: PfProof, rollout: int
) -> dict[str, tuple[FaithfulnessGap, ...]] | Unread:
    """The differences by piece; text that was taken over needs no comparison."""
    taken = _taken_over(made, original.text)
    pieces = [piece for piece in made.components.values() if piece.name not in taken]
    if pieces and reading.asking.contract.compares_whole(original.faithful):
        return await _compared_whole(reading, original, made, rollout)
    found = await asyncio.gather(
        *(
            reading.asked(
                original.faithful,
                _pair(original, made, piece),
                rollout,
                parse_faithfulness,
            )
            for piece in pieces
        )
    )
    differences: dict[str, tuple[FaithfulnessGap, ...]] = {}
    for piece, compared in zip(pieces, found, strict=True):
        if isinstance(compared, Unread):
            return compared
        if compared.differences:
            differences[piece.name] = compared.differences
    return differences


async def _compared_whole(
    reading: ModuleVerifier, original: Original, made: PfProof, rollout: int
) -> dict[str, tuple[FaithfulnessGap, ...]] | Unread:
    """The differences by piece, from one request about the whole rewriting."""
    listed = "\n\n".join(_called(piece) for piece in made.components.values())
    parts = (*original.shown, (_WHOLE, listed))
    compared = await reading.asked(original.faithful, parts, rollout, parse_faithfulness)
    if isinstance(compared, Unread):
        return compared
    differences: dict[str, tuple[FaithfulnessGap, ...]] = {}
    for item in compared.differences:
        name = " ".join(item.piece.split())
        where = name if name in made.components else _BETWEEN
        differences[where] = (*differences.get(where, ()), item)
    return differences


def _taken_over(made: PfProof, text: str) -> frozenset[str]:
    """The pieces that are verbatim from the original, if the pieces leave out nothing of it.

    White space is ignored. If something is left out, every piece is compared, because a truncated
    statement is verbatim as well.
    """
    known = _TOKEN.findall(_HEADS.sub(" ", text))
    bodies = {
        name: [_TOKEN.findall(body) for body in (piece.statement.body, _proof(piece))]
        for name, piece in made.components.items()
    }
    left = list(known)
    taken = set(bodies)
    for name, both in bodies.items():
        for body in both:
            start = _place(body, known)
            taken -= {name} if start is None else set()
            runs = _common(body, known) if start is None else [(start, len(body))]
            for first, size in runs:
                left[first : first + size] = [""] * size
    return frozenset(taken) if not _is_much(left) else frozenset()


def _place(body: Sequence[str], known: Sequence[str]) -> int | None:
    """The index at which the words of a piece occur in a row."""
    size = len(body)
    places = range(len(known) - size + 1)
    return next((i for i in places if known[i : i + size] == body), None)


def _common(body: Sequence[str], known: Sequence[str]) -> Iterator[tuple[int, int]]:
    for block in SequenceMatcher(None, known, body).get_matching_blocks():
        yield block.a, block.size


def _is_much(left: Iterable[str]) -> bool:
    """Whether so many characters in a row are left over that something may be missing."""
    row = 0
    for token in left:
        row = row + len(token) if token else 0
        if row >= _MUCH:
            return True
    return False


def _proof(piece: Component) -> str:
    return piece.proof.body if piece.proof else ""


def _pair(original: Original, made: PfProof, piece: Component) -> tuple[Part, ...]:
    around = "\n\n".join(
        f"{other.name}. {other.statement.body.strip()}"
        for other in made.components.values()
        if other.name != piece.name
    )
    return *original.shown, (_AROUND, around), (_PIECE, _called(piece))


def _called(piece: Component) -> str:
    """A piece, with its name in the original if known."""
    called = f"In the original: {piece.label}\n\n" if piece.label else ""
    return called + words_of_piece(piece)


def block(given: Sequence[Part], made: PfProof, piece: Component) -> tuple[Part, ...]:
    """The parts for the verifier of one piece: its setting is separate from what it may use."""
    setting = [f"{other.name}. {other.statement.body.strip()}" for other in _above(made, piece)]
    cited = [made.components[name] for name in piece.cites]
    usable = [f"{other.name}. {other.statement.body.strip()}" for other in cited]
    known = dict(given)
    return (
        ("Setting", _joined(known.get("Setting", ""), *setting)),
        ("Definitions", known.get("Definitions", "")),
        ("What may be used", _joined(known.get("What may be used", ""), *usable)),
        *((title, text) for title, text in given if title not in _KNOWN),
        ("To be checked", words_of_piece(piece)),
    )


_KNOWN = frozenset({"Setting", "Definitions", "What may be used"})


def _above(made: PfProof, piece: Component) -> Iterator[Component]:
    """The proposition of a lemma, and the theorems; these are not yet verified."""
    if piece.parent:
        yield made.components[piece.parent]
    if piece.statement.kind != "theorem":
        yield from (
            other for other in made.components.values() if other.statement.kind == "theorem"
        )


def _joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)


def words_of_piece(piece: Component) -> str:
    """A piece as its reader sees it: name, statement and proof."""
    proof = piece.proof.body.strip() if piece.proof else ""
    return f"{piece.name}. {piece.statement.body.strip()}\n\nProof. {proof}"


_MOST = 20


def form_in_words(fault: str, made: PfProof, text: str) -> str:
    """The faults of a translation's form, with line numbers; `fault` first if it is another one."""
    lines = LineIndex(text)
    listed = [
        f"line {lines.place(fault.start)[0]}: {fault.message}" for fault in made.faults[:_MOST]
    ]
    if all(fault != item.message for item in made.faults):
        listed.insert(0, fault)
    return "The form is wrong:\n" + "\n".join(f"- {line}" for line in listed)


def differences_in_words(found: Mapping[str, tuple[FaithfulnessGap, ...]]) -> str:
    """The differences from the original, piece by piece; "" if there are none."""
    listed = [
        f"- {name}: the original has: {item.original}; the rewriting has: {item.rewriting}; "
        f"by that {item.effect}"
        for name, differences in found.items()
        for item in differences
    ]
    return "\n".join(["These pieces are not faithful:", *listed]) if listed else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessReply:
    """The result of comparing a piece; without differences it is faithful."""

    differences: tuple[FaithfulnessGap, ...]


def parse_faithfulness(text: str) -> FaithfulnessReply | Malformed:
    """The verdict in a reply."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    found = tuple(
        FaithfulnessGap(
            piece=item.inner("piece"),
            original=item.inner("original"),
            rewriting=item.inner("rewriting"),
            effect=item.inner("effect"),
        )
        for item in tagged(text, "difference")
        if item.inner("effect")
    )
    if len(found) < count_opened(text, "difference"):
        return Malformed(reason="a difference has no effect or no end")
    verdict = choice.get("verdict")
    if verdict not in _VERDICTS:
        return unknown_verdict(choice, _VERDICTS)
    if (verdict == "unfaithful") != bool(found):
        return Malformed(reason="the verdict and the list of differences disagree")
    return FaithfulnessReply(differences=found)
