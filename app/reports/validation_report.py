"""Every printed number against the model as one self-contained page: plots inlined, no network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final

from click import unstyle

from blocktime.app.charts import validation_charts
from blocktime.app.reports.html import bullets, details, heading, page, plot
from blocktime.app.reports.html import table as plain_table
from blocktime.app.text.validation_text import summary_sentences, summary_tables, validation_lines
from blocktime.model.units import show_number
from blocktime.model.version import blocktime_version
from blocktime.validation import Case, Comparison, Validation, words
from blocktime.validation.case import CaseNote, Cell, PrintedTable, Row
from blocktime.validation.fitted import FittedConstant
from blocktime.validation.numbers import row_name, rows_of
from blocktime.validation.tally import case_of, groups, mechanism_of

MARKS: Final = {"within": "✓", "known_gap": "△", "fails": "✗", "gap_closed": "✗"}
MOST_NAMED: Final = 3
WIDTH: Final = 110
IN_FULL: Final = {
    "descr.": "descriptive", "gaps": "known gaps", "fails": "failed", "in %": "in sample, %",
    "out %": "out of sample, %", "of": "numbers", "exact": "of them exact",
}  # fmt: skip
"""Heads of the terminal's tables where there is room for them."""
PAGE_STYLE: Final = """<style>
:root { color-scheme: light dark; --ink: #1d2329; --soft: #5a646e; --line: #e3e7ea; --paper: #fff; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dde4ea; --soft: #9aa7b3; --line: #33404d; --paper: #10161d; --bad: #ff8a80; }
}
body { color: var(--ink); background: var(--paper); max-width: 76rem; }
a { color: inherit; }
.made, .soft, td small, caption { color: var(--soft); }
th, td { border-bottom-color: var(--line); }
.scroll { overflow-x: auto; margin-bottom: 1.2rem; }
table.printed th, table.printed td, table.list th, table.list td { padding: .2rem .6rem; vertical-align: top; }
table.list { font-size: .9rem; width: 100%; }
table.list p { margin: 0; }
table.list td:nth-child(1) { width: 17%; }
table.list td:nth-child(4) { width: 27%; }
table.list td:nth-child(6) { width: 27%; }
table.printed td { white-space: nowrap; }
table.printed td.key { text-align: left; font-weight: 600; }
table.list th, table.list td { text-align: left; }
table.list td.figure { text-align: right; white-space: nowrap; }
td small { display: block; line-height: 1.3; }
td small b { font-weight: 600; color: var(--ink); }
td.fails b, td.gap_closed b, td.fails small, .bad { color: var(--bad); }
td.known_gap { outline: 1px dashed var(--soft); outline-offset: -2px; }
td.descriptive { color: var(--soft); font-style: italic; }
sup { line-height: 0; }
td.key:first-child { position: sticky; left: 0; background: var(--paper); }
li:target { outline: 2px solid var(--soft); outline-offset: 2px; }
sup a { text-decoration: none; padding: 0 .1rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .1rem; }
.locator { color: var(--soft); margin: 0 0 .4rem; font-size: .9rem; }
.js-plotly-plot .main-svg :not(.hoverlayer *):is(text, tspan) { fill: var(--ink) !important; }
</style>
"""


def validation_page(validation: Validation) -> str:
    """The summary in words, the charts, misses with their reasons, the fitted constants, and the documents' tables."""
    numbers = validation.numbers
    cases = ", ".join(case.name for case in validation.cases)
    body = [
        heading("Printed numbers against the model", f"blocktime {blocktime_version()}; cases {cases}"),
        *_summary(validation),
        *_failures(validation),
        *_charts(validation),
        *_known_gaps(validation),
        *_constants(validation.constants),
        *(part for case in validation.cases for part in _document(case, numbers)),
        *_as_text(validation),
        details("The same as JSON", validation.to_json()),
    ]
    return page("Printed numbers against the model", body, PAGE_STYLE)


def _summary(validation: Validation) -> Iterator[str]:
    for sentence in summary_sentences(validation):
        yield f"<p>{escape(_unbroken(sentence))}</p>"
    compared = [comparison for comparison in validation.numbers if comparison.compared]
    if not compared:
        return
    yield (
        '<p class="soft">In sample: the error of a number that constants were fitted to. Out of sample: the error of a '
        "number that nothing was fitted to, or of a fitted number predicted without its row. A number printed as 0 "
        f"has no relative error. The errors of a group are medians. {words.JUDGES}</p>"
    )
    for heads, *rows in summary_tables(validation).values():
        named = [IN_FULL.get(head, head) for head in heads]
        yield f'<div class="scroll">{plain_table([named, *rows])}</div>'


def _unbroken(sentence: str) -> str:
    """*sentence* with each sign for percent kept at its number."""
    return sentence.replace(" %", "\N{NO-BREAK SPACE}%")


