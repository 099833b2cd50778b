"""Transactions through time: users, buffer cache, processors, data disk, log writer and database writer."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import simpy

from blocktime.model import interim
from blocktime.model.demand.transaction_demand import run_transactions
from blocktime.model.errors import OverBudget
from blocktime.model.laws.commit import LOG_FILES_BYTES
from blocktime.model.results import ResponseLine, RunResult
from blocktime.model.sim.references import CHUNK, place_limits
from blocktime.model.sim.shared_machine import Machine, Place
from blocktime.model.spec import System, Transactions
from blocktime.model.workloads.transactions.at_begin import begin_of
from blocktime.model.workloads.transactions.by_events import ByEvents
from blocktime.model.workloads.transactions.expected_run import ExpectedRun, expected_run
from blocktime.model.workloads.transactions.means import result_of

BATCHES = 200
"""Batches that the first run is cut into, to find the end of its warm-up."""
MOST_TRANSACTIONS = 256_000
LEAST_TRANSACTIONS = 100
"""Fewer say nothing of a program beside others."""
MOST_GETS = 500_000_000
MOST_GETS_EACH = 200_000
MOST_SIMULATED_S = 1e6

LEAST_GROWTH = 1.1
"""A run is made longer by as much at least: who looks often stops by chance."""

LEFT_FOR_LATER = 0.15
"""Blocks that became dirty over those written, above which DBWR does not keep up; chance moves it by a few percent."""

MOST_GROWTH = 0.1
"""Of the transactions that ended, by how many the queue of arrivals may grow; chance moves it by a few percent."""
SHORT_QUEUE = 100
"""Transactions up to which a queue says nothing."""


def simulate(system: System, work: Transactions, *, seed: int, name: str) -> RunResult:
    """Answer transactions by simulation; means of one transaction after the warm-up, with their interval.

    A run is as long as ``workload.transactions`` says, or until the interval of the mean response is as narrow as
    ``precision_percent``, or shows that arrivals are more than the resources can do. Where the context allows less
    work, the answer is that of the run so far, and says so. Raises :class:`OutsideLaw` where arrivals queue beyond
    20,000, and :class:`OverBudget` beyond 500 million gets or 50 million buffers, or before there is an interval.
    """
    expected = expected_run(system, work)
    first, most = run_transactions(work), most_transactions(work, expected)
    run = ByEvents(system, work, expected, begin_of((system, work, expected, seed)), max(1, first // BATCHES))
    stood, limit = _stood(run), _until(run, first)
    while not limit and work.transactions is None and (longer := longer_run(run, work)) <= most:
        if is_precise(run, work) and not _behind(stood, run) and not _queue_grew(stood, run):
            break
        if stood.done and _queue_grew(stood, run):
            break
        if interim.is_wanted() and is_precise(run, work, interim.PRECISION_PERCENT):
            played = run.played()
            played.goes_on = True
            interim.send(result_of(name, system, work, played))
        stood, limit = _stood(run), _until(run, longer)
    played = run.played()
    played.limit = limit
    return result_of(name, system, work, played, _behind(stood, run), _queue_grew(stood, run))


def _until(run: ByEvents, transactions: int) -> str:
    """Let time pass until so many have ended; the limit of time that ended it before, once it has an interval."""
    try:
        run.until(transactions)
    except OverBudget as refusal:
        if refusal.of == "memory" or not run.may_end:
            raise
        return refusal.amount
    return ""


class TransactionsProgram:
    """Transactions on a machine, for as long as the run lasts."""

    def __init__(self, machine: Machine, system: System, work: Transactions, seed: int, place: Place) -> None:
        self.system, self.work = system, work
        self.ended: simpy.Event | None = None
        self._in_phases, self._limit = machine.in_phases, ""
        expected = expected_run(system, work)
        self.most = most_transactions(work, expected)
        self.first = run_transactions(work)
        at_begin = begin_of((system, work, expected, seed), machine, place)
        self.run = ByEvents(system, work, expected, at_begin, max(1, self.first // BATCHES))
        self.end_byte = place.first_byte + place_limits(expected.parts.data)
        if at_begin.redo in at_begin.devices.values() and system.instance.redo_byte is None:
            self.end_byte = max(self.end_byte, at_begin.log.first_byte + LOG_FILES_BYTES)
        machine.pool = machine.pool or self.run.state.pools[-1]
        machine.transactions.append(self.run)

    def until(self, transactions: int) -> None:
        """Let time pass until so many have ended."""
        if self.run.done < transactions:
            self.run.until(transactions)

    def is_precise(self) -> bool:
        """Whether the response is as precise as wanted, where not so many are asked for."""
        return self.work.transactions is not None or is_precise(self.run, self.work)

    def end_by(self, limit: str) -> bool:
        """End here, where a limit of time ended the run; whether it is long enough to tell how precise it is."""
        self._limit = limit
        return self.run.may_end

    def lines(self) -> list[ResponseLine]:
        """Its response over time, by the intervals of iostat."""
        return self.run.played().lines(self.system.iostat.interval_s)

    def warm_blocks(self) -> None:
        """None: its pools are filled when it begins."""

    def result(self, name: str) -> RunResult | None:
        """The books of the mean transaction; None where few have ended."""
        if self.run.done < LEAST_TRANSACTIONS:
            return None
        played = self.run.played()
        played.whole, played.limit = self._in_phases, self._limit
        return result_of(name, self.system, self.work, played)


begin = TransactionsProgram


def most_transactions(work: Transactions, expected: ExpectedRun) -> int:
    """Transactions that are played at most. Raises OverBudget where the first run is already too long."""
    first = run_transactions(work)
    gets = max(1.0, expected.parts.mean("drawn_gets") + expected.parts.mean("scan_blocks"))
    most = min(MOST_TRANSACTIONS, int(MOST_GETS / gets))
    if first > max(most, work.transactions or 0) or first * gets > MOST_GETS:
        raise OverBudget(
            f"simulating {first:,} transactions of {gets:,.0f} gets is refused; the limit is {MOST_GETS:,} gets: "
            "ask for fewer transactions",
            "limit",
        )
    if gets > MOST_GETS_EACH:
        raise OverBudget(
            f"simulating transactions of {gets:,.0f} gets is refused; the limit is {MOST_GETS_EACH:,}: "
            "ask for fewer gets and scanned blocks",
            "limit",
        )
    span_s = first / max(expected.per_s, 1e-300)
    if span_s > MOST_SIMULATED_S:
        raise OverBudget(
            f"simulating {first:,} transactions would take {span_s:,.0f} s of simulated time; the limit is "
            f"{MOST_SIMULATED_S:,.0f} s: ask for fewer transactions",
            "limit",
        )
    return most


def is_precise(run: ByEvents, work: Transactions, percent: float = 0.0) -> bool:
    """Whether the interval of the mean response is as narrow as wanted, or as *percent* of the mean."""
    mean_response = run.played().mean_response()
    return mean_response.half <= (percent or work.precision_percent) / 100 * mean_response.mean


def longer_run(run: ByEvents, work: Transactions) -> int:
    """Transactions after which the mean may be precise: its error falls with their root. At most twice as many.

    They are whole decks, which hold as many of each kind as its share says.
    """
    mean_response = run.played().mean_response()
    wanted_s = work.precision_percent / 100 * mean_response.mean
    missing = (mean_response.half / wanted_s) ** 2 if wanted_s else 0.0
    return ceil(run.done * min(2.0, max(LEAST_GROWTH, missing)) / CHUNK) * CHUNK


class _Stood(NamedTuple):
    """How a run stood: blocks changed and not written, and those written; transactions queued, and those that ended."""

    dirty: int
    written: int
    queued: float
    done: int


def _stood(run: ByEvents) -> _Stood:
    return _Stood(run.dirty_blocks, run.written_blocks, run.queued, run.done)


def _behind(before: _Stood, run: ByEvents) -> int:
    """Blocks that have become dirty since, beyond what chance does while DBWR keeps up; 0 where it does."""
    more, written = run.dirty_blocks - before.dirty, run.written_blocks - before.written
    return more if more > LEFT_FOR_LATER * max(written, 1) else 0


def _queue_grew(before: _Stood, run: ByEvents) -> int:
    """Transactions by which the queue of arrivals has grown since, beyond what chance does; 0 where it has an end."""
    more = run.queued - before.queued
    return int(more) if more > max(SHORT_QUEUE, MOST_GROWTH * (run.done - before.done)) else 0
