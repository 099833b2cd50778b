"""Limits of a virtual machine over all its volumes: one volume and two, bursts, and what is said."""

from typing import Any

import pytest
from pydantic import ValidationError

from blocktime.model import answer, simulate
from blocktime.model.demand.host_limits import through_host
from blocktime.model.errors import BlocktimeError
from blocktime.model.machine.device.volume import HostLimits
from blocktime.model.spec import Disk, Host, ReadStream, System
from blocktime.scenarios.load import load
from blocktime.scenarios.why import why
from tests.answered import SMALL_OLTP

VOLUME = Disk(
    overhead_s=5e-4, average_seek_s=0, rotation_s=0, bandwidth_bytes_per_s=1e9, parallel_requests=64, queue_depth=64,
    iops_limit=16_000,
)  # fmt: skip


def reads(**fields: Any) -> ReadStream:
    return ReadStream(
        **{"path": "direct", "block_size_bytes": 8192, "count": 4000, "pattern": "random", "in_flight": 32} | fields
    )


def per_s(host: Host, disk: Disk = VOLUME, **fields: Any) -> float:
    calls = reads(**fields)
    return calls.count / float(simulate(System(host=host, disk=disk), calls).time.elapsed_s)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Host(), 16_000),
        (Host(iops_limit=6_000), 6_000),
        (Host(iops_limit=20_000), 16_000),
        (Host(bandwidth_limit_bytes_per_s=8192 * 3_000), 3_000),
        (Host(iops_limit=6_000, bandwidth_limit_bytes_per_s=8192 * 3_000), 3_000),
    ],
)
def test_the_smaller_limit_counts(host: Host, expected: float) -> None:
    assert per_s(host) == pytest.approx(expected, rel=0.02)


def test_a_burst_lasts_until_its_credits_are_spent() -> None:
    """1 s at 4,000 a second, then 1,000 a second: the credits are 3,000, and 4,000 calls take one second."""
    host = Host(iops_limit=1_000, burst_iops=4_000, burst_s=1)
    assert per_s(host) == pytest.approx(4_000, rel=0.02)
    assert per_s(host, count=8_000) == pytest.approx(8_000 / 5, rel=0.02)


def test_two_volumes_share_the_limits() -> None:
    limits = HostLimits(Host(iops_limit=100), VOLUME)
    begins = [limits.begin_s(0.0, 8192) for _ in range(3)]
    assert begins == pytest.approx([0.0, 0.01, 0.02])


@pytest.mark.parametrize("limit", ["bandwidth_limit_bytes_per_s=1M", "iops_limit=30"])
@pytest.mark.parametrize("name", ["magni-imp-4k", "magni-exp", "rahn-full-scan", "oltp-nvme"])
def test_a_limit_of_the_host_over_one_volume_is_that_of_the_volume(name: str, limit: str) -> None:
    """Nothing passes it twice, and nothing passes by."""
    limits = ([f"host.{limit}"], [f"disk.{limit.replace('bandwidth', 'throughput')}"], [])
    small = [*SMALL_OLTP, "workload.transactions=1000"] if name == "oltp-nvme" else []
    asked = [load(name, ["instance.redo_disk=data", *small, *settings]) for settings in limits]
    of_host, of_volume, free = (answer(one.system, one.workload).time.elapsed_s for one in asked)
    assert of_host == pytest.approx(of_volume, rel=1e-9)
    assert of_host >= free


LOAD = [*SMALL_OLTP, "disk.use=ebs-io2", "workload.transactions=1500", "workload.users=700"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("users", [500, 700, 900])
def test_data_and_redo_share_the_limit_of_transactions(users: int) -> None:
    """Whichever disk has the log, and however many wait, as many requests pass as the limit allows."""
    rates = []
    for redo_disk in ("own", "data"):
        more = [f"workload.users={users}", "host.iops_limit=5000", f"instance.redo_disk={redo_disk}"]
        scenario = load("oltp-nvme", [*LOAD, *more])
        result = simulate(scenario.system, scenario.workload)
        requests = sum(one.reads_per_s + one.writes_per_s for one in result.device.values())
        assert any("limit of 5,000 requests/s binds: " in said for said in result.warnings)
        assert requests == pytest.approx(5_000, rel=0.01)
        assert result.transactions is not None
        rates.append(result.transactions.per_s)
    assert rates[0] == pytest.approx(rates[1], rel=0.05)  # LGWR takes turns of DBWR's behind one scheduler


def test_why_names_the_limit_that_binds() -> None:
    base = load("oltp-nvme", [*LOAD])
    other = load("oltp-nvme", [*LOAD, "host.iops_limit=5000"])
    found = [simulate(one.system, one.workload) for one in (base, other)]
    told = why(*found, (base, other))
    assert any("the host's limit of 5,000 requests/s binds" in line for line in told), told


def test_burst_credits_are_told() -> None:
    host = Host(iops_limit=1_000, burst_iops=4_000)
    warnings = simulate(System(host=host, disk=VOLUME), reads(in_flight=1)).warnings
    (said,) = [one for one in warnings if one.startswith("the host serves")]
    assert "which last" in said
    assert "1,000 requests/s together" in said


def test_money_is_asked_for_what_the_volume_is_bought_with() -> None:
    seen = through_host(System(host=Host(iops_limit=500), disk=VOLUME))
    assert seen.disk.iops_limit == 500
    assert seen.prices.storage_iops == 16_000


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"burst_iops": 10}, "burst_iops 10 needs iops_limit that is not above it; iops_limit is not set"),
        ({"iops_limit": 20, "burst_iops": 10}, "burst_iops 10 needs iops_limit that is not above it"),
    ],
)
def test_a_burst_below_the_limit_is_refused(fields: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Host(**fields)


def test_drives_that_reorder_are_refused() -> None:
    with pytest.raises(BlocktimeError, match="volume"):
        load("random-read-depth", ["host.iops_limit=100"])
