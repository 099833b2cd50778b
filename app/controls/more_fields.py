"""A search over every field of the specification, by name, label or a DBA's word; what is found gets a control."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import streamlit as st

from app.base.markdown import plain, sentence
from app.controls import forms
from model.catalog import KINDS
from scenarios.declared import declared_field, declared_fields
from scenarios.synonyms import FIELDS, NOTES

GROUP: Final = "More fields"
SEARCH: Final = "more_fields.search"
ADDED: Final = "more_fields.added"
"""Fields that this session has looked for, the last one first."""
NOTE: Final = "more_fields.note"
LISTS: Final = {
    "table.columns": "the columns of a row, one by one",
    "workload.mix": "kinds of transactions",
    "workload.sets": "the columns that an update sets",
    "workload.beside": "programs that share the machine",
}
"""Fields with several values, which have no control."""


def search(kind: str) -> None:
    """Draw the search, and what it said of what was chosen last."""
    words = found_by(kind)
    st.selectbox(
        "More fields", list(words), None, key=SEARCH, format_func=lambda key: words.get(key, key), on_change=_take,
        placeholder="More fields…", label_visibility="collapsed",
        help="Any field of the specification: type its name, a label, or what Oracle or Linux call it",
    )  # fmt: skip
    if note := st.session_state.get(NOTE):
        st.info(plain(note), icon=":material/info:")


def controls(kind: str, differing: Sequence[str]) -> list[forms.Control]:
    """The controls of what was found by the search, and of what differs and has no other control."""
    words = found_by(kind)
    added: list[str] = st.session_state.get(ADDED, [])
    grouped = {control.path for control in forms.EVERY if control.facts(kind)}
    rest = [path for path in differing if path not in grouped]
    return [forms.control_of(path, kind) for path in dict.fromkeys([*added, *rest]) if path in words]


def _take() -> None:
    """Give the chosen field a control, or say why it has none."""
    chosen, st.session_state[SEARCH] = st.session_state[SEARCH], None
    st.session_state[NOTE] = ""
    if chosen is None:
        return
    if chosen in LISTS:
        text = f"{chosen} has several values ({LISTS[chosen]}): write it in a scenario file, and open the file here"
        st.session_state[NOTE] = sentence(text)
    elif chosen in NOTES:
        st.session_state[NOTE] = sentence(f"{chosen}: {NOTES[chosen]}")
    else:
        added: list[str] = st.session_state.get(ADDED, [])
        st.session_state[ADDED] = [chosen, *(path for path in added if path != chosen)]


@lru_cache(maxsize=16)
def found_by(kind: str) -> dict[str, str]:
    """What can be found in a scenario with a workload of *kind*, each with every word that finds it.

    Fields by their path; words of a DBA that no field has, by themselves.
    """
    synonyms: dict[str, list[str]] = {}
    for word, fields in FIELDS.items():
        for path in fields:
            synonyms.setdefault(path, []).append(word)
    paths = [
        *(f"{place}.use" for place in KINDS.values()),
        *declared_fields(kind),
        *(path for path in LISTS if declared_field(path, kind)),
    ]
    texts = {path: " · ".join([forms.words_of(path), path, *synonyms.get(path, [])]) for path in paths}
    return texts | {word: f"{word}: {note}" for word, note in NOTES.items() if word not in FIELDS}
