"""A button that makes a file when it is clicked, and keeps the file until the browser has fetched it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Final

import streamlit as st
from streamlit import runtime

LATEST: Final = 32
"""Files that are kept, of all readers together."""
_MADE: Final = count()


def button(
    label: str, content: Callable[[], str | bytes], file: str, kind: str, *, key: str, says: str | None = None
) -> None:
    """Draw it: what *content* gives is downloaded as *file* of the media type *kind*."""
    st.download_button(
        label, lambda: kept(content(), file, kind), file, kind, key=key, on_click="ignore", help=says,
        width="stretch", icon=":material/download:",
    )  # fmt: skip


def kept(content: str | bytes, file: str, kind: str) -> bytes:
    """Return the file's bytes, held as one of the latest.

    Streamlit holds what it makes at a click for no session: the second run that ends after it, of whichever session,
    removes the file, and a browser that asks later reports the download as cancelled.
    """
    made = content.encode() if isinstance(content, str) else content
    runtime.get_instance().media_file_mgr.add(
        made, kind, f"download {next(_MADE) % LATEST}", file, is_for_static_download=True
    )
    return made
