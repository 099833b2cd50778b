"""How every page about a mechanism is drawn: words and law above, a question and pictures left, controls right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from blocktime.app.answer import page_elements
from blocktime.app.base import insides
from blocktime.app.base.markdown import plain
from blocktime.app.controls.control_fields import as_text
from blocktime.app.controls.page_question import opened
from blocktime.app.mechanisms.lesson import Knob, Lesson, LessonAnswer
from blocktime.app.session import address, navigation, what_if_state
from blocktime.model.errors import BlocktimeError, cut
from blocktime.model.version import blocktime_version


def page(lesson: Lesson) -> None:
    """Draw the page of *lesson*: numbers and curves after a guess, a moved control, or a click that asks."""
    notes = _start(lesson)
    _head(lesson)
    for sentence in notes:
        st.error(plain(sentence), icon=":material/error:")
    with st.container(key="bench"):
        picture, controls = st.columns([2.7, 1], gap="medium")
    with controls, st.container(key="knobs"):
        values = {knob.name: _draw(lesson, knob) for knob in lesson.knobs}
        _keep(lesson, values)
    with picture:
        guess = st.text_input(
            plain(lesson.asks), key=f"{lesson.path}.guess", placeholder="Your guess; then the answer shows",
            persist_state="session",
        )  # fmt: skip
        shows = bool(guess) or values != lesson.start or st.session_state.get(f"{lesson.path}.shows", False)
        if not shows:
            st.button("Show the answer", key=f"{lesson.path}.show", on_click=_forget, args=(lesson,))
    try:
        answer = _answer(lesson.path, tuple(values.items()), blocktime_version(), lesson)
    except BlocktimeError as error:
        picture.error(f"There is no answer for this setting: {plain(str(error))}", icon=":material/error:")
        return
    numbers = [*answer.numbers, ("Your guess", guess)] if guess else answer.numbers
    with picture:
        page_elements.captioned("mechanism_picture", answer.picture.figure, answer.picture.says)
        for rank, curve in enumerate(answer.curves if shows else ()):
            page_elements.captioned(f"mechanism_curve_{rank}", curve.figure, curve.says)
    with controls:
        if shows:
            with st.container(key="lesson_numbers", border=True):
                st.markdown("  \n".join(f"{plain(label)}: **{plain(value)}**" for label, value in numbers))
        with st.container(key="links"):
            _links(lesson, answer)
    _foot(lesson)


def _head(lesson: Lesson) -> None:
    with st.container(key="lesson_head"):
        says, law = st.columns([1, 1.15], gap="medium")
    says.markdown(f"### {plain(lesson.title)}\n{plain(lesson.says)}")
    with law:
        for formula in lesson.law.split(r",\qquad "):
            st.latex(formula)
        st.caption(plain(lesson.symbols))


def _start(lesson: Lesson) -> list[str]:
    """On the first run, and where the browser goes back, take the values from the address."""
    if lesson.path not in st.session_state or insides.went_back():
        values, notes = read(lesson, {key: texts[-1] for key, texts in insides.address_of_run().items()})
        st.session_state[lesson.path] = values
        st.session_state[f"{lesson.path}.notes"] = notes
        for knob in lesson.knobs:
            st.session_state.pop(f"{lesson.path}.{knob.name}", None)
    texts: list[str] = st.session_state.get(f"{lesson.path}.notes", [])
    return texts


def read(lesson: Lesson, query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The values that an address asks for, and a sentence for what of it means nothing; of many for the first ones."""
    values, notes = lesson.start, []
    knobs = {knob.name: knob for knob in lesson.knobs}
    for name, text in query.items():
        if name not in knobs:
            notes.append(f"The link has {cut(name)!r}, which is not a field of this page.")
            continue
        try:
            values[name] = knobs[name].parse(text)
        except ValueError as allowed:
            notes.append(
                f"The link asks for {name} = {cut(text)!r}, which this page does not offer, so it is left out; it "
                f"offers {allowed}."
            )
    more = len(notes) - address.MOST_NOTES
    return values, [*notes[: address.MOST_NOTES], f"The link has {more:,} more such faults."] if more > 0 else notes


def _keep(lesson: Lesson, values: Mapping[str, Any]) -> None:
    """Remember the values, and have the address open this screen."""
    if st.session_state[lesson.path] != values:
        st.session_state[lesson.path] = dict(values)
    wanted = {name: as_text(value) for name, value in values.items() if value != lesson.start[name]}
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _draw(lesson: Lesson, knob: Knob) -> Any:
    """The control of *knob*; its value. Each drawing says it: a late browser builds the control from the last one."""
    key = f"{lesson.path}.{knob.name}"
    value = st.session_state.get(key, st.session_state[lesson.path][knob.name])
    common: dict[str, Any] = {"key": key, "help": knob.help(), "on_change": _forget, "args": (lesson,)}
    options = knob.options
    if not options:
        form = f"%g {knob.unit.replace('%', '%%')}".strip()  # as sprintf takes it
        return st.slider(knob.label, knob.low, knob.high, value, step=knob.step, format=form, **common)
    if isinstance(options[0], str) and len(options) <= 3:  # more do not fit the column
        return st.segmented_control(
            knob.label, options, default=value, required=True, format_func=knob.show, width="stretch", **common
        )
    if isinstance(options[0], str):
        return st.selectbox(knob.label, options, options.index(value), format_func=knob.show, **common)
    return st.select_slider(knob.label, options, value, format_func=knob.show, **common)


def _forget(lesson: Lesson) -> None:
    """A control has moved, or the answer was asked for: it shows, and what the address had wrong is no longer told."""
    st.session_state[f"{lesson.path}.shows"] = True
    st.session_state[f"{lesson.path}.notes"] = []


@st.cache_resource(max_entries=200, show_spinner=False)  # shared as it is: nobody changes an answer
def _answer(path: str, values: tuple[tuple[str, Any], ...], version: str, _lesson: Lesson) -> LessonAnswer:
    del path, version  # the key: another page, or another version, has other answers
    return _lesson.answer(dict(values))


def _links(lesson: Lesson, answer: LessonAnswer) -> None:
    st.button(
        "Open the scenario", icon=":material/open_in_full:", width="stretch", key=f"{lesson.path}.open",
        help=f"What if, with {answer.scenario} and these settings", on_click=what_if_state.open_there,
        args=(opened(answer.scenario, answer.changes),),
    )  # fmt: skip
    new, evidence = st.columns(2)
    new.link_button(
        "In a new tab", f"./?{urlencode({'scenario': answer.scenario, **answer.changes})}", width="stretch",
        icon=":material/link:",
    )  # fmt: skip
    evidence.button(
        "Evidence", icon=":material/fact_check:", width="stretch", key=f"{lesson.path}.evidence",
        help=f"Every printed number about {lesson.mechanism} against the model", on_click=navigation.go_to,
        args=(navigation.EVIDENCE, navigation.EVIDENCE_ABOUT, [lesson.mechanism]),
    )  # fmt: skip


def _foot(lesson: Lesson) -> None:
    text = "; ".join(f"{source.author}, *{source.title}* (`{source.key}`)" for source in lesson.sources)
    with st.container(key="foot"):
        st.caption(f"**Assumed:** {plain(lesson.assumes)}")
        st.caption(f"**Sources:** {text}. The law is in {plain(lesson.law_in)}.")
