"""Rules of the touch count by chance."""

from __future__ import annotations

from hypothesis import strategies as st

from model.laws.buffer_cache import TouchRules


def rules_of(first_count: int) -> st.SearchStrategy[TouchRules]:
    """Any rules under which a block begins with at most so many touches."""
    return st.builds(
        TouchRules,
        percent_hot=st.sampled_from([0.0, 10.0, 50.0, 90.0, 100.0]),
        touch_time_s=st.sampled_from([0.0, 1.0, 3.0]),
        hot_criteria=st.integers(2, 4),
        more_than=st.booleans(),
        stay_count=st.integers(0, 1),
        cool_count=st.integers(0, 1),
        first_count=st.integers(0, first_count),
    )


all_rules = rules_of(first_count=3)
