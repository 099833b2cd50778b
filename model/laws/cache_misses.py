"""Misses of a buffer cache, and the counts that touch-count replacement uses."""

from __future__ import annotations

from dataclasses import dataclass

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.buffer_gets import distinct_blocks
from blocktime.model.laws.numeric import Number, larger, smaller


@dataclass(frozen=True, slots=True)
class TouchRules:
    """Counts and times of the touch-count algorithm, with Oracle's defaults [shallahamer-touch-count].

    NOTE: whether a block that has just been read counts 1 or 0 is not published; x$bh shows 1 [general knowledge].
    """

    percent_hot: float = 50.0
    """Largest share of the buffers in the hot region, ``_db_percent_hot_default``."""
    touch_time_s: float = 3.0
    """Time within which touches count once, ``_db_aging_touch_time``."""
    hot_criteria: int = 2
    """Touches that make a buffer hot, ``_db_aging_hot_criteria``."""
    more_than: bool = False
    """Whether only more touches than these do; sources differ."""
    stay_count: int = 0
    """Count of a buffer that moves to the hot end, ``_db_aging_stay_count``."""
    cool_count: int = 1
    """Count of a buffer that is pushed over the midpoint, ``_db_aging_cool_count``."""
    first_count: int = 1
    """Count of a block read to the midpoint; one read to the cold end has 0."""

    def __post_init__(self) -> None:
        if max(self.stay_count, self.cool_count) >= self.hot_count:
            raise OutsideLaw(
                f"counts of {self.stay_count} at the hot end and {self.cool_count} over the midpoint must be below"
                f" {self.hot_count}, which is hot; else the search for a buffer never ends"
            )

    @property
    def hot_count(self) -> int:
        """Least count of a hot buffer."""
        return self.hot_criteria + self.more_than

    def hot_blocks(self, room: int) -> int:
        """Buffers of *room* that the hot region may hold."""
        return int(room * self.percent_hot / 100)

    def counts(self, room: int) -> tuple[int, ...]:
        """Buffers of the hot region, and the touches to be hot, to stay, when cooled and when read."""
        return self.hot_blocks(room), self.hot_count, self.stay_count, self.cool_count, self.first_count


def random_misses(visits: Number, blocks: Number, room: Number, cached_fraction: Number) -> Number:
    """Blocks read by *visits* random visits to *blocks* blocks, of which *room* fit the cache.

    Each block that was not cached before is read once. Of the other visits, the share 1 - room/blocks misses, as with
    any replacement by use if all blocks are equally popular. [general knowledge]
    """
    hit_share = room / blocks
    touched = distinct_blocks(blocks, visits)
    return touched * (1 - smaller(hit_share, cached_fraction)) + larger(0, visits - touched) * (1 - hit_share)
