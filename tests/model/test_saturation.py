"""Where transactions saturate, against their simulation where mechanisms meet; and a knee that no question moves."""

from typing import Any

import pytest

from blocktime.model.engine import simulate
from blocktime.model.errors import OutsideLaw
from blocktime.model.spec import Disk, Host, Instance, System, Transaction, Transactions
from blocktime.model.units import MIB
from blocktime.model.workloads.transactions import by_events, expected_run
from blocktime.model.workloads.transactions.curves import load_bounds
from blocktime.model.workloads.transactions.expected_run import ExpectedRun, credit_warnings
from blocktime.scenarios import Scenario, from_mapping, load, run


def expected(scenario: Scenario) -> ExpectedRun:
    """How a run of it begins."""
    assert isinstance(scenario.workload, Transactions)
    return expected_run.expected_run(scenario.system, scenario.workload)


SMALL = {"instance": {"buffer_cache_bytes": "256M"}}


def test_all_in_memory_waits_for_no_free_buffer() -> None:
    """Blocks that never leave the cache need not be written for anybody."""
    mix = [{"name": "a", "gets": 300, "changed_blocks": 10, "redo_bytes": 500}]
    work = {"users": 10, "think_s": 0, "data_bytes": "64M", "transactions": 1500}
    fields = {"disk": {"use": "sata-7k2"}, "host": {"cpus": 16}}
    played = run(from_mapping({**fields, "workload": {"kind": "transactions", "mix": mix, **work}}))
    assert "free buffer waits" not in played.time.wait


@pytest.mark.parametrize("name", ["tpc-b", "magni-tpcb-8k", "magni-tpcc-8k", "oltp-nvme"])
def test_the_knee_is_the_same_whatever_load_is_asked_for(name: str) -> None:
    loads = (1, 20, 200, 5_000, 15_000)
    found = [expected(load(name, [f"workload.users={users}"])) for users in loads]
    knees = {(one.bounds.bottleneck, one.bounds.ceiling_per_s, one.bounds.saturation_users) for one in found}
    ((binds, most, _),) = knees
    played = run(load(name, ["workload.users=20", "workload.transactions=400"])).transactions
    assert played is not None
    if played.per_s < 0.9 * most:  # else its own busy times tell
        assert played.bottleneck == binds
        assert played.saturation_per_s == pytest.approx(most, rel=1e-9)
    assert all(one.per_s <= most * (1 + 1e-9) for one in found)
    for share in (0.001, 0.1, 0.5, 0.97):
        open_ = expected(load(name, [f"workload.rate_per_s={share * most}"])).bounds
        assert (open_.bottleneck, open_.saturation_users) == (binds, None)
        assert open_.ceiling_per_s == pytest.approx(most, rel=1e-8)


@pytest.mark.parametrize("name", ["tpc-b", "magni-tpcb-8k"])
def test_the_bound_over_load_ends_no_lower_than_the_saturation(name: str) -> None:
    scenario = load(name, ["workload.users=20"])
    points = load_bounds(scenario.system, scenario.workload)
    assert max(one.per_s for one in points) >= expected(scenario).bounds.ceiling_per_s * (1 - 1e-9)


def test_a_deep_sorted_queue_reads_what_the_drive_has_read_ahead() -> None:
    """Where many requests lie closely, the next one is within a turn; without a buffer that turn is lost."""
    with_buffer, without = (
        run(
            load(
                "tpc-c",
                [
                    "workload.users=200",
                    "workload.transactions=4000",
                    "instance.redo_disk=own",
                    f"disk.track_buffer_bytes={size}",
                ],
            )
        ).transactions
        for size in ("1M", "0")
    )
    assert with_buffer.per_s > 1.01 * without.per_s


def test_burst_credits_last_as_long_as_the_answer_says() -> None:
    """A run within that time is at the burst rate, a longer one near the volume's own, as the knee is."""
    work = {"kind": "transactions", "users": 10, "think_s": 0, "data_bytes": "2G"}
    mix = [{"name": "a", "gets": 20, "changed_blocks": 0}]

    def begin(transactions: int) -> ExpectedRun:
        asked = {"workload": {**work, "mix": mix, "transactions": transactions}}
        return expected(from_mapping({"disk": {"use": "ebs-gp2"}, **asked, **SMALL}))

    short, long = begin(2_000), begin(2_000_000)
    own = long.bounds.ceiling_per_s
    assert short.per_s == pytest.approx(10 * own, rel=0.05)
    assert own < long.per_s < 1.5 * own
    assert short.bounds.ceiling_per_s == own
    assert any("burst credits" in one and "33 min" in one for one in credit_warnings(short))


