"""Run one scenario, and say what a reader should know of the question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from math import ceil, inf
from statistics import fmean
from typing import Any, Final, cast

from blocktime.model.budget import USUAL, Budget, watch_here, watched
from blocktime.model.causes import FROM_CLIENT, MORE_DATA
from blocktime.model.chance import noted
from blocktime.model.demand.transaction_demand import pools_bytes
from blocktime.model.engine import answer, answer_measures, bound_answer, is_played
from blocktime.model.errors import OverBudget
from blocktime.model.interim import completed, sent_to
from blocktime.model.laws.block_layer import is_in_kernel, release_of
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.results import Interval, RunResult
from blocktime.model.spec import Transactions, Workload
from blocktime.model.units import show_bytes, show_data, show_number, show_seconds
from blocktime.model.workloads.families import KINDS
from blocktime.scenarios.forecast import expected_within
from blocktime.scenarios.idle import why_idle
from blocktime.scenarios.interval import CONFIDENCE, half_width
from blocktime.scenarios.measured import DISK_BYTES, FIGURES, READ_REQUESTS, REPRODUCES, figure_in
from blocktime.scenarios.pricing import notes_on_prices
from blocktime.scenarios.spec import PRECISION, Scenario
from blocktime.scenarios.unread import SIZES_OF_SCANS, is_unread, set_in, unread_in, without
from blocktime.scenarios.why_words import listed


def run(
    scenario: Scenario,
    seed: int | None = None,
    replications: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    budget: Budget = USUAL,
) -> RunResult:
    """Answer *scenario*: by exact sum where nobody queues, else by simulation.

    With *replications* the simulation runs with seeds seed, seed + 1, … and the result nearest to the mean carries
    the interval of the mean elapsed time; without, the result is that of *seed*, and where chance has a part in it, it
    carries the interval of as many runs as ``workload.precision_percent`` needs. *progress* is called with (done, all).
    Where the answer takes more than *budget* allows, bounds answer for transactions alone; otherwise raises
    :class:`OverBudget`, before the answer begins where that is known.
    """
    try:
        return _answered(scenario, seed, replications, progress, budget)
    except OverBudget as refusal:
        bound = bound_answer(scenario.system, scenario.workload, name=scenario.name)
        if bound is None:
            raise
        narrow = str(refusal).rpartition(": ")[2]
        if refusal.of != "limit":
            option = "--max-est-memory" if refusal.of == "memory" else "--max-est-exec-time"
            narrow = f"raise the limit ({option}), or ask for fewer users or transactions"
        return _noted(bound, scenario, [f"these are bounds, not a simulation: {refusal.amount}; {narrow}"])


def _answered(
    scenario: Scenario,
    seed: int | None,
    replications: int | None,
    progress: Callable[[int, int], None] | None,
    budget: Budget,
) -> RunResult:
    """The answer by exact sum or by simulation; raises :class:`OverBudget`."""
    repeated = scenario.replications if replications is None else replications
    system, work = scenario.system, scenario.workload
    expected_within(budget, system, work, repeated)
    notes = []
    with watched(budget), _interim(scenario, repeated), noted() as streams:
        if repeated > 1 and not is_played(system, work):
            notes, repeated = ["replications have no effect: the answer is an exact sum without chance"], 1
        result = _replicated(scenario, seed, repeated, progress)
        if replications is None and repeated == 1 and not (result.transactions or result.played_fraction):
            result, notes = _narrowed(scenario, result, budget, bool(streams))
    if result.played_fraction is not None:
        notes = _notes_on_precision(result, work.precision_percent)
    return _noted(result, scenario, notes)


def _notes_on_precision(result: RunResult, percent: float) -> list[str]:
    """Where what is played of long work gives a wider interval than *percent* of its time."""
    interval = result.time.interval
    if interval is None or interval.reach_percent <= percent:
        return []
    return [
        f"the interval of the mean elapsed time is {show_number(interval.reach_percent, 3)} % to either side, not the "
        f"{percent:g} % wanted: no longer part of this work is played"
    ]


def _interim(scenario: Scenario, repeated: int) -> AbstractContextManager[None]:
    """Answers of a run that goes on are sent with their notes; of several runs none is."""
    return completed(lambda result: _noted(result, scenario, [])) if repeated == 1 else sent_to(None)


def beyond_measured(scenario: Scenario, result: RunResult) -> list[str]:
    """Warnings about a measured disk: bytes that are not on it, and a limit that no figure told."""
    disk, modelled = scenario.system.disk, FIGURES[READ_REQUESTS](result)
    compared = {figure.name: figure.value for figure in scenario.compared}
    measured = compared.get(READ_REQUESTS)
    notes = _bytes_beside(scenario, compared.get(DISK_BYTES, 0.0), figure_in(result, DISK_BYTES) or 0.0)
    if measured is None or modelled is None:
        return notes
    if disk.iops_limit is not None or disk.throughput_limit_bytes_per_s is not None or disk.rotation_s:
        return notes
    if modelled <= (1 + REPRODUCES) * measured:
        return [
            *notes,
            "the disk has no known limit: the model treats it as unlimited, and the saturation point is unknown; set "
            "disk.iops_limit",
        ]
    return [
        *notes,
        f"the disk has no known limit: {modelled:,.0f} reads a second are more than the {measured:,.0f} that were "
        "measured, so the answer is an upper bound, and the disk may saturate first; set disk.iops_limit",
    ]


def _bytes_beside(scenario: Scenario, measured: float, modelled: float) -> list[str]:
    """A warning where a changed disk has a limit of bytes, and not all bytes of the report are on it."""
    limit, beside = scenario.system.disk.throughput_limit_bytes_per_s, measured - modelled
    if not scenario.changed or limit is None or beside <= REPRODUCES * measured:
        return []
    stated = f"the report states {show_data(measured)}/s, of which {show_data(beside)}/s are not on the modelled disk"
    if measured > limit:
        return [
            f"this answer does not hold for the disk: {stated}, and the volume carries {show_data(limit)}/s: scans and "
            "reads of sessions would share it"
        ]
    return [f"{stated}: they leave {show_data(limit - beside)}/s of the volume's {show_data(limit)}/s"]


def notes_on(scenario: Scenario, result: RunResult) -> list[str]:
    """What a reader should know of the question itself: costs that are defaults, and fields nothing depends on."""
    notes = [*scenario.notes]
    work = scenario.workload
    parts = {"host": True, "client": not is_unread(work.kind, "client.use"), "disk": bool(result.device)}
    usual = [
        section
        for section, plays in parts.items()
        if plays and not any(path.startswith(f"{section}.") for path in scenario.system.constants)
    ]
    if usual:
        uses = listed([f"{section}.use" for section in usual])
        notes.append(
            f"{listed(usual)} costs are typical values, not those of your system: choose {uses}, or set the fields"
        )
    if leaves_out := KINDS[work.kind].leaves_out:
        notes.append(leaves_out)
    notes += _notes_on_changes(scenario)
    if work.asks_the_kernel:
        notes += [*_notes_on_the_kernel(scenario), *_notes_on_calls(scenario, result)]
    notes += _notes_on_the_line(scenario, result)
    if not work.asks_the_kernel and _opened_by_default(scenario):
        notes.append(OPENED_BY_DEFAULT)
    notes += _notes_on_what_is_not_read(scenario)
    if work.mixed:
        notes += _notes_on_transactions(scenario, cast("Transactions", work))
    if curve := getattr(work, "miss_curve", ()):
        size, sizes = scenario.system.instance.buffer_cache_bytes, [point.cache_bytes for point in curve]
        if not sizes[0] <= size <= sizes[-1]:
            notes.append(
                f"instance.buffer_cache_bytes, {show_bytes(size)}, lies beyond the advisory, which tells misses from "
                f"{show_bytes(sizes[0])} to {show_bytes(sizes[-1])}: those of this size are extrapolated"
            )
    if scenario.system.instance.db_file_multiblock_read_count == 0:
        notes.append(
            "db_file_multiblock_read_count = 0 is bug 5768025, seen up to 11.1; later releases may have fixed it"
        )
    return [*notes, *notes_on_prices(scenario.system)]


LONG_TRIP_S: Final = 5e-3
LARGE_ARRAY_BYTES: Final = 64 * 1024
EXAMPLE_LINE: Final = 2.5e6
"""20 Mbit/s."""


def _notes_on_the_line(scenario: Scenario, result: RunResult) -> Iterator[str]:
    """A warning where large fetch calls go to a client far away, and nothing says what the line carries."""
    net, more, trips = (scenario.system.client, result.time.wait.get(MORE_DATA), result.time.wait.get(FROM_CLIENT))
    if more is None or trips is None or net.line_bytes_per_s is not None or net.round_trip_s < LONG_TRIP_S:
        return
    sent_bytes = net.sdu_bytes * (more.waits + trips.waits)
    if sent_bytes / trips.waits >= LARGE_ARRAY_BYTES:
        yield (
            "the line to the client has no limit here: a line of 20 Mbit/s takes "
            f"{show_seconds(sent_bytes / EXAMPLE_LINE)} more for these {show_data(sent_bytes)}, and TCP's window may "
            f"make several round trips of each fetch call of {show_data(sent_bytes / trips.waits)}: set "
            "client.line_bytes_per_s and client.window_bytes"
        )


CALLS_DECIDE: Final = 0.9
"""Part of its time from which on a program's calls decide how many it makes."""


