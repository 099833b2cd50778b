"""Programs beside each other in closed form: classes of work that share processors and the disk by their mean values.

Each program's own closed form says what a cycle of it (an execution, a transaction, a call) takes alone; the network of
all says what it takes more. Programs that end share the machine until they have ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf
from typing import Any

from blocktime.model.books import changed, device_stats, devices
from blocktime.model.causes import DEVICE, LOG_FILE_SYNC, RUN_QUEUE
from blocktime.model.demand.device_calls import idles
from blocktime.model.demand.transactions import run_transactions
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import queueing
from blocktime.model.laws.iostat import DeviceSums, at_least_busy
from blocktime.model.laws.numeric import known_or, known_where, over
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.measures import READ_EVENTS
from blocktime.model.money_books import with_money
from blocktime.model.results import DeviceStats, EventTime, RunResult, TransactionStats
from blocktime.model.spec import System, Workload
from blocktime.model.workloads.class_network import ProgramShare, shares
from blocktime.model.workloads.together import lasts, program_stats, system_of
from blocktime.model.workloads.work_class import SPENT, Program, program_of

METHOD = "mean value analysis with several classes: programs share processors and disk"


def calculate_together(
    system: System,
    work: Workload,
    results: tuple[Sequence[RunResult], Sequence[RunResult]],
    *,
    endless: bool,
    name: str,
) -> RunResult:
    """Answer *work* and what stands beside it by mean values.

    *results* are the programs' own answers in closed form: with what the shared buffer cache leaves each of them, and
    alone on the machine.
    *endless* says whether the first never ends by itself. Raises :class:`OutsideLaw` where the means do not hold.
    """
    programs = [
        program_of(system_of(system, program), program, result)
        for program, result in zip(work.programs, results[0], strict=True)
    ]
    end_s = _steady(system, programs) if endless else _phases(system, programs)
    return _answer((system, work), programs, results[1], end_s, name, first_endless=endless)


def own_systems(system: System, work: Workload) -> list[tuple[System, Any]]:
    """Every program with its own system and nothing beside it.

    Raises :class:`OutsideLaw` where no closed form knows them together.
    """
    _refuse(system, work)
    every = []
    for program in work.programs:
        changes: dict[str, Any] = {"beside": ()}
        if hasattr(program, "begin_s"):
            changes["begin_s"] = 0.0
        every.append((system_of(system, program), program.model_copy(update=changes)))
    return every


def _refuse(system: System, work: Workload) -> None:
    """Raise :class:`OutsideLaw` where mean values of classes say too little."""
    why = ""
    disk, host = system.disk, system.host
    if idles(system):
        why = f"the {host.scheduler} scheduler keeps the disk for one program at a time"
    elif disk.iops_limit is not None or disk.throughput_limit_bytes_per_s is not None:
        why = "the programs share the volume's limits"
    paths = {program.opened_as(system) for program in work.programs}
    if not paths <= set(UNBUFFERED):
        why = "the page cache writes behind and reads ahead for all programs"
    if any(getattr(program, "degree", 1) > 1 for program in work.programs):
        why = "a query by parallel servers ends with the last of them"
    if any(getattr(program, "runtime_s", None) is not None for program in work.programs):
        why = "a run time ends the calls of a stream, and how many it makes depends on the other programs"
    changing = [
        program for program in work.programs if program.plays_rows and getattr(program, "table", None) is None
    ]
    if len(changing) > 1:
        why = "the programs change rows of one table, and wait for each other's locks"
    if why:
        raise OutsideLaw(f"{why}: there is no instant estimate for the programs together; simulate")


# Time


def _steady(system: System, programs: Sequence[Program]) -> float:
    """All at work throughout; what ends begins anew. Returns how long the first one's transactions take."""
    program_shares = shares(system, programs)
    end_s = run_transactions(programs[0].work) / program_shares[0].cycles_per_s
    for program, share in zip(programs, program_shares, strict=True):
        if program.cycles < inf:
            end_s = max(end_s, program.users * program.cycles / share.cycles_per_s)
    for program, share in zip(programs, program_shares, strict=True):
        _work(program, share, end_s)
        if program.cycles < inf:
            program.ended_s = program.begin_s + program.users * program.cycles / share.cycles_per_s
    return end_s


