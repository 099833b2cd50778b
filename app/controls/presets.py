"""Questions worth asking first, in plain words: a scenario of the library, what is changed in it, who measured it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from blocktime.app.controls import settings, user_files
from blocktime.scenarios import library
from blocktime.scenarios.verdict import Ask


@dataclass(frozen=True)
class Preset:
    """One question: a library scenario as the baseline, and the changes that the what-if begins with."""

    title: str
    scenario: str
    changes: Mapping[str, str] = field(default_factory=dict)
    controls: tuple[str, ...] = ()
    """The fields that the question is about; their controls stand first."""
    tab: str = ""
    """The tab that holds more of the answer."""
    ask: Ask = "change"
    says: str = ""
    """What is compared with what, and what the model leaves out of it."""
    picture: str = ""
    """The name of a drawing of what it is about."""

    @property
    def key(self) -> str:
        """What a list of scenarios calls it: the scenario itself where nothing is changed."""
        query = "&".join(f"{path}={text}" for path, text in self.changes.items())
        return f"{self.scenario}?{query}" if query else self.scenario


def _preset(entry: Mapping[str, Any]) -> Preset:
    return Preset(
        **{name: entry[name] for name in entry if name != "group"} | {"controls": tuple(entry.get("controls", ()))}
    )


_OFFERED: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("presets.toml").read_text(encoding="utf-8"))
QUESTIONS: Final = tuple(_preset(entry) for entry in _OFFERED["question"])
"""What a DBA asks first."""
PRESETS: Final = {
    group: tuple(map(_preset, entries)) for group, entries in groupby(_OFFERED["experiment"], itemgetter("group"))
}
"""Group -> its experiments."""
DOCUMENTS: Final[dict[str, str]] = _OFFERED["documents"]
"""Source of a scenario -> who measured it, where and when."""


def all_presets() -> Iterator[Preset]:
    """Every preset: the questions, then the experiments group by group."""
    yield from QUESTIONS
    for group in PRESETS.values():
        yield from group


BY_KEY: Final = {preset.key: preset for preset in all_presets()}


def question(key: str) -> Preset | None:
    """The question of that *key*; None for anything else."""
    preset = BY_KEY.get(key)
    return preset if preset in QUESTIONS else None


def key_of(scenario: str, changes: Mapping[str, str]) -> str:
    """The key of the preset that is the *scenario* with just these *changes*; the scenario's name where none is."""
    text = Preset("", scenario, changes).key
    return text if text in BY_KEY else scenario


def title_of_answer(key: str, scenario: str, changes: Mapping[str, str]) -> str:
    """What the preset *key* asks if it makes some of the *changes*, or else the *scenario*; with the other changes."""
    preset = BY_KEY.get(key)
    if preset is None or preset.scenario != scenario or not preset.changes.items() <= changes.items():
        return settings.titled(user_files.title(scenario), changes)
    further = {path: text for path, text in changes.items() if path not in preset.changes}
    return settings.titled(preset.title, further)


def named(key: str) -> Preset:
    """The preset of that *key*, or the library's scenario of that name as one."""
    return BY_KEY.get(key) or Preset(library()[key].title, key)


def title_of(key: str, otherwise: Callable[[str], str]) -> str:
    """What the preset *key* asks; *otherwise* says it of a scenario that is none."""
    return BY_KEY[key].title if key in BY_KEY else otherwise(key)


def choices() -> list[str]:
    """Keys of every preset, then the names of the scenarios that no preset is."""
    return [*BY_KEY, *(name for name in library() if name not in BY_KEY)]


def source_of(scenario: str) -> str:
    """Who measured a library scenario, in words."""
    text = library()[scenario].source
    return DOCUMENTS.get(text, text)
