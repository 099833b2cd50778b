"""Several answers side by side as plain text: times and counts in columns, and why they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from blocktime.app.base.lines import NAME_WIDTH, parted
from blocktime.app.text.outside import MARK, by_component, lettered, lines_of, marked, what_the_mark_says
from blocktime.app.text.profile import Scale, scale_of
from blocktime.app.text.quantities import Quantity, counts
from blocktime.app.text.section import CellTable, Fact, Section
from blocktime.app.text.transaction_text import util_sentence
from blocktime.app.text.uncertainty_text import difference_sentence
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, verdict
from blocktime.scenarios.uncertainty import Difference
from blocktime.scenarios.why import chance, changes, components, path, why


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

    def sentence(self, place: int) -> str:
        """What one answer differs in from the first, with its letter; empty where the scenarios are not known."""
        text = self.verdict(place) if self.scenarios else ""
        return f"{self.letters[place]}: {text}" if text and len(self.results) > 2 else text

    def verdict(self, place: int) -> str:
        """What one answer differs in from the first, in one sentence."""
        both = self.scenarios[0], self.scenarios[place]
        is_open = bool(self.sure) and self.sure[place - 1].sign == "either"
        return verdict.sentence(self.results[0], self.results[place], both, is_open=is_open)

    def reasons(self, place: int) -> list[str]:
        """Why one answer differs from the first, in sentences."""
        scenarios = (self.scenarios[0], self.scenarios[place]) if self.scenarios else None
        return why(self.results[0], self.results[place], scenarios)


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
    sections = chain([what_is_compared(comparison)], *compared(comparison, width).values())
    return parted(section.lines(width) for section in sections if section)


def compared(comparison: ScenarioComparison, width: int = 0) -> dict[str, list[Section]]:
    """The sections of a comparison by name, in their order, for a terminal of *width* or a page that scrolls."""
    results, letters = comparison.results, comparison.letters
    differences = [
        Fact("", text, bold=True) for place in range(1, len(results)) if (text := comparison.sentence(place))
    ]
    differences += [
        Fact("", text)
        for letter, result in zip(letters[1:], results[1:], strict=True)
        if (text := different_work(results[0], result, letter))
    ]
    differences += [
        Fact("", difference_sentence(difference, letter, letters[0]))
        for letter, difference in zip(letters[1:], comparison.sure, strict=False)
    ]
    return {
        "differences": [Section(rows=differences, label=0)],
        "side by side": [*side_by_side(results, letters, width)],
        "why": [_why(comparison, place) for place in range(1, len(letters))],
        "notes": [Section(rows=[*_notes(comparison)])],
    }


def what_is_compared(comparison: ScenarioComparison) -> Section:
    """Each answer: its letter, its name and how it was made."""
    facts = []
    for letter, result, name in zip(comparison.letters, comparison.results, comparison.names, strict=True):
        how = result.method if result.transactions else f"{result.method}; {path(result)}"
        facts.append(Fact(letter, f"{name} ({how})"))
    return Section(rows=facts, label=3)


def _why(comparison: ScenarioComparison, place: int) -> Section:
    letters = comparison.letters
    heading = f"Why {letters[place]} differs from {letters[0]}" if len(letters) > 2 else "Why"
    return Section(heading, [Fact("-", sentence) for sentence in comparison.reasons(place)], label=2)


def _notes(comparison: ScenarioComparison) -> Iterator[Fact]:
    """Warnings, constants beyond the range that they were fitted in, and what %util says of several drives."""
    results, letters = comparison.results, comparison.letters
    for notes, name, colour in (
        (warnings_of(results, letters), "warning", "yellow"),
        (lines_of([result.extrapolated for result in results], letters), "beyond", "yellow"),
        (util_of(results, letters), "%util", ""),
    ):
        yield from (Fact(name, note, colour) for note in notes)


def warnings_of(results: Sequence[RunResult], letters: Sequence[str]) -> list[str]:
    """The warnings of *results*, each once, with the letters of those that it is of unless it is of all."""
    both = zip(results, letters, strict=True)
    return lettered(((note, letter) for result, letter in both for note in result.warnings), len(results))


def util_of(results: Sequence[RunResult], letters: Sequence[str]) -> list[str]:
    """What %util says of a disk that serves several requests at once, for each of *results* that has one."""
    both = zip(results, letters, strict=True)
    return [f"{letter}: {text}" for result, letter in both if (text := util_sentence(result))]


LEAST_TIME: Final = 0.0005
"""What rounds to nothing in the table's digits."""
MOST_ROWS_APART: Final = 0.01
"""Rows returned that differ by no more are the same question."""


