"""A field of the specification as a widget: label, unit, limits and help come from the field alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from blocktime.app.base.markdown import plain
from blocktime.app.base.memo import by_object
from blocktime.app.controls.control_fields import NOT_GIVEN, Facts, as_text, control_value, value_at, with_file_entries
from blocktime.app.controls.forms import WAKES, Control
from blocktime.scenarios import Scenario


@dataclass(frozen=True)
class Look:
    """What a widget says of its field in two scenarios."""

    field: Facts
    was: Any
    """The field's value in the first."""
    value: Any
    """What a widget holds of its value in the second."""
    common: dict[str, Any]
    """Label, help, and whether it can be moved."""


@by_object(4096)
def look(control: Control, field: Facts, base: Scenario, other: Scenario, changed: bool, refused: bool) -> Look:
    """What the widget of *control* says, worked out once for two scenarios; of a *refused* entry, what applies."""
    field = with_file_entries(field, base)
    was, value = value_at(base, control.path), value_at(other, control.path)
    unit = field.unit or ("%" if field.kind == "real" else "")
    unit = unit.replace("currency", plain(other.system.prices.currency or "currency"))
    label = control.label + (f" ({unit})" if unit and field.kind in ("whole", "real") else "")
    idle = control.idle(other)
    wakes = WAKES.get(idle, "")
    if refused:
        label = f"{label} · not valid, {plain(field.show(value))} applies"
    elif changed:
        label = f"● {label} · was {plain(field.show(was))}"
    elif idle:
        label = f"{label} · {wakes or idle}"
    says = f"No effect here: {idle}" if idle and not wakes else ""
    helps = " — ".join(filter(None, [field.help(), says]))
    disabled = bool(idle) and not changed and not wakes
    return Look(field, was, control_value(field, value), {"label": label, "help": helps, "disabled": disabled})


def draw(control: Control, seen: Look, on_change: Callable[[str], None], refused: str = "") -> None:
    """Draw the widget of a control; its value lives in the session state under the field's path.

    It is that of the second scenario *asked*, but for a *refused* one, which stays as it was typed above its reason.
    """
    common = seen.common | {"key": control.path, "on_change": on_change, "args": (control.path,)}
    value = st.session_state.get(control.path, seen.value) if refused else seen.value
    # A browser that is late builds a control anew from its last drawing, so each one says the value, also where it is
    # set from here: the configuration tells Streamlit that both are meant.
    if st.session_state.get(control.path, value) != value:
        st.session_state[control.path] = value
    _widget(control, seen.field, seen.was, value, common)
    if refused:
        st.caption(f":red[:material/error: {plain(seen.field.why_refused(value, refused))}]")


def _widget(control: Control, field: Facts, was: Any, value: Any, common: dict[str, Any]) -> None:
    """The widget that suits the field, with its value *value*."""
    takes = field.kind
    match takes:
        case "ladder":
            st.select_slider(options=field.options, value=value, format_func=field.show, **common)
        case "choice" | "text":
            _choice(control, field, was, value, common)
        case "flag" if field.optional:
            names = {NOT_GIVEN: NOT_GIVEN, True: "yes", False: "no"}
            first = list(names).index(value)
            st.selectbox(options=tuple(names), index=first, format_func=names.__getitem__, **common)
        case "flag":
            st.toggle(value=bool(value), **common)
        case "size" | "duration" | "whole" | "real":
            st.text_input(value=value or "", placeholder=_example(field), **common)
        case "share":
            _slider(field, value, common)


def _choice(control: Control, field: Facts, was: Any, chosen: Any, common: dict[str, Any]) -> None:
    if field.kind == "choice" and len(field.options) <= 3 and not field.is_entry and not field.optional:
        st.segmented_control(
            options=field.options, default=chosen, required=True, width="stretch", format_func=field.show, **common
        )
        return
    given = [as_text(value) for value in (was, chosen) if value not in (None, NOT_GIVEN)]
    none = [NOT_GIVEN] if field.optional else []
    options = list(dict.fromkeys([*none, *field.options, *control.offers, *given]))
    st.selectbox(
        options=options, index=options.index(chosen) if chosen in options else 0,
        accept_new_options=field.kind == "text", format_func=field.show, **common,
    )  # fmt: skip


def _example(field: Facts) -> str:
    """What an empty control shows: that it may stay so, or what can be typed."""
    if field.optional:
        return NOT_GIVEN
    if field.kind == "duration":
        return "seconds, or 5 ms, 250 µs"
    return "bytes, or 8K, 512M, 1.5G" if field.unit.startswith("bytes") else "a number, or 50K, 250M"


def _slider(field: Facts, value: Any, common: dict[str, Any]) -> None:
    low, high = field.low or 0, field.high or 1
    if field.unit == "%" and isinstance(value, int):
        st.slider(min_value=int(low), max_value=int(high), value=value, step=1, format="%d %%", **common)
    else:
        step = (high - low) / 100
        st.slider(min_value=float(low), max_value=float(high), value=value, step=step, format="percent", **common)
