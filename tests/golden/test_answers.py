"""The library answers what its frozen answers say: a change of code that moves a number shows which, and how far."""

import pytest

from blocktime.model.engine import simulate
from blocktime.model.results import EXACT_SUM
from blocktime.scenarios import library, load, run
from tests.golden.answers import FOLDER, SEEDS, Numbers, answered, frozen, numbers_of
from tests.golden.texts import PAIRS, comparison_of, frozen_text, text_of
from tests.whole import WHOLE

LONG = 50_000
"""Measured transactions of a run that is long."""
SAME = 1e-9
AGAIN = "; python -m tests.golden.answers NAME writes it again; the changelog says why numbers moved"


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


def skip_where_long(answer: Numbers) -> None:
    """Leave a run out that takes long, unless all are tested."""
    is_long = answer.get("transactions.measured", 0) > LONG  # type: ignore[operator]
    if is_long and not WHOLE:
        pytest.skip("a long run: python3 dev.py test --whole plays it")


@pytest.mark.parametrize("seed", SEEDS if WHOLE else SEEDS[:1])
@pytest.mark.parametrize("name", sorted(library()))
def test_the_answer_is_the_frozen_one(name: str, seed: int) -> None:
    then = frozen(name)
    if EXACT_SUM in then:
        assert not moved(answered(name, seed), then[EXACT_SUM]), AGAIN
        return
    of_seed = then[f"seed {seed}"]
    skip_where_long(of_seed)
    assert not moved(answered(name, seed), of_seed), AGAIN


@pytest.mark.parametrize("name", sorted(library()))
def test_the_text_is_the_frozen_one(name: str) -> None:
    skip_where_long(next(iter(frozen(name).values())))
    assert text_of(name) == frozen_text(name), AGAIN


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_the_comparison_is_the_frozen_one(pair: tuple[str, ...]) -> None:
    skip_where_long(next(iter(frozen(pair[0]).values())))
    assert comparison_of(*pair) == frozen_text(*pair), AGAIN


@pytest.mark.parametrize("name", [name for name in sorted(library()) if EXACT_SUM in frozen(name)])
def test_an_exact_sum_is_what_would_be_played(name: str) -> None:
    """Counts to the last one, times to within a billionth, of every number that both have."""
    scenario = load(name)
    played = numbers_of(simulate(scenario.system, scenario.workload, name=name))
    summed = numbers_of(run(scenario))
    both = summed.keys() & played.keys()
    assert not moved({path: summed[path] for path in both}, {path: played[path] for path in both})


def test_a_moved_number_is_named() -> None:
    assert moved({"a": 1.0, "b": 2}, {"a": 1.0 + 1e-12, "b": 3, "c": 1}) == ["b: 3 -> 2", "c: 1 -> absent"]
