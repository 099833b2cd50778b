"""What must hold whatever the constants are: more work is never less time, and nothing is counted twice or lost."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from blocktime.model import RunResult, calculate, simulate
from blocktime.model.causes import COPIED, DIRECT, FROM_CLIENT, SCATTERED, SEQUENTIAL, SUBMIT_BLOCKED
from blocktime.model.laws.block_layer import CALL_S, PAGE_BYTES
from blocktime.model.spec import Disk, FullScan, Host, Index, IndexRangeScan, Instance, System, Table, Tablespace
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


# --- directions -------------------------------------------------------------------------------------------------------

MEASURED: dict[str, Callable[[RunResult], float]] = {
    "elapsed": lambda result: result.time.elapsed_s,
    "cpu": lambda result: result.time.cpu_s,
    "gets": lambda result: result.logical_io.consistent_gets,
    "reads": lambda result: result.physical_io.read_requests,
    "blocks read": lambda result: result.physical_io.read_blocks,
    "bytes read": lambda result: result.physical_io.read_bytes,
    "blocks": lambda result: result.segment.blocks_after,
    "bytes": lambda result: result.segment.bytes_after,
    "extents": lambda result: result.segment.extents,
    "rows a block": lambda result: result.segment.rows_per_block,
    "rows": lambda result: result.calls["fetch"].rows,
    "fetches": lambda result: result.calls["fetch"].count,
    "trips": lambda result: result.time.wait[FROM_CLIENT].waits,
    "hits": lambda result: result.cache.hit_fraction,
    "cost": lambda result: result.optimizer.cost,
    "cost of reads": lambda result: result.optimizer.io_cost,
}
Slack = Callable[[System, RunResult, RunResult], float]


class Direction(NamedTuple):
    """What a larger value of one field does to measures: none of them moves the other way."""

    change: Callable[[System, Any, float], tuple[System, Any]]
    more: st.SearchStrategy[Any]
    up: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    scans: bool = False
    """Whether it is said of full scans alone."""
    slack: Mapping[str, Slack] = {}
    """How far a measure may move the other way."""
    holds: Callable[[System, RunResult], bool] = lambda system, before: True


def of(section: str, field: str, grow: Callable[[Any, Any], Any] = operator.add) -> Any:
    """A change of one field of a section by what is drawn; those without a section are of the work."""

    def change(system: System, work: Any, more: Any) -> tuple[System, Any]:
        owner = getattr(system, section) if section else work
        fields = {field: grow(getattr(owner, field) or 0, more)}
        return (changed(system, **{section: fields}), work) if section else (system, work.model_copy(update=fields))

    return change


def divided(value: Any, by: float) -> Any:
    return max(1, int(value / by)) if isinstance(value, int) else value / by


def slower_processor(system: System, work: Any, times: float) -> tuple[System, Any]:
    costs = [field for field in Host.model_fields if field.endswith("_s") and not field.endswith("_per_s")]
    stated = {field: getattr(system.host, field) for field in costs}
    fields = {field: times * (CALL_S if cost is None else cost) for field, cost in stated.items()}
    return changed(system, host=fields), work


def more_cached(system: System, work: Any, share: float) -> tuple[System, Any]:
    cached = system.table.cached_fraction
    more = {"cached_fraction": cached + share * (1 - cached)}
    return changed(system, table=more, instance={"serial_direct_read": "never"}), work


def turns(system: System, before: RunResult, _: RunResult) -> float:
    """Heads that come later may find the sector where earlier ones just missed it."""
    return system.disk.rotation_s * (before.physical_io.read_requests + 1)


def a_turn(system: System, *_: RunResult) -> float:
    """Who comes a little earlier may just miss a sector: up to a turn for a run of reads."""
    return system.disk.rotation_s


def ends(_: System, before: RunResult, after: RunResult) -> float:
    """A block more or less, where the last is not full; fewer rows a block: more calls that stop on its last one."""
    calls = after.calls["fetch"].count
    return 1 + calls * (1 / after.segment.rows_per_block - 1 / before.segment.rows_per_block)


TIMES = st.floats(1, 10)
SLOWER = {"up": ("elapsed",), "same": ("cpu", "gets", "reads", "bytes read"), "slack": {"elapsed": turns}}
FIELDS = {
    **{f"disk.{name}": Direction(of("disk", name, operator.mul), TIMES, **SLOWER)
       for name in ("overhead_s", "average_seek_s", "rotation_s")},
    **{f"disk.{name}": Direction(of("disk", name, divided), TIMES, **SLOWER)
       for name in ("bandwidth_bytes_per_s", "parallel_requests")},
    "host, its times": Direction(slower_processor, TIMES, up=("cpu", "elapsed"), slack={"elapsed": a_turn}),
    "workload.arraysize_rows": Direction(
        of("", "arraysize_rows"), st.integers(1, 1000), down=("gets", "fetches", "trips", "cpu"),
        same=("reads", "bytes read", "blocks", "rows"),
    ),
    "workload.users": Direction(
        of("", "users"), st.integers(0, 19), up=("elapsed",), slack={"elapsed": a_turn},
        holds=lambda system, _: not (system.table.cached_fraction or (
            system.instance.disk_asynch_io and system.host.io_path == "buffered")),  # stands in test_properties
    ),
    "table.pctfree_percent": Direction(
        of("table", "pctfree_percent"), st.integers(0, 39), scans=True, down=("rows a block",), slack={"gets": ends},
        up=("blocks", "bytes", "bytes read", "gets", "cost of reads"),
    ),
    "table.row_bytes": Direction(
        of("table", "row_bytes"), st.floats(12, 900), scans=True, up=("blocks", "bytes read"), down=("rows a block",)
    ),
    "table.rows, of the segment": Direction(
        of("table", "rows"), st.integers(1, 5_000_000), up=("blocks", "bytes", "extents")
    ),
    "table.rows": Direction(
        of("table", "rows"), st.integers(1, 5_000_000), slack={"elapsed": turns},
        up=("rows", "fetches", "gets", "blocks read", "reads", "cost", "cpu", "elapsed"),
        # below a high-water mark that few rows lie under, gets and reads step by one either way
        holds=lambda system, before: system.table.rows > 10 * before.segment.blocks_after,
    ),
    "table.cached_fraction": Direction(
        more_cached, st.floats(0, 1), scans=True, down=("blocks read", "bytes read"), up=("hits",), same=("gets",)
    ),
}  # fmt: skip
"""Fields whose larger value moves measures one way, whatever else is given."""


@pytest.mark.parametrize("field", FIELDS)
@settings(max_examples=50)
@given(systems, works, st.data())
def test_a_measure_never_moves_against_its_field(field: str, system: System, work: Work, data: st.DataObject) -> None:
    direction = FIELDS[field]
    work = FullScan(arraysize_rows=work.arraysize_rows) if direction.scans else work
    if direction.change is more_cached:
        system = changed(system, instance={"serial_direct_read": "never"})
    before = calculate(system, work)
    assume(direction.holds(system, before))
    after = calculate(*direction.change(system, work, data.draw(direction.more)))
    for name in (*direction.up, *direction.down, *direction.same):
        was, now = MEASURED[name](before), MEASURED[name](after)
        slack = direction.slack[name](system, before, after) if name in direction.slack else 0.0
        assert name in direction.down or at_least(now + slack, was), name
        assert name in direction.up or at_least(was + slack, now), name


@settings(max_examples=25)
@given(systems, st.integers(1, 3), st.floats(1, 10))
def test_a_slower_disk_is_never_faster_in_the_simulation(system: System, users: int, times: float) -> None:
    system = changed(system, table={"rows": min(system.table.rows, 50_000)})
    work = FullScan(users=users)  # with company, who goes first may change, and so how often the head moves
    slow = {"bandwidth_bytes_per_s": system.disk.bandwidth_bytes_per_s / times}
    slow["overhead_s"] = system.disk.overhead_s * times
    before, after = simulate(system, work), simulate(changed(system, disk=slow), work)
    assert at_least(after.time.elapsed_s, before.time.elapsed_s * (1 if users == 1 else 0.75))


def test_among_equal_rows_an_array_that_divides_the_block_costs_least() -> None:
    system = System(table=Table(rows=1_000_000, row_bytes=100, column_count=10))
    per_block = int(calculate(system, FullScan()).segment.rows_per_block)
    blocks = calculate(system, FullScan()).segment.blocks_after
    fits = calculate(system, FullScan(arraysize_rows=per_block)).logical_io.consistent_gets
    longer = calculate(system, FullScan(arraysize_rows=per_block + 1)).logical_io.consistent_gets
    assert fits == blocks
    assert longer > fits


@tries
@given(systems, works)
def test_a_table_in_the_cache_is_not_read_at_all(system: System, work: Work) -> None:
    cached = changed(system, table={"cached_fraction": 1.0}, index={"cached_fraction": 1.0})
    cached = changed(cached, instance={"serial_direct_read": "never"})
    result = calculate(cached, work)
    assert result.physical_io.read_blocks == pytest.approx(0, abs=1e-9)
    assert not {DIRECT, SCATTERED, SEQUENTIAL} & set(result.time.wait)
    assert result.device == {}


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
    table = LARGE.model_copy(update={key: fields.pop(key) for key in list(fields) if key in Table.model_fields})
    return calculate(System(table=table, host=host, disk=disk, instance=Instance(**fields)), FullScan(select="count"))


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
