"""How many events transactions take where they are played one by one: what a run costs, whatever the processor."""

import pytest
import simpy

from blocktime.model import loops
from blocktime.scenarios import load, run

TRANSACTIONS = 400
MOST_EVENTS = 16
"""Of a transaction of TPC-B: two for each of its 3.5 requests, one for each of 2.6 stretches of CPU, and for its
client, its commit, the call before it and the wake-up behind it, and its pause."""


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
