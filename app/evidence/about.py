"""What Blocktime can and cannot tell, where its numbers come from, and which version this is."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from blocktime.model.catalog import KINDS, entries
from blocktime.model.unmodelled import subjects
from blocktime.model.version import blocktime_version
from blocktime.scenarios import library


def page() -> None:
    """Draw the page."""
    st.markdown(Path(__file__).with_name("about.md").read_text(encoding="utf-8"))
    with st.expander("Not modelled, and what comes nearest"):
        st.markdown("\n".join(f"* **{subject.name}**: {subject.nearest}" for subject in subjects()))
    st.markdown("### Where scenarios and constants come from")
    rows = [{"kind": "scenario", "name": e.name, "what": e.title, "source": e.source} for e in library().values()]
    rows += [
        {"kind": kind, "name": name, "what": entry.title, "source": entry.source}
        for kind in KINDS
        for name, entry in entries(kind).items()
    ]
    st.dataframe(rows, hide_index=True, height=320, alt="Scenarios and catalog entries with their sources")
    st.caption(
        f"Blocktime {blocktime_version()} · free under the MIT licence · nothing on these pages leaves this machine"
    )
