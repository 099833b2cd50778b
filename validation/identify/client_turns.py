"""The client's turns behind fetch calls: the network's round trip, its time a row, and what calls cost the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Final

from blocktime.model.causes import FROM_CLIENT
from blocktime.model.demand import demand_of
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.scenarios import from_mapping
from blocktime.validation.identify.identified_scenario import IdentifiedScenario
from blocktime.validation.instruments.figures import FETCHED, Fetches

LEAST_SPAN: Final = 2
"""Fetch calls differ in rows where the largest has so many times those of the smallest."""
ROUNDS: Final = 4
SIGMAS: Final = 1.96
PRICES: Final = (
    "logical_io_s", "line_miss_s", "line_stream_s", "row_step_s", "fetch_row_s", "fetch_column_s", "call_s",
    "read_call_s", "buffer_block_s",
)  # fmt: skip
"""CPU prices of a host that a query pays."""


@dataclass(frozen=True, slots=True)
class Trips:
    """The fetch calls of a statement in one trace; times of the mean execution."""

    turns: tuple[tuple[int, float], ...]
    """Rows of a fetch call, and seconds until the client asked for more."""
    array_rows: int
    first_rows: int
    span_s: float
    server_s: float
    """Time of its calls less waits in them."""
    between_s: float
    """Time that neither calls nor waits for the client account for, a fetch call."""
    trips_before: float

    @property
    def sizes(self) -> set[int]:
        """Rows of its fetch calls."""
        return {rows for rows, _ in self.turns}

    @property
    def mean_s(self) -> float:
        """Mean turn of the client."""
        return sum(wait for _, wait in self.turns) / len(self.turns)


@dataclass(slots=True)
class ClientCosts:
    """What a round trip, a row and the server's work cost."""

    round_trip_s: float
    round_trip_between: tuple[float, float] | None
    row_s: float
    row_between: tuple[float, float] | None
    cpu: dict[str, float]


def turns_of(fetches: Fetches | None) -> Trips | None:
    """The client's turns of a statement; None where its calls were not kept, or there is but one an execution."""
    if fetches is None or not fetches.spans.lines:
        return None
    wide, executions = len(FETCHED), len(fetches.spans.lines)
    rows = [tuple(fetches.calls.values[at : at + wide]) for at in range(0, len(fetches.calls.values), wide)]
    turns = tuple((int(row[0]), row[4]) for row in rows if not isnan(row[4]))
    if not turns:
        return None
    called_s = sum(row[2] for row in rows) + sum(fetches.spans.column("exec"))
    span_s = sum(fetches.spans.column("span"))
    turned_s = sum(wait for _, wait in turns)
    first = fetches.typical()
    return Trips(
        turns=turns,
        array_rows=int(max(row[0] for row in rows)) or 1,
        first_rows=int(first[0][0]),
        span_s=span_s / executions,
        server_s=max(0.0, called_s - sum(row[3] for row in rows)) / executions,
        between_s=max(0.0, span_s - called_s - turned_s) / len(rows),
        trips_before=sum(fetches.spans.column("trips before the first fetch")) / executions,
    )


def prices_of(identified: IdentifiedScenario, traces: Sequence[Trips]) -> ClientCosts:
    """Prices with which the model's client waits as the traces say; those of the first trace for the server.

    A client takes an array in while the server makes the rest of it: that part is no wait, so it is added to the
    measured turns before they are split into round trip and rows.
    """
    prices = ClientCosts(0.0, None, 0.0, None, {})
    hidden_s = [0.0] * len(traces)
    for _ in range(ROUNDS):
        points = [
            (rows, wait + hidden_s[place] * rows / trace.array_rows)
            for place, trace in enumerate(traces)
            for rows, wait in trace.turns
        ]
        _fit(points, prices)
        for place, trace in enumerate(traces):
            demand, system = _demand(identified, trace, prices)
            if not place:
                prices.cpu = _scaled(trace.server_s, demand, system.host)
                demand, system = _demand(identified, trace, prices)
            times, each_s = demand.waits[FROM_CLIENT]
            alone_s = float(demand.client_rows_s + times * system.client.round_trip_s)
            executions = len(trace.turns) / max(1.0, float(demand.fetches) - 1)
            hidden_s[place] = max(0.0, alone_s - float(times * each_s)) / max(1, len(trace.turns)) * executions
    return prices


def demand_by(identified: IdentifiedScenario) -> tuple[Any, Any]:
    """What the model asks for one execution of what is *identified*, and of which system."""
    scenario = from_mapping(identified.sections(), "my")
    return demand_of(scenario.system, scenario.workload), scenario.system  # type: ignore[arg-type]


def cpu_prices(identified: IdentifiedScenario, server_s: float) -> dict[str, float]:
    """CPU prices with which the server works *server_s* seconds for one execution, all scaled alike."""
    demand, system = demand_by(identified)
    return _scaled(server_s, demand, system.host)


def _scaled(server_s: float, demand: Any, host: Any) -> dict[str, float]:
    scale = server_s / max(1e-12, float(demand.cpu_s - demand.sent_twice_s))
    stated = {**{name: getattr(host, name) for name in PRICES}, "read_call_s": stated_call_s(host.read_call_s)}
    return {name: float(price_s * scale) for name, price_s in stated.items()}


def _demand(identified: IdentifiedScenario, trace: Trips, prices: ClientCosts) -> tuple[Any, Any]:
    """What the model asks for one execution as *trace* has it, at *prices*."""
    sections = identified.sections()
    sections["client"] = {
        **sections.get("client", {}), "round_trip_s": prices.round_trip_s, "row_s": max(0.0, prices.row_s),
        "column_s": 0.0,
    }  # fmt: skip
    if trace.first_rows not in (0, trace.array_rows):
        sections["client"]["first_fetch_rows"] = trace.first_rows
    sections["workload"] = {**sections["workload"], "arraysize_rows": trace.array_rows}
    if sections["workload"].get("select") == "count":
        sections["workload"].pop("arraysize_rows")
    sections["host"] = {**sections.get("host", {}), **prices.cpu}
    scenario = from_mapping(sections, "my")
    return demand_of(scenario.system, scenario.workload), scenario.system  # type: ignore[arg-type]


def _fit(points: Sequence[tuple[int, float]], prices: ClientCosts) -> None:
    """Round trip and row by least squares; the row is 0 where calls have about as many rows each."""
    number = len(points)
    mean_rows, mean_s = (sum(point[axis] for point in points) / number for axis in (0, 1))
    spread = sum((rows - mean_rows) ** 2 for rows, _ in points)
    sizes = [rows for rows, _ in points]
    has_span = number > LEAST_SPAN and max(sizes) >= LEAST_SPAN * max(1, min(sizes))
    slope = sum((rows - mean_rows) * (wait - mean_s) for rows, wait in points) / spread if has_span else 0.0
    prices.row_s = max(0.0, slope)
    prices.round_trip_s = max(0.0, mean_s - prices.row_s * mean_rows)
    left = sum((wait - prices.round_trip_s - prices.row_s * rows) ** 2 for rows, wait in points)
    sd = (left / max(1, number - 1 - has_span)) ** 0.5
    off = SIGMAS * sd / spread**0.5 if has_span else 0.0
    prices.row_between = (max(0.0, prices.row_s - off), prices.row_s + off) if has_span else None
    at_none = SIGMAS * sd * (1 / number + (mean_rows**2 / spread if has_span else 0.0)) ** 0.5
    prices.round_trip_between = (max(0.0, prices.round_trip_s - at_none), prices.round_trip_s + at_none)
