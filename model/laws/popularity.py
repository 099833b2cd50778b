"""How popular blocks are, as classes of equally popular blocks: by Zipf's law, or from a measured miss curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

from model.laws.hit_ratio import characteristic_references

CLASSES_PER_OCTAVE = 2
POPULARITIES = 120
POLICY_STEPS = 8
REFINED = 12
"""How often T is worked out anew from the classes found: between two sizes the misses are known at the ends alone."""
BEYOND = 50.0
LEAST = 1e-9

Classes = list[tuple[float, float]]
"""Blocks of each class and the share of the gets that goes to them, the most popular first."""


def zipf_classes(blocks: int, exponent: float) -> Classes:
    """Ranks 1 to *blocks* in classes that end at powers of the root of 2; block k is wanted k^-exponent times as often.

    The mean popularity of a class stands for all its blocks.
    """
    import numpy as np  # noqa: PLC0415

    edges = [0]
    reach = 1.0
    while edges[-1] < blocks:
        edges.append(min(blocks, max(edges[-1] + 1, round(reach))))
        reach *= sqrt(2)
    ranks = np.array(edges, dtype=float)
    if exponent == 1:
        below = np.concatenate(
            [[0.0], np.log(ranks[1:] + 0.5) + np.euler_gamma + 1 / (24 * (ranks[1:] + 0.5) ** 2)]
        )
    else:
        rest = 1 - exponent
        many = np.concatenate([[0.0], ((ranks[1:] + 0.5) ** rest - 0.5**rest) / rest])
        # NOTE: the first ranks are summed, as the integral is coarse there
        few = np.arange(1, min(blocks, 4096) + 1, dtype=float) ** -exponent
        summed = np.concatenate([[0.0], np.cumsum(few)])
        last = len(few)
        known = ranks <= last
        below = np.where(
            known,
            summed[np.minimum(ranks, last).astype(int)],
            summed[last] + many - ((last + 0.5) ** rest - 0.5**rest) / rest,
        )
    weights = np.diff(below)
    return list(zip(np.diff(ranks).tolist(), (weights / weights.sum()).tolist(), strict=True))


def classes_by_policy(
    rooms: Sequence[float], misses: Sequence[float], missed_of: Callable[[Classes], Sequence[float]]
) -> Classes:
    """Classes that miss as measured under the policy by which *missed_of* tells the misses of classes in those *rooms*.

    The misses that :func:`classes_of_misses` is asked for are moved by what the policy misses of those measured, until
    it meets them.
    """
    wanted = list(misses)
    for _ in range(POLICY_STEPS):
        found = classes_of_misses(rooms, wanted)
        moved = [
            aim * measured / max(LEAST, missed)
            for aim, measured, missed in zip(wanted, misses, missed_of(found), strict=True)
        ]
        wanted = [max(LEAST, min(1.0, *moved[: rank + 1])) for rank in range(len(moved))]
    return classes_of_misses(rooms, wanted)


def classes_of_misses(rooms: Sequence[float], misses: Sequence[float]) -> Classes:
    """Classes whose LRU misses with so many *rooms* are the measured ones: the inverse of Che's approximation.

    A block stays for T references, and room(T) grows with dT as fast as references miss: T = ∫ d(room)/miss. The misses
    are then m(T) = Σ sᵢ·e^(-pᵢ·T) with the gets' shares sᵢ and the popularities pᵢ of one block, of which there are
    sᵢ/pᵢ: least squares of relative errors with sᵢ ≥ 0 over a range of pᵢ leave a handful of classes [che-2002].
    Misses that no cache spares ask for many more blocks than the largest one holds.
    """
    import numpy as np  # noqa: PLC0415

    room = np.concatenate([[0.0], np.asarray(rooms, dtype=float)])
    missed = np.concatenate([[1.0], np.maximum(np.asarray(misses, dtype=float), LEAST)])
    change = np.diff(missed)
    level = np.abs(change) < LEAST * missed[1:]
    mean = np.where(level, missed[1:], change / np.where(level, 1.0, np.log(missed[1:] / missed[:-1])))
    stay = np.concatenate([[0.0], np.cumsum(np.diff(room) / mean)])
    found = _fitted(stay, room, missed)
    for _ in range(REFINED):
        sizes, gets = (np.array(column) for column in zip(*found, strict=True))
        refined = np.asarray(characteristic_references(room[1:], gets / sizes, sizes))
        stay[1:] = np.where(np.isfinite(refined), np.sqrt(refined * stay[1:]), stay[1:])
        found = _fitted(stay, room, missed)
    return found


def _fitted(stay: Any, room: Any, missed: Any) -> Classes:
    """Classes that miss as *missed*, and fill *room*, after *stay* references: least squares of relative errors."""
    import numpy as np  # noqa: PLC0415
    from scipy.optimize import nnls  # noqa: PLC0415

    popular = np.geomspace(1 / (BEYOND * stay[-1]), BEYOND / stay[1], POPULARITIES)
    gone = np.outer(stay, popular)
    misses = np.exp(-gone) / missed[:, None]
    misses[0] *= BEYOND
    rooms = -np.expm1(-gone[1:]) / popular / room[1:, None]
    wanted = np.ones(2 * len(stay) - 1)
    wanted[0] = BEYOND
    columns = np.concatenate([misses, rooms])
    length = np.sqrt((columns**2).sum(axis=0))
    scaled, _ = nnls(columns / length, wanted, maxiter=50 * POPULARITIES)
    shares = scaled / length
    gets = shares.sum()
    return [
        (float(s / gets / p), float(s / gets))
        for s, p in zip(shares[::-1], popular[::-1], strict=True)
        if s > 0
    ]
