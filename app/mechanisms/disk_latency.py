"""Disk latency: a turning platter, calls one by one, and the time of a call over its size, with document 001's dd."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from blocktime.app.charts import drawing
from blocktime.app.mechanisms import printed_points
from blocktime.app.mechanisms.lesson import Chart, LessonAnswer, Values, lesson_of
from blocktime.app.mechanisms.lesson_scenarios import changed, loaded, stream_of
from blocktime.model.demand.calls import call_cpu_s, files_of, places
from blocktime.model.laws import disk_means
from blocktime.model.laws.device_time import transfer_s
from blocktime.model.laws.disk_geometry import geometry_of
from blocktime.model.laws.rotating_disk import seek_s
from blocktime.model.machine.device.drive import capacity_of, drive_of
from blocktime.model.units import KIB, show_alike, show_bytes, show_seconds
from blocktime.scenarios import Scenario

DISK, SIZE, PATTERN, CALLS, PAUSE = (
    "disk.use", "workload.block_size_bytes", "workload.pattern", "calls", "workload.think_s",
)  # fmt: skip
LESSON: Final = lesson_of("disk_latency")
SIZES: Final = LESSON.knob(SIZE).options
FIRST_CALLS: Final = 5
SEED: Final = 1
# Part of a call -> colour and pattern.
PARTS: Final = {
    "pause": (drawing.FAINT, ""),
    "overhead": (drawing.PURPLE, "x"),
    "seek": (drawing.ORANGE, "/"),
    "waiting for the sector": (drawing.BLUE, "."),
    "transfer": (drawing.GREEN, ""),
}


class DiskCall(NamedTuple):
    """One call: when it comes, and how long each part of it takes, in seconds."""

    at_s: float
    overhead_s: float
    seek_s: float
    turn_s: float
    transfer_s: float

    @property
    def parts(self) -> dict[str, float]:
        """Seconds by what they are spent on."""
        return dict(zip(list(PARTS)[1:], self[1:], strict=True))

    @property
    def service_s(self) -> float:
        """From the command to its end."""
        return self.overhead_s + self.seek_s + self.turn_s + self.transfer_s


def changes_of(values: Values) -> dict[str, str]:
    """What the controls change in the scenario."""
    changes = LESSON.settings(values) | {"workload.start_byte": "0"}
    if values[SIZE] > 124 * KIB:  # the host of document 001 cuts calls there
        changes |= {"host.max_request_bytes": str(values[SIZE]), "host.max_segments": "256"}
    return changes


def scenario_of(values: Values) -> Scenario:
    """The scenario that the controls describe."""
    return changed(LESSON.scenario, changes_of(values))


def gap_s(scenario: Scenario) -> float:
    """From the end of a call to the next command: the program's pause and the CPU of a call."""
    host, work = scenario.system.host, stream_of(scenario)
    return float(work.think_s + call_cpu_s(host, work))


def calls_of(scenario: Scenario, count: int) -> list[DiskCall]:
    """The first calls of a lone program, as the drive serves them."""
    system, work = scenario.system, stream_of(scenario)
    drive, gap = drive_of(system.disk), gap_s(scenario)
    (file,) = files_of(system, work, capacity_of(system.disk))
    count = min(count, work.count)
    draws = np.random.default_rng(SEED).random(count)
    now, calls = 0.0, []
    for start in places(file, np.arange(count), draws).tolist():
        tracks = drive.distance(start)
        took = drive.submit(now, file.write, start, work.block_size_bytes) - now
        calls.append(_parts(scenario, now, took, tracks))
        now += took + gap
    return calls


