"""The page of sweeps without a browser: what links and files bring along is text, and jobs know of their page."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from blocktime.app.base import FIRST
from blocktime.app.controls import settings, user_files
from blocktime.app.controls.sweep_form import AxisLine, SweepForm, form_of_library, suggested
from blocktime.app.reports.sweep_table import SweepTable, table_of
from blocktime.app.session.sweep_job import SweepJob
from blocktime.app.sweep import sweep_page
from blocktime.app.sweep.sweep_page import FORM
from blocktime.app.sweep.sweep_view import CHOSEN, columns_of
from blocktime.scenarios.sweeps.sweep import SweepBackend, plan_of, sweeping
from blocktime.scenarios.why_words import listed
from tests.patience import LIMIT_S

PICTURE = "![x](//attacker.example/i.png)"
TWO = "workload.arraysize_rows=15,100"


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A store of its own; no sweep of a test's page outlives the test."""
    monkeypatch.setenv("BLOCKTIME_STORE", str(tmp_path / "store"))
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("sweep-"):
            job = sweep_page.jobs().get(thread.name.removeprefix("sweep-"))
            assert job is not None
            job.cancel()
            thread.join(LIMIT_S)


def opened(**query: str | list[str]) -> AppTest:
    app = AppTest.from_string(
        "from blocktime.app.sweep import sweep_page\nsweep_page.page()\n", default_timeout=LIMIT_S
    )
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def texts_of(app: AppTest) -> list[str]:
    """All that Streamlit reads as Markdown."""
    found = [one.value for kind in (app.markdown, app.caption, app.error, app.info) for one in kind]
    helped: list[Any] = [*app.button, *app.selectbox, *app.text_input]
    return found + [text for one in helped for text in (one.label, one.help) if text]


def test_a_field_named_by_a_link_is_no_picture() -> None:
    app = opened(vary=f"{PICTURE}=1")
    assert not app.exception
    assert [text for text in texts_of(app) if "Leave out" in text and "attacker" in text]
    assert not [text for text in texts_of(app) if "![" in text]


@pytest.mark.parametrize("samples", ["000000001" + "0" * 5000, "000000001999999999"])
def test_samples_beyond_the_limit_are_a_sentence(samples: str) -> None:
    app = opened(vary="workload.arraysize_rows=15:100", design="latin_hypercube", samples=samples)
    assert not app.exception
    assert "allowed are 1 to 20,000" in app.error[0].value


def test_the_page_says_when_a_sweep_ends_and_its_table_has_units() -> None:
    app = opened(vary="workload.arraysize_rows=15,100")
    deadline, ended = time.monotonic() + LIMIT_S, "Stops when its page is closed; finished answers are kept"
    while not (app.dataframe and ended in texts_of(app)):  # the first answers come while the sweep goes on
        assert time.monotonic() < deadline
        # A sweep that a first point finds slow, as on a loaded machine, waits for a click.
        go = next((one for one in app.button if one.label == "Run" and not one.disabled), None)
        (go.click() if go else app).run()
    assert not app.exception
    assert list(app.dataframe[0].value)[:2] == ["Array size (rows)", "elapsed (s)"]


def test_a_control_that_is_drawn_again_still_says_its_value() -> None:
    """A browser that is late builds a control from its second drawing."""
    app = opened(
        vary="tablespace.block_size_bytes=2K,4K", design="latin_hypercube", samples="7", where="table.rows > 1"
    )
    app = app.run()
    assert not app.exception
    (written,) = [one for one in app.text_input if one.label == "Values 1"]
    assert written.proto.default == "2K,4K"
    (field, points) = [one for one in app.selectbox if one.label in ("Field 1", "Points")]
    assert field.proto.options[field.proto.default].startswith("Block size · Segment · ")
    assert points.proto.options[points.proto.default] == "Latin hypercube"
    assert [one.proto.default for one in app.number_input if one.label == "Samples"] == [7]
    assert [one.proto.default for one in app.text_area] == ["table.rows > 1"]


def asked_of(app: AppTest) -> dict[str, list[str]]:
    return {name: [text] if isinstance(text, str) else text for name, text in app.query_params.items()}


def test_each_control_of_the_form_is_in_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SweepJob, "active", False)
    monkeypatch.setattr(sweep_page, "_tried", lambda form: SweepJob(form, tries=True))
    app = opened(vary="workload.arraysize_rows=15,100")
    next(one for one in app.button if one.label == "Add a field").click().run()
    app.selectbox("sweep.asked.key.1").select("table.rows").run()
    offered = suggested("table.rows", app.session_state[FORM].source())
    assert app.text_input("sweep.asked.written.1").value == offered
    app.text_input("sweep.asked.written.1").set_value("1000,2000")
    for place in (0, 1):
        app.text_input(f"sweep.asked.zip.{place}").set_value("a")
    app.text_area[0].set_value(" table.rows > 1 \n\n")
    app.number_input("sweep.asked.replications").set_value(3).run()
    assert not app.exception
    assert asked_of(app) == {
        "scenario": [FIRST], "vary": ["workload.arraysize_rows=15,100", "table.rows=1000,2000"],
        "zip": ["workload.arraysize_rows:a", "table.rows:a"], "where": ["table.rows > 1"], "replications": ["3"],
    }  # fmt: skip
    app.selectbox("sweep.source").select("block-size-mbrc").run()
    assert asked_of(app) == {"sweep": ["block-size-mbrc"]}


