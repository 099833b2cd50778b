"""What DBWR and the log writer do at a throughput: blocks that are written, bursts of them, and the log."""

from __future__ import annotations

from math import exp, expm1, inf
from typing import NamedTuple

from model.demand.transactions import DATA, DBWR, REDO
from model.laws import bursts, changed_blocks, commit, disk_means, queueing
from model.workloads.transactions.disk import LEAST
from model.workloads.transactions.parts import Dirty, DirtyGroup, Parts

FULL = 0.999
OLDEST_S = 1e9
"""Age at which DBWR writes nothing for its age: a block goes down when its buffer is wanted."""
AGE_STEPS = 50


def dirty_of(parts: Parts, per_s: float, checkpoint_s: float) -> Dirty:
    """What becomes of changed blocks, at a throughput above 0, if DBWR writes blocks of that age."""
    known = parts.dirty.get((per_s, checkpoint_s))
    if known is not None:
        return known
    groups = []
    for share, blocks, held in zip(parts.data.shares, parts.data.blocks, parts.held, strict=True):
        inside = max(held * blocks, LEAST)
        reads_per_s = per_s * parts.gets * share * (1 - held)
        age_s = float(changed_blocks.dirty_age_s(checkpoint_s, inside, reads_per_s))
        written = 0.0
        if blocks and share:
            written = float(changed_blocks.written_per_s(per_s * parts.changes * share, blocks, age_s))
        groups.append(DirtyGroup(written, age_s, min(1.0, written * age_s / inside), reads_per_s / inside))
    hottest = changed_blocks.written_per_s(
        per_s * parts.hottest_changes, parts.work.hottest_blocks, checkpoint_s
    )
    found = Dirty(groups, (float(hottest) + sum(group.written_per_s for group in groups)) / per_s)
    parts.dirty[per_s, checkpoint_s] = found
    return found


def written_of(parts: Parts, per_s: float, checkpoint_s: float | None = None) -> float:
    """Blocks that DBWR writes for a transaction, at a throughput and an age, that of the instance if not said."""
    if per_s <= 0:
        return parts.changes + parts.hottest_changes
    age_s = parts.system.instance.checkpoint_s if checkpoint_s is None else checkpoint_s
    return dirty_of(parts, per_s, age_s).written


def least_of(parts: Parts, per_s: float) -> float:
    """Blocks that DBWR writes for a transaction however many read: those that leave the cache, or as many as pass.

    A scheduler of deadlines serves a batch of writes after two batches of reads, so that DBWR, which has a batch
    waiting at all times, writes half as many blocks as are read, if so many are due [linux-deadline].
    """
    passing = parts.requests * parts.disk.passing
    return max(written_of(parts, per_s, OLDEST_S), min(passing, written_of(parts, per_s)))


def share_per_s(parts: Parts, at_disk: float, held_s: float) -> float:
    """Blocks that DBWR gets written a second, with all that it may have under way at a disk beside so many reads.

    The disk takes turns with all that are there, so each gets as much of it as it has requests: w/(w·s + n·r).
    """
    under_way = float(parts.disk.writes_at_once)
    read_s = parts.disk_held_s / max(parts.requests, LEAST)
    return float(under_way / (under_way * held_s + at_disk * read_s))


def reads_at_most(parts: Parts, per_s: float) -> float:
    """Reads that can be at a disk beside DBWR's requests before others wait for buffers that it has not cleaned.

    While r reads and w writes there take turns, r/w blocks are read for each that is written; in the long run no more
    than for each that leaves the cache changed.
    """
    leaving = written_of(parts, per_s, OLDEST_S)
    if parts.disk.reads_first or not leaving:
        return inf
    return max(1.0, float(parts.requests * parts.disk.writes_at_once / leaving))


def leaving_of(parts: Parts, per_s: float) -> float:
    """changed blocks of a transaction that leave the cache before they are old enough to be written: 1 - e^(-λt)."""
    checkpoint_s = parts.system.instance.checkpoint_s
    groups = dirty_of(parts, per_s, checkpoint_s).groups
    return sum(-group.written_per_s * expm1(-checkpoint_s * group.leave_per_s) for group in groups) / per_s


def written_age_s(parts: Parts, per_s: float, written: float) -> float:
    """Age at which DBWR writes so many blocks for a transaction: the instance's, or older where it falls behind."""
    low, high = parts.system.instance.checkpoint_s, OLDEST_S
    if per_s <= 0 or written >= written_of(parts, per_s, low) * FULL:
        return float(low)
    for _ in range(AGE_STEPS):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if written_of(parts, per_s, middle) > written else (low, middle)
    return float(high)


class Log(NamedTuple):
    """The log writer at a throughput."""

    write_s: float
    """From the begin of a write to its end."""
    held_s: float
    """Of the capacity of the disk that it writes to."""
    writes_per_s: float
    sync_s: float
    """``log file sync``."""


