"""What every figure is made of: axes, layout, lines, marks and text; pure functions, no Streamlit, no plotly import."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from blocktime.model.units import show_bytes

Figure = dict[str, Any]
CLEAR, GREY = "rgba(0,0,0,0)", "#7f8b98"
BLUE, GREEN, ORANGE, PURPLE, RED, BROWN = "#2f74d0", "#2f9e58", "#cf6d12", "#a663bd", "#d2493f", "#9a8168"
FAINT: Final = "rgba(128,140,155,.25)"
LINES: Final = (
    ("#2f74d0", "solid"), ("#2f9e58", "dash"), ("#cf6d12", "dot"), ("#a663bd", "dashdot"), ("#d2493f", "longdash"),
)  # fmt: skip
"""Colour and dash of the lines of one figure, in their order."""
SNUG: Final = (8, 12, 30, 42)
"""Margins of a figure whose labels make room for themselves: left, right, top, bottom."""
OF_TEXT: Final = "rgb(127,139,152)"
"""Colour of what a page draws in the colour of its text; this grey where nothing says another."""
SIZES: Final = tuple(2**power for power in range(9, 21))


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis that stays as it is."""
    fixed = {"fixedrange": True, "zeroline": False, "automargin": True}
    return {"title": {"text": title, "standoff": 8}} | fixed | more


def rows(names: Sequence[str], label_of: Callable[[str], str] = str, **more: Any) -> dict[str, Any]:
    """An axis of horizontal bars, the first on top, with the names that *label_of* makes."""
    return axis("", categoryorder="array", categoryarray=[*names][::-1], tickvals=[*names],
                ticktext=[f"{label_of(name)}  " for name in names], **more)  # fmt: skip


def log_sizes(title: str, low: int, high: int) -> dict[str, Any]:
    """A logarithmic axis of bytes from *low* to *high*, with ticks that are sizes."""
    from math import log10

    ticks = [size for size in SIZES if low <= size <= high]
    return axis(
        title, type="log", range=[log10(low / 1.3), log10(high * 1.3)], tickvals=ticks,
        ticktext=[show_bytes(size) for size in ticks],
    )  # fmt: skip


