"""PCTFREE and row migration: blocks before and after an update, and document 002's table on the law."""

from __future__ import annotations

from typing import Final

from blocktime.app.charts import drawing, segment_charts
from blocktime.app.charts.drawing import LINES
from blocktime.app.charts.segment_charts import PctfreeLine
from blocktime.app.mechanisms import printed_points, table_growth
from blocktime.app.mechanisms.lesson import Chart, LessonAnswer, Values
from blocktime.app.mechanisms.table_growth import BLOCK, PCTFREE, ROWS, SCENARIO

PLAYED: Final = 10_000
"""Rows of the table that the picture is of."""


def picture(values: Values) -> Chart:
    """What is in some blocks before and after, of a smaller table that is played row by row."""
    segment = table_growth.segment(values, PLAYED)
    sample = segment.blocks or []
    old = [block_contents for block_contents in sample if block_contents.before][:2]
    new = [block_contents for block_contents in sample if not block_contents.before][:1]
    figure, text = segment_charts.blocks(segment.model_copy(update={"blocks": [*old, *new]}))
    figure["layout"]["height"] = 150 + 26 * (2 * len(old) + len(new))
    return Chart(figure, f"{text}. The blocks are of a table of {PLAYED:,} rows, simulated row by row.")


def curve(values: Values) -> Chart:
    """Blocks after the update over PCTFREE, a line for each block size, with the six printed numbers."""
    curves = table_growth.over_pctfree(values)
    percents, lines = curves.percents, curves.blocks
    now = (values[BLOCK], float(values[PCTFREE]), table_growth.segment(values).blocks_after)
    figure, text = segment_charts.over_pctfree(percents, lines, now, quantity="blocks after the update")
    figure["data"] += printed_points.traces(
        table_growth.printed("blocks_after"), lambda printed: float(printed.row["pctfree_percent"]),
        lambda point: _colour(lines, int(point.row["block_size_bytes"])), name="Rahn: ",
    )  # fmt: skip
    figure["layout"]["yaxis"] |= {"type": "log", "exponentformat": "none", "tickformat": ",d", "nticks": 6}
    figure["layout"] |= {"height": 300, "margin": figure["layout"]["margin"] | {"t": 52}}
    return Chart(figure, f"{text[:1].upper()}{text[1:]}.")


def _colour(lines: list[PctfreeLine], block_size_bytes: int) -> str:
    """The colour of a block size's line."""
    sizes = [line.block_size_bytes for line in lines]
    return LINES[sizes.index(block_size_bytes)][0] if block_size_bytes in sizes else drawing.GREY


def answer(values: Values) -> LessonAnswer:
    """Everything that the page shows."""
    segment = table_growth.segment(values)
    needed = table_growth.segment(values, PLAYED).pctfree_needed_percent
    numbers = (
        (f"Migrated rows of {table_growth.SEARCH.start[ROWS]:,}", f"{segment.migrated_rows:,.0f}"),
        ("Blocks", f"{segment.blocks_before:,.0f} → {segment.blocks_after:,.0f}"),
        ("Smallest PCTFREE without migration", "none" if needed is None or needed >= 100 else f"{needed:.0f} %"),
    )
    return LessonAnswer(picture(values), (curve(values),), numbers, SCENARIO, table_growth.changes_of(values))
