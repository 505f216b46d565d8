"""The arithmetic of values: exact where it can be, bounded, ArithmeticError where undefined."""

import math
from collections.abc import Callable
from fractions import Fraction

Value = Fraction | complex
"""An exact number (int, Fraction), or an approximate one (float, complex)."""

_BITS = 4_000
_LARGEST = 1e12
_LARGEST_EXPONENT = 200
_LARGEST_FACTORIAL = 120


def bounded(value: Value) -> Value:
    """The value; ArithmeticError where it is too large to go on with."""
    if isinstance(value, int | Fraction):
        if value.numerator.bit_length() + value.denominator.bit_length() > _BITS:
            raise ArithmeticError("too large")
    elif not abs(value) < _LARGEST:
        raise ArithmeticError("too large, or not a number")
    return value


def applied(function: Callable[[complex], complex], value: Value) -> Value:
    """A function's value; real where the argument is real."""
    if isinstance(value, complex):
        return bounded(function(value))
    return bounded(function(float(value)).real)


def logarithm(value: complex) -> float:
    """The natural logarithm of a positive number."""
    return math.log(_positive(value))


def _positive(value: Value) -> float:
    if isinstance(value, complex) or value <= 0:
        raise ArithmeticError("not positive")
    return float(value)


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
    """A power; of what is not positive, whole powers only."""
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
