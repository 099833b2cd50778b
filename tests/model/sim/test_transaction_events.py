"""How many events transactions take where they are played one by one: what a run costs, whatever the processor."""

import pytest
import simpy

from blocktime.model import loops
from blocktime.model.sim.data_files import is_in_order
from blocktime.model.workloads.transactions import at_begin
from blocktime.scenarios import load, run
from tests.leaves import same_answer

TRANSACTIONS = 400
MOST_EVENTS = 15
"""Of a transaction of TPC-B: two for each of its 3.5 requests, one for each of 2.6 stretches of CPU, and for its
client, its commit and its pause."""


def test_a_request_takes_two_events_and_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    played = 0
    step = simpy.Environment.step

    def counted(env: simpy.Environment) -> None:
        nonlocal played
        played += 1
        step(env)

    monkeypatch.setattr(loops, "compiled", lambda: None)
    monkeypatch.setattr(simpy.Environment, "step", counted)
    run(load("magni-tpcb-8k", [f"workload.transactions={TRANSACTIONS}"]))
    assert 5 * TRANSACTIONS < played < MOST_EVENTS * TRANSACTIONS


@pytest.mark.parametrize(
    ("settings", "in_order"),
    [
        (["disk.use=nvme"], True),
        (["disk.use=sas-15k", "host.scheduler=none"], True),
        (["disk.use=sas-15k", "host.scheduler=mq-deadline"], False),
        (["disk.use=nvme", "host.nr_requests=4"], False),
        (["disk.use=nvme", "host.nomerges=2"], False),
        (["disk.use=nvme", "host.max_request_bytes=4096"], False),
        (["disk.use=samsung-970-evo"], False),
    ],
)
def test_data_files_whose_requests_nobody_sorts(settings: list[str], in_order: bool) -> None:
    assert is_in_order(load("oltp-nvme", settings).system) == in_order


def test_a_drive_that_keeps_up_serves_as_behind_a_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = load("oltp-nvme", ["workload.transactions=400"])
    found = run(scenario)
    monkeypatch.setattr(at_begin, "is_in_order", lambda _: False)
    same_answer(found, run(scenario))
