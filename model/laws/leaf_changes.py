"""Index maintenance of inserted and deleted rows: changes to leaves, and splits.

Single-row changes change a leaf each: 1,000 rows with one index write two redo entries a row and some 500 bytes each
[chitale-2015]. The entries of an array are sorted, and a leaf takes all of its entries in one change: the same rows and
index, inserted at once, write 52 redo entries and 69 bytes a row.
"""

from __future__ import annotations

from math import e, log

from blocktime.model.laws.buffer_gets import distinct_blocks
from blocktime.model.laws.numeric import Number, larger, largest, smaller, where

HALF_SPLIT_FILL = log(2)
"""Mean fill of leaves that keys in any order have split in half again and again [yao-1978]."""
SPLIT_GETS = 4
"""Current gets of a split in addition to the leaf's own: new leaf, neighbour, branch, bitmap block [lewis-splits]."""
MOST_DOUBLINGS = 24


def leaves_changed(keys: Number, arrays: Number, leaves: Number, per_leaf: Number, ascending: Number) -> Number:
    """Changes to leaves by *keys* keys in *arrays* arrays: one per leaf that an array reaches, at most one per key.

    Ascending keys go to the last leaf and the leaves after it; others to any of the *leaves*.
    """
    each = keys / larger(1, arrays)
    apart = arrays * distinct_blocks(leaves, each)
    return smaller(keys, where(ascending, arrays + keys / per_leaf, larger(smaller(1, keys), apart)))


def half_splits(keys: Number, entries: Number, leaves: Number, per_leaf: Number, evenly: Number) -> Number:
    """Leaves that *keys* random keys split in half, of *leaves* leaves with *entries* entries in total.

    Leaves that have split before are filled *evenly* between a half and the whole: their number grows with the entries,
    which fill ln 2 of it [yao-1978]. Leaves that are equally full split when they have 1, 2, 4 … times the entries of a
    leaf; the number of new keys of a leaf is a Poisson number, approximated as normal.
    """
    filled = keys / (per_leaf * HALF_SPLIT_FILL)
    each, more = entries / larger(1, leaves), keys / larger(1, leaves)
    split = 0.0 * filled
    for doubling in range(MOST_DOUBLINGS):
        parts = 2**doubling
        beyond = (each + more) / parts - per_leaf
        split = split + parts * _share_above(beyond / larger(1e-9, more / parts) ** 0.5)
    return where(evenly, filled, smaller(keys, leaves * split))


def meetings(
    sessions: Number, work_s: Number, changes: Number, leaves: Number, change_s: Number
) -> tuple[Number, Number]:
    """Share of changes that find their leaf busy with another session, and the mean wait of a change.

    Each of *sessions* works for *work_s* and makes *changes* changes, each to one of *leaves* leaves, which it holds
    for *change_s*. A change that finds others waits for them, and for half of the one in progress
    [reiser-lavenberg-1980]: mean value analysis, session by session. A leaf takes at most one change per *change_s*.
    """
    wait = chance = busy = queue = 0.0 * (sessions + work_s + changes)
    for present in range(1, int(largest(sessions)) + 1):
        now = (queue - busy / 2) * change_s
        there = present <= sessions
        wait, chance = where(there, now, wait), where(there, busy, chance)
        each_per_s = present * changes / leaves / larger(1e-12, work_s + changes * now)
        busy, queue = smaller(1, each_per_s * change_s), each_per_s * (change_s + now)
    return chance, larger(wait, sessions * change_s / leaves - work_s / changes)


def _share_above(deviations: Number) -> Number:
    """Share of normal values above one that lies *deviations* standard deviations under their mean, within 0.01."""
    return 1 / (1 + e ** smaller(30, larger(-30, -1.702 * deviations)))
