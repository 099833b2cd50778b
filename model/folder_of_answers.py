"""Where answers are kept: asked before anything is imported but the standard library."""

from __future__ import annotations

import os

from blocktime.model.errors import StoreUnusable


def folder_of_answers() -> str:
    """The folder of the store, unless somebody says otherwise; raises :class:`StoreUnusable` where there is none."""
    return os.environ.get("BLOCKTIME_STORE") or _usual()


def make_private(folder: str) -> int:
    """Make *folder*, for its user alone; the mode that files in it may have, no more open than the folder is.

    The usual folder is closed to others where it was open; a folder that somebody names may be there to be shared.
    """
    try:
        os.mkdir(folder, 0o700)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        os.mkdir(folder, 0o700)
    except FileExistsError:
        named = os.environ.get("BLOCKTIME_STORE") or os.path.abspath(folder) != os.path.abspath(_usual())
        if not named and os.stat(folder).st_uid == os.getuid():
            os.chmod(folder, 0o700)
    return os.stat(folder).st_mode & 0o666


def _usual() -> str:
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):  # is to be ignored, says the XDG specification
        home = os.path.expanduser("~")
        if home == "~":
            raise StoreUnusable("BLOCKTIME_STORE: is not set, and there is no home folder to keep points in")
        cache = os.path.join(home, ".cache")
    return os.path.join(cache, "blocktime")
