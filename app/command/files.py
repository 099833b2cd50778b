"""Files that commands write: a place that will do, and a page that is never half-written."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

import click

from model.errors import SpecError


def write_beside(path: Path, text: str) -> None:
    """Write *text* to *path* by way of a file beside it, so that *path* is never half-written."""
    if path.exists() and not path.is_file():
        raise SpecError(f"{path}: is not a file that could be replaced")
    umask = os.umask(0)
    os.umask(umask)
    place = path.resolve()
    try:
        with NamedTemporaryFile(
            "w",
            encoding="utf-8",
            dir=place.parent,
            prefix=f".{place.name[:40]}.",
            suffix=".part",
            delete=False,
        ) as beside:
            try:
                beside.write(text)
                beside.flush()
                os.chmod(beside.name, 0o666 & ~umask)
                os.replace(beside.name, place)
            except BaseException:
                os.unlink(beside.name)
                raise
    except OSError as error:
        raise SpecError(f"{path}: cannot be written: {error.strerror or error}") from error


def a_place_to_write(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    """Complain before the work, not after it."""
    if value is None:
        return None
    if value.name in ("", "-"):
        raise SpecError(f"--html: got {str(value)!r}; it is the name of a file")
    try:
        folder = value.resolve().parent
    except (OSError, RuntimeError):  # links in a circle
        raise SpecError(f"--html: {value} leads nowhere: its links run in a circle") from None
    if value.exists() and not value.is_file():
        raise SpecError(f"--html: {value} is not a file that could be replaced")
    if not folder.is_dir():
        raise SpecError(f"--html: there is no folder {folder} to write {value.name} into")
    return value
