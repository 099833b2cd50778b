"""A fast way answers only what it reads: other fields off their neutral value are played by events, or do nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, Literal

import pytest
from pydantic import ValidationError

from blocktime.model.demand.calls import files_of
from blocktime.model.errors import OutsideLaw, OverBudget
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.sim.data_files import is_in_order, largest_request_bytes
from blocktime.model.sim.fast import NEUTRAL, ORACLE_COSTS, OTHER_SECTIONS, PAGE_CACHE, reads_all
from blocktime.model.spec import Disk, Host, Iostat, ReadStream, System, Transactions, WriteStream
from blocktime.model.spec.transactions import Transaction
from blocktime.model.units import KIB, MIB
from blocktime.model.workloads.streams.alone import is_alone
from blocktime.model.workloads.streams.processes import simulate as simulate_streams
from blocktime.model.workloads.streams.queued import is_queued
from blocktime.model.workloads.transactions import at_begin
from blocktime.model.workloads.transactions.processes import simulate as simulate_transactions
from tests.leaves import same_answer
from tests.scenarios.every_field import fields_of, others
from tests.whole import quick

FLASH = Disk(rotation_s=0, average_seek_s=0, overhead_s=1e-3, bandwidth_bytes_per_s=2e7)
QUICK = Iostat(interval_s=0.05)
RAW = {"block_size_bytes": 8 * KIB, "count": 40, "span_bytes": 8 * MIB, "pattern": "random"}
ARRIVING = {**RAW, "rate_per_s": 900.0}
SMALL_REQUESTS = {"scheduler": "none", "max_request_bytes": 8 * KIB}
CACHED = Disk(write_cache_bytes=64 * KIB, read_hit_fraction=0.3)
SET = Disk(raid_level="5", raid_disks=4, iops_limit=2000.0, burst_iops=3000.0, burst_credits=20.0)
STREAMS: dict[str, tuple[System, Any]] = {
    "one by one": (System(iostat=QUICK), ReadStream(**RAW, think_s=0.002)),
    "one by one, write cache": (System(disk=CACHED, iostat=QUICK), WriteStream(**RAW)),
    "one by one, set with a limit": (System(disk=SET, iostat=QUICK), WriteStream(**RAW)),
    "arriving at one server": (
        System(disk=FLASH, iostat=QUICK, host=Host(**SMALL_REQUESTS)),
        WriteStream(**ARRIVING),
    ),
    "arriving, service by chance": (
        System(
            disk=FLASH.model_copy(update={"service_cv": 1.0, "parallel_requests": 3}),
            iostat=QUICK,
            host=Host(**SMALL_REQUESTS),
        ),
        ReadStream(**ARRIVING),
    ),
    "windows beside each other": (
        System(iostat=QUICK),
        ReadStream(**RAW, in_flight=4, batch=2, beside=(WriteStream(**RAW, users=2),)),
    ),
    "arriving behind a scheduler": (System(iostat=QUICK), ReadStream(**{**RAW, "rate_per_s": 150.0})),
}
SEVERAL = quick(1, 2)
"""Values of a field, each tried alone."""
PARTS = quick(2, 1)
"""Of the fields that are off their values with one stream; the next stream has the others."""


def changed(
    system: System,
    work: Any,
    sections: Callable[[str], bool],
    several: int = SEVERAL,
    part: slice = slice(None),
) -> Iterator[tuple[str, System, Any]]:
    """The scenario with every field of some sections off its value, or with a *part* of them, one by one."""
    kind = work.kind
    now = {**system.model_dump(), "workload": work.model_dump()}
    for path, schema in list(fields_of(kind))[part]:
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


def has_fast_way(system: System, work: Any) -> bool:
    files = files_of(system, work, capacity_of(system.disk))
    return is_alone(system, files) or is_queued(system, files)


def matters(section: str) -> bool:
    return section not in OTHER_SECTIONS


@pytest.mark.parametrize("name", STREAMS)
def test_a_fast_way_declines_a_field_that_it_does_not_read_or_answers_as_the_events(name: str) -> None:
    system, work = STREAMS[name]
    assert has_fast_way(system, work)
    taken = 0
    part = slice(list(STREAMS).index(name) % PARTS, None, PARTS)
    for what, asked, calls in changed(system, work, matters, part=part):
        try:
            if not has_fast_way(asked, calls):
                continue
            events = simulate_streams(asked, calls, seed=2, name="", compiled=False)
        except OutsideLaw:
            continue
        same_answer(simulate_streams(asked, calls, seed=2, name=""), events, what)
        taken += 1
    assert taken > 40 / PARTS


def test_other_sections_decide_nothing() -> None:
    system, work = STREAMS["arriving behind a scheduler"]
    expected = simulate_streams(system, work, seed=2, name="", compiled=False)
    for what, asked, calls in changed(system, work, lambda section: section in OTHER_SECTIONS[:-1]):
        assert has_fast_way(asked, calls), what
    last = {section: getattr(asked, section) for section in OTHER_SECTIONS}
    found = simulate_streams(system.model_copy(update=last), work, seed=2, name="", compiled=False)
    same_answer(found, expected)


class DiskOfTomorrow(Disk):
    filling_cache_bytes: int = 0


class HostOfTomorrow(Host):
    throttled: Literal["no", "yes"] = "no"


class ReadsOfTomorrow(ReadStream):
    hint: int | None = None


class WritesOfTomorrow(WriteStream):
    hint: int | None = None


class SystemOfTomorrow(System):
    network: Iostat = Iostat()


@pytest.mark.parametrize("name", STREAMS)
def test_a_field_that_is_added_is_played_by_events(name: str) -> None:
    system, work = STREAMS[name]
    disk, host = dict(system.disk), dict(system.host)
    other = ReadsOfTomorrow if isinstance(work, ReadStream) else WritesOfTomorrow
    for off in (False, True):
        added = [
            (system.model_copy(update={"disk": DiskOfTomorrow(**disk, filling_cache_bytes=int(off))}), work),
            (
                system.model_copy(update={"host": HostOfTomorrow(**host, throttled="yes" if off else "no")}),
                work,
            ),
            (system, other(**dict(work), hint=1 if off else None)),
            (SystemOfTomorrow(**dict(system), network=Iostat(first_s=float(off))), work),
        ]
        for asked, calls in added:
            assert has_fast_way(asked, calls) != off
            method = simulate_streams(asked, calls, seed=2, name="").played_by
            assert method.startswith("simulation of programs" if off else "simulation of all calls")


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
