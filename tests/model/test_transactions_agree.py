"""The closed form of transactions against their simulation where mechanisms meet; and a knee that no question moves."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model import RunResult
from blocktime.model.engine import calculate, simulate
from blocktime.model.errors import OutsideLaw
from blocktime.model.spec import Disk, Host, Instance, System, Transaction, Transactions
from blocktime.model.units import MIB
from blocktime.model.workloads.transactions import by_events, expected_run
from blocktime.model.workloads.transactions.curves import load_bounds
from blocktime.scenarios import Scenario, from_mapping, load, run

FEW = {"transactions": 1500}


def summed(scenario: Scenario) -> RunResult:
    """What the sums of a scenario say."""
    return calculate(scenario.system, scenario.workload)


def both(disk: str, mix: dict[str, Any], work: dict[str, Any], **more: Any) -> tuple[RunResult, RunResult]:
    """Both answers to transactions of one kind."""
    scenario = from_mapping(
        {
            "disk": {"use": disk},
            "workload": {"kind": "transactions", "mix": [{"name": "a", **mix}], **FEW, **work},
            **more,
        }
    )
    system, work = scenario.system, scenario.workload
    return calculate(system, work), simulate(system, work, seed=5)


SMALL = {"instance": {"buffer_cache_bytes": "256M"}}
WIDE = {"host": {"cpus": 16}}


@pytest.mark.parametrize(
    ("disk", "mix", "work", "more"),
    [
        # DBWR's writes do not slow reads of a device that is idle but for 2 % of the time
        ("nvme", {"gets": 300, "changed_blocks": 10}, {"users": 1, "think_s": 0, "data_bytes": "10G"}, SMALL),
        # a write of the log ends once a turn
        (
            "sata-7k2",
            {"gets": 5, "changed_blocks": 0, "redo_bytes": 500},
            {"users": 100, "data_bytes": "64M"},
            WIDE,
        ),
        ("sas-10k", {"gets": 50, "changed_blocks": 10}, {"users": 1, "think_s": 0, "data_bytes": "64M"}, {}),
        # a limit of a volume is no time of a request
        (
            "ebs-gp3",
            {"gets": 300, "changed_blocks": 2, "redo_bytes": 500},
            {"users": 1, "data_bytes": "1G"},
            SMALL,
        ),
        # a multiblock read has the blocks of its scan, and hot blocks are in memory together
        (
            "nvme",
            {"gets": 5, "changed_blocks": 0, "scan_blocks": 20},
            {"rate_per_s": 200, "data_bytes": "1G"},
            SMALL,
        ),
        # members of a set hold a part of the data each
        (
            "array-raid10",
            {"gets": 50, "changed_blocks": 0},
            {"users": 4, "think_s": 0.1, "data_bytes": "10G"},
            SMALL,
        ),
        # LGWR waits for DBWR's bursts on a disk that both use
        (
            "magni-sdb",
            {"gets": 300, "changed_blocks": 10, "redo_bytes": 500},
            {"rate_per_s": 60, "data_bytes": "64M"},
            {"instance": {"redo_disk": "data", "buffer_cache_bytes": "256M"}},
        ),
        # who reads again at once finds all of the read of another, as where users share a processor
        (
            "linear",
            {"gets": 70, "changed_blocks": 0},
            {"rate_per_s": 1, "data_bytes": "10G", "transactions": 6000},
            SMALL,
        ),
        # a volume below its own rate never runs out of burst credits, and a short run has them to its end
        (
            "ebs-gp2",
            {"gets": 20, "changed_blocks": 3},
            {"users": 10, "think_s": 1, "data_bytes": "2G"},
            SMALL,
        ),
        (
            "ebs-gp2",
            {"gets": 20, "changed_blocks": 0},
            {"users": 10, "think_s": 0, "data_bytes": "2G"},
            SMALL,
        ),
    ],
)
def test_both_engines_give_the_same_response(
    disk: str, mix: dict[str, Any], work: dict[str, Any], more: dict[str, Any]
) -> None:
    law, played = both(disk, mix, work, **more)
    assert law.transactions.response_s == pytest.approx(played.transactions.response_s, rel=0.1)


@pytest.mark.parametrize("users", [4, 16])
def test_dbwr_gets_as_much_of_a_disk_as_it_has_requests_there(users: int) -> None:
    """Where nothing puts reads first, a few of them leave DBWR with its 64 most of a disk that is always busy."""
    law, played = both(
        "linear",
        {"gets": 50, "changed_blocks": 2},
        {"users": users, "think_s": 0, "data_bytes": "1G"},
        **SMALL,
    )
    assert law.transactions.per_s == pytest.approx(played.transactions.per_s, rel=0.1)
    assert law.physical_io.write_requests == pytest.approx(played.physical_io.write_requests, rel=0.1)


def test_a_read_waits_for_a_third_of_a_burst_that_is_swept_with_it() -> None:
    """One sweep of all requests, as cfq makes of those of one kind, is met at a random place."""
    law, played = (
        engine(load("tpc-c", ["host.scheduler=cfq", "workload.transactions=4000"]))
        for engine in (summed, run)
    )
    assert law.time.elapsed_s == pytest.approx(played.time.elapsed_s, rel=0.08)


def test_all_in_memory_waits_for_no_free_buffer() -> None:
    """Blocks that never leave the cache need not be written for anybody."""
    law, played = both(
        "sata-7k2",
        {"gets": 300, "changed_blocks": 10, "redo_bytes": 500},
        {"users": 10, "think_s": 0, "data_bytes": "64M"},
        **WIDE,
    )
    assert "free buffer waits" not in law.time.wait
    assert "free buffer waits" not in played.time.wait


@pytest.mark.parametrize("name", ["tpc-b", "magni-tpcb-8k", "magni-tpcc-8k", "oltp-nvme"])
def test_the_knee_is_the_same_whatever_load_is_asked_for(name: str) -> None:
    loads = (1, 20, 200, 5_000, 15_000)
    found = [summed(load(name, [f"workload.users={users}"])) for users in loads]
    knees = {
        (stats.bottleneck, stats.saturation_per_s, stats.saturation_users)
        for stats in (one.transactions for one in found)
        if stats
    }
    ((binds, most, _),) = knees
    played = run(load(name, ["workload.users=20", "workload.transactions=400"])).transactions
    if played.per_s < 0.9 * most:  # else its own busy times tell
        assert played.bottleneck == binds
        assert played.saturation_per_s == pytest.approx(most, rel=1e-9)
    assert all(one.transactions.per_s <= most * (1 + 1e-9) for one in found if one.transactions)
    for share in (0.001, 0.1, 0.5, 0.97):
        open_ = summed(load(name, [f"workload.rate_per_s={share * most}"])).transactions
        assert (open_.bottleneck, open_.saturation_users) == (binds, None)
        assert open_.saturation_per_s == pytest.approx(most, rel=1e-8)


@pytest.mark.parametrize("name", ["tpc-b", "magni-tpcb-8k"])
def test_the_bound_over_load_ends_no_lower_than_the_saturation(name: str) -> None:
    scenario = load(name, ["workload.users=20"])
    points = load_bounds(scenario.system, scenario.workload)
    answer = summed(scenario).transactions
    assert max(one.per_s for one in points) >= answer.saturation_per_s * (1 - 1e-9)


def saturated(scheduler: str, **disk: Any) -> RunResult:
    """The closed form of 300 users of one disk, whose transactions read some six blocks and change ten."""
    mix = [{"name": "a", "gets": 50, "changed_blocks": 10}]
    work = {"kind": "transactions", "mix": mix, "users": 300, "think_s": 1, "data_bytes": "512M"}
    fields = {"host": {"scheduler": scheduler}, "disk": disk, "instance": {"buffer_cache_bytes": "256M"}}
    return summed(from_mapping({**fields, "workload": work}))


@pytest.mark.parametrize("write_cache_bytes", [0, 64 << 20])
def test_a_scheduler_of_deadlines_lets_dbwr_write_half_as_many_blocks_as_are_read(
    write_cache_bytes: int,
) -> None:
    """However many reads wait, a batch of writes follows two of reads; a sweep of both leaves DBWR behind."""
    found = saturated("mq-deadline", write_cache_bytes=write_cache_bytes)
    assert found.physical_io.write_requests == pytest.approx(found.physical_io.read_requests / 2, rel=0.01)
    assert found.transactions.per_s == pytest.approx(found.transactions.saturation_per_s, rel=0.01)
    swept = saturated("cfq", write_cache_bytes=write_cache_bytes)
    assert swept.physical_io.write_requests < 0.8 * found.physical_io.write_requests


def test_a_deep_sorted_queue_reads_what_the_drive_has_read_ahead() -> None:
    """Where many requests lie closely, the next one is within a turn; without a buffer that turn is lost."""
    with_buffer, without = (
        summed(
            load("tpc-c", ["workload.users=200", "instance.redo_disk=own", f"disk.track_buffer_bytes={size}"])
        ).transactions
        for size in ("1M", "0")
    )
    assert with_buffer.per_s > 1.05 * without.per_s


@pytest.mark.parametrize("load", [{"users": 10, "think_s": 0.01}, {"rate_per_s": 100}], ids=["users", "rate"])
@pytest.mark.parametrize("disk", ["nvme", "array-cached", "array-raid5"])
def test_a_disk_that_serves_several_at_once_is_used_as_iostat_says(disk: str, load: dict[str, Any]) -> None:
    """Its %util is the time with a request under way; the share of its capacity is that of the resource."""
    law, played = both(disk, {"gets": 20, "changed_blocks": 3}, {"data_bytes": "2G", **load}, **SMALL)
    law_disk, played_disk = law.device["disk"], played.device["disk"]
    assert law_disk.utilisation_fraction == pytest.approx(played_disk.utilisation_fraction, rel=0.1)
    assert law_disk.service_s == pytest.approx(played_disk.service_s, rel=0.12)
    share = law.transactions.utilisation["data disk"]
    assert share == pytest.approx(played.transactions.utilisation["data disk"], rel=0.1)
    assert share < law_disk.utilisation_fraction


def test_burst_credits_last_as_long_as_the_answer_says() -> None:
    """A run within that time is at the burst rate, a longer one near the volume's own, as the knee is."""
    work = {"kind": "transactions", "users": 10, "think_s": 0, "data_bytes": "2G"}
    mix = [{"name": "a", "gets": 20, "changed_blocks": 0}]

    def answer(transactions: int) -> RunResult:
        asked = {"workload": {**work, "mix": mix, "transactions": transactions}}
        return summed(from_mapping({"disk": {"use": "ebs-gp2"}, **asked, **SMALL}))

    short, long = answer(2_000), answer(2_000_000)
    own = long.transactions.saturation_per_s
    assert short.transactions.per_s == pytest.approx(10 * own, rel=0.05)
    assert own < long.transactions.per_s < 1.5 * own
    assert short.transactions.saturation_per_s == long.transactions.saturation_per_s
    assert any("burst credits" in one and "33 min" in one for one in short.warnings)


