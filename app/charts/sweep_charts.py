"""A sweep as figures: lines, heat map, what moves it; pure functions, no Streamlit.

Colours run from blue (low) to amber (high), ever lighter, and read on white and on near-black.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from blocktime.app.base.lines import evenly
from blocktime.app.charts import drawing
from blocktime.app.charts.charts import LOOKS
from blocktime.app.charts.drawing import GREY, LINES, Figure, axis
from blocktime.app.charts.svg_axes import round_step
from blocktime.app.text.sweep_text import Summary, are_numbers, distinct, effects_of, levels_of, show_value
from blocktime.model.errors import cut
from blocktime.model.units import show_number, unit_of

HEIGHT: Final = 400
MOST_LEVELS: Final = 40
WIDEST: Final = 44
"""Letters of a line of text that a chart has room for on a phone."""
STRETCHES: Final = 16
MOST_CELLS_WRITTEN, MOST_COLUMNS_WRITTEN = 130, 12
BY_RATIO: Final = 30.0
"""Values that differ by more are coloured, and laid out, by their ratio."""
SHADES: Final = ("#3a5fc8", "#2f8fb8", "#3fae8f", "#a3b545", "#e8a23a")
SCALE: Final = [[place / (len(SHADES) - 1), shade] for place, shade in enumerate(SHADES)]
TICKS: Final = 5
MOST_TICKS: Final = 9
EDGE: Final = "#8896a5"
BASE: Final = "base scenario"
ON_LIGHT, ON_DARK = "#10161d", "#ffffff"


@dataclass(frozen=True)
class Ladder:
    """What a field takes in a sweep: the steps in order, and which of them each row is on."""

    key: str
    labels: list[str]
    places: NDArray[np.intp]
    numbers: list[float] | None
    """The steps, where all are numbers."""
    cut_up: bool = False
    """The steps are stretches of a range, each named by its middle."""


def measure_name(measure: str) -> str:
    """A measure in words."""
    words = measure if measure.endswith("per_s") else measure.removesuffix("_s")
    return words.replace("_", " ").replace("cpu", "CPU")


def ladder(summary: Summary, key: str) -> Ladder:
    """The steps of *key*; where there are very many numbers, stretches of their range."""
    values = summary.axes[key]
    levels = levels_of(values)
    numeric = are_numbers(levels)
    if len(levels) <= MOST_LEVELS or not numeric:
        rank = {level: place for place, level in enumerate(levels)}
        places = np.array([rank[value] for value in values], np.intp)
        labels = [show_value(key, level) for level in levels]
        return Ladder(key, labels, places, [float(level) for level in levels] if numeric else None)
    at, back = _spread(np.array(values, float))
    edges = np.linspace(at.min(), at.max(), STRETCHES + 1)
    places = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, STRETCHES - 1)
    middles = [float(back(edge)) for edge in (edges[1:] + edges[:-1]) / 2]
    return Ladder(key, [show_value(key, float(f"{middle:.3g}")) for middle in middles], places, middles, cut_up=True)


def _spread(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], Callable[[Any], Any]]:
    """*values* as they are laid out, by logarithm where they differ by much, and the way back."""
    good = values[np.isfinite(values)]
    if len(good) and good.min() > 0 and good.max() > BY_RATIO * good.min():
        with np.errstate(invalid="ignore"):
            return np.log10(values), lambda level: 10.0**level
    return values, lambda level: level


def lines(summary: Summary, across: str, by: str = "", fixed: Mapping[str, Any] | None = None) -> tuple[Figure, str]:
    """The measure over one field, a line for each of a few values of another; bars where the field takes words."""
    rows = rows_at(summary, fixed or {})
    steps = ladder(summary, across)
    groups: list[tuple[str, NDArray[np.bool_]]] = [("", rows)]
    if by:
        other = ladder(summary, by)
        chosen = evenly(range(len(other.labels)), len(LINES))
        groups = [(other.labels[place], rows & (other.places == place)) for place in chosen]
    traces = [_line(summary, some, steps, place, label, by) for place, (label, some) in enumerate(groups)]
    layout = _layout(_axis_of_steps(steps, summary.named(across)))
    before = summary.reference.get(summary.measure)
    if before is not None and steps.numbers is None:
        traces.append(drawing.columns(
            BASE, [BASE], [before], (GREY, "-"), showlegend=False, text=[summary.show(before)],
            textposition="outside", cliponaxis=False, hoverinfo="text", unselected={"marker": {"opacity": 1}},
        ))  # fmt: skip
    values = [value for trace in traces for value in trace["y"]]
    values += [0.0] if steps.numbers is None else [before] if before is not None else []
    layout["yaxis"] = up = _axis_of_measure(summary.measure, values)
    if before is not None and steps.numbers is not None:
        layout["shapes"] = [drawing.level(before, color=GREY, width=1.5, dash="dash")]
        at = math.log10(before) if up.get("type") == "log" else before  # a note takes the axis's own numbers
        layout["annotations"] = [
            {"xref": "paper", "x": 1, "y": at, "xanchor": "right", "yanchor": "bottom", "showarrow": False,
             "text": f"{BASE}: {summary.show(before)}"}
        ]  # fmt: skip
    if by:
        layout["legend"]["title"] = {"text": f"{summary.named(by)}  "}
        layout["margin"]["t"] = 46
        layout["showlegend"] = True
    return drawing.figure(traces, layout), extremes(summary, rows)


def _line(summary: Summary, some: NDArray[np.bool_], steps: Ladder, place: int, label: str, by: str) -> dict[str, Any]:
    """The means of *some* rows over the steps of a field, in the look of *place*; *label* is their value of *by*."""
    means, single = _means(summary, some, steps.places, len(steps.labels))
    used = np.flatnonzero(np.isfinite(means))
    (colour, dash), field = LINES[place], summary.named(steps.key)
    of_group = f"<br>{summary.named(by)} {label}" if by else ""
    texts, values = [summary.show(means[step]) for step in used], means[used].tolist()
    hovers = [
        f"{field} {steps.labels[step]}{of_group}<br><b>{text}</b>" for step, text in zip(used, texts, strict=True)
    ]
    common: dict[str, Any] = {
        "customdata": single[used].tolist(), "unselected": {"marker": {"opacity": 1}}, "cliponaxis": False,
    }  # fmt: skip
    if steps.numbers is None:
        return drawing.columns(
            label, [steps.labels[step] for step in used], values, (colour, _PATTERNS[place]), **common,
            **drawing.hover_texts(hovers), text=[] if of_group else texts, textposition="outside",
        )  # fmt: skip
    return drawing.line(
        label, [steps.numbers[step] for step in used], values, (colour, dash), hovers, **common, width=2.5,
        mode="lines+markers", marker={"color": colour, "size": 8, "symbol": _SYMBOLS[place]},
        selected={"marker": {"size": 14}},
    )  # fmt: skip


_SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "x")
_PATTERNS: Final = ("", "/", "\\", "x", ".")


def heat(summary: Summary, across: str, up: str, fixed: Mapping[str, Any] | None = None) -> tuple[Figure, str]:
    """The measure over two fields by colour, and in numbers where there is room.

    Fields that are not *fixed* are averaged. A mark in each cell carries the number of its row, or -1 for several.
    """
    rows = rows_at(summary, fixed or {})
    right, high = ladder(summary, across), ladder(summary, up)
    wide, tall = max(1, len(right.labels)), max(1, len(high.labels))
    means, single = _means(summary, rows, high.places * wide + right.places, wide * tall)
    scaled, back = _spread(means)
    written = wide * tall <= MOST_CELLS_WRITTEN and wide <= MOST_COLUMNS_WRITTEN
    ticks = _ticks(scaled)
    grid = {
        "x": list(range(wide)),
        "y": list(range(tall)),
        "z": [[float(cell) if np.isfinite(cell) else None for cell in row] for row in scaled.reshape(tall, wide)],
        "hoverinfo": "skip",
    }
    traces: list[dict[str, Any]] = [{
        "type": "heatmap", **grid, "xgap": 1, "ygap": 1, "colorscale": SCALE, "hoverongaps": False,
        "colorbar": _colour_bar(summary, ticks, back) | {"ticklen": 3},
    }]  # fmt: skip
    cells = np.flatnonzero(np.isfinite(means))
    at = {"type": "scatter", "x": (cells % wide).tolist(), "y": (cells // wide).tolist()}
    if written:
        traces.append({
            **at, "mode": "text", "text": _in_cells(summary.measure, means[cells]), "hoverinfo": "skip",
            "selected": {"textfont": {"color": ON_LIGHT}},
            "textfont": {"size": 11, "color": _on_shades(scaled[cells])},  # the one that reads on the cell
        })  # fmt: skip
    mark = max(6, min(600 // wide, (HEIGHT - 80) // tall, 44))  # about a cell: a click anywhere in it hits the mark
    traces.append({
        **at, "mode": "markers", "customdata": single[cells].tolist(), "hoverinfo": "text", "showlegend": False,
        "hovertext": [
            f"{summary.named(across)} {right.labels[cell % wide]}<br>{summary.named(up)} {high.labels[cell // wide]}"
            f"<br><b>{summary.show(means[cell])}</b>" for cell in cells
        ],
        "marker": {"symbol": "square", "size": mark, "opacity": 0, "color": "#ffffff"},
        "selected": {"marker": {"opacity": 0.4}}, "unselected": {"marker": {"opacity": 0}},
    })  # fmt: skip
    layout = _layout(_steps_on_axis(right, summary.named(across)), _steps_on_axis(high, summary.named(up)))
    if written and len(cells) and not _each_has_its_unit(summary.measure):
        layout["meta"] = unit_for(summary.measure, float(means[cells].max()))[1].strip()
    return drawing.figure(traces, layout | {"hovermode": "closest"}), extremes(summary, rows)


def _colour_bar(summary: Summary, ticks: Sequence[float], back: Callable[[float], float]) -> dict[str, Any]:
    """The scale of the colours, in values of the measure."""
    texts = [summary.show(back(tick)) for tick in ticks]
    return {"tickvals": ticks, "ticktext": texts, "thickness": 12, "outlinewidth": 0}


def scattered(summary: Summary, across: str, up: str, fixed: Mapping[str, Any] | None = None) -> tuple[Figure, str]:
    """Samples over two fields, each a point whose colour says its measure."""
    rows = rows_at(summary, fixed or {}) & np.isfinite(summary.values)
    used = np.flatnonzero(rows)
    scaled, back = _spread(summary.values)
    axes: list[dict[str, Any]] = []
    at: list[list[Any]] = []
    for key in (across, up):
        values = summary.axes[key]
        if are_numbers(levels_of(values)):
            axes.append(_number_axis(key, [float(value) for value in values], summary.named(key)))
            at.append([values[row] for row in used])
        else:
            steps = ladder(summary, key)
            axes.append(_steps_on_axis(steps, summary.named(key)))
            at.append([int(steps.places[row]) for row in used])
    trace = drawing.dots(
        "", at[0], at[1], scaled[used].tolist(), "circle", 10 if len(used) < 400 else 6, customdata=used.tolist(),
        hoverinfo="text", hovertext=[
            "<br>".join([*(f"{summary.named(key)} {show_value(key, summary.axes[key][row])}" for key in summary.keys),
                         f"<b>{summary.show(summary.values[row])}</b>"]) for row in used
        ],
        selected={"marker": {"size": 16}}, unselected={"marker": {"opacity": 1}}, cliponaxis=False,
    )  # fmt: skip
    trace["marker"] |= {
        "colorscale": SCALE, "showscale": True, "line": {"color": EDGE, "width": 0.5},
        "colorbar": _colour_bar(summary, _ticks(scaled[used]), back),
    }  # fmt: skip
    return drawing.figure([trace], _layout(*axes) | {"hovermode": "closest"}), extremes(summary, rows)


def over_two(summary: Summary, across: str, up: str, fixed: Mapping[str, Any] | None = None) -> tuple[Figure, str]:
    """The measure over two fields: by cells, or by points where cells would be empty or hold many."""
    draw = scattered if is_sampled(summary, across, up) else heat
    return draw(summary, across, up, fixed)


def pairs(summary: Summary) -> list[tuple[str, str]]:
    """Pairs of fields, those first that move the measure most, and last those that move together."""
    keys = [effect.key for effect in effects_of(summary)]
    keys += [key for key in summary.keys if key not in keys]
    pairs_of_keys = [(keys[first], second) for first in range(len(keys)) for second in keys[first + 1 :]]
    return sorted(pairs_of_keys, key=lambda pair: _move_together(summary, *pair))


def _move_together(summary: Summary, key: str, other: str) -> bool:
    """Whether each step of one field comes with one step of the other."""
    both = distinct(list(zip(summary.axes[key], summary.axes[other], strict=True)))
    return len(both) <= max(len(distinct(summary.axes[key])), len(distinct(summary.axes[other])))


def is_sampled(summary: Summary, across: str, up: str) -> bool:
    """Whether the points lie so thinly over two fields that cells would be empty or hold many."""
    right, high = ladder(summary, across), ladder(summary, up)
    if right.cut_up or high.cut_up:
        return True
    filled = len(set(zip(right.places.tolist(), high.places.tolist(), strict=True)))
    return 3 * filled < len(right.labels) * len(high.labels)


def moves(summary: Summary) -> tuple[Figure, str]:
    """What moves the measure: for each field the lowest and the highest mean along it, the widest on top."""
    effects = effects_of(summary)
    names = [cut(summary.named(effect.key), 34) for effect in effects]
    lows, highs = [effect.low for effect in effects], [effect.high for effect in effects]
    ends = [
        [f"{summary.show(mean)} at {show_value(effect.key, at)}"
         for mean, at in ((effect.low, effect.at_low), (effect.high, effect.at_high))] for effect in effects
    ]  # fmt: skip
    trace = drawing.bars(
        "", names, [high - low for low, high in zip(lows, highs, strict=True)], (LOOKS["User I/O"][0], ""), base=lows,
        width=0.3, hoverinfo="text", showlegend=False,
        hovertext=["<br>".join([summary.named(effect.key), *both]) for effect, both in zip(effects, ends, strict=True)],
    )  # fmt: skip
    across = _axis_of_measure(summary.measure, [*lows, *highs])
    across["title"] = {"text": f"mean {measure_name(summary.measure)}", "standoff": 6}
    up = axis("", autorange="reversed", showticklabels=False, showgrid=False)
    values = [" → ".join(both) if len(" → ".join(both)) <= WIDEST else "<br>→ ".join(both) for both in ends]
    line_count = 2 + any("<br>" in text for text in values)
    layout = _layout(across, up) | {"height": 90 + (38 + 16 * line_count) * max(1, len(effects))}
    # Names and values stand above their bars, in lines of their own: a narrow chart has no room beside them.
    layout["annotations"] = [
        {"xref": "paper", "x": 0, "y": label, "yshift": 10, "xanchor": "left", "yanchor": "bottom", "showarrow": False,
         "align": "left", "text": f"<b>{label}</b><br>{text}"}
        for label, text in zip(names, values, strict=True)
    ]  # fmt: skip
    sentence = "; ".join(
        f"{summary.named(effect.key)} from {' to '.join(both)}" for effect, both in zip(effects, ends, strict=True)
    )
    return (drawing.figure([trace], layout), f"Effect of each field (mean over all others): {sentence or 'none'}")


def rows_at(summary: Summary, fixed: Mapping[str, Any]) -> NDArray[np.bool_]:
    """The rows that have the values of *fixed*."""
    rows = np.ones(len(summary.values), bool)
    for key, value in fixed.items():
        rows &= np.array([level == value for level in summary.axes[key]])
    return rows


def extremes(summary: Summary, rows: NDArray[np.bool_]) -> str:
    """The lowest and the highest of the rows as a sentence."""
    good = np.flatnonzero(rows & np.isfinite(summary.values))
    words = measure_name(summary.measure)
    if not len(good):
        return f"No point here has {words}"
    order = good[np.argsort(summary.values[good], kind="stable")]

    def at(row: int) -> str:
        where = ", ".join(f"{summary.named(key)} {show_value(key, summary.axes[key][row])}" for key in summary.keys)
        return f"{summary.show(summary.values[row])} at {where}"

    text = f"{words[0].upper()}{words[1:]}: lowest {at(order[0])}; highest {at(order[-1])}"
    return f"{text}{_apart(float(summary.values[order[0]]), float(summary.values[order[-1]]))}"


def _apart(low: float, high: float) -> str:
    """How far the highest value is above the lowest one, as the end of a sentence."""
    if low <= 0 or high <= low:
        return ""
    share = high / low - 1
    more = f"{show_number(100 * share, 2)} % more" if share < 1 else f"{show_number(1 + share, 3)} times as much"
    return f" ({more})"


def _means(
    summary: Summary, rows: NDArray[np.bool_], places: NDArray[np.intp], count: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The mean of the measure at each of *count* places, NaN at an empty one; and its row, or -1 for several."""
    used = np.flatnonzero(rows & np.isfinite(summary.values))
    counts = np.bincount(places[used], minlength=count)
    sums = np.bincount(places[used], summary.values[used], minlength=count)
    single = np.full(count, -1)
    single[places[used]] = used
    single[counts != 1] = -1
    with np.errstate(invalid="ignore"):
        return np.where(counts, sums / counts, np.nan), single


