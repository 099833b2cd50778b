"""The comparison as tables for a terminal: misses first and explained, then every number, then a summary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from validation.case import Case
from validation.compare import FAILURES, Comparison, Validation, median_error

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

WIDTH: Final = 110
TIMES: Final = ("s", "ms", "us")
STYLES: Final = {"within": "green", "fails": "bold red", "gap_closed": "bold red", "known_gap": "yellow"}
WORDS: Final = {"known_gap": "known gap", "gap_closed": "gap closed"}


def render(validation: Validation, console: Console) -> None:
    """Print misses with their reasons, one table for each document, and the summary."""
    _misses(validation, console)
    for case in validation.cases:
        _document(case, _of(case, validation), console)
    _summary(validation, console)


def number_text(value: float | None) -> str:
    """A measured or predicted number: counts whole, times to five figures."""
    if value is None:
        return "–"
    if abs(value - round(value)) < 1e-9 * max(1.0, abs(value)):
        return f"{round(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:.5g}"


def share_text(share: float | None) -> str:
    """A relative error in percent, with as many digits as it takes to see it."""
    if share is None:
        return "–"
    percent = 100 * share
    if percent == 0:
        return "0"
    digits = 1 if abs(percent) >= 1 else 2 if abs(percent) >= 0.1 else 3
    return f"{percent:+.{digits}f} %"


def tolerance_text(one: Comparison) -> str:
    """The tolerance as it was declared."""
    number = one.number
    if number.tolerance_absolute is not None:
        return f"± {number.tolerance_absolute:g}"
    return "exact" if not number.tolerance else f"{100 * number.tolerance:g} %"


def measured_text(one: Comparison) -> str:
    """The printed number, with the sign of a printed bound."""
    sign = {"at_least": "≥ ", "at_most": "≤ ", None: ""}[one.number.bound]
    return sign + number_text(one.number.printed)


def quantity_text(one: Comparison) -> str:
    """Column and, unless the column's name says it, unit."""
    number = one.number
    named = (
        not number.unit or number.column.endswith(f"_{number.unit}") or number.column == number.unit.lower()
    )
    return number.column if named else f"{number.column} [{number.unit}]"


def _misses(validation: Validation, console: Console) -> None:
    missed = [*validation.failures, *validation.known_gaps]
    if not missed:
        return
    _heading(console, f"{len(validation.failures)} failed, {len(validation.known_gaps)} known gaps")
    for same in _alike(missed):
        first = same[0]
        line = _plain(WORDS.get(first.verdict, first.verdict), STYLES[first.verdict])
        line.append(f"  {first.number.case}: {first.number.table}, {quantity_text(first)}", "default")
        console.print(line, width=WIDTH)
        for one in same:
            row = f"{one.number.row}: " if one.number.row else ""
            _line(
                console,
                f"    {row}measured {measured_text(one)}, predicted {number_text(one.predicted)}"
                f" ({share_text(one.relative_error)}, tolerance {tolerance_text(one)})",
            )
        if first.note:
            _line(console, _indented(first.note), "dim")
    console.print()


def _indented(text: str) -> str:
    from textwrap import fill  # noqa: PLC0415

    return fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def _alike(missed: Iterable[Comparison]) -> list[list[Comparison]]:
    """Misses of one column that have one explanation, together."""
    found: dict[tuple[str, str, str, str, str], list[Comparison]] = {}
    for one in missed:
        number = one.number
        found.setdefault((number.case, number.table, number.column, one.verdict, one.note), []).append(one)
    return list(found.values())


