"""Changes to a scenario as text: laid over it, in the address, and as a command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import lru_cache

from blocktime.app.controls import own_files
from blocktime.app.controls.fields import facts
from blocktime.app.controls.forms import label_of
from blocktime.model.errors import SpecError
from blocktime.scenarios import Scenario


def settle(name: str, changes: Mapping[str, str]) -> tuple[Scenario, dict[str, str]]:
    """The scenario with the changes that it accepts, and a sentence for each that it refuses.

    *name* is that of the library or stands for an own file, see :mod:`app.controls.own_files`.
    """
    scenario, refused = _settled(name, tuple(changes.items()))
    return scenario, dict(refused)


@lru_cache(maxsize=256)
def _settled(name: str, changes: tuple[tuple[str, str], ...]) -> tuple[Scenario, dict[str, str]]:
    """As :func:`settle`, which a rerun of the page asks several times."""
    settings = {path: setting(path, text) for path, text in changes}
    try:
        return own_files.load(name, list(settings.values())), {}
    except SpecError as error:
        reason = _told(error)
    for path in reversed(settings):  # mostly one setting is wrong, the last; others may need each other
        rest = [text for other, text in settings.items() if other != path]
        try:
            return own_files.load(name, rest), {path: reason}
        except SpecError:
            continue
    return _one_by_one(name, settings)


def _one_by_one(name: str, texts: Mapping[str, str]) -> tuple[Scenario, dict[str, str]]:
    """As :func:`settle`, where several settings are wrong."""
    scenario, kept, refused = own_files.load(name), list[str](), dict[str, str]()
    for path, text in texts.items():
        try:
            scenario = own_files.load(name, [*kept, text])
            kept.append(text)
        except SpecError as error:
            refused[path] = _told(error)
    return scenario, refused


def _told(error: SpecError) -> str:
    """The sentence without the option that a page does not have; a field is named with its control."""
    text = str(error).removeprefix("--set").removeprefix(":").lstrip()
    path, colon, rest = text.partition(": ")
    label = label_of(path) if colon else ""
    return f"{label} ({path}): {rest}" if label else text


def setting(path: str, text: str) -> str:
    """``--set``'s form of one change; text that looks like a number is quoted."""
    field = facts(path)
    if field is not None and field.of_text and text.replace(".", "").isdigit():
        text = f'"{text}"'
    return f"{path}={text}"


def command_line(name: str, changes: Mapping[str, str]) -> str:
    """The command that gives the same answer."""
    words = ["blocktime", "run", own_files.label(name)]
    for path, text in changes.items():
        words += ["--set", setting(path, text)]
    return shlex.join(words)