READS_ALONE = Transaction(gets=50, changed_blocks=0, redo_bytes=0, commits=False, calls=0)


def asked_of(disk: Disk, **work: Any) -> tuple[System, Transactions]:
    """Transactions that only read, from that disk."""
    system = System(disk=disk, host=Host(scheduler="none"), instance=Instance(buffer_cache_bytes=8 * MIB))
    return system, Transactions(mix=(READS_ALONE,), data_bytes=256 * MIB, transactions=1000, **work)


TURNING = Disk(capacity_bytes=300 * 10**9)
FLASH = Disk(
    rotation_s=0,
    average_seek_s=0,
    overhead_s=1e-4,
    bandwidth_bytes_per_s=2e8,
    bus_bytes_per_s=5e8,
    capacity_bytes=300 * 10**9,
)


@pytest.mark.parametrize("disk", [TURNING, FLASH], ids=["turning", "flash"])
@pytest.mark.parametrize("depth", [1, 4, 32])
@pytest.mark.parametrize("hits", [0.5, 0.9, 1.0])
@pytest.mark.parametrize("users", [4, 60])
def test_what_a_cache_answers_takes_the_interface_and_a_place_of_the_queue(
    disk: Disk, depth: int, hits: float, users: int
) -> None:
    slots = 1 if disk.rotation_s else min(depth, 8)
    disk = disk.model_copy(
        update={"queue_depth": depth, "parallel_requests": slots, "read_hit_fraction": hits}
    )
    system, work = asked_of(disk, users=users, think_s=0.001)
    answer = calculate(system, work)
    quick, played = answer.transactions, simulate(system, work).transactions
    assert quick.per_s == pytest.approx(played.per_s, rel=0.11)
    reads = answer.physical_io.read_requests
    bus_s, answered_s = 8192 / disk.bus_bytes_per_s, disk.overhead_s + 8192 / disk.bus_bytes_per_s
    assert quick.saturation_per_s <= 1.001 / (reads * hits * max(bus_s, answered_s / depth))


