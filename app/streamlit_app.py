"""The page's entry: title, navigation, guard; the pages are functions of modules that can be imported."""

from pathlib import Path

import streamlit as st

from blocktime.app import mechanisms
from blocktime.app.base import insides
from blocktime.app.command import reconnect
from blocktime.app.session import navigation, scripts


def main() -> None:
    """Show the page that the address names."""
    insides.leave_pages_for_good()
    # NOTE: no icon of Streamlit's names: it would fetch them from another host.
    looks = Path(navigation.__file__).parent
    mark = str(looks / "mark.svg")
    st.set_page_config(page_title="Blocktime", page_icon=mark, layout="wide", initial_sidebar_state=320)
    st.logo(str(looks / "name.svg"), icon_image=mark)
    pages = {"": [navigation.page_of(path) for path in navigation.PAGES], "Mechanisms": mechanisms.pages()}
    st.html(looks / "page.css")
    scripts.listen()
    st.navigation(pages, position="top").run()
    reconnect.ready()


if __name__ == "__main__":  # workers of a process pool import this file under another name
    main()
