"""A constant used outside the range that fitted it is said, with how far, by all engines alike; inside it never is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.demand import demand_of
from blocktime.model.demand.operating_conditions import USED_FOR, Conditions, conditions_of, extrapolations
from blocktime.model.engine import calculate, calculate_many, simulate
from blocktime.model.measures import measures_of
from blocktime.model.provenance import Constant, Extrapolation, show_times, worst_first
from blocktime.model.results import RunResult
from blocktime.model.spec import Stream, System, Transactions
from blocktime.scenarios import load
from blocktime.validation.ranges import RANGES

QUANTITIES = sorted({quantity for quantities in RANGES.values() for quantity in quantities})
KINDS = {
    "scan": ("rahn-full-scan", ["table.rows=20000", "instance.serial_direct_read=always"]),
    "buffered scan of users": ("magni-select-200mb-4k", ["table.rows=20000", "workload.users=3"]),
    "count": ("savvinov-lio-pc", ["table.rows=20000"]),
    "range scan": ("index-range-scan", []),
    "update": ("rahn-pctfree-16k-10", ["table.rows=20000"]),
    "insert": ("assm-uncommitted-delete", []),
    "import": ("magni-imp-200mb-4k", ["instance.buffer_cache_bytes=4M"]),
    "export": ("magni-exp", ["table.rows=20000"]),
    "raw writes": ("magni-dd-raw-100", []),
    "cached writes": ("magni-dd-fs-100", []),
    "synchronous writes": ("magni-pwrite-4", []),
    "arriving reads": ("shallahamer-pread", ["workload.rate_per_s=20", "workload.count=200"]),
    "transactions": ("magni-tpcb-8k", ["workload.transactions=200"]),
}


PLAYED = ("raw writes", "cached writes", "synchronous writes", "arriving reads", "transactions")
"""Kinds that are always simulated."""


def case_of(kind: str) -> tuple[System, Any]:
    name, asked = KINDS[kind]
    scenario = load(name, asked)
    return scenario.system, scenario.workload


def parts_of(system: System, work: Any) -> list[Conditions]:
    demand = None if isinstance(work, Stream | Transactions) else demand_of(system, work)
    return conditions_of(system, work, demand)


def ranged(system: System, ranges: dict[str, tuple[float, float]]) -> System:
    """*system* where every constant that a run may have no work for was fitted in *ranges*."""
    made = {path: Constant(value=1, how="fitted", source="made", range=ranges) for path in USED_FOR}
    return system.model_copy(update={"constants": made})


def beyond(used: float, low: float, high: float) -> Extrapolation:
    return Extrapolation(constant="host.logical_io_s", quantity="block_size_bytes", used=used, low=low, high=high)


# --- how far ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("used", "low", "high", "times"),
    [(32_768, 2_048, 16_384, 2.0), (512, 2_048, 16_384, 4.0), (15, 100, 100, 100 / 15), (1.5, 0, 1, 1.5)],
)
def test_how_far_is_the_factor_to_the_nearest_bound(used: float, low: float, high: float, times: float) -> None:
    assert beyond(used, low, high).times == pytest.approx(times, rel=1e-15)


def test_no_factor_says_how_far_something_is_from_nothing() -> None:
    assert beyond(0, 5, 6).times is None
    assert beyond(3, 0, 0).times is None
    assert str(beyond(0, 5, 6)) == (
        "host.logical_io_s was fitted for blocks of 5 to 6 bytes, used at blocks of 0 bytes"
    )


def test_the_sentence_says_range_use_and_factor() -> None:
    assert str(beyond(32_768, 2_048, 16_384)) == (
        "host.logical_io_s was fitted for blocks of 2K to 16K, used at blocks of 32K: 2 times beyond"
    )
    assert str(beyond(64.520611, 329, 329)).endswith(
        "fitted for blocks of 329 bytes, used at blocks of 64.5206 bytes: 5.1 times beyond"
    )


@pytest.mark.parametrize(
    ("times", "shown"),
    [(2.0, "2"), (20 / 3, "6.7"), (250.4, "250"), (1.1, "1.1"), (1.004, "1.004"), (1.00002, "1.00002")],
)
def test_a_factor_is_told_from_1(times: float, shown: str) -> None:
    assert show_times(times) == shown


def test_the_farthest_comes_first_and_what_has_no_factor_last() -> None:
    found = worst_first([beyond(0, 5, 6), beyond(7, 5, 6), beyond(60, 5, 6)])
    assert [one.used for one in found] == [60, 7, 0]


def test_a_result_keeps_it_through_json() -> None:
    system, work = case_of("count")
    result = calculate(ranged(system, {"block_size_bytes": (4096, 4096), "row_bytes": (1, 1)}), work)
    assert {one.times for one in result.extrapolated} == {2.0, system.table.row_bytes}
    again = RunResult.model_validate_json(result.model_dump_json())
    assert again.extrapolated == result.extrapolated
    dumped = result.model_dump(mode="json")["extrapolated"]
    assert all(one["times"] > 1 for one in dumped)
    assert [one["times"] for one in dumped] == sorted((one["times"] for one in dumped), reverse=True)


# --- inside and outside -----------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(kind=st.sampled_from([kind for kind in KINDS if kind not in PLAYED]), data=st.data())
def test_inside_its_range_nothing_is_ever_extrapolated(kind: str, data: st.DataObject) -> None:
    system, work = case_of(kind)
    used: dict[str, list[float]] = {}
    for part in parts_of(system, work):
        for quantity, value in part.quantities.items():
            used.setdefault(quantity, []).append(float(value))
    wider = st.floats(1, 1000)
    ranges = {
        quantity: (min(values) / data.draw(wider), max(values) * data.draw(wider))
        for quantity, values in used.items()
        if not any(np.isnan(values))
    }
    assert not calculate(ranged(system, ranges), work).extrapolated
    assert calculate_many(ranged(system, ranges), work, {"host.call_s": [1e-6, 2e-6]})[
        "extrapolated_constants"
    ].tolist() == [0, 0]


@settings(max_examples=40)
@given(kind=st.sampled_from([*KINDS]), quantity=st.sampled_from(QUANTITIES), factor=st.floats(1.001, 1e6))
def test_outside_its_range_it_is_told_exactly_how_far(kind: str, quantity: str, factor: float) -> None:
    system, work = case_of(kind)
    part = parts_of(system, work)[0]
    used = part.quantities.get(quantity)
    if used is None or np.isnan(float(used)) or not used:
        return
    made = ranged(system, {quantity: (float(used) * factor, float(used) * factor * 2)})
    demand = None if isinstance(work, Stream | Transactions) else demand_of(made, work)
    found = extrapolations(made, work, demand)
    assert {one.constant for one in found} == {path for path in USED_FOR if part.uses(path)}
    assert all(one.times == pytest.approx(factor, rel=1e-12) for one in found)


@pytest.mark.parametrize("kind", KINDS)
def test_every_run_uses_some_constants_and_not_others(kind: str) -> None:
    system, work = case_of(kind)
    used = {path for part in parts_of(system, work) for path in USED_FOR if part.uses(path)}
    assert used
    assert ("host.migrate_row_s" in used) == (kind == "update")
    assert ("host.reap_call_s" in used) == (kind == "scan")
    assert ("client.row_s" in used) == (
        kind in ("scan", "buffered scan of users", "range scan", "insert", "import", "export")
    )
    assert ("host.write_call_s" in used) == (kind.endswith("writes") or kind == "import")
    assert ("host.page_write_s" in used) == (kind in ("cached writes", "synchronous writes", "import"))
    assert ("disk.write_bandwidth_bytes_per_s" in used) == (kind in ("cached writes", "import", "transactions"))


def test_constants_of_the_disk_count_only_where_it_is_asked() -> None:
    for cached, used in ((1, False), (0, True)):
        scenario = load("rahn-full-scan", [f"table.cached_fraction={cached}"])
        part = parts_of(scenario.system, scenario.workload)[0]
        assert bool(part.uses("disk.bandwidth_bytes_per_s")) == used


def test_of_two_streams_the_one_farthest_beyond_counts() -> None:
    beside = 'workload.beside=[{kind="read_stream", block_size_bytes="64K", count=10}]'
    scenario = load("magni-dd-raw-100", [beside])
    made = ranged(scenario.system, {"request_bytes": (8192, 8192)})
    found = simulate(made, scenario.workload).extrapolated
    told = {one.constant: (one.used, one.times) for one in found}
    assert told["disk.bandwidth_bytes_per_s"] == (65_536, 8.0)


# --- the engines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", PLAYED)
def test_simulations_tell_as_much_with_and_without_the_whole_answer(kind: str) -> None:
    system, work = case_of(kind)
    made = ranged(system, dict.fromkeys(QUANTITIES, (1e-3, 2e-3)))
    told = simulate(made, work, seed=1).extrapolated
    assert told
    assert measures_of(simulate(made, work, seed=1))["extrapolated_constants"] == len(told)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in PLAYED])
def test_both_engines_and_arrays_tell_the_same(kind: str) -> None:
    system, work = case_of(kind)
    made = ranged(system, dict.fromkeys(QUANTITIES, (1e-3, 2e-3)))
    law = calculate(made, work)
    assert law.extrapolated
    assert simulate(made, work, seed=1).extrapolated == law.extrapolated
    assert measures_of(simulate(made, work, seed=1))["extrapolated_constants"] == len(law.extrapolated)
    many = calculate_many(made, work, {"disk.overhead_s": [1e-4, 2e-4]})
    without = calculate(
        made.model_copy(update={"constants": {p: c for p, c in made.constants.items() if p != "disk.overhead_s"}}), work
    )
    assert many["extrapolated_constants"].tolist() == [len(without.extrapolated)] * 2


def test_arrays_fall_on_both_sides_of_a_range() -> None:
    system, work = case_of("scan")
    made = ranged(system, {"arraysize_rows": (50, 200), "block_size_bytes": (4096, 16_384)})
    many = calculate_many(
        made,
        work,
        {
            "workload.arraysize_rows": np.array([10, 100, 1000, 100, 10]),
            "tablespace.block_size_bytes": np.array([8192, 8192, 8192, 32_768, 2048]),
        },
    )["extrapolated_constants"]
    assert many[1] == 0
    assert (many[[0, 2, 3]] > 0).all()
    assert many[4] > many[0]
