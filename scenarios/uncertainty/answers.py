"""Elapsed times of one scenario with other values of its constants, by arrays or one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from blocktime.model.engine import calculate_many, engine_of_draws, simulate_measures
from blocktime.model.errors import SpecError
from blocktime.model.spec import Transactions
from blocktime.model.units import show_number
from blocktime.model.workloads.families import family_of
from blocktime.scenarios.load import source_in, to_mapping
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.sweeps.points import Points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[Any]

Progress = Callable[[int, int], None]

BY_ARRAYS: Final = 4096
ONE_BY_ONE: Final = 256
SIMULATED: Final = 64
"""Draws of the constants: powers of four, as many as take about a second but for long simulations."""


MIX: Final = "workload.mix."
"""Begin of the paths of fields of a kind of transaction."""


class Answerer(NamedTuple):
    """An engine that answers one scenario with many values of its constants."""

    engine: str
    draws: Callable[[Scenario], int]
    """How many draws it answers."""
    elapsed_s: Callable[[Scenario, Mapping[str, Reals], int, Progress | None], Reals]
    """Elapsed seconds of a scenario with each row of columns, which are of one length, in the place of its fields.

    Every simulation has the same seed. Raises :class:`SpecError` where a row has no answer: an interval needs all.
    """


def answerer_of(scenario: Scenario, engine: str) -> Answerer:
    """What answers the draws where *engine* is asked for."""
    return ANSWERERS[engine_of_draws(engine, scenario.system, scenario.workload)]


def _calculated(
    scenario: Scenario, columns: Mapping[str, Reals], seed: int, progress: Progress | None
) -> Reals:
    mixed = {path: column for path, column in columns.items() if path.startswith(MIX)}
    if mixed:
        plain = {path: column for path, column in columns.items() if path not in mixed}
        return _one_by_one(scenario, plain, mixed, seed, progress)
    table = calculate_many(scenario.system, scenario.workload, columns)
    if all(table["refused"]):
        raise SpecError(f"{scenario.name}: uncertainty: {table['refused'][0]}")
    for place, why in enumerate(table["refused"]):
        if why:
            raise SpecError(_no_answer(scenario, columns, place, why))
    seconds: Reals = table["elapsed_s"]
    return seconds


def _one_by_one(
    scenario: Scenario,
    plain: Mapping[str, Reals],
    mixed: Mapping[str, Reals],
    seed: int,
    progress: Progress | None,
) -> Reals:
    """As :func:`_calculated`, a row at a time, each with its own mix."""
    import numpy as np  # noqa: PLC0415

    work = cast("Transactions", scenario.workload)
    seconds = []
    for place in range(len(next(iter(mixed.values())))):
        mix = list(work.mix)
        for path, column in mixed.items():
            rank, name = path.removeprefix(MIX).split(".")
            whole = isinstance(getattr(mix[int(rank)], name), int)
            value = round(column[place].item()) if whole else column[place].item()
            mix[int(rank)] = mix[int(rank)].model_copy(update={name: value})
        row = scenario.model_copy(update={"workload": work.model_copy(update={"mix": tuple(mix)})})
        own = {path: column[place : place + 1] for path, column in plain.items()}
        seconds.append(
            _calculated(row, own or {"workload.think_s": np.array([work.think_s])}, seed, progress)
        )
    return np.concatenate(seconds)


def _simulated(
    scenario: Scenario, columns: Mapping[str, Reals], seed: int, progress: Progress | None
) -> Reals:
    import numpy as np  # noqa: PLC0415

    source = source_in(to_mapping(scenario), scenario.name, scenario.origin)
    points = Points(source, list(columns), "uncertainty")
    count = len(next(iter(columns.values())))
    seconds = np.empty(count)
    for place in range(count):
        values = {path: column[place].item() for path, column in columns.items()}
        try:
            point = points.point(values)
        except SpecError as error:
            raise SpecError(_no_answer(scenario, columns, place, str(error))) from None
        seconds[place] = simulate_measures(point.system, point.workload, seed=seed)["elapsed_s"]
        if progress is not None:
            progress(place + 1, count)
    return seconds


ANSWERERS: Final = {
    answerer.engine: answerer
    for answerer in (
        Answerer("simulate", lambda scenario: SIMULATED, _simulated),
        Answerer(
            "calculate",
            lambda scenario: BY_ARRAYS if family_of(scenario.workload.kind).goes_by_arrays else ONE_BY_ONE,
            _calculated,
        ),
    )
}


def _no_answer(scenario: Scenario, columns: Mapping[str, Reals], place: int, why: str) -> str:
    at = ", ".join(
        f"{path}={show_number(column[place].item(), 4)}" for path, column in list(columns.items())[:3]
    )
    return (
        f"{scenario.name}: uncertainty: its constants may have values without an answer, such as {at}: {why}"
    )
