"""Logical I/O: rows in cache lines, what a get costs and why, and document 004's eighteen times on the law."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np

from blocktime.app.charts import drawing
from blocktime.app.mechanisms import printed_points
from blocktime.app.mechanisms.lesson import Chart, LessonAnswer, Values, lesson_of
from blocktime.app.mechanisms.lesson_scenarios import answered, changed
from blocktime.model.engine import calculate_many
from blocktime.model.laws import block
from blocktime.model.laws.buffer_gets import CACHE_LINE_BYTES, row_walk_s
from blocktime.model.units import show_bytes, show_number, show_seconds, show_share
from blocktime.scenarios import Scenario, load

HOST, LENGTH, COLUMNS, BLOCK = "host.use", "row_length", "table.column_count", "tablespace.block_size_bytes"
MACHINES: Final = {"savvinov-pc": ("savvinov-lio-pc", "A"), "savvinov-server": ("savvinov-lio-server", "B")}
LOOKS: Final = {1: (drawing.BLUE, "solid"), 5: (drawing.GREEN, "dash"), 25: (drawing.ORANGE, "dot")}
LENGTHS: Final = np.unique(np.round(np.geomspace(25, 7600, 70)))
# Part of a get -> colour and pattern.
PARTS: Final = {
    "the get": (drawing.GREY, ""),
    "missed cache lines": (drawing.RED, "x"),
    "streamed cache lines": (drawing.BLUE, "/"),
    "a step a row": (drawing.GREEN, ""),
    "a step a column": (drawing.ORANGE, "."),
}
STEPS: Final = {
    "in the same line: free": (drawing.GREEN, "circle"),
    "in the adjoining line: streamed": (drawing.BLUE, "diamond"),
    "farther: a missed line": (drawing.RED, "x"),
}
LINES, ROWS = 40, 24
"""Cache lines and rows that are drawn at most."""


def row_bytes(length: float, columns: int) -> float:
    """The row piece of *length* bytes of data in equal columns."""
    return float(block.row_bytes(columns * block.column_bytes(length / columns)))


def changes_of(values: Values) -> dict[str, str]:
    """What the controls change in the machine's scenario."""
    length = f"{row_bytes(values[LENGTH], values[COLUMNS]):.12g}"
    return {"table.row_bytes": length, **lesson_of("logical_io").settings(values, MACHINES[values[HOST]][0])}


def scenario_of(values: Values) -> Scenario:
    """The scenario that the controls describe."""
    return changed(MACHINES[values[HOST]][0], changes_of(values))


def parts_of(scenario: Scenario, rows: float) -> dict[str, float]:
    """Seconds of a get by cause: the walk's law with one of its constants at a time."""
    host, table = scenario.system.host, scenario.system.table
    slot = block.slot_bytes(table.row_bytes)

    def walked(columns: float, miss_s: float, stream_s: float, step_s: float) -> float:
        walk = row_walk_s(
            slot, columns, line_miss_s=miss_s, line_stream_s=stream_s, row_step_s=step_s,
            column_step_ratio=host.column_step_ratio,
        )  # fmt: skip
        return float(rows * walk)

    steps = walked(0, 0.0, 0.0, host.row_step_s)
    columns = walked(table.column_count or 1, 0.0, 0.0, host.row_step_s) - steps
    missed, streamed = walked(0, host.line_miss_s, 0.0, 0.0), walked(0, 0.0, host.line_stream_s, 0.0)
    return dict(zip(PARTS, (host.logical_io_s, missed, streamed, steps, columns), strict=True))


