"""Reads that an estimate follows: more users than it follows wait as those would that it follows one by one."""

from __future__ import annotations

import pytest

from model import calculate
from model.spec import Disk, FullScan, Host, Instance, System, Table
from model.workloads.statements import followed
from scenarios import load

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
    replayed: list[int] = []
    init = followed._Replay.__init__
    monkeypatch.setattr(
        followed._Replay,
        "__init__",
        lambda self, system, work, *more: (replayed.append(work.sessions), init(self, system, work, *more))[
            1
        ],
    )
    scenario = load("rahn-full-scan", ["workload.users=10000"])
    calculate(scenario.system, scenario.workload)
    assert replayed == [followed.MOST_SESSIONS]


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
    assert result.physical_io
    assert moved == pytest.approx(result.physical_io.read_bytes, rel=0.01)
