"""Streams of reads and writes as plain text: a summary like dd's and fio's, and one request on its way."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.app.base.lines import NAME_WIDTH, mean, megabytes
from blocktime.app.text.section import NOTHING, Bar, CellTable, Fact, Section
from blocktime.model.results import RunResult, StreamStats
from blocktime.model.units import MIB, show_bytes, show_seconds
from blocktime.scenarios.why_streams import overlapped, sets_the_rate
from blocktime.scenarios.why_words import listed


def does(stream: StreamStats) -> str:
    """What a stream does, in one word."""
    return "writes" if stream.writes else "reads"


def rates(stream: StreamStats) -> str:
    """Calls and bytes a second."""
    return f"{mean(stream.calls_per_s)} calls/s, {mean(stream.bytes_per_s / MIB)} MB/s"


def calls(stream: StreamStats) -> str:
    """How many calls of what size."""
    size = f" of {show_bytes(stream.bytes / stream.calls)}" if stream.calls else ""
    return f"{stream.calls:,.0f} {does(stream)}{size}"


def at_once(result: RunResult) -> str:
    """The answer for calls that are under way at once, which have no waits one after the other; else empty."""
    if not result.streams or not overlapped(result):
        return ""
    stream = result.streams[0]
    tail = stream.response_percentiles.get("p95")
    takes = f"{show_seconds(stream.response_s)}{f' (p95 {show_seconds(tail)})' if tail is not None else ''}"
    most = stream.in_flight_most
    under_way = f" with up to {most:,} in flight per user" if most > 1 else ""
    busy = [
        f"the device is {100 * device_stats.utilisation_fraction:.0f} % busy" for device_stats in result.device.values()
    ]
    if sets_the_rate(result):
        busy = [f"the processor that makes the calls is {100 * result.time.cpu_s / result.time.elapsed_s:.0f} % busy"]
    each = f"a {does(stream).removesuffix('s')} takes {takes}{under_way}"
    return (
        f"{mean(stream.calls_per_s)} {does(stream)}/s complete ({mean(stream.bytes_per_s / MIB)} MB/s): "
        f"{listed([each, *busy[:1]])}. {calls(stream)} take {show_seconds(result.time.elapsed_s)}"
    )


def beside(result: RunResult) -> Iterator[str]:
    """A sentence on the streams that run beside the first."""
    others = (result.streams or [])[1:]
    if others:
        texts = [f"{calls(other)} at {rates(other)}" for other in others]
        yield f"Other streams on the same machine: {listed(texts)}."


def stream_section(result: RunResult) -> Section:
    """Each stream: calls, bytes, elapsed time, rate, response times."""
    facts = []
    for stream in result.streams or ():
        took = f"{megabytes(stream.bytes)} in {show_seconds(stream.elapsed_s)} ({stream.path})"
        times = {"mean": stream.response_s, **stream.response_percentiles}
        responses = ", ".join(f"{name} {show_seconds(seconds)}" for name, seconds in times.items())
        facts += [
            Fact(does(stream), f"{calls(stream)}, {took}"), Fact("rate", rates(stream)), Fact("response", responses)
        ]  # fmt: skip
        if stream.in_flight_most > 1:
            facts.append(Fact("in flight", f"up to {stream.in_flight_most:,} calls per user"))
        if stream.page_cache_bytes:
            facts.append(Fact("cached", f"{megabytes(stream.page_cache_bytes)} through the page cache"))
    return Section("Streams" if len(result.streams or ()) > 1 else "Stream", facts)


def timeline_section(result: RunResult) -> Section:
    """One request of the first stream through the stack, its stages as bars on one scale."""
    stages = result.timeline
    if not stages:
        return NOTHING
    begin, end = min(stage.begin_s for stage in stages), max(stage.end_s for stage in stages)
    whole = end - begin or 1.0
    rows = [("stage", "begins at", "takes")]
    rows += [
        (stage.name, show_seconds(stage.begin_s - begin), show_seconds(stage.end_s - stage.begin_s)) for stage in stages
    ]
    bars = [Bar((stage.end_s - stage.begin_s) / whole, (stage.begin_s - begin) / whole, least=1) for stage in stages]
    heading = f"One request through the stack, {show_seconds(end - begin)}"
    return Section(heading, [CellTable(rows, (NAME_WIDTH, 11, 10), bars=bars, longest=60)])
