"""The comparison with printed numbers as plain text: misses first and explained, every number, and a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from click import style

from blocktime.app.base.lines import aligned, head, table, wrapped
from blocktime.scenarios.why_words import plural
from blocktime.validation import words
from blocktime.validation.case import Case
from blocktime.validation.compare import Comparison
from blocktime.validation.validate import Validation
from blocktime.validation.verdict_tally import (
    NO_MECHANISM,
    by_case,
    by_mechanism,
    groups,
    in_sample_median,
    is_as_printed,
    kind_of,
    mechanism_of,
    median_error,
    median_groups,
    out_of_sample_median,
    tally,
)

WIDEST: Final = 110
COLOURS: Final = {"within": "green", "fails": "red", "gap_closed": "red", "known_gap": "yellow"}
LEGEND: Final = (
    "In sample: error of a number that constants were fitted to. Out of sample: error of a number that nothing was "
    f"fitted to, or of a fitted number predicted without its row. {words.FIT_ALONE}: no other number determines its "
    "constant. Spread: standard deviation of repeated measurements over their mean, where the source gives it. "
    "If use is fits, the verdict judges the error in sample."
)


@dataclass(frozen=True, slots=True)
class TextColumn:
    """One column of a document's table, as wide as its texts; an optional one stands where it has something to say."""

    head: tuple[str, str]
    text: Callable[[Comparison], str]
    optional: bool = False


COLUMNS: Final = (
    TextColumn(("", "measured"), words.measured_text),
    TextColumn(("", "predicted"), lambda comparison: words.number_text(comparison.predicted)),
    TextColumn(("in", "sample%"), lambda row: words.percent_text(row.in_sample_error)),
    TextColumn(("out of", "sample%"), words.out_of_sample_text),
    TextColumn(
        ("without", "its size%"), lambda row: words.percent_text(row.without_its_block_size_error), optional=True
    ),
    TextColumn(("toler-", "ance"), words.tolerance_text),
    TextColumn(("", "spread"), words.spread_text, optional=True),
)
USE: Final = 5
NAMES: Final = 7
"""Least width of the names of rows, however narrow the screen is."""


def validation_lines(validation: Validation, width: int = 80) -> Iterator[str]:
    """Misses with their reasons, one table for each document, and the summary."""
    width = min(WIDEST, width)
    yield from _misses(validation, width)
    if any(comparison.compared for comparison in validation.numbers):
        yield from wrapped(LEGEND, width, dim=True)
        yield ""
    for case in validation.cases:
        numbers = [comparison for comparison in validation.numbers if comparison.number.case == case.name]
        yield from _document(case, numbers, width)
    yield head("Summary")
    text = "in %, out %: median error in sample and out of sample. A number printed as 0 has none."
    yield from wrapped(text, width, dim=True)
    for rows in summary_tables(validation).values():
        yield from table(rows, width, "", 1)
        yield ""
    for sentence in summary_sentences(validation):
        yield from wrapped(sentence, width)


def _misses(validation: Validation, width: int) -> Iterator[str]:
    """Misses, those of one column that have one explanation together."""
    missed = [*validation.failures, *validation.known_gaps]
    if not missed:
        return
    yield head(f"{len(validation.failures)} failed, {len(validation.known_gaps)} known gaps")
    for _, same in groups(missed, lambda miss: f"{_column_of(miss)}\0{miss.verdict}\0{miss.note}"):
        first = same[0]
        yield from wrapped(f"{words.WORDS[first.verdict]}  {first.number.case}: {_column_of(first)}", width,
                           colour=COLOURS[first.verdict])  # fmt: skip
        for comparison in same:
            row = f"{comparison.number.row}: " if comparison.number.row else ""
            yield from wrapped(
                f"{row}measured {words.measured_text(comparison)}, predicted {words.number_text(comparison.predicted)}"
                f" ({words.share_text(comparison.relative_error)}, tolerance {words.tolerance_text(comparison)})",
                width,
                first="    ",
            )
        yield from wrapped(first.note, width, first="    ", dim=True) if first.note else ()
    yield ""


def _document(case: Case, numbers: list[Comparison], width: int) -> Iterator[str]:
    yield from wrapped(f"{case.source.author}: {case.source.title}", width, bold=True)
    yield from wrapped(case.source.system, width, dim=True)
    compared = [comparison for comparison in numbers if comparison.compared]
    if compared:
        yield from _numbers(compared, width)
    alone = (comparison for comparison in compared if comparison.fit_alone)
    for why, same in groups(alone, lambda comparison: comparison.left_out.why):
        yield from wrapped(f"{words.FIT_ALONE}: {_named(same)}: {why}", width, dim=True)
    if described := [number for number in numbers if not number.compared]:
        yield from wrapped(f"and {len(described)} descriptive: {_named(described)}", width, dim=True)
    yield ""


