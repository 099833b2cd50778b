"""Commits: the log writer takes all waiting redo with each write."""

from __future__ import annotations

from dataclasses import dataclass

from blocktime.model.laws.numeric import Number, exp, expm1, smaller
from blocktime.model.units import MIB

LOG_BLOCK_BYTES = 512
"""Block of the redo log [oracle-concepts]."""
LOG_FILES_BYTES = 256 * MIB
LARGEST_LOG_WRITE_BYTES = MIB
LOG_BUFFER_SHARE = 3
"""LGWR writes when one part in this number of the log buffer is full, or the largest write [oracle-concepts]."""
LOOKS_EVERY_S = 1.0
"""Time between two checks of DBWR for old dirty blocks [general knowledge]."""
LARGE_DIRTY_QUEUE = 25
"""Blocks on the write list that wake DBWR [general knowledge]."""
SMALL = 1e-5


def log_writer_busy_fraction(commits_per_s: Number, write_s: Number, cv: float = 0.0) -> Number:
    """Share of the time that the log writer writes, λW / (λW + e^-λW), for random commits.

    A busy period continues unless no commit arrives during a write, which has probability e^-λW: e^λW writes on
    average, and then 1/λ until the next commit. If writes are gamma-distributed with *cv*, no commit arrives with
    probability (1 + λW·cv²)^(-1/cv²) [kleinrock-1975].
    """
    arriving = commits_per_s * write_s
    nobody = (1 + arriving * cv**2) ** (-1 / cv**2) if cv**2 > SMALL else exp(-arriving)
    return arriving / (arriving + nobody)


def log_file_sync_s(commits_per_s: Number, write_s: Number, cv: float = 0.0) -> Number:
    """Mean ``log file sync``: the commit's own write, and the remainder of another write if the log writer is busy.

    The remainder is W(1 + cv²)/2, half of a write if all writes take equally long [kleinrock-1975].
    """
    return write_s * (1 + log_writer_busy_fraction(commits_per_s, write_s, cv) * (1 + cv**2) / 2)


def log_writes_per_s(commits_per_s: Number, write_s: Number, cv: float = 0.0) -> Number:
    """Writes per second of the log writer; at most one for each commit."""
    return smaller(commits_per_s, log_writer_busy_fraction(commits_per_s, write_s, cv) / write_s)


def log_write_bytes(redo_bytes: Number) -> Number:
    """Bytes of a log write for *redo_bytes*: whole log blocks, half of one more on average [oracle-concepts]."""
    return redo_bytes + LOG_BLOCK_BYTES / 2


def gathered_bytes(buffer_bytes: Number) -> Number:
    """Redo that LGWR writes without a commit: a third of the log buffer, or 1 MB [oracle-concepts]."""
    return smaller(LARGEST_LOG_WRITE_BYTES, buffer_bytes / LOG_BUFFER_SHARE)


def longest_sync_s(buffer_bytes: Number, redo_per_s: Number) -> Number:
    """Longest wait of a commit while LGWR writes redo at a rate: half of a write of a full buffer, and its own write.

    Redo that finds no room in the buffer waits before it: ``log buffer space`` [oracle-reference].
    """
    return 1.5 * buffer_bytes / redo_per_s


@dataclass
class TurningLog:
    """What a log writer does whose disk lets one place pass a turn."""

    busy_fraction: float
    writes_per_s: float


def turning_log(commits_per_s: float, turn_s: float) -> TurningLog:
    """A log writer that writes consecutive blocks on a rotating disk, so that its writes end a rotation apart.

    A rotation that starts with a write in progress follows a rotation with an arrival, 1 - e^-a for a = λT. After a
    rotation that started idle, this needs two arrivals, 1 - e^-a(1 + a), as the first one started its own write
    [kleinrock-1975]. In an idle start, an arrival finds a write if another came before it: 1 - (1 - e^-a)/a.
    """
    coming = commits_per_s * turn_s
    if coming <= 0:
        return TurningLog(0.0, 0.0)
    none = exp(-coming)
    twice = -expm1(-coming) - coming * none
    begun = twice / (twice + none)
    some = -expm1(-coming)
    found_busy = found_in_turn(coming)
    return TurningLog(begun + (1 - begun) * found_busy, (begun + (1 - begun) * some) / turn_s)


def found_in_turn(coming: float) -> float:
    """Probability that another of *coming* random arrivals precedes one within a rotation: 1 - (1 - e^-a)/a."""
    return 1 + expm1(-coming) / coming if coming > SMALL else coming / 2


def until_turn_s(fixed_s: float, random_s: float, turn_s: float) -> float:
    """Mean time until the place of the next log block returns, after *fixed_s* and a random *random_s* since it passed.

    With u the remainder of the rotation after the fixed time: u + T·e^(-u/r)/(1 - e^(-T/r)) - r; half a rotation for a
    long r, and u for r = 0 [kleinrock-1975].
    """
    left_s = turn_s - fixed_s % turn_s
    if random_s < SMALL * turn_s:
        return left_s
    if random_s > turn_s / SMALL:
        return turn_s / 2
    later_s: float = turn_s * exp(-left_s / random_s) / -expm1(-turn_s / random_s)
    return left_s + later_s - random_s
