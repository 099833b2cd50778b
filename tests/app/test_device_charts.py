"""The device's figures: what they hold, what they say, how they read without colour."""

import json
from pathlib import Path

import pytest

from blocktime.app.charts import device_charts
from blocktime.app.charts.drawing import inked
from blocktime.app.text import answer_rows
from blocktime.app.text.iostat_text import COLUMNS
from blocktime.model.laws.iostat_columns import columns_of
from blocktime.model.results import DeviceStats, RunResult, Stage


@pytest.fixture
def disk(raw: RunResult) -> DeviceStats:
    (device,) = raw.device.values()
    return device


def test_sizes_show_requests_and_bytes_in_percent(merged: RunResult) -> None:
    (device,) = merged.device.values()
    figure, finding = device_charts.sizes(device)
    requests, held = figure["data"]
    assert requests["x"] == held["x"] == ["4K", "124K"]
    assert requests["y"] == pytest.approx([100 * 103 / 703, 100 * 600 / 703])
    assert sum(held["y"]) == pytest.approx(100)
    assert requests["hovertext"] == ["103 requests", "600 requests"]
    assert held["hovertext"] == ["0.4 MB", "72.7 MB"]
    assert figure["layout"]["yaxis"]["title"]["text"] == "%"
    assert finding == ("703 requests of 4K to 124K, 106K on average; 9,297 bios were merged into waiting requests")
    assert requests["marker"]["pattern"]["shape"] != held["marker"]["pattern"]["shape"]
    json.dumps(figure, allow_nan=False)


@pytest.mark.parametrize(
    ("which", "names", "unit", "finding"),
    [
        ("queue", ["avgqu-sz"], "requests", "avgqu-sz 0.99 to 1.00, the most in seconds 20-21"),
        ("await", ["await", "svctm"], "ms", "await 4.07 all the time; svctm 4.07 all the time"),
        ("util", ["%util"], "%", "%util 99.31 to 100.00, the most in seconds 20-21"),
        ("rate", ["wkB/s"], "kB/s", "wkB/s 1,952 to 1,968, the most in seconds 20-21"),
    ],
)
def test_columns_of_iostat_over_time(disk: DeviceStats, which: str, names: list[str], unit: str, finding: str) -> None:
    figure, said = device_charts.over_time(disk.lines, which, list(COLUMNS))
    assert said == finding
    assert [trace["name"] for trace in figure["data"]] == names
    for trace in figure["data"]:
        assert trace["x"] == [second + 0.5 for second in range(41)]
        assert trace["y"] == [COLUMNS[trace["name"]][1](line) for line in disk.lines]
    assert unit in figure["layout"]["yaxis"]["title"]["text"]
    assert "seconds" in figure["layout"]["xaxis"]["title"]["text"]
    assert len({trace["line"]["dash"] for trace in figure["data"]}) == len(names)
    assert len({trace["marker"]["symbol"] for trace in figure["data"]}) == len(names)
    json.dumps(figure, allow_nan=False)


def test_no_line_is_still_a_figure() -> None:
    figure, said = device_charts.over_time([], "queue", list(COLUMNS))
    assert said == "avgqu-sz: no interval was watched"
    json.dumps(figure, allow_nan=False)


def test_a_request_is_a_bar_for_each_stage_where_it_begins(raw: RunResult) -> None:
    figure, said = device_charts.timeline(raw.timeline or [])
    bars = {trace["y"][0]: (trace["base"][0], trace["x"][0]) for trace in figure["data"]}
    assert list(bars) == ["1. the call", "2. waits in the queue", "3. at the device"]
    assert bars["1. the call"] == pytest.approx((0, 4.1))
    assert bars["3. at the device"] == pytest.approx((0.1, 4.0))
    assert figure["layout"]["yaxis"]["categoryarray"] == list(bars)[::-1]
    assert [trace["text"] for trace in figure["data"]] == [["4.1 ms"], ["100 µs"], ["4 ms"]]
    assert said == "One request takes 4.1 ms; the longest part of it is at the device, 4 ms"
    json.dumps(figure, allow_nan=False)


def test_a_request_of_one_stage_has_no_longest_part() -> None:
    _, said = device_charts.timeline([Stage(name="the call", begin_s=2, end_s=2.5)])
    assert said == "One request takes 500 ms"
    assert device_charts.timeline([])[1] == "No request was followed"


def test_text_takes_the_ink_of_the_theme(raw: RunResult, disk: DeviceStats) -> None:
    for figure, _ in (
        device_charts.sizes(disk),
        device_charts.over_time(disk.lines, "await", list(COLUMNS)),
        device_charts.timeline(raw.timeline or []),
    ):
        assert inked(figure, "#123456")["layout"]["yaxis"]["tickfont"]["color"] == "#123456"


def test_a_column_that_iostat_does_not_print_is_not_drawn(disk: DeviceStats) -> None:
    printed = [name for name in COLUMNS if name != "svctm"]
    figure, said = device_charts.over_time(disk.lines, "await", printed)
    assert [trace["name"] for trace in figure["data"]] == ["await"]
    assert figure["layout"]["yaxis"]["title"]["text"] == "await (ms)"
    assert "svctm" not in said
    assert "svctm" not in answer_rows.iostat(disk.lines, printed)[0]


@pytest.mark.parametrize(
    ("kernel", "queue", "await_columns", "rates"),
    [("2.6.18", "avgqu-sz", ["await", "svctm"], ["wsec/s"]), ("6.1", "aqu-sz", ["w_await"], ["wkB/s"])],
)
def test_charts_over_time_have_the_columns_of_the_kernels_iostat(
    disk: DeviceStats, kernel: str, queue: str, await_columns: list[str], rates: list[str]
) -> None:
    lines = [line.model_copy(update={"read_await_s": 0.0, "write_await_s": 0.004}) for line in disk.lines]
    drawn = {
        which: [trace["name"] for trace in device_charts.over_time(lines, which, columns_of(kernel))[0]["data"]]
        for which in device_charts.OVER_TIME
    }
    assert drawn == {"queue": [queue], "await": await_columns, "util": ["%util"], "rate": rates}


def test_rows_of_the_table_are_iostats_columns(disk: DeviceStats) -> None:
    columns = columns_of(None)
    found = answer_rows.iostat(disk.lines, columns)
    assert len(found) == 41
    assert list(found[0]) == ["seconds", *columns]
    assert found[20] == {
        "seconds": "20-21", "rrqm/s": 0, "wrqm/s": 0, "r/s": 0, "w/s": 246.0, "rsec/s": 0, "wsec/s": 3936.0,
        "rkB/s": 0, "wkB/s": 1968.0, "avgrq-sz": 16.0, "avgqu-sz": 1.0, "await": 4.07, "svctm": 4.07, "%util": 100.0,
    }  # fmt: skip


def test_the_figures_know_no_streamlit() -> None:
    source = Path(device_charts.__file__).read_text("utf-8")
    assert "import streamlit" not in source
    assert "import plotly" not in source
