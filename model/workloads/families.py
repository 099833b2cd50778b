"""The table of kinds of workload: who calculates and who simulates each, and what a reader calls it.

No other module asks for the kind of a workload. What the physics has to know of one is an attribute of its class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from model.demand import Demand, demand_of
from model.laws.numeric import Number
from model.laws.opened_files import UNBUFFERED
from model.results import RunResult
from model.spec import System, Workload
from model.workloads.costs import Cost, statement_cost, streams_cost, transactions_cost

Row = tuple[Number, dict[str, Number]]
"""Whether nobody queues, and the numbers of a result by their names in MEASURES."""


@dataclass(frozen=True, slots=True)
class Family:
    """Kinds of workload that the same code answers; an engine is loaded when it is first asked."""

    name: str
    needs_events: bool
    """Whether some of the answer comes from the simulation alone: iostat's lines, percentiles, bursts."""
    calculate: Callable[[System, Any, str], tuple[RunResult, bool]]
    """The closed form's answer by a system, a workload and a name, and whether nobody queues."""
    is_exact: Callable[[System, Any], bool]
    """Whether nobody queues, so that the closed form is exact to within a read or two."""
    simulate: Callable[[System, Any, int, str], RunResult]
    """The simulation's answer by a system, a workload, a seed and a name."""
    cost: Callable[[System, Any], Cost]
    """What the simulation takes."""
    program: Callable[[Any, System, Any, int, Any], Any]
    """A program of it on a machine that others share, by machine, system, workload, seed and place."""
    demand: Callable[[Any, Any], Demand] | None = None
    """What one execution asks of each resource, where it is known before it meets others."""
    endless: bool = False
    """Whether it never ends by itself."""
    measures: Callable[[Any, Any], Row] | None = None
    """The closed form's numbers where fields may be arrays; None where arrays would not make it quicker."""
    simulated_measures: Callable[[System, Any, int], dict[str, float] | None] | None = None
    """The simulation's numbers without its whole answer; None for a workload that needs it."""


def _calculate_statement(system: System, work: Any, name: str) -> tuple[RunResult, bool]:
    from model.workloads.statements.closed_form import calculate_statement  # noqa: PLC0415

    return calculate_statement(system, work, name=name)


def _is_exact_statement(system: System, work: Any) -> bool:
    from model.workloads.statements.closed_form import is_exact  # noqa: PLC0415

    return is_exact(system, work)


def _statement_measures(system: System, work: Any) -> Row:
    from model.workloads.statements.closed_form import measures  # noqa: PLC0415

    return measures(system, work)


def _simulate_statement(system: System, work: Any, seed: int, name: str) -> RunResult:
    from model.workloads.statements.processes import simulate_statement  # noqa: PLC0415

    return simulate_statement(system, work, seed=seed, name=name)


def _calculate_streams(system: System, work: Any, name: str) -> tuple[RunResult, bool]:
    from model.workloads.streams.closed_form import calculate_stream, is_exact  # noqa: PLC0415

    return calculate_stream(system, work, name=name), is_exact(system, work)


def _is_exact_stream(system: System, work: Any) -> bool:
    from model.workloads.streams.closed_form import is_exact  # noqa: PLC0415

    return is_exact(system, work)


def _stream_measures(system: System, work: Any) -> Row:
    from model.workloads.streams.closed_form import is_exact, measures  # noqa: PLC0415

    return is_exact(system, work), measures(system, work)


def _simulate_streams(system: System, work: Any, seed: int, name: str) -> RunResult:
    from model.workloads.streams.processes import simulate_streams  # noqa: PLC0415

    return simulate_streams(system, work, seed=seed, name=name)


def _summed_up(system: System, work: Any, seed: int) -> dict[str, float] | None:
    from model.workloads.streams.processes import summed_up_measures  # noqa: PLC0415

    return summed_up_measures(system, work, seed=seed)


def _calculate_transactions(system: System, work: Any, name: str) -> tuple[RunResult, bool]:
    from model.workloads.transactions.closed_form import calculate_transactions  # noqa: PLC0415

    return calculate_transactions(system, work, name=name), False


def _simulate_transactions(system: System, work: Any, seed: int, name: str) -> RunResult:
    from model.workloads.transactions.processes import simulate_transactions  # noqa: PLC0415

    return simulate_transactions(system, work, seed=seed, name=name)


def _statement_program(machine: Any, system: System, work: Any, seed: int, place: Any) -> Any:
    from model.workloads.statements.processes import StatementProgram  # noqa: PLC0415

    return StatementProgram(machine, system, work, seed, place)


def _stream_program(machine: Any, system: System, work: Any, seed: int, place: Any) -> Any:
    from model.workloads.streams.processes import StreamProgram  # noqa: PLC0415

    return StreamProgram(machine, system, work, seed, place)


