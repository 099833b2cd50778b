"""Programs beside each other by mean values, against their simulations on file and against the sums that must hold."""

from __future__ import annotations

import math
from statistics import fmean

import pytest

from scenarios import from_mapping, load, run
from tests.golden.answers import frozen

PROGRAMS = {
    "backup-beside-users": 1.15,
    "full-scan-beside-users": 1.15,
    "redo-beside-data": 1.15,
    "two-systems-one-array": 1.15,
    "batch-beside-users": 1.75,
}
"""Library scenario -> factor within which each program's time lies.

In the batch the simulation takes the time of the backup for a warm-up of the users, and leaves it out of their mean.
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_library_programs_take_about_as_long_as_simulated(name: str) -> None:
    seeds, found = [frozen(name)[f"simulate {seed}"] for seed in (1, 2, 3)], run(load(name), "calculate")
    assert found.accuracy is not None
    for rank, program in enumerate(found.programs or ()):
        measure = "response_s" if program.elapsed_s is None else "elapsed_s"
        wanted = fmean(float(simulated[f"programs[{rank}].{measure}"]) for simulated in seeds)
        assert abs(math.log(getattr(program, measure) / wanted)) < math.log(PROGRAMS[name])


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_keep_littles_law_and_sum_up_to_the_disk(name: str) -> None:
    scenario = load(name)
    found = run(scenario, "calculate")
    programs, disk = found.programs or [], found.device["disk"]
    for program, work in zip(programs, scenario.workload.programs, strict=True):
        if work.kind == "transactions":
            assert program.per_s is not None
            assert program.response_s is not None
            think_s = work.think_s + program.response_s
            if len(programs) == 2:  # all at work throughout
                assert program.per_s * think_s == pytest.approx(work.users, rel=0.02)
        alone = program.alone.elapsed_s or program.alone.response_s
        assert (program.elapsed_s or program.response_s or 0.0) >= (alone or 0.0)
    assert max(program.disk_fraction for program in programs) <= disk.utilisation_fraction + 1e-9
    assert disk.utilisation_fraction <= sum(program.disk_fraction for program in programs) + 1e-9


def test_a_backup_loses_its_order_beside_users() -> None:
    users, backup = run(load("backup-beside-users"), "calculate").programs or ()
    assert backup.alone.response_s == pytest.approx(0.00334, rel=0.01)
    assert backup.response_s is not None
    assert backup.response_s > 2 * backup.alone.response_s
    assert "db file sequential read" in users.because[0]


def test_programs_that_end_share_the_disk_until_the_first_has_ended() -> None:
    def took_s(blocks: int) -> float:
        work = {"kind": "read_stream", "path": "direct", "block_size_bytes": "1M", "count": blocks}
        scan = {"kind": "full_scan", "select": "count"}
        asked = {
            "disk": {"use": "sas-15k"},
            "table": {"rows": 200_000},
            "workload": scan | {"beside": [work]},
        }
        found = run(from_mapping(asked), "calculate").programs or []
        return float(found[0].elapsed_s or 0.0)

    short, longer, longest = took_s(1), took_s(5000), took_s(10_000)
    assert short < longer
    assert longer == pytest.approx(longest, rel=0.03)  # a longer file lies farther apart


def test_a_stream_beside_users_is_forecast() -> None:
    users = {"kind": "transactions", "transactions": 100, "users": 2, "data_bytes": "100M"}
    work = {"kind": "read_stream", "path": "direct", "count": 20, "beside": [users]}
    found = run(from_mapping({"disk": {"use": "sas-15k"}, "workload": work}), "calculate")
    assert [program.kind for program in found.programs or ()] == ["read_stream", "transactions"]


def test_a_program_that_begins_after_the_other_has_ended_changes_nothing() -> None:
    late = run(load("full-scan-beside-users", ["workload.beside.0.begin_s=1s"]), "calculate")
    assert late.programs
    work = {"kind": "read_stream", "path": "direct", "block_size_bytes": "1M", "count": 10, "begin_s": 1000}
    asked = {"disk": {"use": "sas-15k"}, "workload": {"kind": "full_scan", "beside": [work]}}
    scan, _ = run(from_mapping(asked), "calculate").programs or ()
    assert scan.elapsed_s == pytest.approx(scan.alone.elapsed_s)
