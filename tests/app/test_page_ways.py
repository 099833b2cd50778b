"""What leaves one page arrives at the next: through buttons, links, reloads, and browsers that are late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Final

import pytest
import streamlit as st
from hypothesis import HealthCheck, example, given
from hypothesis import settings as asked
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

from blocktime.app.base import FIRST
from blocktime.app.compare import compare_page
from blocktime.app.controls.page_question import PageQuestion
from blocktime.app.controls.page_question import opened as as_opened
from blocktime.app.controls.sweep_form import form_in
from blocktime.app.my_system import my_system
from blocktime.app.my_system.my_system import PageState
from blocktime.app.session import address, pins, uploads, what_if_state
from blocktime.app.session.pins import Pin
from blocktime.app.sweep import sweep_page, sweep_view
from blocktime.app.sweep.sweep_page import FORM
from tests.app.page_numbers import opened
from tests.app.scenarios_at_random import questions
from tests.patience import LIMIT_S
from tests.whole import quick

pytestmark = pytest.mark.usefixtures("unanswered")
SWEEP: Final = "from blocktime.app.sweep import sweep_page\nsweep_page.page()\n"
LINK: Final = {"table.row_bytes": "140", "disk.iops_limit": "5000", "disk.throughput_limit_bytes_per_s": "131072000"}


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKTIME_STORE", str(tmp_path))


def as_drawn(app: AppTest, clicked: str) -> WidgetStates:
    """What a browser sends that builds every control anew from its last drawing, and clicks the button *clicked*."""
    states = WidgetStates()
    for one in [*app.slider, *app.select_slider, *app.button_group]:
        states.widgets.append(one._widget_state)
    for one in app.toggle:
        states.widgets.append(WidgetState(id=one.proto.id, bool_value=one.proto.default))
    for one in app.text_input:
        states.widgets.append(WidgetState(id=one.proto.id, string_value=one.proto.default))
    for one in app.selectbox:
        told = {"string_value": one.options[one.proto.default]} if one.proto.HasField("default") else {}
        states.widgets.append(WidgetState(id=one.proto.id, **told))
    button = next(one for one in app.button if one.label == clicked)
    states.widgets.append(WidgetState(id=button.proto.id, trigger_value=True))
    return states


def held(app: AppTest) -> tuple[object, ...]:
    """The question of the session."""
    question: PageQuestion = app.session_state[what_if_state.QUESTION]
    return question.name, question.system, question.change, question.moves


def swept(app: AppTest) -> tuple[str, Mapping[str, str]]:
    """What the page of sweeps starts from."""
    form = app.session_state[FORM]
    return form.base, dict(form.changes)


def address_of(app: AppTest) -> dict[str, str]:
    """The one that a bookmark keeps."""
    return {key: str(app.query_params[key]) for key in app.query_params}


@asked(max_examples=quick(5, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(questions())
@example(as_opened("full-scan-nvme", LINK))
@example(as_opened("full-scan-nvme", {**LINK, "tablespace.block_size_bytes": "16384"}, LINK))
def test_what_is_swept_is_what_was_shown(question: PageQuestion) -> None:
    left = question.name, question.system, question.change, question.moves
    app = opened(address.written(question, FIRST)).run()  # drawn twice, as a browser's second run does
    assert held(app) == left
    reloaded = opened(address_of(app))
    assert held(reloaded) == left
    app._run(as_drawn(app, "Sweep this scenario"))
    assert not app.exception
    assert held(app) == left
    assert swept(app) == (question.name, question.changed)
    again = AppTest.from_string(SWEEP, default_timeout=LIMIT_S)
    for key, value in app.query_params.items():
        again.query_params[key] = value
    again.run()
    assert not again.exception
    assert swept(again) == (question.name, question.changed)
    assert held(again) == left


HELD: Final = Pin("full-scan-nvme", (("table.row_bytes", "140"),))
LATE: Final[Mapping[str, Callable[[], object]]] = {
    "a control of What if": lambda: what_if_state.moved(1, "answer", "table.row_bytes"),
    "the switch": what_if_state.switch,
    "a control of My system": lambda: my_system._moved("instance.buffer_cache_bytes"),
    "the statement of a trace": lambda: my_system._chosen(st.session_state[my_system.STATE]),
    "a report": lambda: my_system._given("my_system.file"),
    "a scenario's file": lambda: uploads._chosen("upload.1", lambda question: None),
    "the name of a pin": lambda: compare_page._rename(HELD.key),
    "the library beside the pins": compare_page._add_from_library,
    "a field of the sweep": lambda: sweep_page._took_key(0),
    "the engine of the sweep": lambda: sweep_page._took("engine"),
    "a mark of the sweep's chart": lambda: sweep_view._chosen_in_chart("sweep_main_1", None),
    "a row of the sweep's table": lambda: sweep_view._chosen_in_table("sweep_rows_1"),
}


@pytest.mark.parametrize("control", LATE)
def test_a_late_browser_moves_no_control_that_is_gone(monkeypatch: pytest.MonkeyPatch, control: str) -> None:
    form, _ = form_in({}, HELD.name, {})
    question = as_opened(HELD.name, dict(HELD.changes))
    state: dict[str, object] = {
        what_if_state.OPENED: 1, what_if_state.QUESTION: question, pins.SESSION_KEY: (HELD,), FORM: form,
        my_system.STATE: PageState(question=question, statement="1"), sweep_view.CHOSEN: 3,
    }  # fmt: skip
    before = deepcopy(state)
    monkeypatch.setattr(st, "session_state", state)
    LATE[control]()
    assert {key: state[key] for key in before} == before
