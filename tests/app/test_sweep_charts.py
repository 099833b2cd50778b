"""The figures of sweeps: what they place where, in which units, and what a click on them means."""

import json
import math
from typing import Any

import numpy as np
import pytest

from blocktime.app.charts import sweep_charts
from blocktime.app.charts.drawing import Figure, inked
from blocktime.app.text.sweep_text import Summary

USERS, BLOCK, DISK = "workload.users", "tablespace.block_size_bytes", "disk.use"
SIZES = [2048, 8192, 32768]


def summary(axes: dict[str, list[Any]], values: list[float], measure: str = "elapsed_s", **reference: float) -> Summary:
    return Summary(tuple(axes), measure, axes, np.array(values, float), reference)


def crossed() -> Summary:
    """Three block sizes by two numbers of users; the last point has no answer."""
    return summary(
        {BLOCK: [size for size in SIZES for _ in range(2)], USERS: [1, 10] * 3},
        [10.0, 20.0, 11.0, 24.0, 12.0, math.nan],
        elapsed_s=10.5,
    )


def trace(figure: Figure, kind: str, mode: str = "") -> dict[str, Any]:
    return next(one for one in figure["data"] if one["type"] == kind and one.get("mode", "") == mode)


def test_a_heat_map_has_steps_in_order_labelled_in_units_and_holes_where_no_answer_is() -> None:
    figure, finding = sweep_charts.heat(crossed(), BLOCK, USERS)
    cells = trace(figure, "heatmap")
    assert cells["z"] == [[10.0, 11.0, 12.0], [20.0, 24.0, None]]
    assert [text.strip() for text in figure["layout"]["xaxis"]["ticktext"]] == ["2K", "8K", "32K"]
    assert [text.strip() for text in figure["layout"]["yaxis"]["ticktext"]] == ["1", "10"]
    assert trace(figure, "scatter", "text")["text"] == ["10.0", "11.0", "12.0", "20.0", "24.0"]
    assert finding == (
        f"Elapsed: lowest 10.00 s at {BLOCK} 2K, {USERS} 1; highest 24.00 s at {BLOCK} 8K, {USERS} 10 "
        "(2.4 times as much)"
    )


@pytest.mark.parametrize(
    ("measure", "times", "unit"),
    [("elapsed_s", 1.0, "s"), ("elapsed_s", 1e-4, "ms"), ("cost_total", 1.0, ""), ("users", 1.0, "")],
)
def test_a_heat_map_knows_the_unit_of_its_cells(measure: str, times: float, unit: str) -> None:
    axes = {BLOCK: [2048, 8192] * 2, USERS: [1, 1, 2, 2]}
    figure, _ = sweep_charts.heat(
        summary(axes, [11.0 * times, 12.0 * times, 13.0 * times, 14.0 * times], measure), BLOCK, USERS
    )
    assert sweep_charts.unit_of_cells(figure) == unit
    assert sweep_charts.unit_of_cells(sweep_charts.lines(crossed(), USERS)[0]) == ""


def test_a_mark_of_a_heat_map_knows_the_row_of_its_point() -> None:
    figure, _ = sweep_charts.heat(crossed(), BLOCK, USERS)
    marks = trace(figure, "scatter", "markers")
    rows = dict(zip(zip(marks["x"], marks["y"], strict=True), marks["customdata"], strict=True))
    assert rows == {(0, 0): 0, (0, 1): 1, (1, 0): 2, (1, 1): 3, (2, 0): 4}


def test_fields_that_are_not_fixed_are_averaged_and_belong_to_no_row() -> None:
    three = summary(
        {BLOCK: [2048, 2048, 8192, 8192] * 2, USERS: [1, 2] * 4, DISK: ["nvme"] * 4 + ["sas-15k"] * 4},
        [1.0, 2.0, 3.0, 4.0, 11.0, 12.0, 13.0, 14.0],
    )
    mean, _ = sweep_charts.heat(three, BLOCK, USERS)
    assert trace(mean, "heatmap")["z"] == [[6.0, 8.0], [7.0, 9.0]]
    assert trace(mean, "scatter", "markers")["customdata"] == [-1] * 4
    fixed, finding = sweep_charts.heat(three, BLOCK, USERS, {DISK: "sas-15k"})
    assert trace(fixed, "heatmap")["z"] == [[11.0, 13.0], [12.0, 14.0]]
    assert trace(fixed, "scatter", "markers")["customdata"] == [4, 6, 5, 7]
    assert "lowest 11.00 s" in finding


