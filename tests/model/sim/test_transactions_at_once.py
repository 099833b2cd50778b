"""The compiled loop of transactions is the simulation by events, in every number of the result."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from model.sim import at_once
from model.sim.transactions_run import simulate_transactions
from model.spec import Disk, Host, Instance, System, Transactions
from model.spec.transactions import Transaction
from model.units import MIB

CLOSE = 1e-9
KINDS = (
    Transaction(name="changes", weight=3, gets=30, changed_blocks=6),
    Transaction(name="looks", gets=80, changed_blocks=0, commits=False, redo_bytes=0),
    Transaction(name="loads", gets=12.5, changed_blocks=11.2, redo_bytes=3 * MIB, calls=1),
)


def flash(**fields: Any) -> Disk:
    return Disk(
        **{
            "rotation_s": 0.0,
            "average_seek_s": 0.0,
            "overhead_s": 1e-4,
            "bandwidth_bytes_per_s": 2e9,
            "parallel_requests": 32,
            **fields,
        }
    )


def numbers_of(given: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All leaves of a result."""
    if isinstance(given, dict):
        for key, value in given.items():
            yield from numbers_of(value, f"{path}.{key}")
    elif isinstance(given, list | tuple):
        for place, value in enumerate(given):
            yield from numbers_of(value, f"{path}[{place}]")
    else:
        yield path, given


def same(system: System, work: Transactions, seed: int) -> None:
    """Both ways, mark by mark."""
    loop = simulate_transactions(system, work, seed=seed, name="", compiled=True)
    events = simulate_transactions(system, work, seed=seed, name="", compiled=False)
    assert (loop.method, events.method.split()[0]) == (at_once.METHOD, "simulation")
    found, wanted = (dict(numbers_of(one.model_dump(exclude={"method"}))) for one in (loop, events))
    assert found.keys() == wanted.keys()
    for path, value in wanted.items():
        if isinstance(value, float):
            assert found[path] == pytest.approx(value, rel=CLOSE, abs=1e-15), path
        else:
            assert found[path] == value, path


def drawn(seed: int) -> tuple[System, Transactions]:
    """A small scenario drawn at random."""
    draws = np.random.default_rng(seed)

    def one_of(*values: Any) -> Any:
        return values[draws.integers(len(values))]

    keep = one_of(0, 0, MIB)
    mix = tuple(KINDS[k] for k in sorted(draws.choice(3, one_of(1, 2, 3), replace=False)))
    system = System(
        host=Host(
            cpus=one_of(1, 2, 8),
            threads_per_core=one_of(1, 1, 2, 4),
            max_request_bytes=one_of(64, 512, 4096) * 1024,
        ),
        disk=one_of(
            flash(),
            flash(service_cv=1.0),
            flash(parallel_requests=1, write_overhead_s=2e-5, write_bandwidth_bytes_per_s=1e9),
        ),
        instance=Instance(
            buffer_cache_bytes=one_of(1, 2, 8) * MIB,
            db_keep_cache_bytes=keep,
            checkpoint_s=one_of(1, 5, 60),
            db_writer_requests=one_of(1, 2, 64),
            redo_disk=one_of("own", "data"),
        ),
    )
    users = one_of(1, 5, 40, 150)
    arriving = draws.random() < 0.3
    work = Transactions(
        mix=mix,
        users=1 if arriving else users,
        **({"rate_per_s": one_of(5.0, 20.0)} if arriving else {"think_s": one_of(0.0, 0.01, 0.5)}),
        think_cv=one_of(0.0, 1.0, 2.0),
        transactions=one_of(250, 700),
        data_bytes=20 * MIB,
        hot_pool="keep" if keep else "default",
        hot_gets_percent=one_of(50, 95),
        hottest_changes_percent=one_of(0.0, 20.0),
        begins=one_of("warm", "cold"),
    )
    return system, work


@pytest.mark.parametrize("seed", range(40))
def test_the_loop_is_the_simulation_by_events(seed: int) -> None:
    same(*drawn(seed), seed)


def test_where_every_buffer_is_dirty_both_wait_alike() -> None:
    instance = Instance(buffer_cache_bytes=MIB, checkpoint_s=5, db_writer_requests=2)
    work = Transactions(
        mix=(Transaction(gets=30, changed_blocks=25),),
        users=30,
        think_s=0.0,
        transactions=1000,
        data_bytes=20 * MIB,
        begins="cold",
    )
    system = System(disk=flash(), instance=instance)
    same(system, work, 1)
    result = simulate_transactions(system, work, seed=1, name="", compiled=True)
    assert result.time.wait["free buffer waits"].waits > 1


def test_a_run_that_goes_on_until_it_is_precise_is_the_same() -> None:
    work = Transactions(users=20, think_s=0.1, data_bytes=200 * MIB, precision_percent=0.5)
    same(System(disk=flash()), work, 3)


@cache
def _rotating() -> Disk:
    return Disk()


@pytest.mark.parametrize(
    ("disk", "mix"),
    [
        (_rotating(), KINDS[:1]),
        (flash(write_cache_bytes=MIB), KINDS[:1]),
        (flash(read_hit_fraction=0.2), KINDS[:1]),
        (flash(iops_limit=10_000.0), KINDS[:1]),
        (flash(), (Transaction(scan_blocks=50),)),
    ],
)
def test_what_the_loop_does_not_know_is_played_by_events(disk: Disk, mix: tuple[Transaction, ...]) -> None:
    work = Transactions(mix=mix, users=3, transactions=100, data_bytes=20 * MIB)
    result = simulate_transactions(System(disk=disk), work, seed=0, name="", compiled=True)
    assert result.method is not None
    assert result.method.startswith("simulation of users")


def test_more_under_way_than_there_is_room_for_are_played_by_events(monkeypatch: pytest.MonkeyPatch) -> None:
    from model.sim import at_once_parts

    work = Transactions(rate_per_s=500, transactions=300, data_bytes=20 * MIB)
    wanted = simulate_transactions(System(disk=flash()), work, seed=0, name="", compiled=False)
    monkeypatch.setattr(at_once_parts, "MOST_SESSIONS", 2)
    assert simulate_transactions(System(disk=flash()), work, seed=0, name="", compiled=True) == wanted


def test_short_runs_are_played_by_events_and_long_ones_by_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Transactions(mix=KINDS[:1], users=5, transactions=500, data_bytes=20 * MIB)
    short = simulate_transactions(System(disk=flash()), work, seed=0, name="")
    monkeypatch.setattr(at_once, "LEAST_STEPS", 5_000)
    long = simulate_transactions(System(disk=flash()), work, seed=0, name="")
    assert short.method != long.method == at_once.METHOD
