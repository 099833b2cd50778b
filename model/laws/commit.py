"""Commits: the log writer takes all waiting redo with each write, and wakes those who wait for it."""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, exp, larger, smaller
from blocktime.model.units import MIB

LOG_BLOCK_BYTES = 512
"""Block of the redo log [oracle-concepts]."""
LOG_FILES_BYTES = 256 * MIB
LARGEST_LOG_WRITE_BYTES = MIB
LOG_LAG_FRACTION = 0.9
"""Of the smallest redo log, what the checkpoint lags behind the end of the redo at most [oracle-tuning]."""
SWITCH_WRITES = 4
"""Short writes of a log switch, one after another: a header of each of the two logs, and of the control files
[general knowledge]."""
LOG_BUFFER_SHARE = 3
"""LGWR writes when one part in this number of the log buffer is full, or the largest write [oracle-concepts]."""
LOOKS_EVERY_S = 1.0
"""Time between two checks of DBWR for old dirty blocks [general knowledge]."""
LARGE_DIRTY_QUEUE = 25
"""Blocks on the write list that wake DBWR [general knowledge]."""
POST_FRACTION = 0.76
"""Of the overhead of a commit, what LGWR takes to post the session; the rest is its wake-up. Fitted, with the next, to
one pair of times at 10,286 commits a second [krotov-log-file-sync]."""
POLL_S = 75e-6
"""Time by which a session that polls sleeps too long, on average: half of 100 µs and of the timer's slack
[general knowledge]."""
ADAPTIVE = (11, 2, 0, 3)
"""Release from which on LGWR changes between the two [krotov-log-file-sync]."""
SMALL = 1e-5
TINY_S = 1e-12
ROUNDS = 40
MOST_COMMITS = 10_000.0
"""Of one write; as many as this only where LGWR posts no faster than sessions commit."""


def log_writer_busy_fraction(commits_per_s: Number, write_s: Number, cv: float = 0.0) -> Number:
    """Share of the time that the log writer writes, λW / (λW + e^-λW), for random commits.

    A busy period continues unless no commit arrives during a write, which has probability e^-λW: e^λW writes on
    average, and then 1/λ until the next commit. If writes are gamma-distributed with *cv*, no commit arrives with
    probability (1 + λW·cv²)^(-1/cv²) [kleinrock-1975].
    """
    arriving = commits_per_s * write_s
    nobody = (1 + arriving * cv**2) ** (-1 / cv**2) if cv**2 > SMALL else exp(-arriving)
    return arriving / (arriving + nobody)


def log_writes_per_s(commits_per_s: Number, write_s: Number, cv: float = 0.0) -> Number:
    """Writes per second of the log writer; at most one for each commit."""
    return smaller(commits_per_s, log_writer_busy_fraction(commits_per_s, write_s, cv) / write_s)


def log_write_bytes(redo_bytes: Number) -> Number:
    """Bytes of a log write for *redo_bytes*: whole log blocks, half of one more on average [oracle-concepts]."""
    return redo_bytes + LOG_BLOCK_BYTES / 2


def gathered_bytes(buffer_bytes: Number) -> Number:
    """Redo that LGWR writes without a commit: a third of the log buffer, or 1 MB [oracle-concepts]."""
    return smaller(LARGEST_LOG_WRITE_BYTES, buffer_bytes / LOG_BUFFER_SHARE)


def posts_s(overhead_s: Number, commits: Number) -> Number:
    """Time in which LGWR posts the sessions of so many commits, one by one."""
    return POST_FRACTION * overhead_s * commits


def wake_up_s(overhead_s: Number, commits: Number, polls: bool) -> Number:
    """Mean time from the end of a write that carries so many *commits* until one of their sessions runs again.

    A session that LGWR posts waits for half of the posts and its own; one that *polls* for the end of its sleep.
    """
    wake_s = (1 - POST_FRACTION) * overhead_s
    return wake_s + (POLL_S if polls else posts_s(overhead_s, (commits + 1) / 2))


def least_overhead_s(call_s: Number, overhead_s: Number) -> Number:
    """What a commit waits for beside the write that carries it, at least: LGWR's call, and a post or a short poll."""
    post_s = posts_s(overhead_s, 1)
    return call_s + overhead_s - post_s + smaller(post_s, POLL_S)


def commit_wait_s(
    commits_per_s: Number, write_s: Number, call_s: Number, overhead_s: Number, cv: float = 0.0, *, polls: bool = False
) -> Number:
    """Mean ``log file sync`` at a rate λ of commits by chance, whose sessions LGWR posts, or which poll.

    LGWR takes c for its call, gathers n commits, and is closed for G = write + np; nobody comes meanwhile with the
    chance e^-λG, and then it is idle. So n = λ(c + G) + e^-λG. Who comes while it is closed waits G/2 + c for the next
    call's end on average, who comes during a call c/2, and who wakes it up c. A commit's own group has n + λ(c + G)/n
    sessions on average over commits [kleinrock-1975].
    """
    post_s = 0.0 if polls else posts_s(overhead_s, 1)
    commits: Number = 1.0
    for _ in range(ROUNDS):
        closed_s = write_s + commits * post_s
        arriving = commits_per_s * (call_s + closed_s)
        nobody = exp(-commits_per_s * closed_s)
        commits = smaller(MOST_COMMITS, arriving + nobody)
    variance = (cv * write_s) ** 2 + post_s**2 * arriving
    rest_s = closed_s / 2 + variance / (2 * larger(TINY_S, closed_s)) + call_s
    to_gather_s = commits_per_s * (closed_s * rest_s + call_s**2 / 2) + nobody * call_s
    group = commits + arriving / commits
    return to_gather_s / (arriving + nobody) + write_s + wake_up_s(overhead_s, group, polls)
