"""Index or full scan: what both ways read, and from which share of the rows on the full scan is quicker."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from blocktime.app.charts import drawing
from blocktime.app.mechanisms import printed_points
from blocktime.app.mechanisms.lesson import Chart, LessonAnswer, Values, lesson_of
from blocktime.app.mechanisms.lesson_scenarios import answered, law_over, settings_of
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds

SHARE, CLUSTERING, ROW, CACHED, BLOCK, DISK, MBRC = (
    "workload.selectivity_fraction", "index.clustering", "table.row_bytes", "cached",
    "tablespace.block_size_bytes", "disk.use", "instance.db_file_multiblock_read_count",
)  # fmt: skip
LESSON: Final = lesson_of("index_or_scan")
SHARES: Final = np.geomspace(1e-5, 1, 61)
TICKS: Final = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
# Way to the rows -> what makes the scenario it; a filter's share is of no matter to a count.
WAYS: Final = {
    "range": {},
    "full": {"workload.kind": "full_scan", "workload.filter_fraction": "0.5"},
    "fast_full": {"workload.access": "fast_full", "workload.index_only": "true"},
}
LOOKS: Final = {"clustered": (drawing.BLUE, "solid"), "scattered": (drawing.ORANGE, "dash")}
FULL_LOOK: Final = (drawing.GREEN, "dot")
NAMES: Final = {
    "range": "index range scan",
    "full": "full scan",
    "fast_full": "fast full scan, if the<br>index has all columns",
}
Numbers = npt.NDArray[np.float64]


def changes_of(values: Values) -> dict[str, str]:
    """What the controls change in the scenario."""
    changes = {"workload.select": "count", **LESSON.settings(values)}
    if ROW in changes:
        changes |= {"table.columns": "[]", "table.column_count": "24"}
    return changes


def result_of(values: Values, way: str) -> RunResult:
    """The answer to the scenario that the controls describe, by one of WAYS."""
    changes = changes_of(values) | WAYS[way]
    if way == "full":
        changes.pop(SHARE, None)
    return answered(LESSON.scenario, changes)


def over_shares(values: Values, clustering: str) -> Mapping[str, Numbers]:
    """Every measure of the range scan over SHARES."""
    changes = changes_of({**values, CLUSTERING: clustering, SHARE: LESSON.start[SHARE]})
    return law_over(LESSON.scenario, settings_of(changes), SHARE, tuple(SHARES))


def crossing(by_index: Numbers, full: float) -> float:
    """Share of SHARES from which *full* is less; 0 where it is less all along, infinite where it never is."""
    behind = np.flatnonzero(by_index > full)
    if not len(behind):
        return math.inf
    if behind[0] == 0:
        return 0.0
    both = slice(behind[0] - 1, behind[0] + 1)
    return math.exp(float(np.interp(0, np.log(by_index[both] / full), np.log(SHARES[both]))))


def crossings(values: Values, measure: str, full: float) -> dict[str, float]:
    """Clustering -> the crossing of that measure."""
    return {order: crossing(over_shares(values, order)[measure], full) for order in LOOKS}


def percent(share: float) -> str:
    """A share in two digits."""
    return f"{_digits(100 * share)} %"


def _digits(value: float) -> str:
    return f"{float(f'{value:.2g}'):,.10g}"


def share_text(share: float) -> str:
    """A crossing as a number of the page."""
    return "any share" if not share else "never" if math.isinf(share) else f"{percent(share)} of the rows"


def _reads(result: RunResult) -> str:
    reads = result.physical_io.read_requests
    largest = max((size for size, count in result.physical_io.request_blocks.items() if count > 0), default=0)
    if not reads:
        return "without a read"
    each = "one block" if largest == 1 else f"up to {largest:,} blocks"
    return f"in {reads:,.0f} read{'' if reads == 1 else 's'} of {each}"


def _gets(result: RunResult) -> float:
    assert result.logical_io is not None
    return result.logical_io.consistent_gets


def _cost(result: RunResult) -> float:
    assert result.optimizer is not None
    return result.optimizer.cost


def _of_index(result: RunResult) -> tuple[float, float]:
    """Gets and reads of the index's blocks."""
    row_sources = [row_source for row_source in result.row_sources or () if row_source.operation.startswith("INDEX")]
    gets = sum(row_source.buffers for row_source in row_sources)
    blocks = sum(row_source.read_blocks for row_source in row_sources)
    return gets, result.physical_io.read_requests * blocks / max(1, result.physical_io.read_blocks)


