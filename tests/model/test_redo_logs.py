"""Redo logs that LGWR writes in turn: switches, the checkpoint that the next log waits for, archiver and recovery."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model.causes import ARCHIVING_NEEDED, CHECKPOINT_INCOMPLETE, LOG_FULL
from blocktime.model.engine import simulate
from blocktime.model.errors import OutsideLaw, SpecError
from blocktime.model.laws.changed_blocks import recovery_lag_bytes
from blocktime.model.results import RunResult
from blocktime.model.sim.writers import Archiver, LogWriter, RedoLogs
from blocktime.scenarios import from_mapping

LOG = 4 * 1024**2
USERS = {
    "kind": "transactions", "users": 8, "think_s": 0, "transactions": 4000, "data_bytes": "200M",
    "mix": [{"gets": 20, "changed_blocks": 10, "redo_bytes": "8K"}],
}  # fmt: skip
UPDATE = {"kind": "update", "growth_bytes": 0}
LARGE_ROWS = {"rows": 20_000, "row_bytes": 3000, "cached_fraction": 1.0}


def played(
    work: dict[str, Any], disk: dict[str, Any], table: dict[str, Any] | None = None, **instance: Any
) -> RunResult:
    data = {"workload": work, "disk": disk, "instance": {"buffer_cache_bytes": "400M", **instance}}
    scenario = from_mapping(data | ({"table": table} if table else {}))
    return simulate(scenario.system, scenario.workload)


def waited_s(result: RunResult, *events: str) -> float:
    return sum(result.time.wait[event].total_s for event in events if event in result.time.wait)


def test_a_log_that_never_fills_changes_nothing() -> None:
    for work, table in ((USERS, None), (UPDATE, LARGE_ROWS)):
        plain = played(work, {"use": "sata-7k2"}, table)
        assert played(work, {"use": "sata-7k2"}, table, redo_log_bytes="64G") == plain


@pytest.mark.parametrize(("work", "table"), [(USERS, None), (UPDATE, LARGE_ROWS)], ids=["users", "update"])
def test_small_logs_wait_for_their_checkpoint_and_fewer_wait_longer(work: Any, table: Any) -> None:
    """On a disk that DBWR is slower on than LGWR; blocks are written before their log is written anew."""
    plain = played(work, {"use": "sata-7k2"}, table)
    few, many = (
        played(work, {"use": "sata-7k2"}, table, redo_log_bytes=LOG, redo_log_groups=groups) for groups in (2, 6)
    )
    assert waited_s(few, CHECKPOINT_INCOMPLETE) > waited_s(many, CHECKPOINT_INCOMPLETE) >= 0
    assert waited_s(few, CHECKPOINT_INCOMPLETE) > 0
    assert waited_s(plain, *LOG_FULL) == 0
    assert few.time.elapsed_s > many.time.elapsed_s > plain.time.elapsed_s - 1e-9
    assert few.physical_io.write_requests > plain.physical_io.write_requests


def test_what_no_log_holds_any_more_is_on_disk_when_an_update_ends() -> None:
    """DBWR begins once nine tenths of a log have come: that much of the redo may be in memory alone."""
    result = played(UPDATE, {"use": "nvme"}, LARGE_ROWS, redo_log_bytes=LOG)
    changed = result.changes
    blocks = changed.dirty_blocks + changed.undo_blocks
    in_memory = 0.9 * LOG * blocks / changed.redo_bytes
    assert result.physical_io.write_requests == pytest.approx(blocks - in_memory, abs=2)


def test_an_archiver_reads_the_log_and_a_slow_one_is_waited_for() -> None:
    loads = USERS | {
        "transactions": 1500,
        "data_bytes": "2G",
        "mix": [{"gets": 4, "changed_blocks": 1, "redo_bytes": "400K"}],
    }
    logs = {"redo_log_bytes": LOG, "redo_log_groups": 2, "buffer_cache_bytes": "64M"}
    none, own, data = (
        played(loads, {"use": "sata-7k2"}, **logs, archive_disk=place) for place in ("none", "own", "data")
    )
    assert waited_s(none, ARCHIVING_NEEDED) == 0 < waited_s(data, ARCHIVING_NEEDED)
    assert none.time.elapsed_s < own.time.elapsed_s < data.time.elapsed_s
    quick = played(USERS, {"use": "nvme"}, redo_log_bytes=LOG, redo_log_groups=2, archive_disk="own")
    assert waited_s(quick, ARCHIVING_NEEDED) == 0


class Disk:
    """Files that answer when they are told."""

    def __init__(self) -> None:
        self.asked: list[tuple[bool, int, Any]] = []

    def request(self, write: bool, start_byte: int, size: int, waiter: Any) -> None:
        self.asked.append((write, size, waiter))


def test_a_log_is_copied_a_megabyte_at_a_time() -> None:
    logs, redo, archive = RedoLogs(float(LOG), 3), Disk(), Disk()
    log = LogWriter.__new__(LogWriter)
    log.files, log.first_byte, log.logs, log.awaited = redo, 0, logs, 0
    logs.archiver = Archiver(log, archive, 0)
    logs.filled_bytes = float(LOG)
    logs.switch(1.0)
    assert (logs.switches, logs.filled_bytes, logs.archiver.waiting) == (1, 0.0, 1)
    while redo.asked or archive.asked:
        (redo.asked or archive.asked).pop()[-1].happens()
    assert logs.archiver.waiting == 0
    for _ in range(2):
        logs.switch(2.0)
    assert logs.awaits() == 2  # all but the log that is written wait for the archiver


def test_recovery_reads_redo_and_blocks_in_its_time() -> None:
    """100 MB/s of redo and 200 blocks a second; 4 kB of redo change one block: of 10 s 8 µs a kB and 1.25 ms."""
    lag = recovery_lag_bytes(10.0, 4000.0, 1.0, 100e6, 200.0)
    assert lag / 100e6 + lag / 4000 / 200 == pytest.approx(10.0)
    assert recovery_lag_bytes(10.0, 4000.0, 0.0, 100e6, 200.0) == pytest.approx(1e9)
    short, long = (played(UPDATE, {"use": "sata-7k2"}, LARGE_ROWS, fast_start_mttr_target_s=s) for s in (2, 60))
    assert short.physical_io.write_requests > long.physical_io.write_requests


@pytest.mark.parametrize(
    ("instance", "sentence"),
    [
        ({"archive_disk": "own"}, "archive_disk own goes without redo_log_bytes"),
        (
            {"archive_disk": "data", "redo_log_bytes": LOG, "archivelog": False},
            "archive_disk data goes without archivelog",
        ),
        ({"redo_log_bytes": "1M"}, "redo_log_bytes"),
        ({"redo_log_groups": 1}, "redo_log_groups"),
    ],
)
def test_what_no_instance_has_is_refused(instance: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        played(USERS, {"use": "nvme"}, **instance)


def test_a_log_smaller_than_the_redo_of_a_transaction_is_refused() -> None:
    work = USERS | {"mix": [{"gets": 4, "redo_bytes": "5M"}]}
    with pytest.raises(OutsideLaw, match="redo_log_bytes 4,194,304 is less than the redo of a transaction"):
        played(work, {"use": "nvme"}, redo_log_bytes=LOG)
