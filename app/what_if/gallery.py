"""The examples as a gallery: a picture and a button for each question, and all experiments by what they are about."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

import streamlit as st

from blocktime.app.base.markdown import plain
from blocktime.app.controls import presets
from blocktime.app.controls.presets import Preset
from blocktime.app.session.what_if_state import take

PEN: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32" fill="none" stroke="#3f86cf" stroke-width="1.6">'
)
PICTURES: Final = {
    name: quote(f"{PEN}{drawing}</svg>")
    for name, drawing in tomllib.loads(Path(__file__).with_name("pictures.toml").read_text(encoding="utf-8")).items()
}
"""Name -> a drawing, as an address has it."""
IN_A_ROW: Final = 4


def cards(questions: Sequence[Preset], key: str) -> None:
    """A card for each of *questions*: its picture, and the button that asks it; *key* tells them from others."""
    for begin in range(0, len(questions), IN_A_ROW):
        columns = st.columns(IN_A_ROW, gap="small")
        for column, preset in zip(columns, questions[begin : begin + IN_A_ROW], strict=False):
            with column.container(border=True, gap="xxsmall", key=f"card.{key}.{preset.key}"):
                st.html(f'<img class="picture" alt="" src="data:image/svg+xml,{PICTURES[preset.picture]}">')
                st.button(
                    preset.title, key=f"{key}.{preset.key}", on_click=take, args=(preset.key,), type="tertiary",
                    help=plain(preset.says or presets.source_of(preset.scenario)), width="stretch",
                )  # fmt: skip


@st.dialog("Examples", width="large")
def examples() -> None:
    """Every question and experiment, by what it is about."""
    for group, presets_of_group in {"Questions": presets.QUESTIONS, **presets.PRESETS}.items():
        st.markdown(f"**{group}**")
        cards(presets_of_group, "preset")