def _phases(system: System, programs: Sequence[Program]) -> float:
    """All from their begin until they end; between two such moments the same programs share the machine."""
    for program in programs:
        program.left = program.users * program.cycles
    now_s = 0.0
    while any(0 < program.left < inf for program in programs):
        here = [program for program in programs if program.left > 0 and program.begin_s <= now_s]
        program_shares = shares(system, here) if here else []
        step_s = min(
            [program.begin_s - now_s for program in programs if program.left > 0 and program.begin_s > now_s]
            + [program.left / share.cycles_per_s for program, share in zip(here, program_shares, strict=True)]
        )
        now_s += step_s
        for program, share in zip(here, program_shares, strict=True):
            done = _work(program, share, step_s)
            program.left -= done
            if program.left <= SPENT * program.users * program.cycles:
                program.left, program.ended_s = 0.0, now_s
    return now_s


def _work(program: Program, share: ProgramShare, span_s: float) -> float:
    """Cycles that it does in *span_s*, with what they take longer."""
    done = share.cycles_per_s * span_s
    program.cycles_done += done
    program.disk_more_s += done * share.disk_more_s
    program.run_queue_more_s += done * share.run_queue_more_s
    program.active_s += span_s
    return done


# The answer


def _beside(program: Program, end_s: float) -> RunResult:
    """The answer of a program with what it waits more beside the others."""
    alone, time, done = program.alone, program.alone.time, program.cycles_done
    disk_s, run_queue_s = program.disk_more_s / done, program.run_queue_more_s / done
    response_more_s = disk_s + run_queue_s
    times = 1.0
    if alone.streams is not None:  # the time is that of all calls of a user
        times = 0.0 if program.rate_per_s is not None else program.cycles
    longer_s, queued_s = times * response_more_s, times * run_queue_s
    wait = _waits(time.wait, longer_s - queued_s)
    unaccounted = dict(time.unaccounted)
    if queued_s > 0:
        unaccounted[RUN_QUEUE] = unaccounted.get(RUN_QUEUE, 0.0) + queued_s
    at_once = longer_s - queued_s - _total(wait) + _total(time.wait)
    if abs(at_once) > SPENT * max(1.0, time.elapsed_s + longer_s) and unaccounted:
        cause = next(iter(unaccounted))
        unaccounted[cause] += at_once
    more_s = _total(wait) - _total(time.wait) + sum(unaccounted.values()) - sum(time.unaccounted.values())
    updated = time.model_copy(
        update={
            "elapsed_s": time.elapsed_s + more_s,
            "wait": wait,
            "unaccounted": unaccounted,
            "unaccounted_s": sum(unaccounted.values()),
            "last_session_s": None if time.last_session_s is None else time.last_session_s + more_s,
        }
    )
    changes: dict[str, Any] = {"time": updated}
    if alone.transactions is not None:
        changes["transactions"] = _transactions(alone.transactions, done / end_s, response_more_s)
    if alone.streams is not None:
        stream = alone.streams[0]
        elapsed_s = stream.elapsed_s + more_s
        changes["streams"] = [
            stream.model_copy(
                update={
                    "elapsed_s": elapsed_s,
                    "calls_per_s": stream.calls / elapsed_s,
                    "bytes_per_s": stream.bytes / elapsed_s,
                    "response_s": stream.response_s + response_more_s,
                }
            )
        ]
    return alone.model_copy(update=changes)


def _transactions(alone: TransactionStats, per_s: float, more_s: float) -> TransactionStats:
    """Transactions that come *per_s* a second, and take *more_s* longer than alone."""
    response_s, ratio = alone.response_s + more_s, per_s / alone.per_s
    kinds = [
        kind.model_copy(
            update={
                "per_s": kind.per_s * ratio,
                "response_s": kind.response_s * response_s / alone.response_s,
            }
        )
        for kind in alone.kinds
    ]
    return alone.model_copy(
        update={
            "per_s": per_s,
            "response_s": response_s,
            "under_way": per_s * response_s,
            "log_writes_per_s": alone.log_writes_per_s * ratio,
            "written_blocks_per_s": alone.written_blocks_per_s * ratio,
            "kinds": kinds,
        }
    )


