"""The answer on the page: headline, figures, where the time goes, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import streamlit as st

from app import charts, engines, segment_charts
from app.drawn import chart
from app.lines import mean
from app.markdown import plain, sentence
from app.outside import by_number, farthest
from app.stream_text import at_once
from app.transaction_text import tps
from model.provenance import Extrapolation
from model.results import DeviceStats, RunResult, StreamStats, TransactionStats
from model.units import MIB, show_amount, show_data, show_quantity, show_seconds
from scenarios import Scenario
from scenarios.compare import SAME_ELAPSED, chance, why
from scenarios.why_device import requests
from scenarios.why_money import MILLION, many_of
from scenarios.why_words import differs, from_to

WARNING: Final = ":material/warning:"
MEAN: Final = "of the mean transaction"
LOOKS_S: Final = 0.4
HEIGHT: Final = 300
"""Pixels of the chart and of the reasons beside it, whatever they have to say."""
HARDLY: Final = 1e-3
"""Share of the elapsed time below which a difference of a part of it is neither good nor bad."""
LEAST_AMOUNT: Final = 0.01
"""Of money; what costs less is told by the million."""
Asked = tuple[Scenario, Scenario]
"""Baseline and what-if."""


def headline(title: str, asked: Asked, changed: int, found: engines.Pair, share: Callable[[], None]) -> None:
    """What is asked, which engine answers and what it is at, and how to take the answer along."""
    with st.container(key="head"):
        heading, status, taken = st.columns([3.1, 1.45, 1.75], vertical_alignment="center", gap="small")
    moved = f":primary-badge[{changed} changed]" if changed else ""
    heading.markdown(f"### {plain(title)} {badge(found)} {moved}")
    with status:
        _status(asked, found)
    with taken:
        share()


def badge(found: engines.Pair) -> str:
    """The engine behind the what-if's numbers, as a badge."""
    if found.after.engine == "simulate":
        stats = found.after.transactions
        lasts = stats is None or not stats.unwritten_blocks
        later = "" if lasts else " :orange-badge[:material/warning: DBWR does not keep up]"
        return f":blue-badge[:material/play_circle: simulation]{later}"
    if found.bound and found.queues:
        return ":orange-badge[:material/function: law, approximate]"
    return ":green-badge[:material/function: law]"


def _status(asked: Asked, found: engines.Pair) -> None:
    """What the other engine says, or is at, or a button that asks it."""
    job = engines.WISHES.job()
    if found.pending and job is not None:
        _under_way(asked, job.done, found.after.engine == "simulate")
    elif found.after.engine == "simulate":
        knows = "knows means alone" if found.after.transactions else "knows no queue"
        law = show_seconds(found.law.time.elapsed_s)
        st.caption(f"the law says {law}", help=f"The closed form, which {knows}", text_alignment="right")
    elif found.verified is not None:
        law_s, played = found.law.time.elapsed_s, found.verified
        off = f" ({played.time.elapsed_s / law_s - 1:+.2%})" if law_s else ""
        st.caption(
            f"simulation: {show_seconds(played.time.elapsed_s)}{off}",
            help=f"The same laws played in time: seed {played.seed}, {played.events or 0:,} events",
            text_alignment="right",
        )
    elif not found.refused and (found.bound or not found.queues):
        users = "Simulate the users" if found.after.transactions else "Simulate the queue"
        st.button(
            users if found.bound else "Verify by simulation", icon=":material/play_arrow:", width="stretch",
            key="simulate", on_click=engines.WISHES.want, args=asked,
            help="Plays the same laws in time, beside the page: you can go on meanwhile",
        )  # fmt: skip


@st.fragment(run_every=LOOKS_S)
def _under_way(asked: Asked, drawn: int, replaced: bool) -> None:
    """How far the simulation is, with a way to end it; when there is more to show, the page is drawn anew."""
    job = engines.WISHES.job()
    if job is None or job.ended or job.done > drawn:
        st.rerun()
    job.look()
    with st.container(
        horizontal=True, gap="small", horizontal_alignment="right", vertical_alignment="center"
    ):
        what = "interval follows" if replaced else "simulating"
        st.caption(f":material/progress_activity: {what} … {job.took_s:.0f} s")
        st.button(
            "Cancel", key="simulation.cancel", type="tertiary", on_click=engines.WISHES.give_up, args=asked,
            help="Leave it at what is shown",
        )  # fmt: skip


