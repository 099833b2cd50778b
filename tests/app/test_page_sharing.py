"""Links, downloads and uploads on the first page, without a browser."""

from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from blocktime.app.controls import user_files
from blocktime.app.controls.page_question import opened as opened_question
from blocktime.app.session import address, uploads, what_if_state
from blocktime.app.what_if import sharing
from blocktime.app.what_if.sharing import LONGEST_MAILED
from blocktime.model.units import show_seconds
from blocktime.scenarios import run
from tests.app import page_numbers

pytestmark = pytest.mark.usefixtures("simulated_at_once")
OWN = b'title = "My **system** <b>x</b>"\n[table]\nrows = 100_000\n[workload]\nkind = "full_scan"\n'
OPEN = ("share_files", "upload")


def opened(query: dict[str, str], popovers: tuple[str, ...] = ()) -> AppTest:
    return page_numbers.opened(query, **dict.fromkeys(popovers, True))


def shown_elapsed(app: AppTest) -> str:
    return str(next(one for one in app.metric if one.label.startswith(("Elapsed", "Response"))).value)


def elapsed(name: str, *settings: str) -> str:
    return show_seconds(run(user_files.load(name, settings)).time.elapsed_s)


def query_of(app: AppTest) -> dict[str, str]:
    return {key: value[-1] if isinstance(value, list) else value for key, value in app.query_params.items()}


@pytest.fixture
def own() -> str:
    """The name of an own file."""
    return user_files.opened(OWN, "mine.toml").name


def test_an_own_file_is_the_scenario_of_the_page_and_its_address(own: str) -> None:
    app = opened({"s": user_files.packed_of(own)})
    assert shown_elapsed(app) == elapsed(own)
    app.select_slider("tablespace.block_size_bytes").set_value(16384).run()
    assert not app.exception
    assert shown_elapsed(app) == elapsed(own, "tablespace.block_size_bytes=16384")
    assert query_of(app) == {"s": user_files.packed_of(own), "tablespace.block_size_bytes": "16384"}
    again = opened(query_of(app))
    assert shown_elapsed(again) == shown_elapsed(app)
    assert not again.error


def test_the_title_of_an_own_file_is_text(own: str) -> None:
    app = opened({"s": user_files.packed_of(own)})
    assert any("My \\*\\*system\\*\\* \\<b>x\\</b>" in one.value for one in app.markdown)
    assert not any("<b>x</b>" in one.value for one in app.markdown if one.allow_html)


def test_the_link_and_the_command_line_are_those_of_the_screen() -> None:
    app = opened({"scenario": "tpc-b", "workload.users": "2"}, OPEN)
    shown = [one.value for one in app.code]
    assert not app.button(key=sharing.LINK).disabled
    assert any(one.startswith("blocktime compare tpc-b-what-if.toml") for one in shown)
    assert any(one.startswith("blocktime run tpc-b --set workload.users=2") for one in shown)
    labels = [one.label for one in app.download_button]
    for label in ("Scenario (TOML)", "Report (HTML)", "Profile (CSV)", "iostat (CSV)", "Result (JSON)"):
        assert label in labels


def test_the_button_of_a_long_link_warns() -> None:
    columns = ", ".join(f'{{name = "{place * 7919 % 10007}", bytes = {place % 20 + 1}}}' for place in range(700))
    app = opened({"scenario": "rahn-full-scan", "table.cached_fraction": "1", "table.columns": f"[{columns}]"}, OPEN)
    assert set(query_of(app)) == {"s"}
    assert len(urlencode(query_of(app))) > LONGEST_MAILED
    assert "cut links at 2,000" in app.button(key=sharing.LINK).help


def test_popovers_cost_nothing_until_they_are_open() -> None:
    app = opened({})
    assert not [one for one in app.download_button if one.label == "Report (HTML)"]
    assert not app.file_uploader


@pytest.mark.parametrize("kind", ["library", "own"])
def test_an_upload_is_shown_and_its_control_is_fresh(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    document = b"base = 'tpc-b'\n[workload]\nusers = 2\n" if kind == "library" else OWN
    taken, state = upload(document, monkeypatch)
    assert taken == [opened_question(*user_files.opened(document, "mine.toml"))]
    assert uploads.REFUSED not in state
    assert state[uploads.TIMES] == 1


@pytest.mark.parametrize("document", [b"[tabel]\nrows = 1", b"\xff", b"", b"base = 'nowhere'", b"#" * 1_000_001])
def test_a_bad_upload_is_one_sentence_and_changes_nothing(document: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    taken, state = upload(document, monkeypatch)
    assert taken == []
    assert state[uploads.REFUSED].startswith("mine.toml: ")
    assert state[uploads.TIMES] == 1


def upload(document: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Any], dict[str, Any]]:
    """What the page is given of an upload, and the session afterwards."""
    file = SimpleNamespace(name="mine.toml", getvalue=lambda: document)
    state: dict[str, Any] = {"upload.0": file, uploads.TIMES: 0, uploads.REFUSED: "of the file before"}
    monkeypatch.setattr(st, "session_state", state)
    taken: list[Any] = []
    uploads._chosen("upload.0", taken.append)
    return taken, state


@pytest.mark.parametrize(
    "query",
    [
        {"s": "nonsense"},
        {"s": "eNoDAAAAAAE", "table.rows": "5"},
        {"scenario": "~x"},
        {"scenario": "<script>alert(1)</script>"},
        {"**bold** [x](https://example.org)": "1"},
        {"table.rows": "1e400"},
        {"table.rows": "9" * 100_000},
    ],
)
def test_a_bad_link_is_one_sentence_and_the_page_goes_on(query: dict[str, str]) -> None:
    app = opened(query)
    assert len(app.error) == 1
    assert shown_elapsed(app) == elapsed(what_if_state.FIRST)
    assert address.read(query_of(app), what_if_state.FIRST)[1] == []
    for sign in ("**bold**", "[x]"):
        assert sign not in app.error[0].value
    app.select_slider("tablespace.block_size_bytes").set_value(16384).run()
    assert not app.exception
    assert len(app.error) == 0
