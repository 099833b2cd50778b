"""``nomerges`` and calls that one submission hands over together: counts of requests."""

from collections.abc import Iterator
from typing import Any

import pytest

from blocktime.model import simulate
from blocktime.model.machine.device.block_queue import BlockQueue
from blocktime.model.machine.device.elevator import Fifo
from blocktime.model.machine.device.request import Request
from blocktime.model.sim.clock import environment
from blocktime.model.sim.shared_machine import counters_of, device_of
from blocktime.model.spec import Disk, Host, ReadStream, System, WriteStream

FLASH = Disk(
    overhead_s=100e-6, average_seek_s=0, rotation_s=0, bandwidth_bytes_per_s=1e9, parallel_requests=8,
    queue_depth=8, track_buffer_bytes=0,
)  # fmt: skip
SIZE = 4096


def answer(work: Any, **host: Any) -> Any:
    given: dict[str, Any] = {"io_path": "direct", "scheduler": "none", "nr_requests": 1023} | host
    return simulate(System(host=Host(**given), disk=FLASH), work)


def queue_of(nomerges: str) -> BlockQueue:
    return BlockQueue(Fifo(), 64 * SIZE, 128, nomerges)


def handed(queue: BlockQueue, *blocks: int) -> int:
    """Requests that the bios of those blocks become."""
    for block in blocks:
        if queue.merge(False, block * SIZE, SIZE) is None:
            queue.insert(Request(False, block * SIZE, (block + 1) * SIZE, 0, True, 0.0))
    return queue.waiting


@pytest.mark.parametrize(
    ("blocks", "requests"),
    [
        ((0, 1, 2, 3), {"0": 1, "1": 1, "2": 4}),
        ((3, 2, 1, 0), {"0": 1, "1": 1, "2": 4}),
        ((0, 9, 1, 10), {"0": 2, "1": 4, "2": 4}),  # the request that came last is another one
        ((0, 9, 10, 1), {"0": 2, "1": 3, "2": 4}),
    ],
)
def test_nomerges_leaves_the_request_that_came_last_or_none(blocks: tuple[int, ...], requests: dict[str, int]) -> None:
    assert {nomerges: handed(queue_of(nomerges), *blocks) for nomerges in requests} == requests


def test_without_merges_a_call_is_a_request() -> None:
    work = ReadStream(block_size_bytes=SIZE, count=4000, in_flight=256)
    assert answer(work, read_call_s=1e-6).physical_io.read_requests < 1000
    assert answer(work, read_call_s=1e-6, nomerges="2").physical_io.read_requests == 4000


def test_pages_of_ext3_stay_apart_without_merges() -> None:
    work = WriteStream(block_size_bytes=12 * SIZE, count=20, path="buffered", fsync_every=1)
    given = {"filesystem": "ext3", "kernel": "2.6.32", "journal_elsewhere": True, "scheduler": "noop"}
    assert answer(work, **given).physical_io.write_requests == pytest.approx(20)
    assert answer(work, **given, nomerges="1").physical_io.write_requests == pytest.approx(20)
    assert answer(work, **given, nomerges="2").physical_io.write_requests == pytest.approx(240)


@pytest.mark.parametrize(
    ("batch", "nomerges", "requests"), [(1, "0", 1600), (8, "0", 200), (8, "1", 200), (8, "2", 1600)]
)
def test_calls_in_order_of_one_submission_are_one_request(batch: int, nomerges: str, requests: int) -> None:
    work = ReadStream(block_size_bytes=SIZE, count=1600, in_flight=8, batch=batch)
    result = answer(work, nomerges=nomerges)
    assert result.physical_io.read_requests == pytest.approx(requests)
    if batch == 8 and nomerges == "0":  # eight submissions, one request, eight calls that end
        assert result.time.elapsed_s == pytest.approx(200 * (8 * 12e-6 + 100e-6 + 8 * SIZE / 1e9), rel=0.02)


def test_calls_anywhere_of_one_submission_stay_apart() -> None:
    work = ReadStream(block_size_bytes=SIZE, count=1600, in_flight=16, batch=8, pattern="random")
    assert answer(work).physical_io.read_requests == 1600


def test_a_batch_is_not_more_than_may_be_in_flight() -> None:
    with pytest.raises(ValueError, match="batch 8 is more than in_flight 4; allowed are 1 to in_flight"):
        ReadStream(in_flight=4, batch=8)


@pytest.mark.parametrize("nr_requests", [1, 2, 3])
def test_who_waits_for_room_has_it_in_turn(nr_requests: int) -> None:
    env = environment()
    system = System(host=Host(io_path="direct", scheduler="none", nr_requests=nr_requests), disk=FLASH)
    device = device_of(env, system, counters_of(system), 1)
    written = [0] * 5

    def write(party: int) -> Iterator[Any]:
        while True:
            yield device.request(True, (1000 * party + 2 * written[party]) * SIZE, SIZE, party)
            written[party] += 1

    for party in range(5):
        env.process(write(party))
    env.run(0.1)
    assert sum(written) > 100
    assert max(written) - min(written) <= 1
