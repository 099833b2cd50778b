"""The requests of streams one by one, for looking at what results only count."""

from __future__ import annotations

from typing import NamedTuple

from blocktime.model.demand.calls import files_of
from blocktime.model.laws import block_layer
from blocktime.model.loops import as_written
from blocktime.model.machine.device.diskstats import Counters
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.sim.shared_machine import machine_of
from blocktime.model.spec import Stream, System
from blocktime.model.workloads.streams.processes import _by_events, _draws

SEED = 1


class DoneRequest(NamedTuple):
    """A request that the device has done: its bytes, when it was queued, and when it was done."""

    size_bytes: int
    queued_s: float
    done_s: float


class _RequestCounters(Counters):
    """Counters that keep every request."""

    __slots__ = ("served",)

    def __init__(self, interval_s: float, *, at_submission: bool) -> None:
        super().__init__(interval_s, 0.0, at_submission=at_submission)
        self.served: list[DoneRequest] = []

    def completed(self, now_s: float, write: bool, size_bytes: int, queued_s: float) -> None:
        """A request is done."""
        super().completed(now_s, write, size_bytes, queued_s)
        self.served.append(DoneRequest(size_bytes, queued_s, now_s))


def requests_of(system: System, work: Stream) -> list[DoneRequest]:
    """Every request of a stream that is played by events, in the order in which they are done."""
    files = files_of(system, work, capacity_of(system.disk))
    release = block_layer.release_of(system.host.kernel)
    counters = _RequestCounters(
        system.iostat.interval_s, at_submission=block_layer.counts_sectors_at_submission(release)
    )
    with as_written():
        draws = [_draws(file, rank, SEED) for rank, file in enumerate(files)]
        _by_events(machine_of(system, SEED, counters), files, draws)
    return counters.served
