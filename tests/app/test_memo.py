"""Answers are remembered by which object was asked about, and let go of in time."""

import gc
import weakref

from blocktime.app.base.memo import by_object
from blocktime.model.catalog import Entry


def made(name: str) -> Entry:
    return Entry(name=name, title="", source="", constants={})


def test_the_same_object_is_worked_out_once_and_an_equal_one_again() -> None:
    asked: list[Entry] = []

    @by_object(10)
    def title(one: Entry) -> str:
        asked.append(one)
        return one.name

    first, equal = made("a"), made("a")
    assert first == equal
    assert [title(first), title(first), title(equal), title(equal)] == ["a"] * 4
    assert [one is first for one in asked] == [True, False]


def test_several_objects_are_one_question() -> None:
    asked = 0

    @by_object(10)
    def together(one: Entry, other: Entry) -> str:
        nonlocal asked
        asked += 1
        return one.name + other.name

    a, b = made("a"), made("b")
    assert (together(a, b), together(b, a), together(a, b), asked) == ("ab", "ba", "ab", 2)


def test_what_is_asked_often_enough_makes_room() -> None:
    @by_object(2)
    def name(one: Entry) -> str:
        return one.name

    first = made("first")
    kept = weakref.ref(first)
    name(first)
    del first
    gc.collect()
    assert kept() is not None, "an object that is remembered keeps its place in memory"
    for other in (made("b"), made("c")):
        name(other)
    gc.collect()
    assert kept() is None


def test_an_error_is_no_answer() -> None:
    asked = 0

    @by_object(2)
    def name(one: Entry) -> str:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise KeyError(one.name)
        return one.name

    one = made("a")
    try:
        name(one)
    except KeyError:
        assert name(one) == "a"
