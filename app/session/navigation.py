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

STYLE: Final = """<style>
[data-testid="stMainBlockContainer"] {padding-left: 1.6rem; padding-right: 1.6rem; max-width: 1500px}
[data-testid="stSidebarContent"] [data-testid="stVerticalBlock"] {gap: .55rem}
[data-testid="stMain"] [data-testid="stVerticalBlock"] {gap: .5rem}
[data-testid="stSidebarHeader"] {height: 2.2rem; margin-bottom: 0}
[data-testid="stMetric"] {padding: .4rem .75rem}
[data-testid="stMetricLabel"] p {white-space: normal}
[data-testid="stMetricValue"] {font-variant-numeric: tabular-nums}
.st-key-explained [data-testid="stMetric"] > div {padding: 0}
.st-key-explained [data-testid="stMetricDelta"] {font-size: .85rem; padding-top: 0; padding-bottom: 0}
.st-key-scripts {display: none}
.st-key-changes button {min-height: 1.5rem; padding: 0}
.st-key-changes button p {font-size: .85rem}
.st-key-notes p {font-size: .9rem; line-height: 1.35}
[data-testid="stTable"] td, [data-testid="stTable"] th {padding: .2rem .6rem; font-variant-numeric: tabular-nums}
.st-key-numbers [data-testid="stTable"] td, .st-key-numbers [data-testid="stTable"] th {padding: .1rem .4rem}
.st-key-numbers [data-testid="stTable"] td p {font-size: .9rem}
.st-key-numbers [data-testid="stTable"] td:first-child {width: 45%}
.st-key-head > [data-testid="stLayoutWrapper"] > div, .st-key-head > div {min-height: 2.9rem}
.st-key-head h3 {padding: 0; line-height: 1.3}
.st-key-baseline button {padding-left: .5rem; padding-right: .5rem; min-height: 2rem}
.st-key-baseline button p {font-size: .85rem; white-space: nowrap}
@media (max-width: 1100px) {
  .st-key-head > [data-testid="stLayoutWrapper"] > div > [data-testid="stColumn"]:first-child,
  .st-key-explained [data-testid="stColumn"], .st-key-numbers [data-testid="stColumn"],
  .st-key-segment [data-testid="stColumn"] {min-width: 100%}
  .st-key-waterfall_place {height: auto !important; max-height: none}
}
[data-testid="stCaptionContainer"] {opacity: .82; color: inherit}
@media print {[data-testid="stSidebar"], [data-testid="stHeader"] {display: none}}
.key {margin-right: 1rem; font-size: .82rem; white-space: nowrap}
.key i {display: inline-block; width: 1.1rem; height: .72rem; margin-right: .35rem; border-radius: 2px}
</style>"""


def page_of(path: str) -> StreamlitPage:
    """The page at an address, for Streamlit."""
    title, module = PAGES[path]
    return st.Page(import_module(module).page, title=title, url_path=path, default=path == WHAT_IF)


def go_to(path: str) -> None:
    """Leave this page for the one at *path*, which writes its own address."""
    st.switch_page(page_of(path))
