"""Commits: the log writer takes all waiting redo with each write."""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, exp, smaller
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
