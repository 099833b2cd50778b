"""The what-if page: a scenario as the baseline, controls that change it, and where the time goes in both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st
from click import unstyle
from streamlit.delta_generator import DeltaGenerator

from app import charts, forms, text
from model.books import blocktime_version
from model.errors import BlocktimeError
from model.results import RunResult
from model.units import show_seconds
from scenarios import Scenario, library, load, run, to_toml
from scenarios.compare import why

FIRST: Final = "rahn-full-scan"
NAME: Final = "what_if.name"
CHANGES: Final = "what_if.changes"
NOTES: Final = "what_if.notes"
VERIFY: Final = "what_if.verify"
PICKED: Final = "scenario"
STYLE: Final = """<style>
[data-testid="stMainBlockContainer"] {padding-left: 1.6rem; padding-right: 1.6rem; max-width: 1500px}
[data-testid="stSidebarContent"] [data-testid="stVerticalBlock"] {gap: .55rem}
[data-testid="stMain"] [data-testid="stVerticalBlock"] {gap: .5rem}
[data-testid="stSidebarHeader"] {height: 2.2rem; margin-bottom: 0}
[data-testid="stMetric"] {padding: .4rem .75rem; min-height: 5.1rem}
[data-testid="stMetric"] > div {padding: 0}
[data-testid="stMetricLabel"] {min-height: 1.2rem}
.st-key-second [data-testid="stMetric"] {min-height: 4.2rem; padding: .25rem .75rem}
.st-key-second [data-testid="stMetricValue"] {font-size: 1.05rem}
[data-testid="stMetricDelta"] {font-size: .78rem; padding-top: 0; padding-bottom: 0}
[data-testid="stTable"] td, [data-testid="stTable"] th {padding: .2rem .6rem; font-variant-numeric: tabular-nums}
[data-testid="stMetricValue"] {font-variant-numeric: tabular-nums}
.key {margin-right: 1rem; font-size: .82rem; white-space: nowrap}
.key i {display: inline-block; width: 1.1rem; height: .72rem; margin-right: .35rem; border-radius: 2px}
</style>"""


def page() -> None:
    """Draw the page."""
    _start()
    name: str = st.session_state[NAME]
    changes: dict[str, str] = st.session_state[CHANGES]
    base = load(name)
    other, refused = forms.settle(name, changes)
    st.html(STYLE)
    with st.sidebar:
        _controls(base, other, changes, refused)
    _address(name, changes)
    for sentence in [*st.session_state.pop(NOTES, []), *refused.values()]:
        st.error(sentence, icon=":material/error:")
    accepted = {path: text for path, text in changes.items() if path not in refused}
    try:
        before, after = _answer(base), _answer(other)
    except BlocktimeError as error:
        st.error(f"There is no answer for this setting: {error}", icon=":material/error:")
        return
    _headline(base, other, len(accepted), after)
    _figures(before, after)
    chart, said = st.columns([1.6, 1], gap="medium")
    with chart:
        _waterfall(before, after)
    with said:
        _why(before, after, bool(accepted))
    _tabs(before, after, other, forms.command_line(name, accepted, other))


def _start() -> None:
    """On the session's first run take the state from the address; say what the address had wrong."""
    if NAME in st.session_state:
        return
    query = st.query_params.to_dict()
    notes: list[str] = []
    name = query.pop("scenario", FIRST)
    if name not in library():
        notes.append(f"The link names no scenario that exists ({name[:60]}); this is {FIRST} instead.")
        name = FIRST
    changes = {path: text for path, text in query.items() if "." in path}
    _, refused = forms.settle(name, changes)
    notes += [
        f"The link asks for what is not allowed, so it is left out: {said}" for said in refused.values()
    ]
    st.session_state[NAME] = name
    st.session_state[CHANGES] = {path: text for path, text in changes.items() if path not in refused}
    st.session_state[NOTES] = notes


def _address(name: str, changes: Mapping[str, str]) -> None:
    """Keep the address such that it opens this screen."""
    wanted = {**({"scenario": name} if name != FIRST or changes else {}), **changes}
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


@st.cache_data(max_entries=500, show_spinner=False)
def _computed(document: str, engine: str, version: str, _scenario: Scenario) -> str:
    del version  # part of the key: another version has other answers
    return run(_scenario, engine=engine).model_dump_json()


def _answer(scenario: Scenario, engine: str = "calculate") -> RunResult:
    document = scenario.model_dump_json()
    return RunResult.model_validate_json(_computed(document, engine, blocktime_version(), scenario))


