"""Closed scalar formulas: a strict reader of LaTeX tokens, and their values at a point.

Everything that is not certainly a number made of numbers and letters is refused.

Arithmetic is exact where possible and bounded; it raises ArithmeticError where undefined.
"""

import cmath
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from pfcore.checks.algebra.chains import MathToken

Value = Fraction | complex
"""An exact number (int, Fraction), or an approximate one (float, complex)."""

Point = Mapping[str | int, Value]
"""The value of each letter; under the key of a sign or a number, its replacement."""

Function = Callable[[Point], Value]

_DEEPEST = 30
_LONGEST = 300
_DIGITS = 12

_FRACTIONS = frozenset({"\\frac", "\\dfrac", "\\tfrac"})
_BINOMIALS = frozenset({"\\binom", "\\dbinom", "\\tbinom"})


def logarithm(value: complex) -> float:
    """The natural logarithm of a positive number."""
    return math.log(_positive(value))


def _positive(value: Value) -> float:
    if isinstance(value, complex) or value <= 0:
        raise ArithmeticError("not positive")
    return float(value)


_NAMED: Mapping[str, Callable[[complex], complex]] = {
    "\\exp": cmath.exp, "\\log": logarithm, "\\ln": logarithm, "\\sin": cmath.sin,
    "\\cos": cmath.cos, "\\tan": cmath.tan, "\\sinh": cmath.sinh, "\\cosh": cmath.cosh,
}  # fmt: skip
_ATOMS = frozenset({"(", "[", "{", "\\sqrt", *_FRACTIONS, *_BINOMIALS, *_NAMED})
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class FormulaEdit(NamedTuple):
    """A sign or number that can be replaced: its key, its value, and the span of its term."""

    key: int
    old: int
    is_sign: bool
    start: int
    end: int


class Formula(NamedTuple):
    """A formula that can be evaluated.

    `applied` are the names before a parenthesis, `plain` all others; `width` counts its additive
    terms, including inner ones.
    """

    value: Function
    edits: tuple[FormulaEdit, ...]
    plain: frozenset[str]
    applied: frozenset[str]
    width: int
    start: int
    end: int


def parse_formula(tokens: Sequence[MathToken], key: int) -> Formula | None:
    """Read a formula; None if its meaning is not certain. Edits get keys above `key`."""
    if not tokens or len(tokens) > _LONGEST or any(token.kind == "bad" for token in tokens):
        return None
    reader = _FormulaParser(tokens, key)
    try:
        value = reader.sum(0, is_outer=True)
    except ValueError:
        return None
    if reader.token.kind != "end":
        return None
    return Formula(
        value,
        tuple(reader.edits.values()),
        frozenset(reader.plain),
        frozenset(reader.applied),
        reader.width,
        tokens[0].start,
        tokens[-1].end,
    )


