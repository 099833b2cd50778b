"""A queue by events: a process of SimPy for each request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import simpy

from blocktime.model.kernels.queue import Served


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
