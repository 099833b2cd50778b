"""The page's link and what can be downloaded from it, the files in a popover that is drawn once it is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from blocktime.app.base import FIRST
from blocktime.app.base.markdown import plain
from blocktime.app.controls import own_files, settings
from blocktime.app.session import address, copy_link, downloads, taken
from blocktime.app.session.downloads import PageAnswer
from blocktime.model.errors import SpecError

FILES: Final = "share_files"
"""The popover of the downloads."""
LONGEST_MAILED: Final = 2_000
"""Characters of a link that every mail and chat program leaves whole."""


def draw(name: str, changes: Mapping[str, str], shown: PageAnswer | None) -> None:
    """The page's link and the files of its answer: the scenario *name*, *changes* in it, and what was answered.

    There are no files before there is an answer.
    """
    with st.container(horizontal=True, key="share", gap="small"):
        _link(name, changes)
        files = st.popover(
            "Download", icon=":material/download:", width="stretch", key=FILES, on_change="rerun",
            help="The scenario, its result, a report", disabled=shown is None,
        )  # fmt: skip
    if files.open and shown is not None:
        with files:
            _files(shown, changes)


def _link(name: str, changes: Mapping[str, str]) -> None:
    """The button that copies the link; or why no link holds the scenario."""
    try:
        address.written(name, changes, FIRST)
    except SpecError as error:
        copy_link.button("", plain(f"This is too long for a link: {error}"))
        return
    copy_link.button(says_of_link(whole_link()))


def whole_link() -> str:
    """The address of this screen."""
    query = urlencode({key: st.query_params.get_all(key) for key in st.query_params}, doseq=True)
    page = urlsplit(st.context.url or "")
    return urlunsplit(page._replace(path=page.path or "/", query=query))


def says_of_link(link: str) -> str:
    """What the button's tooltip says of *link*."""
    if len(link) <= LONGEST_MAILED:
        return "Copies the address, which opens this very screen"
    return (
        f"Copies the address. It has {len(link):,} characters, and some mail and chat programs cut links at "
        f"{LONGEST_MAILED:,}: the scenario's file is safer"
    )


def _files(shown: PageAnswer, changes: Mapping[str, str]) -> None:
    for download in downloads.downloads(shown):
        taken.button(download, closes=FILES)
    st.caption("The same numbers from the command line, with the scenario's file")
    st.code(downloads.command_line(shown), language="bash", wrap_lines=True)
    if not own_files.is_own(shown.name):
        st.caption("or without it")
        st.code(settings.command_line(shown.name, changes), language="bash", wrap_lines=True)