def letters_for(count: int) -> list[str]:
    """Short names of the answers compared: A, B, C…"""
    return [chr(ord("A") + index) if index < 26 else f"#{index + 1}" for index in range(count)]


def different_work(base: RunResult, other: RunResult, letter: str = "B") -> str:
    """That two answers are not of the same work, or return other rows, in one sentence; empty where they are alike."""
    if (base.transactions is None) != (other.transactions is None):
        first, second = ("one transaction" if result.transactions else "a whole run" for result in (base, other))
        return f"They are not the same work: A is {first}, {letter} is {second}."
    if "fetch" in base.calls and "fetch" in other.calls:
        rows = [result.calls["fetch"].rows for result in (base, other)]
        if abs(rows[1] - rows[0]) > MOST_ROWS_APART * max(rows):
            return f"They do not return the same rows: A {rows[0]:,.0f}, {letter} {rows[1]:,.0f}."
    return ""


def side_by_side(results: Sequence[RunResult], letters: Sequence[str], width: int = 0) -> Iterator[Section]:
    """Times and counts in columns, as many answers beside the first as fit in *width*, or all."""
    others = range(1, len(results))
    fit = max(1, (width - NAME_WIDTH - 12) // 33) if width else max(1, len(others))
    for at in range(0, len(others), fit):
        places = [0, *others[at : at + fit]]
        block, names = [results[place] for place in places], [letters[place] for place in places]
        yield Section(rows=[_times_apart(block, names, scale_of(results))])
        rows = [(quantity.name, *(_count(quantity, result) for result in block)) for quantity in counts(results)]
        rows = [("counts", *names), *(row for row in rows if any(row[1:]))]
        yield Section(rows=[CellTable(rows, (NAME_WIDTH, 12, 12, *[33] * (len(block) - 2)), bold=True)])
    if text := what_the_mark_says(results):
        yield Section(notes=[text], colour="yellow")


def _count(quantity: Quantity, result: RunResult) -> str:
    value = quantity.read(result)
    return quantity.missing.partition(":")[0] if value is None else quantity.unit.show(value)


def _times_apart(results: Sequence[RunResult], letters: Sequence[str], scale: Scale) -> CellTable:
    """The components of the times of *results*, the largest first, and the whole, against the first."""
    base, others = results[0], results[1:]
    parts = [components(result) for result in results]
    outside = {name: uses for result in results for name, uses in by_component(result).items()}
    largest = {
        change.name: max(part.get(change.name, 0.0) for part in parts)
        for other in others
        for change in changes(base, other)
    }
    heads = [cell for letter in letters[1:] for cell in (letter, f"{letter}-{letters[0]}", "%")]
    rows = [["seconds" if scale.per_s == 1 else f"{scale.word} of {scale.of}", letters[0], *heads]]
    for name in sorted(largest, key=lambda name: -largest[name]):
        times = [scale.per_s * part.get(name, 0.0) for part in parts]
        if any(abs(time) >= LEAST_TIME for time in times):
            rows.append([marked(name, outside), *_cells(*times)])
    wholes = [scale.per_s * result.time.elapsed_s for result in results]
    rows.append([scale.whole + (f" {MARK}" if outside else ""), *_cells(*wholes)])
    colours: dict[int, str] = {}
    for place, other in enumerate(others):
        if rows[-1][3 + 3 * place] != "=" and not chance(base, other):
            colour = "green" if wholes[place + 1] < wholes[0] else "red"
            colours |= dict.fromkeys(range(2 + 3 * place, 5 + 3 * place), colour)
    return CellTable(rows, (NAME_WIDTH, 12, *[12, 12, 9] * len(others)), sums=1, bold=True, colours=colours)


def _cells(before: float, *after: float) -> Iterator[str]:
    """The first time, then each other one with its difference from the first and the same in percent."""
    yield _seconds(before)
    for value in after:
        change = value - before
        difference, percent = (f"{change:+,.3f}", f"{round(100 * change / before, 1) + 0.0:+.1f}" if before else "")
        if abs(change) < 0.0005:
            difference, percent = "=", ""
        elif value >= 10 * before > 0:
            percent = f"×{value / before:,.0f}"
        yield from (_seconds(value), difference, percent)


def _seconds(value: float) -> str:
    if 0 < value < 0.0005:
        return "< 0.001"
    return f"{round(value, 3) + 0.0:,.3f}" if value else "-"
