"""Random reads of a SATA drive by depth, as fio measured them: constants from depths 1 and 32, the others predicted."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from model import calculate, simulate
from model.spec import Disk, Host, ReadStream, System

SAMPLES = Path(os.environ.get("BLOCKTIME_SAMPLES", Path(__file__).parents[3] / "shared" / "samples"))
DRIVE = SAMPLES / "fio" / "ssd-samsung860"
COUNT = 20_000

pytestmark = pytest.mark.skipif(
    not DRIVE.is_dir(),
    reason="fio's outputs are not beside the project; BLOCKTIME_SAMPLES names another place",
)


@cache
def measured(depth: int) -> dict[str, float]:
    """Reads a second, mean latency from submission on, and the time of a submission, as fio prints them."""
    job = json.loads((DRIVE / f"randread-{depth}-1.json").read_text("utf-8"))["jobs"][0]["read"]
    return {
        "per_s": job["iops"],
        "latency_s": job["lat_ns"]["mean"] / 1e9,
        "submission_s": job["slat_ns"]["mean"] / 1e9,
    }


def system() -> System:
    """A drive whose lone read takes what depth 1 says, and whose controller takes what depth 32 says."""
    lone, full = measured(1), measured(32)
    host = Host(io_path="direct", scheduler="none", read_call_s=full["submission_s"], cpus=16)
    bandwidth = 550e6
    disk = Disk(
        overhead_s=lone["latency_s"] - full["submission_s"] - 4096 / bandwidth, average_seek_s=0.0, rotation_s=0.0,
        bandwidth_bytes_per_s=bandwidth, parallel_requests=32, queue_depth=32, capacity_bytes=500_000_000_000,
        reads_collide=True, controller_reads_per_s=full["per_s"],
    )  # fmt: skip
    return System(host=host, disk=disk)


UNMET = "the drive takes twice the time of one read for each of 4 or 8 at once; no law here says so"


@pytest.mark.parametrize("engine", [calculate, simulate])
@pytest.mark.parametrize(
    "depth",
    [
        1,
        *(pytest.param(depth, marks=pytest.mark.xfail(strict=True, reason=UNMET)) for depth in (2, 4, 8)),
        16,
        32,
        64,
    ],
)
def test_reads_by_depth(depth: int, engine: Any) -> None:
    calls = ReadStream(path="direct", block_size_bytes=4096, count=COUNT, pattern="random", in_flight=depth)
    per_s = COUNT / engine(system(), calls).time.elapsed_s
    print(depth, engine.__name__, per_s, per_s / measured(depth)["per_s"] - 1)
    assert per_s == pytest.approx(measured(depth)["per_s"], rel=0.10)
    assert depth / per_s == pytest.approx(measured(depth)["latency_s"], rel=0.10)
