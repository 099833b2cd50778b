"""Why streams differ: every sentence says what both results say, and gives no reason that they do not show."""

import pytest

from blocktime.model.causes import AT_ONCE, COMMIT, FSYNC, ROOM, RUN_QUEUE, SLOWEST, THINKING, WRITE_LIMIT
from blocktime.model.results import DeviceStats, EventTime, PhysicalIO, RunResult, StreamStats, TimeBreakdown
from blocktime.scenarios import Scenario, library, load, run
from blocktime.scenarios.why import components, why
from blocktime.scenarios.why_streams import CPU, DEVICE, mechanism


def stream(
    calls: float = 10_000,
    *,
    wait_s: float = 4.0e-3,
    cpu_s: float = 0.4,
    requests: dict[int, float] | None = None,
    merged: float = 0,
    await_s: float = 4.0e-3,
    more_waits: dict[str, float] | None = None,
    **said: object,
) -> RunResult:
    """Writes of 8K of one program that wait *wait_s* each for the device."""
    waits = {DEVICE: EventTime(waits=calls, max_s=wait_s, total_s=calls * wait_s)} if wait_s else {}
    waits |= {name: EventTime(waits=1, max_s=s, total_s=s) for name, s in (more_waits or {}).items()}
    elapsed = cpu_s + sum(event.total_s for event in waits.values())
    sizes = {8192: calls} if requests is None else requests
    many, held = sum(sizes.values()), sum(size * count for size, count in sizes.items())
    first = StreamStats(
        kind="write_stream", path="raw", calls=calls, bytes=8192 * calls, elapsed_s=elapsed,
        calls_per_s=calls / elapsed, bytes_per_s=8192 * calls / elapsed, response_s=elapsed / calls,
    ).model_copy(update=said)  # fmt: skip
    device = DeviceStats(
        reads_per_s=0, writes_per_s=many / elapsed, read_bytes_per_s=0, written_bytes_per_s=held / elapsed,
        average_request_bytes=held / many if many else 0, average_queue=many * await_s / elapsed, await_s=await_s,
        service_s=await_s, utilisation_fraction=min(1.0, many * await_s / elapsed), merged_writes=merged,
        request_bytes=sizes,
    )  # fmt: skip
    return RunResult(
        scenario="s", how="simulation", seed=1, version="0", sources=[], extrapolated=[], warnings=[],
        time=TimeBreakdown(
            elapsed_s=elapsed, cpu_s=cpu_s, cpu={"write calls": cpu_s}, wait=waits, unaccounted_s=0, unaccounted={}
        ),
        calls={}, physical_io=PhysicalIO(read_requests=0, read_blocks=0, read_bytes=0), device={"disk": device},
        streams=[first], access="write_stream: raw",
    )  # fmt: skip


def merged_writes() -> RunResult:
    """The same bytes, written back in requests of up to 124K while nobody waits."""
    return stream(
        wait_s=0, cpu_s=0.6, requests={126976: 600.0, 4096: 103.0}, merged=9297, await_s=0.18, path="buffered",
        more_waits={"held back by the page cache": 1.4},
    )  # fmt: skip


def test_requests_are_fewer_because_they_were_merged() -> None:
    base, other = stream(), merged_writes()
    said = why(base, other)
    assert said[0] == (
        "the I/O path is buffered instead of raw; requests fell from 10,000 to 703 because 9,297 bios were "
        "merged, up to 124K; await of a request rose from 4 ms to 180 ms (avgqu-sz from 0.99 to 63.3); no write waits "
        "for the device any more, which saves 40.00 s"
    )
    assert said[1] == "held back by the page cache appears, which costs 1.40 s"
    assert said[2] == "CPU of the calls takes 600 ms instead of 400 ms, which costs 200 ms"
    assert said[3] == "calls/s rose from 247.5 to 5,000, 1.93 to 39.1 MB/s"
    assert len(said) == 4


def test_the_way_back_names_what_is_no_longer_merged() -> None:
    said = why(merged_writes(), stream())
    assert "requests rose from 703 to 10,000 because nothing is merged instead of 9,297 bios, up to 124K" in said[0]
    assert said[0].endswith("each write waits 4 ms for the device, which costs 40.00 s")


def test_a_call_that_waits_less_says_how_much() -> None:
    said = why(stream(wait_s=8.1e-3, await_s=8.1e-3), stream())
    assert said[0] == (
        "await of a request fell from 8.1 ms to 4 ms; each write waits 4.1 ms less for the device (4 ms instead of "
        "8.1 ms), which saves 41.00 s"
    )


