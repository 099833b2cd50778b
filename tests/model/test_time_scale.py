"""A scenario whose times are all twice as long has an answer twice as long, and the same counts.

No law adds times to something else, or takes a rate for a time.
"""

from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from blocktime.model import calculate, simulate
from blocktime.model.causes import FREE_BUFFERS
from blocktime.scenarios import load
from tests.known_by_law import SUMMED
from tests.whole import quick

Part = TypeVar("Part", bound=BaseModel)
RATES = ("_per_s", "_hz", "iops_limit", "burst_iops")
STATED = [f"host.{name}=5us" for name in ("read_call_s", "write_call_s", "reap_call_s")] + [
    "instance.log_file_sync=post"
]
"""Fields whose default is a constant in seconds, or lets sessions poll, who sleep as long as their kernel lets them."""
LOOKS = ("tpc-", "magni-tpc", "oltp-nvme")
"""Scenarios in which DBWR looks for dirty blocks once a second, a constant."""
ESTIMATED = [name for name in SUMMED if not name.startswith(LOOKS)]
QUICKLY = {*ESTIMATED[:: quick(2, 1)]}
PLAYED = ("full-scan-nvme", "index-range-scan", "magni-imp-4k", "rahn-pctfree-2k-10", "shallahamer-direct")


def slower(part: Part, times: float) -> Part:
    """The same with all times multiplied, and all rates divided, by a factor."""
    changed: dict[str, Any] = {}
    for name, value in part:
        if isinstance(value, BaseModel):
            changed[name] = slower(value, times)
        elif isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
            changed[name] = tuple(slower(inner, times) for inner in value)
        elif type(value) in (int, float) and name.endswith(("_s", *RATES)):
            changed[name] = value / times if name.endswith(RATES) else value * times
    return part.model_copy(update=changed)


def holds(engine: Any, name: str) -> None:
    scenario = load(name, STATED)
    before = engine(scenario.system, scenario.workload)
    after = engine(slower(scenario.system, 2), slower(scenario.workload, 2))
    assert after.time.elapsed_s == pytest.approx(2 * before.time.elapsed_s, rel=1e-9)
    assert after.time.cpu == pytest.approx({cause: 2 * s for cause, s in before.time.cpu.items()}, rel=1e-9)
    for event, wait in before.time.wait.items():
        found = after.time.wait[event]
        waits = found.waits if event == FREE_BUFFERS else wait.waits  # sessions look again after a time of their own
        assert (found.waits, found.total_s) == pytest.approx((waits, 2 * wait.total_s), rel=1e-9), event
    assert after.physical_io.read_requests == pytest.approx(before.physical_io.read_requests, rel=1e-9)


@pytest.mark.parametrize("name", sorted(QUICKLY))
def test_a_sum_scales_with_its_times(name: str) -> None:
    holds(calculate, name)


@pytest.mark.parametrize("name", PLAYED)
def test_a_simulation_scales_with_its_times(name: str) -> None:
    holds(simulate, name)
