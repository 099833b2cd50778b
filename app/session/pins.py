"""Scenarios pinned for comparison: the first is the baseline; kept in the session, and as an address has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from blocktime.app.base.output import one_line
from blocktime.app.base.text_packing import LONGEST
from blocktime.app.controls import user_files
from blocktime.app.controls.page_question import opened
from blocktime.app.controls.settings import change_words
from blocktime.app.session import address, navigation
from blocktime.model.errors import SpecError, cut
from blocktime.scenarios import library

BASE: Final = "base"
KEYS: Final = (BASE, "b", "c", "d", "e")
"""What the address calls them: the baseline and up to four alternatives."""
MOST: Final = len(KEYS)
CALLED: Final = "called"
LONGEST_NAME: Final = 60
LONGEST_AUTOMATIC: Final = 80
SESSION_KEY: Final = "pins.held"


@dataclass(frozen=True)
class Pin:
    """One scenario with what is changed in it."""

    name: str
    changes: tuple[tuple[str, str], ...] = ()
    called: str = ""
    """The reader's word for it; empty where none was given."""

    @property
    def key(self) -> str:
        """What tells it from others, whatever it is called and wherever it stands."""
        return blake2b(repr((self.name, self.changes)).encode(), digest_size=6).hexdigest()


Pins = tuple[Pin, ...]
EXAMPLE: Final[Pins] = (
    Pin("full-scan-nvme"),
    Pin("full-scan-nvme", (("tablespace.block_size_bytes", "16384"),)),
    Pin("full-scan-nvme", (("disk.use", "ebs-gp3"),)),
)
"""What the page of comparisons opens with; the first pin of a reader's own takes its place."""


def title_of(pin: Pin, base: Pin) -> str:
    """The reader's word for *pin*, or what is changed in it; with the scenario where that is not the baseline's."""
    return pin.called or automatic(pin, base)


def automatic(pin: Pin, base: Pin) -> str:
    """What it is called where the reader does not say."""
    changed = ", ".join(change_words(path, text) for path, text in pin.changes)
    if changed and pin.name == base.name:
        return cut(changed[0].upper() + changed[1:], LONGEST_AUTOMATIC)
    return cut(", ".join(filter(None, [user_files.title(pin.name), changed])), LONGEST_AUTOMATIC)


def added(pins: Pins, pin: Pin) -> Pins:
    """*pins* with one more at the end; the same where it is full or has that scenario already."""
    return pins if why_not(pins, pin) else (*pins, pin)


def pinned(pins: Pins, name: str, changes: Mapping[str, str], base: Mapping[str, str] | None = None) -> Pins:
    """*pins* with what the first page shows; the first one brings along the baseline that it differs from.

    *base* is what that baseline changes in the scenario.
    """
    pin, its_base = Pin(name, tuple(changes.items())), Pin(name, tuple((base or {}).items()))
    return added((its_base,) if not pins or pins == EXAMPLE else pins, pin)


def why_not(pins: Pins, pin: Pin) -> str:
    """Why *pin* cannot be added; empty where it can."""
    if pin.key in (pin.key for pin in pins):
        return "This is already pinned"
    if len(pins) >= MOST:
        return f"{MOST} scenarios are pinned; remove one first"
    return ""


def removed(pins: Pins, place: int) -> Pins:
    """*pins* without the one at *place*."""
    return pins[:place] + pins[place + 1 :]


def moved(pins: Pins, place: int, to: int) -> Pins:
    """*pins* with the one at *place* moved to the place *to*; the first place is the baseline's."""
    rest = removed(pins, place)
    return (*rest[:to], pins[place], *rest[to:])


def renamed(pins: Pins, place: int, called: str) -> Pins:
    """*pins* with the one at *place* called otherwise; nothing gives it its own name back."""
    word = " ".join(one_line(called)[:LONGEST_NAME].split())
    return (*pins[:place], replace(pins[place], called=word), *pins[place + 1 :])


# In an address