def _controls(base: Scenario, other: Scenario, changes: dict[str, str], refused: Mapping[str, str]) -> None:
    titles = {name: entry.title for name, entry in library().items()}
    st.session_state.setdefault(PICKED, base.name)
    st.selectbox(
        "Baseline scenario", list(titles), key=PICKED, format_func=lambda name: titles[name], on_change=_pick,
        help="Everything that you change below is compared with this scenario",
    )  # fmt: skip
    count, reset = st.columns([1.3, 1], vertical_alignment="center")
    count.markdown(f":primary[**{len(changes)} changed**]" if changes else ":gray[nothing changed]")
    reset.button("Reset", on_click=_reset, disabled=not changes, icon=":material/undo:", width="stretch")
    shown = set()
    for group, controls in forms.GROUPS.items():
        st.markdown(f"**{group}**")
        for control in controls:
            field = forms.facts(control.path, other.workload.kind)
            if field is None:
                continue
            shown.add(control.path)
            if control.path not in refused:
                held = forms.held_value(field, forms.value_at(other, control.path))
                if st.session_state.get(control.path, _NOTHING) != held:
                    st.session_state[control.path] = held
            forms.draw(control, field, base, other, control.path in changes, _change)
    unseen = {path: text for path, text in changes.items() if path not in shown}
    if unseen:
        st.caption("Also set by the link: " + ", ".join(f"`{path}={text}`" for path, text in unseen.items()))


_NOTHING: Final = object()


def _change(path: str) -> None:
    """A control moved: note what differs from the baseline."""
    base = load(st.session_state[NAME])
    field = forms.facts(path, base.workload.kind)
    value = st.session_state[path]
    if field is None or value is None:
        return
    if value == forms.held_value(field, forms.value_at(base, path)):
        st.session_state[CHANGES].pop(path, None)
    else:
        st.session_state[CHANGES][path] = forms.as_text(value)


def _pick() -> None:
    st.session_state[NAME] = st.session_state[PICKED]
    _reset()


def _reset() -> None:
    st.session_state[CHANGES] = {}


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


def _headline(base: Scenario, other: Scenario, changed: int, after: RunResult) -> None:
    title, verify = st.columns([5, 1.25], vertical_alignment="center")
    badge = (
        ":green-badge[:material/function: law]" if after.engine == "calculate" else ":blue-badge[simulation]"
    )
    outside = ":orange-badge[:material/warning: outside the fitted range]" if after.extrapolated else ""
    moved = f":primary-badge[{changed} changed]" if changed else ""
    title.markdown(f"### {forms.plain(base.title)} {badge} {moved} {outside}")
    document = other.model_dump_json()
    if verify.button("Verify by simulation", icon=":material/play_arrow:", width="stretch"):
        st.session_state[VERIFY] = document
    if st.session_state.get(VERIFY) == document:
        _verified(other, after)


def _verified(other: Scenario, law: RunResult) -> None:
    try:
        with st.spinner("Simulating …"):
            played = _answer(other, "simulate")
    except (ImportError, NotImplementedError):
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


def _figures(before: RunResult, after: RunResult) -> None:
    """Eight numbers with their difference to the baseline; outside a fitted range the number says so."""
    outside = marks(after)

    def client(result: RunResult) -> float:
        return charts.by_class(result)["Idle"]

    rows: dict[str, list[tuple[_Shown, Callable[[RunResult], float]]]] = {
        "first": [
            (_Shown("Elapsed", show_seconds, outside["elapsed"]), lambda r: r.time.elapsed_s),
            (_Shown("DB CPU", show_seconds, outside["cpu"]), lambda r: r.time.cpu_s),
            (_Shown("User I/O wait", show_seconds, outside["io"]), charts.io_wait_s),
            (_Shown("Consistent gets", _count), lambda r: r.logical_io.consistent_gets),
        ],
        "second": [
            (_Shown("Reads", _count), lambda r: r.physical_io.read_requests),
            (_Shown("Largest read, blocks", _count, good="off"), charts.largest_read_blocks),
            (_Shown("Optimizer cost", _count, outside["cost"]), lambda r: r.optimizer.cost),
            (_Shown("Waiting for the client", show_seconds, outside["client"]), client),
        ],
    }
    for key, shown in rows.items():
        with st.container(key=key):
            for column, (what, number) in zip(st.columns(4), shown, strict=True):
                _metric(column, what, number(before), number(after))


def _count(value: float) -> str:
    return f"{value:,.0f}"


@dataclass(frozen=True)
class _Shown:
    """How one number appears: its label, how it is written, sentences on constants outside their range."""

    label: str
    show: Callable[[float], str]
    outside: Sequence[str] = ()
    good: str = "inverse"
    """Streamlit's colour rule: less is better, or ``off`` where neither is."""


