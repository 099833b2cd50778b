"""Numbers in every text are written in one way: no powers of ten, no digits that say nothing, one form in a group."""

import html
import re
from collections.abc import Iterator
from itertools import chain

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app.reports.report_html import compare_page, run_page
from blocktime.scenarios import library, load
from tests.answered import answered
from tests.app.page_numbers import opened
from tests.golden.texts import PAIRS, frozen_text

NUMBER = re.compile(r"(?<![\w.,:/-])[-+−]?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w/])")
EXPONENT = re.compile(r"(?<![\w.#-])\d+(?:\.\d+)?[eE][+-]?\d+(?!\w)")
LONG_SECONDS = re.compile(r"(?<![\d.,])\d[\d,]*\.\d\d s\b")
INSTRUMENT = re.compile(
    r"^ *(?:Parse|Execute|Fetch|total|call|disk|redo|data)\b.*(?:\d+(?:\.\d+)? +){5}"
    r"|\d +\d+\.\d\d +\d+\.\d\d$|HI[·█]|probes: |probe: "
)
"""Lines of TKPROF and iostat, drawings of blocks by number, and the parts of a count that stands above them."""
NO_NUMBER = re.compile(r"(?<![\w.])(?:[Nn]a[Nn]|inf|Infinity|None)(?![\w.])")
"""What Python writes for a number that is none; a parameter of Oracle may be called so, in a setting."""
LESS_THAN_NOTHING = re.compile(r"(?<![\w.)\]])[-−]0(?:\.0+)?(?![\d.])")
WRONG = {
    "exponent": EXPONENT,
    "no number": NO_NUMBER,
    "less than nothing": LESS_THAN_NOTHING,
    "another minus sign than that of model/units.py": re.compile("−"),
    "no space before the percent sign": re.compile(r"\d%"),
}
LONG = re.compile(r"\d+ (?:min \d+ s|h \d+ min|min\b|h\b)")


def plain(line: str) -> str:
    """A line without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def faults(lines: list[str]) -> Iterator[str]:
    """What is wrong with the numbers in *lines*."""
    whole: dict[int, str] = {}
    for line in _of_the_program(lines):
        for what, form in WRONG.items():
            if form.search(line):
                yield f"{what}: {line}"
        for match in NUMBER.finditer(line):
            digits = match[0].strip("+-−").replace(",", "")
            if "." in digits and len(digits.replace(".", "").lstrip("0")) > 6 and not _is_table_time(digits):
                yield f"more than six digits: {line}"
            if "." not in digits and len(digits) > 4 and "," not in match[0]:
                yield f"digits without groups: {line}"
            if "." not in digits and len(digits) > 6:
                near = [other for other in whole if 0 < abs(other - int(digits)) <= 1]
                if near:
                    yield f"one count, two values: {line.strip()} and {whole[near[0]].strip()}"
                whole[int(digits)] = line
    for sentence in _sentences(lines):
        seconds = [float(text[:-2].replace(",", "")) for text in LONG_SECONDS.findall(sentence)]
        if LONG.search(sentence) and any(value >= 60 for value in seconds):
            yield f"mixed forms of durations: {sentence}"


def _of_the_program(lines: list[str]) -> Iterator[str]:
    """Lines in the program's own words: not those in the form of TKPROF and iostat, nor settings as they were typed."""
    for line in map(plain, lines):
        of_a_tool = INSTRUMENT.search(line) or (len(line.split()) > 8 and not re.search("[a-z]{3}.* [a-z]{3}", line))
        if not of_a_tool:
            yield re.sub(r"[\w.]+=\S+|bug \d+|^ *[\w.]+ = .*", "", line)


def _is_table_time(digits: str) -> bool:
    """Seconds in the columns of a table have three decimals, milliseconds four, so that they sum."""
    return len(digits.partition(".")[2]) in (3, 4)


def _sentences(lines: list[str]) -> list[str]:
    text = "\n".join(_of_the_program(lines))
    text = re.sub(r"\n +(?=\S)", " ", text)
    return [sentence for part in text.split("\n") for sentence in re.split(r"(?<=\.) (?=[A-Z])", part)]


@pytest.mark.parametrize("of", [*((name,) for name in library()), *PAIRS], ids=" ".join)
def test_the_numbers_of_an_answer_and_of_a_comparison_are_written_in_one_way(of: tuple[str, ...]) -> None:
    """In the frozen texts, which are those that a terminal shows."""
    assert [*faults(frozen_text(*of))] == []


def words_of(document: str) -> list[str]:
    """The lines of a report that a reader sees first: no styles, texts under the pointer, data that open on a click."""
    seen = re.sub(r"<(title|style|details)\b.*?</\1>", "\n", document, flags=re.DOTALL)
    seen = re.sub(r"</tspan><tspan[^>]*>", "", seen)  # a label in several lines is one text
    return html.unescape(re.sub(r"<[^>]+>", "\n", seen)).split("\n")


def words_on(app: AppTest) -> list[str]:
    """The lines of a page: its sentences, numbers, rows of its tables, and what is said of its charts."""
    metrics = [f"{one.label} {one.value} {one.delta}" for one in app.metric]
    rows = [" | ".join(map(str, row)) for one in app.table for row in one.value.to_numpy().tolist()]
    sentences = [one.value for one in chain(app.markdown, app.caption, app.info, app.warning, app.error)]
    charts = [one.proto.alt for one in app.get("plotly_chart")]
    return "\n".join([*metrics, *rows, *sentences, *charts]).replace("\\", "").split("\n")


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", library())
def test_the_numbers_of_a_report_are_written_in_one_way(name: str) -> None:
    assert [*faults(words_of(run_page(load(name), answered(name))))] == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_the_numbers_of_a_report_of_two_are_written_in_one_way(pair: tuple[str, ...]) -> None:
    name, *settings = pair
    asked, results = [load(name), load(name, settings)], [answered(name), answered(name, *settings)]
    assert [*faults(words_of(compare_page(asked, results, ["", ", ".join(settings)])))] == []


@pytest.mark.sampled(8)
@pytest.mark.parametrize("pair", [*PAIRS, *((name,) for name in library())], ids=" ".join)
@pytest.mark.usefixtures("simulated_at_once")
def test_the_numbers_of_a_page_are_written_in_one_way(pair: tuple[str, ...]) -> None:
    name, *settings = pair
    app = opened({"scenario": name, **dict(text.split("=", 1) for text in settings)})
    assert [*faults(words_on(app))] == []
