"""What a simulated session counts while it runs."""

from __future__ import annotations

from collections import Counter

from blocktime.model.results import EventTime


class StatementLedger:
    """Waits by event, reads by size, and the times that no event names."""

    waits: dict[str, list[float]]
    reads: Counter[int]
    begin_s: float
    end_s: float
    run_queue_s: float
    slots: dict[float, int]
    """Seconds since its scan began -> asynchronous direct reads that it may have in flight from then on."""
    slowed_s: float
    """CPU time beyond that of a processor alone on the machine."""
    submit_cpu_s: float
    copied_s: float
    """Copies from the page cache within waits for reads, as long as they took among others."""
    submit_blocked_s: float
    reap_cpu_s: float
    events: int
    undo_gets: float
    """Of undo, for blocks that others have changed since it began."""
    worked_blocks: float
    """Blocks of the segment that it has worked on, or is at work on."""

    def __init__(self) -> None:
        self.waits, self.reads, self.slots = {}, Counter(), {}
        self.worked_blocks = self.undo_gets = 0.0
        self.begin_s = self.end_s = self.run_queue_s = self.slowed_s = 0.0
        self.submit_cpu_s = self.copied_s = self.submit_blocked_s = self.reap_cpu_s = 0.0
        self.events = 0

    def wait(self, event: str, duration_s: float, times: float = 1) -> None:
        """Count *times* equal waits for *event*, of *duration_s* together."""
        entry = self.waits.get(event)
        if entry is None:
            entry = self.waits[event] = [0, 0.0, 0.0]
        entry[0] += times
        entry[1] = max(entry[1], duration_s / times)
        entry[2] += duration_s

    @property
    def elapsed_s(self) -> float:
        """From the session's start to its end."""
        return self.end_s - self.begin_s


def mean_waits(ledgers: list[StatementLedger]) -> dict[str, EventTime]:
    """Waits of the mean session; the longest wait is the longest of all."""
    sessions = len(ledgers)
    totals: dict[str, list[float]] = {}
    for ledger in ledgers:
        for event, (waits, longest, total) in ledger.waits.items():
            entry = totals.setdefault(event, [0.0, 0.0, 0.0])
            entry[0] += waits
            entry[1] = max(entry[1], longest)
            entry[2] += total
    return {
        event: EventTime(waits=waits / sessions, max_s=longest, total_s=total / sessions)
        for event, (waits, longest, total) in totals.items()
    }
