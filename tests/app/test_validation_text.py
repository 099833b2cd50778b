"""The tables of the terminal: every error in its own column, and nothing wider than the screen."""

from dataclasses import replace

import pytest
from click import unstyle

from blocktime.app.text.validation_text import summary_sentences, validation_lines
from blocktime.validation import MeasuredNumber, Validation, load_case, numbers_of, validate
from blocktime.validation.compare import Comparison
from blocktime.validation.out_of_sample import LeftOut
from blocktime.validation.verdict_tally import NO_MECHANISM, by_case, by_mechanism, kind_of
from blocktime.validation.words import miss_text, number_text, percent_text, share_text, unit_for

CASE = load_case("savvinov_logical_io")
NUMBERS = [replace(one, spread=None) for one in numbers_of(CASE) if one.table == "lio" and one.column == "B"]
TESTS = next(one for one in NUMBERS if one.mark == "tests")
FITS = [one for one in NUMBERS if one.mark == "fits"]


def printed(validation: Validation, width: int) -> str:
    return unstyle("\n".join(validation_lines(validation, width)))


def off_by(number: MeasuredNumber, share: float, left_out: LeftOut | None = None) -> Comparison:
    return Comparison(number, number.printed * (1 + share), "within", "", left_out or LeftOut())


@pytest.fixture(scope="module")
def validation() -> Validation:
    return validate(["savvinov_logical_io", "shallahamer_direct_reads", "rahn_full_scan"])


@pytest.mark.parametrize("width", [72, 80, 110, 160])
def test_the_report_fits_the_screen(validation: Validation, width: int) -> None:
    text = printed(validation, width)
    assert max(map(len, text.splitlines())) <= min(width, 110)
    assert "…" not in text.replace("test…", "")
    for case in validation.cases:
        assert case.source.author in text
    assert text.rindex("Summary") > max(text.rindex(f"{case.source.author}: ") for case in validation.cases)
    assert "document 00" not in text


def test_misses_come_first_with_their_reasons(validation: Validation) -> None:
    text = printed(validation, 110)
    assert text.index("known gap") < text.index("Greg Rahn: ")
    assert "author calls it an anomaly" in text


def test_each_error_stands_in_its_own_column() -> None:
    """In sample 1 %, with its row left out 20 %, without its block size 30 %, a test 4 %, spread 7 %."""
    left_out = LeftOut(without_its_row=1.2 * FITS[0].printed, without_its_block_size=1.3 * FITS[0].printed)
    alone = LeftOut(why="no other number knows it")
    numbers = [off_by(replace(FITS[0], spread=0.07), 0.01, left_out), off_by(FITS[1], 0.02, alone), off_by(TESTS, 0.04)]
    text = printed(Validation([CASE], numbers), 110)
    lines = text.splitlines()
    head = next(line for line in lines if line.startswith("number "))

    def cells(one: Comparison) -> dict[str, str]:
        line = next(line for line in lines if line.startswith(f"  {one.number.row} "))
        ends = {}
        for name, nth in (("in", 0), ("out", 1)):
            end = [at + len("sample%") for at in range(len(head)) if head.startswith("sample%", at)][nth]
            ends[name] = end
        for name in ("its size%", "spread"):
            ends[name] = head.index(name) + len(name)
        return {name: line[:end].split("  ")[-1].strip().rpartition(" ")[2] for name, end in ends.items()}

    assert cells(numbers[0]) == {"in": "+1.0", "out": "+20.0", "its size%": "+30.0", "spread": "%"}
    assert cells(numbers[1])["in"] == "+2.0"
    assert cells(numbers[1])["out"] == "alone"
    assert cells(numbers[2])["in"] == "–"
    assert cells(numbers[2])["out"] == "+4.0"
    assert "7 % fits" in next(line for line in lines if line.startswith(f"  {FITS[0].row} "))
    assert f"fit alone: {FITS[1].table} {FITS[1].column}: no other number knows it" in text


def test_columns_that_say_nothing_are_not_there() -> None:
    text = printed(Validation([CASE], [off_by(TESTS, 0.04)]), 80)
    assert "its size%" not in text
    assert "  spread use" not in text


