"""The what-if page as an instrument: presets, every control to both ends, the baseline, simulations beside the page."""

import threading
from collections.abc import Iterator
from functools import cache
from itertools import chain
from random import Random
from typing import Any, Final

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.element_tree import ElementTree

from blocktime.app.answer import answer
from blocktime.app.controls import control_fields, forms, presets, settings, user_files
from blocktime.app.controls.page_question import PageQuestion
from blocktime.app.session import address, page_answers, pins, simulation_requests, what_if_state
from blocktime.app.session.simulations import Ask, Players, SimulatedAnswer, SimulationJob
from blocktime.app.what_if import what_if_controls
from blocktime.model.spec.groups import REPLACEMENT
from blocktime.model.units import show_amount, show_seconds
from blocktime.model.workloads.families import family_for
from blocktime.scenarios import library, load, run
from tests.app import page_numbers
from tests.app.conftest import simulated
from tests.app.page_moves import MOVED, as_a_browser_asks, part_of
from tests.app.page_numbers import ENTRY, elapsed, metric, numbers, said_at_fields, says
from tests.app.page_numbers import scan as opened
from tests.known_by_law import KNOWN
from tests.patience import LIMIT_S
from tests.whole import SEED, WHOLE

pytestmark = pytest.mark.usefixtures("simulated_at_once")

BLOCK, ARRAY = "tablespace.block_size_bytes", "workload.arraysize_rows"


# Presets


def change_of(app: AppTest) -> dict[str, str]:
    """What the question of the session changes."""
    return dict(app.session_state[what_if_state.QUESTION].change)


