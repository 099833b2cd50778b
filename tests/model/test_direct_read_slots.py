"""How many asynchronous direct reads are in flight, where the device would serve more, and how they grow with time."""

import pytest

from blocktime.model.laws.read_slots import device_s, mean_slots, slots_by_time, stages
from blocktime.model.machine.host.session_slots import ReadSlots
from blocktime.model.results import RunResult
from blocktime.scenarios import load
from tests.engines import by

# Latency alone at a device that serves every read at once; a session that does little itself.
WIDE = (
    "disk.use=nvme", "disk.overhead_s=0.01", "disk.bandwidth_bytes_per_s=1e12", "disk.parallel_requests=256",
    "host.io_path=asm", "instance.serial_direct_read=always", "instance.disk_asynch_io=true", "table.rows=400000",
    "workload.select=count", "instance.db_file_multiblock_read_count=8",
)  # fmt: skip


def answer(engine: str, *settings: str) -> RunResult:
    return by(engine, load("rahn-full-scan", (*WIDE, *settings)))


def elapsed_s(slots: int, engine: str) -> float:
    fixed = f"instance.direct_read_slots={slots}", f"instance.direct_read_slots_limit={slots}"
    return answer(engine, *fixed).time.elapsed_s


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_the_time_of_a_scan_falls_with_the_reads_that_may_be_in_flight(engine: str) -> None:
    alone = elapsed_s(1, engine)
    assert elapsed_s(2, engine) == pytest.approx(alone / 2, rel=0.05)
    assert elapsed_s(4, engine) == pytest.approx(alone / 4, rel=0.1)


@pytest.mark.parametrize("slots", [1, 3])
def test_both_engines_hold_to_the_limit(slots: int) -> None:
    assert elapsed_s(slots, "calculate") == pytest.approx(elapsed_s(slots, "simulate"), rel=0.1)


def test_slots_of_a_published_scan() -> None:
    """A scan of 24.8 s that waits 73 % of its time adds 1, 1 and 2 at every other look [hatem-slots]."""

    def history(elapsed_s: float, own_s: float, limit: int) -> dict[float, float]:
        return slots_by_time(stages(own_s, elapsed_s, 0.0, 1, 2, limit))

    assert history(24.8, 0.27 * 24.8, 32) == pytest.approx({0: 2, 6: 3, 12: 4, 18: 6, 24: 8})
    assert history(24.8, 20.0, 32) == {0: 2}
    assert history(60.0, 1.0, 5) == pytest.approx({0: 2, 6: 3, 12: 4, 18: 5})
    assert mean_slots(24.0, 6.0, 2, 32) == pytest.approx((2 + 3 + 4 + 6) / 4)


def test_a_session_looks_every_three_seconds() -> None:
    slots = ReadSlots(2, 32, 100.0)
    for second in range(1, 26):
        slots.reaped(100.0 + second, 0.73)
    assert slots.history == {0.0: 2, 6.0: 3, 12.0: 4, 18.0: 6, 24.0: 8}
    busy = ReadSlots(2, 32, 0.0)
    for second in range(1, 60):
        busy.reaped(float(second), 0.4)
    assert busy.history == {0.0: 2}


@pytest.mark.parametrize("rows", [2_000_000, 4_000_000])
def test_both_engines_add_slots_alike(rows: int) -> None:
    """Scans of tens of seconds: time, and the slots by time to within a read."""
    calculated, simulated = (answer(engine, f"table.rows={rows}") for engine in ("calculate", "simulate"))
    assert calculated.time.elapsed_s == pytest.approx(simulated.time.elapsed_s, rel=0.03)
    first, second = (one.physical_io.direct_read_slots for one in (calculated, simulated))
    assert list(first.values()) == list(second.values())
    assert list(first) == pytest.approx(list(second), abs=0.5)
    assert len(first) > 2


def test_a_scan_shorter_than_the_first_look_keeps_its_two() -> None:
    for engine in ("calculate", "simulate"):
        assert answer(engine, "disk.overhead_s=0.001").physical_io.direct_read_slots == {0: 2}


def test_time_of_latency_that_the_slots_share() -> None:
    """90 s of latency: 6 s with 2, 3, 4 and 6 slots each serve 12, 18, 24 and 36 s of it."""
    assert device_s(0.0, 0.0, 90.0, 256, 2, 32) == pytest.approx(24.0)
    assert device_s(0.0, 0.0, 90.0, 3, 2, 32) == pytest.approx(6 + 78 / 3)
    assert device_s(0.0, 50.0, 90.0, 256, 2, 32) == pytest.approx(50.0)
