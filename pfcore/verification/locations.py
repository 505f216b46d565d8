"""Identifies places of a paper by their printed labels, so that all readings agree on a place.

Also splits lists of places: "Lemmas 3.1 and 3.2" are two, "Theorems 1–3" are three.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex

_KINDS = {
    "theorem": "theorem thm thms th theo",
    "lemma": "lemma lem lm",
    "proposition": "proposition prop props",
    "corollary": "corollary cor coroll",
    "definition": "definition def defn",
    "conjecture": "conjecture conj",
    "remark": "remark rem rmk",
    "example": "example ex exa",
    "claim": "claim",
    "fact": "fact",
    "observation": "observation obs",
    "assumption": "assumption ass",
    "hypothesis": "hypothesis hyp",
    "problem": "problem prob",
    "algorithm": "algorithm alg",
    "equation": "equation eq eqn formula",
    "section": "section sec sect subsection §",
    "appendix": "appendix app",
}
_NAMED = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_WIDE = frozenset({"section", "appendix"})
"""Kinds of places that contain many others: further words distinguish those."""
_RESULTS = frozenset({"theorem", "lemma", "proposition", "corollary", "definition", "conjecture"})
"""Kinds whose numbers are unique in a paper; claims and facts are renumbered in every proof."""
_ONCE = _RESULTS | _WIDE | {"equation"}

_MARKS = regex(r"\\(?:textbf|textit|emph|text)\b|[*_`$\\{}~\s]+")
_BEFORE = regex(
    r"(?:(?:pages?|pp?\.?)\s*\d{1,4}(?:\s*[-–—]{1,2}\s*\d{1,4})?\s*[,:;]\s*)?"
    r"(?:in\s+)?(?:the\s+)?"
    r"(?:(?:proof|(?:re)?statement|end|beginning|part)s?\s+(?:of|in)\s+)?(?:the\s+)?",
    re.IGNORECASE,
)
_LABEL = regex(
    r"(?P<kind>[A-Za-z]+|§)\.?\s*(?:no\.?\s*)?\(?"
    r"(?P<number>(?:\d+|(?<![A-Za-z])(?:[A-Z]|[IVX]+))(?:\.(?:\d+|[A-Z]))*[a-z]?['′]*)"
    r"(?![\w.]*\w)\)?",
    re.IGNORECASE,
)
_EQUATION = regex(r"\((\d+(?:\.\d+)*[a-z]?['′]*)\)")
_BEHIND = regex(
    r"\s*(?:[,;:(\[]|[–—-](?!\s*\(?\d+(?:\.\d+)*\b)|'s\b|(?:in|on|at|from|proof|statement|restated|"
    r"and\s+its)\b|$)",
    re.IGNORECASE,
)
"""What may follow a label: not a second number, as in a range."""
_ENDS = " .,;:"


class PrintedPlace(NamedTuple):
    """A place: a key that identifies it, and a name for display."""

    key: str
    shown: str


def printed_place(text: str) -> PrintedPlace:
    """The place that some words name.

    "Proof of Lemma 4.3", "Lem. 4.3, Step 2" and "Lemma 4.3" are the same place; words with no
    label, or with more than one, are a place of their own.
    """
    plain, bare = _bare(text)
    named = _named(bare)
    if named:
        return PrintedPlace(named.casefold(), named)
    shown = bare or plain
    return PrintedPlace(shown.casefold(), shown)


def is_labelled(text: str) -> bool:
    """Whether some words name a place by kind and number, such as "Proof of Lemma 4.3"."""
    return bool(_named(_bare(text)[1]))


def is_result(text: str) -> bool:
    """Whether some words name a result by a number that is unique in its paper."""
    return _named(_bare(text)[1]).partition(" ")[0].lower() in _RESULTS


def is_unique(text: str) -> bool:
    """Whether some words name a place by a label that is unique in its paper."""
    return _named(_bare(text)[1]).partition(" ")[0].lower() in _ONCE


def leading(text: str) -> str:
    """The label at the start of a text, whatever follows; "" if there is none."""
    label = _LABEL.match(text)
    kind = _NAMED.get(label["kind"].lower()) if label else None
    return f"{kind.capitalize()} {_number(label['number'])}" if label and kind else ""


def _bare(text: str) -> tuple[str, str]:
    """The words without marks; also without a lead-in to the label, unless there are several."""
    plain = " ".join(_MARKS.sub(" ", text.replace("’", "'").replace("′", "'")).split())
    plain = plain.strip(_ENDS)
    bare = plain[_end(_BEFORE, plain) :].strip(_ENDS)
    return plain, plain if _end(_BEFORE, bare) else bare


def _end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _named(text: str) -> str:
    """The kind and number that a text names; "" if it names something else.

    A label inside a section, as in "Section 2, Lemma 3", takes precedence over the section.
    """
    for _ in range(_DEEPEST):
        equation = _EQUATION.fullmatch(text)
        if equation:
            return f"Equation {equation[1]}"
        label = _LABEL.match(text)
        kind = _NAMED.get(label["kind"].lower()) if label else None
        if label is None or kind is None:
            return ""
        rest = text[label.end() :]
        if kind not in _WIDE or not rest.strip(_ENDS):
            is_named = _BEHIND.match(rest)
            return f"{kind.capitalize()} {_number(label['number'])}" if is_named else ""
        inner = rest.strip(f"{_ENDS}()")
        text = inner[_end(_BEFORE, inner) :]
    return ""


_DEEPEST = 12
"""How many nested chapters, sections and so on are searched for a label."""


def _number(text: str) -> str:
    """A number with a leading letter in upper case ("a.1" becomes "A.1")."""
    if text[0].isdigit():
        return text
    return text[0].upper() + text[1:]


_SPLIT = regex(r"\s*(?:[,;&/]\s*(?:and\b)?|\band\b)\s*")
_PROOF = regex(r"^(?:the\s+)?proof\s+of\s+", re.IGNORECASE)
_PROOF_OF = regex(r"^(?:the\s+)?(?:proofs?|statements?)\s+of\s+(?:the\s+)?", re.IGNORECASE)
_MANY = regex(r"(?P<word>[A-Za-z]+?)(?P<end>ies|s)(?=\.?\s+\(?[\dA-Z])")
_KIND = regex(r"[A-Za-z]+(?=\.?\s+\(?[\dA-Z])")
_BARE = regex(r"\(?(?:\d+|[A-Z])(?:\.\w+)*['′]*\)?(?=\W*\Z)")
_JOINED = regex(r"[/&]|\band\b")
_RANGE = regex(
    r"(?P<kind>[A-Za-z]+)\.?\s+\(?(?P<chapter>(?:\w+\.)*)(?P<first>\d{1,4})\)?"
    r"\s*(?:[-–—]|to|through)\s*(?:(?P=kind)\.?\s+)?\(?(?P=chapter)(?P<last>\d{1,4})(?![\w.]*\w)"
)
_LONGEST = 50
"""The most results in a range: a longer one is not taken for a range."""


def items(text: str) -> list[str]:
    """The places of a list, each with its kind; words without a label stay with the one before."""
    return [item for piece in _pieces(text) for item in _ranged(piece)]


def singular(words: str) -> str:
    """Words that begin with a plural kind, such as "Lemmas 3", in the singular."""
    many = _MANY.match(words)
    one = many["word"] + ("y" if many["end"] == "ies" else "") if many else ""
    return one + words[many.end() :] if many and is_labelled(f"{one} 1") else words


def _pieces(text: str) -> list[str]:
    """A list, cut before each label, or before each number if the kind is given only once."""
    found: list[str] = []
    at, kind = 0, _repeated(text)
    for cut in _SPLIT.finditer(text):
        rest = text[cut.end() :]
        if not kind and _JOINED.search(cut[0]):
            kind = leading(_PROOF_OF.sub("", text[at : cut.start()].strip())).partition(" ")[0]
        is_number = bool(kind and _BARE.match(_SPLIT.split(rest, maxsplit=1)[0]))
        is_number = is_number and (rest[0] != "(" or _NAMED.get(kind.lower()) == "equation")
        label = leading(singular(_PROOF.sub("", rest)))
        if is_number or (label and not label.startswith(("Equation", "Section"))):
            found.append(_with(kind, text[at : cut.start()]))
            at, kind = cut.end(), kind if is_number else _repeated(rest)
    return [*found, _with(kind, text[at:])]


def _repeated(text: str) -> str:
    """The kind that a text gives in the plural; "" if there is none."""
    words = _PROOF_OF.sub("", text)
    one = singular(words)
    named = _KIND.match(one)
    return named[0] if named and one != words else ""


def _with(kind: str, piece: str) -> str:
    """A piece with its kind added if it has none, in the singular."""
    words = _PROOF_OF.sub("", piece.strip())
    if kind and _BARE.match(words):
        return f"{kind} {words}"
    one = singular(words)
    return piece if one == words else one


def _ranged(piece: str) -> Iterator[str]:
    """The places in a range of labels, and a label before it; any other piece is kept.

    Ranges of pages and items are kept, because they only locate something inside a place.
    """
    found = _RANGE.search(piece)
    numbers = range(int(found["first"]), int(found["last"]) + 1) if found else range(0)
    is_of_labels = found is not None and bool(leading(singular(f"{found['kind']} 1")))
    if found is None or not is_of_labels or not 1 < len(numbers) <= _LONGEST:
        yield piece
        return
    if is_labelled(before := piece[: found.start()].strip(_ENDS)):
        yield before
    for number in numbers:
        yield f"{found['kind']} {found['chapter']}{number}"
