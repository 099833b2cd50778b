"""What was measured of the system that a scenario describes, beside what the model says of it, and a light."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from pydantic import ValidationError

from blocktime.model.causes import PARALLEL, SCATTERED, SEQUENTIAL
from blocktime.model.demand.transaction_demand import CPUS
from blocktime.model.errors import SpecError, quote
from blocktime.model.measures import QUANTITIES, Reader, mean_wait_s
from blocktime.model.provenance import Constant, Frozen
from blocktime.model.results import RunResult

TRANSACTIONS: Final = "transactions a second"
DB_TIME: Final = "DB time of a transaction"
CPU: Final = "CPU of a transaction"
READ_WAIT: Final = "db file sequential read"
PARALLEL_WAIT: Final = PARALLEL
READ_REQUESTS: Final = "reads of data files a second"
SYNC_WAIT: Final = "log file sync"
WRITES: Final = "blocks written a second"
ELAPSED: Final = "elapsed time of an execution"
GETS: Final = "consistent gets"
FETCH_CALLS: Final = "fetch calls"
READ_BLOCKS: Final = "blocks read"
CLIENT_WAIT: Final = "SQL*Net message from client"
READS_A_SECOND: Final = "reads a second"
READ_LATENCY: Final = "mean time of a read"
READ_EACH: Final = {SEQUENTIAL: SEQUENTIAL, SCATTERED: SCATTERED}
"""Wait event -> the figure of its mean wait."""
FORM: Final = 1
"""Of ``[measured]`` as it is written; an older reader would misread a newer one."""
PARTS: Final = (
    "form", "says", "known", "compared", "correlation", "file", "setting", "name", "series", "figure", "hour", "share",
)  # fmt: skip
COUNTS: Final = (GETS, FETCH_CALLS, READ_BLOCKS)
"""What a model may tell whose times are off."""
REPRODUCES: Final = 0.05
ROUGHLY: Final = 0.20

Light = Literal["reproduces", "roughly", "does not"]


class ComparedFigure(Frozen):
    """One figure that was read of a report and that an answer gives too."""

    name: str
    value: float
    unit: str
    low: float
    high: float
    file: str
    line: int
    share: float = 1.0
    """Part of the measured time that the figure decides."""
    given: bool = False
    """Whether the scenario was made to have it, so that it proves nothing."""


class AsModelled(Frozen):
    """One figure as measured and as modelled."""

    measured: ComparedFigure
    modelled: float

    @property
    def off_fraction(self) -> float:
        """Modelled over measured, less 1; 0 where the printed digits leave room for it."""
        if self.measured.low <= self.modelled <= self.measured.high:
            return 0.0
        return self.modelled / self.measured.value - 1

    @property
    def weighed_fraction(self) -> float:
        """By how much the figure moves the measured time, as a part of it."""
        return self.off_fraction * self.measured.share


def check_form(data: Mapping[str, Any], place: str) -> None:
    """Raise SpecError for a ``[measured]`` of a newer form, or with parts that this one does not know."""
    measured = data.get("measured", {})
    if not isinstance(measured, Mapping):
        return
    form, unknown = measured.get("form", FORM), sorted(set(measured) - set(PARTS))
    wrong = f"measured.{unknown[0]} is not known" if unknown else f"measured.form: got {quote(form)}"
    if unknown or form != FORM or isinstance(form, bool):
        raise SpecError(
            f"{place}: {wrong}; this version reads form {FORM}: run the version that wrote the file, or measure again"
        )


def compared_in(data: Mapping[str, Any], place: str) -> tuple[ComparedFigure, ...]:
    """The figures in ``[[measured.compared]]`` of a scenario file; raises SpecError for what has not their form."""
    check_form(data, place)
    measured = data.get("measured", {})
    listed = measured.get("compared", []) if isinstance(measured, Mapping) else []
    if not isinstance(listed, list):
        raise SpecError(f"{place}: measured.compared: got {quote(listed)}; it is a list of tables")
    compared = []
    for entry in listed:
        try:
            compared.append(ComparedFigure.model_validate(entry))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise SpecError(f"{place}: measured.compared: {where}: {first['msg']}") from None
    return tuple(compared)


def known_in(data: Mapping[str, Any], place: str, after: Mapping[str, Any]) -> dict[str, Constant]:
    """Fields with an interval in ``[[measured.known]]``, as *after* all layers still has their values.

    Raises SpecError for an interval that does not hold its value.
    """
    known = {}
    for entry in _tables(data, "known", place):
        path, interval = str(entry.get("field")), entry.get("interval")
        value = at(data, path)
        if not interval or value is None or at(after, path) != value:
            continue
        try:
            known[path] = Constant(
                value=value,
                name=named(place, path),
                how="fitted",
                source=str(entry.get("source") or f"{place}: measured.known"),
                interval=interval,
            )
        except ValidationError:
            raise SpecError(
                f"{place}: measured.known: {path}: interval: got {quote(interval)}; it is two numbers"
            ) from None
    return known


def written_in(data: Mapping[str, Any], place: str) -> tuple[str, ...]:
    """Fields in ``[[measured.known]]``: ``measure`` wrote them."""
    return tuple(str(entry.get("field")) for entry in _tables(data, "known", place))


def correlated_in(data: Mapping[str, Any], place: str) -> tuple[tuple[str, str, float], ...]:
    """``[[measured.correlation]]``: two fields and how their logarithms hang together."""
    correlated = []
    for entry in _tables(data, "correlation", place):
        fields, value = entry.get("fields") or [], entry.get("value")
        pair = isinstance(fields, list) and len(fields) == 2 and all(isinstance(field, str) for field in fields)
        if not pair or not isinstance(value, int | float) or not -1 <= value <= 1:
            raise SpecError(
                f"{place}: measured.correlation: got {quote(dict(entry))}; allowed are two fields and a value from "
                "-1 to 1"
            )
        correlated.append((named(place, fields[0]), named(place, fields[1]), float(value)))
    return tuple(correlated)


def named(place: str, path: str) -> str:
    """What the measured field *path* of a file is called among constants."""
    return f"scenario/{place}: {path}"


def at(content: Any, path: str) -> float | None:
    """The number at *path*; None where there is none."""
    node = content
    for name in path.split("."):
        try:
            node = node[int(name)] if isinstance(node, list | tuple) else node[name]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return float(node) if isinstance(node, int | float) and not isinstance(node, bool) else None


def _tables(data: Mapping[str, Any], name: str, place: str) -> list[Mapping[str, Any]]:
    measured = data.get("measured", {})
    listed = measured.get(name, []) if isinstance(measured, Mapping) else []
    if not isinstance(listed, list) or not all(isinstance(entry, Mapping) for entry in listed):
        raise SpecError(f"{place}: measured.{name}: got {quote(listed)}; it is a list of tables")
    return listed


_NAMED: Final = {
    TRANSACTIONS: "transactions_per_s", DB_TIME: "db_time_s", CPU: "cpu_s", READ_REQUESTS: "data_reads_per_s",
    READS_A_SECOND: "calls_per_s", READ_LATENCY: "response_s", ELAPSED: "elapsed_s", GETS: "consistent_gets",
    FETCH_CALLS: "fetch_calls", READ_BLOCKS: "read_blocks", WRITES: "written_blocks_per_s",
}  # fmt: skip
_WAITS: Final = (READ_WAIT, PARALLEL_WAIT, SYNC_WAIT, SCATTERED, CLIENT_WAIT)
FIGURES: Final[Mapping[str, Reader]] = {figure: QUANTITIES[name].of for figure, name in _NAMED.items()} | {
    event: mean_wait_s(event) for event in _WAITS
}
"""What is measured -> how an answer gives it."""
DISK_BYTES: Final = "bytes of the disks a second"
HOST_BUSY: Final = "busy share of the host"
READ_ON: Final = "mean read on "
"""Before the name of a device of the data."""


def figure_in(result: RunResult, name: str) -> float | None:
    """What an answer gives for the figure *name*; None where it gives none."""
    if name == DISK_BYTES:
        return sum(device.read_bytes_per_s + device.written_bytes_per_s for device in result.device.values())
    if name == HOST_BUSY:
        return result.transactions.utilisation.get(CPUS) if result.transactions is not None else None
    if name.startswith(READ_ON):
        device = result.device.get(name.removeprefix(READ_ON))
        return device.read_await_s if device is not None else None
    return FIGURES[name](result) if name in FIGURES else None


def as_modelled(compared: Sequence[ComparedFigure], result: RunResult) -> list[AsModelled]:
    """Each figure beside what the answer says; without those that it does not give."""
    rows = []
    for figure in compared:
        value = figure_in(result, figure.name)
        if value is not None:
            rows.append(AsModelled(measured=figure, modelled=float(value)))
    return rows


def light_of(rows: Sequence[AsModelled]) -> Light:
    """How well the model reproduces what was measured, by the figure that moves the measured time most.

    Up to 5 % it reproduces, up to 20 % roughly; beyond it does not. Figures that are all given prove nothing: roughly.
    """
    worst = max((abs(row.weighed_fraction) for row in rows), default=0.0)
    if worst <= REPRODUCES and not (rows and all(row.measured.given for row in rows)):
        return "reproduces"
    return "roughly" if worst <= ROUGHLY else "does not"
