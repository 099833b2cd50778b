"""What DBWR and the log writer do at a throughput: blocks that are written, and the log."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf

from blocktime.model.laws.changed_blocks import (
    checkpoint_age_s,
    dirty_age_s,
    dirty_fraction,
    leaving_per_s,
    written_per_s,
)
from blocktime.model.laws.commit import LOOKS_EVERY_S, gathered_bytes, log_write_bytes, log_writes_per_s
from blocktime.model.workloads.transactions.disk import LEAST
from blocktime.model.workloads.transactions.parts import DirtyGroup, Group, Parts

FULL = 0.999
OLDEST_S = 1e9
"""Age at which DBWR writes nothing for its age: a block goes down when its buffer is wanted."""
AGE_STEPS = 50


def _dirty(parts: Parts, group: Group, per_s: float, age_s: float) -> DirtyGroup:
    """What becomes of the changed blocks of a group, at a throughput above 0, if DBWR writes blocks of that age.

    A block that is read leaves when it has passed the cold region, unless gets make it hot; it is then in memory for
    w/(λ(1-h)p), by Little's law [little-1961].
    """
    got_per_s: float = per_s * parts.gets * group.share / group.blocks if group.blocks else 0.0
    if got_per_s <= 0:
        return DirtyGroup(0.0, age_s, 0.0, 0.0)
    changes_per_s = per_s * parts.changes * group.share / group.blocks
    passing_s = min(age_s, group.passing_gets / got_per_s)
    heated_per_s = got_per_s * (1 - group.resident) * group.heated
    hot = max(group.was_hot, LEAST)
    read_age_s = passing_s
    if age_s > passing_s and group.heated:
        read_age_s += group.heated * dirty_age_s(age_s - passing_s, hot, heated_per_s)
    hit_age_s = dirty_age_s(age_s, hot, heated_per_s)
    hit_age_s += group.uncounted * (passing_s - hit_age_s)
    dirty = dirty_fraction(changes_per_s, group.resident, read_age_s, hit_age_s)
    each_per_s = changes_per_s * (1 - dirty)
    mean_age_s = dirty / each_per_s if each_per_s > 0 else age_s
    inside = max(group.resident, LEAST)
    return DirtyGroup(each_per_s * group.blocks, mean_age_s, min(1.0, dirty / inside), leaving_per_s(mean_age_s, age_s))


def dirty_groups(parts: Parts, per_s: float, age_s: float) -> list[DirtyGroup]:
    """What becomes of the changed blocks, the hot ones and the others."""
    return [_dirty(parts, group, per_s, age_s) for group in parts.groups]


def old_at_s(parts: Parts, per_s: float) -> float:
    """Age at which DBWR writes a changed block, at a throughput."""
    return checkpoint_age_s(parts.checkpoint_s, parts.checkpoint_redo_bytes, per_s * parts.redo_bytes)


def written_of(parts: Parts, per_s: float, age_s: float) -> float:
    """Blocks that DBWR writes for a transaction, the hottest among them, at a throughput and an age."""
    if per_s <= 0:
        return parts.changes + parts.hottest_changes
    written = 0.0
    group: Group
    for group in parts.groups:
        dirty: DirtyGroup = _dirty(parts, group, per_s, age_s)
        written += dirty.written_per_s
    hottest: float = written_per_s(per_s * parts.hottest_changes, parts.hottest_blocks, age_s)
    return (hottest + written) / per_s


@dataclass
class DueWrites:
    """Blocks that DBWR has to write for a transaction, at a throughput."""

    per_s: float
    wanted: float
    """By their age."""
    least: float
    """However many are read: those that leave the cache, or as many as pass."""
    leaving: float
    """Those that leave the cache."""


def due_at(parts: Parts, per_s: float) -> DueWrites:
    """What is due at a throughput.

    A scheduler of deadlines serves a batch of writes after two batches of reads, so that DBWR, which has a batch
    waiting at all times, writes half as many blocks as are read, if so many are due [linux-deadline].
    """
    wanted = written_of(parts, per_s, old_at_s(parts, per_s))
    leaving = written_of(parts, per_s, OLDEST_S)
    return DueWrites(per_s, wanted, max(leaving, min(parts.requests * parts.disk.passing, wanted)), leaving)


def writer_room_per_s(parts: Parts, per_s: float, at_disk: float) -> float:
    """Blocks that DBWR can write a second beside the reads of a throughput, of which so many are at the disk.

    Where reads do not always pass it, the disk takes turns with requests: DBWR gets w/(w·s + n·r), or what reads leave.
    """
    disk = parts.disk
    left_per_s = max(0.0, 1 - per_s * parts.disk_busy_s) / disk.write_busy_s
    if not disk.reads_first:
        under_way = float(disk.writes_at_once)
        read_s = parts.disk_busy_s / max(parts.requests, LEAST)
        reads: float = disk.reads_beside(at_disk)
        left_per_s = max(left_per_s, under_way / (under_way * disk.write_busy_s + reads * read_s))
    return min(disk.writer_per_s, left_per_s)


def at_disk_of(device: Parts, per_s: float) -> float:
    """Users at a device at most, its share of all who do not think, by Little's law [little-1961]; 1 of arrivals."""
    return 1.0 if device.open_loop else max(1.0, (device.work.users - per_s * device.work.think_s) * device.share)


