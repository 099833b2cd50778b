"""A search over every field of the specification, by name, label or a DBA's word; what is found gets a control."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import streamlit as st

from blocktime.app.base.markdown import plain, sentence
from blocktime.app.controls import forms
from blocktime.model.catalog import KINDS
from blocktime.model.spec import WORKLOADS
from blocktime.scenarios.declared import declared_field, declared_fields
from blocktime.scenarios.synonyms import found

GROUP: Final = "More fields"
SEARCH: Final = "more_fields.search"
ADDED: Final = "more_fields.added"
"""Fields that this session has looked for, the last one first."""
NOTE: Final = "more_fields.note"
MOST_FOUND: Final = 6
LISTS: Final = {
    "table.columns": "the columns of a row, one by one",
    "workload.mix": "kinds of transactions",
    "workload.sets": "the columns that an update sets",
    "workload.beside": "programs that share the machine",
}
"""Fields with several values, which have no control."""


@st.fragment
def search(kind: str) -> None:
    """Draw the search with what it finds, and what is to be said of the words or of what was chosen last."""
    text = st.text_input(
        "More fields", key=SEARCH, live=True, placeholder="Search any field…", label_visibility="collapsed",
        help="Any field of the specification: its name, a label, or what Oracle or Linux call it",
    )  # fmt: skip
    words = searchable(kind)
    wanted = found(text, words.items())
    fields = [path for path in wanted.fields if path in words]
    with st.container(key="found", gap=None):
        for path in fields[:MOST_FOUND]:
            st.button(
                plain(words[path]), key=f"found.{path}", icon=":material/add:", type="tertiary", width="stretch",
                on_click=_take, args=(path,), help=f"`{path}`",
            )  # fmt: skip
    if text and not fields and not wanted.note:
        elsewhere = found(text, _of_every_kind().items()).fields
        says = (
            f"{forms.words_of(elsewhere[0])} is no field of this workload" if elsewhere else "No field has these words"
        )
        st.caption(plain(sentence(says)))
    if len(fields) > MOST_FOUND:
        st.caption(f"{len(fields) - MOST_FOUND} more: add a word")
    if note := sentence(wanted.note) if wanted.note else st.session_state.get(NOTE):
        st.info(plain(note), icon=":material/info:")


def controls(kind: str, differing: Sequence[str]) -> list[forms.Control]:
    """The controls of what was found by the search, and of what differs and has no other control."""
    words = searchable(kind)
    added: list[str] = st.session_state.get(ADDED, [])
    grouped = {control.path for group in forms.groups_of(kind).values() for control in group}
    rest = [path for path in differing if path not in grouped]
    return [forms.control_of(path, kind) for path in dict.fromkeys([*added, *rest]) if path in words]


def _take(chosen: str) -> None:
    """Give the chosen field a control, or say why it has none."""
    st.session_state[SEARCH] = st.session_state[NOTE] = ""
    if chosen in LISTS:
        text = f"{chosen} has several values ({LISTS[chosen]}): write it in a scenario file, and open the file here"
        st.session_state[NOTE] = sentence(text)
    else:
        added: list[str] = st.session_state.get(ADDED, [])
        st.session_state[ADDED] = [chosen, *(path for path in added if path != chosen)]
    st.rerun()


@lru_cache(maxsize=1)
def _of_every_kind() -> dict[str, str]:
    """What can be found in some kind of workload."""
    return {path: label for kind in WORKLOADS for path, label in searchable(kind).items()}


@lru_cache(maxsize=16)
def searchable(kind: str) -> dict[str, str]:
    """What can be found in a scenario with a workload of *kind*: each field with what a DBA calls it."""
    paths = [
        *(f"{place}.use" for place in KINDS.values()),
        *declared_fields(kind),
        *(path for path in LISTS if declared_field(path, kind)),
    ]
    return {path: forms.words_of(path, kind) for path in paths}