class _FormulaParser:
    """A recursive-descent parser; raises ValueError for everything outside of its whitelist."""

    def __init__(self, tokens: Sequence[MathToken], key: int) -> None:
        last = tokens[-1].end
        self._tokens = [*tokens, MathToken("end", "", last, last)]
        self._at = 0
        self._key = key
        self.token = self._tokens[0]
        self.edits: dict[int, FormulaEdit] = {}
        self._loose: list[int] = []
        self.plain: set[str] = set()
        self.applied: set[str] = set()
        self.width = 1

    def _next(self) -> MathToken:
        token = self.token
        if token.kind == "end":
            raise ValueError("more is wanted")
        self._at += 1
        self.token = self._tokens[self._at]
        return token

    def _take(self, text: str) -> None:
        if self.token.text != text:
            raise ValueError(text)
        self._next()

    def _new_edit(self, old: int, token: MathToken, *, is_sign: bool) -> int:
        self._key += 1
        self.edits[self._key] = FormulaEdit(self._key, old, is_sign, token.start, token.end)
        return self._key

    def sum(self, depth: int, *, is_outer: bool = False) -> Function:
        """A sum of signed terms; an unwritten first sign may be edited as well."""
        if depth > _DEEPEST:
            raise ValueError("too deep")
        terms: list[tuple[int, int, Function]] = []
        while self._is_signed() or not terms:
            is_bare = not self._is_signed()
            sign = -1 if self.token.text == "-" else 1
            key = self._new_edit(sign, self.token, is_sign=True)
            if not is_bare:
                self._next()
            start = self.token.start
            terms.append((key, sign, self._product(depth)))
            self._say_where(key, start, is_wide=is_outer or len(terms) > 1 or self._is_signed())
        self.width += len(terms) - 1
        if len(terms) > 1 or not is_bare:
            return lambda at: bounded(sum(at.get(k, sign) * term(at) for k, sign, term in terms))
        if not is_outer:
            del self.edits[key]
        only = terms[0][2]
        return lambda at: only(at) if at.get(key, 1) == 1 else -only(at)

    def _is_signed(self) -> bool:
        return self.token.text in ("+", "-")

    def _say_where(self, key: int, start: int, *, is_wide: bool) -> None:
        """Set a sign's term to what follows it, and numbers' terms to their smallest summand."""
        end = self._tokens[self._at - 1].end
        self.edits[key] = self.edits[key]._replace(start=start, end=end)
        while is_wide and self._loose and self._loose[-1] > key:
            inner = self._loose.pop()
            self.edits[inner] = self.edits[inner]._replace(start=start, end=end)

    def _product(self, depth: int) -> Function:
        factors = [self._factor(depth)]
        while True:
            text = self.token.text
            if text in ("*", "\\cdot", "\\times"):
                self._next()
                factors.append(self._factor(depth))
            elif text == "/":
                self._next()
                below = self._factor(depth)
                if self.token.text in ("*", "/", "\\cdot", "\\times") or self._begins_factor():
                    raise ValueError("what does the slash divide?")
                above = _times(factors)
                return lambda at: quotient(above(at), below(at))
            elif self._begins_factor():
                if self.token.kind == "number":
                    raise ValueError("a number after a factor")
                is_mixed = self._tokens[self._at - 1].kind == "number" and text in _FRACTIONS
                known = len(self.plain)
                factors.append(self._factor(depth))
                if is_mixed and len(self.plain) == known:
                    raise ValueError("a mixed number")
            else:
                return _times(factors)

    def _begins_factor(self) -> bool:
        return self.token.kind in ("letter", "number") or self.token.text in _ATOMS

    def _factor(self, depth: int) -> Function:
        token = self.token
        if token.kind == "letter":
            return self._letter(depth)
        if token.kind == "number":
            made = self._constant(self._next())
        elif token.text in _NAMED:
            return self._call(depth)
        else:
            made = self._group(depth)
        return self._with_scripts(made, depth)

    def _letter(self, depth: int) -> Function:
        name = self._next().text
        if self.token.text == "_":
            self._next()
            name += f"_{self._subscript()}"
        made = self._with_scripts(lambda at: at[name], depth)
        (self.applied if self.token.text in ("(", "[") else self.plain).add(name)
        return made

    def _subscript(self) -> str:
        """The text of a subscript: part of a name."""
        if self.token.text != "{":
            if self.token.kind not in ("letter", "number") or len(self.token.text) > _DIGITS:
                raise ValueError("subscript")
            return self._one().text
        depth, pieces = 0, []
        while True:
            token = self._next()
            depth += (token.text == "{") - (token.text == "}")
            pieces.append(token.text)
            if depth == 0:
                return " ".join(pieces[1:-1])

    def _one(self) -> MathToken:
        """The next token as an argument without braces; of a number, only the first digit."""
        token = self.token
        if token.kind != "number" or len(token.text) == 1:
            return self._next()
        middle = token.start + 1
        self.token = self._tokens[self._at] = token._replace(text=token.text[1:], start=middle)
        return token._replace(text=token.text[0], end=middle)

    def _constant(self, token: MathToken) -> Function:
        whole, _, decimals = token.text.partition(".")
        if len(whole) > _DIGITS or len(decimals) > 1 or (len(whole) > 1 and whole[0] == "0"):
            raise ValueError("rounded, or too long")
        if decimals:
            exact = Fraction(token.text)
            return lambda _: exact
        value = int(whole)
        key = self._new_edit(value, token, is_sign=False)
        self._loose.append(key)
        return lambda at: at.get(key, value)

    def _with_scripts(self, made: Function, depth: int) -> Function:
        """Factorial and power; both at once, or twice, are refused."""
        if self.token.text == "!":
            self._next()
            if self.token.text in ("!", "^"):
                raise ValueError("double factorial")
            return lambda at: factorial(made(at))
        if self.token.text != "^":
            return made
        self._next()
        exponent = self._argument(depth, is_exponent=True)
        if self.token.text in ("!", "^", "_"):
            raise ValueError("a second script")
        return lambda at: power(made(at), exponent(at))

    def _argument(self, depth: int, *, is_exponent: bool = False) -> Function:
        """A group in braces, or one letter or digit."""
        if self.token.text == "{":
            self._next()
            if is_exponent and self.token.text in ("(", "["):
                raise ValueError("an index, or the order of a derivative")
            return self._closed("}", depth)
        if self.token.kind == "number":
            return self._constant(self._one())
        if self.token.kind != "letter":
            raise ValueError("argument")
        name = self._next().text
        self.plain.add(name)
        return lambda at: at[name]

    def _closed(self, closing: str, depth: int) -> Function:
        made = self.sum(depth + 1)
        self._take(closing)
        return made

    def _group(self, depth: int) -> Function:
        text = self._next().text
        if text in _CLOSING:
            return self._closed(_CLOSING[text], depth)
        if text in _FRACTIONS:
            is_d = self._is_d()
            above = self._argument(depth)
            if is_d and self._is_d():
                raise ValueError("a derivative")
            below = self._argument(depth)
            return lambda at: quotient(above(at), below(at))
        if text in _BINOMIALS:
            above, below = self._argument(depth), self._argument(depth)
            return lambda at: binomial(above(at), below(at))
        if text == "\\sqrt":
            return self._root(depth)
        raise ValueError(text)

    def _is_d(self) -> bool:
        index = self._at + (self.token.text == "{")
        return self._tokens[min(index, len(self._tokens) - 1)].text == "d"

    def _root(self, depth: int) -> Function:
        order: Function = lambda _: 2  # noqa: E731 — replaced where an order is given
        if self.token.text == "[":
            self._next()
            order = self._closed("]", depth)
        inside = self._argument(depth)
        return lambda at: power(inside(at), quotient(1, order(at)))

    def _call(self, depth: int) -> Function:
        """A function with its argument in parentheses or braces, optionally with a power before."""
        named = _NAMED[self._next().text]
        exponent: Function | None = None
        if self.token.text == "^":
            self._next()
            exponent = self._argument(depth, is_exponent=True)
        if self.token.text not in ("(", "[", "{"):
            raise ValueError("an argument without parentheses")
        inside = self._closed(_CLOSING[self._next().text], depth)
        if self.token.text in ("^", "!", "_"):
            raise ValueError("a power behind the argument")
        if exponent is None:
            return lambda at: applied(named, inside(at))
        return lambda at: power(applied(named, inside(at)), exponent(at))


