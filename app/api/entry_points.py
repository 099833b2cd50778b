"""The functions that ``import blocktime`` has; each takes names, files, scenarios and dictionaries alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from blocktime.app.api.notebook_values import AnswerComparison, MeasuredSystem, Result, SweptTable
from blocktime.app.api.python_fields import Along, Fields, Question, axes, nested_fields, request
from blocktime.app.reports.measuring import document_of, read_file
from blocktime.model.errors import SpecError, quote
from blocktime.scenarios import run as run_scenario
from blocktime.scenarios.load import Side, Source, change_in
from blocktime.scenarios.load import library as library_entries
from blocktime.scenarios.nested import leaves
from blocktime.scenarios.search.goal_seek import Crossing
from blocktime.scenarios.search.goal_seek import seek as search_goal
from blocktime.scenarios.search.optimise import Optimum
from blocktime.scenarios.search.optimise import optimise as search_optimum
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.sweeps.sweep import plan_of, sweeping, whole_table
from blocktime.scenarios.uncertainty import propagate
from blocktime.validation.instruments import Keep
from blocktime.validation.validate import Validation
from blocktime.validation.validate import validate as check_numbers

MOST_ANSWERS: Final = 32
"""Answers that are remembered: a comparison after a run takes the run's."""


def library() -> dict[str, str]:
    """The library's scenarios: name -> title."""
    return {name: entry.title for name, entry in library_entries().items()}


def load(question: Question, change: Fields = None, *, side: Side = "change", **sections: Any) -> Scenario:
    """The scenario *question*, with *change* laid over it; *sections* are sections of its file, as dictionaries.

    ``load("full-scan-nvme", tablespace={"block_size_bytes": "16K"}, disk="nvme")``. Of a file with a ``[change]`` it is
    that *side*: "change" or "system". Raises :class:`SpecError` with one sentence.
    """
    return request(question, change, sections, "load", side).scenario()


def run(
    question: Question, change: Fields = None, *, side: Side = "change", seed: int | None = None,
    replications: int | None = None, **sections: Any,
) -> Result:  # fmt: skip
    """The answer to the scenario *question*, with *change* and *sections* laid over it as in :func:`load`.

    Times are in seconds, sizes in bytes. Raises :class:`SpecError` with one sentence, :class:`OverBudget` where the
    answer takes too long.
    """
    return _answered(request(question, change, sections, "run", side), seed, replications)


def compare(
    first: Question,
    *others: Question,
    change: Fields = None,
    uncertainty: bool = False,
    seed: int | None = None,
    replications: int | None = None,
    **sections: Any,
) -> AnswerComparison:
    """*first* beside each of *others*, or beside itself with *change* and *sections*, and why they differ.

    A file with a ``[change]`` alone is compared with itself without the change. With *uncertainty* each difference has
    an interval. Raises :class:`SpecError` with one sentence.
    """
    if others and (change or sections):
        raise SpecError("compare: got several scenarios and a change; give the change of one scenario, or scenarios")
    if others:
        sources = [request(each, None, {}, "compare") for each in (first, *others)]
    else:
        sources = [request(first, None, {}, "compare", "system"), request(first, change, sections, "compare")]
        if not (change or sections or change_in(sources[0].data, sources[0].where)):
            raise SpecError('compare: got one scenario; give two, or a change such as disk="nvme"')
    results = tuple(_answered(source, seed, replications) for source in sources)
    titles = tuple(each.scenario.title for each in results)
    if not others:
        titles = (titles[0], f"with {_changes({**(change or {}), **sections}) or titles[1]}")
    if not uncertainty:
        return AnswerComparison(results, titles)
    propagated = propagate([each.scenario for each in results], [each.run for each in results], seed)
    sure = tuple(propagated.difference(place) for place in range(1, len(results)))
    both = zip(results, propagated.results, strict=True)
    return AnswerComparison(tuple(Result(each.scenario, within) for each, within in both), titles, sure)


