"""Figures of transactions: what they show, and the sentence that says it."""

from collections.abc import Callable

import pytest

from blocktime.app.answer import transaction_view
from blocktime.app.charts import charts, transaction_charts
from blocktime.app.charts.drawing import inked
from blocktime.app.session.simulation_requests import ask, players
from blocktime.app.session.simulations import SimulatedAnswer
from blocktime.app.text import key_numbers
from blocktime.app.text.profile import wait_class
from blocktime.app.text.transaction_text import saturation
from blocktime.model.results import RunResult, TransactionStats
from blocktime.model.workloads.transactions.curves import (
    LoadPoint,
    cache_curve,
    doubling_load,
    load_bounds,
    loads_to_play,
)
from blocktime.scenarios import load, run

Answered = Callable[..., RunResult]


def curve(*settings: str, name: str = "tpc-c") -> list[LoadPoint]:
    scenario = load(name, settings)
    return load_bounds(scenario.system, scenario.workload)


def throughput(points: list[LoadPoint], now: TransactionStats) -> tuple[charts.Figure, str]:
    return transaction_charts.throughput(points, [], now)


def response(points: list[LoadPoint], now: TransactionStats) -> tuple[charts.Figure, str]:
    return transaction_charts.response(points, [], now)


@pytest.mark.parametrize("load_of", ["users", "rate_per_s"])
def test_cards_sentence_chart_and_json_have_one_knee_whatever_load_is_asked_for(load_of: str, law: Answered) -> None:
    loads = (1, 20, 40) if load_of == "users" else (0.1, 20, 40)  # a full disk tells of itself
    every = set()
    for many in loads:
        result = law("tpc-c", f"workload.{load_of}={many}")
        stats = result.transactions
        assert stats
        figure, _ = throughput([LoadPoint(1, 1, 1), LoadPoint(300, 60, 5)], stats)
        layout = figure["layout"]
        card = {line["Number"].partition(" :")[0]: line["Value"] for line in key_numbers.lines(result, result)}
        sentence = saturation(stats).partition("; ceiling ")[2]
        json = stats.model_dump(include={"bottleneck", "saturation_per_s", "saturation_users"})
        assert card["Maximum TPS"] == f"{stats.saturation_per_s:.3g}"
        assert f"{card['Maximum TPS']} TPS" in sentence
        if stats.saturation_users is not None:
            knee = f"{stats.saturation_users:,.0f}"
            assert card["Users at saturation"] == knee
            assert f"about {knee} users" in sentence
            assert layout["annotations"][0]["text"].strip() == f"saturation: {knee} users"
        every.add((str(json), sentence, layout["shapes"][0]["x0"]))
    assert len(every) == 1


@pytest.mark.parametrize("draw", [throughput, response])
@pytest.mark.parametrize("settings", [(), ("workload.users=200",), ("workload.rate_per_s=20",)])
def test_the_answer_lies_within_the_bounds_and_the_saturation_is_marked(draw, settings, law: Answered) -> None:  # type: ignore[no-untyped-def]
    stats = law("tpc-c", *settings).transactions
    assert stats
    figure, said = draw(curve(*settings), stats)
    line, *_, now = figure["data"]
    most = next(y for x, y in zip(line["x"], line["y"], strict=True) if x >= now["x"][0])
    least = [y for x, y in zip(line["x"], line["y"], strict=True) if x <= now["x"][0]][-1]
    assert now["y"][0] <= 1.03 * most if draw is throughput else now["y"][0] >= 0.97 * least
    knee = stats.saturation_users or stats.saturation_per_s
    assert figure["layout"]["shapes"][0]["x0"] == knee
    assert ("users" if stats.saturation_users else "saturation") in figure["layout"]["annotations"][0]["text"]
    assert "now" in said
    assert figure["layout"]["xaxis"]["title"]["text"] in ("users", "arrivals a second")
    assert inked(figure, "#fff")["layout"]["xaxis"]["tickfont"]["color"] == "#fff"


def test_simulated_points_come_in_behind_the_bounds(law: Answered) -> None:
    stats = law("tpc-c").transactions
    assert stats
    bounds, points = curve(), [LoadPoint(1, 1.0, 0.02), LoadPoint(40, 37.0, 0.03), LoadPoint(80, 60.0, 0.05)]
    for draw in (transaction_charts.throughput, transaction_charts.response):
        before, after = draw(bounds, [], stats)[0]["data"], draw(bounds, points, stats)[0]["data"]
        (added,) = [trace for trace in after if trace["name"] == "simulated"]
        assert added["x"] == [1, 40, 80]
        assert [trace["name"] for trace in before] == [trace["name"] for trace in after if trace is not added]


@pytest.mark.parametrize("settings", [(), ("workload.users=200",), ("workload.rate_per_s=20",)])
def test_runs_are_spread_over_the_loads_that_are_drawn(settings: tuple[str, ...]) -> None:
    points = curve(*settings)
    loads = loads_to_play(points)
    assert 8 <= len(loads) <= 12
    assert (loads[0], loads[-1]) == (points[0].load, points[-1].load)
    assert loads == sorted(set(loads))


def test_the_load_at_which_the_response_doubles_is_between_points() -> None:
    points = [LoadPoint(1, 1.0, 0.02), LoadPoint(40, 37.0, 0.03), LoadPoint(80, 60.0, 0.05)]
    assert doubling_load(points) == pytest.approx(60)
    assert doubling_load(points[:2]) is None
    assert doubling_load([]) is None


