"""The what-if page: a scenario as the baseline, controls that change it, and where the time goes in both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import streamlit as st

from blocktime.app.answer import answer, instruments, uncertainty_view
from blocktime.app.base import insides
from blocktime.app.base.markdown import plain
from blocktime.app.base.markdown import sentence as as_sentence
from blocktime.app.base.memo import by_object
from blocktime.app.controls import forms, presets
from blocktime.app.controls.advice import advice_on
from blocktime.app.controls.page_question import PageQuestion
from blocktime.app.session.downloads import PageAnswer
from blocktime.app.session.page_answers import KnownAnswers, answered
from blocktime.app.session.what_if_state import COMPLETE, GROUPS, NOTES, WELCOME, current, keep_address, set_text, start
from blocktime.app.what_if import gallery, sharing, what_if_controls
from blocktime.model.errors import BlocktimeError, cut
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario
from blocktime.scenarios.pricing import priced_alike

ANSWERED: Final = "what_if.answered"
"""The question whose answer this session has seen last."""
ABOUT: Final = (
    "**Blocktime** computes how long database I/O takes on an Oracle-style database under Linux, and where the time "
    "goes. Choose a question, or change a control in the sidebar (» opens it) and see what changes."
)
NOT_IN_A_CLASS: Final = re.compile(r"[^a-zA-Z0-9_-]")
"""What Streamlit replaces in a key to make the name of a class of it."""
NOT_IN_A_STYLE: Final = re.compile(r'["\\<>&]')
"""What ends a text in a style sheet."""


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question of this page with its answers."""

    question: PageQuestion
    """Without what is refused of it."""
    title: str
    scenarios: tuple[Scenario, Scenario]
    """Baseline and what-if."""
    says: str
    """What is compared with what, in the words of a question that is just that."""
    answers: KnownAnswers


def page() -> None:
    """Draw the page."""
    start({key: texts[-1] for key, texts in insides.address_of_run().items()})
    st.session_state[COMPLETE] = False
    with st.sidebar:
        what_if_controls.draw(current())
    st.fragment(_answer, key=what_if_controls.ANSWER)()
    st.session_state[COMPLETE] = True


def _answer() -> None:
    """The answer of the scenario as it stands, with what is wrong in it."""
    question = current()
    stated_base, other, refused = question.sides()
    st.html(_marked([*question.change]))
    keep_address(question)
    visible = what_if_controls.visible_fields()
    for sentence in [*st.session_state[NOTES], *(refused[path] for path in refused if path not in visible)]:
        st.error(plain(sentence), icon=":material/error:")
    system, change = (
        {path: text for path, text in fields.items() if path not in refused}
        for fields in (question.system, question.change)
    )
    question = replace(question, system=system, change=change)
    try:
        base = _priced_as(stated_base, other)
    except BlocktimeError as error:
        st.error(plain(f"There is no answer for this setting: {error}"), icon=":material/error:")
        return
    answers = answered(answer.WHAT_IF, (base, other), intervals=True)
    if answers.refused:
        st.error(plain(f"There is no answer for this setting: {answers.refused}"), icon=":material/error:")
        return
    title = presets.title_of_answer(question.preset, question.name, question.changed)
    preset = presets.question(question.preset)
    is_just_that = preset and preset.changes == question.change and not question.system
    answered_question = AnsweredQuestion(
        question, title, (base, other), preset.says if preset and is_just_that else "", answers
    )
    files = None
    if answers.results:
        st.session_state[ANSWERED] = answered_question
    st.html(_advised(answers.after) if answers.results else "<style></style>")
    if answers.results and not answers.narrows:
        files = PageAnswer(question, base, other, answers.before, answers.after)
    _welcome()
    answer.headline(title, (base, other), len(change), answers, partial(sharing.draw, question, files))
    _chips(question, stated_base, other)
    _draw(st.session_state.get(ANSWERED), answered_question)


