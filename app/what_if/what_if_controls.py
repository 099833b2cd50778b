"""The controls of the what-if page: the scenario, its baseline, fields in groups, and a search for any other field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import streamlit as st

from blocktime.app.base import insides
from blocktime.app.base.markdown import plain
from blocktime.app.controls import control_fields, forms, more_fields, presets, user_files, widgets
from blocktime.app.controls.page_question import BOTH, WHAT_IF, PageQuestion
from blocktime.app.session import navigation, pins, uploads
from blocktime.app.session.what_if_state import (
    COMPLETE,
    DRAWN,
    GROUPS,
    LOOKS,
    MOVES,
    OPENED,
    PICKED,
    change,
    current,
    moved,
    pick,
    reset,
    show,
    switch,
)
from blocktime.app.what_if import gallery

CHANGE: Final = "The change"
"""The group of the controls of what the question changes."""
SYSTEM: Final = "The system"
"""The group of the other controls that a question is about."""
ANSWER: Final = "answer"
"""The fragment that says something of every control; the others are PINS, and a group of controls each."""
PINS: Final = "pins"
MOVES_IN_WORDS: Final = {WHAT_IF: "What-if", BOTH: "Both sides"}


@dataclass(frozen=True)
class ControlRow:
    """A control as it stands in the sidebar."""

    control: forms.Control
    field: control_fields.Facts
    look: widgets.Look
    changed: bool
    refused: str
    """Why its value is not allowed; empty where it is."""


Groups = dict[str, list[ControlRow]]
"""Group -> its controls, in the order of the sidebar; those that a workload has no control of are left out."""


def draw(question: PageQuestion) -> None:
    """Draw what can be set: the scenario, the change, the switch, and a control for each field that plays a part.

    A control that moves has only those fragments drawn anew that say something else then.
    """
    _scenario(question)
    st.session_state[LOOKS] = {}
    groups = _groups(question)
    st.session_state[GROUPS] = groups
    missed: list[str] = []
    if CHANGE in groups:
        _fragment(key_of(CHANGE), _controls, CHANGE, missed)
    _switch(question)
    more_fields.search(question.sides()[1].workload.kind)
    for group in groups:
        if group != CHANGE:
            _fragment(key_of(group), _controls, group, missed)
    for path in missed:
        change(path)
    if missed:
        st.rerun()
    st.markdown("**Beyond this page**")
    _fragment(PINS, _pins)
    st.button("Sweep this scenario", icon=":material/grid_on:", width="stretch", on_click=navigation.go_to,
              args=(navigation.SWEEP, navigation.SWEEP_WHAT_IF, True),
              help="Many such scenarios at once: fields that take several values")  # fmt: skip


def _switch(question: PageQuestion) -> None:
    """What a control moves: the side with the change, or both sides."""
    if st.session_state.get(MOVES, question.moves) != question.moves:
        st.session_state[MOVES] = question.moves
    place, undo = st.columns([2.4, 1], vertical_alignment="bottom", gap="small")
    place.segmented_control(
        "Other controls move" if question.about else "Controls move", [*MOVES_IN_WORDS], default=question.moves,
        key=MOVES, format_func=MOVES_IN_WORDS.__getitem__, on_change=switch, required=True, width="stretch",
        help="**What-if**: a control adds to the change. **Both sides**: it says how your system is, with the change "
        "and without it. A field of the change always moves the change",
    )  # fmt: skip
    undo.button("Reset", on_click=reset, key="baseline.reset", help="Takes every change back", width="stretch")


def _fragment(key: str, drawn: Callable[..., None], *args: object) -> None:
    """Draw a part of the page that can be drawn anew by itself; the next scenario's parts are others to a browser."""
    st.fragment(insides.called_as(f"{key}.{st.session_state[OPENED]}", drawn, *args), key=key)()


def key_of(group: str) -> str:
    """What the fragment of a group of controls is called."""
    return f"controls.{group}"


