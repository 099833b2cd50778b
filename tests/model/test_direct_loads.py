"""Loads by direct path: their sessions write the blocks themselves, and log images of them."""

from typing import Any

import pytest

from blocktime.model import BlocktimeError
from blocktime.model.causes import DIRECT_WRITE, FREE_BUFFERS
from blocktime.model.laws.change import IMAGE_HEADER_BYTES
from blocktime.scenarios import from_mapping, run
from blocktime.scenarios.why import why

GP3 = {"use": "ebs-gp3"}
BYTES_PER_S = 125 * 2**20
"""Of a gp3 volume (125 MiB), unless more is paid for."""
QUICK = {"use": "linux-x86", "insert_row_s": 1e-8, "insert_column_s": 1e-9, "change_block_s": 1e-7}
"""A processor that is never what holds a load up."""


def load(disk: dict[str, Any] | None = None, **given: Any) -> Any:
    sections: dict[str, Any] = {
        "table": {"rows": 1, "row_bytes": 150, "column_count": 12},
        "disk": disk or GP3,
        "host": QUICK | given.pop("host", {}),
        "instance": {"buffer_cache_bytes": "1G"} | given.pop("instance", {}),
        "workload": {"kind": "insert", "rows": 2_000_000, "method": "direct", "caller": "plsql"} | given,
    }
    return run(from_mapping(sections))


def written_bytes(result: Any) -> float:
    """Bytes that the data disk wrote."""
    disk = result.device["disk"]
    return float(disk.written_bytes_per_s * (result.time.last_session_s or result.time.elapsed_s))


def test_a_load_takes_as_long_as_its_disk_takes_to_write_it() -> None:
    slow, quick = load(nologging=True), load({"use": "nvme"}, nologging=True)
    size = slow.segment.block_size_bytes * slow.physical_io.write_requests
    assert written_bytes(slow) == pytest.approx(size, rel=1e-9)
    assert slow.time.elapsed_s == pytest.approx(size / BYTES_PER_S, rel=0.03)
    assert slow.time.wait[DIRECT_WRITE].total_s > 0.8 * slow.time.elapsed_s
    assert quick.time.elapsed_s < 0.2 * slow.time.elapsed_s


def test_images_of_its_blocks_share_the_disk_with_them() -> None:
    alone, beside = load(nologging=True), load(instance={"redo_disk": "data"})
    blocks = beside.physical_io.write_requests
    images = blocks * (beside.segment.block_size_bytes + IMAGE_HEADER_BYTES)
    assert beside.changes.redo_bytes == pytest.approx(images, rel=1e-9)
    assert written_bytes(beside) == pytest.approx(written_bytes(alone) + images, rel=0.01)
    assert beside.time.elapsed_s == pytest.approx(written_bytes(beside) / BYTES_PER_S, rel=0.03)


@pytest.mark.parametrize(
    ("archivelog", "force_logging", "nologging", "logged"),
    [(True, False, False, True), (True, False, True, False), (True, True, True, True),
     (False, False, False, False), (False, False, True, False), (False, True, False, True)],
)  # fmt: skip
def test_who_logs_the_images(archivelog: bool, force_logging: bool, nologging: bool, logged: bool) -> None:
    instance = {"archivelog": archivelog, "force_logging": force_logging}
    result = load(instance=instance, nologging=nologging, rows=50_000)
    assert (result.changes.redo_bytes > 0) is logged
    assert result.changes.undo_bytes == 0


@pytest.mark.parametrize("method", ["direct", "array"])
def test_a_log_writer_with_slow_calls_holds_a_load_up(method: str) -> None:
    """The longer a call takes, the longer the load; its last redo waits for one whole call at least."""
    calls_s = (0.0, 0.05, 0.2)
    took_s = [
        load({"use": "nvme"}, method=method, rows=200_000, host={"log_write_call_s": call_s}).time.elapsed_s
        for call_s in calls_s
    ]
    assert all(took >= call for took, call in zip(took_s, calls_s, strict=True))
    assert took_s[0] < took_s[1] < took_s[2]


def test_an_unlogged_load_does_not_care_where_the_log_lies() -> None:
    own, data = (load(nologging=True, instance={"redo_disk": disk}) for disk in ("own", "data"))
    assert own.time.elapsed_s == data.time.elapsed_s


def test_writes_go_on_beside_the_work_of_the_processor() -> None:
    quick = load(nologging=True).time.elapsed_s
    busy = load(nologging=True, host={"insert_row_s": quick / 2_000_000}).time
    assert busy.elapsed_s == pytest.approx(max(quick, busy.cpu_s), rel=0.05)
    slower = load(nologging=True, host={"insert_row_s": 3 * quick / 2_000_000}).time
    assert slower.elapsed_s == pytest.approx(slower.cpu_s, rel=0.01)


@pytest.mark.parametrize("users", [2, 7])
def test_sessions_share_the_disk(users: int) -> None:
    one, several = load(nologging=True), load(nologging=True, users=users)
    assert written_bytes(several) == pytest.approx(written_bytes(one), rel=1e-3)
    assert several.time.elapsed_s == pytest.approx(one.time.elapsed_s, rel=0.03)


def test_a_long_load_is_played_in_part() -> None:
    given: dict[str, Any] = {"nologging": True, "instance": {"archivelog": False}}
    disk = {"use": "ebs-gp3", "capacity_bytes": "16T"}
    whole, part = load(disk, rows=20_000_000, **given), load(disk, rows=1_000_000_000, **given)
    assert (whole.played_fraction or 1) == 1
    assert part.played_fraction < 0.5
    assert part.time.elapsed_s == pytest.approx(50 * whole.time.elapsed_s, rel=0.01)


def test_a_conventional_load_is_held_up_by_dbwr_instead() -> None:
    direct, arrays = load(rows=4_000_000), load(rows=4_000_000, method="array")
    assert FREE_BUFFERS in arrays.time.wait
    assert DIRECT_WRITE not in arrays.time.wait
    assert "that the load writes" in " ".join(why(arrays, direct))


def test_a_conventional_insert_is_logged_all_the_same() -> None:
    with pytest.raises(BlocktimeError, match="Oracle logs a conventional insert all the same"):
        load(method="array", nologging=True)
