"""What the work costs as plain text: one run or transaction by its parts, an hour, gets and half of them."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.app.base.lines import aligned, head, mean, wrapped
from blocktime.model.results import Money, RunResult
from blocktime.model.units import show_amount, show_bytes
from blocktime.scenarios.why_money import many_of
from blocktime.scenarios.why_words import plural

WIDTHS = (15, 15, 7, 13)
HOUR_S = 3600


def money_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """Costs by the price list; nothing where there is none."""
    money = result.money
    if money is None:
        return
    words, count = many_of(money)
    yield head(f"Money of {words}" if count > 1 else "Money")
    yield from _line(money.currency, "a million" if count > 1 else words, "%", "an hour")
    for name, amount in (
        ("licence", money.licence),
        ("support", money.support),
        ("infrastructure", money.infrastructure),
        ("storage", money.storage),
    ):
        share = f"{100 * amount / money.total:.1f}" if money.total else ""
        yield from _line(name, show_amount(count * amount), share)
    yield from _line("used", show_amount(count * money.total), "", show_amount(money.used_per_hour))
    yield from _line(
        "whole machine", show_amount(count * money.machine), "", show_amount(money.machine_per_hour)
    )
    for sentence in (*_used(money), *_of_gets(money)):
        yield from wrapped(sentence, width)


def _line(name: str, each: str, share: str = "", hour: str = "") -> Iterator[str]:
    return aligned((name, each, share, hour), WIDTHS)


def _used(money: Money) -> Iterator[str]:
    """What is paid for, used and as a whole."""
    hours = show_amount(many_of(money)[1] * money.cpu_core_hours)
    yield (
        f"used: {hours} core hours at {show_amount(money.core_per_hour)} {money.currency}; "
        f"at {mean(HOUR_S / money.takes_s)} {money.per}s an hour, {show_amount(money.used_cores)} of "
        f"{plural(money.machine_cores, 'core')} are busy"
    )
    requests = f" and {money.storage_iops:,.0f} requests/s" if money.storage_iops else ""
    yield (
        f"whole machine: {plural(money.machine_cores, 'core')}, busy or idle, with "
        f"{plural(money.machine_licences, 'processor licence')}; both include storage of "
        f"{show_bytes(money.storage_bytes)}{requests}"
    )


def _of_gets(money: Money) -> Iterator[str]:
    """What gets cost."""
    if money.per_million_logical_io is not None:
        yield (
            f"a million gets cost {show_amount(money.per_million_logical_io)} {money.currency} of CPU, including row "
            "processing"
        )
