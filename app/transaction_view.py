"""The tabs of transactions: throughput and response over load, resources, and hits over the size of the cache."""

from __future__ import annotations

import streamlit as st
from click import unstyle

from app import transaction_charts, transaction_text
from app.answer import ink
from app.drawn import chart
from app.markdown import plain, sentence
from model.books import blocktime_version
from model.errors import BlocktimeError
from model.results import RunResult
from model.spec import Transactions
from model.transaction_curves import Load, Size, cache_curve, load_curve
from scenarios import Scenario
from scenarios.prices import without_prices


@st.cache_data(max_entries=50, show_spinner=False)
def _curves(document: str, version: str, _scenario: Scenario) -> tuple[list[Load], list[Size]]:
    del document, version  # the key
    work = _scenario.workload
    if not isinstance(work, Transactions):
        return [], []
    return load_curve(_scenario.system, work), cache_curve(_scenario.system, work)


def curves(scenario: Scenario) -> tuple[list[Load], list[Size]]:
    """Points over load and over the size of the cache, computed once."""
    bare = without_prices(scenario)
    return _curves(bare.model_dump_json(), blocktime_version(), bare)


def load(before: RunResult, after: RunResult, scenario: Scenario) -> None:
    """Throughput and response over load, and how busy each resource is."""
    stats = after.transactions
    if stats is None:
        st.caption("The what-if is of no transactions.")
        return
    st.markdown(plain(sentence(transaction_text.saturation(stats))))
    try:
        points, _ = curves(scenario)
    except BlocktimeError as error:
        st.caption(plain(f"No curve over load: {error}"))
        return
    st.markdown(plain(sentence(transaction_charts.doubles(points, stats))))
    for column, (key, draw) in zip(
        st.columns(2),
        (("throughput", transaction_charts.throughput), ("response", transaction_charts.response)),
        strict=True,
    ):
        with column:
            chart(f"load_{key}", *draw(points, stats, ink=ink()))
    if stats.saturation_users is not None:
        st.caption(plain(transaction_charts.UNHINDERED_SAYS))
    chart("load_resources", *transaction_charts.resources(before.transactions or stats, stats, ink=ink()))


def cache(after: RunResult, scenario: Scenario) -> None:
    """Hits over the size of the default pool, and other policies beside the run's."""
    found = after.cache
    if after.transactions is None or found is None:
        st.caption("The what-if is of no transactions.")
        return
    try:
        _, points = curves(scenario)
    except BlocktimeError as error:
        st.caption(plain(f"No curve over the cache: {error}"))
        return
    size = float(scenario.system.instance.buffer_cache_bytes)
    chart("cache_hits", *transaction_charts.hits(points, size, found.hit_fraction, ink=ink()))
    lines = list(transaction_text.policy_lines(after, width=100))
    if lines:
        st.code("\n".join(unstyle(line) for line in lines), language=None)
    elif after.engine == "calculate":
        st.caption("The simulation shows LRU and CLOCK beside touch counts on the same references.")
