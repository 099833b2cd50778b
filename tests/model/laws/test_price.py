"""What an hour costs follows from prices alone: linear, nothing from nothing, whole licences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.laws import price

AMOUNT = st.floats(0, 1e6)
FACTOR = st.sampled_from([0.25, 0.5, 0.75, 1.0])


def test_a_licence_of_the_public_list_by_the_hour() -> None:
    """47,500 over five years of 8,760 hours, and 22 % of it each year."""
    assert price.licence_per_hour(47_500, 5) == pytest.approx(1.084475, rel=1e-6)
    assert price.support_per_hour(47_500, 22) == pytest.approx(10_450 / 8760)


def test_storage_is_paid_by_the_month_of_a_twelfth_of_a_year() -> None:
    assert price.storage_per_hour(2**30 * 730, 0.10, 0, 0) == pytest.approx(0.10)
    assert price.storage_per_hour(0, 0, 3000, 0.005) == pytest.approx(15 / 730)


@given(AMOUNT, AMOUNT, st.floats(0, 100))
def test_costs_are_linear_in_the_price(licence: float, storage: float, times: float) -> None:
    assert price.licence_per_hour(times * licence, 5) == pytest.approx(times * price.licence_per_hour(licence, 5))
    assert price.support_per_hour(times * licence, 22) == pytest.approx(times * price.support_per_hour(licence, 22))
    assert price.storage_per_hour(1e9, times * storage, 10, times) == pytest.approx(
        times * price.storage_per_hour(1e9, storage, 10, 1)
    )


@given(st.integers(1, 4096), FACTOR)
def test_a_machine_needs_whole_licences(cores: int, factor: float) -> None:
    needed = price.licences(cores, factor)
    assert needed == int(needed)
    assert cores * factor <= needed < cores * factor + 1


def test_rounding_takes_no_licence_more() -> None:
    assert price.licences(25, 0.28) == 7  # 25 * 0.28 is 7.000000000000001


def test_arrays_are_welcome() -> None:
    cores = np.array([1.0, 3.0, 4.0])
    assert price.licences(cores, 0.5).tolist() == [1, 2, 2]
    assert price.core_hours(cores * 3600).tolist() == [1, 3, 4]
    hour = price.storage_per_hour(cores * 2**30, 0.1, 0, 0)
    assert np.allclose(hour, [price.storage_per_hour(one * 2**30, 0.1, 0, 0) for one in cores])
