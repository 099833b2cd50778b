"""``db file parallel read``: reads that a session hands over at once, in both engines."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model.causes import PARALLEL, SEQUENTIAL
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult
from blocktime.model.workloads.transactions.network import closed
from blocktime.model.workloads.transactions.parts import parts_of
from blocktime.scenarios import Scenario, from_mapping
from tests.engines import by

ENGINES = ("calculate", "simulate")
AT_ONCE = {"parallel_reads": 8}
PART = {"parallel_reads": 8, "parallel_reads_percent": 60}


def of(mix: dict[str, Any], disk: dict[str, Any] | str = "nvme", **work: Any) -> Scenario:
    """Users on a device, without redo, calls and changes."""
    alone = {"gets": 40, "changed_blocks": 0, "redo_bytes": 0, "commits": False, "calls": 0}
    even = {"hot_data_percent": 50, "hot_gets_percent": 50, "hottest_gets_percent": 0, "data_bytes": "8G"}
    return from_mapping(
        {
            "disk": {"use": disk} if isinstance(disk, str) else disk,
            "instance": {"buffer_cache_bytes": "32M"},
            "workload": {
                "kind": "transactions",
                "mix": [{**alone, **mix}],
                "transactions": 1500,
                "users": 1,
                "think_s": 0,
                **even,
                **work,
            },
        },
        "parallel",
    )


def answered(engine: str, scenario: Scenario) -> RunResult:
    return by(engine, scenario, seed=5)


def each_s(result: RunResult, event: str) -> float:
    waited = result.time.wait[event]
    return waited.total_s / waited.waits


@pytest.mark.parametrize("engine", ENGINES)
def test_the_sum_of_reads_stays_and_fewer_waits_stand_apart(engine: str) -> None:
    before, after = answered(engine, of({})), answered(engine, of(PART))
    assert PARALLEL not in before.time.wait
    assert after.physical_io.read_requests == pytest.approx(before.physical_io.read_requests, rel=1e-3)
    assert after.physical_io.read_blocks == pytest.approx(before.physical_io.read_blocks, rel=1e-3)
    batches, singles = after.time.wait[PARALLEL].waits, after.time.wait[SEQUENTIAL].waits
    assert batches * 8 == pytest.approx(0.6 * after.physical_io.read_requests, rel=0.02)
    assert singles == pytest.approx(0.4 * after.physical_io.read_requests, rel=0.02)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("mix", [AT_ONCE, PART, {"parallel_reads": 8.9, "parallel_reads_percent": 70}])
@pytest.mark.parametrize("disk", ["nvme", "azure-p30", "sas-15k", "ssd-sata"])
def test_a_lone_session_waits_for_a_batch_as_long_in_both_engines(disk: str, mix: dict[str, Any]) -> None:
    law, played = (answered(engine, of(mix, disk)) for engine in ENGINES)
    assert each_s(law, PARALLEL) == pytest.approx(each_s(played, PARALLEL), rel=0.005)
    assert law.transactions.per_s == pytest.approx(played.transactions.per_s, rel=0.01)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("disk", ["nvme", "azure-p30", "ssd-sata"])
@pytest.mark.parametrize("think_s", [0, 0.3])
def test_many_sessions_with_several_reads_under_way_each(disk: str, think_s: float) -> None:
    law, played = (answered(engine, of(PART, disk, users=16, think_s=think_s)) for engine in ENGINES)
    assert law.time.elapsed_s == pytest.approx(played.time.elapsed_s, rel=0.05)
    assert each_s(law, PARALLEL) == pytest.approx(each_s(played, PARALLEL), rel=0.06)
    assert law.device["disk"].average_queue == pytest.approx(played.device["disk"].average_queue, rel=0.1)


def test_the_queue_at_the_device_is_longer_than_the_number_of_sessions() -> None:
    result = answered("calculate", of(AT_ONCE, "azure-p30", users=16))
    assert (result.device["disk"].average_queue or 0) > 4 * 16
    one_by_one = answered("calculate", of({}, "azure-p30", users=16))
    assert (one_by_one.device["disk"].average_queue or 0) <= 16
    assert each_s(result, PARALLEL) > 5 * each_s(one_by_one, SEQUENTIAL)


@pytest.mark.parametrize("engine", ENGINES)
def test_reads_that_are_given_as_one_by_one_change_nothing(engine: str) -> None:
    none = answered(engine, of({"parallel_reads_percent": 0, "parallel_reads": 8}))
    assert none.model_dump(exclude={"scenario"}) == answered(engine, of({})).model_dump(exclude={"scenario"})


@pytest.mark.parametrize("engine", ENGINES)
def test_a_batch_has_no_more_reads_than_its_transaction_has(engine: str) -> None:
    mix = {"gets": 4, "parallel_reads": 4}
    result = answered(engine, of(mix, data_bytes="48M"))
    reads = result.physical_io.read_requests
    waits = sum(result.time.wait[event].waits for event in (PARALLEL, SEQUENTIAL))
    assert reads / waits < 2
    assert result.time.wait[PARALLEL].waits * 4 > reads - result.time.wait[SEQUENTIAL].waits


def test_each_session_brings_several_requests_to_the_device() -> None:
    scenario = of(AT_ONCE, "azure-p30", users=16)
    *_, point = closed(parts_of(scenario.system, scenario.workload), 16)  # type: ignore[arg-type]
    (device,) = point.devices
    assert device.at_disk + device.in_slots > 4 * 16


@pytest.mark.parametrize(
    ("mix", "says"),
    [
        ({"parallel_reads": 1}, "parallel_reads 1 is not a batch"),
        ({"parallel_reads": 41}, "parallel_reads 41 is more than the 40 blocks that the transaction gets"),
        ({"parallel_reads": -2}, "parallel_reads"),
        ({"parallel_reads": 8, "parallel_reads_percent": 101}, "parallel_reads_percent"),
    ],
)
def test_what_is_no_batch_is_refused_in_one_sentence(mix: dict[str, Any], says: str) -> None:
    with pytest.raises(BlocktimeError, match=says):
        of(mix)


VARIES = {"use": "azure-p30", "overhead_s": 0.002, "service_cv": 0.6}


@pytest.mark.parametrize(("users", "think_s"), [(1, 0), (16, 0), (16, 0.3)])
def test_a_batch_waits_for_the_slowest_of_reads_that_vary_behind_a_limit(users: int, think_s: float) -> None:
    scenario = of(PART, VARIES, users=users, think_s=think_s)
    law, played = (answered(engine, scenario) for engine in ENGINES)
    assert each_s(law, PARALLEL) == pytest.approx(each_s(played, PARALLEL), rel=0.03)
    assert each_s(law, SEQUENTIAL) == pytest.approx(each_s(played, SEQUENTIAL), rel=0.03)
    assert law.transactions.per_s == pytest.approx(played.transactions.per_s, rel=0.03)
    alike = answered("calculate", of(PART, VARIES | {"service_cv": 0}, users=users, think_s=think_s))
    assert each_s(law, PARALLEL) > each_s(alike, PARALLEL) + 0.001
