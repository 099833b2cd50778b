"""The few choices that operators cannot make, for numbers and arrays alike.

A plain number never touches numpy here: one law call on floats costs what its arithmetic costs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from math import gcd, nan
from typing import Any

# A float, an int, or a numpy array of them; laws return the kind they were given.
Number = Any


def where(condition: Number, yes: Number, no: Number) -> Number:
    """*yes* where the condition holds, else *no*."""
    if getattr(condition, "ndim", 0):
        import numpy as np

        return np.where(condition, yes, no)
    if getattr(yes, "ndim", 0) or getattr(no, "ndim", 0):
        return (yes if condition else no) + 0 * (no if condition else yes)
    return yes if condition else no


def exp(value: Number) -> Number:
    """Exponential function."""
    if getattr(value, "ndim", 0):
        import numpy as np

        return np.exp(value)
    return math.exp(value)


def expm1(value: Number) -> Number:
    """Exponential function less 1, to the last digit near 0."""
    if getattr(value, "ndim", 0):
        import numpy as np

        return np.expm1(value)
    return math.expm1(value)


def is_array(value: object) -> bool:
    """Whether a value is an array and no number."""
    return getattr(value, "ndim", 0) > 0


def in_rows(values: list[Number]) -> Number:
    """Arrays and numbers as the rows of one array, so that a law takes them all at once."""
    import numpy as np

    return np.stack(np.broadcast_arrays(*values))


def some(value: Number) -> bool:
    """Whether a value, or any value of an array, is not zero."""
    return bool(value.any()) if getattr(value, "ndim", 0) else bool(value)


def largest(value: Number) -> float:
    """The largest value of an array, or the number itself."""
    return float(value.max()) if getattr(value, "ndim", 0) else float(value)


def smaller(first: Number, second: Number) -> Number:
    """Elementwise minimum."""
    less = first < second
    if less is True:  # of plain numbers alone: arrays, and what stands in them, compare otherwise
        return first
    return second if less is False else where(less, first, second)


def larger(first: Number, second: Number) -> Number:
    """Elementwise maximum."""
    more = first > second
    if more is True:
        return first
    return second if more is False else where(more, first, second)


def ceil_div(dividend: Number, divisor: Number) -> Number:
    """Quotient rounded up to a whole number."""
    if getattr(dividend, "ndim", 0) or getattr(divisor, "ndim", 0):
        import numpy as np

        return np.ceil(dividend / divisor)
    return -(-dividend // divisor)


def floor_div(dividend: Number, divisor: Number) -> Number:
    """Quotient rounded down to a whole number.

    NOTE: numpy's own ``//`` takes ten times as long; on whole numbers below 2**53 the two agree.
    """
    if getattr(dividend, "ndim", 0) or getattr(divisor, "ndim", 0):
        import numpy as np

        return np.floor(dividend / divisor)
    return dividend // divisor


def ceiling(value: Number) -> Number:
    """Value rounded up to a whole number."""
    return ceil_div(value, 1)


def greatest_divisor(first: Number, second: Number) -> Number:
    """Greatest common divisor of whole numbers."""
    if getattr(first, "ndim", 0) or getattr(second, "ndim", 0):
        import numpy as np

        return np.gcd(np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64))
    return gcd(int(first), int(second))


def inverse_modulo(value: Number, modulus: Number) -> Number:
    """The whole number x below *modulus* with value·x ≡ 1 (mod modulus); both have no common divisor."""
    if getattr(value, "ndim", 0) or getattr(modulus, "ndim", 0):
        import numpy as np

        inverse: Any = np.frompyfunc(_inverse_modulo, 2, 1)
        return inverse(value, modulus).astype(np.int64)
    return _inverse_modulo(value, modulus)


@lru_cache(maxsize=1 << 16)
def _inverse_modulo(value: float, modulus: float) -> int:
    return pow(int(value), -1, int(modulus))


def normal_cdf(z: Number, needed: Number = True) -> Number:
    """Standard normal distribution function where it is *needed* for, else 0."""
    if getattr(z, "ndim", 0):
        import numpy as np

        each: Any = np.frompyfunc(math.erfc, 1, 1)  # SciPy's takes half a second to import
        below, places = np.zeros(z.shape), np.broadcast_to(needed, z.shape)
        below[places] = 0.5 * each(-z[places] / 1.4142135623730951).astype(np.float64)
        return below
    return 0.5 * math.erfc(-z / 1.4142135623730951) if needed else 0.0


def distinct(value: Number) -> list[Number]:
    """The different values of an array, or the one number."""
    if getattr(value, "ndim", 0):
        import numpy as np

        return list(np.unique(value))
    return [value]


def of_distinct(law: Callable[[Number], Number], value: Number) -> Number:
    """A law of a number, or of an array of which each value is asked for once."""
    if not is_array(value):
        return law(value)
    import numpy as np

    values, places = np.unique(value, return_inverse=True)
    return law(values)[places]


def nearest(value: Number) -> Number:
    """The nearest whole number, of two equally near the even one."""
    if getattr(value, "ndim", 0):
        import numpy as np

        return np.rint(value)
    return round(value)


def over(part: Number, whole: Number) -> Number:
    """*part* divided by *whole*; 0 where there is nothing to divide by."""
    nothing = whole == 0
    if nothing is False and not getattr(part, "ndim", 0):
        return part / whole
    return where(nothing, 0.0, part / where(nothing, 1, whole))


def known_where(condition: Number, value: Number) -> Number:
    """*value* where the condition holds, else NaN: no number."""
    if getattr(condition, "ndim", 0):
        import numpy as np

        return np.where(condition, value, nan)
    return value if condition else nan


def known_or(value: Number | None, otherwise: Number) -> Number:
    """*value* where there is one, else *otherwise*."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return otherwise
    return where(value == value, value, otherwise)  # noqa: PLR0124  (NaN is not)


def log(value: Number) -> Number:
    """Natural logarithm."""
    if getattr(value, "ndim", 0):
        import numpy as np

        return np.log(value)
    return math.log(value)
