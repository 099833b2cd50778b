"""Numbers under keys in rows, plain and compiled, are those of a dict."""

import random
from typing import Any

import pytest

from blocktime.model import loops
from blocktime.model.loops.places import Places


@pytest.mark.parametrize("kind", [Places, loops.fastest(Places)], ids=("plain", "compiled"))
def test_numbers_are_found_under_their_keys(kind: Any) -> None:
    draws, places, numbers = random.Random(1), kind(), {}
    for number in range(20_000):
        key = draws.randrange(300) * draws.choice([1, 128, 4096])
        if draws.random() < 0.6:
            places.put(key, number)
            numbers[key] = number
        else:
            places.drop(key)
            numbers.pop(key, None)
        asked = draws.randrange(300)
        assert places.at(asked) == numbers.get(asked, -1)
    assert places.used == len(numbers)