def test_a_number_that_was_never_left_out_is_not_called_a_fit_alone() -> None:
    text = printed(Validation([CASE], [off_by(FITS[0], 0.01)]), 110)
    assert "1 of them were not predicted without their row." in " ".join(text.split())
    assert "fit alone" not in text.partition("Nikolay Savvinov: ")[2]


def test_the_summary_in_words_says_what_is_exact_and_what_a_time() -> None:
    count = replace(TESTS, unit="", path="calls.fetch.query")
    numbers = [off_by(TESTS, 0.04), off_by(count, 0), off_by(replace(TESTS, spread=0.05), 0.02)]
    said = " ".join(summary_sentences(Validation([CASE], numbers)))
    assert "half of 3 numbers are within 2.0 %; 1 of them are exact, of which 1 are counts." in said
    assert "Of the 2 times alone, half are within 3.0 %." in said
    assert "For 1 of them the source gives the spread of repeated measurements. 1 predictions are" in said
    assert "In sample" not in said
    assert summary_sentences(Validation([], [])) == ["Nothing is compared."]


@pytest.mark.parametrize(
    ("path", "unit", "kind"),
    [
        ("calls.fetch.query", "", "count"),
        ('time.wait["direct path read"].waits', "", "count"),
        ("physical_io.request_blocks[128]", "", "count"),
        ("device.disk.lines[busiest].merged_writes_per_s", "", "count"),
        ("segment.migrated_rows", "", "count"),
        ("calls.fetch.cpu_s", "s", "time"),
        ("logical_io.cpu_per_get_s", "us", "time"),
        ("device.disk.lines[busiest].await_s", "ms", "time"),
        ("optimizer.cost", "", "other"),
        ("elapsed_ratio", "", "other"),
        ("transactions.per_s", "", "other"),
        ("device.disk.lines[busiest].average_queue", "", "other"),
        ("streams[0].bytes", "bytes", "other"),
    ],
)
def test_counts_and_times_are_told_apart(path: str, unit: str, kind: str) -> None:
    assert kind_of(replace(TESTS, path=path, unit=unit)) == kind


def test_what_has_no_mechanism_comes_last() -> None:
    numbers = [off_by(replace(TESTS, mechanism=it), 0.0) for it in (None, "client", "logical I/O", "client")]
    assert [(one.name, one.tests) for one in by_mechanism(numbers)] == [
        ("client", 2), ("logical I/O", 1), (NO_MECHANISM, 1)
    ]  # fmt: skip
    assert [one.name for one in by_case(numbers)] == ["savvinov_logical_io"]


def test_numbers_in_words() -> None:
    assert [number_text(value) for value in (None, 0.0, 1e6, 0.0012345678, 123456.7)] == [
        "–", "0", "1,000,000", "0.0012346", "123,457"
    ]  # fmt: skip
    assert [percent_text(share) for share in (None, 0, 1e-7, -0.0004, 0.005, -0.5, 12.3)] == [
        "–", "0", "0", "-0.040", "+0.50", "-50.0", "+1,230"
    ]  # fmt: skip
    assert [share_text(share) for share in (None, 0, 0.1)] == ["–", "0", "+10.0 %"]


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (1.5e-6, "s", (1e6, "µs")),
        (2.0, "s", (1.0, "s")),
        (3e-10, "s", (1e9, "ns")),
        (0.0, "s", (1.0, "s")),
        (64.5, "bytes", (1.0, "bytes")),
        (3 * 1024.0**2, "bytes/s", (1 / 1024**2, "MB/s")),
        (7e8, "Hz", (1e-6, "MHz")),
        (8.0, "", (1.0, "")),
    ],
)
def test_units_that_are_easily_read(value: float, unit: str, shown: tuple[float, str]) -> None:
    assert unit_for(value, unit) == shown


def test_a_miss_is_named_in_a_line() -> None:
    failed = replace(off_by(TESTS, 0.5), verdict="fails")
    assert miss_text(failed).startswith("savvinov_logical_io: lio, ")
    assert "(+50.0 %, tolerance 15 %)" in miss_text(failed)
    assert "so remove its [[known_gap]]" in miss_text(replace(failed, verdict="gap_closed"))
