"""A figure as SVG, from the traces and the layout that the page draws: for files without scripts and network.

Places are percent of their panel, so a figure is as wide as its page; texts and lines keep their size.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape, unescape
from itertools import cycle, pairwise
from typing import Any, Final

from blocktime.app.charts.drawing import BLUE, OF_TEXT, Figure
from blocktime.app.charts.svg_axes import PanelAxis

NOTHING: Final = "There is nothing to draw: no value is known."
LETTER: Final = 6.6
"""Pixels of a letter, at most, in the mean."""
LINE: Final = 15
NARROW: Final = 170
"""Pixels of a panel on a phone, in which texts beside bars must have room."""
PHONE_TICKS, PAGE_TICKS = 230, 800
"""Pixels that the texts under an axis take at most."""
MOST_HOVERS: Final = 400
"""Cells of a heat map up to which each tells its value under the pointer."""
SHADES: Final = 48
"""Colours of a heat map, so that its cells of one colour are one path."""
WHOLE: Final = 'viewBox="0 0 1000 1000" width="100%" height="100%" preserveAspectRatio="none"'
"""A drawing of a thousand by a thousand over the whole panel."""
DASHES: Final = {"dash": "8 4", "dot": "2 3", "dashdot": "8 3 2 3", "longdash": "14 5"}
PATTERNS: Final = {"/": "a", "\\": "b", "-": "c", "|": "d", "+": "e", ".": "f", "x": "g"}
"""Shape of a pattern -> the end of its name among the definitions of a page, which stand in its template."""

SYMBOLS: Final = {
    "circle": "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0z", "square": "M-.9 -.9H.9V.9H-.9z",
    "diamond": "M0 -1.3L1.3 0L0 1.3L-1.3 0z", "triangle-up": "M0 -1.2L1.1 .8H-1.1z",
    "x": "M-.9 -.9L.9 .9M.9 -.9L-.9 .9", "cross": "M0 -1.1V1.1M-1.1 0H1.1",
    "star": "M0 -1.4L.4 -.4L1.4 -.4L.6 .3L.9 1.3L0 .7L-.9 1.3L-.6 .3L-1.4 -.4L-.4 -.4z",
}  # fmt: skip
STROKED: Final = ("x", "cross")
ANCHORS: Final = {"left": "start", "center": "middle", "right": "end"}


def drawn(figure: Figure, says: str = "") -> str:
    """The figure as a part of a page, under what it shows in words: these serve who cannot see it, too."""
    layout, traces = figure["layout"], figure["data"]
    if not any(_has_data(trace) for trace in traces):
        return f'<p>{escape(says)}</p><p class="made">{NOTHING}</p>'
    panels = [_Panel(layout, traces, *pair) for pair in _pairs(traces)]
    margin = layout.get("margin", {})
    high = max(60, layout.get("height", 300) - margin.get("t", 20) - margin.get("b", 40))
    left = max(panel.left() for panel in panels if panel.begins_left)
    right = max(panel.right() for panel in panels)
    top = 8 + max(panel.top() for panel in panels)
    bottom = max(panel.bottom() for panel in panels)
    body = "".join(panel.svg(high) for panel in panels)
    return (
        f'<figure class="chart"><figcaption>{escape(says)}</figcaption>{_legend(layout, traces)}'
        f'<div style="margin:{top:.0f}px {right:.0f}px {bottom:.0f}px {left:.0f}px">'
        f'<svg width="100%" height="{high:.0f}" aria-hidden="true">{body}</svg></div></figure>'
    )


def _has_data(trace: Mapping[str, Any]) -> bool:
    """Whether a trace has a value; a mark of the legend alone has none."""
    rows = trace["z"] if "z" in trace else [trace.get("x", ())]
    return any(value is not None for row in rows for value in row)


def _pairs(traces: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The pairs of axes of a figure, in their order."""
    return list(dict.fromkeys((trace.get("xaxis", "x"), trace.get("yaxis", "y")) for trace in traces))


