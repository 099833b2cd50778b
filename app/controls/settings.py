"""Changes to a scenario as text: laid over it, in the address, and as a command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Final

from blocktime.app.base.output import one_line
from blocktime.app.controls import user_files
from blocktime.app.controls.control_fields import facts, facts_of_any_kind, read
from blocktime.app.controls.forms import label_of, words_of
from blocktime.model.errors import SpecError, cut
from blocktime.scenarios import Scenario
from blocktime.scenarios.load import value_of
from blocktime.scenarios.why_words import listed, plural

LONGEST_TITLE: Final = 140


def settle(name: str, changes: Mapping[str, str]) -> tuple[Scenario, dict[str, str]]:
    """The scenario with the changes that it accepts, and a sentence for each that it refuses.

    *name* is that of the library or stands for a user's file, see :mod:`app.controls.user_files`.
    """
    scenario, refused = _settled(name, tuple(changes.items()))
    return scenario, dict(refused)


@lru_cache(maxsize=256)
def _settled(name: str, changes: tuple[tuple[str, str], ...]) -> tuple[Scenario, dict[str, str]]:
    """As :func:`settle`, which a rerun of the page asks several times."""
    scenario, refused = _accepted(name, changes)
    accepted = {path: text for path, text in changes if path not in refused}
    title = titled(user_files.source(name).data.get("title", ""), accepted)
    return scenario.model_copy(update={"title": title}), refused


def titled(title: str, changes: Mapping[str, str]) -> str:
    """*title* with *changes* in a DBA's words; of those that make it too long, how many there are."""
    words = [change_words(path, text) for path, text in changes.items()]
    for count in range(len(words), 0, -1):
        left = [plural(len(words) - count, "more change")] if count < len(words) else []
        text = listed([*words[:count], *left])
        whole = f"{title}{' With' if title.endswith('?') else ', with'} {text}" if title else f"With {text}"
        if len(whole) <= LONGEST_TITLE or count == 1:
            return whole
    return title


def change_words(path: str, text: str) -> str:
    """A changed field in a DBA's words: ``Block size 16K``, ``the redo log on the data device``."""
    field, value, label = facts_of_any_kind(path), value_of(path, text), words_of(path)
    if field is not None and not field.is_entry and text in field.titles:
        text = field.titles[text]
        the = "the " if text.startswith("on ") else ""
        return f"{the}{label if label[:2].isupper() else label[0].lower() + label[1:]} {text}"
    if field is not None and isinstance(value, str) and field.kind in ("whole", "size", "duration"):
        with suppress(ValueError):
            value = read(field, value)
    if field is not None and isinstance(value, int | float | bool) and not field.of_text:
        text = field.show(value)
    return cut(f"{label} {one_line(text)}")


def _accepted(name: str, changes: tuple[tuple[str, str], ...]) -> tuple[Scenario, dict[str, str]]:
    """The scenario with the changes that it accepts, and a sentence for each that it refuses."""
    settings = {path: setting(path, text) for path, text in changes}
    try:
        return user_files.load(name, list(settings.values())), {}
    except SpecError as error:
        reason = _sentence_of(error)
    for path in reversed(settings):  # mostly one setting is wrong, the last; others may need each other
        rest = [text for other, text in settings.items() if other != path]
        try:
            return user_files.load(name, rest), {path: reason}
        except SpecError:
            continue
    return _one_by_one(name, settings)


def _one_by_one(name: str, texts: Mapping[str, str]) -> tuple[Scenario, dict[str, str]]:
    """As :func:`settle`, where several settings are wrong."""
    scenario, accepted_settings, refused = user_files.load(name), list[str](), dict[str, str]()
    for path, text in texts.items():
        try:
            scenario = user_files.load(name, [*accepted_settings, text])
            accepted_settings.append(text)
        except SpecError as error:
            refused[path] = _sentence_of(error)
    return scenario, refused


def _sentence_of(error: SpecError) -> str:
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
    words = ["blocktime", "run", user_files.label(name)]
    for path, text in changes.items():
        words += ["--set", setting(path, text)]
    return shlex.join(words)
