"""Numbers in every text are written in one way: no powers of ten, no digits that say nothing, one form in a group."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from blocktime.app.text.compare_text import compare_lines
from blocktime.app.text.document import run_lines
from blocktime.model.errors import OutsideLaw
from blocktime.model.results import RunResult
from blocktime.scenarios import library, load
from tests.answered import answered
from tests.answered import as_shown as answer

PAIRS = (
    ("rahn-full-scan", "tablespace.block_size_bytes=16K"),
    ("rahn-full-scan", "workload.arraysize_rows=15"),
    ("full-scan-nvme", "disk.use=ebs-gp3"),
    ("full-scan-nvme", "table.row_bytes=140", "table.column_count=30"),
    ("full-scan-nvme", "disk.use=sata-7k2"),
    ("oltp-nvme", "instance.buffer_cache_bytes=32G"),
    ("oltp-nvme", "disk.use=sata-7k2"),
    ("oltp-nvme", "disk.iops_limit=3918.0277060576"),
    ("insert-with-indexes", "workload.commit_every_rows=1"),
    ("random-read-depth", "workload.in_flight=32"),
    ("index-range-scan-scattered", "workload.selectivity_fraction=0.1"),
    ("batch-beside-users", "disk.use=ebs-gp3"),
    ("tpc-b", "workload.users=4000"),
)
NUMBER = re.compile(r"(?<![\w.,:/-])[-+−]?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w/])")
EXPONENT = re.compile(r"(?<![\w.#-])\d+(?:\.\d+)?[eE][+-]?\d+(?!\w)")
LONG_SECONDS = re.compile(r"(?<![\d.,])\d[\d,]*\.\d\d s\b")
INSTRUMENT = re.compile(
    r"^ *(?:Parse|Execute|Fetch|total|call|disk|redo|data)\b.*(?:\d+(?:\.\d+)? +){5}"
    r"|\d +\d+\.\d\d +\d+\.\d\d$|HI[·█]|probes: |probe: "
)
"""Lines of TKPROF and iostat, drawings of blocks by number, and the parts of a count that stands above them."""
LONG = re.compile(r"\d+ (?:min \d+ s|h \d+ min|min\b|h\b)")


def estimated(name: str, *settings: str) -> RunResult:
    """What is quickest to be had: the simulation where there is no instant estimate."""
    try:
        return answer(name, *settings)
    except OutsideLaw:
        return answered(name, *settings, engine="simulate")


def plain(line: str) -> str:
    """A line without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def faults(lines: list[str]) -> Iterator[str]:
    """What is wrong with the numbers in *lines*."""
    whole: dict[int, str] = {}
    for line in _of_the_program(lines):
        if EXPONENT.search(line):
            yield f"exponent: {line}"
        if re.search(r"\d%", line):
            yield f"no space before the percent sign: {line}"
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
        of_a_tool = INSTRUMENT.search(line) or (
            len(line.split()) > 8 and not re.search("[a-z]{3}.* [a-z]{3}", line)
        )
        if not of_a_tool:
            yield re.sub(r"[\w.]+=\S+", "", line)


def _is_table_time(digits: str) -> bool:
    """Seconds in the columns of a table have three decimals, milliseconds four, so that they sum."""
    return len(digits.partition(".")[2]) in (3, 4)


def _sentences(lines: list[str]) -> list[str]:
    text = "\n".join(_of_the_program(lines))
    text = re.sub(r"\n +(?=\S)", " ", text)
    return [sentence for part in text.split("\n") for sentence in re.split(r"(?<=\.) (?=[A-Z])", part)]


@pytest.mark.parametrize("name", library())
def test_the_numbers_of_an_answer_are_written_in_one_way(name: str) -> None:
    assert [*faults([*run_lines(estimated(name), width=200)])] == []


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_the_numbers_of_a_comparison_are_written_in_one_way(pair: tuple[str, ...]) -> None:
    name, *settings = pair
    asked = [load(name), load(name, settings)]
    results = [estimated(name), estimated(name, *settings)]
    lines = [*compare_lines(results, ["", ", ".join(settings)], width=200, scenarios=asked)]
    assert [*faults(lines)] == []