def test_every_preset_opens_with_its_question() -> None:
    """Where the tests are to be quick: an eighth of them one after the other; below, each opens alone."""
    app, every = opened(), list(presets.all_presets())
    for preset in every if WHOLE else Random(SEED).sample(every, len(every) // 8):
        app.selectbox("scenario").select(preset.key).run()
        assert not app.exception, preset.title
        assert app.error.len == 0, preset.title
        assert says(app, preset.title), preset.title
        kind = load(preset.scenario).workload.kind
        settings = [f"{path}={text}" for path, text in preset.changes.items()]
        assert metric(app, "Response" if kind == "transactions" else "Elapsed").value == elapsed(
            preset.scenario, *settings
        )
        assert change_of(app) == dict(preset.changes), preset.title


def test_the_page_begins_with_what_it_is_and_its_questions() -> None:
    app = AppTest.from_file(ENTRY, default_timeout=LIMIT_S).run()
    assert says(app, "**Blocktime** computes how long database I/O takes")
    questions = [one for one in app.button if (one.key or "").startswith("question.")]
    assert [one.label for one in questions] == [one.title for one in presets.QUESTIONS]
    assert app.query_params.get("scenario") in (None, [what_if_state.FIRST])
    assert load(what_if_state.FIRST).system.instance.release.startswith("19")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("question", presets.QUESTIONS, ids=lambda question: question.title)
def test_a_question_opens_its_comparison_with_its_controls_first(question: presets.Preset) -> None:
    app = AppTest.from_file(ENTRY, default_timeout=LIMIT_S).run()
    app.button(key=f"question.{question.key}").click().run()
    assert not app.exception
    assert app.error.len == 0
    assert says(app, question.title)
    assert not any((one.key or "").startswith("question.") for one in app.button)
    assert {path: app.query_params[path] for path in question.changes} == dict(question.changes)
    first = [text.value for text in app.sidebar.markdown if text.value.startswith("**")]
    assert first[0] == f"**{what_if_controls.CHANGE}**"
    for path in question.controls:
        assert widget(app, path).key == path
    if question.changes:
        assert metric(app, "Elapsed" if "oltp" not in question.scenario else "Response").delta
    if question.tab:
        assert app.session_state["tab"] == question.tab


def test_a_scenario_that_is_no_preset_can_be_chosen_too(unanswered: None) -> None:
    app = opened()
    rest = next(name for name in library() if name not in presets.BY_KEY)
    app.selectbox("scenario").select(rest).run()
    assert app.query_params["scenario"] == rest
    assert says(app, user_files.title(rest))


def test_an_open_tab_stays_open_where_another_scenario_has_other_tabs() -> None:
    app = page_numbers.opened({"scenario": "magni-dd-raw-100"})
    states = app._tree.get_widget_states()
    (tabs,) = app.get("tab_container")
    states.widgets.add(id=tabs.proto.tab_container.id, string_value="Device")  # a click
    app._run(states)
    app.selectbox("scenario").select("rahn-full-scan").run()
    assert app.session_state["tab"] == "Device"
    app.selectbox("scenario").select("tpc-b").run()
    assert app.session_state["tab"] == "Device"


def test_the_list_of_presets_takes_its_question() -> None:
    app = opened()
    app.button(key="examples").click().run()
    preset = next(one for one in presets.all_presets() if one.changes)
    button = app.button(key=f"preset.{preset.key}")
    assert button.label == preset.title
    button.click().run()
    assert not app.exception
    assert app.selectbox("scenario").value == preset.key
    assert {path: app.query_params[path] for path in preset.changes} == dict(preset.changes)
    assert not [one for one in app.button if str(one.key).startswith("preset.")], "the gallery is closed again"


def test_a_changed_control_says_so_in_words_and_in_colour() -> None:
    app = opened(**{ARRAY: "15"})
    assert app.text_input(ARRAY).label == "● Array size (rows) · was 100 rows"
    (style,) = [one.proto.body for one in app.get("html") if "label p {color:" in one.proto.body]
    assert ".st-key-workload-arraysize_rows label p" in style
    assert "label p {color:" not in "".join(one.proto.body for one in opened().get("html"))


def test_a_value_outside_what_was_measured_says_so_at_its_field() -> None:
    beyond = "2 constants were measured at array size 100; this is up to 6.7 times beyond."
    rule = f'.st-key-workload-arraysize_rows::after {{content: "{beyond}"}}'
    assert rule in "".join(one.proto.body for one in opened(**{ARRAY: "15"}).get("html"))
    assert "::after {content" not in "".join(one.proto.body for one in opened().get("html"))


def test_a_change_can_be_undone_by_itself_whatever_has_a_control() -> None:
    app = opened(**{ARRAY: "15", "client.round_trip_s": "5ms"})
    undo = {one.key: one for one in app.button if (one.key or "").startswith("change.")}
    assert {key: one.label.replace("\\", "") for key, one in undo.items()} == {
        f"change.{ARRAY}": "Array size 100 rows → 15 rows",
        "change.client.round_trip_s": "Client: round trip 200 µs → 5 ms",
    }
    undo["change.client.round_trip_s"].click().run()
    assert not app.exception
    assert "client.round_trip_s" not in app.query_params
    assert app.query_params[ARRAY] == "15"
    assert metric(app, "Elapsed").value == elapsed("rahn-full-scan", f"{ARRAY}=15")


# Controls


def widget(app: AppTest, path: str) -> Any:
    for kind in ("slider", "select_slider", "selectbox", "text_input", "toggle", "button_group"):
        for one in getattr(app, kind):
            if one.key == path:
                return one
    raise AssertionError(f"{path} has no control")


def ends(control: forms.Control, field: control_fields.Facts, one: Any) -> Iterator[Any]:
    if field.options:
        yield from (field.options[0], field.options[-1])
    elif field.kind == "flag":
        yield from (False, True)
    elif field.kind == "text":
        yield from (control.offers[0], control.offers[-1])
    elif field.kind in ("size", "duration", "whole", "real"):
        held = (field.low or 0, field.high or 2**50)
        yield from (control_fields.control_value(field, end) for end in held)
    else:
        yield from (one.min, one.max)


def open_all(app: AppTest) -> None:
    for group in forms.FOLDED:
        app.session_state[f"group.{group}"] = True


def with_all_groups(app: AppTest) -> AppTest:
    open_all(app)
    return app.run()


PRESETS = [preset for preset in presets.all_presets() if preset.scenario in KNOWN]
FEW = {("import", "workload.users"): "4"}
"""In place of an end whose run takes minutes."""


@cache
def moved_controls() -> dict[str, set[str]]:
    """Preset -> controls to move there, where they decide something: each once for every family of work; or all.

    A control of the workload is moved once for every kind.
    """
    offers: dict[tuple[str, str], list[str]] = {}
    for preset in PRESETS:
        scenario, _ = settings.settle(preset.scenario, preset.changes)
        for control in chain(*forms.groups_of(scenario.workload.kind).values()):
            if control.offered(scenario) and not control.idle(scenario):
                work = scenario.workload
                of = work.kind if control.path.startswith("workload.") else family_for(work).name
                offers.setdefault((of, control.path), []).append(preset.key)
    chosen = Random(SEED)
    moved: dict[str, set[str]] = {preset.key: set() for preset in PRESETS}
    for (_, path), keys in offers.items():
        for key in keys if WHOLE else [chosen.choice(keys)]:
            moved[key].add(path)
    return moved


@pytest.mark.sampled(8)
@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_every_control_goes_to_both_ends_without_a_fault(preset: presets.Preset) -> None:
    scenario, _ = settings.settle(preset.scenario, preset.changes)
    short = {"workload.transactions": "300"} if scenario.workload.kind == "transactions" else {}
    app = with_all_groups(opened(scenario=preset.scenario, **preset.changes, **short))
    assert short or says(app, preset.title)
    question = app.session_state[what_if_state.QUESTION]
    for control in chain(*forms.groups_of(scenario.workload.kind).values()):
        field = control.facts(scenario.workload.kind)
        if field is None or not control.offered(scenario):
            continue
        one = widget(app, control.path)
        assert one.label
        assert one.help
        idle = control.idle(scenario)
        asleep = bool(idle) and idle not in forms.WAKES and control.path not in preset.changes
        assert one.disabled == asleep, control.path
        if one.disabled:
            assert control.idle(scenario) in one.label
        if control.path not in moved_controls()[preset.key]:
            continue
        both = list(ends(control, field, one))
        chosen = both if WHOLE else Random(f"{SEED} {control.path}").sample(both, 1)
        few = FEW.get((scenario.workload.kind, control.path))
        for value in chosen if WHOLE or few is None else [few]:
            app.session_state[what_if_state.QUESTION] = question
            open_all(app)
            widget(app, control.path).set_value(value).run()
            assert not app.exception, (control.path, value)
            assert app.error.len <= 1, (control.path, value)
            assert "\n" not in "".join(error.value for error in app.error), (control.path, value)
            if not app.error:
                time = "Response" if scenario.workload.kind == "transactions" else "Elapsed"
                assert metric(app, time).value not in ("", "—"), (control.path, value)
        app.session_state[what_if_state.QUESTION] = question
        with_all_groups(app)


def test_a_control_that_decides_nothing_says_why_beside_its_name() -> None:
    app = opened(scenario="savvinov-lio-pc")
    assert app.selectbox("disk.use").disabled
    assert "every block is in the buffer cache" in app.selectbox("disk.use").label
    assert "a single session uses one processor" in app.text_input("host.cpus").label
    app.text_input("workload.users").set_value("2").run()
    assert not app.text_input("host.cpus").disabled


def test_a_choice_brings_the_field_that_it_needs_along() -> None:
    app = opened(scenario="tpc-b")
    app.button_group("workload.hot_pool").set_value("keep").run()
    assert not app.exception
    assert app.error.len == 0
    assert app.query_params["instance.db_keep_cache_bytes"] == "16M"
    assert "was 0" in app.text_input("instance.db_keep_cache_bytes").label


def test_a_control_that_is_drawn_again_still_says_its_value() -> None:
    """A browser that is late may build a control from its second drawing; without the value it would send another."""
    app = opened(**{ARRAY: "15"}).run()
    assert app.text_input(ARRAY).proto.default == "15"
    assert app.select_slider(BLOCK).proto.default == [2]  # 2K, 4K, 8K
    assert app.text_input("instance.buffer_cache_bytes").proto.default == "1953125K"
    assert app.button_group("instance.serial_direct_read").proto.default == [0]
    assert app.selectbox("disk.use").proto.default > 0
    app.selectbox("scenario").select("index-range-scan").run()
    assert app.run().text_input(ARRAY).proto.default == "100"


def test_a_time_is_shown_and_taken_in_a_unit_that_suits_it() -> None:
    app = opened(scenario="tpc-b")
    app.text_input("workload.think_s").set_value("0.0016").run()
    assert app.error.len == 0
    assert app.text_input("workload.think_s").value == "1.6 ms"
    assert "was 1 s" in app.text_input("workload.think_s").label
    app.text_input("workload.think_s").set_value("1000ms").run()  # as before, in other words
    assert "workload.think_s" not in app.query_params
    assert change_of(app) == {}


def test_a_key_pressed_before_a_new_session_has_drawn_its_control_counts() -> None:
    moved = opened().text_input(ARRAY).set_value("15")
    states = moved.root.get_widget_states()
    app = AppTest.from_file(ENTRY, default_timeout=LIMIT_S)
    app.query_params["scenario"] = "rahn-full-scan"
    app._run(states)  # a server that was started anew hears of it with its first run
    assert not app.exception
    assert metric(app, "Elapsed").value == elapsed("rahn-full-scan", f"{ARRAY}=15")
    assert app.query_params[ARRAY] == "15"
    assert len(change_of(app)) == 1
    app.run()
    assert app.text_input(ARRAY).value == "15"
    assert len(change_of(app)) == 1


def test_a_late_browser_takes_no_control_of_the_last_scenario_into_the_next(unanswered: None) -> None:
    app = AppTest.from_file(ENTRY, default_timeout=LIMIT_S).run()
    of_the_scan = app.text_input("table.rows").root.get_widget_states()
    question = next(one for one in presets.QUESTIONS if one.scenario == "oltp-nvme" and one.changes)
    app.button(key=f"question.{question.key}").click().run()
    assert len(change_of(app)) == len(question.changes)
    states = app.selectbox("scenario").root.get_widget_states()
    drawn = {one.id for one in states.widgets}
    gone = [one for one in of_the_scan.widgets if one.id not in drawn and one.WhichOneof("value") != "trigger_value"]
    assert any("table.rows" in one.id for one in gone)
    states.widgets.extend(gone)  # the browser has not heard yet that those controls are gone
    app._run(states)
    assert not app.exception
    assert len(change_of(app)) == len(question.changes)
    assert {path for path in app.query_params if "." in path} == set(question.changes)


def test_a_control_moved_before_the_next_scenario_is_drawn_moves_none_of_it() -> None:
    """Its request waits for the drawing, in which a control of the same field has taken its place."""
    app = opened()
    part, before = part_of(app, MOVED), app.slider(MOVED).value
    app.selectbox("scenario").select("full-scan-nvme").run()
    app.slider(MOVED).set_value(before + 15)
    with as_a_browser_asks(app, MOVED, part):
        app._run(app._tree.get_widget_states())
    assert not app.exception
    assert change_of(app) == {}
    assert app.slider(MOVED).value == before
    assert MOVED not in app.query_params


def test_a_run_that_is_asked_for_elsewhere_changes_no_control() -> None:
    app = opened()
    before = app.text_input(ARRAY).value
    app.text_input(ARRAY).set_value("15")
    app.selectbox("scenario").select("tpc-b")
    states = app._tree.get_widget_states()
    with as_a_browser_asks(app, "host.io_path"):
        app._run(states)
    app.run()
    assert change_of(app) == {}
    assert app.text_input(ARRAY).value == before
    assert app.selectbox("scenario").value == "rahn-full-scan"
    app.text_input(ARRAY).set_value("15").run()
    assert len(change_of(app)) == 1


Sent = dict[tuple[int, ...], bytes]
"""What a run sends to the browser, by its place on the page."""


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Sent]:
    """What each run of a test sends."""
    sent: list[Sent] = []
    parse = local_script_runner.parse_tree_from_messages

    def noted(messages: list[ForwardMsg]) -> ElementTree:
        tree = parse(messages)
        deltas = [message for message in messages if message.WhichOneof("type") == "delta"]
        for each in deltas:  # a value is said again where a browser may not have it, as the test client often has not
            element = each.delta.new_element
            element.ClearField("has_one_shot_effect")
            widget = getattr(element, element.WhichOneof("type") or "metric")
            for field in {"set_value", "value", "raw_value"} & {field.name for field in widget.DESCRIPTOR.fields}:
                widget.ClearField(field)
        sent.append({tuple(each.metadata.delta_path): each.delta.SerializeToString() for each in deltas})
        return tree

    monkeypatch.setattr(local_script_runner, "parse_tree_from_messages", noted)
    return sent


