"""A button that copies the page's address at one click, says so, and shows the address where it cannot."""

from __future__ import annotations

from typing import Final

import streamlit as st

KEY: Final = "share_link"
SCRIPT: Final = """(() => {
  if (window.blocktimeCopies) return;
  window.blocktimeCopies = true;
  document.addEventListener("click", async event => {
    const button = event.target.closest(".st-key-share_link button");
    if (!button || button.disabled) return;
    const link = location.href;
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      prompt("The browser does not let this page copy. Copy the link from here:", link);
      return;
    }
    const label = document.evaluate(".//p/text()", button, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
    if (!label || label.nodeValue === "Link copied") return;
    const before = label.nodeValue;
    button.setAttribute("aria-live", "polite");
    label.nodeValue = "Link copied";
    setTimeout(() => { label.nodeValue = before; }, 2500);
  });
})();"""
"""Listens once for clicks on the button; the page's content security policy allows this script and no other."""


def button(says: str, why_not: str = "") -> None:
    """Draw the button; where no link can be copied, *why_not* says so."""
    st.button(
        "Copy link", icon=":material/link:", width="stretch", key=KEY, disabled=bool(why_not), help=why_not or says,
    )  # fmt: skip


def listens() -> None:
    """Put the script on the page; it takes no room."""
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)
