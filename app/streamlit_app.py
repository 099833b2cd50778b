"""The page's entry: title, navigation, guard; the pages are functions of modules that can be imported."""

import streamlit as st

from blocktime.app import mechanisms
from blocktime.app.command import reconnect
from blocktime.app.session import navigation, scripts


def main() -> None:
    """Show the page that the address names."""
    # NOTE: no page_icon and no icon on a page: Streamlit would fetch them from another host.
    st.set_page_config(page_title="Blocktime", layout="wide", initial_sidebar_state=320)
    pages = {"": [navigation.page_of(path) for path in navigation.PAGES], "Mechanisms": mechanisms.pages()}
    scripts.listen()
    st.navigation(pages, position="top").run()
    reconnect.ready()


if __name__ == "__main__":  # workers of a process pool import this file under another name
    main()
