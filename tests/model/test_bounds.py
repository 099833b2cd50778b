"""Bounds of throughput and response: exact queues lie within them, and so does every run of transactions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.bounds import Bounds, saturated
from blocktime.model.budget import UNLIMITED, Budget
from blocktime.model.demand.popular_blocks import by_popularity
from blocktime.model.demand.transaction_demand import CPUS
from blocktime.model.errors import OutsideLaw, OverBudget
from blocktime.model.spec import Transactions
from blocktime.model.workloads.transactions.parts import parts_of
from blocktime.model.workloads.transactions.stations import at_pace, bounds_of
from blocktime.scenarios import Scenario, from_mapping, load, run
from tests import queue_theory as queueing
from tests.engines import by
from tests.queue_theory import mmc_wait_s
from tests.random_scenarios import case
from tests.whole import quick

SECONDS = st.floats(1e-4, 1.0)


def bounds(demands: dict[str, float], least_s: float, think_s: float, is_open: bool = False) -> Bounds:
    return Bounds(demands, least_s, think_s, is_open)


@given(st.integers(1, 400), SECONDS, st.floats(0, 10), st.integers(1, 16))
def test_the_machine_repairman_stays_within_its_bounds(
    users: int, service_s: float, think_s: float, servers: int
) -> None:
    exact = queueing.machine_repair(users, think_s, service_s, servers)
    found = bounds({"disk": service_s / servers}, service_s, think_s)
    assert exact.throughput_per_s <= found.most_per_s(users) * (1 + 1e-9)
    assert exact.response_s >= found.least_response_s(users) * (1 - 1e-9)


def test_the_bounds_of_the_machine_repairman_are_reached_at_both_ends() -> None:
    found = bounds({"disk": 0.01}, 0.01, 1.0)
    assert queueing.machine_repair(1, 1.0, 0.01).throughput_per_s == pytest.approx(found.most_per_s(1))
    full = queueing.machine_repair(1000, 1.0, 0.01)
    assert full.throughput_per_s == pytest.approx(found.most_per_s(1000), rel=1e-6)
    assert full.response_s == pytest.approx(found.least_response_s(1000), rel=1e-6)
    assert found.saturation_users == pytest.approx(101)


@given(st.floats(0.001, 0.999), SECONDS)
def test_a_queue_of_arrivals_is_never_quicker_than_one_that_finds_nobody(busy: float, service_s: float) -> None:
    found = bounds({"disk": service_s}, service_s, 0.0, is_open=True)
    rate_per_s = busy / service_s
    wait_s = mmc_wait_s(rate_per_s, service_s, 1)
    assert service_s + wait_s >= found.least_response_s(rate_per_s)
    assert found.most_per_s(rate_per_s) == pytest.approx(rate_per_s)
    assert found.most_per_s(2 * found.ceiling_per_s) == found.ceiling_per_s
    assert found.saturation_users is None


@given(st.lists(SECONDS, min_size=1, max_size=4), st.integers(1, 60), st.floats(0, 5))
def test_a_network_of_queues_stays_within_its_bounds(demands_s: list[float], users: int, think_s: float) -> None:
    exact = queueing.mean_values(users, demands_s, think_s)
    demands = {str(number): demand_s for number, demand_s in enumerate(demands_s)}
    found = bounds(demands, sum(demands_s), think_s)
    assert exact.throughput_per_s <= found.most_per_s(users) * (1 + 1e-9)
    assert exact.response_s >= found.least_response_s(users) * (1 - 1e-9)


def test_demands_are_those_at_the_throughput_that_they_allow() -> None:
    demands, per_s = saturated(lambda per_s: {CPUS: 0.001 + 1e-6 * per_s, "data disk": 0.001}, 1.0)
    assert per_s * (0.001 + 1e-6 * per_s) == pytest.approx(1, rel=1e-6)
    assert demands[CPUS] == pytest.approx(1 / per_s)


@given(
    st.dictionaries(st.sampled_from([CPUS, "data disk", "redo disk", "database writer"]), SECONDS, min_size=1),
    SECONDS,
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
)
def test_a_run_is_never_beyond_its_own_bounds(demands: dict[str, float], per_s: float, busy: list[float]) -> None:
    """No ceiling is below the run's rate; what was busy all the time is the bottleneck."""
    utilisation = dict(zip([CPUS, "data disk", "redo disk", "database writer"], busy, strict=True))
    found = bounds(demands, 0.01, 1.0).of_run(per_s, utilisation)
    assert found.ceiling_per_s >= per_s * (1 - 1e-9)
    full = {name for name in demands if utilisation[name] >= 0.99}
    assert not full or found.bottleneck in full
    if found.bottleneck in full - {"redo disk"}:
        assert found.ceiling_per_s <= per_s / 0.99 * (1 + 1e-9)


def of(scenario: Scenario) -> Bounds:
    work: Any = scenario.workload
    assert isinstance(work, Transactions)
    return bounds_of(at_pace(by_popularity(scenario.system, work), work).system, work)


