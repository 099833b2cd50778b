"""The tabs of transactions: throughput and response over load, resources, and hits over the size of the cache."""

from __future__ import annotations

from typing import cast

import streamlit as st
from click import unstyle

from blocktime.app.answer.drawn import beside, chart
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.base.remembered import by_object
from blocktime.app.charts import transaction_charts
from blocktime.app.text import transaction_text
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult
from blocktime.model.spec import Transactions
from blocktime.model.workloads.transactions.curves import Load, Size, cache_curve, doubling_load, load_curve
from blocktime.scenarios import Scenario


@by_object(50)
def over_load(scenario: Scenario) -> tuple[list[Load], float | None]:
    """Points over load, and the load at which the response is twice the least, computed once."""
    work = cast("Transactions", scenario.workload)
    points = load_curve(scenario.system, work)
    return points, doubling_load(scenario.system, work, points)


@by_object(50)
def over_size(scenario: Scenario) -> list[Size]:
    """Points over the size of the cache, computed once."""
    return cache_curve(scenario.system, cast("Transactions", scenario.workload))


def load(before: RunResult, after: RunResult, scenario: Scenario) -> None:
    """Throughput and response over load, and how busy each resource is."""
    stats = after.transactions
    if stats is None:
        st.caption("The what-if scenario has no transactions.")
        return
    st.markdown(plain(sentence(transaction_text.saturation(stats, beside=bool(after.programs)))))
    try:
        points, twice = over_load(scenario)
    except BlocktimeError as error:
        st.caption(plain(f"No curve over load: {error}"))
        return
    st.markdown(plain(sentence(transaction_charts.doubles(points, stats, twice))))
    beside(
        ("load_throughput", *transaction_charts.throughput(points, stats)),
        ("load_response", *transaction_charts.response(points, stats, twice)),
    )
    if stats.saturation_users is not None:
        st.caption(plain(transaction_charts.UNHINDERED_SAYS))
    chart("load_resources", *transaction_charts.resources(before.transactions or stats, stats))


def cache(after: RunResult, scenario: Scenario) -> None:
    """Hits over the size of the default pool, and other policies beside the run's."""
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
    lines = list(transaction_text.policy_lines(after, width=100))
    if lines:
        st.code("\n".join(unstyle(line) for line in lines), language=None)
    elif after.engine == "calculate":
        st.caption("The simulation compares LRU, CLOCK and touch counts on the same references.")
