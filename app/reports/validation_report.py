"""Every printed number against the model as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from blocktime.app.charts import validation_charts
from blocktime.app.charts.drawing import Figure
from blocktime.app.reports.html import page
from blocktime.app.text.validation_text import summary_sentences, summary_tables, validation_lines
from blocktime.model.units import show_number
from blocktime.model.version import blocktime_version
from blocktime.validation import Case, Comparison, Validation, words
from blocktime.validation.case import CaseNote, Cell, PrintedTable, Row
from blocktime.validation.fitted_constants import FittedConstant
from blocktime.validation.numbers import row_name, rows_of
from blocktime.validation.verdict_tally import case_of, groups, mechanism_of

MARKS: Final = {"within": "✓", "known_gap": "△", "fails": "✗", "gap_closed": "✗"}
MOST_NAMED: Final = 3
"""Numbers behind a constant that stand in its line; more of them open on a click."""
WIDTH: Final = 110
TITLE: Final = "Printed numbers against the model"
IN_FULL: Final = {
    "descr.": "descriptive", "gaps": "known gaps", "fails": "failed", "in %": "in sample, %",
    "out %": "out of sample, %", "of": "numbers", "exact": "of them exact",
}  # fmt: skip
"""Heads of the terminal's tables where there is room for them."""
Printed = Mapping[tuple[str, str, str], Comparison]
"""Table, row and column of a document -> its number against the model."""


@dataclass(frozen=True)
class DocumentCell:
    """A cell of a printed table: what stands there, and beneath it what the model says."""

    text: str
    look: str
    title: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)
    """Places in the page, and what each link is called."""
    lines: list[tuple[str, str]] = field(default_factory=list)
    """A word in bold, which may be empty, and what follows it."""


def validation_page(validation: Validation) -> str:
    """The summary in words, the charts, misses with their reasons, the fitted constants, and the documents' tables."""
    numbers = validation.numbers
    compared = [comparison for comparison in numbers if comparison.compared]
    cases = ", ".join(case.name for case in validation.cases)
    return page(
        "validation", title=TITLE, heading=TITLE, made=f"blocktime {blocktime_version()}; cases {cases}",
        summary=[text.replace(" %", "\N{NO-BREAK SPACE}%") for text in summary_sentences(validation)],
        judges=words.JUDGES,
        tables=[_in_full(rows) for rows in summary_tables(validation).values()] if compared else [],
        failures=[*map(words.miss_text, validation.failures)], charts=[*_charts(compared)],
        gap_count=len(validation.known_gaps),
        gaps=[
            (_sentence(reason), [*map(words.miss_text, same)])
            for reason, same in groups(validation.known_gaps, lambda comparison: comparison.note)
        ],
        constants=[*map(_constant, validation.constants)], most_named=MOST_NAMED,
        alone=sum(constant.only_a_fit for constant in validation.constants),
        documents=[_document(case, numbers) for case in validation.cases],
        text="\n".join(validation_lines(validation, WIDTH)), data=validation.to_json(),
    )  # fmt: skip


