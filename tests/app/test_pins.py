"""Pins: which may be added, their order, and the address that holds them."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.app.base import text_packing
from blocktime.app.controls import user_files
from blocktime.app.session import pins
from blocktime.app.session.pins import Pin
from blocktime.model.errors import SpecError
from blocktime.scenarios import library

SIZES = ("2048", "4096", "8192", "16384", "32768")
PIN = st.builds(
    Pin,
    st.sampled_from(sorted(library())[:3]),
    st.sampled_from(SIZES).map(lambda size: (("tablespace.block_size_bytes", size),)) | st.just(()),
    st.text(max_size=80).map(lambda word: pins.renamed((Pin("rahn-full-scan"),), 0, word)[0].called),
)
SCAN = Pin("rahn-full-scan")
LARGE = Pin("rahn-full-scan", (("tablespace.block_size_bytes", "16384"),))


def filled(found: list[Pin]) -> pins.Pins:
    held: pins.Pins = ()
    for pin in found:
        held = pins.added(held, pin)
    return held


@given(st.lists(PIN, max_size=12))
def test_there_are_never_more_than_five_and_no_two_alike(found: list[Pin]) -> None:
    held = filled(found)
    keys = [pin.key for pin in held]
    assert len(held) == min(pins.MOST, len({pin.key for pin in found}))
    assert len(set(keys)) == len(keys)


@given(st.lists(PIN, min_size=1, max_size=8), st.data())
def test_moving_is_undone_by_moving_back_and_loses_nobody(found: list[Pin], data: st.DataObject) -> None:
    held = filled(found)
    places = st.integers(0, len(held) - 1)
    place, to = data.draw(places), data.draw(places)
    moved = pins.moved(held, place, to)
    assert moved[to] == held[place]
    assert sorted(pin.key for pin in moved) == sorted(pin.key for pin in held)
    assert pins.moved(moved, to, place) == held
    assert pins.moved(held, place, 0)[0] == held[place]


@given(st.lists(PIN, min_size=1, max_size=8))
def test_an_address_opens_the_same_pins(found: list[Pin]) -> None:
    held = filled(found)
    assert pins.read(pins.written(held)) == (held, [])


def test_the_first_pin_with_changes_brings_its_baseline_along() -> None:
    changes = dict(LARGE.changes)
    assert pins.pinned((), "rahn-full-scan", changes) == (SCAN, LARGE)
    assert pins.pinned((), "rahn-full-scan", {}) == (SCAN,)
    before = Pin("rahn-full-scan", (("workload.users", "2"),))
    assert pins.pinned((), "rahn-full-scan", changes, {"workload.users": "2"}) == (before, LARGE)
    assert pins.pinned((SCAN,), "index-range-scan", {}) == (SCAN, Pin("index-range-scan"))


def test_full_and_repeated_pins_say_why_not() -> None:
    held = filled([Pin(name) for name in list(library())[: pins.MOST]])
    assert pins.why_not(held, held[0]) == "This is already pinned"
    assert "5 scenarios are pinned" in pins.why_not(held, LARGE)
    assert pins.why_not((), LARGE) == ""
    assert pins.removed(held, 1) == (held[0], *held[2:])


def test_a_pin_is_called_by_what_is_changed_until_the_reader_says_otherwise() -> None:
    assert pins.title_of(LARGE, SCAN) == "Block size 16K"
    assert pins.title_of(SCAN, SCAN) == library()["rahn-full-scan"].title
    other = pins.title_of(LARGE, Pin("index-range-scan"))
    assert other.startswith("Full scan of 7.2 million rows")
    (called,) = pins.renamed((LARGE,), 0, "  large\nblocks ")
    assert pins.title_of(called, SCAN) == "large blocks"
    assert called.key == LARGE.key
    (again,) = pins.renamed((called,), 0, "")
    assert again == LARGE
    (long,) = pins.renamed((LARGE,), 0, "x" * 500)
    assert len(long.called) == pins.LONGEST_NAME


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nowhere", "names no scenario that exists (nowhere)"),
        ("", "names no scenario that exists ()"),
        ("../../etc/passwd.toml", "names no scenario that exists"),
        ("s=rubbish", "cut off or changed"),
        ("rahn-full-scan&" + urlencode([(f"host.x{number}", "1") for number in range(400)]), "more than 150 fields"),
    ],
)
def test_a_bad_pin_is_left_out_with_one_sentence(text: str, says: str) -> None:
    found, notes = pins.read({"base": "rahn-full-scan", "b": text})
    assert found == (SCAN,)
    (note,) = notes
    assert says in note


def test_bad_fields_repeated_pins_and_unknown_keys_are_said() -> None:
    query = {
        "base": "rahn-full-scan&table.rows=0&table.pctfree_percent=20",
        "b": "rahn-full-scan&table.pctfree_percent=20",
        "foo": "1",
    }
    found, notes = pins.read(query)
    assert found == (Pin("rahn-full-scan", (("table.pctfree_percent", "20"),)),)
    assert len(notes) == 3
    assert "'foo', which is not a field of this page" in notes[0]
    assert "Rows (table.rows): got 0" in notes[1]
    assert "this is already pinned" in notes[2]


def test_an_own_file_travels_along() -> None:
    name, changes, _ = user_files.opened(b'title = "Mine"\n[table]\nrows = 1000\n', "mine.toml")
    assert user_files.is_user_file(name)
    held = (SCAN, Pin(name, tuple(changes.items()), "my own"))
    assert pins.read(pins.written(held)) == (held, [])
    assert "Mine" in pins.title_of(Pin(name), SCAN)


def test_what_has_no_room_in_a_link_is_refused() -> None:
    columns = ", ".join(f'{{type = "varchar2", bytes = {7 + number % 90}}}' for number in range(900))
    content = f"[table]\nrows = 1000\ncolumns = [{columns}]\n".encode()
    sources = [content + f"pctfree_percent = {number}\n".encode() for number in range(5)]
    noise = [pins.Pin(user_files.opened(text, f"mine{number}.toml")[0]) for number, text in enumerate(sources)]
    most = 3 * max(len(pin.name) for pin in noise)
    if most < text_packing.LONGEST:
        noise = [Pin(pin.name, (("client.round_trip_s", "1" * 9_000),)) for pin in noise]
    with pytest.raises(SpecError, match="characters of a link"):
        pins.written(noise)
