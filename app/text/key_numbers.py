"""The figures of an answer beside its elapsed time, as cards: how each has changed, and what it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from blocktime.app.base.markdown import plain
from blocktime.app.text.outside import by_number, farthest
from blocktime.app.text.quantities import QUANTITIES, Quantity, amount, of_first_device
from blocktime.model.measures import Better
from blocktime.model.provenance import Extrapolation
from blocktime.model.results import RunResult
from blocktime.model.units import show_alike, show_change, show_seconds
from blocktime.scenarios.why_money import MILLION, many_of

WARNING: Final = ":material/warning:"
MEAN: Final = "of the mean transaction"
HARDLY: Final = 1e-3
"""Share of the elapsed time below which a difference of a part of it is neither good nor bad."""
LEAST_AMOUNT: Final = 0.01
"""Of money; what costs less is told by the million."""
UNCHANGED: Final = "as the baseline"
UNCLEAR: Final = "no clear difference"
"""Between times whose intervals overlap."""
Good = Literal["inverse", "normal", "off"]
"""Streamlit's colour rule: ``inverse`` where less is better, ``normal`` where more is, ``off`` where neither is."""
GOOD: Final[dict[Better, Good]] = {"less": "inverse", "more": "normal", "neither": "off"}
COLOURS: Final[dict[tuple[Good, bool], str]] = {
    ("inverse", True): "red", ("inverse", False): "green", ("normal", True): "green", ("normal", False): "red",
}  # fmt: skip
"""Of a change, by the colour rule and by whether the number rises."""


FIGURES: Final = QUANTITIES | {f"device_{key}": of_first_device(key) for key in ("requests", "await", "util")}
OF_A_QUERY: Final = (
    "cpu_s", "io_wait_s", "consistent_gets", "read_requests", "largest_read_bytes", "optimizer_cost", "client_s",
)  # fmt: skip
OF_STREAMS: Final = (
    "program_cpu_s", "calls_per_s", "bytes_per_s", "response_s", "response_p95_s", "device_requests", "device_await",
    "device_util",
)  # fmt: skip
OF_TRANSACTIONS: Final = (
    "cpu_s", "transactions_per_s", "response_p95_s", "io_wait_s", "hit_fraction", "read_requests_per_transaction",
    "busiest", "saturation_users", "saturation_per_s",
)  # fmt: skip
OF_ROWS: Final = (
    "cpu_s", "migrated_rows", "rejected_probes", "segment_after_blocks", "search_fraction", "logged_bytes",
    "itl_full_blocks",
)  # fmt: skip
STANDS_ON: Final = {
    "cpu_s": "cpu", "program_cpu_s": "cpu", "io_wait_s": "io", "device_await": "io", "optimizer_cost": "cost",
    "client_s": "client",
}  # fmt: skip
"""Figure -> the number whose constants outside their range are behind it."""


@dataclass(frozen=True)
class Number:
    """A figure of an answer, and what it stands on."""

    quantity: Quantity
    outside: Sequence[Extrapolation] = ()
    """Constants behind it that are used outside the range that they were fitted in."""
    interval: str = ""
    """Where the number lies with 95 % confidence."""

    def read(self, result: RunResult) -> float | None:
        """The number; None where the answer has none."""
        return self.quantity.read(result)

    def show(self, value: float | None, *others: float | None) -> str:
        """*value* with its unit, in the form of the *others*, or what is said where there is no such number."""
        if value is None:
            return self.quantity.missing or "not in this answer"
        if self.quantity.is_time:
            return show_alike(value, *filter(None, others))[0]
        return self.quantity.unit.show(value)

    def titled(self, word: str = "") -> str:
        """The label, with its interval and a mark, *word* among it, where it is extrapolated."""
        known = f" :blue-badge[{self.interval}]" if self.interval else ""
        if not self.outside:
            return plain(self.quantity.label) + known
        mark = " ".join(filter(None, [WARNING, "" if known else word, farthest(self.outside)]))
        return f"{plain(self.quantity.label)}{known} :orange-badge[{mark}]"

    def help(self) -> str | None:
        """What the number is, and the constants behind it that are outside their range."""
        known = f"95 % confidence interval: {self.interval}" if self.interval else ""
        texts = dict.fromkeys([self.quantity.says, known, *map(str, self.outside)])
        return plain("; ".join(filter(None, texts))) or None

    def change(self, was: float | None, now: float | None, least: float = 0.0) -> tuple[str, Good]:
        """How it has changed, in words, and the rule of its colour: none where less than *least* has."""
        if was is None or now is None:
            return self.show(now) if now is None else "not in the baseline", "off"
        if self.show(was, now) == self.show(now, was):
            return UNCHANGED, "off"
        difference = now - was
        share = difference / was if was else 0.0
        tiny = abs(share) < 0.0005
        percent = f" ({show_change(was, now)})" if was else ""
        text = f"{'-' if difference < 0 else '+'}{self.show(abs(difference), was, now)}{percent}"
        if was and tiny:
            text = "under 0.1 %"
        if self.quantity.is_share:
            points = round(100 * difference, 1)
            text = f"{points:+.1f} points" if points else "under 0.1 points"
        return text, "off" if tiny or abs(difference) < least else GOOD[self.quantity.better]


