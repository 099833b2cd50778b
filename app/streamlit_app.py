"""The page's entry: title, navigation, guard; the pages are functions of modules that can be imported."""

import streamlit as st

from app import about, compare_page, evidence, mechanisms, my_system, reconnect, sweep_page, what_if


def main() -> None:
    """Show the page that the address names."""
    # NOTE: no page_icon and no icon on a page: Streamlit would fetch them from another host.
    st.set_page_config(page_title="Blocktime", layout="wide", initial_sidebar_state=320)
    pages = {
        "": [
            st.Page(what_if.page, title="What if", url_path="what-if", default=True),
            st.Page(compare_page.page, title="Compare", url_path=compare_page.PATH),
            st.Page(sweep_page.page, title="Sweep", url_path=sweep_page.PATH),
            st.Page(my_system.page, title="My system", url_path=my_system.PATH),
            st.Page(evidence.page, title="Evidence", url_path="evidence"),
            st.Page(about.page, title="About", url_path="about"),
        ],
        "Mechanisms": mechanisms.pages(),
    }
    st.navigation(pages, position="top").run()
    reconnect.ready()


if __name__ == "__main__":  # workers of a process pool import this file under another name
    main()