def _chips(question: PageQuestion, base: Scenario, other: Scenario) -> None:
    """Each field of the change with both values, to take back or to make true of both sides; then the system's."""
    with st.container(key="changes", horizontal=True, gap="small"):
        for path, text in question.change.items():
            label, was, now = forms.both_values(path, base, other)
            helps = f"Make it true of both sides: {label} {now}"
            with st.container(horizontal=True, gap="xxsmall", width="content"):
                _chip(f"{label} {was} → {now}", "close", f"change.{path}", "Take this change back", path, None, False)
                _chip("", "swap_horiz", f"both.{path}", helps, path, text, True)
        for path in question.system:
            if path not in question.change:
                label, _, now = forms.both_values(path, base, other)
                helps = "Back to the value of the scenario"
                _chip(f"Both sides: {label} {now}", "close", f"system.{path}", helps, path, None, True)


def _chip(label: str, icon: str, key: str, helps: str, *to: object) -> None:
    """A field as a button that sets it *to* a text, on both sides or by the change."""
    st.button(
        plain(cut(label)), key=key, icon=f":material/{icon}:", icon_position="right", type="tertiary",
        on_click=set_text, args=(key, *to), help=plain(helps),
    )  # fmt: skip


def _draw(current: AnsweredQuestion | None, question: AnsweredQuestion) -> None:
    """The answer to *question*; until it is there the one of the former values, paler, or nothing."""
    is_former = current is not question
    st.html(answer.PALE if is_former else "<style></style>")
    if current is None:
        st.caption(plain(question.says))
        return
    former = f":orange[Below, of the former values:] {plain(current.title)}" if is_former else ""
    st.caption(former or plain(current.says) or "&nbsp;")  # the room is kept, so that nothing below moves
    with st.container(key="answer"):
        _draw_answer(current)


def _draw_answer(current: AnsweredQuestion) -> None:
    """The notes, the times and their reasons, the other numbers, and the tabs."""
    (base, other), (before, after) = current.scenarios, (current.answers.before, current.answers.after)
    question = current.question
    answer.first_sentence(before, after, (base, other), question.ask, bool(question.change))
    answer.programs(before, after)
    answer.keep_in_mind(after)
    with st.container(key="explained"):
        numbers, chart = st.columns([1, 1.6], gap="medium")
    with numbers:
        answer.elapsed(before, after)
        answer.reasons((before, after), bool(question.change), (base, other))
    with chart:
        answer.waterfall(before, after)
    answer.figures(before, after)
    uncertainty_view.draw((base, other), (before, after))
    instruments.tabs(before, after, other)


def _welcome() -> None:
    """What the page is, and what a DBA asks first."""
    if not st.session_state[WELCOME]:
        return
    with st.container(key="welcome", gap="small"):
        st.markdown(ABOUT)
        gallery.cards(presets.QUESTIONS, "question")


def _marked(paths: Sequence[str]) -> str:
    """Style of the controls of *paths*, which differ from the baseline; their names say so without it."""
    if not paths:
        return "<style></style>"
    colours = ", ".join(st.get_option(f"theme.{theme}.primaryColor") or "inherit" for theme in ("light", "dark"))
    names = ", ".join(f".st-key-{NOT_IN_A_CLASS.sub('-', path)} label p" for path in paths)
    return f"<style>{names} {{color: light-dark({colours}); font-weight: 600}}</style>"


def _advised(after: RunResult) -> str:
    """Style of the controls that the answer has something against, with its words below them; the doubts have them."""
    rules = []
    for path in (row.control.path for rows in st.session_state[GROUPS].values() for row in rows):
        if text := advice_on(path, after):
            content = NOT_IN_A_STYLE.sub(lambda sign: f"\\{ord(sign[0]):x} ", as_sentence(text))
            rules.append(f'.st-key-{NOT_IN_A_CLASS.sub("-", path)}::after {{content: "{content}"}}')
    return f"<style>{' '.join(rules)}</style>"


@by_object(64)
def _priced_as(base: Scenario, other: Scenario) -> Scenario:
    """*base* with the prices of *other* where it has none, so that their costs can be compared."""
    return priced_alike((base, other))[0]
