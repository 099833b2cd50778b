"""Commits: the log writer takes all redo that waits along with each write."""

from __future__ import annotations

from math import exp

from model.laws.numeric import Number, smaller
from model.units import MIB

LOG_BLOCK_BYTES = 512
"""Block of the redo log [oracle-concepts]."""
LOG_FILES_BYTES = 256 * MIB
LARGEST_LOG_WRITE_BYTES = MIB
LOOKS_EVERY_S = 1.0
"""Time between two looks of DBWR for blocks that have been dirty for long [general knowledge]."""
LARGE_DIRTY_QUEUE = 25
"""Blocks on the write list for which DBWR is woken [general knowledge]."""
MOST_COMMITS_PER_WRITE = 500.0
"""From here on the log writer is busy all the time to within 1e-200."""


def log_writer_busy_fraction(commits_per_s: Number, write_s: Number) -> Number:
    """Share of the time that the log writer writes, λW·e^λW / (1 + λW·e^λW), for commits by chance.

    A busy period goes on while commits have come during a write, which happens with probability 1 - e^-λW: e^λW writes
    on average, and then 1/λ until the next commit [kleinrock-1975].
    """
    arriving = smaller(commits_per_s * write_s, MOST_COMMITS_PER_WRITE)
    grown = arriving * _exp(arriving)
    return grown / (1 + grown)


def log_file_sync_s(commits_per_s: Number, write_s: Number) -> Number:
    """Mean ``log file sync``: the commit's own write, and half of one more if the log writer is busy."""
    return write_s * (1 + log_writer_busy_fraction(commits_per_s, write_s) / 2)


def log_writes_per_s(commits_per_s: Number, write_s: Number) -> Number:
    """Writes of the log writer a second; at most one for each commit."""
    return smaller(commits_per_s, log_writer_busy_fraction(commits_per_s, write_s) / write_s)


def log_write_bytes(redo_bytes: Number) -> Number:
    """Bytes of a log write for *redo_bytes*: whole log blocks, half of one more on average [oracle-concepts]."""
    return redo_bytes + LOG_BLOCK_BYTES / 2


def _exp(value: Number) -> Number:
    if getattr(value, "ndim", 0):
        import numpy as np  # noqa: PLC0415

        return np.exp(value)
    return exp(value)
