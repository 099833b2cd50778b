"""What an answer costs before it begins: seconds of a processor, memory, and what they go into; and what is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from model.errors import BlocktimeError, OutsideLaw
from model.results import RunResult
from model.spec import Dml, Statement, Stream, System, Transactions, Workload
from model.units import show_bytes
from scenarios.engine import chosen_engine

LEAST_S: Final = 0.05
ROW_STEP_S: Final = 1.3e-6
"""Of a row that is played through its block, on a processor of the 2020s; so are the other times."""
STEP_S: Final = 12e-6
"""Of a read, or a stretch of blocks, of a statement's sessions."""
DRAWN_BLOCK_S: Final = 0.2e-6
CALL_S: Final = 4.5e-6
"""Of a stream's request in a loop without events."""
EVENT_CALL_S: Final = 28e-6
BEGIN_S: Final = 0.1
FILLED_S: Final = 2e-6
"""Of a buffer that holds a block when a run of transactions begins."""
TRANSACTION_S: Final = {True: 30e-6, False: 150e-6}
"""Of a transaction's events, its commit among them; by whether the device serves requests in order of arrival."""
READ_S: Final = {True: 10e-6, False: 30e-6}
"""Of a transaction's read."""
WRITE_S: Final = {True: 3e-6, False: 12e-6}
"""Of a block that DBWR writes."""
GET_S: Final = 0.6e-6
CODE_BYTES: Final = 100e6
"""Of Python and what it loads."""
CALL_BYTES: Final = 220
ROW_BYTES: Final = 25
BUFFER_BYTES: Final = 60
FEWEST_TRANSACTIONS: Final = 4_000
"""Of a run that nobody says the length of."""
TRANSACTIONS_OF_A_USER: Final = 10
MOST_TRANSACTIONS: Final = 256_000
BUSY: Final = 0.5
DOUBLED_WHERE_BUSY: Final = 4
WITHIN_A_KIND: Final = 0.3
"""Variance of the response within a kind of transaction, over the square of its mean."""


@dataclass(frozen=True)
class Forecast:
    """What an answer is expected to take."""

    seconds: float
    """Of one processor."""
    bytes: float
    steps: float
    """Of what takes longest: *what* says what they are."""
    what: str
    calculates: bool
    """The closed form answers."""

    def __str__(self) -> str:
        return f"about {show_duration(self.seconds)} for {_about(self.steps)} {self.what}"


@dataclass(frozen=True)
class Budget:
    """What an answer may take; None where there is no limit."""

    seconds: float | None = 120.0
    """Of one processor, for each answer."""
    bytes: float | None = 4e9

    def check(self, expected: Forecast) -> None:
        """Raise :class:`OverBudget` where *expected* is more than is allowed."""
        if self.seconds is not None and expected.seconds > self.seconds:
            limit = show_duration(self.seconds)
            raise OverBudget(f"an answer takes {expected}; the limit is {limit}", expected, "time")
        if self.bytes is not None and expected.bytes > self.bytes:
            needed = (
                f"about {show_bytes(expected.bytes)} of memory for {_about(expected.steps)} {expected.what}"
            )
            limit = show_bytes(self.bytes)
            raise OverBudget(f"an answer takes {needed}; the limit is {limit}", expected, "memory")


USUAL: Final = Budget()


class OverBudget(OutsideLaw):
    """An answer would take more than is allowed."""

    def __init__(self, sentence: str, expected: Forecast, of: Literal["time", "memory"]) -> None:
        less = "take fewer rows" if expected.calculates else "use engine calculate or ask for less"
        super().__init__(f"{sentence}: {less}")
        self.expected, self.of = expected, of


def show_duration(seconds: float) -> str:
    """A duration as one speaks of it: ``12 s``, ``5 minutes``, ``3 hours``."""
    for size, unit in ((3600, "hours"), (60, "minutes")):
        if seconds >= 1.5 * size:
            return f"{_about(seconds / size)} {unit}"
    return f"{_about(seconds)} s"


def _about(amount: float) -> str:
    """*amount* with two digits that count."""
    return f"{float(f'{amount:.2g}'):,.0f}" if amount >= 10 else f"{amount:.2g}"


def forecast(system: System, work: Workload, engine: str = "auto", repeated: int = 1) -> Forecast:
    """What *repeated* answers of *engine* take: within a factor of three where that is more than a second.

    Raises :class:`OutsideLaw` and :class:`SpecError` as the answer would.
    """
    played = (
        _of_rows(system, work) if isinstance(work, Dml) else Forecast(LEAST_S, CODE_BYTES, 1, "answer", True)
    )
    if engine == "auto" and isinstance(
        work, Dml
    ):  # whether its sessions queue is known once its rows are played
        engine = "calculate" if work.users == 1 else "simulate"
    if chosen_engine(engine, system, work) == "calculate":
        return played
    if isinstance(work, Stream):
        once = _of_streams(system, work)
    elif isinstance(work, Transactions):
        once = _of_transactions(system, work)
    else:
        once = _of_statement(system, work)
    most = played if played.seconds > once.seconds * repeated else once
    return Forecast(
        LEAST_S + played.seconds + repeated * once.seconds,
        played.bytes + once.bytes,
        most.steps if most is played else repeated * once.steps,
        most.what,
        False,
    )


