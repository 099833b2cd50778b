"""What DBWR and the log writer do at a throughput: blocks that are written, bursts of them, and the log."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, inf

from blocktime.model.laws import queueing
from blocktime.model.laws.bursts import burst_requests, found_ahead, found_in_sweep, met_fraction
from blocktime.model.laws.changed_blocks import checkpoint_age_s, dirty_age_s, written_per_s
from blocktime.model.laws.commit import (
    LARGE_DIRTY_QUEUE,
    LOOKS_EVERY_S,
    TurningLog,
    found_in_turn,
    gathered_bytes,
    log_file_sync_s,
    log_write_bytes,
    log_writes_per_s,
    turning_log,
    until_turn_s,
)
from blocktime.model.workloads.transactions.disk import LEAST
from blocktime.model.workloads.transactions.parts import DirtyGroup, Group, Parts

FULL = 0.999
OLDEST_S = 1e9
"""Age at which DBWR writes nothing for its age: a block goes down when its buffer is wanted."""
AGE_STEPS = 50


def _dirty(parts: Parts, group: Group, per_s: float, age_s: float) -> DirtyGroup:
    """What becomes of the changed blocks of a group, at a throughput above 0, if DBWR writes blocks of that age."""
    inside = max(group.held * group.blocks, LEAST)
    reads_per_s = per_s * parts.gets * group.share * (1 - group.held)
    mean_age_s = dirty_age_s(age_s, inside, reads_per_s)
    written = 0.0
    if group.blocks and group.share:
        written = written_per_s(per_s * parts.changes * group.share, group.blocks, mean_age_s)
    return DirtyGroup(written, mean_age_s, min(1.0, written * mean_age_s / inside), reads_per_s / inside)


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


def _share_per_s(parts: Parts, at_disk: float, held_s: float) -> float:
    """Blocks that DBWR gets written a second, with all that it may have under way at a disk beside so many reads.

    The disk takes turns with all that are there, so each gets as much of it as it has requests: w/(w·s + n·r).
    """
    under_way = float(parts.disk.writes_at_once)
    read_s = parts.disk_held_s / max(parts.requests, LEAST)
    return under_way / (under_way * held_s + at_disk * read_s)


def reads_at_most(parts: Parts, per_s: float) -> float:
    """Reads that can be at a disk beside DBWR's requests before others wait for buffers that it has not cleaned.

    While r reads and w writes there take turns, r/w blocks are read for each that is written; in the long run no more
    than for each that leaves the cache changed.
    """
    if parts.disk.reads_first:
        return inf
    leaving = written_of(parts, per_s, OLDEST_S)
    return max(1.0, parts.requests * parts.disk.writes_at_once / leaving) if leaving else inf


def _leaving_changed(parts: Parts, per_s: float) -> float:
    """Changed blocks of a transaction that leave the cache before they are old enough to be written: 1 - e^(-λt)."""
    blocks_per_s, old_s = 0.0, old_at_s(parts, per_s)
    group: Group
    for group in parts.groups:
        dirty: DirtyGroup = _dirty(parts, group, per_s, old_s)
        blocks_per_s -= dirty.written_per_s * expm1(-old_s * dirty.leave_per_s)
    return blocks_per_s / per_s


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
class Log:
    """The log writer at a throughput."""

    write_s: float
    """From the begin of a write to its end."""
    held_s: float
    """Of the capacity of the disk that it writes to."""
    writes_per_s: float
    sync_s: float
    """``log file sync``."""


@dataclass
class Writes:
    """Writes on the data disk beside the reads, as one who reads meets them."""

    written: float
    """Blocks of a transaction."""
    held_s: float
    """Of the disk's capacity, for one."""
    load: float
    """Share of the disk's time that they take."""
    busy: float
    """Share of the time that the reads leave."""
    requests: float
    """Of them that go down at once."""
    burst_s: float
    """Twice what one who comes by chance has before him while some are there: the whole of a burst."""
    most_s: float
    """What a read has before it at most."""
    log_burst_s: float
    """Twice what a log write that comes by chance has before it, which passes none of a burst."""
    follows: float
    """Share of the bursts behind which DBWR sends down another at once."""
    own: float
    """Bursts that a transaction sets off, as it puts the last block on the write list that DBWR is woken for."""

    def log_waits_s(self, commits_per_s: float) -> float:
        """What a commit waits more for a log on their disk: for half of a burst, and for the next.

        LGWR's write comes after those that are under way. Who commits while it waits there goes with its next write,
        which finds the burst that DBWR has sent down meanwhile, if it had so much to write.
        """
        found_busy = found_in_turn(commits_per_s * self.log_burst_s)
        return self.load * self.log_burst_s * (0.5 + self.follows * found_busy)

    def delay_s(
        self, users: float, away_s: float, gap_s: float, inside_s: float, comes: float, late_s: float
    ) -> float:
        """What they cost a transaction of so many users, *away_s* from the disk, then *inside_s* there.

        It comes to the disk *comes* times, each time by chance; then again and again after *gap_s*. A burst that it
        sets off itself is *late_s* old as it comes. At most it waits for all of a burst each time.
        """
        if not self.load or not comes:
            return 0.0
        again = met_fraction(self.burst_s, gap_s)
        away = self.burst_s / 2
        if away_s < inf:
            away = away_s * met_fraction(self.burst_s, away_s / min(1.0, comes))
        others = 1 - 1 / users if self.own else 1.0
        share = min(FULL, self.load * others * again)
        found_s = (self.load * others * away + share * inside_s) / (1 - share)
        found_s += self.own * max(0.0, self.most_s - late_s)
        return min(found_s, (comes * self.busy + self.own) * self.most_s)


