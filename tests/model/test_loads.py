"""Imports and exports: what must hold for every table, machine and block size, and that both engines agree."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model import calculate, calculate_many, simulate
from blocktime.model.causes import FREE_BUFFERS, LOG_FILE_SYNC, LOG_SPACE
from blocktime.model.errors import SpecError
from blocktime.model.results import RunResult
from blocktime.model.spec import Disk, Export, Host, Import, Instance, System, Table, Tablespace
from blocktime.scenarios import load, run

SIZES = (2048, 4096, 8192, 16384, 32768)
SLOW = {"overhead_s": 0.002, "average_seek_s": 0.0, "rotation_s": 0.0, "bandwidth_bytes_per_s": 40e6}


def system(
    size: int = 8192, rows: int = 200_000, cache_mb: int = 20, disk: dict[str, Any] | None = None, **host: Any
) -> System:
    return System(
        tablespace=Tablespace(block_size_bytes=size),
        table=Table(rows=rows, row_bytes=300, column_count=20),
        instance=Instance(
            db_block_size_bytes=size, buffer_cache_bytes=cache_mb * 2**20, disk_asynch_io=False, redo_disk="data"
        ),
        host=Host(**{"io_path": "direct", **host}),
        disk=Disk(**(SLOW if disk is None else disk)),
    )


def wait_s(result: RunResult, event: str) -> float:
    found = result.time.wait.get(event)
    return found.total_s if found else 0.0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("cache_mb", [20, 2000])
def test_an_import_takes_what_the_slower_of_session_and_disk_takes(size: int, cache_mb: int) -> None:
    """DBWR's writes and the log's bytes go one after the other; beside them the session works."""
    given_system, work = system(size, cache_mb=cache_mb), Import()
    alone, played = calculate(given_system, work), simulate(given_system, work)
    own_s = alone.time.elapsed_s
    written_s = played.physical_io.write_requests * (SLOW["overhead_s"] + size / SLOW["bandwidth_bytes_per_s"])
    redo_s = played.changes.redo_bytes / SLOW["bandwidth_bytes_per_s"]
    assert max((1 - 1e-9) * own_s, 0.999 * written_s) <= played.time.elapsed_s <= own_s + written_s + 1.2 * redo_s
    met_s = [wait_s(played, event) - wait_s(alone, event) for event in (FREE_BUFFERS, LOG_SPACE, LOG_FILE_SYNC)]
    assert played.time.elapsed_s == pytest.approx(own_s + sum(met_s))
    assert (wait_s(played, FREE_BUFFERS) > 0) == (cache_mb == 20)


@pytest.mark.parametrize("direct", [False, True])
def test_engines_agree_on_an_export_of_one_session(direct: bool) -> None:
    given_system, work = system(), Export(direct=direct)
    law, played = calculate(given_system, work), simulate(given_system, work)
    assert played.time.elapsed_s == pytest.approx(law.time.elapsed_s, rel=0.01)


def test_users_share_the_rows_and_load_no_faster_than_the_disk() -> None:
    one, four = simulate(system(), Import()), simulate(system(), Import(users=4))
    assert four.changes.rows == 200_000
    assert four.time.cpu_s == pytest.approx(one.time.cpu_s / 4, rel=0.03)  # busy cores are slower
    assert four.time.elapsed_s > 0.5 * one.time.elapsed_s


@pytest.mark.parametrize("cache_mb", [20, 2000])
def test_an_import_takes_no_longer_with_larger_blocks(cache_mb: int) -> None:
    times = [simulate(system(size, cache_mb=cache_mb), Import()).time.elapsed_s for size in SIZES]
    assert all(larger <= 1.03 * smaller for smaller, larger in pairwise(times))  # the last redo is LGWR's turn


def test_a_faster_disk_a_larger_cache_and_asynchronous_writes_shorten_the_waits_for_buffers() -> None:
    slow = wait_s(simulate(system(), Import()), FREE_BUFFERS)
    fast = {**SLOW, "overhead_s": 1e-5, "bandwidth_bytes_per_s": 2e9}
    assert wait_s(simulate(system(disk=fast), Import()), FREE_BUFFERS) == 0
    assert 0 < wait_s(simulate(system(cache_mb=100), Import()), FREE_BUFFERS) < slow
    several = System.model_validate(system().model_dump() | {"disk": Disk(**SLOW, parallel_requests=8)})
    together = several.model_copy(update={"instance": several.instance.model_copy(update={"disk_asynch_io": True})})
    assert wait_s(simulate(together, Import()), FREE_BUFFERS) < slow


def test_a_platter_without_a_cache_takes_a_turn_for_each_block_of_a_database_writer_that_waits() -> None:
    disk = {"rotation_s": 0.004, "bandwidth_bytes_per_s": 75e6, "track_buffer_bytes": 0}
    result = simulate(system(4096, disk=disk, cache_mb=1), Import())
    assert result.time.elapsed_s / result.physical_io.write_requests == pytest.approx(0.004, rel=0.1)


def test_redo_alone_holds_an_import_up_where_the_disk_is_slower_than_it() -> None:
    crawling = {**SLOW, "bandwidth_bytes_per_s": 1e6}
    result = simulate(system(cache_mb=2000, disk=crawling), Import())
    assert wait_s(result, LOG_SPACE) > 0
    assert result.time.elapsed_s == pytest.approx(result.changes.redo_bytes / 1e6, rel=0.3)
    own = system(cache_mb=2000, disk=crawling)
    own = own.model_copy(update={"instance": own.instance.model_copy(update={"redo_disk": "own"})})
    apart = simulate(own, Import())
    assert apart.time.elapsed_s == pytest.approx(apart.changes.redo_bytes / 1e6, rel=0.1)  # a disk as slow of its own
    quick = own.model_copy(update={"disk": own.disk.model_copy(update={"bandwidth_bytes_per_s": 500e6})})
    assert wait_s(simulate(quick, Import()), LOG_SPACE) == 0


def test_what_an_import_leaves_is_the_table_that_a_scan_reads() -> None:
    for size in SIZES:
        result = calculate(system(size), Import())
        scanned = calculate(system(size), Export())
        assert result.segment.blocks_before == 0
        assert result.segment.blocks_after == scanned.segment.blocks_after
        assert result.segment.bytes_after == scanned.segment.bytes_after


def test_commit_after_each_array_waits_for_the_log_writer_as_often() -> None:
    each, last = calculate(system(), Import(commit=True)), calculate(system(), Import())
    arrays = 200_000 // (30_720 // 480) + 1
    assert each.calls["execute"].count == last.calls["execute"].count == arrays - (200_000 % 64 == 0)
    assert each.time.wait[LOG_FILE_SYNC].waits == each.calls["execute"].count
    assert last.time.wait[LOG_FILE_SYNC].waits == 1


def test_a_smaller_buffer_costs_round_trips_and_no_rows() -> None:
    small, large = calculate(system(), Import(buffer_bytes=3_072)), calculate(system(), Import())
    assert small.calls["execute"].count > 9 * large.calls["execute"].count
    assert small.time.elapsed_s > large.time.elapsed_s
    assert small.segment == large.segment


def test_a_direct_export_leaves_the_work_on_columns_out() -> None:
    spec = system()
    spec = spec.model_copy(update={"client": spec.client.model_copy(update={"column_s": 1e-6})})
    plain, direct = calculate(spec, Export()), calculate(spec, Export(direct=True))
    assert direct.time.cpu["projecting rows"] < plain.time.cpu["projecting rows"]
    assert plain.time.client_rows_s == pytest.approx(200_000 * (0.4e-6 + 20e-6))
    assert direct.time.client_rows_s == pytest.approx(200_000 * 0.4e-6)


@settings(max_examples=30)
@given(st.sampled_from(SIZES), st.integers(1_000, 500_000), st.integers(1, 4_000), st.integers(1, 8), st.booleans())
def test_books_balance_and_time_is_no_less_than_that_of_any_party(
    size: int, rows: int, cache_mb: int, users: int, commit: bool
) -> None:
    spec = system(size, rows, cache_mb)
    result = simulate(spec, Import(users=users, commit=commit))
    assert all(device.utilisation_fraction <= 1 for device in result.device.values())
    assert result.time.elapsed_s >= result.time.cpu_s
    assert result.physical_io.write_bytes == result.physical_io.write_requests * size


@pytest.mark.parametrize("kind", [Import(), Export(), Export(direct=True)])
def test_arrays_of_scenarios_answer_as_one_by_one(kind: Import | Export) -> None:
    import numpy as np

    axes = {
        "tablespace.block_size_bytes": np.array(SIZES * 2),
        "instance.buffer_cache_bytes": np.array([20 * 2**20] * 5 + [2**30] * 5),
        "table.rows": np.linspace(1_000, 300_000, 10).astype(int),
    }
    many = calculate_many(system(), kind, axes)["elapsed_s"]
    for index, (size, cache, rows) in enumerate(zip(*axes.values(), strict=True)):
        spec = system(8192, int(rows))
        changed = {
            "tablespace": Tablespace(block_size_bytes=int(size)),
            "instance": spec.instance.model_copy(update={"buffer_cache_bytes": int(cache)}),
        }
        assert many[index] == pytest.approx(calculate(spec.model_copy(update=changed), kind).time.elapsed_s), size


def test_a_select_of_one_column_sends_less_than_one_of_all() -> None:
    one = run(load("magni-select-500mb-32k"))
    every = run(load("magni-select-500mb-32k", ["workload.columns=50"]))
    assert every.time.cpu["projecting rows"] > 5 * one.time.cpu["projecting rows"]
    assert every.time.elapsed_s > one.time.elapsed_s


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("workload.buffer_bytes=100", ("buffer_bytes", "100", "512")),
        ("workload.commit=often", ("commit", "often")),
        ("workload.users=0", ("users", "0", "1")),
        ("workload.largest_row_bytes=wide", ("largest_row_bytes", "wide")),
        ("workload.direct=true", ("direct", "export")),
        ("workload.rows=7", ("rows", "insert")),
        ("client.column_s=-1", ("column_s", "-1", "0")),
    ],
)
def test_bad_input_is_one_sentence(setting: str, words: tuple[str, ...]) -> None:
    with pytest.raises(SpecError) as error:
        load("magni-imp-200mb-4k", [setting])
    text = str(error.value)
    assert len(text.splitlines()) == 1
    assert all(word in text for word in words), text


def test_rows_that_no_block_holds_take_several_and_change_each() -> None:
    result = run(load("magni-imp-200mb-4k", ["table.row_bytes=9000", "table.rows=1000"]))
    assert result.physical_io.write_requests == 0
    assert result.segment.rows_per_block == pytest.approx(1 / 3)
    assert result.time.cpu["inserting rows"] > 3000 * 1e-4


def test_an_import_needs_no_more_than_a_row() -> None:
    assert run(load("magni-imp-200mb-4k", ["table.rows=1"])).time.elapsed_s < 0.01


def test_waits_for_free_buffers_are_counted_as_sessions_look_again() -> None:
    """Not one a block: DBWR cleans many at a time, and a session looks again after 10 ms."""
    result = simulate(system(), Import())
    waited = result.time.wait[FREE_BUFFERS]
    assert 1e-3 < waited.total_s / waited.waits <= 0.01
    assert waited.waits < result.physical_io.write_requests / 2
