"""FILESYSTEMIO_OPTIONS: how the database's files are opened, and what that costs scans, writers and transactions."""

from typing import Any

import pytest

from blocktime.model import RunResult, calculate, calculate_many, simulate
from blocktime.model.causes import COPIED_TWICE, COPIES, DIRECT, PARALLEL, SCATTERED, SEQUENTIAL
from blocktime.model.laws.opened_files import database_asynch_io, database_path
from blocktime.model.spec import Host, Instance, System, Transaction, Transactions
from blocktime.scenarios import load, run
from tests.model.test_transactions import machine, work

ENGINES = (calculate, simulate)
SAME = [("setall", "direct", True), ("directio", "direct", False), ("none", "buffered", False)]
"""Options, and what says the same without them."""
WORKS = ("full-scan-filesystem", "magni-imp-4k", "oltp-nvme")
SMALL = {
    "full-scan-filesystem": ["table.rows=200000", "instance.buffer_cache_bytes=1M"],
    "magni-imp-4k": ["table.rows=100000", "instance.buffer_cache_bytes=4M"],
    "oltp-nvme": ["workload.transactions=600", "workload.users=20", "workload.data_bytes=2G",
                  "instance.buffer_cache_bytes=64M", "workload.precision_percent=20"],
}  # fmt: skip


def answers(name: str, *settings: str) -> list[str]:
    """The figures, of a statement those of its sums, too."""
    asked = load(name, [*SMALL[name], *settings])
    found = [simulate(asked.system, asked.workload)]
    if not asked.workload.mixed:
        found.append(calculate(asked.system, asked.workload))
    return [result.model_dump_json(exclude={"inputs"}) for result in found]


@pytest.mark.parametrize("io_path", ["asm", "raw", "direct", "buffered", "sync", "dsync"])
@pytest.mark.parametrize("disk_asynch_io", [False, True])
def test_without_the_parameter_files_in_a_file_system_are_opened_as_on_linux(
    io_path: str, disk_asynch_io: bool
) -> None:
    """NONE is the default [oracle-file-systems]; a host that opens with O_DIRECT goes past the page cache."""
    assert database_path(io_path, None) == io_path
    through = io_path in {"buffered", "sync", "dsync"}
    assert database_asynch_io(io_path, None, disk_asynch_io) is (disk_asynch_io and not through)
    if through:
        assert database_path(io_path, None) == database_path(io_path, "none")


@pytest.mark.parametrize("name", WORKS)
def test_an_answer_says_once_that_the_parameter_is_not_set(name: str) -> None:
    def said(*settings: str) -> int:
        warnings = run(load(name, [*SMALL[name], *settings])).warnings
        return sum("filesystemio_options is not set, so it is NONE" in warning for warning in warnings)

    assert said("host.io_path=buffered") == 1
    assert not said("host.io_path=buffered", "instance.filesystemio_options=none")
    assert not any(said(f"host.io_path={path}") for path in ("asm", "raw", "direct"))
    assert answers(name, "host.io_path=buffered") == answers(
        name, "host.io_path=buffered", "instance.filesystemio_options=none"
    )


@pytest.mark.parametrize("io_path", ["direct", "buffered", "sync", "dsync"])
@pytest.mark.parametrize(
    ("options", "direct", "asynchronous"),
    [("none", False, False), ("asynch", False, True), ("directio", True, False), ("setall", True, True)],
)
def test_in_a_file_system_the_parameter_counts_more(
    options: str, direct: bool, asynchronous: bool, io_path: str
) -> None:
    through = "buffered" if io_path == "direct" else io_path  # the file system's own O_SYNC stays
    assert database_path(io_path, options) == ("direct" if direct else through)
    assert database_asynch_io(io_path, options, True) is asynchronous
    assert not database_asynch_io(io_path, options, False)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize(("options", "io_path", "asynchronous"), SAME)
