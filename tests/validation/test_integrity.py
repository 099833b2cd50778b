"""A case that contradicts itself is refused with one sentence: where, got, wanted."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from blocktime.model.errors import MeasurementError, SpecError, UnknownName
from blocktime.validation import case_names, load_case
from blocktime.validation.cases import parse_case
from blocktime.validation.numbers import numbers_of
from tests.case_files import FIRST_TABLE

GOOD = (
    FIRST_TABLE
    + """\
columns = ["size", "cpu", "query"]
rows = [[2048, 25.39, 560355], [8192, 24.61, 183974]]
[[table.number]]
column = "cpu"
unit = "s"
path = "calls.fetch.cpu_s"
mark = "tests"
tolerance = 0.03
[[table.number]]
column = "query"
path = "calls.fetch.query"
mark = "tests"
tolerance = 0.01
[[table]]
name = "source"
locator = "line 2"
keys = ["size"]
columns = ["size", "cr"]
rows = [[2048, 560355], [8192, 183974]]
[[table.number]]
column = "cr"
mark = "descriptive"
reason = "repeats query"
[[check]]
left = ["source.cr"]
right = ["fetch.query"]
"""
)

BROKEN = {
    "a time in bytes": (
        'unit = "s"\npath',
        'unit = "MB"\npath',
        "unit 'MB' for calls.fetch.cpu_s; wanted one of s, ms, us",
    ),
    "a count in seconds": (
        'path = "calls.fetch.query"',
        'path = "calls.fetch.query"\nunit = "ms"',
        "which is a count or a share; wanted none",
    ),
    "two spreads of a number": (
        "[[check]]",
        '[[spread]]\ntable = "fetch"\ncolumn = "cpu"\nrelative = 0.1\nsays = "one"\n'
        '[[spread]]\ntable = "fetch"\ncolumn = ["cpu", "query"]\nwhere = { size = 2048 }\n'
        'relative = 0.2\nsays = "two"\n'
        "[[check]]",
        "row 2048, column cpu: 2 spreads; wanted one",
    ),
    "a cell too many": ("[2048, 25.39, 560355]", "[2048, 25.39, 560355, 1]", "row 1: 4 cells; wanted 3"),
    "cr is not query": (
        "[8192, 183974]]\n[[table.number]]",
        "[8192, 183947]]\n[[table.number]]",
        "table source, row 8192, column cr: source.cr is 183947; wanted equal fetch.query = 183974; correct the "
        "transcription or add a [[doubt]]",
    ),
    "tests and fits": (
        "tolerance = 0.03",
        'tolerance = 0.03\nfits = ["host/rahn-2008: fetch_column_s"]',
        "number cpu: tests and fits host/rahn-2008: fetch_column_s; wanted one or the other",
    ),
    "marked twice": (
        '[[table]]\nname = "source"',
        '[[table.number]]\ncolumn = "cpu"\nunit = "s"\npath = "calls.fetch.cpu_s"\nmark = "fits"\n'
        'fits = ["host/rahn-2008: fetch_column_s"]\n[[table]]\nname = "source"',
        "row 2048, column cpu: marked 2 times, as tests and fits; wanted one mark",
    ),
    "no tolerance": ("tolerance = 0.03\n", "", "number cpu: tests without a tolerance"),
    "no reason": ('reason = "repeats query"\n', "", "number cr: descriptive without a reason"),
    "not marked": (
        '[[table.number]]\ncolumn = "cr"\nmark = "descriptive"\nreason = "repeats query"\n',
        "",
        "row 2048, column cr: no [[table.number]] marks it; wanted fits, tests or descriptive",
    ),
    "a row twice": ("[8192, 24.61", "[2048, 24.61", "table fetch, row 2048: there 2 times; wanted once"),
    "a table twice": ('name = "source"', 'name = "fetch"', "table fetch: there 2 times; wanted once"),
    "no such path": ("calls.fetch.cpu_s", "calls.fetch.cpu", "a result has no 'cpu' there"),
    "a path to no number": ("calls.fetch.cpu_s", "calls.fetch", "leads to no number"),
    "no such unit": ('unit = "s"', 'unit = "sec"', "unit 'sec'; wanted one of"),
    "no such constant": (
        'mark = "tests"\ntolerance = 0.03',
        'mark = "fits"\nfits = ["host/rahn-2008: fetch_colum_s"]',
        "fits 'host/rahn-2008: fetch_colum_s'; wanted one of",
    ),
    "fits nothing": ('mark = "tests"\ntolerance = 0.03', 'mark = "fits"', "number cpu: fits nothing"),
    "no scenario": ('scenario = "rahn-full-scan"\n', "", "no scenario; wanted the one that predicts it"),
    "a doubt about nothing": (
        "[[check]]",
        '[[doubt]]\ntable = "source"\ncolumn = "pw"\nsays = "odd"\n[[check]]',
        "doubt, table source: no column 'pw'; wanted one of size, cr",
    ),
    "a gap that is not compared": (
        "[[check]]",
        '[[known_gap]]\ntable = "source"\ncolumn = "cr"\nreason = "odd"\n[[check]]',
        "table source, row 2048, column cr: a known gap, marked descriptive",
    ),
    "a clock in a count": (
        "[8192, 24.61, 183974]",
        '[8192, 24.61, "00:00:24.61"]',
        "00:00:24.61 in unit ''; wanted 's'",
    ),
    "no clock": ("24.61", '"00:61:24.61"', "row 8192, column cpu: '00:61:24.61' is not a size"),
    "text for a number": ("24.61", '"about 24"', "row 8192, column cpu: 'about 24' is not a size"),
}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("00:10:59.95", 659.95),
        ("00:00:08.09", 8.09),
        ("01:00:00", 3600.0),
        ("100:00:01.5", 360_001.5),
        ("18m31.340s", 1111.34),
    ],
)
def test_the_time_of_a_clock_is_seconds(text: str, seconds: float) -> None:
    case = parse_case(GOOD.replace("24.61", f'"{text}"', 1), "clock")
    (found,) = [one.printed for one in numbers_of(case) if (one.row, one.column) == ("8192", "cpu")]
    assert found == pytest.approx(seconds)


def test_the_good_case_is_good() -> None:
    assert len(list(numbers_of(parse_case(GOOD, "good")))) == 6


@pytest.mark.parametrize(("value", "refused"), [(1.1e-7, False), (3e-7, False), (1.1e-4, True)])
def test_a_prior_far_from_the_catalog_is_a_slip(value: float, refused: bool) -> None:
    fits = GOOD.replace('mark = "tests"', 'mark = "fits"\nfits = ["host/rahn-2008: fetch_column_s"]', 1)
    prior = (
        f'[[prior]]\nconstant = "host/rahn-2008: fetch_column_s"\nvalue = {value}\nfactor = 2\nsource = "someone"\n'
        'says = "it says so"\n'
    )
    if not refused:
        assert parse_case(f"{fits}{prior}", "kept").prior[0].value == value
        return
    with pytest.raises(MeasurementError, match=r"prior of host/rahn-2008: fetch_column_s: got 0\.00011 within"):
        parse_case(f"{fits}{prior}", "broken")


@pytest.mark.parametrize(("old", "new", "says"), BROKEN.values(), ids=BROKEN)
def test_a_contradiction_is_refused(old: str, new: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(MeasurementError, match=re.escape(says)) as caught:
        parse_case(GOOD.replace(old, new, 1), "broken")
    assert str(caught.value).startswith("broken.toml: ")
    assert "\n" not in str(caught.value)


FITTING = GOOD.replace(
    'mark = "tests"\ntolerance = 0.03', 'mark = "fits"\nfits = ["host/rahn-2008: fetch_column_s"]', 1
)
PRIOR = """
[[prior]]
constant = "{constant}"
value = 1e-7
factor = 4
source = "general knowledge"
says = "some hundred instructions"
"""


def test_a_source_may_speak_of_a_constant_that_is_fitted() -> None:
    text = FITTING + PRIOR.format(constant="host/rahn-2008: fetch_column_s")
    assert [one.factor for one in parse_case(text, "known").prior] == [4]


@pytest.mark.parametrize(
    ("constants", "says"),
    [
        (
            ["host/rahn-2008: call_s"],
            "no number here fits 'host/rahn-2008: call_s'; wanted one of host/rahn-2008: fetch_column_s",
        ),
        (["host/rahn-2008: fetch_column_s"] * 2, "fetch_column_s: there 2 times; wanted once"),
        (["host/rahn-2008: nothing_s"], "nothing_s"),
    ],
)
def test_a_prior_without_a_fitted_constant_is_refused(constants: list[str], says: str) -> None:
    text = FITTING + "".join(PRIOR.format(constant=constant) for constant in constants)
    with pytest.raises(MeasurementError, match=re.escape(says)):
        parse_case(text, "broken")


@pytest.mark.parametrize("name", case_names())
def test_what_a_prior_rests_on_is_listed(name: str) -> None:
    sources = (Path(__file__).resolve().parents[2] / "docs" / "sources.md").read_text("utf-8")
    assert not [one.constant for one in load_case(name).prior if f"- `{one.source}` –" not in sources]


def test_a_doubt_covers_a_contradiction() -> None:
    text = GOOD.replace("[8192, 183974]]\n[[table.number]]", "[8192, 183947]]\n[[table.number]]", 1)
    doubt = '[[doubt]]\ntable = "source"\ncolumn = "cr"\nwhere = { size = 8192 }\nsays = "digits swapped"\n'
    case = parse_case(text + doubt, "doubted")
    assert [one.note for one in numbers_of(case)][-1] == "repeats query; doubt: digits swapped"
    with pytest.raises(MeasurementError):
        parse_case(text + doubt.replace("8192", "2048"), "doubted elsewhere")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("samples = 1", "samples = 1\ncolour = 3", "source.colour: Extra inputs are not permitted"),
        ("samples = 1", "samples = true", "source.samples"),
        ('mark = "tests"', 'mark = "test"', "table.0.number.0.mark"),
        ("[source]", "[source", "not TOML"),
    ],
)
def test_a_wrong_form_is_refused(old: str, new: str, says: str) -> None:
    with pytest.raises(SpecError, match=re.escape(says)):
        parse_case(GOOD.replace(old, new, 1), "broken")


def test_an_unknown_case_offers_the_nearest() -> None:
    with pytest.raises(UnknownName, match="rahn_full_scan"):
        load_case("rahn_full_scn")


def test_dashes_and_files_name_a_case() -> None:
    assert load_case("rahn-full-scan").name == "rahn_full_scan"
    path = str(files("validation").joinpath("measured", "rahn_full_scan.toml"))
    assert load_case(path).name == "rahn_full_scan"


@pytest.mark.parametrize("name", case_names())
def test_each_doubt_that_a_check_needs_is_needed(name: str) -> None:
    """Without its doubts, document 000 contradicts itself."""
    text = files("validation").joinpath("measured", f"{name}.toml").read_text("utf-8")
    without = re.sub(r"\[\[doubt\]\]\n(?:.+\n)*", "", text)
    if name in ("shallahamer_direct_reads", "magni_exp_imp", "magni_tpc"):
        parse_case(without, name)
        return
    with pytest.raises(MeasurementError, match="add a"):
        parse_case(without, name)
