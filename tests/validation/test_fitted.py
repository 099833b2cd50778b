"""The list of fitted constants: values from the catalog and the library, and which of them are nothing but a fit."""

from dataclasses import replace

import pytest

from blocktime.model import catalog
from blocktime.validation import Validation, load_case, numbers_of
from blocktime.validation.compare import Comparison
from blocktime.validation.fitted_constants import fitted_constants
from blocktime.validation.out_of_sample import LeftOut

ONE, TWO = "host/no-such: line_miss_s", "host/savvinov-pc: line_miss_s"
INPUT = "scenario/magni-imp-32k: table.rows"
NUMBER = next(one for one in numbers_of(load_case("savvinov_logical_io")) if one.mark == "fits")


def fits(name: str, row: str = "1", why: str = "", without: float | None = None) -> Comparison:
    number = replace(NUMBER, case="made_up", row=row, fits=(name,))
    return Comparison(number, number.printed, "within", "", LeftOut(without_its_row=without, why=why))


def test_a_constant_has_what_the_catalog_says_of_it() -> None:
    (found,) = fitted_constants([fits(TWO)])
    entry = catalog.entry("host", "savvinov-pc").constants["line_miss_s"]
    assert (found.value, found.unit, found.interval) == (entry.value, "s", entry.interval)
    assert (found.source, found.range) == (entry.source, entry.range)
    assert found.fitted_to == (*entry.fitted_to, "made_up:lio:1:A")


def test_an_input_of_a_scenario_is_one_too() -> None:
    (found,) = fitted_constants([fits(INPUT)])
    assert found.value > 1e6
    assert found.source == "magni-linux"
    assert "made_up:lio:1:A" in found.fitted_to


@pytest.mark.parametrize(
    ("numbers", "only"),
    [
        ([("1", "nothing else", None)], True),
        ([("1", "", None)], False),
        ([("1", "", 5.0)], False),
        ([("1", "nothing else", None), ("2", "nothing else", None)], False),
    ],
    ids=["one number", "never left out", "others determine it", "two numbers"],
)
def test_a_constant_of_one_number_is_a_fit(
    monkeypatch: pytest.MonkeyPatch, numbers: list[tuple[str, str, float | None]], only: bool
) -> None:
    known = catalog.entries("host")
    pc = known["savvinov-pc"]
    bare = pc.constants["line_miss_s"].model_copy(update={"fitted_to": []})
    monkeypatch.setitem(known, "no-such", pc.model_copy(update={"constants": {**pc.constants, "line_miss_s": bare}}))
    (found,) = fitted_constants([fits(ONE, *one) for one in numbers])
    assert found.only_a_fit == only


def test_there_are_as_many_as_the_summary_says() -> None:
    numbers = [fits(TWO), fits(INPUT), fits(TWO, "2")]
    validation = Validation([], numbers)
    assert [one.name for one in validation.constants] == validation.fitted_constants == [TWO, INPUT]
    assert validation.to_json()["constants"][0]["name"] == TWO
