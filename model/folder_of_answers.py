"""Where answers are kept: asked before anything is imported but the standard library."""

from __future__ import annotations

import os

from model.errors import StoreUnusable


def folder_of_answers() -> str:
    """The folder of the store, unless somebody says otherwise; raises :class:`StoreUnusable` where there is none."""
    if given := os.environ.get("BLOCKTIME_STORE"):
        return given
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):  # is to be ignored, says the XDG specification
        home = os.path.expanduser("~")
        if home == "~":
            raise StoreUnusable("BLOCKTIME_STORE: is not set, and there is no home folder to keep points in")
        cache = os.path.join(home, ".cache")
    return os.path.join(cache, "blocktime")
