"""The controls of the what-if page: the scenario, its baseline, fields in groups, and a search for any other field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import streamlit as st

from app.base.markdown import plain
from app.controls import forms, more_fields, own_files, presets, widgets
from app.session import navigation, pins, uploads
from app.session.what_if_state import (
    DRAWN,
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
from model.errors import cut
from scenarios import Scenario

QUESTION: Final = "The question"
"""The group of the controls that a question is about."""


def draw(state: State, base: Scenario, other: Scenario, refused: Mapping[str, str]) -> None:
    """Draw what can be set: the scenario, its baseline, and a control for each field that plays a part."""
    _scenario(state)
    _baseline(state)
    shown: set[str] = set()
    missed: list[str] = []
    drawn: set[str] = st.session_state.setdefault(DRAWN, set())
    on_change = partial(moved, st.session_state[OPENED])
    kind = other.workload.kind
    question = presets.question(state.preset)
    groups: dict[str, Sequence[forms.Control]] = {
        QUESTION: forms.controls_of(question.controls, kind) if question else (),
        more_fields.GROUP: more_fields.search(kind, state.differing),
        **forms.GROUPS,
    }
    for group, controls in groups.items():
        fields_found = [
            (control, field)
            for control in controls
            if control.path not in shown
            and (group == more_fields.GROUP or control.path in state.differing or control.offered(other))
            and (field := control.facts(kind))
        ]
        if not fields_found:
            continue
        shown.update(control.path for control, _ in fields_found)
        with _group(group, sum(control.path in state.differing for control, _ in fields_found)) as is_drawn:
            for control, field in fields_found if is_drawn else ():
                changed = control.path in state.differing
                widgets.draw(control, field, (base, other), on_change, changed, control.path in refused)
                # A server that was started anew does not call back for a control that it has not drawn yet.
                held = widgets.look(control, field, base, other, changed).held
                if control.path not in drawn and st.session_state[control.path] != held:
                    missed.append(control.path)
                drawn.add(control.path)
    for path in missed:
        change(path)
    if missed:
        st.rerun()
    st.markdown("**Beyond this page**")
    pins.button(state.name, state.changes, state.pinned)
    if st.button("Sweep this scenario", icon=":material/grid_on:", width="stretch",
                 help="Many such scenarios at once: fields that take several values"):  # fmt: skip
        st.session_state[navigation.SWEEP_WHAT_IF] = True
        navigation.go_to(navigation.SWEEP)


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
    says_value = st.session_state.get(PICKED, state.preset) == state.preset
    if not says_value:
        st.session_state[PICKED] = state.preset
    st.selectbox(
        "Scenario", choices, choices.index(state.preset) if says_value else 0, key=PICKED, on_change=pick,
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


def _baseline(state: State) -> None:
    """What differs from the baseline, and what the baseline is."""
    count = len(state.differing)
    heading = f":primary[**{count} changed**]" if count else ":gray[nothing changed]"
    st.markdown(f"{heading} :gray[· baseline pinned]" if state.pinned else heading)
    with st.container(horizontal=True, gap="small", key="baseline"):
        st.button(
            "Pin as baseline", on_click=pin, disabled=not count, key="baseline.pin",
            help="The scenario shown becomes the baseline of the next changes",
        )  # fmt: skip
        st.button("Swap", on_click=swap, disabled=not count, key="baseline.swap",
                  help="Baseline and what-if change places")  # fmt: skip
        if count or not state.pinned:
            st.button("Reset", on_click=reset, disabled=not count, key="baseline.reset",
                      help="Back to the baseline")  # fmt: skip
        else:
            st.button("Unpin", on_click=unpin, key="baseline.unpin",
                      help="The scenario itself is the baseline again")  # fmt: skip
    with st.container(key="changes", gap=None):
        for path in state.differing:
            text = state.changes.get(path)
            sentence = (
                f"{forms.words_of(path)} as in the scenario"
                if text is None
                else pins.change_words(path, text)
            )
            st.button(
                plain(cut(sentence)), key=f"change.{path}", icon=":material/close:",
                icon_position="right", type="tertiary", on_click=undo, args=(path,), help="Undo this change",
            )  # fmt: skip
