"""Everything of Streamlit and plotly that they do not promise to keep, in one module, with the release it was seen in.

A test fails under another release of Streamlit: each of these is to be looked at again then. Beside them, the
configuration sends every message whole (``minCachedMessageSize``).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial, wraps
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

import plotly.io
from plotly.basedatatypes import BaseFigure
from streamlit import runtime
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx

if TYPE_CHECKING:
    from streamlit.proto.ClientState_pb2 import ClientState

SEEN_IN: Final = "1.67"
"""Release of Streamlit."""
EMBEDDING: Final = ("embed", "embed_options")
"""Words of Streamlit's own in an address."""
LATEST: Final = 32
"""Files that are kept, of all readers together."""
_MADE: Final = count()


def leave_pages_for_good() -> None:
    """Have the server drop what a timer of the browser asks for on a page that ``st.switch_page`` has left.

    The browser's timers go on until it hears of the new page. Streamlit draws their page once more, over the new one.
    """
    original = AppSession.request_rerun
    if hasattr(original, "__wrapped__"):
        return

    @wraps(original)
    def request_rerun(session: AppSession, state: ClientState | None) -> None:
        runner = session._scriptrunner
        latest = runner._requests._rerun_data if runner is not None else session._client_state
        # Until the first click a browser does not say which page it wants.
        if state is None or not state.is_auto_rerun or latest.page_script_hash in {"", state.page_script_hash}:
            original(session, state)

    AppSession.request_rerun = request_rerun  # type: ignore[assignment]


def went_back() -> bool:
    """Whether the browser's back or forward button asked for this run, so that the page follows the address."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def address_of_run() -> dict[str, list[str]]:
    """The address that the browser said when it asked for this run: each key with its texts.

    A run that is ended meanwhile may still set the address of the session, ``st.query_params``, to its own.
    """
    context = get_script_run_ctx(suppress_warning=True)
    texts = parse_qs(context.query_string, keep_blank_values=True) if context is not None else {}
    return {key: each for key, each in texts.items() if key not in EMBEDDING}


def whole_page() -> bool:
    """Whether this run draws the whole page, and not a part of it that somebody used."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is None or not context.fragment_ids_this_run


def is_from_gone_part() -> bool:
    """Whether this run was asked for in a part of the page that is gone: that of a scenario shown before."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not context.fragment_ids_this_run:
        return False
    return not any(map(context.fragment_storage.contains, context.fragment_ids_this_run))


def is_from_other_part(part: str) -> bool:
    """Whether this run was asked for in other parts of the page than the fragment *part*: by a timer, or a reader."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not context.fragment_ids_this_run:
        return False
    fragments: list[str] = []
    with suppress(StreamlitAPIException):  # a run that was ended early has not come to it
        fragments = context.fragment_storage.resolve_target(part)
    return set(fragments).isdisjoint(context.fragment_ids_this_run)


def called_as(name: str, drawn: Callable[..., None], *arguments: object) -> Callable[[], None]:
    """What draws a part of a page, such that a browser takes it for another part than one of another *name*."""
    part = partial(drawn, *arguments)
    setattr(part, "__qualname__", name)  # noqa: B010  (a name of Python's own)
    return part


def is_open() -> Callable[[], bool]:
    """What says, in any thread, whether the page of this session is still open."""
    context = get_script_run_ctx()
    session = context.session_id if context is not None else ""
    return lambda: runtime.exists() and runtime.get_instance().is_active_session(session)


def store_latest(content: str | bytes, file: str, kind: str) -> bytes:
    """Return the file's bytes, held as one of the latest.

    Streamlit holds what it makes at a click for no session: the second run that ends after it, of whichever session,
    removes the file, and a browser that asks later reports the download as cancelled.
    """
    made = content.encode() if isinstance(content, str) else content
    runtime.get_instance().media_file_mgr.add(
        made, kind, f"download {next(_MADE) % LATEST}", file, is_for_static_download=True
    )
    return made


class Ready(BaseFigure):  # type: ignore[misc]  # plotly has no types
    """A figure that is handed on as it is; it can do nothing else."""

    def __init__(self, figure: dict[str, Any]) -> None:
        self._ready = figure

    def to_dict(self) -> dict[str, Any]:
        """The figure, with the template that Streamlit's theme fills in."""
        return self._ready | {"layout": self._ready["layout"] | {"template": _template()}}


@lru_cache(maxsize=1)
def _template() -> dict[str, Any]:
    """Streamlit's template, which its front end looks for."""
    template: dict[str, Any] = plotly.io.templates[plotly.io.templates.default].to_plotly_json()
    return template
