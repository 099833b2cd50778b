"""Table spaces on several devices: each has a queue of its own, and its share of the load, in both engines."""

from typing import Any, cast

import pytest

from blocktime.model import RunResult
from blocktime.model.budget import watch_here
from blocktime.model.demand.transaction_demand import Data
from blocktime.model.errors import OutsideLaw, SpecError
from blocktime.model.loops.calendar import Waiter
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.data_files import Files, OnDevices
from blocktime.model.sim.references import DEVICE_BYTES, BlockLayout, turns_of
from blocktime.model.spec import Transactions
from blocktime.model.spec.placed import DEVICE_FIELDS, PlacedTablespace, devices_of
from blocktime.model.workloads.transactions.parts import parts_of
from blocktime.scenarios import Scenario, from_mapping, run

WORK: dict[str, Any] = {
    "kind": "transactions",
    "transactions": 2500,
    "users": 10,
    "think_s": 0,
    "data_bytes": "10G",
    "mix": [{"name": "a", "gets": 100, "changed_blocks": 8}],
}
SMALL = {"buffer_cache_bytes": "256M"}


def spaces(*percents: float, **own: Any) -> list[dict[str, Any]]:
    """Table spaces on a device each; the last one's differs by *own*."""
    placed: list[dict[str, Any]] = [
        {"name": f"space {number}", "device": f"sd{letter}", "blocks_percent": percent}
        for number, (letter, percent) in enumerate(zip("abcdef", percents, strict=False), 1)
    ]
    placed[-1] |= own
    return placed


def scenario_of(disk: str | dict[str, Any], placed: list[dict[str, Any]], **more: Any) -> Scenario:
    """Transactions on a disk; *more* are fields of the work, and the instance's."""
    instance = SMALL | more.pop("instance", {})
    work = WORK | more | ({"tablespaces": placed} if placed else {})
    named = {"use": disk} if isinstance(disk, str) else disk
    return from_mapping({"disk": named, "instance": instance, "workload": work})


def answer(disk: str | dict[str, Any], placed: list[dict[str, Any]], **more: Any) -> RunResult:
    """Its answer."""
    return run(scenario_of(disk, placed, **more), seed=5)


def figures(result: RunResult) -> dict[str, Any]:
    """All of an answer, but for which files made it."""
    return result.model_dump(exclude={"method", "played_by", "version"})


def test_equal_devices_with_equal_shares_have_half_the_load_each() -> None:
    one = answer("ebs-gp3", [], rate_per_s=20)
    two = answer("ebs-gp3", spaces(50, 50), rate_per_s=20)
    for name in ("sda", "sdb"):
        near = pytest.approx(one.device["disk"].reads_per_s / 2, rel=0.03)
        assert two.device[name].reads_per_s == near
        assert two.device[name].writes_per_s == pytest.approx(one.device["disk"].writes_per_s / 2, rel=0.05)
        share = two.transactions.utilisation[f"data disk {name}"]
        assert share == pytest.approx(one.transactions.utilisation["data disk"] / 2, rel=0.05)
    assert set(two.device) == {"sda", "sdb", "redo"}


@pytest.mark.parametrize("disk", ["ebs-gp3", "sas-10k", "nvme"])
def test_all_data_in_one_table_space_is_the_answer_without_any(disk: str) -> None:
    plain, lone = (figures(answer(disk, placed)) for placed in ([], spaces(100)))
    assert lone == plain
    beside = answer(disk, [spaces(100)[0] | {"device": "disk"}, {"name": "b", "blocks_percent": 0, "device": "b"}])
    found = figures(beside)
    assert found["transactions"]["utilisation"].pop("data disk b", 0) == 0
    found["device"].pop("b", None)  # the idle device has no requests
    assert found == plain


def test_the_device_that_binds_is_named_and_a_second_one_doubles_what_the_disks_do() -> None:
    one, two = (answer("ebs-gp3", placed).transactions for placed in ([], spaces(50, 50)))
    assert two.saturation_per_s == pytest.approx(2 * one.saturation_per_s, rel=0.01)
    uneven = answer("ebs-gp3", spaces(30, 70)).transactions
    slow = answer("nvme", spaces(70, 30, iops_limit=500)).transactions
    assert (uneven.bottleneck, slow.bottleneck) == ("data disk sdb", "data disk sdb")
    assert uneven.saturation_per_s == pytest.approx(one.saturation_per_s / 0.7, rel=0.01)


def test_a_log_beside_the_data_lies_on_the_first_device() -> None:
    own, beside = (answer("ebs-gp3", spaces(50, 50), instance={"redo_disk": where}) for where in ("own", "data"))
    assert "redo" in own.device
    assert "redo" not in beside.device
    assert beside.device["sda"].writes_per_s > 1.2 * beside.device["sdb"].writes_per_s
    assert own.device["sda"].writes_per_s == pytest.approx(own.device["sdb"].writes_per_s, rel=0.1)


