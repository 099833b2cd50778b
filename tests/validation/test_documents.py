"""The documents say what the program knows: generated parts are fresh, and every disagreement has its prose."""

import re
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import get_args

import pytest

from blocktime.model.catalog import KINDS, constant_named, entries
from blocktime.model.errors import SpecError
from blocktime.validation import Comparison, Validation, load_case, numbers_of
from blocktime.validation.case import Mechanism
from blocktime.validation.out_of_sample import LeftOut
from tools.constant_tables import amount_text, catalog_tables, interval_text
from tools.differences import disagreements, disagrees, numbers_table, problems, sections_of
from tools.documents import DIFFERENCES, MODEL, PART, filled, fresh_documents, main
from tools.law_tables import law_modules, law_tables
from tools.markdown_tables import WIDTH, anchor, item, table, together

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]

HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\((#[^)]+)\)")
SAID = "- **Cause.** A.\n- **Likely right: the document.**\n- **What would settle it.** B.\n"

NUMBER = re.compile(r"[+-]?(?:\d[\d,]*)(?:\.\d+)?(?:e[+-]?\d+)?")
LAST_DIGITS = 1.5
"""Units of its last digit that a figure may differ by: machines round exponentials otherwise."""


@pytest.fixture(scope="module")
def fresh(validation: Validation) -> dict[Path, str]:
    """The documents as they should be."""
    return fresh_documents(validation)


def stale(text: str, fresh: str) -> list[str]:
    """A sentence for each generated part of *text* that is not as in *fresh*; last digits of figures may differ."""
    return [
        f"{part['begin'].strip()}: {difference}"
        for part, made in zip(PART.finditer(text), PART.finditer(fresh), strict=True)
        if (difference := first_difference(part["body"], made["body"]))
    ]


def first_difference(text: str, fresh: str) -> str:
    """The first lines that say different things; empty where there are none."""
    texts, wanted = (
        [line for line in version.replace("\n  ", " ").splitlines() if line and not set(line) <= set("|-: ")]
        for version in (text, fresh)
    )
    same = SequenceMatcher(None, texts, wanted, autojunk=False)
    for kind, i, k, j, m in same.get_opcodes():
        if kind == "equal":
            continue
        if kind != "replace" or k - i != m - j:
            return f"got {texts[i:k][:1]}, wanted {wanted[j:m][:1]}"
        for got, want in zip(texts[i:k], wanted[j:m], strict=True):
            if not says_the_same(got, want):
                return f"got {got!r}, wanted {want!r}"
    return ""


def says_the_same(text: str, other: str) -> bool:
    """Whether two lines have the same words, and figures that differ in their last digits at most."""
    if NUMBER.sub("0", text) != NUMBER.sub("0", other):
        return False
    pairs = zip(NUMBER.findall(text), NUMBER.findall(other), strict=True)
    return all(abs(_value(a) - _value(b)) <= LAST_DIGITS * max(_last_digit(a), _last_digit(b)) for a, b in pairs)


def _value(figure: str) -> float:
    return float(figure.replace(",", ""))


def _last_digit(figure: str) -> float:
    """What one unit of the last digit is worth; nothing in a whole number without a sign, which is a count."""
    digits, _, power = figure.replace(",", "").partition("e")
    decimals = digits.partition(".")[2]
    if digits.isdecimal() and not power and len(digits) <= 3:
        return 0.0
    return float(10.0 ** (int(power or 0) - len(decimals)))


@pytest.mark.parametrize("path", [DIFFERENCES, *MODEL], ids=lambda path: path.stem)
def test_generated_parts_are_fresh(fresh: dict[Path, str], path: Path) -> None:
    assert not stale(path.read_text("utf-8"), fresh[path]), "run `python3 dev.py docs`"


def test_every_disagreement_has_its_prose(validation: Validation) -> None:
    assert not problems(DIFFERENCES.read_text("utf-8"), validation)


@pytest.mark.parametrize("path", [DIFFERENCES, *MODEL], ids=lambda path: path.stem)
def test_links_within_a_page_lead_somewhere(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not set(LINK.findall(text)) - {anchor(title) for title in HEADING.findall(text)}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_line_of_a_document_is_longer_than_a_person_reads(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert [place for place, line in enumerate(lines, 1) if len(line) > WIDTH] == []


def test_every_law_mechanism_and_kind_of_constants_is_described_once() -> None:
    text = "\n".join(path.read_text("utf-8") for path in MODEL)
    listed = ", ".join(re.findall(r"generated: laws: ([^>]+?) -->", text))
    modules = re.split(r",\s", listed)
    assert sorted(modules) == law_modules()
    assert sorted(re.findall(r"generated: catalog: (\w+) -->", text)) == sorted(KINDS)
    headings = [title.lower() for title in HEADING.findall(text)]
    for mechanism in get_args(Mechanism):
        assert any(title.startswith(mechanism.lower()) for title in headings), mechanism


def test_a_part_is_filled_and_the_prose_around_it_kept() -> None:
    text = "before\n<!-- generated: sum: 1 2 -->\nold\n<!-- end -->\nafter\n"
    made = filled(text, {"sum": lambda of: str(sum(map(int, of.split())))}, "a.md")
    assert made == "before\n<!-- generated: sum: 1 2 -->\n\n3\n\n<!-- end -->\nafter\n"
    assert filled(made, {"sum": lambda _: "3"}, "a.md") == made
    assert stale(text, made) == ["<!-- generated: sum: 1 2 -->: got 'old', wanted '3'"]
    assert not stale(made, made)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!-- generated: lawz -->\n<!-- end -->\n", "got 'lawz'; wanted one of laws"),
        ("<!-- generated: laws -->\n", "wanted <!-- generated: NAME --> … <!-- end -->"),
        ("<!-- end -->\n", "wanted <!-- generated: NAME --> … <!-- end -->"),
    ],
)
def test_a_wrong_mark_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=re.escape(said)):
        filled(text, {"laws": str}, "a.md")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("| 0.0365 | +1.4 % |", "| 0.0366 | +1.5 % |", True),
        ("| 0.0365 |", "| 0.0369 |", False),
        ("| +113 % |", "| +114 % |", True),
        ("| 0.0 % |", "| -0.1 % |", True),
        ("| 8,592 |", "| 8,593 |", True),
        ("| 8,592 |", "| 8,692 |", False),
        ("| 17 gaps |", "| 18 gaps |", False),
        ("| 17 gaps |", "| 17 fails |", False),
    ],
)
def test_last_digits_may_differ_and_nothing_else(one: str, other: str, same: bool) -> None:
    assert says_the_same(one, other) is same