def expected_within(
    budget: Budget, system: System, work: Workload, engine: str = "auto", repeated: int = 1
) -> Forecast | None:
    """What the answers take; None where only the answer can say what is wrong with the question.

    Raises :class:`OverBudget` for more than *budget* allows.
    """
    try:
        expected = forecast(system, work, engine, repeated)
    except BlocktimeError:
        return None
    budget.check(expected)
    return expected


def _of_rows(system: System, work: Dml) -> Forecast:
    from model.demand.change import steps_of_playing  # noqa: PLC0415

    steps = steps_of_playing(system, work)
    rows = system.table.rows + (work.rows if work.kind == "insert" else 0)
    return Forecast(LEAST_S + ROW_STEP_S * steps, CODE_BYTES + ROW_BYTES * rows, steps, "steps of rows", True)


def _of_statement(system: System, work: Statement) -> Forecast:
    from model.demand import demand_of  # noqa: PLC0415
    from model.demand.turns import stretch_blocks  # noqa: PLC0415
    from model.sim.run import steps_of  # noqa: PLC0415

    if isinstance(
        work, Dml
    ):  # its demand is known once its rows are played: a read for each block or row at most
        from model.demand.segment import row_shape, segment_of  # noqa: PLC0415

        segment = segment_of(system, row_shape(system.table))
        steps = blocks = float(segment.blocks)
        if work.kind == "update" and work.order == "random":
            steps = float(system.table.rows * work.rows_fraction * work.repeats)
    else:
        demand = demand_of(system, work)
        steps, blocks = steps_of(work, demand, stretch_blocks(demand, work.users))
    seconds = STEP_S * (steps + work.users) + DRAWN_BLOCK_S * blocks
    return Forecast(seconds, blocks, steps, "reads and stretches of blocks", False)


def _of_streams(system: System, work: Stream) -> Forecast:
    from model.demand.calls import files_of  # noqa: PLC0415
    from model.sim.streams_run import steps_of  # noqa: PLC0415
    from model.state.drive import capacity_of  # noqa: PLC0415

    files = files_of(system, work, capacity_of(system.disk))
    steps, without_events = steps_of(system, files)
    calls = sum(file.calls.count for file in files)
    each_s = CALL_S if without_events else EVENT_CALL_S
    return Forecast(each_s * steps, CALL_BYTES * calls, steps, "requests and pages", False)


def _of_transactions(system: System, work: Transactions) -> Forecast:
    from model.calc import calculate  # noqa: PLC0415
    from model.sim.data_files import is_in_order, largest_request_bytes  # noqa: PLC0415

    by_law = calculate(system, work)
    count = transactions_of(work, by_law)
    gets = by_law.logical_io.consistent_gets if by_law.logical_io else 0.0
    io = by_law.physical_io
    size = system.tablespace.block_size_bytes
    buffers = system.instance.buffer_cache_bytes / size
    filled = min(buffers, work.data_bytes / size)
    writes = count * io.write_requests
    if io.write_requests and _is_busy(by_law):  # DBWR is behind from the begin on
        writes += filled
    in_order = is_in_order(system, largest_request_bytes(system.host), size)
    each_s = TRANSACTION_S[in_order] + READ_S[in_order] * io.read_requests + GET_S * gets
    seconds = BEGIN_S + FILLED_S * filled + WRITE_S[in_order] * writes + count * each_s
    return Forecast(seconds, BUFFER_BYTES * buffers, count, "transactions", False)


def _is_busy(by_law: RunResult) -> bool:
    from model.accuracy import busiest_fraction  # noqa: PLC0415

    return busiest_fraction(by_law) > BUSY


def transactions_of(work: Transactions, by_law: RunResult) -> float:
    """About how many a run takes until the mean response is as precise as wanted and DBWR keeps up.

    A run begins with the first ones and is doubled. Where the device is busy, DBWR takes some doublings to catch up.
    """
    if work.transactions is not None:
        return work.transactions
    first = max(FEWEST_TRANSACTIONS, TRANSACTIONS_OF_A_USER * (work.users if work.rate_per_s is None else 1))
    stats = by_law.transactions
    if stats is None or not stats.per_s or not stats.response_s:
        return first
    square = sum(kind.per_s * kind.response_s**2 for kind in stats.kinds) / stats.per_s
    variance = WITHIN_A_KIND + max(0.0, square / stats.response_s**2 - 1)
    wanted = max(first, variance * (1.96 / (work.precision_percent / 100)) ** 2)
    if _is_busy(by_law):
        wanted = max(wanted, DOUBLED_WHERE_BUSY * first)
    count = float(first)
    while count < wanted and 2 * count <= MOST_TRANSACTIONS:
        count *= 2
    return count
