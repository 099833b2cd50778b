"""Constants as tables: those of the catalog with their origin, those that were fitted, and which hang together."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

from blocktime.model import catalog
from blocktime.model.provenance import Constant
from blocktime.model.units import show_number, show_seconds, unit_of
from blocktime.validation.fitted_constants import FittedConstant
from blocktime.validation.validate import Validation
from blocktime.validation.verdict_tally import mechanism_of
from blocktime.validation.words import NOTHING, number_text
from tools.markdown_tables import code, paragraph, table

CLOSE: Final = 0.7
"""Correlations that are told: half of what is not known of one is not known of the other (0.7² is a half)."""


def amount_text(field: str, value: float) -> str:
    """The value of a field with its unit."""
    unit = unit_of(field)
    if unit == "s" and 0 < abs(value) < 0.9995e-6:
        return f"{1e9 * value:.3g} ns"
    if unit == "s":
        return show_seconds(value)
    return f"{number_text(value)} {unit}".strip()


def interval_text(field: str, interval: tuple[float, float] | None) -> str:
    """Where a value lies with 95 % confidence."""
    return NOTHING if interval is None else " to ".join(amount_text(field, end) for end in interval)


def range_text(bounds: dict[str, tuple[float, float]]) -> str:
    """The quantities that a constant was fitted in."""
    return ", ".join(
        f"{quantity} {show_number(low)}" + ("" if low == high else f" to {show_number(high)}")
        for quantity, (low, high) in bounds.items()
    )


def numbers_text(ids: Iterable[str]) -> str:
    """Printed numbers by their ids, those of one table together."""
    by_table: dict[str, list[str]] = {}
    for text in ids:
        case, table_name, rest = text.split(":", 2)
        by_table.setdefault(f"{case}:{table_name}", []).append(rest)
    return "; ".join(f"{code(place)} {', '.join(code(rest) for rest in cells)}" for place, cells in by_table.items())


def fitted_table(validation: Validation, patterns: str = "") -> str:
    """The constants, and inputs of scenarios, fitted to numbers whose ids have one of *patterns*; all by default."""
    wanted = [text.strip() for text in patterns.split(";")] if patterns else ["*"]
    mechanisms = {comparison.number.id: mechanism_of(comparison) for comparison in validation.numbers}
    rows = [
        [
            code(constant.name),
            amount_text(_field(constant), constant.value),
            interval_text(_field(constant), constant.interval),
            numbers_text(constant.fitted_to),
            range_text(constant.range),
            ", ".join(sorted({mechanisms[number] for number in constant.fitted_to if number in mechanisms})),
            "one number, and nothing else" if constant.only_a_fit else "",
            constant.note,
        ]
        for constant in validation.constants
        if any(fnmatchcase(number, pattern) for number in constant.fitted_to for pattern in wanted)
    ]
    heads = ("constant or input", "value", "95 % interval", "fitted to", "fitted in", "about", "determined by", "note")
    return table(heads, rows)


def _field(constant: FittedConstant) -> str:
    return constant.name.rpartition(": ")[2].rpartition(".")[2]


def catalog_tables(kind: str) -> str:
    """Every entry of a *kind* with its constants."""
    return "\n\n".join(_of_entry(kind, entry) for entry in catalog.entries(kind).values())


def _of_entry(kind: str, entry: catalog.Entry) -> str:
    rows = [
        [
            code(field),
            str(entry.values()[field])
            if isinstance(entry.values()[field], str)
            else amount_text(field, constant.value),
            interval_text(field, constant.interval),
            constant.how,
            constant.source,
            _beside(constant),
        ]
        for field, constant in entry.constants.items()
    ]
    rows += [[code(field), text, NOTHING, NOTHING, entry.source, NOTHING] for field, text in entry.texts.items()]
    heads = ("constant", "value", "95 % interval", "how", "source", "note")
    title = paragraph(f"**{kind}/{entry.name}** – {entry.title} [{entry.source}]")
    return f"{title}\n\n{table(heads, rows)}"


def _beside(constant: Constant) -> str:
    texts = [
        constant.note,
        f"same as `{constant.same_as}`" if constant.same_as else "",
        f"fitted to {numbers_text(constant.fitted_to)}" if constant.fitted_to else "",
        f"in {range_text(constant.range)}" if constant.range else "",
    ]
    return "; ".join(part for part in texts if part)


def prior_table(validation: Validation) -> str:
    """What sources say of constants before any number is fitted."""
    rows = [
        [
            code(prior.constant),
            amount_text(prior.constant.rpartition(": ")[2], prior.value),
            f"{prior.factor:g}",
            prior.source,
            prior.says,
        ]
        for case in validation.cases
        for prior in case.prior
    ]
    return table(("constant", "value", "factor", "source", "says"), sorted(rows))


def correlation_table() -> str:
    """Pairs of constants whose estimates hang together closely."""
    pairs = [(sorted(pair), value) for pair, value in catalog.correlations().items() if abs(value) >= CLOSE]
    rows = [
        [code(text), code(other), f"{value:+.2f}"]
        for (text, other), value in sorted(pairs, key=lambda pair: (-abs(pair[1]), pair[0]))
    ]
    return table(("constant", "and", "correlation"), rows) if rows else "None is on file."
