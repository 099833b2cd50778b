"""The what-if page: a scenario as the baseline, controls that change it, and where the time goes in both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import streamlit as st

from app import (
    address,
    answer,
    engines,
    fields,
    forms,
    instruments,
    own_files,
    pins,
    presets,
    settings,
    sharing,
    uncertainty_view,
    uploads,
)
from app.markdown import plain
from app.remembered import by_object
from model.errors import BlocktimeError, SpecError, cut
from scenarios import Scenario
from scenarios.prices import priced_alike
from scenarios.sweeps.answers import DML

FIRST: Final = "full-scan-nvme"
NAME: Final = "what_if.name"
CHANGES: Final = "what_if.changes"
"""What the what-if changes in the scenario."""
PINNED: Final = "what_if.pinned"
"""What the baseline changes in it, once one is pinned."""
OF_BASE: Final = "baseline."
"""What begins so in the address is of the pinned baseline."""
NOTES: Final = "what_if.notes"
DRAWN: Final = "what_if.drawn"
"""Fields whose controls this session has drawn."""
PICKED: Final = "scenario"
PICKED_LAST: Final = "what_if.picked"
PRESETS_OPEN: Final = "presets"
WELCOME: Final = "what_if.welcome"
"""Whether the page begins with what it is and the questions, as it does until one is chosen."""
QUESTION: Final = "The question"
"""The group of the controls that a question is about."""
ABOUT: Final = (
    "**Blocktime** estimates how long database I/O takes on an Oracle-style database under Linux, and where the time "
    "goes. Choose a question, or change a control on the left and see what moves."
)
NOT_IN_A_CLASS: Final = re.compile(r"[^a-zA-Z0-9_-]")
"""What Streamlit replaces in a key to make the name of a class of it."""
STYLE: Final = """<style>
[data-testid="stMainBlockContainer"] {padding-left: 1.6rem; padding-right: 1.6rem; max-width: 1500px}
[data-testid="stSidebarContent"] [data-testid="stVerticalBlock"] {gap: .55rem}
[data-testid="stMain"] [data-testid="stVerticalBlock"] {gap: .5rem}
[data-testid="stSidebarHeader"] {height: 2.2rem; margin-bottom: 0}
[data-testid="stMetric"] {padding: .4rem .75rem}
[data-testid="stMetricLabel"] p {white-space: normal}
[data-testid="stMetricValue"] {font-variant-numeric: tabular-nums}
.st-key-explained [data-testid="stMetric"] > div {padding: 0}
.st-key-explained [data-testid="stMetricDelta"] {font-size: .85rem; padding-top: 0; padding-bottom: 0}
.st-key-share [data-testid="stHtml"] {display: none}
.st-key-changes button {min-height: 1.5rem; padding: 0}
.st-key-changes button p {font-size: .85rem}
.st-key-notes p {font-size: .9rem; line-height: 1.35}
[data-testid="stTable"] td, [data-testid="stTable"] th {padding: .2rem .6rem; font-variant-numeric: tabular-nums}
.st-key-numbers [data-testid="stTable"] td, .st-key-numbers [data-testid="stTable"] th {padding: .1rem .4rem}
.st-key-numbers [data-testid="stTable"] td p {font-size: .9rem}
.st-key-numbers [data-testid="stTable"] td:first-child {width: 45%}
.st-key-head > [data-testid="stLayoutWrapper"] > div, .st-key-head > div {min-height: 2.9rem}
.st-key-head h3 {padding: 0; line-height: 1.3}
.st-key-baseline button {padding-left: .5rem; padding-right: .5rem; min-height: 2rem}
.st-key-baseline button p {font-size: .85rem; white-space: nowrap}
@media (max-width: 1100px) {
  .st-key-head > [data-testid="stLayoutWrapper"] > div > [data-testid="stColumn"]:first-child,
  .st-key-explained [data-testid="stColumn"], .st-key-numbers [data-testid="stColumn"],
  .st-key-segment [data-testid="stColumn"] {min-width: 100%}
  .st-key-waterfall_place {height: auto !important; max-height: none}
}
.key {margin-right: 1rem; font-size: .82rem; white-space: nowrap}
.key i {display: inline-block; width: 1.1rem; height: .72rem; margin-right: .35rem; border-radius: 2px}
</style>"""


def page() -> None:
    """Draw the page."""
    start(st.query_params.to_dict())
    state = _State.now()
    base, _ = settings.settle(state.name, state.pinned)
    other, refused = settings.settle(state.name, state.changes)
    st.html(STYLE + _marked(state.differing))
    with st.sidebar:
        _controls(state, base, other, refused)
    _address(state)
    for sentence in [*st.session_state[NOTES], *refused.values()]:
        st.error(plain(sentence), icon=":material/error:")
    accepted = {path: text for path, text in state.changes.items() if path not in refused}
    differing = [path for path in state.differing if path not in refused]
    try:
        with st.spinner("Working row by row …") if other.workload.kind in DML else nullcontext():
            base = _priced_as(base, other)
            found = engines.pair(base, other)
    except BlocktimeError as error:
        st.error(plain(f"There is no answer for this setting: {error}"), icon=":material/error:")
        return
    _welcome()
    title = presets.title_of(state.preset, own_files.title)
    answer.headline(
        title, (base, other), len(differing), found, lambda: _share(state, accepted, base, other, found)
    )
    if question := presets.question(state.preset):
        st.caption(plain(question.says))
    answer.keep_in_mind(found)
    with st.container(key="explained"):
        said, chart = st.columns([1, 1.6], gap="medium")
    with said:
        answer.elapsed(found.before, found.after)
        answer.reasons(found, _only_one(differing, base, other), bool(differing), (base, other))
    with chart:
        answer.waterfall(found.before, found.after)
    answer.figures(found.before, found.after)
    uncertainty_view.draw(base, other, found)
    engine = "calculate" if found.after.engine == "calculate" and found.queues else ""
    command = settings.command_line(state.name, accepted, engine)
    if own_files.is_own(state.name):
        command = settings.command_line(instruments.file_of(other), {}, engine)
    instruments.tabs(found.before, found.after, other, command)


def _welcome() -> None:
    """What the page is, and what a DBA asks first."""
    if not st.session_state[WELCOME]:
        return
    with st.container(key="welcome", gap="small"):
        st.markdown(ABOUT)
        for three in (presets.QUESTIONS[:3], presets.QUESTIONS[3:]):
            for column, question in zip(st.columns(3, gap="small"), three, strict=True):
                column.button(
                    question.title, key=f"question.{question.key}", on_click=_take, args=(question.key,),
                    help=plain(question.says), width="stretch",
                )  # fmt: skip


def _marked(paths: Sequence[str]) -> str:
    """Style of the controls of *paths*, which differ from the baseline; their names say so without it."""
    if not paths:
        return ""
    theme = "dark" if st.context.theme.type == "dark" else "light"
    colour = st.get_option(f"theme.{theme}.primaryColor") or "inherit"
    names = ", ".join(f".st-key-{NOT_IN_A_CLASS.sub('-', path)} label p" for path in paths)
    return f"<style>{names} {{color: {colour}; font-weight: 600}}</style>"


@dataclass(frozen=True)
class _State:
    """What the session shows: a scenario, what the baseline changes in it, and what the what-if changes in it."""

    name: str
    pinned: dict[str, str]
    changes: dict[str, str]
    preset: str
    """Key of what was chosen last."""

    @staticmethod
    def now() -> _State:
        """The session's."""
        held = st.session_state
        return _State(held[NAME], held[PINNED], held[CHANGES], held[PICKED_LAST])

    @cached_property
    def differing(self) -> list[str]:
        """Fields in which what-if and baseline differ."""
        paths = dict.fromkeys([*self.changes, *self.pinned])
        return [path for path in paths if self.changes.get(path) != self.pinned.get(path)]


