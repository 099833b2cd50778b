"""What matters as plain text: a tornado, and its sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from blocktime.app.base.lines import head, wrapped
from blocktime.app.base.output import bar_letter
from blocktime.app.text.optimise_text import show_field
from blocktime.app.text.sweep_text import show_value
from blocktime.model.errors import cut
from blocktime.model.measures import MEASURES
from blocktime.model.units import show_share
from blocktime.scenarios.search.sensitivity import Sensitivity, TornadoBar
from blocktime.scenarios.why_words import listed

LONGEST_LABEL: Final = 26
ALONE: Final = "Each field was changed alone; two fields together may move it further."
ALONG: Final = "Each constant is at both ends of its interval; constants that are known together move along with it."
LITTLE: Final = 0.05
"""A share of the widest bar that hardly matters."""
BY_RATIO: Final = 50.0
"""Outcomes whose largest is so many times the smallest are drawn by their logarithm."""


def sensitivity_lines(sensitivity: Sensitivity, width: int) -> Iterator[str]:
    """The whole answer."""
    yield from wrapped(f"{sensitivity.measure} – {MEASURES[sensitivity.measure].says}", width, bold=True)
    yield ""
    yield from _tornado_lines(sensitivity, width)
    yield ""
    for sentence in sentences_of(sensitivity):
        yield from wrapped(sentence, width, first="- ")


def _tornado_lines(sensitivity: Sensitivity, width: int) -> Iterator[str]:
    base = show_value(sensitivity.measure, sensitivity.base)
    low = min([sensitivity.base, *(bar.low for bar in sensitivity.tornado)])
    high = max([sensitivity.base, *(bar.high for bar in sensitivity.tornado)])
    by_ratio = low > 0 and high / low > BY_RATIO
    text = " (bars by ratio)" if by_ratio else ""
    yield head(f"One at a time from the base scenario, {base}{text}")
    ends = [
        (_end(sensitivity.measure, bar, False), _end(sensitivity.measure, bar, True)) for bar in sensitivity.tornado
    ]
    left = min(LONGEST_LABEL, max(len(low_end) for low_end, _ in ends))
    right = min(LONGEST_LABEL, max(len(other) for _, other in ends))
    room = max(10, width - 1 - left - right - 6)

    def place(value: float) -> int:
        if by_ratio:
            return round((room - 1) * math.log(value / low) / math.log(high / low))
        return round((room - 1) * (value - low) / (high - low)) if high > low else 0

    for bar, (low_end, other) in zip(sensitivity.tornado, ends, strict=True):
        yield from wrapped(f"{cut(bar.key)}{_now(bar)}", width, first="  ")
        begin, end, middle = place(bar.low), place(bar.high), place(sensitivity.base)
        drawn = [bar_letter() if begin <= at <= end and bar.span else " " for at in range(room)]
        drawn[middle] = "|"
        yield f"    {cut(low_end, left):>{left}} {''.join(drawn)} {cut(other, right)}".rstrip()


def _end(measure: str, bar: TornadoBar, is_high: bool) -> str:
    value, at = (bar.high, bar.at_high) if is_high else (bar.low, bar.at_low)
    return f"{show_value(measure, value)} at {show_field(bar.key, at)}"


def _now(bar: TornadoBar) -> str:
    if bar.base_value is None:
        return ""
    outside = ", outside of what varies" if bar.is_outside else ""
    return f" (base {show_field(bar.key, bar.base_value)}{outside})"


def sentences_of(sensitivity: Sensitivity) -> list[str]:
    """What matters most, what follows, and what does not matter."""
    measure, (first, *others) = sensitivity.measure, sensitivity.tornado
    if not first.span:
        return [
            f"{measure} does not vary: it is {show_value(measure, sensitivity.base)} at all "
            f"{sensitivity.points:,} points."
        ]
    moved = [bar for bar in others if bar.span >= LITTLE * first.span]
    little = [bar.key for bar in others if bar not in moved]
    alone = "changed alone, " if sensitivity.are_alone else ""
    return [
        f"{first.key} matters most: {alone}it moves {measure} between {_end(measure, first, False)} and "
        f"{_end(measure, first, True)}.",
        *(
            f"{bar.key} moves it by {show_share(bar.span / first.span)} of that, between "
            f"{_end(measure, bar, False)} and {_end(measure, bar, True)}."
            for bar in moved
        ),
        *([f"{listed(little)}: less than {show_share(LITTLE)} of that."] if little else []),
        *([ALONE if sensitivity.are_alone else ALONG] if others else []),
    ]
