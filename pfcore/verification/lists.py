"""Lists of places in words: "Lemmas 3.1 and 3.2" are two, "Theorems 1–3" are three."""

import re
from collections.abc import Iterator

from pfcore.verification.locations import is_labelled, leading

_SPLIT = re.compile(r"\s*(?:[,;&/]\s*(?:and\b)?|\band\b)\s*")
_PROOF = re.compile(r"^(?:the\s+)?proof\s+of\s+", re.IGNORECASE)
_PROOF_OF = re.compile(r"^(?:the\s+)?(?:proofs?|statements?)\s+of\s+(?:the\s+)?", re.IGNORECASE)
_MANY = re.compile(r"(?P<word>[A-Za-z]+?)(?P<end>ies|s)(?=\.?\s+\(?[\dA-Z])")
_KIND = re.compile(r"[A-Za-z]+(?=\.?\s+\(?[\dA-Z])")
_BARE = re.compile(r"(?:\d+|[A-Z])(?:\.\w+)*['′]*(?=\W*\Z)")
_RANGE = re.compile(
    r"(?P<kind>[A-Za-z]+)\.?\s+\(?(?P<chapter>(?:\w+\.)*)(?P<first>\d{1,4})\)?"
    r"\s*(?:[-–—]|to|through)\s*(?:(?P=kind)\.?\s+)?\(?(?P=chapter)(?P<last>\d{1,4})(?![\w.]*\w)"
)
_LONGEST = 50
"""Results that a range names at the most: a longer one is no range."""


def items(text: str) -> list[str]:
    """The places of a list, each with its kind; words without a label stay with what is before."""
    return [item for piece in _pieces(text) for item in _ranged(piece)]


def singular(words: str) -> str:
    """Words that begin with many of a kind, "Lemmas 3" say, as of one."""
    many = _MANY.match(words)
    one = many["word"] + ("y" if many["end"] == "ies" else "") if many else ""
    return one + words[many.end() :] if many and is_labelled(f"{one} 1") else words


def _pieces(text: str) -> list[str]:
    """A list cut where a label follows a separator, or a number where the kind is said once."""
    found: list[str] = []
    at, kind = 0, _repeated(text)
    for cut in _SPLIT.finditer(text):
        rest = text[cut.end() :]
        is_number = bool(kind and _BARE.match(_SPLIT.split(rest, maxsplit=1)[0]))
        label = leading(singular(_PROOF.sub("", rest)))
        if is_number or (label and not label.startswith(("Equation", "Section"))):
            found.append(_with(kind, text[at : cut.start()]))
            at, kind = cut.end(), kind if is_number else _repeated(rest)
    return [*found, _with(kind, text[at:])]


def _repeated(text: str) -> str:
    """The kind of which a text says that it speaks of many."""
    words = _PROOF_OF.sub("", text)
    one = singular(words)
    named = _KIND.match(one)
    return named[0] if named and one != words else ""


def _with(kind: str, piece: str) -> str:
    """A piece with a kind of its own, in the singular."""
    words = _PROOF_OF.sub("", piece.strip())
    if kind and _BARE.match(words):
        return f"{kind} {words}"
    one = singular(words)
    return piece if one == words else one


def _ranged(piece: str) -> Iterator[str]:
    """What a range names; of another piece itself."""
    found = _RANGE.search(piece)
    numbers = range(int(found["first"]), int(found["last"]) + 1) if found else range(0)
    if found is None or not 1 < len(numbers) <= _LONGEST:
        yield piece
        return
    for number in numbers:
        yield f"{found['kind']} {found['chapter']}{number}"