def layout(
    height: int,
    across: dict[str, Any],
    up: dict[str, Any],
    margin: tuple[int, int, int, int] = (56, 14, 34, 46),
    *,
    top: int | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A figure with one pair of axes and its legend above; *top* makes room for more lines of it."""
    up["title"]["standoff"] = 12  # beside its ticks, of which automargin knows only in part
    return {
        "height": height, "uirevision": "kept",
        "margin": dict(zip("lrtb", margin, strict=True)) | ({} if top is None else {"t": top}),
        "xaxis": across, "yaxis": up,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}, "hoverlabel": {"align": "left"},
        "paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR,
    } | more  # fmt: skip


def line(
    name: str, x: Iterable[float | None], y: Iterable[float | None], look: tuple[str, str], hover: str | Sequence[str],
    **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """A curve in a colour and a dash; *hover* says what is at a point of it, once for all or for each."""
    drawn = {
        "type": "scatter", "mode": "lines", "name": name, "x": list(x), "y": list(y),
        "line": {"color": look[0], "dash": look[1], "width": more.pop("width", 2.2)},
    } | hover_texts(f"{name}: {hover}<extra></extra>" if isinstance(hover, str) else hover)  # fmt: skip
    return drawn | more


def hover_texts(hover: str | Sequence[str]) -> dict[str, Any]:
    """What stands under the pointer: a template for all points, or a text for each."""
    if isinstance(hover, str):
        return {"hovertemplate": hover}
    return {"hovertext": list(hover), "hoverinfo": "text"}


def marker(colour: str, pattern: str) -> dict[str, Any]:
    """How a bar is filled."""
    return {
        "color": colour,
        "line": {"color": colour, "width": 1},
        "pattern": {"shape": pattern, "bgcolor": colour, "fgcolor": "#ffffff", "size": 6, "solidity": 0.2},
    }


def bars(
    name: str, rows: Sequence[Any], lengths: Iterable[float | None], look: tuple[str, str], **more: Any
) -> dict[str, Any]:
    """Horizontal bars, one a row, in a colour and a pattern."""
    return {
        "type": "bar", "orientation": "h", "name": name, "y": list(rows), "x": list(lengths), "marker": marker(*look),
    } | more  # fmt: skip


def columns(
    name: str, x: Sequence[Any], heights: Iterable[float | None], look: tuple[str, str], **more: Any
) -> dict[str, Any]:
    """Upright bars in a colour and a pattern."""
    return {"type": "bar", "name": name, "x": list(x), "y": list(heights), "marker": marker(*look)} | more


def dots(
    name: str, x: Iterable[Any], y: Iterable[Any], colour: Any, symbol: str, size: int = 9, **more: Any
) -> dict[str, Any]:
    """Marks of one kind."""
    return {
        "type": "scatter", "mode": "markers", "name": name, "x": list(x), "y": list(y),
        "marker": {"color": colour, "symbol": symbol, "size": size},
    } | more  # fmt: skip


def texts_behind(rows: Iterable[Any], ends: Iterable[float], texts: Iterable[str], **more: Any) -> dict[str, Any]:
    """Texts behind the ends of horizontal bars."""
    return {
        "type": "scatter", "mode": "text", "y": list(rows), "x": list(ends), "text": list(texts),
        "textposition": "middle right", "cliponaxis": False, "showlegend": False, "hoverinfo": "skip",
    } | more  # fmt: skip


def mark(name: str, x: float, y: float, **look: Any) -> dict[str, Any]:
    """One point with its name, where an answer lies on a curve."""
    point = dots(name, [x], [y], OF_TEXT, "diamond", 11, cliponaxis=False)
    point["marker"] |= look
    return point | {"hovertemplate": f"{name}<extra></extra>"}


def upright(x: float, **line: Any) -> dict[str, Any]:
    """A line from bottom to top of the figure."""
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def level(y: float, **line: Any) -> dict[str, Any]:
    """A line from left to right of the figure."""
    return {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": y, "y1": y, "line": line}


def band(low: float, high: float, **more: Any) -> dict[str, Any]:
    """A stretch of the axis on faint ground."""
    return {
        "type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "paper", "layer": "below", "fillcolor": FAINT,
        "line": {"width": 0},
    } | more  # fmt: skip


def now(x: float, y: float, says: str, **more: Any) -> dict[str, Any]:
    """What the controls say at present, on a curve."""
    return mark(says, x, y, symbol="circle-open", size=20, line={"width": 3}) | more


def note(text: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    """Words at a place of the figure, by default in shares of its paper."""
    return {"text": text, "x": x, "y": y, "xref": "paper", "yref": "paper", "showarrow": False} | more


def figure(traces: list[dict[str, Any]], layout: dict[str, Any]) -> Figure:
    """Both together."""
    return {"data": traces, "layout": layout}


def inked(figure: Figure, ink: str) -> Figure:
    """A copy of *figure*, every text of it in the colour *ink*."""
    copy: Figure = _in_ink(figure, ink)
    font, layout = {"color": ink, "size": 12}, copy["layout"]
    for name, part in layout.items():
        if name.startswith(("xaxis", "yaxis")):
            part["tickfont"] = font
            if "title" in part:
                part["title"]["font"] = font
        elif name == "polar":
            part["angularaxis"]["tickfont"] = font
    for part in [*layout.get("annotations", ()), layout["legend"]]:
        part["font"] = font | part.get("font", {})
    for trace in copy["data"]:
        if "text" in trace:
            trace.setdefault("textfont", font)
        for coloured in (trace, trace.get("marker", {})):
            if "colorbar" in coloured:
                coloured["colorbar"]["tickfont"] = font
    return copy


def _in_ink(part: Any, ink: str) -> Any:
    """A copy of a part of a figure, its values shared, with *ink* for what has the colour of text."""
    if isinstance(part, dict):
        return {name: _in_ink(inner, ink) for name, inner in part.items()}
    if isinstance(part, list) and part and isinstance(part[0], dict):
        return [_in_ink(inner, ink) for inner in part]
    return ink if isinstance(part, str) and part == OF_TEXT else part