class _Panel:
    """One pair of axes with what is drawn over them."""

    def __init__(self, layout: dict[str, Any], traces: Sequence[dict[str, Any]], x: str, y: str) -> None:
        self.layout = layout
        self.traces = [t for t in traces if (t.get("xaxis", "x"), t.get("yaxis", "y")) == (x, y)]
        self.is_first = (x, y) == ("x", "y")
        specs = layout[f"xaxis{x[1:]}"], layout[f"yaxis{y[1:]}"]
        self.across_at, self.up_at = (spec.get("domain", (0.0, 1.0)) for spec in specs)
        self.begins_left = self.across_at[0] == 0
        self.bars = list(_bars(self.traces, layout.get("barmode", "group")))
        self.x, self.y = (PanelAxis(spec, *self._values(name)) for spec, name in zip(specs, "xy", strict=True))

    def _values(self, name: str) -> tuple[list[Any], bool, float]:
        """What is drawn along an axis, whether bars stand on it, and how wide its values are."""
        values: list[Any] = []
        cells = any(trace["type"] == "heatmap" for trace in self.traces)
        for trace in self.traces:
            if trace["type"] != "bar":
                error = trace.get("error_x") if name == "x" else None
                values += [*trace[name]]
                if error:
                    values += [at + more for at, more in zip(trace["x"], error["array"], strict=True)]
                    values += [at - less for at, less in zip(trace["x"], error["arrayminus"], strict=True)]
        along = [bar for bar in self.bars if bar.along == name]
        stands = any(bar.base == 0 for bar in along)
        for bar in self.bars:
            values += [bar.base, bar.base + bar.length] if bar.along == name else [bar.row]
        if self.is_first:
            marked = [shape[f"{name}{end}"] for shape in self.layout.get("shapes", ()) for end in (0, 1)
                      if shape.get(f"{name}ref") != "paper"]  # fmt: skip
            values += [value for value in marked if value is not None]
        return values, stands, 0.5 * cells

    def left(self) -> float:
        """Room for the texts of the upright axis."""
        widest = max((_width(text) for _, text in self.y.ticks()), default=0.0)
        return 10 + widest + (20 if self.y.spec["title"]["text"] else 0)

    def bottom(self) -> float:
        """Room for the texts of the level axis."""
        lines = max((text.count("<br>") + 1 for _, text in self.x.ticks()), default=0)
        title = self.x.spec["title"]["text"]
        return 6 + LINE * (lines + (title.count("<br>") + 1 if title else 0)) + 6 * bool(title)

    def top(self) -> float:
        """Room for notes above the panel."""
        above = [note for note in self._notes() if note.get("yref") == "paper" and note["y"] >= 1]
        return LINE * max((note["text"].count("<br>") + 1 for note in above), default=0)

    def right(self) -> float:
        """Room for the scale of colours, and for texts that go on behind bars."""
        room = 12.0
        for trace in self.traces:
            bar = _colour_bar(trace)
            if bar:
                room = max(room, 34 + max((_width(text) for text in bar["ticktext"]), default=0.0))
            if trace.get("mode") == "text" and "right" in trace.get("textposition", ""):
                ends = zip(trace["x"], trace["text"], strict=True)
                room = max(room, *(self._behind(at, text) for at, text in ends))
        beside = (bar for bar in self.bars if bar.along == "x" and bar.text and bar.is_outside)
        return max(room, *(self._behind(bar.base + bar.length, bar.text) for bar in beside), 0.0)

    def _behind(self, at: Any, text: str) -> float:
        """Pixels of *text* that stand beyond the panel on a phone where it begins at *at*."""
        return _width(text) + 8 - NARROW * (1 - self.x.place(at) / 100)

    def svg(self, high: float) -> str:
        """The panel: its grid, what lies below, the traces, what lies above, the axes' texts."""
        shapes = self.layout.get("shapes", ()) if self.is_first else ()
        below = [shape for shape in shapes if shape.get("layer") == "below"]
        above = [shape for shape in shapes if shape.get("layer") != "below"]
        parts = [
            *map(self._shape, below), *self._grid(high), *map(self._bar, self.bars),
            *(part for trace in self.traces for part in self._trace(trace)), *map(self._shape, above),
            *map(self._note, self._notes()), *self._scale(high),
        ]  # fmt: skip
        (left, right), (low, top) = self.across_at, self.up_at
        if (left, right, low, top) == (0, 1, 0, 1):
            return "".join(parts)
        place = f'x="{_p(100 * left)}" y="{_p(100 - 100 * top)}" width="{_p(100 * (right - left))}" '
        return f'<svg {place}height="{_p(100 * (top - low))}" overflow="visible">{"".join(parts)}</svg>'

    def _grid(self, high: float) -> Iterator[str]:
        across = self.x.ticks()
        widest = max((_width(text) for _, text in across), default=0.0) + 8
        thin = math.ceil(widest * len(across) / (PAGE_TICKS * (self.across_at[1] - self.across_at[0])))
        thinner = math.ceil(widest * len(across) / (PHONE_TICKS * (self.across_at[1] - self.across_at[0])))
        for place, (at, text) in enumerate(across):
            if self.x.spec.get("showgrid", True) and not self.x.categories:
                yield f'<line class="grid" x1="{_p(at)}" x2="{_p(at)}" y1="0" y2="100%"/>'
            if thin < 2 or place % thin == 0:
                look = ' class="wide"' if thinner > 1 and place % thinner else ""
                yield _text(text, f'x="{_p(at)}"', "100%", LINE, "middle", look)
        up = self.y.ticks()
        thin = math.ceil(len(up) * 13 / high)
        for place, (at, text) in enumerate(up):
            if self.y.spec.get("showgrid", True) and not self.y.categories:
                yield f'<line class="grid" x1="0" x2="100%" y1="{_p(100 - at)}" y2="{_p(100 - at)}"/>'
            if thin < 2 or place % thin == 0:
                middle = 4 - LINE / 2 * text.count("<br>")
                yield _text(text, 'x="-8"', _p(100 - at), middle, "end")
        for axis, end in ((self.x, '<line class="zero" x1="{0}" x2="{0}" y1="0" y2="100%"/>'),
                          (self.y, '<line class="zero" x1="0" x2="100%" y1="{1}" y2="{1}"/>')):  # fmt: skip
            if axis.spec.get("zeroline") and 0 <= (at := axis.percent(0.0)) <= 100:
                yield end.format(_p(at), _p(100 - at))
        if title := self.x.spec["title"]["text"]:
            down = self.bottom() - 6 - LINE * title.count("<br>")
            yield _text(title, 'x="50%"', "100%", down, "middle", ' class="title"')
        if title := self.y.spec["title"]["text"]:
            left = 6 - self.left()
            yield (f'<svg x="{left:.0f}" y="50%" overflow="visible"><text class="title" text-anchor="middle" '
                   f'dominant-baseline="hanging" transform="rotate(-90)">{escape(title)}</text></svg>')  # fmt: skip

    def _bar(self, bar: _Bar) -> str:
        if not bar.length and not bar.text:
            return ""
        along, beside = (self.x, self.y) if bar.along == "x" else (self.y, self.x)
        ends = sorted((along.place(bar.base), along.place(bar.base + bar.length)))
        middle = beside.number(bar.row) + bar.shift
        sides = sorted((beside.percent(middle - bar.width / 2), beside.percent(middle + bar.width / 2)))
        (left, right), (low, top) = (ends, sides) if bar.along == "x" else (sides, ends)
        place = f'x="{_p(left)}" y="{_p(100 - top)}" width="{_p(right - left)}" height="{_p(top - low)}"'
        edge = f' stroke="{_colour(bar.edge)}"' if bar.edge else ""
        rect = f'<rect {place} fill="{_colour(bar.colour)}"{edge}>{_title(bar.hover)}</rect>'
        if bar.pattern:
            rect += f'<rect class="over" {place} fill="url(#p{PATTERNS[bar.pattern]})"/>'
        if not bar.text:
            return rect
        if bar.along == "y":
            return rect + _text(bar.text, f'x="{_p((left + right) / 2)}"', _p(100 - top), -5, "middle")
        apart, anchor, look = (5, "start", "") if bar.is_outside else (-5, "end", ' class="in"')
        place = f'x="{_p(right)}" dx="{apart}"'
        return rect + _text(bar.text, place, _p(100 - (low + top) / 2), 4, anchor, look)

    def _trace(self, trace: dict[str, Any]) -> Iterator[str]:
        kind, mode = trace["type"], trace.get("mode", "lines")
        if kind == "heatmap":
            yield self._cells(trace)
        elif kind == "scatter":
            if error := trace.get("error_x"):
                yield from self._errors(trace, error)
            if "lines" in mode:
                yield self._line(trace)
            if "markers" in mode:
                yield from self._marks(trace)
            if "text" in mode:
                yield from self._texts(trace)

    def _at(self, x: Any, y: Any) -> tuple[float, float] | None:
        """Percent from the left and from the top; None for what has no place."""
        if x is None or y is None or (isinstance(y, float) and math.isnan(y)):
            return None
        return self.x.place(x), 100 - self.y.place(y)

    def _points(self, trace: Mapping[str, Any]) -> list[tuple[float, float] | None]:
        return [self._at(x, y) for x, y in zip(trace["x"], trace["y"], strict=True)]

    def _line(self, trace: Mapping[str, Any]) -> str:
        """A line through the points, broken where one is missing, or the area that it goes round."""
        path, breaks = [], True
        for at in self._points(trace):
            if at is None:
                breaks = True
                continue
            path.append(f"{'M' if breaks else 'L'}{10 * at[0]:.1f} {10 * at[1]:.1f}")
            breaks = False
        filled = trace.get("fillcolor", "none") if trace.get("fill") else "none"
        hover = str(trace.get("name", "")) if trace.get("hoverinfo") != "skip" else ""
        return self._stretched("".join(path), trace.get("line", {}), filled, hover)

    @staticmethod
    def _stretched(path: str, line: Mapping[str, Any], fill: str = "none", hover: str = "") -> str:
        """A path over the whole panel, whose line is as wide everywhere."""
        wide = line.get("width", 2)
        dash = DASHES.get(line.get("dash", ""))
        look = f' stroke="{_colour(line.get("color", BLUE))}" stroke-width="{wide}"' if wide else ""
        look += f' stroke-dasharray="{dash}"' if dash else ""
        return (
            f'<svg {WHOLE} overflow="visible">'
            f'<path d="{path}" fill="{fill}" vector-effect="non-scaling-stroke"{look}>{_title(hover)}</path></svg>'
        )

    def _marks(self, trace: Mapping[str, Any]) -> Iterator[str]:
        """A symbol at each point; what nobody sees is a place for the pointer."""
        look = trace.get("marker", {})
        points = self._points(trace)
        if look.get("opacity") == 0:
            yield from self._places(trace, points)
            return
        colours = _each(_coloured(trace), len(points))
        symbol, size = look.get("symbol", "circle"), look.get("size", 8)
        for place, (at, colour) in enumerate(zip(points, colours, strict=True)):
            if at is not None:
                body = _mark(symbol, colour, size, look.get("line", {}), look.get("opacity", 1))
                hover = _title(_hover(trace, place))
                yield f'<svg x="{_p(at[0])}" y="{_p(at[1])}" overflow="visible">{body}{hover}</svg>'

    def _places(self, trace: Mapping[str, Any], points: Sequence[tuple[float, float] | None]) -> Iterator[str]:
        """Cells that tell their value under the pointer."""
        if len(points) > MOST_HOVERS:
            return
        wide, tall = (abs(axis.percent(1) - axis.percent(0)) for axis in (self.x, self.y))
        for place, at in enumerate(points):
            if at is not None:
                yield (f'<rect x="{_p(at[0] - wide / 2)}" y="{_p(at[1] - tall / 2)}" width="{_p(wide)}" '
                       f'height="{_p(tall)}" fill="transparent">{_title(_hover(trace, place))}</rect>')  # fmt: skip

    def _texts(self, trace: Mapping[str, Any]) -> Iterator[str]:
        points = self._points(trace)
        colours = _each(trace.get("textfont", {}).get("color", ""), len(points))
        side = trace.get("textposition", "middle center").split()[-1]
        anchor = {"right": "start", "left": "end"}.get(side, "middle")
        apart = {"right": 6, "left": -6}.get(side, 0)
        for at, text, colour in zip(points, trace["text"], colours, strict=True):
            if at is not None:
                look = f' style="fill:{colour};pointer-events:none"' if colour else ""
                yield _text(text, f'x="{_p(at[0])}" dx="{apart}"', _p(at[1]), 4, anchor, look)

    def _errors(self, trace: Mapping[str, Any], error: Mapping[str, Any]) -> Iterator[str]:
        """How far each point may be off, along the level axis."""
        colour, wide = _colour(error["color"]), error.get("thickness", 2)
        for x, y, more, less in zip(trace["x"], trace["y"], error["array"], error["arrayminus"], strict=True):
            at = _p(100 - self.y.place(y))
            yield (f'<line x1="{_p(self.x.place(x - less))}" x2="{_p(self.x.place(x + more))}" y1="{at}" y2="{at}" '
                   f'stroke="{colour}" stroke-width="{wide}" stroke-opacity=".6"/>')  # fmt: skip

    def _cells(self, trace: Mapping[str, Any]) -> str:
        paths: dict[str, list[str]] = {}
        known = [value for row in trace["z"] for value in row if value is not None]
        low, high = min(known), max(known)
        for row, values in enumerate(trace["z"]):
            for column, value in enumerate(values):
                if value is not None:
                    share = round(SHADES * (value - low) / ((high - low) or 1)) / SHADES
                    left, right = (10 * self.x.percent(column + half) for half in (-0.47, 0.47))
                    top, end = (10 * (100 - self.y.percent(row + half)) for half in (0.47, -0.47))
                    cell = f"M{left:.1f} {top:.1f}H{right:.1f}V{end:.1f}H{left:.1f}z"
                    paths.setdefault(shade(trace["colorscale"], share), []).append(cell)
        cells = "".join(f'<path d="{"".join(cells)}" fill="{colour}"/>' for colour, cells in paths.items())
        return f"<svg {WHOLE}>{cells}</svg>"

    def _shape(self, shape: Mapping[str, Any]) -> str:
        """A line or a stretch of ground."""
        xs = [100 * shape[end] if shape.get("xref") == "paper" else self.x.place(shape[end]) for end in ("x0", "x1")]
        ys = [100 - (100 * shape[end] if shape.get("yref") == "paper" else self.y.place(shape[end]))
              for end in ("y0", "y1")]  # fmt: skip
        if shape["type"] == "line":
            look = shape["line"]
            dash = f' stroke-dasharray="{DASHES[look["dash"]]}"' if look.get("dash") in DASHES else ""
            return (f'<line x1="{_p(xs[0])}" x2="{_p(xs[1])}" y1="{_p(ys[0])}" y2="{_p(ys[1])}" '
                    f'stroke="{_colour(look["color"])}" stroke-width="{look["width"]}"{dash}/>')  # fmt: skip
        return (f'<rect x="{_p(min(xs))}" y="{_p(min(ys))}" width="{_p(abs(xs[1] - xs[0]))}" '
                f'height="{_p(abs(ys[1] - ys[0]))}" fill="{shape["fillcolor"]}"/>')  # fmt: skip

    def _notes(self) -> Sequence[dict[str, Any]]:
        notes: Sequence[dict[str, Any]] = self.layout.get("annotations", ()) if self.is_first else ()
        return notes

    def _note(self, note: Mapping[str, Any]) -> str:
        """Words at a place; on a logarithmic axis the place is given in powers of ten."""
        at: list[float] = []
        for axis, name in ((self.x, "x"), (self.y, "y")):
            value = note[name]
            paper = note.get(f"{name}ref") == "paper"
            at.append(100 * value if paper else axis.place(value) if isinstance(value, str) else axis.percent(value))
        lines = note["text"].count("<br>") + 1
        rise = {"bottom": -6 - LINE * (lines - 1), "top": 12}.get(note.get("yanchor", ""), 4)
        x = f'x="{_p(at[0])}" dx="{note.get("xshift", 0)}"'
        anchor = ANCHORS[note.get("xanchor", "center")]
        return _text(note["text"], x, _p(100 - at[1]), rise - note.get("yshift", 0), anchor)

    def _scale(self, high: float) -> Iterator[str]:
        for trace in self.traces:
            bar = _colour_bar(trace)
            if not bar or not bar["tickvals"]:
                continue
            scale = trace.get("colorscale") or trace["marker"]["colorscale"]
            step = 100 / SHADES
            for place in range(SHADES):
                colour, begin = shade(scale, place / (SHADES - 1)), _p(100 - step * (place + 1))
                rect = f'<rect x="10" width="12" height="{high / SHADES + 0.6:.1f}" fill="{colour}"/>'
                yield f'<svg x="100%" y="{begin}" overflow="visible">{rect}</svg>'
            low, top = min(bar["tickvals"]), max(bar["tickvals"])
            for value, text in zip(bar["tickvals"], bar["ticktext"], strict=True):
                at = 100 - 100 * ((value - low) / (top - low) if top > low else 0.5)
                yield _text(text, 'x="100%" dx="27"', _p(at), 4, "start")


