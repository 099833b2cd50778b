"""Within what an answer or a difference lies, as plain text: the interval, its causes, and what it does not hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Final

from blocktime.app.text.compare_table import value_said
from blocktime.app.text.section import NOTHING, Fact, Section
from blocktime.model.catalog import KINDS, entries
from blocktime.model.provenance import Constant
from blocktime.model.results import SIMULATION, Contribution, Interval, RunResult, Uncertainty
from blocktime.scenarios.declared import declared_field
from blocktime.scenarios.uncertainty.model_error import MEASURED, model_error
from blocktime.scenarios.why_words import listed, plural

if TYPE_CHECKING:
    from blocktime.scenarios.uncertainty import Difference

MOST_CAUSES: Final = 5
LEAST_SHARE: Final = 0.01
"""Share of the variance below which a cause is not worth a line."""
LITTLE: Final = 0.2
"""Share of the variance below which no cause alone is worth measuring."""
MOST_NUMBERS: Final = 3
TITLE: Final = "Uncertainty"
HOW: Final = {
    "general knowledge": "is a typical value",
    "assumed": "is an assumption",
    "read": "was printed by its source",
    "derived": "was worked out from its source",
    "fitted": "was fitted to published numbers",
    "set by the scenario": "is your own value",
}


def interval_sentence(result: RunResult) -> str:
    """Within what the elapsed time lies, in one sentence; empty without an uncertainty."""
    uncertainty = result.uncertainty
    if uncertainty is None:
        return ""
    takes = "A transaction takes" if result.transactions else "It takes"
    confidence = f"with {100 * uncertainty.elapsed.confidence:.0f} % confidence"
    return f"{takes} {_around(uncertainty.elapsed, result.time.elapsed_s)} {confidence}."


def what_it_holds(results: Sequence[RunResult]) -> Iterator[str]:
    """What the intervals of *results* hold, and what they do not."""
    uncertainties = [result.uncertainty for result in results if result.uncertainty]
    uncertain = {name for uncertainty in uncertainties for name in uncertainty.uncertain_constants}
    beyond = {name for uncertainty in uncertainties for name in uncertainty.extrapolated_constants}
    known = {name for uncertainty in uncertainties for name in uncertainty.known_constants}
    holds = ["the model's own error on published numbers"]
    if uncertain:
        holds.append(plural(len(uncertain), "uncertain constant"))
    if any(uncertainty.chance_s is not None for uncertainty in uncertainties):
        holds.append("chance")
    yield f"The interval includes {listed(holds)}."
    if beyond:
        are = "is" if len(beyond) == 1 else "are"
        yield (
            f"{plural(len(beyond), 'constant')} {are} used outside the range of the measurements. "
            "The interval is wider for that."
        )
    if known:
        have = "has no interval and counts" if len(known) == 1 else "have no interval and count"
        yield f"{plural(len(known), 'constant')} {have} as exact."


def uncertainty_section(result: RunResult) -> Section:
    """The interval, its causes, and what it leaves out; nothing without an uncertainty."""
    uncertainty = result.uncertainty
    if uncertainty is None:
        return NOTHING
    notes = (
        largest_sentence(uncertainty.contributions), *what_it_holds([result]), _how_it_was_found(result, uncertainty)
    )  # fmt: skip
    return Section(TITLE, share_facts(uncertainty.contributions), notes, [interval_sentence(result)])


def difference_sentence(difference: Difference, letter: str = "B", base: str = "A") -> str:
    """Within what the difference lies, and whether its sign is sure."""
    confidence = f"with {100 * difference.confidence:.0f} % confidence"
    if difference.sign == "none":
        return f"Sure: {letter} takes as long as {base}, whatever the constants are."
    if difference.sign == "either":
        shares = percents(difference.low_fraction, difference.high_fraction)
        both = f"{shares} ({seconds(difference.low_s, difference.high_s, '+')})"
        return f"Not sure: {letter} may take less time than {base} or more, {both} {confidence}.{_beyond(difference)}"
    low_s, high_s = sorted((abs(difference.low_s), abs(difference.high_s)))
    low, high = sorted((abs(difference.low_fraction), abs(difference.high_fraction)))
    by = f"{percents(low, high, '')} ({seconds(low_s, high_s)})"
    sure = "Sure" if difference.is_sure else "Likely"
    return f"{sure}: {letter} takes {difference.sign} time than {base}, by {by} {confidence}.{_beyond(difference)}"


def _beyond(difference: Difference) -> str:
    """That a difference stands on constants used outside their range; empty where it does not."""
    names = difference.extrapolated_constants
    if not names:
        return ""
    return f" Extrapolated: {plural(len(names), 'constant')} used outside the range of the measurements."


def difference_sections(
    results: Sequence[RunResult], differences: Sequence[Difference], letters: Sequence[str]
) -> Iterator[Section]:
    """What makes the differences from the first answer unsure, and each answer's interval."""
    heading = TITLE
    for letter, difference in zip(letters[1:], differences, strict=True):
        leads = [f"{letter} against {letters[0]}"] if len(letters) > 2 else []
        largest = largest_sentence(difference.contributions)
        yield Section(heading, share_facts(difference.contributions), [largest], leads)
        heading = ""
    intervals = [Fact(letter, interval_sentence(result)) for letter, result in zip(letters, results, strict=True)]
    yield Section(heading, intervals, [*what_it_holds(results)], label=3)


