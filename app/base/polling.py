"""Parts of a page that are looked at again while something is under way."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import streamlit as st


def look_again(draw: Callable[[], None], every_s: float, *, is_under_way: bool) -> None:
    """Draw a part of the page, and while something *is_under_way* again every so often, in seconds.

    A browser's last look may come when nothing is under way any more. It interrupts the drawing that says so, and
    Streamlit then leaves what the drawing before had shown. So a part that rests answers such a look, too: by drawing
    the whole page anew.
    """
    drawings = count()

    def part() -> None:
        if next(drawings) and not is_under_way:
            st.rerun(scope="app")
        draw()

    st.fragment(part, run_every=every_s if is_under_way else None)()
