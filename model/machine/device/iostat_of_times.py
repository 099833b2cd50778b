"""The counters of a device whose requests are all known: what :class:`Counters` counts one by one, at once."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from model.machine.device.iostat import MOST_LINES, Counters

Times = NDArray[np.float64]
Whole = NDArray[np.int64]


class Bios(NamedTuple):
    """What was queued: when, in which direction (1 for a write), how much, and whether it was merged."""

    taken_s: Times
    write: Whole
    size_bytes: Whole
    merged: NDArray[np.bool_]


class Requests(NamedTuple):
    """The requests that carried it, as large as they were when done."""

    queued_s: Times
    write: Whole
    size_bytes: Whole
    end_s: Times


Columns = TypeVar("Columns", Bios, Requests)


def count_all(
    counters: Counters, write: bool, size_bytes: int, queued_s: Times, end_s: Times, until_s: float = 0.0
) -> None:
    """Count requests of one size that were queued at times in order and done at *end_s*; none was merged."""
    count = len(queued_s)
    direction, size = np.full(count, int(write)), np.full(count, size_bytes)
    bios = Bios(queued_s, direction, size, np.zeros(count, bool))
    count_merged(counters, bios, Requests(queued_s, direction, size, end_s), until_s)


def count_merged(counters: Counters, bios: Bios, requests: Requests, until_s: float = 0.0) -> None:
    """Count bios and the requests that carried them, each in any order.

    There are lines up to that of the last request, and for all intervals that end by *until_s*, where programs still
    think.
    """
    if not len(requests.end_s):
        return
    done, taken = _ordered(requests, requests.end_s), _ordered(bios, bios.taken_s)
    last_s = float(done.end_s[-1])
    moments = np.arange(MOST_LINES + 1, dtype=float) * float(counters.interval_s) + counters.first_s
    whole = int(np.searchsorted(moments, until_s, side="right"))
    moments = moments[: max(whole, int(np.searchsorted(moments, last_s)) + 1)]
    ended, begun = np.searchsorted(done.end_s, moments), np.searchsorted(taken.taken_s, moments)
    took_s, flush = done.end_s - done.queued_s, done.size_bytes == 0
    flushes, flushes_s = _cumulated(flush), _cumulated(np.where(flush, took_s, 0.0))
    ticks_s = [_cumulated(np.where(done.write == write, took_s, 0.0)) for write in (0, 1)]
    busy_s, weighted_s = _passed(np.sort(requests.queued_s), done.end_s, moments)
    merges, counts, sizes = [], [], []
    for write in (0, 1):
        merges.append(_cumulated((taken.write == write) & taken.merged))
        counts.append(_cumulated(done.write == write))
        moved = _cumulated(np.where(done.write == write, done.size_bytes, 0))
        queued = _cumulated(np.where(taken.write == write, taken.size_bytes, 0))
        sizes.append(queued[begun] if counters.at_submission else moved[ended])
        counters.merges[write] += int(merges[write][-1])
        counters.requests[write] += int(counts[write][-1])
        counters.ticks_s[write] += float(ticks_s[write][-1])
        counters.bytes[write] += int(moved[-1])
        counters.moved_bytes[write] += int(moved[-1])
        kinds, counts_of_kinds = np.unique(done.size_bytes[done.write == write], return_counts=True)
        counters.sizes.update(
            {(bool(write), int(kind)): int(n) for kind, n in zip(kinds, counts_of_kinds, strict=True)}
        )
    counters.flushes += int(flushes[-1])
    counters.flushes_s += float(flushes_s[-1])
    counters.busy_s += float(busy_s[-1])
    counters.weighted_s += float(weighted_s[-1])
    counters.last_s = last_s
    at_moments = zip(
        *(merge[begun].tolist() for merge in merges),
        *(count[ended].tolist() for count in counts),
        *(size.tolist() for size in sizes),
        *(ticks[ended].tolist() for ticks in ticks_s),
        busy_s[:-1].tolist(),
        weighted_s[:-1].tolist(),
        flushes[ended].tolist(),
        flushes_s[ended].tolist(),
        strict=True,
    )
    for begin_s, (before, now) in zip(moments[:-1].tolist(), itertools.pairwise(at_moments), strict=True):
        counters.intervals.append((begin_s, before, now))


def _ordered(columns: Columns, times_s: Times) -> Columns:
    """The same in the order of those times."""
    order = np.argsort(times_s, kind="stable")
    return columns._replace(**{name: column[order] for name, column in columns._asdict().items()})


def _cumulated(values: NDArray[Any]) -> NDArray[Any]:
    """Sums of the first values: of none, of one, of two, …"""
    return np.concatenate([[0], np.cumsum(values)])


def _passed(queued_s: Times, end_s: Times, moments_s: Times) -> tuple[Times, Times]:
    """Time with a request in flight until each moment and the end, and its sum over the requests; all in order."""
    requests = len(end_s)
    times = np.concatenate([queued_s, end_s, moments_s])
    order = np.argsort(times, kind="stable")
    steps = np.concatenate([np.ones(requests, int), np.full(requests, -1), np.zeros(len(moments_s), int)])
    in_flight, passed = np.cumsum(steps[order])[:-1], np.diff(times[order])
    where = np.append(np.flatnonzero(order >= 2 * requests), len(times) - 1)
    return _cumulated(np.where(in_flight > 0, passed, 0.0))[where], _cumulated(passed * in_flight)[where]
