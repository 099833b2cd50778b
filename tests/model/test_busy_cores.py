"""Users who read cached blocks side by side: what more of them bring on hosts of the catalog."""

import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from blocktime.model import calculate
from blocktime.scenarios import load

CATALOG = Path(__file__).parents[2] / "model" / "catalog" / "host"
USERS = (1, 2, 4, 8, 16, 32, 48, 64)
HOSTS = ("xeon-6148-2s", "epyc-9554", "altra-q80-30", "cloud-x86-16-vcpu", "cloud-arm-16-vcpu")


def scans_per_s(host: str, users: int, *changes: str) -> float:
    """Counts of a cached table a second, by so many users at once."""
    scenario = load("savvinov-lio-pc", [f"host.use={host}", f"workload.users={users}", *changes])
    time = calculate(scenario.system, scenario.workload).time
    return users / (time.last_session_s or time.elapsed_s)


def gains(host: str, *changes: str) -> list[float]:
    """Scans a second over those of one user."""
    return [scans_per_s(host, users, *changes) / scans_per_s(host, 1, *changes) for users in USERS]


@pytest.mark.parametrize("host", HOSTS)
def test_users_of_cached_reads_gain_what_the_catalog_states(host: str) -> None:
    """From 1 to 64 users: never more than the threads, each user no more than the one before, within the interval."""
    entry = tomllib.loads((CATALOG / f"{host}.toml").read_text("utf-8"))
    system = load("savvinov-lio-pc", [f"host.use={host}"]).system
    found = gains(host)
    slopes = [
        (more - gain) / (next_users - users)
        for (users, gain), (next_users, more) in pairwise(zip(USERS, found, strict=True))
    ]
    assert all(gain <= min(users, system.host.cores.threads) + 1e-9 for users, gain in zip(USERS, found, strict=True))
    assert all(later <= slope + 0.02 for slope, later in pairwise(slopes))
    low, high = entry["busy_loss_percent"]["interval"]
    fields = {"least": [f"host.busy_loss_percent={high}"], "most": [f"host.busy_loss_percent={low}"]}
    if "threads_per_core" in entry:
        for name, gain in zip(fields, entry["smt_gain_percent"]["interval"], strict=True):
            fields[name].append(f"host.smt_gain_percent={gain}")
    least, most = (gains(host, *changes) for changes in fields.values())
    assert all(a - 1e-9 <= gain <= b + 1e-9 for a, gain, b in zip(least, found, most, strict=True))
