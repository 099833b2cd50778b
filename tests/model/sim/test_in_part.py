"""Long statements and streams are played in part: the interval holds the whole, whose counts they have."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from blocktime.model import RunResult
from blocktime.model.budget import Budget, allowed, watched
from blocktime.model.causes import DIRECT, SEQUENTIAL
from blocktime.model.demand import demand_of
from blocktime.model.demand.row_changes import COUNTED, change_of
from blocktime.model.engine import answer
from blocktime.model.errors import OutsideLaw, OverBudget
from blocktime.model.sim.streams import stream
from blocktime.model.workloads.extension import NO_WINDOW, Progress, stretch_of
from blocktime.model.workloads.statements import processes
from blocktime.model.workloads.statements.read_positions import extents_of, read_sizes, reads_by_session
from blocktime.model.workloads.streams import processes as streams
from blocktime.scenarios import from_mapping, load, run
from blocktime.scenarios.spec import Scenario
from tests.whole import quick

SCAN_OF_A_WAREHOUSE = ("table.rows=45000000000", "workload.users=32", "disk.capacity_bytes=16T")
SCATTERED = ("table.rows=1000000000", "disk.capacity_bytes=1T")
ON_CREDITS = ("disk.use=ebs-gp3", "disk.iops_limit=300", "disk.burst_iops=3000", "disk.burst_credits=5400000")


def any_piece(seed: int) -> Scenario:
    """A statement whose reads are alike, short enough to be played whole.

    Several sessions read past the buffer cache: through it they would read for each other, of which a part tells
    nothing.
    """
    chance = Random(seed)
    kind = chance.choice(["full_scan", "full_scan", "index_range_scan"])
    disk = chance.choice(
        ["nvme", "ebs-gp3", "ssd-sata", "samsung-970-evo", "azure-p30", "sata-7k2", "sas-10k", "array-raid5"]
    )
    work: dict[str, Any] = {"kind": kind, "select": "count", "users": chance.choice([1, 1, 2, 5, 8])}
    reads: dict[str, Any] = {"serial_direct_read": "auto" if work["users"] == 1 else "always"}
    work["users"] = work["users"] if kind == "full_scan" else 1
    table: dict[str, Any] = {"row_bytes": chance.choice([60, 120, 250])}
    table["rows"] = int(10 ** chance.uniform(6, 7) if kind == "full_scan" else 10 ** chance.uniform(5.5, 6.4))
    if kind == "full_scan" and chance.random() < 0.2:
        work |= {"degree": chance.choice([2, 4]), "users": 1}
    return from_mapping(
        {
            "table": table,
            "disk": {"use": disk},
            "host": {"use": "linux-x86", "io_path": chance.choice(["asm", "buffered", "direct"])},
            "client": {"use": "local"},
            "instance": {
                "release": chance.choice(["19.3.0.0", "11.1.0.6", "10.2.0.4"]),
                "buffer_cache_bytes": "64M",
                "disk_asynch_io": chance.choice([True, False]),
                "db_file_multiblock_read_count": chance.choice([8, 16, 32]),
            }
            | reads,
            "workload": work,
        }
        | ({"index": {"clustering": "scattered"}} if kind == "index_range_scan" else {})
    )


def in_part(scenario: Scenario, seed: int, share: float) -> RunResult | None:
    """The answer of the first *share* of the reads; None where a part says nothing of the whole."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "is_long", lambda *_: True)
        patch.setattr(
            processes,
            "reads_of_part",
            lambda _, demand: max(200, 40 * int(demand.plan.at_once), int(share * float(demand.reads))),
        )
        patch.setattr(processes, "MOST_READS", 0)
        try:
            result = answer(scenario.system, scenario.workload, seed=seed)
        except OutsideLaw as refusal:
            assert "allows no extension" in str(refusal)  # noqa: PT017  (most have an answer)
            return None
    return result if result.played_fraction is not None else None


def pieces(count: int) -> Iterator[tuple[RunResult, RunResult]]:
    """Wholes and parts of so many pieces of work."""
    for seed in range(10 * count):
        scenario = any_piece(seed)
        part = in_part(scenario, seed, Random(seed).choice([0.06, 0.12, 0.25]))
        if part is not None:
            yield answer(scenario.system, scenario.workload, seed=seed), part
            count -= 1
        if not count:
            return


