"""What Blocktime can and cannot tell, where its numbers come from, and which version this is."""

from __future__ import annotations

from typing import Final

import streamlit as st

from blocktime.model.catalog import KINDS, entries
from blocktime.model.unmodelled import subjects
from blocktime.model.version import blocktime_version
from blocktime.scenarios import library

CAN: Final = """
* Where the time of a scan, an update, an insert, a delete, an import or an export goes: CPU, wait events, client.
* What a stream of reads or writes does: calls per second, merged requests, queue and await as iostat prints them.
* Which rows stay in place, migrate or chain when they grow, how the segment grows, and what the search for space costs.
* The effect of block size, PCTFREE, multiblock read count, array size, direct path reads, I/O path and disk.
* Counts that follow from arithmetic (consistent gets, reads by size, blocks, extents), close to what Oracle prints.
* What transactions of many users wait for: CPUs, disk, commits, latches (`latch: cache buffers chains`), \
  `buffer busy waits`, consistent reads of changed blocks; and the load at which a resource saturates.
* How far to trust a time: each constant states its origin, and numbers outside the measured range are marked.
"""
CANNOT: Final = """
* Absolute times of your system, before you measure its constants. Differences are more reliable than absolute times.
* Execution plans: the optimizer's cost is shown, but you choose the access path.
* How long DBWR writes after a statement: writes count only when the cache has no room for more dirty blocks, and LGWR \
  and archiving are assumed to keep up. Imports and transactions include writing.
* Latches and read consistency of single statements: only transactions (`kind = "transactions"`) include them.
"""
PAGES: Final = """
* **Compare**: several scenarios side by side, and why they differ.
* **Sweep**: many scenarios at once, over fields that take several values.
* **My system**: a report of your own system: where its time went, how well the model agrees, and what would change.
* **Evidence**: each published number beside the model's: which calibrate it, which test it, and what it misses.
* **Mechanisms**: a lesson each, with controls and a drawing: disk latency, request merging, multiblock reads, index \
  or full scan, buffer cache, logical I/O, row migration, the ASSM bitmap search.
"""


def page() -> None:
    """Draw the page."""
    st.markdown("### What Blocktime can and cannot tell")
    can, cannot = st.columns(2)
    can.markdown(f"**It can tell**\n{CAN}")
    cannot.markdown(f"**It cannot tell**\n{CANNOT}")
    with st.expander("Not modelled, and what comes nearest"):
        st.markdown("\n".join(f"* **{subject.name}**: {subject.nearest}" for subject in subjects()))
    st.markdown("### How an answer is made")
    st.markdown(
        "A question has one answer, and its heading says how it was made. An *exact sum* adds up all parts where no "
        "request meets another one. A *simulation* plays every request, session and queue by the same laws. Where "
        "chance has a part, ± is the 95 % confidence interval."
    )
    st.markdown("### The other pages")
    st.markdown(PAGES)
    st.markdown("### Where scenarios and constants come from")
    rows = [
        {"kind": "scenario", "name": e.name, "what": e.title, "source": e.source} for e in library().values()
    ]
    rows += [
        {"kind": kind, "name": name, "what": entry.title, "source": entry.source}
        for kind in KINDS
        for name, entry in entries(kind).items()
    ]
    st.dataframe(rows, hide_index=True, height=320, alt="Scenarios and catalog entries with their sources")
    st.caption(
        f"Blocktime {blocktime_version()} · free under the MIT licence · nothing on these pages leaves this machine"
    )
