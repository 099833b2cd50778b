"""What a run of the tests leaves out, unless it is whole: `python3 dev.py test --whole`."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

import pytest

WHOLE: Final = os.environ.get("BLOCKTIME_WHOLE") == "1"
"""Whether every case is tested, every seed simulated, and generated tests try new and more examples."""
SEED: Final = int(os.environ.get("BLOCKTIME_SEED", "1"))
"""Chooses the cases of a sample; pytest prints it."""

ANSWERS: Final = "BLOCKTIME_TESTS_ANSWERS"
"""Variable of the environment: the folder in which the workers of one run keep answers for each other."""


def quick(number: int, whole: int) -> int:
    """*number* of runs, examples or requests where the tests are to be quick, else *whole*."""
    return whole if WHOLE else number


def sample(cases: Sequence[Mapping[str, object]], size: int, seed: object) -> set[int]:
    """Places of *size* of the *cases* by chance, and of so many more that each value that repeats is among them.

    A case maps the names of its parameters to their values.
    """
    named = [{f"{name}={value!r}" for name, value in case.items()} for case in cases]
    times = Counter(value for values in named for value in values)
    order = list(range(len(cases)))
    Random(f"{SEED} {seed}").shuffle(order)
    missing = {value for value, number in times.items() if number > 1}
    chosen: list[int] = []
    while missing:
        chosen.append(max(order, key=lambda place: len(named[place] & missing)))
        missing -= named[chosen[-1]]
    others = [place for place in order if place not in chosen]
    return {*chosen, *others[: max(0, size - len(chosen))]}


def keep_samples(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the marker `sampled(SIZE)` does not keep of the cases of a test."""
    cases: dict[str, list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("sampled"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out: set[pytest.Item] = set()
    for test, group in cases.items():
        marker = group[0].get_closest_marker("sampled")
        assert marker is not None
        chosen = sample([item.callspec.params for item in group], marker.args[0], test)
        left_out |= {item for place, item in enumerate(group) if place not in chosen}
    if left_out and not WHOLE:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