def _in_full(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """A table of the summary with its heads in full."""
    heads, *lines = rows
    return [[IN_FULL.get(head, head) for head in heads], *lines]


def _charts(compared: Sequence[Comparison]) -> Iterator[tuple[str, Figure, str]]:
    if not compared:
        return
    for title, (figure, finding) in (
        ("Errors by case", validation_charts.residuals(compared, case_of)),
        ("Errors by mechanism", validation_charts.residuals(compared, mechanism_of)),
    ):
        yield title, figure, f"{finding}."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _constant(constant: FittedConstant) -> dict[str, Any]:
    """A line of the table of constants."""
    return {
        "name": constant.name, "exact": f"{constant.value!r} {constant.unit}", "value": words.value_text(constant),
        "interval": words.interval_text(constant), "alone": constant.only_a_fit, "source": constant.source,
        "fitted_to": [", ".join(part for part in name.split(":") if part) for name in constant.fitted_to],
        "ranges": [f"{name} {_span(*limits)}" for name, limits in constant.range.items()], "note": constant.note,
    }  # fmt: skip


def _span(low: float, high: float) -> str:
    return show_number(low, 10) if low == high else f"{show_number(low, 10)} to {show_number(high, 10)}"


def _document(case: Case, numbers: Sequence[Comparison]) -> dict[str, Any]:
    """The tables of one document as they are printed, with what the model says beneath each number."""
    source = case.source
    comparisons = {
        (comparison.number.table, comparison.number.row, comparison.number.column): comparison
        for comparison in numbers
        if comparison.number.case == case.name
    }
    runs = "one run" if source.samples == 1 else f"{source.samples} runs"
    return {
        "id": case.name,
        "title": f"{source.author}: {source.title}",
        "system": f"{source.system}. {_sentence(runs)} behind a printed number.",
        "source": f"Source {source.key}: {source.locator}",
        "tables": [_table(case, table, comparisons) for table in case.table],
        "doubts": _notes(case, "doubt", case.doubt, [doubt.says for doubt in case.doubt]),
        "gaps": _notes(case, "gap", case.known_gap, [known_gap.reason for known_gap in case.known_gap]),
    }


def _notes(case: Case, what: str, entries: Sequence[CaseNote], texts: Sequence[str]) -> list[tuple[str, str]]:
    """What is doubted of a document's numbers, or not met of them: its place in the page, and its text."""
    return [
        (f"{case.name}-{what}-{place}", f"{entry.table}, {', '.join(entry.columns)}: {text}")
        for place, (entry, text) in enumerate(zip(entries, texts, strict=True), 1)
    ]


def _table(case: Case, table: PrintedTable, comparisons: Printed) -> dict[str, Any]:
    """One printed table: its rows and columns, in their order."""
    rows = rows_of(table)
    measured = [column for column in table.columns if column not in table.keys]
    units = {
        column: {comparisons[table.name, row_name(table, row), column].number.unit for row in rows}
        for column in measured
    }
    heads, lines = [], []
    for column in table.columns:
        alike = column in units and len(units[column]) == 1
        first = comparisons.get((table.name, row_name(table, rows[0]), column))
        heads.append(words.quantity_text(first) if alike and first is not None else column)
    for row in rows:
        cells = []
        for column in table.columns:
            if column in table.keys:
                cells.append(DocumentCell(str(row[column]), "key"))
                continue
            comparison = comparisons[table.name, row_name(table, row), column]
            unit = f" {comparison.number.unit}" if len(units[column]) > 1 and comparison.number.unit else ""
            cells.append(_cell(comparison, as_printed(row[column]) + unit, _links(case, table, row, column)))
        lines.append(cells)
    rule = "" if table.printed else " (not printed; it follows from the text)"
    descriptive = (
        comparisons[table.name, row_name(table, row), column].compared is False for row in rows for column in measured
    )
    return {"name": table.name, "locator": f"{table.locator}{rule}", "heads": heads, "rows": lines,
            "is_descriptive": all(descriptive)}  # fmt: skip


def as_printed(cell: Cell) -> str:
    """A cell of a case as its document has it, with thousands set apart."""
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _cell(comparison: Comparison, printed: str, links: list[tuple[str, str]]) -> DocumentCell:
    """A number as printed, with the prediction and its errors."""
    text = f"{words.bound_text(comparison)}{printed}"
    if not comparison.compared:
        return DocumentCell(text, "descriptive", comparison.note, links)
    lines = [("", f"{words.number_text(comparison.predicted)} {MARKS[comparison.verdict]}")]
    if comparison.in_sample:
        lines.append(("in", words.share_text(comparison.in_sample_error)))
    if comparison.fit_alone:
        lines.append(("", words.FIT_ALONE))
    elif not comparison.in_sample or comparison.out_of_sample_error is not None:
        lines.append(("out", words.share_text(comparison.out_of_sample_error)))
    if comparison.without_its_block_size_error is not None:
        lines.append(("without its size", words.share_text(comparison.without_its_block_size_error)))
    title = [words.verdict_text(comparison), f"tolerance {words.tolerance_text(comparison)}"]
    if comparison.number.spread is not None:
        spread = words.spread_text(comparison)
        lines.append(("", f"spread {spread}"))
        title.append(f"spread of the measurements {spread}: {comparison.number.spread_from}")
    title += [f"fits {', '.join(comparison.number.fits)}"] if comparison.in_sample else ["tests"]
    title += [part for part in (comparison.number.mechanism, comparison.left_out.why, comparison.note) if part]
    return DocumentCell(text, comparison.verdict, "; ".join(title), links, lines)


def _links(case: Case, table: PrintedTable, row: Row, column: str) -> list[tuple[str, str]]:
    """Links to what is doubted of the number and to the known gap that it is."""
    entries: tuple[tuple[str, Sequence[CaseNote]], ...] = (("doubt", case.doubt), ("gap", case.known_gap))
    return [
        (f"{case.name}-{what}-{place}", f"{what} {place}")
        for what, notes in entries
        for place, entry in enumerate(notes, 1)
        if entry.covers(table, row, column)
    ]
