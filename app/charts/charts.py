"""A result as figures: pure functions, no Streamlit, no plotly import; colours fixed by wait class."""

from __future__ import annotations

from itertools import accumulate
from textwrap import wrap
from typing import Any, Final

from blocktime.app.charts import drawing
from blocktime.app.charts.drawing import Figure
from blocktime.app.text.profile import UNCHANGED_S, TimePart, by_class, parts, scale_of, signed, wait_class
from blocktime.model.causes import STATED
from blocktime.model.results import RunResult
from blocktime.model.units import show_alike, show_bytes, show_seconds, show_share
from blocktime.scenarios.why import changes

# Wait class -> colour that reads on white and on near-black, and a pattern that reads without colour.
LOOKS: Final[dict[str, tuple[str, str]]] = {
    "CPU": ("#2f9e58", ""),
    "CPU: search": ("#6f8f1f", "+"),
    "User I/O": ("#2f74d0", "/"),
    "System I/O": ("#3f93cc", "\\"),
    "Commit": ("#cf6d12", "|"),
    "Concurrency": ("#b8424e", "+"),  # never beside a search for space
    "Network": ("#9a8168", "."),
    "Idle": ("#7f8b98", "-"),
    "Other": ("#d46fa4", "x"),
}
SEVERAL: Final = "several wait classes"
"""Of a bar that sums up components."""
_LOOKS_OF_BARS: Final = LOOKS | {SEVERAL: ("#8d8d8d", "")}
LONGEST_LINE: Final = 26
MOST_LINES: Final = 2
LEAST_SEEN: Final = 0.04
"""Share of the axis below which steps from one bar to the next are too small to be read."""
MARK_SHARE: Final = 0.006
"""Width of a mark, over that of the axis."""
ROWS: Final = 8
"""Of a waterfall at the most; it is as high as that, so that nothing jumps."""
WHOLE: Final = "#7f8b98"
INK: Final = {"light": "#2c3a49", "dark": "#d5dde5"}


def differences(base: RunResult, other: RunResult) -> list[TimePart]:
    """What each component gained or lost, largest first; nothing below TKPROF's resolution."""
    return [
        TimePart(change.name, wait_class(change.name), change.change_s)
        for change in changes(base, other)
        if abs(change.change_s) > UNCHANGED_S
    ]


def waterfall(base: RunResult, other: RunResult, most: int = ROWS - 2) -> tuple[Figure, str]:
    """Baseline to what-if by component, the axis cut where steps are small; without any, zero to baseline by component.

    Returns the figure and a sentence that states its finding.
    """
    steps = differences(base, other)
    changed = bool(steps)
    start = base.time.elapsed_s
    if not changed:
        start, steps = 0.0, sorted(parts(base), key=lambda part: -abs(part.seconds))
        steps = [part for part in steps if abs(part.seconds) > UNCHANGED_S]
    steps = _folded(steps, most)
    rows = [
        *(["Baseline"] if changed else []),
        *(part.name for part in steps),
        "What-if" if changed else "Response" if base.transactions else "Elapsed",
    ]
    traces: list[dict[str, Any]] = []
    level, longest_s = start, max(base.time.elapsed_s, other.time.elapsed_s)
    for part in steps:
        after = level + part.seconds
        text = signed(part.seconds, longest_s) if changed else show_seconds(part.seconds, longest_s)
        traces.append(_bar(part.name, min(level, after), abs(part.seconds), part.wait_class, text))
        level = after
    levels = [0.0, *accumulate((part.seconds for part in steps), initial=start)]
    ends_s = _axis(levels[1:] if changed else levels)
    for label, result in ([("Baseline", base)] if changed else []) + [(rows[-1], other)]:
        traces += [_end(label, result, ends_s[1] - ends_s[0])] if ends_s[0] else _stack(label, result)
    scale = scale_of([base, other])
    across = f"{scale.word} of {scale.of}" + (" (the axis does not begin at 0)" if ends_s[0] else "")
    for trace in traces:
        trace["x"], trace["base"] = [scale.per_s * trace["x"][0]], [scale.per_s * trace["base"][0]]
    figure = drawing.figure(traces, _layout(rows, [scale.per_s * end for end in ends_s], across))
    return figure, _finding(base, other, steps if changed else [])