def _numbers(compared: Sequence[Comparison], width: int) -> Iterator[str]:
    """A line for each number, below the name of the printed column that it stands in."""
    columns = [
        column
        for column in COLUMNS
        if not column.optional or any(column.text(comparison) != words.NOTHING for comparison in compared)
    ]
    verdicts = max(len("verdict"), *(len(words.WORDS[comparison.verdict]) for comparison in compared))
    while True:
        widths = [1 + max(map(len, (*column.head, *map(column.text, compared)))) for column in columns]
        room = width - sum(widths) - 1 - USE - 1 - verdicts
        spare = [column for column in columns if column.optional]
        if room >= NAMES or not spare:
            break
        columns.remove(spare[-1])  # use and verdict matter more, and the page has every column
    names = max(NAMES, room)
    widths = [names + 1, widths[0] - 1, *widths[1:]]
    for first, place, last in (("", 0, ""), ("number", 1, f" {'use':<{USE}} verdict")):
        heads = aligned([first, *(column.head[place] for column in columns)], widths, last)
        yield from map(head, heads)
    for name, same in groups(compared, _column_of):
        mechanisms = sorted({mechanism_of(comparison) for comparison in same} - {NO_MECHANISM})
        yield f"{head(name)}  {style(', '.join(mechanisms), dim=True)}".rstrip()
        for comparison in same:
            verdict = style(words.WORDS[comparison.verdict], fg=COLOURS[comparison.verdict])
            row = f"  {comparison.number.row}"
            if len(row) > names:
                yield row
                row = ""
            cells = [row, *(column.text(comparison) for column in columns)]
            yield from aligned(cells, widths, f" {comparison.number.mark:<{USE}} {verdict}")


def _column_of(comparison: Comparison) -> str:
    return f"{comparison.number.table}: {words.quantity_text(comparison)}"


def _named(numbers: list[Comparison]) -> str:
    counts = groups(numbers, lambda comparison: f"{comparison.number.table} {comparison.number.column}")
    return ", ".join(f"{name} ({len(same)})" if len(same) > 1 else name for name, same in counts)


def summary_tables(validation: Validation) -> dict[str, list[tuple[str, ...]]]:
    """Counts and median errors in percent by case, by mechanism, and by what was measured: rows under a head."""
    numbers = validation.numbers
    cases, mechanisms = by_case(numbers), by_mechanism(numbers)
    if len(cases) > 1:
        cases.append(tally("all", numbers))
    counted = ("printed", "descr.", "fits", "tests", "within", "gaps", "fails", "in %", "out %")
    tables = {
        what: [
            (what, *counted),
            *(
                (
                    tallied.name,
                    *map(str, tallied.counts),
                    _size(tallied.in_sample_median_error),
                    _size(tallied.held_out_median_error),
                )
                for tallied in tallies
            ),
        ]
        for what, tallies in (("case", cases), ("mechanism", mechanisms))
        if what == "case" or len(tallies) > 1
    }
    # most counts are exact, and would hide how far times are off
    medians: list[tuple[str, ...]] = [("median error of", "in %", "of", "out %", "of", "exact")]
    for name, those in median_groups(numbers):
        inside = [error for row in those if (error := row.in_sample_error) is not None]
        outside = [error for row in those if (error := row.out_of_sample_error) is not None]
        exact = sum(map(is_as_printed, outside))
        medians.append(
            (
                name,
                _size(median_error(inside)),
                str(len(inside)),
                _size(median_error(outside)),
                str(len(outside)),
                str(exact),
            )
        )
    return {**tables, "median": medians}


def _size(share: float | None) -> str:
    return words.percent_text(share).lstrip("+")


def summary_sentences(validation: Validation) -> list[str]:
    """What the comparison comes to, in words."""
    numbers = [comparison for comparison in validation.numbers if comparison.compared]
    if not numbers:
        return ["Nothing is compared."]
    fits = [comparison for comparison in numbers if comparison.in_sample]
    tests = len(numbers) - len(fits)
    each = f" ({tests / len(fits):.1f} tests for each fit)" if fits else ""
    return [
        f"Of {plural(len(validation.numbers), 'printed number')}, {len(numbers)} are compared with the model: "
        f"{len(fits)} calibrate {plural(len(validation.fitted_constants), 'constant')}, {tests} test it{each}.",
        *_of_fits(fits),
        *_out_of_sample([comparison for comparison in numbers if comparison.out_of_sample_error is not None]),
        f"{plural(len(validation.failures), 'number')} failed; {plural(len(validation.known_gaps), 'known gap')}.",
    ]


def _of_fits(fits: Sequence[Comparison]) -> Iterator[str]:
    """How near the model comes to the numbers that calibrate it, and which of them show nothing."""
    if not fits:
        return
    alone = sum(fit.fit_alone for fit in fits)
    untried = sum(not fit.fit_alone and fit.out_of_sample_error is None for fit in fits)
    sentence = f"In sample, half of the {len(fits)} fitted numbers are within {words.size_text(in_sample_median(fits))}"
    if alone:
        sentence += f"; {alone} of them alone determine their constant, so their agreement is no evidence"
    if untried:
        sentence += f"; {untried} of them were not predicted without their row"
    yield f"{sentence}."


def _out_of_sample(outside: Sequence[Comparison]) -> Iterator[str]:
    """How near it comes to numbers that it does not know, and to those whose measurements were repeated."""
    if not outside:
        return
    times = [comparison for comparison in outside if kind_of(comparison.number) == "time"]
    exact = [comparison for comparison in outside if is_as_printed(comparison.out_of_sample_error)]
    counts = sum(kind_of(comparison.number) == "count" for comparison in exact)
    median = words.size_text(out_of_sample_median(outside))
    sentence = (
        f"Out of sample, half of {plural(len(outside), 'number')} are within {median}; {len(exact)} of them are exact, "
        f"of which {counts} are counts."
    )
    if times:
        sentence += f" Of the {len(times)} times alone, half are within {words.size_text(out_of_sample_median(times))}."
    yield sentence
    spread = [comparison for comparison in outside if comparison.number.spread is not None]
    nearer = sum(
        abs(comparison.out_of_sample_error or 0.0) <= (comparison.number.spread or 0.0) for comparison in spread
    )
    if spread:
        yield (
            f"For {len(spread)} of them the source gives the spread of repeated measurements. "
            f"{nearer} predictions are within that spread."
        )
