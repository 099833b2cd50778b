"""Popularity of the blocks that an index scan reads here and there: classes, Zipf, a miss curve; both engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from model import calculate, simulate
from model.demand.popular_blocks import by_popularity
from model.demand.transactions import touch_rules
from model.errors import OutsideLaw
from model.kernels.buffers import Buffers
from model.spec import IndexRangeScan, System
from scenarios.load import load

CURVE = ({"cache_bytes": 1 << 30, "miss_percent": 30}, {"cache_bytes": 4 << 30, "miss_percent": 10})
SCATTERED = ["index.cached_fraction=1", "table.rows=2000000", "instance.buffer_cache_bytes=64M"]


def asked(changes: list[str], **fields: Any) -> tuple[System, IndexRangeScan]:
    scenario = load("index-range-scan-scattered", changes)
    return scenario.system, IndexRangeScan.model_validate(scenario.workload.model_dump() | fields)


def table_reads(engine: Any, case: tuple[System, Any]) -> float:
    return float(engine(*case).physical_io.read_blocks)


@pytest.mark.parametrize("engine", [calculate, simulate])
@pytest.mark.parametrize(("cache", "misses"), [("1G", 0.30), ("4G", 0.10)])
def test_a_miss_curve_says_what_is_read_at_its_sizes(engine: Any, cache: str, misses: float) -> None:
    of_cache = ["index.cached_fraction=1", f"instance.buffer_cache_bytes={cache}"]
    without = table_reads(engine, asked(of_cache))
    found = table_reads(engine, asked(of_cache, miss_curve=CURVE))
    assert found / without == pytest.approx(misses, rel=0.05)


@pytest.mark.parametrize("engine", [calculate, simulate])
def test_a_larger_cache_reads_less(engine: Any) -> None:
    reads = [
        table_reads(engine, asked([*SCATTERED, f"instance.buffer_cache_bytes={cache}"], zipf_exponent=0.9))
        for cache in ("16M", "64M", "256M")
    ]
    assert reads == sorted(reads, reverse=True)
    assert reads[0] > 1.2 * reads[-1]


def test_both_engines_read_as_much() -> None:
    case = asked(SCATTERED, zipf_exponent=0.9)
    assert table_reads(simulate, case) == pytest.approx(table_reads(calculate, case), rel=0.02)


def test_the_share_found_is_that_of_the_policy_played() -> None:
    """Buffers of touch counts under independent references find as much as the closed form says."""
    classes = [{"blocks_percent": 5, "gets_percent": 50}, {"blocks_percent": 95, "gets_percent": 50}]
    system, work = asked(["instance.buffer_cache_bytes=16M"], popularity=classes)
    blocks = round(calculate(*asked([])).segment.blocks_before)
    found = by_popularity(system, work).table.cached_fraction
    room = system.instance.buffer_cache_bytes // system.tablespace.block_size_bytes
    buffers, random, hot = (
        Buffers(int(room), touch_rules(system)),
        np.random.default_rng(1),
        blocks // 20,
    )
    chances = []
    for number in range(100):
        is_hot = random.random(4_000) < 0.5
        stream = np.where(is_hot, random.integers(0, hot, 4_000), random.integers(hot, blocks, 4_000))
        if number >= 50:
            chances.append(np.mean([int(block) in buffers for block in stream[:200]]))
        buffers.work(stream, np.zeros(4_000, dtype=bool), None, 10.0 * number)
    assert 0.05 < found < 0.9
    assert np.mean(chances) == pytest.approx(found, abs=0.03)


@pytest.mark.parametrize("engine", [calculate, simulate])
def test_a_stated_share_besides_is_refused(engine: Any) -> None:
    with pytest.raises(OutsideLaw, match=r"table.cached_fraction 0.3 and workload.zipf_exponent both say"):
        engine(*asked(["table.cached_fraction=0.3"], zipf_exponent=0.9))


def test_a_curve_that_rises_is_refused() -> None:
    rising = [{"cache_bytes": 1 << 30, "miss_percent": 3}, {"cache_bytes": 2 << 30, "miss_percent": 5}]
    with pytest.raises(ValidationError, match="a larger cache never misses more"):
        IndexRangeScan.model_validate({"miss_curve": rising})