def sweep(
    question: Question, vary: Along = (), change: Fields = None, *, seed: int | None = None,
    replications: int | None = None, **sections: Any,
) -> SweptTable:  # fmt: skip
    """The answers of a scenario along *vary*: ``sweep("oltp-nvme", {"workload.users": (1, 200, 20)})``.

    *vary* maps a field to a list of values or to a range (low, high, points); several are crossed. Points that have no
    answer have their reason in the column ``error``. Raises :class:`SpecError` with one sentence.
    """
    source = request(question, change, sections, "sweep")
    along = [] if not vary and "sweep" in source.data else axes(vary, "sweep")
    with sweeping(plan_of(source, along, **_counts(seed, replications, "sweep"))) as rows:
        return SweptTable(source.name, whole_table(rows))


def optimise(
    question: Question, vary: Along, *, minimise: str | None = None, maximise: str | None = None,
    such_that: Sequence[str] = (), change: Fields = None, **sections: Any,
) -> Optimum:  # fmt: skip
    """The point along *vary* with the least or the most of a measure, among those that keep all of *such_that*.

    ``optimise("oltp-nvme", {"instance.buffer_cache_bytes": ["1G", "2G", "4G"]}, minimise="cost_per_month_usd",
    such_that=["response_p95_s <= 0.02"])``. Raises :class:`SpecError` with one sentence.
    """
    source = request(question, change, sections, "optimise")
    return search_optimum(source, axes(vary, "optimise"), minimise=minimise, maximise=maximise, such_that=such_that)


def seek(question: Question, goal: str, vary: Along, *, change: Fields = None, **sections: Any) -> Crossing:
    """Where the one field of *vary* brings a measure to its *goal*: ``seek("oltp-nvme", "response_s <= 2 * base", …)``.

    Raises :class:`SpecError` with one sentence.
    """
    return search_goal(request(question, change, sections, "seek"), goal, axes(vary, "seek"))


def measure(
    files: str | Path | Sequence[str | Path], *, statement: str | None = None, rpm: float | None = None
) -> MeasuredSystem:
    """What reports of a real system say, and the scenario that they determine: AWR, Statspack, TKPROF, iostat, fio ….

    *statement* is the SQL ID of one statement of a trace, *rpm* the turns a minute of a disk that fio read. Nothing is
    written or sent anywhere. Raises :class:`SpecError` or :class:`NotReadable` with one sentence.
    """
    each: Any = [files] if isinstance(files, str | Path) else files
    if not isinstance(each, Sequence) or not each or not all(isinstance(file, str | Path) for file in each):
        raise SpecError(f"measure: got {quote(files)}; it takes the name of a report, or several")
    paths = [Path(file) for file in each]
    readings = [reading for path in paths for reading in read_file(path, path.name, Keep())]
    return MeasuredSystem(tuple(readings), document_of(readings, statement, rpm))


def validate(cases: Sequence[str] | None = None) -> Validation:
    """Every number that the documents print beside the model's; *cases* names some of them.

    ``validate().summary()`` has the counts. Raises :class:`SpecError` with one sentence.
    """
    return check_numbers([cases] if isinstance(cases, str) else cases)


@dataclass(frozen=True)
class _Request:
    """A scenario with its counts, which are equal where their texts are."""

    text: str
    scenario: Scenario = field(compare=False)
    seed: int | None
    replications: int | None


@lru_cache(maxsize=MOST_ANSWERS)
def _result(wanted: _Request) -> Result:
    run_result = run_scenario(wanted.scenario, seed=wanted.seed, replications=wanted.replications)
    return Result(wanted.scenario, run_result)


def _answered(source: Source, seed: int | None, replications: int | None) -> Result:
    scenario = source.scenario()
    counts = _counts(seed, replications, source.name)
    return _result(_Request(f"{scenario.changed} {scenario.model_dump_json()}", scenario, **counts))


def _counts(seed: Any, replications: Any, called: str) -> dict[str, Any]:
    """Both, as they are; raises :class:`SpecError` for what is no whole number, or is too small."""
    for name, value, least in (("seed", seed, 0), ("replications", replications, 1)):
        if value is not None and (type(value) is not int or value < least):
            raise SpecError(f"{called}: {name}: got {quote(value)}; it is a whole number of at least {least}")
    return {"seed": seed, "replications": replications}


def _changes(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{path}={value}" for path, value in leaves(nested_fields(fields, "compare")))
