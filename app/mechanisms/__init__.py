"""One page for each mechanism of the model that teaches it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

DESCRIBED: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("lessons.toml").read_text(encoding="utf-8"))
"""Module -> the description of its page, in their order; last, under *sources*, who wrote what."""
PAGES: Final[dict[str, tuple[str, str]]] = {
    module: (page["title"], page["path"]) for module, page in DESCRIBED.items() if module != "sources"
}
"""Module -> title and path of its page, which navigation shows before any of them is imported."""


def _page(module: str) -> None:
    from blocktime.app.mechanisms import frame, lesson  # which open with a page

    frame.page(lesson.lesson_of(module))


def pages() -> list[StreamlitPage]:
    """The pages, for st.navigation."""
    import streamlit as st

    return [st.Page(_named(module), title=title, url_path=path) for module, (title, path) in PAGES.items()]


def _named(module: str) -> Callable[[], None]:
    """A page's function with a name of its own, by which Streamlit tells pages apart."""
    function = partial(_page, module)
    function.__name__ = module  # type: ignore[attr-defined]
    return function