class _Bar:
    """One bar: on which row it stands, from where and how long along which axis, and how it looks."""

    def __init__(self, trace: Mapping[str, Any], place: int, base: float, among: tuple[int, int]) -> None:
        is_level = trace.get("orientation") == "h"
        self.along = "x" if is_level else "y"
        self.row, length = trace["y" if is_level else "x"][place], trace[self.along][place]
        self.length = float(length or 0.0)
        self.base = base
        rank, count = among
        self.width = trace.get("width", 0.8) / count
        self.shift = self.width * (rank - (count - 1) / 2)
        if is_level:
            self.shift = -self.shift
        look = trace["marker"]
        points = len(trace["x"])
        self.colour = _each(look["color"], points)[place]
        self.pattern = _each(look.get("pattern", {}).get("shape", ""), points)[place]
        self.edge = look.get("line", {}).get("color", "") if self.colour.startswith("rgba") else ""
        texts = trace.get("text") or [""] * points
        side = _each(trace.get("textposition", "none"), points)[place]
        self.text = "" if side == "none" else str(texts[place])
        self.is_outside = side != "inside"
        self.hover = _hover(trace, place)


def _bars(traces: Iterable[Mapping[str, Any]], mode: str) -> Iterator[_Bar]:
    """The bars of a panel: side by side, one upon another, or each from its own base."""
    those = [trace for trace in traces if trace["type"] == "bar"]
    ends: dict[tuple[Any, bool], float] = {}
    rows = [set(trace["y" if trace.get("orientation") == "h" else "x"]) for trace in those]
    shared = mode == "group" and any(a & b for k, a in enumerate(rows) for b in rows[k + 1 :])
    for rank, trace in enumerate(those):
        is_level = trace.get("orientation") == "h"
        lengths, names = (trace["x"], trace["y"]) if is_level else (trace["y"], trace["x"])
        for place, (length, name) in enumerate(zip(lengths, names, strict=True)):
            base = trace["base"][place] if "base" in trace else 0.0
            if mode in ("stack", "relative"):
                key = name, (length or 0) < 0
                base = ends.get(key, 0.0)
                ends[key] = base + (length or 0)
            yield _Bar(trace, place, base, (rank, len(those)) if shared else (0, 1))


