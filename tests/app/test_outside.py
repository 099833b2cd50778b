"""Numbers that stand on constants outside their fitted range carry a mark, in every form of an answer."""

import re

import pytest
from click import unstyle

from blocktime.app.reports.report_html import compare_page, run_page
from blocktime.app.text import outside
from blocktime.app.text.compare_text import compare_lines
from blocktime.app.text.document import run_lines
from blocktime.app.text.text import note_section
from blocktime.model.provenance import Extrapolation
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run
from tests.answered import answered

NAME = "savvinov-lio-pc"
BIG = "tablespace.block_size_bytes=32K"
SENTENCE = "host.logical_io_s was fitted for blocks of 8K, used at blocks of 32K: 4 times beyond"


def answer(*asked: str, name: str = NAME) -> RunResult:
    return answered(name, *asked)


def one(constant: str, used: float = 15, quantity: str = "arraysize_rows") -> Extrapolation:
    return Extrapolation(constant=constant, quantity=quantity, used=used, low=100, high=100)


def text(result: RunResult, width: int = 100) -> list[str]:
    return [unstyle(line) for line in run_lines(result, width=width)]


def test_the_lines_that_depend_on_it_carry_the_mark_and_a_sentence_says_why() -> None:
    lines = text(answer(BIG))
    begun = [line for line in lines if re.match(r"\S.*? ~ ", line)]
    assert [line.split(" ~")[0] for line in begun] == ["CPU: buffer gets", "elapsed"]
    assert (
        "~ depends on a constant used outside its measured range: host.logical_io_s, 4 times"
        in lines[lines.index(begun[1]) + 1]
    )
    assert SENTENCE in " ".join(" ".join(lines).split())


def test_inside_the_ranges_nothing_is_marked() -> None:
    said = "\n".join(text(answer("tablespace.block_size_bytes=8K")))
    assert "~" not in said
    assert "beyond" not in said


def test_the_farthest_is_told_first_everywhere() -> None:
    result = answer(BIG, "table.row_bytes=9")
    notes = [unstyle(line) for line in note_section(result).lines(200)]
    factors = [float(found[1]) for line in notes if (found := re.search(r": ([\d.]+) times beyond", line))]
    assert factors[0] == 4
    assert factors == sorted(factors, reverse=True)
    assert len(factors) > 1
    assert "The farthest is host.logical_io_s, 4 times beyond at blocks of 32K" in outside.what_the_mark_says([result])


@pytest.mark.parametrize(
    ("constant", "name"),
    [
        ("host.fetch_column_s", "CPU: projecting rows"),
        ("host.row_step_s", "CPU: row access"),
        ("client.row_s", "SQL*Net message from client"),
        ("client.more_data_send_s", "SQL*Net more data to client"),
        ("client.send_cpu_fraction", "counted twice: CPU of SQL*Net sends"),
        ("host.between_calls_s", "outside calls (tracing of the measured system)"),
        ("disk.bandwidth_bytes_per_s", "direct path read"),
    ],
)
def test_a_constant_marks_the_component_that_it_is_part_of(constant: str, name: str) -> None:
    result = answer(name="rahn-full-scan").model_copy(update={"extrapolated": [one(constant)]})
    assert name in outside.by_component(result)
    assert ("CPU: calls" in outside.by_component(result)) is False


def test_what_is_behind_no_time_marks_neither_a_component_nor_the_elapsed_time() -> None:
    cost = answer(name="rahn-full-scan").model_copy(update={"extrapolated": [one("instance.statistics.cpuspeed_hz")]})
    assert not outside.by_component(cost)
    found = outside.by_number(cost)
    assert [number for number, behind in found.items() if behind] == ["cost"]
    marked = [line for line in text(cost) if "~" in line]
    assert len(marked) == 1
    assert marked[0].startswith("cost ")


def test_transactions_and_streams_carry_it_too() -> None:
    stream = answer(name="magni-dd-raw-100").model_copy(
        update={"extrapolated": [one("disk.bandwidth_bytes_per_s", 8, "in_flight")]}
    )
    assert any(line.startswith("waiting for the device ~") for line in text(stream))
    many = answer(name="tpc-c").model_copy(update={"extrapolated": [one("host.commit_s"), one("disk.overhead_s")]})
    lines = text(many)
    assert any(line.startswith("db file sequential read ~") for line in lines)
    assert any(line.startswith("log file sync ~") for line in lines)
    assert any(line.startswith("response ~") for line in lines)


def test_without_a_factor_the_quantity_is_said() -> None:
    result = answer().model_copy(update={"extrapolated": [one("host.logical_io_s", 0)]})
    assert outside.what_the_mark_says([result]).endswith("host.logical_io_s at array size 0")
    assert outside.farthest(result.extrapolated) == ""


def test_a_comparison_says_whose_it_is() -> None:
    results = [answer(), answer(BIG)]
    lines = [unstyle(line) for line in compare_lines(results, ["", ""], width=200)]
    assert any(line.startswith("CPU: buffer gets ~") for line in lines)
    assert any(line.startswith("elapsed ~") for line in lines)
    assert any(line.startswith("CPU: row access ") and "~" not in line for line in lines)
    assert f"beyond    B: {SENTENCE}" in lines
    both = [unstyle(line) for line in compare_lines([results[1]] * 2, ["", ""], width=200)]
    assert f"beyond    {SENTENCE}" in both


def test_the_pages_written_to_files_carry_it() -> None:
    small, big = load(NAME), load(NAME, [BIG])
    results = [run(small), run(big)]
    page = run_page(big, results[1])
    assert '<p class="beyond">~ depends on a constant' in page
    assert "<td>CPU: buffer gets ~</td>" in page
    assert "<td>elapsed ~</td>" in page
    assert 'class="beyond"' not in run_page(small, results[0])
    both = compare_page([small, big], results, ["", ""])
    assert f'<th scope="row">beyond</th><td>B: {SENTENCE}</td>' in both
