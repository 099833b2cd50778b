"""As measured beside as modelled: a scenario that a report identified, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from blocktime.app.base.lines import head, wrapped
from blocktime.model.results import RunResult
from blocktime.model.units import show_change, show_data, show_number, show_seconds, show_share
from blocktime.scenarios import Scenario
from blocktime.scenarios.measured import DB_TIME, ELAPSED, AsModelled, Light, as_modelled, light_of
from blocktime.scenarios.questions import questions_of

if TYPE_CHECKING:
    from blocktime.validation.identify.against import FigurePrediction, IntervalComparison
    from blocktime.validation.identify.identified_scenario import ModelledHour
    from blocktime.validation.identify.two_reports import ReportChange

NAME: Final = 36
HOUR: Final = ("users", "TPS", "modelled", "off", "DB time", "modelled", "off")
"""Columns of a table of intervals behind their name."""
LEAST_PART: Final = 0.005
"""Of the change of a transaction's time, the least cause that is listed."""
COLOURS: Final[dict[Light, str]] = {"reproduces": "green", "roughly": "yellow", "does not": "red"}


def as_modelled_lines(scenario: Scenario, result: RunResult, width: int) -> Iterator[str]:
    """Each figure that was read beside the answer's, how well the model reproduces them, and what it may answer."""
    rows = as_modelled(scenario.as_measured, result)
    if not rows:
        return
    yield head("As measured and as modelled")
    yield f"{'':<{NAME}}{'measured':>12}{'modelled':>12}{'off':>9}   read in"
    for row in rows:
        yield f"{_aligned(row)}   {place_of(row)}"
    light = light_of(rows)
    yield from wrapped(sentence(rows), width, bold=True, colour=COLOURS[light])
    yield from wrapped(questions_of(scenario, rows), width)


def place_of(row: AsModelled) -> str:
    """Where a figure stands, and whether the model was given it."""
    return f"line {row.measured.line:,}{', given' * row.measured.given}"


def cells_of(row: AsModelled) -> tuple[str, str, str]:
    """A figure as measured, as modelled, and how far off it is."""
    compared = row.measured
    off = show_change(1, 1 + row.off_fraction)
    return _show_value(compared.value, compared.unit), _show_value(row.modelled, compared.unit), off


def against_lines(against: IntervalComparison, width: int) -> Iterator[str]:
    """Each figure of an interval that was not used: measured, predicted, and the interval of the prediction."""
    yield head("An interval that was not used")
    yield f"{'':<{NAME}}{'measured':>12}{'predicted':>12}{'off':>9}   95 % interval"
    for figure in against.figures:
        yield f"{_aligned(figure.row)}   {interval_of(figure)}"
    yield from wrapped(against_sentence(against), width, bold=True, colour=COLOURS[against.light])


def interval_of(figure: FigurePrediction) -> str:
    """Where the measured figure lies with 95 % confidence, and whether it does not."""
    low, high = (_show_value(value, figure.row.measured.unit) for value in (figure.low, figure.high))
    return f"{low} to {high}{'' if figure.covered else '   not covered'}"


def against_sentence(against: IntervalComparison) -> str:
    """How many figures are covered, and which is farthest off."""
    return (
        f"{against.covered} of {len(against.figures)} measured figures lie within the 95 % interval of their "
        f"prediction; {_farthest_off([figure.row for figure in against.figures])}."
    )


def hour_lines(hours: Sequence[ModelledHour]) -> Iterator[str]:
    """A table of several intervals: throughput and time of a transaction, as measured and as modelled."""
    if not hours:
        return
    rows = [("by interval", *HOUR), *((hour.file, *hour_cells(hour)) for hour in hours)]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield ""
    for name, *cells in rows:
        yield "  ".join((f"{name:<{wide[0]}}", *map(str.rjust, cells, wide[1:])))


