"""Volumes of a cloud: limits by size as AWS documents them, and another volume by name for a measured system."""

from pathlib import Path

import pytest

from blocktime.model.errors import SpecError
from blocktime.model.units import GIB, MIB
from blocktime.scenarios import load
from blocktime.scenarios.load import from_mapping, to_mapping

FILE = """
base = "oltp-nvme"
[disk]
use = "nvme"
overhead_s = 0.0034
service_cv = 0.2
iops_limit = 3900
[measured]
form = 1
share = SHARE
[[measured.known]]
field = "disk.overhead_s"
interval = [0.0033, 0.0035]
[[measured.compared]]
name = "transactions a second"
value = 100
unit = "1/s"
low = 99
high = 101
file = "awr.txt"
line = 7
"""


def written(folder: Path, share: object = 0.8) -> str:
    path = folder / "my.toml"
    path.write_text(FILE.replace("SHARE", str(share)), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("volume", "per_s"), [("azure-p60", 16_000), ("azure-p30", 5_000), ("ebs-gp3", 3_000)])
def test_a_volume_by_name_keeps_what_was_measured(tmp_path: Path, volume: str, per_s: int) -> None:
    scenario = load(written(tmp_path), [f"disk.use={volume}"])
    disk = scenario.system.disk
    assert (disk.overhead_s, disk.service_cv) == (0.0034, 0.2)
    assert disk.iops_limit == pytest.approx(0.8 * per_s)
    assert any(volume in note and "80 % of the volume's limits" in note for note in scenario.notes)
    assert scenario.system.constants["disk.overhead_s"].interval == (0.0033, 0.0035)
    again = from_mapping(to_mapping(scenario), "again")
    assert again.system.disk == disk


def test_what_is_set_beside_the_name_stays_as_set(tmp_path: Path) -> None:
    settings = ["disk.use=azure-p60", "disk.iops_limit=9000", "disk.overhead_s=1ms"]
    disk = load(written(tmp_path), settings).system.disk
    assert (disk.iops_limit, disk.overhead_s) == (9000, 0.001)


def test_a_drive_by_name_has_times_of_its_own(tmp_path: Path) -> None:
    disk = load(written(tmp_path), ["disk.use=intel-s4500", "disk.iops_limit=50000"]).system.disk
    assert disk.overhead_s < 0.001


@pytest.mark.parametrize("share", [0, 1.5, '"a"', "true"])
def test_a_share_that_is_none_is_refused(tmp_path: Path, share: object) -> None:
    with pytest.raises(SpecError, match=r"measured\.share: got .*allowed is a number above 0"):
        load(written(tmp_path, share), ["disk.use=azure-p60"])


@pytest.mark.parametrize(
    ("gib", "per_s", "mib_per_s", "bursts"),
    [(1, 100, 128, True), (33, 100, 128, True), (100, 300, 128, True), (170, 510, 128, True), (171, 513, 250, True),
     (500, 1500, 250, True), (1000, 3000, 250, False), (2000, 6000, 250, False), (5334, 16_000, 250, False),
     (16_384, 16_000, 250, False)],
)  # fmt: skip
def test_limits_go_by_the_size(gib: int, per_s: float, mib_per_s: float, bursts: bool) -> None:
    scenario = from_mapping({"base": "oltp-nvme", "disk": {"use": "ebs-gp2", "capacity_bytes": f"{gib}G"}}, "a")
    disk = scenario.system.disk
    assert disk.capacity_bytes == gib * GIB
    assert (disk.iops_limit, disk.throughput_limit_bytes_per_s) == (per_s, mib_per_s * MIB)
    assert (disk.burst_iops, disk.burst_credits) == ((3000, 5_400_000) if bursts else (None, 0))
    assert from_mapping(to_mapping(scenario), "a").system.disk == disk


def test_what_is_set_stays_as_set() -> None:
    fields = {"use": "ebs-gp2", "capacity_bytes": "1T", "iops_limit": 700}
    assert from_mapping({"disk": fields}, "a").system.disk.iops_limit == 700
    assert from_mapping({"disk": {"use": "ebs-gp2"}}, "a").system.disk.iops_limit == 300
    other = from_mapping({"disk": {"use": "ebs-gp3", "capacity_bytes": "1T"}}, "a").system.disk
    assert other.iops_limit == 3000


def test_a_size_that_is_none_is_refused_as_ever() -> None:
    with pytest.raises(SpecError, match="capacity_bytes"):
        from_mapping({"disk": {"use": "ebs-gp2", "capacity_bytes": "many"}}, "a")