def _times(factors: Sequence[Function]) -> Function:
    if len(factors) == 1:
        return factors[0]

    def product(at: Point) -> Value:
        made: Value = 1
        for factor in factors:
            made = bounded(made * factor(at))
        return made

    return product


_BITS = 4_000
_LARGEST = 1e12
_LARGEST_EXPONENT = 200
_LARGEST_FACTORIAL = 120


def bounded(value: Value) -> Value:
    """The value; ArithmeticError if it is too large."""
    if isinstance(value, int | Fraction):
        if value.numerator.bit_length() + value.denominator.bit_length() > _BITS:
            raise ArithmeticError("too large")
    elif not abs(value) < _LARGEST:
        raise ArithmeticError("too large, or not a number")
    return value


def applied(function: Callable[[complex], complex], value: Value) -> Value:
    """A function's value; real if the argument is real."""
    if isinstance(value, complex):
        return bounded(function(value))
    return bounded(function(float(value)).real)


def _whole(value: Value) -> int:
    if not isinstance(value, int | Fraction) or value.denominator != 1:
        raise ArithmeticError("not whole")
    return int(value)


def quotient(above: Value, below: Value) -> Value:
    """One value divided by another."""
    if isinstance(above, int | Fraction) and isinstance(below, int | Fraction):
        return Fraction(above, below)
    return bounded(above / below)


def power(base: Value, exponent: Value) -> Value:
    """A power; ArithmeticError for a non-integer power of a base that is not positive."""
    if isinstance(exponent, int | Fraction) and exponent.denominator == 1:
        return _whole_power(base, int(exponent))
    return bounded(
        _positive(base) ** (exponent if isinstance(exponent, complex) else float(exponent))
    )


def _whole_power(base: Value, exponent: int) -> Value:
    if abs(exponent) > _LARGEST_EXPONENT or (base == 0 and exponent == 0):
        raise ArithmeticError("too large, or undefined")
    if not isinstance(base, int | Fraction):
        return bounded(base**exponent)
    bits = base.numerator.bit_length() + base.denominator.bit_length()
    if bits * abs(exponent) > _BITS:
        raise ArithmeticError("too large")
    return base**exponent if exponent >= 0 else Fraction(1, base**-exponent)


def factorial(value: Value) -> Value:
    """The factorial of a whole number."""
    whole = _whole(value)
    if not 0 <= whole <= _LARGEST_FACTORIAL:
        raise ArithmeticError("not a factorial")
    return math.factorial(whole)


def binomial(above: Value, below: Value) -> Value:
    """A binomial coefficient of whole numbers."""
    many, few = _whole(above), _whole(below)
    if not 0 <= many <= 4 * _LARGEST_FACTORIAL:
        raise ArithmeticError("not a binomial coefficient")
    return math.comb(many, few) if few >= 0 else 0