def test_an_option_says_what_path_and_disk_asynch_io_say(
    name: str, options: str, io_path: str, asynchronous: bool
) -> None:
    other = "buffered" if io_path == "direct" else "direct"
    on = ("instance.disk_asynch_io=true", f"instance.filesystemio_options={options}")
    said = answers(name, f"host.io_path={other}", *on)
    assert said == answers(name, f"host.io_path={io_path}", f"instance.disk_asynch_io={str(asynchronous).lower()}")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("io_path", ["asm", "raw"])
def test_asm_and_raw_devices_leave_it_out(name: str, io_path: str) -> None:
    plain = answers(name, f"host.io_path={io_path}")
    for options in ("none", "setall"):
        assert answers(name, f"host.io_path={io_path}", f"instance.filesystemio_options={options}") == plain


@pytest.mark.parametrize("name", WORKS)
def test_disk_asynch_io_false_makes_directio_of_setall(name: str) -> None:
    off = ("host.io_path=buffered", "instance.disk_asynch_io=false")
    assert answers(name, *off, "instance.filesystemio_options=setall") == answers(
        name, *off, "instance.filesystemio_options=directio"
    )


def test_programs_that_are_not_of_the_database_open_their_files_as_the_host_says() -> None:
    asked = load("shallahamer-pread", ["instance.filesystemio_options=setall"])
    assert asked.workload.opened_as(asked.system) == "buffered"
    assert asked.system.database_path == "direct"


def test_a_column_of_the_options_answers_as_each_alone() -> None:
    asked = load("full-scan-filesystem", SMALL["full-scan-filesystem"])
    options = [None, "none", "asynch", "directio", "setall"]
    table = calculate_many(asked.system, asked.workload, {"instance.filesystemio_options": options})
    for place, option in enumerate(options):
        instance = asked.system.instance.model_copy(update={"filesystemio_options": option})
        alone = calculate(asked.system.model_copy(update={"instance": instance}), asked.workload)
        assert table["elapsed_s"][place] == pytest.approx(alone.time.elapsed_s, rel=1e-9)


@pytest.mark.parametrize("found", [0, 0.5, 1])
@pytest.mark.parametrize(("name", "direct"), [("full-scan-filesystem", "always"), ("magni-exp", "never")])
def test_a_copy_from_the_page_cache_is_processor_time_and_wait(name: str, direct: str, found: float) -> None:
    """The kernel copies within the call that the event times, and the processor works meanwhile."""
    rows = [f"instance.serial_direct_read={direct}", "table.rows=200000", "host.copy_bytes_per_s=1e9"]
    asked = load(name, [*rows, f"host.page_cache_hit_fraction={found}"])
    for engine in ENGINES:
        result = engine(asked.system, asked.workload)
        copied_s, time = result.physical_io.read_bytes / 1e9, result.time
        assert time.cpu[COPIES] == pytest.approx(copied_s, rel=1e-6)
        assert time.unaccounted[COPIED_TWICE] == pytest.approx(-copied_s, rel=1e-6)
        waited_s = sum(time.wait[event].total_s for event in READS if event in time.wait)
        assert waited_s >= copied_s * (1 - 1e-6)
        if found == 1:
            assert waited_s == pytest.approx(copied_s, rel=0.02)


@pytest.mark.parametrize("users", [1, 4, 9])
def test_copies_of_many_sessions_take_no_more_processors_than_there_are(users: int) -> None:
    more = ["table.rows=200000", "host.copy_bytes_per_s=1e8", "host.page_cache_hit_fraction=1", "host.cpus=2"]
    asked = load("full-scan-filesystem", [*more, f"workload.users={users}", "instance.buffer_cache_bytes=1M"])
    time = simulate(asked.system, asked.workload).time
    assert time.cpu[COPIES] > time.cpu_s / 2
    assert users * time.cpu_s <= 2 * (time.last_session_s or time.elapsed_s) * (1 + 1e-9)


