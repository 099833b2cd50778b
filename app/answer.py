"""The answer on the page: headline, figures, where the time goes, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import charts, engines, segment_charts
from app.lines import mean
from app.markdown import plain, sentence
from app.stream_text import at_once
from app.transaction_text import tps
from model.errors import BlocktimeError
from model.results import DeviceStats, RunResult, StreamStats, TransactionStats
from model.units import MIB, show_bytes, show_seconds
from scenarios import Scenario
from scenarios.compare import why
from scenarios.why_device import requests

VERIFY: Final = "answer.verify"
MEAN: Final = "of the mean transaction"
_ON_ELAPSED: Final = ("host.", "disk.", "client.")


def marks(result: RunResult) -> dict[str, list[str]]:
    """Which number stands on constants used outside their fitted range, and the sentences that say so."""
    found: dict[str, list[str]] = {"elapsed": [], "cpu": [], "io": [], "client": [], "cost": []}
    for one in result.extrapolated:
        section, _, field = one.constant.partition(".")
        if section == "disk" or field == "reap_call_s":
            found["io"].append(str(one))
        elif section == "client":
            found["client"].append(str(one))
        elif section == "instance":
            found["cost"].append(str(one))
        elif field != "between_calls_s":
            found["cpu"].append(str(one))
        if one.constant.startswith(_ON_ELAPSED):
            found["elapsed"].append(str(one))
    return found


def headline(base: Scenario, other: Scenario, changed: int, found: engines.Pair) -> DeltaGenerator:
    """What is asked and which engine answers; returns the place where a simulation shows that it works."""
    with st.container(key="head"):
        title, action = st.columns([5, 1.25], vertical_alignment="center")
    moved = f":primary-badge[{changed} changed]" if changed else ""
    title.markdown(f"### {plain(base.title)} {' '.join(badges(found))} {moved}")
    place: DeltaGenerator = action.empty()
    if found.after.engine == "simulate":
        law = show_seconds(found.law.time.elapsed_s)
        knows = "knows means alone" if found.after.transactions else "knows no queue"
        place.caption(f"the law says {law}", help=f"The closed form, which {knows}", text_alignment="right")
    elif found.bound:
        if not found.pending and not found.refused:
            label = "Simulate the users" if found.after.transactions else "Simulate the queue"
            place.button(
                label,
                icon=":material/play_arrow:",
                width="stretch",
                on_click=engines.want,
                args=(base, other),
            )
    else:
        _verify(place, other, found.after)
    return place


def badges(found: engines.Pair) -> list[str]:
    """The engine behind the what-if's numbers, as badges."""
    if found.after.engine == "simulate":
        return [":blue-badge[:material/play_circle: simulation]"]
    working = [":gray-badge[simulating …]"] if found.pending else []
    if found.bound and found.queues:
        return [":orange-badge[:material/function: law, approximate]", *working]
    return [":green-badge[:material/function: law]", *working]


def _verify(place: DeltaGenerator, other: Scenario, law: RunResult) -> None:
    document = other.model_dump_json()
    if place.button("Verify by simulation", icon=":material/play_arrow:", width="stretch"):
        st.session_state[VERIFY] = document
    if st.session_state.get(VERIFY) != document:
        return
    try:
        with st.spinner("Simulating …"):
            played = engines.answer(other, "simulate")
    except ImportError:
        st.warning("This installation has no simulation engine, so there is nothing to verify with.")
        return
    except BlocktimeError as error:
        st.error(f"The simulation gives no answer: {error}", icon=":material/error:")
        return
    first, second = law.time.elapsed_s, played.time.elapsed_s
    off = f"{second / first - 1:+.2%}" if first else "—"
    events = f", {played.events:,} events" if played.events is not None else ""
    st.info(
        f"Law **{show_seconds(first)}** · simulation **{show_seconds(second)}** ({off}{events}, seed {played.seed}) · "
        f"User I/O wait {show_seconds(charts.io_wait_s(law))} and {show_seconds(charts.io_wait_s(played))}",
        icon=":material/verified:",
    )


