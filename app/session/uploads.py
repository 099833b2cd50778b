"""A scenario file of the reader's own: chosen, checked, and handed to the page; or one sentence for what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from blocktime.app.base.markdown import plain
from blocktime.app.base.text_packing import LARGEST_BYTES
from blocktime.app.controls import user_files
from blocktime.app.controls.page_question import PageQuestion, opened
from blocktime.model.errors import BlocktimeError

Take = Callable[[PageQuestion], None]
"""Show that question."""
MOST_TRANSFERRED_MB: Final = 20
"""A file above this is refused by the browser, with a mark of its own; nothing of it comes here."""
PLACE: Final = "upload"
TIMES: Final = "upload.times"
"""How many files were chosen: each one in a fresh control, so that the browser's mark is of the last one."""
REFUSED: Final = "upload.refused"


def draw(take: Take) -> None:
    """A popover with the control; a file that is in order goes to *take*."""
    place = st.popover(
        "Open a file", icon=":material/folder_open:", width="stretch", key=PLACE, on_change="rerun",
        help="A scenario of your own",
    )  # fmt: skip
    if not place.open:
        st.session_state.pop(REFUSED, None)
        return
    with place.container(key="upload_file"):
        key = f"upload.{st.session_state.setdefault(TIMES, 0)}"
        st.file_uploader(
            f"Scenario file: TOML, at most {LARGEST_BYTES:,} bytes", ["toml"], key=key, on_change=_chosen,
            args=(key, take), max_upload_size=MOST_TRANSFERRED_MB,
            help="A file as this page downloads it and `blocktime run` reads it. Its base is a scenario of the "
            "library, or it has none. A file with a [change] opens with both sides; one that only changes a library "
            "scenario opens as those changes; any other file opens as a new baseline.",
        )  # fmt: skip
        if REFUSED in st.session_state:
            st.error(plain(st.session_state[REFUSED]), icon=":material/error:")


def _chosen(key: str, take: Take) -> None:
    st.session_state.pop(REFUSED, None)
    file = st.session_state.get(key)
    if file is None:
        return
    st.session_state[TIMES] += 1
    try:
        question = opened(*user_files.opened(file.getvalue(), file.name))
    except BlocktimeError as error:
        st.session_state[REFUSED] = str(error)
        return
    st.session_state[PLACE] = False
    take(question)
