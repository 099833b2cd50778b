"""A field of the specification as a widget: label, unit, limits and help come from the field alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app.base.markdown import plain
from app.base.remembered import by_object
from app.controls.fields import Facts, as_text, held_value, value_at, with_own
from app.controls.forms import SHOWN, Control
from scenarios import Scenario


@dataclass(frozen=True)
class Look:
    """What a widget says of its field in two scenarios."""

    field: Facts
    was: Any
    """The field's value in the first."""
    held: Any
    """What a widget holds of its value in the second."""
    common: dict[str, Any]
    """Label, help, and whether it can be moved."""


@by_object(4096)
def look(
    control: Control, field: Facts, base: Scenario, other: Scenario, changed: bool, refused: bool
) -> Look:
    """What the widget of *control* says, worked out once for two scenarios; of a *refused* entry, what applies."""
    field = with_own(field, base)
    was, value = value_at(base, control.path), value_at(other, control.path)
    unit = field.unit or ("%" if field.kind == "real" else "")
    unit = unit.replace("currency", plain(other.system.prices.currency or "currency"))
    label = control.label + (f" ({unit})" if unit and field.kind in ("whole", "real") else "")
    idle = control.idle(other)
    if refused:
        label = f"{label} · not valid, {plain(control.named(field, value))} applies"
    elif changed:
        label = f"● {label} · was {plain(control.named(field, was))}"
    elif idle:
        label = f"{label} · {idle}"
    says = f"No effect here: {idle}" if idle else ""
    helps = " — ".join(filter(None, [field.help(value), says]))
    disabled = bool(idle) and not changed
    return Look(field, was, held_value(field, value), {"label": label, "help": helps, "disabled": disabled})


def draw(control: Control, seen: Look, on_change: Callable[[str], None], refused: bool = False) -> None:
    """Draw the widget of a control; its value lives in the session state under the field's path.

    It is that of the second scenario *asked*, but for a *refused* one, which stays as it was typed.
    """
    common = seen.common | {"key": control.path, "on_change": on_change, "args": (control.path,)}
    held = st.session_state.get(control.path, seen.held) if refused else seen.held
    # A browser that is late builds a control anew from its last drawing, so that has to say the value; where it is
    # set from here, Streamlit wants it said once.
    # One that may be left empty says none, as the browser can empty no other.
    same = st.session_state.get(control.path, held) == held
    says_value = same and not seen.field.optional
    if not says_value and not (same and control.path in st.session_state):
        st.session_state[control.path] = held
    _widget(control, seen.field, seen.was, held, common, says_value)


def _widget(
    control: Control, field: Facts, was: Any, held: Any, common: dict[str, Any], says_value: bool
) -> None:
    """The widget that suits the field, with its value *held* where *says_value*."""
    shown_value, takes = held if says_value else None, field.kind
    match takes:
        case "ladder":
            st.select_slider(options=field.options, value=shown_value, format_func=field.show, **common)
        case "choice" | "text":
            _choice(control, field, was, held, common, says_value)
        case "flag" if field.optional:
            st.selectbox(
                options=(True, False), index=None if shown_value is None else int(not shown_value),
                placeholder="not given",
                format_func=lambda flag: "yes" if flag else "no", **common,
            )  # fmt: skip
        case "flag":
            st.toggle(value=bool(shown_value), **common)
        case "size" | "duration":
            example = "bytes, or 8K, 512M, 1.5G" if field.kind == "size" else "seconds, or 5 ms, 250 µs"
            st.text_input(value=shown_value or "", placeholder=example, **common)
        case "share":
            _slider(field, held, common, says_value)
        case _:
            _number(field, was, held, common, says_value)


def _choice(
    control: Control, field: Facts, was: Any, held: Any, common: dict[str, Any], says_value: bool
) -> None:
    """Some words, all in sight where they are few."""
    if field.kind == "choice" and len(field.options) <= 3 and not field.titles:
        names = SHOWN.get(control.path, {})
        st.segmented_control(
            options=field.options, default=held if says_value else None, required=True, width="stretch",
            format_func=lambda option: names.get(option, option), **common,
        )  # fmt: skip
        return
    given = [as_text(value) for value in (was, held) if value is not None]
    options = list(dict.fromkeys([*field.options, *control.offers, *given]))
    first = options.index(held) if says_value and held in options else None if field.optional else 0
    st.selectbox(
        options=options, index=first, accept_new_options=field.kind == "text", placeholder="not given",
        format_func=field.show if field.kind == "choice" else str, **common,
    )  # fmt: skip


def _number(field: Facts, was: Any, held: Any, common: dict[str, Any], says_value: bool) -> None:
    """A whole number, or one in the field's unit, or a share in percent."""
    none: Any = None if field.optional else "min"
    value, low = held if says_value else none, field.low or 0
    if field.kind == "whole":
        st.number_input(
            min_value=int(low), max_value=_most(field), value=value, step=step_of(was or 0),
            placeholder="not given", **common,
        )  # fmt: skip
        return
    # A lower limit that is not allowed itself is offered all the same: whoever goes there is told so, and no
    # value just above it is out of reach.
    scale, step = (1, 1.0) if field.unit else (100, 0.1)
    st.number_input(
        min_value=float(low) * scale, max_value=float(_most(field)) * scale, value=value, step=step,
        format="%.6g", placeholder="not given", **common,
    )  # fmt: skip


def step_of(value: float) -> int:
    """A step for a whole number: a tenth of its magnitude, 1 at least."""
    return int(max(1, 10 ** (len(str(int(abs(value)))) - 2)))


def _slider(field: Facts, held: Any, common: dict[str, Any], says_value: bool) -> None:
    low, high = field.low or 0, field.high or 1
    value = held if says_value else None
    if field.unit == "%" and isinstance(held, int):
        st.slider(min_value=int(low), max_value=int(high), value=value, step=1, format="%d%%", **common)
    else:
        step = (high - low) / 100
        st.slider(
            min_value=float(low), max_value=float(high), value=value, step=step, format="percent", **common
        )


def _most(field: Facts) -> int:
    """The upper limit, within what a browser counts exactly."""
    return int(min(field.high if field.high is not None else 2**53 - 1, 2**53 - 1))