def test_the_response_doubles_as_simulated_or_at_the_latest_by_its_bound(law: Answered) -> None:
    stats = law("tpc-c").transactions
    assert stats
    bounds = curve()
    latest = doubling_load(bounds)
    assert latest
    by_bound = transaction_charts.doubles(bounds, [], stats)
    assert by_bound.endswith(f"twice that of a single user, at {latest:,.0f} users or fewer")
    points = [LoadPoint(1, 1.0, 0.02), LoadPoint(40, 37.0, 0.03), LoadPoint(80, 60.0, 0.05)]
    assert transaction_charts.doubles(bounds, points, stats).endswith("at about 60 users")


def test_the_number_beside_the_knee_says_that_the_system_saturates_there(law: Answered) -> None:
    (line,) = [one for one in key_numbers.lines(law(), law()) if "Users at saturation" in str(one)]
    assert "a resource saturates" in str(line)


def test_a_rate_at_which_the_response_does_not_double_is_below_the_ceiling(law: Answered) -> None:
    stats = law("tpc-c", "workload.rate_per_s=20").transactions
    assert stats
    assert "below the maximum TPS" in transaction_charts.doubles(curve("workload.rate_per_s=20"), [], stats)


def test_lines_differ_without_colour(law: Answered) -> None:
    stats = law().transactions
    assert stats
    figure, _ = transaction_charts.throughput(curve(), curve(), stats)
    dashes = [trace["line"]["dash"] for trace in figure["data"] if trace["mode"] == "lines"]
    assert len(set(dashes)) == len(dashes)


def test_hits_rise_with_the_cache_and_the_present_size_is_marked(law: Answered) -> None:
    scenario, result = load("tpc-c"), law()
    assert result.cache
    points = cache_curve(scenario.system, scenario.workload)
    size = float(scenario.system.instance.buffer_cache_bytes)
    figure, said = transaction_charts.hits(points, size, result.cache.hit_fraction)
    touched, lru, now = figure["data"]
    nearest = min(range(len(touched["x"])), key=lambda place: abs(touched["x"][place] - now["x"][0]))
    assert now["y"][0] == pytest.approx(touched["y"][nearest], abs=1)
    assert (touched["name"], lru["name"]) == ("touch count", "LRU")
    assert touched["y"] == [100 * point.hit_fraction for point in points] == sorted(touched["y"])
    assert lru["y"] == [100 * point.lru_fraction for point in points]
    assert touched["x"] == lru["x"] == [point.size_bytes / 2**20 for point in points]
    assert now["x"] == [size / 2**20]
    assert figure["layout"]["xaxis"]["title"]["text"] == "buffer cache (MB)"
    assert "which holds all data" in said


def test_bars_of_resources_stand_beside_the_baseline(law: Answered) -> None:
    before, after = (law().transactions, law("tpc-c", "instance.redo_disk=data", "workload.users=30").transactions)
    assert before
    assert after
    figure, said = transaction_charts.resources(before, after)
    assert [trace["name"] for trace in figure["data"]] == ["Baseline", "What-if"]
    assert figure["data"][0]["y"] == ["processors", "data disk", "redo disk"]
    assert figure["data"][0]["marker"]["pattern"] != figure["data"][1]["marker"]["pattern"]
    assert "Bottleneck: data disk" in said


def test_the_waterfall_is_in_milliseconds_of_one_transaction(law: Answered) -> None:
    before, after = law(), law("tpc-c", "workload.users=40")
    figure, said = charts.waterfall(before, after)
    assert figure["layout"]["xaxis"]["title"]["text"] == "ms of one transaction"
    ends = [trace["base"][0] + trace["x"][0] for trace in figure["data"]]
    assert max(ends) == pytest.approx(1000 * after.time.elapsed_s, rel=1e-6)
    assert said.startswith("The response goes from")
    alone, said = charts.waterfall(before, before)
    assert alone["layout"]["yaxis"]["categoryarray"][0] == "Response"
    assert said.startswith("One transaction takes")


@pytest.mark.parametrize(
    ("event", "kind"),
    [("latch: cache buffers chains", "Concurrency"), ("buffer busy waits", "Concurrency"),
     ("read by other session", "User I/O"), ("free buffer waits", "System I/O"), ("log file sync", "Commit")],
)  # fmt: skip
def test_waits_have_their_class(event: str, kind: str) -> None:
    assert wait_class(event) == kind


def test_runs_at_other_loads_are_drawn_as_they_end() -> None:
    scenario = load("tpc-c")
    loads = transaction_view.at_loads(scenario)
    assert [one.workload.users for _, one in loads] == [load for load, _ in loads]
    assert {one.workload.precision_percent for _, one in loads} == {5.0}
    few = loads[:2]
    for _, one in few:
        players().keep(ask(one), SimulatedAnswer(run(one).model_dump_json()))
    players().keep(ask(loads[2][1]), SimulatedAnswer(refused="it takes too long"))
    points = transaction_view.played_points(loads)
    assert [point.load for point in points] == [load for load, _ in few]
    bounds = {point.load: point for point in transaction_view.over_load(scenario)}
    for point in points:
        assert point.per_s <= 1.02 * bounds[point.load].per_s
        assert point.response_s >= 0.98 * bounds[point.load].response_s


def test_loads_whose_runs_take_long_have_bounds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction_view, "LONGEST_S", 0.0)
    assert transaction_view.at_loads(load("tpc-c", ["workload.users=11"])) == []
