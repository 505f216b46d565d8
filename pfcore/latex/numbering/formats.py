"""How a counter is printed: from the body of its `\\the…` macro to characters."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

_DEEPEST_FORMAT = 12
_LONGEST = 400
_STYLES = r"arabic|roman|Roman|alph|Alph|fnsymbol"
_NUMBER = re.compile(
    rf"\\@?(?P<style>{_STYLES})\s*(?:\{{\s*(?P<name>[^{{}}\\]+?)\s*\}}"
    r"|\{?\s*\\c@(?P<cell>[A-Za-z@]+)\s*\}?"
    r"|\{?\s*\\value\s*\{(?P<of>[^{}\\]+)\}\s*\}?)"
    r"|\\(?:number|the)(?:\s*\\c@(?P<bare>[A-Za-z@]+)|\s*\\value\s*\{(?P<value>[^{}\\]+)\})\s?"
)
_TEST = re.compile(
    r"\\ifnum\s*(?:\\c@(?P<cell>[A-Za-z@]+)|\\value\s*\{(?P<name>[^{}]+)\})\s*(?P<sign>[<>=])\s*"
    r"(?P<limit>-?\d+|\\z@|\\@ne|\\m@ne)\s?(?:\\relax)?"
    r"(?P<yes>(?:(?!\\(?:if|else|fi)).)*)(?:\\else(?P<no>(?:(?!\\(?:if|fi)).)*))?\\fi\s*",
    re.DOTALL,
)
_NAMED = re.compile(
    r"\\csname\s+(?P<csname>(?:the|p@)[A-Za-z@]+)\s*\\endcsname"
    r"|\\@nameuse\s*\{(?P<used>(?:the|p@)[^{}]+)\}"
    r"|\\(?P<macro>[A-Za-z@]+)\s*"
)
_FONTS = frozenset(
    """textup textnormal textrm textbf textit textsf mathrm mathbf mathnormal ensuremath upshape
    rmfamily normalfont bfseries itshape rm bf it protect noexpand relax unskip ignorespaces mbox
    hbox upright expandafter @thmcountersep""".split()
)
_PRIMES = re.compile(r"\$\s*(?:\^)?\s*\{?\s*(?:'|\\prime\s*)\s*\}?\s*\$")
_LIMITS = {"\\z@": 0, "\\@ne": 1, "\\m@ne": -1}
_SYMBOLS = "*†‡§¶‖"
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


class Format(NamedTuple):
    """The body of a `\\the…` macro, and whether it is known for certain."""

    body: str
    certain: bool = True


Lookup = Callable[[str], tuple[int, bool]]


def printed(
    shown: Format, lookup: Lookup, known: Mapping[str, Format], macros: Mapping[str, str]
) -> tuple[str, bool]:
    """The characters that a body stands for now, and whether that is certain."""
    maker = _FormatBuilder(lookup, known, macros)
    maker.certain = shown.certain
    text = maker.make(shown.body, 0)
    return without_fonts(text, certain=maker.certain)


def without_fonts(text: str, *, certain: bool = True) -> tuple[str, bool]:
    """Text without fonts and braces; what stays a command or mathematics is not certain."""
    text = _PRIMES.sub("'", text)
    text = re.sub(r"\\([A-Za-z@]+)\s*", lambda m: "" if m[1] in _FONTS else m[0], text)
    text = (
        text.replace("\\,", "").replace("\\/", "").replace("\\nobreakspace", " ").replace("~", " ")
    )
    text = " ".join(re.sub(r"[{}]", "", text).split())
    return text, certain and bool(text) and not set("\\$#&") & set(text) and len(text) < 60


def styled(style: str, value: int) -> str | None:
    """A number in one of LaTeX's styles; None where LaTeX has none."""
    if style == "arabic":
        return str(value)
    if style in ("roman", "Roman"):
        text = _roman(value) if 0 <= value < 5000 else None
        return text.upper() if text is not None and style == "Roman" else text
    if value == 0:
        return ""
    if style == "fnsymbol":
        return _SYMBOLS[value - 1] if 0 < value <= len(_SYMBOLS) else None
    letter = chr(ord("a") + value - 1) if 0 < value <= 26 else None
    return letter.upper() if letter and style == "Alph" else letter


def _roman(value: int) -> str:
    text = ""
    for size, letters in _ROMAN:
        text += letters * (value // size)
        value %= size
    return text


class _FormatBuilder:
    def __init__(
        self, lookup: Lookup, known: Mapping[str, Format], macros: Mapping[str, str]
    ) -> None:
        self._lookup = lookup
        self._known = known
        self._macros = macros
        self.certain = True

    def make(self, body: str, depth: int) -> str:
        if depth > _DEEPEST_FORMAT or len(body) > _LONGEST:
            self.certain = False
            return ""
        body = _TEST.sub(self._tested, body)
        body = _NUMBER.sub(self._number, body)
        return _NAMED.sub(lambda match: self._named(match, depth), body)

    def _value(self, name: str) -> int:
        value, certain = self._lookup(name)
        self.certain = self.certain and certain
        return value

    def _tested(self, match: re.Match[str]) -> str:
        value = self._value(match["cell"] or match["name"])
        limit = _LIMITS.get(match["limit"])
        limit = int(match["limit"]) if limit is None else limit
        holds = {"<": value < limit, ">": value > limit, "=": value == limit}[match["sign"]]
        return match["yes"] if holds else match["no"] or ""

    def _number(self, match: re.Match[str]) -> str:
        names = ("name", "cell", "of", "bare", "value")
        name = next(match[group] for group in names if match[group])
        made = styled(match["style"] or "arabic", self._value(name))
        self.certain = self.certain and made is not None
        return made or ""

    def _named(self, match: re.Match[str], depth: int) -> str:
        name = match["csname"] or match["used"] or match["macro"]
        if name in self._known:
            shown = self._known[name]
            self.certain = self.certain and shown.certain
            return self.make(shown.body, depth + 1)
        if name in _FONTS or name == "@thmcountersep":
            return match[0] if name != "@thmcountersep" else "."
        if name in self._macros:
            return self.make(self._macros[name], depth + 1)
        self.certain = False
        return match[0]
