"""Request merging: the pages of calls become requests; their mean size over the pages that wait, with iostat's "
"lines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from blocktime.app.charts import drawing
from blocktime.app.mechanisms import printed_points
from blocktime.app.mechanisms.lesson import Chart, LessonAnswer, Values, lesson_of
from blocktime.app.mechanisms.lesson_scenarios import changed, stream_of
from blocktime.model.laws import block_layer
from blocktime.model.units import KIB, show_bytes, show_number, show_seconds
from blocktime.model.workloads.streams.request_log import DoneRequest, requests_of
from blocktime.scenarios import Scenario, load, run

LESSON: Final = lesson_of("merging")
RAW: Final = "magni-dd-raw-100"
PATH, SIZE, COUNT, LARGEST, KERNEL = (
    "workload.path", "workload.block_size_bytes", "workload.count", "host.max_request_bytes", "host.kernel",
)  # fmt: skip
SECTORS_255: Final = 255 * 512
FIRST: Final = 24
"""Requests that are drawn one by one."""
RUNS: Final = (*range(1, 64), *(round(10 ** (step / 40)) for step in range(72, 173)))
"""Pages that wait together."""
LOOKS: Final = ((drawing.BLUE, ""), (drawing.ORANGE, "/"))
HOVER: Final = "%{y:,.4~r} KB for %{x} pages"


def place_of(values: Values) -> tuple[str, dict[str, str]]:
    """The scenario, and what the controls change in it."""
    name = RAW if values[PATH] == "raw" else LESSON.scenario
    changes = LESSON.settings(values, name)
    if values[LARGEST] > SECTORS_255:  # the controller's 32 segments would cut at 128K
        changes["host.max_segments"] = "256"
    if block_layer.release_of(values[KERNEL]) >= block_layer.TAGS:
        changes["host.scheduler"] = "mq-deadline"
    return name, changes


def scenario_of(values: Values) -> Scenario:
    """The scenario that the controls describe."""
    return changed(*place_of(values))


def largest_bytes(scenario: Scenario) -> float:
    """Bytes to which pages merge."""
    host = scenario.system.host
    return float(block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments))


def picture(scenario: Scenario, served: Sequence[DoneRequest]) -> Chart:
    """The file as calls and as requests, and each request from queue to end."""
    work = stream_of(scenario)
    pages = block_layer.PAGE_BYTES
    first_requests = served[:FIRST]
    drawn = sum(request.size_bytes for request in first_requests)
    begin = first_requests[0].queued_s
    calls = [min(work.block_size_bytes, drawn - at) for at in range(0, int(drawn), work.block_size_bytes)]
    sizes = [request.size_bytes for request in first_requests]
    traces = [
        _segments("call", calls, ((drawing.GREY, ""), (drawing.FAINT, "")), numbered=False),
        _segments("request", sizes, LOOKS, numbered=True),
        _life(first_requests, begin),
    ]
    layout = drawing.layout(
        300,
        drawing.axis(f"place in the file (pages of {show_bytes(pages)})", range=[0, drawn / pages], anchor="y",
                     zeroline=False, showgrid=False),
        drawing.axis("", domain=[0.66, 1], ticksuffix="  ", categoryorder="array", categoryarray=["requests", "calls"]),
        xaxis2=drawing.axis("ms from the first request's queueing to its end", anchor="y2", rangemode="tozero"),
        yaxis2=drawing.axis("requests", domain=[0, 0.36], autorange="reversed", showticklabels=False, showgrid=False),
        showlegend=False, barmode="overlay", top=8,
    )  # fmt: skip
    sizes_text = ", ".join(show_number(request.size_bytes / pages, 3) for request in served[:12])
    more = f", … ({len(served):,} requests)" if len(served) > 12 else ""
    merged = len(served) < work.count
    becomes = f"become requests of {sizes_text}{more} pages" if merged else "are a request each"
    text = f"{work.count:,} calls of {show_bytes(work.block_size_bytes)} {becomes}."
    return Chart(drawing.figure(traces, layout), text)


def _segments(what: str, sizes: Sequence[float], looks: tuple[tuple[str, str], ...], numbered: bool) -> dict[str, Any]:
    """Pieces of the file side by side, with their pages where they are *numbered*."""
    pages = [size / block_layer.PAGE_BYTES for size in sizes]
    ends = np.cumsum(sizes) / block_layer.PAGE_BYTES
    colours, shapes = zip(*(looks[rank % 2] for rank in range(len(sizes))), strict=True)
    pattern = {"shape": list(shapes), "fillmode": "overlay", "fgcolor": "#ffffff", "size": 6, "solidity": 0.2}
    return drawing.bars(
        "", [f"{what}s"] * len(sizes), pages, looks[0], width=0.7, textposition="inside", insidetextanchor="middle",
        base=[float(end - size) for end, size in zip(ends, pages, strict=True)], constraintext="inside", textangle=0,
        text=[show_number(size, 3) if numbered else "" for size in pages], textfont={"color": "#ffffff"},
        hovertext=[f"{what} {rank}: {show_bytes(size)}" for rank, size in enumerate(sizes, 1)],
        hovertemplate="%{hovertext}<extra></extra>",
        marker={"color": list(colours), "pattern": pattern, "line": {"color": "#ffffff", "width": 0.5}},
    )  # fmt: skip


def _life(done: Sequence[DoneRequest], begin_s: float) -> dict[str, Any]:
    """Each request from when it was queued until it was done."""
    took_s = [request.done_s - request.queued_s for request in done]
    return drawing.bars(
        "", range(1, len(done) + 1), [1000 * each_s for each_s in took_s], LOOKS[0], xaxis="x2", yaxis="y2", width=0.7,
        base=[1000 * (request.queued_s - begin_s) for request in done],
        hovertext=[f"{show_bytes(request.size_bytes)}: {show_seconds(each_s)}"
                   for request, each_s in zip(done, took_s, strict=True)],
        hovertemplate="request %{y}, %{hovertext} from queue to end<extra></extra>",
    )  # fmt: skip


def mean_bytes(pages: Any, largest: float) -> Any:
    """Mean size of the requests that a run of contiguous pages becomes."""
    return pages * block_layer.PAGE_BYTES / block_layer.requests_of_run(pages, largest)


def waiting_pages(point: printed_points.Printed) -> float:
    """Pages that waited together in the run of an iostat line: of a call, or of all that was written back at once."""
    run_name = str(point.row["run"])
    work = stream_of(load(f"magni-{run_name}"))
    together = work.block_size_bytes * (work.count if "fs" in run_name else 1)
    return together / block_layer.PAGE_BYTES


def curve(scenario: Scenario, served: Sequence[DoneRequest]) -> Chart:
    """Mean size of a request over the pages that wait together."""
    work, largest = stream_of(scenario), largest_bytes(scenario)
    runs = np.array(RUNS, dtype=float)
    documents = largest_bytes(load(LESSON.scenario))
    traces = [
        drawing.line(f"law, merged up to {show_bytes(largest)}", runs, (mean_bytes(runs, largest) / KIB).tolist(),
                     (drawing.BLUE, "solid"), HOVER, width=3),
    ]  # fmt: skip
    if largest != documents:
        merged = (mean_bytes(runs, documents) / KIB).tolist()
        name = f"Magni: up to {show_bytes(documents)}"
        traces.append(drawing.line(name, runs, merged, (drawing.ORANGE, "dash"), HOVER))
    alone_kb = [block_layer.PAGE_BYTES / KIB] * len(runs)
    traces.append(drawing.line("never merged", runs, alone_kb, (drawing.BROWN, "dot"), HOVER))
    points = printed_points.printed("magni_linux_io", "iostat", "avgrq-sz")
    traces += printed_points.traces(points, waiting_pages, drawing.RED, scale=1 / KIB, name="avgrq-sz: ")
    mean = sum(request.size_bytes for request in served) / len(served)
    raw = work.path == "raw" or scenario.system.host.io_path == "raw"
    alone = raw or work.path == "sync"
    together = work.block_size_bytes * (1 if alone else work.count) / block_layer.PAGE_BYTES
    traces.append(drawing.now(together, mean / KIB, f"now, simulated: {show_bytes(round(mean))}"))
    layout = drawing.layout(
        290, drawing.axis("pages that wait together", type="log", dtick=1, range=[-0.1, 4.4], tickformat=",d"),
        drawing.axis("KB a request", rangemode="tozero"), top=52,
    )  # fmt: skip
    text = (
        f"{len(served):,} requests of {show_bytes(round(mean))} on average. Points above {show_bytes(documents)} are "
        "lines of iostat on kernel 2.6.5, which counts sectors when they are queued and requests when they complete."
    )
    return Chart(drawing.figure(traces, layout), text)


@lru_cache(maxsize=1)
def pwrite_s() -> dict[int, float]:
    """Pages of a call -> elapsed seconds of document 001's 101 calls, as the model plays them."""
    return {pages: run(load(f"magni-pwrite-{pages}")).time.elapsed_s for pages in (1, 2, 4, 8, 16)}


