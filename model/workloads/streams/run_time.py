"""How many calls streams make that end by a run time, in closed form."""

from __future__ import annotations

from typing import Any

from model.results import StreamStats
from model.spec import Stream, System
from model.workloads.streams.together import compose

ROUNDS = 12
"""Rounds at most in which streams that share a device find their numbers of calls."""


def in_time(system: System, work: Stream) -> Any:
    """The streams with as many calls as they begin within ``runtime_s``, at most ``count``; unchanged without one.

    A program begins calls until its run time has passed, and completes those under way, as fio does [fio-docs]: the
    number is the least that takes so long, by the law of the streams' elapsed time. Of calls that arrive it is their
    rate times the run time. Numbers alone: no field may be an array.
    """
    every = [work, *work.beside]
    if all(calls.runtime_s is None for calls in every):
        return work
    counts = [_arriving(calls) for calls in every]
    searched = [rank for rank, calls in enumerate(every) if calls.runtime_s and calls.rate_per_s is None]
    for _ in range(ROUNDS if len(every) > 1 else 1):
        before = list(counts)
        for rank in searched:
            counts[rank] = _least_count(system, every, counts, rank)
        if counts == before:
            break
    return _with(every, counts)


def _arriving(calls: Any) -> int:
    """Calls of a stream that arrive within its run time; of one that waits for its calls, all that it may make."""
    if calls.runtime_s is None or calls.rate_per_s is None:
        return int(calls.count)
    return max(1, min(int(calls.count), int(calls.rate_per_s * calls.runtime_s + 0.5)))


def _least_count(system: System, every: list[Any], counts: list[int], rank: int) -> int:
    """The least number of calls with which a stream lasts for its run time, beside the others with theirs."""
    low, high = 1, int(every[rank].count)
    while low < high:
        middle = (low + high) // 2
        tried = [middle if place == rank else number for place, number in enumerate(counts)]
        if float(compose(system, _with(every, tried))[rank].elapsed_s) < every[rank].runtime_s:
            low = middle + 1
        else:
            high = middle
    return low


def _with(every: list[Any], counts: list[int]) -> Any:
    """The first stream with the others beside it, all with these numbers of calls."""
    made = [calls.model_copy(update={"count": count}) for calls, count in zip(every, counts, strict=True)]
    return made[0].model_copy(update={"beside": tuple(made[1:])})


def ended_by_count(work: Stream, streams: list[StreamStats] | None) -> list[str]:
    """What to say of *streams* that made all their calls before their run time had passed."""
    return [
        f"the {calls.kind} makes all calls of workload.count in {made.elapsed_s:.3g} s, before workload.runtime_s "
        f"{calls.runtime_s:g} has passed: set a larger count to fill the run time"
        for calls, made in zip((work, *work.beside), streams or (), strict=True)
        if calls.runtime_s is not None
        and made.calls >= calls.users * calls.count
        and made.elapsed_s < calls.runtime_s
    ]
