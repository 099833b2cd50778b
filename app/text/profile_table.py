"""The response-time profile as a table of cells, for every kind of work, and its lines on a terminal."""

from __future__ import annotations

from typing import Final

from blocktime.app.base.lines import NAME_WIDTH
from blocktime.app.text.outside import MARK, by_component, marked, what_the_mark_says
from blocktime.app.text.profile import ProfileRow, Scale, colour, folded, scale_of
from blocktime.app.text.section import Bar, CellTable, Section
from blocktime.app.text.transaction_text import percent, times_of
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds

LEAST_WIDTHS: Final = (NAME_WIDTH, 11, 7, 12, 9)
NARROW_WIDTHS: Final = (28, 10, 6, 9, 9)
Cells = tuple[str, ...]


def profile_section(result: RunResult) -> Section:
    """Where the time of one session goes, or of the mean transaction: the largest component first, the whole last."""
    scale, outside, of_one = scale_of([result]), by_component(result), result.transactions is not None
    whole = scale.whole + (f" {MARK}" if outside else "")
    parts = [*folded(result, outside)]
    ends = [(whole, _time(scale, result.time.elapsed_s), "100.0", "", "")]
    if result.time.last_session_s is not None:
        ends.append(("last session ends after", _time(scale, result.time.last_session_s), "", "", ""))
    rows = [
        ("component", scale.word, "%", "times" if of_one else "count", "each"),
        *((marked(part.name, outside), *_numbers(part, scale, of_one)) for part in parts),
        *ends,
    ]
    longest = max((part.seconds for part in parts), default=0.0)
    bars = [Bar(max(0.0, part.seconds / longest if longest else 0.0), colour=colour(part.name)) for part in parts]
    table = CellTable(rows, LEAST_WIDTHS, NARROW_WIDTHS, bars, sums=len(ends))
    heading = "Response-time profile" + " of one transaction" * of_one
    return Section(heading, [table], [*filter(None, [what_the_mark_says([result])])], colour="yellow")


def _numbers(row: ProfileRow, scale: Scale, of_one: bool) -> Cells:
    """The cells of a component behind its name; what is rare in one transaction keeps its first digits."""
    share = percent(row.fraction) if of_one else f"{round(100 * row.fraction, 1) + 0.0:.1f}"
    count = "" if row.count is None else times_of(row.count) if of_one else f"{row.count:,.0f}"
    each = "" if row.each_s is None else show_seconds(row.each_s)
    return _time(scale, row.seconds), share, count, each


def _time(scale: Scale, seconds: float) -> str:
    return f"{scale.per_s * seconds:,.{scale.digits}f}"