def hour_cells(hour: ModelledHour) -> tuple[str, ...]:
    """One interval: users, and throughput and time of a transaction as measured, as modelled and how far off."""
    rates, times = (hour.per_s, hour.modelled_per_s), (hour.response_s, hour.modelled_response_s)
    return (
        f"{hour.users:,}", *(show_number(rate, 4) for rate in rates), show_change(*rates), *map(show_seconds, times),
        show_change(*times),
    )  # fmt: skip


def change_sentence(change: ReportChange) -> str:
    """How much longer a transaction takes in the second report, and the cause of most of it."""
    was_s, is_s = change.response_s
    more = is_s - was_s
    causes = [cause for cause in change.causes if cause.seconds * more > 0]
    most = f"; most of it is {causes[0].name} ({causes[0].why})" if causes else ""
    return (
        f"A transaction takes {show_seconds(is_s)} in {change.files[1]} and {show_seconds(was_s)} in "
        f"{change.files[0]}, {show_change(was_s, is_s)}{most}."
    )


def change_lines(change: ReportChange, width: int) -> Iterator[str]:
    """What changed from one report to the other: the load, and the time of a transaction by cause."""
    yield from wrapped(change_sentence(change), width, bold=True)
    rates = change.per_s
    more = show_change(*rates)
    yield f"load: {show_number(rates[1], 4)} transactions a second instead of {show_number(rates[0], 4)}, {more}"
    yield ""
    yield head("A transaction takes more, by cause")
    total = abs(change.response_s[1] - change.response_s[0])
    for cause in change.causes:
        if abs(cause.seconds) >= LEAST_PART * total:
            sign = "-" if cause.seconds < 0 else "+"
            yield f"{sign + show_seconds(abs(cause.seconds)):>12}  {cause.name} ({cause.why})"
    yield f"{show_seconds(total):>12}  in all{', less' * (change.response_s[1] < change.response_s[0])}"


def sentence(rows: Sequence[AsModelled]) -> str:
    """What the light says of these figures."""
    light = light_of(rows)
    off = _farthest_off(rows)
    if all(row.measured.given for row in rows):
        return f"Every figure that is compared was given to the model, so nothing shows how well it fits; {off}."
    if light == "reproduces":
        return f"The model reproduces what was measured; {off}."
    if light == "roughly":
        return (
            f"The model roughly reproduces what was measured; {off}. "
            "Trust only what-ifs that change the result by more."
        )
    return f"The model does not reproduce what was measured; {off}. Do not use it for what-ifs about elapsed time."


def _farthest_off(rows: Sequence[AsModelled]) -> str:
    """The measured time first, then the figure that is farthest off, with its part of that time."""
    weighing = [row for row in rows if row.measured.share] or rows
    far = max(weighing, key=lambda row: abs(row.off_fraction))
    worst = max(weighing, key=lambda row: abs(row.weighed_fraction))
    named = dict.fromkeys(row.measured.name for row in rows if row.measured.name in (DB_TIME, ELAPSED))
    named |= dict.fromkeys((worst.measured.name, far.measured.name))
    by_name = {row.measured.name: row for row in rows}
    return f"{'; '.join(_off(by_name[name]) for name in named)}, is farthest off"


def _off(row: AsModelled) -> str:
    side = "above" if row.off_fraction > 0 else "below"
    weight = f" (a weight of {show_share(row.measured.share)})" if row.measured.share < 1 else ""
    return f"{row.measured.name}{weight}, {100 * abs(row.off_fraction):.1f} % {side}"


def _aligned(row: AsModelled) -> str:
    measured, modelled, off = cells_of(row)
    return f"{row.measured.name:<{NAME}}{measured:>12}{modelled:>12}{off:>9}"


def _show_value(value: float, unit: str) -> str:
    if unit == "fraction":
        return show_share(value)
    if unit == "bytes/s":
        return f"{show_data(value)}/s"
    return show_seconds(value) if unit == "s" else show_number(value, 4) if value < 1000 else f"{value:,.0f}"
