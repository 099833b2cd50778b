"""What transactions find as they begin, and what a warm start has to do with a long run."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blocktime.model import simulate
from blocktime.model.demand.transaction_demand import Data, Pool, data_of, kinds_of
from blocktime.model.laws.cache_misses import TouchRules
from blocktime.model.laws.processors import Cores, thread_speed
from blocktime.model.loops import as_written
from blocktime.model.machine.device.servers import Servers, Threads
from blocktime.model.results import TransactionStats
from blocktime.model.sim.references import BlockLayout, References
from blocktime.model.spec import Client, Disk, Host, Instance, System, Transaction, Transactions
from blocktime.model.spec.instance import Replacement
from blocktime.model.units import MIB
from blocktime.model.workloads.transactions import at_begin
from blocktime.model.workloads.transactions.at_begin import _pools
from blocktime.model.workloads.transactions.warm import Chance, in_order, some_of, warm
from blocktime.scenarios import load
from tests.counted_buffers import CountedBuffers


@given(st.integers(1, 50_000), st.sampled_from([2048, 8192, 32768]))
def test_every_block_has_a_place_of_its_own(blocks: int, size: int) -> None:
    layout = BlockLayout(Data(size, (blocks, 0), (1.0, 0.0), 0.0, ()))
    found = {layout.byte_of(block) for block in range(blocks)}
    assert found == {place * size for place in range(blocks)}


@given(st.sets(st.integers(0, 2_000), max_size=200), st.integers(1, 130))
def test_runs_hold_each_block_once_and_none_is_too_long(blocks: set[int], most: int) -> None:
    layout = BlockLayout(Data(8192, (2_001, 0), (1.0, 0.0), 0.0, ()))
    runs = layout.runs(sorted(blocks), most)
    assert [block for first, many in runs for block in range(first, first + many)] == sorted(blocks)
    for first, many in runs:
        assert many <= most
        assert first // 128 == (first + many - 1) // 128  # in one extent, whose blocks lie together
        assert layout.byte_of(first + many - 1) == layout.byte_of(first) + (many - 1) * 8192


def test_transactions_are_drawn_as_the_mix_says() -> None:
    system = System(host=Host(), disk=Disk(), instance=Instance())
    work = Transactions(
        mix=(
            Transaction(name="a", weight=3, gets=10.5, changed_blocks=2.25),
            Transaction(name="b", weight=1, gets=4, changed_blocks=0, scan_blocks=50),
        ),
        data_bytes=64 * MIB,
        hottest_gets_percent=0,
    )
    data = data_of(system, work)
    references = References(kinds_of(system, work), data, 3)
    with as_written():
        chunks = [references.chunk() for _ in range(40)]
    drawn = [
        (kind, chunk.blocks[begin:end].tolist(), sum(chunk.changes[begin:end]), scan_from, scanned)
        for chunk in chunks
        for kind, begin, end, scan_from, scanned in zip(
            chunk.kinds, chunk.begins, chunk.begins[1:], chunk.scan_from, chunk.scan_blocks, strict=False
        )
    ]
    first = [(blocks, changed, scanned) for kind, blocks, changed, _, scanned in drawn if kind == 0]
    assert len(first) / len(drawn) == pytest.approx(0.75, abs=0.01)
    assert np.mean([len(blocks) for blocks, _, _ in first]) == pytest.approx(10.5, abs=0.03)
    assert {len(blocks) for blocks, _, _ in first} == {10, 11}
    assert np.mean([changed for _, changed, _ in first]) == pytest.approx(2.25, abs=0.03)
    assert all(scanned == 0 for _, _, scanned in first)
    blocks = np.concatenate([chunk.blocks for chunk in chunks])
    assert np.mean(blocks < data.blocks[0]) == pytest.approx(0.8, abs=0.01)
    assert blocks.min() == 0
    assert blocks.max() == sum(data.blocks) - 1
    scans = [scan_from for kind, _, _, scan_from, _ in drawn if kind == 1]
    assert min(scans) >= 0
    assert max(scans) + 50 <= sum(data.blocks)


@given(st.integers(1, 5_000), st.floats(0, 1))
def test_some_of_many_are_different_ones(blocks: int, part: float) -> None:
    count = int(blocks * part)
    found = some_of(blocks, count, np.random.default_rng(1))
    assert len(set(found.tolist())) == count
    assert all(0 <= block < blocks for block in found.tolist())


@given(st.lists(st.floats(-1e9, 1e9) | st.sampled_from([0.5, 0.5 + 2**-40, -3.0]), max_size=40))
def test_places_come_in_the_order_of_their_values_and_like_ones_as_they_stand(values: list[float]) -> None:
    assert in_order(np.array(values)).tolist() == sorted(range(len(values)), key=values.__getitem__)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(1e-3, 1)), max_size=40), st.integers(1, 4))
@example([(0.0, 1.0)] * 4, 2)  # two end at once while others wait
def test_threads_without_a_partner_are_cores(jobs: list[tuple[float, float]], cores: int) -> None:
    threads, servers, now_s = Threads(Cores(cores, 1, 0.3, 0)), Servers(cores), 0.0
    for gap_s, work_s in jobs:
        now_s += gap_s
        assert threads.serve(now_s, work_s) == pytest.approx(servers.serve(now_s, work_s))


def test_a_job_runs_at_the_speed_that_its_core_has_left() -> None:
    threads = Threads(Cores(1, 2, 0.3, 0))
    assert threads.serve(0.0, 1.0) == (0.0, 1.0)
    assert threads.serve(0.0, 1.0) == pytest.approx((0.0, 1 / thread_speed(2, Cores(1, 2, 0.3, 0))))
    begin, _ = threads.serve(0.0, 1.0)  # a third waits
    assert begin == 1.0


def machine() -> System:
    return System(
        host=Host(scheduler="none"),
        disk=Disk(rotation_s=0, average_seek_s=0, overhead_s=1e-3, bandwidth_bytes_per_s=1e12, parallel_requests=16),
        client=Client(round_trip_s=0),
        # NOTE: with a touch time of 3 s nobody becomes hot in so small a cache, and its begin is never forgotten
        instance=Instance(buffer_cache_bytes=16 * MIB, checkpoint_s=10, replacement=Replacement(touch_time_s=0.1)),
    )


def run(transactions: int, begins: str, seed: int = 3) -> tuple[float, TransactionStats]:
    work = Transactions.model_validate(
        {
            "mix": (Transaction(gets=20, rows=0, changed_blocks=3, redo_bytes=512, calls=1),),
            "users": 10,
            "think_s": 0.1,
            "data_bytes": 64 * MIB,
            "transactions": transactions,
            "begins": begins,
        }
    )
    found = simulate(machine(), work, seed=seed)
    assert found.transactions is not None
    return found.cache.hit_fraction, found.transactions


def test_a_warm_start_is_what_a_long_cold_run_comes_to() -> None:
    warm, warm_stats = run(3_000, "warm")
    cold, cold_stats = run(24_000, "cold")
    assert warm == pytest.approx(cold, abs=0.01)
    assert warm_stats.written_blocks_per_s == pytest.approx(cold_stats.written_blocks_per_s, rel=0.1)
    assert warm_stats.response_s == pytest.approx(cold_stats.response_s, rel=0.05)


RULES = [TouchRules(), TouchRules(touch_time_s=0), TouchRules(percent_hot=20, hot_criteria=3), TouchRules(cool_count=0)]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("room", [4_000, 300_000])
def test_a_cache_begins_as_it_stays(room: int, rules: TouchRules) -> None:
    """Hits while the first blocks are replaced, against hits long afterwards."""
    blocks, shares = tuple(share * room // 10 for share in (2, 5, 25, 100)), (0.6, 0.2, 0.15, 0.05)
    data = Data(8192, blocks, shares, 0.0, (Pool("default", room, (0, 1, 2, 3)),))
    gets_per_s, random = 2.0 * room, np.random.default_rng(2)
    cache = CountedBuffers(room, rules)
    warm(cache, data.pools[0], data, rules, Chance(7, gets_per_s, 60.0))
    first, hits, count = np.cumsum((0, *blocks[:-1])), [], 2_000
    for at in range(round(8 * room / count) + 40):
        group = random.choice(4, count, p=shares)
        wanted = first[group] + (random.random(count) * np.array(blocks)[group]).astype(np.int64)
        misses = cache.counted(wanted, np.zeros(count, dtype=bool), None, at * count / gets_per_s).misses
        hits.append(1 - misses.size / count)
    begin, later = hits[: len(hits) // 16], hits[len(hits) // 4 :]
    error = np.std(hits) * (1 / len(begin) + 1 / len(later)) ** 0.5
    assert np.mean(begin) == pytest.approx(np.mean(later), abs=3 * error + 0.001)


@pytest.mark.parametrize("cache", ["200M", "400M", "1G"])
def test_as_many_blocks_are_dirty_at_the_begin_as_at_the_end(cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ["workload.data_bytes=4G", f"instance.buffer_cache_bytes={cache}", "workload.transactions=30000"]
    scenario, pools = load("oltp-nvme", settings), []

    def noted(*asked: Any) -> Any:
        made = _pools(*asked)
        pools.extend((buffers, buffers.dirty) for buffers, _ in made)
        return made

    monkeypatch.setattr(at_begin, "_pools", noted)
    simulate(scenario.system, scenario.workload)
    begin, end = sum(dirty for _, dirty in pools), sum(buffers.dirty for buffers, _ in pools)
    assert begin == pytest.approx(end, rel=0.07)


def test_nothing_drifts_with_the_length_of_a_run() -> None:
    found = [run(count, "warm") for count in (2_000, 6_000, 18_000)]
    for (one, stats), (longer, more) in pairwise(found):
        assert one == pytest.approx(longer, abs=0.01)
        assert stats.response_s == pytest.approx(more.response_s, rel=0.05)
        assert stats.per_s == pytest.approx(more.per_s, rel=0.05)
        assert stats.written_blocks_per_s == pytest.approx(more.written_blocks_per_s, rel=0.1)


def test_a_scan_over_blocks_of_both_pools_finds_each_in_its_own() -> None:
    mix = (Transaction(gets=10, rows=0, changed_blocks=0, redo_bytes=0, calls=1, commits=False, scan_blocks=85),)
    work = Transactions(
        mix=mix, users=2, think_s=0.1, data_bytes=MIB, hot_data_percent=30, hottest_blocks=1, hottest_gets_percent=0,
        cold_pool="recycle", transactions=300,
    )  # fmt: skip
    instance = Instance(buffer_cache_bytes=MIB, db_recycle_cache_bytes=MIB)
    assert simulate(System(instance=instance), work).physical_io.read_blocks == 0