def _notes_on_calls(scenario: Scenario, result: RunResult) -> Iterator[str]:
    """A warning where the CPU of a program's calls, a default, decides the answer."""
    for what, field in (("read", "read_call_s"), ("write", "write_call_s")):
        calls_s = result.time.cpu.get(f"{what} calls", 0.0)
        if getattr(scenario.system.host, field) is not None or not result.streams:
            continue
        if calls_s >= CALLS_DECIDE * result.time.elapsed_s > 0:
            stream = result.streams[0]
            each_s = calls_s * getattr(scenario.workload, "users", 1) / max(1.0, stream.calls)
            yield (
                f"host.{field} decides this answer, not the drive: one program makes {1 / each_s:,.0f} calls a second "
                f"where a call takes {show_seconds(each_s)}, a typical value; a processor of today takes 3 to 5 µs "
                f"(200,000 to 300,000 calls a second of one program): measure yours, and set host.{field}"
            )


OPENED_BY_DEFAULT: Final = (
    "filesystemio_options is not set, so it is NONE, the default on Linux: reads go through the page cache, and a "
    "session waits for each. Check yours with show parameter filesystemio_options"
)


def _opened_by_default(scenario: Scenario) -> bool:
    """Whether the files lie in a file system, and the question leaves open how Oracle opens them."""
    system, path = scenario.system, "instance.filesystemio_options"
    unset = system.instance.filesystemio_options is None and system.database_path not in UNBUFFERED
    return unset and not is_unread(scenario.workload.kind, path) and not why_idle(path, scenario)


