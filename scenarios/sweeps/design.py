"""The points of a sweep: how many there are, and any block of them without the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from functools import cached_property
from itertools import accumulate, repeat
from operator import mul
from typing import TYPE_CHECKING, Any, Final

from blocktime.model.errors import SpecError
from blocktime.scenarios.sweeps.columns import Column, Columns, column_of, points_of, taken
from blocktime.scenarios.sweeps.sweep_spec import Axis, Sweep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[Any]

MOST_POINTS: Final = 2**62
EXACT: Final = Context(prec=60)
"""In which ranges are worked out, so that 10 is not 9.99999999999999."""
CLEAN: Final = Context(prec=30)
"""What is left after rounding: 6.5 out of a root is 6.5, and not a last digit below it."""

Pick = Callable[["Reals"], Column]
"""The values of an axis at shares of it, from 0 to 1."""


class Design:
    """The points of *sweep* in their order, before its conditions; *whole* names fields that take whole numbers only.

    A point depends on the sweep and its place alone: not on the block that it is asked for in, nor on the process.
    """

    def __init__(self, sweep: Sweep, whole: Collection[str] = ()) -> None:
        self._made_from = (sweep, frozenset(whole))
        self.keys = tuple(axis.key for axis in sweep.axis)
        groups = _groups(sweep.axis)
        self._points: _Crossed | _Sampled
        if sweep.design == "crossed":
            self._points = _Crossed([_listed(group, whole) for group in groups])
        else:
            picks = [{axis.key: pick_of(axis, axis.key in whole) for axis in group} for group in groups]
            self._points = _Sampled(picks, sweep.samples or 0, sweep.seed)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels to another process without what it has drawn so far."""
        return Design, self._made_from

    def count(self) -> int:
        """How many points there are; none of them is built for it."""
        return self._points.count

    def block(self, begin: int, end: int) -> list[dict[str, Any]]:
        """The points from *begin* to before *end*, as far as there are any: key -> value."""
        columns = self.columns(begin, end)
        return points_of({key: columns[key] for key in self.keys})

    def columns(self, begin: int, end: int) -> Columns:
        """The same by column: key -> its values."""
        begin, end = max(begin, 0), min(end, self.count())
        return self._points.columns(begin, end) if begin < end else dict.fromkeys(self.keys, ())


class _Crossed:
    """Every combination of what the groups of axes take, the first group slowest."""

    def __init__(self, groups: Sequence[Columns]) -> None:
        self.lengths = [len(next(iter(group.values()))) for group in groups]
        self.groups = [{key: column_of(values) for key, values in group.items()} for group in groups]
        self.count = math.prod(self.lengths)

    def columns(self, begin: int, end: int) -> Columns:
        import numpy as np

        columns, stride = {}, self.count
        # Python's whole numbers where there are more points than 64 bits count
        points = np.arange(begin, end, dtype=object if stride > MOST_POINTS else np.int64)
        for group, length in zip(self.groups, self.lengths, strict=True):
            stride //= length
            places = (points // stride % length).astype(np.int64)
            for key, values in group.items():
                columns[key] = taken(values, places)
        return columns


class _Sampled:
    """Latin hypercube: in what each group of axes spans one point in every stratum, in an order of its own.

    Groups are drawn one by one, so that a further axis leaves those before it as they are.
    """

    def __init__(self, groups: Sequence[Mapping[str, Pick]], count: int, seed: int) -> None:
        self.groups, self.count, self._seed = groups, count, seed

    @cached_property
    def _shares(self) -> list[NDArray[Any]]:
        import numpy as np

        generators = [np.random.default_rng([self._seed, rank]).spawn(1)[0] for rank in range(len(self.groups))]
        within = [generator.uniform(size=self.count) for generator in generators]
        strata = [np.arange(1, self.count + 1) for _ in generators]
        for generator, order in zip(generators, strata, strict=True):
            generator.shuffle(order)
        return [(order - share) / self.count for order, share in zip(strata, within, strict=True)]

    def columns(self, begin: int, end: int) -> Columns:
        columns = {}
        for group, shares in zip(self.groups, self._shares, strict=True):
            for key, pick in group.items():
                columns[key] = pick(shares[begin:end])
        return columns


def _groups(axes: Sequence[Axis]) -> list[list[Axis]]:
    """Axes that move together, in the order in which the first of each is declared."""
    groups: dict[str, list[Axis]] = {}
    for axis in axes:
        groups.setdefault(f"zip {axis.zip}" if axis.zip else axis.key, []).append(axis)
    return list(groups.values())


def _listed(group: Sequence[Axis], whole: Collection[str]) -> Columns:
    """What the axes of a group take; where they come from ranges, neighbours that became equal are one."""
    lists = [axis.values or values_in_range(axis, axis.key in whole) for axis in group]
    rows = list(zip(*lists, strict=True))
    if any(axis.values is None for axis in group):
        rows = [row for place, row in enumerate(rows) if place == 0 or row != rows[place - 1]]
    return {axis.key: values for axis, values in zip(group, zip(*rows, strict=True), strict=True)}


def values_in_range(axis: Axis, is_whole: bool) -> list[Any]:
    """Values from low to high, by equal steps or equal ratios, worked out in decimals."""
    low, high = (Decimal(repr(end)) for end in axis.ends)
    steps = (axis.points or 2) - 1
    with localcontext(EXACT):
        if axis.scale == "log":
            ratio = ((high / low).ln() / steps).exp()
            inner = list(accumulate(repeat(ratio, steps - 1), mul, initial=low))[1:]
        else:
            inner = [(low * (steps - place) + high * place) / steps for place in range(1, steps)]
    values = [low, *(CLEAN.plus(value) for value in inner), high]
    if not is_whole:
        return [float(value) for value in values]
    least, most = whole_ends(axis)
    return [min(max(int(value.to_integral_value(ROUND_HALF_UP)), least), most) for value in values]


def whole_ends(axis: Axis) -> tuple[int, int]:
    """The least and the greatest whole number of a range."""
    low, high = axis.ends
    if math.ceil(low) > math.floor(high):
        raise SpecError(
            f"axis {axis.key}: got the range {low:,} to {high:,}; the field takes whole numbers, and none lies there"
        )
    return math.ceil(low), math.floor(high)


def pick_of(axis: Axis, is_whole: bool) -> Pick:
    """What chooses a value of the axis by a share; listed values and whole numbers have equal shares."""
    if axis.values is not None:
        values, count = column_of(axis.values), len(axis.values)
        return lambda shares: taken(values, (shares * count).astype(int).clip(max=count - 1))
    if is_whole:
        least, most = whole_ends(axis)
        whole = _between(least, most + 1, axis.scale)
        return lambda shares: (whole(shares) // 1).astype(int).clip(least, most)
    low, high = (float(end) for end in axis.ends)
    inner = _between(low, high, axis.scale)
    return lambda shares: inner(shares).clip(low, high)


def _between(low: float, high: float, scale: str) -> Callable[[Reals], Reals]:
    if scale != "log":
        return lambda shares: low + shares * (high - low)
    import numpy as np

    begin, width = math.log(low), math.log(high) - math.log(low)
    exp: Any = np.frompyfunc(math.exp, 1, 1)  # of numpy's, the last digit depends on the processor
    return lambda shares: exp(begin + shares * width).astype(np.float64)