def _transactions_program(machine: Any, system: System, work: Any, seed: int, place: Any) -> Any:
    from model.workloads.together import TransactionsProgram  # noqa: PLC0415

    return TransactionsProgram(machine, system, work, seed, place)


def _calculate_together(system: System, work: Workload, name: str) -> tuple[RunResult, bool]:
    from model.workloads.side_by_side import calculate_together, own_systems  # noqa: PLC0415

    families = [family_of(program.kind) for program in work.programs]
    alone = [
        family.calculate(own, program, name)[0]
        for family, (own, program) in zip(families, own_systems(system, work), strict=True)
    ]
    return calculate_together(system, work, alone, endless=families[0].endless, name=name), False


def _simulate_together(system: System, work: Workload, seed: int, name: str) -> RunResult:
    from model.workloads.together import simulate_together  # noqa: PLC0415

    return simulate_together(
        system, work, [family_of(program.kind) for program in work.programs], seed=seed, name=name
    )


def _cost_together(system: System, work: Workload) -> Cost:
    """Of all programs, together and each alone."""
    costs = [
        family_of(program.kind).cost(system, program.model_copy(update={"beside": ()}))
        for program in work.programs
    ]
    dearest = max(costs)
    return Cost(
        2 * sum(cost.seconds for cost in costs),
        sum(cost.bytes for cost in costs),
        dearest.steps,
        dearest.what,
    )


def _no_program(*_: Any) -> Any:
    raise AssertionError("programs beside each other are several, none of its own")


STATEMENTS: Final = Family(
    name="statements",
    needs_events=False,
    calculate=_calculate_statement,
    is_exact=_is_exact_statement,
    simulate=_simulate_statement,
    cost=statement_cost,
    program=_statement_program,
    demand=demand_of,
    measures=_statement_measures,
)
STREAMS: Final = Family(
    name="streams",
    needs_events=True,
    calculate=_calculate_streams,
    is_exact=_is_exact_stream,
    simulate=_simulate_streams,
    cost=streams_cost,
    program=_stream_program,
    measures=_stream_measures,
    simulated_measures=_summed_up,
)
TRANSACTIONS: Final = Family(
    name="transactions",
    needs_events=True,
    calculate=_calculate_transactions,
    is_exact=lambda system, work: False,
    simulate=_simulate_transactions,
    cost=transactions_cost,
    program=_transactions_program,
    endless=True,
)
TOGETHER: Final = Family(
    name="programs",
    needs_events=True,
    calculate=_calculate_together,
    is_exact=lambda system, work: False,
    simulate=_simulate_together,
    cost=_cost_together,
    program=_no_program,
)
"""Programs of several families on one machine."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of workload."""

    family: Family
    called: str
    """What a reader calls it."""
    leaves_out: str = ""
    """What its answers leave out."""
    mechanism: Callable[[str, str], str] = lambda path, usual: usual
    """The mechanism whose published numbers a part of its time is held to: by how its files are opened, and by the
    mechanism that is usual for such a part."""
    counted: str = "calls"
    """What it does so many of a second."""


DML_LEAVES_OUT: Final = (
    "the time includes writing only where the cache has no room for more dirty blocks: the model assumes that LGWR and "
    "archiving keep up, and that the last commit follows the statement"
)


def _of_calls(path: str, _: str) -> str:
    return "disk latency" if path in UNBUFFERED else "request merging"


KINDS: Final[dict[str, Kind]] = {
    "full_scan": Kind(STATEMENTS, "a full scan"),
    "index_range_scan": Kind(STATEMENTS, "an index range scan"),
    "update": Kind(STATEMENTS, "an update", DML_LEAVES_OUT),
    "insert": Kind(STATEMENTS, "an insert", DML_LEAVES_OUT),
    "delete": Kind(STATEMENTS, "a delete", DML_LEAVES_OUT),
    "import": Kind(
        STATEMENTS,
        "an import",
        "import time leaves out indexes, constraints and triggers. Rows are inserted in arrays; tables with LONG, "
        "LOB, ROWID or TIMESTAMP columns are loaded row by row",
        lambda path, usual: usual if usual == "client" else "imports",
    ),
    "export": Kind(STATEMENTS, "an export"),
    "write_stream": Kind(STREAMS, "a stream of writes", mechanism=_of_calls),
    "read_stream": Kind(STREAMS, "a stream of reads", mechanism=_of_calls),
    "transactions": Kind(
        TRANSACTIONS,
        "transactions: they are described by their gets and changes",
        counted="transactions",
        mechanism=lambda path, usual: "transactions",
    ),
}


def family_for(work: Any) -> Family:
    """The family that answers a workload with all that stands beside it; streams know each other."""
    families = {family_of(program.kind).name for program in work.programs}
    alone = len(work.programs) == 1 or families == {STREAMS.name}
    return family_of(work.kind) if alone else TOGETHER


def family_of(kind: str) -> Family:
    """The family of a kind of workload."""
    return KINDS[kind].family
