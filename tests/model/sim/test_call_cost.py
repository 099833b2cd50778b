"""What a call costs a processor: the ceiling of one program, its latency, and the ways of submitting calls."""

from typing import Any

import pytest

from blocktime.model import simulate
from blocktime.model.errors import OutsideLaw
from blocktime.model.spec import Disk, Host, ReadStream, System, WriteStream
from blocktime.scenarios import load, run

QUICK = Disk(
    overhead_s=10e-6, average_seek_s=0, rotation_s=0, bandwidth_bytes_per_s=3e9, parallel_requests=128,
    queue_depth=1023, bus_bytes_per_s=6e9, track_buffer_bytes=0,
)  # fmt: skip
HOST = Host(io_path="direct", scheduler="none", nr_requests=1023, kernel="6.1")


def reads(depth: int = 1, **more: Any) -> ReadStream:
    return ReadStream(block_size_bytes=4096, count=20_000, pattern="random", in_flight=depth, **more)


def answer(work: Any, host: Host = HOST) -> Any:
    return simulate(System(host=host, disk=QUICK), work)


@pytest.mark.parametrize(
    ("submission", "each_s"), [(None, 12e-6), ("libaio", 12e-6), ("io_uring", 9e-6), ("polled", 4.32e-6)]
)
def test_one_program_has_a_ceiling_at_any_depth(submission: str | None, each_s: float) -> None:
    for depth in (32, 128):
        (stream,) = answer(reads(depth, submission=submission)).streams
        assert stream.calls_per_s == pytest.approx(1 / each_s, rel=0.02)
        assert stream.response_s * stream.calls_per_s == pytest.approx(depth, rel=0.02)  # Little's law


def test_calls_that_wait_for_the_processor_are_not_at_the_device() -> None:
    alone, many = (answer(reads(depth)) for depth in (1, 64))
    assert many.device["disk"].read_await_s == pytest.approx(alone.device["disk"].read_await_s, rel=0.05)
    assert many.streams[0].response_s > 10 * alone.streams[0].response_s


@pytest.mark.parametrize("depth", [2, 4, 8, 12, 16])
def test_no_depth_lets_through_more_than_the_processor_does(depth: int) -> None:
    scenario = load("random-read-depth", ["disk.use=nvme", f"workload.in_flight={depth}"])
    assert run(scenario).streams[0].calls_per_s <= 1.0001 / 12e-6


def test_each_program_has_a_ceiling_of_its_own_until_there_is_no_processor_left() -> None:
    per_s = {
        users: answer(reads(32, users=users), HOST.model_copy(update={"cpus": 4})).streams[0].calls_per_s
        for users in (1, 4, 8)
    }
    # four busy cores of four lose 2/4 of 12 %
    assert per_s[4] == pytest.approx(4 * per_s[1] * 0.94, rel=0.02)
    assert per_s[8] == pytest.approx(per_s[4], rel=0.02)


def test_hardware_threads_serve_more_calls_than_their_cores() -> None:
    """Eight programs on four cores of two threads that gain 30 %: 4 · 0.94 · 1.3 times the calls of one."""
    one, eight = (
        answer(
            reads(32, users=users), HOST.model_copy(update={"cpus": 4, "threads_per_core": 2, "smt_gain_percent": 30.0})
        )
        .streams[0]
        .calls_per_s
        for users in (1, 8)
    )
    assert eight / one == pytest.approx(4 * 0.94 * 1.3, rel=0.02)


@pytest.mark.parametrize(("submission", "each_s"), [(None, 12e-6), ("io_uring", 9e-6), ("polled", 4.32e-6)])
def test_the_latency_of_a_lone_call_has_it(submission: str | None, each_s: float) -> None:
    (stream,) = answer(reads(submission=submission)).streams
    assert stream.response_s == pytest.approx(10e-6 + 4096 / 3e9 + each_s, rel=1e-6)


@pytest.mark.parametrize("depth", [1, 8])
def test_a_processor_that_polls_is_busy_all_the_time(depth: int) -> None:
    polled = answer(reads(depth, submission="polled")).time
    assert polled.cpu_s == pytest.approx(polled.elapsed_s, rel=0.001)
    assert answer(reads(depth, submission="io_uring")).time.cpu_s == pytest.approx(0.18, rel=0.001)


def test_calls_through_the_page_cache_do_not_pay_for_an_interrupt_each() -> None:
    work = WriteStream(block_size_bytes=4096, count=2000, path="buffered")
    assert answer(work).time.cpu_s == pytest.approx(2000 * (5e-6 + HOST.page_write_s))


def test_a_stated_cost_is_the_whole_cost_of_a_call() -> None:
    free = answer(reads(), HOST.model_copy(update={"read_call_s": 0.0}))
    assert free.time.cpu_s == 0
    (stream,) = answer(reads(64), HOST.model_copy(update={"read_call_s": 20e-6})).streams
    assert stream.calls_per_s == pytest.approx(50_000, rel=0.01)


@pytest.mark.parametrize(
    ("work", "host", "message"),
    [
        ({"submission": "io_uring"}, {"kernel": "4.18"}, "io_uring is in kernels since 5.1; host.kernel is 4.18"),
        ({"submission": "polled", "path": "buffered"}, {}, "goes past the page cache; path is buffered"),
        ({"submission": "polled", "users": 5}, {"cpus": 4}, "5 programs need as many processors; host.cpus is 4"),
    ],
)
def test_what_cannot_be_submitted_so_is_refused(work: dict[str, Any], host: dict[str, Any], message: str) -> None:
    with pytest.raises(OutsideLaw, match=message):
        answer(reads(**work), HOST.model_copy(update=host))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"submission": "pread", "in_flight": 8}, "pread has one call in flight; in_flight 8 needs"),
        ({"submission": "polled", "rate_per_s": 10}, "polled is for a closed workload"),
    ],
)
def test_ways_of_submitting_that_contradict_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ReadStream(**fields)
