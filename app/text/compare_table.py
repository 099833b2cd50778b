"""Several answers as one table: what each number is, its unit, and how it differs from the baseline, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Final, Literal

from app.controls.fields import OWN, facts, value_at
from app.text.profile import UNCHANGED_S, scale_of
from app.text.rows import written
from model.catalog import KINDS
from model.measures import MEASURES
from model.results import RunResult
from model.units import MIB, show_seconds, unit_of
from scenarios import Scenario
from scenarios.compare import next_to_nothing
from scenarios.why_money import many_of

Better = Literal["less", "more", "neither"]
LEAST_CHANGE: Final = 5e-5
"""Share below which a number counts as the same."""
TIMES: Final = 10
"""From so many times the baseline's on a difference is told as a multiple."""


@dataclass(frozen=True)
class Line:
    """One number of an answer, in the unit that it is shown in."""

    name: str
    unit: str
    of: Callable[[RunResult], float | None]
    better: Better = "less"
    says: str = ""

    @property
    def title(self) -> str:
        """Its name with its unit."""
        return f"{self.name} ({self.unit})" if self.unit and "%" not in self.name else self.name

    @property
    def heading(self) -> str:
        """Its name with its unit, where its values do not say that themselves."""
        return self.title if self._per_s is None else self.name

    @property
    def _per_s(self) -> float | None:
        """Its unit in a second; None where it is no time."""
        return {"s": 1.0, "ms": 1000.0}.get(self.unit)

    def show(self, value: float) -> str:
        """A value in its unit as a reader writes it: a time in a unit of its own size."""
        return number(value) if self._per_s is None else show_seconds(value / self._per_s)

    @property
    def is_whole(self) -> bool:
        """Whether it is the time that the answer is about, which an interval may be known of."""
        return self.name in ("Elapsed", "Response")

    @property
    def is_share(self) -> bool:
        """Whether it differs by percentage points."""
        return self.unit == "%"


@dataclass(frozen=True)
class Difference:
    """A number against the baseline's."""

    change: float
    fraction: float | None
    """Of the baseline's; None where that is nothing."""
    word: Literal["less", "more", "same"]

    def said(self, is_share: bool = False, show: Callable[[float], str] | None = None) -> str:
        """Amount, word and percent; of a share, percentage points."""
        if self.word == "same":
            return "same"
        amount = (show or number)(abs(self.change))
        return f"{amount} points {self.word}" if is_share else f"{amount} {self.word}{self._share()}"

    def _share(self) -> str:
        if self.fraction is None:
            return ""
        if self.fraction + 1 >= TIMES:
            return f" (×{number(self.fraction + 1)})"
        percent = 100 * self.fraction
        return f" ({percent:+.{1 if abs(percent) >= 0.1 else 2}f} %)".replace("-", "−")


def difference(before: float | None, after: float | None) -> Difference | None:
    """How *after* differs from *before*; None where one of them is not there."""
    if before is None or after is None:
        return None
    change = after - before
    largest = max(abs(before), abs(after))
    word: Literal["less", "more", "same"] = "less" if change < 0 else "more"
    if abs(change) <= LEAST_CHANGE * largest or number(before) == number(after):
        word = "same"
    return Difference(change, change / before if before else None, word)


def lines(results: Sequence[RunResult]) -> list[Line]:
    """Every number that one of *results* has, but for those that are nothing in all of them."""
    found = [
        *_times(results),
        *_work(),
        *_device(results),
        *_segment(),
        *_users(results),
        *_programs(results),
        *_money(results),
    ]
    return [line for line in found if any(line.of(result) for result in results)]


def _measure(name: str, called: str, unit: str = "", scale: float = 1, better: Better = "less") -> Line:
    """One of the numbers that tables of many results have."""
    measure = MEASURES[name]

    def of(result: RunResult) -> float | None:
        value = measure.of(result)
        return None if value is None else scale * value

    return Line(called, unit, of, better, measure.says)


def _times(results: Sequence[RunResult]) -> list[Line]:
    """Elapsed time and what it is made of."""
    scale = scale_of(results)
    unit = "s" if scale.per_s == 1 else scale.word
    whole = "Elapsed" if scale.per_s == 1 else "Response"

    def taken(read: Callable[[RunResult], float]) -> Callable[[RunResult], float | None]:
        def of(result: RunResult) -> float | None:
            seconds = read(result)
            is_nothing = (
                abs(seconds) < UNCHANGED_S if not result.transactions else next_to_nothing(result, seconds)
            )
            return 0.0 if is_nothing else scale.per_s * seconds

        return of

    def waited(event: str) -> Callable[[RunResult], float | None]:
        return taken(lambda result: result.time.wait[event].total_s if event in result.time.wait else 0.0)

    longest = {
        event: max(result.time.wait[event].total_s for result in results if event in result.time.wait)
        for event in dict.fromkeys(event for result in results for event in result.time.wait)
    }
    return [
        _measure("elapsed_s", whole, unit, scale.per_s),
        _measure("last_session_s", "Until the last session is done", unit, scale.per_s),
        _measure("cpu_s", "CPU", unit, scale.per_s),
        *(
            Line(event, unit, waited(event), says="waited for, in all")
            for event in sorted(longest, key=lambda text: -longest[text])
        ),
        Line(
            "Unaccounted",
            unit,
            taken(lambda result: result.time.unaccounted_s),
            "neither",
            MEASURES["unaccounted_s"].says,
        ),
    ]


