"""Write-back throttling (wbt): the number of write-back requests that the kernel admits, by the read latency.

``block/blk-wbt.c`` and ``block/blk-rq-qos.c``, since 4.10 [linux-wbt]. The step is 0 at first; windows without reads
lower it, which admits more requests; windows whose fastest read is too slow raise it.
"""

from __future__ import annotations

from math import isqrt

THROTTLED = (4, 10)
DEFAULT_DEPTH = 16
"""Requests at step 0 (``RWB_DEF_DEPTH``) [linux-wbt]."""
WINDOW_S = 0.1
"""Time between two checks of the latencies (``RWB_WINDOW_NSEC``) [linux-wbt]."""
WRITE_SAMPLES = 3
"""Writes that a window needs so that its reads count (``RWB_MIN_WRITE_SAMPLES``) [linux-wbt]."""
UNKNOWN_WINDOWS = 5
"""Windows without requests after which the step returns towards 0 (``RWB_UNKNOWN_BUMP``) [linux-wbt]."""
WRITER_WAIT_S = 1.0
"""Time for which a throttled writer keeps write-back at the full depth (``wb_recent_wait``) [linux-wbt]."""


def is_throttled(release: tuple[int, ...], scheduler: str) -> bool:
    """Whether write-back is throttled: since 4.10, and not with bfq or cfq. [linux-wbt]"""
    return release >= THROTTLED and scheduler not in ("bfq", "cfq")


def target_s(rotating: bool) -> float:
    """Target read latency: 75 ms for a rotating disk, 2 ms for flash (``wbt_default_latency_nsec``).

    [linux-wbt]
    """
    return 75e-3 if rotating else 2e-3


def window_s(step: int) -> float:
    """Time of a window: shorter by the square root of a step above 0 (``rwb_arm_timer``). [linux-wbt]"""
    return WINDOW_S * 16 / isqrt((step + 1) << 8) if step > 0 else WINDOW_S


def depth_at(tags: int, step: int) -> tuple[int, bool]:
    """Requests admitted to a device with *tags*, and whether a lower step would admit no more.

    16 at step 0, halved with each step above, doubled with each below, at most three quarters of the tags
    (``rq_depth_calc_max_depth``) [linux-wbt].
    """
    if tags == 1:
        return (1, False) if step > 0 else (2, True)
    depth = min(DEFAULT_DEPTH, tags)
    if step > 0:
        return 1 + ((depth - 1) >> min(31, step)), False
    if step < 0:
        most = 3 * tags // 4
        wanted = 1 + ((depth - 1) << min(31, -step))
        return min(wanted, most), wanted > most
    return depth, False


def limit_requests(depth: int, *, hurried: bool) -> int:
    """Limit of requests in progress: the whole depth for fsync, and while the kernel throttles writers.

    A quarter of the depth for write-back that no task waits for (``get_limit``, ``calc_wb_limits``) [linux-wbt].
    """
    if hurried:
        return depth
    return 1 if depth <= 2 else (depth + 3) // 4  # noqa: PLR2004  (as in its source)


def wakes_sleepers(requests: int, depth: int, *, drained: bool) -> bool:
    """Whether the kernel wakes waiting tasks with this number of requests in progress (``wbt_rqw_done``). [linux-wbt]

    It does so below half of the depth, by half of the background limit; at 0 if the device's cache is *drained*.
    """
    if not requests:
        return True
    normal = depth if depth <= 2 else (depth + 1) // 2  # noqa: PLR2004  (as in its source)
    limit = 0 if drained else normal
    return requests < limit and limit - requests >= limit_requests(depth, hurried=False) // 2
