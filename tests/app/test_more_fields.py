"""Any field of the specification is found by its name, its label or a DBA's word, and set on the page."""

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app.controls import forms, more_fields
from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from blocktime.scenarios.synonyms import found
from tests.app.page_numbers import metric
from tests.app.page_numbers import scan as opened
from tests.patience import LIMIT_S

KINDS = ("full_scan", "index_range_scan", "update", "import", "write_stream", "transactions")
pytestmark = pytest.mark.usefixtures("simulated_at_once")
SCAN = "rahn-full-scan"
TRIP = "client.round_trip_s"


@pytest.fixture(autouse=True)
def _alone(unanswered: None) -> None:
    """Nothing is simulated unasked."""


def looked_for(app: AppTest, key: str) -> AppTest:
    app.text_input(more_fields.SEARCH).set_value(key).run()
    if any(one.key == f"found.{key}" for one in app.button):
        app.button(f"found.{key}").click().run()
    assert not app.exception
    return app


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_found_by_path_and_label(kind: str) -> None:
    labels = more_fields.searchable(kind)
    assert len(labels) > 140
    for path, label in labels.items():
        assert path == found(path, labels.items()).fields[0]
        assert path in found(label, labels.items()).fields


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("number of disks", "disk.raid_disks"), ("stripe", "disk.raid_disks"), ("SSD", "disk.use"),
        ("batch", "workload.beside"), ("P60", "disk.use"), ("table.row_count", "table.rows"),
        ("filesystemio_options=setall", "instance.filesystemio_options"), ("undo", "host.change_block_s"),
        ("block_size=16K", "tablespace.block_size_bytes"), ("dbwr", "instance.db_writer_processes"),
        ("rman", "workload.beside"), ("hot block", "workload.hottest_blocks"), ("thin", "workload.think_s"),
        ("iops", "disk.iops_limit"),
    ],
)  # fmt: skip
def test_what_a_dba_types_is_found(typed: str, path: str) -> None:
    labels = more_fields.searchable("transactions")
    fields = [field for field in found(typed, labels.items()).fields if field in labels]
    assert path in fields[:2]


@pytest.mark.parametrize("typed", ["rac", "lob", "Flashback"])
def test_what_is_not_modelled_finds_a_sentence_and_no_field_with_its_letters(typed: str) -> None:
    fields, note = found(typed, more_fields.searchable("full_scan").items())
    assert fields == []
    assert "not modelled" in note
    app = looked_for(opened(), typed)
    assert any("not modelled" in one.value for one in app.info)


def test_whole_words_match() -> None:
    labels = [("client.send_cpu_fraction", "Client: send cpu"), ("workload.hot_pool", "Hot data in the pool")]
    assert found("fraction", labels).fields == ["client.send_cpu_fraction"]
    assert found("actio", labels).fields == []
    assert "workload.hot_pool" not in found("hot block", labels).fields


def test_words_of_a_field_without_a_label() -> None:
    assert forms.words_of("disk.bandwidth_bytes_per_s") == "Disk: bandwidth"
    assert forms.words_of("instance.statistics.cpuspeed_hz") == "Statistics: cpuspeed"
    assert forms.words_of("table.pctfree_percent") == "PCTFREE"


def test_a_field_that_is_found_gets_a_control_that_is_set_and_undone_like_others() -> None:
    app = opened()
    assert not any(one.key == TRIP for one in app.text_input)
    looked_for(app, TRIP)
    assert app.text_input(more_fields.SEARCH).value == "", "ready for the next one"
    app.text_input(TRIP).set_value("5 ms").run()
    assert not app.exception
    assert app.query_params[TRIP] == "5 ms"
    wanted = show_seconds(run(load(SCAN, [f"{TRIP}=5 ms"])).time.elapsed_s)
    assert metric(app, "Elapsed").value == wanted
    assert app.button(key=f"change.{TRIP}").label.endswith(" → 5 ms")
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
from blocktime.app.controls import forms, more_fields, widgets
from blocktime.scenarios import load
from blocktime.scenarios.declared import declared_fields

scenario = load("rahn-full-scan", ["workload.kind={kind}"])
for path in declared_fields("{kind}"):
    control = forms.control_of(path, "{kind}")
    field = control.facts("{kind}")
    widgets.draw(control, widgets.look(control, field, scenario, scenario, False, False), print)
"""
    app = AppTest.from_string(script, default_timeout=LIMIT_S).run()
    assert not app.exception