READS_ALONE = Transaction(gets=50, changed_blocks=0, redo_bytes=0, commits=False, calls=0)


def asked_of(disk: Disk, **work: Any) -> tuple[System, Transactions]:
    """Transactions that only read, from that disk."""
    system = System(disk=disk, host=Host(scheduler="none"), instance=Instance(buffer_cache_bytes=8 * MIB))
    return system, Transactions(mix=(READS_ALONE,), data_bytes=256 * MIB, transactions=1000, **work)


FLASH = Disk(
    rotation_s=0,
    average_seek_s=0,
    overhead_s=1e-4,
    bandwidth_bytes_per_s=2e8,
    bus_bytes_per_s=5e8,
    capacity_bytes=300 * 10**9,
)


def test_arrivals_beyond_what_a_device_does_end_whatever_the_closed_form_thinks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saturation_of = expected_run.saturation_of
    monkeypatch.setattr(
        expected_run, "saturation_of", lambda *asked: saturation_of(*asked)._replace(demands={"data disk": 1e-9})
    )
    system, work = asked_of(FLASH, users=1, think_s=0.0, rate_per_s=300)
    answer = simulate(system, work)
    assert any(
        warning.startswith("workload.rate_per_s 300 is more than the system does") for warning in answer.warnings
    )
    monkeypatch.setattr(by_events, "MOST_QUEUED", 500)
    with pytest.raises(OutsideLaw, match="the queue grows without end: lower the rate"):
        simulate(system, work.model_copy(update={"transactions": None}))
    quiet = simulate(system, work.model_copy(update={"rate_per_s": 50.0}))
    assert not any("rate_per_s" in warning for warning in quiet.warnings)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("oltp-nvme", ["disk.use=azure-p30", "workload.users=100", "workload.think_s=100ms"]),
        ("oltp-nvme", ["disk.use=azure-p30", "workload.users=400", "workload.think_s=100ms"]),
        ("oltp-nvme", ["disk.use=ebs-gp3", "workload.users=150", "workload.think_s=0"]),
        ("oltp-nvme", ["disk.use=ebs-gp3", "workload.users=300", "workload.think_s=100ms"]),
        ("oltp-nvme", ["disk.use=ebs-gp3", "workload.users=200", "workload.think_s=0", "host.nr_requests=32"]),
        ("oltp-nvme", ["disk.use=ebs-gp3", "workload.users=130", "workload.think_s=0", "host.scheduler=none"]),
        ("tpc-b", ["disk.use=sas-15k", "host.scheduler=none", "workload.users=60", "workload.think_s=0.2"]),
        ("tpc-c", ["instance.redo_disk=own", "workload.users=60"]),
    ],
)
def test_a_run_begins_where_it_stays(name: str, settings: list[str]) -> None:
    """At a disk that DBWR's writes share, too: a run that began with too many blocks to write was slow for minutes."""
    begin = expected(load(name, settings))
    played = run(load(name, [*settings, "workload.transactions=20000"])).transactions
    assert played is not None
    assert begin.per_s == pytest.approx(played.per_s, rel=0.05)
    assert begin.written == pytest.approx((played.written_blocks_per_s) / played.per_s, rel=0.07)


@pytest.mark.parametrize("cache", ["8G", "12G"])
def test_a_run_at_a_saturated_disk_is_steady_from_its_first_second(cache: str) -> None:
    """Work of a whole second that DBWR found at first kept it busy, and users waiting, for ten; so did none at all."""
    settings = ["disk.use=azure-p30", "workload.users=100", "workload.think_s=100ms"]
    settings.append(f"instance.buffer_cache_bytes={cache}")
    begin = expected(load("oltp-nvme", settings))
    played = run(load("oltp-nvme", [*settings, "workload.transactions=1600"])).transactions
    assert played is not None
    assert played.per_s == pytest.approx(begin.per_s, rel=0.05)
    assert played.written_blocks_per_s / played.per_s == pytest.approx(begin.written, rel=0.07)