def _notes_on_what_is_not_read(scenario: Scenario) -> Iterator[str]:
    """The fields that the question sets and that this workload does not read."""
    work, changed = scenario.workload, without(scenario.differences, scenario.written)
    for listed_paths, what in (
        (_unread_by_all(changed, work), KINDS[work.kind].called),
        ([] if work.scans_blocks else set_in(changed, SIZES_OF_SCANS), WITHOUT_SCANS),
    ):
        if listed_paths:
            walked = not is_unread(work.kind, WALKED_INDEX) and not why_idle(WALKED_INDEX, scenario)
            instead = OTHER_INDEX if "table.indexes" in listed_paths and walked else ""
            yield f"{listed(listed_paths)} {'has' if len(listed_paths) == 1 else 'have'} no effect on {what}{instead}"
    shared = any(program.changes_fraction for program in work.beside)
    queried = any(not (program.mixed or program.asks_the_kernel or program.inserts) for program in work.programs)
    if shared and not (queried and any(program.mixed for program in work.programs)):
        yield "workload.beside.changes_fraction has no effect here: no transactions run beside a statement that reads"
    for path in () if work.beside else set_in(changed, ["*"]):
        reason = "" if is_unread(work.kind, path) else why_idle(path, scenario)
        if reason:
            yield f"{path} has no effect here: {reason}"


