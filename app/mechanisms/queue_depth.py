"""Queue depth: reads from submission to completion, and reads a second over the depth on three kinds of drive."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

from blocktime.app.charts import drawing
from blocktime.app.mechanisms.lesson import Chart, LessonAnswer, Values, lesson_of
from blocktime.app.mechanisms.lesson_scenarios import changed, played, settings_of, stream_of
from blocktime.model.units import show_number, show_seconds
from blocktime.model.workloads.streams.request_log import DoneRequest, requests_of

DISK, DEPTH, SIZE, SUBMISSION = ("disk.use", "workload.in_flight", "workload.block_size_bytes", "workload.submission")
COUNT: Final = "workload.count"
LESSON: Final = lesson_of("queue_depth")
DEPTHS: Final = LESSON.knob(DEPTH).options
READS: Final = 40
"""Reads that are drawn one by one."""
OVERTAKES = "done before a read submitted earlier", (drawing.ORANGE, "/"), True
IN_ORDER = "done in order of submission", (drawing.BLUE, ""), False
DRIVES: Final = (
    ("7,200 rpm disk with NCQ", "sata-7k2-ncq", (drawing.ORANGE, "dash")),
    ("SATA flash", "ssd-sata", (drawing.GREEN, "dot")),
    ("NVMe flash", "nvme", (drawing.PURPLE, "dashdot")),
)


def reads_of(values: Values) -> list[DoneRequest]:
    """The first reads, in order of submission."""
    scenario = changed(LESSON.scenario, {**LESSON.settings(values), COUNT: str(2 * values[DEPTH] + READS)})
    served = requests_of(scenario.system, stream_of(scenario))
    return sorted(served, key=lambda read: read.queued_s)[:READS]


def overtook(served: Sequence[DoneRequest]) -> list[bool]:
    """Whether each read, in order of submission, was done before one that was submitted earlier."""
    latest = accumulate((read.done_s for read in served), max)
    return [read.done_s < done_s for read, done_s in zip(served, latest, strict=True)]


def picture(served: Sequence[DoneRequest], values: Values) -> Chart:
    """Each read from its submission to its completion."""
    quick, begin = overtook(served), served[0].queued_s
    takes_s = [read.done_s - read.queued_s for read in served]
    traces = [
        drawing.bars(
            name, [rank + 1 for rank in ranks], [1000 * takes_s[rank] for rank in ranks], look,
            base=[1000 * (served[rank].queued_s - begin) for rank in ranks],
            hovertext=[show_seconds(takes_s[rank]) for rank in ranks],
            hovertemplate="read %{y}: %{hovertext} from submission to completion<extra></extra>",
        )
        for name, look, those in (IN_ORDER, OVERTAKES)
        if (ranks := [rank for rank, before in enumerate(quick) if before is those])
    ]  # fmt: skip
    layout = drawing.layout(
        300,
        drawing.axis("ms since the first submission", rangemode="tozero"),
        drawing.axis("reads, in order of submission", autorange="reversed", showticklabels=False, showgrid=False),
        barmode="overlay",
        top=40,
    )
    count = sum(quick)
    text = (
        f"With {values[DEPTH]:,} in flight, {count:,} of the first {len(served):,} reads complete before one that was "
        "submitted earlier."
        if count
        else f"With {values[DEPTH]:,} in flight, the first {len(served):,} reads complete in order of submission."
    )
    return Chart(drawing.figure(traces, layout), text)


def over_depth(values: Values) -> tuple[Sequence[float], Sequence[float]]:
    """Reads a second and mean time of a read over DEPTHS, by simulation."""
    curves = [played(LESSON.scenario, settings_of(LESSON.settings({**values, DEPTH: depth}))) for depth in DEPTHS]
    return [point["calls_per_s"] for point in curves], [point["response_s"] for point in curves]


def curves(values: Values) -> tuple[Chart, Chart]:
    """Reads a second, and the time of one, over the depth."""
    others = [drive for drive in DRIVES if drive[1] != values[DISK]]
    rates, times = [], []
    for name, disk, look in (("this drive", values[DISK], (drawing.BLUE, "solid")), *others):
        per_s, each_s = over_depth({**values, DISK: disk})
        more = {"width": 3.5} if name == "this drive" else {}
        rates.append(drawing.line(name, DEPTHS, per_s, look, "%{y:,.0f} reads/s at depth %{x}", **more))
        each_ms = [1000 * seconds for seconds in each_s]
        times.append(drawing.line(name, DEPTHS, each_ms, look, "%{y:,.4~r} ms at depth %{x}", **more))
    per_s, each_s = over_depth(values)
    at = DEPTHS.index(values[DEPTH])
    rates.append(drawing.now(values[DEPTH], per_s[at], f"now: {per_s[at]:,.0f} reads/s"))
    times.append(drawing.now(values[DEPTH], 1000 * each_s[at], f"now: {show_seconds(each_s[at])}"))
    gain = per_s[at] / per_s[0]
    return (
        _over_depth(rates, "reads/s", f"{values[DEPTH]:,} in flight complete {per_s[at]:,.0f} reads/s, "
                    f"{show_number(gain, 3)} times as many as one at a time."),
        _over_depth(times, "ms a read", f"A read then takes {show_seconds(each_s[at])}, "
                    f"{show_number(each_s[at] / each_s[0], 3)} times as long."),
    )  # fmt: skip


def _over_depth(traces: list[dict[str, Any]], title: str, says: str) -> Chart:
    layout = drawing.layout(
        280,
        drawing.axis("reads in flight", type="log", tickvals=list(DEPTHS), range=[-0.1, 2.2]),
        drawing.axis(title, type="log", dtick=1, exponentformat="none"),
        top=52,
    )
    return Chart(drawing.figure(traces, layout), says)


def answer(values: Values) -> LessonAnswer:
    """Everything that the page shows."""
    per_s, each_s = over_depth(values)
    at = DEPTHS.index(values[DEPTH])
    return LessonAnswer(
        picture(reads_of(values), values),
        curves(values),
        (("Reads a second", f"{per_s[at]:,.0f}"), ("A read", show_seconds(each_s[at]))),
        LESSON.scenario,
        LESSON.settings(values),
    )
