"""The what-if page: a scenario as the baseline, controls that change it, and where the time goes in both."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import streamlit as st

from blocktime.app.answer import answer, instruments, uncertainty_view
from blocktime.app.base.markdown import plain
from blocktime.app.base.remembered import by_object
from blocktime.app.controls import forms, own_files, presets, settings
from blocktime.app.session import navigation
from blocktime.app.session.answers import KnownAnswers, answered
from blocktime.app.session.downloads import PageAnswer
from blocktime.app.session.what_if_state import COMPLETE, NOTES, WELCOME, State, keep_address, start, take
from blocktime.app.what_if import sharing, what_if_controls
from blocktime.model.errors import BlocktimeError
from blocktime.scenarios import Scenario
from blocktime.scenarios.prices import priced_alike

ANSWERED: Final = "what_if.answered"
"""The question whose answer this session has seen last."""
ABOUT: Final = (
    "**Blocktime** computes how long database I/O takes on an Oracle-style database under Linux, and where the time "
    "goes. Choose a question, or change a control in the sidebar (» opens it) and see what changes."
)
MOST_TOLD: Final = 3
"""Changes that are told one by one."""
NOT_IN_A_CLASS: Final = re.compile(r"[^a-zA-Z0-9_-]")
"""What Streamlit replaces in a key to make the name of a class of it."""


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question of this page with its answers."""

    name: str
    """Of the scenario; see :mod:`app.controls.own_files`."""
    title: str
    changes: Mapping[str, str]
    differing: Sequence[str]
    """Fields in which what-if and baseline differ."""
    scenarios: tuple[Scenario, Scenario]
    """Baseline and what-if."""
    compared: str
    """What is compared with what."""
    answers: KnownAnswers


def page() -> None:
    """Draw the page."""
    start(st.query_params.to_dict())
    state = State.now()
    base, _ = settings.settle(state.name, state.pinned)
    other, refused = settings.settle(state.name, state.changes)
    st.session_state[COMPLETE] = False
    st.html(navigation.STYLE)
    with st.sidebar:
        what_if_controls.draw(state, base, other, refused)
    st.fragment(_answer, key=what_if_controls.ANSWER)()
    st.session_state[COMPLETE] = True


def _answer() -> None:
    """The answer of the scenario as it stands, with what is wrong in it."""
    state = State.now()
    base, _ = settings.settle(state.name, state.pinned)
    other, refused = settings.settle(state.name, state.changes)
    st.html(_marked(state.differing))
    keep_address(state)
    for sentence in [*st.session_state[NOTES], *refused.values()]:
        st.error(plain(sentence), icon=":material/error:")
    accepted = {path: text for path, text in state.changes.items() if path not in refused}
    differing = [path for path in state.differing if path not in refused]
    try:
        base = _priced_as(base, other)
    except BlocktimeError as error:
        st.error(plain(f"There is no answer for this setting: {error}"), icon=":material/error:")
        return
    answers = answered(answer.WHAT_IF, (base, other), intervals=True)
    if answers.refused:
        st.error(plain(f"There is no answer for this setting: {answers.refused}"), icon=":material/error:")
        return
    title, compared = (
        presets.title_of_answer(state.preset, state.name, accepted),
        _compared(state, accepted, differing, (base, other)),
    )
    question = AnsweredQuestion(state.name, title, accepted, differing, (base, other), compared, answers)
    files = None
    if answers.results:
        st.session_state[ANSWERED] = question
    if answers.results and not answers.narrows:
        both = answers.before, answers.after
        files = PageAnswer(state.name, base, other, *both, bool(accepted))
    _welcome()
    share = partial(sharing.draw, state.name, accepted, files)
    answer.headline(title, (base, other), len(differing), answers, share)
    _draw(st.session_state.get(ANSWERED), question)


def _draw(shown: AnsweredQuestion | None, question: AnsweredQuestion) -> None:
    """The answer to *question*; until it is there the one of the former values, paler, or nothing."""
    is_former = shown is not question
    st.html(answer.PALE if is_former else "<style></style>")
    if shown is None:
        st.caption(plain(question.compared))
        return
    of = shown.compared or f"{shown.title}, nothing changed."
    st.caption(f":orange[Below, of the former values:] {plain(of)}" if is_former else plain(shown.compared))
    with st.container(key="answer"):
        _draw_answer(shown)


def _draw_answer(shown: AnsweredQuestion) -> None:
    """The notes, the times and their reasons, the other numbers, and the tabs."""
    (base, other), (before, after) = shown.scenarios, (shown.answers.before, shown.answers.after)
    answer.keep_in_mind(after)
    with st.container(key="explained"):
        numbers, chart = st.columns([1, 1.6], gap="medium")
    with numbers:
        answer.elapsed(before, after)
        moved = forms.told(shown.differing[0], base, other) if len(shown.differing) == 1 else ""
        answer.reasons((before, after), moved, bool(shown.differing), (base, other))
    with chart:
        answer.waterfall(before, after)
    answer.figures(before, after)
    uncertainty_view.draw((base, other), (before, after))
    command = settings.command_line(shown.name, shown.changes)
    if own_files.is_own(shown.name):
        command = settings.command_line(instruments.file_of(other), {})
    instruments.tabs(before, after, other, command)


def _compared(
    state: State, changes: Mapping[str, str], differing: Sequence[str], asked: tuple[Scenario, Scenario]
) -> str:
    """What is compared with what: in the words of the question where it is just that, else field by field."""
    question = presets.question(state.preset)
    if question and question.changes == changes and not state.pinned and question.scenario == state.name:
        return question.says
    told = [forms.told(path, *asked) for path in differing[:MOST_TOLD]]
    more = f"; {len(differing) - MOST_TOLD} more" if len(differing) > MOST_TOLD else ""
    return f"Compared with the baseline: {'; '.join(filter(None, told))}{more}." if any(told) else ""


def _welcome() -> None:
    """What the page is, and what a DBA asks first."""
    if not st.session_state[WELCOME]:
        return
    with st.container(key="welcome", gap="small"):
        st.markdown(ABOUT)
        for three in (presets.QUESTIONS[:3], presets.QUESTIONS[3:]):
            for column, question in zip(st.columns(3, gap="small"), three, strict=True):
                column.button(
                    question.title, key=f"question.{question.key}", on_click=take, args=(question.key,),
                    help=plain(question.says), width="stretch",
                )  # fmt: skip


def _marked(paths: Sequence[str]) -> str:
    """Style of the controls of *paths*, which differ from the baseline; their names say so without it."""
    if not paths:
        return "<style></style>"
    theme = "dark" if st.context.theme.type == "dark" else "light"
    colour = st.get_option(f"theme.{theme}.primaryColor") or "inherit"
    names = ", ".join(f".st-key-{NOT_IN_A_CLASS.sub('-', path)} label p" for path in paths)
    return f"<style>{names} {{color: {colour}; font-weight: 600}}</style>"


@by_object(64)
def _priced_as(base: Scenario, other: Scenario) -> Scenario:
    """*base* with the prices of *other* where it has none, so that their costs can be compared."""
    return priced_alike((base, other))[0]