MOVES: Final = {
    "rahn-full-scan": (("table.pctfree_percent", 11), (ARRAY, "15"), (BLOCK, 16384), ("host.io_path", "raw")),
    "tpc-b": (("workload.users", "3"), ("instance.buffer_cache_bytes", "no size"), ("workload.users", "10")),
    "magni-dd-fs-10000": (("workload.think_s", "5 ms"), ("host.io_path", "raw")),
}
"""Scenario -> controls that are moved one after the other."""


@pytest.mark.parametrize("scenario", MOVES)
def test_what_is_drawn_anew_is_all_that_a_moved_control_changes(scenario: str, runs: list[Sent]) -> None:
    app = opened(scenario=scenario)
    for path, value in MOVES[scenario]:
        shown = runs[-1]
        app.get_by_key(path).set_value(value)
        states = app._tree.get_widget_states()  # those of all controls, as a browser sends them
        with as_a_browser_asks(app, path):
            app._run(states)
        part = runs[-1]
        app._run(states)
        assert not app.exception
        roots = [place for place in part if place[:-1] not in part]
        kept = {place: sent for place, sent in shown.items() if all(place[: len(r)] != r for r in roots)}
        assert kept | part == runs[-1]
        assert len(part) < 0.9 * len(runs[-1])


def test_a_browser_that_says_an_older_address_is_told_the_one_of_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    parse = local_script_runner.parse_tree_from_messages

    def noted(messages: list[ForwardMsg]) -> ElementTree:
        told.extend(m.page_info_changed.query_string for m in messages if m.HasField("page_info_changed"))
        return parse(messages)

    monkeypatch.setattr(local_script_runner, "parse_tree_from_messages", noted)
    app = opened()
    before = dict(app.query_params)
    app.text_input(ARRAY).set_value("15").run()
    assert f"{ARRAY}=15" in told[-1]
    app.query_params.clear()
    app.query_params.update(before)
    app.text_input(ARRAY).set_value("100").run()
    assert ARRAY not in told[-1]
    count = len(told)
    app.run()
    assert len(told) == count


