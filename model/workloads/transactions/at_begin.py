"""How a run of transactions begins, whoever plays it: devices, pools, and what chance brings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocktime.model.budget import watch_here
from blocktime.model.demand import transaction_demand
from blocktime.model.errors import OverBudget
from blocktime.model.kernels.buffer_kernel import BUFFER_BYTES, Buffers
from blocktime.model.laws.commit import LOG_FILES_BYTES
from blocktime.model.loops import fastest
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.machine.device.servers import Processors
from blocktime.model.sim.clock import Clock, environment
from blocktime.model.sim.data_files import BlockRequests, Files, OnDevices, largest_request_bytes
from blocktime.model.sim.references import CHUNK, BlockLayout, References, place_limits
from blocktime.model.sim.shared_machine import (
    Machine,
    Place,
    counters_of,
    device_of,
    host_limits_of,
    log_files_of,
    log_writer_of,
    processors_of,
)
from blocktime.model.sim.streams import LEAST_CV, stream, varied
from blocktime.model.sim.writers import LogWriter
from blocktime.model.spec import System, Transactions
from blocktime.model.workloads.transactions.expected_run import ExpectedRun
from blocktime.model.workloads.transactions.parts import on_device
from blocktime.model.workloads.transactions.users import SESSION_BYTES
from blocktime.model.workloads.transactions.warm import Chance, Dirty, dirty, hottest_dirty, together, warm
from blocktime.model.workloads.transactions.write_rates import dirty_groups, due_for_s, written_age_s

MOST_BUFFERS = 50_000_000
FILLED_NS = 250
"""Work of a buffer that holds a block when a run begins."""
DRAWN_BYTES = 48
"""Of a get that is drawn, with what it is drawn from."""
ALONE = Place()


@dataclass(slots=True)
class Begin:
    """A run before its first event."""

    env: Clock
    seed: int
    devices: dict[str, Files]
    """Of the data, by their names."""
    files: BlockRequests
    """Those of the data together."""
    redo: Files
    """The first of *devices* where the log lies among the data."""
    log: LogWriter
    layout: BlockLayout
    references: References
    pools: list[tuple[Buffers, Dirty]]
    gaps_s: Iterator[float] | None
    """Between transactions that arrive."""
    thinks_s: Iterator[float]
    begins_s: NDArray[np.float64]
    """Of the first transaction of each user."""
    processors: Processors
    owner: int = 0
    """Number of the first session."""


def begin_of(
    question: tuple[System, Transactions, ExpectedRun, int], shared: Machine | None = None, place: Place = ALONE
) -> Begin:
    """How a run of transactions begins, on a machine of its own or on one that others share.

    Raises :class:`OverBudget` for what does not fit.
    """
    system, work, expected, seed = question
    data = expected.parts.data
    if shared is not None:
        transaction_demand.check_beside(work)
    shares = [device.share for device in work.data_devices]
    env = environment() if shared is None else shared.env
    devices, redo = _devices(env, (system, work, seed), shared, place)
    first = next(iter(devices.values()))
    gaps_s = None
    thinks_s: Iterator[float] = iter(())
    begins_s = np.empty(0)
    if work.rate_per_s is not None:
        gaps_s = varied(1 / work.rate_per_s, 1.0, stream(seed, "arrivals"))
        gaps_s = chain([place.begin_s + next(gaps_s)], gaps_s)
    else:
        thinks_s = varied(work.think_s, work.think_cv, stream(seed, "think"))
        begins_s = place.begin_s + _left(work.think_s, work.think_cv, work.users, stream(seed, "begin"))
    log_byte = place.first_byte + _behind(system, data, shares[0]) if redo is first else 0
    log = None if shared is None else shared.log
    if log is None:
        log = log_writer_of(env, system, redo, first, log_byte)
        if shared is not None:
            shared.log_files, shared.log = redo, log
    return Begin(
        env=env,
        seed=seed,
        devices=devices,
        files=first if len(devices) == 1 else fastest(OnDevices)(env, list(devices.values())),
        redo=redo,
        log=log,
        layout=fastest(BlockLayout)(data, place.first_byte, shares),
        references=References(expected.parts.kinds, data, seed, work.hottest_blocks),
        pools=_pools(system, work, expected, seed),
        gaps_s=gaps_s,
        thinks_s=thinks_s,
        begins_s=begins_s,
        processors=processors_of(system.host) if shared is None else shared.processors,
        owner=place.owner,
    )


def _left(mean_s: float, cv: float, count: int, draws: np.random.Generator) -> NDArray[np.float64]:
    """What is left of *count* pauses at any moment: a long pause is met more often, and at any place in it."""
    whole_s = np.full(count, mean_s)
    if cv >= LEAST_CV and mean_s:
        whole_s = draws.gamma(1 + 1 / cv**2, mean_s * cv**2, count)
    left_s: NDArray[np.float64] = draws.random(count) * whole_s
    return left_s


def _pools(system: System, work: Transactions, expected: ExpectedRun, seed: int) -> list[tuple[Buffers, Dirty]]:
    """Buffers of the pools, and which are dirty since when."""
    data, rules, watch = expected.parts.data, transaction_demand.touch_rules(system), watch_here()
    watch.hold(SESSION_BYTES * work.users + int(DRAWN_BYTES * CHUNK * expected.parts.mean("drawn_gets")))
    chance = Chance(seed, expected.per_s * expected.parts.gets, system.instance.checkpoint_s)
    pools = []
    for pool in data.pools:
        room = min(pool.room_blocks, int(sum(data.blocks[group] for group in pool.groups)))
        if room > MOST_BUFFERS:
            raise OverBudget(
                f"simulating {room:,} buffers is refused; the limit is {MOST_BUFFERS:,}: make the cache smaller",
                "limit",
            )
        watch.hold(BUFFER_BYTES * room)
        watch.spend(FILLED_NS * room * (work.begins == "warm"))
        buffers = Buffers(max(1, room), rules)
        if work.begins == "warm":
            warm(buffers, pool, data, rules, chance)
        pools.append(buffers)
    if work.begins == "cold":
        return [(buffers, Dirty(NOBODY, np.empty(0))) for buffers in pools]
    per_s = expected.per_s
    # NOTE: DBWR looks as the run begins; what has become due since it looked last is still dirty
    age_s = fastest(written_age_s)(expected.parts, per_s, expected.written)
    age_s += min(fastest(due_for_s)(device, per_s, expected.written) for device in expected.parts.devices)
    groups = fastest(dirty_groups)(expected.parts, per_s, age_s)
    first, *others = [dirty(buffers, data, groups, chance, age_s) for buffers in pools]
    changes_per_s = per_s * expected.parts.hottest_changes
    hottest = hottest_dirty(int(sum(data.blocks)), work.hottest_blocks, changes_per_s, age_s, seed)
    return list(zip(pools, [together(first, hottest), *others], strict=True))


NOBODY = np.empty(0, dtype=np.int64)


def _behind(system: System, data: Any, share: float) -> int:
    """First byte of the log on a disk that has such a share of the data."""
    size = data.block_size_bytes
    room = capacity_of(system.disk) - LOG_FILES_BYTES
    given = system.instance.redo_byte
    wanted = int(place_limits(data) * share) + size if given is None else int(given)
    return int(max(0, min(room, wanted)) // size * size)


def _devices(
    env: Clock, question: tuple[System, Transactions, int], shared: Machine | None, place: Place
) -> tuple[dict[str, Files], Files]:
    """The data disks by their names, and the redo disk, which may be the first of them."""
    system, work, seed = question
    largest = largest_request_bytes(system.host)
    limits = host_limits_of(system) if shared is None else shared.limits
    files: dict[str, Files] = {}
    for number, device in enumerate(work.data_devices):
        there = on_device(system, device)
        counters = counters_of(there)
        chance = seed if number == 0 else seed + number + 1  # the log has the seed behind the first
        if shared is not None:
            apart = shared.counted_apart(place.owner)
            files[device.name] = fastest(Files)(env, shared.disk, largest, place.owner, apart)
        else:
            queue = device_of(env, there, counters, chance, limits)
            files[device.name] = fastest(Files)(env, queue, largest)
    if system.instance.redo_disk == "data":
        return files, next(iter(files.values()))
    of_log = None if shared is None else shared.log_files
    return files, log_files_of(env, system, seed, limits) if of_log is None else of_log
