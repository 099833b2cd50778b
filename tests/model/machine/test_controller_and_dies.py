"""Flash with a controller and with dies: a ceiling of commands a second, and reads that meet at a die."""

from typing import Any

import pytest
from pydantic import ValidationError

from blocktime.model import simulate
from blocktime.model.machine.device.flash import Flash
from blocktime.model.spec import Disk, Host, ReadStream, System, WriteStream

FLASH: dict[str, Any] = {
    "overhead_s": 100e-6, "average_seek_s": 0.0, "rotation_s": 0.0, "bandwidth_bytes_per_s": 1e10,
    "capacity_bytes": 10**11, "queue_depth": 32,
}  # fmt: skip
TRANSFER_S = 4096 / 1e10


def test_a_command_holds_the_controller_and_a_lone_one_does_not_notice() -> None:
    drive = Flash(Disk(**FLASH, parallel_requests=32, controller_reads_per_s=20_000))
    done = [drive.submit(0.0, False, 8192 * number, 4096) for number in range(3)]
    assert done == pytest.approx([100e-6 + TRANSFER_S + 50e-6 * number for number in range(3)])
    late = drive.submit(1.0, False, 0, 4096)
    assert late - 1 == pytest.approx(100e-6 + TRANSFER_S)


def test_writes_have_a_ceiling_of_their_own() -> None:
    drive = Flash(Disk(**FLASH, parallel_requests=32, controller_writes_per_s=10_000))
    reads = [drive.submit(0.0, False, 8192 * number, 4096) for number in range(2)]
    writes = [drive.submit(1.0, True, 8192 * number, 4096) for number in range(2)]
    assert reads[1] - reads[0] == pytest.approx(TRANSFER_S)
    assert writes[1] - writes[0] == pytest.approx(100e-6)


def test_reads_of_one_die_wait_for_each_other_and_hold_up_nobody_else() -> None:
    drive = Flash(Disk(**FLASH, parallel_requests=4, reads_collide=True))
    same = [drive.submit(0.0, False, 4096 * place, 4096) for place in (0, 4, 8)]
    assert same == pytest.approx([100e-6 * turn + TRANSFER_S for turn in (1, 2, 3)])
    assert drive.submit(0.0, False, 4096, 4096) == pytest.approx(100e-6 + 2 * TRANSFER_S)


def test_a_write_takes_a_die_that_is_free() -> None:
    drive = Flash(Disk(**FLASH, parallel_requests=4, reads_collide=True))
    drive.submit(0.0, False, 0, 4096)
    assert drive.submit(0.0, True, 0, 4096) < 110e-6


def played_per_s(disk: Disk, depth: int, work: type[ReadStream | WriteStream] = ReadStream) -> float:
    """Random 4K requests a second at a depth."""
    host = Host(io_path="direct", scheduler="none", read_call_s=1e-6, write_call_s=1e-6, cpus=16, nr_requests=1023)
    calls = work(path="direct", block_size_bytes=4096, count=4000, pattern="random", in_flight=depth)
    system = System(host=host, disk=disk)
    return 4000 / simulate(system, calls, seed=1).time.elapsed_s


@pytest.mark.parametrize("dies", [8, 32])
@pytest.mark.parametrize("depth", [1, 2, 8, 32, 64])
def test_as_many_reads_are_served_at_a_time_as_the_balanced_network_says(dies: int, depth: int) -> None:
    simulated = played_per_s(Disk(**FLASH, parallel_requests=dies, reads_collide=True), depth)
    present = min(depth, 32)
    law = present * dies / (present + dies - 1) / 100e-6
    # NOTE: the law is that of services which vary; fixed ones leave fewer dies without work
    assert law * 0.97 < simulated < law * 1.2


@pytest.mark.parametrize("work", [ReadStream, WriteStream])
@pytest.mark.parametrize("depth", [1, 4, 16, 64])
def test_no_depth_passes_the_ceiling(work: Any, depth: int) -> None:
    disk = Disk(**FLASH, parallel_requests=32, controller_reads_per_s=60_000, controller_writes_per_s=30_000)
    ceiling = 60_000 if work is ReadStream else 30_000
    simulated = played_per_s(disk, depth, work)
    assert simulated <= ceiling * 1.001
    if depth >= 16:
        assert simulated == pytest.approx(ceiling, rel=0.01)


def test_ceiling_and_dies_together() -> None:
    disk = Disk(**{**FLASH, "queue_depth": 64}, parallel_requests=32, reads_collide=True, controller_reads_per_s=1e5)
    found = [played_per_s(disk, depth) for depth in (1, 4, 8, 16, 32, 64)]
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"reads_collide": True, "parallel_requests": 64}, "64 are more channels than commands: queue_depth is 32"),
        ({"controller_reads_per_s": 5000}, "a command each 0.0002 s, longer than a lone read takes, overhead_s 0.0001"),
        ({"controller_reads_per_s": 50_000, "rotation_s": 0.004}, "is for a device without positions"),
    ],
)
def test_what_no_drive_does_is_refused(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Disk.model_validate(FLASH | fields)


def test_commands_among_others_are_reported_at_the_end_of_an_interval() -> None:
    drive = Flash(Disk(**FLASH, parallel_requests=4, report_interval_s=0.01))
    alone = drive.submit(0.0, False, 0, 4096)
    assert alone < 0.01  # reported at once
    other = drive.submit(0.0, False, 8192, 4096)
    assert other == pytest.approx(0.01)
    assert drive.submit(0.02, False, 0, 4096) - 0.02 == pytest.approx(alone)


def test_an_interval_of_reports_is_for_flash() -> None:
    with pytest.raises(ValueError, match="report_interval_s is for flash"):
        Disk(report_interval_s=1e-4)
