"""Every scenario of the library opens every page by its address."""

from itertools import product

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app.session import pins
from blocktime.app.session.navigation import COMPARE, PAGES, SWEEP, WHAT_IF
from blocktime.app.session.pins import Pin
from blocktime.scenarios import library
from blocktime.scenarios.sweeps.sweep_source import library_of_sweeps
from tests.patience import LIMIT_S

pytestmark = pytest.mark.usefixtures("unanswered")


@pytest.mark.sampled(15)
@pytest.mark.parametrize("where", list(product((WHAT_IF, COMPARE, SWEEP), sorted(library()))), ids=" ".join)
def test_a_page_opens_every_scenario_by_its_address(where: tuple[str, str]) -> None:
    page, name = where
    app = AppTest.from_string(f"import {PAGES[page][1]} as shown\nshown.page()\n", default_timeout=LIMIT_S)
    query = pins.written((Pin(name),)) if page == COMPARE else {"scenario": name}
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    assert [one.value for one in app.error] == []


def test_no_sweep_bears_the_name_of_a_scenario() -> None:
    """An address and the command ``sweep`` tell the two apart by their names."""
    assert not set(library()) & set(library_of_sweeps())
