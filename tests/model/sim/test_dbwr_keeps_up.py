"""A run ends when what it shows lasts: DBWR writes what is changed, and does not leave it for later."""

import pytest

from blocktime.scenarios import Scenario, load, run

BUSY = ["instance.buffer_cache_bytes=20M", "workload.users=60"]
"""More users on one disk than it can do, and a cache that is soon full of changed blocks."""
SAID = "DBWR does not keep up"


def unlimited(scenario: Scenario) -> Scenario:
    """As long as it has to be; the first run is precise enough."""
    work = scenario.workload.model_copy(update={"transactions": None, "precision_percent": 50.0})
    return scenario.model_copy(update={"workload": work})


def test_a_run_goes_on_until_the_changed_blocks_are_no_more() -> None:
    scenario = load("magni-tpcb-8k", BUSY)
    played = run(unlimited(scenario))
    assert played.transactions.measured + played.transactions.warm_up > 4_000
    assert not any(SAID in said for said in played.warnings)
    assert played.transactions.unwritten_blocks is None
    assert played.time.wait["free buffer waits"].total_s > 0


def test_a_run_that_is_too_short_says_so() -> None:
    scenario = load("magni-tpcb-8k", [*BUSY, "workload.transactions=3000"])
    played, whole = run(scenario), run(unlimited(scenario))
    assert any(SAID in said for said in played.warnings)
    assert (played.transactions.unwritten_blocks or 0) > 500
    assert played.transactions.per_s > 1.1 * whole.transactions.per_s, "it looks better than it is"


@pytest.mark.parametrize("name", ["magni-tpcb-8k", "magni-tpcc-8k"])
def test_the_measured_runs_keep_up(name: str) -> None:
    assert not any(SAID in said for said in run(load(name)).warnings)
