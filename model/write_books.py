"""What is written behind sessions that fill blocks, in Oracle's counts and in iostat's; numbers or arrays."""

from __future__ import annotations

from typing import Any

from model.demand import Demand
from model.laws.iostat import DeviceSums, quantities
from model.laws.numeric import Number, smaller


def writes_of_a_session(work: Any, demand: Demand) -> tuple[Number, Number]:
    """Write requests of DBWR, one a block, and their bytes: one session's share; none where writing is not timed."""
    if demand.writing is None:
        return 0.0, 0.0
    blocks = demand.writing.written_blocks / work.users
    return blocks, blocks * demand.block_size_bytes


def device_of_writes(system: Any, demand: Demand, elapsed_s: Number) -> tuple[Number, dict[str, Number]]:
    """Whether anything goes to the device, and iostat's quantities of it under DBWR and the log, over the run."""
    writing = demand.writing
    if writing is None:
        return False, {}
    blocks = writing.written_blocks
    size = blocks * demand.block_size_bytes + writing.redo_bytes
    requests = blocks * writing.requests + writing.redo_bytes / system.host.max_request_bytes
    held_s = smaller(elapsed_s, blocks * writing.device_s + writing.blocks * writing.redo_s)
    sums = DeviceSums((0.0, requests), (0.0, 0.0), (0.0, size), held_s, held_s)
    return (size > 0) & (elapsed_s > 0), quantities(sums, elapsed_s)
