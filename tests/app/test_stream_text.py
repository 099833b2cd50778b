"""A stream in a sentence, in a summary like dd's and fio's, and one of its requests on its way."""

from collections.abc import Iterable

import pytest
from click import unstyle

from blocktime.app.reports.report_html import compare_page, run_page
from blocktime.app.text.compare_text import compare_lines
from blocktime.app.text.document import run_lines
from blocktime.app.text.profile_table import profile_section
from blocktime.app.text.stream_text import stream_section, timeline_section
from blocktime.app.text.text import answer, tkprof_lines
from blocktime.model.results import RunResult
from blocktime.scenarios import load


def plain(lines: Iterable[str]) -> list[str]:
    return [unstyle(line) for line in lines]


def test_the_answer_says_how_long_how_much_and_where_the_time_went(raw: RunResult, merged: RunResult) -> None:
    assert answer(raw) == (
        "It takes 41.00 s for 10,004 writes of 8K (244 calls/s, 1.906 MB/s): 40.59 s waiting for the device (99 %) "
        "and 410 ms CPU (1 %)."
    )
    assert "1.45 s held back by the page cache (72 %) and 550 ms CPU (28 %)." in answer(merged)


def overlapped(result: RunResult) -> RunResult:
    """The same stream, its calls under way at once."""
    rest = result.time.elapsed_s - result.time.cpu_s
    time = result.time.model_copy(
        update={"wait": {}, "unaccounted_s": rest, "unaccounted": {"calls under way at once": rest}}
    )
    (stream,) = result.streams or ()
    return result.model_copy(update={"time": time, "streams": [stream.model_copy(update={"in_flight_most": 8})]})


def test_calls_under_way_at_once_are_told_by_what_a_call_takes(raw: RunResult) -> None:
    assert answer(overlapped(raw)) == (
        "244 writes/s complete (1.906 MB/s): a write takes 4.1 ms (p95 4.1 ms) with up to 8 in flight "
        "per user and the device is 99 % busy. 10,004 writes of 8K take 41.00 s."
    )
    assert "unaccounted" not in "\n".join(plain(run_lines(overlapped(raw))))


def test_the_slowest_program_is_named_without_the_word_unaccounted(raw: RunResult) -> None:
    slowest = {"unaccounted": {"waiting for the slowest program": 1.0}}
    text = plain(profile_section(raw.model_copy(update={"time": raw.time.model_copy(update=slowest)})).lines())
    assert any(line.startswith("waiting for the slowest") for line in text)


def test_cache_flushes_stand_beside_the_requests(raw: RunResult) -> None:
    (device,) = raw.device.values()
    flushed = device.model_copy(update={"request_bytes": {0: 501.0, 8192: 502.0}, "average_request_bytes": 4096.0})
    shown = raw.model_copy(update={"device": {"sda": flushed}})
    lines = [line.split() for line in plain(compare_lines([shown, shown], ["", ""]))]
    for wanted in ("sda requests 502 502", "sda cache flushes 501 501", "sda mean request 8K 8K"):
        assert wanted.split() in lines


def test_streams_beside_the_first_have_a_sentence(raw: RunResult) -> None:
    (first,) = raw.streams or ()
    reads = first.model_copy(update={"kind": "read_stream", "calls": 100.0, "bytes": 102400.0})
    two = raw.model_copy(update={"streams": [first, reads]})
    assert answer(two).endswith(" Other streams on the same machine: 100 reads of 1K at 244 calls/s, 1.906 MB/s.")
    lines = plain(stream_section(two).lines())
    assert lines[0] == "Streams"
    assert lines[4] == "reads     100 reads of 1K, 0.1 MB in 41.00 s (raw)"


def test_the_summary_of_a_stream(raw: RunResult, merged: RunResult) -> None:
    assert plain(stream_section(raw).lines()) == [
        "Stream",
        "writes    10,004 writes of 8K, 78.2 MB in 41.00 s (raw)",
        "rate      244 calls/s, 1.906 MB/s",
        "response  mean 4.1 ms, p50 4.07 ms, p95 4.1 ms, p99 4.3 ms, max 8.2 ms",
    ]
    assert plain(stream_section(merged).lines())[3:] == [
        "response  mean 200 µs",
        "cached    78.2 MB through the page cache",
    ]
    (stream,) = raw.streams or ()
    deep = raw.model_copy(update={"streams": [stream.model_copy(update={"in_flight_most": 32})]})
    assert plain(stream_section(deep).lines())[-1] == "in flight up to 32 calls per user"


def test_one_request_is_drawn_on_one_scale(raw: RunResult) -> None:
    assert plain(timeline_section(raw).lines(80, "#")) == [
        "One request through the stack, 4.1 ms",
        "stage                           begins at     takes",
        "the call                              0 s    4.1 ms  ##########################",
        "waits in the queue                    0 s    100 µs  #",
        "at the device                      100 µs      4 ms  #########################",
    ]


def test_what_a_stream_has_not_is_not_printed(raw: RunResult) -> None:
    assert list(tkprof_lines(raw)) == []
    text = "\n".join(plain(run_lines(raw, "dd")))
    for absent in ("TKPROF", "consistent gets", "cache  ", "Segment", "Optimizer", "blocks"):
        assert absent not in text
    assert "writes    10,004 (78.2 MB)" in text
    assert "reads     " not in text
    for section in ("Stream", "Response-time profile", "Device", "Requests of ida/c0d1", "One request"):
        assert f"\n{section}" in text
    assert list(stream_section(raw.model_copy(update={"streams": None})).lines()) == []
    assert list(timeline_section(raw.model_copy(update={"timeline": None})).lines()) == []


@pytest.mark.parametrize("width", [80, 120])
def test_streams_fit_the_terminal(raw: RunResult, merged: RunResult, width: int) -> None:
    for line in [*run_lines(raw, "raw", width=width), *compare_lines([raw, merged], ["", ""], width=width)]:
        assert len(unstyle(line)) <= width, line
        assert unstyle(line) == unstyle(line).rstrip()


def test_figures_of_streams_stand_side_by_side(raw: RunResult, merged: RunResult) -> None:
    lines = [line.split() for line in plain(compare_lines([raw, merged], ["", ""]))]
    for wanted in (
        "Calls/s 244 5,002", "Throughput 1.91 MB/s 39.1 MB/s", "Mean response 4.1 ms 200 µs",
        "ida/c0d1 requests 10,004 703",
        "ida/c0d1 merged 0 9,297", "ida/c0d1 mean request 8K 106K", "ida/c0d1 await 4.07 ms 177 ms",
    ):  # fmt: skip
        assert wanted.split() in lines


def test_the_page_of_a_file_has_the_tables_and_the_charts(raw: RunResult, merged: RunResult) -> None:
    scenario = load("rahn-full-scan")
    html = run_page(scenario, raw)
    for part in (
        "<h2>Stream</h2>", "rrqm/s wrqm/s", "   17-18", "<h2>Requests of ida/c0d1 by size</h2>",
        "<h2>avgqu-sz (requests) of ida/c0d1 over time</h2>", "<h2>%util of ida/c0d1 over time</h2>",
        "<h2>One request through the stack</h2>", "10,004 requests of 8K; none was merged",
        "One request takes 4.1 ms; the longest part of it is at the device, 4 ms",
    ):  # fmt: skip
        assert part in html, part
    assert "TKPROF" not in html
    both = compare_page([scenario, scenario], [raw, merged], ["a", "b"])
    assert both.count("<h2>Requests of ida/c0d1 by size</h2>") == 2
    assert "left out" not in html + both
