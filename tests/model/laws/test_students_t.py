"""Student's t against scipy's."""

import pytest
from scipy.stats import t

from blocktime.model.laws.students_t import quantile, skewed


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 19, 38, 39, 1000])
def test_a_quantile_is_that_of_scipy(freedom: int, confidence: float) -> None:
    assert quantile(confidence, freedom) == pytest.approx(t.ppf(0.5 + confidence / 2, freedom), rel=1e-11)


@pytest.mark.parametrize("t", [-2.093, 2.093])
def test_a_mean_that_is_not_skewed_has_its_t(t: float) -> None:
    assert skewed(t, 0.0) == t
    assert skewed(t, 1e-4) == pytest.approx(t, abs=1e-3)
    assert skewed(-t, -0.3) == pytest.approx(-skewed(t, 0.3), rel=1e-12)


def test_a_skewed_t_by_hand() -> None:
    """a = 0.05: 1 + 0.3 (2 - 0.05) = 1.585, its cube root 1.16593; 1 + 0.3 (-2 - 0.05) = 0.385, 0.72748."""
    assert skewed(2.0, 0.3) == pytest.approx(1.6593, abs=1e-3)
    assert skewed(-2.0, 0.3) == pytest.approx(-2.7252, abs=1e-3)
