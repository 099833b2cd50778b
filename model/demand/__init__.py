"""What one execution asks of each resource: gets, reads, CPU by cause, round trips.

The calculator and the simulation both start from these numbers, so they cannot drift apart. Every field of the
inputs may be a number or an array; then the demands are arrays too.
"""

from collections.abc import Callable
from typing import Final

from blocktime.model.demand.dml import delete_demand, insert_demand, search_s, update_demand
from blocktime.model.demand.import_export import export_demand, import_demand
from blocktime.model.demand.index_access import index_demand
from blocktime.model.demand.optimizer_estimate import optimizer_of
from blocktime.model.demand.reading import MixedRegimes, OneByOne, reaps_are_waits
from blocktime.model.demand.row_changes import Change
from blocktime.model.demand.row_stages import scan_demand
from blocktime.model.demand.segment import check_blocks
from blocktime.model.demand.storage import ReadTimes, parallel_of, read_times
from blocktime.model.demand.work import Demand
from blocktime.model.spec import Statement, System

__all__ = [
    "Change",
    "Demand",
    "MixedRegimes",
    "OneByOne",
    "ReadTimes",
    "demand_of",
    "optimizer_of",
    "parallel_of",
    "read_times",
    "reaps_are_waits",
    "search_s",
]


DEMANDS: Final[dict[str, Callable[..., Demand]]] = {
    "full_scan": scan_demand,
    "index_range_scan": index_demand,
    "update": update_demand,
    "insert": insert_demand,
    "delete": delete_demand,
    "import": import_demand,
    "export": export_demand,
}


def demand_of(system: System, work: Statement, change: Change | None = None) -> Demand:
    """Demands of one execution of *work*, for each session; *change* is what it did where it has been played."""
    check_blocks(system)
    known = () if change is None else (change,)
    return DEMANDS[work.kind](system, work, *known)