def written(pins: Sequence[Pin]) -> dict[str, str]:
    """What an address has of *pins*; raises :class:`SpecError` where there is no room for them in one."""
    texts = {key: _text(pin) for key, pin in zip(KEYS, pins, strict=False)}
    count = len(urlencode(texts))
    if count > LONGEST:
        raise SpecError(f"the comparison takes {count:,} characters of a link; it has room for {LONGEST:,}")
    return texts


def _text(pin: Pin) -> str:
    """``NAME&FIELD=VALUE``, or the packed form that the first page's address has."""
    query = address.written(opened(pin.name, dict(pin.changes)), "")
    if pin.called:
        query[CALLED] = pin.called
    name = query.pop(address.SCENARIO, None)
    return "&".join(filter(None, [name, urlencode(query)]))


def read(query: Mapping[str, str]) -> tuple[Pins, list[str]]:
    """The pins that an address asks for, and a sentence for whatever of it cannot be."""
    pins: Pins = ()
    notes = [f"The link has {cut(key)!r}, which is not a field of this page." for key in query if key not in KEYS]
    for key in KEYS:
        if key not in query:
            continue
        try:
            pin, refused = _pin(query[key])
        except SpecError as error:
            notes.append(f"The link's {key!r} is left out: {error}")
            continue
        if why := why_not(pins, pin):
            refused = [f"it is left out: {why[0].lower()}{why[1:]}"]
        notes += [f"Of {key!r}: {text}" for text in refused]
        pins = added(pins, pin)
    return pins, notes[:MOST_NOTES]


MOST_NOTES: Final = 8


def _pin(text: str) -> tuple[Pin, Sequence[str]]:
    """One scenario of an address, and what is wrong with its fields; raises :class:`SpecError` where it is none."""
    name, _, rest = text.partition("&")
    if "=" in name:
        name, rest = "", text
    try:
        query = dict(parse_qsl(rest, keep_blank_values=True, max_num_fields=address.MOST_FIELDS + 2))
    except ValueError:
        raise SpecError(f"it sets more than {address.MOST_FIELDS:,} fields") from None
    called = query.pop(CALLED, "")
    if address.PACKED in query:
        user_files.opened_link(query[address.PACKED])  # says what is wrong with it
    elif name not in library():
        raise SpecError(f"it names no scenario that exists ({cut(name)})")
    if name:
        query[address.SCENARIO] = name
    question, notes = address.read(query, next(iter(library())))
    (pin,) = renamed((Pin(question.name, tuple(question.changed.items())),), 0, called)
    return pin, notes


# In the session


def session_pins() -> Pins:
    """The pins of this session."""
    pins: Pins = st.session_state.get(SESSION_KEY, ())
    return pins


def pins_of_reader() -> Pins:
    """The pins of this session, without the example."""
    return () if session_pins() == EXAMPLE else session_pins()


def put(pins: Pins) -> None:
    """Keep *pins* in this session."""
    st.session_state[SESSION_KEY] = pins


def look(name: str, changes: Mapping[str, str]) -> tuple[str, int]:
    """What :func:`button` says of the scenario *name* with *changes*: why it cannot be pinned, and how many are."""
    pins = pins_of_reader()
    return why_not(pins, Pin(name, tuple(changes.items()))), len(pins)


def button(why: str, count: int, add: Callable[[], None]) -> None:
    """A button that pins what is shown by *add*, if it can be, and one that goes to the comparison of *count* pins."""
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Add to comparison", key="pins.add", icon=":material/keep:", disabled=bool(why), width="stretch",
            help=why or "Pins this screen for a comparison; a changed scenario is pinned with its baseline",
            on_click=add,
        )  # fmt: skip
        if count:
            st.button(
                f"Compare {count}", key="pins.open", icon=":material/compare_arrows:", width="stretch",
                help="Compares the pinned scenarios", on_click=navigation.go_to, args=(navigation.COMPARE,),
            )  # fmt: skip
