"""A file that was made at a click is there until the browser has fetched it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit import runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from app.session import taken


def test_runs_that_end_before_the_browser_asks_do_not_remove_what_was_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(media_file_mgr=files))

    def made(text: str) -> str:
        name, kind = "scenario.toml", "application/toml"
        asked = files.add_deferred(lambda: taken.kept(text, name, kind), kind, "button", name)
        return files.execute_deferred(asked).rpartition("/")[2].partition(".")[0]

    first = made("rows = 1")
    for _ in range(3):
        files.remove_orphaned_files()
    kept = files.read_file(first)
    assert kept is not None
    assert (kept.content, kept.filename) == (b"rows = 1", "scenario.toml")
    for rows in range(2, taken.LATEST + 2):
        made(f"rows = {rows}")
    for _ in range(3):
        files.remove_orphaned_files()
    assert files.read_file(first) is None
