"""The page that compares, without a browser: pins by address and by hand, numbers, reasons, files."""

import csv
import io
from collections.abc import Mapping
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app.answer import answer
from blocktime.app.base.markdown import plain
from blocktime.app.compare import compare_page
from blocktime.app.compare.compare_page import ComparedScenarios, command_line, csv_of
from blocktime.app.session import page_answers, pins, simulation_requests
from blocktime.app.session.page_answers import KnownAnswer, KnownAnswers
from blocktime.app.session.pins import Pin
from blocktime.app.session.simulations import Players
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds
from blocktime.scenarios import library, load, run
from tests.answered import answered
from tests.app.page_numbers import says
from tests.patience import LIMIT_S

pytestmark = pytest.mark.usefixtures("simulated_at_once")
SCAN = "rahn-full-scan"
LARGE = f"{SCAN}&tablespace.block_size_bytes=16384"
TWO = {"base": SCAN, "b": LARGE}


def opened(query: Mapping[str, str] = TWO) -> AppTest:
    app = AppTest.from_string(
        "from blocktime.app.compare import compare_page\ncompare_page.page()", default_timeout=LIMIT_S
    )
    for key, value in query.items():
        app.query_params[key] = value
    return ran(app)


def ran(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def law(*settings: str) -> RunResult:
    return answered(SCAN, *settings)


def button(app: AppTest, label: str, place: int = 0) -> AppTest:
    [one for one in app.button if one.label == label][place].click()
    return ran(app)


def address(app: AppTest) -> dict[str, str]:
    return {key: value if isinstance(value, str) else value[-1] for key, value in app.query_params.items()}


def titles(app: AppTest) -> list[str]:
    return [pins.title_of(pin, app.session_state[pins.SESSION_KEY][0]) for pin in app.session_state[pins.SESSION_KEY]]


def laid(*asked: tuple[str, ...]) -> tuple[ComparedScenarios, pins.Pins]:
    held = tuple(
        Pin(name, tuple((path, text) for path, _, text in (one.partition("=") for one in settings)))
        for name, *settings in asked
    )
    scenarios = tuple(load(name, settings) for name, *settings in asked)
    results = tuple(run(one) for one in scenarios)
    return ComparedScenarios(tuple("ABCDE"[: len(held)]), tuple(pins.title_of(pin, held[0]) for pin in held), scenarios,
                KnownAnswers(tuple(map(KnownAnswer, results))), scenarios), held  # fmt: skip


def test_a_link_opens_the_comparison_and_the_address_keeps_it() -> None:
    app = opened({**TWO, "c": "index-range-scan&called=by index"})
    assert address(app) == {**TWO, "c": "index-range-scan&called=by+index"}
    assert titles(app) == [library()[SCAN].title, "Block size 16K", "by index"]
    assert any(says(app, word) for word in ("Faster: ", "Slower: ", "No difference: "))


def test_the_table_has_the_results_numbers() -> None:
    table = opened().table[0].value
    large = next(name for name in table.columns if name.startswith("B · "))
    (elapsed,) = table[table["Number"] == "Elapsed"][large]
    found = law("tablespace.block_size_bytes=16K").time.elapsed_s
    assert elapsed.startswith(f"**{found:.5g} s**")
    assert "less" in elapsed
    assert "▼" in elapsed
    assert "green" in elapsed
    (blocks,) = table[table["Number"] == "Segment blocks"][large]
    segment = law("tablespace.block_size_bytes=16K").segment
    assert segment is not None
    assert blocks.startswith(f"**{segment.blocks_after:,.0f}**")


def test_only_what_differs() -> None:
    app = opened()
    before = len(app.table[0].value)
    app.toggle(compare_page.ONLY).set_value(True)
    ran(app)
    after = app.table[0].value
    assert 0 < len(after) < before
    assert not any("= same" in cell for cell in after.iloc[:, 2])


def test_pins_move_change_names_and_go() -> None:
    app = opened({**TWO, "c": "index-range-scan"})
    button(app, "Make it the baseline", 1)
    assert titles(app)[0] == "Block size 16K"
    assert app.session_state[pins.SESSION_KEY][0].changes
    assert address(app)["base"] == LARGE
    button(app, "Move up", 2)
    assert [pin.name for pin in app.session_state[pins.SESSION_KEY]] == [SCAN, "index-range-scan", SCAN]
    button(app, "Move down", 1)
    field = next(one for one in app.text_input if one.label == "Name of B")
    field.set_value("[plain](http://x) *8K*")
    ran(app)
    assert titles(app)[1] == "[plain](http://x) *8K*"
    assert any(plain("[plain](http://x) *8K*") in one.value for one in app.markdown)
    button(app, "Remove", 1)
    assert len(app.session_state[pins.SESSION_KEY]) == 2
    assert "c" not in address(app)
    button(app, "Remove all")
    assert says(app, "Nothing is pinned.")
    assert address(app) == {}


def test_the_library_adds_up_to_five(unanswered: None) -> None:
    app = opened({})
    for name in list(library())[-6:-1]:
        assert not app.selectbox(compare_page.FROM_LIBRARY).disabled
        app.selectbox(compare_page.FROM_LIBRARY).select(name)
        ran(app)
    assert [pin.name for pin in app.session_state[pins.SESSION_KEY]] == list(library())[-6:-1]
    assert app.selectbox(compare_page.FROM_LIBRARY).disabled
    assert says(app, "5 of 5")


def test_the_page_opens_with_an_example_that_the_first_own_pin_replaces() -> None:
    app = opened({})
    assert app.session_state[pins.SESSION_KEY] == pins.EXAMPLE
    assert says(app, "An example.")
    assert pins.pinned(pins.EXAMPLE, SCAN, {}) == (Pin(SCAN),)
    button(app, "Remove all")
    assert any("Nothing is pinned." in one.value for one in app.info)


def test_bad_links_are_a_sentence_each_and_the_rest_is_compared() -> None:
    app = opened(
        {
            **TWO,
            "c": "nowhere",
            "d": "s=rubbish",
            "e": f"{SCAN}&table.pctfree_percent=20&host.cpus=many&<b>=1",
            "x": "<script>",
        }
    )
    assert len(app.error) == 5
    assert says(app, "Compare 3 scenarios")
    button(app, "Remove", 2)
    assert app.error.len == 0


def test_what_has_no_answer_is_said_and_the_others_are_compared() -> None:
    app = opened({**TWO, "c": "tpc-b&workload.rate_per_s=100000"})
    assert len(app.error) == 1
    assert app.error[0].value.startswith("C has no answer: ")
    assert says(app, "Compare 2 scenarios")


def test_the_uncertainty_of_the_difference() -> None:
    app = opened({"base": "savvinov-lio-server", "b": "savvinov-lio-pc"})
    app.toggle(compare_page.UNCERTAINTY).set_value(True)
    ran(app)
    assert says(app, "Sure: B takes less time than A, by ") or says(app, "Sure: B takes more time than A, by ")
    assert says(app, "with 95 % confidence")


def test_played_answers_are_those_of_the_command_line() -> None:
    users = ["workload.users=8"]
    app = opened(
        {"base": f"{SCAN}&workload.users=8", "b": f"{SCAN}&workload.users=8&disk.use=nvme", "c": "savvinov-lio-pc"}
    )
    assert says(app, ":gray-badge[simulation (2), exact sum (1)]")
    played = [run(load(SCAN, [*users, *more])) for more in ([], ["disk.use=nvme"])]
    assert says(app, show_seconds(played[1].time.elapsed_s))
    table = app.table[0].value
    (last,) = table[table["Number"] == "Last session ends after"].iloc[:, 1]
    assert played[0].time.last_session_s is not None
    assert last == f"**{show_seconds(played[0].time.last_session_s)}**"


def test_while_answers_are_played_the_former_ones_stay_and_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened()
    nobody = Players([])
    monkeypatch.setattr(simulation_requests, "players", lambda: nobody)
    monkeypatch.setattr(page_answers, "PATIENCE_S", 0.0)
    app.session_state[pins.SESSION_KEY] = (*app.session_state[pins.SESSION_KEY], Pin(SCAN, (("workload.users", "8"),)))
    ran(app)
    assert says(app, answer.COMING)
    assert says(app, "Below, of the former values:] A: ")
    assert any(says(app, word) for word in ("Faster: ", "Slower: ", "No difference: "))
    assert says(app, "simulating 1 of 3 …")
    job = app.session_state[compare_page.WISHES.under_way]
    app.button(key="compare.cancel").click()
    ran(app)
    assert job.is_unwanted
    app.button(key="simulate").click()
    ran(app)
    assert app.session_state[compare_page.WISHES.under_way] is not job


def test_files_hold_the_same_numbers() -> None:
    found, _ = laid((SCAN,), (SCAN, "tablespace.block_size_bytes=16384"), ("index-range-scan",))
    rows = list(csv.DictReader(io.StringIO(csv_of(found))))
    assert [row["Letter"] for row in rows] == ["A", "B", "C"]
    assert [float(row["Elapsed (s)"]) for row in rows] == [one.time.elapsed_s for one in found.results]


def test_a_name_is_no_formula_to_a_spreadsheet() -> None:
    name = '=HYPERLINK("http://e.example","c")'
    found, _ = laid((SCAN,))
    (row,) = csv.DictReader(io.StringIO(csv_of(replace(found, titles=(name,)))))
    assert row["Scenario"] == f"'{name}"


def test_the_command_compares_the_same() -> None:
    _, held = laid((SCAN,), (SCAN, "tablespace.block_size_bytes=16384", "disk.use=nvme"))
    assert command_line(held) == (f"blocktime compare {SCAN} {SCAN},tablespace.block_size_bytes=16384,disk.use=nvme")
    assert command_line(held[:1]) == ""
    assert command_line((*held, Pin("~own"))) == ""


@pytest.mark.parametrize(
    "name", ["rahn-pctfree-16k-35", "magni-imp-16k", "tpc-b", "savvinov-lio-priced", "magni-dd-raw-100"]
)
def test_every_kind_of_workload_can_be_compared(name: str) -> None:
    app = opened({"base": SCAN, "b": name})
    assert app.error.len == 0
    takes = law().time.elapsed_s
    assert says(app, show_seconds(takes)) or says(app, show_seconds(takes, 600))  # in the form of the longer one
