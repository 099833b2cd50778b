"""A volume from a calibration of a database's disks: requests and bytes a second at most, and what one block takes."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final, NamedTuple

from blocktime.scenarios.measured import READ_LATENCY, READS_A_SECOND
from blocktime.validation.identify.identified_scenario import IdentifiedScenario, NotIdentified, ScenarioBuilder
from blocktime.validation.instruments import Figure, Reading
from blocktime.validation.instruments.calibration import OF

BLOCK_BYTES: Final = 8192
MOST_IN_FLIGHT: Final = 1024
COUNT: Final = 20_000


class CalibratedLimits(NamedTuple):
    """What a calibration found, and in which file."""

    file: str
    requests_per_s: Figure | None
    bytes_per_s: Figure | None
    latency: Figure | None
    """With as many requests as are served."""
    lone: Figure | None
    """Of a request that meets no other."""

    @property
    def limits(self) -> list[tuple[str, Figure]]:
        """Fields of a disk with the figure that each takes."""
        both = (("disk.iops_limit", self.requests_per_s), ("disk.throughput_limit_bytes_per_s", self.bytes_per_s))
        return [(path, figure) for path, figure in both if figure is not None and figure.value > 0]


def calibration_of(readings: Sequence[Reading]) -> CalibratedLimits | None:
    """The first calibration with a limit in *readings*; None without one."""
    for reading in readings:
        named = {figure.name: figure for figure in reading.figures if figure.of == OF}
        calibrated = CalibratedLimits(
            reading.file, *(named.get(name) for name in ("max_iops", "max_mbps", "latency", "lone_latency"))
        )
        if calibrated.limits:
            return calibrated
    return None


def identify_volume(calibration: CalibratedLimits) -> IdentifiedScenario:
    """Random reads of single blocks on the volume of *calibration*, with as many in flight as its latency says.

    Raises :class:`NotIdentified` for one without requests a second.
    """
    most = calibration.requests_per_s
    if most is None or not most.value:
        raise NotIdentified(f"{calibration.file}: has no MAX_IOPS: a volume is not described without it")
    builder = ScenarioBuilder(IdentifiedScenario(f"Calibrated disks of {calibration.file}"), calibration.file)
    know, assume = builder.know, builder.assume
    know("workload.kind", "read_stream", "a calibration reads single blocks at random")
    assume("workload.path", "direct", "past the page cache")
    assume("workload.pattern", "random", "single blocks")
    assume("workload.block_size_bytes", BLOCK_BYTES, "db_block_size is not printed")
    assume("workload.count", COUNT, "enough for a mean")
    assume("disk.use", "nvme", "a device without positions")
    for name in ("disk.parallel_requests", "disk.queue_depth", "host.nr_requests"):
        assume(name, MOST_IN_FLIGHT, "not a limit")
    assume("host.scheduler", "none", "a device without positions")
    latency, lone = calibration.latency, calibration.lone or calibration.latency
    if lone:
        under_way = min(MOST_IN_FLIGHT, ceil(most.value * lone.value) + (lone is not latency))
        know("workload.in_flight", under_way, "MAX_IOPS times latency: blocks under way at once")
        what = "at the most requests: a bound for a lone read" if lone is latency else "of a lone read"
        know("disk.overhead_s", lone.value, f"latency {what}", lone)
    for path, figure in calibration.limits:
        know(path, figure.value, figure.name, figure)
    builder.add_compared(READS_A_SECOND, most.value, "1/s", most, given=True)
    if latency:
        builder.add_compared(READ_LATENCY, latency.value, "s", latency, given=True)
    builder.found.says.append(
        "a calibration gives limits of the disks; give it together with an AWR report to hold that system against them"
    )
    return builder.found
