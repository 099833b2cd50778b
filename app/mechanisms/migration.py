"""PCTFREE and row migration: blocks before and after an update, and document 002's table on the law."""

from __future__ import annotations

from typing import Final

from app.charts import drawing, segment_charts
from app.charts.drawing import LINES
from app.charts.segment_charts import PctfreeLine
from app.mechanisms import growing, measured
from app.mechanisms.growing import BLOCK, PCTFREE, ROWS, SCENARIO
from app.mechanisms.lesson import Chart, LessonAnswer, Values

PLAYED: Final = 10_000
"""Rows of the table that the picture is of."""


def picture(values: Values, ink: str) -> Chart:
    """What is in some blocks before and after, of a smaller table that is played row by row."""
    segment = growing.played(values, PLAYED)
    sample = segment.blocks or []
    old = [block_contents for block_contents in sample if block_contents.before][:2]
    new = [block_contents for block_contents in sample if not block_contents.before][:1]
    figure, text = segment_charts.blocks(segment.model_copy(update={"blocks": [*old, *new]}), ink=ink)
    figure["layout"]["height"] = 150 + 26 * (2 * len(old) + len(new))
    return Chart(figure, f"{text}. The blocks are of a table of {PLAYED:,} rows, simulated row by row.")


def curve(values: Values, ink: str) -> Chart:
    """Blocks after the update over PCTFREE, a line for each block size, with the six printed numbers."""
    percents, lines = growing.over_pctfree(values)
    now = (values[BLOCK], float(values[PCTFREE]), growing.outcome(values).blocks_after)
    figure, text = segment_charts.over_pctfree(
        percents, lines, now, quantity="blocks after the update", ink=ink
    )
    figure["data"] += measured.traces(
        growing.printed("blocks_after"), lambda printed: float(printed.row["pctfree_percent"]),
        lambda point: _colour(lines, int(point.row["block_size_bytes"])), name="Rahn: ",
    )  # fmt: skip
    figure["layout"]["yaxis"] |= {"type": "log", "exponentformat": "none", "tickformat": ",d", "nticks": 6}
    figure["layout"]["height"] = 300
    figure["layout"]["margin"]["t"] = 52
    return Chart(figure, f"{text[:1].upper()}{text[1:]}.")


def _colour(lines: list[PctfreeLine], block_size_bytes: int) -> str:
    """The colour of a block size's line."""
    sizes = [line.block_size_bytes for line in lines]
    return LINES[sizes.index(block_size_bytes)][0] if block_size_bytes in sizes else drawing.GREY


def answer(values: Values, ink: str) -> LessonAnswer:
    """Everything that the page shows."""
    outcome = growing.outcome(values)
    needed = growing.played(values, PLAYED).pctfree_needed_percent
    numbers = (
        (f"Migrated rows of {growing.START[ROWS]:,}", f"{outcome.migrated:,.0f}"),
        ("Blocks", f"{outcome.blocks_before:,.0f} → {outcome.blocks_after:,.0f}"),
        ("Smallest PCTFREE without migration", "none" if needed is None or needed >= 100 else f"{needed:.0f} %"),
    )  # fmt: skip
    return LessonAnswer(
        picture(values, ink), (curve(values, ink),), numbers, SCENARIO, growing.changes_of(values)
    )
