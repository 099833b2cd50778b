"""PCTFREE and row migration: blocks before and after an update, and document 002's table on the law."""

from __future__ import annotations

from typing import Final

from app.charts import drawing, segment_charts
from app.charts.drawing import LINES
from app.charts.segment_charts import Line
from app.mechanisms import growing, measured
from app.mechanisms.growing import BLOCK, GROWTH, N2_BYTES, PCTFREE, ROWS, SCENARIO, UPDATED
from app.mechanisms.lesson import RAHN_PCTFREE, Answer, Chart, Knob, Lesson, Source, Values

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


def _colour(lines: list[Line], block_size_bytes: int) -> str:
    """The colour of a block size's line."""
    sizes = [line.block_size_bytes for line in lines]
    return LINES[sizes.index(block_size_bytes)][0] if block_size_bytes in sizes else drawing.GREY


def answer(values: Values, ink: str) -> Answer:
    """Everything that the page shows."""
    outcome = growing.outcome(values)
    needed = growing.played(values, PLAYED).pctfree_needed_percent
    numbers = (
        (f"Migrated rows of {growing.START[ROWS]:,}", f"{outcome.migrated:,.0f}"),
        ("Blocks", f"{outcome.blocks_before:,.0f} → {outcome.blocks_after:,.0f}"),
        ("Smallest PCTFREE without migration", "none" if needed is None or needed >= 100 else f"{needed:.0f} %"),
    )  # fmt: skip
    return Answer(picture(values, ink), (curve(values, ink),), numbers, SCENARIO, growing.changes_of(values))


KNOBS: Final = (
    Knob(BLOCK, "Block size", 8192, growing.SIZES, kind="update"),
    Knob(PCTFREE, "PCTFREE", 10, low=0, high=50, kind="update", unit="%"),
    Knob(GROWTH, "Bytes of the new value", N2_BYTES, (1, 2, 3, 4, N2_BYTES, 6, 8, 12, 21), kind="update",
         titles={N2_BYTES: "4.99 bytes (as measured)"}, unit="bytes",
         says="The update sets a NUMBER that was NULL: the row grows by so many bytes and one of length"),
    Knob(UPDATED, "Rows updated", 100, low=5, high=100, step=5, kind="update", unit="%",
         says="Step the update: so many of each block's rows have been updated"),
)  # fmt: skip

LESSON: Final = Lesson(
    path="mechanism-row-migration",
    title="PCTFREE and row migration",
    mechanism="row migration",
    says="A row that grows stays while its block has any room, the PCTFREE reserve included. Else the whole row moves "
    "to another block, 6 bytes longer, and a stub of 9 bytes stays where the index points to.",
    law=r"rows = \left\lfloor \frac{block - headers - \tfrac{PCTFREE}{100}\,block}{row + 2} \right\rfloor,\qquad "
    r"migrate = \left\lceil \frac{rows \cdot growth - free}{growth + freed} \right\rceil",
    symbols="free: the block's room when the update comes, PCTFREE's included; freed: what a leaving row gives back "
    "beyond its stub. headers: 74 + 24·ITL bytes under ASSM. Each migrated piece takes 24 bytes more for an ITL entry "
    "of its own.",
    assumes="rows of equal length, updated in the order of their blocks, in one transaction by one session; the lines "
    "are the closed form's, which is mostly within 5 % of the row-by-row simulation behind numbers and picture.",
    law_in="model/laws/block.py, growth.py; the simulation is model/machine/segment/heap.py",
    sources=(
        RAHN_PCTFREE,
        Source("adams-migration", "Steve Adams", "Row migration"),
        Source("oracle-concepts", "Oracle", "Oracle Database Concepts"),
    ),
    asks="Rows of 9 bytes grow by 6. Does PCTFREE 20 avoid half of the migrations of PCTFREE 0?",
    knobs=KNOBS,
    answer=answer,
)  # fmt: skip