@pytest.mark.parametrize("level", ["0", "5"])
@pytest.mark.parametrize("depth", [1, 4, 32, 256])
@pytest.mark.parametrize("users", [4, 100])
def test_the_members_of_a_set_work_on_no_more_than_its_queue_holds(
    level: str, depth: int, users: int
) -> None:
    disk = TURNING.model_copy(update={"raid_level": level, "raid_disks": 8, "queue_depth": depth})
    system, work = asked_of(disk, users=users, think_s=0.001)
    quick, played = calculate(system, work).transactions, simulate(system, work).transactions
    assert quick.per_s == pytest.approx(played.per_s, rel=0.15)


def test_arrivals_beyond_what_a_device_does_end_whatever_the_closed_form_thinks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saturation_of = expected_run.saturation_of
    monkeypatch.setattr(
        expected_run,
        "saturation_of",
        lambda *asked: saturation_of(*asked)._replace(demands={"data disk": 1e-9}),
    )
    system, work = asked_of(FLASH, users=1, think_s=0.0, rate_per_s=300)
    answer = simulate(system, work)
    assert any(
        warning.startswith("workload.rate_per_s 300 is more than the system does")
        for warning in answer.warnings
    )
    monkeypatch.setattr(by_events, "MOST_QUEUED", 500)
    with pytest.raises(OutsideLaw, match="the queue grows without end: lower the rate"):
        simulate(system, work.model_copy(update={"transactions": None}))
    quiet = simulate(system, work.model_copy(update={"rate_per_s": 50.0}))
    assert not any("rate_per_s" in warning for warning in quiet.warnings)