def _work() -> list[Line]:
    """Gets, reads and writes."""
    return [
        _measure("consistent_gets", "Consistent gets"),
        _measure("current_gets", "Current gets"),
        _measure("hit_fraction", "Buffer hits", "%", 100, "more"),
        _measure("read_requests", "Reads"),
        _measure("read_bytes", "Read", "MB", 1 / MIB),
        _measure("write_requests", "Writes"),
        _measure("write_bytes", "Written", "MB", 1 / MIB),
        _measure("calls_per_s", "Calls", "1/s", better="more"),
        _measure("bytes_per_s", "Throughput of the calls", "MB/s", 1 / MIB, "more"),
        _measure("optimizer_cost", "Optimizer cost", "single-block reads", better="neither"),
    ]


def _device(results: Sequence[RunResult]) -> list[Line]:
    """What iostat shows of each device; the first one, of the data, needs no name."""
    names = list(dict.fromkeys(name for result in results for name in result.device))
    lines = []
    for place, name in enumerate(names):

        def stats(
            read: Callable[[Any], float | None], name: str = name
        ) -> Callable[[RunResult], float | None]:
            return lambda result: read(result.device[name]) if name in result.device else None

        of = "" if place == 0 else f" of {name}"
        lines += [
            Line(f"Device{of}: throughput", "MB/s",
                 stats(lambda one: (one.read_bytes_per_s + one.written_bytes_per_s) / MIB), "neither",
                 "bytes read and written, over the run"),
            Line(f"Device{of}: %util", "%", stats(lambda one: 100 * one.utilisation_fraction), "neither",
                 "share of the time in which it had work"),
            Line(f"Device{of}: await", "ms", stats(lambda one: one.await_s and 1000 * one.await_s), "less",
                 "mean time of a request, queue included"),
            Line(f"Device{of}: queue", "requests", stats(lambda one: one.average_queue), "neither",
                 "requests waiting and served, on average"),
        ]  # fmt: skip
    return lines


def _segment() -> list[Line]:
    return [
        _measure("segment_after_bytes", "Segment", "MB", 1 / MIB),
        _measure("segment_after_blocks", "Segment", "blocks", better="neither"),
        _measure("migrated_rows", "Migrated rows"),
        _measure("rejected_probes", "Rejected probes"),
    ]


def _users(results: Sequence[RunResult]) -> list[Line]:
    """What users see of transactions, and callers of a stream."""
    told = scale_of(results).per_s != 1  # the response stands above, as the time of one transaction
    return [
        _measure("transactions_per_s", "TPS", "1/s", better="more"),
        *([] if told else [_measure("response_s", "Mean response", "ms", 1000)]),
        _measure("response_p95_s", "p95 response", "ms", 1000),
        _measure("saturation_per_s", "Most TPS", "1/s", better="more"),
    ]


def _programs(results: Sequence[RunResult]) -> list[Line]:
    """What each program takes together with the others on its machine, and alone."""
    names = dict.fromkeys(program.name for result in results for program in result.programs or ())

    def took(result: RunResult, name: str, alone: bool) -> float | None:
        program = next(
            (program_stats for program_stats in result.programs or () if program_stats.name == name), None
        )
        return None if program is None else (program.alone if alone else program).took_s

    return [
        Line(
            f"{name} {'alone' if alone else 'together'}",
            "s",
            partial(took, name=name, alone=alone),
            says=says,
        )
        for name in names
        for alone, says in (
            (False, "with the others on its machine"),
            (True, "on the same machine by itself"),
        )
    ]


def _money(results: Sequence[RunResult]) -> list[Line]:
    """What it costs, currency by currency: amounts of two are not compared."""
    kinds = dict.fromkeys(
        (result.money.currency, *many_of(result.money)) for result in results if result.money is not None
    )
    parts = {
        "Cost of {}": ("total", "licence, support, infrastructure and storage used"),
        "The whole machine for {}": (
            "machine",
            "all cores with whole licences, and the storage, for as long",
        ),
    }
    return [
        Line(
            called.format(words),
            currency,
            partial(_amount, field=field, currency=currency, words=words),
            says=says,
        )
        for currency, words, _ in kinds
        for called, (field, says) in parts.items()
    ]


