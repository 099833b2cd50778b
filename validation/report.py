"""The comparison as tables for a terminal: misses first and explained, then every number, then a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from validation.case import Case
from validation.compare import ROUNDING, Comparison
from validation.tally import (
    NO_MECHANISM,
    Tally,
    by_case,
    by_mechanism,
    groups,
    in_sample_median,
    kind_of,
    mechanism_of,
    median_error,
    out_of_sample_median,
    tally,
)
from validation.validate import Validation
from validation.words import (
    FIT_ALONE,
    NOTHING,
    WORDS,
    measured_text,
    number_text,
    out_of_sample_text,
    percent_text,
    quantity_text,
    share_text,
    size_text,
    spread_text,
    tolerance_text,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

WIDEST: Final = 110
NARROWEST: Final = 72
STYLES: Final = {"within": "green", "fails": "bold red", "gap_closed": "bold red", "known_gap": "yellow"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a document's table, as wide as its texts; an optional one stands where it has something to say."""

    head: tuple[str, str]
    text: Callable[[Comparison], str]
    optional: bool = False


COLUMNS: Final = (
    Column(("", "measured"), measured_text),
    Column(("", "predicted"), lambda comparison: number_text(comparison.predicted)),
    Column(("in", "sample%"), lambda row: percent_text(row.in_sample_error)),
    Column(("out of", "sample%"), out_of_sample_text),
    Column(
        ("without", "its size%"), lambda row: percent_text(row.without_its_block_size_error), optional=True
    ),
    Column(("toler-", "ance"), tolerance_text),
    Column(("", "spread"), spread_text, optional=True),
)
USE: Final = 5
NAMES: Final = 12
"""Least width of the names of rows, however narrow the screen is."""


def render(validation: Validation, console: Console) -> None:
    """Print misses with their reasons, one table for each document, and the summary."""
    _misses(validation, console)
    if any(comparison.compared for comparison in validation.numbers):
        _legend(console)
    for case in validation.cases:
        _document(
            case,
            [comparison for comparison in validation.numbers if comparison.number.case == case.name],
            console,
        )
    _summary(validation, console)


def width_of(console: Console) -> int:
    """Columns to fill."""
    return min(WIDEST, max(NARROWEST, console.width))


def _misses(validation: Validation, console: Console) -> None:
    missed = [*validation.failures, *validation.known_gaps]
    if not missed:
        return
    _heading(console, f"{len(validation.failures)} failed, {len(validation.known_gaps)} known gaps")
    for same in _alike(missed):
        first = same[0]
        line = _plain(WORDS[first.verdict], STYLES[first.verdict])
        line.append(f"  {first.number.case}: {first.number.table}, {quantity_text(first)}", "default")
        console.print(line, width=width_of(console))
        for comparison in same:
            row = f"{comparison.number.row}: " if comparison.number.row else ""
            _line(
                console,
                f"{row}measured {measured_text(comparison)}, predicted {number_text(comparison.predicted)}"
                f" ({share_text(comparison.relative_error)}, tolerance {tolerance_text(comparison)})",
                indent=4,
            )
        if first.note:
            _line(console, first.note, "dim", indent=4)
    console.print()


def _alike(missed: Iterable[Comparison]) -> list[list[Comparison]]:
    """Misses of one column that have one explanation, together."""
    return [
        same
        for _, same in groups(
            missed,
            lambda comparison: "\0".join(
                (
                    comparison.number.case,
                    comparison.number.table,
                    comparison.number.column,
                    comparison.verdict,
                    comparison.note,
                )
            ),
        )
    ]


def _legend(console: Console) -> None:
    _line(
        console,
        "In sample: error of a number that constants were fitted to. Out of sample: error of a number that nothing was "
        f"fitted to, or of a fitted number predicted without its row. {FIT_ALONE}: no other number determines its "
        "constant. Spread: standard deviation of repeated measurements over their mean, where the source gives it. "
        "If use is fits, the verdict judges the error in sample.",
        "dim",
    )
    console.print()


