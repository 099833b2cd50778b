"""Plain replacement policies of a cache of equal blocks. Know no time."""

from __future__ import annotations

from collections import OrderedDict


class Lru:
    """The block not used for longest goes first."""

    __slots__ = ("_blocks", "size_blocks")

    def __init__(self, size_blocks: int) -> None:
        self.size_blocks = size_blocks
        self._blocks: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._blocks)

    def __contains__(self, block: int) -> bool:
        return block in self._blocks

    def access(self, block: int) -> bool:
        """Whether a block is found; afterwards it is in the cache."""
        found = block in self._blocks
        if not found and len(self._blocks) == self.size_blocks:
            self._blocks.popitem(last=False)
        self._blocks[block] = None
        self._blocks.move_to_end(block)
        return found


class Clock:
    """Second chance: the oldest block not used since the hand last passed it goes first [corbato-1968].

    A block comes in unused, and a miss leaves the hand behind the block that it brought in, which is what the simulator
    [libcachesim] does under the same name with its one bit.
    """

    __slots__ = ("_hand", "_ring", "_used", "size_blocks")

    def __init__(self, size_blocks: int) -> None:
        self.size_blocks = size_blocks
        self._ring: list[int] = []
        self._hand = 0
        self._used: dict[int, bool] = {}

    def __len__(self) -> int:
        return len(self._used)

    def __contains__(self, block: int) -> bool:
        return block in self._used

    def access(self, block: int) -> bool:
        """Whether a block is found; afterwards it is in the cache."""
        if block in self._used:
            self._used[block] = True
            return True
        if len(self._ring) < self.size_blocks:
            self._ring.append(block)
        else:
            self._replace_by(block)
        self._used[block] = False
        return False

    def _replace_by(self, block: int) -> None:
        """Move the hand to a block without a second chance, and put another in its place."""
        while self._used[self._ring[self._hand]]:
            self._used[self._ring[self._hand]] = False
            self._hand = (self._hand + 1) % self.size_blocks
        del self._used[self._ring[self._hand]]
        self._ring[self._hand] = block
        self._hand = (self._hand + 1) % self.size_blocks
