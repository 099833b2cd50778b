"""Write-back throttling lets in what its law says in the steady state, and less while reads wait long."""

import pytest

from blocktime.model.laws.write_back_throttle import depth_at, limit_requests, wakes_sleepers, window_s
from blocktime.model.machine.device.throttle import WriteBackThrottle
from blocktime.scenarios import from_mapping, run

TAGS = 128
SERVICE_S = 0.01


def steady_requests(depth: int, *, hurried: bool, drained: bool) -> float:
    """Mean between the limit and the last number at which nobody is woken, of a source that refills at once."""
    limit = limit_requests(depth, hurried=hurried)
    woken = max(n for n in range(limit) if wakes_sleepers(n, depth, drained=drained))
    return (limit + woken + 1) / 2


def test_the_depth_follows_the_step_as_rq_depth_calc_max_depth_does() -> None:
    assert [depth_at(TAGS, step)[0] for step in (4, 3, 2, 1, 0, -1, -2, -3, -9)] == [1, 2, 4, 8, 16, 31, 61, 96, 96]
    assert depth_at(TAGS, -3)[1]
    assert not depth_at(TAGS, -2)[1]
    assert [depth_at(1, step)[0] for step in (1, 0, -1)] == [1, 2, 2]
    assert depth_at(32, -1) == (24, True)
    assert [limit_requests(96, hurried=hurried) for hurried in (True, False)] == [96, 24]
    assert window_s(0) == window_s(-2) == pytest.approx(0.1)
    assert window_s(3) == pytest.approx(0.05)


def test_sleepers_are_woken_as_wbt_rqw_done_does_at_every_depth() -> None:
    for depth in range(1, 130):
        normal, background = (depth, 1) if depth <= 2 else ((depth + 1) // 2, (depth + 3) // 4)
        for drained, limit in ((False, normal), (True, 0)):
            for inflight in range(depth + 1):
                woken = not inflight or (inflight < limit and limit - inflight >= background // 2)
                assert wakes_sleepers(inflight, depth, drained=drained) == woken


def played(throttle: WriteBackThrottle, *, seconds: float, read_s: float = 0.0, sync: bool = False) -> float:
    """Mean requests in the second half of a time in which write-back never ends, and reads take *read_s* each."""
    now, sum_s, begin_s = 0.0, 0.0, seconds / 2
    read_begins, queue = 0.0, list[float]()
    while now < seconds:
        while throttle.admits(now, sync=sync):
            queue.append(now)
        step_s = SERVICE_S / 10
        if now >= begin_s:
            sum_s += len(queue) * step_s
        now += step_s
        if read_s:
            throttle.handed_over(read_begins, False)
            if now - read_begins >= read_s:
                throttle.done(now, read_begins, False, False)
                read_begins = now
        if queue:
            throttle.done(now, queue.pop(0), True, True)
    return sum_s / (seconds - begin_s)


@pytest.mark.parametrize(("held", "volatile"), [(False, False), (False, True), (True, False), (True, True)])
def test_the_mean_depth_is_that_of_the_steady_state(held: bool, volatile: bool) -> None:
    throttle = WriteBackThrottle(TAGS, rotating=True, volatile=volatile)
    if held:
        throttle.hold(0.0, True)
    mean = played(throttle, seconds=20)
    assert throttle.depth == 96
    expected = steady_requests(96, hurried=held, drained=volatile and not held)
    assert mean == pytest.approx(expected, rel=0.1)


def test_slow_reads_halve_the_depth_and_quick_ones_raise_it_again() -> None:
    throttle = WriteBackThrottle(TAGS, rotating=False, volatile=False)
    played(throttle, seconds=5, read_s=0.02)
    assert throttle.depth == 1
    throttle = WriteBackThrottle(TAGS, rotating=False, volatile=False)
    played(throttle, seconds=5, read_s=0.001)
    assert throttle.depth == 96


def test_fsync_is_let_in_up_to_the_whole_depth() -> None:
    throttle = WriteBackThrottle(TAGS, rotating=False, volatile=False)
    found = 0
    while throttle.admits(0.0, sync=True):
        found += 1
    assert found == 16
    assert not throttle.admits(0.0, sync=False)


def test_a_writer_that_fills_the_page_cache_keeps_the_device_at_the_steady_depth() -> None:
    scenario = {
        "host": {
            "kernel": "5.15", "io_path": "buffered", "filesystem": "xfs", "scheduler": "none", "memory_bytes": "2G",
            "nr_requests": 256,
        },
        "disk": {
            "use": "linear", "queue_depth": TAGS, "parallel_requests": 1, "overhead_s": 0.0,
            "bandwidth_bytes_per_s": "50M",
        },
        "workload": {"kind": "write_stream", "block_size_bytes": "1M", "count": 1500, "fsync_every": 1500},
    }  # fmt: skip
    device = run(from_mapping(scenario)).device["disk"]
    assert device.average_queue == pytest.approx(steady_requests(96, hurried=True, drained=False), rel=0.1)