def _legend(layout: Mapping[str, Any], traces: Sequence[Mapping[str, Any]]) -> str:
    named = [trace for trace in traces if trace.get("name") and trace.get("showlegend", True) is not False]
    if layout.get("showlegend") is False or (len(named) < 2 and not layout.get("showlegend")):
        return ""
    title = layout.get("legend", {}).get("title", {}).get("text", "")
    keys = "".join(f'<span class="key">{_swatch(trace)}{_words(trace["name"])}</span>' for trace in named)
    return f'<div class="keys">{escape(title)}{keys}</div>'


def _swatch(trace: Mapping[str, Any]) -> str:
    if trace["type"] == "bar":
        look = trace["marker"]
        colour, pattern = _each(look["color"], 1)[0], _each(look.get("pattern", {}).get("shape", ""), 1)[0]
        over = f'<rect width="14" height="12" fill="url(#p{PATTERNS[pattern]})"/>' if pattern else ""
        edge = ' stroke="currentColor"' if colour.startswith("rgba") else ""
        return f'<svg width="14" height="12"><rect width="14" height="12" fill="{colour}"{edge}/>{over}</svg>'
    mode, parts = trace.get("mode", "lines"), ""
    if "lines" in mode:
        line = trace.get("line", {})
        dash = f' stroke-dasharray="{DASHES[line["dash"]]}"' if line.get("dash") in DASHES else ""
        fill = trace.get("fillcolor", "none") if trace.get("fill") else "none"
        parts += f'<rect width="26" height="12" fill="{fill}"/>' if fill != "none" else ""
        if line.get("width", 2):
            parts += (
                f'<line x2="26" y1="6" y2="6" stroke="{_colour(line.get("color", BLUE))}" stroke-width="2.5"{dash}/>'
            )
    if "markers" in mode:
        look = trace["marker"]
        colour = _each(_coloured(trace), 1)[0]
        body = _mark(look.get("symbol", "circle"), colour, min(look.get("size", 8), 10), look.get("line", {}), 1)
        parts += f'<svg x="13" y="6" overflow="visible">{body}</svg>'
    return f'<svg width="26" height="12">{parts}</svg>'