def test_what_is_added_to_a_comparison_after_a_move_is_what_is_shown() -> None:
    app = opened()
    drawn = app._tree
    with as_a_browser_asks(app, ARRAY):
        app.text_input(ARRAY).set_value("15").run()
    app._tree = drawn  # a browser keeps the button, which is not drawn anew
    app.button(key="pins.add").click().run()
    assert app.session_state[pins.SESSION_KEY][-1].changes == ((ARRAY, "15"),)


def test_a_folded_group_draws_its_controls_once_it_is_open_or_changed() -> None:
    path = "instance.replacement.touch_time_s"
    app = opened(scenario="tpc-b")
    assert not any(one.key == path for one in app.text_input)
    app.session_state[f"group.{REPLACEMENT.name}"] = True
    app.run()
    assert any(one.key == path for one in app.text_input)
    changed = opened(scenario="tpc-b", **{path: "5"})
    assert "was 3 s" in changed.text_input(path).label


# The baseline


def test_a_change_is_made_true_of_both_sides() -> None:
    app = opened(**{ARRAY: "15"})
    app.button(key=f"both.{ARRAY}").click().run()
    assert metric(app, "Elapsed").value == elapsed("rahn-full-scan", f"{ARRAY}=15")
    assert not metric(app, "Elapsed").delta
    app.select_slider(BLOCK).set_value(16384).run()
    assert not app.exception
    assert metric(app, "Elapsed").value == elapsed("rahn-full-scan", f"{ARRAY}=15", f"{BLOCK}=16K")
    assert "was 8K" in app.select_slider(BLOCK).label
    assert "was" not in app.text_input(ARRAY).label
    assert {key: app.query_params[key] for key in (BLOCK, f"both.{ARRAY}")} == {BLOCK: "16384", f"both.{ARRAY}": "15"}
    app.button(key="baseline.reset").click().run()
    assert not metric(app, "Elapsed").delta
    app.button(key=f"system.{ARRAY}").click().run()
    assert metric(app, "Elapsed").value == elapsed("rahn-full-scan")
    assert not [key for key in app.query_params if "." in key]


