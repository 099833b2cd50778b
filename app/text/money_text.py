"""What the work costs as plain text: one run or transaction by its parts, an hour, gets and half of them."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.app.base.lines import mean
from blocktime.app.text.section import NOTHING, CellTable, Section
from blocktime.model.results import Money, RunResult
from blocktime.model.units import show_amount, show_bytes
from blocktime.scenarios.why_money import many_of
from blocktime.scenarios.why_words import listed, plural

WIDTHS = (15, 15, 7, 13)
HOUR_S = 3600


def money_section(result: RunResult) -> Section:
    """Costs by the price list; nothing where there is none."""
    money = result.money
    if money is None:
        return NOTHING
    words, count = many_of(money)
    month = [(f"{money.currency} a month", "whole machine", "%", "")]
    for name, amount in money.month.items():
        share = f"{100 * amount / money.month['machine']:.1f}" if money.month["machine"] else ""
        month.append((name, show_amount(amount), share, ""))
    rows = [(money.currency, "a million" if count > 1 else words, "%", "an hour")]
    for name in ("licence", "support", "infrastructure", "storage"):
        amount = getattr(money, name)
        share = f"{100 * amount / money.total:.1f}" if money.total else ""
        rows.append((name, show_amount(count * amount), share, ""))
    rows.append(("used", show_amount(count * money.total), "", show_amount(money.used_per_hour)))
    rows.append(("whole machine", show_amount(count * money.machine), "", show_amount(money.machine_per_hour)))
    heading = f"Money of {words}" if count > 1 else "Money"
    tables = [CellTable(month, WIDTHS), CellTable(rows, WIDTHS)]
    return Section(heading, tables, [*_used(money), *_of_gets(money), *_not_priced(money)])


def _not_priced(money: Money) -> Iterator[str]:
    if money.not_priced:
        yield f"the price list has no price of {listed(money.not_priced)}: they cost nothing here"


def _used(money: Money) -> Iterator[str]:
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
    if money.per_million_logical_io is not None:
        yield (
            f"a million gets cost {show_amount(money.per_million_logical_io)} {money.currency} of CPU, including row "
            "processing"
        )
