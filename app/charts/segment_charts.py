"""The segment as figures: bytes of blocks, the freeness map, lines over PCTFREE; pure functions, no Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from blocktime.app.base.lines import evenly
from blocktime.app.charts import drawing
from blocktime.app.charts.drawing import (
    BLUE,
    BROWN,
    CLEAR,
    GREEN,
    GREY,
    LINES,
    OF_TEXT,
    ORANGE,
    PURPLE,
    RED,
    Figure,
    axis,
)
from blocktime.model.laws.assm import CLASS_NAMES
from blocktime.model.results import BlockUse, RunResult, SegmentSpace
from blocktime.model.units import show_bytes, show_number, show_seconds, show_share

# What a block's bytes hold -> field of BlockUse, field that counts it, colour and pattern.
USES: Final[dict[str, tuple[str, str, str, str]]] = {
    "headers": ("header_bytes", "", GREY, "-"),
    "ITL": ("itl_bytes", "itl_entries", PURPLE, "x"),
    "rows": ("row_bytes", "rows", BLUE, ""),
    "migrated pieces": ("moved_bytes", "moved_in", ORANGE, "/"),
    "stubs": ("stub_bytes", "stubs", RED, "\\"),
    "free": ("free_bytes", "", CLEAR, ""),
}
ITL_FULL: Final = "full ITL list"
# Class of the map, in the order of its digits -> colour and symbol.
CELLS: Final[dict[str, tuple[str, str]]] = dict(zip(
    (*CLASS_NAMES, ITL_FULL),
    zip((BLUE, PURPLE, GREEN, BROWN, GREY, RED), ("square", "diamond", "triangle-up", "cross", "circle-open", "x"),
        strict=True), strict=True,
))  # fmt: skip
WORTH_SAYING: Final = 0.005
CELLS_A_LINE: Final = 40
MOST_OLD, MOST_NEW = 4, 3


@dataclass(frozen=True)
class PctfreeLine:
    """One quantity over PCTFREE at one block size; None where no block takes a row."""

    block_size_bytes: int
    values: list[float | None]


def findings(result: RunResult) -> list[str]:
    """Whether rows migrate and which PCTFREE would spare it, and what the search for space takes."""
    return [*_migration(result), *_search(result)]


def _migration(result: RunResult) -> list[str]:
    changes, segment = result.changes, result.segment
    if changes is None or segment is None or not segment.blocks:
        return []
    needed = segment.pctfree_needed_percent
    if needed is None:
        return []
    if not changes.growth_bytes:
        return [
            f"No row grows, so no row migrates. The segment has {segment.blocks_before:,.0f} blocks before and "
            f"{segment.blocks_after:,.0f} after"
        ]
    has = 100 * segment.blocks[0].reserve_bytes / segment.block_size_bytes
    grow = f"Rows grow by {show_number(changes.growth_bytes, 3)} bytes"
    if not changes.migrated:
        rest = f"PCTFREE {has:g} leaves room for all of them"
        if has > needed:
            rest += f"; {needed:.0f} is enough"
        if has < needed:
            rest = f"if every row of a full block grew so, it would take PCTFREE {needed:.0f}"
        return [f"{grow}, and no row migrates; {rest}"]
    share = changes.migrated / changes.table_rows
    grow += f": {changes.migrated:,.0f} of {changes.table_rows:,.0f} updated rows migrate ({show_share(share)})"
    if needed >= 100:
        return [f"{grow}. No PCTFREE prevents migration with that growth"]
    if has < needed:
        return [f"{grow}. With PCTFREE {needed:.0f} or higher, no row migrates"]
    return [f"{grow}, though PCTFREE {needed:.0f} is enough where every row has the mean length"]


def _search(result: RunResult) -> list[str]:
    search, segment = result.space_search, result.segment
    if search is None or segment is None:
        return []
    causes = {
        "whose ITL list is full": search.rejected_itl,
        "that have too little room": search.rejected_space,
        "whose free space another session has not committed": search.rejected_held,
    }
    cause = max(causes, key=lambda name: causes[name])
    if not causes[cause]:
        return []
    if search.elapsed_fraction < WORTH_SAYING:
        return [f"The search for space takes almost no time: {search.rejected:,.0f} rejected probes"]
    again = search.rejected_itl > 2 * (segment.itl_full_blocks or 0)  # the same blocks over and over
    bug = " (bug 6918210)" if again and cause == "whose ITL list is full" else ""
    stack = f"; the stack shows {search.functions[0]}, …, {search.functions[-1]}" if search.functions else ""
    probes = f"{search.rejected:,.0f} rejected probes{stack}"
    return [f"{show_share(search.elapsed_fraction, 1)} of the time probes blocks {cause}{bug}: {probes}"]


def blocks(segment: SegmentSpace) -> tuple[Figure, str]:
    """What the bytes of some blocks hold, before and after, with what PCTFREE reserves."""
    sample = _sample_of(segment)
    size, rows = segment.block_size_bytes, [row for row, _ in sample]
    traces: list[dict[str, Any]] = []
    for name, (field, count, colour, pattern) in USES.items():
        sizes = [getattr(use, field) for _, use in sample]
        counts = [getattr(use, count) if count else 0 for _, use in sample]
        bars = drawing.bars(
            name, rows, sizes, (colour, pattern), width=0.72, hovertemplate="%{y}<br>%{hovertext}<extra></extra>",
            hovertext=[f"{name}: {has:,.0f} bytes" + (f", {number:,.0f}" if count else "")
                       for has, number in zip(sizes, counts, strict=True)],
        )  # fmt: skip
        if colour == CLEAR:
            bars["marker"]["line"]["color"] = GREY
        traces.append(bars)
    reserve = segment.blocks[0].reserve_bytes if segment.blocks else 0.0
    layout = drawing.layout(
        120 + 22 * len(sample),
        axis(f"bytes of a block of {show_bytes(size)}", range=[0, size], tickformat=",d", ticklabeloverflow="allow",
             tickvals=[size * step / 8 for step in range(9)]),
        drawing.rows(rows), (8, 30, 54, 40), barmode="stack",
        shapes=[drawing.upright(size - reserve, color=OF_TEXT, width=3)],
        annotations=[{
            "x": size - reserve, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False,
            "xanchor": "right" if 2 * reserve < size else "left",
            "text": f"PCTFREE {100 * reserve / size:g} keeps {reserve:,.0f} bytes →",
        }],
        legend={"orientation": "h", "y": 1, "yanchor": "top", "yref": "container", "traceorder": "normal"},
    )  # fmt: skip
    return drawing.figure(traces, layout), _said_of_blocks(segment, sample)


def _sample_of(segment: SegmentSpace) -> list[tuple[str, BlockUse]]:
    """Some blocks that were there, before and after, and some that came."""
    sample = segment.blocks or []
    old = evenly([block for block in sample if block.before], MOST_OLD)
    new = evenly([block for block in sample if not block.before], MOST_NEW)
    rows: list[tuple[str, BlockUse]] = []
    for block in [*old, *new]:
        if block.before:
            rows.append((f"block {block.block:,} before", block.before))
        rows.append((f"block {block.block:,} after" if block.before else f"new block {block.block:,}", block.after))
    return rows


def _said_of_blocks(segment: SegmentSpace, sample: Sequence[tuple[str, BlockUse]]) -> str:
    if not sample:
        return "No block is shown"
    row, last = max(sample, key=lambda pair: (pair[1].moved_in, pair[1].stubs))
    return (
        f"{len(sample)} pictures of {show_bytes(segment.block_size_bytes)} blocks; {row} holds {last.rows:,.0f} rows, "
        f"{last.stubs:,.0f} stubs and {last.moved_in:,.0f} migrated pieces, with {last.itl_entries:,.0f} ITL entries "
        f"and {last.free_bytes:,.0f} bytes free"
    )


def freeness_map(cells: str, block_count: float, counts: Mapping[str, float], itl_full: float) -> tuple[Figure, str]:
    """A mark for each block, or each n-th, by its class in the bitmap; colour and shape say which."""
    stride = max(1, round(block_count / max(1, len(cells))))
    blocks_of_class = dict(counts) | ({ITL_FULL: itl_full} if itl_full else {})
    traces: list[dict[str, Any]] = []
    for digit, (name, (colour, symbol)) in enumerate(CELLS.items()):
        places = [place for place, cell in enumerate(cells) if cell == str(digit)]
        if not places and not blocks_of_class.get(name):
            continue
        traces.append(drawing.dots(
            f"{name}: {blocks_of_class[name]:,.0f}" if name in blocks_of_class else name,
            [place % CELLS_A_LINE for place in places] or [None],
            [place // CELLS_A_LINE for place in places] or [None], colour, symbol, 7, showlegend=True,
            text=[f"block {place * stride:,}: {name}" for place in places], hovertemplate="%{text}<extra></extra>",
        ))  # fmt: skip
    lines = -(-len(cells) // CELLS_A_LINE)
    steps = range(0, lines, max(1, lines // 4))
    layout = drawing.layout(
        112 + 12 * lines,
        axis("", showticklabels=False, showgrid=False, range=[-1, CELLS_A_LINE], side="top"),
        axis("block", tickvals=list(steps), showgrid=False, range=[lines - 0.3, -0.7],
             ticktext=[f"{line * CELLS_A_LINE * stride:,}  " for line in steps]),
        margin=(8, 8, 6, 8),
        legend={"orientation": "h", "y": 0, "yanchor": "top", "itemclick": False, "itemdoubleclick": False},
    )  # fmt: skip
    figure = drawing.figure(traces, layout)
    each = f", one mark for every {stride} blocks" if stride > 1 else ""
    text = ", ".join(f"{count:,.0f} {name}" for name, count in counts.items() if count)
    full = f"; {itl_full:,.0f} of them with a full ITL list" if itl_full else ""
    return figure, f"{block_count:,.0f} blocks{each}: {text}{full}"


def over_pctfree(
    percents: Sequence[int], lines: Sequence[PctfreeLine], now: tuple[int, float, float], quantity: str
) -> tuple[Figure, str]:
    """A quantity over PCTFREE for each block size; *now* is block size, PCTFREE and value of the present setting."""
    size, percent, value = now
    seconds = quantity.endswith("seconds")
    show: Callable[[float], str] = show_seconds if seconds else "{:,.0f}".format
    traces: list[dict[str, Any]] = [
        drawing.line(
            show_bytes(line.block_size_bytes), percents, line.values, look, "%{y:,.4~r} with PCTFREE %{x}",
            width=3.5 if line.block_size_bytes == size else 1.8,
        )
        for line, look in zip(lines, LINES, strict=False)
    ]  # fmt: skip
    traces.append(drawing.mark(f"now: {show(value)}", percent, value))
    known = [value for line in lines for value in line.values if value is not None]
    decades = max(known, default=1) > 10 * min(known, default=1)
    scale = {"type": "log", **({"dtick": 1} if decades else {"nticks": 6})}
    layout = drawing.layout(
        290,
        axis("PCTFREE (%)", range=[-1, max([*percents, percent]) + 1], dtick=10),
        axis(quantity, exponentformat="none", **(scale if seconds else {"rangemode": "tozero", "tickformat": ",d"})),
        margin=drawing.SNUG,
    )
    text = f"{quantity} over PCTFREE: now {show(value)} at {show_bytes(size)} and PCTFREE {percent:g}"
    curves = [line.values for line in lines if line.block_size_bytes == size]
    if points := [(y, x) for values in curves for x, y in zip(percents, values, strict=True) if y is not None]:
        least, at = min(points)
        text += f"; the least at {show_bytes(size)} is {show(least)}, at PCTFREE {at}"
    return drawing.figure(traces, layout), text
