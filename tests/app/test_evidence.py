"""The page Evidence: misses first, errors in sample and out of sample apart, filters that reach charts and tables."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app.evidence import evidence
from blocktime.validation import Validation, load_case, validate, words
from blocktime.validation.cases import case_names
from blocktime.validation.out_of_sample import LeftOut
from blocktime.validation.verdict_tally import tally
from tests.patience import LIMIT_S


@pytest.fixture(scope="module")
def validation() -> Validation:
    found = validate(["savvinov_logical_io", "shallahamer_direct_reads"])
    numbers = [
        replace(one, left_out=LeftOut(why="nothing else does") if one.in_sample else LeftOut()) for one in found.numbers
    ]
    return Validation(found.cases, numbers)


@pytest.fixture
def page(validation: Validation, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    monkeypatch.setattr("blocktime.app.evidence.evidence.validate", lambda: validation)
    evidence._evidence.clear()
    yield AppTest.from_string("from blocktime.app.evidence import evidence\nevidence.page()", default_timeout=LIMIT_S)
    evidence._evidence.clear()


def test_rows_show_the_worst_first_and_each_error_in_its_column(validation: Validation) -> None:
    rows = evidence.rows_of(validation.numbers)
    errors = [abs(row["In sample"] or row["Out of sample"] or 0.0) for row in rows]
    assert errors == sorted(errors, reverse=True)
    fits = [row for row in rows if row["Use"] == "fit alone"]
    tests = [row for row in rows if row["Use"] == "tests"]
    assert len(fits) == sum(one.in_sample for one in validation.numbers)
    assert all(row["In sample"] is not None and row["Out of sample"] is None for row in fits)
    assert all(row["In sample"] is None and row["Out of sample"] is not None for row in tests)
    assert all(row["Note"].startswith("nothing else does") for row in fits)
    gap = next(row for row in rows if row["Where"] == "lio, 250,5" and row["Verdict"] == "known gap")
    assert gap["Out of sample"] == pytest.approx(-51.9, abs=1)
    assert gap["Tolerance"] == "15 %"


def test_constants_say_where_they_come_from(validation: Validation) -> None:
    rows = evidence.constants_of(validation.constants)
    assert [row["Constant"] for row in rows] == validation.fitted_constants
    alone = {row["Constant"] for row in rows if row["Explains"] == "one number: a fit"}
    assert alone == {one.name for one in validation.constants if len(one.fitted_to) == 1}
    assert all(row["Value"] and row["Source"] for row in rows)


def test_the_sentence_says_how_far_times_are_off(validation: Validation) -> None:
    summary = validation.summary()
    text, details = evidence.sentence_of(summary), evidence.details_of(summary)
    assert words.size_text(summary["times_out_of_sample_median_error"]) in text
    assert f"0 of {summary['compared']} compared numbers fail, {summary['known_gaps']} are known gaps" in text
    for name in ("in_sample_median_error", "held_out_median_error"):
        assert words.size_text(summary[name]) in details
    assert "within –" in evidence.sentence_of(Validation([], []).summary())


def test_the_page_runs_and_its_filters_reach_the_table(page: AppTest, validation: Validation) -> None:
    app = page.run()
    assert not app.exception
    for key, value, wanted in (
        ("evidence_cases", ["savvinov_logical_io"], {"savvinov_logical_io"}),
        ("evidence_cases", [], {case.name for case in validation.cases}),
    ):
        app.session_state["evidence_tab"] = "Numbers"
        app.multiselect(key=key).set_value(value)
        app.run()
        assert not app.exception
        assert set(app.dataframe[0].value["Case"]) == wanted


def test_the_sentence_follows_the_filters(page: AppTest, validation: Validation) -> None:
    app = page.run()
    every = app.caption[0].value
    app.multiselect(key="evidence_cases").set_value(["savvinov_logical_io"])
    app.run()
    mine = tally("mine", [one for one in validation.numbers if one.number.case == "savvinov_logical_io"])
    printed = f"{mine.printed} printed numbers: {mine.fits + mine.tests} compared"
    assert app.caption[0].value.startswith(printed)
    assert not every.startswith(printed)
    assert f"of {mine.fits + mine.tests} compared numbers fail, {mine.known_gaps} are" in app.markdown[0].value
    assert any(f"of the {mine.printed} numbers chosen above" in one.value for one in app.caption)


def test_a_document_of_several_cases_is_one_choice() -> None:
    choices = evidence.choices_of([load_case(name) for name in case_names()])
    title, cases = choices["document 001"]
    assert title == "Fabrizio Magni: all 3 cases"
    assert set(cases) == {"magni_exp_imp", "magni_linux_io", "magni_tpc"}
    assert choices["magni_tpc"] == ("Fabrizio Magni: magni_tpc", ("magni_tpc",))
    assert choices["rahn_full_scan"] == ("Greg Rahn: rahn_full_scan", ("rahn_full_scan",))
    assert "document 000" not in choices  # its one case is the whole of it


def test_the_verdict_on_a_fit_says_that_it_is_one(validation: Validation) -> None:
    rows = evidence.rows_of(validation.numbers)
    assert {row["Verdict"] for row in rows if row["Use"] == "fit alone"} == {"within (fit)"}
    assert {row["Verdict"] for row in rows if row["Use"] == "tests"} == {"within", "known gap"}
    assert {one.to_json()["verdict"] for one in validation.numbers} <= set(evidence.ORDER)


@pytest.mark.parametrize("tab", evidence.TABS)
def test_every_tab_draws(page: AppTest, tab: str) -> None:
    page.session_state["evidence_tab"] = tab
    app = page.run()
    assert not app.exception
    if tab in ("Numbers", "Constants"):
        assert len(app.dataframe) == 1
    else:
        assert len(app.get("plotly_chart")) == 1


def test_a_filter_that_leaves_nothing_to_draw_says_so(page: AppTest) -> None:
    app = page.run()
    app.session_state["verdicts"] = ["descriptive"]
    app.run()
    assert not app.exception
    assert any("Nothing among these is predicted" in one.value for one in app.caption)
