"""Several sessions of one statement: when they begin, in what turns they go on, and when they are done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from blocktime.model.demand.storage import DeviceDemand, parallel_of, slots_of
from blocktime.model.demand.work import Demand
from blocktime.model.laws import scan_reads, turns
from blocktime.model.laws.block_layer import release_of
from blocktime.model.laws.numeric import Number, larger, smaller, where
from blocktime.model.spec import Statement, System


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


@dataclass(frozen=True, slots=True)
class SessionAlone:
    """Seconds of one session that nobody is in the way of."""

    elapsed_s: Number
    own_s: Number
    """Without its waits for the device."""
    cpu_s: Number


def among_others(system: System, work: Statement, demand: Demand, asked: DeviceDemand) -> DeviceDemand:
    """The reads of one session among those of others, which take the heads away from where a read would go on."""
    users, plan, reads = work.sessions, demand.plan, larger(1, demand.reads)
    own = demand.cpu_s + demand.waits_s
    alone = own + plan.single_reads * asked.single_s + asked.service_s + asked.continued_s
    at_device = asked.far_held_s
    begins = turns.spread_s(first_step_s(system, demand, users), users)
    follows = _following(system, work, demand, turns.lead_fraction(users, alone, at_device, begins) * reads)
    # the first and the last session have the device to themselves for a time, and so has who makes the most reads
    beside = 1 - smaller(1, 2 * begins / (users * larger(1, users - 1) * larger(alone, users * at_device)))
    beside = beside * _reads_beside(system, work, demand) / reads
    if plan.asynchronous and not plan.through_page_cache:
        queued = larger(
            own, users * demand.cpu_s / system.host.cores.threads
        )  # sessions share the processors
        beside = beside * _runs(reads, slots_of(system, demand, users), queued, asked) / reads
    apart = where(users > 1, beside * (1 - follows), 0.0)
    return replace(
        asked,
        latency_s=asked.latency_s + apart * asked.continued_s,
        held_s=asked.held_s + apart * (asked.far_held_s - asked.held_s),
    )


def _runs(reads: Number, slots: Number, own_s: Number, asked: DeviceDemand) -> Number:
    """Runs in which a session hands its asynchronous reads over without another session's in between.

    A read that is handed over while the device is still at the session's run makes that longer, up to its *slots*. The
    device is there for the run's own service, in the time that the session works on the run: the chance is the ratio of
    the two, or 1. Else reads are handed over one by one.
    """
    keeps_on = smaller(1, asked.held_s / larger(1e-300, own_s))
    return reads * (keeps_on / slots + 1 - keeps_on)


def _following(system: System, work: Statement, demand: Demand, lead_reads: Number) -> Number:
    """Share of a session's reads that go on where another session's has ended."""
    users, plan, reads, size = work.sessions, demand.plan, larger(1, demand.reads), demand.block_size_bytes
    if demand.shared:
        part_bytes = demand.read_blocks * size
        return turns.following_parts_fraction(users, part_bytes, part_bytes / reads)
    return sum(
        piece.count
        / reads
        * turns.following_fraction(users, lead_reads, piece.blocks * size, plan.positioned_fraction)
        for piece in plan.pieces
    )


def _reads_beside(system: System, work: Statement, demand: Demand) -> Number:
    """Reads of each session while all are there; who has the first part, in small extents, makes more of them."""
    reads, users, plan = larger(1, demand.reads), work.sessions, demand.plan
    if demand.change is None or not plan.pieces or work.at_random:
        return reads
    segment = demand.change.segment
    first = scan_reads.reads_of_first_part(
        segment.shape.runs, segment.blocks / users, plan.mbrc, system.table.cached_fraction
    )
    return larger(1, smaller(reads, (users * demand.reads - first) / larger(1, users - 1)))


def ends_at(
    system: System, work: Statement, demand: Demand, asked: DeviceDemand, alone: SessionAlone
) -> tuple[turns.Ends, turns.Ends]:
    """When several sessions are done if they wait for the device alone, and if they wait for the processors alone."""
    users, threads, plan = work.sessions, system.host.cores.threads, demand.plan
    parallel = parallel_of(system.disk)
    begins = turns.spread_s(first_step_s(system, demand, users), users)
    reads = _reads_beside(system, work, demand)
    share = turn = 1 / reads  # of the last turn in what is read, and in the reads
    if plan.asynchronous and not plan.through_page_cache:
        share = turn = larger(1 / reads, smaller(0.5, slots_of(system, demand, users) / reads))
    elif demand.change is None:
        share = smaller(1, asked.last_blocks / larger(1, demand.read_blocks))
    held = asked.keeps_s(demand)
    # of sessions that share few reads not all make one
    reading = 1.0 if not demand.shared else smaller(1, demand.reads + plan.single_reads)
    reading = where(reading > 0, reading, 1.0)
    at_device = turns.Station(
        held / reading,
        where(users > parallel, asked.held_s * turn, smaller(asked.held_s, asked.transfer_s) * share)
        / reading,
        alone.own_s * share,
    )
    waiting_s = alone.own_s + (alone.elapsed_s - alone.own_s) / reading
    ends = turns.ends_s(larger(1, users * reading), waiting_s, begins, at_device)
    mean_s = reading * ends.mean_s + (1 - reading) * alone.own_s
    stretch = smaller(1, stretch_blocks(system, demand, users) / demand.blocks_wanted)
    cpu_share = smaller(stretch, where(demand.reads > 0, share, 1))
    at_processors = turns.Station(
        alone.cpu_s / threads,
        where(users > threads, alone.cpu_s * cpu_share / threads, 0.0),
        (alone.elapsed_s - alone.cpu_s) * smaller(1 / reads, stretch),
    )
    return (
        turns.Ends(mean_s, larger(ends.last_s, mean_s)),
        turns.ends_s(users, alone.elapsed_s, begins, at_processors),
    )