def test_the_interval_of_a_part_holds_the_whole_and_counts_are_equal() -> None:
    count = quick(30, 200)
    within = 0
    for whole, part in pieces(count):
        interval = part.time.interval
        assert interval is not None
        within += interval.low_s <= whole.time.elapsed_s <= interval.high_s
        assert part.physical_io.request_blocks == pytest.approx(whole.physical_io.request_blocks)
        assert part.physical_io.read_bytes == pytest.approx(whole.physical_io.read_bytes)
        assert part.calls["fetch"].query == whole.calls["fetch"].query
        assert part.calls["fetch"].rows == whole.calls["fetch"].rows
        assert part.calls["fetch"].disk == pytest.approx(whole.calls["fetch"].disk)
        for event, waited in whole.time.wait.items():
            if event not in (DIRECT, SEQUENTIAL):  # chance decides how often reads ahead are waited for
                assert part.time.wait[event].waits == pytest.approx(waited.waits), event
    assert within >= 0.93 * count


@pytest.mark.parametrize("disk", ["nvme", "ebs-gp3"])
def test_sessions_that_scan_a_warehouse_are_answered(disk: str) -> None:
    result = run(load("full-scan-nvme", (f"disk.use={disk}", *SCAN_OF_A_WAREHOUSE)))
    assert result.events is not None
    assert result.events < 400_000
    assert "simulation, played 0.0" in result.method
    device = result.device["disk"]
    bytes_read = 32 * result.physical_io.read_bytes
    assert device.read_bytes_per_s * (result.time.last_session_s or 0) == pytest.approx(bytes_read, rel=1e-3)
    assert device.read_bytes_per_s <= {"nvme": 3000 * 2**20, "ebs-gp3": 125 * 2**20}[disk] * 1.001


def test_seven_million_scattered_reads_are_answered() -> None:
    result = run(load("index-range-scan-scattered", SCATTERED))
    assert result.time.wait[SEQUENTIAL].waits == result.physical_io.read_requests > 7e6
    assert result.events is not None
    assert result.events < 400_000


def test_a_precision_that_a_part_does_not_reach_is_said() -> None:
    result = run(load("index-range-scan-scattered", (*SCATTERED, "workload.precision_percent=0.01")))
    assert result.time.interval is not None
    assert result.time.interval.reach_percent > 0.01
    assert any("not the 0.01 % wanted: no longer part of this work is played" in text for text in result.warnings)


def test_what_is_short_is_played_whole() -> None:
    result = run(load("full-scan-nvme"))
    assert result.played_fraction is None
    assert result.time.interval is None


def test_the_budget_decides_what_is_played_in_part() -> None:
    scenario = load("full-scan-nvme", ("table.rows=400000000",))
    with watched(Budget(0.5, None)):
        part = answer(scenario.system, scenario.workload)
    whole = answer(scenario.system, scenario.workload)
    assert whole.played_fraction is None
    assert part.time.interval is not None
    assert part.time.interval.low_s <= whole.time.elapsed_s <= part.time.interval.high_s
    assert run(scenario, budget=Budget(0.9, None)).played_fraction is not None


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("full-scan-nvme", (*SCAN_OF_A_WAREHOUSE, "disk.use=sata-7k2"), "on a drive with heads"),
        ("full-scan-nvme", (*SCAN_OF_A_WAREHOUSE, *ON_CREDITS), "burst credits last"),
        (
            "full-scan-nvme",
            ("workload.kind=update", "workload.users=8", "table.rows=1000000000"),
            "change rows of one table meet",
        ),
    ],
)
def test_what_drifts_ends_the_extension_by_name(name: str, settings: tuple[str, ...], reason: str) -> None:
    with pytest.raises((OutsideLaw, OverBudget), match=reason):
        run(load(name, settings))


@pytest.mark.parametrize("users", [1, 3])
@pytest.mark.parametrize("setting", ["workload.degree=4", "workload.kind=update", "instance.serial_direct_read=never"])
def test_reads_are_counted_without_being_made(users: int, setting: str) -> None:
    scenario = load("full-scan-nvme", (f"workload.users={users}", "table.rows=2000000", setting))
    system, work = scenario.system, scenario.workload
    demand = demand_of(system, work)
    extents = extents_of(system, float(demand.segment.blocks))
    reads_of = reads_by_session(system, work, demand, extents, lambda name: stream(1, name))
    made = Counter(size for rank in range(work.sessions) for _, size in reads_of(rank, 0))
    counted = read_sizes(work, demand, extents)
    assert {size: count * work.sessions for size, count in counted.items()} == pytest.approx(dict(made))


