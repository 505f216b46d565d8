r"""LaTeX's counters: their values, which resets which, and how they are printed.

Printing turns the body of a counter's `\the…` macro into characters.
"""

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex

_INTEGER = regex(r"\s*([+-]?\d+)\s*(?:\\relax\s*)?$")
_VALUE = regex(r"\s*(-?)\s*(?:\\value\s*\{\s*([^{}]+?)\s*\}|\\c@([A-Za-z@]+))\s*$")
_CONSTANTS = {"\\z@": 0, "\\@ne": 1, "\\m@ne": -1, "\\tw@": 2, "\\thr@@": 3}
"""Numbers of plain TeX."""
_RELAX = regex(r"\\(?:numexpr|relax)(?![A-Za-z@])|\s+")
_TERMS = regex(r"([+-]?)([^+-]+)")
_DEEPEST = 30


@dataclass(slots=True)
class Cell:
    """A counter's value; several names may share one. A `lasting` doubt survives a reset."""

    value: int = 0
    certain: bool = True
    lasting: bool = False

    def set(self, value: int, *, certain: bool = True) -> None:
        """Give it a value."""
        self.value, self.certain = value, certain and not self.lasting


class Format(NamedTuple):
    """The body of a `\\the…` macro, and whether it is known for certain."""

    body: str
    certain: bool = True