def _mark(symbol: str, colour: str, size: float, line: Mapping[str, Any], opacity: float) -> str:
    name = symbol.removesuffix("-open")
    is_open, edge = symbol != name, line.get("color") or colour
    ink = _colour(colour)
    fill = "none" if is_open or name in STROKED else ink
    wide = line.get("width", 2 if is_open or name in STROKED else 0)
    stroke = f' stroke="{_colour(edge)}" stroke-width="{wide}" vector-effect="non-scaling-stroke"' if wide else ""
    seen = f' opacity="{opacity}"' if opacity != 1 else ""
    scale = f"{size / 2:.3g}"
    return f'<path d="{SYMBOLS[name]}" transform="scale({scale})" fill="{fill}"{stroke}{seen}/>'


def _colour_bar(trace: Mapping[str, Any]) -> dict[str, Any]:
    bar: dict[str, Any] = trace.get("colorbar") or trace.get("marker", {}).get("colorbar") or {}
    return bar


def _coloured(trace: Mapping[str, Any]) -> Any:
    """The colours of marks: their own, those of their line, or numbers by their scale."""
    look = trace["marker"]
    colours = look.get("color", trace.get("line", {}).get("color", BLUE))
    if "colorscale" not in look or not colours:
        return colours
    low, high = min(colours), max(colours)
    return [shade(look["colorscale"], (value - low) / ((high - low) or 1)) for value in colours]