class Writes(NamedTuple):
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
        found = commit.found_in_turn(commits_per_s * self.log_burst_s)
        return self.load * self.log_burst_s * (0.5 + self.follows * found)

    def delay_s(
        self, users: float, away_s: float, gap_s: float, inside_s: float, comes: float, late_s: float = 0.0
    ) -> float:
        """What they cost a transaction of so many users, *away_s* from the disk, then *inside_s* there.

        It comes to the disk *comes* times, each time by chance; then again and again after *gap_s*. A burst that it
        sets off itself is *late_s* old as it comes.
        """
        if not self.load or not comes:
            return 0.0
        again = bursts.met_fraction(self.burst_s, gap_s)
        away = (
            away_s * bursts.met_fraction(self.burst_s, away_s / comes) if away_s < inf else self.burst_s / 2
        )
        others = 1 - 1 / users if self.own else 1.0
        share = min(FULL, self.load * others * again)
        own_s = self.own * max(0.0, self.most_s - late_s)
        return (self.load * others * away + share * inside_s) / (1 - share) + own_s


NONE = Writes(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""Nothing is written."""


def writes_of(
    parts: Parts, per_s: float, reads: tuple[float, float], more_s: float, log_load: float
) -> Writes:
    """DBWR's writes at a throughput, beside *reads*: the load of the others, and how many are there.

    What is due when DBWR looks goes down at once: those of a second, or as many as wake it on the write list. Where the
    disk cannot do all, or DBWR's few writes get no more of it among many reads, blocks grow older before they are
    written, at most until their buffers are wanted.
    """
    reads_load, at_disk = reads
    wanted = written_of(parts, per_s)
    if per_s <= 0 or not wanted:
        return NONE._replace(written=wanted, held_s=parts.disk.write_held_s)
    least = least_of(parts, per_s)
    leaving = leaving_of(parts, per_s)
    gathers_s = min(commit.LOOKS_EVERY_S, commit.LARGE_DIRTY_QUEUE / max(per_s * leaving, LEAST))
    alone = max(LEAST, 1 - reads_load - log_load)
    most = float(parts.disk.writes_at_once)
    gathered = 1 + per_s * wanted * gathers_s
    held_s = parts.disk.swept_s(parts.requests, wanted, gathered) + more_s / parts.disk.servers
    held_s -= parts.disk.sorted_s(at_disk + min(gathered, most), 0.0) - parts.disk.sorted_s(at_disk, 0.0)
    room = min(parts.disk.writer_per_s, share_per_s(parts, at_disk, held_s))
    if parts.disk.reads_first:
        room = min(room, alone / held_s)
    written = max(least, min(wanted, room / per_s))
    load = per_s * written * held_s
    requests = bursts.burst_requests(per_s * written * gathers_s, load / alone, most)
    wakes = leaving / commit.LARGE_DIRTY_QUEUE if gathers_s < commit.LOOKS_EVERY_S else 0.0
    in_sweep = bursts.found_in_sweep(requests) if parts.disk.sweeps_all else None
    ahead = bursts.found_ahead(requests, parts.disk.unpassed) if in_sweep is None else in_sweep
    log_ahead = requests / 2 if in_sweep is None else in_sweep
    each_s = parts.disk.write_s / parts.disk.servers if parts.disk.cache_blocks else held_s
    burst_s = 2 * ahead * held_s
    return Writes(
        written,
        held_s,
        load,
        min(1.0, load / alone),
        requests,
        burst_s,
        min(requests, parts.disk.unpassed) * held_s,
        2 * log_ahead * each_s,
        max(0.0, 1 - most / gathered),
        wakes,
    )


def log_of(parts: Parts, per_s: float, written: float, wait_s: float) -> tuple[float, float, float]:
    """What the log does at a throughput with *written* blocks of a transaction, if a write waits: how long it holds the
    disk, writes a second, and how much longer a read or write of data takes as the heads come back from the log.
    """
    log_s, log_writes = _log(parts, per_s, wait_s)
    if parts.system.instance.redo_disk != "data" or not log_writes:
        return log_s, log_writes, 0.0
    reads = per_s * parts.requests / log_writes
    writing = min(1.0, per_s * written * parts.disk.write_held_s)
    after_data = 1 - exp(-reads) * (1 - writing)
    after_log = min(1.0, after_data * log_writes / max(per_s * (parts.requests + written), LEAST))
    return log_s + after_data * parts.to_log_s, log_writes, after_log * parts.from_log_s


def _log(parts: Parts, per_s: float, wait_s: float) -> tuple[float, float]:
    """Time of a log write without its wait, and log writes a second."""
    alone_bytes = float(commit.log_write_bytes(parts.redo_bytes / max(parts.commits, LEAST)))
    write_s = log_service_s(parts, alone_bytes)
    if per_s <= 0 or wait_s == inf:
        return write_s, 0.0
    if not parts.commits:
        gathered = float(commit.gathered_bytes(parts.system.instance.log_buffer_bytes))
        return log_service_s(parts, gathered), per_s * parts.redo_bytes / gathered
    for _ in range(2):
        writes = float(commit.log_writes_per_s(per_s * parts.commits, wait_s + write_s))
        write_s = log_service_s(parts, float(commit.log_write_bytes(per_s * parts.redo_bytes / writes)))
    return write_s, float(commit.log_writes_per_s(per_s * parts.commits, wait_s + write_s))


def disk_demands_s(
    parts: Parts, per_s: float, more_s: float, wait_s: float, at_disk: float
) -> dict[str, float]:
    """What a transaction takes of the capacity of the disks and of DBWR at most, at a throughput and a wait of the log.

    DBWR has to write what leaves the cache; what is dirty for long can wait while many reads are at the disk.
    """
    least = least_of(parts, per_s)
    write_s = parts.disk.swept_s(parts.requests, least, parts.disk.cache_blocks)
    if not parts.disk.reads_first:
        # NOTE: each read that the disk serves lets as many writes pass as there are for each read
        passing = parts.requests * parts.disk.writes_at_once / max(at_disk, LEAST)
        least = max(least, min(written_of(parts, per_s), passing, parts.disk.writer_per_s / per_s))
    held_s = parts.disk_held_s + least * write_s
    held_s += (parts.requests + least) * more_s / parts.disk.servers
    found = {DBWR: written_of(parts, per_s, OLDEST_S) / parts.disk.writer_per_s}
    if parts.system.instance.redo_disk == "own":
        found[REDO] = redo_held_s(parts)
        if parts.log_limit_s:
            held_s += log_of(parts, per_s, least, wait_s)[1] * parts.log_limit_s / per_s
    else:
        log_s, log_writes, _ = log_of(parts, per_s, least, wait_s)
        held_s += log_writes * log_s / parts.disk.servers / per_s
    return {DATA: held_s} | found


def log_service_s(parts: Parts, size_bytes: float) -> float:
    """Mean time of a log write, nobody queueing; a write cache answers it. A limit lets the next one come no sooner."""
    disk = parts.log_disk
    least_s = size_bytes / (disk.throughput_limit_bytes_per_s or inf)
    if disk.write_cache_bytes:
        return max(least_s, float(disk_means.answered_s(disk, size_bytes, True)))
    return max(least_s, parts.log_turn_s + float(size_bytes / disk_means.rate_bytes_per_s(disk, True)))


def redo_held_s(parts: Parts) -> float:
    """What the redo of a transaction takes of a disk of the log's own, in long writes."""
    return parts.redo_bytes / float(disk_means.sequential_bytes_per_s(parts.log_disk, True))


def turning_log(parts: Parts, per_s: float, others_per_s: float, fixed_s: float, random_s: float) -> Log:
    """The log on a turning disk of its own, where each block passes once a turn and the writes of the others, too.

    Whoever commits waits for the turn to come round, since the end of his last write or that of others, after
    *fixed_s* and *random_s* by chance; and for a turn more if a write is under way.
    """
    disk = parts.system.disk
    commits_per_s = per_s * parts.commits
    bytes_each = parts.redo_bytes / max(parts.commits, LEAST)
    overhead_s = float(disk_means.overhead_s(disk, True))
    log = commit.TurningLog(0.0, 0.0)
    turn_s = disk.rotation_s
    for _ in range(2):
        shared = max(1.0, commits_per_s / log.writes_per_s) if log.writes_per_s else 1.0
        sent_s = float(commit.log_write_bytes(bytes_each * shared) / disk_means.rate_bytes_per_s(disk, True))
        turn_s = disk.rotation_s + sent_s
        log = commit.turning_log(commits_per_s, turn_s)
    found = commit.turning_log(others_per_s * parts.commits, turn_s).busy_fraction
    idle_s = overhead_s + commit.until_turn_s(fixed_s + overhead_s, random_s, turn_s) + sent_s
    busy_s = commit.until_turn_s(fixed_s, random_s, turn_s) + turn_s
    held_s = log.busy_fraction / log.writes_per_s if log.writes_per_s else idle_s
    return Log(held_s, held_s, log.writes_per_s, (1 - found) * idle_s + found * busy_s)


def log_at(
    parts: Parts, per_s: float, others_per_s: float, takes: tuple[float, float], writes: Writes
) -> Log:
    """The log writer whose writes take so long after a wait for reads at its disk, and for DBWR's *writes* there."""
    log_s, wait_s = takes
    _, log_writes, _ = log_of(parts, per_s, 0.0, wait_s)
    write_s = log_s + wait_s
    behind_s = writes.log_waits_s(others_per_s * parts.commits)
    sync_s = float(commit.log_file_sync_s(others_per_s * parts.commits, write_s))
    return Log(write_s + behind_s, log_s, log_writes, sync_s + behind_s)


def waited(rate_per_s: float, service_s: float, servers: int) -> float:
    """Services that an arrival waits for in M/M/m."""
    if service_s <= 0:
        return 0.0
    load = min(FULL, rate_per_s * service_s / servers)
    return float(queueing.mmc_wait_s(load * servers / service_s, service_s, servers)) / service_s
