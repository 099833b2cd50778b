"""The library answers what its frozen answers say: a change of code that moves a number shows which, and how far."""

from __future__ import annotations

import pytest

from blocktime.scenarios import library
from tests.golden.answers import FOLDER, SEEDS, Numbers, estimated, frozen, simulated
from tests.whole import WHOLE

LONG = 5_000
"""Measured transactions of a run that is long."""
SAME = 1e-9
AGAIN = "; python -m tests.golden.answers NAME writes them again once the changelog says why they moved"


def test_every_library_scenario_is_frozen_and_nothing_else() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(library())


def moved(now: Numbers, then: Numbers) -> list[str]:
    """What differs, as "path: then -> now"."""
    return [
        f"{path}: {then.get(path, 'absent')} -> {now.get(path, 'absent')}"
        for path in sorted(now.keys() | then.keys())
        if not alike(now.get(path), then.get(path))
    ]


def alike(now: float | str | None, then: float | str | None) -> bool:
    """Whether two values are the same, floats to nine digits."""
    if isinstance(now, float) and isinstance(then, float):
        return abs(now - then) <= SAME * max(abs(now), abs(then))
    return now == then


@pytest.mark.parametrize("name", sorted(library()))
def test_the_instant_estimate_is_the_frozen_one(name: str) -> None:
    assert not moved(estimated(name), frozen(name)["calculate"]), AGAIN


@pytest.mark.parametrize("seed", SEEDS if WHOLE else SEEDS[:1])
@pytest.mark.parametrize("name", sorted(library()))
def test_the_simulation_is_the_frozen_one(name: str, seed: int) -> None:
    then = frozen(name)[f"simulate {seed}"]
    if not WHOLE and (then.get("transactions.measured", 0) > LONG or "programs[0].kind" in then):  # type: ignore[operator]
        pytest.skip("a long run: python3 dev.py test --whole plays it")
    assert not moved(simulated(name, seed), then), AGAIN


def test_a_moved_number_is_named() -> None:
    assert moved({"a": 1.0, "b": 2}, {"a": 1.0 + 1e-12, "b": 3, "c": 1}) == ["b: 3 -> 2", "c: 1 -> absent"]