def _ticks(values: NDArray[np.float64]) -> list[float]:
    good = values[np.isfinite(values)]
    if not len(good):
        return []
    low, high = float(good.min()), float(good.max())
    return [low] if low == high else np.linspace(low, high, TICKS).tolist()


def unit_of_cells(figure: Figure) -> str:
    """The unit of the numbers in a heat map's cells, which stand there without; empty where each has its own."""
    return str(figure["layout"].get("meta", ""))


def _in_cells(measure: str, values: NDArray[np.float64]) -> list[str]:
    """Numbers short enough for cells, in the unit of the largest, with digits that tell them apart."""
    if _each_has_its_unit(measure) or not len(values):
        return [show_value(measure, float(value)) for value in values]
    low, high = float(values.min()), float(values.max())
    scale, _ = unit_for(measure, high)
    by_ratio = low > 0 and high > BY_RATIO * low
    finest = (high - low) / scale / 100
    texts = []
    for value in (values / scale).tolist():
        size = abs(value) / 100 if by_ratio else finest
        digits = math.ceil(-math.log10(size) - 1e-9) if size else 2
        texts.append(f"{value:,.{min(4, max(0, digits))}f}")
    return texts


def _each_has_its_unit(measure: str) -> bool:
    """Sizes end in a letter of their own, and money has none."""
    return unit_of(measure) == "bytes" or measure.startswith("cost_")