@dataclass(slots=True)
class Counters:
    """All counters of a document at a moment of reading."""

    cells: dict[str, Cell] = field(default_factory=dict)
    formats: dict[str, Format] = field(default_factory=dict)
    resets: dict[str, list[str]] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)
    coupled: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def copy(self) -> "Counters":
        """An independent copy; names that share a cell still do."""
        copies = {id(cell): copy.copy(cell) for cell in self.cells.values()}
        return Counters(
            {name: copies[id(cell)] for name, cell in self.cells.items()},
            dict(self.formats),
            {name: list(listed) for name, listed in self.resets.items()},
            dict(self.roots),
            dict(self.coupled),
        )

    def new(self, name: str, within: str = "", body: str | None = None) -> None:
        """Declare a counter; it replaces any earlier one with its name."""
        self.cells[name] = Cell()
        self.roots.pop(name, None)
        for listed in self.resets.values():
            while name in listed:
                listed.remove(name)
        if within:
            self.add_reset(name, within)
        if body is None:
            body = f"\\arabic{{{name}}}"
        self.formats[f"the{name}"] = Format(body)

    def cell(self, name: str) -> Cell:
        """A counter's cell; that of an undeclared counter is uncertain."""
        if name not in self.cells:
            self.cells[name] = Cell(0, False, True)
        return self.cells[name]

    def root(self, name: str) -> str:
        """The counter that an alias stands for."""
        for _ in range(_DEEPEST):
            if name not in self.roots:
                break
            name = self.roots[name]
        return name

    def alias(self, name: str, other: str) -> None:
        """Make another name for a counter, with its own printed form (package aliascnt)."""
        self.cells[name] = self.cell(other)
        if name != other:
            self.roots[name] = other
        for kind in ("the", "p@"):
            if f"{kind}{other}" in self.formats:
                self.formats[f"{kind}{name}"] = self.formats[f"{kind}{other}"]

    def share(self, name: str, other: str) -> None:
        """`\\let\\c@name\\c@other`: one value under two names."""
        if other in self.cells:
            self.cells[name] = self.cells[other]
        else:
            self.cells[name] = Cell(0, False, True)

    def add_reset(self, name: str, within: str) -> None:
        """Let a step of `within` reset `name`."""
        listed = self.resets.setdefault(self.root(within), [])
        if name not in listed:
            listed.append(name)

    def remove_reset(self, name: str, within: str) -> None:
        """Undo `add_reset`."""
        listed = self.resets.get(self.root(within), [])
        if name in listed:
            listed.remove(name)

    def step(self, name: str) -> None:
        """Add one, and reset the counters within."""
        cell = self.cell(name)
        cell.value += 1
        self._reset(name, {name})
        for other in self.coupled.get(name, ()):
            if other in self.cells:
                self.cells[other].set(cell.value, certain=cell.certain)

    def couple(self, names: str) -> None:
        """Couple counters: a step of one gives its value to all (package xassoccnt)."""
        listed = [name.strip() for name in names.split(",")]
        self.coupled |= {name: tuple(n for n in listed if n != name) for name in listed}

    def _reset(self, name: str, known: set[str]) -> None:
        for inner in self.resets.get(self.root(name), ()):
            if inner not in known:
                known.add(inner)
                self.cell(inner).set(0)
                self._reset(inner, known)

    def set(self, name: str, text: str) -> None:
        """`\\setcounter`."""
        value, certain = self.evaluate(text)
        self.cell(name).set(value, certain=certain)

    def add(self, name: str, text: str) -> None:
        """`\\addtocounter`."""
        value, certain = self.evaluate(text)
        cell = self.cell(name)
        cell.set(cell.value + value, certain=cell.certain and certain)

    def evaluate(self, text: str) -> tuple[int, bool]:
        """The value of a number as written, and whether it is certain."""
        integer = _INTEGER.match(text)
        if integer:
            return int(integer[1][:9]), True
        if text.strip() in _CONSTANTS:
            return _CONSTANTS[text.strip()], True
        value = _VALUE.match(text)
        if value:
            cell = self.cell(value[2] or value[3])
            return (-cell.value if value[1] else cell.value), cell.certain
        return self._sum(_RELAX.sub("", text)[:_LONGEST])

    def _sum(self, text: str) -> tuple[int, bool]:
        """The value of sums of products in `\\numexpr` or package calc, without parentheses."""
        total, certain = 0, bool(text)
        for sign, product in _TERMS.findall(text):
            made = -1 if sign == "-" else 1
            for factor in product.split("*"):
                is_plain = _INTEGER.match(factor) or _VALUE.match(factor)
                value, sure = self.evaluate(factor) if is_plain else (0, False)
                made, certain = made * value, certain and sure
            total += made
        return total, certain and not set(text) & set("/()")

    def doubt(self, name: str, *, lasting: bool = False) -> None:
        """Make a counter uncertain."""
        cell = self.cell(name)
        cell.certain = False
        cell.lasting = cell.lasting or lasting

    def doubt_within(self, name: str) -> None:
        """Make a counter that may have been stepped uncertain, and those that it resets."""
        known = {name}
        pending = [name]
        while pending:
            doubted = pending.pop()
            self.doubt(doubted)
            inner = [n for n in self.resets.get(self.root(doubted), ()) if n not in known]
            known.update(inner)
            pending += inner

    def doubt_all(self) -> None:
        """Make all counters uncertain."""
        for cell in self.cells.values():
            cell.certain = False

    def printed(
        self, name: str, macros: Mapping[str, str], *, prefixed: bool = False
    ) -> tuple[str, bool]:
        """How a counter is printed now, and whether that is certain; `prefixed` as `\\ref` does."""
        body = self.formats.get(f"the{name}", Format(f"\\arabic{{{name}}}", False))
        prefix = self.formats.get(f"p@{name}") if prefixed else None
        if prefix is not None:
            both = prefix.certain and body.certain
            body = Format(f"{prefix.body}{{}}{body.body}", both)
        return printed(body, self._lookup, self.formats, macros)

    def rendered(self, body: str, macros: Mapping[str, str]) -> tuple[str, bool]:
        """The text that a body with counters would print now, and whether that is certain."""
        return printed(Format(body), self._lookup, self.formats, macros)

    def _lookup(self, name: str) -> tuple[int, bool]:
        cell = self.cell(name)
        return cell.value, cell.certain

    def merge(self, other: "Counters") -> None:
        """Merge another outcome: wherever the two differ, the result is uncertain."""
        for name in _parted(self, other) | _coupled_once(self, other):
            self.doubt(name, lasting=True)
        for name, cell in other.cells.items():
            mine = self.cells.get(name)
            if mine is None:
                self.cells[name] = Cell(cell.value, False, cell.lasting)
            elif mine.value != cell.value or not cell.certain:
                mine.certain, mine.lasting = False, mine.lasting or cell.lasting
        for name in self.cells.keys() - other.cells.keys():
            self.cells[name].certain = False
        for name in self.formats.keys() | other.formats.keys():
            if self.formats.get(name) != other.formats.get(name):
                shown = self.formats.get(name) or other.formats[name]
                self.formats[name] = shown._replace(certain=False)
        for name in self.resets.keys() | other.resets.keys():
            mine_listed, its = self.resets.get(name, []), other.resets.get(name, [])
            for inner in set(mine_listed) ^ set(its):
                self.doubt(inner, lasting=True)


def _parted(one: Counters, other: Counters) -> frozenset[str]:
    """The counters that share a cell with others in only one of two outcomes."""
    both = one.cells.keys() & other.cells.keys()
    mine, its = _together(one, both), _together(other, both)
    return frozenset().union(*mine ^ its)


def _coupled_once(one: Counters, other: Counters) -> set[str]:
    """The counters that are coupled with others in only one of two outcomes."""
    differing = one.coupled.items() ^ other.coupled.items()
    return {name for name, _ in differing if name in one.cells}


