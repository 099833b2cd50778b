"""A question that is summed has the answer that would be played: random statements of one session."""

from typing import Final

import pytest

from blocktime.model.engine import calculate, is_played, simulate
from blocktime.model.errors import BlocktimeError
from blocktime.scenarios import from_mapping
from tests.golden.answers import numbers_of
from tests.golden.test_answers import moved
from tests.random_scenarios import case
from tests.whole import quick

KINDS: Final = ("full_scan", "index_range_scan", "update", "insert", "delete", "import", "export")
FIRST: Final = 1000


@pytest.mark.parametrize("kind", KINDS)
def test_a_sum_is_what_would_be_played(kind: str) -> None:
    """Counts to the last one, times to within a billionth, of every number that both have."""
    summed = 0
    for number in range(FIRST, FIRST + quick(12, 900)):
        data = case(f"{kind}/{number}")
        data["workload"].pop("users", None)
        try:
            scenario = from_mapping(data)
            if is_played(scenario.system, scenario.workload):
                continue
            by_sum = numbers_of(calculate(scenario.system, scenario.workload))
            by_play = numbers_of(simulate(scenario.system, scenario.workload))
        except BlocktimeError:
            continue
        summed += 1
        both = by_sum.keys() & by_play.keys()
        assert not moved({path: by_sum[path] for path in both}, {path: by_play[path] for path in both}), data
    assert summed or kind in ("full_scan", "index_range_scan"), "no question was summed"
