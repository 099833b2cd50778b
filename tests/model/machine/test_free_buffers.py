"""Room for dirty blocks: stretch by stretch the same as the law of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.laws import load
from blocktime.model.machine.cache.free_buffers import FreeBuffers

TIMES = st.floats(1e-6, 1.0)


@given(TIMES, st.integers(1, 50), st.integers(1, 50), TIMES, TIMES)
def test_stretches_come_to_the_law_but_for_those_at_the_borders(
    each: float, stretches: int, room: int, write: float, redo: float
) -> None:
    size = 8
    buffers, now, for_log, for_buffers = FreeBuffers(room * size, write, redo), 0.0, 0.0, 0.0
    for _ in range(stretches):
        now += size * each
        ready, buffer = buffers.fill(now, size)
        for_buffers += buffer * (ready - now)
        for_log += (not buffer) * (ready - now)
        now = ready
    blocks = stretches * size
    law = load.stalls_s(each * blocks, blocks, room * size, write, redo)
    one_stretch = size * (write + redo)
    assert for_log == pytest.approx(law[0], abs=one_stretch)
    assert for_buffers == pytest.approx(law[1], abs=one_stretch)
    assert now == pytest.approx(each * blocks + sum(law), abs=one_stretch)
    assert buffers.written == max(0, blocks - room * size)


def test_room_for_all_lets_nobody_wait() -> None:
    buffers = FreeBuffers(100, 1.0, 0.0)
    assert [buffers.fill(now, 10) for now in (1.0, 2.0)] == [(1.0, False), (2.0, False)]
