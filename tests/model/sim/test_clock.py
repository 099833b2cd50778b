"""The calendar of events, plain and compiled, is held to SimPy's own: same order, same times, to the last bit."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import simpy

from blocktime.model import loops
from blocktime.model.loops.calendar import Environment, Steps
from blocktime.model.sim.clock import environment
from blocktime.scenarios import load, run

CALENDARS = (Environment, loops.fastest(Environment))


def story(make: Callable[[], Any], seed: int) -> list[tuple[Any, ...]]:
    """What some processes saw that wait for whatever there is to wait for, often at one moment."""
    env, draws, seen = make(), random.Random(seed), []
    shared = [env.event() for _ in range(40)]

    def other(number: int, steps: int) -> Iterator[Any]:
        for step in range(steps):
            event = draws.choice(shared)
            match draws.randrange(8):
                case 0 | 1:
                    got = yield env.timeout(draws.choice([0, 0.1, 0.3, draws.random()]), (number, step))
                case 2 if not event.triggered:
                    event.callbacks.append(lambda one: seen.append((env.now, "called", one.value)))
                    got = event.succeed(number).triggered
                case 3 if steps > 2:
                    got = yield env.process(other(1000 + number, steps // 2))
                case 4:
                    yield env.any_of([draws.choice(shared), env.timeout(draws.random())])
                    got = "any"
                case 5:
                    yield env.all_of([env.timeout(0.1 * each) for each in range(draws.randrange(4))])
                    got = "all"
                case 6:
                    yield event | env.timeout(0.2)
                    got = event.processed
                case _:
                    got = (yield event) if event.triggered else event.processed
            seen.append((env.now, number, step, got))
        return number

    ends = [env.process(other(number, 12)) for number in range(30)]
    env.run(until=2.5)
    seen.append((env.now, "until"))
    env.run(until=env.any_of(ends[:10]))
    seen.append((env.now, "one of them"))
    env.run()
    seen.append((env.now, [(end.triggered, end.processed) for end in ends]))
    return seen


@pytest.mark.parametrize("make", CALENDARS, ids=("plain", "compiled"))
def test_the_same_story_as_by_simpy(make: Callable[[], Any]) -> None:
    for seed in range(30):
        assert story(make, seed) == story(simpy.Environment, seed)


@pytest.mark.parametrize("make", CALENDARS, ids=("plain", "compiled"))
def test_what_cannot_be_is_refused(make: Callable[[], Any]) -> None:
    env = make()
    with pytest.raises(ValueError, match="Negative delay -1"):
        env.timeout(-1)
    with pytest.raises(ValueError, match="must be greater than"):
        env.run(until=0.0)
    event = env.event()
    with pytest.raises(RuntimeError, match="has not happened"):
        env.run(until=event)
    event.succeed()
    with pytest.raises(RuntimeError):
        event.succeed()

    def broken() -> Iterator[Any]:
        yield env.timeout(1)
        raise ZeroDivisionError

    env.process(broken())
    with pytest.raises(ZeroDivisionError):
        env.run()


SCENARIOS = (
    ("tpc-c", "workload.transactions=300"),
    ("oltp-nvme", "workload.transactions=300", "instance.buffer_cache_bytes=64M", "workload.data_bytes=500M"),
    ("rahn-full-scan",),
    ("backup-beside-users",),
    ("two-updates-one-table",),
    ("shallahamer-buffered",),
    ("magni-dd-fs-100",),
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "settings"), [(name, settings) for name, *settings in SCENARIOS])
def test_the_same_answer_as_by_simpy(name: str, settings: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = load(name, settings)
    answer = run(scenario)
    monkeypatch.setattr(loops, "compiled", lambda: None)
    assert isinstance(environment(), simpy.Environment)
    assert run(scenario) == answer


@pytest.mark.parametrize("make", [simpy.Environment, *CALENDARS], ids=("simpy", "plain", "compiled"))
def test_steps_need_no_event_of_their_own(make: Callable[[], Any]) -> None:
    env, seen = make(), list[Any]()
    began = env.event().succeed("begun")
    env.run()

    def steps() -> Iterator[Any]:
        seen.append((yield began))
        seen.append((yield env.timeout(1, "waited")))

    def no_steps() -> Iterator[Any]:
        yield began

    own = loops.fastest(Steps) if make is CALENDARS[1] else Steps
    assert own(no_steps(), seen.clear).are_over()
    assert not own(steps(), lambda: seen.append(env.now)).are_over()
    assert seen == ["begun"]
    env.run()
    assert seen == ["begun", "waited", 1]
