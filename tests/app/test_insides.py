"""What Streamlit does not promise to keep is used in one module, under the release that it was seen in."""

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit
from streamlit.proto.ClientState_pb2 import ClientState

from blocktime.app.base import insides

APP = Path(insides.__file__).parents[1]
PRIVATE = ("streamlit.runtime", "streamlit.elements", "streamlit.proto", "plotly.basedatatypes", "plotly.io")


def test_the_release_is_that_in_which_each_of_them_was_seen() -> None:
    assert streamlit.__version__.startswith(f"{insides.SEEN_IN}."), "look at every function of insides.py again"


def test_no_other_module_of_the_app_knows_them() -> None:
    importers = set()
    for path in APP.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [name.name for name in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            module = getattr(node, "module", None) if isinstance(node, ast.ImportFrom) else ""
            if any(f"{module}.{name}".strip(".").startswith(PRIVATE) for name in names if module is not None):
                importers.add(path.name)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setattr":
                importers.add(path.name)
    assert importers == {"insides.py"}


def test_without_a_run_of_the_page_nobody_went_back() -> None:
    assert not insides.went_back()
    assert insides.address_of_run() == {}


TIMER = ClientState(page_script_hash="left", is_auto_rerun=True)


@pytest.mark.parametrize(
    ("asked", "latest", "running", "is_taken"),
    [
        (TIMER, "here", True, False),
        (TIMER, "here", False, False),
        (TIMER, "left", True, True),
        (TIMER, "", True, True),  # the first run of a session: its page has no name yet
        (ClientState(page_script_hash="left"), "here", True, True),  # a reader's click
        (None, "here", True, True),  # a file was changed
    ],
)
def test_a_timer_of_a_page_that_is_left_asks_for_nothing(
    monkeypatch: pytest.MonkeyPatch, asked: ClientState | None, latest: str, running: bool, is_taken: bool
) -> None:
    taken = []

    class Session:
        _client_state = SimpleNamespace(page_script_hash=latest)
        _scriptrunner = SimpleNamespace(_requests=SimpleNamespace(_rerun_data=_client_state)) if running else None

        def request_rerun(self, state: ClientState | None) -> None:
            taken.append(state)

    monkeypatch.setattr(insides, "AppSession", Session)
    insides.leave_pages_for_good()
    insides.leave_pages_for_good()
    Session().request_rerun(asked)
    assert taken == [asked] * is_taken


def test_a_run_has_the_address_that_the_browser_asked_it_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever another run, which is ended meanwhile, sets in the session."""
    run = SimpleNamespace(query_string="embed=1&workload.users=4&workload.users=8&title=", is_history_navigation=True)
    monkeypatch.setattr(insides, "get_script_run_ctx", lambda **_: run)
    assert insides.address_of_run() == {"workload.users": ["4", "8"], "title": [""]}
    assert insides.went_back()