def _unread_by_all(changed: Mapping[str, Any], work: Workload) -> list[str]:
    """The fields that neither the workload nor a program beside it reads."""
    first, *others = (unread_in(changed, program.kind) for program in work.programs)
    return [path for path in first if all(path in unread for unread in others)]


OTHER_INDEX: Final = ": its index is described by [index]"
WALKED_INDEX: Final = "index.cached_fraction"
"""Read wherever an index is walked."""
WITHOUT_SCANS: Final = "transactions that scan no blocks (workload.mix.scan_blocks is 0)"
INSTANCE_SHARE: Final = 0.8
"""Share of a host's memory that Oracle's tuning guide plans for an instance, SGA and PGA [oracle-tuning]."""


def _notes_on_transactions(scenario: Scenario, work: Transactions) -> Iterator[str]:
    """Fields that have no effect beside others, and users that never pause."""
    if work.rate_per_s is not None and "users" in work.model_fields_set:
        yield "workload.users has no effect beside workload.rate_per_s: transactions arrive at that rate"
    instance, stated = scenario.system.instance, scenario.differences
    if (
        "db_block_size_bytes" in stated.get("instance", {})
        and "block_size_bytes" not in stated.get("tablespace", {})
        and not instance.db_nk_cache_bytes
        and not scenario.compared
    ):
        size = show_bytes(scenario.system.tablespace.block_size_bytes)
        yield (
            "instance.db_block_size_bytes has no effect on its own: the blocks of transactions have "
            f"tablespace.block_size_bytes, {size}"
        )
    pools, memory = pools_bytes(instance), scenario.system.host.memory_bytes
    if pools > INSTANCE_SHARE * memory:
        yield (
            f"the operating system may run short of memory: the buffer pools take {show_bytes(pools)} of "
            f"{show_bytes(memory)}. Oracle plans at most {100 * INSTANCE_SHARE:g} % for the whole instance, SGA and "
            "PGA: lower instance.buffer_cache_bytes, or raise host.memory_bytes"
        )
    if work.rate_per_s is None and not work.think_s:
        yield "think time is 0: each user starts the next transaction at once, like a batch job"


def _notes_on_the_kernel(scenario: Scenario) -> Iterator[str]:
    """Settings of the host that no machine has together."""
    host = scenario.system.host
    if not is_in_kernel(host.scheduler, release_of(host.kernel)):
        yield (
            f"kernel {host.kernel} has no scheduler {host.scheduler}: noop, deadline and cfq were removed in 5.0; "
            "none, mq-deadline, bfq and kyber were added in 4.11 and 4.12"
        )
    if host.dirty_background_ratio_percent >= host.dirty_ratio_percent:
        yield "dirty_background_ratio_percent is not below dirty_ratio_percent: the kernel uses half of the latter"


def _notes_on_changes(scenario: Scenario) -> Iterator[str]:
    """What a statement that changes rows leaves out, and what of the question decides nothing."""
    work: Any = scenario.workload
    if not work.plays_rows:
        return
    if not (work.inserts or work.deletes or work.sets or work.growth_bytes):
        yield "no row grows, so none migrates: set workload.growth_bytes, or workload.sets with table.columns"
    if not work.inserts and work.commit_every_rows:
        yield (
            "with intermediate commits, the change consists of several transactions: committed work stays when a later "
            "one fails, and a query that started earlier may fail with ORA-01555"
        )
    if scenario.system.table.row_bytes_sd:
        yield "the model gives all changed rows the same length; leave more PCTFREE if yours vary"


def _noted(result: RunResult, scenario: Scenario, more: list[str]) -> RunResult:
    endless = beyond_measured(scenario, result)
    warnings = [*result.warnings, *more, *endless, *notes_on(scenario, result)]
    kernel = scenario.system.host.kernel if result.device else None
    stats = result.transactions
    if endless and stats is not None:
        stats = stats.model_copy(update={"without_disk": True})
    return result.model_copy(update={"warnings": warnings, "kernel": kernel, "transactions": stats})


