"""Cores and their threads, and contention for a latch against machines under repair."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.laws import queueing
from model.laws.processors import capacity_cores, contention, thread_speed

MACHINES = {
    "cores": st.integers(1, 256),
    "threads": st.integers(1, 8),
    "gain": st.floats(0, 7),
    "busy": st.integers(1, 3000),
}


@given(**MACHINES)
def test_a_core_does_no_less_with_more_to_do_and_gains_no_more_than_is_said(
    cores: int, threads: int, gain: float, busy: int
) -> None:
    done = capacity_cores(busy, cores, threads, gain)
    most = cores * (1 + gain * (threads > 1))
    assert done <= capacity_cores(busy + 1, cores, threads, gain) <= most * (1 + 1e-12)
    assert done >= min(busy, cores)
    if busy <= cores:
        assert done == busy
    if busy >= cores * threads:
        assert done == pytest.approx(most, rel=1e-12)


@given(**MACHINES)
def test_a_thread_gets_its_share_of_what_all_do(cores: int, threads: int, gain: float, busy: int) -> None:
    gain = min(gain, threads - 1.0)  # no thread does more than one alone
    speed = thread_speed(busy, cores, threads, gain)
    assert 1 / threads - 1e-12 <= speed <= 1 + 1e-12
    assert speed >= thread_speed(busy + 1, cores, threads, gain) - 1e-12
    assert min(busy, cores * threads) * speed == pytest.approx(capacity_cores(busy, cores, threads, gain))


def test_four_cores_of_two_threads_that_gain_seventeen_percent() -> None:
    assert [capacity_cores(busy, 4, 2, 0.17) for busy in (0, 1, 4, 6, 8, 50)] == pytest.approx(
        [0, 1, 4, 4.34, 4.68, 4.68]
    )
    assert thread_speed(0, 4, 2, 0.17) == thread_speed(4, 4, 2, 0.17) == 1
    assert thread_speed(8, 4, 2, 0.17) == thread_speed(99, 4, 2, 0.17) == pytest.approx(0.585)
    assert thread_speed(9, 4, 1, 0.17) == 1  # the others wait for a core; none is shared


@pytest.mark.parametrize("between_s", [1e-7, 1e-6, 1e-5, 1e-4, 1e-2])
@pytest.mark.parametrize("spin_s", [0.0, 1e-6, 2e-5, 1.0])
def test_a_latch_is_a_machine_under_repair_for_every_number_of_processes(
    between_s: float, spin_s: float
) -> None:
    hold_s = 1e-6
    table = contention(128, between_s, hold_s, spin_s)
    assert len(table) == 129
    assert table[0] == table[1] == (0, 0, 0)  # nobody else is there
    for running in range(2, 129):
        exact = queueing.machine_repair(running, between_s, hold_s)
        found = table[running]
        assert found.spin_s + found.wait_s == pytest.approx(float(exact.response_s) - hold_s, rel=1e-9)


@given(
    st.integers(0, 64), st.floats(1e-7, 1e-2), st.floats(1e-9, 1e-3), st.floats(0, 1e-3), st.floats(1, 100)
)
def test_contention_grows_with_processes_and_who_spins_longer_sleeps_less(
    running: int, between_s: float, hold_s: float, spin_s: float, longer: float
) -> None:
    table = contention(running, between_s, hold_s, spin_s)
    patient = contention(running, between_s, hold_s, spin_s * longer)
    for one, more in pairwise(table):
        assert one.spin_s + one.wait_s <= (more.spin_s + more.wait_s) * (1 + 1e-9)
    for one, spinner in zip(table, patient, strict=True):
        assert min(one) >= 0
        assert one.waits <= 1
        assert spinner.wait_s <= one.wait_s * (1 + 1e-9)
        assert spinner.spin_s >= one.spin_s * (1 - 1e-9)
        if not spin_s:
            assert one.spin_s == 0  # who does not spin sleeps for all of it
        assert one.spin_s <= spin_s * (1 + 1e-9)


def test_what_nobody_holds_nobody_waits_for() -> None:
    assert contention(8, 1e-3, 0.0, 1e-5) == [(0, 0, 0)] * 9
