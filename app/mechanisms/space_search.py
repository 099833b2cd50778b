"""ASSM search: the bitmap while rows migrate, probes that grow with the square, and document 002's six times."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from blocktime.app.charts import drawing, segment_charts
from blocktime.app.mechanisms import printed_points, table_growth
from blocktime.app.mechanisms.lesson import Chart, LessonAnswer, Values
from blocktime.app.mechanisms.table_growth import BLOCK, PCTFREE, RELEASE, ROWS, SCENARIO, SPACE, UPDATED
from blocktime.model.laws import assm, block
from blocktime.model.units import show_bytes, show_number, show_seconds

WAYS: Final = (
    ("ASSM, 10.2.0.4: with the bug", "10.2.0.4", "assm", drawing.RED, "solid"),
    ("ASSM, 11.2.0.4: without it", "11.2.0.4", "assm", drawing.BLUE, "dash"),
    ("manual: free lists", "10.2.0.4", "manual", drawing.GREEN, "dot"),
)
MADE: Final = {10: drawing.RED, 35: drawing.PURPLE}
"""PCTFREE of document 002 -> colour of its points."""


PLAYED: Final = 10_000
"""Rows of the table that the picture is of."""


def picture(values: Values) -> Chart:
    """The map of freeness after the step that is chosen, of a smaller table that is played row by row."""
    segment = table_growth.segment(values, PLAYED)
    if segment.map_after is None:
        figure, text = segment_charts.blocks(segment)
        text = f"Free lists have no bitmap. {text}"
    else:
        full, classes = segment.itl_full_blocks or 0.0, segment.freeness_after or {}
        figure, text = segment_charts.freeness_map(segment.map_after, segment.blocks_after, classes, full)
    return Chart(
        figure,
        f"A table of {PLAYED:,} rows, simulated row by row: {text}. A block with a full ITL list is marked as such, "
        "whatever class the bitmap has it in.",
    )


def growth_curve(values: Values) -> Chart:
    """Rejected probes over migrated rows: the law's square where blocks stay offered, its line where they do not."""
    size = int(values[BLOCK])
    segment, limit = table_growth.segment(values), block.itl_limit(size)
    probes = segment.rejected_probes or 0.0
    pieces = np.linspace(0, max(table_growth.segment({**values, UPDATED: 100}).migrated_rows, 1.0), 60)
    square, straight = assm.itl_rejections(pieces, limit), assm.space_rejections(pieces, limit)
    hover = "%{y:,.3~r} probes, %{x:,.0f} rows"
    traces = [
        drawing.line("offered again and again: M²/(2·limit)", pieces, square, (drawing.RED, "solid"), hover, width=3),
        drawing.line("marked full when rejected: M/limit", pieces, straight, (drawing.BLUE, "dash"), hover),
        drawing.now(segment.migrated_rows, probes, f"now: {probes:,.0f}"),
    ]
    layout = drawing.layout(
        250,
        drawing.axis("migrated rows", rangemode="tozero", tickformat="~s"),
        drawing.axis("rejected probes", rangemode="tozero", tickformat="~s"),
    )
    text = (
        f"Blocks of {show_bytes(size)} take {limit:,.0f} ITL entries, so at most that many migrated rows a "
        "transaction; where space runs out first, the block is marked full and the search stays short."
    )
    return Chart(drawing.figure(traces, layout), text)


def seconds_curve(values: Values) -> Chart:
    """Elapsed time over block size: with the bug, without, and under free lists; document 002's six times."""
    traces: list[dict[str, Any]] = []
    sizes, whole = list(table_growth.SIZES), {**values, UPDATED: 100}
    hover = "%{y:,.4~r} s at %{x} bytes"
    for name, release, space, colour, dash in WAYS:
        is_current = (values[RELEASE], values[SPACE]) == (release, space)
        curves = table_growth.over_block_size({**whole, RELEASE: release, SPACE: space})
        traces.append(drawing.line(
            name, sizes, curves, (colour, dash), hover, width=3.5 if is_current else 1.8, mode="lines+markers",
            marker={"size": 5},
        ))  # fmt: skip
    for percent, colour in MADE.items():
        if percent != values[PCTFREE]:
            curves = table_growth.over_block_size({**whole, PCTFREE: percent, RELEASE: "10.2.0.4", SPACE: "assm"})
            name = f"PCTFREE {percent}, ASSM, 10.2.0.4"
            traces.append(drawing.line(name, sizes, curves, (colour, "longdash"), hover, width=1.2))
        those = [
            printed for printed in table_growth.printed("update_time") if printed.row["pctfree_percent"] == percent
        ]
        traces += printed_points.traces(
            those, lambda printed: float(printed.row["block_size_bytes"]), colour, name=f"PCTFREE {percent}: "
        )
    took = table_growth.played(whole).time.elapsed_s
    traces.append(drawing.now(values[BLOCK], took, f"now: {show_seconds(took)}"))
    layout = drawing.layout(
        320, drawing.log_sizes("block size", sizes[0], sizes[-1]),
        drawing.axis("s for the update", type="log", dtick=1, exponentformat="none"), top=90,
    )  # fmt: skip
    text = (
        f"The whole update of {values[ROWS]:,} rows at PCTFREE {values[PCTFREE]:g}. The lines are the law's; the ring "
        "is worked out row by row, as What if does."
    )
    if values[ROWS] != table_growth.SEARCH.start[ROWS]:
        text += f" The points are of {table_growth.SEARCH.start[ROWS]:,} rows."
    return Chart(drawing.figure(traces, layout), text)


def answer(values: Values) -> LessonAnswer:
    """Everything that the page shows."""
    segment = table_growth.segment(values)
    migrated, probes = segment.migrated_rows, segment.rejected_probes or 0.0
    numbers = (
        ("Elapsed", show_seconds(table_growth.played(values).time.elapsed_s)),
        ("Migrated rows", f"{migrated:,.0f}"),
        ("Rejected probes", f"{probes:,.0f}"),
        ("Probes per migrated row", show_number(probes / migrated if migrated else 0, 3)),
    )
    curves = (seconds_curve(values), growth_curve(values))
    return LessonAnswer(picture(values), curves, numbers, SCENARIO, table_growth.changes_of(values))
