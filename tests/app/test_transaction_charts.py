"""Figures of transactions: what they show, and the sentence that says it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blocktime.app.charts import charts, transaction_charts
from blocktime.app.charts.drawing import inked
from blocktime.app.text import key_numbers
from blocktime.app.text.profile import wait_class
from blocktime.app.text.transaction_text import saturation
from blocktime.model.results import RunResult, TransactionStats
from blocktime.model.workloads.transactions.closed_form import calculate
from blocktime.model.workloads.transactions.curves import Load, cache_curve, doubling_load, load_curve
from blocktime.scenarios import Scenario, load

Answered = Callable[..., RunResult]


def curve(*settings: str, name: str = "tpc-c") -> tuple[Scenario, list[Load]]:
    scenario = load(name, settings)
    return scenario, load_curve(scenario.system, scenario.workload)


def response(points: list[Load], now: TransactionStats) -> tuple[charts.Figure, str]:
    return transaction_charts.response(points, now, None)


@pytest.mark.parametrize("load_of", ["users", "rate_per_s"])
def test_cards_sentence_chart_and_json_have_one_knee_whatever_load_is_asked_for(
    load_of: str, law: Answered
) -> None:
    loads = (1, 20, 200, 5_000, 15_000) if load_of == "users" else (0.1, 20, 60)
    every = set()
    for many in loads:
        result = law("tpc-c", f"workload.{load_of}={many}")
        stats = result.transactions
        assert stats
        figure, _ = transaction_charts.throughput([Load(1, 1, 1, 1), Load(300, 60, 5, 66)], stats)
        layout = figure["layout"]
        card = {
            line["Number"].partition(" :")[0]: line["Value"] for line in key_numbers.lines(result, result)
        }
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


@pytest.mark.parametrize("draw", [transaction_charts.throughput, response])
@pytest.mark.parametrize("settings", [(), ("workload.users=200",), ("workload.rate_per_s=20",)])
def test_the_present_load_lies_on_the_curve_and_the_knee_is_marked(draw, settings, law: Answered) -> None:  # type: ignore[no-untyped-def]
    stats = law("tpc-c", *settings).transactions
    assert stats
    _, points = curve(*settings)
    figure, said = draw(points, stats)
    line, *_, now = figure["data"]
    nearest = min(range(len(line["x"])), key=lambda place: abs(line["x"][place] - now["x"][0]))
    assert now["x"][0] == pytest.approx(line["x"][nearest], rel=0.05)
    assert now["y"][0] == pytest.approx(line["y"][nearest], rel=0.1)
    knee = stats.saturation_users or stats.saturation_per_s
    assert figure["layout"]["shapes"][0]["x0"] == knee
    assert ("users" if stats.saturation_users else "saturation") in figure["layout"]["annotations"][0]["text"]
    assert "now" in said
    assert figure["layout"]["xaxis"]["title"]["text"] in ("users", "arrivals a second")
    assert inked(figure, "#fff")["layout"]["xaxis"]["tickfont"]["color"] == "#fff"


def test_no_throughput_is_above_its_bound() -> None:
    _, points = curve("workload.users=25")
    assert all(one.per_s <= one.most_per_s * 1.001 for one in points)


@pytest.mark.parametrize("settings", [(), ("workload.users=200",), ("workload.rate_per_s=20",)])
def test_the_load_at_which_the_response_doubles_is_marked_and_said(settings, law: Answered) -> None:  # type: ignore[no-untyped-def]
    stats = law("tpc-c", *settings).transactions
    assert stats
    scenario, points = curve(*settings)
    twice = doubling_load(scenario.system, scenario.workload, points)
    figure, said = transaction_charts.response(points, stats, twice)
    (mark,) = [trace for trace in figure["data"] if trace["name"].startswith("2 × ")]
    twice_s = 2 * points[0].response_s
    assert mark["y"] == [pytest.approx(1000 * twice_s)]
    found = mark["x"][0]
    assert "By instant estimate, the response reaches " in said
    if stats.saturation_users is None:
        assert said.endswith(f" at {found:.3g} arrivals a second")
        return
    assert said.endswith(f"twice that of a single user, at {found:,.0f} users")
    below, above = responses(scenario, found - 1, found)
    assert below < twice_s <= above


def responses(scenario: Scenario, *loads: float) -> list[float]:
    """Seconds that the instant estimate of *scenario* gives with so many users."""
    works = [scenario.workload.model_copy(update={"users": int(users)}) for users in loads]
    return [calculate(scenario.system, work, name=scenario.name)[0].time.elapsed_s for work in works]


def test_with_thousands_of_users_the_response_doubles_at_the_very_user() -> None:
    """A line between points far apart, or a network solved less closely, is off by hundreds of users."""
    scenario, points = curve("workload.think_s=0.1", name="oltp-nvme")
    found = doubling_load(scenario.system, scenario.workload, points)
    assert found
    alone, below, above = responses(scenario, 1, found - 1, found)
    assert below < 2 * alone <= above


def test_the_number_beside_the_knee_says_that_the_system_saturates_there(law: Answered) -> None:
    (line,) = [one for one in key_numbers.lines(law(), law()) if "Users at saturation" in str(one)]
    assert "a resource saturates" in str(line)


def test_each_point_of_the_curve_is_the_answer_to_that_many_users() -> None:
    scenario, points = curve(name="oltp-nvme")
    some = points[::8]
    assert [one.response_s for one in some] == responses(scenario, *(one.users for one in some))


def test_a_response_that_never_doubles_says_up_to_where(law: Answered) -> None:
    stats = law().transactions
    assert stats
    points = curve()[1][:5]
    figure, said = response(points, stats)
    assert len(figure["data"]) == 2
    assert f"stays below {2000 * points[0].response_s:.3g} ms, twice that of a single user, up to" in said


def test_the_law_without_waits_is_not_called_a_bound_of_the_simulation(law: Answered) -> None:
    stats = law().transactions
    assert stats
    figure, said = transaction_charts.throughput(curve()[1], stats)
    assert "without waiting" in [trace["name"] for trace in figure["data"]]
    words = f"{said} {[(trace['name'], trace['hovertemplate']) for trace in figure['data']]}"
    assert "bound" not in words
    assert "at most" not in words
    assert "A simulation may lie above it" in transaction_charts.UNHINDERED_SAYS


def test_lines_differ_without_colour(law: Answered) -> None:
    stats = law().transactions
    assert stats
    figure, _ = transaction_charts.throughput(curve()[1], stats)
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
    before, after = (
        law().transactions,
        law("tpc-c", "instance.redo_disk=data", "workload.users=30").transactions,
    )
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
