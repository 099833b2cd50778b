"""Streams through time: loops and events agree, the books balance, and the stack does what Linux does."""

from math import ceil
from typing import Any

import pytest

from blocktime.model import OutsideLaw, calculate, calculate_many, simulate
from blocktime.model.results import RunResult
from blocktime.model.spec import Disk, Host, Instance, Iostat, ReadStream, System, WriteStream
from blocktime.model.units import MIB
from blocktime.scenarios import from_mapping, run
from tests.leaves import floats_of

FLASH = Disk(
    rotation_s=0, average_seek_s=0, overhead_s=80e-6, bandwidth_bytes_per_s=3e9, parallel_requests=8, queue_depth=32
)
PLATTER = Disk(rotation_s=0.004, bandwidth_bytes_per_s=77e6, head_switch_s=0, track_buffer_bytes=0)
OLD = Host(
    kernel="2.6.5",
    scheduler="cfq",
    filesystem="ext3",
    max_request_bytes=255 * 512,
    max_segments=32,
    page_write_s=6e-6,
    page_submit_s=4e-6,
    journal_elsewhere=True,
)


def on(host: Host, disk: Disk = PLATTER, **more: Any) -> System:
    """A system of that host and disk."""
    return System(host=host, disk=disk, **more)


def same(one: RunResult, other: RunResult) -> None:
    """Two results agree in every number but the count of events."""
    left, right = (dict(floats_of(result.model_dump(exclude={"events"}))) for result in (one, other))
    assert left.keys() == right.keys()
    for path, value in left.items():
        assert value == pytest.approx(right[path], rel=1e-9, abs=1e-12), path


drawn = Disk(rotation_s=0, average_seek_s=0, overhead_s=1e-3, bandwidth_bytes_per_s=1e12, service_cv=1)


def test_a_synchronous_writer_without_a_cache_loses_a_turn_because_the_platter_moves_on() -> None:
    work = WriteStream(block_size_bytes=8192, count=500)
    raw = on(Host(io_path="raw", write_call_s=40e-6))
    each_s = simulate(raw, work).time.elapsed_s / 500
    assert each_s == pytest.approx(0.004 + 8192 / 77e6, rel=2e-3)
    slow = on(Host(io_path="raw", write_call_s=4.2e-3))
    assert simulate(slow, work).time.elapsed_s / 500 == pytest.approx(0.008 + 8192 / 77e6, rel=2e-3)
    cached = on(Host(io_path="raw", write_call_s=40e-6), PLATTER.model_copy(update={"write_cache_bytes": 2**23}))
    assert simulate(cached, work).time.elapsed_s / 500 < 0.0004
    faster = on(Host(io_path="raw", write_call_s=40e-6), PLATTER.model_copy(update={"rotation_s": 0.003}))
    assert simulate(faster, work).time.elapsed_s / 500 == pytest.approx(0.003 + 8192 / 77e6, rel=2e-3)


def test_one_hundred_pages_through_ext3_become_five_requests() -> None:
    """Twelve pages up to the block of addresses; then 31, 31 and the page that unplugs the queue; then the rest."""
    host = OLD.model_copy(update={"io_path": "buffered"})
    disk = PLATTER.model_copy(update={"queue_depth": 128})
    result = simulate(on(host, disk), WriteStream(block_size_bytes=4096, count=100))
    device = result.device["disk"]
    assert device.request_bytes == {4096: 1, 12 * 4096: 1, 25 * 4096: 1, 31 * 4096: 2}
    assert device.merged_writes == 95
    assert result.time.elapsed_s < 0.01  # the program ends long before its data are on the disk
    assert [line.begin_s for line in device.lines if line.writes_per_s] == [5.0]  # with the journal's commit


def test_the_kernels_of_today_hand_down_long_pieces() -> None:
    host = Host(io_path="buffered", filesystem="ext4", scheduler="none")
    device = simulate(on(host), WriteStream(block_size_bytes=4096, count=256)).device["disk"]
    assert device.request_bytes == {524288: 2, 4096: 1, 16384: 1}  # data; journal: blocks, commit block
    assert device.merged_writes == 3  # of the journal


def test_an_old_queue_breathes_between_its_limit_and_a_batch_beyond() -> None:
    host = OLD.model_copy(update={"io_path": "buffered", "journal_age_s": 4.6})
    disk = PLATTER.model_copy(update={"queue_depth": 32, "write_bandwidth_bytes_per_s": 40e6})
    device = simulate(on(host, disk), WriteStream(block_size_bytes=8192, count=20000)).device["disk"]
    full = [line for line in device.lines if line.utilisation_fraction == 1]
    assert full
    assert all(127 <= line.average_queue <= 160 for line in full[:-1])


