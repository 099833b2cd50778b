"""Programs of any kind beside each other on one machine."""

from typing import Any

import pytest
from pydantic import ValidationError

from blocktime.model.engine import calculate, is_played, simulate
from blocktime.model.errors import OutsideLaw
from blocktime.model.results import RunResult
from blocktime.model.spec import (
    Disk,
    FullScan,
    Host,
    Index,
    IndexRangeScan,
    Instance,
    ReadStream,
    System,
    Table,
    Transaction,
    Transactions,
    Update,
    Workload,
    WriteStream,
)
from blocktime.model.workloads.families import TOGETHER
from blocktime.scenarios.load import from_mapping
from tests.model.laws.mva import two_classes
from tests.random_scenarios import case

MIB = 2**20
SAS = Disk(capacity_bytes=64 * 1024 * MIB, queue_depth=32)
SERVER = Disk(
    rotation_s=0, average_seek_s=0, overhead_s=0.004, bandwidth_bytes_per_s=1e12, service_cv=1.0, queue_depth=1
)


IDLE = ReadStream(count=1, block_size_bytes=512, path="direct")


def system_of(**more: Any) -> System:
    return System(
        **{"disk": SAS, "instance": Instance(buffer_cache_bytes=32 * MIB), "table": Table(rows=20_000)} | more
    )


def users(**more: Any) -> Transactions:
    given = {"users": 10, "think_s": 0.5, "data_bytes": 128 * MIB, "transactions": 400, "precision_percent": 10}
    return Transactions(mix=(Transaction(gets=20, changed_blocks=2),), **given | more)


def scan(**more: Any) -> FullScan:
    return FullScan(select="count", **more)


def requests_of(result: RunResult) -> float:
    """Requests of the disk over the whole run."""
    return sum(result.device["disk"].request_bytes.values())


BACKUP = ReadStream(path="direct", block_size_bytes=MIB, count=100)
MIXES: dict[str, Workload] = {
    "update, users, backup": Update(rows_fraction=1.0, beside=(users(), BACKUP)),
    "users, scan": users(beside=(scan(),)),
    "users, update": users(beside=(Update(rows_fraction=0.1),)),
    "scan, writes": scan(beside=(WriteStream(path="direct", count=50),)),
    "users, users": users(beside=(users(users=5),)),
}


@pytest.mark.parametrize("name", MIXES)
def test_what_programs_got_is_what_the_disk_did_to_the_last_request(name: str) -> None:
    result = simulate(system_of(), MIXES[name], seed=2)
    assert result.programs is not None
    assert sum(program.requests for program in result.programs) == pytest.approx(
        requests_of(result), abs=sum(program.users for program in result.programs) + 40
    ), "those under way when the run ends are counted when they were handed over"
    assert len(result.programs) == 1 + len(MIXES[name].beside)


@pytest.mark.parametrize("name", MIXES)
def test_programs_are_always_played_and_nobody_may_sum_them_up(name: str) -> None:
    assert is_played(system_of(), MIXES[name])
    with pytest.raises(AssertionError, match="no sum of them"):
        calculate(system_of(), MIXES[name])


def test_a_program_takes_longer_beside_others_than_alone_and_the_answer_says_why() -> None:
    result = simulate(system_of(), users(beside=(BACKUP,)), seed=1)
    first, backup = result.programs or []
    assert first.response_s is not None
    assert first.alone.response_s is not None
    assert first.response_s > 1.2 * first.alone.response_s
    assert backup.elapsed_s is not None
    assert backup.alone.elapsed_s is not None
    assert backup.elapsed_s > backup.alone.elapsed_s
    assert any("db file sequential read" in said and "read stream" in said for said in first.because)


def test_a_scan_that_reads_directly_spares_the_hits_of_the_users() -> None:
    """By chance a thousandth more or less: a scan through the cache comes in at its cold end."""

    def hits(way: str) -> float:
        system = system_of(
            instance=Instance(buffer_cache_bytes=32 * MIB, serial_direct_read=way), table=Table(rows=400_000)
        )
        first = (simulate(system, users(beside=(scan(),)), seed=1).programs or [])[0]
        assert first.hit_fraction is not None
        return first.hit_fraction

    assert hits("always") >= hits("never") - 0.001


def test_a_program_alone_on_the_machine_is_what_it_is_without_others() -> None:
    system = system_of(instance=Instance(buffer_cache_bytes=32 * MIB, serial_direct_read="always"))
    result = simulate(system, scan(beside=(users(),)), seed=3)
    alone = simulate(system, scan(), seed=3)
    program = (result.programs or [])[0]
    assert program.alone.elapsed_s == pytest.approx(alone.time.elapsed_s, rel=1e-9)


