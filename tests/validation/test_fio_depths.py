"""Random reads by depth, as fio measured them: constants from depths 1 and 32 alone, the others predicted.

Of a SATA drive, and of a disk of 10,000 turns a minute.
"""

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from blocktime.model import simulate
from blocktime.model.spec import ReadStream, System
from blocktime.scenarios import from_mapping
from blocktime.validation.identify.system import identify
from blocktime.validation.instruments import Keep, OpenedFile, read

SAMPLES = Path(os.environ.get("BLOCKTIME_SAMPLES", Path(__file__).parents[3] / "shared" / "samples"))
DRIVE = SAMPLES / "fio" / "ssd-samsung860"
DISK = SAMPLES / "fio" / "raptor-10k"
DISK_RPM = 10_000
COUNT = 20_000

pytestmark = pytest.mark.skipif(
    not (DRIVE.is_dir() and DISK.is_dir()),
    reason="fio's outputs are not beside the project; BLOCKTIME_SAMPLES names another place",
)


@cache
def measured(depth: int, folder: Path = DRIVE) -> dict[str, float]:
    """Reads a second, mean latency from submission on, and its 95th percentile, as fio prints them."""
    job = json.loads((folder / f"randread-{depth}-1.json").read_text("utf-8"))["jobs"][0]["read"]
    return {
        "per_s": job["iops"],
        "latency_s": job["lat_ns"]["mean"] / 1e9,
        "p95_s": (job["clat_ns"]["percentile"]["95.000000"] + job["slat_ns"]["mean"]) / 1e9,
    }


@cache
def system(folder: Path = DRIVE, rpm: float | None = None) -> System:
    """The drive that the command makes of depths 1 and 32."""
    paths = [folder / f"randread-{depth}-1.json" for depth in (1, 32)]
    found = identify([reading for path in paths for reading in read(OpenedFile(path, path.name, Keep()))], rpm)
    return from_mapping(found.sections(), "drive").system


UNMET = {
    4: "all four wait for the second report: the first of them is done within microseconds of the first report, and "
    "depths 1 and 32 do not tell on which side"
}


def cases() -> Iterator[Any]:
    """Each depth."""
    for depth in (1, 2, 4, 8, 16, 32, 64):
        reason = UNMET.get(depth)
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
        yield pytest.param(depth, marks=marks)


@pytest.mark.parametrize("depth", tuple(cases()))
def test_reads_by_depth(depth: int) -> None:
    calls = ReadStream(path="direct", block_size_bytes=4096, count=COUNT, pattern="random", in_flight=depth)
    per_s = COUNT / simulate(system(), calls).time.elapsed_s
    assert per_s == pytest.approx(measured(depth)["per_s"], rel=0.10)
    assert depth / per_s == pytest.approx(measured(depth)["latency_s"], rel=0.10)


@pytest.mark.parametrize("depth", [2, 4, 8, 16, 64])
def test_latencies_spread_as_measured(depth: int) -> None:
    calls = ReadStream(path="direct", block_size_bytes=4096, count=COUNT, pattern="random", in_flight=depth)
    (stream,) = simulate(system(), calls).streams or []
    assert stream.response_percentiles["p95"] == pytest.approx(measured(depth)["p95_s"], rel=0.20)


def test_at_depth_4_the_drive_is_within_a_fifth() -> None:
    calls = ReadStream(path="direct", block_size_bytes=4096, count=COUNT, pattern="random", in_flight=4)
    per_s = COUNT / simulate(system(), calls).time.elapsed_s
    assert per_s == pytest.approx(measured(4)["per_s"], rel=0.20)


@pytest.mark.parametrize("depth", [1, 2, 4, 8, 16, 32, 64])
def test_reads_of_a_disk_by_depth(depth: int) -> None:
    calls = ReadStream(path="direct", block_size_bytes=4096, count=COUNT, pattern="random", in_flight=depth)
    (stream,) = simulate(system(DISK, DISK_RPM), calls).streams or []
    there = measured(depth, DISK)
    assert stream.calls_per_s == pytest.approx(there["per_s"], rel=0.10)
    assert stream.response_s == pytest.approx(there["latency_s"], rel=0.10)
    assert stream.response_percentiles["p95"] == pytest.approx(there["p95_s"], rel=0.20)
