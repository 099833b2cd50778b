"""As measured beside as modelled: a scenario that a report identified, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from blocktime.app.base.lines import head, wrapped
from blocktime.model.results import RunResult
from blocktime.model.units import show_change, show_number, show_seconds
from blocktime.scenarios.measured import AsModelled, ComparedFigure, Light, as_modelled, light_of

if TYPE_CHECKING:
    from blocktime.validation.identify.against import IntervalComparison

NAME: Final = 36
COLOURS: Final[dict[Light, str]] = {"reproduces": "green", "roughly": "yellow", "does not": "red"}


def as_modelled_lines(compared: Sequence[ComparedFigure], result: RunResult, width: int) -> Iterator[str]:
    """Each figure that was read beside the answer's, and how well the model reproduces them."""
    rows = as_modelled(compared, result)
    if not rows:
        return
    yield head("As measured and as modelled")
    yield f"{'':<{NAME}}{'measured':>12}{'modelled':>12}{'off':>9}   read in"
    for row in rows:
        yield f"{_aligned(row)}   line {row.measured.line:,}"
    light = light_of(rows)
    yield from wrapped(sentence(rows), width, bold=True, colour=COLOURS[light])


def cells_of(row: AsModelled) -> tuple[str, str, str]:
    """A figure as measured, as modelled, and how far off it is."""
    compared = row.measured
    off = show_change(1, 1 + row.off_fraction)
    return _shown(compared.value, compared.unit), _shown(row.modelled, compared.unit), off


def against_lines(against: IntervalComparison, width: int) -> Iterator[str]:
    """Each figure of an interval that was not used: measured, predicted, and the interval of the prediction."""
    yield head("An interval that was not used")
    yield f"{'':<{NAME}}{'measured':>12}{'predicted':>12}{'off':>9}   95 % interval"
    for figure in against.figures:
        unit = figure.row.measured.unit
        covered = "" if figure.covered else "   not covered"
        yield f"{_aligned(figure.row)}   {_shown(figure.low, unit)} to {_shown(figure.high, unit)}{covered}"
    yield from wrapped(against_sentence(against), width, bold=True, colour=COLOURS[against.light])


def against_sentence(against: IntervalComparison) -> str:
    """How many figures are covered, and which is farthest off."""
    return (
        f"{against.covered} of {len(against.figures)} measured figures lie within the 95 % interval of their "
        f"prediction; {_farthest_off([figure.row for figure in against.figures])}."
    )


def sentence(rows: Sequence[AsModelled]) -> str:
    """What the light says of these figures."""
    light = light_of(rows)
    off = _farthest_off(rows)
    if light == "reproduces":
        return f"The model reproduces what was measured; {off}."
    if light == "roughly":
        return (
            f"The model roughly reproduces what was measured; {off}. "
            "Trust only what-ifs that change the result by more."
        )
    return f"The model does not reproduce what was measured; {off}. Do not use it for what-ifs about elapsed time."


def _farthest_off(rows: Sequence[AsModelled]) -> str:
    worst = max(rows, key=lambda row: abs(row.off_fraction))
    side = "above" if worst.off_fraction > 0 else "below"
    return f"{worst.measured.name}, {100 * abs(worst.off_fraction):.1f} % {side}, is farthest off"


def _aligned(row: AsModelled) -> str:
    measured, modelled, off = cells_of(row)
    return f"{row.measured.name:<{NAME}}{measured:>12}{modelled:>12}{off:>9}"


def _shown(value: float, unit: str) -> str:
    return show_seconds(value) if unit == "s" else show_number(value, 4) if value < 1000 else f"{value:,.0f}"
