"""Several answers side by side as plain text: times and counts in columns, and why they differ."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from click import style

from blocktime.app.base.lines import NAME_WIDTH, head, parted, wrapped
from blocktime.app.text.outside import MARK, by_component, lettered, lines_of, marked, what_the_mark_says
from blocktime.app.text.profile import Scale, scale_of
from blocktime.app.text.quantities import Quantity, counts
from blocktime.app.text.transaction_text import tps, util_sentence
from blocktime.app.text.uncertainty_text import difference_sentence
from blocktime.model.results import RunResult
from blocktime.model.units import show_alike, show_change, show_seconds
from blocktime.scenarios import Scenario
from blocktime.scenarios.compare import chance, changes, components, path, why
from blocktime.scenarios.uncertainty import Difference
from blocktime.scenarios.why_streams import overlapped


class ScenarioComparison(NamedTuple):
    """Several answers against the first, with the scenarios that they answer where those are known."""

    results: Sequence[RunResult]
    titles: Sequence[str]
    scenarios: Sequence[Scenario] = ()
    sure: Sequence[Difference] = ()
    """How sure the difference of each of the others is, where that is told beside it."""

    @property
    def letters(self) -> list[str]:
        """Short names of the answers: A, B, C…"""
        return letters_for(len(self.results))

    @property
    def names(self) -> list[str]:
        """Scenario and title of each answer."""
        both = zip(self.results, self.titles, strict=True)
        return [f"{result.scenario} – {title}" if title else result.scenario for result, title in both]

    def reasons(self, place: int) -> list[str]:
        """Why one answer differs from the first, in sentences."""
        asked = (self.scenarios[0], self.scenarios[place]) if self.scenarios else None
        return why(self.results[0], self.results[place], asked)


def compare_lines(
    results: Sequence[RunResult],
    titles: Sequence[str],
    *,
    width: int = 80,
    scenarios: Sequence[Scenario] = (),
    sure: Sequence[Difference] = (),
) -> Iterator[str]:
    """Several answers side by side against the first, and why they differ, with what *scenarios* set otherwise."""
    comparison = ScenarioComparison(results, titles, scenarios, sure)
    return parted(
        filter(None, ([*what_is_compared(comparison, width)], *compared(comparison, width).values()))
    )


def compared(comparison: ScenarioComparison, width: int) -> dict[str, list[str]]:
    """The sections of a comparison by name, in their order; terminal and HTML file draw them."""
    results, letters = comparison.results, comparison.letters
    differences: list[str] = []
    for letter, result in zip(letters[1:], results[1:], strict=True):
        differences += wrapped(difference_line(results[0], result, letter), width, bold=True)
    for letter, difference in zip(letters[1:], comparison.sure, strict=False):
        differences += wrapped(difference_sentence(difference, letter, letters[0]), width)
    return {
        "differences": differences,
        "side by side": [*side_by_side_lines(results, letters, width)],
        **{f"why {letter}": [*_why(comparison, place, width)] for place, letter in enumerate(letters[1:], 1)},
        "notes": [*_notes(comparison, width)],
    }


def what_is_compared(comparison: ScenarioComparison, width: int) -> Iterator[str]:
    """A line for each answer: its letter, its name and how it was made."""
    for letter, result, name in zip(comparison.letters, comparison.results, comparison.names, strict=True):
        how = result.method if result.transactions else f"{result.method}; {path(result)}"
        yield from wrapped(f"{name} ({how})", width, first=f"{letter}  ")


def _why(comparison: ScenarioComparison, place: int, width: int) -> Iterator[str]:
    """Why one answer differs from the first: a heading, and its sentences."""
    letters = comparison.letters
    yield head(f"Why {letters[place]} differs from {letters[0]}" if len(letters) > 2 else "Why")
    for sentence in comparison.reasons(place):
        yield from wrapped(sentence, width, first="- ")


def _notes(comparison: ScenarioComparison, width: int) -> Iterator[str]:
    """Warnings, constants beyond the range that they were fitted in, and what %util says of several drives."""
    results, letters = comparison.results, comparison.letters
    for notes, name, colour in (
        (warnings_of(results, letters), "warning   ", "yellow"),
        (lines_of([result.extrapolated for result in results], letters), "beyond    ", "yellow"),
        (util_of(results, letters), "%util     ", None),
    ):
        for note in notes:
            yield from wrapped(note, width, first=name, colour=colour)


def warnings_of(results: Sequence[RunResult], letters: Sequence[str]) -> list[str]:
    """The warnings of *results*, each once, with the letters of those that it is of unless it is of all."""
    both = zip(results, letters, strict=True)
    return lettered(((note, letter) for result, letter in both for note in result.warnings), len(results))


def util_of(results: Sequence[RunResult], letters: Sequence[str]) -> list[str]:
    """What %util says of a disk that serves several requests at once, for each of *results* that has one."""
    both = zip(results, letters, strict=True)
    return [f"{letter}: {text}" for result, letter in both if (text := util_sentence(result))]


LEAST_SHOWN: Final = 0.0005
"""What rounds to nothing in the table's digits."""
MOST_ROWS_APART: Final = 0.01
"""Rows returned that differ by no more are the same question."""


def letters_for(count: int) -> list[str]:
    """Short names of the answers compared: A, B, C…"""
    return [chr(ord("A") + index) if index < 26 else f"#{index + 1}" for index in range(count)]


