"""The table of kinds of workload: who calculates and who simulates each, and what a reader calls it.

No other module asks for the kind of a workload. What the physics has to know of one is an attribute of its class.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

from blocktime.model.demand import Demand, demand_of
from blocktime.model.laws.numeric import Number
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.results import RunResult
from blocktime.model.spec import WORKLOADS, System, Workload
from blocktime.model.workloads.costs import AnswerCost

Row = tuple[Number, dict[str, Number]]
"""Whether nobody queues, and the numbers of a result by their names in MEASURES."""


class ClosedForm(Protocol):
    """What the module ``closed_form`` of a family's folder has."""

    def calculate(self, system: System, work: Any, *, name: str) -> tuple[RunResult, bool]:
        """The closed form's answer, and whether nobody queues."""

    def is_exact(self, system: System, work: Any) -> bool:
        """Whether nobody queues, so that the closed form is exact to within a read or two."""


class ByArrays(ClosedForm, Protocol):
    """A closed form that answers arrays besides."""

    def measures(self, system: Any, work: Any) -> Row:
        """Its numbers, where fields may be arrays."""


class Processes(Protocol):
    """What the module ``processes`` of a family's folder has."""

    def simulate(self, system: System, work: Any, *, seed: int, name: str) -> RunResult:
        """The simulation's answer."""

    @property
    def begin(self) -> Callable[[Any, System, Any, int, Any], Any]:
        """Begins a program of it on a machine that others share: by machine, system, workload, seed and place."""


class Costs(Protocol):
    """What the module ``cost`` of a family's folder has."""

    def cost(self, system: System, work: Any) -> AnswerCost:
        """What the simulation takes."""


class BoundAnswers(Protocol):
    """What the module ``bound_answer`` of a family's folder has."""

    def bound_answer(self, system: System, work: Any, *, name: str) -> RunResult:
        """What no run does better than."""


class Family(NamedTuple):
    """Kinds of workload that the same code answers: that of the folder with its name, loaded when it is first asked."""

    name: str
    needs_events: bool
    """Whether some of the answer comes from the simulation alone: iostat's lines, percentiles, bursts."""
    demand: Callable[[Any, Any], Demand] | None = None
    """What one execution asks of each resource, where it is known before it meets others."""
    endless: bool = False
    """Whether it never ends by itself."""
    goes_by_arrays: bool = False
    """Whether arrays make its closed form quicker."""
    has_bounds: bool = False
    """Whether bounds answer where its simulation takes too long."""
    has_sum: bool = True
    """Whether it may be calculated; else it meets others, and is always played."""

    @property
    def closed_form(self) -> ClosedForm:
        """Who calculates it; raises AssertionError where nobody does."""
        self.refuse_without_sum()
        return cast("ClosedForm", self._module("closed_form"))

    def refuse_without_sum(self) -> None:
        """Raises AssertionError where nobody calculates it."""
        if not self.has_sum:
            raise AssertionError(f"{self.name} are simulated: there is no sum of them")

    @property
    def by_arrays(self) -> ByArrays | None:
        """Who calculates arrays of it."""
        return cast("ByArrays", self._module("closed_form")) if self.goes_by_arrays else None

    @property
    def processes(self) -> Processes:
        """Who simulates it."""
        return cast("Processes", self._module("processes"))

    def cost(self, system: System, work: Any) -> AnswerCost:
        """What the simulation takes."""
        return cast("Costs", self._module("cost")).cost(system, work)

    @property
    def bounds(self) -> BoundAnswers | None:
        """Who says what no run does better than; None where nobody does."""
        return cast("BoundAnswers", self._module("bound_answer")) if self.has_bounds else None

    def _module(self, name: str) -> ModuleType:
        return import_module(f"blocktime.model.workloads.{self.name}.{name}")


if TYPE_CHECKING:  # that the folders have what a family asks of them
    from blocktime.model.workloads.statements import closed_form as _of_statements
    from blocktime.model.workloads.statements import cost as _cost_of_statements
    from blocktime.model.workloads.statements import processes as _statements
    from blocktime.model.workloads.streams import cost as _cost_of_streams
    from blocktime.model.workloads.streams import processes as _streams
    from blocktime.model.workloads.transactions import cost as _cost_of_transactions
    from blocktime.model.workloads.transactions import processes as _transactions

    _CLOSED_FORMS: tuple[ByArrays] = (_of_statements,)
    _PROCESSES: tuple[Processes, Processes, Processes] = (_statements, _streams, _transactions)
    _COSTS: tuple[Costs, Costs, Costs] = (_cost_of_statements, _cost_of_streams, _cost_of_transactions)


class _Together(Family):
    """Programs of several families on one machine: each family begins its own, and here they meet."""

    @property
    def processes(self) -> Processes:
        return self

    def simulate(self, system: System, work: Workload, *, seed: int, name: str) -> RunResult:
        """The simulation's answer."""
        from blocktime.model.workloads.together import simulate_together

        families = [family_of(program.kind) for program in work.programs]
        return simulate_together(system, work, families, seed=seed, name=name)

    @property
    def begin(self) -> Callable[[Any, System, Any, int, Any], Any]:
        """None of its own: its programs are of other families."""
        raise AssertionError("programs beside each other are several, none of its own")

    def cost(self, system: System, work: Workload) -> AnswerCost:
        """Of all programs, together and each alone."""
        costs = [
            family_of(program.kind).cost(system, program.model_copy(update={"beside": ()})) for program in work.programs
        ]
        dearest = max(costs)
        return AnswerCost(
            2 * sum(cost.seconds for cost in costs), sum(cost.bytes for cost in costs), dearest.steps, dearest.what
        )


STATEMENTS: Final = Family("statements", needs_events=False, demand=demand_of, goes_by_arrays=True)
STREAMS: Final = Family("streams", needs_events=True, has_sum=False)
TRANSACTIONS: Final = Family("transactions", needs_events=True, endless=True, has_bounds=True, has_sum=False)
TOGETHER: Final = _Together("programs beside each other", needs_events=True, has_sum=False)


class Kind(NamedTuple):
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
    "DBWR's writes delay the statement only when the buffer cache has no room for more dirty blocks, and LGWR's only "
    "where its disk is shared, limited or slower than the session. The model assumes that the last commit follows the "
    "statement and, without instance.archive_disk, that archiving keeps up"
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
        "the import time does not include indexes, constraints and triggers. Rows are inserted in arrays; tables with "
        "LONG, LOB, ROWID or TIMESTAMP columns are loaded row by row",
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


def plays_rows(kind: str) -> bool:
    """Whether a statement of *kind* changes rows, which are played one by one."""
    return WORKLOADS[kind].plays_rows


def family_of(kind: str) -> Family:
    """The family of a kind of workload."""
    return KINDS[kind].family
