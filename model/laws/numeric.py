"""The few choices that operators cannot make, for numbers and arrays alike.

A plain number never touches numpy here: one law call on floats costs what its arithmetic costs.
"""

from __future__ import annotations

from typing import Any

# A float, an int, or a numpy array of them; laws return the kind they were given.
Number = Any


def where(condition: Number, yes: Number, no: Number) -> Number:
    """*yes* where the condition holds, else *no*."""
    if getattr(condition, "ndim", 0):
        import numpy as np  # noqa: PLC0415

        return np.where(condition, yes, no)
    if getattr(yes, "ndim", 0) or getattr(no, "ndim", 0):
        return (yes if condition else no) + 0 * (no if condition else yes)
    return yes if condition else no


def smaller(first: Number, second: Number) -> Number:
    """Elementwise minimum."""
    return where(first < second, first, second)


def larger(first: Number, second: Number) -> Number:
    """Elementwise maximum."""
    return where(first > second, first, second)


def ceil_div(dividend: Number, divisor: Number) -> Number:
    """Quotient rounded up to a whole number."""
    return -(-dividend // divisor)


def ceiling(value: Number) -> Number:
    """Value rounded up to a whole number."""
    return -(-value // 1)


def power(base: Number, exponent: Number) -> Number:
    """``base ** exponent`` for a base of zero or more."""
    return base**exponent


def normal_cdf(z: Number) -> Number:
    """Standard normal distribution function."""
    if getattr(z, "ndim", 0):
        from scipy.special import ndtr  # noqa: PLC0415  (heavy, and only arrays need it)

        return ndtr(z)
    from math import erfc  # noqa: PLC0415

    return 0.5 * erfc(-z / 1.4142135623730951)