def _failures(validation: Validation) -> Iterator[str]:
    if validation.failures:
        items = bullets(map(words.miss_text, validation.failures), ' class="bad"')
        yield f'<h2 id="failed">{len(validation.failures)} failed</h2>{items}'


def _charts(validation: Validation) -> Iterator[str]:
    compared = [comparison for comparison in validation.numbers if comparison.compared]
    if not compared:
        return
    for place, (title, (figure, finding)) in enumerate(
        (
            ("Predicted against measured", validation_charts.predicted_against_measured(compared)),
            ("Errors by case", validation_charts.residuals(compared, case_of)),
            ("Errors by mechanism", validation_charts.residuals(compared, mechanism_of)),
        )
    ):
        yield f"<h2>{title}</h2><p>{escape(finding)}.</p>"
        yield plot(figure, f"numbers_{place}", with_plotly=place == 0)


def _known_gaps(validation: Validation) -> Iterator[str]:
    if not validation.known_gaps:
        return
    yield f'<h2 id="gaps">{len(validation.known_gaps)} known gaps</h2>'
    for reason, same in groups(validation.known_gaps, lambda comparison: comparison.note):
        yield f"<p>{escape(_sentence(reason))}</p>{bullets(map(words.miss_text, same))}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _constants(constants: Sequence[FittedConstant]) -> Iterator[str]:
    if not constants:
        return
    alone = sum(constant.only_a_fit for constant in constants)
    yield f'<h2 id="constants">{len(constants)} fitted constants</h2>'
    yield f"<p>{alone} of them depend on a single number: no evidence. Intervals are of 95 % confidence.</p>"
    rows = []
    for constant in constants:
        about = [f"<p>{escape(constant.note)}</p>"] if constant.note else []
        limits = [f"{escape(name)} {_span(*limits)}" for name, limits in constant.range.items()]
        fit = "<br><b>fitted to one number</b>" if constant.only_a_fit else ""
        rows.append(
            f"<tr><td>{escape(constant.name)}</td>"
            f'<td class="figure" title="{constant.value!r} {escape(constant.unit)}">'
            f'{escape(words.value_text(constant))}</td><td class="figure">{escape(words.interval_text(constant))}</td>'
            f"<td>{_named(constant.fitted_to)}{fit}</td>"
            f"<td>{'<br>'.join(limits)}</td><td>{escape(constant.source)}{''.join(about)}</td></tr>"
        )
    heads = ("constant", "value", "interval", "fitted to", "in the range", "source and note")
    yield _table_of("list", heads, rows)


def _span(low: float, high: float) -> str:
    return show_number(low, 10) if low == high else f"{show_number(low, 10)} to {show_number(high, 10)}"


def _named(identities: Sequence[str]) -> str:
    """Numbers by case, table, row and column; many of them open on a click."""
    texts = [escape(", ".join(part for part in identity.split(":") if part)) for identity in identities]
    if len(texts) <= MOST_NAMED:
        return "<br>".join(texts)
    return f"<details><summary>{len(texts)} numbers</summary>{'<br>'.join(texts)}</details>"


def _document(case: Case, numbers: Iterable[Comparison]) -> Iterator[str]:
    """The tables of one document as they are printed, with what the model says beneath each number."""
    source = case.source
    comparisons = {
        (comparison.number.table, comparison.number.row, comparison.number.column): comparison
        for comparison in numbers
        if comparison.number.case == case.name
    }
    title = f"{source.author}: {source.title}"
    yield f'<h2 id="{escape(case.name)}">{escape(title)}</h2>'
    runs = "one run" if source.samples == 1 else f"{source.samples} runs"
    yield (
        f"<p>{escape(source.system)}. {_sentence(runs)} behind a printed number. "
        f'<span class="soft">Source {escape(source.key)}: {escape(source.locator)}</span></p>'
    )
    yield (
        '<p class="soft">First as printed; beneath it the prediction and its error, <b>in</b> sample or <b>out</b> of '
        "sample. ✓ within its tolerance, △ known gap, ✗ fails; italics: descriptive, nothing predicts it. Hover over a "
        "number for its tolerance and notes.</p>"
    )
    for table in case.table:
        drawn = _printed(case, table, comparisons)
        if all(comparisons[table.name, row_name(table, row), column].compared is False
               for row in rows_of(table) for column in _measured(table)):  # fmt: skip
            yield f"<details><summary>{escape(table.name)}: descriptive alone</summary>{drawn}</details>"
        else:
            yield drawn
    yield from _against(case, "doubt", case.doubt, [doubt.says for doubt in case.doubt])
    yield from _against(case, "gap", case.known_gap, [known_gap.reason for known_gap in case.known_gap])


def _measured(table: PrintedTable) -> list[str]:
    return [column for column in table.columns if column not in table.keys]


