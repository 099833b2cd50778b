"""The closed form of streams against the simulation, over a random sample of legal streams on the catalog's disks."""

from __future__ import annotations

from statistics import median

import pytest

from tests.whole import WHOLE, quick
from tools import residuals

STREAMS = ("read_stream", "write_stream")
FIRST = 70_000
"""Number of the first case: neither those of the table nor those of the other tests."""
NUMBER = quick(30, 500)
"""Cases of each kind."""
MEDIAN = 0.03
WITHIN = quick(0.8, 0.88)
"""Share within 15 %: 89 % of the thousand are."""
FARTHEST = quick(1.0, 0.55)
"""Distance of 95 % of them: 0.49 of the thousand."""


@pytest.fixture(scope="module")
def sample() -> list[residuals.CaseComparison]:
    names = [f"{kind}/{FIRST + number}" for number in range(NUMBER) for kind in STREAMS]
    return [pair for name in names if (one := residuals.play(name)) and (pair := residuals.compare(one))]


def test_half_of_the_streams_are_as_simulated(sample: list[residuals.CaseComparison]) -> None:
    assert len(sample) >= 0.8 * 2 * NUMBER, "too many random streams are refused"
    assert median(one.distance for one in sample) <= MEDIAN


def test_most_streams_are_near_their_simulation(sample: list[residuals.CaseComparison]) -> None:
    near = [one for one in sample if one.distance <= residuals.OFF]
    assert len(near) >= WITHIN * len(sample)
    assert sum(one.distance <= FARTHEST for one in sample) >= 0.95 * len(sample)


def test_a_stream_that_is_off_is_warned_of(sample: list[residuals.CaseComparison]) -> None:
    off = residuals.silent(sample)
    assert len(off) <= (0.01 * len(sample) if WHOLE else 1), [one.case for one in off]


def test_the_estimate_does_not_warn_of_everything(sample: list[residuals.CaseComparison]) -> None:
    assert any(not one.warned for one in sample)


def test_groups_of_streams_are_reported_once_each(sample: list[residuals.CaseComparison]) -> None:
    lines = list(residuals.group_report(sample[:20]))
    assert lines[1].startswith("all ")
    assert len({line[:34] for line in lines}) == len(lines)
