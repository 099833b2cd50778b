"""A buffer cache that tells what became of its references."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from blocktime.model.kernels.buffer_kernel import Buffers

Blocks = NDArray[np.int64]


class ReferenceCounts(NamedTuple):
    """What became of references."""

    misses: Blocks
    """Which of them had to read their block, counted from 0."""
    done: int
    """References worked; fewer than given when no buffer was clean (``free buffer waits``)."""
    to_write: Blocks
    """Dirty blocks that went to the write list, in that order."""
    newly_dirty: Blocks
    """Blocks that were clean and became dirty, in that order."""


class CountedBuffers(Buffers):
    """Buffers whose work, and whose writes, are told."""

    def counted(self, blocks: Any, changes: Any, cold_end: ArrayLike | None, now_s: float) -> ReferenceCounts:
        """The same as `work`."""
        done, count, touched = self.work(blocks, changes, cold_end, now_s), len(blocks), self.touched
        return ReferenceCounts(
            self._missed_at[: touched.missed].copy(),
            done,
            np.array(self.to_write[: touched.writing], dtype=np.int64),
            self._missed_at[count : count + touched.dirtied].copy(),
        )

    def written(self, blocks: ArrayLike) -> None:
        """Blocks are on disk; KeyError for one that is not in memory, those before it being done."""
        for block in np.asarray(blocks, dtype=np.int64).tolist():
            if not self.touched.clean(block):
                raise KeyError(block)
