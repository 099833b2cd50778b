"""A page whose server was started anew asks it for a run at once, not with the reader's next click."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import streamlit as st

RARELY: Final = timedelta(days=7)
"""Browsers count the time until then in milliseconds and in 31 bits."""


@st.fragment(run_every=RARELY)
def ready() -> None:
    """Draw nothing.

    The browser asks for a run when its connection comes back if anything on the page runs by itself. Otherwise the
    new session would first hear of it with a click, know neither the control nor what it said before, and lose it.
    """
