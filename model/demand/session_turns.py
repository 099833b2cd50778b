"""Several sessions of one statement: when they begin, and in what turns they go on."""

from __future__ import annotations

from dataclasses import dataclass

from blocktime.model.demand.work import Demand
from blocktime.model.laws import turns
from blocktime.model.laws.block_layer import release_of
from blocktime.model.laws.commit import gathered_bytes
from blocktime.model.laws.numeric import Number, larger, smaller, where
from blocktime.model.spec import System


@dataclass(frozen=True, slots=True)
class BlockPace:
    """What the session does for each block of the segment, spread evenly: a stretch it owns alone goes in one step."""

    cpu_s: Number
    other_s: Number
    """Client waits and time between calls, less the CPU that is in them already."""


def pace_of(system: System, demand: Demand) -> BlockPace:
    """Work per wanted block, without reading."""
    other = demand.waits_s - demand.sent_twice_s + demand.trips * system.between_calls_s
    return BlockPace(demand.cpu_s / demand.blocks_wanted, other / demand.blocks_wanted)


STRETCH_BLOCKS = 128
LEAST_STRETCHES = 1_000


def stretch_s(system: System, cpu_s: Number, users: Number) -> Number:
    """CPU after which another session of a statement that changes rows may have the processor, of *cpu_s* in all."""
    host = system.host
    slice_s = turns.slice_s(release_of(host.kernel), host.cores.threads, users)
    return larger(slice_s, cpu_s / turns.MOST_STRETCHES)


def stretch_blocks(system: System, demand: Demand, users: Number) -> Number:
    """Blocks after which another session may have the processor.

    Where rows are changed it goes by time, so that turns are the same at all block sizes.
    """
    wanted = demand.blocks_wanted
    if demand.writing is not None:  # what is written goes on beside the stretch after it
        share = wanted * users / LEAST_STRETCHES
        redo = gathered_bytes(system.instance.log_buffer_bytes)
        share = smaller(share, wanted * users * redo / larger(1, demand.writing.redo_bytes))
        return smaller(STRETCH_BLOCKS, where(users > 1, share, larger(1.0, share)))
    if demand.change is None:
        return STRETCH_BLOCKS
    each_s = demand.cpu_s / wanted
    slice_s = stretch_s(system, demand.cpu_s, users)
    alone = (users == 1) & (each_s * STRETCH_BLOCKS <= slice_s)  # takes turns with nobody
    return where(alone | (each_s == 0), STRETCH_BLOCKS, slice_s / larger(each_s, 1e-300))


def first_step_s(system: System, demand: Demand, users: Number) -> Number:
    """Sessions begin within the time of one stretch of work, so that they are not in step."""
    pace = pace_of(system, demand)
    blocks = smaller(stretch_blocks(system, demand, users), demand.blocks_wanted)
    return blocks * (pace.cpu_s + pace.other_s)
