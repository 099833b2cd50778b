"""The page for statements that change rows: their controls, their figures, and the tab Segment."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from tests.app import page_numbers
from tests.app.page_numbers import metric, numbers

pytestmark = pytest.mark.usefixtures("simulated_at_once")
UPDATE = "rahn-pctfree-16k-10"
CHARTS = ["segment_blocks", "segment_map_before", "segment_map_after", "segment_by_pctfree", "elapsed_by_pctfree"]


def opened(tab: str = "Segment", **query: str) -> AppTest:
    return page_numbers.tab_of(tab, **query)


charts = partial(page_numbers.charts_among, CHARTS)


def test_an_update_has_its_controls_and_none_that_mean_nothing() -> None:
    app = opened(scenario=UPDATE)
    keys = {widget.key for kind in (app.text_input, app.selectbox, app.button_group) for widget in kind}
    assert {
        "workload.growth_bytes", "workload.rows_fraction", "workload.order", "workload.repeats",
        "workload.commit_every_rows", "workload.users",
    } <= keys  # fmt: skip
    assert not keys & {"index.clustering", "workload.selectivity_fraction", "workload.select", "workload.rows"}
    growth = app.text_input("workload.growth_bytes")
    assert not growth.disabled
    assert growth.value == "5.9899"  # what follows from the columns that the update sets
    growth.set_value("20").run()
    assert not app.exception
    assert app.query_params["workload.growth_bytes"] == "20"
    assert "was 5.9899 bytes" in app.text_input("workload.growth_bytes").label


def test_growth_can_be_changed_where_no_columns_say_it() -> None:
    app = opened(scenario="savvinov-lio-pc", **{"workload.kind": "update", "table.rows": "20000"})
    growth = app.text_input("workload.growth_bytes")
    assert growth.value == ""
    growth.set_value("40.5").run()
    assert not app.exception
    assert app.query_params["workload.growth_bytes"] == "40.5"
    assert metric(app, "Migrated rows").value != "0"
    app.text_input("workload.growth_bytes").set_value("").run()
    assert "workload.growth_bytes" not in app.query_params
    assert metric(app, "Migrated rows").value == "0"


def test_the_figures_are_those_of_rows_that_change() -> None:
    app = opened(scenario=UPDATE)
    result = run(load(UPDATE))
    assert [one.label.partition(" :")[0] for one in numbers(app)] == [
        "Elapsed", "DB CPU", "Migrated rows", "Rejected probes", "Segment blocks", "Space search",
        "Undo and redo",
        "ITL-full blocks",
    ]  # fmt: skip
    assert metric(app, "Elapsed").value == show_seconds(result.time.elapsed_s)
    assert metric(app, "Migrated rows").value == f"{result.segment.migrated_rows:,.0f}"
    assert metric(app, "Space search").value == "95.9 %"


def test_with_enough_pctfree_no_row_migrates() -> None:
    app = opened(scenario=UPDATE)
    app.slider("table.pctfree_percent").set_value(35).run()
    assert not app.exception
    assert metric(app, "Migrated rows").value == "0"
    assert metric(app, "Migrated rows").delta == "-158,626 (-100 %)"
    assert metric(app, "Space search").delta == "-95.9 points"
    assert any("PCTFREE 35 leaves room for all of them" in one.value for one in app.markdown)
    assert charts(app) == CHARTS


def test_the_tab_draws_the_segment_only_when_it_is_open() -> None:
    assert charts(opened(scenario=UPDATE)) == CHARTS
    assert charts(opened("TKPROF", scenario=UPDATE)) == []


@pytest.mark.parametrize("kind", ["insert", "delete"])
def test_inserts_and_deletes_have_a_page_too(kind: str) -> None:
    app = opened(scenario="savvinov-lio-pc", **{"workload.kind": kind, "table.rows": "20000"})
    assert metric(app, "Migrated rows").value == "0"
    assert charts(app) == CHARTS
    label = {"insert": "Rows inserted", "delete": "Share of rows deleted"}[kind]
    assert any(one.label.startswith(label) for one in app.text_input)


def test_a_query_keeps_its_segment_as_text() -> None:
    app = opened(scenario="rahn-full-scan")
    assert charts(app) == []
    assert any("below the high-water mark" in code.value for code in app.code)


def test_several_sessions_that_update_are_answered() -> None:
    app = opened(scenario=UPDATE, **{"workload.users": "4", "table.rows": "20000"})
    assert metric(app, "Elapsed").value
    assert charts(app) == CHARTS