def _only_one(differing: Sequence[str], base: Scenario, other: Scenario) -> str:
    """The one control that differs, with its values, in words; empty where there are several."""
    if len(differing) != 1:
        return ""
    return forms.told(differing[0], base, other)


def _share(
    state: _State, accepted: Mapping[str, str], base: Scenario, other: Scenario, found: engines.Pair
) -> None:
    sharing.draw(state.name, accepted, base, other, found, FIRST)


@by_object(64)
def _priced_as(base: Scenario, other: Scenario) -> Scenario:
    """*base* with the prices of *other* where it has none, so that their costs can be compared."""
    return priced_alike((base, other))[0]


def start(query: dict[str, str]) -> None:
    """On the session's first run, and when the browser goes back, take the state from the address; note its faults."""
    if NAME in st.session_state and not address.went_back():
        return
    fields_of_base = {
        path.removeprefix(OF_BASE): text for path, text in query.items() if path.startswith(OF_BASE)
    }
    shown = address.read({path: text for path, text in query.items() if not path.startswith(OF_BASE)}, FIRST)
    notes = list(shown.notes)
    pinned, refused = address.accepted(shown.name, fields_of_base)
    notes += address.at_most(refused, "The link's baseline")
    _show(shown.name, shown.changes, pinned)
    st.session_state[NOTES] = notes
    st.session_state[WELCOME] = not query


