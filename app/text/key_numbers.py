"""The numbers of an answer beside its elapsed time: what each is, how it is written, and how it has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from app.base.lines import mean
from app.base.markdown import plain
from app.text import profile
from app.text.outside import by_number, farthest
from app.text.transaction_text import tps
from model.provenance import Extrapolation
from model.results import DeviceStats, RunResult, StreamStats, TransactionStats
from model.units import MIB, show_amount, show_data, show_seconds
from scenarios.why_device import requests
from scenarios.why_money import MILLION, many_of

WARNING: Final = ":material/warning:"
MEAN: Final = "of the mean transaction"
HARDLY: Final = 1e-3
"""Share of the elapsed time below which a difference of a part of it is neither good nor bad."""
LEAST_AMOUNT: Final = 0.01
"""Of money; what costs less is told by the million."""
UNCHANGED: Final = "as the baseline"
Good = Literal["inverse", "normal", "off"]
"""Streamlit's colour rule: ``inverse`` where less is better, ``normal`` where more is, ``off`` where neither is."""
COLOURS: Final[dict[tuple[Good, bool], str]] = {
    ("inverse", True): "red", ("inverse", False): "green", ("normal", True): "green", ("normal", False): "red",
}  # fmt: skip
"""Of a change, by the colour rule and by whether the number rises."""


@dataclass(frozen=True)
class Number:
    """One number: its label, where it is in an answer, how it is written, and what it stands on."""

    label: str
    show: Callable[[float], str]
    read: Callable[[RunResult], float | None]
    """None where the answer has no such part."""
    outside: Sequence[Extrapolation] = ()
    """Constants behind it that are used outside the range that they were fitted in."""
    good: Good = "inverse"
    says: str = ""
    points: bool = False
    """A share, whose change is in points of a hundred."""
    missing: str = "not in this answer"
    """What is said where there is no such number."""
    interval: str = ""
    """Where the number lies with 95 % confidence."""

    def titled(self, word: str = "") -> str:
        """The label, with its interval and a mark, *word* among it, where it is extrapolated."""
        known = f" :blue-badge[{self.interval}]" if self.interval else ""
        if not self.outside:
            return plain(self.label) + known
        mark = " ".join(filter(None, [WARNING, "" if known else word, farthest(self.outside)]))
        return f"{plain(self.label)}{known} :orange-badge[{mark}]"

    def help(self) -> str | None:
        """What the number is, and the constants behind it that are outside their range."""
        known = f"with 95 % confidence the mean lies from {self.interval}" if self.interval else ""
        return (
            plain("; ".join(filter(None, dict.fromkeys([self.says, known, *map(str, self.outside)])))) or None
        )

    def change(self, was: float | None, now: float | None, least: float = 0.0) -> tuple[str, Good]:
        """How it has changed, in words, and the rule of its colour: none where less than *least* has."""
        if was is None or now is None:
            return self.missing if now is None else "not in the baseline", "off"
        if self.show(was) == self.show(now):
            return UNCHANGED, "off"
        difference = now - was
        share = difference / was if was else 0.0
        tiny = abs(share) < 0.0005
        percent = f" ({share:+.1%})" if was and abs(share) < 10 else ""
        text = f"{'-' if difference < 0 else '+'}{self.show(abs(difference))}{percent}"
        if was and tiny:
            text = "under 0.1%"
        if self.points:
            points = round(100 * difference, 1)
            text = f"{points:+.1f} points" if points else "under 0.1 points"
        return text, "off" if tiny or abs(difference) < least else self.good


def whole(result: RunResult) -> Number:
    """What an answer is about: the elapsed time, or the response of a transaction."""
    outside = by_number(result)["elapsed"]
    interval = result.time.interval
    ends = [] if interval is None else [show_seconds(interval.low_s), show_seconds(interval.high_s)]
    known = " to ".join(ends) if len(set(ends)) > 1 else ""
    label, says = ("Response", MEAN) if result.transactions else ("Elapsed", "")
    return Number(label, show_seconds, lambda r: r.time.elapsed_s, outside, says=says, interval=known)


def others(before: RunResult, after: RunResult) -> list[Number]:
    """What matters of the answer beside that."""
    outside = by_number(after)
    of = (
        _of_streams if after.streams else _of_transactions if after.transactions
        else _of_rows if after.changes else _of_a_query
    )  # fmt: skip
    cpu = Number("CPU" if after.streams else "DB CPU", show_seconds, lambda r: r.time.cpu_s, outside["cpu"])
    return [*_last_session(before, after), *_cost(before, after), cpu, *of(outside)]


def lines(before: RunResult, after: RunResult) -> list[dict[str, str]]:
    """The same as the lines of a table, in Markdown: one value where nothing has changed, else both and the change."""
    hardly_s = HARDLY * max(before.time.elapsed_s, after.time.elapsed_s)
    found = []
    for number in others(before, after):
        was, now = number.read(before), number.read(after)
        shown = ["—" if one is None else number.show(one) for one in (was, now)]
        label = number.titled() + (f" :gray[{plain(number.says)}]" if number.says else "")
        if before == after:
            found.append({"Number": label, "Value": plain(number.missing if now is None else shown[1])})
            continue
        text, good = number.change(was, now, hardly_s if number.show is show_seconds else 0.0)
        text = "" if text == UNCHANGED else plain(text)
        if text and good != "off" and was is not None and now is not None:
            text = f":{COLOURS[good, now > was]}[{text}]"
        found.append(
            {"Number": label, "Baseline": plain(shown[0]), "What-if": plain(shown[1]), "Change": text}
        )
    return found