def test_sectors_over_requests_is_no_request_size_while_an_old_queue_fills() -> None:
    """Up to 2.6.12 sectors are counted when they come and requests when they go."""
    work = WriteStream(block_size_bytes=8192, count=10000)
    disk = PLATTER.model_copy(update={"queue_depth": 128, "write_bandwidth_bytes_per_s": 40e6})
    old = OLD.model_copy(update={"io_path": "buffered", "journal_age_s": 4.5})
    lines = {
        kernel: simulate(on(old.model_copy(update={"kernel": kernel}), disk), work).device["disk"].lines
        for kernel in ("2.6.5", "2.6.18")
    }
    assert lines["2.6.5"][0].average_request_bytes > 31 * 4096 >= lines["2.6.18"][0].average_request_bytes
    assert lines["2.6.5"][0].writes_per_s == lines["2.6.18"][0].writes_per_s


def test_o_sync_waits_for_the_pages_of_each_call_which_merge() -> None:
    host = OLD.model_copy(update={"io_path": "sync"})
    result = simulate(on(host), WriteStream(block_size_bytes=8 * 4096, count=100))
    device = result.device["disk"]
    assert device.merged_writes == 100 * 7 - 1  # the block of addresses after page 12 lies within a call
    assert device.request_bytes == {4 * 4096: 2, 8 * 4096: 99}
    assert result.time.wait["waiting for the device"].waits == 100


def test_o_sync_of_a_file_that_grows_commits_the_journal_and_o_dsync_of_one_that_does_not_grow_does_not() -> None:
    host = Host(io_path="dsync", filesystem="ext4")
    grows, stays = (
        simulate(on(host), WriteStream(block_size_bytes=4096, count=50, extends=extends)) for extends in (True, False)
    )
    assert grows.device["disk"].writes_per_s > 0
    assert sum(grows.device["disk"].request_bytes.values()) == 50 * 3
    assert sum(stays.device["disk"].request_bytes.values()) == 50 + 2  # the time of change, with the next commit
    assert grows.time.elapsed_s > stays.time.elapsed_s


@pytest.mark.parametrize(("kernel", "flushes"), [("2.6.5", False), ("5.15", True)])
def test_kernels_of_today_empty_a_volatile_write_cache(kernel: str, flushes: bool) -> None:
    disk = PLATTER.model_copy(update={"write_cache_bytes": 2**25, "write_cache_flushed": True})
    host = Host(io_path="dsync", filesystem="xfs", kernel=kernel)
    work = WriteStream(block_size_bytes=8192, count=100)
    result = simulate(on(host, disk), work)
    assert (result.device["disk"].request_bytes.get(0) == 100) is flushes  # a write of no sectors, as iostat has it
    each_s = result.time.elapsed_s / 100
    assert each_s == pytest.approx(0.0041 if flushes else 0.00014, rel=0.1)
    battery = disk.model_copy(update={"write_cache_flushed": False})
    assert simulate(on(host, battery), work).time.elapsed_s < 0.02


def test_o_sync_commits_the_time_of_change_and_o_dsync_does_not() -> None:
    def requests(path: str, kernel: str) -> float:
        host = Host(io_path=path, filesystem="ext4", kernel=kernel)
        result = simulate(on(host), WriteStream(block_size_bytes=4096, count=50))
        return sum(result.device["disk"].request_bytes.values())

    assert requests("sync", "5.15") == 150
    assert requests("dsync", "5.15") == requests("sync", "2.6.32") == 52  # one commit, five seconds later


