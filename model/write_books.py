"""What is written behind sessions that fill blocks, in Oracle's counts and in iostat's."""

from __future__ import annotations

from model.demand import Demand
from model.results import DeviceStats
from model.spec import System, Workload


def writes_of_a_session(work: Workload, demand: Demand) -> tuple[float, float]:
    """Write requests of DBWR, one a block, and their bytes: one session's share; none where writing is not timed."""
    if demand.writing is None:
        return 0.0, 0.0
    blocks = float(demand.writing.written_blocks) / work.users
    return blocks, blocks * demand.block_size_bytes


def device_of_writes(system: System, demand: Demand, elapsed_s: float) -> DeviceStats | None:
    """The device under DBWR and the log, over the run; None where nothing goes to it."""
    writing = demand.writing
    if writing is None:
        return None
    blocks = float(writing.written_blocks)
    size = blocks * demand.block_size_bytes + float(writing.redo_bytes)
    requests = blocks * float(writing.requests) + float(writing.redo_bytes) / system.host.max_request_bytes
    if not size or not elapsed_s:
        return None
    held_s = blocks * float(writing.device_s) + float(writing.blocks * writing.redo_s)
    busy_s = min(elapsed_s, held_s)
    return DeviceStats(
        reads_per_s=0.0,
        read_bytes_per_s=0.0,
        writes_per_s=requests / elapsed_s,
        written_bytes_per_s=size / elapsed_s,
        average_request_bytes=size / requests,
        average_queue=busy_s / elapsed_s,
        await_s=busy_s / requests,
        service_s=busy_s / requests,
        utilisation_fraction=busy_s / elapsed_s,
    )
