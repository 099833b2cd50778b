"""What is never worse with more of a good thing: laws that hold for any system, by simulation, on random scenarios.

A law is broken where the answer is worse by more than 1 % and by more than three standard errors over paired seeds.
``BLOCKTIME_WHOLE=1`` tries 500 scenarios with twenty seeds each.
"""

import random
from collections.abc import Callable, Iterator
from statistics import fmean, stdev
from typing import Any

import pytest

from blocktime.model.budget import Budget, watched
from blocktime.model.engine import simulate
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult
from blocktime.model.spec import System, Workload
from blocktime.scenarios.load import from_mapping
from tests.random_scenarios import KINDS, case
from tests.whole import quick

Question = tuple[System, Any]
TRIALS, WHOLE = 8, 500
SCREEN, SEEDS = quick(2, 4), 20
WORSE, ERRORS = 0.01, 3.0
EACH = Budget(quick(1, 5) * 0.3, 1e9)


ONE_READ = from_mapping(
    {"workload": {"kind": "read_stream", "count": 1, "block_size_bytes": 512, "path": "direct"}}
).workload


def random_question(number: int) -> Question | None:
    """A random scenario with up to two programs beside it; None where these do not go together."""
    draw = random.Random(f"beside {number}")
    kind = draw.choice(KINDS)
    content = case(f"{kind}/{number}")
    beside = []
    for rank in range(draw.choice((0, 1, 1, 2))):
        other = case(f"{draw.choice(KINDS)}/{10_000 * (rank + 1) + number}")
        work = {key: value for key, value in other["workload"].items() if key != "beside"}
        if "table" in other:
            work["table"] = other["table"]
        beside.append(work)
    if beside:
        content["workload"] = {**content["workload"], "beside": beside}
    try:
        scenario = from_mapping(content, f"random {number}")
    except BlocktimeError:
        return None
    return scenario.system, scenario.workload


def of_disk(system: System, **changes: Any) -> System:
    return system.model_copy(update={"disk": system.disk.model_copy(update=changes)})


def quicker_disk(system: System, work: Any) -> Question:
    """Every time of the disk is half as long."""
    disk = system.disk
    halves = ("overhead_s", "write_overhead_s", "average_seek_s", "track_seek_s", "full_seek_s", "rotation_s")
    doubles = ("bandwidth_bytes_per_s", "write_bandwidth_bytes_per_s", "bus_bytes_per_s", "iops_limit")
    changes = {name: value / 2 for name in halves if (value := getattr(disk, name, None)) is not None}
    changes |= {name: 2 * value for name in doubles if (value := getattr(disk, name, None)) is not None}
    return of_disk(system, **changes), work


def more_processors(system: System, work: Any) -> Question | None:
    """Twice as many processors. NOTE: those beside it would come to the disk sooner with them."""
    host = system.host.model_copy(update={"cpus": 2 * system.host.cpus})
    return None if work.beside else (system.model_copy(update={"host": host}), work)


def more_cache(system: System, work: Any) -> Question | None:
    """A buffer cache of twice the size. NOTE: a scan may become one of a small table, which is not read directly."""
    if not work.mixed or work.beside:
        return None
    cache = {"buffer_cache_bytes": 2 * system.instance.buffer_cache_bytes}
    return system.model_copy(update={"instance": system.instance.model_copy(update=cache)}), work


def one_read_beside(system: System, work: Any) -> Question | None:
    """A program more that reads once, which may hold up the others for as long as it takes.

    NOTE: Beside transactions it begins anew as long as the run lasts.
    """
    if not work.beside or work.mixed:
        return None
    return system, work.model_copy(update={"beside": (*work.beside, ONE_READ)})


def fewer_users(system: System, work: Any) -> Question | None:
    """Half as many users, where each does work of its own; sessions that change or load rows share them.

    NOTE: Statements read for each other what they find in the buffer cache.
    """
    own = work.mixed or work.kind.endswith("_stream")
    if not own or work.users < 2 or getattr(work, "rate_per_s", None) is not None:
        return None
    return system, work.model_copy(update={"users": work.users // 2})


def nothing_beside(system: System, work: Any) -> Question | None:
    """The program alone.

    NOTE: Of two beside it, one that goes may let the other hold it up more. A load alone has room for dirty blocks by a
    law of its own, which knows no one beside it.
    """
    is_load = work.kind in ("insert", "import")
    return None if is_load or not work.beside else (system, work.model_copy(update={"beside": ()}))


def other_order(system: System, work: Any) -> Question | None:
    """The programs beside it in the other order."""
    return (system, work.model_copy(update={"beside": work.beside[::-1]})) if len(work.beside) > 1 else None


LAWS: tuple[Callable[[System, Any], Question | None], ...] = (
    quicker_disk, more_processors, more_cache, fewer_users, nothing_beside, one_read_beside, other_order,
)  # fmt: skip


def took_s(question: Question, seed: int) -> float | None:
    """The time that a user sees of the first program, without that of one read beside it.

    None where it is not simulated within the budget.
    """
    system, work = question
    try:
        with watched(EACH):
            result = simulate(system, work, seed=seed)
    except BlocktimeError:
        return None
    reads_once = ONE_READ in work.beside and result.programs
    return _seen_s(result, work) - (result.programs[-1].elapsed_s or 0.0 if reads_once else 0.0)


def _seen_s(result: RunResult, work: Workload) -> float:
    if result.transactions is not None:
        return result.transactions.response_s
    if result.streams and getattr(work, "rate_per_s", None) is not None:
        return result.streams[0].response_s
    return result.time.elapsed_s


def worse(before: Question, after: Question, seeds: range) -> tuple[float, float] | None:
    """By how much the answer is worse, on average over seeds, and the standard error of that."""
    more: list[float] = []
    for seed in seeds:
        was, now = took_s(before, seed), took_s(after, seed)
        if was is None or now is None or not was:
            return None
        more.append(now / was - 1)
    return fmean(more), stdev(more) / len(more) ** 0.5


def broken(number: int) -> Iterator[tuple[str, float, float]]:
    """The laws that a random scenario breaks, of one drawn by chance."""
    question = random_question(number)
    if question is None:
        return
    law = random.Random(f"law {number}").choice(LAWS)
    changed = law(*question)
    if changed is None:
        return
    first = worse(question, changed, range(1, 1 + SCREEN))
    if first is None or first[0] <= WORSE / 2:
        return
    found = worse(question, changed, range(1, 1 + SEEDS))
    if found is not None and found[0] > WORSE and found[0] > ERRORS * found[1]:
        yield law.__name__, *found


@pytest.mark.parametrize("number", range(quick(TRIALS, WHOLE)))
def test_more_of_a_good_thing_is_never_worse(number: int) -> None:
    assert list(broken(number)) == []