def figures(before: RunResult, after: RunResult) -> None:
    """Nine to eleven numbers with their difference to the baseline; outside a fitted range the number says so."""
    outside = by_number(after)
    cpu = "CPU" if after.streams else "DB CPU"
    whole = _Shown("Elapsed", show_seconds, outside["elapsed"], badge=True, interval=_interval(after))
    if after.streams:
        first, second = _of_streams(outside)
    elif after.transactions:
        whole = replace(whole, label="Response", says=MEAN)
        first, second = _of_transactions(outside)
    else:
        first, second = _of_rows() if after.changes else _of_a_query(outside)
    first = [
        (whole, lambda r: r.time.elapsed_s),
        _cost(before, after),
        (_Shown(cpu, show_seconds, outside["cpu"]), lambda r: r.time.cpu_s),
        *first,
    ]
    hardly_s = HARDLY * max(before.time.elapsed_s, after.time.elapsed_s)
    for key, shown in (("first", first), ("second", second)):
        with st.container(key=key, horizontal=True, gap="small"):
            for what, number in shown:
                least = hardly_s if what.show is show_seconds else 0.0
                _metric(what, number(before), number(after), least)


def _interval(result: RunResult) -> str:
    """Where the mean lies, as far as a simulation knows."""
    found = result.time.interval
    return "" if found is None else f"{show_seconds(found.low_s)} to {show_seconds(found.high_s)}"


def _cost(before: RunResult, after: RunResult) -> _Number:
    """What it costs by the price book; without one, how to choose one."""
    money = after.money or before.money
    if money is None:
        says = "choose a price book under Prices, on the left"
        return _Shown("Cost", show_amount, says=says, missing="no price book"), lambda _: None
    words, many = many_of(money)
    totals = [result.money.total for result in (before, after) if result.money]
    if max(totals) < LEAST_AMOUNT and many == 1:
        words, many = f"a million {money.per}s", MILLION
    each = f"1M {money.per}s" if many == MILLION else money.per
    return (
        _Shown(f"Cost, {money.currency}/{each}", show_amount, says=f"of {words}, by the price book"),
        lambda result: many * result.money.total if result.money else None,
    )


def _of_a_query(outside: Mapping[str, Sequence[Extrapolation]]) -> tuple[list[_Number], list[_Number]]:
    """What matters of a query beside its time."""

    def client(result: RunResult) -> float:
        return charts.by_class(result)["Idle"]

    return (
        [
            (_Shown("User I/O wait", show_seconds, outside["io"]), charts.io_wait_s),
            (_Shown("Consistent gets", _count), lambda r: r.logical_io and r.logical_io.consistent_gets),
        ],
        [
            (_Shown("Reads", _count), lambda r: r.physical_io.read_requests),
            (_Shown("Largest read", _blocks, good="off"), charts.largest_read_blocks),
            (
                _Shown("Optimizer cost", _count, outside["cost"], says="in single-block reads"),
                lambda r: r.optimizer and r.optimizer.cost,
            ),
            (_Shown("Waiting for the client", show_seconds, outside["client"]), client),
        ],
    )


def _of_streams(outside: Mapping[str, Sequence[Extrapolation]]) -> tuple[list[_Number], list[_Number]]:
    """What matters of a stream of calls beside its time, and of the requests that it makes of the device."""

    def calls(read: Callable[[StreamStats], float | None]) -> Callable[[RunResult], float | None]:
        return lambda result: read(result.streams[0]) if result.streams else None

    def disk(read: Callable[[DeviceStats], float]) -> Callable[[RunResult], float | None]:
        return lambda result: next((read(device) for device in result.device.values()), None)

    return (
        [
            (_Shown("Calls/s", mean, good="normal"), calls(lambda s: s.calls_per_s)),
            (_Shown("MB/s", _megabytes, good="normal"), calls(lambda s: s.bytes_per_s)),
        ],
        [
            (_Shown("Mean response", show_seconds, says="of one call"), calls(lambda s: s.response_s)),
            (
                _Shown("p95 response", show_seconds, says="19 of 20 calls take no longer"),
                calls(lambda s: s.response_percentiles.get("p95")),
            ),
            (_Shown("Requests", _count, says="at the device"), disk(requests)),
            (_Shown("await", show_seconds, outside["io"]), disk(lambda d: d.await_s)),
            (
                _Shown("%util", _percent, says="of the device", points=True),
                disk(lambda d: d.utilisation_fraction),
            ),
        ],
    )


