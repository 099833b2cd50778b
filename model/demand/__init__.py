"""What one execution asks of each resource: gets, reads, CPU by cause, round trips.

The calculator and the simulation both start from these numbers, so they cannot drift apart. Every field of the
inputs may be a number or an array; then the demands are arrays too.
"""

from model.demand.opinion import optimizer_of
from model.demand.reading import DIRECT, SCATTERED, SEQUENTIAL, MixedRegimes, reaps_are_waits
from model.demand.storage import DeviceDemand, ReadTime, device_demand, read_time
from model.demand.work import FROM_CLIENT, MORE_DATA, TO_CLIENT, Demand, demand_of

__all__ = [
    "DIRECT",
    "FROM_CLIENT",
    "MORE_DATA",
    "SCATTERED",
    "SEQUENTIAL",
    "TO_CLIENT",
    "Demand",
    "DeviceDemand",
    "MixedRegimes",
    "ReadTime",
    "demand_of",
    "device_demand",
    "optimizer_of",
    "read_time",
    "reaps_are_waits",
]