def _axis(levels: list[float]) -> tuple[float, float]:
    """Where the axis begins and ends: at zero, unless *levels* lie so close together that nobody would see a step."""
    low, high = min(levels), max(levels)
    if high - low >= LEAST_SEEN * high:
        return 0.0, 1.01 * high
    return low - (high - low) / 3, high + (high - low) / 20


def _folded(steps: list[TimePart], most: int) -> list[TimePart]:
    """The first steps, and the sum of the rest as one where there are more than *most*."""
    if len(steps) <= most:
        return steps
    first, rest = steps[: most - 1], steps[most - 1 :]
    together = sum(part.seconds for part in rest)
    return [*first, TimePart(f"{len(rest)} smaller components", SEVERAL, together)]


def _bar(row: str, base: float, length: float, kind: str, text: str) -> dict[str, Any]:
    return drawing.bars(
        "", [row], [length], _LOOKS_OF_BARS[kind], base=[base], text=[text], textposition="outside", cliponaxis=False,
        showlegend=False, legendgroup=kind, width=0.62, hovertemplate=f"{row}<br>{text}<br>{kind}<extra></extra>",
    )  # fmt: skip


def _end(row: str, result: RunResult, span_s: float) -> dict[str, Any]:
    """One total where the axis does not begin at zero: a mark at its end, as the length of a bar would say nothing."""
    whole_s = result.time.elapsed_s
    text = f"<b>{show_seconds(whole_s)}</b>"
    bar = _bar(row, whole_s - MARK_SHARE * span_s, MARK_SHARE * span_s, "Other", text)
    return bar | {"marker": drawing.marker(WHOLE, ""), "hovertemplate": f"{row}<br>{text}<extra></extra>"}


def _stack(row: str, result: RunResult) -> list[dict[str, Any]]:
    """One total by wait class; what is counted twice comes off the largest class, so the length is elapsed time."""
    sums = by_class(result)
    surplus = sum(seconds for seconds in sums.values() if seconds < 0)
    largest = max(sums, key=lambda kind: sums[kind])
    traces, level = [], 0.0
    for kind, seconds in sums.items():
        length = seconds + (surplus if kind == largest else 0)
        if length <= 0:
            continue
        last = level + length >= result.time.elapsed_s * (1 - 1e-9)
        trace = _bar(row, level, length, kind, f"<b>{show_seconds(result.time.elapsed_s)}</b>" if last else "")
        trace["hovertemplate"] = f"{row}: {kind}<br>{show_seconds(seconds)}<extra></extra>"
        traces.append(trace)
        level += length
    return traces


def in_lines(label: str) -> str:
    """A label of a bar in two lines where one has no room for it; a longer one is cut, a setting parted at its sign."""
    words = [word.replace("=", "= ", 1) if len(word) > LONGEST_LINE else word for word in label.split()]
    return "<br>".join(wrap(" ".join(words), LONGEST_LINE, max_lines=MOST_LINES, placeholder=" …"))


def _layout(rows: list[str], ends: list[float], across: str) -> dict[str, Any]:
    return drawing.layout(
        56 + 27 * max(len(rows), ROWS), drawing.axis(across, range=ends, zeroline=True), drawing.rows(rows, in_lines),
        margin=(8, 78, 4, 40), barmode="overlay", showlegend=False, uniformtext={"mode": "show", "minsize": 9},
        bargap=0.3,
    )  # fmt: skip


def finding(result: RunResult) -> str:
    """The result in one sentence: elapsed time and its largest part."""
    whole = "One transaction takes" if result.transactions else "Elapsed"
    return f"{whole} {show_seconds(result.time.elapsed_s)}; {largest(result)}"