def figures(before: RunResult, after: RunResult) -> None:
    """Eight or nine numbers with their difference to the baseline; outside a fitted range the number says so."""
    outside = marks(after)
    cpu = "CPU" if after.streams else "DB CPU"
    times: list[_Number] = [
        (_Shown("Elapsed", show_seconds, outside["elapsed"], badge=True), lambda r: r.time.elapsed_s),
        (_Shown(cpu, show_seconds, outside["cpu"]), lambda r: r.time.cpu_s),
    ]
    if after.streams:
        first, second = _of_streams(outside)
    elif after.transactions:
        times[0] = (_Shown("Response", show_seconds, outside["elapsed"], badge=True, says=MEAN), times[0][1])
        first, second = _of_transactions(outside)
    else:
        first, second = _of_rows() if after.changes else _of_a_query(outside)
    for key, shown in (("first", [*times, *first]), ("second", second)):
        with st.container(key=key):
            for column, (what, number) in zip(st.columns(len(shown)), shown, strict=True):
                _metric(column, what, number(before), number(after))


def _of_a_query(outside: Mapping[str, Sequence[str]]) -> tuple[list[_Number], list[_Number]]:
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


def _of_streams(outside: Mapping[str, Sequence[str]]) -> tuple[list[_Number], list[_Number]]:
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


def _of_transactions(outside: Mapping[str, Sequence[str]]) -> tuple[list[_Number], list[_Number]]:
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
                    "p95 response", show_seconds, says="19 of 20 transactions take no longer; simulated only"
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
    return f"{show_bytes(value)}B"


def _megabytes(value: float) -> str:
    return mean(value / MIB)


def _blocks(value: float) -> str:
    return f"{value:,.0f} block{'' if value == 1 else 's'}"


@dataclass(frozen=True)
class _Shown:
    """How one number appears: its label, how it is written, sentences on constants outside their range."""

    label: str
    show: Callable[[float], str]
    outside: Sequence[str] = ()
    good: Literal["inverse", "normal", "off"] = "inverse"
    """Streamlit's colour rule: ``inverse`` where less is better, ``normal`` where more is, ``off`` where neither is."""
    says: str = ""
    badge: bool = False
    """What is extrapolated is said in a badge, not by a sign alone."""
    points: bool = False
    """A share, whose change is in percentage points."""

    def titled(self) -> str:
        """The label, with its mark."""
        if not self.outside:
            return self.label
        sign = ":material/warning:"
        return f"{self.label} " + (
            f":orange-badge[{sign} extrapolated]" if self.badge else f":orange[{sign}]"
        )

    def help(self) -> str | None:
        """What the number is, and the constants behind it that are outside their range."""
        return plain("; ".join(filter(None, dict.fromkeys([self.says, *self.outside])))) or None


_Number = tuple[_Shown, Callable[[RunResult], float | None]]
"""How a number is shown, and where it is; None where the answer has no such part."""


def _metric(column: DeltaGenerator, what: _Shown, was: float | None, now: float | None) -> None:
    if was is None or now is None:
        column.metric(what.titled(), "—" if now is None else what.show(now), border=True, help=what.help())
        return
    difference = now - was
    same = what.show(was) == what.show(now)
    share = difference / was if was else 0.0
    tiny = abs(share) < 0.0005
    percent = " (under 0.1%)" if was and tiny else f" ({share:+.1%})" if was and abs(share) < 10 else ""
    change = f"{'-' if difference < 0 else '+'}{what.show(abs(difference))}{percent}"
    if what.points:
        change = f"{100 * difference:+.1f} percentage points"
    column.metric(
        what.titled(),
        what.show(now),
        "as the baseline" if same else change,
        delta_color="off" if same or tiny else what.good,
        delta_arrow="off" if same else "auto",
        border=True,
        help=what.help(),
    )


def waterfall(before: RunResult, after: RunResult) -> None:
    figure, finding = charts.waterfall(before, after, ink=ink())
    st.html(charts.key_html([before, after]))
    st.plotly_chart(
        figure,
        key="waterfall",
        alt=finding,
        theme="streamlit",
        config={"displayModeBar": False},
        width="stretch",
    )


def ink() -> str:
    """Colour of text in charts, for the theme in use."""
    return charts.INK["dark" if st.context.theme.type == "dark" else "light"]


def reasons(found: engines.Pair, changed: bool, asked: tuple[Scenario, Scenario]) -> None:
    """What moved and why, then what to keep in mind."""
    before, after = found.before, found.after
    st.markdown("**Why**" if changed else "**What this is**")
    if changed:
        said = why(before, after, asked) or ["Nothing that the model knows of moves."]
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
        used = dict.fromkeys(f"{one.quantity} {one.used:,.10g}" for one in outside)
        many = len({one.constant for one in outside})
        verb = "constant was" if many == 1 else "constants were"
        said.append(
            f"extrapolated: {many} {verb} not fitted at {' and '.join(used)}; the tab Assumptions says more"
        )
    return said
