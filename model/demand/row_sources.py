"""Row sources of a query's plan: what each operation asks for by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from model.laws.numeric import Number, nearest

COUNTING = "SORT AGGREGATE"


@dataclass(slots=True)
class PlanOperation:
    """One operation; gets and reads are its own, without those of the operation below it."""

    operation: str
    rows: Number
    """Rows that it returns, of all its starts."""
    gets: Number = 0
    read_blocks: Number = 0
    starts: Number = 1


def with_count(sources: Sequence[PlanOperation], select: str) -> list[PlanOperation]:
    """*sources*, topmost first, under the operation that counts their rows where *select* says so."""
    return [PlanOperation(COUNTING, 1), *sources] if select == "count" else list(sources)


def in_parallel(sources: Sequence[PlanOperation], degree: Number, granules: Number) -> list[PlanOperation]:
    """*sources* of a full scan by *degree* servers, each counting its own rows; divided among the servers.

    The scan starts anew for each of the *granules*.
    """
    *counting, scan = sources
    passed = [replace(row_source, rows=degree, starts=degree) for row_source in counting]
    sent = passed[0].rows if passed else scan.rows
    plan = [
        *counting,
        PlanOperation("PX COORDINATOR", sent),
        PlanOperation("PX SEND QC (RANDOM)", sent, starts=degree),
        *passed,
        PlanOperation("PX BLOCK ITERATOR", scan.rows, starts=degree),
        replace(scan, starts=nearest(granules)),
    ]
    return [
        PlanOperation(
            row_source.operation,
            row_source.rows / degree,
            row_source.gets / degree,
            row_source.read_blocks / degree,
            row_source.starts / degree,
        )
        for row_source in plan
    ]
