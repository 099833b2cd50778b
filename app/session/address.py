"""The address bar and what the page shows, each made of the other; what a link has wrong becomes a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from blocktime.app.base.output import one_line
from blocktime.app.controls import own_files, settings
from blocktime.model.errors import SpecError, cut
from blocktime.scenarios import library

SCENARIO: Final = "scenario"
PACKED: Final = "s"
ENGINE: Final = "engine"
"""A word of older links that has no meaning any more."""
LONGEST_PLAIN: Final = 2_000
"""Characters of an address that says every field by its name; a longer one is packed."""
LONGEST_KEY: Final = 120
LONGEST_VALUE: Final = 20_000
MOST_FIELDS: Final = 150
MOST_NOTES: Final = 6


@dataclass(frozen=True)
class LinkedScenario:
    """What a page shows: the name of a scenario, fields that are changed, and what its address had wrong."""

    name: str
    changes: Mapping[str, str]
    notes: tuple[str, ...] = ()


def went_back() -> bool:
    """Whether the browser's back or forward button asked for this run, so that the page follows the address."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def whole_page() -> bool:
    """Whether this run draws the whole page, and not a part of it that somebody used."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is None or not context.fragment_ids_this_run


def asked_in_the_past() -> bool:
    """Whether this run was asked for in a part of the page that is gone: that of a scenario shown before."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not context.fragment_ids_this_run:
        return False
    return not any(map(context.fragment_storage.contains, context.fragment_ids_this_run))


def is_gone(control: str) -> bool:
    """Whether the page has left the control of that key, of which a late browser still tells the value."""
    return control not in st.session_state


def asked_elsewhere(part: str) -> bool:
    """Whether this run was asked for in other parts of the page than the fragment *part*: by a timer, or a reader."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not context.fragment_ids_this_run:
        return False
    asked: list[str] = []
    with suppress(StreamlitAPIException):  # a run that was ended early has not come to it
        asked = context.fragment_storage.resolve_target(part)
    return set(asked).isdisjoint(context.fragment_ids_this_run)


def read(query: Mapping[str, str], first: str) -> LinkedScenario:
    """What an address asks for; whatever of it means nothing or is not allowed is left out with a sentence.

    *first* is the scenario of an address that names none.
    """
    rest, notes = dict(query), []
    name = rest.pop(SCENARIO, first)
    rest.pop(ENGINE, None)
    changes: dict[str, str] = {}
    packed = rest.pop(PACKED, None)
    if packed is not None:
        try:
            name, changes = own_files.opened_link(packed)
        except SpecError as error:
            text = f"The scenario of the link cannot be opened ({error}); the page shows {first} instead."
            return LinkedScenario(first, {}, (text,))
    elif name not in library():
        text = cut(one_line(name))
        notes.append(
            f"The link names a scenario that does not exist ({text or 'an empty name'}); the page shows {first} "
            "instead."
        )
        name = first
    notes += _meaningless([key for key in rest if "." not in key])
    fields = {key: value for key, value in rest.items() if "." in key}
    kept, refused = accepted(name, {**changes, **fields})
    return LinkedScenario(name, kept, (*notes, *at_most(refused, "The link")))


def written(name: str, changes: Mapping[str, str], first: str) -> dict[str, str]:
    """The address that opens the scenario *name* with *changes*; raises :class:`SpecError` where none can hold it."""
    if own_files.is_own(name):
        return {PACKED: own_files.packed_of(name), **changes}
    plain = {**({SCENARIO: name} if name != first or changes else {}), **changes}
    if len(urlencode(plain)) <= LONGEST_PLAIN:
        return plain
    texts = [settings.setting(path, text) for path, text in changes.items()]
    return {PACKED: own_files.packed_changes(name, texts)}


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
            refused.append(
                f"{cut(path)}: got {len(text):,} characters; a link gives a field {LONGEST_VALUE:,}"
            )
        elif len(tried) < MOST_FIELDS:
            tried[path] = text
    if (left := len(fields) - len(refused) - len(tried)) > 0:
        refused.append(f"it sets {len(fields):,} fields; the last {left:,} of them are one too many")
    _, faults = settings.settle(name, tried)
    return {path: text for path, text in tried.items() if path not in faults}, [*refused, *faults.values()]


def at_most(refused: list[str], who: str) -> list[str]:
    """A sentence for each of what *who* asks for and is refused, of many for the first ones."""
    texts = [
        f"{who} asks for what is not allowed, so it is left out: {text}" for text in refused[:MOST_NOTES]
    ]
    more = len(refused) - len(texts)
    return [*texts, f"It asks for {more:,} more things that are not allowed."] if more else texts