def compared(case: str) -> list[Comparison]:
    """Numbers of *case* that agree exactly."""
    return [
        Comparison(number, number.printed, "within", "")
        for number in numbers_of(load_case(case))
        if number.mark != "descriptive" and number.printed
    ]


def section(title: str, patterns: str, said: str = SAID) -> str:
    return f"### {title}\n<!-- generated: numbers: {patterns} -->\n<!-- end -->\n{said}"


def test_what_disagrees_is_told_in_sample_and_left_out() -> None:
    one = next(one for one in compared("rahn_pctfree") if one.number.column == "update_time")
    printed, tolerance = one.number.printed, one.number.tolerance or 0.0
    assert not disagrees(one)
    assert disagrees(replace(one, verdict="known_gap"))
    assert disagrees(replace(one, predicted=1.11 * printed))
    beside = LeftOut(without_its_block_size=(1.001 + tolerance) * printed)
    assert disagrees(replace(one, left_out=beside))
    assert not disagrees(replace(one, left_out=LeftOut(without_its_block_size=(0.999 + tolerance) * printed)))
    assert not disagreements([one])


def test_prose_and_disagreements_are_held_to_each_other() -> None:
    numbers = compared("rahn_pctfree")
    times = [one for one in numbers if one.number.column == "update_time"]
    off = [replace(one, predicted=2 * one.number.printed, verdict="fails") for one in times[:2]]
    case = load_case("rahn_pctfree")
    found = Validation([case], [*off, *times[2:]])
    both = section("Both", "; ".join(one.number.id for one in off))
    assert not problems(f"# Page\n\n{both}\n## Else\n", found)
    assert [one.number.id in said for one, said in zip(off, problems("", found), strict=True)] == [True, True]
    twice = problems(f"{both}\n{section('Again', off[0].number.id)}", found)
    assert twice == [f"{off[0].number.id}: sections 'Both' and 'Again'; wanted one"]
    agrees = section("Old", times[2].number.id)
    assert problems(f"{both}\n{agrees}", found) == [
        f"section 'Old': {times[2].number.id} names a number that agrees; wanted a disagreement"
    ]
    nothing = section("None", "rahn_pctfree:no such table:*")
    assert "names no number" in problems(f"{both}\n{nothing}", found)[0]
    silent = section("Both", "*:update_time", SAID.replace("**Cause.**", "Cause:"))
    assert problems(silent, found) == ["section 'Both': does not say **Cause.**"]
    someone = section("Both", "*:update_time", SAID.replace("the document", "someone"))
    assert "got 'someone'; wanted one of the document" in problems(someone, found)[0]
    assert sections_of(both)[0].likely_right == "the document"


