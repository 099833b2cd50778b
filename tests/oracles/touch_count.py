"""Oracle's buffer cache since 8i: a list with a hot and a cold region, and a count of touches for each buffer.

A block read comes in at the midpoint, between the regions, or at the cold end if a large scan reads it. A touch moves
nothing; it counts, once within some seconds. Whoever needs a buffer searches from the cold end: a buffer touched often
enough moves to the hot end and begins to count again, and the one that it pushes over the midpoint is cooled; of the
others a pinned one is passed by, a dirty one goes to the write list, and the first clean one is taken
[shallahamer-touch-count]. Times are handed in.

NOTE: a search here goes on until it finds a buffer or none is left; Oracle's gives up after 40 % of the list.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from model.laws.buffer_cache import TouchRules


class Search(NamedTuple):
    """What became of the search for a buffer."""

    found: bool
    """False: no buffer was clean and unpinned; the reader waits (``free buffer waits``) and asks again."""
    evicted: int | None
    """The block that was in the buffer."""
    to_write: tuple[int, ...]
    """Dirty blocks that went to the write list on the way, in that order."""
    inspected: int
    """Buffers looked at (``free buffer inspected``)."""


class _Buffer:
    """A block in memory."""

    __slots__ = ("count", "dirty", "pins", "touched_s")

    def __init__(self, count: int, now_s: float) -> None:
        self.count = count
        self.touched_s = now_s
        self.dirty = False
        self.pins = 0


class TouchCount:
    """Buffers under the touch-count algorithm; a call takes constant time, averaged over calls, but for pinned buffers.

    Buffers not used yet are taken first. The hot region grows by the buffers that become hot, up to its share.
    """

    __slots__ = ("_buffers", "_cold", "_hot", "_writing", "hot_blocks", "rules", "size_blocks")

    def __init__(self, size_blocks: int, rules: TouchRules | None = None) -> None:
        self.size_blocks = size_blocks
        self.rules = rules or TouchRules()
        self.hot_blocks = self.rules.hot_blocks(size_blocks)
        self._buffers: dict[int, _Buffer] = {}
        self._hot: OrderedDict[int, _Buffer] = OrderedDict()  # both from the cold end on
        self._cold: OrderedDict[int, _Buffer] = OrderedDict()
        self._writing: dict[int, _Buffer] = {}

    def __len__(self) -> int:
        return len(self._buffers)

    def __contains__(self, block: int) -> bool:
        return block in self._buffers

    @property
    def hot(self) -> list[int]:
        """Blocks of the hot region, the coldest first."""
        return list(self._hot)

    @property
    def cold(self) -> list[int]:
        """Blocks of the cold region, the coldest first."""
        return list(self._cold)

    @property
    def write_list(self) -> list[int]:
        """Blocks that wait to be written, the first to come first."""
        return list(self._writing)

    def count(self, block: int) -> int:
        """Touches of a block in memory, as counted."""
        return self._buffers[block].count

    def access(self, block: int, now_s: float, *, cold_end: bool = False) -> bool:
        """Whether a block is found; if not it is read, if a buffer is found."""
        if self.touch(block, now_s):
            return True
        self.read(block, now_s, cold_end=cold_end)
        return False

    def touch(self, block: int, now_s: float) -> bool:
        """Use a block, if it is in memory; on the write list it still is."""
        buffer = self._buffers.get(block)
        if buffer is None:
            return False
        if now_s - buffer.touched_s >= self.rules.touch_time_s:
            buffer.count += 1
            buffer.touched_s = now_s
        return True

    def read(self, block: int, now_s: float, *, cold_end: bool = False) -> Search:
        """Find a buffer for a block that is not in memory, and put it there."""
        search = Search(True, None, (), 0)
        if len(self._buffers) == self.size_blocks:
            search = self._search()
            if not search.found:
                return search
        buffer = _Buffer(0 if cold_end else self.rules.first_count, now_s)
        self._buffers[block] = self._cold[block] = buffer
        if cold_end:
            self._cold.move_to_end(block, last=False)
        return search

    def _search(self) -> Search:
        evicted: int | None = None
        pinned: list[tuple[OrderedDict[int, _Buffer], int, _Buffer]] = []
        to_write: list[int] = []
        inspected = 0
        while evicted is None and (region := self._cold or self._hot):
            block, buffer = region.popitem(last=False)
            inspected += 1
            if buffer.pins:
                pinned.append((region, block, buffer))
            elif buffer.count >= self.rules.hot_count:
                self._heat(block, buffer)
            elif buffer.dirty:
                self._writing[block] = buffer
                to_write.append(block)
            else:
                del self._buffers[block]
                evicted = block
        for region, block, buffer in reversed(pinned):
            region[block] = buffer
            region.move_to_end(block, last=False)
        return Search(evicted is not None, evicted, tuple(to_write), inspected)

    def _heat(self, block: int, buffer: _Buffer) -> None:
        """Move a buffer to the hot end; what the hot region has no room for then is cooled."""
        buffer.count = self.rules.stay_count
        self._hot[block] = buffer
        if len(self._hot) > self.hot_blocks:
            cooled, buffer = self._hot.popitem(last=False)
            buffer.count = self.rules.cool_count
            self._cold[cooled] = buffer

    def change(self, block: int) -> None:
        """A block in memory differs from the one on disk."""
        self._buffers[block].dirty = True

    def written(self, block: int) -> None:
        """A block is on disk as it is in memory; from the write list its buffer comes to the cold end."""
        self._buffers[block].dirty = False
        if block in self._writing:
            self._cold[block] = self._writing.pop(block)
            self._cold.move_to_end(block, last=False)

    def pin(self, block: int) -> None:
        """Somebody works with a block in memory: it has to stay until it is unpinned as often."""
        self._buffers[block].pins += 1

    def unpin(self, block: int) -> None:
        """Somebody is done with a block."""
        self._buffers[block].pins -= 1
