"""Changes to a scenario as text: laid over it, in the address, and as a command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from app.fields import facts
from model.errors import SpecError
from scenarios import Scenario, load


def settle(name: str, changes: Mapping[str, str]) -> tuple[Scenario, dict[str, str]]:
    """The scenario with the changes that it accepts, and a sentence for each that it refuses."""
    refused: dict[str, str] = {}
    kept: list[str] = []
    try:
        return load(name, [setting(path, text) for path, text in changes.items()]), refused
    except SpecError:
        scenario = load(name)
    for path, text in changes.items():
        try:
            scenario = load(name, [*kept, setting(path, text)])
            kept.append(setting(path, text))
        except SpecError as error:
            refused[path] = str(error).removeprefix("--set: ")
    return scenario, refused


def setting(path: str, text: str) -> str:
    """``--set``'s form of one change; text that looks like a number is quoted."""
    found = facts(path)
    if found is not None and found.of_text and text.replace(".", "").isdigit():
        text = f'"{text}"'
    return f"{path}={text}"


def command_line(name: str, changes: Mapping[str, str], engine: str = "") -> str:
    """The command that gives the same answer; *engine* where the one chosen by itself would be another."""
    words = ["blocktime", "run", name]
    for path, text in changes.items():
        words += ["--set", setting(path, text)]
    if engine:
        words += ["--engine", engine]
    return shlex.join(words)
