"""Transactions whose blocks are popular by classes, by Zipf's law, or as a miss curve says."""

from typing import Any

import pytest

from blocktime.model import OutsideLaw, simulate
from blocktime.model.demand.transaction_demand import curve_classes, room_of_cache, touch_rules
from blocktime.model.errors import BlocktimeError
from blocktime.model.laws import touch_count
from blocktime.model.workloads.transactions.bound_answer import bound_answer
from blocktime.scenarios import from_mapping

SMALL = {"disk": {"use": "nvme"}, "instance": {"buffer_cache_bytes": "32M"}, "host": {"memory_bytes": "4G"}}
WORK = {"kind": "transactions", "users": 8, "think_s": 0.01, "data_bytes": "128M", "transactions": 6000}
POPULARITY: dict[str, dict[str, Any]] = {
    "hot blocks": {},
    "four classes": {
        "popularity": [
            {"blocks_percent": 2, "gets_percent": 40},
            {"blocks_percent": 8, "gets_percent": 30},
            {"blocks_percent": 30, "gets_percent": 20},
            {"blocks_percent": 60, "gets_percent": 10},
        ]
    },
    "zipf": {"zipf_exponent": 0.9},
    "curve": {
        "miss_curve": [
            {"cache_bytes": "4M", "miss_percent": 60},
            {"cache_bytes": "16M", "miss_percent": 35},
            {"cache_bytes": "64M", "miss_percent": 10},
        ]
    },
}


def asked(cache: str = "32M", **work: Any) -> tuple[Any, Any]:
    scenario = from_mapping(
        SMALL | {"instance": {"buffer_cache_bytes": cache, "replacement": {"touch_time_s": 0}}, "workload": WORK | work}
    )
    return scenario.system, scenario.workload


def hit(result: Any) -> float:
    return float(result.cache.hit_fraction)


def law_hit(system: Any, work: Any) -> float:
    """Share of all gets that the law of touch counts finds in memory."""
    return float(bound_answer(system, work, name="").cache.hit_fraction)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", POPULARITY)
@pytest.mark.parametrize("cache", ["8M", "32M"])
def test_the_law_and_the_simulation_hit_alike(name: str, cache: str) -> None:
    system, work = asked(cache, **POPULARITY[name])
    assert law_hit(system, work) == pytest.approx(hit(simulate(system, work)), abs=0.015)


def test_hot_and_other_blocks_are_two_classes() -> None:
    two = [{"blocks_percent": 20, "gets_percent": 80}, {"blocks_percent": 80, "gets_percent": 20}]
    classes, hot = simulate(*asked(popularity=two)), simulate(*asked())
    assert hit(classes) == pytest.approx(hit(hot), abs=0.001)


@pytest.mark.parametrize("name", POPULARITY)
def test_a_larger_cache_never_misses_more(name: str) -> None:
    found = [law_hit(*asked(cache, **POPULARITY[name])) for cache in ("4M", "8M", "16M", "32M", "64M")]
    assert found == sorted(found)


def test_a_curve_is_met_where_it_was_measured() -> None:
    """By touch counts, the policy that is played; the hottest blocks, which never miss, are left out here."""
    for cache, missed in (("4M", 0.60), ("16M", 0.35), ("64M", 0.10)):
        found = law_hit(*asked(cache, hottest_gets_percent=0, **POPULARITY["curve"]))
        assert 1 - found == pytest.approx(missed, rel=0.05)


@pytest.mark.parametrize(
    ("work", "sentence"),
    [
        ({"zipf_exponent": 3}, "zipf_exponent"),
        ({"zipf_exponent": 1, **POPULARITY["curve"]}, "both say how popular blocks are"),
        ({"popularity": [{"blocks_percent": 60, "gets_percent": 60}]}, "blocks_percent sum to 60; allowed is 100"),
        (
            {"miss_curve": [{"cache_bytes": "4M", "miss_percent": 10}, {"cache_bytes": "8M", "miss_percent": 20}]},
            "a larger cache never misses more",
        ),
        ({"miss_curve": [{"cache_bytes": "4M", "miss_percent": 10}]}, "one point; give two or more"),
    ],
)
def test_what_no_popularity_is_is_refused_in_a_sentence(work: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BlocktimeError, match=sentence):
        asked(**work)


def test_a_curve_with_a_step_is_met_at_its_sizes_and_between() -> None:
    """Scans that come again spare no miss before all they read is kept: no popularity makes such a step."""
    step = (
        {"cache_bytes": "4M", "miss_percent": 60}, {"cache_bytes": "16M", "miss_percent": 35},
        {"cache_bytes": "32M", "miss_percent": 33}, {"cache_bytes": "48M", "miss_percent": 32},
        {"cache_bytes": "64M", "miss_percent": 10},
    )  # fmt: skip
    for cache, missed in (("16M", 0.35), ("32M", 0.33), ("40M", 0.33), ("48M", 0.32), ("64M", 0.10)):
        system, work = asked(cache, hottest_gets_percent=0, miss_curve=step)
        blocks, shares = zip(*curve_classes(system, work), strict=True)
        popular = [share / count for count, share in zip(blocks, shares, strict=True)]
        room = room_of_cache(system) - work.hottest_blocks
        found = 1 - touch_count.hit_fraction(room, popular, blocks, touch_rules(system))
        assert found == pytest.approx(missed, rel=0.03 if cache == "40M" else 1e-3), cache


def test_a_curve_that_needs_more_data_says_how_much() -> None:
    flat = [{"cache_bytes": "4M", "miss_percent": 30}, {"cache_bytes": "64M", "miss_percent": 30}]
    with pytest.raises(OutsideLaw, match=r"miss_curve asks for .* of data"):
        simulate(*asked(miss_curve=flat))