def _on_shades(values: NDArray[np.float64]) -> list[str]:
    """White on the darkest of the colours, black on the others."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    middle = low + 0.15 * (high - low)
    return [ON_DARK if value <= middle else ON_LIGHT for value in values]


def _layout(across: dict[str, Any] | None = None, up: dict[str, Any] | None = None) -> dict[str, Any]:
    return drawing.layout(
        HEIGHT, across or axis(""), up or axis(""), (8, 12, 14, 44), showlegend=False, barmode="group",
        clickmode="event+select", dragmode=False,
    )  # fmt: skip


def _axis_of_steps(steps: Ladder, title: str) -> dict[str, Any]:
    if steps.numbers is None:
        return axis(title, type="category")
    return _number_axis(steps.key, steps.numbers, title)


def _number_axis(key: str, values: Sequence[float], title: str) -> dict[str, Any]:
    """An axis of numbers as they lie, by ratio where they differ by much, labelled in units."""
    levels = levels_of(values)
    by_ratio = len(levels) > 2 and levels[0] > 0 and levels[-1] >= 8 * levels[0]
    ticks = levels if len(levels) <= MOST_TICKS else _round_ticks(key, levels[0], levels[-1], by_ratio)
    texts = [show_value(key, tick) for tick in ticks]
    return axis(title, type="log" if by_ratio else "linear", tickvals=ticks, ticktext=texts)


def _round_ticks(key: str, low: float, high: float, by_ratio: bool) -> list[float]:
    """Round numbers from *low* to *high*: powers of two of bytes."""
    if not by_ratio:
        step = _step(key, (high - low) / 6)
        return [step * place for place in range(math.ceil(low / step), math.floor(high / step) + 1)]
    if unit_of(key) == "bytes":
        ticks = [2.0**power for power in range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)]
    else:
        powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
        ticks = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) > MOST_TICKS:
            ticks = [10.0**power for power in powers if low <= 10.0**power <= high]
    return ticks[:: math.ceil(len(ticks) / MOST_TICKS)]


def _step(name: str, rough: float) -> float:
    """The next step that reads well: a power of two of bytes, else one, two or five times a power of ten."""
    if unit_of(name) == "bytes" and rough >= 1:
        return 2.0 ** math.ceil(math.log2(rough))
    return round_step(rough)


def _steps_on_axis(steps: Ladder, title: str) -> dict[str, Any]:
    """An axis on which all steps are equally far apart."""
    places = evenly(range(len(steps.labels)), 14)
    texts = [f"{steps.labels[place]} " for place in places]
    return axis(title, tickvals=places, ticktext=texts, range=[-0.5, len(steps.labels) - 0.5], showgrid=False)


def _axis_of_measure(measure: str, values: Sequence[float]) -> dict[str, Any]:
    """An axis of the measure, labelled in one unit; from zero where that hides nothing."""
    good = [value for value in values if math.isfinite(value)]
    low, high = min(good, default=0.0), max(good, default=1.0)
    common = axis(measure_name(measure))
    if low > 0 and high > BY_RATIO * low:
        ticks = _round_ticks(measure, low / 2, high * 2, by_ratio=True)
        texts = [show_value(measure, tick) for tick in ticks]
        ends = [math.log10(low) - 0.1, math.log10(high) + 0.15]
        return {**common, "type": "log", "tickvals": ticks, "ticktext": texts, "range": ends}
    if low >= 0 and low < 0.6 * high:
        low = 0.0
    step = _step(measure, (high - low) / 5)
    first = math.floor(low / step) * step
    ticks = [first + step * place for place in range(math.ceil((high - first) / step - 1e-9) + 1)]
    if first > 0:
        common["title"] = {"text": f"{measure_name(measure)} (the axis does not begin at 0)"}
    return {
        **common, "tickvals": ticks, "ticktext": [_tick(measure, tick, step, high) for tick in ticks],
        "range": [first, max(ticks[-1], high + 0.08 * (high - low))],
    }  # fmt: skip


def _tick(measure: str, value: float, step: float, most: float) -> str:
    """A round number with just as many digits as its step has."""
    if unit_of(measure) == "bytes":
        return show_value(measure, value)
    scale, word = unit_for(measure, most)
    digits = max(0, math.ceil(-math.log10(step / scale) - 1e-9))
    return f"{value / scale:,.{digits}f}{word}"


def unit_for(measure: str, most: float) -> tuple[float, str]:
    """The unit in which values up to *most* read well, and its name."""
    if unit_of(measure) == "s":
        units = ((1.0, " s"), (1e-3, " ms"))
        return next((unit for unit in units if most >= 0.9995 * unit[0]), (1e-6, " µs"))
    return (0.01, " %") if measure.endswith("_fraction") else (1.0, "")
