"""The lessons about mechanisms: their words, their controls, and what their figures hold."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, get_args

import plotly.graph_objects as go
import plotly.io
import pytest

from blocktime.app import mechanisms
from blocktime.app.base.insides import Ready
from blocktime.app.charts.drawing import Figure
from blocktime.app.controls.control_fields import as_text, value_at
from blocktime.app.mechanisms import (
    buffer_cache,
    disk_latency,
    index_or_scan,
    logical_io,
    merging,
    migration,
    printed_points,
    queue_depth,
    space_search,
    table_growth,
)
from blocktime.app.mechanisms.lesson import Knob, Lesson, LessonAnswer, lesson_of
from blocktime.app.mechanisms.lesson_scenarios import settings_of, stream_of
from blocktime.model.engine import calculate
from blocktime.model.laws import assm, block
from blocktime.model.laws.block_layer import PAGE_BYTES
from blocktime.model.results import RunResult
from blocktime.model.units import show_number
from blocktime.model.workloads.streams.request_log import requests_of
from blocktime.scenarios import load, run
from blocktime.validation import MeasuredNumber, load_case, numbers_of
from blocktime.validation.case import Mechanism
from tests.whole import WHOLE

ROOT = Path(__file__).resolve().parents[2]
LESSONS = {name: lesson_of(name) for name in mechanisms.PAGES}
EACH = pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)


def ends(knob: Knob) -> tuple[Any, Any]:
    """The first and the last value that a control offers."""
    if knob.options:
        return knob.options[0], knob.options[-1]
    kind = type(knob.start)
    return kind(knob.low), kind(knob.high)


def as_number(value: Any) -> Any:
    """An option that is a text of digits as the number that a scenario has."""
    return int(value) if isinstance(value, str) and value.isdigit() else value


@EACH
def test_the_controls_of_a_lesson_set_fields_of_its_scenario(lesson: Lesson) -> None:
    """Each alone, at both ends, is what the scenario has then."""
    for knob in lesson.knobs:
        for value in ends(knob):
            settings = lesson.settings({knob.name: value})
            assert set(settings) <= set(knob.fields)
            changed = load(lesson.scenario, settings_of(settings))
            for path, text in settings.items():
                wanted = value / knob.per if knob.per != 1 else value
                assert value_at(changed, path) in (wanted, as_number(wanted)), (path, text)
    assert lesson.settings({}) == {}


def answers(lesson: Lesson) -> Iterator[LessonAnswer]:
    """The lesson as it begins, and with every control at both ends; at one of them where the tests are to be quick."""
    yield lesson.answer(lesson.start)
    for place, knob in enumerate(lesson.knobs):
        for value in ends(knob) if WHOLE else (ends(knob)[place % 2],):
            yield lesson.answer({**lesson.start, knob.name: value})


def figures_of(answer: LessonAnswer) -> list[Figure]:
    return [answer.picture.figure, *(curve.figure for curve in answer.curves)]


def printed(case: str, table: str, column: str, rows: str = "") -> list[MeasuredNumber]:
    """Numbers exactly as the document has them."""
    found = [one for one in numbers_of(load_case(case)) if (one.table, one.column) == (table, column)]
    return [one for one in found if re.search(rows, one.row)]


def drawn(figure: Figure, name: str = "measured") -> list[float]:
    """Heights of the points whose trace is called so, in order."""
    traces = [trace for trace in figure["data"] if name in trace.get("name", "") and trace["mode"] == "markers"]
    return sorted(chain.from_iterable(trace["y"] for trace in traces))


def line(figure: Figure, name: str) -> dict[str, Any]:
    return next(one for one in figure["data"] if one.get("name", "").startswith(name) and "lines" in one["mode"])


def now(figure: Figure) -> tuple[float, float]:
    """Where the controls stand on a curve."""
    found = next(one for one in figure["data"] if one.get("name", "").startswith(("now", "this cache")))
    return found["x"][0], found["y"][0]


# Words and controls


@EACH
def test_what_a_lesson_says_of_itself_is_true(lesson: Lesson) -> None:
    assert lesson.mechanism in get_args(Mechanism)
    known = (ROOT / "docs" / "sources.md").read_text("utf-8").replace("\n  ", " ").splitlines()
    for source in lesson.sources:
        told = next(one for one in known if one.startswith("- ") and f"`{source.key}`" in one.partition(" – ")[0])
        words = re.findall(r"\w+", f"{source.author} {source.title}".lower())
        assert set(words) <= set(re.findall(r"\w+", told.lower())), source
    for name in re.findall(r"\w+\.py", lesson.law_in):
        assert list((ROOT / "model").rglob(name)), name
    assert lesson.says.endswith(".")
    assert lesson.asks.endswith("?")


def test_pages_teach_what_is_measured() -> None:
    about = {lesson.mechanism for lesson in LESSONS.values()}
    assert about >= {"disk latency", "request merging", "buffer cache", "logical I/O", "row migration", "ASSM search"}


@EACH
def test_controls_are_few_and_explained(lesson: Lesson) -> None:
    assert 2 <= len(lesson.knobs) <= 7
    for knob in lesson.knobs:
        assert knob.help(), knob.name
        declared = knob.facts
        assert (declared is not None) == ("." in knob.name), knob.name
        if declared is not None and not knob.options and declared.low is not None and declared.high is not None:
            percent = 1 if declared.unit == "%" else 100 if knob.unit == "%" else 1
            assert percent * declared.low <= knob.low < knob.high <= percent * declared.high
        for value in knob.options or (knob.low, knob.high, knob.start):
            assert knob.parse(as_text(value)) == value
            assert knob.show(value)


@EACH
def test_an_address_that_asks_for_too_much_is_refused(lesson: Lesson) -> None:
    for knob in lesson.knobs:
        for text in ("", "nonsense", "1e999", "-1", "<script>", "nan"):
            with pytest.raises(ValueError, match=r"\d|[a-z]"):
                knob.parse(text)


@EACH
def test_every_control_at_both_ends_has_valid_figures(lesson: Lesson) -> None:
    for answer in answers(lesson):
        for chart in (answer.picture, *answer.curves):
            go.Figure(chart.figure)
            assert chart.says.endswith(".")
            assert "nan" not in chart.says
        for figure in figures_of(answer):
            heights = [trace["y"] for trace in figure["data"] if trace.get("mode") == "lines" and "y" in trace]
            assert not any(y is not None and math.isnan(y) for one in heights for y in one)
        assert all(label and value and "nan" not in value for label, value in answer.numbers)
        load(answer.scenario, [f"{path}={text}" for path, text in answer.changes.items()])


@EACH
def test_a_lesson_begins_at_its_scenario_and_says_what_differs(lesson: Lesson) -> None:
    answer = lesson.answer(lesson.start)
    own = load(answer.scenario)
    linked = load(answer.scenario, [f"{path}={text}" for path, text in answer.changes.items()])
    for knob in lesson.knobs:
        if "." in knob.name and knob.name in answer.changes:
            assert linked != own


@EACH
def test_what_a_document_prints_is_drawn_as_points_with_their_marks(lesson: Lesson) -> None:
    figures = figures_of(lesson.answer(lesson.start))
    symbols = {
        trace["marker"]["symbol"]
        for figure in figures
        for trace in figure["data"]
        if "measured" in trace.get("name", "")
    }
    assert bool(symbols) == (lesson.path != "mechanism-queue-depth"), "the documents print no depths"
    assert symbols <= set(printed_points.SYMBOLS.values())
    assert "document 00" not in json.dumps(figures, default=str)


def test_a_figure_is_handed_on_as_plotly_would_have_it() -> None:
    figure = LESSONS["migration"].answer(LESSONS["migration"].start).picture.figure
    ready = Ready(figure).to_dict()
    both = (plotly.io.to_json(one, validate=False) for one in (ready, go.Figure(figure)))
    assert json.loads(next(both)) == json.loads(next(both))
    assert "template" not in figure["layout"]


# Disk latency


def test_the_points_of_disk_latency_are_the_printed_ones() -> None:
    (chart,) = disk_latency.answer(LESSONS["disk_latency"].start).curves
    wanted = printed("magni_linux_io", "iostat", "await", "raw")
    assert drawn(chart.figure) == pytest.approx(sorted(one.printed for one in wanted))
    assert {one.unit for one in wanted} == {"ms"}


def test_the_law_of_disk_latency_is_what_the_scenario_answers() -> None:
    start = LESSONS["disk_latency"].start
    (chart,) = disk_latency.answer(start).curves
    result = run(load(disk_latency.LESSON.scenario))
    (device,) = result.device.values()
    at, height = now(chart.figure)
    assert at == start[disk_latency.SIZE]
    assert height == pytest.approx(1000 * device.service_s, rel=1e-4)
    mine = line(chart.figure, "this disk")
    assert mine["y"][mine["x"].index(at)] == pytest.approx(height)


def test_the_parts_of_a_call_sum_to_what_the_drive_took() -> None:
    for values in (
        {},
        {disk_latency.PATTERN: "random"},
        {disk_latency.DISK: "nvme"},
        {disk_latency.CALLS: "read_stream"},
    ):
        scenario = disk_latency.scenario_of({**LESSONS["disk_latency"].start, **values})
        calls = disk_latency.calls_of(scenario, 5)
        gap = disk_latency.gap_s(scenario)
        for call, after in pairwise(calls):
            assert after.at_s == pytest.approx(call.at_s + call.service_s + gap)
            assert min(call[1:]) >= 0
    law = disk_latency.law_s(disk_latency.scenario_of(LESSONS["disk_latency"].start), 8192.0)
    lost = disk_latency.calls_of(disk_latency.scenario_of(LESSONS["disk_latency"].start), 40)
    assert sum(call.service_s for call in lost[1:]) / 39 == pytest.approx(float(law), rel=0.01)


def test_a_pause_of_less_than_a_turn_costs_a_lone_writer_nothing() -> None:
    def period_s(pause_ms: float) -> float:
        scenario = disk_latency.scenario_of({**LESSONS["disk_latency"].start, disk_latency.PAUSE: pause_ms})
        return float(disk_latency.law_s(scenario, 8192.0)) + disk_latency.gap_s(scenario)

    assert period_s(3.0) == pytest.approx(period_s(0.0))
    assert period_s(5.0) == pytest.approx(period_s(0.0) + load(disk_latency.LESSON.scenario).system.disk.rotation_s)


# Queue depth


def test_curves_of_depth_are_what_the_scenario_answers() -> None:
    lesson = LESSONS["queue_depth"]
    rates, times = lesson.answer(lesson.start).curves
    for disk, name in (("sata-7k2-ncq", "this drive"), ("nvme", "NVMe flash")):
        scenario = load(queue_depth.LESSON.scenario, [f"disk.use={disk}", "workload.in_flight=8"])
        stream = run(scenario).streams[0]
        at = queue_depth.DEPTHS.index(8)
        assert line(rates.figure, name)["y"][at] == stream.calls_per_s
        assert line(times.figure, name)["y"][at] == 1000 * stream.response_s
    assert now(rates.figure)[1] == line(rates.figure, "this drive")["y"][queue_depth.DEPTHS.index(32)]


def test_reads_overtake_each_other_where_the_drive_reorders_alone() -> None:
    start = LESSONS["queue_depth"].start
    assert sum(queue_depth.overtook(queue_depth.reads_of(start))) > 10
    for values in ({queue_depth.DEPTH: 1}, {queue_depth.DISK: "sata-7k2"}):
        assert not any(queue_depth.overtook(queue_depth.reads_of({**start, **values})))


# Request merging


def test_the_requests_drawn_are_those_that_the_device_counts() -> None:
    values = LESSONS["merging"].start
    scenario = merging.scenario_of(values)
    served = requests_of(scenario.system, stream_of(scenario))
    sizes = [one.size_bytes for one in served]
    (device,) = run(scenario).device.values()
    assert {size: float(sizes.count(size)) for size in sizes} == device.request_bytes
    assert sum(sizes) == 100 * 4096
    assert [one.done_s for one in served] == sorted(one.done_s for one in served)
    assert [size // PAGE_BYTES for size in sizes] == [12, 31, 31, 1, 25]
    requests = next(one for one in merging.answer(values).picture.figure["data"] if one["y"][0] == "requests")
    assert requests["text"] == ["12", "31", "31", "1", "25"]
    assert requests["base"] == pytest.approx([0, 12, 43, 74, 75])


def test_a_raw_device_and_a_larger_limit_do_what_the_words_say() -> None:
    start = LESSONS["merging"].start
    raw = dict(merging.answer({**start, merging.PATH: "raw", merging.SIZE: 8192}).numbers)
    assert raw == {"Requests": "100", "Mean size": "8K"}
    wide = dict(merging.answer({**start, merging.LARGEST: 1024**2}).numbers)
    assert wide["Requests"] == "2"


def test_the_points_of_merging_are_the_printed_ones() -> None:
    sizes, calls = merging.answer(LESSONS["merging"].start).curves
    wanted = printed("magni_linux_io", "iostat", "avgrq-sz")
    assert drawn(sizes.figure) == pytest.approx(sorted(one.printed * 512 / 1024 for one in wanted))
    times = printed("magni_linux_io", "pwrite times", "real")
    assert drawn(calls.figure) == pytest.approx(sorted(one.printed for one in times))
    law = line(sizes.figure, "law")
    at = law["x"].index(100)
    assert law["y"][at] == pytest.approx(400 / -(-100 // 31))


# Index or full scan


def both_at(values: dict[str, Any], order: str, share: float) -> tuple[RunResult, RunResult]:
    """The range scan and the full scan where *share* of the rows is asked for."""
    there = {**values, index_or_scan.CLUSTERING: order, index_or_scan.SHARE: share}
    return index_or_scan.result_of(there, "range"), index_or_scan.result_of(there, "full")


def times_cross(**changed: Any) -> dict[str, float]:
    values = {**LESSONS["index_or_scan"].start, **changed}
    full = index_or_scan.result_of(values, "full")
    return index_or_scan.crossings(values, "elapsed_s", full.time.elapsed_s)


# On a turning disk reads in order jitter by 2 %: the heads' place decides how long the next one waits.
@pytest.mark.parametrize(("disk", "jitter"), [("nvme", 0.01), ("ssd-sata", 0.01), ("sata-7k2", 0.03)])
def test_both_ways_take_equally_long_where_they_are_said_to_cross(disk: str, jitter: float) -> None:
    values = {**LESSONS["index_or_scan"].start, index_or_scan.DISK: disk}
    for order, share in times_cross(**{index_or_scan.DISK: disk}).items():
        by_index, full = both_at(values, order, share)
        assert by_index.time.elapsed_s == pytest.approx(
            full.time.elapsed_s, rel=0.01 if order == "scattered" else jitter
        )


def test_both_ways_cost_the_same_where_the_optimizer_changes_over() -> None:
    values = LESSONS["index_or_scan"].start
    full = index_or_scan.result_of(values, "full")
    assert full.optimizer is not None
    for order, share in index_or_scan.crossings(values, "optimizer_cost", full.optimizer.cost).items():
        by_index, _ = both_at(values, order, share)
        assert by_index.optimizer is not None
        assert by_index.optimizer.cost == pytest.approx(full.optimizer.cost, rel=0.01)


def test_scattered_rows_cross_at_fewer_and_long_rows_and_flash_at_more() -> None:
    start, long, flash = (times_cross(**one) for one in ({}, {index_or_scan.ROW: 400}, {index_or_scan.DISK: "nvme"}))
    assert start["scattered"] < start["clustered"] / 10
    for order in index_or_scan.LOOKS:
        assert start[order] < long[order]
        assert start[order] < flash[order]
    # what the lesson asks for
    assert start["clustered"] == pytest.approx(0.028, rel=0.03)
    assert flash["clustered"] == pytest.approx(0.0547, rel=0.03)


def test_long_rows_on_flash_cross_at_fewer_clustered_rows() -> None:
    """A full scan of short rows waits for its CPU there, one of long rows for the drive."""
    short, long = (times_cross(**{index_or_scan.DISK: "nvme", index_or_scan.ROW: row}) for row in (111, 1600))
    assert long["clustered"] < short["clustered"]
    assert long["scattered"] > short["scattered"]


def test_where_nothing_crosses_the_words_say_so() -> None:
    values = {**LESSONS["index_or_scan"].start, index_or_scan.CACHED: 100}
    assert times_cross(**{index_or_scan.CACHED: 100})["clustered"] == math.inf
    found = index_or_scan.answer(values)
    assert "quicker never for clustered rows and from" in found.curves[0].says
    assert dict(found.numbers)["Full scan is quicker from"] == "never"
    by_index, full = both_at(values, "clustered", 1.0)
    assert by_index.time.elapsed_s < full.time.elapsed_s
    assert index_or_scan.crossing(index_or_scan.SHARES + 1, 1.0) == 0
    assert index_or_scan.share_text(0.0) == "any share"
    assert [index_or_scan.percent(share) for share in (0.000158, 0.0283, 0.999, 1)] == [
        "0.016 %", "2.8 %", "100 %", "100 %",
    ]  # fmt: skip


def test_the_optimizer_is_wrong_between_the_two_crossings() -> None:
    values = LESSONS["index_or_scan"].start
    times, costs = index_or_scan.answer(values).curves
    (grey,) = times.figure["layout"]["shapes"]
    assert "Between 2.8 % and 23 % of the clustered rows it chooses the index, though the full" in costs.says
    for share, wrong in ((grey["x0"] / 1.1, False), (0.1, True), (grey["x1"] * 1.1, False)):
        by_index, full = both_at(values, "clustered", share)
        assert by_index.optimizer is not None
        assert full.optimizer is not None
        chooses_index = by_index.optimizer.cost < full.optimizer.cost
        assert (chooses_index != (by_index.time.elapsed_s < full.time.elapsed_s)) == wrong
    assert index_or_scan.slower_band(0.1, 0.1) is None


def test_the_cost_that_is_printed_lies_on_the_line_of_the_full_scan() -> None:
    for size, cost in ((8192, 31263), (2048, 96149)):
        values = {**LESSONS["index_or_scan"].start, index_or_scan.BLOCK: size}
        _, chart = index_or_scan.answer(values).curves
        assert drawn(chart.figure, "full scan: ") == [cost]
        assert line(chart.figure, "full scan")["y"][0] == pytest.approx(cost, rel=0.005)


def test_the_scan_counts_every_block_and_the_index_only_its_own() -> None:
    values = {**LESSONS["index_or_scan"].start, index_or_scan.CLUSTERING: "scattered"}
    by_index, full = both_at(values, "scattered", 0.01)
    assert by_index.logical_io is not None
    assert full.logical_io is not None
    bars = [one for one in index_or_scan.answer(values).picture.figure["data"] if one["type"] == "bar"]
    gets, reads = (
        [sum(filter(None, both)) for both in zip(*(bar["x"] for bar in pair), strict=True)]
        for pair in (bars[:2], bars[2:])
    )
    assert gets[:2] == [by_index.logical_io.consistent_gets, full.logical_io.consistent_gets]
    assert reads[:2] == [by_index.physical_io.read_requests, full.physical_io.read_requests]


# Buffer cache


def test_the_small_cache_holds_what_was_referenced_and_the_law_is_near() -> None:
    values = {**LESSONS["buffer_cache"].start, buffer_cache.BUFFERS: 8}
    for step in (0, 1, 8, 30, 200):
        found = buffer_cache.after(values, step)
        seen = set(buffer_cache.references(values, step))
        held = [*found.cold, *found.hot]
        assert len(held) == len(set(held)) == min(8, len(seen))
        assert set(held) <= seen
        assert len(found.hot) <= 4
        assert found.hits <= step
    at, height = now(buffer_cache.answer(values).curves[0].figure)
    rooms, touched, _ = buffer_cache.ratios(50.0, 20.0, 80.0)
    law = touched[min(range(len(rooms)), key=lambda rank: abs(rooms[rank] - at))]
    assert height == pytest.approx(law, abs=6)


def test_the_points_of_the_scan_are_the_printed_medians() -> None:
    _, scan = buffer_cache.answer(LESSONS["buffer_cache"].start).curves
    wanted = printed("shallahamer_direct_reads", "median", "elapsed_s")
    assert drawn(scan.figure) == pytest.approx(sorted(one.printed for one in wanted))
    own = calculate(*((one := load("shallahamer-buffered")).system, one.workload)).time.elapsed_s
    assert line(scan.figure, "into the buffer cache")["y"][0] == pytest.approx(own)


def test_the_scan_beyond_its_points_is_marked_as_extrapolated() -> None:
    _, scan = buffer_cache.answer(LESSONS["buffer_cache"].start).curves
    (grey,) = scan.figure["layout"]["shapes"]
    assert (grey["x0"], grey["x1"]) == (0, 100)
    assert [one["text"] for one in scan.figure["layout"]["annotations"]] == ["extrapolated: measured at 0 % alone"]
    assert "beyond 0 %, on grey, the lines are the law's alone" in scan.says


# Logical I/O


def test_the_eighteen_points_are_the_printed_ones_and_the_odd_one_is_marked() -> None:
    (chart,) = logical_io.answer(LESSONS["logical_io"].start).curves
    wanted = [one for machine in "AB" for one in printed("savvinov_logical_io", "lio", machine)]
    assert len(wanted) == 18
    assert drawn(chart.figure) == pytest.approx(sorted(one.printed for one in wanted))
    for mark, belongs in (
        (printed_points.GAP, [one for one in wanted if one.known_gap]),
        (printed_points.FITS, [one for one in wanted if one.mark == "fits"]),
    ):
        assert drawn(chart.figure, mark) == pytest.approx(sorted(one.printed for one in belongs)), mark


def test_rows_have_the_bytes_that_the_case_works_out() -> None:
    for one in printed_points.printed("savvinov_logical_io", "lio", "A"):
        assert logical_io.row_bytes(float(one.row["row_length"]), int(one.row["columns"])) == one.row["row_bytes"]


@pytest.mark.parametrize("size", LESSONS["logical_io"].knob(logical_io.BLOCK).options)
@pytest.mark.parametrize("host", logical_io.MACHINES)
def test_the_sentence_about_rows_and_columns_follows_the_controls(host: str, size: int) -> None:
    values = {**LESSONS["logical_io"].start, logical_io.HOST: host, logical_io.BLOCK: size}
    rows, cost = logical_io.law(logical_io.MACHINES[host][0], 1, size)
    (curve,) = logical_io.answer(values).curves
    times = f"a get of {rows[-1]:,.0f} rows costs {show_number(cost[-1] / cost[0], 2)} times as much"
    assert times in curve.says
    assert cost[-1] > cost[0]


@pytest.mark.parametrize("host", logical_io.MACHINES)
def test_the_parts_of_a_get_sum_to_it_and_lie_on_the_law(host: str) -> None:
    for length, columns in ((25, 1), (50, 25), (250, 5), (2500, 25)):
        values = {
            **LESSONS["logical_io"].start,
            logical_io.HOST: host,
            logical_io.LENGTH: length,
            logical_io.COLUMNS: columns,
        }
        scenario = logical_io.scenario_of(values)
        rows, cost = logical_io.rows_and_cost(values)
        parts = logical_io.parts_of(scenario, rows)
        assert min(parts.values()) >= 0
        assert sum(parts.values()) == pytest.approx(cost, rel=0.01)  # the last block is not full
    start = {**LESSONS["logical_io"].start, logical_io.HOST: host}
    at, height = now(logical_io.curve(start).figure)
    rows_of_law, cost_of_law = logical_io.law(logical_io.MACHINES[host][0], 1, 8192)
    near = min(range(len(rows_of_law)), key=lambda rank: abs(rows_of_law[rank] - at))
    assert height == pytest.approx(1e6 * cost_of_law[near], rel=0.1)


# Row migration and the search for space


def test_the_numbers_of_the_pages_are_those_of_what_if_and_the_lines_are_near_them() -> None:
    for size, percent in ((4096, 10), (8192, 35), (16384, 10)):
        values = {**LESSONS["space_search"].start, table_growth.BLOCK: size, table_growth.PCTFREE: percent}
        found = table_growth.played(values)
        settings = settings_of(table_growth.changes_of(values))
        played = run(load(table_growth.SCENARIO, settings))
        assert (found.segment, found.time) == (played.segment, played.time)
        line_s = table_growth.over_block_size(values)[table_growth.SIZES.index(size)]
        assert line_s == pytest.approx(found.time.elapsed_s, rel=0.05)
    numbers = dict(space_search.answer(LESSONS["space_search"].start).numbers)
    assert (numbers["Elapsed"], numbers["Rejected probes"]) == ("10 min 59 s", "49,162,147")


def test_the_picture_counts_every_block_once() -> None:
    said = space_search.picture({**LESSONS["space_search"].start, table_growth.BLOCK: 32768}).says
    assert "59 blocks: 4 full, 30 50-75% free, 25 75-100% free; 29 of them with a full ITL list. A block" in said


def test_the_points_of_migration_and_search_are_the_printed_ones() -> None:
    (blocks,) = migration.answer(LESSONS["migration"].start).curves
    wanted = printed("rahn_pctfree", "updates", "blocks_after")
    assert len(wanted) == 6
    assert drawn(blocks.figure) == sorted(one.printed for one in wanted)
    seconds, _ = space_search.answer(LESSONS["space_search"].start).curves
    times = printed("rahn_pctfree", "updates", "update_time")
    assert drawn(seconds.figure) == pytest.approx(sorted(one.printed for one in times))


def test_every_point_of_document_002_has_its_line_whatever_pctfree_is_chosen() -> None:
    for percent in (10, 20, 35):
        values = {**LESSONS["space_search"].start, table_growth.PCTFREE: percent}
        names = {one["name"] for one in space_search.seconds_curve(values).figure["data"]}
        for made in {10, 35} - {percent}:
            assert f"PCTFREE {made}, ASSM, 10.2.0.4" in names


def test_stepping_the_update_moves_rows_and_leaves_stubs() -> None:
    moved = []
    for updated in (5, 50, 100):
        values = {**LESSONS["migration"].start, table_growth.UPDATED: updated}
        found = {name: trace for trace in migration.picture(values).figure["data"] if (name := trace["name"])}
        moved.append((sum(found["migrated pieces"]["x"]), sum(found["stubs"]["x"])))
    assert moved[0] == (0, 0)
    assert 0 < moved[1][1] < moved[2][1]


def test_probes_grow_with_the_square_where_the_bug_is_and_with_the_line_where_it_is_not() -> None:
    values = LESSONS["space_search"].start
    limit = block.itl_limit(int(values[table_growth.BLOCK]))
    of_all, of_half, mended = (
        ((segment := table_growth.segment({**values, **changed})).rejected_probes or 0.0, segment.migrated_rows)
        for changed in ({}, {table_growth.ROWS: 100_000}, {table_growth.RELEASE: "11.2.0.4"})
    )
    assert of_all[0] == pytest.approx(assm.itl_rejections(of_all[1], limit), rel=0.01)
    assert of_all[0] / of_half[0] == pytest.approx((of_all[1] / of_half[1]) ** 2, rel=0.02)
    assert mended[0] == pytest.approx(assm.space_rejections(mended[1], limit), rel=0.01)
    _, chart = space_search.answer(values).curves
    at, height = now(chart.figure)
    square = line(chart.figure, "offered")
    assert (square["x"][-1], square["y"][-1]) == (pytest.approx(at), pytest.approx(height, rel=0.01))


def test_free_lists_have_no_map() -> None:
    said = space_search.picture({**LESSONS["space_search"].start, table_growth.SPACE: "manual"}).says
    assert "Free lists have no bitmap" in said


def test_a_knob_of_no_field_shows_its_unit() -> None:
    knob = Knob("step", "Steps", 1, low=0, high=3, unit="blocks", says="so many")
    assert knob.show(2) == "2 blocks"
    assert replace(knob, titles={2: "two"}).show(2) == "two"
    assert knob.facts is None