def _document(case: Case, numbers: list[Comparison], console: Console) -> None:
    source = case.source
    _heading(console, f"{source.author}: {source.title}")
    _line(console, source.system, "dim")
    compared = [comparison for comparison in numbers if comparison.compared]
    if compared:
        _numbers(console, compared)
    for why, same in groups(
        (comparison for comparison in compared if comparison.fit_alone),
        lambda comparison: comparison.left_out.why,
    ):
        _line(console, f"{FIT_ALONE}: {_named(same)}: {why}", "dim")
    described = [number for number in numbers if not number.compared]
    if described:
        _line(console, f"and {len(described)} descriptive: {_named(described)}", "dim")
    console.print()


def _numbers(console: Console, compared: Sequence[Comparison]) -> None:
    """A line for each number, below the name of the printed column that it stands in."""
    columns = [
        column
        for column in COLUMNS
        if not column.optional or any(column.text(comparison) != NOTHING for comparison in compared)
    ]
    verdicts = max(len("verdict"), *(len(WORDS[comparison.verdict]) for comparison in compared))
    while True:
        widths = [max(map(len, (*column.head, *map(column.text, compared)))) for column in columns]
        room = width_of(console) - sum(widths) - len(widths) - 1 - USE - 1 - verdicts
        spare = [column for column in columns if column.optional]
        if room >= NAMES or not spare:
            break
        columns.remove(spare[-1])  # use and verdict matter more, and the page has every column
    names = max(NAMES, room)
    for first, place in (("", 0), ("number", 1)):
        heads = " ".join(
            f"{column.head[place]:>{width}}" for column, width in zip(columns, widths, strict=True)
        )
        last = f" {'use':<{USE}} verdict" if place else ""
        _row(console, _plain(f"{first:<{names}} {heads}{last}", "bold"))
    _row(console, _plain("─" * width_of(console), "dim"))
    for head, same in groups(compared, _column_of):
        line = _plain(head, "bold")
        mechanisms = sorted({mechanism_of(comparison) for comparison in same} - {NO_MECHANISM})
        line.append(f"  {', '.join(mechanisms)}", "dim")
        console.print(line, width=width_of(console))
        for comparison in same:
            name = f"  {comparison.number.row}"
            if len(name) > names:
                _row(console, _plain(name))
                name = ""
            cells = " ".join(
                f"{column.text(comparison):>{width}}" for column, width in zip(columns, widths, strict=True)
            )
            line = _plain(f"{name:<{names}} {cells} {comparison.number.mark:<{USE}} ")
            line.append(WORDS[comparison.verdict], STYLES[comparison.verdict])
            _row(console, line)


def _column_of(comparison: Comparison) -> str:
    return f"{comparison.number.table}: {quantity_text(comparison)}"


def _named(numbers: list[Comparison]) -> str:
    counts = {name: len(same) for name, same in groups(numbers, _name_of)}
    return ", ".join(f"{name} ({count})" if count > 1 else name for name, count in counts.items())


def _name_of(comparison: Comparison) -> str:
    return f"{comparison.number.table} {comparison.number.column}"


def _summary(validation: Validation, console: Console) -> None:
    numbers = validation.numbers
    cases, mechanisms = by_case(numbers), by_mechanism(numbers)
    _heading(console, "Summary")
    _line(
        console,
        "in %, out %: median error in sample and out of sample. A number printed as 0 has none.",
        "dim",
    )
    if len(cases) > 1:
        cases.append(tally("all", numbers))
    _tallies(console, "case", cases)
    if len(mechanisms) > 1:
        _tallies(console, "mechanism", mechanisms)
    _medians(console, numbers)
    for sentence in summary_sentences(validation):
        _line(console, sentence)


def _tallies(console: Console, what: str, tallies: Iterable[Tally]) -> None:
    rows = [
        (
            tally.name,
            *map(
                str,
                tally.counts,
            ),
            _size(tally.in_sample_median_error),
            _size(tally.held_out_median_error),
        )
        for tally in tallies
    ]
    heads = (what, "printed", "descr.", "fits", "tests", "within", "gaps", "fails", "in %", "out %")
    _small_table(console, heads, rows)


def _medians(console: Console, numbers: Sequence[Comparison]) -> None:
    """Median errors by what was measured; most counts are exact, and would hide how far times are off."""
    rows = []
    for name, comparisons in median_groups(numbers):
        inside = [
            comparison.in_sample_error for comparison in comparisons if comparison.in_sample_error is not None
        ]
        outside = [
            comparison.out_of_sample_error
            for comparison in comparisons
            if comparison.out_of_sample_error is not None
        ]
        exact = sum(is_as_printed(error) for error in outside)
        rows.append(
            (
                name,
                _size(median_error(inside)),
                str(len(inside)),
                _size(median_error(outside)),
                str(len(outside)),
                str(exact),
            )
        )
    _small_table(console, ("median error of", "in %", "of", "out %", "of", "exact"), rows)


