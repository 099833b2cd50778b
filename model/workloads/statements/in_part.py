"""A long statement that is played in part: the first reads of each session, and their end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, islice
from math import inf, sqrt
from typing import Final, NamedTuple

from blocktime.model.causes import PARALLEL, SEQUENTIAL
from blocktime.model.demand import Demand
from blocktime.model.laws.numeric import some
from blocktime.model.machine.device.diskstats import Counters
from blocktime.model.sim.shared_machine import Machine
from blocktime.model.workloads.extension import (
    MARKS,
    NO_WINDOW,
    DeviceMoment,
    ExtendedCounters,
    Progress,
    Stretch,
    stretch_of,
)
from blocktime.model.workloads.statements.read_positions import Read
from blocktime.model.workloads.statements.session_counts import StatementLedger
from blocktime.model.workloads.statements.written_behind import DirectWrites, RedoBehind, WrittenBehind

Waits = dict[str, tuple[float, float]]
"""Event -> waits, and their seconds together."""
QUEUES: Final = ("run_queue_s", "submit_blocked_s")
TIMES: Final = (*QUEUES, "slowed_s", "submit_cpu_s", "copied_s", "reap_cpu_s")
"""Seconds of a ledger that grow with the work."""
NONE: Final = (0.0, 0.0)
NOWHERE: Final = (NO_WINDOW, 0)


BEGIN: Final = 0.15
"""Share of a part at the begin of a scan; the rest lies in windows spread over it."""
WINDOWS: Final = 6
"""Of a scan whose rate depends on where heads stand."""


def windows_of(
    scan_of: Callable[[int, int], Iterator[Read]], sessions: int, reads: int, places: list[int]
) -> list[list[list[Read]]]:
    """The reads of a part, session by session: those at the begin of a scan, and those from each of *places* on."""
    begin = int(BEGIN * reads) if places else reads
    each = (reads - begin) // max(1, len(places))
    return [
        [list(islice(scan_of(rank, 0), begin)), *(list(islice(scan_of(rank, place), each)) for place in places)]
        for rank in range(sessions)
    ]


def demand_of_part(whole: Demand, windows: list[list[list[Read]]]) -> Demand:
    """What the mean session asks for that makes only the reads of its *windows*."""
    read_blocks = sum(size for session in windows for reads in session for _, size in reads) / len(windows)
    wanted = read_blocks * float(whole.blocks_wanted) / max(1.0, float(whole.read_blocks))
    if not float(whole.reads):  # stretches of work without reads
        wanted, read_blocks = read_blocks, 0.0
    share = wanted / float(whole.blocks_wanted)
    return replace(whole, blocks_wanted=wanted, read_blocks=read_blocks, leaf_reads=float(whole.leaf_reads) * share)


def waits_for_reads(demand: Demand, reads: dict[int, float], alone: float) -> dict[str, float]:
    """Waits of the mean session for its *reads* by event, *alone* of which are single ones beside the scan.

    Nothing of what is read ahead: chance decides how often a session waits for that.
    """
    plan, waits = demand.plan, Counter[str]()
    waits[SEQUENTIAL] += alone  # type: ignore[assignment]
    scan = sum(reads.values()) - alone
    if not plan.asynchronous:
        batched = float(plan.batched_reads)
        waits[plan.event] += scan - batched  # type: ignore[assignment]
        waits[PARALLEL] += float(plan.batches) if batched else 0.0  # type: ignore[assignment]
    return {event: count for event, count in waits.items() if count}


class Moment:
    """What a session has done until a moment between two of its reads."""

    __slots__ = ("now_s", "times_s", "waits", "window", "worked")

    def __init__(self, ledger: StatementLedger, now_s: float, window: int) -> None:
        self.now_s, self.worked, self.window = now_s, ledger.worked_blocks, window
        self.times_s = [getattr(ledger, name) for name in TIMES]
        self.waits: Waits = {event: (waits, total_s) for event, (waits, _, total_s) in ledger.waits.items()}


class Growth:
    """What all sessions together have done between two moments of each."""

    def __init__(self, ends: list[tuple[Moment, Moment]]) -> None:
        self.took_s = sum(end.now_s - begin.now_s for begin, end in ends)
        self.worked = sum(end.worked - begin.worked for begin, end in ends)
        self.times_s = {
            name: sum(end.times_s[index] - begin.times_s[index] for begin, end in ends)
            for index, name in enumerate(TIMES)
        }
        self.waits: Waits = {}
        for begin, end in ends:
            for event, (waited, total_s) in end.waits.items():
                before, so_far = begin.waits.get(event, NONE), self.waits.get(event, NONE)
                self.waits[event] = so_far[0] + waited - before[0], so_far[1] + total_s - before[1]

    @property
    def waited_s(self) -> float:
        """Seconds of waits and queues, which others decide."""
        queued_s = sum(self.times_s[name] for name in QUEUES)
        return float(queued_s + sum(total_s for _, total_s in self.waits.values()))


def _moment_of(counters: Counters, now_s: float) -> DeviceMoment:
    counters.round(now_s)
    return DeviceMoment(now_s, counters.counted(), dict(counters.sizes))


class StatementWhole(NamedTuple):
    """What follows for the whole from a part."""

    played_fraction: float
    """Share of the work that was played."""
    half_s: float
    """How far the 95 % interval of the mean session's time reaches."""
    counters: ExtendedCounters
    redo_counters: ExtendedCounters | None
    """Of a disk of the log's own."""


