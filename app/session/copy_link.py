"""A button that copies the page's address at one click, says so, and shows the address where it cannot."""

from __future__ import annotations

from typing import Final

import streamlit as st

KEY: Final = "share_link"


def button(says: str, why_not: str = "") -> None:
    """Draw the button; where no link can be copied, *why_not* says so."""
    st.button(
        "Copy link", icon=":material/link:", width="stretch", key=KEY, disabled=bool(why_not), help=why_not or says
    )