def whole(result: RunResult) -> Number:
    """What an answer is about: the elapsed time or a transaction's response, with its interval."""
    outside = by_number(result)["elapsed"]
    interval = result.time.interval
    ends = [] if interval is None else [show_seconds(interval.low_s), show_seconds(interval.high_s)]
    known = f"{'mean ' if interval and interval.runs else ''}{' to '.join(ends)}" if len(set(ends)) > 1 else ""
    label, says = ("Response", MEAN) if result.transactions else ("Elapsed", "")
    return Number(QUANTITIES["elapsed_s"]._replace(label=label, says=says), outside, known)


def others(before: RunResult, after: RunResult) -> list[Number]:
    """What matters of the answers beside that, of which one of them has a figure or says why not."""
    outside = by_number(after)
    keys = (
        OF_STREAMS if after.streams else OF_TRANSACTIONS if after.transactions
        else OF_ROWS if after.changes else OF_A_QUERY
    )  # fmt: skip
    several = any(result.time.last_session_s for result in (before, after))
    figures = [Number(FIGURES[key], outside.get(STANDS_ON.get(key, ""), ())) for key in keys]
    return [
        *([Number(QUANTITIES["last_session_s"])] if several else []),
        *_cost(before, after),
        *(figure for figure in figures if figure.quantity.missing or {*map(figure.read, (before, after))} != {None}),
    ]


def lines(before: RunResult, after: RunResult) -> list[dict[str, str]]:
    """The same as the lines of a table, in Markdown: one value where nothing has changed, else both and the change."""
    hardly_s = HARDLY * max(before.time.elapsed_s, after.time.elapsed_s)
    rows = []
    for number in others(before, after):
        was, now = number.read(before), number.read(after)
        texts = ["—" if value is None else number.show(value, was, now) for value in (was, now)]
        label = number.titled() + (f" :gray[{plain(number.quantity.says)}]" if number.quantity.says else "")
        if before == after:
            rows.append({"Number": label, "Value": plain(number.show(now))})
            continue
        text, good = number.change(was, now, hardly_s if number.quantity.is_time else 0.0)
        text = "" if text == UNCHANGED else plain(text)
        if text and good != "off" and was is not None and now is not None:
            text = f":{COLOURS[good, now > was]}[{text}]"
        rows.append({"Number": label, "Baseline": plain(texts[0]), "What-if": plain(texts[1]), "Change": text})
    return rows


def _cost(before: RunResult, after: RunResult) -> list[Number]:
    money = after.money or before.money
    if money is None:
        return []
    words, count = many_of(money)
    totals = [result.money.total for result in (before, after) if result.money]
    each = words if max(totals) >= LEAST_AMOUNT or count > 1 else f"a million {money.per}s"
    per = f"1M {money.per}s" if each != words or count > 1 else money.per
    label, says = f"Cost, {money.currency}/{per}", f"of {each}, by the price list"
    month = amount("", f"Month, {money.currency}", money.currency, "", says="of the whole machine, by the price list")
    each_cost = amount("total", label, money.currency, words, count if each == words else MILLION, says)
    return [Number(month), Number(each_cost)]
