"""Student's t against scipy's."""

import pytest
from scipy.stats import t

from model.laws.students_t import quantile


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 19, 38, 39, 1000])
def test_is_that_of_scipy(freedom: int, confidence: float) -> None:
    assert quantile(confidence, freedom) == pytest.approx(t.ppf(0.5 + confidence / 2, freedom), rel=1e-11)
