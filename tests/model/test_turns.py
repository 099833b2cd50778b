"""Several sessions of one statement: both engines give the mean session and the last one."""

from typing import Any

import pytest

from blocktime.model import calculate, calculate_many, simulate
from blocktime.model.laws import turns
from blocktime.model.measures import measures_of
from blocktime.scenarios import from_mapping


def scenario(
    disk: str,
    kind: str,
    users: int,
    rows: int = 20_000,
    *,
    cpus: int = 4,
    cache: str = "1G",
    change: str = "12us",
    **work: Any,
) -> Any:
    return from_mapping(
        {
            "disk": {"use": disk},
            "instance": {"buffer_cache_bytes": cache, "release": "11.2.0.4"},
            "host": {"cpus": cpus, "change_block_s": change},
            "table": {"rows": rows, "row_bytes": 100},
            "workload": {"kind": kind, "users": users, **work},
        }
    )


def test_arrays_of_users_are_answered_as_one_scenario_is() -> None:
    given = scenario("sas-10k", "full_scan", 2, cache="64M")
    users = [1, 2, 5, 40]
    many = calculate_many(given.system, given.workload, {"workload.users": users})
    for place, count in enumerate(users):
        alone = measures_of(calculate(given.system, given.workload.model_copy(update={"users": count})))
        for name in ("elapsed_s", "last_session_s", "read_wait_s", "device_utilisation_fraction"):
            assert many[name][place] == pytest.approx(alone.get(name, float("nan")), rel=1e-9, nan_ok=True), (
                name,
                count,
            )


def test_a_remainder_of_a_share_takes_no_turn_of_its_own() -> None:
    """Seven blocks of the mean session's 7.25 are read: the CPU of the rest belongs to the same turn."""
    given = scenario("array-cached", "delete", 8, 5000, cpus=2, rows_fraction=1.0)
    host = given.system.host.model_copy(update={"kernel": "2.6.18"})  # a slice is longer than a session's work
    time = simulate(given.system.model_copy(update={"host": host}), given.workload).time
    assert time.last_session_s is not None
    assert time.elapsed_s < 0.8 * time.last_session_s


@pytest.mark.parametrize("cached", [0.5, 0.99, 1.0])
@pytest.mark.parametrize("kind", ["full_scan", "export", "index_range_scan", "update", "delete"])
@pytest.mark.parametrize("io_path", ["asm", "buffered"])
def test_books_of_many_sessions_balance_where_only_headers_are_read(kind: str, io_path: str, cached: float) -> None:
    """Waits behind others for the header are waits for the header; without any read nobody waits for the device."""
    for rows in (1, 50, 5000):
        given = from_mapping(
            {
                "disk": {"use": "sas-15k"},
                "host": {"io_path": io_path, "cpus": 2},
                "table": {"rows": rows, "cached_fraction": cached},
                "workload": {"kind": kind, "users": 100},
            }
        )
        time = calculate(given.system, given.workload).time
        assert time.last_session_s is not None
        assert time.last_session_s >= time.elapsed_s


@pytest.mark.parametrize(
    ("release", "processors", "runnable", "slice_s"),
    [
        ((2, 6, 18), 4, 400, 0.1),
        ((5, 15), 1, 1, 0.006),
        ((5, 15), 4, 8, 0.009),  # 6 ms · 3 over two on each
        ((5, 15), 4, 400, 0.00225),
        ((5, 15), 64, 128, 0.012),  # of no more than 8 processors
        ((6, 8), 8, 8, 0.003),
    ],
)
def test_the_kernel_shares_a_processor_by_slices(
    release: tuple[int, ...], processors: int, runnable: int, slice_s: float
) -> None:
    assert turns.slice_s(release, processors, runnable) == pytest.approx(slice_s)


@pytest.mark.parametrize("engine", [calculate, simulate])
def test_the_mean_of_many_sessions_of_one_update_ends_late_as_all_go_on_by_slices(engine: Any) -> None:
    """The same rows over more sessions: the processors have as much to do, and all sessions go on to the end."""
    times = []
    for users in (16, 64, 240):
        given = scenario("nvme", "update", users, 40_000, growth_bytes=0, change="40us")
        times.append(engine(given.system, given.workload).time)
    for time in times:
        assert time.last_session_s == pytest.approx(times[0].last_session_s, rel=0.05)
        assert time.elapsed_s > 0.85 * time.last_session_s