def test_a_table_of_numbers_shows_those_that_disagree(validation: Validation) -> None:
    shown = numbers_table("rahn_full_scan:other calls:*", validation)
    assert shown.count("known gap") == 4
    assert "| other calls, 4096: parse | tests | 2 | 1 | -50.0 % | exact | known gap |" in shown
    assert "without its block size" not in shown  # nothing stands in that column


def test_a_law_comes_with_its_formula_and_sources() -> None:
    def shown(module: str) -> str:
        return " ".join(law_tables(module).split())

    assert "`blocks + stops - aligned`" in shown("buffer_gets")
    # What was given a name on the way stands in its place.
    assert "smaller(server_s, client_s) * larger(0, 1 - sdu_bytes / array_bytes)" in shown("round_trips")
    assert "`LARGEST_DIRTY_FRACTION = 0.4` (Share of the buffers" in shown("table_load")
    with pytest.raises(SpecError, match="got 'logic'; wanted some of assm"):
        law_tables("logic")


def test_a_constant_comes_with_unit_interval_and_origin() -> None:
    shown = " ".join(catalog_tables("host").split())
    known = constant_named("host/rahn-2008: fetch_row_s")
    value, interval = amount_text("fetch_row_s", known.value), interval_text("fetch_row_s", known.interval)
    assert f"| `fetch_row_s` | {value} | {interval} | {known.how} | {known.source} |" in shown
    assert "same as `host/savvinov-pc: line_miss_s`" in shown
    assert all(f"**host/{name}** – " in shown for name in entries("host"))
    assert amount_text("overhead_s", 6.5e-4) == "650 µs"
    assert amount_text("line_miss_s", 2.04e-8) == "20.4 ns"
    assert amount_text("bandwidth_bytes_per_s", 7.5e7) == "75,000,000 bytes/s"
    assert amount_text("users", 8) == "8"


def test_a_table_leaves_out_columns_without_a_word() -> None:
    assert table(("a", "b", "c"), [("1", "–", "x|y"), ("2", "", "z")]) == (
        "| a | c |\n| --- | --- |\n| 1 | x\\|y |\n| 2 | z |"
    )
    assert together(["host/a: x_s", "host/a: y_s", "disk/b: z"], ": ") == "`host/a: x_s, y_s`; `disk/b: z`"


def test_a_table_that_is_too_wide_has_its_widest_columns_below() -> None:
    said = " ".join(["word"] * 30)
    assert table(("a", "b", "c"), [("1", said, "x"), ("2", "", "z")]) == (
        "| a | c |\n| --- | --- |\n| 1 | x |\n| 2 | z |\n\n" + item(f"1: *b* {said}")
    )
    assert table(("a", "b"), [("1", said)]) == item(f"1: *b* {said}")
    assert item(said).split("\n  ") == [f"- {' '.join(['word'] * 23)}", " ".join(["word"] * 7)]


def test_the_generator_takes_no_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 2
    assert "takes no arguments, got --check" in capsys.readouterr().err
