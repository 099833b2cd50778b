"""Who answers: the closed form or the simulation, for one scenario or for arrays of them.

No other module picks an engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

from blocktime.model.accuracy import with_accuracy
from blocktime.model.budget import watched
from blocktime.model.demand.host_limits import calculated, through_host, with_host_limits
from blocktime.model.demand.popular_blocks import by_popularity, says_popularity
from blocktime.model.errors import BlocktimeError, OutsideLaw, UnknownName
from blocktime.model.interim import completed
from blocktime.model.laws.numeric import Number, is_array
from blocktime.model.measures import measures_of
from blocktime.model.results import RunResult
from blocktime.model.spec import System, Workload
from blocktime.model.spec.popularity import WAYS
from blocktime.model.workloads.families import Row, family_for, family_of, plays_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Engine = Literal["auto", "calculate", "simulate"]
ONE_BY_ONE: Final = frozenset(
    ("host.iops_limit", "host.bandwidth_limit_bytes_per_s", *(f"workload.{name}" for name in WAYS))
)
"""Fields whose answers come one by one: what a burst covers, or a cache holds, is worked out for each."""
ENGINES: Final = ("auto", "calculate", "simulate")
Found = TypeVar("Found")


def calculate(system: System, work: Workload, *, name: str = "") -> RunResult:
    """Answer one scenario in closed form; seconds, bytes and counts of one session.

    Exact where nobody queues; how far it may be off elsewhere is told by its ``accuracy``.
    """
    system = by_popularity(system, work)
    result, exact = _closed_form(system, work, name)
    run_result = with_accuracy(system, work, result, family_for(work).name, exact=exact)
    return with_host_limits(system, work, run_result)


def _closed_form(system: System, work: Workload, name: str = "") -> tuple[RunResult, bool]:
    """The family's answer behind the host's limits, and whether nobody queues."""
    return calculated(
        system, work, lambda seen: family_for(work).closed_form.calculate(seen, work, name=name)
    )


def simulate(system: System, work: Workload, *, seed: int = 1, name: str = "") -> RunResult:
    """Answer one scenario by simulation: everybody contends for the processors and the device.

    Raises :class:`OutsideLaw` for more steps than a simulation is allowed, where the calculator is the engine to ask,
    and :class:`OverBudget` for more work or memory than the context allows (:func:`model.budget.watched`).
    """
    with watched() as watch:
        held = watch.held
        system = by_popularity(system, work)
        with completed(lambda result: with_host_limits(system, work, result)):
            result = family_for(work).processes.simulate(system, work, seed=seed, name=name)
        watch.hold(held - watch.held)
        return with_host_limits(system, work, result)


def bound_answer(system: System, work: Workload, *, name: str = "") -> RunResult | None:
    """What no run of transactions alone does better than, where it takes too long to simulate; None of others."""
    bounds = None if work.beside else family_for(work).bounds
    if bounds is None:
        return None
    return bounds.bound_answer(through_host(by_popularity(system, work)), work, name=name)


def simulate_measures(system: System, work: Workload, *, seed: int = 1) -> dict[str, float]:
    """The numbers of ``measures_of(simulate(system, work, seed=seed))``, but for their last digits.

    Quicker where they need no whole result. Raises what :func:`simulate` raises.
    """
    quickly = family_for(work).summed_up
    quick = quickly.measures(system, work, seeds=[seed]) if quickly else None
    if quick is None:
        return measures_of(simulate(system, work, seed=seed))
    numbers = {name: float(value[0]) if is_array(value) else value for name, value in quick.items()}
    return {name: number for name, number in numbers.items() if number == number}  # noqa: PLR0124  (NaN is not)


def simulate_many(
    engine: str,
    system: System,
    work: Workload,
    axes: Mapping[str, Any],
    seeds: NDArray[np.int64],
    allowed: Callable[[System, Workload], object],
) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """The numbers of :func:`simulate_measures` of many scenarios, and of which: the others are answered one by one.

    *axes* are those of :func:`calculate_many`, *seeds* one for each scenario. *allowed* raises a BlocktimeError for
    what takes too long. The numbers of a scenario are the same to the last bit whatever stands beside it. Raises
    KeyError for what is no single field.
    """
    from blocktime.model.workloads.statements.closed_form_of_many import FieldColumns  # noqa: PLC0415  (numpy, which one answer does without)

    quickly, design = family_for(work).summed_up, FieldColumns(system, work, axes)

    def row(plain: tuple[System, Workload], seen: tuple[Any, Any], places: Any) -> dict[str, Number] | None:
        if quickly is None or not is_simulated(*plain, engine):
            return None
        allowed(*plain)
        return quickly.measures(*plain, seeds=seeds[places].tolist(), seen=seen)

    return design.summed_up(quickly.SUMMED_BY if quickly else (), row)


def calculate_many(system: System, work: Workload, axes: Mapping[str, Any]) -> dict[str, Any]:
    """Answer many scenarios at once: *axes* maps dotted fields (``"tablespace.block_size_bytes"``) to equal columns.

    Returns an array for each of :data:`~model.measures.MEASURES`, NaN where a scenario has no such number, and
    ``exact``, which is :func:`nobody_queues` of each, and ``refused``, a sentence for each that has no answer. The
    numbers of a scenario are the same to the last bit whatever stands beside it. Raises KeyError for what is no single
    field.

    The laws are those of :func:`calculate`, which the tests hold it to; what a statement does to rows comes
    from a closed form, where :func:`calculate` plays it. Columns of numbers and None, or numbers and words, have to be
    lists or arrays of objects.
    """
    from blocktime.model.workloads.statements.closed_form_of_many import FieldColumns  # noqa: PLC0415  (numpy, which one answer does without)

    design, by_arrays = FieldColumns(system, work, axes), family_for(work).by_arrays
    one_by_one = system.host.limits_volumes or bool(says_popularity(work)) or not ONE_BY_ONE.isdisjoint(axes)
    if by_arrays is None or one_by_one:
        return design.answered_one_by_one(_measures_alone)
    return design.answered(by_arrays.measures, _measures_alone)


def _measures_alone(system: System, work: Workload) -> Row:
    result, exact = _closed_form(by_popularity(system, work), work)
    return exact, measures_of(result)


def nobody_queues(system: System, work: Workload) -> bool:
    """Whether :func:`calculate` is exact, to within a read or two: one session, reads in order or hidden."""
    return family_for(work).closed_form.is_exact(through_host(by_popularity(system, work)), work)


def chosen_engine(engine: str, system: System, work: Workload) -> str:
    """The engine that answers where *engine* is asked for; raises :class:`UnknownName` for one that does not exist.

    Where none is asked for (``auto``) it is the one that says more: the simulation where somebody queues, or where a
    part of the answer needs events.
    """
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES)
    if engine != "auto":
        return engine
    return "simulate" if family_for(work).needs_events or not nobody_queues(system, work) else "calculate"


def is_simulated(system: System, work: Workload, engine: str = "auto") -> bool:
    """Whether the simulation answers where *engine* is asked for."""
    return chosen_engine(engine, system, work) == "simulate"


def expected_engine(engine: str, system: System, work: Workload) -> str:
    """:func:`chosen_engine` as far as it can be told before rows are played: several sessions queue, as a rule."""
    if engine == "auto" and work.plays_rows:
        return "calculate" if work.users == 1 else "simulate"
    return chosen_engine(engine, system, work)


def printed_engine(engine: str, work: Workload) -> str:
    """The engine that has every number a document may print, where *engine* is asked for."""
    return "simulate" if engine == "calculate" and family_for(work).needs_events else engine


def replications_of(engine: str, wanted: int) -> int:
    """How often an answer of *engine* is repeated where *wanted* times are asked for: no chance has a part in a law."""
    return 1 if engine == "calculate" else wanted


def goes_by_arrays(engine: str, kind: str) -> bool:
    """Whether arrays answer as *engine* does: what a statement does to rows they have by a closed form only."""
    if plays_rows(kind):
        return False
    return engine == "calculate" or (engine == "auto" and not family_of(kind).needs_events)


def goes_summed_up(work: Workload) -> bool:
    """Whether the simulation may give the numbers of many such workloads together, without their whole answers."""
    return family_for(work).is_summed_up


def answered_many(
    engine: str, system: System, work: Workload, axes: Mapping[str, Any]
) -> tuple[dict[str, Any], Any]:
    """The numbers of :func:`calculate_many`, and of which scenarios they are the answer that *engine* asks for."""
    table = calculate_many(system, work, axes)
    exact, refused = table.pop("exact"), table.pop("refused")
    return table, (refused == "") & (exact | (engine == "calculate"))


@dataclass(frozen=True, slots=True)
class EngineAnswer(Generic[Found]):
    """An answer, the engine that gave it, and why the one that was to give it did not."""

    answer: Found
    engine: str
    refusal: str = ""


def answered(
    engine: str, system: System, work: Workload, by: Mapping[str, Callable[[], Found]]
) -> EngineAnswer[Found]:
    """The answer of the engine that *engine* asks for, from its function in *by*.

    Where nobody asked for the simulation and it refuses, the closed form answers; where that has no answer either, the
    simulation's refusal is the one that is told.
    """
    chosen = chosen_engine(engine, system, work)
    try:
        return EngineAnswer(by[chosen](), chosen)
    except OutsideLaw as refusal:
        if engine != "auto" or chosen == "calculate":
            raise
        try:
            return EngineAnswer(by["calculate"](), "calculate", str(refusal))
        except OutsideLaw:
            raise refusal from None


def estimate_of(engine: str, system: System, work: Workload) -> RunResult | None:
    """The instant estimate of a question; without accuracy where *engine* simulates it, None where no law covers it."""
    try:
        estimate = calculate(system, work)
    except BlocktimeError:
        return None
    if is_simulated(system, work, engine):
        return estimate.model_copy(update={"accuracy": None})
    return estimate
