"""Any field of the specification is found by its name, its label or a DBA's word, and set on the page."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from app.controls import fields, forms, more_fields
from model.units import show_seconds
from scenarios import load, run
from scenarios.declared import declared_fields
from scenarios.synonyms import FIELDS, NOTES
from tests.app.page_numbers import metric
from tests.app.page_numbers import scan as opened
from tests.patience import LIMIT_S

KINDS = ("full_scan", "index_range_scan", "update", "import", "write_stream", "transactions")
SCAN = "rahn-full-scan"
TRIP = "client.round_trip_s"


@pytest.fixture(autouse=True)
def _alone(the_law_alone: None) -> None:
    """Nothing is simulated unasked."""


def looked_for(app: AppTest, key: str) -> AppTest:
    app.selectbox(more_fields.SEARCH).select(key).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_found_by_path_label_and_synonym(kind: str) -> None:
    found = more_fields.found_by(kind)
    paths = declared_fields(kind)
    assert len(paths) > 140
    for path in paths:
        assert path in found[path]
        assert forms.words_of(path) in found[path]
        assert fields.facts(path, kind) is not None, path
    for word, meant in FIELDS.items():
        for path in set(meant) & set(paths):
            assert word in found[path]
    for word in NOTES:
        assert any(word in said for said in found.values())


def test_words_of_a_field_without_a_label() -> None:
    assert forms.words_of("disk.bandwidth_bytes_per_s") == "Disk: bandwidth"
    assert forms.words_of("instance.statistics.cpuspeed_hz") == "Statistics: cpuspeed"
    assert forms.words_of("table.pctfree_percent") == "PCTFREE"


def test_a_field_that_is_found_gets_a_control_that_is_set_and_undone_like_others() -> None:
    app = opened()
    assert not any(one.key == TRIP for one in app.text_input)
    looked_for(app, TRIP)
    assert app.selectbox(more_fields.SEARCH).value is None, "ready for the next one"
    app.text_input(TRIP).set_value("5 ms").run()
    assert not app.exception
    assert app.query_params[TRIP] == "5 ms"
    wanted = show_seconds(run(load(SCAN, [f"{TRIP}=5 ms"]), "calculate").time.elapsed_s)
    assert metric(app, "Elapsed").value == wanted
    assert any("With client: round trip 5 ms instead of" in one.value for one in app.markdown)
    app.button(key=f"change.{TRIP}").click().run()
    assert TRIP not in app.query_params
    assert app.text_input(TRIP).value != "5 ms"


def test_a_field_of_a_link_has_a_control_although_nobody_looked_for_it() -> None:
    app = opened(**{TRIP: "5 ms"})
    assert "was" in app.text_input(TRIP).label


def test_a_field_that_stands_elsewhere_comes_to_the_top() -> None:
    app = looked_for(opened(), "workload.arraysize_rows")
    headings = [one.value for one in app.sidebar.markdown if one.value.startswith("**")]
    assert f"**{more_fields.GROUP}**" in headings
    assert app.text_input("workload.arraysize_rows").value == "100"


def test_what_has_no_control_is_answered_in_a_sentence() -> None:
    app = looked_for(opened(), "table.columns")
    assert any("write it in a scenario file" in one.value for one in app.info)
    looked_for(app, "awr")
    assert any("blocktime measure FILE reads it" in one.value for one in app.info)
    looked_for(app, TRIP)
    assert not app.info


def test_a_field_that_the_workload_does_not_read_says_so() -> None:
    app = looked_for(opened(), "table.pctused_percent")
    assert "no effect on this kind of workload" in app.text_input("table.pctused_percent").label
    assert app.text_input("table.pctused_percent").disabled


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_can_be_drawn(kind: str) -> None:
    """Each in a script of its own workload, all at once."""
    script = f"""
from app.controls import forms, more_fields, widgets
from scenarios import load
from scenarios.declared import declared_fields

scenario = load("rahn-full-scan", ["workload.kind={kind}"])
for path in declared_fields("{kind}"):
    control = forms.control_of(path, "{kind}")
    field = control.facts("{kind}")
    widgets.draw(control, widgets.look(control, field, scenario, scenario, False, False), print)
"""
    app = AppTest.from_string(script, default_timeout=LIMIT_S).run()
    assert not app.exception
