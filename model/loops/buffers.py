"""Oracle's buffer cache, reference by reference; see :mod:`model.kernels.buffer_kernel`."""

from __future__ import annotations

from blocktime.model.loops.arrays import Bytes, GivenBytes, GivenReals, GivenWholes, Halves, Reals, Wholes
from blocktime.model.loops.places import SPREAD, SPREAD_BITS

BLOCK, COUNT, HOTTER, COLDER = 0, 1, 2, 3
FIELDS = 4
"""Fields of a buffer, side by side. Buffer 0 is a sentinel in the ring of links, between the hot and the cold end."""
COLD, HOT, WRITING = 0, 1, 2
REGION, DIRTY = 3, 4
"""Bits of a buffer's state: one of the three above, and whether it is dirty."""


class TouchCounts:
    """All that a cache remembers; a block is found through *table*, which holds buffers by its hash, 0 for none.

    Its rows are twice a power of two above the size, FIELDS for each buffer and for nobody, and one for each of them.
    """

    table: Halves
    buffers: Wholes
    touched_s: Reals
    state: Bytes
    to_write: Wholes
    size: int
    shift: int
    hot_size: int
    hot_count: int
    stay_count: int
    cool_count: int
    first_count: int
    inside: int
    """Blocks in memory."""
    hots: int
    midpoint: int
    """The coldest hot buffer."""
    dirties: int
    """Dirty blocks, including those on the write list."""
    missed: int
    """Of the references of a call, those whose block must be read from disk."""
    dirtied: int
    """Blocks that were clean and became dirty."""
    writing: int
    """Blocks to be written."""

    def __init__(
        self, table: Halves, buffers: Wholes, touched_s: Reals, state: Bytes, to_write: Wholes, rules: GivenWholes
    ) -> None:
        """*rules* are the size of the hot region, and the touches to be hot, to stay, when cooled and when read."""
        self.table = table
        self.buffers = buffers
        self.touched_s = touched_s
        self.state = state
        self.to_write = to_write
        self.size = len(to_write)
        self.shift = SPREAD_BITS
        places = len(table)
        while places > 1:
            places >>= 1
            self.shift -= 1
        self.hot_size = rules[0]
        self.hot_count = rules[1]
        self.stay_count = rules[2]
        self.cool_count = rules[3]
        self.first_count = rules[4]
        self.inside = self.hots = self.midpoint = self.dirties = 0
        self.missed = self.dirtied = self.writing = 0

    def slot_of(self, block: int) -> int:
        """The buffer that holds a block; 0 for none."""
        return int(self.table[self._place_of(block)])

    def worked(
        self,
        blocks: GivenWholes,
        changes: GivenBytes,
        cold_end: GivenBytes,
        now_s: float,
        touch_time_s: float,
        missed_at: Wholes,
    ) -> int:
        """References in their order, while there are buffers; how many.

        Misses are in *missed_at*, and behind the room for them the blocks newly dirty.
        """
        count, last, asides = len(blocks), len(self.table) - 1, len(cold_end)
        missed, dirtied, done = 0, 0, count
        self.writing = 0
        for k in range(count):
            block = blocks[k]
            slot: int = self.table[(block * SPREAD >> self.shift) & last]
            if slot and self.buffers[slot * FIELDS + BLOCK] != block:  # NOTE: rarely true
                slot = self.table[self._place_of(block)]
            if slot:
                if now_s - self.touched_s[slot] >= touch_time_s:
                    self.buffers[slot * FIELDS + COUNT] += 1
                    self.touched_s[slot] = now_s
            else:
                if self.inside < self.size:
                    self.inside += 1
                    slot = self.inside
                else:
                    slot = self._search()
                    if not slot:
                        done = k
                        break
                    self._forget(self.buffers[slot * FIELDS + BLOCK])
                self.table[self._place_of(block)] = slot
                self.buffers[slot * FIELDS + BLOCK] = block
                aside = asides > 0 and cold_end[k] != 0
                self.buffers[slot * FIELDS + COUNT] = 0 if aside else self.first_count
                self.touched_s[slot] = now_s
                self.state[slot] = COLD
                self._link(slot, self.buffers[HOTTER] if aside else self.midpoint)
                missed_at[missed] = k
                missed += 1
            if changes[k] and not self.state[slot] & DIRTY:
                self.state[slot] |= DIRTY
                self.dirties += 1
                missed_at[count + dirtied] = block
                dirtied += 1
        self.missed, self.dirtied = missed, dirtied
        return done

    def clean(self, block: int) -> bool:
        """Mark a block as written; return whether it is in memory."""
        slot = self.slot_of(block)
        if not slot:
            return False
        if self.state[slot] & DIRTY:
            self.dirties -= 1
        if self.state[slot] & REGION == WRITING:
            self._link(slot, self.buffers[HOTTER])
            self.state[slot] = COLD
        else:
            self.state[slot] &= REGION
        return True

    def filled(self, blocks: GivenWholes, touched_s: GivenReals, counts: GivenWholes, hots: int) -> int:
        """Blocks put into an empty cache, the first at the cold end, up to one that is there already; how many.

        The last *hots* are in the hot region.
        """
        first_hot = len(blocks) - hots
        for k in range(len(blocks)):
            at = self._place_of(blocks[k])
            if self.table[at]:
                return k
            slot = k + 1
            self.table[at] = slot
            self.buffers[slot * FIELDS + BLOCK] = blocks[k]
            self.buffers[slot * FIELDS + COUNT] = counts[k]
            self.touched_s[slot] = touched_s[k]
            self._link(slot, 0)
            self.inside = slot
            if k >= first_hot:
                self.state[slot] = HOT
                self.hots += 1
                if k == first_hot:
                    self.midpoint = slot
        return len(blocks)

    def _place_of(self, block: int) -> int:
        """The table entry of a block, or the entry where it would be inserted."""
        last = len(self.table) - 1
        at = (block * SPREAD >> self.shift) & last
        slot = self.table[at]
        while slot and self.buffers[slot * FIELDS + BLOCK] != block:
            at = (at + 1) & last
            slot = self.table[at]
        return at

    def _forget(self, block: int) -> None:
        """Remove a block from the table, and move later entries up as far as the entries that they hash to."""
        last = len(self.table) - 1
        gap = at = self._place_of(block)
        while True:
            at = (at + 1) & last
            slot = self.table[at]
            if not slot:
                break
            home = (self.buffers[slot * FIELDS + BLOCK] * SPREAD >> self.shift) & last
            if (at - home) & last >= (at - gap) & last:
                self.table[gap] = slot
                gap = at
        self.table[gap] = 0

    def _link(self, slot: int, above: int) -> None:
        """Insert a buffer into the ring, on the cold side of another buffer."""
        below = self.buffers[above * FIELDS + COLDER]
        self.buffers[slot * FIELDS + HOTTER] = above
        self.buffers[slot * FIELDS + COLDER] = below
        self.buffers[above * FIELDS + COLDER] = slot
        self.buffers[below * FIELDS + HOTTER] = slot

    def _search(self) -> int:
        """Take a clean buffer out of the ring, or return 0; dirty buffers that the search meets are to be written."""
        while self.buffers[HOTTER]:
            slot = self.buffers[HOTTER]
            above = self.buffers[slot * FIELDS + HOTTER]
            self.buffers[HOTTER] = above
            self.buffers[above * FIELDS + COLDER] = 0
            if self.state[slot] & REGION == HOT:
                self.hots -= 1
                self.midpoint = above
            if self.buffers[slot * FIELDS + COUNT] >= self.hot_count:
                self._heat(slot)
            elif self.state[slot] & DIRTY:
                self.state[slot] = WRITING | DIRTY
                self.to_write[self.writing] = self.buffers[slot * FIELDS + BLOCK]
                self.writing += 1
            else:
                return int(slot)
        return 0

    def _heat(self, slot: int) -> None:
        """Move a buffer to the hot end; if the hot region is full, its coldest buffer becomes cold."""
        self._link(slot, 0)
        self.buffers[slot * FIELDS + COUNT] = self.stay_count
        self.state[slot] = (self.state[slot] & DIRTY) | HOT
        if not self.midpoint:
            self.midpoint = slot
        if self.hots < self.hot_size:
            self.hots += 1
            return
        cooled = self.midpoint
        self.buffers[cooled * FIELDS + COUNT] = self.cool_count
        self.state[cooled] = (self.state[cooled] & DIRTY) | COLD
        self.midpoint = self.buffers[cooled * FIELDS + HOTTER]