def _of_transactions(outside: Mapping[str, Sequence[Extrapolation]]) -> tuple[list[_Number], list[_Number]]:
    """What matters of transactions beside the time of one."""

    def of(read: Callable[[TransactionStats], float | None]) -> Callable[[RunResult], float | None]:
        return lambda result: read(result.transactions) if result.transactions else None

    return (
        [
            (_Shown("TPS", tps, good="normal", says="transactions a second"), of(lambda t: t.per_s)),
            (_Shown("User I/O wait", show_seconds, outside["io"], says=MEAN), charts.io_wait_s),
        ],
        [
            (
                _Shown(
                    "p95 response",
                    show_seconds,
                    says="19 of 20 transactions take no longer",
                    missing="simulated only",
                ),
                of(lambda t: t.response_percentiles.get("p95")),
            ),
            (
                _Shown("Buffer hits", _percent, good="normal", says="of all gets", points=True),
                lambda r: r.cache and r.cache.hit_fraction,
            ),
            (_Shown("Reads", mean, says="per transaction"), lambda r: r.physical_io.read_requests),
            (
                _Shown(
                    "Busiest", _percent, says="share of time that the busiest resource works", points=True
                ),
                of(lambda t: max(t.utilisation.values(), default=0.0)),
            ),
            (
                _Shown("Knee", _users, good="normal", says="users from whom on somebody has to wait"),
                of(lambda t: t.saturation_users),
            ),
            (
                _Shown(
                    "Most TPS", tps, good="normal", says="what the resource that saturates first lets through"
                ),
                of(lambda t: t.saturation_per_s),
            ),
        ],
    )


def _users(value: float) -> str:
    return f"{value:,.0f} users"


def _of_rows() -> tuple[list[_Number], list[_Number]]:
    """What matters of a statement that changes rows beside its time."""

    def logged(result: RunResult) -> float:
        return result.changes.undo_bytes + result.changes.redo_bytes if result.changes else 0.0

    def searched(result: RunResult) -> float:
        return result.space_search.elapsed_fraction if result.space_search else 0.0

    return (
        [
            (_Shown("Rows migrated", _count), lambda r: r.segment and r.segment.migrated_rows),
            (
                _Shown("Probes rejected", _count, says="blocks looked into for space, and left again"),
                lambda r: r.segment and (r.segment.rejected_probes or 0.0),
            ),
        ],
        [
            (
                _Shown("Blocks after", _count, says="below the high-water mark"),
                lambda r: r.segment and r.segment.blocks_after,
            ),
            (_Shown("Space search", _percent, says="share of the elapsed time", points=True), searched),
            (_Shown("Undo and redo", _size), logged),
            (
                _Shown("ITL-full blocks", _count, says="blocks whose ITL has as many entries as it may"),
                lambda r: r.segment and (r.segment.itl_full_blocks or 0.0),
            ),
        ],
    )


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _size(value: float) -> str:
    return show_data(value)


def _megabytes(value: float) -> str:
    return mean(value / MIB)


def _blocks(value: float) -> str:
    return f"{value:,.0f} block{'' if value == 1 else 's'}"


@dataclass(frozen=True)
class _Shown:
    """How one number appears: its label, how it is written, the constants behind it outside their range."""

    label: str
    show: Callable[[float], str]
    outside: Sequence[Extrapolation] = ()
    good: Literal["inverse", "normal", "off"] = "inverse"
    """Streamlit's colour rule: ``inverse`` where less is better, ``normal`` where more is, ``off`` where neither is."""
    says: str = ""
    badge: bool = False
    """What is extrapolated is said in a word, not only by a sign and how far."""
    points: bool = False
    """A share, whose change is in points of a hundred."""
    missing: str = "not in this answer"
    """What is said where there is no such number."""
    interval: str = ""
    """Where the number lies with 95 % confidence."""

    def titled(self) -> str:
        """The label, with its marks."""
        known = f" :blue-badge[{self.interval}]" if self.interval else ""
        label = plain(self.label)
        if not self.outside:
            return label + known
        word = "extrapolated" if self.badge and not known else ""
        said = " ".join(filter(None, [WARNING, word, farthest(self.outside)]))
        return f"{label}{known} :orange-badge[{said}]"

    def help(self) -> str | None:
        """What the number is, and the constants behind it that are outside their range."""
        known = f"with 95 % confidence the mean lies from {self.interval}" if self.interval else ""
        return (
            plain("; ".join(filter(None, dict.fromkeys([self.says, known, *map(str, self.outside)])))) or None
        )