def _amount(result: RunResult, field: str, currency: str, words: str) -> float | None:
    """An amount of a result, where it is in that currency and of that much work."""
    money = result.money
    if money is None or money.currency != currency or many_of(money)[0] != words:
        return None
    return many_of(money)[1] * float(getattr(money, field))


def number(value: float) -> str:
    """A number in five digits, of a large one all before the point; never a power of ten."""
    if abs(value) >= 10_000 or value == int(value):
        return f"{value:,.0f}"
    return f"{Decimal(f'{value:.5g}'):,f}"


# The same as rows


def by_scenario(
    results: Sequence[RunResult], letters: Sequence[str], titles: Sequence[str], lines: Sequence[Line]
) -> list[dict[str, Any]]:
    """One row for each scenario, numbers as they are, so that any column sorts; two columns for each difference."""
    rows = []
    for letter, title, result in zip(letters, titles, results, strict=True):
        row: dict[str, Any] = {"": letter, "Scenario": title}
        for line in lines:
            before, value = line.of(results[0]), line.of(result)
            row[line.title] = value
            change = None if before is None or value is None else value - before
            row[change_of(line, letters[0])] = change
            row[percent_of(line, letters[0])] = (
                100 * change / before if before and change is not None else None
            )
        rows.append(row)
    return rows


def change_of(line: Line, base: str) -> str:
    """The heading of a number's difference from the baseline."""
    unit = "points" if line.is_share else line.unit
    return f"{line.name} − {base} ({unit})" if unit else f"{line.name} − {base}"


def percent_of(line: Line, base: str) -> str:
    """The heading of the same in percent."""
    return f"{line.title} against {base} (%)"


def order(results: Sequence[RunResult], by: Line | None, most_first: bool) -> list[int]:
    """Places of *results* sorted by a number; as they stand where none is given; those without it come last."""
    places = list(range(len(results)))
    if by is None:
        return places
    values = {place: by.of(result) for place, result in enumerate(results)}
    sign = -1 if most_first else 1
    return sorted(places, key=lambda place: (values[place] is None, sign * (values[place] or 0.0)))


# What differs


def settings(scenarios: Sequence[Scenario]) -> dict[str, list[str]]:
    """Fields that are not alike in all of *scenarios*, each with its values as the page shows them, – where it is none.

    Where a section comes from the catalog in all of them and by different names, the name stands for its constants.
    """
    found: dict[str, list[str]] = {}
    named = [
        section
        for section in KINDS.values()
        if _differ(chosen := [value_at(scenario, f"{section}.use") for scenario in scenarios])
        and OWN not in chosen
    ]
    leaves = [_leaves(scenario) for scenario in scenarios]
    for section in named:
        found[f"{section}.use"] = [
            _shown(f"{section}.use", scenario, value_at(scenario, f"{section}.use")) for scenario in scenarios
        ]
    for path in dict.fromkeys(path for leave in leaves for path in leave):
        values = [leave.get(path, _NONE) for leave in leaves]
        if _differ(values) and not any(path.startswith(f"{section}.") for section in named):
            found[path] = [
                "–" if value is _NONE else _shown(path, scenario, value)
                for scenario, value in zip(scenarios, values, strict=True)
            ]
    return found


_NONE: Final = object()


def _differ(values: Sequence[Any]) -> bool:
    return any(value != values[0] for value in values)


def _leaves(scenario: Scenario) -> dict[str, Any]:
    """Every field of a scenario by its dotted path."""
    system = scenario.system.model_dump(exclude={"constants"})
    return _flat(system) | _flat({"workload": scenario.workload.model_dump()})


def _flat(section: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in section.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{above}{name}.")
        elif name == "mix":  # kinds of transactions, by their number
            found |= _flat({str(place): kind for place, kind in enumerate(value)}, f"{above}{name}.")
        else:
            found[f"{above}{name}"] = value
    return found


def _shown(path: str, scenario: Scenario, value: Any) -> str:
    """A value in its unit, the title of a catalog's entry."""
    if isinstance(value, list | tuple):
        return f"{len(value):,} of them"
    field = facts(path, scenario.workload.kind)
    if value is None or isinstance(value, bool | str):
        return field.show(value) if field else str(value)
    return value_said(path, value, counted=False)


COUNTED: Final = ("rows", "users", "cpus", "sessions", "columns", "calls", "requests")
"""Names of fields that are the word for what they count."""


def value_said(path: str, value: Any, counted: bool = True) -> str:
    """The number in a field with its unit, or what it counts where that is *counted*."""
    name, unit = path.rpartition(".")[2], unit_of(path)
    word = unit or (name if counted and name in COUNTED else "")
    if unit in ("s", "bytes", "bytes/s"):
        return written(value, unit)
    whole = f"{value:,.0f}" if float(value).is_integer() else number(value)
    return f"{whole} {word.removesuffix('s') if value == 1 else word}".strip()