def picture(values: Values, results: Mapping[str, RunResult]) -> Chart:
    """Gets and reads of each way, those of the index's blocks apart from those of the table's."""
    panels = {
        "": {way: (*_of_index(result)[:1], _gets(result)) for way, result in results.items()},
        "2": {way: (_of_index(result)[1], result.physical_io.read_requests) for way, result in results.items()},
    }
    traces: list[dict[str, Any]] = []
    names = list(NAMES.values())
    for panel, counted in panels.items():
        axes = {"xaxis": f"x{panel}", "yaxis": f"y{panel}"}
        of_index, totals = (list(numbers) for numbers in zip(*counted.values(), strict=True))
        of_table = [total - index for index, total in zip(of_index, totals, strict=True)]
        for name, counts, look in (
            ("blocks of the index", of_index, (drawing.PURPLE, "/")),
            ("blocks of the table", of_table, (drawing.GREEN, "")),
        ):
            traces.append(drawing.bars(
                name, names, [count or None for count in counts], look, width=0.6, showlegend=not panel,
                hovertemplate=f"%{{y}}, {name}: %{{x:,.0f}}<extra></extra>", **axes,
            ))  # fmt: skip
        traces.append(drawing.texts_behind(names, totals, [f" {total:,.0f}" for total in totals], **axes))
    most = [max(10.0, *(total for _, total in counted.values())) for counted in panels.values()]
    layout = drawing.layout(
        235,
        drawing.axis("gets", domain=[0, 0.46], range=[0, 1.35 * most[0]], nticks=5),
        drawing.axis("", autorange="reversed", ticklabelstandoff=8),
        xaxis2=drawing.axis("reads", domain=[0.54, 1], anchor="y2", range=[0, 1.35 * most[1]], nticks=5),
        yaxis2=drawing.axis("", anchor="x2", autorange="reversed", showticklabels=False),
        barmode="stack",
    )
    layout["legend"]["traceorder"] = "normal"
    return Chart(drawing.figure(traces, layout), _pictured(values, results))


def _pictured(values: Values, results: Mapping[str, RunResult]) -> str:
    """What the range scan, the full scan and the fast full scan get and read."""
    ranged, full, fast = results.values()
    assert ranged.index is not None
    branches = ranged.index.height - 1
    of_index, _ = _of_index(ranged)
    return (
        f"For {percent(values[SHARE])} of the rows the index range scan gets {branches:,.0f} branch blocks, "
        f"{of_index - branches:,.0f} leaves and {_gets(ranged) - of_index:,.0f} blocks of the table, "
        f"{_reads(ranged)}. The full scan gets {_gets(full):,.0f} blocks, {_reads(full)}. If the index had "
        f"all columns of the query, its fast full scan would get {_gets(fast):,.0f} blocks, {_reads(fast)}."
    )


def _lines(
    values: Values, measure: str, full: float, crossing_shares: Mapping[str, float], hover: str
) -> list[dict[str, Any]]:
    """The range scan in both orders of rows, the full scan, and where they cross."""
    traces = [
        drawing.line(
            f"index, {order} rows", SHARES.tolist(), over_shares(values, order)[measure].tolist(), look,
            f"{hover} at %{{x:.3~p}} of the rows", width=3 if order == values[CLUSTERING] else 2,
        )
        for order, look in LOOKS.items()
    ]  # fmt: skip
    ends = [float(SHARES[0]), 1.0]
    traces.append(drawing.line("full scan", ends, [full, full], FULL_LOOK, hover))
    there = {order: share for order, share in crossing_shares.items() if 0 < share < math.inf}
    crossing = drawing.dots(
        "crossing", there.values(), [full] * len(there), [LOOKS[order][0] for order in there], "diamond", 11,
        mode="markers+text", text=[percent(share) for share in there.values()], textposition="top left",
        hovertemplate="equal at %{text} of the rows<extra></extra>", showlegend=False,
    )  # fmt: skip
    crossing["marker"]["line"] = {"color": "#ffffff", "width": 1}
    return [*traces, crossing]


def _layout(up: str) -> dict[str, Any]:
    return drawing.layout(
        300,
        drawing.axis("share of the rows", type="log", range=[-5.05, 0.05], tickvals=TICKS,
                     ticktext=[percent(share) for share in TICKS]),
        drawing.axis(up, type="log", dtick=1, exponentformat="none", tickformat=",~r"), top=56,
    )  # fmt: skip


