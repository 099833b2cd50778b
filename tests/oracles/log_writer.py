"""Commits of a log writer whose calls and posts take no time: the law of one server that takes all who wait."""

from blocktime.model.laws.commit import log_writer_busy_fraction
from blocktime.model.laws.numeric import Number


def log_file_sync_s(commits_per_s: Number, write_s: Number, cv: float = 0.0) -> Number:
    """Mean ``log file sync``: the commit's own write, and the remainder of another write if the log writer is busy.

    The remainder is W(1 + cv²)/2, half of a write if all writes take equally long [kleinrock-1975].
    """
    return write_s * (1 + log_writer_busy_fraction(commits_per_s, write_s, cv) * (1 + cv**2) / 2)