HOT_BLOCK = ("workload.hottest_blocks=1", "workload.users=200", "workload.think_s=0", "disk.use=nvme")


def test_consistent_reads_and_spins_of_the_load_belong_to_its_bound() -> None:
    """200 users of one block: the run does 1,577 TPS. Their CPU is not that of a single user, 9,000 TPS."""
    scenario = load("tpc-b", HOT_BLOCK)
    stats = by("simulate", scenario).transactions
    assert stats is not None
    assert stats.utilisation[CPUS] > 0.99
    assert stats.per_s_low is not None
    assert stats.per_s_low <= of(scenario).ceiling_per_s <= 1.2 * stats.per_s
    few = load("tpc-b", (*HOT_BLOCK, "workload.users=2"))
    assert of(few).ceiling_per_s > 2 * stats.per_s


@pytest.mark.parametrize(
    ("name", "settings", "event"),
    [
        ("oltp-nvme", ("workload.users=6000", "workload.think_s=0"), "run queue"),
        ("tpc-c", ("workload.users=300",), "db file sequential read"),
        ("tpc-b", ("workload.rate_per_s=40",), ""),
        ("tpc-b", HOT_BLOCK, "run queue"),
    ],
)
def test_bounds_answer_where_a_simulation_takes_too_long(name: str, settings: tuple[str, ...], event: str) -> None:
    scenario = load(name, settings)
    answer = run(scenario, budget=Budget(1e-3))
    expected, stats, work = of(scenario), answer.transactions, scenario.workload
    assert stats is not None
    assert isinstance(work, Transactions)
    users = work.rate_per_s or work.users
    assert (answer.how, answer.method) == ("bound", "bound, not simulated")
    assert stats.per_s == pytest.approx(expected.most_per_s(users))
    assert answer.time.elapsed_s == pytest.approx(expected.least_response_s(users))
    assert [warning for warning in answer.warnings if "--max-est-exec-time" in warning]
    queued_s = answer.time.elapsed_s - expected.least_s
    if event:
        waited = {at: took.total_s for at, took in answer.time.wait.items()} | answer.time.unaccounted
        assert next(took for at, took in waited.items() if event in at) >= queued_s > 0
    else:
        assert queued_s == pytest.approx(0)


def test_what_has_no_bounds_is_refused() -> None:
    with pytest.raises(OverBudget):
        run(load("batch-beside-users"), budget=Budget(1e-3))


TRANSACTIONS_OF_A_USER = 40
"""Fewer are biased by those under way at the begin and at the end."""
SLACK = 1.01


@pytest.mark.parametrize("number", range(quick(12, 100)))
def test_no_run_of_any_transactions_beats_its_bounds(number: int) -> None:
    """Within the run's interval, where the hits are those of the law and the device keeps up with what DBWR writes."""
    asked = case(f"transactions/{number}")
    of_work = asked["workload"]
    least = max(2_000, TRANSACTIONS_OF_A_USER * of_work.get("users", 1))
    of_work["transactions"] = max(of_work.get("transactions", 0), least)
    scenario = from_mapping(asked)
    expected, work = of(scenario), scenario.workload
    assert isinstance(work, Transactions)
    try:
        answer = run(scenario)
    except OutsideLaw:  # more arrive than a resource can do, so there is no run
        return
    stats, system = answer.transactions, scenario.system
    assert stats is not None
    blocks = parts_of(by_popularity(system, work), work, per_s=stats.per_s).device_reads.blocks
    if stats.unwritten_blocks or system.disk.write_cache_bytes or answer.physical_io.read_blocks < 0.95 * blocks:
        return
    load = work.rate_per_s or work.users
    low_per_s, interval = stats.per_s_low or stats.per_s, stats.response_interval
    high_s = stats.response_s if interval is None else interval.high_s
    assert low_per_s <= SLACK * expected.most_per_s(load)
    assert high_s * SLACK >= expected.least_response_s(load)


def test_sorted_requests_stay_within_the_bounds_of_a_full_disk() -> None:
    """400 users of TPC-C: requests of a full queue are sorted, and DBWR writes only what leaves the cache."""
    scenario = load("tpc-c", ["workload.users=400", "workload.transactions=20000"])
    stats = run(scenario).transactions
    assert stats is not None
    assert stats.per_s > 66.5
    assert stats.per_s <= of(scenario).ceiling_per_s <= 1.3 * stats.per_s


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("workload.mix.0.gets=1000000",), "the limit is 500,000,000 gets; ask for fewer transactions"),
        (("workload.users=1", "workload.think_s=86000", "workload.transactions=100"), "ask for fewer"),
    ],
)
def test_what_is_more_than_any_simulation_may_do_has_bounds_too(settings: tuple[str, ...], words: str) -> None:
    answer = run(load("tpc-b", settings), budget=UNLIMITED)
    assert answer.how == "bound"
    assert [warning for warning in answer.warnings if words in warning and "--max-est" not in warning]
