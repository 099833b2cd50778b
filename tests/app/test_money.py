"""Costs in the terminal, in JSON, in the report and on the page."""

import json
import re

import pytest
from click import unstyle
from streamlit.testing.v1 import AppTest

from blocktime.app.reports.report_html import compare_page, run_page
from blocktime.app.text.compare_text import compare_lines
from blocktime.app.text.document import run_lines
from blocktime.app.text.money_text import money_section
from blocktime.model.catalog import entries
from blocktime.model.results import RunResult
from blocktime.model.units import show_amount
from blocktime.scenarios import load, run
from tests.app import page_numbers
from tests.app.page_numbers import scan as opened
from tests.command_line import CommandLine

PRICED = "savvinov-lio-priced"


@pytest.fixture(scope="module")
def priced() -> RunResult:
    return run(load(PRICED))


def lines(result: RunResult, width: int = 80) -> list[str]:
    return [unstyle(line) for line in money_section(result).lines(width)]


def test_the_parts_stand_over_what_is_used_and_the_machine(priced: RunResult) -> None:
    found = lines(priced)
    assert found[0] == "Money"
    assert priced.money is not None
    assert found[1].split() == ["USD", "a", "month", "whole", "machine", "%"]
    assert [line[:15].strip() for line in found[2:7]] == ["machine", "cores", "memory", "storage", "licence"]
    month = priced.money.month
    assert found[2].split()[1] == show_amount(month["machine"])
    assert sum(amount for name, amount in month.items() if name != "machine") == pytest.approx(month["machine"])
    assert month["machine"] == pytest.approx(730 * priced.money.machine_per_hour)
    assert found[7].split() == ["USD", "one", "run", "%", "an", "hour"]
    names = [line[:15].strip() for line in found[8:14]]
    assert names == ["licence", "support", "infrastructure", "storage", "used", "whole machine"]
    assert sum(float(line.split()[-1]) for line in found[8:12]) == pytest.approx(100, abs=0.2)
    assert found[12].split()[-1] == "1.19"
    text = " ".join(found)
    assert "4 cores, busy or idle, with 2 processor licences" in text
    assert "a million gets cost 0.000692 USD of CPU" in text
    assert "half of the gets would save" not in text
    (an_hour,) = re.findall(r"at ([0-9.,]+) runs an hour", text)
    assert float(an_hour.replace(",", "")) == pytest.approx(3600 / priced.money.takes_s, rel=0.01)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_asked(priced: RunResult, width: int) -> None:
    assert all(len(line) <= max(width, 50) for line in lines(priced, width))


def test_a_stream_has_a_cost_and_no_gets() -> None:
    found = " ".join(lines(run(load("magni-pwrite-1", ["prices.use=example", "prices.storage_iops=100"]))))
    assert "one run" in found
    assert "gets" not in found
    assert "and 100 requests/s" in found


def test_without_prices_there_is_no_block() -> None:
    result = run(load("savvinov-lio-pc"))
    assert not lines(result)
    assert "Money" not in [unstyle(line) for line in run_lines(result)]


def test_no_prices_are_no_shares() -> None:
    found = lines(run(load("savvinov-lio-pc", ["prices.currency=EUR"])))
    assert found[1].split()[0] == "EUR"
    assert found[8].split() == ["licence", "0"]
    assert "no price of licences, cores, memory" in " ".join(found)


@pytest.mark.parametrize("name", ["aws-gp3-2021", "google-n1-2018", "oracle-a1"])
def test_a_public_price_has_its_address_and_date(name: str) -> None:
    book = entries("prices")[name]
    for constant in book.constants.values():
        assert re.search(r"https://\S+", constant.note), constant
        assert re.search(r"20\d\d|bears no date", constant.note), constant
    result = run(load("savvinov-lio-pc", [f"prices.use={name}"]))
    assert any("public ones of a past date" in warning for warning in result.warnings)
    assert result.money is not None
    assert "licences" in result.money.not_priced


def test_a_volume_is_paid_by_size_and_by_iops_and_throughput_beyond_what_is_included() -> None:
    limits = ["disk.use=ebs-gp3", "disk.iops_limit=4000", "disk.throughput_limit_bytes_per_s=250M"]
    money = run(load("savvinov-lio-pc", ["prices.use=aws-gp3-2021", "prices.storage_bytes=64G", *limits])).money
    assert money is not None
    assert money.month["storage"] == pytest.approx(64 * 0.08 + 1000 * 0.005 + 125 * 0.04)
    two = run(load("savvinov-lio-pc", ["prices.use=aws-gp3-2021", "prices.storage_bytes=64G", "disk.raid_level=0",
                                       "disk.raid_disks=2", *limits])).money  # fmt: skip
    assert two is not None
    assert two.month["storage"] == pytest.approx(64 * 0.08 + 2 * (1000 * 0.005 + 125 * 0.04))


