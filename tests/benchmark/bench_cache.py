"""What it costs to replay references to blocks against a cache, against a simulator of caches; and to keep
one from call to call. Judges nothing.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_cache`` for the table alone. All replay one stream.
The simulator, libcachesim, reads its fastest kind of file; it is timed with its defaults and with the one setting that
matters here, the size of its hash table, at the best of several. Its preparation is part of its call, as the numbering
of the blocks is part of ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.benchmark.figures import Figure, cpu_of, in_turns, print_all

REFERENCES = 1_000_000
BLOCKS = 100_000
TURNS = 5
SIZES = (1_000, 10_000, 50_000)
HASHPOWERS = (14, 16, 17)
"""Of the simulator's hash table, in bits; 24 is its default."""
LEAST_RATIO = 5
PER_CALL = 110
"""References of a transaction, for a cache that lives on."""
MOST_NS = 135
"""Of each: 11 million references in 1.5 s."""
NUMBERS = {"in one range": False, "of 64 bits": True}
"""Kind of block numbers -> whether they are spread over all that fit 63 bits."""


def references(spread: bool) -> Any:
    """Zipf with an exponent of 0.9, the popular blocks anywhere."""
    import numpy as np

    random = np.random.default_rng(1)
    chances = np.cumsum(np.arange(1.0, BLOCKS + 1) ** -0.9)
    rank = np.searchsorted(chances, random.random(REFERENCES) * chances[-1])
    names = random.integers(1, 2**63, BLOCKS) if spread else random.permutation(BLOCKS) + 1
    return names[rank]


def simulator(file: Path, stream: Any) -> Callable[..., float]:
    """Replay by libcachesim, to its miss ratio."""
    import libcachesim as lcs
    import numpy as np

    record = np.zeros(
        stream.size, dtype=[("time", "<u4"), ("block", "<u8"), ("bytes", "<u4"), ("next", "<i8")]
    )
    record["block"], record["bytes"], record["next"] = stream, 1, -2
    record.tofile(file)

    def replay(policy: str, size: int, hashpower: int = 24) -> float:
        reader = lcs.TraceReader(
            str(file), lcs.TraceType.ORACLE_GENERAL_TRACE, lcs.ReaderInitParam(ignore_obj_size=True)
        )
        missed: float = getattr(lcs, policy)(cache_size=size, hashpower=hashpower).process_trace(reader)[0]
        return missed

    return replay


def figures_of(kind: str) -> list[Figure]:
    """All figures for one kind of block numbers."""
    with TemporaryDirectory() as folder:
        return figures_in(kind, Path(folder))


def figures_in(kind: str, folder: Path) -> list[Figure]:
    """The same, with *folder* for the simulator's file."""
    import numpy as np

    from blocktime.model.kernels import cache

    stream = references(NUMBERS[kind])
    simulated = simulator(folder / "stream.bin", stream)
    times = np.linspace(0, 1_000, stream.size)
    own: dict[str, Callable[..., Any]] = {"LRU": cache.replay_lru, "Clock": cache.replay_clock}
    found = []
    for size in SIZES:
        touch = partial(cache.replay_touch_count, stream, size, times)
        touch()
        rate = REFERENCES / in_turns({"touch": touch})["touch"] / 1e6
        found.append(Figure(f"numbers {kind}, {size} blocks: touch count, million references", rate, "M/s"))
        for policy, replay in own.items():
            calls = {"own": partial(replay, stream, size)}
            missed = calls["own"]().misses / REFERENCES
            assert simulated(policy, size) == pytest.approx(missed, rel=1e-12)
            calls["default"] = partial(simulated, policy, size)
            calls |= {f"{bits}": partial(simulated, policy, size, bits) for bits in HASHPOWERS}
            taken = in_turns(calls)
            what = f"numbers {kind}, {size} blocks: {policy}"
            found.append(Figure(f"{what}, million references", REFERENCES / taken["own"] / 1e6, "M/s"))
            ratios = {
                "": taken["default"] / taken["own"],
                ", best table": min(taken[f"{bits}"] for bits in HASHPOWERS) / taken["own"],
            }
            found += [
                Figure(f"{what}, over libcachesim{table}", ratio, "", LEAST_RATIO, least=True)
                for table, ratio in ratios.items()
            ]
    return found


def kept_of(size: int, references: int) -> list[Figure]:
    """A cache that lives on, for twice as many blocks as it holds; a fifth of the references changes its block."""
    import numpy as np

    from blocktime.model.kernels.buffers import Buffers

    random = np.random.default_rng(2)
    chances = np.cumsum(1 / np.arange(1.0, 2 * size + 1))
    names = random.permutation(2 * size) * 4_099
    changes = random.random(references) < 0.2
    cache, seconds = Buffers(size), count()
    filling = cpu_of(partial(cache.fill, names[:size]))

    def transactions() -> tuple[float, int]:
        stream = names[np.searchsorted(chances, random.random(references) * chances[-1])]
        begin, missed = time.process_time(), 0
        for at in range(0, references, PER_CALL):
            part = slice(at, at + PER_CALL)
            work = cache.work(stream[part], changes[part], None, next(seconds) / 100)
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


REPORTS = {"a cache that lives on": figures_of_kept} | {kind: partial(figures_of, kind) for kind in NUMBERS}

if __name__ == "__main__":
    print_all(REPORTS)
