"""The tab of programs beside each other: a time line of the run, and the users' response over a program's size."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import streamlit as st

from blocktime.app.answer.page_elements import captioned
from blocktime.app.base.memo import by_object
from blocktime.app.base.polling import look_again
from blocktime.app.charts import program_charts
from blocktime.app.session.simulation_requests import Wishes, ask, played
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario
from blocktime.scenarios.forecast import forecast

WISHES: Final = Wishes("over size", urgent=False)
"""Runs with a program of other sizes, which come in one by one."""
LOOKS_S: Final = 1.0
SIZES: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Times the size of the scenario."""
LONGEST_S: Final = 20.0
"""Forecast of a run at one size, in seconds of a processor; sizes that take longer are left out."""
SIZED: Final = "programs.sized"


def draw(after: RunResult, scenario: Scenario) -> None:
    """The time line of the what-if, then the curve where users stand beside a program that ends."""
    programs = after.programs or []
    if not programs:
        return
    captioned("programs_time_line", *program_charts.time_line(after))
    users = next((rank for rank, program in enumerate(programs) if program.response_s and not program.elapsed_s), None)
    ending = [rank for rank, program in enumerate(programs) if program.elapsed_s is not None]
    if users is None or not ending:
        return
    if st.session_state.get(SIZED) not in ending:
        st.session_state[SIZED] = ending[0]
    sized = st.segmented_control(
        f"Response of {programs[users].name} over the size of", ending, key=SIZED, required=True,
        format_func=lambda rank: programs[rank].name,
    )  # fmt: skip
    try:
        sizes = of_sizes(scenario, sized or ending[0])
    except BlocktimeError as error:
        st.caption(str(error))
        return
    is_under_way = bool(WISHES.play([ask(other) for _, other in sizes]))
    look_again(partial(_curve, after, scenario, users, sized or ending[0]), LOOKS_S, is_under_way=is_under_way)


def size_of(scenario: Scenario, rank: int) -> tuple[int, str]:
    """Calls of a stream, or rows of a statement's table, and what they are."""
    program = scenario.workload.programs[rank]
    if hasattr(program, "count"):
        return int(program.count), "calls"
    return int((getattr(program, "table", None) or scenario.system.table).rows), "rows"


def with_size(scenario: Scenario, rank: int, size: int) -> Scenario:
    """*scenario* with a program of another size."""
    work, system = scenario.workload, scenario.system
    program: Any = work.programs[rank]
    if hasattr(program, "count"):
        changes: dict[str, Any] = {"count": size}
    elif getattr(program, "table", None):
        changes = {"table": program.table.model_copy(update={"rows": size})}
    else:
        table = system.table.model_copy(update={"rows": size})
        return scenario.model_copy(update={"system": system.model_copy(update={"table": table})})
    if rank:
        changed = program.model_copy(update=changes)
        changes = {"beside": (*work.beside[: rank - 1], changed, *work.beside[rank:])}
    return scenario.model_copy(update={"workload": work.model_copy(update=changes)})


@by_object(50)
def of_sizes(scenario: Scenario, rank: int) -> list[tuple[int, Scenario]]:
    """The scenario with a program of some sizes, those left out that take long."""
    size, _ = size_of(scenario, rank)
    others = [(each, with_size(scenario, rank, each)) for each in (max(1, int(size * times)) for times in SIZES)]
    return [(each, other) for each, other in others if forecast(other.system, other.workload).seconds <= LONGEST_S]


def _curve(after: RunResult, scenario: Scenario, users: int, rank: int) -> None:
    WISHES.look()
    points = []
    for size, other in of_sizes(scenario, rank):
        answer = played(ask(other))
        programs = RunResult.model_validate_json(answer.document).programs if answer and answer.document else None
        if programs and programs[users].response_s:
            points.append((float(size), programs[users].response_s or 0.0))
    program = (after.programs or [])[users]
    if len(points) > 1:
        now, unit = size_of(scenario, rank)
        label = f"{unit} of {(after.programs or [])[rank].name}"
        captioned(
            "programs_over_size", *program_charts.over_size(program.name, label, points, now, program.alone.response_s)
        )
    elif WISHES.job() is not None:
        st.caption(":material/progress_activity: Simulating other sizes")