def due_for_s(parts: Parts, per_s: float, written: float) -> float:
    """Seconds of work that DBWR finds when it looks, where it writes so many blocks for each transaction.

    A write behind n reads lasts n·r + s, and longer by those that fall due meanwhile: t. None does with the chance
    e^(-d·t). So DBWR goes on for t·e^(d·t), and then rests until it looks again, or it never rests.
    """
    disk, reads, due_per_s = parts.disk, at_disk_of(parts, per_s), per_s * written * parts.share
    reads = min(reads, 1 / disk.passing) if disk.passing else reads
    alone_s = reads * parts.disk_busy_s / max(parts.requests, LEAST) + disk.write_overhead_s + disk.write_busy_s
    lasts_s: float = alone_s / max(LEAST, 1 - due_per_s * disk.write_busy_s)
    goes_on_s = lasts_s * exp(min(700.0, due_per_s * lasts_s))
    return LOOKS_EVERY_S if goes_on_s < LOOKS_EVERY_S else min(lasts_s, LOOKS_EVERY_S)


def reads_at_most(parts: Parts, per_s: float) -> float:
    """Reads that can be at a disk beside DBWR's requests before others wait for buffers that it has not cleaned.

    While r reads and w writes there take turns, r/w blocks are read for each that is written; in the long run no more
    than for each that leaves the cache changed.
    """
    disk = parts.disk
    leaving = 0.0 if disk.reads_first else written_of(parts, per_s, OLDEST_S)
    most: float = parts.requests * disk.writes_at_once / leaving if leaving else inf
    return inf if disk.reads_beside(inf) <= most else max(1.0, most)


def written_age_s(parts: Parts, per_s: float, written: float) -> float:
    """Age at which DBWR writes so many blocks for a transaction: the instance's, or older where it falls behind."""
    low, high = old_at_s(parts, per_s), OLDEST_S
    if per_s <= 0 or written >= written_of(parts, per_s, low) * FULL:
        return low
    for _ in range(AGE_STEPS):
        middle = (low * high) ** 0.5
        if written_of(parts, per_s, middle) > written:
            low = middle
        else:
            high = middle
    return high


@dataclass
class LogUse:
    """What the log does, and what that does to others on its disk."""

    busy_s: float
    """Of the disk, for a write."""
    writes_per_s: float
    later_s: float
    """How much longer a read or write of data takes as the heads come back from the log."""


