"""What Blocktime can and cannot tell, where its numbers come from, and which version this is."""

from __future__ import annotations

from typing import Final

import streamlit as st

from model.books import blocktime_version
from model.catalog import KINDS, entries
from scenarios import library

CAN: Final = """
* Where the time of a scan, an update, an insert, a delete, an import or an export goes: CPU by cause, waits, client.
* What a stream of reads or writes does: calls a second, what the kernel merges, queue and await as iostat prints them.
* Which rows stay in place, migrate or chain as they grow, how the segment grows, and what the search for space costs.
* How block size, PCTFREE, multiblock read count, array size, direct path reads, the I/O path and the disk move it.
* Counts that follow from arithmetic (consistent gets, reads by size, blocks, extents) close to what Oracle prints.
* What transactions of many users wait for: processors, disk, commits, latches (`latch: cache buffers chains`), \
  `buffer busy waits`, and the consistent gets that other users' changes cost; at what load a resource saturates.
* How far to trust a time: each constant has a source, and a number outside the calibrated range is marked.
"""
CANNOT: Final = """
* Your system's absolute times, until its constants are measured there: the differences travel better than the sums.
* Plans: the optimizer's cost is shown, but the access path is the one that you choose.
* Writing behind statements: DBWR, LGWR and archiving are taken to keep up, but for an import and for transactions.
* Latches and read consistency of scans and statements: only transactions (`kind = "transactions"`) have them.
* RAC, Exadata offloading, compression, parallel query.
* With several users, or reads in flight, the law only approximates; the page plays the simulation then.
"""
PAGES: Final = """
* **Compare**: several scenarios side by side, in what they differ, and what moved.
* **Sweep**: many scenarios at once, over fields that take several values.
* **Evidence**: every number that the documents print beside the model's; what fits, what tests, what it misses.
* **Mechanisms**: a lesson each, with controls and a drawing: disk latency, request merging, multiblock reads, buffer \
  cache, logical I/O, row migration, the ASSM bitmap search.
"""


def page() -> None:
    """Draw the page."""
    st.markdown("### What Blocktime can and cannot tell")
    can, cannot = st.columns(2)
    can.markdown(f"**It can tell**\n{CAN}")
    cannot.markdown(f"**It cannot tell**\n{CANNOT}")
    st.markdown("### Two engines, one set of laws")
    st.markdown(
        "The *law* composes closed formulas and answers at once; the *simulation* plays the same laws against one "
        "another in time and shows queueing. Where nobody queues a test demands that they agree."
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