def test_larger_calls_are_not_merged_calls() -> None:
    other = stream(1_000, requests={65536: 1000.0}, bytes=65536.0 * 1000)
    (first, *_) = why(stream(), other)
    assert first.startswith(
        "a call grew from 8K to 64K; calls fell from 10,000 to 1,000; requests fell from 10,000 to 1,000; each "
    )
    assert "because" not in first
    assert "each write waits 4 ms for the device as before, which saves 36.00 s" in first


def test_merging_is_no_reason_where_calls_are_fewer_or_requests_more() -> None:
    (fewer, *_) = why(stream(), stream(1_000, merged=300))
    assert "requests fell from 10,000 to 1,000; " in fewer
    _, more = why(stream(requests={65536: 1250.0}, merged=5), stream(requests={8192: 10_000.0}, merged=10))
    assert "requests rose from 1,250 to 10,000 because the mean request shrank from 64K to 8K" in more


def test_requests_that_are_cut_smaller_have_their_size_as_the_reason() -> None:
    _, first = why(stream(requests={65536: 1250.0}), stream(requests={32768: 2500.0}))
    assert "requests rose from 1,250 to 2,500 because the mean request shrank from 64K to 32K" in first


def test_some_bios_may_still_be_merged() -> None:
    base = stream(requests={65536: 1250.0}, merged=8750)
    _, first = why(base, stream(requests={16384: 5000.0}, merged=5000))
    assert "because only 5,000 bios are merged instead of 8,750 bios, up to 64K" in first


def test_what_the_device_gets_is_told_though_nobody_waits() -> None:
    quiet = {"wait_s": 0, "path": "buffered"}
    said = why(stream(requests={65536: 1250.0}, **quiet), stream(requests={131072: 625.0}, merged=9, **quiet))
    assert said[0].startswith("elapsed time does not change")
    assert said[1] == "requests fell from 1,250 to 625 because 9 bios were merged, up to 128K"


def test_more_calls_in_flight_are_named() -> None:
    (first, *_) = why(stream(), stream(wait_s=1e-3, in_flight_most=8))
    assert first.startswith("calls in flight rose from 1 to 8; ")


def test_several_users_wait_as_often_as_one_of_them() -> None:
    base, shared = stream(calls=2_000), stream(calls=2_000, wait_s=8e-3)
    (alone,) = shared.streams or ()
    four = shared.model_copy(update={"streams": [alone.model_copy(update={"calls": 8_000.0})]})
    assert "each write waits 4 ms more for the device (8 ms instead of 4 ms)" in " ".join(why(base, four))
    seldom = shared.model_copy(update={"streams": [alone.model_copy(update={"calls": 700.0})]})
    assert "waiting for the device takes 16.00 s instead of 8.00 s" in " ".join(why(base, seldom))


def test_fewer_calls_need_less_cpu() -> None:
    said = why(stream(cpu_s=40.0), stream(1_000, cpu_s=4.0))
    assert any(one == "CPU of the calls takes 4.00 s instead of 40.00 s while calls fell from 10,000 to 1,000, "
               "which saves 36.00 s" for one in said)  # fmt: skip


def test_the_same_stream_has_nothing_to_tell() -> None:
    (sentence,) = why(stream(), stream())
    assert sentence == ("elapsed time does not change: waiting for the device takes 40.00 s of the 40.40 s, as before")


def test_a_stream_against_a_scan_is_told_by_components() -> None:
    said = why(run(load("rahn-full-scan")), stream())
    assert any(one.startswith("waiting for the device appears, which costs 40.") for one in said)


def test_no_device_is_needed() -> None:
    none = stream().model_copy(update={"device": {}})
    (first, *_) = why(none, stream(wait_s=2e-3))
    assert first.startswith("each write waits 2 ms less for the device (2 ms instead of 4 ms), which saves 20.00 s")


def at_once(result: RunResult, **said: object) -> RunResult:
    """The same calls, under way at once: their waits have no cause of their own."""
    rest = result.time.elapsed_s - result.time.cpu_s
    time = result.time.model_copy(
        update={"wait": {}, "unaccounted_s": rest, "unaccounted": {"calls under way at once": rest}}
    )
    (first,) = result.streams or ()
    return result.model_copy(update={"time": time, "streams": [first.model_copy(update=said)]})


