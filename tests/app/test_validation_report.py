"""The page of the validation and its charts: both kinds of error apart, every printed cell, nothing from outside."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from statistics import median

import pytest

from blocktime.app.charts import validation_charts as charts
from blocktime.app.charts.drawing import inked
from blocktime.app.reports.validation_report import as_printed, validation_page
from blocktime.validation import Comparison, Validation, validate
from blocktime.validation.numbers import rows_of
from blocktime.validation.out_of_sample import LeftOut
from blocktime.validation.verdict_tally import case_of, mechanism_of

WHY = "nothing else <determines> it"


@pytest.fixture(scope="module")
def validation() -> Validation:
    """Two documents; the first number that fits is predicted without its row 20 % too high, the second cannot be."""
    found = validate(["savvinov_logical_io", "shallahamer_direct_reads"])
    numbers = [replace(one, left_out=LeftOut()) for one in found.numbers]
    first, second = [place for place, one in enumerate(numbers) if one.in_sample][:2]
    printed = numbers[first].number.printed
    left_out = LeftOut(without_its_row=1.2 * printed, without_its_block_size=1.3 * printed)
    numbers[first] = replace(numbers[first], left_out=left_out)
    numbers[second] = replace(numbers[second], left_out=LeftOut(why=WHY))
    return Validation(found.cases, numbers)


@pytest.fixture(scope="module")
def page(validation: Validation) -> str:
    return validation_page(validation)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.targets: set[str] = set()
        self.links: set[str] = set()
        self.cells = 0
        self.text: list[str] = []
        self.skip = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.skip = tag in ("script", "style")
        self.outside += [value for name in ("src", "href") if (value := found.get(name)) and value[0] != "#"]
        self.targets |= {value for value in [found.get("id")] if value}
        self.links |= {value[1:] for value in [found.get("href")] if value}
        self.cells += tag == "td" and found.get("class") in ("within", "known_gap", "fails", "descriptive")

    def handle_endtag(self, tag: str) -> None:
        self.skip = False

    def handle_data(self, data: str) -> None:
        if not self.skip:
            self.text.append(data)


def test_every_printed_number_stands_in_a_table_and_every_link_leads_somewhere(
    validation: Validation, page: str
) -> None:
    found = _Page()
    found.feed(page)
    assert found.outside == []
    assert found.links
    assert found.links <= found.targets
    assert found.cells == len(validation.numbers)
    text = " ".join(found.text)
    for case in validation.cases:
        for table in case.table:
            for row in rows_of(table):
                assert all(as_printed(row[column]) in text or str(row[column]) in text for column in table.columns)
    assert text.count("△") >= len(validation.known_gaps)


def test_errors_in_sample_and_out_of_sample_are_named(validation: Validation, page: str) -> None:
    first, second = [one for one in validation.numbers if one.in_sample][:2]
    assert "<b>out</b> +20.0 %" in page
    assert "<b>without its size</b> +30.0 %" in page
    assert page.count("<small>fit alone</small>") == 1
    assert "nothing else &lt;determines&gt; it" in page
    assert "<determines>" not in page.replace("\\u003c", "")
    constants = page[page.index('id="constants"') :]
    assert all(name in constants for one in (first, second) for name in one.number.fits)


def test_constants_stand_with_their_intervals(validation: Validation, page: str) -> None:
    part = page[page.index('id="constants"') : page.index(f'id="{validation.cases[0].name}"')]
    assert part.count("<tr>") == 1 + len(validation.constants)
    assert all(f"<td>{one.name}</td>" in part for one in validation.constants)
    assert ("fitted to one number" in part) == any(one.only_a_fit for one in validation.constants)


def test_a_failure_leads_the_page(validation: Validation) -> None:
    one = next(one for one in validation.numbers if one.verdict == "within")
    wrong = replace(one, predicted=3 * one.number.printed, verdict="fails")
    page = validation_page(Validation(validation.cases, [wrong if it is one else it for it in validation.numbers]))
    assert page.index('id="failed"') < page.index("Errors by case</h2>")
    assert 'class="fails"' in page


def test_the_page_reads_in_light_and_dark(page: str) -> None:
    style = page[: page.index("</head>")]
    assert "prefers-color-scheme: dark" in style
    assert "color-scheme: light dark" in style
    assert "default-src 'none'" in style


def test_nothing_compared_still_makes_a_page() -> None:
    found = validate(["savvinov_logical_io"])
    described = [
        replace(one, number=replace(one.number, mark="descriptive", fits=()), verdict="descriptive", predicted=None)
        for one in found.numbers
    ]
    page = validation_page(Validation(found.cases, described))
    assert "Nothing is compared." in page


def test_a_number_that_fits_is_drawn_again_without_its_row(validation: Validation) -> None:
    (again,) = [
        point for point in charts.points_of(validation.numbers) if point.comparison.in_sample and not point.in_sample
    ]
    assert again.error == pytest.approx(0.2)
    assert again.look == "out of sample"
    assert "its row left out of the fit" in charts.hover(again)


def test_a_point_says_where_it_stands_and_what_was_declared(validation: Validation) -> None:
    one = next(one for one in validation.known_gaps if one.number.case == "savvinov_logical_io")
    (point,) = charts.points_of([replace(one, number=replace(one.number, spread=0.07))])
    text = charts.hover(point).replace("<br>", " ")
    for part in (one.number.where, "measured ", "predicted ", "tolerance 15 %", "spread 7 %", "anomaly"):
        assert part in text
    escaped = charts.hover(replace(point, comparison=replace(one, note="<b>bold")))
    assert "<b>" not in escaped


@pytest.mark.parametrize("by", [case_of, mechanism_of])
def test_strips_hold_every_number_in_the_lane_of_its_kind(validation: Validation, by) -> None:  # type: ignore[no-untyped-def]
    compared = [one for one in validation.numbers if one.compared]
    figure, said = charts.residuals(compared, by)
    names = [name.partition("<br>")[0] for name in figure["layout"]["yaxis"]["ticktext"]]
    errors = {name: [abs(point.error) for point in charts.points_of(compared) if not point.in_sample
                     and by(point.comparison) == name] for name in names}  # fmt: skip
    medians = [median(errors[name]) if errors[name] else 0.0 for name in names]
    assert medians == sorted(medians, reverse=True)
    assert set(names) == {by(one) for one in compared if one.relative_error is not None}
    assert sum(len(one["x"]) for one in figure["data"]) == len(charts.points_of(compared))
    for trace in figure["data"]:
        above = {y - round(y) < 0 for y in trace["y"]}
        if str(trace["name"]).startswith("in sample"):
            assert above == {True}
        if str(trace["name"]).startswith(("out of sample", "known gap")):
            assert above == {False}
    assert said.startswith("Out of sample, the largest median error is that of ")


def test_the_axis_of_errors_keeps_order_and_sign() -> None:
    places = [charts.on_axis(error) for error in (-1.0, -0.01, -1e-6, 0.0, 1e-6, 0.01, 1.0)]
    assert places == sorted(places)
    assert places[3] == 0
    assert places[0] == -places[-1]


def test_the_finding_names_the_worst_out_of_sample() -> None:
    found = validate(["savvinov_logical_io"])
    only = [one for one in found.numbers if one.in_sample]
    bare: list[Comparison] = [replace(one, left_out=LeftOut()) for one in only]
    assert "Out of sample" not in charts.residuals(bare, case_of)[1]


def test_ink_colours_every_text(validation: Validation) -> None:
    figure, _ = charts.residuals([one for one in validation.numbers if one.compared], case_of)
    layout = inked(figure, "#123456")["layout"]
    axes = [name for name in layout if re.match("[xy]axis", name)]
    assert len(axes) == 2
    assert all(layout[name]["tickfont"]["color"] == "#123456" for name in axes)
    assert layout["legend"]["font"]["color"] == "#123456"


def test_the_page_says_that_the_verdict_on_a_fit_judges_the_fit(validation: Validation, page: str) -> None:
    fits = sum(one.compared and one.in_sample for one in validation.numbers)
    assert page.count('title="within (fit); ') == fits
    assert "shown, but not judged" in page
