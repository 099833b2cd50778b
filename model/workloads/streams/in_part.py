"""A long stream that is played in part: the first calls of each program, and their end."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from blocktime.model.closing import percentiles
from blocktime.model.demand.calls import File
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.results import Interval
from blocktime.model.sim.caller import Caller, Record, record_of
from blocktime.model.sim.shared_machine import Machine
from blocktime.model.spec import Stream, System
from blocktime.model.units import show_bytes
from blocktime.model.workloads.extension import (
    CONFIDENCE,
    MARKS,
    DeviceMoment,
    ExtendedCounters,
    Progress,
    Stretch,
    stretch_of,
)
from blocktime.model.workloads.streams.books import Responses

TIMES_FULL: Final = 4
"""Times that what is written at first fills a cache for writes, before its rate is taken as steady."""
NORMAL: Final = 1.96
"""Standard errors of a normal 95 % interval, for times between arrivals whose spread is known."""
LEAST_SLOWER: Final = 0.01
"""Share of its rate by which calls in order slow on their way inwards, from which on they are not alike."""


def why_whole(system: System, work: Stream) -> str:
    """Why a long stream is not played in part: what makes its calls unlike each other; empty where it is."""
    if work.beside:
        return "streams beside each other do not end together"
    disk = system.disk
    if work.writes and work.opened_as(system) not in UNBUFFERED:
        return "the page cache fills with what is written"
    if work.pattern != "random" and disk.rotation_s:
        if work.users > 1:
            return "programs with a file each on a drive with heads take long to find their order"
        covered = work.span_bytes or work.count * work.step_bytes
        share = covered / capacity_of(disk)
        if share * (1 - disk.inner_bandwidth_ratio) > LEAST_SLOWER:
            return "the drive slows down towards its inner tracks"
    return ""


def cache_that_fills(system: System, work: Stream, played_calls: float, all_calls: float) -> str:
    """The cache of the drive that fills between the begin of the stretch and the end of all calls; empty where none."""
    if not work.writes:
        return ""
    disk, size = system.disk, work.block_size_bytes
    for name, room in (("write_cache_bytes", disk.write_cache_bytes), ("slc_cache_bytes", disk.slc_cache_bytes)):
        if room and played_calls * size < TIMES_FULL * room < all_calls * size * TIMES_FULL**2:
            return f"disk.{name} of {show_bytes(room)} may fill up later"
    return ""


class StreamWhole(NamedTuple):
    """What follows for the whole from a part."""

    records: list[Record]
    responses: Responses
    counters: ExtendedCounters
    interval: Interval
    """Of the time that so many calls take."""
    played_fraction: float


class StreamPart:
    """The first calls of each program, what is noted of them, and their extension to the whole."""

    def __init__(self, machine: Machine, work: Stream, calls: int) -> None:
        """Of *calls* of each program."""
        self.work, self.calls = work, calls
        self._machine = machine
        self.callers: list[Caller] = []
        self.records: list[Record] = []
        """What the calls of each program took, after the run."""
        self._begun = 0
        self._every = max(1, calls * work.users // MARKS)
        self._progress: list[Progress] = []
        self._device: list[DeviceMoment] = []
        self._answered: list[list[int]] = []
        self._causes: list[tuple[dict[str, float], dict[str, int]]] = []

    def place_taken(self) -> None:
        """A program takes the place of its next call: note the progress of all from time to time."""
        if self._begun % self._every == 0:
            self._note()
        self._begun += 1

    def _note(self) -> None:
        counters, now_s = self._machine.counters, self._machine.env.now
        counters.round(now_s)
        self._progress.append(Progress(now_s, self._begun / self.work.users))
        self._device.append(DeviceMoment(now_s, counters.counted(), dict(counters.sizes)))
        records = [record_of(caller) for caller in self.callers]
        self._answered.append([len(record.responses_s) for record in records])
        causes_s: dict[str, float] = {}
        counts: dict[str, int] = {}
        for record in records:
            for cause, seconds in record.causes_s.items():
                causes_s[cause] = causes_s.get(cause, 0.0) + seconds
                counts[cause] = counts.get(cause, 0) + record.counts[cause]
        self._causes.append((causes_s, counts))

    def stretch(self) -> Stretch | None:
        """The steady stretch of the mean program, in seconds a call."""
        first_end_s, work = min(record.end_s for record in self.records), self.work
        stretch = stretch_of([each for each in self._progress if each.now_s <= first_end_s])
        if stretch is None or work.rate_per_s is None:
            return stretch
        # NOTE: calls that arrive arrive at their rate, whatever the first of them did
        return stretch._replace(rate_s=1 / work.rate_per_s, half_s=0.0, drift=0.0)

    def _reach_s(self, stretch: Stretch, left_out: int) -> float:
        """How far the interval of the time of the calls that are *left_out* reaches."""
        work = self.work
        if work.rate_per_s is None or work.arrivals == "regular":
            return stretch.reach_s(left_out, stretch.work * sqrt(work.users)) if left_out else 0.0
        return NORMAL * sqrt(left_out) / work.rate_per_s

    def begin_calls(self, stretch: Stretch) -> float:
        """Calls of all programs before the steady stretch."""
        return self._progress[stretch.spans[0][0]].work * self.work.users

    def begin_s(self, stretch: Stretch) -> float:
        """When the steady stretch begins."""
        return self._progress[stretch.spans[0][0]].now_s

    def all_calls(self, stretch: Stretch) -> int:
        """Calls of each program: those asked for, or that begin within the run time."""
        work, most = self.work, int(self.work.count)
        if work.runtime_s is None:
            return most
        last = self._progress[stretch.spans[-1][1]]
        return min(most, max(self.calls, ceil(last.work + (work.runtime_s - last.now_s) / stretch.rate_s)))

    def extend(self, stretch: Stretch) -> StreamWhole:
        """What all calls take, of which those that are not played go on at the rates of *stretch*."""
        users, every = self.work.users, self.all_calls(stretch)
        left_out = every - self.calls
        grown_s, ((first, last),) = left_out * stretch.rate_s, stretch.spans
        times = left_out / stretch.work
        (before_s, before), (after_s, after) = self._causes[first], self._causes[last]
        more_s = {cause: times * (seconds - before_s.get(cause, 0.0)) / users for cause, seconds in after_s.items()}
        fits = grown_s / (sum(more_s.values()) or 1.0) if self._is_in_row() else 1.0
        more = {cause: times * (count - before.get(cause, 0)) / users for cause, count in after.items()}
        records = [
            replace(
                record,
                end_s=record.end_s + grown_s,
                causes_s=_sum(record.causes_s, {cause: fits * seconds for cause, seconds in more_s.items()}),
                counts=_sum(record.counts, more),
                cached_bytes=round(record.cached_bytes * every / self.calls),
            )
            for record in self.records
        ]
        longest_s = max((seconds for record in self.records for seconds in record.longest_s.values()), default=0.0)
        ends_s = [record.end_s for record in records]
        took_s = max(ends_s) - min(record.begin_s for record in records)
        half_s = self._reach_s(stretch, left_out) + longest_s
        counters = ExtendedCounters(
            self._machine.counters,
            [(self._device[first], self._device[last])],
            times,
            (self.calls * users, every * users),
        )
        return StreamWhole(
            records,
            self._responses(first, last, every * users),
            counters,
            Interval(low_s=max(0.0, took_s - half_s), high_s=took_s + half_s, confidence=CONFIDENCE),
            self.calls / every,
        )

    def _is_in_row(self) -> bool:
        """Whether a program makes one call after the other, so that its causes are all of its time."""
        work: Any = self.work
        return work.rate_per_s is None and work.in_flight == 1

    def _responses(self, first: int, last: int, every: int) -> Responses:
        """Of all calls: their mean, and percentiles of the stretch."""
        begin, end = self._answered[first], self._answered[last]
        taken = [
            np.asarray(record.responses_s)[low:high] for record, low, high in zip(self.records, begin, end, strict=True)
        ]
        steady, played = (
            np.concatenate(taken),
            np.concatenate([np.asarray(each.responses_s) for each in self.records]),
        )
        mean_s = (float(played.sum()) + (every - len(played)) * float(steady.mean())) / every
        return Responses(every, mean_s, percentiles(steady) | {"max": float(played.max())})


def _sum(played: Any, more: Any) -> Any:
    """What was played, by cause, with what is more of it."""
    return {cause: played.get(cause, 0) + more.get(cause, 0) for cause in {**played, **more}}


def files_in_part(files: list[File], calls: int) -> list[File]:
    """The *files*, of which each program makes as many *calls*."""
    shorter = files[0].calls.model_copy(update={"count": calls, "runtime_s": None})
    return [file._replace(calls=shorter) for file in files]