def _printed(case: Case, table: PrintedTable, comparisons: Mapping[tuple[str, str, str], Comparison]) -> str:
    """One printed table: its rows and columns, in their order."""
    rows = rows_of(table)
    units = {
        column: {comparisons[table.name, row_name(table, row), column].number.unit for row in rows}
        for column in _measured(table)
    }
    heads = []
    for column in table.columns:
        alike = column in units and len(units[column]) == 1
        first = comparisons.get((table.name, row_name(table, rows[0]), column))
        heads.append(words.quantity_text(first) if alike and first is not None else column)
    lines = []
    for row in rows:
        cells = []
        for column in table.columns:
            if column in table.keys:
                cells.append(f'<td class="key">{escape(str(row[column]))}</td>')
                continue
            comparison = comparisons[table.name, row_name(table, row), column]
            unit = f" {comparison.number.unit}" if len(units[column]) > 1 and comparison.number.unit else ""
            cells.append(_cell(comparison, as_printed(row[column]) + unit, _links(case, table, row, column)))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    rule = "" if table.printed else " (not printed; it follows from the text)"
    return f'<h3>{escape(table.name)}</h3><p class="locator">{escape(table.locator)}{rule}</p>' + _table_of(
        "printed", heads, lines
    )


def as_printed(cell: Cell) -> str:
    """A cell of a case as its document has it, with thousands set apart."""
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _cell(comparison: Comparison, printed: str, links: str) -> str:
    text = f"<span>{words.bound_text(comparison)}{escape(printed)}</span>{links}"
    if not comparison.compared:
        return f'<td class="descriptive" title="{escape(comparison.note)}">{text}</td>'
    lines = [f"{words.number_text(comparison.predicted)} {MARKS[comparison.verdict]}"]
    if comparison.in_sample:
        lines.append(f"<b>in</b> {words.share_text(comparison.in_sample_error)}")
    if comparison.fit_alone:
        lines.append(words.FIT_ALONE)
    elif not comparison.in_sample or comparison.out_of_sample_error is not None:
        lines.append(f"<b>out</b> {words.share_text(comparison.out_of_sample_error)}")
    if comparison.without_its_block_size_error is not None:
        lines.append(f"<b>without its size</b> {words.share_text(comparison.without_its_block_size_error)}")
    if comparison.number.spread is not None:
        lines.append(f"spread {words.spread_text(comparison)}")
    title = [words.verdict_text(comparison), f"tolerance {words.tolerance_text(comparison)}"]
    if comparison.number.spread is not None:
        title.append(
            f"spread of the measurements {words.spread_text(comparison)}: {comparison.number.spread_from}"
        )
    title += [f"fits {', '.join(comparison.number.fits)}"] if comparison.in_sample else ["tests"]
    title += [
        part for part in (comparison.number.mechanism, comparison.left_out.why, comparison.note) if part
    ]
    beneath = "".join(f"<small>{line}</small>" for line in lines)
    return f'<td class="{comparison.verdict}" title="{escape("; ".join(title))}">{text}{beneath}</td>'


def _links(case: Case, table: PrintedTable, row: Row, column: str) -> str:
    """Links to what is doubted of the number and to the known gap that it is."""
    texts = []
    entries: tuple[tuple[str, Sequence[CaseNote]], ...] = (("doubt", case.doubt), ("gap", case.known_gap))
    for what, those in entries:
        for place, entry in enumerate(those, 1):
            if entry.covers(table, row, column):
                texts.append(f'<a href="#{escape(case.name)}-{what}-{place}">{what} {place}</a>')
    return f"<sup>{' '.join(texts)}</sup>" if texts else ""


def _against(case: Case, what: str, entries: Sequence[CaseNote], texts: Sequence[str]) -> Iterator[str]:
    if not entries:
        return
    title = {
        "doubt": "Doubts about printed numbers (the numbers themselves are never changed)",
        "gap": "Known gaps",
    }[what]
    items = "".join(
        f'<li id="{escape(case.name)}-{what}-{place}">{escape(entry.table)}, {escape(", ".join(entry.columns))}: '
        f"{escape(text)}</li>"
        for place, (entry, text) in enumerate(zip(entries, texts, strict=True), 1)
    )
    yield f"<h3>{title}</h3><ol>{items}</ol>"


def _as_text(validation: Validation) -> Iterator[str]:
    """The tables of the terminal, with errors in sample and out of sample in separate columns."""
    text = escape(unstyle("\n".join(validation_lines(validation, WIDTH))))
    yield f"<details><summary>Every number in a line, as in the terminal</summary><pre>{text}</pre></details>"


def _table_of(kind: str, heads: Iterable[str], rows: Iterable[str]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    return f'<div class="scroll"><table class="{kind}"><tr>{head}</tr>{"".join(rows)}</table></div>'
