"""Reports of systems that the model does not answer for: each declined by name, with what to do instead."""

from __future__ import annotations

from typing import Final

from blocktime.model.units import show_share
from blocktime.validation.identify.identified_scenario import RefusedReport
from blocktime.validation.identify.report import Report

MOST: Final = 0.1
"""Share of DB time above which a report is declined."""
OFFLOADED: Final = ("cell single block", "cell multiblock", "cell smart", "cell list of blocks")
"""Begins of the events of Exadata's storage servers."""
CLUSTER: Final = ("gc ", "ges ", "cr request retry")
GRANTED: Final = "grant"
"""In the name of a wait for the permission to read or change a block, which comes before the disk read itself."""
LOCKS: Final = ("enq: TX - row lock", "enq: TM", "enq: UL", "enq: TX - allocate ITL", "enq: TX - index")
"""Begins of the events in which a session waits for another's transaction."""


def check(report: Report) -> None:
    """Raise :class:`RefusedReport` for a standby, Exadata, a cluster that shares blocks, and locks that decide.

    In a cluster the permission for a block (a grant) comes before its read from disk, and is kept as measured; a
    block out of another instance's cache saves that read, and the model has one cache.
    """
    file = report.reading.file
    if report.reading.host.standby:
        raise RefusedReport(
            f"{file}: is of a standby database: its reads and writes are those of recovery, which is not modelled; "
            "give a report of the primary"
        )
    db_time = report.time("DB time")
    if db_time is None or not db_time.value:
        return
    events = list(report.events())
    offloaded = next((event for event in events if event.name.startswith(OFFLOADED) and event.waits), None)
    if offloaded:
        raise RefusedReport(
            f"{file}: has waits for {offloaded.name}: Exadata's storage servers filter rows and cache blocks, which is "
            "not modelled; describe the target as a scenario of its own, with figures of its volumes"
        )

    def share(names: tuple[str, ...]) -> float:
        return sum(
            event.total.value for event in events if event.name.startswith(names) and GRANTED not in event.name
        ) / float(db_time.value)

    blocks = share(CLUSTER)
    if blocks > MOST:
        raise RefusedReport(
            f"{file}: {show_share(blocks)} of DB time waits for blocks of other instances' caches (RAC global cache); "
            f"allowed is up to {show_share(MOST)}: the model has one cache, so give a report of an hour in which one "
            "instance works"
        )
    locks = share(LOCKS)
    if locks > MOST:
        raise RefusedReport(
            f"{file}: {show_share(locks)} of DB time waits for locks of other transactions; allowed is up to "
            f"{show_share(MOST)}: neither a disk nor a cache shortens them, so find who holds them (SQL ordered by "
            "wait, ASH), and give a report without them"
        )