def times(values: Values, results: Mapping[str, RunResult], costs: Mapping[str, float]) -> Chart:
    """Elapsed time over the share of rows; on grey the optimizer chooses the slower way."""
    full = results["full"].time.elapsed_s
    crossing_shares = crossings(values, "elapsed_s", full)
    range_s = results["range"].time.elapsed_s
    traces = _lines(values, "elapsed_s", full, crossing_shares, "%{y:,.3~r} s")
    traces.append(drawing.now(values[SHARE], range_s, f"now: {show_seconds(range_s)}"))
    layout = _layout("seconds")
    band = slower_band(crossing_shares[values[CLUSTERING]], costs[values[CLUSTERING]])
    if band:
        layout["shapes"] = [drawing.band(*band)]
        named = "the optimizer chooses the slower way"
        traces.append(drawing.dots(named, [None], [None], drawing.FAINT, "square", 14, hoverinfo="skip"))
    return Chart(drawing.figure(traces, layout), _said("The full scan is quicker", crossing_shares))


def slower_band(time: float, cost: float) -> tuple[float, float] | None:
    """Shares of the rows between the crossing of time and that of cost, if any are drawn."""
    low, high = (min(1.0, max(float(SHARES[0]), share)) for share in sorted((time, cost)))
    return (low, high) if high > 1.02 * low else None


def _said(begins: str, crossing_shares: Mapping[str, float]) -> str:
    """What *begins* says of the full scan, and from which share of the rows on."""
    return f"{begins} {' and '.join(_from(order, share) for order, share in crossing_shares.items())}."


def _from(order: str, share: float) -> str:
    if math.isinf(share):
        return f"never for {order} rows"
    return f"from {percent(share)} of {order} rows on" if share else f"for any share of {order} rows"


def costs_chart(values: Values, results: Mapping[str, RunResult], crossing_shares: Mapping[str, float]) -> Chart:
    """The optimizer's cost over the share of rows, with the cost that document 000 printed of its table."""
    full, range_cost = _cost(results["full"]), _cost(results["range"])
    traces = _lines(values, "optimizer_cost", full, crossing_shares, "cost %{y:,.0f}")
    if all(values[name] == LESSON.start[name] for name in (ROW, MBRC)):
        size = [
            printed
            for printed in printed_points.printed("rahn_full_scan", "row source", "cost")
            if printed.row["block_size_bytes"] == values[BLOCK]
        ]
        traces += printed_points.traces(size, lambda _: 1.0, drawing.RED, name="full scan: ")
    traces.append(drawing.now(values[SHARE], range_cost, f"now: cost {range_cost:,.0f}"))
    layout = _layout("optimizer's cost")
    text = _said("The optimizer chooses the full scan", crossing_shares)
    order = values[CLUSTERING]
    time = crossings(values, "elapsed_s", results["full"].time.elapsed_s)[order]
    band = slower_band(time, crossing_shares[order])
    if band:
        chosen, other = ("index", "full scan") if time < crossing_shares[order] else ("full scan", "index")
        upper = "all" if band[1] == 1 else percent(band[1])
        text += (
            f" Between {percent(band[0])} and {upper} of the {order} rows it chooses the {chosen}, "
            f"though the {other} is quicker."
        )
    dear = range_cost / _gets(results["range"]) / (full / _gets(results["full"]))
    slow = _seconds_a_get(results["range"]) / _seconds_a_get(results["full"])
    text += (
        f"{_statistics(results['full'])} a block read through the index costs as much as {_digits(dear)} blocks of "
        f"the full scan. On this disk, at {percent(values[SHARE])} of the rows, it takes as long as {_digits(slow)}."
    )
    return Chart(drawing.figure(traces, layout), text)


def _statistics(full: RunResult) -> str:
    """What the optimizer believes of reads, as the begin of a sentence."""
    believed = full.optimizer
    assert believed is not None
    assert believed.sreadtim_s is not None
    assert believed.mreadtim_s is not None
    count = (
        f" and {show_seconds(believed.mreadtim_s)} for a read of {believed.mbrc:,.0f} blocks"
        if believed.mbrc > 1
        else ""
    )
    return f" It assumes {show_seconds(believed.sreadtim_s)} for a read of one block{count}, so"


def _seconds_a_get(result: RunResult) -> float:
    return result.time.elapsed_s / _gets(result)


def answer(values: Values) -> LessonAnswer:
    """Everything that the page shows."""
    results = {way: result_of(values, way) for way in WAYS}
    costs = crossings(values, "optimizer_cost", _cost(results["full"]))
    order = values[CLUSTERING]
    full_s = results["full"].time.elapsed_s
    numbers = (
        ("Index range scan", show_seconds(results["range"].time.elapsed_s)),
        ("Full scan", show_seconds(full_s)),
        ("Full scan is quicker from", share_text(crossings(values, "elapsed_s", full_s)[order])),
        ("Optimizer takes it from", share_text(costs[order])),
    )
    return LessonAnswer(
        picture(values, results),
        (times(values, results, costs), costs_chart(values, results, costs)),
        numbers,
        LESSON.scenario,
        changes_of(values),
    )
