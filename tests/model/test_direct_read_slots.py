"""How many asynchronous direct reads are in flight, where the device would serve more."""

from __future__ import annotations

import pytest

from scenarios import load, run

# Latency alone at a device that serves every read at once; a session that does little itself.
WIDE = (
    "disk.use=nvme", "disk.overhead_s=0.01", "disk.bandwidth_bytes_per_s=1e12", "disk.parallel_requests=256",
    "host.io_path=asm", "instance.serial_direct_read=always", "instance.disk_asynch_io=true", "table.rows=400000",
    "workload.select=count", "instance.direct_read_slots=1", "instance.db_file_multiblock_read_count=8",
)  # fmt: skip


def elapsed_s(limit: int, engine: str) -> float:
    return run(
        load("rahn-full-scan", (*WIDE, f"instance.direct_read_slots_limit={limit}")), engine
    ).time.elapsed_s


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_the_time_of_a_scan_falls_with_the_reads_that_may_be_in_flight(engine: str) -> None:
    alone = elapsed_s(1, engine)
    assert elapsed_s(2, engine) == pytest.approx(alone / 2, rel=0.05)
    assert elapsed_s(4, engine) == pytest.approx(alone / 4, rel=0.1)


@pytest.mark.parametrize("limit", [1, 3])
def test_both_engines_hold_to_the_limit(limit: int) -> None:
    assert elapsed_s(limit, "calculate") == pytest.approx(elapsed_s(limit, "simulate"), rel=0.1)