def _together(counters: Counters, names: Iterable[str]) -> set[frozenset[str]]:
    """The given names, grouped by the cells that they share."""
    found: dict[int, set[str]] = {}
    for name in names:
        found.setdefault(id(counters.cells[name]), set()).add(name)
    return set(map(frozenset, found.values()))


_DEEPEST_FORMAT = 12
_LONGEST = 400
_STYLES = r"arabic|roman|Roman|alph|Alph|fnsymbol|two@digits"
_NUMBER = regex(
    rf"\\@?(?P<style>{_STYLES})\s*(?:\{{\s*(?P<name>[^{{}}\\]+?)\s*\}}"
    r"|\{?\s*\\c@(?P<cell>[A-Za-z@]+)\s*\}?"
    r"|\{?\s*\\value\s*\{(?P<of>[^{}\\]+)\}\s*\}?)"
    r"|\\(?:number|the)(?:\s*\\c@(?P<bare>[A-Za-z@]+)|\s*\\value\s*\{(?P<value>[^{}\\]+)\})\s?"
)
_TEST = regex(
    r"\\ifnum\s*(?:\\c@(?P<cell>[A-Za-z@]+)|\\value\s*\{(?P<name>[^{}]+)\})\s*(?P<sign>[<>=])\s*"
    r"(?P<limit>-?\d+|\\z@|\\@ne|\\m@ne)\s?(?:\\relax)?"
    r"(?P<yes>(?:(?!\\(?:if|else|fi)).)*)(?:\\else(?P<no>(?:(?!\\(?:if|fi)).)*))?\\fi\s*",
    re.DOTALL,
)
_NAMED = regex(
    r"\\csname\s+(?P<csname>(?:the|p@)[A-Za-z@]+)\s*\\endcsname"
    r"|\\@nameuse\s*\{(?P<used>(?:the|p@)[^{}]+)\}"
    r"|\\(?P<macro>[A-Za-z@]+)\s*"
)
_FONTS = frozenset(
    """textup textnormal textrm textbf textit textsf mathrm mathbf mathnormal ensuremath upshape
    rmfamily normalfont bfseries itshape rm bf it protect noexpand relax unskip ignorespaces mbox
    hbox upright expandafter""".split()
)
_PRIMES = regex(r"\$\s*(?:\^)?\s*\{?\s*(?:'|\\prime\s*)\s*\}?\s*\$")
_SYMBOLS = "*†‡§¶‖"
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip

Lookup = Callable[[str], tuple[int, bool]]


def printed(
    shown: Format, lookup: Lookup, known: Mapping[str, Format], macros: Mapping[str, str]
) -> tuple[str, bool]:
    """The characters that a body prints now, and whether that is certain."""
    maker = _FormatBuilder(lookup, known, macros)
    maker.certain = shown.certain
    text = maker.make(shown.body, 0)
    return without_fonts(text, certain=maker.certain)


def without_fonts(text: str, *, certain: bool = True) -> tuple[str, bool]:
    """Text without fonts and braces; uncertain if commands or mathematics remain."""
    text = _PRIMES.sub("'", text)
    text = re.sub(r"\\([A-Za-z@]+)\s*", lambda m: "" if m[1] in _FONTS else m[0], text)
    text = (
        text.replace("\\,", "").replace("\\/", "").replace("\\nobreakspace", " ").replace("~", " ")
    )
    text = " ".join(re.sub(r"[{}]", "", text).split())
    return text, certain and bool(text) and not set("\\$#&") & set(text) and len(text) < 60


def styled(style: str, value: int) -> str | None:
    """A number in one of LaTeX's styles; None if the style cannot print it."""
    if style == "arabic":
        return str(value)
    if style == "two@digits":
        return f"{value:02}" if value >= 0 else None
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
        limit = _CONSTANTS.get(match["limit"])
        limit = int(match["limit"]) if limit is None else limit
        holds = {"<": value < limit, ">": value > limit, "=": value == limit}[match["sign"]]
        return match["yes"] if holds else match["no"] or ""

    def _number(self, match: re.Match[str]) -> str:
        names = ("name", "cell", "of", "bare", "value")
        name = next(match[group] for group in names if match[group])
        made = styled(match["style"] or "arabic", self._value(name))
        self.certain = self.certain and made is not None
        # A letter must not become part of a macro's name before it: `\\theenumi\\alph{enumii}`.
        return f"{{}}{made}" if made and made[0].isalpha() else made or ""

    def _named(self, match: re.Match[str], depth: int) -> str:
        name = match["csname"] or match["used"] or match["macro"]
        if name in self._known:
            shown = self._known[name]
            self.certain = self.certain and shown.certain
            return self.make(shown.body, depth + 1)
        if name in _FONTS:
            return match[0]
        if name in self._macros:
            return self.make(self._macros[name], depth + 1)
        self.certain = False
        return match[0]
