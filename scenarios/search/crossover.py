"""Along one field, where two scenarios take equally long: which of them takes less time below, and which above."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal

from blocktime.model.errors import SpecError
from blocktime.scenarios.declared import takes_whole_numbers
from blocktime.scenarios.load import source_in, to_mapping
from blocktime.scenarios.search.search_axis import Along
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.sweeps.answers import PLACES, Answer, Item, SweepTask, answers
from blocktime.scenarios.sweeps.points import Points
from blocktime.scenarios.sweeps.sweep_spec import Axis

SCANNED: Final = 33
AT_ONCE: Final = 8
"""Answers between two calls of a progress."""
SAME: Final = 1e-9
"""Share of the elapsed time below which two are one."""
EQUAL: Final = 1e-3
"""Share that two may be apart where they are said to cross; farther apart they jump past each other."""

WHOLE: Final = frozenset({
    "table.pctfree_percent", "table.pctused_percent", "instance.replacement.percent_hot", "host.dirty_ratio_percent",
    "host.dirty_background_ratio_percent",
})  # fmt: skip
"""Whole numbers to Oracle and to Linux, though a scenario may have any."""

Less = Literal["first", "second", "neither", "unknown"]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class TimesAt:
    """Elapsed seconds of both scenarios at one value of the field; NaN where there is no answer."""

    value: Any
    first_s: float
    second_s: float

    @property
    def less(self) -> Less:
        """Which of the two takes less time."""
        if math.isnan(self.first_s + self.second_s):
            return "unknown"
        if self.apart_fraction <= SAME:
            return "neither"
        return "first" if self.first_s < self.second_s else "second"

    @property
    def apart_fraction(self) -> float:
        """How far apart they are, of the longer time."""
        longer = max(self.first_s, self.second_s)
        return abs(self.first_s - self.second_s) / longer if longer else 0.0


@dataclass(frozen=True, slots=True)
class LeadChange:
    """Where another of the two begins to take less time, or where they begin or cease to be equal."""

    below: TimesAt
    above: TimesAt
    at: TimesAt
    """The one of the two at which they are nearest to each other."""
    is_whole: bool
    """Whether below and above are neighbours, with no value between them."""

    @property
    def is_equal(self) -> bool:
        """Whether they take equally long there; else they jump past each other, or change places between neighbours."""
        return self.at.apart_fraction <= EQUAL


@dataclass(frozen=True, slots=True)
class Crossover:
    """Both scenarios along one field."""

    key: str
    line: tuple[TimesAt, ...]
    """All values that were answered, from low to high."""
    changes: tuple[LeadChange, ...]
    """From low to high; none where the same one takes less time all along."""

    @property
    def less(self) -> Less:
        """Which takes less time where the answers begin."""
        return next((reached.less for reached in self.line if reached.less != "unknown"), "unknown")


def crossover(first: Scenario, second: Scenario, axis: Axis, progress: Progress | None = None) -> Crossover:
    """Where *first* and *second* take equally long while both have the same value in one field, in closed form.

    Compared is the elapsed time of one session; of transactions the mean response. A coarse scan, then halving between
    neighbours that disagree: two crossings between neighbours of the scan are not found. *progress* is called with
    (answers, all) of the scan, and once more for each halving. Raises :class:`SpecError` with one sentence for a field
    that is not one of numbers, or where one of the two has no answer at all.
    """
    along = Along(axis, axis.key in WHOLE or takes_whole_numbers(axis.key, first.workload.kind))
    if not along.is_ordered:
        raise SpecError(f"{axis.key}: got words or flags; two scenarios cross along numbers alone")
    search = _Search(along, (_times(first, axis.key), _times(second, axis.key)), progress)
    scanned = search.ask(along.scan(SCANNED))
    for place, scenario in enumerate((first, second)):
        if all(error[place] for error in search.errors):
            raise SpecError(f"{scenario.name}: no value of {axis.key} has an answer: {search.errors[0][place]}")
    changes = [
        search.halved(below, above)
        for below, above in pairwise(scanned)
        if "unknown" not in (below.less, above.less) and below.less != above.less
    ]
    return Crossover(axis.key, search.line, tuple(changes))


Times = Callable[[Sequence[Any]], Sequence[Answer]]


def _times(scenario: Scenario, key: str) -> Times:
    """What answers *scenario* with other values in the field *key*."""
    source = source_in(to_mapping(scenario), scenario.name, scenario.origin)
    task = SweepTask(Points(source, [key]), scenario.seed)
    return lambda values: answers(task, [Item(place, 0, {key: value}) for place, value in enumerate(values)])


class _Search:
    """Both scenarios, and what is known of them along the field."""

    def __init__(self, along: Along, both: tuple[Times, Times], progress: Progress | None) -> None:
        self._along, self._both, self._progress = along, both, progress
        self.known: dict[Any, TimesAt] = {}
        self.errors: list[tuple[str, str]] = []

    def ask(self, values: Sequence[Any]) -> list[TimesAt]:
        """Both at each of *values*."""
        answers_of_both: tuple[list[Answer], list[Answer]] = ([], [])
        wanted = 2 * len(values)
        for place, times in enumerate(self._both):
            for start in range(0, len(values), AT_ONCE):
                answers_of_both[place].extend(times(values[start : start + AT_ONCE]))
                if self._progress is not None:
                    self._progress(sum(map(len, answers_of_both)), wanted)
        first, second = answers_of_both
        self.errors += [(answer.error, other.error) for answer, other in zip(first, second, strict=True)]
        place = PLACES["elapsed_s"]
        reached = [
            TimesAt(value, float(answer.row[place]), float(other.row[place]))
            for value, answer, other in zip(values, first, second, strict=True)
        ]
        self.known.update((reached_value.value, reached_value) for reached_value in reached)
        return reached

    def _ask_one(self, value: Any) -> TimesAt:
        return self.ask([value])[0]

    @property
    def line(self) -> tuple[TimesAt, ...]:
        """All that is known, from low to high."""
        return tuple(self.known[value] for value in sorted(self.known))

    def halved(self, below: TimesAt, above: TimesAt) -> LeadChange:
        """The stretch between two values that disagree, as short as it can be."""

        def is_like_below(at: TimesAt) -> bool | None:
            if at.less == "unknown":
                return None
            if "neither" in (below.less, above.less):
                return at.less == below.less
            return (at.first_s < at.second_s) == (below.less == "first")

        low, high = self._along.halved(below, above, self._ask_one, is_like_below)
        at = min(low, high, key=lambda point: point.apart_fraction)
        return LeadChange(low, high, at, self._along.values is not None)
