"""The flat numbers of a simulation, for tables of thousands: quicker where they need no whole result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from model.causes import AT_ONCE, CPU
from model.demand.conditions import extrapolations
from model.kernels.queue import quantiles
from model.measures import measures_of
from model.money_books import with_money
from model.results import PhysicalIO, RunResult, StreamStats, TimeBreakdown, check_books
from model.sim.streams_run import summed_up
from model.spec import Stream, System
from model.stream_books import PERCENTILES, device_of

if TYPE_CHECKING:
    from model.sim.caller import Record
    from model.state.iostat import Counters

SECTOR_BYTES = 512


def summed_up_measures(system: System, work: Stream, *, seed: int) -> dict[str, float] | None:
    """The numbers of a simulated stream whose calls are summed up on their way through one queue; None for others.

    Raises what simulating it raises.
    """
    found = summed_up(system, work, seed=seed)
    return None if found is None else measures_of(with_money(system, work, _result(system, work, *found)))


def _result(system: System, work: Stream, record: Record, counters: Counters) -> RunResult:
    """As much of a checked result as there are measures of it."""
    cpu_s, elapsed_s = record.causes_s.get(CPU, 0.0), record.end_s
    took_s = np.asarray(record.responses_s)
    reads, writes = counters.requests
    sectors = work.block_size_bytes // SECTOR_BYTES
    return check_books(
        RunResult(
            scenario="",
            engine="simulate",
            seed=0,
            version="",
            sources=[],
            extrapolated=extrapolations(system, work),
            warnings=[],
            time=TimeBreakdown(
                elapsed_s=elapsed_s,
                cpu_s=cpu_s,
                cpu={CPU: cpu_s},
                wait={},
                unaccounted_s=elapsed_s - cpu_s,
                unaccounted={AT_ONCE: elapsed_s - cpu_s},
            ),
            calls={},
            physical_io=PhysicalIO(
                read_requests=reads,
                read_blocks=reads * sectors,
                read_bytes=counters.moved_bytes[False],
                write_requests=writes,
                write_bytes=counters.moved_bytes[True],
                request_blocks={sectors: reads} if reads else {},
            ),
            device={"disk": device_of(counters, elapsed_s)},
            streams=[
                StreamStats(
                    kind=work.kind,
                    path="",
                    calls=work.count,
                    bytes=work.count * work.block_size_bytes,
                    elapsed_s=elapsed_s,
                    calls_per_s=work.count / elapsed_s,
                    bytes_per_s=work.count * work.block_size_bytes / elapsed_s,
                    response_s=float(took_s.mean()),
                    response_percentiles=dict(
                        zip(PERCENTILES, quantiles(took_s, PERCENTILES.values()).tolist(), strict=True)
                    ),
                )
            ],
            access="",
        )
    )
