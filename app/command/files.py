"""Files that commands write: a place that will do, and a page that is never half-written."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

import click

from blocktime.app.reports.html import is_of_ours
from blocktime.model.errors import SpecError


def write_beside(path: Path, text: str) -> None:
    """Write *text* to *path* by way of a file beside it, so that *path* is never half-written."""
    if path.exists() and not path.is_file():
        raise SpecError(f"{path}: is not a file that could be replaced")
    umask = os.umask(0)
    os.umask(umask)
    place = path.resolve()
    try:
        with NamedTemporaryFile(
            "w", encoding="utf-8", dir=place.parent, prefix=f".{place.name[:40]}.", suffix=".part", delete=False
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


def a_place_for_a_page(context: click.Context, parameter: click.Parameter, value: Path | None) -> Path | None:
    """Complain before the work, not after it: a page of ours is replaced, any other file by --force alone."""
    if value is not None:
        force = context.params["force"] or (value.is_file() and is_of_ours(value))
        check_place(parameter.opts[0], value, force)
    return value


def check_place(option: str, path: Path, force: bool) -> None:
    """Raise SpecError where *path*, given by *option*, cannot be written, or is there and may not be replaced."""
    if path.name in ("", "-"):
        raise SpecError(f"{option}: got {str(path)!r}; it is the name of a file")
    if path.exists() and not path.is_file():
        raise SpecError(f"{option}: {path} is not a file that could be replaced")
    if path.exists() and not force:
        raise SpecError(f"{option}: {path} is there already; --force replaces a file")
    try:
        folder = path.resolve().parent
    except (OSError, RuntimeError):  # links in a circle
        raise SpecError(f"{option}: {path} is a circular symbolic link") from None
    if not folder.is_dir():
        raise SpecError(f"{option}: there is no folder {folder} to write {path.name} into")