def log_of(parts: Parts, per_s: float, written: float) -> LogUse:
    """The log at a throughput with *written* blocks of a transaction."""
    alone: LogUse = _log(parts, per_s)
    writes = alone.writes_per_s
    if not parts.redo_on_data or not writes:
        return alone
    reads = per_s * parts.requests / writes
    writing = min(1.0, per_s * written * parts.disk.write_busy_s)
    after_data = 1 - exp(-reads) * (1 - writing)
    after_log = min(1.0, after_data * writes / max(per_s * (parts.requests + written), LEAST))
    return LogUse(alone.busy_s + after_data * parts.to_log_s, writes, after_log * parts.from_log_s)


def _log(parts: Parts, per_s: float) -> LogUse:
    commits_per_s = per_s * parts.commits
    write_s = _log_service_s(parts, log_write_bytes(parts.redo_bytes / max(parts.commits, LEAST)))
    if per_s <= 0:
        return LogUse(write_s, 0.0, 0.0)
    if not parts.commits:
        gathered = gathered_bytes(parts.log_buffer_bytes)
        return LogUse(_log_service_s(parts, gathered), per_s * parts.redo_bytes / gathered, 0.0)
    standby_s = parts.system.instance.standby_s
    for _ in range(2):
        writes = log_writes_per_s(commits_per_s, max(write_s, standby_s) + parts.log_loop_s, parts.log_cv)
        write_s = _log_service_s(parts, log_write_bytes(per_s * parts.redo_bytes / writes))
    writes = log_writes_per_s(commits_per_s, max(write_s, standby_s) + parts.log_loop_s, parts.log_cv)
    return LogUse(write_s, writes, 0.0)


def _log_service_s(parts: Parts, size_bytes: float) -> float:
    """Mean time of a log write, nobody queueing; a write cache answers it. A limit lets the next one come no sooner."""
    alone_s = parts.log_fixed_s + size_bytes / parts.log_bytes_per_s
    return max(size_bytes / parts.log_limit_bytes_per_s, alone_s)


@dataclass
class Demands:
    """What a transaction takes of the capacity of the disks and of DBWR at most."""

    data_s: float
    dbwr_s: float
    redo_s: float
    """0 where the log lies on the disk of the data."""
    device: int = 0
    """Of several of the data, that from which most is taken."""


def more_at(parts: Parts, per_s: float, due: DueWrites, at_disk: float) -> float:
    """What a request takes more at a throughput: behind the log on its disk, and less as so many are sorted there."""
    more_s = 0.0
    if parts.redo_on_data:
        log: LogUse = log_of(parts, per_s, due.wanted)
        more_s = log.later_s
    reads_fraction = parts.requests / max(parts.requests + due.wanted, LEAST)
    more_s -= parts.disk.sorted_s(at_disk + parts.bulk_requests, reads_fraction)
    return more_s * (1 - parts.disk.read_hit_fraction)


def disk_demands(parts: Parts, per_s: float, due: DueWrites, more_s: float, at_disk: float) -> Demands:
    """The demands at a throughput, with what is *due* there.

    DBWR has to write what leaves the cache; what is dirty for long can wait while many reads are at the disk.
    """
    disk = parts.disk
    least = due.least
    write_s = disk.swept_s(parts.requests, least, disk.cache_blocks)
    if not disk.reads_first:
        # NOTE: each read that the disk serves lets as many writes pass as there are for each read
        passing = parts.requests * disk.writes_at_once / max(disk.reads_beside(at_disk), LEAST)
        least = max(least, min(due.wanted, passing, disk.writer_per_s / per_s))
    busy_s = parts.disk_busy_s + least * write_s + (parts.requests + least) * more_s / disk.servers
    redo_s = 0.0
    if parts.redo_on_data:
        log: LogUse = log_of(parts, per_s, least)
        busy_s += log.writes_per_s * log.busy_s / disk.servers / per_s
    else:
        redo_s = parts.redo_busy_s
        if parts.log_limit_s:
            log = log_of(parts, per_s, least)
            busy_s += log.writes_per_s * parts.log_limit_s / per_s
    return Demands(busy_s, due.leaving / disk.writer_per_s, redo_s)
