"""What matters as plain text: a tornado, the shares of the variance, and both in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from blocktime.app.base.lines import head, table, wrapped
from blocktime.app.base.output import bar_letter
from blocktime.app.text.optimise_text import field_shown
from blocktime.app.text.sweep_text import shown
from blocktime.model.errors import cut
from blocktime.model.measures import MEASURES
from blocktime.model.units import show_share
from blocktime.scenarios.interval import CONFIDENCE
from blocktime.scenarios.search.sensitivity import Sensitivity, SobolIndex, TornadoBar, VarianceShare
from blocktime.scenarios.why_words import listed

LONGEST_LABEL: Final = 26
WIDE: Final = 0.4
"""An interval of a share that says little."""
LITTLE: Final = 0.05
"""A share of the variance that hardly matters."""
BY_RATIO: Final = 50.0
"""Outcomes whose largest is so many times the smallest are drawn by their logarithm."""


def sensitivity_lines(sensitivity: Sensitivity, width: int) -> Iterator[str]:
    """The whole answer."""
    yield from wrapped(f"{sensitivity.measure} – {MEASURES[sensitivity.measure].says}", width, bold=True)
    yield ""
    yield from _tornado_lines(sensitivity, width)
    yield ""
    yield head(f"Shares of the variance of {sensitivity.measure}, in % ({show_share(CONFIDENCE)} intervals)")
    if sensitivity.indices:
        yield from _index_lines(sensitivity, width)
    yield ""
    for sentence in sentences_of(sensitivity):
        yield from wrapped(sentence, width, first="- ")


def _tornado_lines(sensitivity: Sensitivity, width: int) -> Iterator[str]:
    base = shown(sensitivity.measure, sensitivity.base)
    low = min([sensitivity.base, *(bar.low for bar in sensitivity.tornado)])
    high = max([sensitivity.base, *(bar.high for bar in sensitivity.tornado)])
    by_ratio = low > 0 and high / low > BY_RATIO
    text = " (bars by ratio)" if by_ratio else ""
    yield head(f"One at a time from the base scenario, {base}{text}")
    ends = [
        (_end(sensitivity.measure, bar, False), _end(sensitivity.measure, bar, True))
        for bar in sensitivity.tornado
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
    return f"{shown(measure, value)} at {field_shown(bar.key, at)}"


def _now(bar: TornadoBar) -> str:
    if bar.base_value is None:
        return ""
    outside = ", outside of what varies" if bar.is_outside else ""
    return f" (base {field_shown(bar.key, bar.base_value)}{outside})"


def _share(share: VarianceShare) -> str:
    within = (min(max(number, 0.0), 1.0) for number in (share.value, share.low, share.high))
    value, low, high = (f"{round(100 * number):d}" for number in within)
    return f"{value} ({low}..{high})"


def _index_lines(sensitivity: Sensitivity, width: int) -> Iterator[str]:
    lines = [
        ("axis", "alone", "with others", "interaction"),
        *(
            (cut(index.key, width - 51), _share(index.first), _share(index.total), _share(index.interaction))
            for index in sensitivity.indices
        ),
    ]
    yield from table(lines)


def sentences_of(sensitivity: Sensitivity) -> list[str]:
    """What matters, what does not, and how much axes make together."""
    if not sensitivity.indices:
        return [
            f"{sensitivity.measure} does not vary: it is {shown(sensitivity.measure, sensitivity.mean)} "
            f"at all {sensitivity.points:,} points, "
            "so nothing here affects it."
        ]
    return [
        *_what_matters(sensitivity),
        *_what_does_not(sensitivity),
        _together(sensitivity),
        *_how_sure(sensitivity),
    ]


def _what_matters(sensitivity: Sensitivity) -> Iterator[str]:
    measure, first = sensitivity.measure, sensitivity.indices[0]
    yield (
        f"{first.key} matters most: it contributes to {show_share(min(first.total.value, 1))} of "
        f"the variance of {measure} "
        f"over these ranges, where {measure} is between {shown(measure, sensitivity.low)} "
        f"and {shown(measure, sensitivity.high)}"
        f"{_alone(first)}."
    )
    widest = sensitivity.tornado[0]
    if widest.key != first.key and widest.span:
        yield (
            f"Changed alone from the base scenario, {widest.key} moves it most: {_end(measure, widest, False)}, "
            f"{_end(measure, widest, True)}."
        )


def _alone(index: SobolIndex) -> str:
    if index.first.is_noise:
        return "; its effect alone is within the noise"
    return f"; alone it contributes {show_share(min(max(index.first.value, 0), 1))}"


def _what_does_not(sensitivity: Sensitivity) -> Iterator[str]:
    noise = [index.key for index in sensitivity.indices if index.first.is_noise and index.total.high < LITTLE]
    if noise:
        yield (
            f"{listed(noise)}: no effect beyond noise, and less than {show_share(LITTLE)} of the "
            f"variance together with all "
            "other axes."
        )
    little = [
        index.key for index in sensitivity.indices if index.total.high < LITTLE and not index.first.is_noise
    ]
    if little:
        yield f"{listed(little)}: measurable, but less than {show_share(LITTLE)} of the variance."
    others = [
        index.key for index in sensitivity.indices[1:] if index.first.is_noise and index.total.high >= LITTLE
    ]
    if others:
        yield f"{listed(others)}: alone no effect beyond noise, but may matter together with other axes."


def _together(sensitivity: Sensitivity) -> str:
    rest = 1 - sum(index.first.value for index in sensitivity.indices)
    share = f"{show_share(min(max(rest, 0), 1))}"
    clear = [index.key for index in sensitivity.indices if index.interaction.low > 0]
    if len(sensitivity.indices) == 1:
        return "There is one axis, so there is no interaction."
    if not clear:
        return f"Interaction between axes is {share} of the variance, which is within the noise."
    return (
        f"About {share} of the variance is interaction between axes; it is clearest for {listed(clear[:3])}."
    )


def _how_sure(sensitivity: Sensitivity) -> Iterator[str]:
    widest = max(index.first.high - index.first.low for index in sensitivity.indices)
    if widest > WIDE:
        yield (
            f"Intervals are up to {100 * widest:.0f} percentage points wide; --samples {4 * sensitivity.samples} "
            "halves them."
        )
