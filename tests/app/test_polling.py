"""A part of the page that is looked at again while something is under way."""

from collections.abc import Callable

import pytest
import streamlit as st

from blocktime.app.base.polling import look_again


@pytest.fixture
def happened(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is drawn and asked for, when a browser looks three times."""
    events: list[object] = []

    def fragment(part: Callable[[], None], run_every: float | None) -> Callable[[], None]:
        def looked_at() -> None:
            events.append(run_every)
            for _ in range(3):
                part()

        return looked_at

    monkeypatch.setattr(st, "fragment", fragment)
    monkeypatch.setattr(st, "rerun", lambda **options: events.append(options["scope"]))
    return events


def test_what_is_under_way_is_drawn_at_each_look(happened: list[object]) -> None:
    look_again(lambda: happened.append("drawn"), 0.5, is_under_way=True)
    assert happened == [0.5, "drawn", "drawn", "drawn"]


def test_a_part_that_rests_answers_a_late_look_with_the_whole_page(happened: list[object]) -> None:
    look_again(lambda: happened.append("drawn"), 0.5, is_under_way=False)
    assert happened == [None, "drawn", "app", "drawn", "app", "drawn"]
