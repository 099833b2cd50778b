"""The version of the program: that of its next release, and the commit that it was made from.

Building a wheel reads it here as well, so this module imports nothing of the project.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

RELEASE: Final = "0.2.0"
"""The number of the first heading of the changelog."""
HASH: Final = re.compile(r"[0-9a-f]{40,64}")


@cache
def blocktime_version() -> str:
    """Version of the program as it is installed, or of its source, by PEP 440."""
    try:
        return version("blocktime")
    except PackageNotFoundError:
        return source_version(Path(__file__).resolve().parents[1])


def source_version(root: Path) -> str:
    """Version of the source in *root*: of a clone with its commit, of an unpacked archive as the archive says."""
    packed = root / "PKG-INFO"
    if packed.is_file():
        return re.search(r"^Version: (\S+)$", packed.read_text(encoding="utf-8"), re.MULTILINE)[1]  # type: ignore[index]
    commit = _commit(root / ".git")
    return f"{RELEASE}.dev0+g{commit[:9]}" if commit else f"{RELEASE}.dev0"


def _commit(git: Path) -> str:
    """The commit that is checked out; nothing where *git* is no repository. No process is started for it."""
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip().removeprefix("ref: ")
        if HASH.fullmatch(head):
            return head
        if (git / head).is_file():
            return (git / head).read_text(encoding="utf-8").strip()
        packed = (git / "packed-refs").read_text(encoding="utf-8").split("\n")
        return next((line.split()[0] for line in packed if line.endswith(f" {head}")), "")
    except OSError:
        return ""
