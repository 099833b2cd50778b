"""Transactions through time: users, buffer cache, processors, data disk, log writer and database writer."""

from __future__ import annotations

from typing import NamedTuple

from model.errors import OutsideLaw
from model.results import RunResult
from model.sim.at_begin import begin_of
from model.sim.at_once import AtOnce, is_at_once, is_worth_it
from model.sim.by_events import ByEvents
from model.sim.steady import estimate
from model.sim.transaction_means import result_of
from model.spec import System, Transactions
from model.transaction_calc import Solved, solve

BATCHES = 200
"""Batches that the first run is cut into, to find the end of its warm-up."""
FIRST_TRANSACTIONS = 4_000
ROUNDS_OF_USERS = 10
"""Transactions of each user that a first run has at least."""
MOST_TRANSACTIONS = 256_000
MOST_GETS = 500_000_000
MOST_GETS_EACH = 200_000
MOST_SIMULATED_S = 1e6

LEFT_FOR_LATER = 0.15
"""Blocks that became dirty over those written, above which DBWR does not keep up; chance moves it by a few percent."""

Run = ByEvents | AtOnce


def simulate_transactions(
    system: System, work: Transactions, *, seed: int, name: str, compiled: bool | None = None
) -> RunResult:
    """Answer transactions by simulation; means of one transaction after the warm-up, with their interval.

    A run is as long as ``workload.transactions`` says, or until the interval of the mean response is as narrow as
    ``precision_percent``. Long runs are played by a compiled loop where that is the same; *compiled* has all of them
    so, or none. Raises :class:`OutsideLaw` for arrivals beyond what the resources can do, and beyond 500 million gets
    or 50 million buffers.
    """
    asked = _Asked(system, work, solve(system, work), seed)
    wanted, most = _first(work), _most(work, asked.solved)
    run = _played(asked, wanted, compiled)
    stood = _Stood(sum(len(dirty.blocks) for _, dirty in run.begin.pools), 0)
    while work.transactions is None and 2 * run.done <= most:
        if _is_precise(run, work) and not _behind(stood, run):
            break
        wanted, stood = 2 * run.done, _Stood(run.dirty_blocks, run.written_blocks)
        if isinstance(run, AtOnce):
            run.until(wanted)
        else:
            run = _played(asked, wanted, compiled, run)
    return result_of(name, system, work, run.played(), _behind(stood, run))


class _Asked(NamedTuple):
    """The question."""

    system: System
    work: Transactions
    solved: Solved
    seed: int


def _played(asked: _Asked, wanted: int, compiled: bool | None, before: ByEvents | None = None) -> Run:
    """A run so far; by the loop from its begin, once it is long enough for that, or by events from where it stood."""
    system, work, solved, seed = asked
    first = _first(work)
    batch = max(1, first // BATCHES)
    run: Run | None = None
    if compiled is not False and (compiled or is_worth_it(solved.parts, wanted)):
        begin = begin_of(system, work, solved, seed, first)
        if is_at_once(system, solved.parts, begin):
            at_once = AtOnce(system, work, solved, begin, batch)
            if at_once.until(wanted):
                return at_once
    run = before or ByEvents(system, work, solved, begin_of(system, work, solved, seed, first), batch)
    run.until(wanted)
    return run


def _first(work: Transactions) -> int:
    """Transactions that are played at first."""
    if work.transactions is not None:
        return work.transactions
    users = 1 if work.rate_per_s is not None else work.users
    return max(FIRST_TRANSACTIONS, ROUNDS_OF_USERS * users)


def _most(work: Transactions, solved: Solved) -> int:
    """Transactions that are played at most. Raises OutsideLaw where the first run is already too long."""
    first = _first(work)
    gets = max(1.0, solved.parts.mean("drawn_gets") + solved.parts.mean("scan_blocks"))
    most = min(MOST_TRANSACTIONS, int(MOST_GETS / gets))
    if first > max(most, work.transactions or 0) or first * gets > MOST_GETS:
        raise OutsideLaw(
            f"simulating {first:,} transactions of {gets:,.0f} gets is refused; the limit is {MOST_GETS:,} gets: "
            "use engine calculate or fewer transactions"
        )
    if gets > MOST_GETS_EACH:
        raise OutsideLaw(
            f"simulating transactions of {gets:,.0f} gets is refused; the limit is {MOST_GETS_EACH:,}: use engine "
            "calculate"
        )
    span_s = first / max(solved.point.per_s, 1e-300)
    if span_s > MOST_SIMULATED_S:
        raise OutsideLaw(
            f"simulating {first:,} transactions would take {span_s:,.0f} s of simulated time; the limit is "
            f"{MOST_SIMULATED_S:,.0f} s: use engine calculate"
        )
    return most


def _is_precise(run: Run, work: Transactions) -> bool:
    """Whether the interval of the mean response is as narrow as wanted."""
    found = estimate(run.played().batch_responses()[1])
    return found.half <= work.precision_percent / 100 * found.mean


class _Stood(NamedTuple):
    """How DBWR stood at a moment: blocks changed and not written, and those written so far."""

    dirty: int
    written: int


def _behind(before: _Stood, run: Run) -> int:
    """Blocks that have become dirty since, beyond what chance does while DBWR keeps up; 0 where it does."""
    more, written = run.dirty_blocks - before.dirty, run.written_blocks - before.written
    return more if more > LEFT_FOR_LATER * max(written, 1) else 0