def _groups(question: PageQuestion) -> Groups:
    """The controls of each group that has any; a control stands in the first group that has it."""
    base, other, refused = question.sides()
    kind = other.workload.kind
    preset = presets.question(question.preset)
    groups: dict[str, Sequence[forms.Control]] = {
        CHANGE: forms.controls_of(question.about, kind),
        SYSTEM: forms.controls_of(preset.controls, kind) if preset else (),
        more_fields.GROUP: more_fields.controls(kind, [*question.changed]),
        **forms.groups_of(kind),
    }
    drawn_paths: set[str] = set()
    drawn: Groups = {}
    for group, controls in groups.items():
        rows = []
        for control in controls:
            why_refused, changed = refused.get(control.path, ""), control.path in question.change
            offered = group == more_fields.GROUP or control.path in question.changed or control.offered(other)
            field = control.facts(kind) if offered and control.path not in drawn_paths else None
            if field is not None:
                look = widgets.look(control, field, base, other, changed, bool(why_refused))
                rows.append(ControlRow(control, field, look, changed and not why_refused, why_refused))
        drawn_paths.update(row.control.path for row in rows)
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
            if path not in drawn and st.session_state[path] != row.look.value:
                missed.append(path)
            drawn.add(path)
    st.session_state[LOOKS][group] = rows


def _move(opened: int, part: str, path: str) -> None:
    """Take over the value of a control that a reader moved; draw anew what says something else now.

    Where other controls come or go, that is the whole page.
    """
    if insides.is_from_gone_part():  # the control shows the value, which is not taken
        st.rerun("app")
    if not moved(opened, part, path) or insides.whole_page():
        return
    question = current()
    groups = _groups(question)
    same_controls = _paths(st.session_state[GROUPS]) == _paths(groups)
    st.session_state[GROUPS] = groups
    looks: dict[str, Any] = st.session_state[LOOKS]
    other_looks = [
        key_of(group)
        for group, rows in groups.items()
        if rows != looks.get(group) or any(row.control.path == path for row in rows)
    ]
    other_looks += [PINS] if pins.look(question.name, question.changed) != looks.get(PINS) else []
    parts_suffice = same_controls and st.session_state[COMPLETE]
    st.rerun([ANSWER, *other_looks] if parts_suffice else "app")


def _paths(groups: Groups) -> list[tuple[str, list[str]]]:
    return [(group, [row.control.path for row in rows]) for group, rows in groups.items()]


def _pins() -> None:
    """The button that pins this screen for the comparison."""
    st.session_state[LOOKS][PINS] = why, count = pins.look(current().name, current().changed)
    pins.button(why, count, _add_pin)


def _add_pin() -> None:
    """Pin this screen for the comparison, with its baseline where that is the first."""
    question = current()
    pins.put(pins.pinned(pins.session_pins(), question.name, question.changed, question.system))


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
    place = st.expander(name, key=key, on_change=partial(_fold, name))
    with place:
        yield bool(place.open)
    if changed and not place.open:
        st.caption(f":primary[**{changed} changed** in {name}]")


def _fold(name: str) -> None:
    """A group was opened or closed: where one of its values is refused, the reason moves to the field, or on top."""
    if any(row.refused for row in st.session_state[GROUPS].get(name, ())) and not insides.whole_page():
        st.rerun([ANSWER, key_of(name)])


def visible_fields() -> set[str]:
    """Fields whose controls are in sight, in no group that is folded."""
    groups: Groups = st.session_state[GROUPS]
    open_groups = [name for name in groups if name not in forms.FOLDED or st.session_state.get(f"group.{name}")]
    return {row.control.path for name in open_groups for row in groups[name]}


def _scenario(question: PageQuestion) -> None:
    """What is asked: a preset or any scenario of the library, with who measured it; or a file."""
    choices = presets.choices()
    if question.preset not in choices:
        choices.insert(0, question.preset)
    if st.session_state.get(PICKED, question.preset) != question.preset:
        st.session_state[PICKED] = question.preset
    st.selectbox(
        "Scenario", choices, choices.index(question.preset), key=PICKED, on_change=pick,
        format_func=lambda key: presets.title_of(key, user_files.title),
        help="Questions first, then experiments, then every scenario of the library; type to find one. "
        "What you change below is compared with it",
    )  # fmt: skip
    if not user_files.is_user_file(question.name):
        st.caption(plain(presets.source_of(question.name)))
    left, right = st.columns(2, gap="small")
    if left.button("Examples", icon=":material/grid_view:", width="stretch", key="examples",
                   help="Questions of a DBA, and experiments with their sources"):  # fmt: skip
        gallery.examples()
    with right:
        uploads.draw(show)
