"""The controls of the what-if page: the scenario, its baseline, fields in groups, and a search for any other field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import streamlit as st

from blocktime.app.base.markdown import plain
from blocktime.app.controls import fields, forms, more_fields, own_files, presets, settings, widgets
from blocktime.app.session import address, navigation, pins, uploads
from blocktime.app.session.what_if_state import (
    COMPLETE,
    DRAWN,
    GROUPS,
    LOOKS,
    OPENED,
    PICKED,
    PRESETS_OPEN,
    State,
    change,
    moved,
    pick,
    pin,
    reset,
    show,
    swap,
    take,
    undo,
    unpin,
)
from blocktime.model.errors import cut
from blocktime.scenarios import Scenario

QUESTION: Final = "The question"
"""The group of the controls that a question is about."""


ANSWER: Final = "answer"
BASELINE: Final = "baseline"
CHANGES: Final = "changes"
PINS: Final = "pins"
FOLLOW: Final = (ANSWER, CHANGES)
"""Fragments that say something of every control; the others are BASELINE, PINS, and a group of controls each."""


@dataclass(frozen=True)
class ControlRow:
    """A control as it stands in the sidebar."""

    control: forms.Control
    field: fields.Facts
    look: widgets.Look
    changed: bool
    refused: str
    """Why its value is not allowed; empty where it is."""


Groups = dict[str, list[ControlRow]]
"""Group -> its controls, in the order of the sidebar; those that a workload has no control of are left out."""


def draw(state: State, base: Scenario, other: Scenario, refused: Mapping[str, str]) -> None:
    """Draw what can be set: the scenario, its baseline, and a control for each field that plays a part.

    A control that moves has only those fragments drawn anew that say something else then.
    """
    _scenario(state)
    st.session_state[LOOKS] = {}
    _fragment(BASELINE, _baseline)
    _fragment(CHANGES, _changes)
    more_fields.search(other.workload.kind)
    groups = _groups(state, base, other, refused)
    st.session_state[GROUPS] = groups
    missed: list[str] = []
    for group in groups:
        _fragment(key_of(group), _controls, group, missed)
    for path in missed:
        change(path)
    if missed:
        st.rerun()
    st.markdown("**Beyond this page**")
    _fragment(PINS, _pins)
    if st.button("Sweep this scenario", icon=":material/grid_on:", width="stretch",
                 help="Many such scenarios at once: fields that take several values"):  # fmt: skip
        st.session_state[navigation.SWEEP_WHAT_IF] = True
        navigation.go_to(navigation.SWEEP)


def _fragment(key: str, drawn: Callable[..., None], *args: object) -> None:
    """Draw a part of the page that can be drawn anew by itself; the next scenario's parts are others to a browser."""
    part = partial(drawn, *args)
    setattr(part, "__qualname__", f"{key}.{st.session_state[OPENED]}")  # noqa: B010
    st.fragment(part, key=key)()


def key_of(group: str) -> str:
    """What the fragment of a group of controls is called."""
    return f"controls.{group}"


def _groups(state: State, base: Scenario, other: Scenario, refused: Mapping[str, str]) -> Groups:
    """The controls of each group that has any; a control stands in the first group that has it."""
    kind = other.workload.kind
    question = presets.question(state.preset)
    groups: dict[str, Sequence[forms.Control]] = {
        QUESTION: forms.controls_of(question.controls, kind) if question else (),
        more_fields.GROUP: more_fields.controls(kind, state.differing),
        **forms.GROUPS,
    }
    shown: set[str] = set()
    drawn: Groups = {}
    for group, controls in groups.items():
        rows = []
        for control in controls:
            why_refused, changed = refused.get(control.path, ""), control.path in state.differing
            offered = group == more_fields.GROUP or changed or control.offered(other)
            field = control.facts(kind) if offered and control.path not in shown else None
            if field is not None:
                look = widgets.look(control, field, base, other, changed, bool(why_refused))
                rows.append(ControlRow(control, field, look, changed and not why_refused, why_refused))
        shown.update(row.control.path for row in rows)
        if rows:
            drawn[group] = rows
    return drawn


def _controls(group: str, missed: list[str]) -> None:
    """Draw the controls of *group*; a field goes to *missed* where its control was moved before it was known."""
    rows: list[ControlRow] = st.session_state[GROUPS][group]
    drawn: set[str] = st.session_state.setdefault(DRAWN, set())
    on_change = partial(_move, st.session_state[OPENED], key_of(group))
    with _group(group, sum(row.changed for row in rows)) as is_drawn:
        for row in rows if is_drawn else ():
            path = row.control.path
            widgets.draw(row.control, row.look, on_change, row.refused)
            # A server that was started anew does not call back for a control that it has not drawn yet.
            if path not in drawn and st.session_state[path] != row.look.held:
                missed.append(path)
            drawn.add(path)
    st.session_state[LOOKS][group] = rows