def _waits(alone: dict[str, EventTime], more_s: float) -> dict[str, EventTime]:
    """The waits for the disk, longer by what each request waits more."""
    waits = dict(alone)
    names = [name for name in waits if name in (*READ_EVENTS, DEVICE)] or [
        name for name in waits if name == LOG_FILE_SYNC
    ]
    every = sum(waits[name].waits for name in names)
    for name in names:
        event = waits[name]
        total_s = event.total_s + more_s * event.waits / every if every else event.total_s
        each_s = (total_s - event.total_s) / event.waits if event.waits else 0.0
        waits[name] = EventTime(waits=event.waits, max_s=event.max_s + each_s, total_s=total_s)
    return waits


def _total(waits: dict[str, EventTime]) -> float:
    return sum(event.total_s for event in waits.values())


def _answer(
    asked: tuple[System, Workload],
    programs: Sequence[Program],
    results_alone: Sequence[RunResult],
    end_s: float,
    name: str,
    *,
    first_endless: bool,
) -> RunResult:
    system, work = asked
    results = [_beside(program, end_s) for program in programs]
    disk, fractions, requests = _device(programs, end_s)
    busy = disk.utilisation_fraction if disk else 0.0
    at_disk = list(zip(fractions, map(round, requests), strict=True))
    first = results[0]
    other = {key: value for key, value in first.device.items() if key != "disk"}
    answer = changed(
        first,
        scenario=name,
        programs=program_stats(work, (results, results_alone), at_disk, busy),
        device=devices(disk=disk) | other,
        played_by=METHOD,
        sources=sorted({*first.sources, "reiser-lavenberg-1980", "lazowska-1984"}),
        notes=[lasts(end_s, first_endless)],
        money=None,
    )
    return with_money(system, work.programs[0], answer)


def _device(programs: Sequence[Program], end_s: float) -> tuple[DeviceStats | None, list[float], list[float]]:
    """The disk over the run, the share of the time that it has requests of each program, and how many."""
    counts, sizes, held_s, flushes = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.0
    fractions, requests = [], []
    for program in programs:
        disk = program.alone.device.get("disk")
        if disk is None:
            fractions.append(0.0)
            requests.append(0.0)
            continue
        alone_s = program.cycle_s / program.users
        cycles = program.cycles_done
        reads, writes = (cycles * alone_s * rate for rate in (disk.reads_per_s, disk.writes_per_s))
        counts[0] += reads
        counts[1] += writes
        sizes[0] += cycles * alone_s * disk.read_bytes_per_s
        sizes[1] += cycles * alone_s * disk.written_bytes_per_s
        flushes += cycles * alone_s * disk.flushes_per_s
        awaits_s = (
            (disk.service_s, disk.service_s)
            if disk.await_s is None
            else (known_or(disk.read_await_s, 0.0), known_or(disk.write_await_s, 0.0))
        )
        more_s = over(program.disk_more_s, reads + writes)
        took_s = reads * (awaits_s[0] + more_s), writes * (awaits_s[1] + more_s)
        held_s = [held_s[0] + took_s[0], held_s[1] + took_s[1]]
        mine_s = sum(took_s)
        present = queueing.any_busy_fraction(mine_s / end_s, max(program.users, ceil(mine_s / end_s) + 1))
        fractions.append(min(1.0, float(present)))
        requests.append(reads + writes)
    idle = 1.0
    for fraction in fractions:
        idle *= 1 - fraction
    busy_s = end_s * (1 - idle)
    ticks_s, flushed = (held_s[0], held_s[1]), (flushes, known_where(flushes == 0, 0.0))
    sums = DeviceSums((counts[0], counts[1]), (0.0, 0.0), (sizes[0], sizes[1]), ticks_s, busy_s, flushed)
    return device_stats(at_least_busy(sums), end_s, sum(counts) > SPENT), fractions, requests
