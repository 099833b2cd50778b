"""The page for streams: their controls, their figures, and the tab Device."""

from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app.answer import instruments
from blocktime.app.controls.control_fields import NOT_GIVEN
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from tests.app import page_numbers
from tests.app.page_numbers import ENTRY, metric, numbers, said_at_fields
from tests.patience import LIMIT_S

pytestmark = pytest.mark.usefixtures("simulated_at_once")
RAW, BUFFERED = "magni-dd-raw-100", "magni-dd-fs-10000"
CHARTS = ["device_sizes_disk", "device_queue_disk", "device_await_disk", "device_util_disk", "device_rate_disk",
          "device_timeline"]  # fmt: skip


def opened(tab: str = "Device", **query: str) -> AppTest:
    return page_numbers.tab_of(tab, **query)


charts = partial(page_numbers.charts_among, CHARTS)


def device(result: RunResult) -> Any:
    return result.device["disk"]


def test_the_device_of_a_stream_is_drawn() -> None:
    app = opened(scenario=BUFFERED)
    result = run(load(BUFFERED))
    assert charts(app) == CHARTS
    (table,) = app.dataframe
    assert len(table.value) == len(device(result).lines)
    assert list(table.value.columns)[:5] == ["seconds", "rrqm/s", "wrqm/s", "r/s", "w/s"]
    first = device(result).lines[0]
    assert table.value["wkB/s"][0] == pytest.approx(first.written_bytes_per_s / 1024, abs=0.006)
    assert any("wrqm/s" in code.value and "avgqu-sz" in code.value for code in app.code)


def test_the_figures_are_those_of_calls_and_requests() -> None:
    app = opened(scenario=RAW)
    result = run(load(RAW))
    assert [one.label.partition(" :")[0] for one in numbers(app)] == [
        "Elapsed", "CPU", "Calls/s", "Throughput", "Mean response", "p95 response", "Requests", "await", "%util",
    ]  # fmt: skip
    assert metric(app, "Elapsed").value == show_seconds(result.time.elapsed_s)
    assert metric(app, "Requests").value == "100"
    (stream,) = result.streams or ()
    assert metric(app, "p95").value == show_seconds(stream.response_percentiles["p95"])
    assert metric(app, "%util").value == f"{100 * device(result).utilisation_fraction:.1f} %"
    assert metric(app, "await").value == show_seconds(device(result).await_s)


def test_another_path_changes_the_requests_and_says_why() -> None:
    app = opened(scenario="magni-dd-raw-10000")
    app.selectbox("host.io_path").select("buffered").run()
    assert not app.exception
    result = run(load("magni-dd-raw-10000", ["host.io_path=buffered"]))
    assert metric(app, "Requests").value == f"{sum(device(result).request_bytes.values()):,.0f}"
    assert any(
        "The I/O path is buffered instead of raw; requests fell from 10,000" in one.value for one in app.markdown
    )
    assert app.query_params["host.io_path"] == "buffered"


OF_TRANSACTIONS = ("Transactions", "Load", "Cache")


def test_each_kind_of_work_has_its_tabs() -> None:
    for name, absent in (
        (RAW, ["Programs", *OF_TRANSACTIONS, "TKPROF", "Requests", "Segment", "Optimizer", "Money"]),
        ("rahn-full-scan", ["Programs", *OF_TRANSACTIONS, "Stream", "Money"]),
        ("tpc-b", ["Programs", "Stream", "TKPROF", "Requests", "Segment", "Optimizer", "Money"]),
    ):
        labels = [tab.label for tab in opened("Breakdown", scenario=name).tabs]
        assert labels == [tab for tab in instruments.TABS if tab not in absent]


@pytest.mark.parametrize("tab", ["Stream", "Breakdown", "Assumptions"])
def test_every_tab_of_a_stream_opens(tab: str) -> None:
    app = opened(tab, scenario=RAW)
    assert charts(app) == []
    if tab == "Stream":
        assert any("100 writes of 8K" in code.value for code in app.code)


def test_a_scan_that_becomes_a_stream_by_link_is_answered() -> None:
    for kind in ("write_stream", "read_stream"):
        app = opened(**{"workload.kind": kind, "host.io_path": "direct"})
        assert charts(app) == CHARTS
        assert metric(app, "Calls/s").delta == "not in the baseline"


def test_a_choice_that_is_left_open_goes_back_to_the_baseline() -> None:
    app = opened(scenario=RAW)
    assert app.selectbox("workload.path").value == NOT_GIVEN
    app.selectbox("workload.path").select("direct").run()
    assert not app.exception
    assert app.query_params["workload.path"] == "direct"
    app.selectbox("workload.path").set_value(NOT_GIVEN).run()
    assert not app.exception
    assert "workload.path" not in app.query_params


def test_going_from_a_segment_to_a_stream_leaves_no_tab_behind() -> None:
    app = opened("Segment", scenario="rahn-pctfree-16k-10")
    app.selectbox("scenario").select(RAW).run()
    assert not app.exception
    assert metric(app, "Requests").value == "100"


def test_what_a_link_has_wrong_is_still_said_after_the_simulation_was_played() -> None:
    app = AppTest.from_file(ENTRY, default_timeout=LIMIT_S)
    for key, value in {"scenario": RAW, "workload.coun": "3"}.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    assert metric(app, "p95").value != "—"
    (note,) = app.error
    assert "workload.coun: there is no such field; did you mean count?" in note.value.replace("\\", "")
    app.text_input("workload.count").set_value("50").run()
    assert app.error.len == 0


def test_limits_raid_and_flushes_can_be_set() -> None:
    app = opened("Breakdown", scenario=RAW)
    app.text_input("disk.iops_limit").set_value("50").run()
    assert not app.exception
    assert app.query_params["disk.iops_limit"] == "50"
    assert metric(app, "Calls/s").value.startswith("50.")
    assert not app.text_input("disk.raid_disks").disabled
    app.selectbox("disk.raid_level").select("10").run()
    assert app.error.len == 0
    assert app.text_input("disk.raid_disks").value == "4"  # as many as that level needs
    app.text_input("disk.raid_disks").set_value("3").run()
    assert any("does not suit" in text for text in said_at_fields(app))
    app.text_input("disk.raid_disks").set_value("4").run()
    assert app.error.len == 0
    assert any("50 instead of none" in one.value for one in app.markdown)
    assert app.toggle("disk.write_cache_flushed").disabled
    assert not app.toggle("workload.extends").disabled


def test_calls_that_arrive_at_a_rate_are_told_by_what_one_takes() -> None:
    app = opened("Breakdown", scenario=RAW, **{"workload.rate_per_s": "20"})
    assert any("A write takes" in one.value or "a write takes" in one.value for one in app.markdown)