def no_writes(written: float, held_s: float) -> Writes:
    """Nothing is written."""
    return Writes(written, held_s, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def writes_of(
    parts: Parts, due: DueWrites, reads_load: float, at_disk: float, more_s: float, log_load: float
) -> Writes:
    """DBWR's writes at a throughput, beside the load of the others' reads, and so many of them there.

    What is due when DBWR looks goes down at once: those of a second, or as many as wake it on the write list. Where the
    disk cannot do all, or DBWR's few writes get no more of it among many reads, blocks grow older before they are
    written, at most until their buffers are wanted.
    """
    per_s, wanted, disk = due.per_s, due.wanted, parts.disk
    if per_s <= 0 or not wanted:
        return no_writes(wanted, disk.write_held_s)
    leaving = _leaving_changed(parts, per_s) / parts.share  # of all devices: one list wakes DBWR for all
    gathers_s = min(LOOKS_EVERY_S, LARGE_DIRTY_QUEUE / max(per_s * leaving, LEAST))
    alone = max(LEAST, 1 - reads_load - log_load)
    most = float(disk.writes_at_once)
    gathered = 1 + per_s * wanted * gathers_s
    held_s = disk.swept_s(parts.requests, wanted, gathered) + more_s / disk.servers
    held_s -= disk.sorted_s(at_disk + min(gathered, most), 0.0) - disk.sorted_s(at_disk, 0.0)
    room = min(disk.writer_per_s, _share_per_s(parts, at_disk, held_s))
    if disk.reads_first:
        room = min(room, alone / held_s)
    written = max(due.least, min(wanted, room / per_s))
    load = per_s * written * held_s
    requests = burst_requests(per_s * written * gathers_s, load / alone, most)
    wakes = leaving / LARGE_DIRTY_QUEUE if gathers_s < LOOKS_EVERY_S else 0.0
    if disk.sweeps_all:
        ahead = log_ahead = found_in_sweep(requests)
    else:
        ahead, log_ahead = found_ahead(requests, disk.unpassed), requests / 2
    each_s = disk.write_s / disk.servers if disk.cache_blocks else held_s
    return Writes(
        written,
        held_s,
        load,
        min(1.0, load / alone),
        requests,
        2 * ahead * held_s,
        min(requests, disk.unpassed) * held_s,
        2 * log_ahead * each_s,
        max(0.0, 1 - most / gathered),
        wakes,
    )


@dataclass
class LogUse:
    """What the log does, and what that does to others on its disk."""

    held_s: float
    """Of the disk, for a write."""
    writes_per_s: float
    later_s: float
    """How much longer a read or write of data takes as the heads come back from the log."""


def log_of(parts: Parts, per_s: float, written: float, wait_s: float) -> LogUse:
    """The log at a throughput with *written* blocks of a transaction, if a write waits."""
    alone: LogUse = _log(parts, per_s, wait_s)
    writes = alone.writes_per_s
    if not parts.redo_on_data or not writes:
        return alone
    reads = per_s * parts.requests / writes
    writing = min(1.0, per_s * written * parts.disk.write_held_s)
    after_data = 1 - exp(-reads) * (1 - writing)
    after_log = min(1.0, after_data * writes / max(per_s * (parts.requests + written), LEAST))
    return LogUse(alone.held_s + after_data * parts.to_log_s, writes, after_log * parts.from_log_s)


def _log(parts: Parts, per_s: float, wait_s: float) -> LogUse:
    """The log where nothing else is on its disk."""
    commits_per_s = per_s * parts.commits
    write_s = _log_service_s(parts, log_write_bytes(parts.redo_bytes / max(parts.commits, LEAST)))
    if per_s <= 0 or wait_s == inf:
        return LogUse(write_s, 0.0, 0.0)
    if not parts.commits:
        gathered = gathered_bytes(parts.log_buffer_bytes)
        return LogUse(_log_service_s(parts, gathered), per_s * parts.redo_bytes / gathered, 0.0)
    for _ in range(2):
        writes = log_writes_per_s(commits_per_s, wait_s + write_s, _varies(parts, write_s, wait_s))
        write_s = _log_service_s(parts, log_write_bytes(per_s * parts.redo_bytes / writes))
    varies = _varies(parts, write_s, wait_s)
    return LogUse(write_s, log_writes_per_s(commits_per_s, wait_s + write_s, varies), 0.0)


def _varies(parts: Parts, write_s: float, wait_s: float) -> float:
    """Coefficient of variation of a log write with its wait for others, which takes about the mean each time."""
    return parts.log_cv * write_s / (write_s + wait_s) if parts.log_cv else 0.0


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


def disk_demands(
    parts: Parts, per_s: float, due: DueWrites, more_s: float, wait_s: float, at_disk: float
) -> Demands:
    """The demands at a throughput, with what is *due* there, and a wait of the log.

    DBWR has to write what leaves the cache; what is dirty for long can wait while many reads are at the disk.
    """
    disk = parts.disk
    least = due.least
    write_s = disk.swept_s(parts.requests, least, disk.cache_blocks)
    if not disk.reads_first:
        # NOTE: each read that the disk serves lets as many writes pass as there are for each read
        passing = parts.requests * disk.writes_at_once / max(at_disk, LEAST)
        least = max(least, min(due.wanted, passing, disk.writer_per_s / per_s))
    held_s = parts.disk_held_s + least * write_s + (parts.requests + least) * more_s / disk.servers
    redo_s = 0.0
    if parts.redo_on_data:
        log: LogUse = log_of(parts, per_s, least, wait_s)
        held_s += log.writes_per_s * log.held_s / disk.servers / per_s
    else:
        redo_s = parts.redo_held_s
        if parts.log_limit_s:
            log = log_of(parts, per_s, least, wait_s)
            held_s += log.writes_per_s * parts.log_limit_s / per_s
    return Demands(held_s, due.leaving / disk.writer_per_s, redo_s)


def log_that_turns(parts: Parts, per_s: float, others_per_s: float, fixed_s: float, random_s: float) -> Log:
    """The log on a turning disk of its own, where each block passes once a turn and the writes of the others, too.

    Whoever commits waits for the turn to come round, since the end of his last write or that of others, after
    *fixed_s* and *random_s* by chance; and for a turn more if a write is under way.
    """
    commits_per_s = per_s * parts.commits
    bytes_each = parts.redo_bytes / max(parts.commits, LEAST)
    overhead_s, turn_s = parts.disk.write_overhead_s, parts.disk.rotation_s
    log: TurningLog = TurningLog(0.0, 0.0)
    sent_s = 0.0
    for _ in range(2):
        shared = max(1.0, commits_per_s / log.writes_per_s) if log.writes_per_s else 1.0
        sent_s = log_write_bytes(bytes_each * shared) / parts.log_bytes_per_s
        turn_s = parts.disk.rotation_s + sent_s
        log = turning_log(commits_per_s, turn_s)
    others: TurningLog = turning_log(others_per_s * parts.commits, turn_s)
    found_busy = others.busy_fraction
    idle_s = overhead_s + until_turn_s(fixed_s + overhead_s, random_s, turn_s) + sent_s
    busy_s = until_turn_s(fixed_s, random_s, turn_s) + turn_s
    held_s = log.busy_fraction / log.writes_per_s if log.writes_per_s else idle_s
    return Log(held_s, held_s, log.writes_per_s, (1 - found_busy) * idle_s + found_busy * busy_s)


def log_at(
    parts: Parts, per_s: float, others_per_s: float, log_s: float, wait_s: float, writes: Writes
) -> Log:
    """The log writer whose writes take so long after a wait for reads at its disk, and for DBWR's *writes* there."""
    log: LogUse = log_of(parts, per_s, 0.0, wait_s)
    write_s = log_s + wait_s
    behind_s = writes.log_waits_s(others_per_s * parts.commits)
    sync_s = log_file_sync_s(others_per_s * parts.commits, write_s, _varies(parts, log_s, wait_s))
    return Log(write_s + behind_s, log_s, log.writes_per_s, sync_s + behind_s)


def waited(rate_per_s: float, service_s: float, servers: int) -> float:
    """Services that an arrival waits for in M/M/m."""
    if service_s <= 0:
        return 0.0
    load = min(FULL, rate_per_s * service_s / servers)
    return float(queueing.mmc_wait_s(load * servers / service_s, service_s, servers)) / service_s
