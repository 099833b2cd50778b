"""A fast way answers only what it reads: other fields off their neutral value are played by events, or do nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest
from pydantic import ValidationError

from blocktime.model.errors import OutsideLaw, OverBudget
from blocktime.model.sim.data_files import is_in_order, largest_request_bytes
from blocktime.model.sim.fast import NEUTRAL, ORACLE_COSTS, PAGE_CACHE, reads_all
from blocktime.model.spec import Disk, Host, Iostat, System, Transactions
from blocktime.model.spec.transactions import Transaction
from blocktime.model.units import MIB
from blocktime.model.workloads.transactions import at_begin
from blocktime.model.workloads.transactions.processes import simulate as simulate_transactions
from tests.leaves import same_answer
from tests.scenarios.every_field import fields_of, others
from tests.whole import quick

QUICK = Iostat(interval_s=0.05)
SEVERAL = quick(1, 2)
"""Values of a field, each tried alone."""


def changed(
    system: System,
    work: Any,
    sections: Callable[[str], bool],
    several: int = SEVERAL,
) -> Iterator[tuple[str, System, Any]]:
    """The scenario with every field of some sections off its value, one by one."""
    kind = work.kind
    now = {**system.model_dump(), "workload": work.model_dump()}
    for path, schema in fields_of(kind):
        section, *names = path.split(".")
        if not sections(section) or "0" in names:
            continue
        here = now[section]
        for name in names[:-1]:
            here = here[name] if here else None
        if here is None:
            continue
        for value in others(schema, path, here[names[-1]])[:several]:
            mapping = deepcopy(now[section])
            below = mapping
            for name in names[:-1]:
                below = below[name]
            below[names[-1]] = value
            what = f"{path} = {value!r}"
            try:
                if section == "workload":
                    yield what, system, type(work).model_validate(mapping)
                else:
                    part = type(getattr(system, section)).model_validate(mapping)
                    yield what, system.model_copy(update={section: part}), work
            except ValidationError:
                continue


class DiskOfTomorrow(Disk):
    filling_cache_bytes: int = 0


def test_neutral_values_are_those_of_fields() -> None:
    for path, value in NEUTRAL.items():
        section, name = path.split(".")
        part = getattr(System(), section)
        assert getattr(part, name) != value, "its default is neutral: leave it out"
        assert type(part).model_validate({**dict(part), name: value, "track_seek_s": None})


def test_what_is_not_read_must_be_neutral() -> None:
    assert not reads_all(frozenset(), System())
    neutral = System(disk=Disk(rotation_s=0, average_seek_s=0))
    assert reads_all(frozenset(), neutral)
    assert reads_all(frozenset({"disk.rotation_s", "disk.average_seek_s"}), System())


# Data files of transactions

ROOM = Disk(rotation_s=0, average_seek_s=0, overhead_s=1e-4, bandwidth_bytes_per_s=2e9, parallel_requests=100)
MIX = Transactions(
    mix=(Transaction(gets=20, changed_blocks=4),),
    users=4,
    think_s=0.01,
    transactions=100,
    data_bytes=64 * MIB,
)


def is_without_queue(system: System) -> bool:
    return is_in_order(system, largest_request_bytes(system.host), system.tablespace.block_size_bytes)


def test_data_files_without_a_queue_decline_what_they_do_not_read_or_are_as_behind_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = System(disk=ROOM, iostat=QUICK)
    assert is_without_queue(system)
    taken = 0
    narrow = {"parallel_requests": 1, "queue_depth": 2, "read_hit_fraction": 0.6, "overhead_s": 1e-3}
    kept = System(disk=ROOM.model_copy(update=narrow), iostat=QUICK)
    every = list(changed(system, MIX, lambda section: section in ("disk", "host", "iostat"), 1))
    for what, asked, _ in [*every, ("disk: answers of a cache hold places of a short queue", kept, MIX)]:
        if what.split(" ")[0] in ORACLE_COSTS | PAGE_CACHE or not is_without_queue(asked):
            continue
        try:
            fast = simulate_transactions(asked, MIX, seed=2, name="")
        except (OutsideLaw, OverBudget):
            continue
        with monkeypatch.context() as patch:
            patch.setattr(at_begin, "is_in_order", lambda *_: False)
            same_answer(fast, simulate_transactions(asked, MIX, seed=2, name=""), what)
        taken += 1
    assert taken > 15


def test_data_files_with_a_field_that_is_added_stand_behind_the_queue() -> None:
    for off in (False, True):
        tomorrow = DiskOfTomorrow(**dict(ROOM), filling_cache_bytes=int(off))
        assert is_without_queue(System().model_copy(update={"disk": tomorrow})) != off
    kept_out = System(disk=ROOM, host=Host(nr_requests=4))
    assert not is_without_queue(kept_out)