def _move(opened: int, part: str, path: str) -> None:
    """Take over the value of a control that a reader moved; draw anew what says something else now.

    Where other controls come or go, that is the whole page.
    """
    if address.asked_in_the_past():  # the control shows the value, which is not taken
        st.rerun("app")
    if not moved(opened, part, path) or address.whole_page():
        return
    state = State.now()
    (base, _), (other, refused) = (
        settings.settle(state.name, changes) for changes in (state.pinned, state.changes)
    )
    groups = _groups(state, base, other, refused)
    same_controls = _paths(st.session_state[GROUPS]) == _paths(groups)
    st.session_state[GROUPS] = groups
    looks: dict[str, Any] = st.session_state[LOOKS]
    other_looks = [
        key_of(group)
        for group, rows in groups.items()
        if rows != looks.get(group) or any(row.control.path == path for row in rows)
    ]
    other_looks += [key for key, look in _looks(state).items() if look != looks.get(key)]
    parts_suffice = same_controls and st.session_state[COMPLETE]
    st.rerun([*FOLLOW, *other_looks] if parts_suffice else "app")


def _paths(groups: Groups) -> list[tuple[str, list[str]]]:
    """Which controls stand where."""
    return [(group, [row.control.path for row in rows]) for group, rows in groups.items()]


def _looks(state: State) -> dict[str, Any]:
    """What the fragments that stand beside the groups say of the scenario."""
    look_of_pins = pins.look(state.name, state.changes)
    _, refused = settings.settle(state.name, state.changes)
    count = sum(path not in refused for path in state.differing)
    return {BASELINE: (count, len(state.differing) - count, bool(state.pinned)), PINS: look_of_pins}


def _pins() -> None:
    """The button that pins this screen for the comparison."""
    st.session_state[LOOKS][PINS] = why, count = _looks(State.now())[PINS]
    pins.button(why, count, _add_pin)


def _add_pin() -> None:
    """Pin this screen for the comparison, with its baseline where that is the first."""
    state = State.now()
    pins.put(pins.pinned(pins.held(), state.name, state.changes, state.pinned))


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


def _scenario(state: State) -> None:
    """What is asked: a preset or any scenario of the library, with who measured it; or a file."""
    choices = presets.choices()
    if state.preset not in choices:
        choices.insert(0, state.preset)
    if st.session_state.get(PICKED, state.preset) != state.preset:
        st.session_state[PICKED] = state.preset
    st.selectbox(
        "Scenario", choices, choices.index(state.preset), key=PICKED, on_change=pick,
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
    for group, presets_of_group in {"Questions": presets.QUESTIONS, **presets.PRESETS}.items():
        st.markdown(f"**{group}**")
        for preset in presets_of_group:
            st.button(
                preset.title, key=f"preset.{preset.key}", type="tertiary", on_click=take, args=(preset.key,),
                help=plain(presets.source_of(preset.scenario)), width="stretch",
            )  # fmt: skip


def _baseline() -> None:
    """How much differs from the baseline, and what the baseline is."""
    st.session_state[LOOKS][BASELINE] = count, refused, is_pinned = _looks(State.now())[BASELINE]
    heading = f":primary[**{count} changed**]" if count else ":gray[nothing changed]"
    heading += f" :red[· {refused} not valid]" if refused else ""
    st.markdown(f"{heading} :gray[· baseline pinned]" if is_pinned else heading)
    with st.container(horizontal=True, gap="small", key="baseline"):
        st.button(
            "Pin as baseline", on_click=pin, disabled=not count, key="baseline.pin",
            help="The scenario shown becomes the baseline of the next changes",
        )  # fmt: skip
        st.button("Swap", on_click=swap, disabled=not count, key="baseline.swap",
                  help="Baseline and what-if change places")  # fmt: skip
        if count or refused or not is_pinned:
            st.button("Reset", on_click=reset, disabled=not count and not refused, key="baseline.reset",
                      help="Back to the baseline")  # fmt: skip
        else:
            st.button("Unpin", on_click=unpin, key="baseline.unpin",
                      help="The scenario itself is the baseline again")  # fmt: skip


def _changes() -> None:
    """What differs from the baseline."""
    state = State.now()
    with st.container(key="changes", gap=None):
        for path in state.differing:
            text = state.changes.get(path)
            sentence = (
                f"{forms.words_of(path)} as in the scenario"
                if text is None
                else settings.change_words(path, text)
            )
            st.button(
                plain(cut(sentence)), key=f"change.{path}", icon=":material/close:",
                icon_position="right", type="tertiary", on_click=undo, args=(path,), help="Undo this change",
            )  # fmt: skip
