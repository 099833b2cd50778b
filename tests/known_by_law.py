"""The library's scenarios that a closed form knows: all but programs of several kinds on one machine."""

from __future__ import annotations

from typing import Final

from blocktime.model.workloads.families import TOGETHER, family_for
from blocktime.scenarios import library, load

KNOWN: Final = sorted(name for name in library() if family_for(load(name).workload) is not TOGETHER)