class StatementPart:
    """The first reads of each session, what is noted of them, and their extension to the whole."""

    def __init__(
        self,
        machine: Machine,
        inputs: tuple[Demand, Demand, list[list[list[Read]]]],
        ledgers: list[StatementLedger],
        behind: tuple[WrittenBehind | DirectWrites | None, RedoBehind | None],
        small_blocks: float,
    ) -> None:
        """*inputs* are the demands of the whole and of the part, and its reads by session and window.

        The first *small_blocks* of what each session scans lie in extents smaller than the later ones.
        """
        whole, played, self._reads = inputs
        self._machine, self._ledgers, (self._behind, self._log) = machine, ledgers, behind
        self._left_out = float(whole.blocks_wanted - played.blocks_wanted)
        """Blocks of each session whose work is not played."""
        self._played_fraction = float(played.blocks_wanted / whole.blocks_wanted)
        alike = [read for windows in self._reads for reads in windows[min(1, len(windows) - 1) :] for read in reads]
        self._is_load = not float(whole.reads)
        blocks = self._left_out * (1.0 if self._is_load else float(played.read_blocks / played.blocks_wanted))
        self._reads_left_out = blocks * len(alike) / sum(size for _, size in alike)
        """Reads of each session, were those left out as large as those of the stretch; or stretches of a load."""
        self._fills = whole.writing is not None and some(whole.writing.written_blocks > 0)
        begun = [size for windows in self._reads if len(windows) > 1 for _, size in windows[0]]
        self._unlike = max(0.0, small_blocks - sum(begun) / len(ledgers))
        """Blocks in smaller extents that are not played."""
        self._sessions: list[list[Moment]] = [[] for _ in ledgers]
        self._windows: list[list[tuple[int, Moment]]] = [[] for _ in ledgers]
        self._at = [NOWHERE] * len(ledgers)
        """Window of each session, and its chunks of reads there."""
        self._progress: list[Progress] = []
        self._device: list[DeviceMoment] = []
        self._redo: list[DeviceMoment] = []
        self._chunks = 0

    def noted(self, rank: int) -> Iterator[Read]:
        """The reads of a session, window by window, with its progress noted between them.

        Of several windows the first is the begin, which is not steady.
        """
        windows = self._reads[rank]
        every = max(1, sum(map(len, windows)) // MARKS)
        for window, reads in enumerate(windows, 1 - min(2, len(windows))):
            left = iter(reads)
            if self._behind is not None and len(windows) > 1:
                self._behind.go_to(reads[0][0])
            for chunks in count():
                if not (chunk := list(islice(left, every))):
                    break
                self._at[rank] = (window, chunks) if window >= 0 else NOWHERE
                self._note(rank)
                yield from chunk
        self._at[rank] = NOWHERE
        self._note(rank)

    def _note(self, rank: int) -> None:
        counters, now_s, sessions = self._machine.counters, self._machine.env.now, len(self._ledgers)
        (window, chunks), steady = self._at[rank], self._is_steady()
        self._sessions[rank].append(Moment(self._ledgers[rank], now_s, window if chunks and steady else NO_WINDOW))
        self._chunks += 1
        if self._chunks % sessions:
            return
        self._device.append(_moment_of(counters, now_s))
        if self._log is not None and self._log.counters is not None:
            self._redo.append(_moment_of(self._log.counters, now_s))
        together = steady and all(at == window and number for at, number in self._at)
        worked = sum(ledger.worked_blocks for ledger in self._ledgers) / sessions
        self._progress.append(Progress(now_s, worked, window if together else NO_WINDOW))

    def _is_steady(self) -> bool:
        """Whether DBWR has begun to write, where the buffers fill up before the end."""
        return not self._fills or self._behind is None or self._behind.written > 0

    def stretch(self) -> Stretch | None:
        """The steady stretch of the mean session, while all sessions are at work; in seconds a block."""
        first_end_s = min(moments[-1].now_s for moments in self._sessions)
        return stretch_of([each for each in self._progress if each.now_s <= first_end_s])

    def begin_s(self, stretch: Stretch) -> float:
        """When the steady stretch begins."""
        return self._progress[stretch.spans[0][0]].now_s

    def _rate_at_begin(self, stretch: Stretch) -> float:
        """Seconds a block in the last third of what is played before the steady stretch, if there is a stretch."""
        before = self._progress[: stretch.spans[0][0]]
        first, last = before[2 * len(before) // 3 :][:1], before[-2:-1]
        if not first or not last or last[0].work <= first[0].work:
            return stretch.rate_s
        return (last[0].now_s - first[0].now_s) / (last[0].work - first[0].work)

    def reach_fraction(self) -> float:
        """How far the interval reaches, as a share of the time of the whole; infinite without a steady stretch."""
        stretch = self.stretch()
        if stretch is None:
            return inf
        return float(stretch.reach_s(self._left_out) / (stretch.rate_s * self._left_out))

    def extend(self, stretch: Stretch, reads: dict[int, float], waits: dict[str, float]) -> StatementWhole:
        """Let the ledgers go on to the end of the whole at the rates of *stretch*.

        *reads* are those of the whole by size, and *waits* the numbers of waits that are known.
        """
        grown = Growth([ends for moments in self._sessions for ends in self._ends(moments, stretch)])
        times, ledgers = self._left_out / grown.worked, self._ledgers
        grown_s, waited_s = stretch.rate_s * self._left_out, times * grown.waited_s
        # NOTE: work takes its time whoever waits, so what the mean session gains on all of them it waits less
        more = (grown_s - times * grown.took_s) / waited_s if waited_s else 0.0
        if more <= -1 or not waited_s:
            more, grown_s = 0.0, times * grown.took_s
        surplus = 0.0
        if not self._is_load:
            surplus = abs(sum(reads.values()) * (1 - self._played_fraction) - self._reads_left_out)
        ends_s = [ledger.end_s for ledger in ledgers]
        # NOTE: sessions drift apart as a random walk does; nine of ten go less than twice as far as one of them went
        apart_s = 2 * (max(ends_s) - sum(ends_s) / len(ends_s)) / sqrt(self._played_fraction)
        longest_s = max((longest for ledger in ledgers for _, longest, _ in ledger.waits.values()), default=0.0)
        unlike_s = self._unlike * abs(self._rate_at_begin(stretch) - stretch.rate_s)
        surplus_s = surplus * waited_s / self._reads_left_out
        pieces = stretch.work / self._left_out * self._reads_left_out * sqrt(len(ledgers))
        half_s = stretch.reach_s(self._left_out, pieces) + surplus_s + longest_s + apart_s + unlike_s
        for ledger in ledgers:
            ledger.end_s += grown_s
            for name, seconds in grown.times_s.items():
                of_queues = 1 + more if name in QUEUES else 1.0
                setattr(ledger, name, getattr(ledger, name) + times * of_queues * seconds)
            for event, (waited, total_s) in grown.waits.items():
                entry = ledger.waits.setdefault(event, [0, 0.0, 0.0])
                entry[0] += times * waited
                entry[2] += times * (1 + more) * total_s
            for event, known in waits.items():
                if event in ledger.waits:
                    ledger.waits[event][0] = known
            ledger.reads = Counter(reads)
        counters = self._extended(self._machine.counters, self._device, stretch)
        redo = None if self._log is None else self._log.counters
        of_log = None if redo is None else self._extended(redo, self._redo, stretch)
        return StatementWhole(self._played_fraction, half_s, counters, of_log)

    def _extended(self, counters: Counters, moments: list[DeviceMoment], stretch: Stretch) -> ExtendedCounters:
        ends = [(moments[first], moments[last]) for first, last in stretch.spans]
        return ExtendedCounters(counters, ends, self._left_out / stretch.work)

    def _ends(self, moments: list[Moment], stretch: Stretch) -> Iterator[tuple[Moment, Moment]]:
        """The first and the last moment of a session in each span of the stretch."""
        for first, last in stretch.spans:
            begin, end = self._progress[first], self._progress[last]
            within = [
                moment
                for moment in moments
                if moment.window == begin.window and begin.now_s <= moment.now_s <= end.now_s
            ]
            if len(within) > 1:
                yield within[0], within[-1]
