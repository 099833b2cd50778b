"""Run one statement through time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt
import simpy

from model import books, causes
from model.demand import Demand, demand_of, parallel_of
from model.demand.turns import first_step_s, stretch_blocks, stretches_of
from model.errors import OutsideLaw
from model.laws.iostat import DeviceSums, quantities
from model.results import DeviceStats, RunResult
from model.sim.ledger import mean_waits
from model.sim.session import Read, Session, Shared
from model.sim.streams import stream
from model.spec import Statement, System, release_tuple
from model.state.extent_map import Extent, lay_out, part_of, reads_of, uncached_reads_of
from model.state.free_buffers import FreeBuffers
from model.state.servers import DeviceQueue, Servers

MOST_STEPS = 2_000_000
MOST_BLOCKS_DRAWN = 50_000_000
EVENTS_PER_SESSION = 2  # a process begins and ends


def simulate_statement(system: System, work: Statement, *, seed: int, name: str) -> RunResult:
    """Answer a statement by simulation: sessions contend for processors and the device; times of the mean session.

    Raises :class:`OutsideLaw` beyond two million steps, where the calculator is the engine to ask.
    """
    demand = demand_of(system, work)
    stretch = stretch_blocks(demand, work.users)
    _refuse_what_takes_too_long(work, demand, stretch)
    env = simpy.Environment()
    disk = DeviceQueue(int(parallel_of(system.disk)))
    shared = Shared(disk, Servers(system.host.cpus), _buffers(demand))
    sessions = [Session(env, system, demand, shared, stretch) for _ in range(work.users)]
    starts = stream(seed, "session start").uniform(0, 1, work.users) * first_step_s(
        system, demand, work.users
    )
    singles, scan_of = _single_reads(work, demand), _reads_by_session(system, work, demand, seed)
    for rank, session in enumerate(sessions):
        start_s = float(starts[rank]) if work.users > 1 else 0.0
        env.process(session.execute(singles[rank], scan_of(rank), start_s))
    env.run()
    return books.close_books(name, system, work, demand, _timing(system, work, demand, sessions, seed))


def _buffers(demand: Demand) -> FreeBuffers | None:
    """The buffers that all sessions fill, where what is written behind them is timed."""
    behind = demand.writing
    if behind is None:
        return None
    return FreeBuffers(float(behind.room_blocks), float(behind.write_s), float(behind.redo_s))


def _refuse_what_takes_too_long(work: Statement, demand: Demand, stretch: float) -> None:
    """A read is a step, and so is a stretch of blocks that need none."""
    steps, blocks = steps_of(work, demand, stretch)
    for amount, most, what in ((steps, MOST_STEPS, "steps"), (blocks, MOST_BLOCKS_DRAWN, "blocks")):
        if amount > most and not (what == "blocks" and demand.plan.direct):
            raise OutsideLaw(
                f"simulating {amount:,.0f} {what} is refused; the limit is {most:,}: use engine calculate, fewer "
                "users or fewer rows"
            )


def steps_of(work: Statement, demand: Demand, stretch: float) -> tuple[float, float]:
    """Steps of a simulation, and blocks of which it is drawn whether they are cached."""
    steps = work.users * (float(demand.reads) + stretches_of(float(demand.blocks_wanted), stretch))
    scans = work.users if demand.change is None else 1
    return steps, scans * float(demand.segment.blocks)


def _single_reads(work: Statement, demand: Demand) -> list[int]:
    """Reads of header and map by each session; the first one does them for all that share a segment."""
    each = float(demand.plan.single_reads)
    if demand.change is None:
        return [int(each)] * work.users
    return [round(each * work.users), *[0] * (work.users - 1)]


def _reads_by_session(
    system: System, work: Statement, demand: Demand, seed: int
) -> Callable[[int], Iterator[Read]]:
    """The reads of each session in order, by its rank; those that change rows share them among them."""
    plan, each = demand.plan, float(demand.reads)
    shared = demand.change is not None
    if work.kind == "index_range_scan" or (shared and plan.positioned_fraction == 1):
        away = float(plan.positioned_fraction)
        return lambda rank: _single_block_reads(round((rank + 1) * each) - round(rank * each), away)
    if not each:
        return lambda _: iter(())
    space, blocks = system.tablespace, int(demand.segment.blocks)
    extents = lay_out(
        blocks,
        block_size_bytes=space.block_size_bytes,
        assm=space.space_management == "assm",
        uniform_extent_bytes=space.uniform_extent_bytes if space.extent_management == "uniform" else None,
        release_11_2=release_tuple(system.instance.release) >= (11, 2),
    )
    mbrc, window = int(plan.mbrc), None if plan.window_blocks is None else int(plan.window_blocks)
    cached = _cached_blocks(system, plan.direct, extents, seed)

    def of_session(rank: int) -> Iterator[Read]:
        begin, end = (
            (blocks * rank // work.users, blocks * (rank + 1) // work.users) if shared else (0, blocks)
        )
        own = part_of(extents, begin, end)
        if cached is None:
            return reads_of(own, mbrc=mbrc, window_blocks=window)
        flags = iter(cached[begin:end])
        return uncached_reads_of(
            own, mbrc=mbrc, cached_of=lambda many: [bool(one) for one in islice(flags, many)]
        )

    return of_session


def _cached_blocks(
    system: System, direct: bool, extents: list[Extent], seed: int
) -> npt.NDArray[np.bool_] | None:
    """Which data blocks are cached, the same for all sessions; None where a scan does not meet any."""
    share = system.table.cached_fraction
    if direct or not share:
        return None
    draws = stream(seed, "cached blocks")
    return np.concatenate([draws.random(extent.data) < share for extent in extents])


def _single_block_reads(count: int, positioned_fraction: float) -> Iterator[Read]:
    """*count* reads one block on; of those after the first the stated share are evenly far from the one before."""
    place, jumps = 0, 0
    for rank in range(count):
        if int(rank * positioned_fraction + 1e-9) > jumps:
            jumps += 1
            place += FAR_BLOCKS
        yield place, 1
        place += 1


FAR_BLOCKS = 10**6


def _timing(
    system: System, work: Statement, demand: Demand, sessions: list[Session], seed: int
) -> books.Timing:
    ledgers = [session.ledger for session in sessions]
    many = len(ledgers)
    waits, unaccounted = books.client_times(system, demand)
    for event, waited in mean_waits(ledgers).items():
        waits[event] = waited
    cpu = dict(demand.cpu)
    submit = sum(ledger.submit_cpu_s for ledger in ledgers) / many
    if submit:
        cpu[causes.COPIED] = submit
    blocked = sum(ledger.submit_blocked_s for ledger in ledgers) / many
    if blocked > 0:
        unaccounted[causes.SUBMIT_BLOCKED] = blocked
    cpu["read calls"] += sum(ledger.reap_cpu_s for ledger in ledgers) / many
    run_queue = sum(ledger.run_queue_s for ledger in ledgers) / many
    if run_queue:
        unaccounted[causes.RUN_QUEUE] = run_queue
    elapsed = sum(ledger.elapsed_s for ledger in ledgers) / many
    span = max(ledger.end_s for ledger in ledgers) - min(ledger.begin_s for ledger in ledgers)
    processors_s = many * sum(cpu.values()) / system.host.cpus
    sizes: dict[int, float] = {}
    for ledger in ledgers:
        for size, count in ledger.reads.items():
            sizes[size] = sizes.get(size, 0.0) + count / many
    return books.Timing(
        elapsed_s=elapsed,
        last_session_s=span if many > 1 else None,
        cpu=cpu,
        wait=waits,
        unaccounted=unaccounted,
        request_blocks=sizes,
        device=_device_stats(sessions[0].disk, span),
        engine="simulate",
        seed=seed,
        warnings=books.session_warnings(work, demand, (elapsed, span, processors_s)),
        events=sum(ledger.events + EVENTS_PER_SESSION for ledger in ledgers),
    )


def _device_stats(disk: DeviceQueue, span: float) -> DeviceStats | None:
    if not disk.requests:
        return None
    sums = DeviceSums((disk.requests, 0), (0, 0), (disk.bytes, 0), disk.held_s, disk.busy_s)
    return DeviceStats(**quantities(sums, span))
