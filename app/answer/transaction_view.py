"""The tabs of transactions: throughput and response over load, resources, and hits over the size of the cache."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, cast

import streamlit as st

from blocktime.app.answer.page_elements import beside, chart
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.base.memo import by_object
from blocktime.app.base.polling import look_again
from blocktime.app.charts import transaction_charts
from blocktime.app.session.simulation_requests import Wishes, ask, played
from blocktime.app.text import transaction_text
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult, TransactionStats
from blocktime.model.spec import Transactions
from blocktime.model.workloads.transactions.curves import LoadPoint, Size, cache_curve, load_bounds, loads_to_play
from blocktime.scenarios import Scenario
from blocktime.scenarios.forecast import forecast

WISHES: Final = Wishes("over load", urgent=False)
"""Runs at other loads, which come in behind the bounds."""
LOOKS_S: Final = 1.0
FIRST_PRECISION_PERCENT: Final = 5.0
LONGEST_S: Final = 5.0
"""Forecast of a run at one load, in seconds of a processor; loads that take longer have bounds alone."""


@by_object(50)
def over_load(scenario: Scenario) -> list[LoadPoint]:
    """Bounds over load, computed once."""
    return load_bounds(scenario.system, cast("Transactions", scenario.workload))


@by_object(50)
def at_loads(scenario: Scenario) -> list[tuple[float, Scenario]]:
    """The scenario at some loads, without programs beside it, to be simulated to 5 %."""
    field = "users" if getattr(scenario.workload, "rate_per_s", None) is None else "rate_per_s"
    alone = {"beside": (), "transactions": None, "precision_percent": FIRST_PRECISION_PERCENT}
    loads = [int(load) if field == "users" else load for load in loads_to_play(over_load(scenario))]
    works = [scenario.workload.model_copy(update={**alone, field: load}) for load in loads]
    return [
        (load, scenario.model_copy(update={"workload": work, "replications": 1}))
        for load, work in zip(loads, works, strict=True)
        if forecast(scenario.system, work).seconds <= LONGEST_S
    ]


@by_object(50)
def over_size(scenario: Scenario) -> list[Size]:
    """Points over the size of the cache, computed once."""
    return cache_curve(scenario.system, cast("Transactions", scenario.workload))


def load(before: RunResult, after: RunResult, scenario: Scenario) -> None:
    """Throughput and response over load, and how busy each resource is; simulated points come in behind the bounds."""
    stats = after.transactions
    if stats is None:
        st.caption("The what-if scenario has no transactions.")
        return
    st.markdown(plain(sentence(transaction_text.saturation(stats, beside=bool(after.programs)))))
    try:
        bounds, loads = over_load(scenario), at_loads(scenario)
    except BlocktimeError as error:
        st.caption(plain(f"No curve over load: {error}"))
        return
    is_under_way = bool(WISHES.play([ask(other) for _, other in loads]))
    look_again(partial(_curves, bounds, loads, stats), LOOKS_S, is_under_way=is_under_way)
    chart("load_resources", *transaction_charts.resources(before.transactions or stats, stats))


def _curves(bounds: Sequence[LoadPoint], loads: Sequence[tuple[float, Scenario]], stats: TransactionStats) -> None:
    """The bounds over load, and the simulated points that are known."""
    WISHES.look()
    points = played_points(loads)
    st.markdown(plain(sentence(transaction_charts.doubles(bounds, points, stats))))
    beside(
        ("load_throughput", *transaction_charts.throughput(bounds, points, stats)),
        ("load_response", *transaction_charts.response(bounds, points, stats)),
    )
    st.caption(plain(transaction_charts.BOUND_SAYS))


def played_points(loads: Sequence[tuple[float, Scenario]]) -> list[LoadPoint]:
    """The simulated points that are known."""
    points = []
    for load, scenario in loads:
        answer = played(ask(scenario))
        stats = RunResult.model_validate_json(answer.document).transactions if answer and answer.document else None
        if stats is not None:
            points.append(LoadPoint(load, stats.per_s, stats.response_s))
    return points


def cache(after: RunResult, scenario: Scenario) -> None:
    """Hits over the size of the default pool."""
    cache_use = after.cache
    if after.transactions is None or cache_use is None:
        st.caption("The what-if scenario has no transactions.")
        return
    try:
        points = over_size(scenario)
    except BlocktimeError as error:
        st.caption(plain(f"No curve over the cache: {error}"))
        return
    size = float(scenario.system.instance.buffer_cache_bytes)
    chart("cache_hits", *transaction_charts.hits(points, size, cache_use.hit_fraction))
