"""Popularity of the blocks that an index scan reads here and there: classes, Zipf, a miss curve; both engines."""

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from blocktime.model import calculate, simulate
from blocktime.model.demand.popular_blocks import by_popularity, cached_so
from blocktime.model.demand.transaction_demand import touch_rules
from blocktime.model.errors import BlocktimeError, OutsideLaw
from blocktime.model.kernels.buffer_kernel import Buffers
from blocktime.model.spec import IndexRangeScan, System
from blocktime.model.workloads.shared_cache import cache_shares_of
from blocktime.scenarios import from_mapping
from blocktime.scenarios.load import load

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
    buffers, random, hot = (Buffers(int(room), touch_rules(system)), np.random.default_rng(1), blocks // 20)
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


UPDATE = {"kind": "update", "order": "random", "rows_fraction": 0.2, "growth_bytes": 0}
SCAN = {"kind": "index_range_scan", "selectivity_fraction": 0.1, "zipf_exponent": 1.0}


def machine(cache: str, work: dict[str, Any]) -> tuple[System, Any]:
    scenario = from_mapping(
        {
            "disk": {"use": "nvme"},
            "table": {"rows": 200_000, "row_bytes": 400},
            "index": {"clustering": "scattered", "cached_fraction": 1},
            "instance": {"buffer_cache_bytes": cache, "replacement": {"touch_time_s": 0}},
            "workload": work,
        }
    )
    return scenario.system, scenario.workload


@pytest.mark.parametrize("engine", [calculate, simulate])
def test_an_update_in_any_order_reads_less_the_more_popular_few_blocks_are(engine: Any) -> None:
    reads = [
        table_reads(engine, machine("16M", UPDATE | ({"zipf_exponent": exponent} if exponent else {})))
        for exponent in (None, 0.5, 0.9, 1.2)
    ]
    assert reads == sorted(reads, reverse=True)
    assert reads[0] > 3 * reads[-1]


def test_popularity_of_blocks_that_are_equally_wanted_is_that_of_any_order() -> None:
    """With the cache as after a long time, an even class reads what an update of rows anywhere does."""
    even = [{"blocks_percent": 100, "gets_percent": 100}]
    system, work = machine("16M", UPDATE | {"popularity": even})
    without = work.model_copy(update={"popularity": ()})
    cached = by_popularity(system, work)
    assert table_reads(calculate, (system, work)) == pytest.approx(table_reads(calculate, (cached, without)), rel=0.005)


def test_an_update_in_the_tables_order_has_no_popularity() -> None:
    with pytest.raises(BlocktimeError, match="order table visits each block once: set order = random"):
        machine("16M", UPDATE | {"order": "table", "zipf_exponent": 0.9})


@pytest.mark.parametrize("kind", ["full_scan", "delete", "insert"])
def test_what_visits_each_block_once_has_no_popularity(kind: str) -> None:
    with pytest.raises(BlocktimeError, match="zipf_exponent: this kind of workload has no such field"):
        machine("16M", {"kind": kind, "zipf_exponent": 0.9})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cache", ["4M", "16M", "64M"])
@pytest.mark.parametrize(
    "work",
    [
        SCAN | {"beside": [SCAN | {"zipf_exponent": 0.7}]},
        {"kind": "transactions", "users": 8, "think_s": 0.01, "data_bytes": "128M", "zipf_exponent": 0.9}
        | {"transactions": 4000, "beside": [SCAN]},
    ],
    ids=["scans", "users"],
)
def test_beside_others_the_cache_that_is_played_answers_as_the_closed_form(cache: str, work: dict[str, Any]) -> None:
    """Hit fraction of the last scan beside and of the first, alone and together."""
    system, first = machine(cache, work)
    every = [(system, program.model_copy(update={"beside": ()})) for program in first.programs]
    held = cache_shares_of(every, [0.0] * len(every), endless=first.kind == "transactions")
    for own, there, played in zip(every, held, simulate(system, first).programs, strict=True):
        if played.kind == "index_range_scan":
            assert hits(own, there) == pytest.approx(played.hit_fraction, abs=0.045)
            assert hits(own, *cache_shares_of([own], [0.0])) == pytest.approx(played.alone.hit_fraction, abs=0.03)


def hits(own: tuple[System, Any], held: Any) -> float:
    """Hit fraction of a scan with what the cache holds for it on average."""
    seen = cached_so(*own, held.on_average.found_fraction)
    found = calculate(seen, own[1].model_copy(update={"zipf_exponent": None})).cache
    assert found is not None
    assert found.hit_fraction is not None
    return found.hit_fraction


@pytest.mark.parametrize("work", [{"kind": "insert", "rows": 500}, SCAN | {"zipf_exponent": 0.7}])
def test_who_visits_no_table_takes_nothing_of_the_cache(work: dict[str, Any]) -> None:
    """Its index alone answers, whatever it says of the popularity of the table's blocks."""
    beside = {"kind": "index_range_scan", "index_only": True}
    popular, plain = (
        simulate(*machine("16M", work | {"beside": [beside | more]})).programs for more in ({"zipf_exponent": 0.4}, {})
    )
    assert popular[0].took_s == pytest.approx(plain[0].took_s, rel=1e-9)
    assert popular[1].reads == plain[1].reads
