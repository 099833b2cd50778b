"""The pages about mechanisms under Streamlit's test client: every control, links, prediction."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app import mechanisms
from blocktime.app.controls.control_fields import as_text
from blocktime.app.mechanisms.lesson import Knob, Lesson, lesson_of
from blocktime.app.session.address import MOST_NOTES
from tests.patience import LIMIT_S
from tests.whole import quick

NAMES = list(mechanisms.PAGES)


def opened(name: str, **query: str) -> AppTest:
    page = AppTest.from_string(
        f"from blocktime.app.mechanisms import frame, lesson\nframe.page(lesson.lesson_of({name!r}))",
        default_timeout=LIMIT_S,
    )
    for key, text in query.items():
        page.query_params[key] = text
    return page.run()


def put(page: AppTest, lesson: Lesson, knob: Knob, value: Any) -> AppTest:
    """Move the control of *knob*."""
    key = f"{lesson.path}.{knob.name}"
    for kind in ("slider", "select_slider", "selectbox", "segmented_control", "button_group"):
        found: list[Any] = [one for one in page.get(kind) if getattr(one, "key", None) == key]
        if found:
            found[0].set_value([value] if kind == "button_group" else value)
            return page.run()
    raise AssertionError(f"no control {key}")


def values_of(knob: Knob) -> tuple[Any, ...]:
    if knob.options:
        return (knob.options[0], knob.options[-1], knob.start)
    kind = type(knob.start)
    return (kind(knob.low), kind(knob.high), knob.start)


@pytest.mark.parametrize("name", NAMES)
def test_every_control_to_both_ends_leaves_the_page_whole(name: str) -> None:
    lesson = lesson_of(name)
    page = opened(name)
    charts = 1 + len(lesson.answer(lesson.start).curves)
    for knob in lesson.knobs:
        for value in values_of(knob)[quick(1, 0) :]:  # the lessons alone are asked at both ends elsewhere
            page = put(page, lesson, knob, value)
            assert not page.exception, (knob.name, value)
            assert not page.error, (knob.name, value)
            assert len(page.get("plotly_chart")) == charts
            told = page.query_params.get(knob.name)
            wanted = [] if value == knob.start else [as_text(value)]
            assert ([told] if isinstance(told, str) else told or []) == wanted, (knob.name, value)
    assert page.get("latex") or page.markdown


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", NAMES)
def test_an_address_opens_its_screen(name: str) -> None:
    lesson = lesson_of(name)
    wanted = {knob.name: values_of(knob)[1] for knob in lesson.knobs[:2]}
    page = opened(name, **{path: as_text(value) for path, value in wanted.items()})
    assert not page.exception
    assert not page.error
    assert page.session_state[lesson.path] == {**lesson.start, **wanted}
    links: Any = page.get("link_button")
    answer = lesson.answer({**lesson.start, **wanted})
    assert len(links) == 1
    assert f"scenario={answer.scenario}" in links[0].proto.url
    for path in answer.changes:
        assert path in links[0].proto.url


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_broken_address_gets_a_sentence_and_the_page_goes_on(name: str) -> None:
    lesson = lesson_of(name)
    knob = lesson.knobs[0]
    page = opened(name, **{knob.name: "9e99", "colour": "<b>red</b>"})
    assert not page.exception
    said = [one.value for one in page.error]
    assert len(said) == 2
    assert "9e99" in said[0]
    assert "is not a field of this page" in said[1]
    assert page.session_state[lesson.path] == lesson.start
    page = put(page, lesson, lesson.knobs[1], values_of(lesson.knobs[1])[1])
    assert not page.error


def test_what_an_address_says_is_no_markdown() -> None:
    page = opened("disk_latency", **{"$E=mc^2$": "1", "*b*": "1", "[click](http://e.example)": "1"})
    assert [one.value for one in page.error] == [
        f"The link has '{said}', which is not a field of this page."
        for said in (r"\$E=mc^2\$", r"\*b\*", "\\[click\\](http:\u2060//e.example)")
    ]


def test_of_many_faults_of_an_address_the_first_are_told() -> None:
    page = opened("disk_latency", **{f"key{rank}": "1" for rank in range(500)})
    assert len(page.error) == MOST_NOTES + 1
    assert page.error[-1].value == f"The link has {500 - MOST_NOTES} more such faults."


def test_a_guess_is_asked_for_and_stands_beside_the_answer() -> None:
    lesson = lesson_of("disk_latency")
    page = opened("disk_latency")
    assert page.text_input(key=f"{lesson.path}.guess").label == lesson.asks
    assert len(page.get("plotly_chart")) == 1
    page.text_input(key=f"{lesson.path}.guess").set_value("no, faster").run()
    assert len(page.get("plotly_chart")) == 2
    page = put(page, lesson, lesson.knobs[1], 65536)
    assert len(page.get("plotly_chart")) == 2
    assert any("Your guess: **no, faster**" in one.value for one in page.markdown)


def test_the_answer_shows_without_a_guess_where_it_is_asked_for_or_a_control_moves() -> None:
    lesson = lesson_of("disk_latency")
    page = opened("disk_latency")
    page.button(key=f"{lesson.path}.show").click().run()
    assert len(page.get("plotly_chart")) == 2
    page = put(opened("disk_latency"), lesson, lesson.knobs[1], 65536)
    page = put(page, lesson, lesson.knobs[1], lesson.knobs[1].start)
    assert len(page.get("plotly_chart")) == 2


def test_two_readers_do_not_see_each_others_controls() -> None:
    lesson = lesson_of("migration")
    one, other = opened("migration"), opened("migration")
    one = put(one, lesson, lesson.knobs[1], 35)
    other = other.run()
    assert one.session_state[lesson.path] != other.session_state[lesson.path] == lesson.start


@pytest.mark.parametrize("name", NAMES)
def test_a_control_that_is_drawn_again_still_says_its_value(name: str) -> None:
    """A browser that is late builds a control from its second drawing."""
    page = opened(name).run()
    for slider in page.slider:
        assert list(slider.proto.default) == [slider.value]
    for choice in page.selectbox:
        assert choice.options[choice.proto.default] == choice.options[choice.index]
    for steps in page.select_slider:
        assert len(steps.proto.default) == 1