def difference_line(base: RunResult, other: RunResult, letter: str = "B") -> str:
    """How the elapsed times differ, in one sentence."""
    before, after = base.time.elapsed_s, other.time.elapsed_s
    call = _of_a_call(base, other, letter)
    of = ""
    if base.transactions is not None and other.transactions is not None:
        of = "a transaction of "
        call = f" {letter} does {tps(other.transactions.per_s)} TPS, A {tps(base.transactions.per_s)}."
    if (base.transactions is None) != (other.transactions is None):
        first, second = (
            "one transaction" if result.transactions else "a whole run" for result in (base, other)
        )
        call = f" They are not the same work: A is {first}, {letter} is {second}."
    elif "fetch" in base.calls and "fetch" in other.calls:
        rows = [result.calls["fetch"].rows for result in (base, other)]
        if abs(rows[1] - rows[0]) > MOST_ROWS_APART * max(rows):
            call += f" They do not return the same rows: A {rows[0]:,.0f}, {letter} {rows[1]:,.0f}."
    shown = show_alike(before, after, abs(after - before))
    times = f"{of.capitalize()}{letter} takes {shown[1]}, {'one of ' if of else ''}A {shown[0]}"
    if shown[0] == shown[1]:
        return f"{of.capitalize()}{letter} takes as long as {'one of ' if of else ''}A: {shown[1]}.{call}"
    if unclear := chance(base, other):
        return f"{times}: {unclear}.{call}"
    change = show_change(before, after)
    if change.startswith("×"):
        change = f"{change[1:]} times as long"
    less = "less" if after < before else "more"
    return f"{times}: {shown[2]} {less}{change and ', '}{change}.{call}"


def _of_a_call(base: RunResult, other: RunResult, letter: str) -> str:
    """What a call takes, where calls are under way at once and the elapsed time says little."""
    if not base.streams or not other.streams or not overlapped(base, other):
        return ""
    before, after = (show_seconds(result.streams[0].response_s) for result in (base, other) if result.streams)
    return f" A call of {letter} takes {after}, one of A {before}."


def side_by_side_lines(
    results: Sequence[RunResult], letters: Sequence[str], width: int = 80
) -> Iterator[str]:
    """Times and counts in columns, as many answers beside the first as fit in *width*."""
    fit = max(1, (width - NAME_WIDTH - 12) // 33)
    others = range(1, len(results))
    yield from parted(
        _side_by_side(results, letters, others[at : at + fit]) for at in range(0, len(others), fit)
    )
    if text := what_the_mark_says(results):
        yield ""
        yield from wrapped(text, width, colour="yellow")


def _side_by_side(
    results: Sequence[RunResult], letters: Sequence[str], shown: Sequence[int]
) -> Iterator[str]:
    scale = scale_of(results)
    both = [results[0], *(results[i] for i in shown)]
    base, others = letters[0], [letters[i] for i in shown]
    yield head(
        f"{'seconds' if scale.per_s == 1 else f'{scale.word} of {scale.of}':<{NAME_WIDTH}}{base:>12}"
        + "".join(f"{other:>12}{other + '-' + base:>12}{'%':>9}" for other in others)
    )
    yield from _times_apart(both, scale)
    yield ""
    heading = f"{'counts':<{NAME_WIDTH}}{base:>12}" + "".join(f"{other:>12}{'':>21}" for other in others)
    yield head(heading.rstrip())
    for quantity in counts(results):
        values = [_count(quantity, result) for result in both]
        cells = f" {values[0]:>11}" + "".join(f" {value:>11}{'':>21}" for value in values[1:])
        first, *more = textwrap.wrap(quantity.name, NAME_WIDTH - 1, subsequent_indent="  ")
        if any(values):
            yield f"{first:<{NAME_WIDTH}}{cells}".rstrip()
            yield from more


def _count(quantity: Quantity, result: RunResult) -> str:
    value = quantity.read(result)
    return quantity.missing.partition(":")[0] if value is None else quantity.unit.show(value)


def _times_apart(results: Sequence[RunResult], scale: Scale) -> Iterator[str]:
    """The components of the times of *results*, the largest first, and the whole, against the first."""
    base, others = results[0], results[1:]
    parts = [components(result) for result in results]
    outside = {name: uses for result in results for name, uses in by_component(result).items()}
    largest = {
        change.name: max(part.get(change.name, 0.0) for part in parts)
        for other in others
        for change in changes(base, other)
    }
    for name in sorted(largest, key=lambda name: -largest[name]):
        before, *after = (scale.per_s * part.get(name, 0.0) for part in parts)
        if any(abs(time) >= LEAST_SHOWN for time in (before, *after)):
            yield from _difference(marked(name, outside), before, after)
    last = scale.whole + (f" {MARK}" if outside else "")
    before, *after = (scale.per_s * result.time.elapsed_s for result in results)
    yield from _difference(last, before, after, [bool(chance(base, other)) for other in others])


def _difference(
    name: str, before: float, after: Sequence[float], unsure: Sequence[bool] | None = None
) -> Iterator[str]:
    """A line of the table; the last one, which says where the difference is *unsure*, is bold and coloured."""
    first, *more = textwrap.wrap(name, NAME_WIDTH - 1, subsequent_indent="  ")
    line = f"{first:<{NAME_WIDTH}}{_seconds(before):>12}"
    for place, value in enumerate(after):
        change = value - before
        percent = f"{round(100 * change / before, 1) + 0.0:+.1f}" if before else ""
        difference = f"{change:+,.3f}"
        if abs(change) < 0.0005:
            difference, percent = "=", ""
        elif value >= 10 * before > 0:
            percent = f"×{value / before:,.0f}"
        cell = f"{_seconds(value):>12}{difference:>12}{percent:>9}"
        certain = unsure is not None and not unsure[place] and difference != "="
        line += style(cell, fg="green" if change < 0 else "red") if certain else cell
    yield line.rstrip() if unsure is None else style(line.rstrip(), bold=True)
    yield from more


def _seconds(value: float) -> str:
    if 0 < value < 0.0005:
        return "< 0.001"
    return f"{round(value, 3) + 0.0:,.3f}" if value else "-"