def _parts(scenario: Scenario, at_s: float, took_s: float, tracks: float) -> DiskCall:
    """The parts of a service; what neither overhead nor seek nor transfer explains is the platter's turn."""
    disk, work = scenario.system.disk, stream_of(scenario)
    write = work.writes
    overhead = min(float(disk_means.overhead_s(disk, write)), took_s)
    rate = disk.bandwidth_bytes_per_s if disk.rotation_s else disk_means.rate_bytes_per_s(disk, write)
    sent = min(transfer_s(work.block_size_bytes, rate), took_s - overhead)
    move = 0.0
    if disk.rotation_s:
        g = geometry_of(disk)
        move = seek_s(tracks // g.heads, g.cylinders, g.track_seek_s, g.average_seek_s, g.full_seek_s)
        move = min(float(move), took_s - overhead - sent)
    return DiskCall(at_s, overhead, move, took_s - overhead - sent - move, sent)


def picture(scenario: Scenario, calls: list[DiskCall]) -> Chart:
    """The platter during one call, and the first calls one below the other."""
    disk = scenario.system.disk
    traces = _bars(calls, gap_s(scenario)) + (_platter(disk, calls) if disk.rotation_s else [])
    left = 0.46 if disk.rotation_s else 0.0
    layout = drawing.layout(
        290,
        drawing.axis("ms since the first call", domain=[left, 1], rangemode="tozero"),
        drawing.axis("", categoryorder="array", categoryarray=[f"call {n + 1}" for n in range(len(calls))][::-1],
                     ticksuffix="  ", automargin=False),
        barmode="stack", top=40,
    )  # fmt: skip
    if disk.rotation_s:
        degrees = {"tickvals": [90, 180, 270], "ticktext": ["¼", "½ turn", "¾"], "showgrid": False,
                   "direction": "counterclockwise", "rotation": 90}  # fmt: skip
        layout["polar"] = {
            "domain": {"x": [0.02, 0.34], "y": [0, 0.98]}, "bgcolor": drawing.CLEAR, "angularaxis": degrees,
            "radialaxis": {"visible": False, "range": [0, 1]},
        }  # fmt: skip
    call = calls[-1]
    longest = max(call.parts, key=lambda part: call.parts[part])
    turn = ""
    in_order = stream_of(scenario).pattern == "sequential"
    if disk.rotation_s and call.turn_s > 0.5 * disk.rotation_s and in_order:
        turn = f": its sector has just passed, and a rotation takes {show_seconds(disk.rotation_s)}"
    of_it = f"of it {show_seconds(call.parts[longest])} {longest}{turn}"
    text = f"Call {len(calls)} takes {show_seconds(call.service_s)}, {of_it}."
    return Chart(drawing.figure(traces, layout), text)


def _bars(calls: list[DiskCall], gap: float) -> list[dict[str, Any]]:
    rows = [f"call {number + 1}" for number in range(len(calls))]
    pauses = [0.0] + [gap] * (len(calls) - 1)
    lengths = {name: [call.parts.get(name, pause) for call, pause in zip(calls, pauses, strict=True)] for name in PARTS}
    begins = [1000 * (call.at_s - pause) for call, pause in zip(calls, pauses, strict=True)]
    unseen = drawing.bars("", rows, begins, (drawing.CLEAR, ""), hoverinfo="skip", showlegend=False, width=0.6)
    return [unseen | {"marker": {"color": drawing.CLEAR}}, *(
        drawing.bars(
            name, rows, [1000 * part for part in length], PARTS[name], width=0.6, textposition="none",
            text=[show_seconds(part) for part in length], hovertemplate=f"%{{y}}, {name}: %{{text}}<extra></extra>",
        )
        for name, length in lengths.items()
        if any(length)
    )]  # fmt: skip


def _platter(disk: Any, calls: list[DiskCall]) -> list[dict[str, Any]]:
    """The last call as angles: time modulo a turn is what the head has below it."""
    call = calls[-1]
    ready = call.at_s + call.overhead_s + call.seek_s
    begin = ready + call.turn_s
    end = begin + call.transfer_s

    def arc(since_s: float, until_s: float) -> list[float]:
        turns = min((until_s - since_s) / disk.rotation_s, 1.0)
        first = since_s / disk.rotation_s
        return [360 * (first + turns * step / 72) for step in range(73)]

    def drawn(name: str, theta: list[float], radius: float, **line: Any) -> dict[str, Any]:
        return {"type": "scatterpolar", "mode": "lines", "name": name, "theta": theta, "r": [radius] * len(theta),
                "line": line, "hovertemplate": f"{name}<extra></extra>", "showlegend": False}  # fmt: skip

    ring = [5.0 * step for step in range(73)]
    head = {
        "type": "scatterpolar", "mode": "markers", "theta": [360 * call.at_s / disk.rotation_s], "r": [0.7],
        "name": "place below the head when the command arrives",
        "marker": {"symbol": "triangle-down", "size": 14, "color": drawing.RED},
        "hovertemplate": "the command arrives here<extra></extra>",
    }  # fmt: skip
    return [
        drawn("platter", ring, 1.0, color=drawing.GREY, width=2),
        drawn("spindle", ring, 0.12, color=drawing.GREY, width=2),
        drawn("track", ring, 0.82, color=drawing.FAINT, width=8),
        drawn("overhead and seek", arc(call.at_s, ready), 0.7, color=drawing.ORANGE, width=4, dash="dash"),
        drawn("waiting for the sector", arc(ready, begin), 0.56, color=drawing.BLUE, width=4, dash="dot"),
        drawn("the sectors of this call", arc(begin, end), 0.82, color=drawing.GREEN, width=9),
        head,
    ]


def law_s(scenario: Scenario, sizes: Any) -> Any:
    """Mean service of a call of each size, from the laws."""
    disk, work = scenario.system.disk, stream_of(scenario)
    write, gap = work.writes, gap_s(scenario)
    if work.pattern == "random":
        return disk_means.random_service_s(disk, sizes, capacity_of(disk), write, gap)
    return disk_means.sequential_service_s(disk, sizes, gap, write)


def _await_points() -> list[printed_points.Printed]:
    """await of the raw dd, and the size of its calls."""
    return [
        printed
        for printed in printed_points.printed("magni_linux_io", "iostat", "await")
        if "raw" in str(printed.row["run"])
    ]


def size_of(point: printed_points.Printed) -> float:
    """Bytes of a call of the dd that an iostat line belongs to."""
    return next(
        printed.value
        for printed in printed_points.printed("magni_linux_io", "dd", "bs")
        if printed.row["run"] == point.row["run"]
    )


def curve(scenario: Scenario, values: Values) -> Chart:
    """Service over the size of a call: the chosen disk, document 001's, and flash."""
    sizes = np.array(SIZES, dtype=float)
    others = (
        ("Magni's disk, writes in order", loaded(LESSON.scenario), (drawing.ORANGE, "dash")),
        ("NVMe flash, the same calls", scenario_of({**values, DISK: "nvme"}), (drawing.GREEN, "dot")),
    )
    times_s = law_s(scenario, sizes)
    hover = "%{y:,.4~r} ms for %{x} bytes"
    law_ms = (1000 * times_s).tolist()
    traces = [
        drawing.line("this disk, these calls", sizes, law_ms, (drawing.BLUE, "solid"), hover, width=3.5),
        *(drawing.line(name, sizes, (1000 * law_s(disk, sizes)).tolist(), look, hover) for name, disk, look in others),
    ]
    traces += printed_points.traces(_await_points(), size_of, drawing.RED, scale=1000, name="Magni, await: ")
    service = float(law_s(scenario, float(values[SIZE])))
    traces.append(drawing.now(values[SIZE], 1000 * service, f"now: {show_seconds(service)}"))
    layout = drawing.layout(
        300, drawing.log_sizes("bytes of a call", SIZES[0], SIZES[-1]),
        drawing.axis("ms a call", type="log", dtick=1, exponentformat="none"), top=52,
    )  # fmt: skip
    points = _await_points()
    text = f"A call of {show_bytes(values[SIZE])} takes {show_seconds(service)} on this disk."
    if points:
        low, high = min(point.value for point in points), max(point.value for point in points)
        text += f" Document 001 printed {' to '.join(show_alike(low, high))} for 8K on the raw device."
    return Chart(drawing.figure(traces, layout), text)


def answer(values: Values) -> LessonAnswer:
    """Everything that the page shows."""
    scenario = scenario_of(values)
    calls = calls_of(scenario, FIRST_CALLS)
    service = float(law_s(scenario, float(values[SIZE])))
    per_call = service + gap_s(scenario)
    return LessonAnswer(
        picture(scenario, calls),
        (curve(scenario, values),),
        (("Time of a call", show_seconds(service)), ("Calls per second", f"{1 / per_call:,.0f}")),
        LESSON.scenario,
        changes_of(values),
    )