def pwrite() -> Chart:
    """Document 001's program: 101 synchronous calls of 1 to 16 pages."""
    times = pwrite_s()
    hover = "%{y:.3f} s, %{x} pages"
    traces = [drawing.line("simulated", times, times.values(), (drawing.BLUE, "solid"), hover)]
    points = printed_points.printed("magni_linux_io", "pwrite times", "real")
    traces += printed_points.traces(points, lambda point: float(point.row["pages"]), drawing.RED, name="real: ")
    layout = drawing.layout(
        250, drawing.axis("pages of a call", tickvals=list(times)), drawing.axis("s for 101 calls", rangemode="tozero")
    )
    text = (
        f"Synchronous calls of sixteen pages instead of one: 16 times the bytes in "
        f"{show_number(times[16] / times[1], 2)} times the time, as the pages of a call merge into one request."
    )
    return Chart(drawing.figure(traces, layout), text)


def answer(values: Values) -> LessonAnswer:
    """Everything that the page shows."""
    scenario = scenario_of(values)
    served = requests_of(scenario.system, stream_of(scenario))
    name, changes = place_of(values)
    mean = sum(request.size_bytes for request in served) / len(served)
    numbers = (("Requests", f"{len(served):,}"), ("Mean size", show_bytes(round(mean))))
    return LessonAnswer(picture(scenario, served), (curve(scenario, served), pwrite()), numbers, name, changes)
