"""Reads that a buffer cache does not save. [general knowledge]"""

from __future__ import annotations

from model.laws.logical_io import distinct_blocks
from model.laws.numeric import Number, larger, smaller


def random_misses(visits: Number, blocks: Number, room: Number, cached_fraction: Number) -> Number:
    """Blocks read when *visits* visits go to *blocks* blocks at random and *room* of them fit the cache.

    Each block once, but for those cached beforehand; and of the other visits the share 1 - room/blocks, which is what
    any replacement by use gives when all blocks are equally wanted.
    """
    found = room / blocks
    touched = distinct_blocks(blocks, visits)
    return touched * (1 - smaller(found, cached_fraction)) + larger(0, visits - touched) * (1 - found)
