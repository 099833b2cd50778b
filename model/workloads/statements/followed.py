"""The first reads of a statement, followed one by one on the drive's own state: what its sessions wait for.

Where heads are, what members of a set have read ahead and which pages a reader has had decide how long a read takes, so
that no mean over places tells it. The sessions go on in order of the moments at which they are ready; the drive, the
processors and the windows of the page cache are the states that a simulation has. Left out is what a queue does to the
requests that wait in it: they do not merge, and no scheduler sorts them. Reads beyond those that are followed take as
long as the later half of these.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from itertools import accumulate, islice, repeat
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from zlib import crc32

from blocktime.model.demand.calls import largest_bytes_of
from blocktime.model.demand.device_calls import idles
from blocktime.model.demand.of_many import Overlay, each_of
from blocktime.model.demand.reading import one_for_all, reaps_are_waits
from blocktime.model.demand.turns import first_step_s, pace_of, stretch_blocks
from blocktime.model.demand.work import RANGE_SCAN, Demand
from blocktime.model.laws.block_layer import PAGE_BYTES
from blocktime.model.laws.numeric import Number, ceil_div, is_array, larger, largest, some, where
from blocktime.model.laws.read_slots import LOOK_EVERY_S
from blocktime.model.loops import fastest
from blocktime.model.loops.rows import reals, row
from blocktime.model.machine.device.drive import BoundedDrive, drive_of
from blocktime.model.machine.device.servers import Servers
from blocktime.model.machine.host.read_ahead import ReadAhead, read_ahead_of
from blocktime.model.machine.segment.extent_map import Extent, reads_of
from blocktime.model.spec import Statement, System
from blocktime.model.workloads.statements.followed_session import (
    MEANS,
    MOST_BEYOND,
    NUMBERS,
    FollowedMachine,
    FollowedSession,
)
from blocktime.model.workloads.statements.placed_reads import (
    Draws,
    Leaves,
    Read,
    extents_of,
    header_and_map,
    reads_by_session,
    single_reads,
)

if TYPE_CHECKING:
    import numpy as np

MOST_READS = 320
"""Reads that are followed, of all sessions; each has its share of them."""
LEAST_ASYNCHRONOUS = 448
"""Of a session with asynchronous reads, whose slots grow within them."""
LEAST_OF_SESSION = 40
MOST_BLOCKS = 1 << 20
"""Blocks of a segment that are laid out extent by extent; those of a larger one behind them count as one extent."""
MOST_GIVEN = 1 << 62
"""Blocks of reads that a session is given one by one, none of which is cut."""
MOST_REPLAYS = 16
"""Times that few reads are followed where chance decides where they lie."""
ANYWHERE = 0.5
"""Share of reads that do not go on where the last one ended, above which reads lie here and there."""
MOST_SESSIONS = 100
"""Sessions that are followed; without pauses, so many keep the device or the processors busy."""
SELDOM = 0.02
"""Share of a segment that drives hold, below which a read elsewhere seldom finds its block there."""


@dataclass(slots=True)
class SessionMeans:
    """What a session waits for, in seconds, and what it asks of the device; means of all sessions."""

    elapsed_s: float = 0.0
    single_wait_s: float = 0.0
    read_wait_s: float = 0.0
    """Waits for the reads of the scan, with copies out of the page cache that are part of them."""
    run_queue_s: float = 0.0
    device_s: float = 0.0
    """Time from the begin of its requests to their ends, one after another."""
    requests: float = 0.0
    bytes: float = 0.0
    first_s: float = 0.0
    """Wait for the first read of the scan."""
    last_s: float = 0.0
    """From the begin of the first session to the end of the last."""
    busy_s: float = 0.0
    """Time in which the device has a request, of all sessions."""


FIELDS = [field.name for field in fields(SessionMeans)]


def is_followed(system: System, work: Statement, demand: Demand) -> bool:
    """Whether the device's state decides how long a read takes: where heads move, and behind a page cache.

    Where one session reads here and there in a segment much larger than what drives hold of it, means over places do.
    Raises :class:`MixedRegimes` where it is so for some scenarios of an array.
    """
    plan, disk, missed = demand.plan, system.disk, 1 - system.host.page_cache_hit_fraction
    if plan.through_page_cache and one_for_all((demand.reads > 0) & (missed > 0)):
        return True
    among = (plan.batched_reads > 0) | ((work.sessions > 1) & (plan.positioned_fraction > ANYWHERE))
    if disk.reorder_age_s is not None and some(among):
        return False  # the drive has an order of its own
    held_bytes = disk.track_buffer_bytes + disk.rotation_s * disk.bandwidth_bytes_per_s
    span_bytes = demand.segment.blocks * demand.block_size_bytes
    anywhere = (work.sessions == 1) & (plan.positioned_fraction > 0) & where(plan.uneven, False, True)
    anywhere = anywhere & (held_bytes * disk.raid_disks < SELDOM * span_bytes)
    places = (disk.rotation_s > 0) & where(anywhere, False, True)
    return one_for_all(where(demand.reads + plan.single_reads > 0, places, False))


def is_alone(work: Statement, demand: Demand) -> bool:
    """Whether nobody takes turns with the session, and its reads go to the device one by one."""
    plan, shared = demand.plan, some(work.sessions != 1) or some(demand.servers > 1)
    return not (shared or some(plan.batched_reads) or some(demand.leaf_reads))


def reads_follow(demand: Demand) -> bool:
    """Whether no chance has a part in where the reads of a session that is alone lie."""
    plan = demand.plan
    drawn = some(plan.uneven) or some(plan.positioned_fraction > 0) or some(plan.cached_fraction > 0)
    return bool(plan.pieces) and not drawn and demand.access_path != RANGE_SCAN


def followed(system: System, work: Statement, demand: Demand) -> SessionMeans:
    """The mean session of a statement, whose reads are followed; a statement of few reads several times.

    Of many scenarios each is followed by itself.
    """
    each = _each_alone(system, work, demand) if is_alone(work, demand) and reads_follow(demand) else None
    if each is not None:
        return each
    shape = demand.segment.shape
    where_reads_lie = replace(  # in its extents, whatever sizes of reads and runs the laws count
        demand,
        plan=replace(demand.plan, pieces=demand.plan.pieces[:1]),
        segment=replace(demand.segment, shape=shape._replace(runs=shape.runs[:1])),
    )
    if (scenarios := each_of((system, work, where_reads_lie))) is not None:
        return _together([_followed(*scenario) for scenario in scenarios])
    return _followed(system, work, demand)


def _followed(system: System, work: Statement, demand: Demand) -> SessionMeans:
    users = max(2, MOST_SESSIONS * work.users // work.sessions)
    if work.users > users:
        return _of_many(system, work, demand, users)
    reads = max(1.0, float(demand.reads))
    by_chance = demand.plan.uneven or demand.plan.positioned_fraction > 0 or not demand.plan.pieces
    replays = MOST_REPLAYS if work.sessions > 1 or by_chance else 1
    replays = max(1, min(replays, round(MOST_READS / (work.sessions * reads))))
    return _mean([_replayed(system, work, demand, replay) for replay in range(replays)])


def _of_many(system: System, work: Statement, demand: Demand, users: int) -> SessionMeans:
    """More users than the *users* that are followed: what is busy has as many times more to do [kleinrock-1975].

    Each session is done as many times later; it waits for that time where it waited before.
    """
    times = work.users / users
    mean_session = _followed(system, work.model_copy(update={"users": users}), demand)
    waited_s = mean_session.single_wait_s + mean_session.read_wait_s + mean_session.run_queue_s
    longer = 1 + (times - 1) * mean_session.elapsed_s / waited_s if waited_s else 1.0
    return replace(
        mean_session,
        elapsed_s=mean_session.elapsed_s * times,
        single_wait_s=mean_session.single_wait_s * longer,
        read_wait_s=mean_session.read_wait_s * longer,
        run_queue_s=mean_session.run_queue_s * longer,
        first_s=mean_session.first_s * longer,
        last_s=mean_session.last_s * times,
        busy_s=mean_session.busy_s * times,
    )


def _mean(each: Sequence[SessionMeans]) -> SessionMeans:
    return SessionMeans(*(sum(map(attrgetter(name), each)) / len(each) for name in FIELDS))


def _together(each: Sequence[SessionMeans]) -> SessionMeans:
    import numpy as np  # noqa: PLC0415  (who asks one scenario waits for no numpy)

    columns: list[Any] = [np.array([getattr(scenario, name) for scenario in each]) for name in FIELDS]
    return SessionMeans(*columns)


def _draws(replay: int) -> Draws:
    def generator(name: str) -> np.random.Generator:
        import numpy  # noqa: PLC0415  (who draws nothing waits for no numpy)

        return numpy.random.default_rng((replay, crc32(name.encode())))

    return generator


def _machine_of(system: System, work: Statement, demand: Demand) -> FollowedMachine:
    """The machine of a scenario, or of each of an array of them, without its drive."""
    host, plan, instance, alone = system.host, demand.plan, system.instance, is_alone(work, demand)
    most = max(LEAST_OF_SESSION, MOST_READS // (1 if alone else int(work.sessions)))
    overlaps, slots, limit = plan.asynchronous and not plan.through_page_cache, 1, 1
    if overlaps:
        most, slots = max(most, LEAST_ASYNCHRONOUS), int(instance.direct_read_slots)
        limit = max(slots, int(instance.direct_read_slots_limit))
    largest_bytes = int(largest_bytes_of(host, system.database_path))
    machine = fastest(FollowedMachine)(
        int(demand.block_size_bytes), largest_bytes, most, slots, limit, overlaps
    )
    machine.alone, machine.idles = alone and not plan.through_page_cache, not alone and idles(system)
    if plan.through_page_cache:
        machine.through_page_cache, machine.copies_later = True, plan.asynchronous
        machine.ext3 = host.filesystem == "ext3"
    return machine


def _numbers_of(
    system: System, work: Statement, demand: Demand, most: int, given: Number
) -> tuple[Number, ...]:
    """Those of a session; who is alone past the page cache works on its blocks in one go."""
    host, pace, plan, alone = system.host, pace_of(system, demand), demand.plan, is_alone(work, demand)
    alone = alone and not plan.through_page_cache
    wanted, blocks = demand.blocks_wanted, demand.read_blocks
    turns: tuple[Number, ...] = (pace.cpu_s, pace.other_s, stretch_blocks(system, demand, work.sessions))
    reap_s = host.reap_call_s if plan.asynchronous else 0.0
    posts = not plan.through_page_cache and (alone or reaps_are_waits(system))
    return (
        *(wanted, larger(1.0, wanted / larger(1.0, blocks)), blocks),
        *((0.0, pace.cpu_s + pace.other_s, inf) if alone else turns),
        LOOK_EVERY_S * (most - most // 2) / larger(most, demand.reads),
        *((0.0, reap_s) if posts else (reap_s, 0.0)),
        *(host.copy_bytes_per_s, host.page_cache_hit_fraction, given, system.disk.overhead_s),
    )


def _replayed(system: System, work: Statement, demand: Demand, replay: int) -> SessionMeans:
    """The mean of all sessions of a statement on one machine."""
    users, draws, plan = int(work.sessions), _draws(replay), demand.plan
    machine = _machine_of(system, work, demand)
    machine.begin(drive_of(system.disk), fastest(Servers)(int(system.host.cores.threads)), users)
    extents = extents_of(system, demand.segment.blocks, MOST_BLOCKS)
    numbers = row(array("d", _numbers_of(system, work, demand, machine.most_reads, MOST_GIVEN)))
    singles, reads_of = (
        single_reads(work, demand, extents),
        reads_by_session(system, work, demand, extents, draws),
    )
    beyond = 1 if users == 1 or machine.idles else MOST_BEYOND
    most = machine.most_reads * beyond + machine.slots_limit + int(plan.at_once) + 1
    begins, sessions = [0.0], []
    if users > 1:
        begins = draws("session start").uniform(0, 1, users) * first_step_s(system, demand, users)
    for rank in range(users):
        session = fastest(FollowedSession)(machine, rank)
        session.together = plan.handed_over(round(float(demand.reads))) if plan.batched_reads else None
        session.leaves = Leaves(demand, extents, rank, draws) if demand.leaf_reads else None
        session.ahead = _read_ahead(system, extents) if plan.through_page_cache else None
        session.begin(float(begins[rank]), numbers, singles[rank], *_rows(islice(reads_of(rank, 0), most)))
        sessions.append(session)
    means = reals(MEANS, 0.0)
    machine.play(sessions, means)
    return SessionMeans(*means)


def _read_ahead(system: System, extents: list[Extent]) -> ReadAhead:
    """What the host reads ahead in a segment of those extents."""
    ahead = read_ahead_of(system.host)
    end_byte = (extents[-1].first + extents[-1].blocks) * int(system.tablespace.block_size_bytes)
    ahead.end_page = int(ceil_div(end_byte, PAGE_BYTES))
    return ahead


def _each_alone(system: System, work: Statement, demand: Demand) -> SessionMeans | None:
    """Sessions of an array, each alone on a machine; None where what is laid out is an array too."""
    plan, instance, host = demand.plan, system.instance, system.host
    slots = (instance.direct_read_slots, instance.direct_read_slots_limit) if plan.asynchronous else ()
    cut = demand.block_size_bytes, largest_bytes_of(host, system.database_path)
    if any(map(is_array, (*cut, *slots, host.read_ahead_bytes))):
        return None
    machine = _machine_of(system, work, demand)
    given = where(demand.reads > 0, demand.segment.blocks, 0)
    numbers = _numbers_of(system, work, demand, machine.most_reads, given)
    laid = (demand.segment.blocks, plan.single_reads, plan.mbrc, plan.window_blocks)
    drives = _drives(system.disk)
    lengths = {len(column) for column in (*laid, *numbers) if is_array(column)} | ({len(drives)} - {0, 1})
    (length,) = lengths or {1}
    scan = _Scan(
        extents_of(system, largest(demand.segment.blocks), MOST_BLOCKS),
        machine.most_reads + machine.slots_limit + 1,
    )
    columns: list[Any] = list(laid)
    columns = [column.tolist() if is_array(column) else repeat(column, length) for column in columns]
    laid_out = cache(partial(extents_of, system, most_blocks=MOST_BLOCKS))
    singles, firsts, sizes, aheads = [], [], [], []
    for blocks, count, mbrc, window in zip(*columns, strict=True):
        singles.append(scan.singles(int(blocks), round(count)))
        its_firsts, its_sizes = scan.reads(int(mbrc), None if window is None else int(window))
        firsts.append(its_firsts)
        sizes.append(its_sizes)
        if plan.through_page_cache:
            aheads.append(_read_ahead(system, laid_out(blocks)))
    drives = drives or [drive_of(system.disk) for _ in range(length)]
    parts, means = (drives, aheads, singles, firsts, sizes), reals(length * MEANS, 0.0)
    if not lengths:
        machine.play_each(*parts, row(array("d", numbers)), means)
        return SessionMeans(*means)
    import numpy as np  # noqa: PLC0415  (who asks one scenario waits for no numpy)

    rows = np.empty((length, NUMBERS))
    for place, column in enumerate(numbers):
        rows[:, place] = column
    machine.play_each(*parts, row(rows.reshape(-1)), means)
    return SessionMeans(*np.array(means).reshape(length, MEANS).T)


def _drives(disk: Any) -> list[BoundedDrive]:
    """One disk for all scenarios where they differ in its overhead alone, which they tell it; else one for each.

    None where each needs one that is described alike.
    """
    resting = Overlay(disk, {"overhead_s": 0.0})
    if each_of(resting) is None:
        drive = drive_of(resting)
        if drive.at_rest(0.0):
            return [drive]
    disks = each_of(disk)  # one after another: so many at once keep the garbage collector busy
    return [] if disks is None else [drive_of(disk) for disk in disks]


class _Scan:
    """Reads of scans of segments in one tablespace: each begins as that of the largest of them does."""

    def __init__(self, extents: list[Extent], most: int) -> None:
        self._extents, self._most = extents, most
        self._hold = list(accumulate(extent.data for extent in extents))
        self._by_sizes: dict[tuple[int, int | None], tuple[Any, Any]] = {}
        self._by_extents: dict[tuple[int, int], list[int]] = {}

    def reads(self, mbrc: int, window_blocks: int | None) -> tuple[Any, Any]:
        """First blocks and sizes of the first reads of the largest scan."""
        if (mbrc, window_blocks) not in self._by_sizes:
            reads = reads_of(self._extents, mbrc=mbrc, window_blocks=window_blocks)
            self._by_sizes[mbrc, window_blocks] = _rows(islice(reads, self._most))
        return self._by_sizes[mbrc, window_blocks]

    def singles(self, blocks: int, count: int) -> list[int]:
        """Blocks that are read before the scan of a segment of *blocks* blocks."""
        used = bisect_left(self._hold, blocks, 0, len(self._hold) - 1) + 1
        if (used, count) not in self._by_extents:
            self._by_extents[used, count] = header_and_map(self._extents, used, count)
        return self._by_extents[used, count]


def _rows(reads: Iterable[Read]) -> tuple[Any, Any]:
    """First blocks and sizes of reads."""
    firsts, sizes = array("q"), array("q")
    for first, blocks in reads:
        firsts.append(first)
        sizes.append(blocks)
    return row(firsts), row(sizes)