def any_stream(seed: int) -> Scenario:
    """A stream of alike calls, short enough to be played whole."""
    chance = Random(seed)
    work: dict[str, Any] = {
        "kind": chance.choice(["read_stream", "write_stream"]),
        "pattern": chance.choice(["random", "sequential"]),
        "block_size_bytes": chance.choice(["4K", "8K", "64K"]),
        "path": chance.choice(["direct", "raw", "sync"]),
        "count": int(10 ** chance.uniform(3.3, 4)),
        "users": chance.choice([1, 1, 2, 4]),
        "span_bytes": "1G",
    }
    if chance.random() < 0.2:
        work["think_s"] = chance.choice([1e-4, 1e-2])
    elif chance.random() < 0.2:
        work["rate_per_s"] = chance.choice([20, 50])
    elif work["path"] != "sync":
        work["in_flight"] = chance.choice([1, 2, 8, 32])
    disk = chance.choice(["nvme", "ebs-gp3", "ssd-sata", "sata-7k2", "sas-10k", "samsung-970-evo", "azure-p30"])
    return from_mapping({"disk": {"use": disk}, "host": {"use": "linux-x86"}, "workload": work})


def stream_in_part(scenario: Scenario, seed: int, share: float) -> RunResult | None:
    """The answer of the first *share* of the calls; None where a part says nothing of the whole."""
    work: Any = scenario.workload
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "is_long", lambda *_: True)
        patch.setattr(streams, "calls_of_part", lambda *_: max(100, 60 * work.in_flight, int(share * work.count)))
        patch.setattr(streams, "MOST_PART_STEPS", 0)
        try:
            result = answer(scenario.system, work, seed=seed)
        except OutsideLaw as refusal:
            assert "too many to simulate" in str(refusal)  # noqa: PT017  (most have an answer)
            return None
    return result if result.played_fraction is not None else None


def test_the_interval_of_a_part_holds_the_whole_stream_and_counts_are_equal() -> None:
    count = done = within = 0
    wanted = quick(30, 200)
    while done < wanted:
        scenario, seed = any_stream(count), count
        count += 1
        part = stream_in_part(scenario, seed, Random(seed).choice([0.06, 0.12, 0.25]))
        if part is None:
            continue
        done += 1
        whole = answer(scenario.system, scenario.workload, seed=seed)
        interval = part.time.interval
        assert interval is not None
        within += interval.low_s <= whole.time.elapsed_s <= interval.high_s
        assert part.streams is not None
        assert whole.streams is not None
        assert (part.streams[0].calls, part.streams[0].bytes) == (whole.streams[0].calls, whole.streams[0].bytes)
        if part.streams[0].path != "sync":
            assert part.physical_io.read_bytes == whole.physical_io.read_bytes
            assert part.physical_io.write_bytes == whole.physical_io.write_bytes
            if not whole.device["disk"].merged_reads + whole.device["disk"].merged_writes:  # which chance decides
                assert part.physical_io.request_blocks == whole.physical_io.request_blocks
    assert within >= 0.93 * wanted


@pytest.mark.parametrize("more", [(), ("workload.in_flight=1", "workload.users=4")])
def test_an_hour_of_a_stream_is_answered(more: tuple[str, ...]) -> None:
    hour = ("disk.use=nvme", "workload.count=100000000", "workload.runtime_s=3600", *more)
    result = run(load("random-read-depth", hour))
    assert result.played_fraction is not None
    assert result.streams is not None
    calls = result.streams[0]
    assert calls.calls_per_s * calls.elapsed_s == pytest.approx(calls.calls)
    assert result.time.elapsed_s <= 3600.1
    assert result.device["disk"].utilisation_fraction <= 1


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("workload.kind=write_stream", "workload.path=buffered"), "the page cache fills"),
        (("workload.kind=write_stream", "disk.use=samsung-970-evo"), "slc_cache_bytes of .* may fill up"),
        (("workload.rate_per_s=1000000", "workload.in_flight=1"), "a queue without end"),
        (
            ("workload.pattern=sequential", "workload.span_bytes=900G", "disk.use=sata-7k2", "workload.in_flight=1"),
            "inner tracks",
        ),
        (("workload.beside=[{kind='read_stream', count=50000000}]", "workload.in_flight=1"), "do not end together"),
    ],
)
def test_streams_whose_calls_are_not_alike_are_refused_by_name(settings: tuple[str, ...], reason: str) -> None:
    long = ("disk.use=nvme", "workload.count=50000000", *settings)
    with pytest.raises((OutsideLaw, OverBudget), match=reason):
        run(load("random-read-depth", long))


