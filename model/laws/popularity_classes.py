"""Popularity of blocks, as classes of equally popular blocks: by Zipf's law, or from a measured miss curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil, exp, inf, log, log2, sqrt
from typing import TYPE_CHECKING

from blocktime.model.laws.hit_ratio import characteristic_references, lru_hit_fraction

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

SIZES_PER_OCTAVE = 2
GUESSED = 0.1
"""Weight of a size without a measurement, relative to a measured one."""
POPULARITIES = 120
MOVES = 8
POLICY_STEPS = 40
CLOSE = 0.002
"""Relative error of the misses at which no further step is made."""
MEETING_STEPS = 30
MEETS = 1e-4
"""Relative error of the misses at one size at which no further step is made."""
REFINED = 12
"""Repetitions of T from the resulting classes: between two sizes, only the misses at the ends are known."""
BEYOND = 50.0
ENDS = 10.0
"""Factor of popularity beyond the smallest and the largest measured size, at first."""
LEAST = 1e-9
LEAST_PULL = 1e-14
"""Of the largest, below which a share is none."""

Classes = list[tuple[float, float]]
"""Blocks of each class and the share of the gets that goes to them, the most popular first."""
ResidenceLaw = Callable[[float, Classes, Sequence[float]], Sequence[float]]
"""Room, the classes that it serves, popularities of single blocks -> share of the time that each is kept."""


def zipf_classes(blocks: int, exponent: float) -> Classes:
    """Ranks 1 to *blocks* in classes that end at powers of the root of 2; block k has a share k^-exponent.

    The mean popularity of a class represents all its blocks.
    """
    import numpy as np

    edges = [0]
    reach = 1.0
    while edges[-1] < blocks:
        edges.append(min(blocks, max(edges[-1] + 1, round(reach))))
        reach *= sqrt(2)
    ranks = np.array(edges, dtype=float)
    if exponent == 1:
        below = np.concatenate([[0.0], np.log(ranks[1:] + 0.5) + np.euler_gamma + 1 / (24 * (ranks[1:] + 0.5) ** 2)])
    else:
        rest = 1 - exponent
        integral = np.concatenate([[0.0], ((ranks[1:] + 0.5) ** rest - 0.5**rest) / rest])
        # NOTE: the first ranks are summed, as the integral is coarse there
        few = np.arange(1, min(blocks, 4096) + 1, dtype=float) ** -exponent
        summed = np.concatenate([[0.0], np.cumsum(few)])
        last = len(few)
        known = ranks <= last
        below = np.where(
            known,
            summed[np.minimum(ranks, last).astype(int)],
            summed[last] + integral - ((last + 0.5) ** rest - 0.5**rest) / rest,
        )
    weights = np.diff(below)
    return list(zip(np.diff(ranks).tolist(), (weights / weights.sum()).tolist(), strict=True))


def classes_by_policy(rooms: Sequence[float], misses: Sequence[float], residence: ResidenceLaw) -> Classes:
    """Classes with the measured misses under a policy; *residence* gives its residence times of blocks.

    The misses that :func:`classes_of_misses` is asked for are corrected by the difference between the policy's misses
    and the measured ones. If this does not converge, as with many sizes, the classes are fitted to the policy itself.
    """
    wanted = list(misses)
    classes = classes_of_misses(rooms, wanted)
    for _ in range(MOVES):
        moved = [
            aim * measured / max(LEAST, missed)
            for aim, measured, missed in zip(wanted, misses, _missed(rooms, classes, residence), strict=True)
        ]
        wanted = [max(LEAST, min(1.0, *moved[: rank + 1])) for rank in range(len(moved))]
        classes = classes_of_misses(rooms, wanted)
    off = [
        missed / max(LEAST, measured) - 1
        for missed, measured in zip(_missed(rooms, classes, residence), misses, strict=True)
    ]
    return classes if max(map(abs, off)) < CLOSE else _fitted_to_policy(rooms, misses, residence)


def classes_at(
    room: float, rooms: Sequence[float], misses: Sequence[float], classes: Classes, residence: ResidenceLaw
) -> Classes:
    """The *classes* of a curve with as many misses in a cache of *room* as the curve has there.

    Repeated references in order, such as scans, save misses in steps; random references do not. The law interpolates
    the errors of the classes at the measured sizes by the logarithm of the size, and exchanges hits and misses.
    """
    pairs = zip(rooms, misses, _missed(rooms, classes, residence), strict=True)
    off = [(log(size), log(measured / missed)) for size, measured, missed in pairs if min(measured, missed) > LEAST]
    now = _missed([room], classes, residence)[0]
    wanted = min(1.0, now * exp(_between(off, log(room)))) if off else now
    for _ in range(MEETING_STEPS):
        if now <= LEAST or now >= 1 or abs(now / wanted - 1) < MEETS:
            break
        shares = residence(room, classes, [gets / blocks for blocks, gets in classes])
        more, fewer = wanted / now, (1 - wanted) / (1 - now)
        classes = [
            (blocks, gets * ((1 - share) * more + share * fewer))
            for (blocks, gets), share in zip(classes, shares, strict=True)
        ]
        now = _missed([room], classes, residence)[0]
    return classes


def _between(points: Sequence[tuple[float, float]], place: float) -> float:
    """The height at *place* on straight lines between *points*, and beyond them that of the last one."""
    if place <= points[0][0]:
        return points[0][1]
    for (begin, low), (end, high) in pairwise(points):
        if place < end:
            return low + (high - low) * (place - begin) / (end - begin)
    return points[-1][1]


def _missed(rooms: Sequence[float], classes: Classes, residence: ResidenceLaw) -> list[float]:
    rates = [gets / blocks for blocks, gets in classes]
    return [
        1 - sum(gets * part for (_, gets), part in zip(classes, residence(room, classes, rates), strict=True))
        for room in rooms
    ]


def _fitted_to_policy(rooms: Sequence[float], misses: Sequence[float], residence: ResidenceLaw) -> Classes:
    """Classes by least squares, with the shares of the time that the policy keeps blocks worked out anew from them.

    Given these shares, misses and blocks kept are linear in the gets' shares, as in :func:`classes_of_misses`. The
    first classes are half those of LRU, and half those that each larger cache spares: as much as misses fall, of blocks
    wanted about once while one of that size keeps them. Between sizes far apart misses are those that LRU would have.
    """
    import numpy as np

    by_lru = classes_of_misses(rooms, misses)
    room, missed, weight = _filled_in(rooms, misses, by_lru)
    stay = _stays(room, missed)
    each = [stay[1] / ENDS, *np.sqrt(stay[1:-1] * stay[2:]), stay[-1] * ENDS]
    falls = -np.diff(np.append(missed, 0.0))
    first = [*by_lru, *zip((falls * each).tolist(), falls.tolist(), strict=True)]
    classes = [(blocks / 2, gets / 2) for blocks, gets in first if gets > LEAST]
    popular, best, nearest = _popularities(stay), classes, inf
    for _ in range(POLICY_STEPS):
        resident = np.array(
            [residence(size, classes, [*(gets / n for n, gets in classes), *popular]) for size in room[1:]]
        )
        off = (1 - resident[:, : len(classes)] @ [gets for _, gets in classes]) / missed[1:] - 1
        mean = float(np.sqrt(np.average(off**2, weights=weight**2)))
        if mean < nearest:
            best, nearest = classes, mean
        if mean < CLOSE:
            break
        classes = _fitted(resident[:, len(classes) :], popular, room, missed, weight)
    return best


def _filled_in(rooms: Sequence[float], misses: Sequence[float], by_lru: Classes) -> tuple[Numbers, Numbers, Numbers]:
    """Rooms and misses from no room on, with sizes between those more than half an octave apart; what each counts."""
    import numpy as np

    filled: list[float] = []
    for smaller, larger in pairwise(rooms):
        steps = max(1, ceil(SIZES_PER_OCTAVE * log2(larger / smaller) - LEAST))
        filled += [smaller * (larger / smaller) ** (step / steps) for step in range(steps)]
    filled.append(rooms[-1])
    sizes, gets = (np.array(column) for column in zip(*by_lru, strict=True))
    known = np.maximum(np.asarray(misses, dtype=float), LEAST)
    at = np.searchsorted(rooms, filled)
    between = 1 - lru_hit_fraction(np.array(filled), gets / sizes, sizes)
    measured = np.isin(filled, rooms)
    missed = np.where(measured, known[at], np.clip(between, known[at], known[at - 1]))
    return np.array([0.0, *filled]), np.array([1.0, *missed]), np.where(measured, 1.0, GUESSED)


def classes_of_misses(rooms: Sequence[float], misses: Sequence[float]) -> Classes:
    """Classes whose LRU misses in caches of *rooms* are the measured ones: the inverse of Che's approximation.

    A block stays for T references, and room(T) grows with dT as fast as references miss: T = ∫ d(room)/miss. The misses
    are then m(T) = Σ sᵢ·e^(-pᵢ·T) with the gets' shares sᵢ and the popularities pᵢ of one block, of which there are
    sᵢ/pᵢ: least squares of relative errors with sᵢ ≥ 0 over a range of pᵢ leave a handful of classes [che-2002]. Misses
    that no cache size saves need many more blocks than the largest cache holds.
    """
    import numpy as np

    room = np.concatenate([[0.0], np.asarray(rooms, dtype=float)])
    missed = np.concatenate([[1.0], np.maximum(np.asarray(misses, dtype=float), LEAST)])
    stay = _stays(room, missed)

    def fitted() -> Classes:
        popular = _popularities(stay)
        return _fitted(-np.expm1(-np.outer(stay[1:], popular)), popular, room, missed)

    classes = fitted()
    for _ in range(REFINED):
        sizes, gets = (np.array(column) for column in zip(*classes, strict=True))
        refined = np.asarray(characteristic_references(room[1:], gets / sizes, sizes))
        stay[1:] = np.where(np.isfinite(refined), np.sqrt(refined * stay[1:]), stay[1:])
        classes = fitted()
    return classes


def _stays(room: Numbers, missed: Numbers) -> Numbers:
    """References that a block stays for with so much room: T = ∫ d(room)/miss."""
    import numpy as np

    change = np.diff(missed)
    level = np.abs(change) < LEAST * missed[1:]
    mean = np.where(level, missed[1:], change / np.where(level, 1.0, np.log(missed[1:] / missed[:-1])))
    return np.concatenate([[0.0], np.cumsum(np.diff(room) / mean)])


def _popularities(stay: Numbers) -> Numbers:
    """Popularities of a block that classes are looked for among."""
    import numpy as np

    return np.geomspace(1 / (BEYOND * stay[-1]), BEYOND / stay[1], POPULARITIES)


def _fitted(
    resident: Numbers, popular: Numbers, room: Numbers, missed: Numbers, weight: Numbers | float = 1.0
) -> Classes:
    """Classes that miss as *missed* and fill *room* with *resident* blocks: least squares of relative errors."""
    import numpy as np

    columns = np.stack([(1 - resident) / missed[1:, None], resident / popular / room[1:, None]])
    wanted = np.broadcast_to(weight, (2, len(resident))).ravel()
    columns = wanted[:, None] * columns.reshape(-1, len(popular))
    columns = np.vstack([np.full(len(popular), BEYOND), columns])
    wanted = np.append(BEYOND, wanted)
    length = np.sqrt((columns**2).sum(axis=0))
    shares = least_squares_above_zero(columns / length, wanted) / length
    gets = shares.sum()
    return [(float(s / gets / p), float(s / gets)) for s, p in zip(shares[::-1], popular[::-1], strict=True) if s > 0]


def least_squares_above_zero(matrix: Numbers, wanted: Numbers) -> Numbers:
    """The x of 0 and more for which matrix @ x is nearest to *wanted*: active sets [lawson-1974, algorithm NNLS]."""
    import numpy as np

    count = matrix.shape[1]
    x, free = np.zeros(count), np.zeros(count, dtype=bool)
    for _ in range(50 * count):
        pull = np.where(free, -np.inf, matrix.T @ (wanted - matrix @ x))
        enters = int(pull.argmax())
        if pull[enters] <= LEAST_PULL * np.linalg.norm(wanted):
            break
        free[enters] = True
        while True:
            inner = np.zeros(count)
            inner[free], *_ = np.linalg.lstsq(matrix[:, free], wanted, rcond=None)
            if (inner[free] > 0).all():
                break
            falls = free & (inner <= 0)
            x = x + (inner - x) * (x[falls] / (x[falls] - inner[falls])).min()
            free &= x > LEAST_PULL * x.max()
            x[~free] = 0.0
        x = inner
    return x
