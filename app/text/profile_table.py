"""The response-time profile as a table of cells, for every kind of work, and its lines on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from click import style

from blocktime.app.base.lines import NAME_WIDTH, aligned, head, wrapped
from blocktime.app.text.outside import MARK, by_component, marked, what_the_mark_says
from blocktime.app.text.profile import ProfileRow, Scale, colour, folded, scale_of
from blocktime.app.text.transaction_text import NARROW, percent, times_of
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds

LEAST_WIDTHS: Final = (NAME_WIDTH, 11, 7, 12, 9)
NARROW_WIDTHS: Final = (28, 10, 6, 9, 9)
MOST_BAR: Final = 40
Cells = tuple[str, ...]


class ProfileTable(NamedTuple):
    """Cells of the profile: component, time, share, how often, and what one takes."""

    title: str
    head: Cells
    rows: list[tuple[ProfileRow, Cells]]
    """The largest first."""
    ends: Sequence[Cells]
    """The whole, and when the last of several sessions ends."""

    @property
    def lines(self) -> list[Cells]:
        """All of them, from the head to the end."""
        return [self.head, *(cells for _, cells in self.rows), *self.ends]


def profile_table(result: RunResult) -> ProfileTable:
    """Where the time of one session goes, or of the mean transaction."""
    scale, outside, of_one = scale_of([result]), by_component(result), result.transactions is not None
    whole = scale.whole + (f" {MARK}" if outside else "")
    ends = [(whole, _time(scale, result.time.elapsed_s), "100.0", "", "")]
    if result.time.last_session_s is not None:
        ends.append(("last session ends after", _time(scale, result.time.last_session_s), "", "", ""))
    return ProfileTable(
        "Response-time profile" + " of one transaction" * of_one,
        ("component", scale.word, "%", "times" if of_one else "count", "each"),
        [
            (row, (marked(row.name, outside), *_numbers(row, scale, of_one)))
            for row in folded(result, outside)
        ],
        ends,
    )


def _numbers(row: ProfileRow, scale: Scale, of_one: bool) -> Cells:
    """The cells of a component behind its name; what is rare in one transaction keeps its first digits."""
    share = percent(row.fraction) if of_one else f"{round(100 * row.fraction, 1) + 0.0:.1f}"
    count = "" if row.count is None else times_of(row.count) if of_one else f"{row.count:,.0f}"
    each = "" if row.each_s is None else show_seconds(row.each_s)
    return _time(scale, row.seconds), share, count, each


def _time(scale: Scale, seconds: float) -> str:
    return f"{scale.per_s * seconds:,.{scale.digits}f}"


def profile_lines(result: RunResult, width: int = 80, bar: str = "█") -> Iterator[str]:
    """The response-time profile, sorted, with a bar where there is room for it."""
    table = profile_table(result)
    (name, *rooms), gap = (NARROW_WIDTHS, 1) if width < NARROW else (LEAST_WIDTHS, 2)
    columns = list(zip(*table.lines, strict=True))[1:]
    rooms = [
        max(room, *(gap + len(cell) for cell in cells)) for room, cells in zip(rooms, columns, strict=True)
    ]
    widths = [name, *rooms]
    room = max(0, min(MOST_BAR, width - sum(widths) - 3))
    longest = max((row.seconds for row, _ in table.rows), default=0.0)
    yield head(table.title)
    yield from aligned(table.head, widths)
    for row, cells in table.rows:
        length = round(room * row.seconds / longest) if longest > 0 else 0
        letters = bar * length if length > 0 else ""
        yield from aligned(cells, widths, f"  {style(letters, fg=colour(row.name))}" if letters else "")
    for cells in table.ends:
        yield from aligned(cells, widths)


def mark_lines(results: Sequence[RunResult], width: int = 80) -> Iterator[str]:
    """What the marks behind numbers say."""
    text = what_the_mark_says(results)
    yield from wrapped(text, width, colour="yellow") if text else ()