def _last_session(before: RunResult, after: RunResult) -> list[Number]:
    """When the last of several sessions ends."""
    if all(result.time.last_session_s is None for result in (before, after)):
        return []
    says = "from the begin of the first session"
    return [Number("Until the last session ends", show_seconds, lambda r: r.time.last_session_s, says=says)]


def _cost(before: RunResult, after: RunResult) -> list[Number]:
    """What it costs, where there is a price book."""
    money = after.money or before.money
    if money is None:
        return []
    words, many = many_of(money)
    totals = [result.money.total for result in (before, after) if result.money]
    if max(totals) < LEAST_AMOUNT and many == 1:
        words, many = f"a million {money.per}s", MILLION
    each = f"1M {money.per}s" if many == MILLION else money.per
    return [
        Number(
            f"Cost, {money.currency}/{each}",
            show_amount,
            lambda result: many * result.money.total if result.money else None,
            says=f"of {words}, by the price book",
        )
    ]


Outside = Mapping[str, Sequence[Extrapolation]]


def _part(part: str, number: str) -> Callable[[RunResult], float | None]:
    """What gives *number* of a result's *part*, or None where the result has no such part."""
    return lambda result: getattr(getattr(result, part), number, None)


def _of_a_query(outside: Outside) -> list[Number]:
    """What matters of a query beside its time."""

    def client(result: RunResult) -> float:
        return profile.by_class(result)["Idle"]

    return [
        Number("User I/O wait", show_seconds, profile.io_wait_s, outside["io"]),
        Number("Consistent gets", _count, _part("logical_io", "consistent_gets")),
        Number("Reads", _count, lambda r: r.physical_io.read_requests),
        Number("Largest read", _blocks, profile.largest_read_blocks, good="off"),
        Number(
            "Optimizer cost", _count, _part("optimizer", "cost"), outside["cost"],
            says="in single-block reads",
        ),
        Number("Waiting for the client", show_seconds, client, outside["client"]),
    ]  # fmt: skip


def _of_streams(outside: Outside) -> list[Number]:
    """What matters of a stream of calls beside its time, and of the requests that it makes of the device."""

    def calls(read: Callable[[StreamStats], float | None]) -> Callable[[RunResult], float | None]:
        return lambda result: read(result.streams[0]) if result.streams else None

    def disk(read: Callable[[DeviceStats], float | None]) -> Callable[[RunResult], float | None]:
        return lambda result: next((read(device) for device in result.device.values()), None)

    return [
        Number("Calls/s", mean, calls(lambda s: s.calls_per_s), good="normal"),
        Number("MB/s", _megabytes, calls(lambda s: s.bytes_per_s), good="normal"),
        Number("Mean response", show_seconds, calls(lambda s: s.response_s), says="of one call"),
        Number(
            "p95 response", show_seconds, calls(lambda s: s.response_percentiles.get("p95")),
        ),
        Number("Requests", _count, disk(requests), says="at the device"),
        Number("await", show_seconds, disk(lambda d: d.await_s), outside["io"]),
        Number("%util", _percent, disk(lambda d: d.utilisation_fraction), says="of the device", points=True),
    ]  # fmt: skip


def _of_transactions(outside: Outside) -> list[Number]:
    """What matters of transactions beside the time of one."""

    def of(read: Callable[[TransactionStats], float | None]) -> Callable[[RunResult], float | None]:
        return lambda result: read(result.transactions) if result.transactions else None

    return [
        Number("TPS", tps, of(lambda t: t.per_s), good="normal"),
        Number(
            "p95 response", show_seconds, of(lambda t: t.response_percentiles.get("p95")),
            missing="simulated only",
        ),
        Number("User I/O wait", show_seconds, profile.io_wait_s, outside["io"]),
        Number(
            "Buffer hits", _percent, _part("cache", "hit_fraction"), good="normal", says="of all gets",
            points=True,
        ),
        Number("Reads", mean, lambda r: r.physical_io.read_requests, says="per transaction"),
        Number(
            "Busiest resource", _percent, of(lambda t: max(t.utilisation.values(), default=0.0)),
            points=True,
        ),
        Number(
            "Knee (users)", _count, of(lambda t: t.saturation_users), good="normal",
            says="saturates from here on",
        ),
        Number(
            "Maximum TPS", tps, of(lambda t: t.saturation_per_s), good="normal",
        ),
    ]  # fmt: skip


def _of_rows(outside: Outside) -> list[Number]:
    """What matters of a statement that changes rows beside its time."""
    del outside  # a statement's rows are counted

    def logged(result: RunResult) -> float:
        return result.changes.undo_bytes + result.changes.redo_bytes if result.changes else 0.0

    def searched(result: RunResult) -> float:
        return result.space_search.elapsed_fraction if result.space_search else 0.0

    return [
        Number("Rows migrated", _count, _part("segment", "migrated_rows")),
        Number(
            "Probes rejected", _count, _part("segment", "rejected_probes"),
            says="by the search for space",
        ),
        Number(
            "Blocks after", _count, _part("segment", "blocks_after"), says="below the high-water mark"
        ),
        Number("Space search", _percent, searched, says="of elapsed time", points=True),
        Number("Undo and redo", show_data, logged),
        Number(
            "ITL-full blocks", _count, _part("segment", "itl_full_blocks"),
            says="their ITL cannot grow",
        ),
    ]  # fmt: skip


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _megabytes(value: float) -> str:
    return mean(value / MIB)


def _blocks(value: float) -> str:
    return f"{value:,.0f} block{'' if value == 1 else 's'}"
