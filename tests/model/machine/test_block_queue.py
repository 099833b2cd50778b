"""Requests merge as the law says, no byte is lost, and every scheduler keeps its promise."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blocktime.model.laws.block_layer import (
    PAGE_BYTES,
    counts_sectors_at_submission,
    largest_request_bytes,
    release_of,
    requests_of_run,
)
from blocktime.model.loops import fastest
from blocktime.model.machine.device.block_queue import BlockQueue
from blocktime.model.machine.device.elevator import Deadline, Fair, Fifo, elevator_of
from blocktime.model.machine.device.request import Request

SCHEDULERS = ("noop", "none", "kyber", "deadline", "mq-deadline", "cfq", "bfq")


def queued(pieces: list[tuple[bool, int, int]], scheduler: str = "noop", largest: int = 31 * PAGE_BYTES) -> BlockQueue:
    """A queue after bios of (write, start, size) have come down."""
    queue = fastest(BlockQueue)(elevator_of(scheduler, idles=False), largest, 128)
    for number, (write, start, size) in enumerate(pieces):
        if queue.merge(write, start, size) is None:
            queue.insert(fastest(Request)(write, start, start + size, 0, True, float(number)))
    return queue


def taken(queue: BlockQueue) -> list[Request]:
    """All requests in the order in which they go to the device."""
    found = []
    while (request := queue.take(1e9)) is not None:
        found.append(request)
    return found


@given(st.integers(1, 300), st.integers(1, 64))
def test_a_run_of_pages_becomes_as_many_requests_as_the_law_says(pages: int, most: int) -> None:
    queue = queued([(True, page * PAGE_BYTES, PAGE_BYTES) for page in range(pages)], largest=most * PAGE_BYTES)
    assert len(queue) == requests_of_run(pages, most * PAGE_BYTES)
    assert queue.merged[1] == pages - len(queue)


def test_pages_merge_at_the_front_too_but_not_across_directions_or_holes() -> None:
    page = PAGE_BYTES
    queue = queued([(True, 2 * page, page), (True, page, page), (True, 3 * page, page), (False, 4 * page, page)])
    assert [(one.start_byte // page, one.end_byte // page) for one in taken(queue)] == [(1, 4), (4, 5)]
    assert queue.merged == [0, 2]
    assert len(queued([(True, 0, page), (True, 2 * page, page)])) == 2


def test_255_sectors_hold_31_pages() -> None:
    assert largest_request_bytes(255 * 512, 128) == 31 * PAGE_BYTES
    assert largest_request_bytes(512 * 1024, 32) == 32 * PAGE_BYTES
    assert largest_request_bytes(4096, 1) == PAGE_BYTES


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(1, 3)), max_size=40), st.sampled_from(SCHEDULERS)
)
def test_every_byte_goes_to_the_device_once_for_each_time_it_came(
    pieces: list[tuple[bool, int, int]], scheduler: str
) -> None:
    asked: dict[tuple[bool, int], int] = {}
    for write, start, size in pieces:
        for page in range(start, start + size):
            asked[write, page] = asked.get((write, page), 0) + 1
    queue = queued([(w, s * PAGE_BYTES, n * PAGE_BYTES) for w, s, n in pieces], scheduler, 6 * PAGE_BYTES)
    found: dict[tuple[bool, int], int] = {}
    for request in taken(queue):
        assert request.size_bytes <= 6 * PAGE_BYTES
        for page in range(request.start_byte // PAGE_BYTES, request.end_byte // PAGE_BYTES):
            found[request.write, page] = found.get((request.write, page), 0) + 1
        queue.done(request)
    assert found == asked
    assert (queue.requests(False), queue.requests(True)) == (0, 0)


def requests(*places: int, write: bool = False, owner: int = 0) -> list[Request]:
    """Requests of a page at these places."""
    return [
        Request(write, place * PAGE_BYTES, (place + 1) * PAGE_BYTES, owner, True, float(number))
        for number, place in enumerate(places)
    ]


def order(elevator: Fifo | Deadline | Fair, now_s: float = 0.0) -> list[int]:
    """Places in the order in which the elevator gives them out."""
    found = []
    while (request := elevator.take(now_s)) is not None:
        found.append(request.start_byte // PAGE_BYTES)
    return found


def test_noop_keeps_the_order_and_deadline_sweeps() -> None:
    fifo, deadline = Fifo(), Deadline()
    for request in requests(50, 10, 90, 30):
        fifo.insert(request)
        deadline.insert(request)
    assert order(fifo) == [50, 10, 90, 30]
    assert order(deadline) == [10, 30, 50, 90]


def test_deadline_passes_writes_over_twice_and_no_more() -> None:
    deadline = Deadline()
    for request in requests(*range(100, 300, 2)):
        deadline.insert(request)
    for request in requests(1, 3, 5, write=True):
        deadline.insert(request)
    assert order(deadline).index(1) == 32  # two batches of 16 reads come first


def test_deadline_begins_with_a_request_that_has_waited_too_long() -> None:
    deadline = Deadline()
    old = requests(80)[0]
    deadline.insert(old)
    for request in requests(10, 20, 30):
        request.queued_s = 0.9
        deadline.insert(request)
    assert order(deadline, now_s=1.0)[0] == 80


def test_deadline_goes_on_upwards_and_never_back_inside_a_batch() -> None:
    """At the top the batch ends, and the oldest begins the next; what lies below it waits on."""
    deadline = Deadline()
    first = requests(50, 90)
    for request in first:
        deadline.insert(request)
    assert deadline.take(0.0) is first[0]
    for request in requests(30, 10, 60):
        deadline.insert(request)
    assert order(deadline) == [60, 90, 30, 10]


class Kernel:
    """``__dd_dispatch_request`` of block/mq-deadline.c, one priority: names and order of steps as there."""

    def __init__(self) -> None:
        self.fifo_list: list[list[Request]] = [[], []]
        self.latest_pos = [0, 0]
        self.last_dir = self.starved = 0
        self.batching = 16  # NOTE: no batch at first, as where next_rq is NULL

    def deadline_next_request(self, data_dir: int) -> Request | None:
        above = [rq for rq in self.fifo_list[data_dir] if rq.start_byte >= self.latest_pos[data_dir]]
        return min(above, key=lambda rq: (rq.start_byte, rq.queued_s), default=None)

    def dispatch(self, jiffies: float) -> Request | None:
        rq = self.deadline_next_request(self.last_dir)
        if rq is None or self.batching >= 16:
            reads, writes = self.fifo_list
            if not reads and not writes:
                return None
            data_dir = 0
            if reads and writes:
                data_dir = int(self.starved >= 2)
                self.starved += 1
            elif writes:
                data_dir = 1
            if data_dir:
                self.starved = 0
            head = self.fifo_list[data_dir][0]
            rq = self.deadline_next_request(data_dir)
            if rq is None or jiffies >= head.queued_s + (0.5, 5.0)[data_dir]:
                rq = head
            self.last_dir, self.batching = data_dir, 0
        self.batching += 1
        self.latest_pos[rq.write] = rq.start_byte
        self.fifo_list[rq.write].remove(rq)
        return rq


steps_of_a_queue = st.lists(
    st.none() | st.tuples(st.sampled_from([False, False, True]), st.integers(0, 300)), max_size=120
).map(lambda steps: [step for at, step in enumerate(steps) if step is None or step not in steps[:at]])


@given(steps_of_a_queue, st.sampled_from([0.001, 0.03, 0.2]))
@example([(False, 200), (False, 100), None], 0.25)
@example([(True, 200), (True, 100), None], 2.5)
def test_deadline_dispatches_as_the_kernel_does(steps: list[tuple[bool, int] | None], step_s: float) -> None:
    """Requests come, and go where a step is None; at the end all go. Some expire, in examples exactly at the limit."""
    deadline, kernel = Deadline(), Kernel()
    for number, step in enumerate(steps + [None] * len(steps)):
        now_s = number * step_s
        if step is None:
            expected = kernel.dispatch(now_s)
            assert deadline.take(now_s) is expected
        else:
            write, place = step
            request = Request(write, place * PAGE_BYTES, (place + 1) * PAGE_BYTES, 0, True, now_s)
            deadline.insert(request)
            kernel.fifo_list[write].append(request)


def test_cfq_gives_turns_to_processes() -> None:
    fair = Fair(idle_s=0.0)
    for request in [*requests(*range(0, 40, 2), owner=1), *requests(*range(1000, 1040, 2), owner=2)]:
        fair.insert(request)
    places = order(fair)
    assert places[:8] == list(range(0, 16, 2))
    assert places[8:16] == list(range(1000, 1016, 2))


def idling() -> tuple[Fair, Request]:
    """A scheduler that waits for the process of an ended request, and a request of another that waits."""
    fair = Fair(idle_s=0.008)
    mine, other = requests(1, owner=1)[0], requests(500, owner=2)[0]
    fair.insert(mine)
    assert fair.take(0.0) is mine
    fair.insert(other)
    fair.ended(mine, 0.004)
    assert fair.take(0.004) is None
    return fair, other


def test_cfq_waits_for_a_process_that_may_go_on() -> None:
    fair, other = idling()
    assert fair.wake_s == pytest.approx(0.012)
    assert fair.take(0.012) is other


def test_cfq_waits_for_no_process_that_has_ended() -> None:
    fair, other = idling()
    fair.left(1)
    assert fair.take(0.004) is other


def test_what_old_kernels_count_when() -> None:
    assert counts_sectors_at_submission(release_of("2.6.5-7.97-smp"))
    assert not counts_sectors_at_submission(release_of("2.6.18"))
    with pytest.raises(ValueError, match=r"'old' is not a kernel release; write it like 2\.6\.5 or 5\.15"):
        release_of("old")
