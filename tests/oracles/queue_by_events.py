"""A queue by events, a process of SimPy for each request, and by the servers of the machine."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import simpy

from blocktime.model.loops import fastest
from blocktime.model.machine.device.servers import Servers


class Served(NamedTuple):
    """When the service of each request began and ended, in the order of arrival."""

    begin_s: Any
    end_s: Any


def open_queue(arrival: Any, service: Any, servers: int = 1) -> Served:
    """The same by the machine's servers."""
    state, begin, end = fastest(Servers)(servers), np.empty(len(arrival)), np.empty(len(arrival))
    for k, (at, work) in enumerate(zip(arrival.tolist(), service.tolist(), strict=True)):
        begin[k], end[k] = state.serve(at, work)
    return Served(begin, end)


def open_by_events(arrival: Any, service: Any, servers: int) -> Served:
    """When each request begins and ends that comes to some servers by itself."""
    env = simpy.Environment()
    device = simpy.Resource(env, servers)
    begin, end = [0.0] * len(arrival), [0.0] * len(arrival)

    def request(k: int, work: float) -> Iterator[simpy.Event]:
        with device.request() as turn:
            yield turn
            begin[k] = env.now
            yield env.timeout(work)
            end[k] = env.now

    def source() -> Iterator[simpy.Event]:
        for k, (at, work) in enumerate(zip(arrival.tolist(), service.tolist(), strict=True)):
            yield env.timeout(max(0.0, at - env.now))
            env.process(request(k, work))

    env.process(source())
    env.run()
    return Served(np.array(begin), np.array(end))