def test_memory_is_paid_by_the_size_of_the_caches() -> None:
    sizes = [run(load("savvinov-lio-pc", ["prices.use=google-n1-2018", f"instance.buffer_cache_bytes={size}G"])).money
             for size in (8, 32)]  # fmt: skip
    small, large = (money.month["memory"] if money else 0.0 for money in sizes)
    assert (small, large) == (pytest.approx(8 * 3.106), pytest.approx(32 * 3.106))


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "0"), (123_456.7, "123,457"), (1234.5, "1,234.50"), (1, "1.00"), (0.9999, "1.00"), (0.25, "0.25"),
     (0.000123456, "0.000123"), (-0.5, "-0.5"), (3.2e-9, "0.0000000032")],
)  # fmt: skip
def test_amounts_have_no_powers_of_ten(amount: float, text: str) -> None:
    assert show_amount(amount) == text


def test_it_is_part_of_the_answer_and_of_json(priced: RunResult, blocktime: CommandLine) -> None:
    assert "Money" in [unstyle(line) for line in run_lines(priced)]
    money = json.loads(blocktime.prints("run", PRICED, "--json"))["money"]
    assert {"cpu_core_hours", "licence", "storage", "per_million_logical_io", "currency"} <= money.keys()
    assert "per_transaction" not in money


def test_list_shows_the_price_list(blocktime: CommandLine) -> None:
    shown = blocktime.prints("list", "prices", "example")
    assert "Example, not an offer" in shown
    assert "currency USD" in shown
    assert json.loads(blocktime.prints("list", "prices", "example", "--json"))[0]["currency"] == "USD"


def test_a_comparison_has_costs_side_by_side_and_the_reason(priced: RunResult) -> None:
    other = run(load(PRICED, ["tablespace.block_size_bytes=16K"]))
    found = "\n".join(unstyle(line) for line in compare_lines([priced, other], ["", ""]))
    assert "Cost of one run (USD)" in found
    assert "Cost of an hour (USD)" in found
    assert "- a run costs" in found


def test_the_reports_tell_the_cost(priced: RunResult) -> None:
    scenario = load(PRICED)
    assert "<h2>Money</h2>" in run_page(scenario, priced)
    assert "Cost of one run (USD)" in compare_page([scenario, scenario], [priced, priced], ["", ""])


def keys(app: AppTest) -> set[str]:
    found = [*app.selectbox, *app.text_input, *app.slider]
    return {one.key for one in found if one.key and one.key.startswith("prices.")}


def labels(app: AppTest) -> list[str]:
    return [tab.label for tab in app.tabs]


def test_the_page_offers_prices_once_there_is_a_currency() -> None:
    app = opened(scenario="savvinov-lio-pc")
    assert keys(app) == {"prices.use", "prices.currency"}
    assert "Money" not in labels(app)
    app.selectbox("prices.currency").set_value("EUR").run()
    assert not app.exception
    assert app.error.len == 0
    assert "prices.core_per_hour" in keys(app)
    app.text_input("prices.core_per_hour").set_value("0.4").run()
    assert not app.exception
    assert "EUR/hour" in app.text_input("prices.core_per_hour").label
    assert app.query_params["prices.core_per_hour"] == "0.4"
    assert "Money" in labels(app)
    app.select_slider("tablespace.block_size_bytes").set_value(16384).run()
    assert any("A run costs" in one.value and "EUR instead of" in one.value for one in app.markdown)


def test_the_page_takes_the_example() -> None:
    app = opened(scenario="savvinov-lio-pc", tab="Money")
    app.selectbox("prices.use").set_value("example").run()
    assert not app.exception
    assert app.text_input("prices.licence_per_processor").value == "47,500"
    assert any("Prices are examples" in one.value for one in app.markdown)


def test_its_tab_shows_both_costs_and_a_price_changes_no_time() -> None:
    app = page_numbers.opened({"scenario": PRICED}, tab="Money")
    assert not app.exception
    assert sum("whole machine" in one.value for one in app.code) == 1  # nothing has changed: one text for both
    was = next(one.value for one in app.metric if one.label == "Elapsed")
    app.text_input("prices.core_per_hour").set_value("10").run()
    assert not app.exception
    assert next(one.value for one in app.metric if one.label == "Elapsed") == was
    assert any("because a core costs 11.14 an hour instead of 1.19" in one.value for one in app.markdown)


def test_a_link_with_a_price_and_no_currency_says_what_is_missing() -> None:
    app = opened(**{"scenario": "savvinov-lio-pc", "prices.core_per_hour": "1"})
    assert any("has no currency" in one.value for one in app.error)
    assert "prices.core_per_hour" not in app.query_params
