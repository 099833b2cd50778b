"""A result as table rows: where the time goes, what iostat prints, and the constants it stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from blocktime.app.base.lines import with_unit
from blocktime.app.text.iostat_text import span_of, value_of
from blocktime.app.text.outside import by_component, farthest
from blocktime.app.text.profile import signed, wait_class
from blocktime.model.provenance import Constant, show_times, worst_first
from blocktime.model.results import DeviceLine, RunResult
from blocktime.model.spec import System
from blocktime.model.units import show_quantity, show_seconds, show_share, unit_of
from blocktime.scenarios.why import changes, next_to_nothing


def breakdown(base: RunResult, other: RunResult) -> list[dict[str, str]]:
    """Every component in both results and their difference, the largest of the what-if first, the whole last."""
    largest_first = sorted(changes(base, other), key=lambda change: -change.after_s)
    lines = [
        (change.name, change.before_s, change.after_s)
        for change in largest_first
        if not (next_to_nothing(base, change.before_s) and next_to_nothing(other, change.after_s))
    ]
    last = "Response" if other.transactions else "Elapsed"
    lines.append((last, base.time.elapsed_s, other.time.elapsed_s))
    longest_s = max(base.time.elapsed_s, other.time.elapsed_s)
    outside = {
        name: f"{farthest(extrapolations)} beyond".strip() for name, extrapolations in by_component(other).items()
    }
    return [
        {
            "Component": name, "Class": wait_class(name) if name != last else "",
            "Baseline": show_seconds(before, longest_s), "What-if": show_seconds(after, longest_s),
            "Difference": signed(after - before, longest_s),
            "Share of what-if": show_share(after / other.time.elapsed_s, 1) if other.time.elapsed_s else "",
            **({"Outside fitted ranges": outside.get(name, "")} if outside else {}),
        }
        for name, before, after in lines
    ]  # fmt: skip


def iostat(lines: Sequence[DeviceLine], columns: Sequence[str]) -> list[dict[str, str | float]]:
    """Each line of iostat with the seconds it covers, in iostat's units and with its two decimals."""
    return [{"seconds": span_of(line), **{name: round(value_of(name, line), 2) for name in columns}} for line in lines]


def assumptions(system: System, result: RunResult) -> list[dict[str, str]]:
    """The constants that came from a catalog, those farthest outside their range first: value, origin, range, use."""
    outside: dict[str, list[str]] = {}
    for extrapolation in worst_first(result.extrapolated):
        beyond = "" if extrapolation.times is None else f", {show_times(extrapolation.times)}× beyond"
        used = f"{show_quantity(extrapolation.quantity, extrapolation.used)}{beyond}"
        outside.setdefault(extrapolation.constant, []).append(used)
    order = {path: place for place, path in enumerate(outside)}
    return [
        {
            "Constant": path, "Value": with_unit(constant.value, unit_of(path)),
            "Interval": _interval(constant, unit_of(path)),
            "Outside": "; ".join(outside.get(path, [])), "Fitted range": _ranges(constant.range), "How": constant.how,
            "Source": constant.source, "Note": constant.note,
        }
        for path, constant in sorted(
            system.constants.items(), key=lambda item: (order.get(item[0], len(order)), item[0])
        )
    ]  # fmt: skip


def _interval(constant: Constant, unit: str) -> str:
    """Where the value lies with 95 % confidence, as far as that is known."""
    if constant.interval is None:
        return ""
    return " to ".join(with_unit(end, unit) for end in constant.interval)


def _ranges(ranges: Mapping[str, tuple[float, float]]) -> str:
    return "; ".join(show_quantity(name, *bounds) for name, bounds in ranges.items())
