"""Multiblock reads: the same bucket in coins of several sizes, reads and blocks over block size, the time of a read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from blocktime.app.charts import drawing
from blocktime.app.mechanisms import measured
from blocktime.app.mechanisms.changed import answered, changed, over, settings_of
from blocktime.app.mechanisms.lesson import Chart, LessonAnswer, Values, lesson_of
from blocktime.model.demand.reading import mbrc_of
from blocktime.model.laws.scan_reads import aligned_pieces
from blocktime.model.units import KIB, MIB, show_bytes, show_number, show_seconds
from blocktime.scenarios import Scenario

SCENARIO: Final = "rahn-full-scan"
BLOCK, MBRC, RELEASE, DIRECT, CACHED = (
    "tablespace.block_size_bytes", "instance.db_file_multiblock_read_count", "instance.release",
    "instance.serial_direct_read", "cached",
)  # fmt: skip
LESSON: Final = lesson_of("multiblock")
COINS: Final = LESSON.knob(BLOCK).options
COUNTS: Final = (1, 2, 4, 8, 16, 32, 64, 128)
LOOKS: Final = ((drawing.BLUE, ""), (drawing.GREEN, "/"))
READERS: Final = (
    ("Shallahamer: from the page cache", "shallahamer-buffered", "elapsed_s", drawing.BLUE, "solid"),
    ("Savvinov: a disk of 160 MB/s", "savvinov-pio-lio", "read_wait_s", drawing.ORANGE, "dash"),
)
DEFAULT_BLOCK: Final = 8 * KIB


def changes_of(values: Values) -> dict[str, str]:
    """What the controls change in the scenario."""
    changes = {
        path: str(values[path])
        for path, start in LESSON.start.items()
        if path != CACHED and values[path] != start
    }
    if values[CACHED]:
        changes["table.cached_fraction"] = f"{values[CACHED] / 100:g}"
    return changes


def scenario_of(values: Values) -> Scenario:
    """The scenario that the controls describe."""
    return changed(SCENARIO, changes_of(values))


def reads_of_a_megabyte(scenario: Scenario, block_size_bytes: int) -> list[int]:
    """Blocks of each read of an uncached megabyte that begins where a read may."""
    blocks = MIB // block_size_bytes
    window = scenario.system.instance.max_io_bytes // block_size_bytes
    mbrc = int(mbrc_of(scenario.system.instance, block_size_bytes))
    return [
        int(piece.blocks)
        for piece in aligned_pieces(0, blocks, window, mbrc)
        for _ in range(int(piece.count))
    ]


def picture(values: Values, scenario: Scenario) -> Chart:
    """A megabyte in blocks of each size, and the reads that fetch it."""
    traces: list[dict[str, Any]] = []
    rows = []
    mine: list[int] = []
    for place, coin in enumerate(COINS):
        reads = reads_of_a_megabyte(scenario, coin)
        mine = reads if coin == values[BLOCK] else mine
        name = f"{'▶ ' if coin == values[BLOCK] else ''}{show_bytes(coin)}: {sum(reads):,} blocks"
        rows.append(name)
        sizes = [blocks * coin / KIB for blocks in reads]
        ends = np.cumsum(sizes)
        traces.append(drawing.pieces(
            place, sizes, (ends - sizes).tolist(), LOOKS, [f"{blocks:,}" for blocks in reads],
            [f"a read of {blocks:,} blocks, {show_bytes(size * KIB)}"
             for blocks, size in zip(reads, sizes, strict=True)], showlegend=False,
        ))  # fmt: skip
    edges = [
        (place, block * coin / KIB) for place, coin in enumerate(COINS) for block in range(1, MIB // coin)
    ]
    traces.append({
        "type": "scatter", "mode": "markers", "x": [at for _, at in edges], "y": [place + 0.26 for place, _ in edges],
        "marker": {"symbol": "line-ns", "size": 7, "line": {"color": "rgba(255,255,255,.75)", "width": 1}},
        "hoverinfo": "skip",
    })  # fmt: skip
    layout = drawing.layout(
        285,
        drawing.axis("KB of the table, one bar a read; the ticks in it part its blocks", range=[0, 1024],
                     tickvals=list(range(0, 1025, 128))),
        drawing.axis("", tickvals=list(range(len(rows))), ticktext=[f"{row}  " for row in rows], range=[4.6, -0.6],
                     showgrid=False),
        barmode="overlay",
        showlegend=False, top=8,
    )  # fmt: skip
    text = (
        f"A megabyte of the table, none of it cached, is {sum(mine):,} blocks of {show_bytes(values[BLOCK])} and "
        f"takes {len(mine):,} "
        f"read{'s' if len(mine) > 1 else ''} of {max(mine):,} blocks. DB_FILE_MULTIBLOCK_READ_COUNT counts blocks of "
        f"the "
        "default size and so stands for bytes."
    )
    return Chart(drawing.figure(traces, layout), text)


def over_block_size(values: Values, measure: str) -> Sequence[float]:
    """Blocks or reads of the scan over COINS."""
    changes = changes_of({**values, BLOCK: LESSON.start[BLOCK]})
    levels: Sequence[float] = over(SCENARIO, settings_of(changes), BLOCK, COINS)[measure]
    return levels


def curve(values: Values) -> Chart:
    """Blocks and reads of the whole table over block size, with what TKPROF printed."""
    lines = (
        ("blocks (the coins)", {**values, CACHED: 0}, "read_blocks", drawing.ORANGE, "solid"),
        ("reads, MBRC 8", {**values, MBRC: "8"}, "read_requests", drawing.GREEN, "dash"),
        ("reads, MBRC as chosen", values, "read_requests", drawing.BLUE, "solid"),
    )
    traces = [
        drawing.line(
            name, COINS, over_block_size(those, measure), (colour, dash), "%{y:,.0f} at %{x} bytes",
            width=3 if those is values else 2,
        )
        for name, those, measure, colour, dash in lines
    ]  # fmt: skip
    size = "block_size_bytes"
    traces += measured.traces(
        measured.printed("rahn_full_scan", "fetch", "disk"), lambda printed: float(printed.row[size]), drawing.RED,
        name="disk: ",
    )  # fmt: skip
    event = "direct path read"
    waits = [
        wait for wait in measured.printed("rahn_full_scan", "waits", "waits") if wait.row["event"] == event
    ]
    traces += measured.traces(waits, lambda wait: float(wait.row[size]), drawing.PURPLE, name=f"{event}: ")
    at = COINS.index(values[BLOCK])
    blocks, reads = (over_block_size(values, measure)[at] for measure in ("read_blocks", "read_requests"))
    traces.append(drawing.now(values[BLOCK], reads, f"now: {reads:,.0f} reads"))
    layout = drawing.layout(
        310, drawing.log_sizes("block size", COINS[0], COINS[-1]),
        drawing.axis("blocks or reads of the table", type="log", dtick=1, exponentformat="none", tickformat=",d"),
        top=74,
    )  # fmt: skip
    text = f"{blocks:,.0f} blocks in {reads:,.0f} reads: larger blocks are fewer, but the reads carry the same bytes."
    elapsed = [point.value for point in measured.printed("rahn_full_scan", "client", "elapsed_s")]
    if elapsed:
        text += (
            f" Document 000 (MBRC not set, nothing cached) took {min(elapsed):.1f} to {max(elapsed):.1f} s "
            f"at its {len(elapsed)} block sizes."
        )
    return Chart(drawing.figure(traces, layout), text)


def read_s(scenario: str, measure: str) -> Sequence[float]:
    """Seconds of a read over COUNTS blocks of 8K."""
    curves = over(scenario, (), MBRC, COUNTS)
    seconds: Sequence[float] = curves[measure] / curves["read_requests"]
    return seconds


def times() -> Chart:
    """Time of a read over its size, with document 003's strace and document 004's sentence."""
    sizes = [count * DEFAULT_BLOCK for count in COUNTS]
    traces = [
        drawing.line(name, sizes, [1000 * each for each in read_s(scenario, measure)], (colour, dash),
                     "%{y:,.3~r} ms for %{x} bytes")
        for name, scenario, measure, colour, dash in READERS
    ]  # fmt: skip
    strace = measured.printed("shallahamer_direct_reads", "strace pread", "since_before_s")
    traces += measured.traces(
        strace, lambda printed: float(printed.row["bytes"]), drawing.RED, scale=1000, name="strace: "
    )
    said_004 = measured.printed("savvinov_logical_io", "read against gets", "read")
    traces += measured.traces(said_004, lambda _: float(MIB), drawing.PURPLE, scale=1000, name="Savvinov: ")
    layout = drawing.layout(
        280, drawing.log_sizes("bytes of a read", sizes[0], sizes[-1]),
        drawing.axis("ms a read", type="log", dtick=1, exponentformat="none"), top=56,
    )  # fmt: skip
    each = read_s(READERS[0][1], READERS[0][2])
    text = (
        f"On Shallahamer's system a read of 64K takes {show_number(each[3] / each[0], 2)} times as long as one of 8K, "
        f"one of 1M {show_number(each[-1] / each[-4], 2)} times as long as one of 128K: the larger the reads, the less "
        "there is to win. Its line and its strace include the CPU between two reads; Savvinov's point is a wait."
    )
    return Chart(drawing.figure(traces, layout), text)


def answer(values: Values) -> LessonAnswer:
    """Everything that the page shows."""
    scenario = scenario_of(values)
    result = answered(SCENARIO, changes_of(values))
    largest = max((size for size, count in result.physical_io.request_blocks.items() if count > 0), default=0)
    numbers = (
        ("Reads", f"{result.physical_io.read_requests:,.0f}"),
        ("Largest read", f"{largest:,} blocks"),
        ("Elapsed", show_seconds(result.time.elapsed_s)),
    )
    return LessonAnswer(
        picture(values, scenario), (curve(values), times()), numbers, SCENARIO, changes_of(values)
    )