def largest(result: RunResult) -> str:
    """The largest part of the elapsed time, in a clause."""
    top = max(parts(result), key=lambda part: part.seconds, default=None)
    if top is None:
        return "no part of it takes any time"
    elapsed = result.time.elapsed_s
    share = f"{show_share(top.seconds / elapsed)}" if elapsed else "all"
    return f"the largest part is {top.name}, {show_seconds(top.seconds)} ({share})"


def _finding(base: RunResult, other: RunResult, steps: list[TimePart]) -> str:
    before, after = base.time.elapsed_s, other.time.elapsed_s
    if not steps:
        return finding(base)
    step = steps[0]
    whole = "The response" if other.transactions else "Elapsed"
    return (
        f"{whole} goes from {' to '.join(show_alike(before, after))}; "
        f"the largest change is {step.name} with {signed(step.seconds, max(before, after))}"
    )


def key_html(results: list[RunResult]) -> str:
    """The legend of the wait classes that occur, as HTML with the same colours and a pattern for each."""
    seen = [kind for kind in LOOKS if any(abs(by_class(result)[kind]) > UNCHANGED_S for result in results)]
    stated = any(STATED in result.time.wait for result in results)
    names = {
        "CPU: search": "CPU of the search for space",
        "Idle": "Idle (the client)",
        "Other": "Stated or unaccounted" if stated else "Unaccounted",
    }
    return "".join(
        f'<span class="key"><i style="background-color:{LOOKS[kind][0]};'
        f'background-image:{_CSS[LOOKS[kind][1]]}"></i>{names.get(kind, kind)}</span>'
        for kind in seen
    )


_STRIPE = "repeating-linear-gradient({}deg,transparent 0 3px,rgba(255,255,255,.75) 3px 4px)"
_CSS: Final = {
    "": "none",
    "/": _STRIPE.format(135),
    "\\": _STRIPE.format(45),
    "-": _STRIPE.format(0),
    "|": _STRIPE.format(90),
    "+": f"{_STRIPE.format(0)},{_STRIPE.format(90)}",
    ".": "radial-gradient(rgba(255,255,255,.8) 38%,transparent 40%);background-size:4px 4px",
    "x": f"{_STRIPE.format(45)},{_STRIPE.format(135)}",
}


def reads_by_size(base: RunResult, other: RunResult) -> tuple[Figure, str]:
    """How many reads of which size, baseline beside what-if, on a logarithmic axis."""
    both = {"Baseline": base, "What-if": other}
    sizes = sorted({size for result in both.values() for size in _sizes(result)})
    traces = []
    for (name, result), look in zip(both.items(), ((drawing.GREY, ""), LOOKS["User I/O"]), strict=True):
        counts = [_sizes(result).get(size, 0) for size in sizes]
        traces.append(drawing.columns(
            name, [show_bytes(size) for size in sizes], counts, look, textposition="outside", cliponaxis=False,
            text=[f"{count:,.0f}" if count else "" for count in counts],
        ))  # fmt: skip
    most = max((max(_sizes(result).values(), default=1) for result in both.values()), default=1)
    layout = drawing.layout(
        260, drawing.axis("size of one read", type="category"), drawing.axis("reads", type="log", dtick=1),
        margin=drawing.SNUG, barmode="group",
    )  # fmt: skip
    text = (
        f"The baseline reads {base.physical_io.read_requests:,.0f} times, the what-if "
        f"{other.physical_io.read_requests:,.0f} times; {most:,.0f} reads have the most frequent size"
    )
    return drawing.figure(traces, layout), text


def _sizes(result: RunResult) -> dict[float, float]:
    physical = result.physical_io
    if not physical.read_blocks:
        return {}
    block = physical.read_bytes / physical.read_blocks
    return {size * block: count for size, count in physical.request_blocks.items() if count >= 0.5}