def share_facts(contributions: Sequence[Contribution]) -> list[Fact]:
    """Causes by what would go of the variance if they were known, largest first."""
    return [
        Fact(f"{100 * contribution.variance_fraction:>6.1f} %", cause_text(contribution))
        for contribution in contributions[:MOST_CAUSES]
        if abs(contribution.variance_fraction) >= LEAST_SHARE
    ]


def cause_text(contribution: Contribution) -> str:
    """A cause with what is known of it, as a line of a table."""
    if contribution.mechanism == MEASURED:
        return "the difference between the model and the measured figures of this system"
    if contribution.constant is None:
        return f"the model's own error, {contribution.mechanism}: {_off_by(contribution.mechanism)}"
    how = ", extrapolated" if contribution.extrapolated else ""
    constant = contribution.constant
    return f"{constant.name}: {known_within(constant)}, {constant.how}{how} [{constant.source}]"


def known_within(constant: Constant) -> str:
    """Value and interval of a constant."""
    low, high = constant.interval or (constant.value, constant.value)
    value, *ends = (value_said(constant.name, each) for each in (constant.value, low, high))
    return value if low == high else f"{value}, {' to '.join(ends)}"


def largest_sentence(contributions: Sequence[Contribution]) -> str:
    """The largest cause of the uncertainty, what is known of it, and what makes the interval narrower."""
    if not contributions:
        return ""
    first = contributions[0]
    causes = f"causes {100 * first.variance_fraction:.0f} % of this uncertainty."
    alone = " No single cause is large." if first.variance_fraction < LITTLE else ""
    if first.mechanism == MEASURED:
        return f"The difference between the model and the measured figures of this system {causes}{alone}"
    off_by = _off_by(first.mechanism)
    if first.constant is None:
        return f"The model's own error for {first.mechanism} {causes} {off_by[0].upper()}{off_by[1:]}.{alone}"
    constant, field = first.constant, first.fields[0]
    what = f"{_label(field)} of {_title(constant.name)}"
    if constant.fitted_to:
        numbers = ", ".join(constant.fitted_to[:MOST_NUMBERS])
        more = len(constant.fitted_to) - MOST_NUMBERS
        known = f"was fitted to {numbers}{f' and {more} more' if more > 0 else ''}"
    else:
        known = HOW[constant.how] + (f" ({constant.note})" if constant.note else "")
    beyond = " It is used outside the range of the measurements." if first.extrapolated else ""
    return f"{what} {causes} It {known}.{beyond} Measure yours and set {field}.{alone}"


def _label(field: str) -> str:
    declared = declared_field(field, "full_scan") or {}
    return str(declared.get("description", field))


def _title(name: str) -> str:
    """What a catalog constant belongs to, such as NVMe solid-state disk; its name where that has no title."""
    kind, _, rest = name.partition("/")
    known = entries(kind) if kind in KINDS else {}
    entry = known.get(rest.partition(":")[0])
    return str(entry.title) if entry else name


def _off_by(mechanism: str) -> str:
    """How far predictions of published times of a mechanism are off."""
    known = model_error()
    sd = f"{100 * known.sd_of(mechanism):.0f} %"
    if mechanism not in known.sd:
        return f"no published time is about it; predictions of all published times are typically off by {sd}"
    return f"predictions of published times are typically off by {sd}"


def seconds(low_s: float, high_s: float, sign: str = "") -> str:
    """A range of durations in the unit of its larger end, in as many digits as its width asks for."""
    largest = max(abs(low_s), abs(high_s))
    scale, unit = next(((per, name) for least, per, name in _UNITS if largest >= least), (_UNITS[-1][1], _UNITS[-1][2]))
    return f"{_range(low_s * scale, high_s * scale, sign)} {unit}"


def percents(low: float, high: float, sign: str = "+") -> str:
    """A range of shares in percent."""
    return f"{_range(100 * low, 100 * high, sign)} %"


_UNITS: Final = ((0.9995, 1.0, "s"), (0.9995e-3, 1e3, "ms"), (0.0, 1e6, "µs"))
MOST_DECIMALS: Final = 6


def _range(low: float, high: float, sign: str) -> str:
    """Two numbers with two digits of what lies between them."""
    apart = high - low
    decimals = min(MOST_DECIMALS, max(0, 1 - floor(log10(apart)))) if apart > 0 else 2
    return " to ".join(f"{round(end, decimals) + 0.0:{sign},.{decimals}f}" for end in (low, high))


def _around(interval: Interval, centre_s: float) -> str:
    """An interval in seconds and in percent of what it is around."""
    text = seconds(interval.low_s, interval.high_s)
    if centre_s <= 0:
        return text
    return f"{text} ({percents(interval.low_s / centre_s - 1, interval.high_s / centre_s - 1)})"


def _how_it_was_found(result: RunResult, uncertainty: Uncertainty) -> str:
    """How many sets of constants were drawn, by what they were answered, and whether chance is in the interval."""
    text = ""
    if uncertainty.draws:
        text = f"The interval is from {uncertainty.draws:,} sets of constants, drawn with seed {uncertainty.seed}."
    if uncertainty.runs:
        text += f" {uncertainty.runs:,} simulations show how the time depends on the constants."
    if result.how == SIMULATION and uncertainty.chance_s is None:
        text += " The interval does not include random variation; --replications N adds it."
    return text.strip()