def asked(*settings: tuple[str, ...]) -> tuple[Scenario, Scenario]:
    first, second = (load("magni-dd-raw-100", one) for one in settings)
    return first, second


def test_waits_that_are_not_booked_are_not_gone() -> None:
    quick = at_once(stream(), response_s=1e-3)
    for base, other in ((stream(), quick), (quick, stream())):
        text = " ".join(why(base, other))
        assert "any more" not in text
        assert "saves" not in text
        assert "under way" not in text


def test_calls_under_way_at_once_are_told_by_what_one_takes() -> None:
    base = at_once(stream(), response_s=27.2e-3, response_percentiles={"p95": 0.08})
    other = at_once(stream(await_s=1e-3), response_s=4.86e-3, response_percentiles={"p95": 0.01})
    said = why(base, other, asked(("workload.rate_per_s=200",), ("workload.rate_per_s=200", "disk.use=nvme")))
    assert said[0].startswith("the disk is nvme instead of ida-2004; await of a request fell from 4 ms to 1 ms")
    assert said[0].endswith("; a write takes 4.86 ms instead of 27.2 ms (p95 10 ms instead of 80 ms)")
    assert said[-1] == "elapsed time says little here, because the run ends soon after the last call arrives"
    assert "hardly" not in " ".join(said)
    without = why(at_once(stream(), response_s=27.2e-3), at_once(stream(), response_s=4.86e-3))
    assert without == ["a write takes 4.86 ms instead of 27.2 ms"]


def test_more_waits_are_not_told_as_longer_ones_alone() -> None:
    base, other = stream(wait_s=9.31e-3), stream(wait_s=69.3e-3)
    fewer = EventTime(waits=2_500, max_s=0.1, total_s=2_500 * 69.3e-3)
    time = other.time.model_copy(update={"wait": {DEVICE: fewer}})
    said = " ".join(why(base, other.model_copy(update={"time": time})))
    assert "2,500 times instead of 10,000, 69.3 ms each instead of 9.31 ms, which costs 1 min 20 s" in said


def test_cache_flushes_are_named_and_are_no_requests() -> None:
    base, other = stream(requests={0: 501.0, 8192: 502.0}), stream(wait_s=1e-3, requests={8192: 502.0})
    (first, *_) = why(base, other)
    assert first.startswith("cache flushes fell from 501 to 0; ")
    assert "requests" not in first.replace("await of a request", "")


def test_numbers_are_written_as_words_want_them() -> None:
    (fast,) = stream().streams or ()
    quick = stream().model_copy(
        update={"streams": [fast.model_copy(update={"bytes_per_s": 3760 * 2.0**20, "calls_per_s": 9e5})]}
    )
    assert any(", 3,760 to 1.93 MB/s" in one for one in why(quick, stream()))
    said = " ".join(why(stream(requests={8192: 2.0}), stream(requests={16384: 1.0}, merged=1)))
    assert "because 1 bio was merged, up to 16K" in said


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (("disk.write_cache_flushed=true",), "with disk.write_cache_flushed on instead of off; "),
        (("disk.write_cache_bytes=8M", "disk.overhead_s=5ms"), "with disk.overhead_s 5 ms instead of 100 µs, "),
        (
            ("disk.iops_limit=500", "disk.raid_level=0", "disk.raid_disks=4"),
            "with disk.iops_limit 500 instead of none, ",
        ),
        (("disk.use=nvme", "disk.overhead_s=1ms"), "the disk is nvme (overhead_s 1 ms) instead of ida-2004; "),
        ((), "await of a request fell"),
    ],
)
def test_what_was_set_otherwise_of_the_disk_is_the_cause(settings: tuple[str, ...], says: str) -> None:
    (first, *_) = why(stream(wait_s=8.1e-3, await_s=8.1e-3), stream(), asked((), settings))
    assert first.startswith(says)


@pytest.mark.parametrize("name", [name for name in library() if load(name).workload.kind.endswith("_stream")])
def test_every_component_of_a_stream_has_its_mechanism(name: str) -> None:
    assert {mechanism(component) for component in components(run(load(name)))} <= {
        CPU, DEVICE, ROOM, WRITE_LIMIT, COMMIT, FSYNC, RUN_QUEUE, THINKING, AT_ONCE, SLOWEST,
    }  # fmt: skip
