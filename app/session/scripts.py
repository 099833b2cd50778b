"""The scripts of our own on every page: one copies the link, one keeps the browser's Back button useful."""

from __future__ import annotations

from typing import Final

import streamlit as st

COPY_LINK: Final = """(() => {
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
"""Listens once for clicks on the button *Copy link*."""
ONE_ENTRY_AN_ACTION: Final = """(() => {
  if (window.blocktimeEntries) return;
  window.blocktimeEntries = true;
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  let acted = false;
  for (const kind of ["click", "keydown", "pointerdown"])
    addEventListener(kind, () => { acted = true; }, true);
  addEventListener("popstate", () => { acted = false; }, true);
  history.pushState = (...entry) => {
    (acted ? push : replace)(...entry);
    acted = false;
  };
})();"""
"""Gives each action of the reader one entry of the browser's history.

On the way from page to page Streamlit pushes an address without a query, one of the page, and the page its whole
address. The first two open the first scenario. The browser's Back button would come by them.
"""
ALL: Final = (COPY_LINK, ONE_ENTRY_AN_ACTION)
"""The page's content security policy allows these scripts and no others."""


def listen() -> None:
    """Put the scripts on the page; they take no room."""
    with st.container(key="scripts"):
        st.html("".join(f"<script>{script}</script>" for script in ALL), unsafe_allow_javascript=True)
