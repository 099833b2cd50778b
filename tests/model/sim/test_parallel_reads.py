"""``db file parallel read``: reads that a session hands over at once."""

from typing import Any

import pytest

from blocktime.model.causes import PARALLEL, SEQUENTIAL
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, from_mapping, run

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


def answered(scenario: Scenario) -> RunResult:
    return run(scenario, seed=5)


def each_s(result: RunResult, event: str) -> float:
    waited = result.time.wait[event]
    return waited.total_s / waited.waits


def test_the_sum_of_reads_stays_and_fewer_waits_stand_apart() -> None:
    before, after = answered(of({})), answered(of(PART))
    assert PARALLEL not in before.time.wait
    assert after.physical_io.read_requests == pytest.approx(before.physical_io.read_requests, rel=1e-3)
    assert after.physical_io.read_blocks == pytest.approx(before.physical_io.read_blocks, rel=1e-3)
    batches, singles = after.time.wait[PARALLEL].waits, after.time.wait[SEQUENTIAL].waits
    assert batches * 8 == pytest.approx(0.6 * after.physical_io.read_requests, rel=0.02)
    assert singles == pytest.approx(0.4 * after.physical_io.read_requests, rel=0.02)


def test_the_queue_at_the_device_is_longer_than_the_number_of_sessions() -> None:
    result = answered(of(AT_ONCE, "azure-p30", users=16))
    assert (result.device["disk"].average_queue or 0) > 4 * 16
    one_by_one = answered(of({}, "azure-p30", users=16))
    assert (one_by_one.device["disk"].average_queue or 0) <= 16
    assert each_s(result, PARALLEL) > 5 * each_s(one_by_one, SEQUENTIAL)


def test_reads_that_are_given_as_one_by_one_change_nothing() -> None:
    none = answered(of({"parallel_reads_percent": 0, "parallel_reads": 8}))
    assert none.model_dump(exclude={"scenario"}) == answered(of({})).model_dump(exclude={"scenario"})


def test_a_batch_has_no_more_reads_than_its_transaction_has() -> None:
    mix = {"gets": 4, "parallel_reads": 4}
    result = answered(of(mix, data_bytes="48M"))
    reads = result.physical_io.read_requests
    waits = sum(result.time.wait[event].waits for event in (PARALLEL, SEQUENTIAL))
    assert reads / waits < 2
    assert result.time.wait[PARALLEL].waits * 4 > reads - result.time.wait[SEQUENTIAL].waits


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
    varies = answered(of(PART, VARIES, users=users, think_s=think_s))
    alike = answered(of(PART, VARIES | {"service_cv": 0}, users=users, think_s=think_s))
    assert each_s(varies, PARALLEL) > each_s(alike, PARALLEL) + 0.001
