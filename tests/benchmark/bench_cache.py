"""What it costs to keep a buffer cache from call to call. Judges nothing.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_cache`` for the table alone.
"""

from __future__ import annotations

import time
from functools import partial
from itertools import count

from tests.benchmark.figures import Figure, cpu_of, print_all

REFERENCES = 1_000_000
TURNS = 5
PER_CALL = 110
"""References of a transaction, for a cache that lives on."""
MOST_NS = 135
"""Of each: 11 million references in 1.5 s."""


def kept_of(size: int, references: int) -> list[Figure]:
    """A cache that lives on, for twice as many blocks as it holds; a fifth of the references changes its block."""
    import numpy as np

    from tests.counted_buffers import CountedBuffers

    random = np.random.default_rng(2)
    chances = np.cumsum(1 / np.arange(1.0, 2 * size + 1))
    names = random.permutation(2 * size) * 4_099
    changes = random.random(references) < 0.2
    cache, seconds = CountedBuffers(size), count()
    filling = cpu_of(partial(cache.fill, names[:size]))

    def transactions() -> tuple[float, int]:
        stream = names[np.searchsorted(chances, random.random(references) * chances[-1])]
        begin, missed = time.process_time(), 0
        for at in range(0, references, PER_CALL):
            part = slice(at, at + PER_CALL)
            work = cache.counted(stream[part], changes[part], None, next(seconds) / 100)
            missed += work.misses.size
            if work.to_write.size:
                cache.written(work.to_write)
        return time.process_time() - begin, missed

    turns = sorted(transactions() for _ in range(TURNS))
    taken, missed = turns[TURNS // 2]
    what = f"cache that lives on, {size} buffers"
    misses = f"{missed / references:.0%} of {PER_CALL} a call missed: each"
    return [
        Figure(f"{what}, {misses}", taken / references * 1e9, "ns", MOST_NS),
        Figure(f"{what}: filled at once", filling, "s"),
    ]


def figures_of_kept() -> list[Figure]:
    """From few buffers to many."""
    return [figure for size in (1_000, 100_000, 1_000_000) for figure in kept_of(size, REFERENCES)]


REPORTS = {"a cache that lives on": figures_of_kept}

if __name__ == "__main__":
    print_all(REPORTS)
