"""The answer to a question: the model plays it, or sums it where the sum is what would be played.

No other module decides which.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from blocktime.model.budget import watched
from blocktime.model.closing import extrapolated_by
from blocktime.model.demand.host_limits import through_host, with_host_limits
from blocktime.model.demand.popular_blocks import by_popularity, popularity_field
from blocktime.model.interim import completed
from blocktime.model.measures import measures_of
from blocktime.model.provenance import Extrapolation
from blocktime.model.results import RunResult
from blocktime.model.spec import System, Workload
from blocktime.model.spec.popularity import WAYS
from blocktime.model.workloads.families import Row, family_for, family_of, plays_rows

if TYPE_CHECKING:
    from blocktime.model.workloads.statements.closed_form_of_many import FieldColumns

ONE_BY_ONE: Final = frozenset(
    ("host.iops_limit", "host.bandwidth_limit_bytes_per_s", *(f"workload.{name}" for name in WAYS))
)
"""Fields whose answers come one by one: what a burst covers, or a cache holds, is worked out for each."""


def calculate(system: System, work: Workload, *, name: str = "") -> RunResult:
    """Sum up one question; seconds, bytes and counts of one session. Exact where nobody queues (:func:`is_played`).

    Raises AssertionError for streams and for programs of several families, which are always played.
    """
    system = by_popularity(system, work)
    result, _ = _closed_form(system, work, name)
    return with_host_limits(system, work, result)


def _closed_form(system: System, work: Workload, name: str = "") -> tuple[RunResult, bool]:
    """The family's answer behind the host's limits, and whether nobody queues."""
    return family_for(work).closed_form.calculate(through_host(system), work, name=name)


def simulate(system: System, work: Workload, *, seed: int = 1, name: str = "") -> RunResult:
    """Play one question: everybody contends for the processors and the device.

    Raises :class:`OutsideLaw` for more steps than a simulation is allowed, and :class:`OverBudget` for more work or
    memory than the context allows (:func:`model.budget.watched`).
    """
    with watched() as watch:
        bytes_before = watch.allocated_bytes
        system = by_popularity(system, work)
        with completed(lambda result: with_host_limits(system, work, result)):
            result = family_for(work).processes.simulate(system, work, seed=seed, name=name)
        watch.hold(bytes_before - watch.allocated_bytes)
        return with_host_limits(system, work, result)


def bound_answer(system: System, work: Workload, *, name: str = "") -> RunResult | None:
    """What no run of transactions alone does better than, where it takes too long to simulate; None of others."""
    bounds = None if work.beside else family_for(work).bounds
    if bounds is None:
        return None
    return bounds.bound_answer(through_host(by_popularity(system, work)), work, name=name)


def _columns(system: System, work: Workload, axes: Mapping[str, Any]) -> FieldColumns:
    from blocktime.model.workloads.statements.closed_form_of_many import FieldColumns

    return FieldColumns(system, work, axes)


def calculate_many(system: System, work: Workload, axes: Mapping[str, Any]) -> dict[str, Any]:
    """Answer many scenarios at once: *axes* maps dotted fields (``"tablespace.block_size_bytes"``) to equal columns.

    Returns an array for each of :data:`~model.measures.MEASURES`, NaN where a scenario has no such number, and
    ``exact``, which is :func:`nobody_queues` of each, and ``refused``, a sentence for each that has no answer. The
    numbers of a scenario are the same to the last bit whatever stands beside it. Raises KeyError for what is no single
    field.

    The laws are those of :func:`calculate`, which the tests hold it to; what a statement does to rows comes
    from a closed form, where :func:`calculate` plays it. Columns of numbers and None, or numbers and words, have to be
    lists or arrays of objects. Raises AssertionError as
    :func:`calculate` does.
    """
    family = family_for(work)
    family.refuse_without_sum()
    design, by_arrays = _columns(system, work, axes), family.by_arrays
    one_by_one = system.host.limits_volumes or bool(popularity_field(work)) or not ONE_BY_ONE.isdisjoint(axes)
    if by_arrays is None or one_by_one:
        return design.answered_one_by_one(_measures_alone)
    return design.answered(by_arrays.measures, _measures_alone)


def _measures_alone(system: System, work: Workload) -> Row:
    result, exact = _closed_form(by_popularity(system, work), work)
    return exact, measures_of(result)


def nobody_queues(system: System, work: Workload) -> bool:
    """Whether :func:`calculate` is exact, to within a read or two: one session, reads in order or hidden."""
    return family_for(work).closed_form.is_exact(through_host(by_popularity(system, work)), work)


def is_played(system: System, work: Workload) -> bool:
    """Whether the question is answered by simulation: it is summed only where the sum is what would be played."""
    return family_for(work).needs_events or work.users > 1 or not nobody_queues(system, work)


def is_expected_played(system: System, work: Workload) -> bool:
    """:func:`is_played` as far as it can be told before rows are played: whether a session reads blocks or queues."""
    if work.plays_rows:
        return work.users > 1 or system.table.cached_fraction < 1 or work.at_random
    return is_played(system, work)


def answer(system: System, work: Workload, *, seed: int = 1, name: str = "") -> RunResult:
    """Answer one question: by exact sum where nobody queues, else by simulation with *seed*.

    Raises what :func:`simulate` raises.
    """
    if is_played(system, work):
        return simulate(system, work, seed=seed, name=name)
    return calculate(system, work, name=name)


def answer_many(system: System, work: Workload, axes: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of :func:`answer_measures` for each of the columns of *axes*, as :func:`calculate_many` has them."""

    def alone(at_place: System, program: Workload) -> Row:
        measures, was_played = answer_measures(at_place, program)
        return not was_played, measures

    return _columns(system, work, axes).answered_one_by_one(alone)


def answer_measures(system: System, work: Workload, *, seed: int = 1) -> tuple[dict[str, float], bool]:
    """The numbers of ``measures_of(answer(system, work, seed=seed))``, and whether they were played."""
    if is_played(system, work):
        return measures_of(simulate(system, work, seed=seed)), True
    return measures_of(calculate(system, work)), False


def extrapolated_in(system: System, work: Workload) -> list[Extrapolation]:
    """Constants that the answer to a question uses outside the ranges that they were fitted in, without answering."""
    demand_of = family_for(work).demand
    return extrapolated_by(system, work, demand_of(system, work) if demand_of else None)


def goes_by_arrays(kind: str) -> bool:
    """Whether arrays answer exact questions of *kind*: what a statement does to rows is played first, one by one."""
    return not plays_rows(kind) and not family_of(kind).needs_events


def sum_many(system: System, work: Workload, axes: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """The numbers of :func:`calculate_many`, and of which scenarios they are the answer: the others are played."""
    table = calculate_many(system, work, axes)
    exact, refused = table.pop("exact"), table.pop("refused")
    return table, (refused == "") & exact
