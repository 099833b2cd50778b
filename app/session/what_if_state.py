"""The question of a session, and how a reader moves it by controls, chips and lists."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import streamlit as st

from blocktime.app.base import FIRST, insides
from blocktime.app.base.markdown import plain
from blocktime.app.controls import presets, user_files
from blocktime.app.controls.page_question import PageQuestion, opened
from blocktime.app.session import address, navigation
from blocktime.model.errors import SpecError

QUESTION: Final = "what_if.question"
"""What the session asks; see :mod:`app.controls.page_question`."""
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
MOVES: Final = "moves"
"""The switch that says what a control moves."""
TAB: Final = "tab"
"""The open tab."""
WELCOME: Final = "what_if.welcome"
"""Whether the page begins with what it is and the questions, as it does until one is chosen."""


def current() -> PageQuestion:
    """The session's question."""
    question: PageQuestion = st.session_state[QUESTION]
    return question


def put(question: PageQuestion) -> None:
    """Ask *question*, which a control has moved; what the last link had wrong is no matter any more."""
    st.session_state[QUESTION] = question
    st.session_state[NOTES] = []


def start(query: dict[str, str]) -> None:
    """On the session's first run, and when the browser goes back, take the state from the address; note its faults."""
    if QUESTION in st.session_state and not insides.went_back():
        return
    st.session_state[ADDRESS] = query
    question, notes = address.read(query, FIRST)
    show(question)
    st.session_state[NOTES] = notes
    st.session_state[WELCOME] = not query


def keep_address(question: PageQuestion) -> None:
    """Keep the address such that it opens this screen.

    A browser that is late says an older address than the one that it was told last, and goes to that one all the same.
    """
    try:
        wanted = address.written(question, FIRST)
    except SpecError as error:
        st.warning(plain(f"This is too long for the address: {error}"), icon=":material/link_off:")
        return
    if not st.query_params.to_dict() == st.session_state.get(ADDRESS) == wanted:
        st.query_params.from_dict(wanted)
        st.session_state[ADDRESS] = wanted


def moved(number: int, part: str, path: str) -> bool:
    """Take over the value of a control that a reader moved in the scenario that was opened as number *number*.

    Say whether it was taken. The control stands in the fragment *part*.

    A browser that is late repeats values of controls that are gone, and of controls whose new value it has not heard.
    The first belong to a scenario opened before; the second come with a run that is asked for in another part.
    """
    is_past = number != st.session_state[OPENED] or address.is_gone(path)
    if is_past or insides.is_from_other_part(part):
        return False
    change(path)
    return True


def change(path: str) -> None:
    """A control moved: set its field on the sides that controls move."""
    put(current().moved(path, st.session_state[path]))


def switch() -> None:
    """The switch moved: from now on controls move the what-if, or both sides."""
    if not address.is_gone(MOVES):
        put(replace(current(), moves=st.session_state[MOVES]))


def set_text(chip: str, path: str, text: str | None, in_both: bool) -> None:
    """Set a field where its *chip* was clicked. As all that moves several controls, it has the whole page drawn anew.

    A browser that is late tells that a chip that is gone was not clicked.
    """
    if st.session_state.get(chip):
        put(current().with_text(path, text, in_both=in_both))
        st.rerun()


def reset() -> None:
    """Take every change back."""
    put(replace(current(), change={}))
    st.rerun()


def pick() -> None:
    if insides.whole_page():
        take(st.session_state[PICKED])


def take(key: str) -> None:
    """Show a preset, or a scenario of the library."""
    if user_files.is_user_file(key):
        show(opened(key, {}))
        st.rerun()
    preset = presets.named(key)
    if preset.tab:
        st.session_state[TAB] = preset.tab
    show(opened(preset.scenario, preset.changes, preset=key))
    st.rerun()


def open_there(page_question: PageQuestion) -> None:
    """Leave this page for the What-if page, with that question."""
    show(page_question)
    navigation.go_to(navigation.WHAT_IF)


def show(page_question: PageQuestion) -> None:
    """Have the page show that question, as one that was opened now."""
    session = st.session_state
    session[QUESTION], session[NOTES], session[WELCOME] = page_question, [], False
    session[OPENED] = session.get(OPENED, 0) + 1