def _address(state: _State) -> None:
    """Keep the address such that it opens this screen."""
    try:
        wanted = address.written(state.name, state.changes, FIRST)
    except SpecError as error:
        st.warning(plain(f"The address does not hold all of this: {error}"), icon=":material/link_off:")
        return
    wanted |= {f"{OF_BASE}{path}": text for path, text in state.pinned.items()}
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _controls(state: _State, base: Scenario, other: Scenario, refused: Mapping[str, str]) -> None:
    _scenario(state)
    _baseline(state)
    shown: set[str] = set()
    missed: list[str] = []
    drawn: set[str] = st.session_state.setdefault(DRAWN, set())
    kind = other.workload.kind
    first = forms.controls_of(question.controls, kind) if (question := presets.question(state.preset)) else []
    groups = {QUESTION: first} if first else {}
    for group, controls in [*groups.items(), *forms.GROUPS.items()]:
        found = [
            (control, field)
            for control in controls
            if control.path not in shown
            and (control.path in state.differing or control.offered(other))
            and (field := control.facts(kind))
        ]
        if not found:
            continue
        shown.update(control.path for control, _ in found)
        with _group(group, sum(control.path in state.differing for control, _ in found)) as is_drawn:
            for control, field in found if is_drawn else ():
                changed = control.path in state.differing
                forms.draw(control, field, (base, other), _change, changed, control.path in refused)
                # A server that was started anew does not call back for a control that it has not drawn yet.
                held = fields.held_value(field, fields.value_at(other, control.path))
                if control.path not in drawn and st.session_state[control.path] != held:
                    missed.append(control.path)
                drawn.add(control.path)
    for path in missed:
        _change(path)
    if missed:
        st.rerun()
    st.markdown("**Beyond this page**")
    pins.button(state.name, state.changes, state.pinned)
    if st.button("Sweep this scenario", icon=":material/grid_on:", width="stretch",
                 help="Many such scenarios at once: fields that take several values"):  # fmt: skip
        from app import sweep_page

        sweep_page.open_here()


@contextmanager
def _group(name: str, changed: int) -> Iterator[bool]:
    """Where the controls of a group go, and whether they are to be drawn; a folded one that is closed draws none."""
    if name not in forms.FOLDED:
        st.markdown(f"**{name}**")
        yield True
        return
    key = f"group.{name}"
    if changed:
        st.session_state.setdefault(key, True)
    place = st.expander(name, key=key, on_change="rerun")
    with place:
        yield bool(place.open)
    if changed and not place.open:
        st.caption(f":primary[**{changed} changed** in {name}]")


def _scenario(state: _State) -> None:
    """What is asked: a preset or any scenario of the library, with who measured it; or a file."""
    choices = presets.choices()
    if state.preset not in choices:
        choices.insert(0, state.preset)
    says_value = st.session_state.get(PICKED, state.preset) == state.preset
    if not says_value:
        st.session_state[PICKED] = state.preset
    st.selectbox(
        "Scenario", choices, choices.index(state.preset) if says_value else 0, key=PICKED, on_change=_pick,
        format_func=lambda key: presets.title_of(key, own_files.title),
        help="Questions first, then experiments, then every scenario of the library; type to find one. "
        "What you change below is compared with it",
    )  # fmt: skip
    if not own_files.is_own(state.name):
        st.caption(plain(presets.source_of(state.name)))
    left, right = st.columns(2, gap="small")
    place = left.popover("Examples", icon=":material/list:", width="stretch", key=PRESETS_OPEN, on_change="rerun",
                         help="Questions of a DBA, and experiments with their sources")  # fmt: skip
    if place.open:
        with place:
            _presets()
    with right:
        uploads.draw(show)


