"""Caches of equal blocks, played literally: what their rules say, in any time that it takes."""

from typing import NamedTuple

from hypothesis import strategies as st

from blocktime.model.laws.cache_misses import TouchRules

all_rules = st.builds(
    TouchRules,
    percent_hot=st.sampled_from([0.0, 10.0, 50.0, 90.0, 100.0]),
    touch_time_s=st.sampled_from([0.0, 1.0, 3.0]),
    hot_criteria=st.integers(2, 4),
    more_than=st.booleans(),
    stay_count=st.integers(0, 1),
    cool_count=st.integers(0, 1),
    first_count=st.integers(0, 3),
)


class Search(NamedTuple):
    """What became of the search for a buffer."""

    found: bool
    """False: no buffer was clean; the reader waits (``free buffer waits``) and asks again."""
    to_write: list[int]
    """Dirty blocks that went to the write list on the way, in that order."""


class TouchCount:
    """Oracle's buffer cache: one list from the cold end to the hot end, the last *warm* of it the hot region.

    A block read comes in between the regions, or at the cold end if a large scan reads it. A touch moves nothing; it
    counts, once within some seconds. Who needs a buffer searches from the cold end: one touched often enough moves to
    the hot end and begins to count again, and the one that it pushes out of the hot region is cooled; of the others a
    dirty one goes to the write list, and the first clean one is taken [shallahamer-touch-count].
    """

    def __init__(self, size: int, rules: TouchRules | None = None) -> None:
        self.size, self.rules, self.warm = size, rules or TouchRules(), 0
        self.order: list[int] = []
        self.write_list: list[int] = []
        self.count: dict[int, int] = {}
        self.touched: dict[int, float] = {}
        self.dirty: set[int] = set()

    @property
    def cold(self) -> list[int]:
        """Blocks of the cold region, the coldest first."""
        return self.order[: len(self.order) - self.warm]

    @property
    def hot(self) -> list[int]:
        """Blocks of the hot region, the coldest first."""
        return self.order[len(self.order) - self.warm :]

    def access(self, block: int, now_s: float, *, cold_end: bool = False) -> bool:
        """Whether a block is found; if not it is read, if a buffer is found."""
        if self.touch(block, now_s):
            return True
        self.read(block, now_s, cold_end=cold_end)
        return False

    def touch(self, block: int, now_s: float) -> bool:
        """Use a block, if it is in memory; on the write list it still is."""
        if block not in self.count:
            return False
        if now_s - self.touched[block] >= self.rules.touch_time_s:
            self.count[block] += 1
            self.touched[block] = now_s
        return True

    def read(self, block: int, now_s: float, *, cold_end: bool = False) -> Search:
        """Find a buffer for a block that is not in memory, and put it there."""
        search = self._search() if len(self.count) == self.size else Search(True, [])
        if search.found:
            self.count[block] = 0 if cold_end else self.rules.first_count
            self.touched[block] = now_s
            self.order.insert(0 if cold_end else len(self.order) - self.warm, block)
        return search

    def _search(self) -> Search:
        to_write: list[int] = []
        while self.order:
            self.warm -= self.warm == len(self.order)
            block = self.order.pop(0)
            if self.count[block] >= self.rules.hot_criteria + self.rules.more_than:
                self._heat(block)
            elif block in self.dirty:
                self.write_list.append(block)
                to_write.append(block)
            else:
                del self.count[block], self.touched[block]
                return Search(True, to_write)
        return Search(False, to_write)

    def _heat(self, block: int) -> None:
        self.order.append(block)
        self.count[block] = self.rules.stay_count
        self.warm += 1
        if self.warm > int(self.size * self.rules.percent_hot / 100):
            self.count[self.order[len(self.order) - self.warm]] = self.rules.cool_count
            self.warm -= 1

    def change(self, block: int) -> None:
        """A block in memory differs from the one on disk."""
        self.dirty.add(block)

    def written(self, block: int) -> None:
        """A block is on disk as it is in memory; from the write list its buffer comes to the cold end."""
        self.dirty.discard(block)
        if block in self.write_list:
            self.write_list.remove(block)
            self.order.insert(0, block)
