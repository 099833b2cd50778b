"""A scenario by its sums or played, for tests that hold one to the other."""

from blocktime.model.engine import calculate, simulate
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario


def by(engine: str, scenario: Scenario, seed: int = 1) -> RunResult:
    """The sums of a scenario where *engine* is ``calculate``, else its simulation."""
    system, work, name = scenario.system, scenario.workload, scenario.name
    if engine == "calculate":
        return calculate(system, work, name=name)
    return simulate(system, work, seed=seed, name=name)