def test_lines_of_equal_values_are_drawn_where_cells_are_too_many_for_numbers() -> None:
    def grid(count: int) -> Summary:
        steps = list(range(1, count + 1))
        return summary(
            {BLOCK: [1024 * one for one in steps for _ in steps], USERS: steps * count},
            [float(one + other) for one in steps for other in steps],
        )

    few, _ = sweep_charts.heat(grid(5), BLOCK, USERS)
    many, _ = sweep_charts.heat(grid(20), BLOCK, USERS)
    assert [one["type"] for one in few["data"]] == ["heatmap", "scatter", "scatter"]
    assert [one["type"] for one in many["data"]] == ["heatmap", "scatter"]
    assert trace(many, "heatmap")["colorbar"]["ticktext"] == ["2.00 s", "11.50 s", "21.00 s", "30.50 s", "40.00 s"]


def test_values_that_differ_much_are_coloured_by_their_ratio_and_labelled_as_they_are() -> None:
    wide = summary({BLOCK: [2048, 8192] * 2, USERS: [1, 1, 2, 2]}, [0.001, 0.1, 1.0, 10.0])
    cells = trace(sweep_charts.heat(wide, BLOCK, USERS)[0], "heatmap")
    assert cells["z"] == [[-3.0, -1.0], [0.0, 1.0]]
    assert cells["colorbar"]["ticktext"] == ["1 ms", "10 ms", "100 ms", "1.00 s", "10.00 s"]


def test_one_field_of_numbers_is_a_line_on_an_axis_by_ratio_beside_the_base() -> None:
    one = summary({BLOCK: [32768, 2048, 8192]}, [3.0, 1.0, 2.0], elapsed_s=1.5)
    figure, _ = sweep_charts.lines(one, BLOCK)
    (line,) = figure["data"]
    assert (line["x"], line["y"], line["customdata"]) == (SIZES, [1.0, 2.0, 3.0], [1, 2, 0])
    axis = figure["layout"]["xaxis"]
    assert (axis["type"], axis["tickvals"], axis["ticktext"]) == ("log", SIZES, ["2K", "8K", "32K"])
    assert figure["layout"]["shapes"][0]["y0"] == 1.5
    assert figure["layout"]["annotations"][0]["text"] == "base scenario: 1.50 s"
    assert not figure["layout"]["showlegend"]


def test_words_are_bars_from_zero_with_the_base_beside_them() -> None:
    words = summary({DISK: ["nvme", "sas-15k"]}, [100.0, 101.0], elapsed_s=100.5)
    figure, _ = sweep_charts.lines(words, DISK)
    bars, base = figure["data"]
    assert (bars["x"], bars["y"]) == (["nvme", "sas-15k"], [100.0, 101.0])
    assert (base["x"], base["y"], base.get("customdata")) == (["base scenario"], [100.5], None)
    assert figure["layout"]["yaxis"]["range"][0] == 0.0


def test_a_line_for_each_value_of_a_second_field_has_a_look_of_its_own() -> None:
    figure, _ = sweep_charts.lines(crossed(), USERS, BLOCK)
    assert [one["name"] for one in figure["data"]] == ["2K", "8K", "32K"]
    assert [one["y"] for one in figure["data"]] == [[10.0, 20.0], [11.0, 24.0], [12.0]]
    assert len({(one["line"]["dash"], one["line"]["color"], one["marker"]["symbol"]) for one in figure["data"]}) == 3
    assert figure["layout"]["showlegend"]


def test_far_apart_values_stand_on_an_axis_by_ratio_with_the_base_at_its_logarithm() -> None:
    figure, _ = sweep_charts.lines(summary({USERS: [1, 2]}, [0.01, 10.0], elapsed_s=0.1), USERS)
    assert figure["layout"]["yaxis"]["type"] == "log"
    assert figure["layout"]["yaxis"]["ticktext"][:2] == ["10 ms", "100 ms"]
    assert (figure["layout"]["shapes"][0]["y0"], figure["layout"]["annotations"][0]["y"]) == (0.1, -1.0)


@pytest.mark.parametrize(
    ("measure", "values", "texts"),
    [
        ("elapsed_s", [125.25, 125.26], ["125.250 s", "125.252 s"]),
        ("elapsed_s", [0.0, 0.004], ["0 ms", "1 ms"]),
        ("hit_fraction", [0.5, 1.0], ["0 %", "20 %"]),
        ("read_bytes", [0.0, 4096.0], ["0", "1K"]),
        ("consistent_gets", [0.0, 40_000.0], ["0", "10,000"]),
    ],
)
def test_an_axis_of_a_measure_has_round_ticks_in_one_unit(measure: str, values: list[float], texts: list[str]) -> None:
    figure, _ = sweep_charts.lines(summary({USERS: [1, 2]}, values, measure), USERS)
    assert figure["layout"]["yaxis"]["ticktext"][:2] == texts


def sampled() -> Summary:
    drawn = np.random.default_rng(1).random((200, 2))
    return summary({USERS: drawn[:, 0].tolist(), BLOCK: (1e6 * drawn[:, 1]).tolist()}, drawn.sum(1).tolist())