READS = (DIRECT, SCATTERED, SEQUENTIAL)
READ_S, CPU_S, THINK_S = 1e-3, 0.5e-3, 0.02
COPY_BYTES_PER_S = 1e9
GETS = 20


def in_a_file_system(options: str, found: float = 0.0) -> System:
    """One read takes 1 ms, and a copy 8.192 µs of a processor."""
    alone = machine(4, 64, READ_S, CPU_S)
    host = alone.host.model_dump() | {"page_cache_hit_fraction": found, "copy_bytes_per_s": COPY_BYTES_PER_S}
    instance = alone.instance.model_dump() | {"filesystemio_options": options}
    host["io_path"] = "buffered"
    return alone.model_copy(update={"host": Host.model_validate(host), "instance": Instance.model_validate(instance)})


def one_user(system: System, **more: Any) -> RunResult:
    return simulate(system, work(GETS, users=1, think_s=THINK_S, transactions=4000).model_copy(update=more))


@pytest.mark.parametrize("found", [0, 0.5, 1])
def test_a_transaction_waits_for_what_the_page_cache_does_not_have_and_copies_all(found: float) -> None:
    reads, copy_s = GETS / 2, 8192 / COPY_BYTES_PER_S
    result = one_user(in_a_file_system("none", found))
    physical, cpu = result.physical_io, result.time.cpu
    assert physical.read_requests == pytest.approx(reads, rel=0.01)
    each = physical.read_requests
    assert cpu[COPIES] == pytest.approx(each * copy_s, rel=1e-6)
    waited_s = result.time.wait[SEQUENTIAL].total_s if found < 1 else 0.0
    assert (SEQUENTIAL in result.time.wait) == (found < 1)
    assert waited_s == pytest.approx(each * (1 - found) * READ_S, rel=0.02)
    assert result.time.elapsed_s == pytest.approx(CPU_S + each * copy_s + waited_s, rel=1e-3)
    if waited_s:
        assert result.time.wait[SEQUENTIAL].waits == pytest.approx(each, rel=1e-6)


@pytest.mark.parametrize("found", [0, 1])
def test_direct_reads_of_transactions_know_no_page_cache(found: float) -> None:
    result = one_user(in_a_file_system("setall", found))
    assert COPIES not in result.time.cpu
    assert result.time.elapsed_s == pytest.approx(CPU_S + GETS / 2 * READ_S, rel=0.01)


@pytest.mark.parametrize(("options", "parallel"), [("setall", True), ("directio", False), ("asynch", False)])
def test_reads_are_handed_over_together_where_oracle_goes_on_meanwhile(options: str, parallel: bool) -> None:
    kind = Transaction(gets=GETS, rows=0, changed_blocks=0, redo_bytes=0, commits=False, calls=1, parallel_reads=4)
    result = one_user(in_a_file_system(options), mix=(kind,))
    assert (PARALLEL in result.time.wait) is parallel
    assert (SEQUENTIAL in result.time.wait) or parallel


def test_a_database_writer_that_waits_for_each_block_ends_sooner() -> None:
    """One block takes 1 ms: DBWR alone writes 1,000 a second, or 64 at a time as many as the disk's slots."""
    kind = Transaction(gets=4, rows=0, changed_blocks=4, redo_bytes=0, commits=False, calls=1)
    asked = Transactions(
        mix=(kind,), users=400, think_s=0.1, data_bytes="8G", hottest_gets_percent=0,
        hottest_changes_percent=0, transactions=2000,
    )  # fmt: skip
    for options, most in (("none", 1), ("asynch", 1), ("directio", 1), ("setall", 64)):
        result = simulate(in_a_file_system(options), asked)
        assert result.device["disk"].writes_per_s <= most / READ_S * 1.001
        if most == 1:
            assert result.device["disk"].writes_per_s == pytest.approx(1 / READ_S, rel=0.02)
            assert result.transactions.bottleneck == "database writer"