SCANS_ALONE = Transaction(gets=0, scan_blocks=100, changed_blocks=0, redo_bytes=0, commits=False, calls=0)


@pytest.mark.parametrize("largest_bytes", [4096, 524288])
@pytest.mark.parametrize("users", [1, 8])
@pytest.mark.parametrize(
    "disk", ["sas-10k", "samsung-860-evo", "intel-p4500", "ebs-gp3", "array-cached", "plain"]
)
def test_reads_of_a_scan_are_cut_as_the_queue_cuts_them_and_go_on_where_nobody_comes_between(
    disk: str, users: int, largest_bytes: int
) -> None:
    scenario = from_mapping(
        {
            "disk": {"capacity_bytes": "300G"} if disk == "plain" else {"use": disk},
            "host": {"max_request_bytes": largest_bytes},
            "instance": {"buffer_cache_bytes": "8M"},
            "workload": {
                "kind": "transactions",
                "data_bytes": "256M",
                "think_s": 0.001,
                "users": users,
                **FEW,
            },
        }
    )
    work = scenario.workload.model_copy(update={"mix": (SCANS_ALONE,), "transactions": 300})
    quick, played = (engine(scenario.system, work).transactions for engine in (calculate, simulate))
    seeks_between_pieces = (
        disk == "array-cached" and users > 1 and largest_bytes == 4096
    )  # of different users
    assert quick.response_s == pytest.approx(played.response_s, rel=0.25 if seeks_between_pieces else 0.1)
