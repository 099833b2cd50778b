"""Users who think, queue for one of some equal servers and think again: every request of all of them, in order."""

from __future__ import annotations

from heapq import heapreplace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.float64]


class Cycles(NamedTuple):
    """The requests of all users, in the order of arrival."""

    user: NDArray[np.int64]
    arrival_s: Times
    begin_s: Times
    end_s: Times


def closed_queue(think_s: Times, service_s: Times, servers: int = 1) -> Cycles:
    """Users who all begin at time 0, their next arrivals in a heap; of those who arrive at once the lower comes first.

    ``think_s[u, i]`` is what user u thinks before its request i; *service_s* has a time for each request in the order
    of arrival. Each makes as many requests as *think_s* has columns, so at the end some are done while others still
    queue.
    """
    users, cycles = think_s.shape
    user = np.empty(service_s.size, dtype=np.int64)
    arrival_s, begin_s, end_s = np.empty_like(service_s), np.empty_like(service_s), np.empty_like(service_s)
    free_at = [0.0] * servers
    coming = [(think_s[u, 0], u) for u in range(users)]
    coming.sort()
    requests = [0] * users
    for k in range(service_s.size):
        arrival_s[k], u = coming[0]
        begin_s[k] = max(free_at[0], arrival_s[k])
        end_s[k] = begin_s[k] + service_s[k]
        heapreplace(free_at, end_s[k])
        user[k] = u
        requests[u] += 1
        again = end_s[k] + think_s[u, requests[u]] if requests[u] < cycles else np.inf
        heapreplace(coming, (again, u))
    return Cycles(user, arrival_s, begin_s, end_s)