def _metric(column: DeltaGenerator, what: _Shown, was: float, now: float) -> None:
    difference = now - was
    same = what.show(was) == what.show(now)
    share = difference / was if was else 0.0
    tiny = abs(share) < 0.0005
    percent = " (under 0.1%)" if was and tiny else f" ({share:+.1%})" if was and abs(share) < 10 else ""
    change = f"{'-' if difference < 0 else '+'}{what.show(abs(difference))}{percent}"
    column.metric(
        what.label + (" :orange[:material/warning: outside fitted range]" if what.outside else ""),
        what.show(now),
        "as the baseline" if same else change,
        delta_color="off" if same or tiny or what.good == "off" else "inverse",
        delta_arrow="off" if same else "auto",
        border=True,
        help="; ".join(dict.fromkeys(what.outside)) or None,
    )


def _waterfall(before: RunResult, after: RunResult) -> None:
    figure, finding = charts.waterfall(before, after, ink=_ink())
    st.html(charts.key_html([before, after]))
    st.plotly_chart(
        figure,
        key="waterfall",
        alt=finding,
        theme="streamlit",
        config={"displayModeBar": False},
        width="stretch",
    )


def _ink() -> str:
    """Colour of text in charts, for the theme in use."""
    return charts.INK["dark" if st.context.theme.type == "dark" else "light"]


def _why(before: RunResult, after: RunResult, changed: bool) -> None:
    st.markdown("**Why**" if changed else "**What this is**")
    if changed:
        said = why(before, after) or ["Nothing that the model knows of moves."]
    else:
        said = [
            charts.finding(before),
            f"read {after.access}",
            "Change a control on the left: the difference shows here",
        ]
    st.markdown("\n".join(f"- {forms.plain(forms.sentence(text))}" for text in said))
    for warning in after.warnings:
        st.warning(warning, icon=":material/warning:")
    for one in dict.fromkeys(str(one) for one in after.extrapolated[:3]):
        st.caption(f":orange[:material/warning:] {forms.plain(one)}")


TABS: Final = ("TKPROF", "Breakdown", "Reads", "Device", "Segment", "Optimizer", "Assumptions", "Replay")


def _tabs(before: RunResult, after: RunResult, other: Scenario, command: str) -> None:
    """The answer in the instruments' own forms; only the open tab is drawn."""
    tabs = dict(zip(TABS, st.tabs(TABS, key="tab", on_change="rerun"), strict=True))
    for name, tab in tabs.items():
        if not tab.open:
            continue
        with tab:
            if name in WIDE:
                _one_above_the_other(before, after, WIDE[name])
            elif name in NARROW:
                _side_by_side(before, after, NARROW[name])
            elif name == "Breakdown":
                st.table(charts.breakdown(before, after))
            elif name == "Reads":
                figure, finding = charts.reads_by_size(before, after, ink=_ink())
                st.plotly_chart(
                    figure, key="reads", alt=finding, theme="streamlit", config={"displayModeBar": False}
                )
                _side_by_side(before, after, lambda result: text.io_lines(result, width=60))
            elif name == "Assumptions":
                _assumptions(other, after)
            else:
                _replay(other, command)


Lines = Callable[[RunResult], Iterable[str]]
WIDE: Final[dict[str, Lines]] = {"TKPROF": text.tkprof_lines, "Device": text.device_lines}
NARROW: Final[dict[str, Lines]] = {"Segment": text.segment_lines, "Optimizer": text.optimizer_lines}


def _code(lines: Iterable[str]) -> None:
    st.code("\n".join(unstyle(line) for line in lines) or "nothing", language=None)


def _side_by_side(before: RunResult, after: RunResult, lines: Lines) -> None:
    for column, label, result in zip(st.columns(2), ("Baseline", "What-if"), (before, after), strict=True):
        with column:
            st.caption(label)
            _code(lines(result))


def _one_above_the_other(before: RunResult, after: RunResult, lines: Lines) -> None:
    """Some instruments print 80 columns, too wide for two."""
    for label, result in (
        [("Baseline", before)] if before == after else [("What-if", after), ("Baseline", before)]
    ):
        st.caption(label)
        _code(lines(result))


def _assumptions(other: Scenario, after: RunResult) -> None:
    st.caption(f"Read {after.access}. Laws from {', '.join(after.sources)}.")
    rows = charts.assumptions(other.system, after)
    st.dataframe(
        rows, hide_index=True, key="assumptions", alt=f"{len(rows)} constants with value, origin and range"
    )


def _replay(other: Scenario, command: str) -> None:
    st.caption("The same answer from the command line, and as a scenario file for `blocktime run FILE`")
    st.code(command, language="bash", wrap_lines=True)
    document = to_toml(other)
    st.code(document, language="toml")
    st.download_button(
        "Download the scenario", document, f"{other.name}-what-if.toml", "application/toml", on_click="ignore",
        icon=":material/download:",
    )  # fmt: skip
