"""The pages beside those of the mechanisms: their names and addresses, and the way from one to another."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

import streamlit as st

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

WHAT_IF: Final = "what-if"
COMPARE: Final = "compare"
SWEEP: Final = "sweep"
MY_SYSTEM: Final = "my-system"
EVIDENCE: Final = "evidence"
ABOUT: Final = "about"
SWEEP_WHAT_IF: Final = "sweep_what_if"
"""Session key: whether the page of sweeps is to begin with the What-if page's scenario."""
EVIDENCE_ABOUT: Final = "evidence_mechanisms"
"""Session key: the mechanisms that the page of evidence shows."""
# Address -> title, and the module that draws the page.
PAGES: Final[dict[str, tuple[str, str]]] = {
    WHAT_IF: ("What if", "blocktime.app.what_if.what_if"),
    COMPARE: ("Compare", "blocktime.app.compare.compare_page"),
    SWEEP: ("Sweep", "blocktime.app.sweep.sweep_page"),
    MY_SYSTEM: ("My system", "blocktime.app.my_system.my_system"),
    EVIDENCE: ("Evidence", "blocktime.app.evidence.evidence"),
    ABOUT: ("About", "blocktime.app.evidence.about"),
}


def page_of(path: str) -> StreamlitPage:
    """The page at an address, for Streamlit."""
    title, module = PAGES[path]
    return st.Page(import_module(module).page, title=title, url_path=path, default=path == WHAT_IF)


def go_to(path: str, key: str = "", value: object = None) -> None:
    """Leave this page for the one at *path*, which writes its own address; it finds *value* in the session at *key*.

    For ``on_click`` alone: what a click draws is lost where a timer of the browser has the page drawn anew first.
    """
    if key:
        st.session_state[key] = value
    st.switch_page(page_of(path))