def shade(scale: Sequence[Sequence[Any]], share: float) -> str:
    """The colour at a share of a scale."""
    for (low, first), (high, second) in pairwise(scale):
        if share <= high:
            part = (share - low) / (high - low)
            both = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (first, second)]
            mixed = (round(a + part * (b - a)) for a, b in zip(*both, strict=True))
            return "#" + "".join(f"{value:02x}" for value in mixed)
    return str(scale[-1][1])


def _each(value: Any, count: int) -> list[Any]:
    """One value a point, where all may have the same."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return [value] * count
    return [at for at, _ in zip(cycle(value), range(count), strict=False)]


def _colour(colour: str) -> str:
    return "currentColor" if colour == OF_TEXT else colour


def _p(percent: float) -> str:
    """A place in percent, as short as it may be."""
    return f"{percent:.2f}".rstrip("0").rstrip(".") + "%"


def _width(text: str) -> float:
    """Pixels of the widest line of *text*."""
    return max(LETTER * len(unescape(re.sub(r"<.*?>", "", line))) for line in text.split("<br>"))


def _words(text: str) -> str:
    """*text* of a figure, which may hold marks of its own, as text of a page."""
    return escape(unescape(re.sub(r"</?(b|sub|br)>", " ", text)).strip())


def _text(text: str, x: str, y: str, down: float, anchor: str, look: str = "") -> str:
    """Lines of text at a place, the first *down* pixels below it."""
    spans = []
    for rank, line in enumerate(text.split("<br>")):
        place = f'{x.split(maxsplit=1)[0]} dy="{LINE}"' if rank else f'{x} dy="{down:g}"'
        bold = ' font-weight="600"' if "<b>" in line else ""
        spans.append(f"<tspan {place}{bold}>{_words(line)}</tspan>")
    return f'<text y="{y}" text-anchor="{anchor}"{look}>{"".join(spans)}</text>'


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""


def _hover(trace: Mapping[str, Any], place: int) -> str:
    if trace.get("hoverinfo") == "skip":
        return ""
    texts = trace.get("hovertext") or trace.get("text") or ()
    text = str(texts[place]) if len(texts) > place else ""
    if template := trace.get("hovertemplate"):
        values = {"x": trace["x"][place], "y": trace["y"][place], "text": text, "hovertext": text}
        text = _FIELD.sub(lambda match: _formatted(values.get(match[1], ""), match[2] or ""), template)
    text = re.sub(r"<extra>.*?</extra>", "", text).replace("<br>", "\n")
    return unescape(re.sub(r"</?b>", "", text))


_FIELD: Final = re.compile(r"%\{(\w+)(?::([^}]*))?\}")


def _formatted(value: Any, form: str) -> str:
    if not isinstance(value, int | float):
        return str(value)
    if form.endswith("f"):
        return format(value, form)
    if form.endswith("p"):
        return f"{100 * value:.3g} %"
    return f"{float(f'{value:.4g}'):,.10g}"
