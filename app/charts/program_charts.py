"""Programs beside each other as figures: a time line of the run, and the users' response over a program's size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from blocktime.app.charts import drawing
from blocktime.app.charts.drawing import LINES, SNUG, Figure, axis
from blocktime.app.text.programs_text import at_worst, named, span_of
from blocktime.model.results import ProgramStats, RunResult
from blocktime.model.units import show_alike, show_number, show_seconds

PANELS: Final = {"y": [0.84, 1.0], "y2": [0.54, 0.78], "y3": [0.27, 0.48], "y4": [0.0, 0.21]}
"""Axis -> its share of the height: when programs run, response, queue and %util."""

OVER_TIME: Final = "%{y:,.3~r} at %{x:.3~r} s"


def time_line(result: RunResult) -> tuple[Figure, str]:
    """When each program begins and ends; response, queue and %util over the run, interval by interval."""
    programs, lines = result.programs or [], next(iter(result.device.values())).lines
    end_s = max([line.begin_s + line.interval_s for line in lines] + [end for p in programs for _, end in p.runs])
    looks = dict(zip([program.name for program in programs], LINES, strict=False))
    traces: list[dict[str, Any]] = []
    for program in programs:
        runs, look = program.runs or [(program.begin_s, end_s)], looks.get(program.name, LINES[0])
        traces.append(drawing.bars(
            program.name, [program.name] * len(runs), [end - begin for begin, end in runs], (look[0], ""), width=0.6,
            base=[begin for begin, _ in runs], showlegend=False,
            hovertemplate="%{y}: %{base:.4~r} to %{x:.4~r} s<extra></extra>",
        ))  # fmt: skip
        middles = [line.begin_s + line.interval_s / 2 for line in program.lines]
        responses = [1000 * line.response_s for line in program.lines]
        words = f"response of {program.name}"
        traces.append(drawing.line(words, middles, responses, look, OVER_TIME, yaxis="y2", showlegend=False))
    middles = [line.begin_s + line.interval_s / 2 for line in lines]
    for name, on, values in (
        ("queue", "y3", [line.average_queue for line in lines]),
        ("%util", "y4", [100 * line.utilisation_fraction for line in lines]),
    ):
        grey = (drawing.GREY, "solid")
        traces.append(drawing.line(name, middles, values, grey, OVER_TIME, yaxis=on, showlegend=False))
    ends = [end for program in programs for run in program.runs[:20] for end in run if 0 < end < end_s]
    layout = drawing.layout(
        460, axis("seconds since the start", range=[0, end_s], anchor="y4"),
        drawing.rows([program.name for program in programs]) | {"domain": PANELS["y"]}, SNUG,
        yaxis2=axis("response (ms)", rangemode="tozero", domain=PANELS["y2"]),
        yaxis3=axis("queue", rangemode="tozero", domain=PANELS["y3"]),
        yaxis4=axis("%util", range=[0, 105], domain=PANELS["y4"]), barmode="overlay",
        shapes=[drawing.upright(end, color=drawing.OF_TEXT, width=1, dash="dot") for end in dict.fromkeys(ends)],
    )  # fmt: skip
    return drawing.figure(traces, layout), " ".join(filter(None, (_course(program, programs) for program in programs)))


def _course(program: ProgramStats, programs: Sequence[ProgramStats]) -> str:
    """The slowest and the quickest interval of a program's response."""
    if not program.lines:
        ends = [end for _, end in program.runs]
        often = f", {len(ends)} times" if len(ends) > 1 else ""
        return f"{named(program)} ends after {show_seconds(ends[0])}{often}." if ends else ""
    quick = min(program.lines, key=lambda line: line.response_s)
    best = f"{show_seconds(quick.response_s)} in {span_of(quick)}"
    return f"{named(program)}: response at most {at_worst(program, programs)}; at least {best}."


def over_size(
    users: str, program: str, points: Sequence[tuple[float, float]], now: float, alone_s: float | None
) -> tuple[Figure, str]:
    """The response of *users* in seconds over the size of another *program*; *now* is its size in the scenario."""
    sizes, responses = [size for size, _ in points], [response_s for _, response_s in points]
    hovers = [f"{show_number(size)}: {show_seconds(response)}" for size, response in points]
    traces = [drawing.line(
        f"response of {users}", sizes, [1000 * each for each in responses], LINES[0], hovers, mode="lines+markers",
        showlegend=False,
    )]  # fmt: skip
    shapes = [drawing.upright(now, color=drawing.OF_TEXT, width=1, dash="dot")]
    shapes += [drawing.level(1000 * alone_s, color=drawing.GREEN, width=1, dash="dash")] if alone_s else []
    across = axis(program, type="log", tickvals=sizes, ticktext=[*map(show_number, sizes)])
    up = axis(f"response of {users} (ms)", rangemode="tozero")
    layout = drawing.layout(280, across, up, SNUG, shapes=shapes)
    first, last = show_alike(responses[0], responses[-1])
    low, high = show_number(sizes[0]), show_number(sizes[-1])
    alone = f"; alone {show_seconds(alone_s)}" if alone_s else ""
    return drawing.figure(traces, layout), f"Response of {users}: {first} at {low}, {last} at {high}{alone}."
