"""What calibrating found, in lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Final

from blocktime.app.base.lines import head, table, wrapped
from blocktime.app.text.compare_table import value_said
from blocktime.model.units import show_change, show_number
from blocktime.validation import load_case, numbers_of
from blocktime.validation.fit import Estimate, Fit
from blocktime.validation.out_of_sample import LeftOut

SAME: Final = 1e-4
"""Relative difference of two estimates below which nothing that is printed differs."""


def calibration_lines(fit: Fit, width: int = 80) -> Iterator[str]:
    """Estimates of one case with their intervals, how the numbers that made them are met, and what is open."""
    yield head(f"{fit.case}: {len(fit.estimates)} constants from {len(fit.residuals)} printed numbers")
    rows = [("constant", "estimate", "95 % interval", "from", "before")]
    place = ""
    for estimate in fit.estimates:
        above, _, field = estimate.name.partition(": ")
        if above != place:
            rows.append((above, "", "", "", ""))
            place = above
        is_same = isclose(estimate.value, estimate.before, rel_tol=SAME)
        before = "=" if is_same else value_said(field, estimate.before)
        fitted_to = str(len(estimate.fitted_to))
        rows.append((f"  {field}", value_said(field, estimate.value), _interval(estimate), fitted_to, before))
    yield from table(rows, width, "", gap=1)
    alone = [estimate.name.partition(": ")[2] for estimate in fit.estimates if len(estimate.fitted_to) == 1]
    if alone:
        text = f"each fitted to one number, and only as reliable as that number: {', '.join(alone)}"
        yield from wrapped(text, width)
    where, worst = max(fit.residuals.items(), key=lambda item: abs(item[1]))
    text = f"the fit reproduces its numbers within {show_number(100 * abs(worst), 2)} %; the worst is {where}"
    yield from wrapped(text, width)
    if fit.scatter > 1:
        text = f"scatter: {fit.scatter:.1f} times the standard errors, by which all intervals are wider"
        yield from wrapped(text, width)
    for sentence in (*fit.unidentified, *fit.correlated):
        yield from wrapped(sentence, width, colour="yellow")
    yield ""


def _interval(estimate: Estimate) -> str:
    if not estimate.determined:
        return "undetermined"
    if estimate.interval is None:
        return ""
    return " to ".join(value_said(estimate.name, end) for end in estimate.interval)


def left_out_lines(predicted: Mapping[str, LeftOut], width: int = 80) -> Iterator[str]:
    """Each number that fits, and what the model says of it without its row and without its block size."""
    printed = {
        number.id: number
        for case in dict.fromkeys(name.partition(":")[0] for name in predicted)
        for number in numbers_of(load_case(case))
        if number.fits
    }
    yield head("Fitted numbers, predicted without their own row or block size")
    rows: list[tuple[str, ...]] = [("number", "printed", "without row", "without size")]
    reasons: list[str] = []
    for name, left_out in predicted.items():
        if name not in printed:
            continue
        number = printed[name]
        cells = [
            "–" if value is None else show_change(number.printed, value)
            for value in (left_out.without_its_row, left_out.without_its_block_size)
        ]
        label = f"{number.where}: {number.column}"
        rows.append((label, show_number(number.printed, 5), *cells))
        if left_out.why:
            reasons.append(f"{label}: {left_out.why}")
    yield from table(rows, width, "")
    for reason in reasons:
        yield from wrapped(reason, width, first="- ")