def picture(values: Values) -> Chart:
    """The first rows of a block in their cache lines, and the parts of a get on both machines."""
    scenario = scenario_of(values)
    slot = float(block.slot_bytes(scenario.system.table.row_bytes))
    starts = [slot * rank for rank in range(ROWS) if slot * rank < LINES * CACHE_LINE_BYTES]
    both = {label: scenario_of({**values, HOST: host}) for host, (_, label) in MACHINES.items()}
    got = {label: rows_and_cost({**values, HOST: host}) for host, (_, label) in MACHINES.items()}
    split = {label: parts_of(scenario, got[label][0]) for label, scenario in both.items()}
    layout = drawing.layout(
        320,
        drawing.axis(f"byte of a cache line of {CACHE_LINE_BYTES}", domain=[0, 0.36], range=[-2, CACHE_LINE_BYTES + 1],
                     tickvals=[0, 16, 32, 48, 64], showgrid=False),
        drawing.axis("cache line of the block", range=[min(LINES, starts[-1] // 64 + 2), -1], showgrid=False),
        xaxis2=drawing.axis("µs a get", domain=[0.5, 1], anchor="y2", rangemode="tozero"),
        yaxis2=drawing.axis("", anchor="x2", autorange="reversed", ticksuffix="  "),
        barmode="stack", top=76,
    )  # fmt: skip
    _, label = MACHINES[values[HOST]]
    rows, cost = got[label]
    largest = max(split[label], key=lambda part: split[label][part])
    text = (
        f"Rows lie {show_number(slot, 5)} bytes apart, {rows:,.0f} in a block of {show_bytes(values[BLOCK])}; on "
        f"machine {label} a get that walks them takes {show_seconds(cost)}, most of it {largest} "
        f"({show_share(split[label][largest] / cost)})."
    )
    return Chart(drawing.figure([*_rows(starts), *_costs(split)], layout), text)


def _rows(starts: list[float]) -> list[dict[str, Any]]:
    """Cache lines, and the rows that begin in them, by how far each lies from the last."""
    ends = [(x, line) for line in range(LINES) for x in (0, CACHE_LINE_BYTES - 1, None)]
    traces = [drawing.line(
        "", [x for x, _ in ends], [None if x is None else y for x, y in ends], (drawing.FAINT, "solid"), (), width=3,
        showlegend=False, hoverinfo="skip",
    )]  # fmt: skip
    kinds = ["farther: a missed line"]
    for before, after in pairwise(starts):
        apart = int(after // CACHE_LINE_BYTES - before // CACHE_LINE_BYTES)
        kinds.append(list(STEPS)[min(apart, 2)])
    for name, (colour, symbol) in STEPS.items():
        those = [start for start, kind in zip(starts, kinds, strict=True) if kind == name]
        if those:
            traces.append(drawing.dots(
                name, [start % CACHE_LINE_BYTES for start in those], [start // CACHE_LINE_BYTES for start in those],
                colour, symbol,
                hovertemplate=f"a row begins at byte %{{x:.0f}} of cache line %{{y}}, {name}<extra></extra>",
            ))  # fmt: skip
    return traces


def _costs(split: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    """The parts of a get on each machine."""
    machines = [f"machine {label}" for label in split]
    return [
        drawing.bars(
            name, machines, [1e6 * part for part in each], look, xaxis="x2", yaxis="y2", width=0.55,
            text=[show_seconds(part) for part in each], textposition="none",
            hovertemplate=f"%{{y}}, {name}: %{{text}}<extra></extra>",
        )
        for name, look in PARTS.items()
        if any(each := [of_machine[name] for of_machine in split.values()])
    ]  # fmt: skip


def rows_and_cost(values: Values) -> tuple[float, float]:
    """Rows of a block, and CPU seconds of a get."""
    result = answered(MACHINES[values[HOST]][0], changes_of(values))
    assert result.segment is not None
    assert result.logical_io is not None
    return result.segment.rows_per_block, result.logical_io.cpu_per_get_s


@lru_cache(maxsize=64)
def law(scenario_name: str, columns: int, block_size_bytes: int) -> tuple[list[float], list[float]]:
    """Rows per block and CPU of a get, for rows from long to short."""
    base = load(scenario_name, [f"{COLUMNS}={columns}", f"{BLOCK}={block_size_bytes}"])
    lengths = LENGTHS[(columns <= LENGTHS) & (0.9 * block_size_bytes > LENGTHS)][::-1]
    pieces = np.array([row_bytes(length, columns) for length in lengths])
    curves = calculate_many(base.system, base.workload, {"table.row_bytes": pieces})
    rows, first = np.unique(curves["rows_per_block"], return_index=True)
    return rows.tolist(), curves["cpu_per_get_s"][first].tolist()


def rows_of_point(point: printed_points.Printed) -> float:
    """Rows per block of the table that a printed time is about."""
    length, columns = int(point.row["row_length"]), int(point.row["columns"])
    return rows_and_cost({HOST: "savvinov-pc", LENGTH: length, COLUMNS: columns, BLOCK: 8192})[0]


def curve(values: Values) -> Chart:
    """CPU of a get over rows per block, a panel for each machine, with what document 004 printed."""
    traces: list[dict[str, Any]] = []
    for place, (name, label) in enumerate(MACHINES.values()):
        axes = {"xaxis": f"x{place + 1 if place else ''}", "yaxis": f"y{place + 1 if place else ''}"}
        for columns, look in LOOKS.items():
            rows, cost = law(name, columns, values[BLOCK])
            word = "column" if columns == 1 else "columns"
            traces.append(drawing.line(
                f"{columns} {word}", rows, [1e6 * each for each in cost], look,
                "%{y:,.3~r} µs, %{x:,.0f} rows", showlegend=not place, legendgroup=str(columns), **axes,
            ))  # fmt: skip
        traces += printed_points.traces(
            printed_points.printed("savvinov_logical_io", "lio", label), rows_of_point,
            lambda printed: LOOKS[int(printed.row["columns"])][0], scale=1e6, showlegend=not place, **axes,
        )  # fmt: skip
    rows_now, cost_now = rows_and_cost(values)
    place = list(MACHINES).index(values[HOST])
    axes = {"xaxis": "x2", "yaxis": "y2"} if place else {}
    traces.append(drawing.now(rows_now, 1e6 * cost_now, f"now: {show_seconds(cost_now)}", **axes))
    panel = {"type": "log", "dtick": 1, "exponentformat": "none"}
    layout = drawing.layout(
        320,
        drawing.axis("rows per block", **panel, domain=[0, 0.47]),
        drawing.axis("µs a get", rangemode="tozero"),
        xaxis2=drawing.axis("rows per block", **panel, domain=[0.54, 1], anchor="y2"),
        yaxis2=drawing.axis("", rangemode="tozero", anchor="x2"),
        annotations=[
            drawing.note("machine A: a PC", 0.02, 0.98, yanchor="top"),
            drawing.note("machine B: a Sun M8000", 0.56, 0.98, yanchor="top"),
        ],
        top=56,
    )
    odd = "".join(f" The cross at {show_seconds(point.value)} is a known gap: no law fits it and its neighbours."
                  for point in printed_points.printed("savvinov_logical_io", "lio", "A")
                  if point.mark == printed_points.GAP)  # fmt: skip
    name, label = MACHINES[values[HOST]]
    (rows, cost), (other_rows, more) = (law(name, columns, values[BLOCK]) for columns in (1, 25))
    top = min(rows[-1], other_rows[-1])
    by_columns = np.interp(top, other_rows, more) / np.interp(top, rows, cost)
    text = (
        f"On machine {label} a get of {rows[-1]:,.0f} rows costs {show_number(cost[-1] / cost[0], 2)} times as much as "
        f"one of {rows[0]:,.0f}. At {top:,.0f} rows, 25 columns in place of one make it "
        f"{show_number(by_columns, 3)} times as much. Points are of 8K blocks, lines of "
        f"{show_bytes(values[BLOCK])}.{odd}"
    )
    return Chart(drawing.figure(traces, layout), text)


def answer(values: Values) -> LessonAnswer:
    """Everything that the page shows."""
    rows, cost = rows_and_cost(values)
    numbers = (
        ("A get", show_seconds(cost)),
        ("Rows per block", f"{rows:,.0f}"),
        ("Time per row", show_seconds(cost / rows)),
    )
    return LessonAnswer(picture(values), (curve(values),), numbers, MACHINES[values[HOST]][0], changes_of(values))