def test_looking_for_a_job_keeps_it_going(monkeypatch: pytest.MonkeyPatch) -> None:
    job = SweepJob(SweepForm("rahn-full-scan", lines=(AxisLine("workload.arraysize_rows", "15,100"),)))
    looks: list[bool] = []
    monkeypatch.setattr(job, "look", lambda: looks.append(True))
    monkeypatch.setitem(sweep_page.jobs()._jobs, job.id, job)
    monkeypatch.setattr(st, "session_state", {sweep_page.RUN: job.id})
    assert sweep_page._job(sweep_page.RUN) is job
    assert looks == [True]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> SweepTable:
    at = SweepBackend(workers=1, store=tmp_path_factory.mktemp("kept"))
    axes = ["tablespace.block_size_bytes=8K,16K", TWO]
    with sweeping(plan_of("rahn-full-scan", axes), at) as rows:
        return table_of(rows)


def shown(monkeypatch: pytest.MonkeyPatch, table: SweepTable) -> AppTest:
    """The page of a table that was uploaded."""
    monkeypatch.setattr(sweep_page, "_read", lambda files: table)

    class Given:
        name, file_id = "x.parquet", "1"

        def getvalue(self) -> bytes:
            return b""

    monkeypatch.setattr(st, "file_uploader", lambda *_, **__: [Given()])
    script = "from blocktime.app.sweep import sweep_page\nsweep_page._earlier()\n"
    app = AppTest.from_string(script, default_timeout=LIMIT_S)
    app.session_state[CHOSEN] = 0
    return app.run()


def test_fields_of_a_table_are_no_pictures(monkeypatch: pytest.MonkeyPatch, found: SweepTable) -> None:
    """Three of them, so that the third has a control of its own."""
    names = [*found.keys, f"table.{PICTURE}"]
    axes = [*found.about["sweep"]["axis"], {"key": names[2], "values": [1, 2]}]
    about = {**found.about, "sweep": {**found.about["sweep"], "axis": axes}}
    values = {**found.values, names[2]: [1, 1, 2, 2]}
    app = shown(monkeypatch, SweepTable(found.columns, values, about))
    assert not app.exception
    assert len([text for text in texts_of(app) if "attacker" in text]) >= 3
    assert not [text for text in texts_of(app) if "![" in text]


def test_the_title_of_a_table_is_one_line_of_text(monkeypatch: pytest.MonkeyPatch, found: SweepTable) -> None:
    title = f"a\n\n# BIG {PICTURE} " + "y" * 500
    about = {**found.about, "scenario": {**found.about["scenario"], "title": title}}
    app = shown(monkeypatch, SweepTable(found.columns, found.values, about))
    assert not app.exception
    head = app.markdown[0].value
    assert head.startswith("### Sweep of " + listed(found.keys).replace("_", "\\_") + ": a # BIG !\\[x")
    assert "\n" not in head
    assert len(head) < 200


def test_the_title_of_a_sweep_names_what_varies_and_what_is_changed() -> None:
    form = SweepForm("full-scan-nvme", (("disk.use", "ebs-gp3"),), (AxisLine("table.rows", "1M, 100M"),))
    scenario, _ = settings.settle(form.base, dict(form.changes))
    title = f"{user_files.title('full-scan-nvme')}, with Disk ebs-gp3"
    assert sweep_page.title_of(form, scenario) == f"Sweep of Rows: {title}"
    of_library = form_of_library("block-size-mbrc")
    assert sweep_page.title_of(of_library, of_library.source().scenario()) == of_library.source().title


def test_the_heat_map_says_the_unit_of_its_cells(monkeypatch: pytest.MonkeyPatch, found: SweepTable) -> None:
    app = shown(monkeypatch, found)
    assert "**Elapsed** (s)" in [one.value for one in app.markdown]


def test_fields_of_one_word_have_columns_of_their_own(found: SweepTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blocktime.app.sweep.sweep_view.label_of", lambda key: "Size")
    headings = [one.heading for one in columns_of(found, found.summary("elapsed_s"))]
    assert len(set(headings)) == len(headings)


def test_a_late_browser_that_still_has_a_line_that_is_gone_does_no_harm() -> None:
    app = opened(vary=["workload.arraysize_rows=15,100", "table.rows=1000,2000"])
    before = app.text_input[0].root.get_widget_states()
    app.button("sweep.drop.1").click().run()
    states = app.text_input[0].root.get_widget_states()
    drawn = {one.id for one in states.widgets}
    gone = [one for one in before.widgets if one.id not in drawn and one.WhichOneof("value") != "trigger_value"]
    assert gone
    states.widgets.extend(gone)
    app._run(states)
    assert not app.exception
    assert not [one for one in app.text_input if one.label == "Values 2"]