def _presets() -> None:
    for group, found in {"Questions": presets.QUESTIONS, **presets.PRESETS}.items():
        st.markdown(f"**{group}**")
        for preset in found:
            st.button(
                preset.title, key=f"preset.{preset.key}", type="tertiary", on_click=_take, args=(preset.key,),
                help=plain(presets.source_of(preset.scenario)), width="stretch",
            )  # fmt: skip


def _baseline(state: _State) -> None:
    """What differs from the baseline, and what the baseline is."""
    many = len(state.differing)
    said = f":primary[**{many} changed**]" if many else ":gray[nothing changed]"
    st.markdown(f"{said} :gray[· baseline pinned]" if state.pinned else said)
    with st.container(horizontal=True, gap="small", key="baseline"):
        st.button(
            "Pin as baseline", on_click=_pin, disabled=not many, key="baseline.pin",
            help="What you see becomes what the next changes are compared with",
        )  # fmt: skip
        st.button("Swap", on_click=_swap, disabled=not many, key="baseline.swap",
                  help="Baseline and what-if change places")  # fmt: skip
        if many or not state.pinned:
            st.button("Reset", on_click=_reset, disabled=not many, key="baseline.reset",
                      help="Back to the baseline")  # fmt: skip
        else:
            st.button("Unpin", on_click=_unpin, key="baseline.unpin",
                      help="The scenario itself is the baseline again")  # fmt: skip
    with st.container(key="changes", gap=None):
        for path in state.differing:
            text = state.changes.get(path)
            said = (
                f"{forms.label_of(path) or path} as in the scenario"
                if text is None
                else pins.change_words(path, text)
            )
            st.button(
                plain(cut(said)), key=f"change.{path}", icon=":material/close:",
                icon_position="right", type="tertiary", on_click=_undo, args=(path,), help="Undo this change",
            )  # fmt: skip


def _change(path: str) -> None:
    """A control moved: note what differs from the scenario; one left empty goes back to the baseline."""
    state, value = _State.now(), st.session_state[path]
    st.session_state[NOTES] = []
    other, _ = settings.settle(state.name, state.changes)
    field = fields.facts(path, other.workload.kind)
    if field is None:
        return
    base, _ = settings.settle(state.name, state.pinned)
    if value is None or value == fields.held_value(field, fields.value_at(base, path)):
        _as_in_the_baseline(state, path)
        return
    text = fields.text_of(field, value)
    state.changes[path] = text
    moved, refused = settings.settle(state.name, state.changes)
    needed, fits = forms.COMPANIONS.get((path, text), ("", ""))
    if needed and (refused or not fields.value_at(moved, needed) or needed == forms.RAID_DISKS):
        state.changes[needed] = fits
    elif not refused and fields.value_at(moved, path) == fields.value_at(base, path):
        _as_in_the_baseline(state, path)


def _undo(path: str) -> None:
    st.session_state[NOTES] = []
    _as_in_the_baseline(_State.now(), path)


def _as_in_the_baseline(state: _State, path: str) -> None:
    if path in state.pinned:
        state.changes[path] = state.pinned[path]
    else:
        state.changes.pop(path, None)


def _pick() -> None:
    _take(st.session_state[PICKED])


def _take(key: str) -> None:
    """Show a preset, or a scenario of the library."""
    if own_files.is_own(key):
        _show(key, {}, {})
        return
    preset = presets.named(key)
    st.session_state[PRESETS_OPEN] = False
    if preset.tab:
        st.session_state[instruments.TAB] = preset.tab
    _show(preset.scenario, preset.changes, {}, key)


def _pin() -> None:
    st.session_state[PINNED] = dict(st.session_state[CHANGES])


def _swap() -> None:
    held = st.session_state
    held[PINNED], held[CHANGES] = held[CHANGES], held[PINNED]


def _reset() -> None:
    st.session_state[NOTES] = []
    st.session_state[CHANGES] = dict(st.session_state[PINNED])


def _unpin() -> None:
    st.session_state[PINNED] = {}


def show(name: str, changes: Mapping[str, str]) -> None:
    """Have the page show that scenario with those changes."""
    _show(name, changes, {})


def _show(name: str, changes: Mapping[str, str], pinned: Mapping[str, str], preset: str = "") -> None:
    held = st.session_state
    held[NAME], held[CHANGES], held[PINNED] = name, dict(changes), dict(pinned)
    held[PICKED_LAST] = preset or presets.key_of(name, {} if pinned else changes)
    held[NOTES], held[WELCOME] = [], False
