"""One page for each mechanism of the model that teaches it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

    from app.mechanisms.lesson import Lesson

# Module -> title and path of its page, which navigation shows before any of them is imported.
PAGES: Final[dict[str, tuple[str, str]]] = {
    "disk_latency": ("Disk latency", "mechanism-disk-latency"),
    "queue_depth": ("Queue depth", "mechanism-queue-depth"),
    "merging": ("Request merging", "mechanism-request-merging"),
    "multiblock": ("Multiblock reads: the bucket of coins", "mechanism-multiblock-reads"),
    "index_or_scan": ("Index or full scan?", "mechanism-index-or-full-scan"),
    "buffer_cache": ("Buffer cache", "mechanism-buffer-cache"),
    "logical_io": ("Logical I/O by row directory", "mechanism-logical-io"),
    "migration": ("PCTFREE and row migration", "mechanism-row-migration"),
    "space_search": ("The ASSM bitmap search (bug 6918210)", "mechanism-assm-search"),
}


def lesson_of(module: str) -> Lesson:
    """The lesson of a page."""
    lesson: Lesson = import_module(f"app.mechanisms.{module}").LESSON
    return lesson


def _page(module: str) -> None:
    from app.mechanisms import frame  # which opens with a page, as the lessons do

    frame.page(lesson_of(module))


def pages() -> list[StreamlitPage]:
    """The pages, for st.navigation."""
    import streamlit as st

    return [st.Page(_named(module), title=title, url_path=path) for module, (title, path) in PAGES.items()]


def _named(module: str) -> Callable[[], None]:
    """A page's function with a name of its own, by which Streamlit tells pages apart."""
    function = partial(_page, module)
    function.__name__ = module  # type: ignore[attr-defined]
    return function
