"""Formulas as MathML by latex2mathml, of which only known elements and attributes are kept.

Slow to load: only who makes a page imports this.
"""

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from xml.etree.ElementTree import Element

from latex2mathml import converter, exceptions

from pfcore.reporters.html.elements import settle
from pfcore.reporters.html.tidy import tidy
from pfcore.reporters.printing import safe

_ERRORS = (
    exceptions.DenominatorNotFoundError,
    exceptions.DoubleSubscriptsError,
    exceptions.DoubleSuperscriptsError,
    exceptions.ExtraLeftOrMissingRightError,
    exceptions.InvalidAlignmentError,
    exceptions.InvalidStyleForGenfracError,
    exceptions.InvalidWidthError,
    exceptions.LimitsMustFollowMathOperatorError,
    exceptions.MissingEndError,
    exceptions.MissingSuperScriptOrSubscriptError,
    exceptions.NoAvailableTokensError,
    exceptions.NumeratorNotFoundError,
    # What leaves it where an argument is missing or nests too deep.
    AttributeError,
    LookupError,
    RecursionError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)
_LONGEST = 4_000
_TOKENS = frozenset("mi mn mo ms mtext".split())
_ELEMENTS = _TOKENS | frozenset(
    """math mrow mfrac msqrt mroot mstyle mpadded mphantom mspace msub msup msubsup munder mover
    munderover mmultiscripts mprescripts mtable mtr mtd menclose none""".split()
)
_ATTRIBUTES = frozenset(
    """display displaystyle scriptlevel mathvariant stretchy fence form separator lspace rspace
    minsize maxsize symmetric accent accentunder linethickness columnalign rowspacing columnspacing
    columnlines rowlines width height depth voffset notation movablelimits largeop""".split()
)
_BAR = ' stretchy="false" lspace="0" rspace="0"'
"""A bar is a fence, of which nobody knows whether it opens or closes."""
# Delimiters behind \big and its kin, which the converter leaves as they are.
_SIGNS = {
    r"\{": "{", r"\}": "}", r"\|": "‖", r"\Vert": "‖", r"\lVert": "‖", r"\rVert": "‖",
    r"\vert": "|", r"\lvert": "|", r"\rvert": "|", r"\lbrace": "{", r"\rbrace": "}",
    r"\lbrack": "[", r"\rbrack": "]", r"\langle": "⟨", r"\rangle": "⟩", r"\lfloor": "⌊",
    r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉", r"\llbracket": "⟦", r"\rrbracket": "⟧",
    r"\downarrow": "↓", r"\uparrow": "↑", r"\Downarrow": "⇓", r"\Uparrow": "⇑",
    r"\updownarrow": "↕", r"\backslash": "\\", r"\ulcorner": "⌜", r"\urcorner": "⌝",
}  # fmt: skip
_UNKNOWN = re.compile(r"\\(?:[A-Za-z]+|\d)")
_CLASSES = frozenset("left right bold sans mono slanted".split())
_VALUE = re.compile(r"[\w .%+-]*")
_SCRIPTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2}
_SCRIPTS |= {"msubsup": 3, "munderover": 3}


@lru_cache(maxsize=8_192)
def formula_mathml(text: str, *, display: bool) -> str | None:
    """A formula as MathML; None where it has commands with arguments that nobody here knows.

    An unknown command without arguments stays as it is, among what is known.
    """
    if len(text) > _LONGEST:
        return None
    kind = "block" if display else "inline"
    try:
        found = converter.convert_to_element(tidy(text), display=kind)
        settle(found)
        return _written(found)
    except _ERRORS:
        return None


def _written(element: Element) -> str:
    """An element with all inside of it; ValueError where a command was left as it is."""
    tag = element.tag
    if tag not in _ELEMENTS:
        raise ValueError(tag)
    if tag in _TOKENS and len(element):  # a token with structure inside is a row
        tag = "mrow"
    if len(element) != _SCRIPTS.get(tag, len(element)):
        raise ValueError(tag)
    words = _token_words(element)
    if words.startswith("\\") and len(words) > 1:
        raise ValueError(words)
    inner = html.escape(words) + "".join(_inner(element))
    bar = _BAR if words in ("|", "‖") and not {"form", "minsize"} & set(element.attrib) else ""
    return f"<{tag}{bar or _attributes(element, tag)}>{inner}</{tag}>"


def _token_words(element: Element) -> str:
    """What a token says; of the spaces at its ends browsers keep hard ones alone."""
    text = element.text or ""
    words = _SIGNS.get(text) or safe(text)
    if element.tag != "mtext" or not text:
        return words
    return "\u00a0" * text[0].isspace() + words + "\u00a0" * (text[-1].isspace() and bool(words))


def _inner(element: Element) -> Iterator[str]:
    """What is inside; a command that nobody knows stays, if it has no arguments."""
    inner = list(element)
    for number, child in enumerate(inner):
        if child.tag != "mi" or len(child) or not _UNKNOWN.fullmatch(child.text or ""):
            yield _written(child)
            continue
        if element.tag not in _SCRIPTS and _is_argument(inner[number + 1 :]):
            raise ValueError(child.text)
        yield f'<mtext class="tex">{child.text}</mtext>'


def _is_argument(following: list[Element]) -> bool:
    """Whether what follows a command may be its argument: a group, or an opening bracket."""
    first = next((item for item in following if item.tag != "mrow" or len(item)), None)
    if first is not None and first.tag in _SCRIPTS and len(first):
        first = first[0]
    return first is not None and (first.tag == "mrow" or first.text == "[")


def _attributes(element: Element, tag: str) -> str:
    name = element.get("columnalign" if tag == "mtd" else "class", "")
    if name in _CLASSES:  # browsers leave this to style sheets
        return f' class="{name}"'
    return "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _VALUE.fullmatch(value) and tag != "mrow"
    )