_Number = tuple[_Shown, Callable[[RunResult], float | None]]
"""How a number is shown, and where it is; None where the answer has no such part."""


def _metric(what: _Shown, was: float | None, now: float | None, least: float = 0.0) -> None:
    """One number with its difference, which is neither good nor bad below *least*."""
    if was is None or now is None:
        known = "—" if now is None else what.show(now)
        missing = what.missing if now is None else "not in the baseline"
        st.metric(
            what.titled(), known, missing, delta_color="off", delta_arrow="off", border=True, help=what.help()
        )
        return
    difference = now - was
    same = what.show(was) == what.show(now)
    share = difference / was if was else 0.0
    tiny = abs(share) < 0.0005
    percent = " (under 0.1%)" if was and tiny else f" ({share:+.1%})" if was and abs(share) < 10 else ""
    change = f"{'-' if difference < 0 else '+'}{what.show(abs(difference))}{percent}"
    if what.points:
        points = round(100 * difference, 1)
        change = f"{points:+.1f} points" if points else "under 0.1 points"
    st.metric(
        what.titled(),
        what.show(now),
        "as the baseline" if same else change,
        delta_color="off" if same or tiny or abs(difference) < least else what.good,
        delta_arrow="off" if same else "auto",
        border=True,
        help=what.help(),
    )


def waterfall(before: RunResult, after: RunResult) -> None:
    """Where the time goes, or where its difference comes from."""
    figure, finding = charts.waterfall(before, after, ink=ink())
    with st.container(height=HEIGHT, border=False, key="waterfall_place", gap=None):
        st.html(charts.key_html([before, after]))
        chart("waterfall", figure, finding)


def ink() -> str:
    """Colour of text in charts, for the theme in use."""
    return charts.INK["dark" if st.context.theme.type == "dark" else "light"]


def reasons(found: engines.Pair, moved: str, changed: bool, asked: Asked) -> None:
    """What moved and why, the main thing in one sentence, then what to keep in mind; *moved* is the one control."""
    before, after = found.before, found.after
    with st.container(height=HEIGHT, border=False, key="why"):
        st.markdown("**Why**" if changed else "**What this is**")
        if changed:
            said = why(before, after, asked) or ["Nothing that the model knows of moves."]
            st.markdown(plain(leading(before, after, said[0], moved)))
            said = said[1:]
        else:
            said = [
                at_once(before) or charts.finding(before),
                *segment_charts.findings(before),
                accessed(after),
                "Change a control on the left: the difference shows here",
            ]
        st.markdown("\n".join(f"- {plain(sentence(text))}" for text in said))
        for note in notes(found):
            st.caption(f":orange[:material/warning:] {plain(sentence(note))}")


def leading(before: RunResult, after: RunResult, reason: str, moved: str) -> str:
    """One sentence: what was moved, where the time goes from and to, and the main *reason* with its counts."""
    since = f"With {moved}, " if moved else ""
    times = before.time.elapsed_s, after.time.elapsed_s
    if not differs(*times, SAME_ELAPSED) or chance(before, after):
        return sentence(f"{since}{reason}")
    what = "the response" if after.transactions else "elapsed time"
    share = f" ({times[1] / times[0] - 1:+.0%})" if 0.01 * times[0] < times[1] < 10 * times[0] else ""
    return sentence(f"{since}{what} {from_to(*times, show_seconds)}{share}: {reason}")


def accessed(result: RunResult) -> str:
    """How the blocks were reached."""
    return (
        result.access if result.changes or result.streams or result.transactions else f"read {result.access}"
    )


def notes(found: engines.Pair) -> list[str]:
    """What the engine warns of, why there is no simulation, and what is extrapolated."""
    said = list(found.after.warnings)
    if found.refused:
        said.append(f"no simulation: {found.refused}")
    outside = found.after.extrapolated
    if outside:
        used = dict.fromkeys(show_quantity(one.quantity, one.used) for one in outside)
        many = len({one.constant for one in outside})
        verb = "constant was" if many == 1 else "constants were"
        far = farthest(outside)
        beyond = f" ({'up to ' if many > 1 else ''}{far} beyond)" if far else ""
        said.append(
            f"extrapolated: {many} {verb} not fitted at {' and '.join(used)}{beyond}; the tab Assumptions says more"
        )
    return said
