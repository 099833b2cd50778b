"""Programs beside each other, against the sums that must hold."""

import pytest

from blocktime.model.budget import Budget
from blocktime.model.units import MIB
from blocktime.scenarios import from_mapping, load, run

PROGRAMS = (
    "backup-beside-users",
    "full-scan-beside-users",
    "redo-beside-data",
    "two-systems-one-array",
    "batch-beside-users",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_keep_littles_law_and_sum_up_to_the_disk(name: str) -> None:
    scenario = load(name)
    found = run(scenario)
    programs, disk = found.programs or [], found.device["disk"]
    for program, work in zip(programs, scenario.workload.programs, strict=True):
        if work.kind == "transactions":
            assert program.per_s is not None
            assert program.response_s is not None
            think_s = work.think_s + program.response_s
            if len(programs) == 2:  # all at work throughout
                assert program.per_s * think_s == pytest.approx(work.users, rel=0.03)
        alone = program.alone.elapsed_s or program.alone.response_s
        assert (program.elapsed_s or program.response_s or 0.0) >= (alone or 0.0)
    assert max(program.disk_fraction for program in programs) <= disk.utilisation_fraction + 1e-9
    assert disk.utilisation_fraction <= sum(program.disk_fraction for program in programs) + 1e-9


@pytest.mark.parametrize(("name", "place"), [("backup-beside-users", 0), ("batch-beside-users", 1)])
def test_a_backup_reads_with_the_buffers_of_rman(name: str, place: int) -> None:
    """16 buffers of 1 MB a channel, asynchronously, past the page cache [oracle-backup]."""
    backup = load(name).workload.beside[place]
    assert (backup.kind, backup.path, backup.block_size_bytes, backup.in_flight) == ("read_stream", "direct", MIB, 16)


def test_users_beside_a_job_that_ends_count_all_of_its_time() -> None:
    """A backup of the first seconds is no warm-up: users are told what it does to them."""
    found = run(load("batch-beside-users"), seed=2)
    work, (_, users, backup) = load("batch-beside-users").workload.beside[0], found.programs or ()
    end_s = next(float(note.split()[3]) for note in found.notes if note.startswith("The run lasts"))
    assert users.per_s * (work.think_s + users.response_s) == pytest.approx(work.users, rel=0.07)  # 800 of them
    assert users.response_s > 1.4 * users.alone.response_s
    assert backup.elapsed_s < 0.2 * end_s


def test_rate_gives_users_their_disk_back() -> None:
    """RATE 60M is a third of what 16 buffers read alone."""
    small, rate = (["workload.transactions=400", "workload.precision_percent=20"],
                   ["workload.beside.0.in_flight=1", "workload.beside.0.rate_per_s=60"])  # fmt: skip
    free, limited = (run(load("backup-beside-users", [*small, *more])) for more in ([], rate))
    times = [result.programs[0].response_s / result.programs[0].alone.response_s for result in (free, limited)]
    assert times[0] > 6
    assert times[1] < 2


def test_a_backup_loses_its_order_beside_users() -> None:
    one_read = ["workload.beside.0.in_flight=1"]
    users, backup = run(load("backup-beside-users", one_read)).programs or ()
    assert backup.alone.response_s == pytest.approx(0.00334, rel=0.01)
    assert backup.response_s is not None
    assert backup.response_s > 2 * backup.alone.response_s
    assert "db file sequential read" in users.because[0]


def test_programs_that_end_share_the_disk_until_the_first_has_ended() -> None:
    def took_s(blocks: int) -> float:
        work = {"kind": "read_stream", "path": "direct", "block_size_bytes": "1M", "count": blocks}
        scan = {"kind": "full_scan", "select": "count"}
        asked = {"disk": {"use": "sas-15k"}, "table": {"rows": 200_000}, "workload": scan | {"beside": [work]}}
        found = run(from_mapping(asked)).programs or []
        return float(found[0].elapsed_s or 0.0)

    short, longer, longest = took_s(1), took_s(5000), took_s(10_000)
    assert short < longer
    assert longer == pytest.approx(longest, rel=0.03)  # a longer file lies farther apart


def test_a_stream_beside_users_is_forecast() -> None:
    users = {"kind": "transactions", "transactions": 100, "users": 2, "data_bytes": "100M"}
    work = {"kind": "read_stream", "path": "direct", "count": 20, "beside": [users]}
    found = run(from_mapping({"disk": {"use": "sas-15k"}, "workload": work}))
    assert [program.kind for program in found.programs or ()] == ["read_stream", "transactions"]


def test_a_program_that_begins_after_the_other_has_ended_changes_nothing() -> None:
    late = run(load("full-scan-beside-users", ["workload.beside.0.begin_s=1s"]))
    assert late.programs
    work = {"kind": "read_stream", "path": "direct", "block_size_bytes": "1M", "count": 10, "begin_s": 1000}
    asked = {"disk": {"use": "sas-15k"}, "workload": {"kind": "full_scan", "beside": [work]}}
    scan, _ = run(from_mapping(asked)).programs or ()
    assert scan.elapsed_s == pytest.approx(scan.alone.elapsed_s)


def test_a_program_that_fills_the_cache_with_changed_blocks_gets_buffers_again() -> None:
    """DBWR cleans the buffers of every program that shares the cache, also those that users have none of."""
    scenario = from_mapping(
        {
            "table": {"rows": 20_000},
            "disk": {"use": "samsung-860-evo"},
            "instance": {"buffer_cache_bytes": "1M"},
            "workload": {
                "kind": "transactions",
                "users": 2,
                "think_s": 0.1,
                "transactions": 100,
                "data_bytes": "100M",
                "mix": [{"gets": 5, "changed_blocks": 0}],
                "beside": [{"kind": "delete", "rows_fraction": 1.0}],
            },
        }
    )
    result = run(scenario, budget=Budget(5.0, 4e9))
    assert [program.kind for program in result.programs or ()] == ["transactions", "delete"]
