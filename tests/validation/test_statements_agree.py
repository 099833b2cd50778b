"""Instant estimates of statements lie where the simulation does: random scenarios, each of which shows one law."""

import pytest
from tools.residuals import compare, play

from tests import random_scenarios

DISKS = (
    "array-cached",
    "array-raid10",
    "array-raid5",
    "ebs-gp2",
    "ebs-gp3",
    "ida-2004",
    "linear",
    "magni-sdb",
    "nvme",
    "sas-10k",
    "sas-15k",
    "sata-7k2",
    "savvinov-160mb",
    "ssd-sata",
)
"""From these the scenarios are drawn, so that another disk in the catalog leaves them as they are."""

READ_AHEAD = "a drive sends what it has read ahead faster than its medium passes it"
MEMBERS = "members of a set have read nothing ahead at first"
HEADS = "sessions that take turns move the heads for each other"
FIRST = "the first reads of a small table find the heads near, and the rest read ahead"
HOLES = "cached blocks leave holes that end the read-ahead of the page cache"
SLICES = "cfq and bfq wait for a session that goes on near, while others wait for the device"
BURST = "a volume serves at its burst rate behind the page cache, too"


@pytest.mark.parametrize(
    ("name", "factor", "law"),
    [
        ("full_scan/20210", 1.06, READ_AHEAD),
        ("full_scan/20126", 1.02, READ_AHEAD),
        ("full_scan/20146", 1.2, BURST),
        ("delete/20211", 1.12, BURST),  # sessions end apart, at 1.33 to 1.57 s
        ("export/20145", 1.05, BURST),
        ("update/20238", 1.25, MEMBERS),
        ("delete/20086", 1.27, MEMBERS),  # what is not followed counts by blocks
        ("full_scan/20234", 1.25, MEMBERS),
        ("full_scan/20028", 1.02, MEMBERS),
        ("full_scan/20180", 1.05, HEADS),
        ("index_range_scan/20121", 1.6, HEADS),
        ("delete/20148", 1.02, FIRST),
        ("full_scan/20142", 1.2, HOLES),
        ("full_scan/20230", 1.4, HOLES),
        ("export/20084", 1.3, SLICES),
        ("export/20138", 1.4, SLICES),
    ],
)
def test_the_estimate_lies_where_the_simulation_does(
    monkeypatch: pytest.MonkeyPatch, name: str, factor: float, law: str
) -> None:
    entries = random_scenarios.entries
    monkeypatch.setattr(random_scenarios, "entries", lambda kind: DISKS if kind == "disk" else entries(kind))
    played = play(name)
    assert played is not None
    compared = compare(played)
    assert 1 / factor <= compared.ratio <= factor, law