def test_samples_are_points_each_with_its_row() -> None:
    assert sweep_charts.is_sampled(sampled(), USERS, BLOCK)
    assert not sweep_charts.is_sampled(crossed(), USERS, BLOCK)
    figure, _ = sweep_charts.over_two(sampled(), USERS, BLOCK)
    (points,) = figure["data"]
    assert points["customdata"] == list(range(200))
    assert points["x"] == sampled().axes[USERS]


def test_samples_fall_into_stretches_all_of_which_are_counted() -> None:
    steps = sweep_charts.ladder(sampled(), USERS)
    assert steps.cut_up
    assert len(steps.labels) == sweep_charts.STRETCHES
    assert np.bincount(steps.places).sum() == 200


def test_what_moves_it_has_the_widest_on_top() -> None:
    figure, finding = sweep_charts.moves(crossed())
    (bars,) = figure["data"]
    assert bars["y"] == [USERS, BLOCK]
    assert [round(low + width, 3) for low, width in zip(bars["base"], bars["x"], strict=True)] == [22.0, 17.5]
    assert f"{USERS} from 11.00 s at 1 to 22.00 s at 10" in finding


@pytest.mark.parametrize("drives", [["nvme", "ebs-gp3"], ["azure-premium-v2", "azure-standard-hdd"]])
def test_each_line_of_a_label_has_room_on_a_phone(drives: list[str]) -> None:
    axes = {"instance.db_file_multiblock_read_count": [1, 64] * 2, "disk.use": [drives[0]] * 2 + [drives[1]] * 2}
    figure, _ = sweep_charts.moves(summary(axes, [131.5, 125.25, 66.25, 1234.5]))
    for label in figure["layout"]["annotations"]:
        lines = label["text"].replace("<b>", "").replace("</b>", "").split("<br>")
        assert max(map(len, lines)) <= sweep_charts.WIDEST, lines


def test_pairs_begin_with_what_moves_it_and_end_with_what_moves_together() -> None:
    path = "workload.path"
    together = summary(
        {BLOCK: SIZES * 2, "workload.count": [16, 4, 1] * 2, path: ["raw"] * 3 + ["sync"] * 3},
        [9.0, 5.0, 1.0, 10.0, 6.0, 2.0],
    )
    assert sweep_charts.pairs(together) == [(BLOCK, path), ("workload.count", path), (BLOCK, "workload.count")]


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_colours_grow_lighter_and_read_on_both_themes() -> None:
    light = [_luminance(shade) for shade in sweep_charts.SHADES]
    assert light == sorted(light)
    for shade in sweep_charts.SHADES:
        assert min(_contrast(shade, "#ffffff"), _contrast(shade, "#10161d")) > 2


def test_numbers_in_cells_read_on_their_colours() -> None:
    values = np.linspace(0, 1, len(sweep_charts.SHADES))
    cells = summary({USERS: list(range(5)), BLOCK: [1, 2, 1, 2, 1]}, values.tolist())
    written = trace(sweep_charts.heat(cells, USERS, BLOCK)[0], "scatter", "text")
    by_value = dict(zip(["0.00", "0.25", "0.50", "0.75", "1.00"], sweep_charts.SHADES, strict=True))
    assert sorted(written["text"]) == list(by_value)
    for text, colour in zip(written["text"], written["textfont"]["color"], strict=True):
        assert _contrast(colour, by_value[text]) > 4


def test_every_figure_is_plain_json_and_takes_the_ink() -> None:
    for figure, finding in (
        sweep_charts.heat(crossed(), BLOCK, USERS),
        sweep_charts.scattered(sampled(), USERS, BLOCK),
        sweep_charts.lines(crossed(), USERS, BLOCK),
        sweep_charts.moves(crossed()),
    ):
        json.dumps(figure, allow_nan=False)
        assert "#d5dde5" in json.dumps(inked(figure, "#d5dde5"))
        assert finding


def test_nothing_that_can_be_drawn_is_said_so() -> None:
    empty = summary({USERS: [1, 2], BLOCK: [1, 2]}, [math.nan, math.nan])
    figure, finding = sweep_charts.heat(empty, USERS, BLOCK)
    assert finding == "No point here has elapsed"
    assert trace(figure, "scatter", "markers")["x"] == []


@pytest.mark.parametrize(
    ("values", "begins", "says"),
    [
        ([125.24, 125.32, 125.7], 125.0, "elapsed (the axis does not begin at 0)"),
        ([80.0, 90.0, 100.0], 76.0, "elapsed (the axis does not begin at 0)"),
        ([10.0, 90.0, 100.0], 0.0, "elapsed"),
    ],
)
def test_an_axis_begins_at_zero_or_says_that_it_does_not(values: list[float], begins: float, says: str) -> None:
    axis = sweep_charts._axis_of_measure("elapsed_s", values)
    assert axis["title"]["text"] == says
    assert axis["range"][0] == pytest.approx(begins, abs=5) if begins else axis["range"][0] == 0
