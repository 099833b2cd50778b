"""Reads that an estimate follows: more users than it follows wait as those would that it follows one by one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from blocktime.model import calculate, calculate_many, loops
from blocktime.model.spec import Disk, FullScan, Host, Instance, System, Table
from blocktime.model.workloads.statements import followed
from blocktime.model.workloads.statements.closed_form import asked_of
from blocktime.scenarios import load

USERS = 250


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("rahn-full-scan", ()),
        ("full-scan-filesystem", ()),
        ("index-range-scan-scattered", ("disk.use=sata-7k2", "workload.selectivity_fraction=0.001")),
    ],
)
def test_many_users_take_what_as_many_would_that_are_followed(
    monkeypatch: pytest.MonkeyPatch, name: str, settings: tuple[str, ...]
) -> None:
    scenario = load(name, [*settings, f"workload.users={USERS}"])
    some = calculate(scenario.system, scenario.workload)
    monkeypatch.setattr(followed, "MOST_SESSIONS", USERS)
    every = calculate(scenario.system, scenario.workload)
    for figure in ("elapsed_s", "last_session_s"):
        assert getattr(some.time, figure) == pytest.approx(getattr(every.time, figure), rel=0.01), figure


def test_ten_thousand_users_are_followed_no_longer_than_some(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions: list[int] = []
    replayed = followed._replayed

    def counted(system: System, work: FullScan, *more: Any) -> followed.SessionMeans:
        sessions.append(work.sessions)
        return replayed(system, work, *more)

    monkeypatch.setattr(followed, "_replayed", counted)
    scenario = load("rahn-full-scan", ["workload.users=10000"])
    calculate(scenario.system, scenario.workload)
    assert sessions == [followed.MOST_SESSIONS]


def test_a_file_system_reads_all_of_a_segment_in_large_extents() -> None:
    """Extents of 64 MB have few short reads; those that are followed have many."""
    system = System(
        table=Table(rows=500_000, row_bytes=3_112.0, pctfree_percent=60),
        instance=Instance(release="10.2.0.4", serial_direct_read="always", disk_asynch_io=False),
        host=Host(io_path="buffered"),
        disk=Disk(overhead_s=1e-3, average_seek_s=0.0, rotation_s=0.0, bandwidth_bytes_per_s=10e6),
    )
    result = calculate(system, FullScan(arraysize_rows=1))
    moved = result.device["disk"].read_bytes_per_s * result.time.elapsed_s
    assert moved == pytest.approx(result.physical_io.read_bytes, rel=0.01)


ALONE = [
    ("rahn-full-scan", ("instance.serial_direct_read=never",)),
    ("rahn-full-scan", ("table.rows=200",)),
    ("rahn-full-scan", ("instance.serial_direct_read=never", "disk.use=array-raid5")),
    ("index-range-scan-scattered", ("disk.use=sata-7k2", "workload.selectivity_fraction=0.001")),
    ("parallel-scan", ("disk.use=sas-15k", "workload.degree=1")),
    ("parallel-scan", ("disk.use=sas-15k", "workload.degree=1", "instance.release=11.1.0.7")),
    ("full-scan-filesystem", ("host.filesystem=ext3", "host.page_cache_hit_fraction=0.3")),
    ("full-scan-filesystem", ("instance.disk_asynch_io=true", "host.io_path=buffered", "table.rows=20000")),
]
"""One session: it waits for each read, or has some under way."""


@pytest.mark.parametrize(("name", "settings"), ALONE)
def test_a_session_that_is_alone_does_what_it_does_among_others(
    monkeypatch: pytest.MonkeyPatch, name: str, settings: tuple[str, ...]
) -> None:
    """To the last bit as it is written; its work on blocks in one go, and in turns at a processor."""
    scenario = load(name, settings)
    system, work = scenario.system, scenario.workload
    demand = asked_of(system, work)
    assert followed.is_alone(work, demand)
    compiled = followed.followed(system, work, demand)
    with loops.as_written():
        written = followed.followed(system, work, demand)
    monkeypatch.setattr(followed, "is_alone", lambda *_: False)
    turns = followed.followed(system, work, demand)
    assert asdict(compiled) == asdict(written)
    assert asdict(compiled) == pytest.approx(asdict(turns), rel=1e-9)


def test_scenarios_of_an_array_are_followed_each_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them goes through the answers one by one."""
    from blocktime.model import engine

    scenario = load("rahn-full-scan")
    rows = np.array([2e5, 1e6, 5e6])
    apart = [
        calculate(
            load("rahn-full-scan", [f"table.rows={count:.0f}"]).system, scenario.workload
        ).time.elapsed_s
        for count in rows
    ]
    monkeypatch.setattr(engine, "_measures_alone", None)
    many = calculate_many(scenario.system, scenario.workload, {"table.rows": rows})
    assert many["elapsed_s"] == pytest.approx(apart, rel=1e-9)


MANY: list[tuple[str, tuple[str, ...], dict[str, list[float]]]] = [
    ("rahn-full-scan", (), {"table.rows": [2e4, 1e6, 5e7], "disk.overhead_s": [1e-4, 4e-3, 2e-3]}),
    (
        "rahn-full-scan",
        ("instance.serial_direct_read=never",),
        {
            "table.rows": [1, 3e3, 2e6, 9e7],
            "instance.db_file_multiblock_read_count": [1, 8, 16, 128],
            "disk.bandwidth_bytes_per_s": [4e7, 6e7, 8e7, 9e7],
        },
    ),
    ("parallel-scan", ("disk.use=sas-15k", "workload.degree=1"), {"table.rows": [2e4, 1e6, 3e6]}),
    (
        "rahn-full-scan",
        ("disk.use=array-raid5",),
        {"table.rows": [2e4, 1e6], "disk.overhead_s": [1e-4, 4e-3]},
    ),
    (
        "full-scan-filesystem",
        (),
        {"table.rows": [1, 3e4, 1e6], "host.page_cache_hit_fraction": [0, 0.5, 0.1]},
    ),
]


@pytest.mark.parametrize(("name", "settings", "axes"), MANY)
def test_a_scenario_among_others_is_followed_as_it_is_by_itself(
    name: str, settings: tuple[str, ...], axes: dict[str, list[float]]
) -> None:
    """To the last bit, whatever stands beside it."""
    scenario = load(name, settings)
    many = calculate_many(scenario.system, scenario.workload, axes)
    for place in range(len(next(iter(axes.values())))):
        one = {key: values[place : place + 1] for key, values in axes.items()}
        alone = calculate_many(scenario.system, scenario.workload, one)
        for measure, values in many.items():
            assert repr(values[place : place + 1].tolist()) == repr(alone[measure].tolist()), measure
