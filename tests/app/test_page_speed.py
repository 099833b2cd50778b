"""What it costs to move a control, as a multiple of what the emptiest page costs in the same run."""

from __future__ import annotations

from statistics import median

from tests.app.page_moves import reruns

BEYOND = 1.5
"""Bars are met by the benchmark; here they may be missed by so much, because the machine may be busy."""
FRESH, CACHED = 4.0, 2.5


def test_a_move_costs_a_few_times_what_it_costs_on_a_page_that_says_nothing() -> None:
    found = reruns(20)
    assert median(found.fresh) <= BEYOND * FRESH * median(found.empty)
    assert median(found.cached) <= BEYOND * CACHED * median(found.empty)