def test_a_question_opens_with_controls_that_move_both_sides() -> None:
    """A reader's own rows and users are true of both; the question's field stays the change, also put back and on."""
    app = page_numbers.opened({"scenario": "full-scan-nvme", BLOCK: "16384"})
    assert app.session_state[what_if_state.QUESTION].moves == "both"
    app.text_input("table.rows").set_value("60 million").run()
    question = app.session_state[what_if_state.QUESTION]
    assert (question.system, question.change) == ({"table.rows": "60000000"}, {BLOCK: "16384"})
    assert "was" not in app.text_input("table.rows").label
    for size, change in ((8192, {}), (32768, {BLOCK: "32768"})):
        app.select_slider(BLOCK).set_value(size).run()
        question = app.session_state[what_if_state.QUESTION]
        assert (question.system, question.change) == ({"table.rows": "60000000"}, change)
    assert app.query_params["moves"] == "both"
    what_if = page_numbers.opened({**{key: str(app.query_params[key]) for key in app.query_params}, "moves": "what-if"})
    what_if.text_input("table.rows").set_value("70M").run()
    assert "was 60,000,000" in what_if.text_input("table.rows").label
    assert "moves" not in what_if.query_params


def test_a_link_opens_the_same_baseline_elsewhere() -> None:
    app = opened(**{ARRAY: "15", f"baseline.{BLOCK}": "16384"})
    assert metric(app, "Elapsed").value == elapsed("rahn-full-scan", f"{ARRAY}=15")
    assert "was 16K" in app.select_slider(BLOCK).label
    wrong = opened(**{"baseline.host.cpus": "many"})
    assert [("baseline" in one.value, "host.cpus" in one.value) for one in wrong.error] == [(True, True)]
    assert "baseline.host.cpus" not in wrong.query_params