def test_buffered_calls_smaller_than_a_page_read_the_file_once() -> None:
    for size in (512, 1024, 2048, 4096, 6144):
        work = ReadStream(block_size_bytes=size, count=2**20 // size)
        read = simulate(on(Host(io_path="buffered")), work).physical_io.read_bytes
        assert read == pytest.approx(2**20, abs=8192), size


@pytest.mark.parametrize("path", ["buffered", "dsync"])
@pytest.mark.parametrize("pattern", ["sequential", "random"])
def test_buffered_reads_that_overlap_find_their_pages(path: Any, pattern: Any) -> None:
    work = ReadStream(
        block_size_bytes=4096, count=200, pattern=pattern, span_bytes=4096000, rate_per_s=1e5, users=2, path=path
    )
    for nr_requests in (1, 128):
        result = simulate(on(Host(nr_requests=nr_requests), FLASH), work)
        assert result.streams[0].calls == 400


@pytest.mark.parametrize("pattern", ["sequential", "random"])
def test_calls_under_way_at_a_time_read_each_page_once(pattern: Any) -> None:
    """Calls that arrive before earlier ones are done find the pages that these read, or wait for them."""
    work = ReadStream(
        block_size_bytes=16384, count=400, rate_per_s=400, pattern=pattern, span_bytes=2**30, path="buffered"
    )
    found = simulate(on(Host(), FLASH.model_copy(update={"overhead_s": 0.01})), work)
    assert found.physical_io is not None
    assert found.physical_io.read_bytes <= 400 * 16384 + 2 * 131072


def test_a_full_queue_holds_write_back_of_every_size() -> None:
    host = Host(kernel="2.6.32", io_path="buffered", memory_bytes=2**30, nr_requests=16, filesystem="xfs")
    lines = simulate(on(host), WriteStream(block_size_bytes=2**20, count=600)).device["disk"].lines
    assert 14 < max(line.average_queue for line in lines) <= 48


def test_fsync_pays_for_the_writes_before_it_and_a_commit() -> None:
    host = Host(io_path="buffered", filesystem="ext4")
    results = [simulate(on(host), WriteStream(count=200, fsync_every=every)) for every in (1, 10, 0)]
    assert [result.time.wait["fsync"].waits if "fsync" in result.time.wait else 0 for result in results] == [200, 20, 0]
    times = [result.time.elapsed_s for result in results]
    assert times[0] > 5 * times[1] > 5 * times[2]


def test_writers_are_held_at_the_dirty_limit() -> None:
    host = Host(io_path="buffered", memory_bytes=256 * 2**20, filesystem="xfs", page_write_s=1e-6)
    disk = Disk(queue_depth=32, bandwidth_bytes_per_s=100e6, head_switch_s=0)
    size = 400 * 2**20
    result = simulate(on(host, disk), WriteStream(block_size_bytes=2**20, count=400))
    limit = (0.10 + 0.20) / 2 * 256 * 2**20  # writers are paced to the middle of the two limits since 3.2
    assert result.time.wait["held back by the page cache"].total_s > 1
    assert result.time.elapsed_s == pytest.approx((size - limit) / 100e6, rel=0.1)
    stopped = on(host.model_copy(update={"kernel": "2.6.32"}), disk)
    assert simulate(stopped, WriteStream(block_size_bytes=2**20, count=400)).time.elapsed_s < result.time.elapsed_s


def test_what_is_written_and_not_asked_for_goes_out_when_it_is_thirty_seconds_old() -> None:
    host = Host(io_path="buffered", filesystem="xfs")
    lines = simulate(on(host), WriteStream(block_size_bytes=4096, count=10)).device["disk"].lines
    busy = [line.begin_s for line in lines if line.writes_per_s]
    assert busy in ([30.0], [35.0])


def test_reads_in_order_reach_the_device_as_read_ahead() -> None:
    host = Host(io_path="buffered")
    result = simulate(on(host), ReadStream(block_size_bytes=8192, count=1000))
    sizes = result.device["disk"].request_bytes
    assert max(sizes) == 128 * 1024
    assert sizes[128 * 1024] > 0.9 * sum(sizes.values())
    anywhere = simulate(on(host), ReadStream(block_size_bytes=8192, count=200, pattern="random"))
    assert set(anywhere.device["disk"].request_bytes) <= {8192, 16384}


def test_the_page_cache_answers_its_share() -> None:
    host = Host(io_path="buffered", page_cache_hit_fraction=0.75)
    result = simulate(on(host), ReadStream(block_size_bytes=4096, count=400, pattern="random"))
    assert result.physical_io.read_requests == 100


def test_asynchronous_calls_keep_as_many_in_flight_as_they_may() -> None:
    host = Host(io_path="direct", scheduler="none", read_call_s=2e-6)
    one, eight = (
        simulate(on(host, FLASH), ReadStream(block_size_bytes=4096, count=800, pattern="random", in_flight=many))
        for many in (1, 8)
    )
    assert (one.streams[0].in_flight_most, eight.streams[0].in_flight_most) == (1, 8)
    assert one.time.elapsed_s / eight.time.elapsed_s > 4


@pytest.mark.parametrize("in_flight", [2, 8, 32, 400])
def test_one_thread_is_what_fast_flash_waits_for(in_flight: int) -> None:
    """Calls in flight overlap at the device; at the processor a program makes them one by one."""
    disk = FLASH.model_copy(update={"parallel_requests": 64, "queue_depth": 1024})
    host = Host(io_path="direct", scheduler="none", read_call_s=10e-6, nr_requests=1024)
    work = ReadStream(block_size_bytes=4096, count=4000, pattern="random", in_flight=in_flight)
    least_s = 4000 * max(10e-6, (10e-6 + 80e-6) / in_flight)
    assert simulate(on(host, disk), work).time.elapsed_s == pytest.approx(least_s, rel=0.2)


def test_two_readers_in_order_do_better_where_the_scheduler_waits_for_each() -> None:
    def together(scheduler: str) -> float:
        host = Host(io_path="direct", scheduler=scheduler, read_call_s=1e-4)
        work = ReadStream(
            block_size_bytes=65536, count=300, beside=(ReadStream(block_size_bytes=65536, count=300, start_byte=2**35),)
        )
        return simulate(on(host, Disk()), work).time.elapsed_s

    assert together("bfq") < 0.5 * together("none")


def test_streams_beside_each_other_share_the_device() -> None:
    alone = simulate(on(Host(io_path="raw")), ReadStream(count=300, pattern="random", span_bytes=2**30))
    both = simulate(
        on(Host(io_path="raw")),
        ReadStream(
            count=300, pattern="random", span_bytes=2**30,
            beside=(WriteStream(count=300, pattern="random", span_bytes=2**30),),
        ),
    )  # fmt: skip
    assert [stream.kind for stream in both.streams] == ["read_stream", "write_stream"]
    assert both.time.elapsed_s > 1.6 * alone.time.elapsed_s
    assert both.device["disk"].reads_per_s == pytest.approx(both.device["disk"].writes_per_s)


def test_beyond_the_end_of_the_device_is_refused() -> None:
    with pytest.raises(OutsideLaw, match=r"the file of user 1 would end at byte .* beyond the device's end at"):
        simulate(on(Host(io_path="raw")), WriteStream(count=10, start_byte=72 * 2**30 - 8192))


def test_too_many_calls_are_refused() -> None:
    work = WriteStream(count=6_000_000)
    with pytest.raises(OutsideLaw, match="simulating 6,000,000 requests is refused; the limit is 5,000,000"):
        simulate(on(Host(io_path="raw")), work)
    with pytest.raises(AssertionError, match="streams are simulated: there is no sum of them"):
        calculate(on(Host(io_path="raw")), work)
    with pytest.raises(AssertionError, match="streams are simulated: there is no sum of them"):
        calculate_many(on(Host(io_path="raw")), work, {"workload.count": [1, 2]})


def test_a_seed_makes_the_same_run_again() -> None:
    work = ReadStream(count=200, pattern="random", rate_per_s=100)
    first, again, other = (simulate(on(Host(io_path="raw")), work, seed=seed) for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_a_device_is_averaged_while_programs_run_and_late_commits_make_no_empty_lines() -> None:
    """A dd into the page cache ends long before write-back; only the lines in which something happens tell of it."""
    work = WriteStream(block_size_bytes=2**20, count=50, path="buffered")
    found = simulate(on(Host(), iostat=Iostat(interval_s=0.1)), work)
    disk = found.device["disk"]
    assert found.time.elapsed_s < 1
    assert disk.writes_per_s == disk.utilisation_fraction == 0
    assert found.physical_io.write_bytes > 50 * 2**20
    assert all(line.utilisation_fraction > 0 for line in disk.lines if line.begin_s > found.time.elapsed_s)
    assert sum(line.writes_per_s * line.interval_s for line in disk.lines) == pytest.approx(
        found.physical_io.write_requests
    )
    synchronous = simulate(on(Host()), WriteStream(count=100, path="sync")).device["disk"]
    assert synchronous.utilisation_fraction > 0.9


def test_a_device_that_ends_no_request_while_its_program_runs() -> None:
    """Write-back has begun and ended nothing yet: the device was busy, and iostat counts no request."""
    system = System(
        host=Host(io_path="buffered", memory_bytes=16 * MIB, dirty_background_ratio_percent=4),
        instance=Instance(buffer_cache_bytes=8 * MIB),
    )
    device = simulate(system, WriteStream(count=200)).device["disk"]
    assert 0 < device.utilisation_fraction < 1
    assert (device.writes_per_s, device.service_s) == (0, 0)


@pytest.mark.parametrize(("expire_s", "look_s"), [(29, 5), (11, 2), (11, 5)])
def test_old_pages_are_written_at_the_first_look_that_finds_them(expire_s: float, look_s: float) -> None:
    """A page a second from the first second on, with which looks begin."""
    scenario = {
        "host": {
            "kernel": "5.15", "io_path": "buffered", "filesystem": "xfs", "scheduler": "none",
            "dirty_expire_s": expire_s, "dirty_writeback_s": look_s,
        },
        "disk": {"use": "linear"},
        "iostat": {"interval_s": 1.0},
        "workload": {
            "kind": "write_stream", "block_size_bytes": "4K", "count": 60, "rate_per_s": 1.0, "arrivals": "regular",
        },
    }  # fmt: skip
    lines = run(from_mapping(scenario)).device["disk"].lines
    first = next(line for line in lines if line.writes_per_s)
    assert first.begin_s == 1 + ceil(expire_s / look_s) * look_s
