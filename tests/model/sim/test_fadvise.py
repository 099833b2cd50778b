"""What posix_fadvise does to read-ahead."""

from typing import Any

import pytest

from blocktime.model import simulate
from blocktime.model.spec import Disk, Host, ReadStream, System

FLASH = Disk(
    overhead_s=100e-6, average_seek_s=0, rotation_s=0, bandwidth_bytes_per_s=1e9, parallel_requests=8,
    queue_depth=8, track_buffer_bytes=0,
)  # fmt: skip


def answer(fadvise: str, read_ahead_bytes: int = 128 * 1024, **more: Any) -> Any:
    given: dict[str, Any] = {"block_size_bytes": 8192, "count": 2000, "path": "buffered"} | more
    host = Host(scheduler="none", read_ahead_bytes=read_ahead_bytes)
    return simulate(System(host=host, disk=FLASH), ReadStream(fadvise=fadvise, **given))


def test_sequential_reads_as_far_ahead_as_twice_read_ahead_kb() -> None:
    advised, doubled = answer("sequential"), answer("normal", 256 * 1024)
    assert advised.physical_io == doubled.physical_io
    assert advised.time.elapsed_s == doubled.time.elapsed_s
    assert advised.physical_io.read_requests < 0.6 * answer("normal").physical_io.read_requests


@pytest.mark.parametrize(("size_bytes", "requests"), [(8192, 2000), (1024, 500), (1024 * 1024, 4000)])
def test_random_reads_what_each_call_wants_and_nothing_ahead(size_bytes: int, requests: int) -> None:
    result = answer("random", block_size_bytes=size_bytes)
    assert result.physical_io.read_requests == pytest.approx(requests)
    assert result.physical_io.read_bytes == pytest.approx(2000 * size_bytes)
