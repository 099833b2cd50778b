"""The value that a widget holds, looked up: Streamlit copies the whole session for every number, choice and text.

With forty controls that is a sixth of what a rerun costs. Streamlit 1.65 to 1.67 do; where a later one looks its values
up otherwise, this changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from streamlit.runtime.state import safe_session_state

HOLDER = safe_session_state.SafeSessionState
COPIED = "filtered_state"
"""The property of a session that copies all of it."""


class HeldValues(Mapping[str, Any]):
    """What a session holds, as the copy of it has it, but copied for those alone that go through all of it."""

    def __init__(self, session: safe_session_state.SafeSessionState, copied: property) -> None:
        """*copied* makes the copy."""
        self._session, self._copied = session, copied

    def __getitem__(self, key: str) -> Any:
        return self._session[key]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self._session

    def __iter__(self) -> Iterator[str]:
        return iter(self._copied.__get__(self._session))

    def __len__(self) -> int:
        return len(self._copied.__get__(self._session))


def look_up() -> None:
    """Have Streamlit look a widget's value up, once for the process."""
    copied = vars(HOLDER).get(COPIED)
    if isinstance(copied, property) and copied.fget is not None and copied.fget.__module__ != __name__:
        setattr(HOLDER, COPIED, property(lambda session: HeldValues(session, copied)))
