"""A button that makes a file when it is clicked, and keeps the file until the browser has fetched it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from blocktime.app.base.insides import store_latest
from blocktime.app.base.markdown import plain


@dataclass(frozen=True)
class Download:
    """One file that can be taken along."""

    key: str
    label: str
    file_name: str
    mime: str
    says: str
    content: Callable[[], str | bytes]


def button(download: Download, closes: str = "") -> None:
    """Draw the button of *download* file; a click on it *closes* the popover of that key."""
    st.download_button(
        download.label, lambda: store_latest(download.content(), download.file_name, download.mime),
        download.file_name, download.mime,
        key=f"download.{download.key}", help=download.says or None, width="stretch", icon=":material/download:",
        on_click=partial(_close, closes, download.file_name) if closes else "ignore",
    )  # fmt: skip


def buttons(downloads: Sequence[Download]) -> None:
    """Draw the buttons of several files side by side."""
    for column, download in zip(st.columns(len(downloads)), downloads, strict=True):
        with column:
            button(download)


def _close(popover: str, file: str) -> None:
    """Close the popover of that key, and say what comes: a report takes a second or two."""
    st.session_state[popover] = False
    st.toast(f"{plain(file)} is being downloaded", icon=":material/download:")