def _document(case: Case, numbers: list[Comparison], console: Console) -> None:
    from rich import box  # noqa: PLC0415
    from rich.table import Table as RichTable  # noqa: PLC0415

    source = case.source
    _heading(console, f"{source.document}: {source.author}, {source.title}")
    _line(console, source.system, "dim")
    table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, width=WIDTH)
    table.add_column("number", ratio=1, overflow="fold")
    for name, width in (("measured", 11), ("predicted", 11), ("error", 8), ("tolerance", 9)):
        table.add_column(name, justify="right", min_width=width, no_wrap=True)
    table.add_column("use", min_width=5, no_wrap=True)
    table.add_column("verdict", min_width=9, no_wrap=True)
    for same in _columns(numbers):
        _add(table, same)
    console.print(table)
    described = [one for one in numbers if not one.compared]
    if described:
        _line(console, f"and {len(described)} descriptive: {_described(described)}", "dim")
    console.print()


def _columns(numbers: list[Comparison]) -> list[list[Comparison]]:
    """Compared numbers by printed table and column, so that the rows of a column stand one below the other."""
    found: dict[tuple[str, str], list[Comparison]] = {}
    for one in numbers:
        if one.compared:
            found.setdefault((one.number.table, one.number.column), []).append(one)
    return list(found.values())


def _add(table: RichTable, same: list[Comparison]) -> None:
    """Add one printed column: a line for each row under its name, or a single line where there are no rows to name."""
    head = f"{same[0].number.table}: {quantity_text(same[0])}"
    named = bool(same[0].number.row)
    if named:
        table.add_row(_plain(head, "bold"))
    for one in same:
        table.add_row(
            _plain(f"  {one.number.row}") if named else _plain(head, "bold"),
            measured_text(one),
            number_text(one.predicted),
            share_text(one.relative_error),
            tolerance_text(one),
            one.number.mark,
            _plain(WORDS.get(one.verdict, one.verdict), STYLES[one.verdict]),
        )


def _described(numbers: list[Comparison]) -> str:
    counts: dict[str, int] = {}
    for one in numbers:
        name = f"{one.number.table} {one.number.column}"
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{name} ({count})" if count > 1 else name for name, count in counts.items())


def _summary(validation: Validation, console: Console) -> None:
    from rich import box  # noqa: PLC0415
    from rich.table import Table as RichTable  # noqa: PLC0415

    _heading(console, "Summary")
    table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("case", no_wrap=True)
    for name in ("printed", "descriptive", "fits", "tests", "within", "known gaps", "failed"):
        table.add_column(name, justify="right")
    groups = [(case.name, _of(case, validation)) for case in validation.cases]
    if len(groups) > 1:
        groups.append(("all", validation.numbers))
    for name, found in groups:
        verdicts = [one.verdict for one in found]
        marks = [one.number.mark for one in found]
        counts = (
            len(found),
            marks.count("descriptive"),
            marks.count("fits"),
            marks.count("tests"),
            verdicts.count("within"),
            verdicts.count("known_gap"),
            sum(verdict in FAILURES for verdict in verdicts),
        )
        table.add_row(name, *map(str, counts))
    console.print(table)
    fitted = [one for one in validation.numbers if one.in_sample]
    tests = [one for one in validation.numbers if one.number.mark == "tests"]
    inexact = [one for one in tests if one.number.unit in TIMES]
    _line(
        console,
        f"{len(validation.fitted_constants)} constants are fitted to {len(fitted)} numbers, half of them within "
        f"{_size(median_error(fitted))}. Of the {len(tests)} numbers that test, half are within "
        f"{_size(median_error(tests))}; of the {len(inexact)} times among them, within {_size(median_error(inexact))}.",
    )


def _of(case: Case, validation: Validation) -> list[Comparison]:
    return [one for one in validation.numbers if one.number.case == case.name]


def _size(share: float | None) -> str:
    return share_text(share).lstrip("+")


def _heading(console: Console, text: str) -> None:
    console.print(_plain(text, "bold underline"), width=WIDTH)


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(_plain(text, style), width=WIDTH)


def _plain(text: str, style: str = "") -> Text:
    from rich.text import Text  # noqa: PLC0415

    return Text(text, style=style)
