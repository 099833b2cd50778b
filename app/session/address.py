"""The address bar and what the page shows, each made of the other; what a link has wrong becomes a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast, get_args
from urllib.parse import urlencode

import streamlit as st

from blocktime.app.base.output import one_line
from blocktime.app.controls import settings, user_files
from blocktime.app.controls.page_question import BOTH, WHAT_IF, Moves, PageQuestion, opened
from blocktime.model.errors import SpecError, cut
from blocktime.scenarios import library

SCENARIO: Final = "scenario"
PACKED: Final = "s"
OF_BASE: Final = "baseline."
"""What begins so is set in the system, and the change sets it otherwise."""
OF_BOTH: Final = "both."
"""What begins so is set on both sides."""
MOVES: Final = "moves"
"""The sides that controls move, where it is not what suits the question."""
ENGINE: Final = "engine"
"""A word of older links that has no meaning any more."""
LONGEST_PLAIN: Final = 2_000
"""Characters of an address that says every field by its name; a longer one is packed."""
LONGEST_KEY: Final = 120
LONGEST_VALUE: Final = 20_000
MOST_FIELDS: Final = 150
MOST_NOTES: Final = 6


def is_gone(control: str) -> bool:
    """Whether the page has left the control of that key, of which a late browser still tells the value."""
    return control not in st.session_state


def read(query: Mapping[str, str], first: str) -> tuple[PageQuestion, list[str]]:
    """The question of an address; whatever of it means nothing or is not allowed is left out with a sentence.

    *first* is the scenario of an address that names none.
    """
    rest, notes = dict(query), list[str]()
    name = rest.pop(SCENARIO, first)
    rest.pop(ENGINE, None)
    moves = rest.pop(MOVES, None)
    changed: dict[str, str] = {}
    system: dict[str, str] = {}
    packed = rest.pop(PACKED, None)
    if packed is not None:
        try:
            name, changed, system = user_files.opened_link(packed)
        except SpecError as error:
            text = f"The scenario of the link cannot be opened ({error}); the page shows {first} instead."
            return opened(first, {}), [text]
    elif name not in library():
        text = cut(one_line(name))
        notes.append(
            f"The link names a scenario that does not exist ({text or 'an empty name'}); the page shows {first} "
            "instead."
        )
        name = first
    notes += _meaningless([key for key in rest if "." not in key])
    fields = {key: value for key, value in rest.items() if "." in key}
    shared = {key.removeprefix(OF_BOTH): fields.pop(key) for key in [*fields] if key.startswith(OF_BOTH)}
    of_base = {key.removeprefix(OF_BASE): fields.pop(key) for key in [*fields] if key.startswith(OF_BASE)}
    system, refused = accepted(name, {**system, **of_base, **shared})
    notes += at_most(refused, "The link's baseline")
    changed, refused = accepted(
        name, {**changed, **{path: system[path] for path in shared if path in system}, **fields}
    )
    notes += at_most(refused, "The link")
    question = opened(name, changed, system)
    lost = [path for path in system if path not in question.system]
    notes += [f"The link's baseline sets {path} alone, which no change takes back: it is left out." for path in lost]
    if moves in get_args(Moves):
        question = replace(question, moves=cast(Moves, moves))
    elif moves is not None:
        notes.append(f"The link says that controls move {cut(moves)!r}; allowed are {WHAT_IF} and {BOTH}.")
    return question, notes


def written(question: PageQuestion, first: str) -> dict[str, str]:
    """The address that opens *question*; raises :class:`SpecError` where none can hold it."""
    name, system, change = question.name, question.system, question.change
    moves = {MOVES: question.moves} if question.moves != opened(name, question.changed, system).moves else {}
    sides = {f"{OF_BASE if path in change else OF_BOTH}{path}": text for path, text in system.items()}
    if user_files.is_user_file(name):
        return {PACKED: user_files.packed_of(name), **change, **sides, **moves}
    plain = {**({SCENARIO: name} if name != first or change or sides else {}), **change, **sides, **moves}
    if len(urlencode(plain)) <= LONGEST_PLAIN:
        return plain
    texts = ([settings.setting(path, text) for path, text in side.items()] for side in (system, change))
    return {PACKED: user_files.packed_question(name, *texts), **moves}


def _meaningless(keys: list[str]) -> list[str]:
    """A sentence for keys of a link that are not those of a field."""
    texts = [f"The link has {cut(key)!r}, which is not a field of this page." for key in keys[:MOST_NOTES]]
    more = len(keys) - len(texts)
    return [*texts, f"It has {more:,} more such keys."] if more else texts


def accepted(name: str, fields: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The fields of a link that the scenario *name* takes, and what is wrong with the others."""
    refused: list[str] = []
    tried: dict[str, str] = {}
    for path, text in fields.items():
        if len(path) > LONGEST_KEY or len(text) > LONGEST_VALUE:
            refused.append(f"{cut(path)}: got {len(text):,} characters; a link gives a field {LONGEST_VALUE:,}")
        elif len(tried) < MOST_FIELDS:
            tried[path] = text
    if (left := len(fields) - len(refused) - len(tried)) > 0:
        refused.append(f"it sets {len(fields):,} fields; the last {left:,} of them are one too many")
    _, faults = settings.settle(name, tried)
    return {path: text for path, text in tried.items() if path not in faults}, [*refused, *faults.values()]


def at_most(refused: list[str], who: str) -> list[str]:
    """A sentence for each of what *who* asks for and is refused, of many for the first ones."""
    texts = [f"{who} asks for what is not allowed, so it is left out: {text}" for text in refused[:MOST_NOTES]]
    more = len(refused) - len(texts)
    return [*texts, f"It asks for {more:,} more things that are not allowed."] if more else texts
