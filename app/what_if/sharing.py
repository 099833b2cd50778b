"""The page's link and what can be downloaded from it, the files in a popover that is drawn once it is open."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

import streamlit as st

from blocktime.app.base import FIRST
from blocktime.app.base.markdown import plain
from blocktime.app.controls import settings, user_files
from blocktime.app.controls.page_question import PageQuestion
from blocktime.app.session import address, download_buttons, downloads
from blocktime.app.session.downloads import PageAnswer
from blocktime.model.errors import SpecError

LINK: Final = "share_link"
"""The button that copies the address at one click."""
FILES: Final = "share_files"
"""The popover of the downloads."""
LONGEST_MAILED: Final = 2_000
"""Characters of a link that every mail and chat program leaves whole."""


def draw(question: PageQuestion, page_answer: PageAnswer | None) -> None:
    """The page's link and the files of its answer: what is asked, and what was answered.

    There are no files before there is an answer.
    """
    with st.container(horizontal=True, key="share", gap="small"):
        _link(question)
        files = st.popover(
            "Download", icon=":material/download:", width="stretch", key=FILES, on_change="rerun",
            help="The scenario, its result, a report", disabled=page_answer is None,
        )  # fmt: skip
    if files.open and page_answer is not None:
        with files:
            _files(page_answer)


def _link(question: PageQuestion) -> None:
    """The button that copies the link; or why no link holds the scenario."""
    says, why_not = "Copies the address, which opens this very screen", ""
    try:
        size = len(urlencode(address.written(question, FIRST)))
        if size > LONGEST_MAILED:
            says += f"; some mail programs cut links at {LONGEST_MAILED:,} of its {size:,} characters: a file is not"
    except SpecError as error:
        why_not = plain(f"This is too long for a link: {error}")
    st.button(
        "Copy link", icon=":material/link:", width="stretch", key=LINK, disabled=bool(why_not), help=why_not or says
    )


def _files(page_answer: PageAnswer) -> None:
    for download in downloads.downloads(page_answer):
        download_buttons.button(download, closes=FILES)
    st.caption("The same numbers from the command line, with the scenario's file")
    st.code(downloads.command_line(page_answer), language="bash", wrap_lines=True)
    question = page_answer.question
    if not user_files.is_user_file(question.name):
        st.caption("or without it")
        st.code(settings.command_line(question.name, question.changed), language="bash", wrap_lines=True)
