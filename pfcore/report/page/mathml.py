"""Formulas as MathML by latex2mathml, of which only known elements and attributes are kept.

Slow to load: only who makes a page imports this.
"""

import html
import re
from functools import lru_cache
from xml.etree.ElementTree import Element

from latex2mathml import converter, exceptions

from pfcore.report.plain import safe

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
_VALUE = re.compile(r"[\w .%+-]*")
_SCRIPTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2}
_SCRIPTS |= {"msubsup": 3, "munderover": 3}

# Commands that mean nothing to a formula on a page, and those that have a known equivalent.
_IDLE = re.compile(
    r"\\(?:ensuremath|xspace|relax|expandafter|hfil|joinrel|nonumber|notag|nolimits|allowbreak|"
    r"protect|leavevmode|noindent|centering|strut|mathstrut|thinspace|nobreak|null)(?![A-Za-z])"
    r"|\\(?:label|raisebox)\s*\{[^{}]*\}|[\x00-\x1f]"
)
_EQUIVALENT = {
    "vcentcolon": ":", "coloneqq": ":=", "eqqcolon": "=:", "Relbar": "=", "mbox": r"\text",
    "textsc": r"\text", "textnormal": r"\text", "hbox": r"\text", "mathds": r"\mathbb",
    "bm": r"\boldsymbol", "dfrac": r"\frac", "defeq": ":=", "colon": ":", "centerdot": r"\cdot",
}  # fmt: skip
_NAMED = re.compile(rf"\\({'|'.join(_EQUIVALENT)})(?![A-Za-z])")
# The idiom by which macros ask whether an argument is empty.
_EMPTY = re.compile(r"\\if\\relax\\detokenize\{([^{}]*)\}\\relax ?(.*?)\\else ?(.*?)\\fi", re.S)
_TEXT = re.compile(r"\\text\s*\{([^{}]*\$[^{}]*)\}")


@lru_cache(maxsize=8_192)
def formula(text: str, *, display: bool) -> str | None:
    """A formula as MathML; None where it has commands that nobody here knows."""
    if len(text) > _LONGEST:
        return None
    kind = "block" if display else "inline"
    try:
        found = converter.convert_to_element(_tidy(text), display=kind)
        return _written(found)
    except _ERRORS:
        return None


def _tidy(text: str) -> str:
    text = _EMPTY.sub(lambda match: match[3] if match[1].strip() else match[2], text)
    text = _NAMED.sub(lambda match: _EQUIVALENT[match[1]] + " ", text)
    return _TEXT.sub(_parted, _IDLE.sub(" ", _chosen(text)))


def _chosen(text: str) -> str:
    r"""The first of the four formulas that `\mathchoice` has for four sizes."""
    start = text.find("\\mathchoice{")
    while start >= 0:
        ends = [start + len("\\mathchoice")]
        for _ in range(4):
            ends.append(_behind(text, ends[-1]))
        text = f"{text[:start]}{text[ends[0] : ends[1]]}{text[ends[4] :]}"
        start = text.find("\\mathchoice{", start)
    return text


def _behind(text: str, start: int) -> int:
    """Where the group ends that begins here; ValueError where there is none."""
    depth = 0
    for match in re.compile(r"\\.|[{}]").finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    raise ValueError(text)


def _parted(match: re.Match[str]) -> str:
    r"""`\text{if $x$ is}` with its formula outside of the text."""
    pieces = match[1].split("$")
    return "".join(
        piece if number % 2 else rf"\text{{{piece}}}" * bool(piece)
        for number, piece in enumerate(pieces)
    )


def _written(element: Element) -> str:
    """An element with all inside of it; ValueError where a command was left as it is."""
    tag = element.tag
    if tag not in _ELEMENTS:
        raise ValueError(tag)
    if tag in _TOKENS and len(element):  # a token with structure inside is a row
        tag = "mrow"
    if len(element) != _SCRIPTS.get(tag, len(element)):
        raise ValueError(tag)
    words = safe(html.unescape(element.text or ""))
    if words.startswith("\\") and len(words) > 1:
        raise ValueError(words)
    inner = html.escape(words) + "".join(map(_written, element))
    bar = _BAR if words in ("|", "‖") and "form" not in element.attrib else ""
    return f"<{tag}{bar or _attributes(element, tag)}>{inner}</{tag}>"


def _attributes(element: Element, tag: str) -> str:
    align = element.attrib.get("columnalign")
    if tag == "mtd" and align in ("left", "right"):  # browsers leave this to style sheets
        return f' class="{align}"'
    return "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _VALUE.fullmatch(value) and tag != "mrow"
    )
