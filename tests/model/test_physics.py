"""What must hold whatever the constants are: more work is never less time, and nothing is counted twice or lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from blocktime.model import RunResult, calculate, simulate
from blocktime.model.causes import COPIED, DIRECT, FROM_CLIENT, SCATTERED, SEQUENTIAL, SUBMIT_BLOCKED
from blocktime.model.laws.block_layer import CALL_S, PAGE_BYTES
from blocktime.model.spec import (
    Disk,
    FullScan,
    Host,
    Index,
    IndexRangeScan,
    Instance,
    System,
    Table,
    Tablespace,
)
from blocktime.model.units import GIB, KIB, MIB

Work = FullScan | IndexRangeScan
A_LITTLE = 1 + 1e-9

disks = st.builds(
    Disk,
    overhead_s=st.floats(1e-6, 1e-3),
    average_seek_s=st.floats(0, 1e-2),
    rotation_s=st.floats(0, 1e-2).map(lambda turn: turn if turn > 1e-4 else 0.0),
    bandwidth_bytes_per_s=st.floats(10, 3000).map(lambda m: m * MIB),
    parallel_requests=st.integers(1, 64),
)
tables = st.builds(
    Table,
    rows=st.integers(1, 5_000_000),
    row_bytes=st.floats(12, 900),
    row_bytes_sd=st.sampled_from([5.0, 40.0]),
    column_count=st.integers(1, 60),
    pctfree_percent=st.integers(0, 60),
    cached_fraction=st.sampled_from([0.0, 0.0, 0.2]),
)
instances = st.builds(
    Instance,
    release=st.sampled_from(["10.2.0.4", "11.1.0.6", "19.3.0.0"]),
    db_file_multiblock_read_count=st.sampled_from(["auto", 1, 16, 128]),
    serial_direct_read=st.sampled_from(["always", "never"]),
    disk_asynch_io=st.booleans(),
)
hosts = st.builds(
    Host,
    io_path=st.sampled_from(["asm", "direct", "buffered"]),
    page_cache_hit_fraction=st.sampled_from([0.0, 0.5]),
    cpus=st.integers(1, 8),
)
systems = st.builds(
    System,
    tablespace=st.builds(
        Tablespace,
        block_size_bytes=st.sampled_from([2048, 8192, 32768]),
        space_management=st.sampled_from(["assm", "manual"]),
        extent_management=st.sampled_from(["system", "uniform"]),
    ),
    table=tables,
    instance=instances,
    host=hosts,
    disk=disks,
    index=st.builds(Index, clustering=st.sampled_from(["clustered", "scattered"])),
)
works = st.one_of(
    st.builds(FullScan, select=st.sampled_from(["rows", "count"]), arraysize_rows=st.integers(1, 1000)),
    st.builds(IndexRangeScan, selectivity_fraction=st.floats(1e-5, 1), arraysize_rows=st.integers(1, 1000)),
)
tries = settings(max_examples=80)


def changed(model: Any, **sections: dict[str, Any]) -> Any:
    """A copy with fields of its sections replaced."""
    return model.model_copy(
        update={name: getattr(model, name).model_copy(update=fields) for name, fields in sections.items()}
    )


def at_least(more: float, less: float) -> bool:
    """Not less, but for rounding."""
    return more >= less / A_LITTLE - 1e-9


SLOWER = ["overhead_s", "average_seek_s", "rotation_s", "bandwidth_bytes_per_s", "parallel_requests"]

# --- monotony ---------------------------------------------------------------------------------------------------------


@tries
@given(systems, works, st.sampled_from(SLOWER), st.floats(1, 10))
def test_a_slower_disk_is_never_faster(system: System, work: Work, field: str, times: float) -> None:
    value = getattr(system.disk, field)
    slower = value * times
    if field == "bandwidth_bytes_per_s":
        slower = value / times
    elif field == "parallel_requests":
        slower = max(1, int(value / times))
    before = calculate(system, work)
    after = calculate(changed(system, disk={field: slower}), work)
    # NOTE: heads that come later may find the sector where earlier ones just missed it
    turns_s = system.disk.rotation_s * (before.physical_io.read_requests + 1)
    assert at_least(after.time.elapsed_s, before.time.elapsed_s - turns_s)
    assert after.time.cpu_s == pytest.approx(before.time.cpu_s)
    assert after.physical_io == before.physical_io
    assert after.logical_io == before.logical_io


@settings(max_examples=25)
@given(systems, st.integers(1, 3), st.floats(1, 10))
def test_a_slower_disk_is_never_faster_in_the_simulation(system: System, users: int, times: float) -> None:
    system = changed(system, table={"rows": min(system.table.rows, 50_000)})
    work = FullScan(users=users)  # with company, who goes first may change, and so how often the head moves
    slow = {"bandwidth_bytes_per_s": system.disk.bandwidth_bytes_per_s / times}
    slow["overhead_s"] = system.disk.overhead_s * times
    before, after = simulate(system, work), simulate(changed(system, disk=slow), work)
    assert at_least(after.time.elapsed_s, before.time.elapsed_s * (1 if users == 1 else 0.75))


@tries
@given(systems, works, st.integers(1, 1000))
def test_larger_arrays_never_cost_more_gets_trips_or_time(system: System, work: Work, more: int) -> None:
    """Rows of varying length; among equal rows an array may happen to end with a block."""
    larger = work.model_copy(update={"arraysize_rows": work.arraysize_rows + more})
    before, after = calculate(system, work), calculate(system, larger)
    assert at_least(before.logical_io.consistent_gets, after.logical_io.consistent_gets)
    assert before.calls["fetch"].count >= after.calls["fetch"].count
    assert after.time.wait[FROM_CLIENT].waits <= before.time.wait[FROM_CLIENT].waits
    assert after.physical_io == before.physical_io
    assert at_least(before.time.cpu_s, after.time.cpu_s)


def test_among_equal_rows_an_array_that_divides_the_block_costs_least() -> None:
    system = System(table=Table(rows=1_000_000, row_bytes=100, column_count=10))
    per_block = int(calculate(system, FullScan()).segment.rows_per_block)
    blocks = calculate(system, FullScan()).segment.blocks_after
    fits = calculate(system, FullScan(arraysize_rows=per_block)).logical_io.consistent_gets
    longer = calculate(system, FullScan(arraysize_rows=per_block + 1)).logical_io.consistent_gets
    assert fits == blocks
    assert longer > fits


@tries
@given(systems, st.integers(0, 39))
def test_more_pctfree_never_needs_fewer_blocks(system: System, more: int) -> None:
    fuller = changed(system, table={"pctfree_percent": system.table.pctfree_percent + more})
    before, after = calculate(system, FullScan()), calculate(fuller, FullScan())
    assert after.segment.blocks_after >= before.segment.blocks_after
    assert after.segment.bytes_after >= before.segment.bytes_after
    assert at_least(before.segment.rows_per_block, after.segment.rows_per_block)
    assert at_least(after.physical_io.read_bytes, before.physical_io.read_bytes)
    # a block more or less, where the last one is not full; and fewer rows a block, so more calls that stop on its last
    calls = after.calls["fetch"].count
    ends = calls * (1 / after.segment.rows_per_block - 1 / before.segment.rows_per_block)
    assert after.logical_io.consistent_gets >= before.logical_io.consistent_gets - 1 - ends
    assert at_least(after.optimizer.io_cost, before.optimizer.io_cost)


@tries
@given(systems, works, st.integers(1, 5_000_000))
def test_more_rows_never_make_less_of_anything(system: System, work: Work, more: int) -> None:
    """While the access path stays: _serial_direct_read is always or never in all of these."""
    longer = changed(system, table={"rows": system.table.rows + more})
    before, after = calculate(system, work), calculate(longer, work)
    assert after.segment.blocks_after >= before.segment.blocks_after
    assert after.segment.extents >= before.segment.extents
    # NOTE: below a high-water mark that few rows lie under, gets and reads step by one either way
    assume(system.table.rows > 10 * before.segment.blocks_after)
    assert after.calls["fetch"].rows >= before.calls["fetch"].rows
    assert after.calls["fetch"].count >= before.calls["fetch"].count
    assert at_least(after.logical_io.consistent_gets, before.logical_io.consistent_gets)
    assert at_least(after.physical_io.read_blocks, before.physical_io.read_blocks)
    assert at_least(after.physical_io.read_requests, before.physical_io.read_requests)
    assert at_least(after.optimizer.cost, before.optimizer.cost)
    for cause, seconds in before.time.cpu.items():
        assert at_least(after.time.cpu[cause], seconds), cause
    # NOTE: where the next row is found a little later, the platter may have turned to it already
    turned_s = system.disk.rotation_s * before.physical_io.read_requests
    assert at_least(after.time.elapsed_s + turned_s, before.time.elapsed_s)


@tries
@given(systems, st.floats(12, 900), st.sampled_from(["rows", "count"]))
def test_longer_rows_never_need_fewer_blocks(system: System, more: float, select: Any) -> None:
    longer = changed(system, table={"row_bytes": (system.table.row_bytes or 0) + more})
    before, after = calculate(system, FullScan(select=select)), calculate(longer, FullScan(select=select))
    assert after.segment.blocks_after >= before.segment.blocks_after
    assert at_least(after.physical_io.read_bytes, before.physical_io.read_bytes)


@tries
@given(systems, st.floats(0, 1), st.floats(0, 1))
def test_cached_blocks_are_not_read_again(system: System, one: float, other: float) -> None:
    """Blocks, not requests: a cached block in the middle of a multiblock read makes two of it."""
    system = changed(system, instance={"serial_direct_read": "never"})
    fewer, more = sorted((one, other))
    before = calculate(changed(system, table={"cached_fraction": fewer}), FullScan())
    after = calculate(changed(system, table={"cached_fraction": more}), FullScan())
    assert at_least(before.physical_io.read_blocks, after.physical_io.read_blocks)
    assert at_least(before.physical_io.read_bytes, after.physical_io.read_bytes)
    assert at_least(after.cache.hit_fraction, before.cache.hit_fraction)
    assert after.logical_io.consistent_gets == before.logical_io.consistent_gets


@tries
@given(systems, works)
def test_a_table_in_the_cache_is_not_read_at_all(system: System, work: Work) -> None:
    cached = changed(system, table={"cached_fraction": 1.0}, index={"cached_fraction": 1.0})
    cached = changed(cached, instance={"serial_direct_read": "never"})
    result = calculate(cached, work)
    assert result.physical_io.read_blocks == pytest.approx(0, abs=1e-9)
    assert not {DIRECT, SCATTERED, SEQUENTIAL} & set(result.time.wait)
    assert result.device == {}


@tries
@given(systems, works, st.integers(1, 20))
def test_company_never_makes_a_session_faster(system: System, work: Work, users: int) -> None:
    assume(
        not (system.instance.disk_asynch_io and system.host.io_path == "buffered")
    )  # stands in test_properties
    system = changed(system, table={"cached_fraction": 0.0})
    alone = calculate(system, work).time.elapsed_s
    together = calculate(system, work.model_copy(update={"users": users})).time.elapsed_s
    # reads of a rotating disk are followed from places that chance draws: a turn more or less
    assert at_least(together + system.disk.rotation_s, alone)


@tries
@given(systems, works)
def test_a_faster_processor_never_slows_anything(system: System, work: Work) -> None:
    costs = [field for field in Host.model_fields if field.endswith("_s") and not field.endswith("_per_s")]
    stated = {field: getattr(system.host, field) for field in costs}
    halved = changed(
        system, host={field: (CALL_S if cost is None else cost) / 2 for field, cost in stated.items()}
    )
    before, after = calculate(system, work), calculate(halved, work)
    assert at_least(before.time.cpu_s, after.time.cpu_s)
    # who comes a little earlier to a rotating disk may just miss a sector: up to a turn for a run of reads
    assert at_least(before.time.elapsed_s + system.disk.rotation_s, after.time.elapsed_s)


# --- books ------------------------------------------------------------------------------------------------------------


@tries
@given(systems, works)
def test_time_and_bytes_add_up(system: System, work: Work) -> None:
    for result in (calculate(system, work), *_simulated(system, work)):
        time, physical = result.time, result.physical_io
        waited = sum(event.total_s for event in time.wait.values())
        assert time.elapsed_s == pytest.approx(time.cpu_s + waited + time.unaccounted_s, abs=1e-9)
        assert time.cpu_s == pytest.approx(sum(time.cpu.values()))
        assert physical.read_bytes == pytest.approx(physical.read_blocks * system.tablespace.block_size_bytes)
        assert physical.read_requests == pytest.approx(sum(physical.request_blocks.values()))
        sizes = sum(size * many for size, many in physical.request_blocks.items())
        assert physical.read_blocks == pytest.approx(sizes)
        for event in time.wait.values():
            assert event.max_s <= event.total_s * (1 + 1e-9) + 1e-12
        device = result.device.get("disk")
        if device is not None:
            hit = system.host.page_cache_hit_fraction if system.host.io_path == "buffered" else 0.0
            moved = device.read_bytes_per_s * time.elapsed_s
            buffered = system.host.io_path == "buffered"  # the page cache holds whole windows of whole pages
            # a call beyond read_ahead_bytes is one window, up to the largest request
            whole = max(system.host.read_ahead_bytes, system.host.max_request_bytes)
            # a lone page of the first block begins a window of four
            few = PAGE_BYTES * (physical.read_requests + 4) * buffered
            window = whole if hit else few
            asked = physical.read_bytes * (1 - hit)
            if buffered and 0 < system.table.cached_fraction < 1:  # it reads over cached blocks, too
                assert moved >= asked * (1 - 1e-6) - window
            else:
                assert moved == pytest.approx(asked, rel=1e-6, abs=window)
            assert device.average_queue == pytest.approx(device.reads_per_s * device.await_s)


def _simulated(system: System, work: Work) -> list[RunResult]:
    return [simulate(system, work)] if system.table.rows < 20_000 else []


# --- how a scan reads -------------------------------------------------------------------------------------------------

LARGE = Table(rows=5_000_000, row_bytes=200, column_count=10)


def scan(**fields: Any) -> RunResult:
    """A count of a large table; fields of the instance by their names."""
    host, disk = Host(io_path=fields.pop("io_path", "asm")), fields.pop("disk", Disk())
    table = LARGE.model_copy(
        update={key: fields.pop(key) for key in list(fields) if key in Table.model_fields}
    )
    return calculate(
        System(table=table, host=host, disk=disk, instance=Instance(**fields)), FullScan(select="count")
    )


def test_mbrc_0_reads_single_blocks_under_the_event_of_index_reads() -> None:
    result = scan(db_file_multiblock_read_count=0)
    assert set(result.physical_io.request_blocks) == {1}
    assert SEQUENTIAL in result.time.wait
    assert not {SCATTERED, DIRECT} & set(result.time.wait)
    assert "5768025" in result.access
    many = scan(db_file_multiblock_read_count=128, serial_direct_read="never")
    assert result.time.elapsed_s > many.time.elapsed_s
    assert result.physical_io.read_blocks == many.physical_io.read_blocks


@pytest.mark.parametrize("mbrc", [1, 2, 16, 128])
def test_no_read_is_larger_than_mbrc(mbrc: int) -> None:
    for direct in ("always", "never"):
        result = scan(db_file_multiblock_read_count=mbrc, serial_direct_read=direct)
        assert max(result.physical_io.request_blocks) == mbrc


def test_10_2_reads_scattered_and_11_1_directly() -> None:
    old, new = scan(release="10.2.0.4"), scan(release="11.1.0.6")
    assert SCATTERED in old.time.wait
    assert DIRECT not in old.time.wait
    assert DIRECT in new.time.wait
    assert SCATTERED not in new.time.wait
    assert old.time.cpu["reading blocks into buffers"] > 0
    assert new.time.cpu["reading blocks into buffers"] == 0


def test_the_threshold_of_the_direct_path_fell_with_11_2() -> None:
    """Between one and five times 2 % of the cache, only the later release reads directly."""
    size = scan().segment.bytes_after
    between = int(size / 0.02 / 3)
    assert "direct path" in scan(release="11.2.0.3", buffer_cache_bytes=between).access
    assert "buffered" in scan(release="11.1.0.6", buffer_cache_bytes=between).access
    for release in ("11.1.0.6", "11.2.0.3", "19.3.0.0"):
        assert "direct path" in scan(release=release, buffer_cache_bytes=int(size / 0.02 / 6)).access
        assert "buffered" in scan(release=release, buffer_cache_bytes=int(size / 0.02 * 2)).access


def test_cached_or_dirty_blocks_keep_a_scan_in_the_cache() -> None:
    assert "direct path" in scan(cached_fraction=0.49).access
    assert "is in the buffer cache" in scan(cached_fraction=0.5).access
    assert "direct path" in scan(cached_fraction=0.4, dirty_fraction=0.24).access
    assert "dirty" in scan(cached_fraction=0.4, dirty_fraction=0.25).access
    assert "_serial_direct_read" in scan(cached_fraction=0.5, serial_direct_read="always").access


def test_11_1_posts_every_reap_and_11_2_only_those_that_block() -> None:
    """A slow client: after the first read nothing is waited for."""
    table = Table(rows=100_000, row_bytes=200, column_count=10)
    system = System(table=table, instance=Instance(release="11.1.0.6", serial_direct_read="always"))
    work = FullScan(arraysize_rows=10)
    old = calculate(system, work)
    new = calculate(changed(system, instance={"release": "11.2.0.3"}), work)
    reads = old.physical_io.read_requests
    assert old.time.wait[DIRECT].waits == pytest.approx(reads, abs=2)
    assert new.time.wait[DIRECT].waits == 1
    host, again = system.host, new.physical_io.read_requests
    assert old.time.cpu["read calls"] == pytest.approx(reads * CALL_S)
    assert new.time.cpu["read calls"] == pytest.approx(
        again * CALL_S + (again - 1) * host.reap_call_s  # the segment header is not reaped
    )
    simulated = simulate(changed(system, instance={"release": "11.2.0.3"}), work)
    assert simulated.time.wait[DIRECT].waits < reads / 10


def test_asynchronous_reads_through_the_page_cache_copy_inside_the_call() -> None:
    """io_submit on a file that is not opened O_DIRECT reads at once: CPU, and no wait that an event names."""
    table = {"rows": 500_000, "serial_direct_read": "always", "filesystemio_options": "asynch"}
    through = scan(io_path="buffered", disk_asynch_io=True, **table)
    around = scan(io_path="direct", disk_asynch_io=True, **(table | {"filesystemio_options": "setall"}))
    one_by_one = scan(io_path="buffered", disk_asynch_io=False, **table)
    size = through.physical_io.read_bytes
    assert through.time.cpu[COPIED] == pytest.approx(size / Host().copy_bytes_per_s, rel=0.01)
    assert through.time.unaccounted[SUBMIT_BLOCKED] > 0
    assert DIRECT not in through.time.wait
    assert COPIED not in around.time.cpu
    assert COPIED not in one_by_one.time.cpu
    assert DIRECT in one_by_one.time.wait


def test_asynchronous_reads_hide_behind_work_and_synchronous_ones_do_not() -> None:
    drive = Disk(track_buffer_bytes=0)  # one with a buffer reads ahead for both
    ahead, behind = scan(disk_asynch_io=True, disk=drive), scan(disk_asynch_io=False, disk=drive)
    assert ahead.time.elapsed_s < behind.time.elapsed_s
    assert ahead.physical_io.read_bytes == behind.physical_io.read_bytes


def test_the_automatic_mbrc_shares_the_cache_out() -> None:
    """The largest read, but no more than a session's share of the buffers."""
    roomy = scan(serial_direct_read="never", buffer_cache_bytes=4 * GIB, sessions=100)
    tight = scan(serial_direct_read="never", buffer_cache_bytes=64 * MIB, sessions=1000)
    assert max(roomy.physical_io.request_blocks) == MIB // (8 * KIB)
    assert max(tight.physical_io.request_blocks) == 64 * MIB // (8 * KIB) // 1000


def test_scattered_rows_cost_a_get_each_and_clustered_ones_do_not() -> None:
    work = IndexRangeScan(selectivity_fraction=0.01, parallel_reads=1)
    clustered = calculate(System(table=LARGE, index=Index(clustering="clustered")), work)
    scattered = calculate(System(table=LARGE, index=Index(clustering="scattered")), work)
    rows = LARGE.rows * 0.01
    assert scattered.logical_io.consistent_gets > rows
    assert clustered.logical_io.consistent_gets < rows / 5
    assert scattered.time.wait[SEQUENTIAL].total_s > 10 * clustered.time.wait[SEQUENTIAL].total_s
