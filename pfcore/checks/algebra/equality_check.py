"""Advisory check of computations: links of equality chains that evaluation falsifies.

A link is reported only if it passes all gates: a chain with three members or more, the same letters
on both sides, a sum of three terms, false at every point, true after one edit of a sign or a
number, and no hint that the letters or the equality mean something else.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pfcore.checks.check import Check, CheckInput
from pfcore.domain.digest import text_digest
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Severity
from pfcore.latex.lexer.mask import mask
from pfcore.latex.macros.macro_table import Lexicon

if TYPE_CHECKING:
    from pfcore.checks.algebra.chains import Chain, Meaning
    from pfcore.checks.algebra.formulas import Formula, FormulaEdit, Point, Value

_POINTS = 8
_FEWEST = 3
_POOL = 24
_KEYS = 1_000
_NEARLY = 1e-9
_SEARCHES = 200
_REACH = 1_500
_LONGEST_TERM = 40

_CONSTANTS: Mapping[str, Value] = {"e": math.e, "i": 1j, "\\pi": math.pi}
_FUNCTIONS = frozenset({"f", "g", "o", "O", "P", "E", "\\phi", "\\varphi", "\\psi", "\\chi"})

_ROOTS: Sequence[complex] = tuple(cmath.exp(2j * cmath.pi / order) for order in (3, 4, 5, 6, 8))
"""Roots of unity, which a letter may denote without a word nearby."""

_OTHER_EQUALITY = frozenset(
    "\\approx \\equiv \\sim \\simeq \\cong \\propto \\mapsto \\to \\pmod \\bmod \\mod \\pm \\mp"
    " \\stackrel \\overset".split()
)
_CONDITION = regex(
    r"\\(?:text\w*|mbox|intertext|tag)\*?\s*\{[^{}]*\b(?:if|when|unless|otherwise|since|mod)\b"
)
_NEAR = regex(
    r"\\[pb]?mod\b|\b[Mm]od(?:ulo)?\b|\b[Cc]haracteristic\b|\\(?:mathbb|mathbf|bb)\s*\{?\s*F\b"
    r"|\\FF?\b|\\GF\b|[Ll]egendre|[Jj]acobi|[Qq]uadratic (?:residue|reciprocity)|[Rr]ounded"
    r"|[Aa]pproximat|[Nn]ilpotent|[Ii]nfinitesimal|[Tt]ropical|[Bb]oolean|\bXOR\b|\\oplus\b"
    r"|[Oo]rdinal|[Rr]oots? of unity|(?:the|an) error in\b|[Mm]istake|[Ww]rong"
    r"|[Ii]ncorrect|[Ff]allac|[Ff]inite field|quaternion|non-?commut"
    r"|\\mathbb\s*\{?\s*Z\s*\}?\s*(?:/|_)"
)
_ANYWHERE = regex(
    r"Grassmann|[Aa]nti-?commut|[Ff]ermionic|[Ss]uperalgebra"
    r"|[Cc]haracteristic\s+(?:\$\s*[2p]|[2p]\b|two)|\\mathbb\s*\{?\s*F\s*\}?_\{?[2pq]|\bGF\("
)


class EqualityLink(NamedTuple):
    """Two adjacent members of a chain."""

    left: Formula
    right: Formula
    chain: Chain

    @property
    def is_wide(self) -> bool:
        """Whether one side has three additive terms."""
        return max(self.left.width, self.right.width) > 2

    @property
    def is_closed(self) -> bool:
        """Whether both sides have the same letters, and at least one."""
        return bool(_names(self.left)) and _names(self.left) == _names(self.right)


class Slip(NamedTuple):
    """A link that does not hold, and an edit (with the new value) that makes it hold."""

    link: EqualityLink
    edit: FormulaEdit
    value: int


def _names(side: Formula) -> frozenset[str]:
    return side.plain | side.applied


def links(text: str, meaning: Meaning) -> Iterator[EqualityLink]:
    """The links of the chains of a masked text whose two sides can be read."""
    from pfcore.checks.algebra.chains import chains
    from pfcore.checks.algebra.formulas import parse_formula

    for chain in chains(text, meaning):
        read = [parse_formula(part, _KEYS * n) for n, part in enumerate(chain.members)]
        plain = {name for side in read if side for name in side.plain} - _FUNCTIONS
        certain = [side if side and side.applied <= plain else None for side in read]
        for left, right in pairwise(certain):
            if left and right:
                yield EqualityLink(left, right, chain)


def slips(text: str, meaning: Meaning) -> Iterator[Slip]:
    """The links of a masked text that pass all gates."""
    previous: Slip | None = None
    searches = 0
    for link in links(text, meaning):
        if not (link.is_wide and link.is_closed) or searches > _SEARCHES:
            continue
        points = falsified(link, text)
        if not points or is_hinted(link, text) or is_conditional(link, points):
            continue
        searches += 1
        slip = repaired(link, points)
        is_same = previous is not None and previous.link.right is link.left
        previous = slip or previous
        if slip and not is_same:
            yield slip


def is_hinted(link: EqualityLink, text: str) -> bool:
    """Whether the text around a link hints at another arithmetic, or at a condition."""
    unit = link.chain.unit
    around = text[max(unit.start - _REACH, 0) : unit.end + _REACH]
    return bool(
        link.chain.commands & _OTHER_EQUALITY
        or _CONDITION.search(text, unit.start, unit.end)
        or _NEAR.search(around)
    )


def falsified(link: EqualityLink, text: str) -> list[Point]:
    """The points at which the link fails; none if it holds at one or too few are defined."""
    found: list[Point] = []
    for point in _points(link, text):
        verdict = _is_true(link, point)
        if verdict:
            return []
        if verdict is False:
            found.append(point)
    return found if len(found) >= _FEWEST else []


def holds(link: EqualityLink, text: str) -> bool:
    """Whether a link holds at all of its points where both sides are defined, and at enough."""
    return _agrees(link, _points(link, text))


def _points(link: EqualityLink, text: str) -> Iterator[Point]:
    names = sorted(_names(link.left) | _names(link.right))
    if len(names) <= _POOL:
        seed = text[link.left.start : link.right.end]
        yield from (_point(seed, number, names) for number in range(_POINTS))


def _point(seed: str, number: int, names: Sequence[str]) -> Point:
    """Pseudorandom values, reproducible for the same text.

    Alternately small integers, and fractions below 1 with the constants that letters may denote.
    """
    chance = int(text_digest(f"{seed}\0{number}"), 16)
    pool = list(range(2, 2 + _POOL))
    made: dict[str | int, Value] = {}
    for name in names:
        chance, place = divmod(chance, len(pool))
        value = pool.pop(place)
        made[name] = value if number % 2 == 0 else Fraction(value, _POOL + 7)
        if number % 2 and name in _CONSTANTS:
            made[name] = _CONSTANTS[name]
    return made


def _is_true(link: EqualityLink, point: Point) -> bool | None:
    """Whether both sides agree; None if one is undefined."""
    try:
        left, right = link.left.value(point), link.right.value(point)
        if isinstance(left, int | Fraction) and isinstance(right, int | Fraction):
            return left == right
        near, far = complex(left), complex(right)
    except ArithmeticError:
        return None
    return abs(near - far) <= _NEARLY * max(1.0, abs(near), abs(far))


def is_conditional(link: EqualityLink, points: Sequence[Point]) -> bool:
    """Whether the link holds if one letter is a root of unity."""
    return any(
        all(_is_true(link, {**point, name: root}) for point in points[:2])
        for name in _names(link.left)
        for root in _ROOTS
    )


def repaired(link: EqualityLink, points: Iterable[Point]) -> Slip | None:
    """The first edit that makes the link hold: signs before numbers, the right side first."""
    edits = (*link.right.edits, *link.left.edits)
    for edit in sorted(edits, key=lambda item: not item.is_sign):
        for value in _alternatives(edit):
            if _agrees(link, ({**point, edit.key: value} for point in points)):
                return Slip(link, edit, value)
    return None


def _agrees(link: EqualityLink, points: Iterable[Point]) -> bool:
    """Whether a link holds at enough points and fails at none."""
    count = 0
    for point in points:
        verdict = _is_true(link, point)
        if verdict is False:
            return False
        count += verdict is True
    return count >= _FEWEST


def _alternatives(edit: FormulaEdit) -> Iterator[int]:
    """The values that may have been meant instead of a sign or a number."""
    old = edit.old
    if edit.is_sign:
        yield -old
        return
    near = (old + 1, old - 1, 2 * old, old // 2, old + 2, old - 2, *range(1, 10), 10 * old)
    yield from dict.fromkeys(n for n in near if n > 0 and n != old)


def texts(scene: CheckInput) -> Iterator[tuple[str, str, Meaning]]:
    """Each file with at least two equals signs: its path, its readable text, its macros."""
    for path in scene.paper.readings:
        if path in scene.spared:
            continue
        source = scene.paper.source(path)
        if source.find("=", source.find("=") + 1) > 0:
            lexicon = Lexicon(scene.paper.syntax.macros, scene.paper.recipes[path].changes)
            yield path, _readable(scene, path, source), lexicon.meaning


def false_equality(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Links that do not hold as written."""
    for path, text, meaning in texts(scene):
        for slip in slips(text, meaning):
            if any(_ANYWHERE.search(scene.paper.source(other)) for other in scene.paper.readings):
                return
            start, end = slip.link.left.start, slip.link.right.end
            yield check.finding(
                f"this step is false as written; {cure(slip, text)}",
                subject=text[start:end],
                module=scene.around(path, start),
                place=scene.at(path, start, end),
            )


def _readable(scene: CheckInput, path: str, source: str) -> str:
    """The source without comments and without the bodies of macros."""
    text = mask(source).text
    for start, end in scene.paper.surveys[path].silent:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def cure(slip: Slip, source: str) -> str:
    """The edit that would make the link hold, in words."""
    edit = slip.edit
    term = " ".join(source[edit.start : edit.end].split())
    term = term if len(term) <= _LONGEST_TERM else f"{term[:_LONGEST_TERM]}…"
    if edit.is_sign:
        return f"it holds with {'+' if slip.value > 0 else '−'} before {term}"
    change = f"it holds with {slip.value} instead of {edit.old}"
    return change if term == str(edit.old) else f"{change} in {term}"


CHECKS = (
    Check(
        id="false-equality",
        severity=Severity.NOTE,
        rationale="equation that fails numerically",
        run=false_equality,
    ),
)
