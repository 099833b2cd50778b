"""What a session of the what-if page shows: a scenario, its baseline and its changes, and how a reader moves them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import streamlit as st

from blocktime.app.base import FIRST
from blocktime.app.base.markdown import plain
from blocktime.app.controls import fields, forms, own_files, presets, settings
from blocktime.app.session import address
from blocktime.model.errors import SpecError

NAME: Final = "what_if.name"
CHANGES: Final = "what_if.changes"
"""What the what-if changes in the scenario."""
PINNED: Final = "what_if.pinned"
"""What the baseline changes in it, once one is pinned."""
OF_BASE: Final = "baseline."
"""What begins so in the address is of the pinned baseline."""
NOTES: Final = "what_if.notes"
OPENED: Final = "what_if.opened"
"""How many scenarios this session has opened: each control belongs to the one that it was drawn for."""
DRAWN: Final = "what_if.drawn"
"""Fields whose controls this session has drawn."""
GROUPS: Final = "what_if.groups"
"""The controls as they are to be drawn."""
LOOKS: Final = "what_if.looks"
"""The controls as they were drawn last."""
COMPLETE: Final = "what_if.complete"
"""Whether the last run that began to draw the whole page came to its end."""
ADDRESS: Final = "what_if.address"
"""The address that the browser came with, or was told last."""
PICKED: Final = "scenario"
PICKED_LAST: Final = "what_if.picked"
PRESETS_OPEN: Final = "presets"
TAB: Final = "tab"
"""The open tab."""
WELCOME: Final = "what_if.welcome"
"""Whether the page begins with what it is and the questions, as it does until one is chosen."""


@dataclass(frozen=True)
class State:
    """What the session shows: a scenario, what the baseline changes in it, and what the what-if changes in it."""

    name: str
    pinned: dict[str, str]
    changes: dict[str, str]
    preset: str
    """Key of what was chosen last."""

    @staticmethod
    def now() -> State:
        """The session's."""
        held = st.session_state
        return State(held[NAME], held[PINNED], held[CHANGES], held[PICKED_LAST])

    @cached_property
    def differing(self) -> list[str]:
        """Fields in which what-if and baseline differ."""
        paths = dict.fromkeys([*self.changes, *self.pinned])
        return [path for path in paths if self.changes.get(path) != self.pinned.get(path)]


def start(query: dict[str, str]) -> None:
    """On the session's first run, and when the browser goes back, take the state from the address; note its faults."""
    if NAME in st.session_state and not address.went_back():
        return
    st.session_state[ADDRESS] = query
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


def keep_address(state: State) -> None:
    """Keep the address such that it opens this screen.

    A browser that is late says an older address than the one that it was told last, and goes to that one all the same.
    """
    try:
        wanted = address.written(state.name, state.changes, FIRST)
    except SpecError as error:
        st.warning(plain(f"This is too long for the address: {error}"), icon=":material/link_off:")
        return
    wanted |= {f"{OF_BASE}{path}": text for path, text in state.pinned.items()}
    if not st.query_params.to_dict() == st.session_state.get(ADDRESS) == wanted:
        st.query_params.from_dict(wanted)
        st.session_state[ADDRESS] = wanted


def moved(opened: int, part: str, path: str) -> bool:
    """Take over the value of a control that a reader moved in the scenario that was opened as number *opened*.

    Say whether it was taken. The control stands in the fragment *part*.

    A browser that is late repeats values of controls that are gone, and of controls whose new value it has not heard.
    The first belong to a scenario opened before; the second come with a run that is asked for in another part.
    """
    is_past = opened != st.session_state[OPENED] or address.is_gone(path)
    if is_past or address.asked_elsewhere(part):
        return False
    change(path)
    return True


def change(path: str) -> None:
    """A control moved: note what differs from the scenario; one left empty goes back to the baseline."""
    state, value = State.now(), st.session_state[path]
    st.session_state[NOTES] = []
    other, _ = settings.settle(state.name, state.changes)
    field = fields.facts(path, other.workload.kind)
    if field is None:
        return
    base, _ = settings.settle(state.name, state.pinned)
    if fields.says_nothing(value) or value == fields.held_value(field, fields.value_at(base, path)):
        _as_in_the_baseline(state, path)
        return
    text = fields.text_of(field, value)
    state.changes[path] = text
    moved, refused = settings.settle(state.name, state.changes)
    needed, fits = forms.companion(path, text, other)
    if needed and (refused or not fields.value_at(moved, needed)):
        state.changes[needed] = fits
    elif not refused and fields.value_at(moved, path) == fields.value_at(base, path):
        _as_in_the_baseline(state, path)


def undo(path: str) -> None:
    """Take one change back. As all that is done to several controls, it has the whole page drawn anew."""
    st.session_state[NOTES] = []
    _as_in_the_baseline(State.now(), path)
    st.rerun()


def _as_in_the_baseline(state: State, path: str) -> None:
    if path in state.pinned:
        state.changes[path] = state.pinned[path]
    else:
        state.changes.pop(path, None)


def pick() -> None:
    if address.whole_page():
        take(st.session_state[PICKED])


def take(key: str) -> None:
    """Show a preset, or a scenario of the library."""
    if own_files.is_own(key):
        _show(key, {}, {})
        st.rerun()
    preset = presets.named(key)
    st.session_state[PRESETS_OPEN] = False
    if preset.tab:
        st.session_state[TAB] = preset.tab
    _show(preset.scenario, preset.changes, {}, key)
    st.rerun()


def pin() -> None:
    st.session_state[PINNED] = dict(st.session_state[CHANGES])
    st.rerun()


def swap() -> None:
    held = st.session_state
    held[PINNED], held[CHANGES] = held[CHANGES], held[PINNED]
    st.rerun()


def reset() -> None:
    st.session_state[NOTES] = []
    st.session_state[CHANGES] = dict(st.session_state[PINNED])
    st.rerun()


def unpin() -> None:
    st.session_state[PINNED] = {}
    st.rerun()


def show(name: str, changes: Mapping[str, str]) -> None:
    """Have the page show that scenario with those changes."""
    _show(name, changes, {})


def _show(name: str, changes: Mapping[str, str], pinned: Mapping[str, str], preset: str = "") -> None:
    held = st.session_state
    held[NAME], held[CHANGES], held[PINNED] = name, dict(changes), dict(pinned)
    held[PICKED_LAST] = preset or presets.key_of(name, {} if pinned else changes)
    held[NOTES], held[WELCOME] = [], False
    held[OPENED] = held.get(OPENED, 0) + 1