def test_a_program_begins_when_it_is_told_to() -> None:
    late = {"kind": "write_stream", "path": "direct", "count": 20, "begin_s": 5.0}
    result = simulate(system_of(), FullScan.model_validate({"select": "count", "beside": [late]}), seed=1)
    alone = simulate(system_of(), scan(), seed=1).time.elapsed_s
    first, second = result.programs or []
    assert alone < late["begin_s"]
    assert first.elapsed_s == pytest.approx(alone, rel=0.01), "nobody is in its way"
    assert second.begin_s == late["begin_s"]


def test_a_program_may_have_a_table_of_its_own() -> None:
    small = {"kind": "full_scan", "select": "count", "table": {"rows": 2_000}}
    result = simulate(system_of(), FullScan.model_validate({"select": "count", "beside": [small]}), seed=1)
    first, second = result.programs or []
    assert second.reads < first.reads


def test_two_closed_classes_at_one_device_are_those_of_theory() -> None:
    system = System(disk=SERVER, host=Host(scheduler="none", read_call_s=0.0, cpus=64))
    calls = {"path": "raw", "count": 4000, "think_cv": 1.0, "pattern": "random", "block_size_bytes": 4096}
    work = ReadStream(users=3, think_s=0.01, **calls, beside=(ReadStream(users=2, think_s=0.03, **calls),))
    result = TOGETHER.processes.simulate(system, work, seed=5, name="")
    theory = two_classes((3, 0.01), (2, 0.03), service_s=0.004)
    first, _ = result.programs or []
    assert first.response_s == pytest.approx(theory[0], rel=0.03)


def test_what_does_not_fit_on_the_disk_is_refused() -> None:
    small = SAS.model_copy(update={"capacity_bytes": 256 * MIB})
    with pytest.raises(OutsideLaw, match="disk"):
        simulate(system_of(disk=small), users(data_bytes=200 * MIB, beside=(users(data_bytes=200 * MIB),)))


def test_a_program_beside_another_has_none_beside_it() -> None:
    with pytest.raises(ValidationError, match="at most 0 items"):
        FullScan.model_validate({"beside": [{"kind": "update", "beside": [{"kind": "insert"}]}]})


def test_a_thousand_programs_are_refused() -> None:
    with pytest.raises(ValidationError, match="at most 16 items"):
        FullScan(beside=tuple(scan() for _ in range(1000)))


@pytest.mark.parametrize("number", range(24))
def test_alone_in_a_table_of_programs_is_the_answer_to_it_alone(number: int) -> None:
    kinds = ("full_scan", "index_range_scan", "export", "update", "delete", "insert", "import")
    scenario = from_mapping(case(f"{kinds[number % len(kinds)]}/{number}"))
    system, work = scenario.system, scenario.workload
    alone = simulate(system, work)
    beside = simulate(system, work.model_copy(update={"beside": (IDLE,)}))
    assert beside.programs
    found = beside.programs[0].alone
    assert found.elapsed_s == pytest.approx(alone.time.elapsed_s, rel=1e-9)
    assert found.reads == alone.physical_io.read_requests


@pytest.mark.parametrize("clustering", ["scattered", "clustered"])
def test_a_session_reads_as_many_blocks_beside_nobody_as_in_a_cache_for_all(clustering: str) -> None:
    """It comes back to no block, so a cache that has all of them spares it nothing."""
    work = IndexRangeScan(selectivity_fraction=0.3)
    system = system_of(table=Table(rows=20_000, row_bytes=40), index=Index(clustering=clustering))
    alone, beside = (simulate(system, work.model_copy(update={"beside": other})) for other in ((), (IDLE,)))
    assert beside.physical_io.read_requests == alone.physical_io.read_requests


def test_sessions_find_what_one_of_them_has_read() -> None:
    system = system_of(instance=Instance(buffer_cache_bytes=32 * MIB, serial_direct_read="never"))
    one, four = (simulate(system, scan(users=count)) for count in (1, 4))
    read = one.physical_io.read_blocks
    assert 4 * four.physical_io.read_blocks == pytest.approx(read, rel=0.05)
    direct = simulate(system_of(instance=Instance(serial_direct_read="always")), scan(users=4))
    assert direct.physical_io.read_blocks == pytest.approx(read, rel=0.05)