@pytest.mark.parametrize(
    ("placed", "says"),
    [
        (spaces(50, 40), "blocks_percent of the 2 tablespaces sum to 90"),
        (spaces(50, 50)[:1] * 2, "tablespaces has two named 'space 1'"),
        *(
            ([space | {"device": "sda"} for space in spaces(50, 50, **{name: 9})], f"'sda', which has one {name}")
            for name in DEVICE_FIELDS
        ),
        ([{"name": "a", "blocks_percent": 100, "disc": "sda"}], "disc"),
        (spaces(120, -20), "blocks_percent: got 120"),
    ],
)
def test_table_spaces_that_contradict_are_refused(placed: list[dict[str, Any]], says: str) -> None:
    with pytest.raises(SpecError, match=says):
        answer("nvme", placed)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"host": {"iops_limit": 9000}}, "host.iops_limit is not modelled"),
        ({"beside": [{"kind": "read_stream"}]}, "programs beside each other share one disk"),
    ],
)
def test_what_several_devices_would_share_is_refused(more: dict[str, Any], says: str) -> None:
    work = WORK | {"tablespaces": spaces(50, 50)}
    work |= {"beside": more.get("beside", [])}
    host = {"host": more["host"]} if "host" in more else {}
    scenario = from_mapping({"disk": {"use": "nvme"}, "workload": work, **host})
    with pytest.raises(OutsideLaw, match=says):
        run(scenario)


@pytest.mark.parametrize("shares", [[1.0], [0.5, 0.5], [0.7, 0.2, 0.1], [0.999, 0.001], [1.0, 0.0]])
def test_extents_go_to_devices_by_turns_and_no_two_blocks_lie_at_one_place(shares: list[float]) -> None:
    blocks = 300_001
    layout = BlockLayout(Data(8192, (blocks, 0), (1.0, 0.0), 0.0, ()), 0, shares)
    places = [layout.byte_of(block) for block in range(0, blocks, 16)]
    assert len(set(places)) == len(places)
    of_device = [place // DEVICE_BYTES for place in places]
    for device, share in enumerate(shares):
        there = [place % DEVICE_BYTES for place in places if place // DEVICE_BYTES == device]
        assert of_device.count(device) / len(places) == pytest.approx(share, abs=0.002)
        if there:
            assert max(there) <= share * blocks * 8192 * 1.01 + 2 * 2**20
    turns = turns_of(shares)
    assert turns.count(0) == pytest.approx(shares[0] * len(turns), abs=1)


@pytest.mark.parametrize("percents", [(30, 45, 25), (33.3, 33.3, 33.3)])
def test_table_spaces_of_one_device_share_it(percents: tuple[float, ...]) -> None:
    placed = [space | {"device": device} for space, device in zip(spaces(*percents), "aab", strict=True)]
    first, second = devices_of(tuple(PlacedTablespace(**space) for space in placed))
    assert first.share + second.share == pytest.approx(1, abs=1e-12)
    assert first.share == pytest.approx(sum(percents[:2]) / sum(percents))


@pytest.mark.parametrize("at_once", [2, 8])
def test_reads_at_once_take_one_read_where_devices_serve_all_side_by_side(at_once: int) -> None:
    wide = {"use": "nvme", "parallel_requests": 1024, "bandwidth_bytes_per_s": 1e12, "service_cv": 0}
    mix = [{"name": "a", "gets": 60, "changed_blocks": 5, "parallel_reads": at_once}]
    for placed in ([], spaces(50, 50), spaces(90, 10), spaces(40, 30, 30)):
        scenario = scenario_of(wide, placed, mix=mix)
        parts = parts_of(scenario.system, cast("Transactions", scenario.workload))
        assert parts.batch_s == pytest.approx(parts.devices[0].disk.read_s, rel=1e-3)


def test_dbwr_is_as_busy_as_at_the_device_that_it_can_write_least_to() -> None:
    """Two of its three writes of 20 ms are under way where four of five of the 60 blocks of a transaction lie."""
    disk, mix = {"use": "nvme", "write_overhead_s": 0.02}, [{"name": "a", "gets": 60, "changed_blocks": 60}]
    more = {"rate_per_s": 1, "mix": mix, "transactions": 300, "instance": {"db_writer_requests": 3}}
    placed = spaces(80, 20, overhead_s=0.003)
    for listed in (placed, placed[::-1]):
        found = answer(disk, listed, **more).transactions
        assert found.saturation_per_s == pytest.approx(2 / 0.02 / (0.8 * 60), rel=0.1)
        share = found.per_s / found.saturation_per_s
        assert found.utilisation["database writer"] == pytest.approx(share, rel=0.15)


class Waits(Files):
    """A device that takes a time of its own for a request."""

    def __init__(self, env: Clock, each_s: float) -> None:
        self.env, self.each_s = env, each_s

    def requests(self, write: bool, start_bytes: list[int], size_bytes: int, then: Waiter) -> None:
        self.env.after(self.each_s * len(start_bytes), then)


class Ends(Waiter):
    """It says when it goes on."""

    def __init__(self, env: Clock) -> None:
        self.env, self.at_s = env, [0.0]

    def happens(self) -> None:
        self.at_s.append(self.env.now)


@pytest.mark.parametrize("each_s", [(1.0, 5.0), (5.0, 1.0)])
def test_reads_of_several_devices_end_with_the_last_of_them(each_s: tuple[float, float]) -> None:
    env = Clock(watch_here())
    ends = Ends(env)
    OnDevices(env, [Waits(env, seconds) for seconds in each_s]).requests(False, [0, 8192, DEVICE_BYTES], 8192, ends)
    env.run()
    assert ends.at_s == [0.0, max(2 * each_s[0], each_s[1])]
