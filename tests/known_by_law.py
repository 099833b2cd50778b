"""The library's scenarios without programs of several kinds on one machine, and those of them that have a sum."""

from typing import Final

from blocktime.model.workloads.families import TOGETHER, family_for
from blocktime.scenarios import library, load

KNOWN: Final = sorted(name for name in library() if family_for(load(name).workload) is not TOGETHER)
SUMMED: Final = [name for name in KNOWN if family_for(load(name).workload).has_sum]
