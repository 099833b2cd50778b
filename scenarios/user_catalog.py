"""Files of the user's own folder and of installed packages, whose entries every scenario may use."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from blocktime.model.errors import SpecError, cut
from blocktime.scenarios.spec import PROFILE

GROUP: Final = "blocktime.catalog"
"""Entry points whose values are packages with such files."""


@cache
def user_layers() -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Each file's place and content, which is ``[profile.KIND.NAME]`` as in a scenario file.

    They are read once. Raises :class:`SpecError` with one sentence for one that cannot be read or has another form.
    """
    return tuple((place, _content(place, file)) for place, file in _places())


def _places() -> Iterator[tuple[str, Traversable]]:
    with suppress(RuntimeError):  # there may be no home
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "blocktime"
        yield from ((str(file), file) for file in sorted(folder.glob("*.toml")))
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            inside = sorted(files(point.value).iterdir(), key=lambda file: file.name)
        except (ImportError, TypeError, OSError) as error:
            raise SpecError(f"{GROUP}: {point.name}: got {point.value!r}, which is no package: {error}") from None
        yield from ((f"{point.value}/{file.name}", file) for file in inside if file.name.endswith(".toml"))


def _content(place: str, file: Traversable) -> dict[str, Any]:
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(f"{place}: cannot be read as TOML: {error}") from None
    for heading in content.keys() - {PROFILE}:
        raise SpecError(f"{place}: {cut(heading)}: allowed are sections [{PROFILE}.KIND.NAME] alone")
    return content
