"""A price list in a scenario: from the catalog, by field, refused in one sentence, and told as a difference."""

import tomllib
from typing import Any

import pytest

from blocktime.model.errors import SpecError
from blocktime.scenarios import from_mapping, load, run, to_toml
from blocktime.scenarios.pricing import with_prices, without_prices
from blocktime.scenarios.why import why

BASE = "savvinov-lio-pc"
PRICED = "savvinov-lio-priced"


@pytest.mark.parametrize(
    ("prices", "says"),
    [
        ({"core_per_hour": -0.1, "currency": "EUR"}, "prices.core_per_hour: got -0.1; allowed is at least 0"),
        ({"core_per_hour": -0.1}, "prices.core_per_hour: got -0.1; allowed is at least 0"),
        ({"licence_per_processor": 100}, "licence_per_processor 100 has no currency; set prices.currency, such as EUR"),
        ({"storage_per_gb_month": 0}, "storage_per_gb_month 0 has no currency; set prices.currency, such as EUR"),
        ({"currency": ""}, "prices.currency: got ''; allowed is text of at least 1 character"),
        ({"currency": " "}, "prices.currency: ' ' is not a currency; write it like EUR or USD"),
        ({"currency": 978}, "prices.currency: got 978; it must be text"),
        ({"currency": "EUR", "core_factor": 0}, "prices.core_factor: got 0; allowed is more than 0.001"),
        ({"currency": "EUR", "licence_years": 0}, "prices.licence_years: got 0; allowed is more than 0.01"),
        ({"currency": "EUR", "core_per_hour": "1 EUR"}, "prices.core_per_hour: '1 EUR' is not a number"),
        ({"currency": "EUR", "core_per_hours": 1}, "did you mean core_per_hour"),
        ({"currency": "EUR", "storage_bytes": "-1G"}, "prices.storage_bytes"),
        ({"use": "exampel"}, "mine.toml: prices.use: no prices named 'exampel'; did you mean example?"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, str) else "",
)
def test_bad_prices_are_refused_in_one_sentence(prices: dict[str, Any], says: str) -> None:
    with pytest.raises(SpecError) as error:
        from_mapping({"base": BASE, "prices": prices}, where="mine.toml")
    text = str(error.value)
    assert text.startswith("mine.toml: ")
    assert says in text
    assert len(text.splitlines()) == 1


def test_the_example_is_marked_as_one() -> None:
    scenario = load(PRICED)
    prices = {path: one for path, one in scenario.system.constants.items() if path.startswith("prices.")}
    assert len(prices) == 7
    assert {(one.how, one.source) for one in prices.values()} == {("assumed", "example-prices")}
    assert scenario.system.prices.currency == "USD"
    result = run(scenario)
    assert "example-prices" in result.sources
    assert any("prices are examples" in warning for warning in result.warnings)


def test_own_prices_beside_the_example_are_own() -> None:
    names = ("licence_per_processor", "licence_years", "support_percent", "core_factor", "core_per_hour",
             "storage_per_gb_month", "storage_per_iops_month")  # fmt: skip
    scenario = load(PRICED, ["prices.currency=EUR", *(f"prices.{name}=1" for name in names)])
    assert {scenario.system.constants[f"prices.{name}"].how for name in names} == {"set by the scenario"}
    assert scenario.system.prices.currency == "EUR"
    assert not any("examples" in warning for warning in run(scenario).warnings)


def test_prices_put_on_afterwards_are_the_same() -> None:
    scenario = load("index-range-scan", ["prices.use=example", "prices.storage_iops=100"])
    bare = without_prices(scenario)
    of_base = {"base", "title"}  # which tell of the prices
    plain = load("index-range-scan").model_dump_json(exclude=of_base)
    assert bare.model_dump_json(exclude=of_base) == plain
    assert with_prices(scenario, run(bare)) == run(scenario)


def test_prices_survive_a_file() -> None:
    scenario = load(BASE, ["prices.currency=EUR", "prices.core_per_hour=0.25", "prices.storage_bytes=1T"])
    again = from_mapping(tomllib.loads(to_toml(scenario)))
    assert again.system == scenario.system
    assert again.system.prices.storage_bytes == 2**40


def money(*settings: str, name: str = PRICED) -> str:
    said = why(run(load(PRICED)), run(load(name, settings)))
    found = [sentence for sentence in said if "cost" in sentence and ("USD" in sentence or "prices" in sentence)]
    assert len(found) == 1
    assert said[-1] == found[0]
    return found[0]


def test_fewer_gets_cost_less_at_the_same_rate_of_work() -> None:
    said = money("tablespace.block_size_bytes=16K")
    assert "because CPU fell from" in said
    assert "less, -31" in said
    hour = said.partition("; an hour at the same rate of work costs ")[2]
    assert "instead of 1.19" in hour
    assert "less, -31" in hour


def test_a_dearer_core_is_named() -> None:
    said = money("prices.core_per_hour=2")
    assert "because a core costs 3.14 an hour instead of 1.19" in said


def test_dearer_storage_is_named() -> None:
    assert "because storage costs" in money("prices.storage_bytes=100T")


def test_what_stays_is_as_before() -> None:
    assert money("workload.arraysize_rows=200").endswith("1.19 USD as before")


def test_costs_of_two_kinds_are_not_compared() -> None:
    assert money(name=BASE).endswith("an hour of it 1.19 USD by prices that only one of the two has")
    assert money("prices.currency=EUR") == "one costs USD, the other EUR, so the costs are not compared"


def test_without_prices_nothing_is_said_of_costs() -> None:
    base = run(load(BASE))
    assert not any("costs are" in sentence for sentence in why(base, base))