def _replicated(
    scenario: Scenario, seed: int | None, replications: int, progress: Callable[[int, int], None] | None
) -> RunResult:
    first_seed = scenario.seed if seed is None else seed
    results = []
    for index in range(replications):
        results.append(answer(scenario.system, scenario.workload, seed=first_seed + index, name=scenario.name))
        if progress is not None:
            progress(index + 1, replications)
    return results[0] if replications == 1 else _with_interval(results)


LEAST_RUNS: Final = 10
"""Runs before the first look at an interval: the spread of fewer is known too badly to stop by it."""
LEAST_GROWTH: Final = 1.2
"""Runs become more by as much at least: who looks often stops by chance."""
MOST_RUNS: Final = 1000
MOST_S_OF_INTERVAL: Final = 1.0
"""Seconds of a processor that the runs for an interval take where nobody asked for a precision."""


def _narrowed(scenario: Scenario, first: RunResult, budget: Budget, has_chance: bool) -> tuple[RunResult, list[str]]:
    """The *first* run with the interval of the mean elapsed time over as many more as its precision needs; and a note.

    More run with the seeds after the first's as long as *budget* allows the next one. The note says where that is not
    long enough, or where a precision was asked for and chance has no part in the answer.
    """
    is_stated = bool(set_in(scenario.differences, [PRECISION]))
    percent, watch = scenario.workload.precision_percent, watch_here()
    most_s = min(budget.seconds or inf, inf if is_stated else MOST_S_OF_INTERVAL)
    times, wanted = [first.time.elapsed_s], LEAST_RUNS
    try:
        while has_chance and len(times) < (wanted := _runs_wanted(times, wanted, percent)):
            if watch.work * (1 + 1 / len(times)) > 1e9 * most_s:
                break
            numbers, _ = answer_measures(scenario.system, scenario.workload, seed=first.seed + len(times))
            times.append(numbers["elapsed_s"])
            has_chance = times[1] != times[0]
    except OverBudget as refusal:
        if refusal.of == "memory":
            raise
    if not has_chance:
        return first, [WITHOUT_CHANCE] if is_stated else []
    if len(times) == 1:
        return first, [ONE_RUN] if is_stated else []
    interval = _interval_of(times)
    result = first.model_copy(update={"time": first.time.model_copy(update={"interval": interval})})
    if interval.reach_percent <= percent:
        return result, []
    more = "ask for less precision" + (len(times) < MOST_RUNS) * ", or raise the limit (--max-est-exec-time)"
    more = more if is_stated else f"--precision {percent:g} plays up to {MOST_RUNS:,}"
    return result, [
        f"the interval of the mean elapsed time is {show_number(interval.reach_percent, 3)} % to either side after "
        f"{len(times):,} runs, not the {percent:g} % wanted; {more}"
    ]


WITHOUT_CHANCE: Final = f"{PRECISION} has no effect here: a run with another seed takes as long"
ONE_RUN: Final = "an interval takes several runs, the limit allows one run: raise it (--max-est-exec-time)"


def _runs_wanted(times: Sequence[float], wanted: int, percent: float) -> int:
    """Runs after which the mean of *times* may be as precise as *percent*: *wanted* as before, or more."""
    if len(times) < wanted or (reach := _interval_of(times).reach_percent) <= percent:
        return wanted
    return min(MOST_RUNS, ceil(wanted * min(2.0, max(LEAST_GROWTH, (reach / percent) ** 2))))


def _interval_of(times: Sequence[float]) -> Interval:
    """The interval of the mean of *times*, one of each run."""
    mean, half = fmean(times), float(half_width(times))
    return Interval(low_s=mean - half, high_s=mean + half, confidence=CONFIDENCE, runs=len(times))


def _with_interval(results: list[RunResult]) -> RunResult:
    """The result nearest to the mean, with the interval of the mean elapsed time over all."""
    times = [result.time.elapsed_s for result in results]
    mean = fmean(times)
    interval = _interval_of(times)
    middle = min(results, key=lambda result: abs(result.time.elapsed_s - mean))
    update: dict[str, object] = {"time": middle.time.model_copy(update={"interval": interval})}
    if middle.transactions is not None:  # from one run to the next is surer than within one
        update["transactions"] = middle.transactions.model_copy(update={"response_interval": interval})
    return middle.model_copy(update=update)