@pytest.mark.parametrize(
    "settings",
    [
        ("workload.kind=update", "table.rows=4000000"),
        ("workload.kind=delete", "table.rows=4000000"),
        ("workload.kind=update", "table.rows=20000", "workload.order=random", "instance.buffer_cache_bytes=1M"),
    ],
)
def test_the_part_of_a_change_holds_the_whole(settings: tuple[str, ...]) -> None:
    scenario = load("full-scan-nvme", ("disk.use=sata-7k2", *settings))
    whole, part = answer(scenario.system, scenario.workload), in_part(scenario, 1, 0.2)
    assert part is not None
    assert part.time.interval is not None
    assert part.time.interval.low_s <= whole.time.elapsed_s <= part.time.interval.high_s
    assert part.physical_io.request_blocks == whole.physical_io.request_blocks
    assert part.changes == whole.changes
    assert part.segment == whole.segment


@pytest.mark.parametrize(
    ("name", "settings", "migrated"),
    [
        ("full-scan-nvme", ("workload.kind=update",), 0),
        ("full-scan-nvme", ("workload.kind=delete",), 0),
        ("rahn-pctfree-8k-10", (), 792_000_000),
    ],
)
def test_a_billion_rows_are_changed(name: str, settings: tuple[str, ...], migrated: float) -> None:
    result = run(load(name, ("table.rows=1000000000", *settings)))
    changes = result.changes
    assert changes is not None
    assert changes.rows == 1e9
    assert changes.migrated == pytest.approx(migrated, rel=1e-3)
    assert changes.in_place == (0 if "workload.kind=delete" in settings else 1e9 - changes.migrated)
    assert any("may be off by the rows of a block" in note for note in result.warnings)
    assert (result.events or 0) < 400_000
    assert "played" in result.method


@pytest.mark.parametrize(
    "name",
    [
        "rahn-pctfree-2k-10",
        "rahn-pctfree-8k-10",
        "rahn-pctfree-16k-10",
        "rahn-pctfree-16k-10-manual",
        "rahn-pctfree-8k-35",
    ],
)
def test_the_law_of_rows_goes_on_as_they_do(name: str) -> None:
    scenario = load(name, ("table.rows=400000",))
    system, work = scenario.system, scenario.workload
    played = change_of(system, work)
    with allowed(Budget(0.0, None)):
        law = change_of(system, work)
    assert played.outcome is not None
    assert law.outcome is None
    assert (law.rows, law.commits) == (played.rows, played.commits)
    for count in COUNTED:
        made = getattr(played, count)
        assert getattr(law, count) == pytest.approx(made, rel=0.005, abs=played.outcome.rows_per_block), count


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("workload.commit_every_rows=1000",), "no law tells how the probes rejected for a full ITL go on"),
        (("workload.users=4",), "change rows of one table meet"),
    ],
)
def test_rows_that_are_not_alike_are_refused_by_name(settings: tuple[str, ...], reason: str) -> None:
    with pytest.raises((OutsideLaw, OverBudget), match=reason):
        run(load("rahn-pctfree-16k-10", ("table.rows=1000000000", "disk.capacity_bytes=1T", *settings)))


def test_a_stretch_leaves_out_the_warm_up_and_what_lies_between_windows() -> None:
    slow = [Progress(2.0 * rank, rank) for rank in range(10)]
    steady = [Progress(20.0 + rank + (rank % 2) / 10, 10 + rank) for rank in range(60)]
    stretch = stretch_of([*slow, *steady])
    assert stretch is not None
    assert stretch.rate_s == pytest.approx(1.0, rel=0.01)
    assert not stretch.drift
    apart = [each._replace(window=NO_WINDOW) for each in slow]
    assert stretch_of([*apart, *steady]) == stretch_of([*apart, *steady])
    assert stretch_of(steady[:10]) is None


def test_a_rate_that_changes_is_a_drift() -> None:
    now_s, progress = 0.0, []
    for rank in range(100):
        progress.append(Progress(now_s, rank))
        now_s += 1 + rank / 100
    stretch = stretch_of(progress)
    assert stretch is not None
    assert stretch.drift > 0.1


def test_a_segment_beyond_the_end_of_the_disk_is_refused() -> None:
    with pytest.raises(OutsideLaw, match="would end at byte"):
        run(load("full-scan-nvme", ("table.rows=900000000000",)))
