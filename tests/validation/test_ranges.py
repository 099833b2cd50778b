"""Every constant that a case fits has a range, stated in what matters for it and in what the runs behind it have."""

import pytest

from blocktime.model import catalog
from blocktime.model.demand.operating_conditions import USED_FOR
from blocktime.validation.cases import case_names, load_case
from blocktime.validation.numbers import MeasuredNumber, numbers_of
from blocktime.validation.ranges import RANGES, conditions_behind, range_of

FITTED: dict[str, list[MeasuredNumber]] = {}
for _number in (number for case in case_names() for number in numbers_of(load_case(case))):
    for _name in _number.fits:
        if not _name.startswith("scenario/"):
            FITTED.setdefault(_name, []).append(_number)


@pytest.mark.parametrize("name", FITTED)
def test_each_fitted_constant_has_a_range(name: str) -> None:
    found = range_of(name, [conditions_behind(number) for number in FITTED[name]])
    assert set(found) == set(RANGES[name.split(": ")[1]])
    assert all(0 < low <= high for low, high in found.values())


@pytest.mark.parametrize("name", FITTED)
def test_it_is_known_what_work_each_is_for(name: str) -> None:
    place, field = name.split(": ")
    path = f"{catalog.KINDS[place.split('/')[0]]}.{field}"
    assert USED_FOR[path]


@pytest.mark.parametrize("field", RANGES)
def test_nothing_bounds_a_constant_that_no_catalog_has(field: str) -> None:
    assert any(field in entry.constants for kind in catalog.KINDS for entry in catalog.entries(kind).values())


def test_bounds_have_six_digits_and_span_the_runs() -> None:
    runs = [{"row_bytes": 64.5206123, "columns": 10.0}, {"row_bytes": 8.0}]
    assert range_of("host/x: line_miss_s", runs) == {"row_bytes": (8.0, 64.5206)}
    assert range_of("host/x: column_step_ratio", runs) == {}
