"""What a transaction is stated to take beside what the model makes of it: CPU of SQL, waits that are not modelled."""

import pytest

from blocktime.model.causes import FROM_CLIENT, STATED
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run

ALONE = ("workload.users=1", "workload.think_s=0.05", "workload.transactions=400")


def answered(*settings: str) -> RunResult:
    return run(load("tpc-b", [*ALONE, *settings]))


def test_a_lone_user_takes_longer_by_what_is_stated() -> None:
    before = answered()
    after = answered("workload.mix.0.cpu_s=0.004", "workload.mix.0.stated_wait_s=0.003")
    assert after.time.cpu_s - before.time.cpu_s == pytest.approx(0.004, rel=1e-5)
    assert after.time.wait[STATED].total_s == pytest.approx(0.003)
    assert STATED not in before.time.wait
    assert after.time.elapsed_s - before.time.elapsed_s == pytest.approx(0.007, rel=0.06)


def test_cpu_that_is_stated_ends_throughput_where_the_processors_are_busy() -> None:
    crowd = ("workload.users=40", "workload.think_s=0", "host.cpus=2", "workload.mix.0.cpu_s=0.2")
    result = answered(*crowd)
    assert result.transactions.per_s == pytest.approx(2 / result.time.cpu_s, rel=0.03)
    assert 2 / result.time.cpu_s < 10


@pytest.mark.parametrize("calls", [0, 0.1])
def test_fewer_than_one_call_a_transaction(calls: float) -> None:
    waits = answered(f"workload.mix.0.calls={calls}").time.wait
    assert (waits[FROM_CLIENT].waits if calls else waits.get(FROM_CLIENT)) == (pytest.approx(calls) if calls else None)
