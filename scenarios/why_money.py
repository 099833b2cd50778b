"""What another answer costs, and which part of it moved."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.model.results import Money, RunResult
from blocktime.model.units import show_amount, show_change
from blocktime.scenarios.why_words import differs

HOUR_S = 3600
MILLION = 1_000_000


def many_of(money: Money) -> tuple[str, float]:
    """What amounts are told of, and how many that is: one transaction costs too little to be read."""
    return ("a million transactions", MILLION) if money.per == "transaction" else (f"one {money.per}", 1)


def sentences(base: RunResult, other: RunResult) -> Iterator[str]:
    """One sentence on the cost of a run or transaction and of an hour; none where neither answer has prices."""
    before, after = base.money, other.money
    if before is None or after is None:
        known = before or after
        if known is not None:
            whose, count = _subject(known)
            each, hour = show_amount(count * known.total), show_amount(known.used_per_hour)
            yield (
                f"{whose} {each} {known.currency} and an hour of it {hour} {known.currency} by prices that "
                "only one of the two has"
            )
    elif before.currency != after.currency:
        yield f"one costs {before.currency}, the other {after.currency}, so the costs are not compared"
    elif before.per != after.per:
        yield f"one cost is that of a {before.per}, the other that of a {after.per}, so the costs are not compared"
    else:
        yield _compared(before, after)


def _compared(before: Money, after: Money) -> str:
    whose, count = _subject(after)
    each = _instead(count * before.total, count * after.total, after.currency)
    hour = _instead(before.used_per_hour, _hour_at_the_rate_of(before, after), after.currency)
    return f"{whose} {each}{_because(before, after)}; an hour at the same rate of work costs {hour}"


def _subject(money: Money) -> tuple[str, float]:
    words, count = many_of(money)
    return (f"{words} cost" if count > 1 else f"a {money.per} costs"), count


def _hour_at_the_rate_of(before: Money, after: Money) -> float:
    """An hour in which as much is done as before; storage is kept all the time."""
    each, stored = after.total - after.storage, after.storage / after.takes_s
    return HOUR_S * (each / before.takes_s + stored)


def _instead(before: float, after: float, currency: str) -> str:
    amounts = show_amount(after), show_amount(before)
    if amounts[0] == amounts[1]:
        return f"{amounts[0]} {currency} as before"
    less = "less" if after < before else "more"
    parts = [f"{show_amount(abs(after - before))} {less}", show_change(before, after)]
    return f"{amounts[0]} {currency} instead of {amounts[1]} ({', '.join(filter(None, parts))})"


def _because(before: Money, after: Money) -> str:
    """The part that moved the most, and whether its amount or its price did."""
    count = many_of(after)[1]
    cpu = after.total - after.storage - (before.total - before.storage)
    storage = after.storage - before.storage
    if not differs(before.total, after.total):
        return ""
    if abs(storage) > abs(cpu):
        stored = show_amount(count * after.storage), show_amount(count * before.storage)
        return f" because storage costs {stored[0]} instead of {stored[1]}"
    hours = before.cpu_core_hours, after.cpu_core_hours
    if differs(*hours):
        fell = "fell" if hours[1] < hours[0] else "rose"
        return f" because CPU {fell} from {show_amount(count * hours[0])} to {show_amount(count * hours[1])} core hours"
    return (
        f" because a core costs {show_amount(after.core_per_hour)} an hour instead of "
        f"{show_amount(before.core_per_hour)}"
    )