def test_a_file_of_ones_own_opens_by_its_link() -> None:
    name = user_files.name_of({"workload": {"kind": "full_scan", "users": 1}, "table": {"rows": 5000}}, "mine.toml")
    app = AppTest.from_file(ENTRY, default_timeout=LIMIT_S)
    app.query_params["s"] = user_files.packed_of(name)
    app.run()
    assert not app.exception
    assert app.error.len == 0
    assert app.text_input("table.rows").value == "5,000"
    app.text_input("table.rows").set_value("6,000").run()
    assert app.query_params["table.rows"] == "6000"
    assert metric(app, "Elapsed").delta


def test_two_people_do_not_see_each_others_changes() -> None:
    first, second = opened(), opened()
    first.text_input(ARRAY).set_value("15").run()
    first.button(key=f"both.{ARRAY}").click().run()
    second.select_slider(BLOCK).set_value(2048).run()
    second.run()
    assert metric(second, "Elapsed").value == elapsed("rahn-full-scan", f"{BLOCK}=2K")
    assert second.text_input(ARRAY).value == "100"
    assert first.run().select_slider(BLOCK).value == 8192
    assert ARRAY not in second.query_params


# What is said


def test_the_answer_stands_first_in_one_sentence_and_its_reason_with_counts() -> None:
    app = opened(**{ARRAY: "15"})
    was, now = elapsed("rahn-full-scan"), elapsed("rahn-full-scan", f"{ARRAY}=15")
    assert says(app, f"### Slower: {now} instead of {was} (")
    assert says(app, "Round trips to the client rose from 71,980 to 479,848")
    question = presets.QUESTIONS[0]
    app = page_numbers.opened({"scenario": question.scenario, **question.changes})
    assert says(app, "### Yes: ")


def test_the_cost_is_a_number_once_there_is_a_price_list() -> None:
    app = opened(scenario="savvinov-lio-pc")
    assert not any(one.label.startswith("Cost") for one in numbers(app))
    app.selectbox("prices.use").set_value("example").run()
    cost = run(load("savvinov-lio-pc", ["prices.use=example"])).money
    assert cost is not None
    assert f"{cost.currency}/1M runs" in metric(app, "Cost").label
    assert metric(app, "Cost").value == show_amount(1e6 * cost.total)


# Simulations beside the page


