"""The scripts of our own: they copy the link, keep the browser's Back button useful, let the keyboard scroll."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

ALL: Final = tuple(
    Path(__file__).with_name(name).read_text(encoding="utf-8")
    for name in ("copy_link.js", "one_entry_an_action.js", "focus_scrolls.js")
)
"""The page's content security policy allows these scripts and no others."""


def listen() -> None:
    """Put the scripts on the page; they take no room."""
    with st.container(key="scripts"):
        st.html("".join(f"<script>{script}</script>" for script in ALL), unsafe_allow_javascript=True)
