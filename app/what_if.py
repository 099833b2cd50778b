"""The what-if page: a scenario as the baseline, controls that change it, and where the time goes in both."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Final

import streamlit as st

from app import answer, engines, fields, forms, instruments, settings
from model.errors import BlocktimeError
from scenarios import Scenario, library, load

FIRST: Final = "rahn-full-scan"
NAME: Final = "what_if.name"
CHANGES: Final = "what_if.changes"
NOTES: Final = "what_if.notes"
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
.st-key-head > [data-testid="stLayoutWrapper"] > div, .st-key-head > div {min-height: 2.75rem}
.st-key-head [data-testid="stColumn"]:last-child {min-width: 12.5rem}
@media (max-width: 1100px) {
  .st-key-first [data-testid="stColumn"], .st-key-second [data-testid="stColumn"] {min-width: calc(50% - .5rem)}
  .st-key-head [data-testid="stColumn"], .st-key-explained [data-testid="stColumn"],
  .st-key-segment [data-testid="stColumn"] {min-width: 100%}
}
.key {margin-right: 1rem; font-size: .82rem; white-space: nowrap}
.key i {display: inline-block; width: 1.1rem; height: .72rem; margin-right: .35rem; border-radius: 2px}
</style>"""


def page() -> None:
    """Draw the page."""
    start(st.query_params.to_dict())
    name: str = st.session_state[NAME]
    changes: dict[str, str] = st.session_state[CHANGES]
    base = load(name)
    other, refused = settings.settle(name, changes)
    st.html(STYLE)
    with st.sidebar:
        _controls(base, other, changes, refused)
    _address(name, changes)
    for sentence in [*st.session_state[NOTES], *refused.values()]:
        st.error(sentence, icon=":material/error:")
    accepted = {path: text for path, text in changes.items() if path not in refused}
    try:
        with st.spinner("Working row by row …"):  # seen only where there are millions of them
            base = _priced_as(base, other)
            found = engines.pair(base, other)
    except BlocktimeError as error:
        st.error(f"There is no answer for this setting: {error}", icon=":material/error:")
        return
    place = answer.headline(base, other, len(accepted), found)
    answer.figures(found.before, found.after)
    with st.container(key="explained"):
        chart, said = st.columns([1.6, 1], gap="medium")
    with chart:
        answer.waterfall(found.before, found.after)
    with said:
        answer.reasons(found, bool(accepted), (base, other))
    engine = "calculate" if found.after.engine == "calculate" and found.queues else ""
    instruments.tabs(found.before, found.after, other, settings.command_line(name, accepted, engine))
    if found.pending:
        with place, st.spinner("Simulating …"):
            engines.play(base, other)
        st.rerun()


def _priced_as(base: Scenario, other: Scenario) -> Scenario:
    """*base* with the prices of *other* where it has none, so that their costs can be compared."""
    if base.system.prices.currency is not None:
        return base
    book = {path: one for path, one in other.system.constants.items() if path.startswith("prices.")}
    update = {"prices": other.system.prices, "constants": base.system.constants | book}
    return base.model_copy(update={"system": base.system.model_copy(update=update)})


def start(query: dict[str, str]) -> None:
    """On the session's first run take the state from the address; note what the address had wrong."""
    if NAME in st.session_state:
        return
    notes: list[str] = []
    name = query.pop("scenario", FIRST)
    if name not in library():
        notes.append(f"The link names no scenario that exists ({name[:60]}); this is {FIRST} instead.")
        name = FIRST
    changes = {path: text for path, text in query.items() if "." in path}
    notes += [f"The link has {key[:60]!r}, which means nothing here." for key in query if "." not in key]
    _, refused = settings.settle(name, changes)
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
    if st.button("Sweep this scenario", icon=":material/grid_on:", width="stretch",
                 help="Many such scenarios at once: fields that take several values"):  # fmt: skip
        from app import sweep_page

        sweep_page.open_here()
    shown = set()
    for group, controls in forms.GROUPS.items():
        found = [
            (control, field)
            for control in controls
            if (control.path in changes or control.offered(other))
            and (field := control.facts(other.workload.kind))
        ]
        if not found:
            continue
        folded = group in forms.FOLDED
        if not folded:
            st.markdown(f"**{group}**")
        with st.expander(group) if folded else nullcontext():
            for control, field in found:
                shown.add(control.path)
                if control.path not in refused:
                    held = fields.held_value(field, fields.value_at(other, control.path))
                    if st.session_state.get(control.path, _NOTHING) != held:
                        st.session_state[control.path] = held
                forms.draw(control, field, base, other, control.path in changes, _change)
    unseen = {path: text for path, text in changes.items() if path not in shown}
    if unseen:
        st.caption("Also set by the link: " + ", ".join(f"`{path}={text}`" for path, text in unseen.items()))


_NOTHING: Final = object()


def _change(path: str) -> None:
    """A control moved: note what differs from the baseline; one left empty goes back to it."""
    name = st.session_state[NAME]
    st.session_state[NOTES] = []
    base = load(name)
    other, _ = settings.settle(name, st.session_state[CHANGES])
    field = fields.facts(path, other.workload.kind)
    value = st.session_state[path]
    if field is None:
        return
    if value is None or value == fields.held_value(field, fields.value_at(base, path)):
        st.session_state[CHANGES].pop(path, None)
    else:
        st.session_state[CHANGES][path] = fields.text_of(field, value)


def _pick() -> None:
    st.session_state[NAME] = st.session_state[PICKED]
    _reset()


def _reset() -> None:
    st.session_state[NOTES] = []
    st.session_state[CHANGES] = {}


def show(name: str, changes: Mapping[str, str]) -> None:
    """Have the page show that scenario with those changes."""
    st.session_state[NAME] = st.session_state[PICKED] = name
    st.session_state[NOTES] = []
    st.session_state[CHANGES] = dict(changes)