def _small_table(console: Console, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich import box  # noqa: PLC0415
    from rich.table import Table as RichTable  # noqa: PLC0415

    table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=0)
    table.add_column(heads[0], overflow="fold")
    for head in heads[1:]:
        table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(_plain, row))
    console.print(table, width=width_of(console))
    console.print()


def _size(share: float | None) -> str:
    return percent_text(share).lstrip("+")


def median_groups(numbers: Sequence[Comparison]) -> list[tuple[str, list[Comparison]]]:
    """All that is compared, and by what was measured."""
    compared = [comparison for comparison in numbers if comparison.compared]
    kinds = {
        kind: [comparison for comparison in compared if kind_of(comparison.number) == kind]
        for kind in ("count", "time", "other")
    }
    return [
        ("all numbers", compared),
        ("counts (gets, reads, blocks, merges, waits)", kinds["count"]),
        ("times", kinds["time"]),
        ("others (bytes, rates, shares, costs)", kinds["other"]),
    ]


def is_as_printed(error: float | None) -> bool:
    """Whether a prediction is the printed number, but for the last digit of arithmetic."""
    return error is not None and abs(error) < ROUNDING


def summary_sentences(validation: Validation) -> list[str]:
    """What the comparison comes to, in words."""
    numbers = [comparison for comparison in validation.numbers if comparison.compared]
    if not numbers:
        return ["Nothing is compared."]
    fits = [comparison for comparison in numbers if comparison.in_sample]
    tests = len(numbers) - len(fits)
    each = f" ({tests / len(fits):.1f} tests for each fit)" if fits else ""
    return [
        f"Of {_many(len(validation.numbers), 'printed number')}, {len(numbers)} are compared with the model: "
        f"{len(fits)} calibrate {_many(len(validation.fitted_constants), 'constant')}, {tests} test it{each}.",
        *_of_fits(fits),
        *_out_of_sample([comparison for comparison in numbers if comparison.out_of_sample_error is not None]),
        f"{_many(len(validation.failures), 'number')} failed; {_many(len(validation.known_gaps), 'known gap')}.",
    ]


def _of_fits(fits: Sequence[Comparison]) -> Iterator[str]:
    """How near the model comes to the numbers that calibrate it, and which of them show nothing."""
    if not fits:
        return
    alone = sum(fit.fit_alone for fit in fits)
    untried = sum(not fit.fit_alone and fit.out_of_sample_error is None for fit in fits)
    sentence = (
        f"In sample, half of the {len(fits)} fitted numbers are within {size_text(in_sample_median(fits))}"
    )
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
    sentence = (
        f"Out of sample, half of {_many(len(outside), 'number')} are within "
        f"{size_text(out_of_sample_median(outside))}; {len(exact)} of them are exact, of which {counts} are counts."
    )
    if times:
        sentence += (
            f" Of the {len(times)} times alone, half are within {size_text(out_of_sample_median(times))}."
        )
    yield sentence
    spread = [comparison for comparison in outside if comparison.number.spread is not None]
    nearer = sum(
        abs(comparison.out_of_sample_error or 0.0) <= (comparison.number.spread or 0.0)
        for comparison in spread
    )
    if spread:
        yield (
            f"For {len(spread)} of them the source gives the spread of repeated measurements. "
            f"{nearer} predictions are within that spread."
        )


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _heading(console: Console, text: str) -> None:
    console.print(_plain(text, "bold underline"), width=width_of(console))


def _line(console: Console, text: str, style: str = "", indent: int = 0) -> None:
    from rich.padding import Padding  # noqa: PLC0415

    console.print(Padding(_plain(text, style), (0, 0, 0, indent), expand=False), width=width_of(console))


def _row(console: Console, line: Text) -> None:
    """A line of a table, which nothing may fold."""
    line.rstrip()
    console.print(line, width=width_of(console), no_wrap=True, overflow="ignore")


def _plain(text: str, style: str = "") -> Text:
    from rich.text import Text  # noqa: PLC0415

    return Text(text, style=style)