class Held:
    """Simulates once it may, and notes what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []
        self.may = threading.Event()

    def play(self, ask: Ask, job: SimulationJob) -> SimulatedAnswer | None:
        self.asked.append(ask)
        while not self.may.wait(0.01):
            if job.is_unwanted:
                return None
        return simulated(ask)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    one = Held()
    players = Players([one])
    monkeypatch.setattr(simulation_requests, "players", lambda: players)
    monkeypatch.setattr(page_answers, "PATIENCE_S", 0.0)
    return one


def job_of(app: AppTest) -> SimulationJob:
    found = app.session_state[answer.WHAT_IF.under_way]
    assert isinstance(found, SimulationJob)
    return found


SMALL = {"table.rows": "100000", "workload.users": "4"}
ASKED = [f"{path}={text}" for path, text in SMALL.items()]


def test_nothing_is_shown_while_the_first_answer_is_played_and_then_its_interval(held: Held) -> None:
    app = opened(**SMALL)
    assert not app.metric
    assert says(app, answer.COMING)
    assert says(app, "simulating 1 of 2 …")
    held.may.set()
    assert job_of(app).wait(LIMIT_S)
    app.run()
    assert metric(app, "Elapsed").value == elapsed("rahn-full-scan", *ASKED)
    interval = run(load("rahn-full-scan", ASKED)).time.interval
    assert interval is not None
    low, high = show_seconds(interval.low_s), show_seconds(interval.high_s)
    assert (f":blue-badge[{low} to {high}]" in metric(app, "Elapsed").label) == (low != high)


def test_an_answer_so_far_is_shown_with_its_precision_until_the_run_is_done(held: Held) -> None:
    more = "workload.transactions"
    query = {"scenario": "tpc-b", more: "400", f"baseline.{more}": "400"}
    app = page_numbers.opened(query)
    job = job_of(app)
    (ask,) = {ask.key: ask for ask in job.asks}.values()
    so_far = run(load("tpc-b", ["workload.transactions=300"]))
    job.show(ask, SimulatedAnswer(document=so_far.model_dump_json()))
    app.run()
    assert metric(app, "Response").value == show_seconds(so_far.time.elapsed_s)
    assert says(app, f":gray-badge[{so_far.method}]")
    assert says(app, "narrowing the interval … ")
    held.may.set()
    assert job.wait(LIMIT_S)
    app.run()
    assert metric(app, "Response").value == elapsed("tpc-b", "workload.transactions=400")
    assert not says(app, "narrowing the interval … ")


def test_both_sides_are_counted_while_they_are_played(held: Held) -> None:
    app = opened(**SMALL, **{"baseline.workload.users": "3"})
    assert says(app, "simulating 1 of 2 …")
    held.may.set()


def test_the_next_change_cancels_what_is_simulated(held: Held) -> None:
    app = opened(**SMALL)
    before = job_of(app)
    app.text_input("workload.users").set_value("5").run()
    assert not app.exception
    assert before.is_unwanted
    assert not job_of(app).is_unwanted
    assert before.wait(LIMIT_S)
    held.may.set()


def test_a_reader_can_cancel_and_come_back(held: Held) -> None:
    app = opened(**SMALL)
    before = job_of(app)
    app.button(key="simulation.cancel").click().run()
    assert not app.exception
    assert before._cancelled.is_set()
    held.may.set()
    app.button(key="simulate").click().run()
    job = app.session_state[answer.WHAT_IF.under_way]
    assert job is None or job.wait(LIMIT_S)
    app.run()
    assert metric(app, "Elapsed").value == elapsed("rahn-full-scan", *ASKED)


def test_what_one_reader_had_simulated_the_next_one_finds(held: Held) -> None:
    held.may.set()
    assert job_of(opened(**SMALL)).wait(LIMIT_S)
    many = len(held.asked)
    second = opened(**SMALL)
    assert metric(second, "Elapsed").value == elapsed("rahn-full-scan", *ASKED)
    assert len(held.asked) == many


TOGETHER = {
    "workload.transactions": "200",
    "workload.users": "4",
    "workload.beside.0.count": "20",
    "workload.beside.0.path": "buffered",
}


def test_programs_on_one_machine_are_answered_each_by_itself(held: Held) -> None:
    held.may.set()
    app = opened(scenario="backup-beside-users", **TOGETHER)
    assert job_of(app).wait(LIMIT_S)
    app.run()
    assert not app.exception
    assert not app.error
    asked = load("backup-beside-users", [f"{path}={text}" for path, text in TOGETHER.items()])
    rows = {row["Program"].partition(" ")[0]: row for table in app.table for row in table.value.to_dict("records")
            if "Together" in row}  # fmt: skip
    for program in run(asked).programs or ():
        assert rows[program.name.partition(" ")[0]]["Together"] == show_seconds(program.took_s or 0.0)
    assert not any("The run lasts" in one.value for one in app.markdown)
    assert any("Programs on one machine" in one.value for one in app.code)
    for tab in ("Transactions", "Load", "Cache", "Breakdown", "Device", "Assumptions"):
        app.session_state["tab"] = tab
        app.run()
        assert not app.exception


def test_programs_that_cannot_stand_together_say_so_once_the_simulation_refuses(held: Held) -> None:
    held.may.set()
    app = opened(scenario="backup-beside-users", **{"workload.beside.0.span_bytes": "900G"})
    assert job_of(app).wait(LIMIT_S)
    app.run()
    assert not app.exception
    assert any("There is no answer for this setting" in one.value and "device's end" in one.value for one in app.error)


# Links that mean harm


def test_a_currency_is_shown_as_it_is_written() -> None:
    harm = {"prices.core_per_hour": "1", "prices.currency": "![](//a)"}
    baseline = {f"baseline.{path}": text for path, text in harm.items()}
    app = opened(scenario="tpc-b", **{**harm, "prices.currency": "EUR"}, **baseline)
    labels = [one.label for one in [*numbers(app), *app.text_input, *app.selectbox]]
    assert any("EUR" in label for label in labels)
    assert not any("![](" in label for label in labels)
    app = opened(scenario="tpc-b", **harm)
    assert "!\\[\\](//a)" in metric(app, "Cost").label


@pytest.mark.parametrize(
    ("name", "path", "text", "shown"),
    [
        ("index-range-scan", "workload.selectivity_fraction", "0.0000005", "0.00005"),
        ("rahn-pctfree-8k-10", "workload.rows_fraction", "0.0000005", "0.00005"),
        ("tpc-b", "workload.hot_data_percent", "0.00005", "0.00005"),
        ("magni-dd-fs-100", "host.dirty_ratio_percent", "0.00105", "0.00105"),
        ("savvinov-lio-priced", "prices.core_factor", "0.00105", "0.00105"),
    ],
)
def test_a_value_just_above_its_limit_has_a_control(name: str, path: str, text: str, shown: str) -> None:
    app = with_all_groups(opened(scenario=name, **{path: text}))
    assert not app.exception
    assert len(numbers(app)) > 4
    assert app.text_input(path).value == shown


def test_a_limit_that_is_not_allowed_itself_is_told_in_a_sentence() -> None:
    app = opened(scenario="index-range-scan")
    app.text_input("workload.selectivity_fraction").set_value("0").run()
    assert not app.exception
    (text,) = said_at_fields(app)
    assert "Share of rows in the key range (workload.selectivity\\_fraction): got 0; allowed is more than 0" in text


def test_a_refused_value_is_said_once_at_its_field_or_on_top_where_the_field_is_folded_away() -> None:
    group = next(name for name in forms.groups_of("transactions") if name in forms.FOLDED)
    control = forms.groups_of("transactions")[group][0]
    app = opened(scenario="tpc-b")
    for is_open in (False, True, False):
        app.session_state[what_if_state.QUESTION] = PageQuestion("tpc-b", {}, {control.path: "-5"}, "tpc-b")
        app.session_state[f"group.{group}"] = is_open
        app.run()
        assert ["-5" in one.value for one in app.error] == [True] * (not is_open)
        assert len(said_at_fields(app)) == is_open


def test_a_baseline_of_many_unknown_fields_is_a_few_sentences() -> None:
    app = opened(**{f"baseline.table.k{place}": "1" for place in range(999)})
    assert app.error.len == address.MOST_NOTES + 1
    assert "more things that are not allowed" in app.error[-1].value


@pytest.mark.parametrize(
    ("query", "heading", "chip"),
    [
        (
            {"scenario": "oltp-nvme", "instance.buffer_cache_bytes": "32G"},
            "OLTP of 200 users on NVMe, 16 cores", "Buffer cache 8G → 32G",
        ),
        (
            {"scenario": "full-scan-nvme", "tablespace.block_size_bytes": "32768"},
            "Full scan of 50 million rows on NVMe, 19c", "Block size 8K → 32K",
        ),
        (
            {"scenario": "full-scan-nvme", "disk.use": "azure-p60", "table.rows": "100000000"},
            "Full scan of 50 million rows on NVMe, 19c, with Disk azure-p60 and Rows 100,000,000",
            "Disk nvme → azure-p60",
        ),
        (
            {"scenario": "full-scan-nvme", "tablespace.block_size_bytes": "16384", "table.rows": "100000000"},
            "Full scan of 50 million rows on NVMe, 19c, with Block size 16K and Rows 100,000,000",
            "Block size 8K → 16K",
        ),
    ],
)  # fmt: skip
def test_titles_and_captions_are_made_from_what_is_shown(
    query: dict[str, str], heading: str, chip: str, unanswered: None
) -> None:
    app = opened(**query)
    assert says(app, heading)
    assert chip in [one.label.replace("\\", "") for one in app.button]


def test_a_question_whose_value_moves_is_told_by_the_new_value(unanswered: None) -> None:
    app = opened(scenario="oltp-nvme", **{"instance.buffer_cache_bytes": "16G"})
    question = next(one for one in presets.QUESTIONS if one.title.startswith("What does a bigger"))
    assert says(app, question.title)
    assert any(question.says in one.value for one in app.caption)
    app.text_input("instance.buffer_cache_bytes").set_value("32G").run()
    assert not any("16 GB" in one.value for one in app.caption)
    assert "Buffer cache 8G → 32G" in [one.label for one in app.button]
    app.selectbox("prices.use").select("example").run()
    assert not says(app, "How many users until response doubles?")
