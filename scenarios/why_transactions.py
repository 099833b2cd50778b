"""Why transactions take another time: hits and reads, queues at the bottleneck, the log, processors, latches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blocktime.model.causes import (
    ARCHIVING_NEEDED,
    BUFFER_BUSY,
    CHECKPOINT_INCOMPLETE,
    COPIES,
    FREE_BUFFERS,
    FROM_CLIENT,
    LATCH,
    LOG_FILE_SYNC,
    LOG_SPACE,
    OTHER_SESSION,
    PARALLEL,
    RUN_QUEUE,
    SCATTERED,
    SEQUENTIAL,
)
from blocktime.model.demand.transaction_demand import DATA, DBWR
from blocktime.model.results import RunResult, TransactionStats
from blocktime.model.units import show_alike, show_bytes, show_number, show_seconds, show_share
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.why_device import ScenarioPair, another_disk, limit
from blocktime.scenarios.why_words import ComponentChange, differs, effect, from_to, listed, takes

CPU = "CPU"
READS = "reads"
CLIENT = "the client and the network"
PROCESSOR = "the run queue (CPU wait)"
MECHANISM = {
    SEQUENTIAL: READS,
    PARALLEL: READS,
    SCATTERED: READS,
    OTHER_SESSION: READS,
    "CPU: read calls": READS,
    "CPU: reading blocks into buffers": READS,
    f"CPU: {COPIES}": READS,
    RUN_QUEUE: PROCESSOR,
    FROM_CLIENT: CLIENT,
}
"""Component -> the mechanism that moves it; what is not named here is CPU, or its own mechanism."""
MOST_CAUSES = 3
NEXT_TO_NOTHING_S = 1e-7
LEAST_BUSY_CHANGE = 0.05
QUEUES = {
    LATCH: "sessions spin and sleep for the latches of the hottest blocks",
    BUFFER_BUSY: "changes of the hottest blocks wait for one another",
    FREE_BUFFERS: "DBWR does not write as fast as blocks change",
    LOG_SPACE: "the log writer does not write as fast as redo comes",
    CHECKPOINT_INCOMPLETE: "DBWR does not write the blocks of a redo log before its reuse",
    ARCHIVING_NEEDED: "the archiver does not copy a redo log before its reuse",
}
# Fields that decide hits -> how a sentence calls them.
OF_THE_CACHE = {
    "instance.buffer_cache_bytes": "the buffer cache",
    "instance.db_keep_cache_bytes": "the KEEP pool",
    "instance.db_recycle_cache_bytes": "the RECYCLE pool",
    "workload.data_bytes": "the data",
    "workload.hot_data_percent": "the hot share of the data",
    "workload.hot_gets_percent": "the share of the gets that goes to hot blocks",
    "workload.hottest_gets_percent": "the share of the gets that goes to the hottest blocks",
    "workload.hot_pool": "the pool of the hot blocks",
    "workload.cold_pool": "the pool of the other blocks",
    "instance.replacement": "the replacement in the buffer cache",
    "tablespace.block_size_bytes": "the block size",
}


def both(base: RunResult, other: RunResult) -> tuple[TransactionStats, TransactionStats] | None:
    """What users see in either answer; None where one of them is not of transactions."""
    if base.transactions is None or other.transactions is None:
        return None
    return base.transactions, other.transactions


def mechanism(component: str) -> str:
    """The mechanism that moves a component of a transaction's time."""
    return MECHANISM.get(component) or (CPU if component.startswith("CPU: ") else component)


def sentence(name: str, change: ComponentChange, base: RunResult, other: RunResult, pair: ScenarioPair | None) -> str:
    """What moved one mechanism, and why where the two results show it."""
    if name == READS:
        return _reads(change, base, other, pair)
    if name == LOG_FILE_SYNC:
        return _log(change, base, other, pair)
    if name == PROCESSOR:
        needs = _needs_cpu(change, base, other, pair)
        return f"{name} {_took(change)}{_busy('processors', base, other)}, which {effect(change)}{needs}"
    if name == CPU:
        gets = _gets(base), _gets(other)
        more = f" while gets per transaction {from_to(*gets, _times)}" if differs(*gets) else ""
        return f"CPU of a transaction {takes(change)}{more}, which {effect(change)}"
    because = f": {QUEUES[name]}" if name in QUEUES and change.change_s > 0 else ""
    return f"{name} {_took(change)}, which {effect(change)}{because}"


def _needs_cpu(change: ComponentChange, base: RunResult, other: RunResult, pair: ScenarioPair | None) -> str:
    """Why processors are busier: a transaction needs more of them, such as for rebuilding changed blocks."""
    cpu = base.time.cpu_s, other.time.cpu_s
    if (cpu[1] - cpu[0]) * change.change_s <= 0 or not differs(*cpu, LEAST_BUSY_CHANGE):
        return ""
    gets = _gets(base), _gets(other)
    more = f", as gets per transaction {from_to(*gets, _times)}" if differs(*gets, LEAST_BUSY_CHANGE) else ""
    if more and gets[1] > gets[0] and pair and _same_gets(*pair[:2]):
        more += " to rebuild blocks that others change (consistent reads)"
    return f": a transaction needs {' of CPU instead of '.join(show_alike(cpu[1], cpu[0]))}{more}"


def _same_gets(base: Scenario, other: Scenario) -> bool:
    """Whether transactions ask for as many buffers in both, so that more gets are those of consistent reads."""
    return [kind.gets for kind in base.workload.mixed] == [kind.gets for kind in other.workload.mixed]


def _took(change: ComponentChange) -> str:
    """From and to, where what is next to nothing is called so."""
    times = ["nothing" if took < NEXT_TO_NOTHING_S else change.show(took) for took in (change.after_s, change.before_s)]
    return f"takes {times[0]} instead of {times[1]}"


def afterwards(base: RunResult, other: RunResult, scenarios: ScenarioPair | None) -> Iterator[str]:
    """What comes of it: throughput, and what bounds it."""
    pair = both(base, other)
    if pair is None:
        return
    before, after = pair
    if differs(before.per_s, after.per_s):
        yield f"throughput {from_to(before.per_s, after.per_s, _tps)}{_more_users(scenarios)}"
    if before.without_disk or after.without_disk:
        return
    if before.bottleneck != after.bottleneck:
        limits = f"{_tps(after.saturation_per_s)} instead of {_tps(before.saturation_per_s)}"
        yield f"the bottleneck is the {after.bottleneck} instead of the {before.bottleneck}: ceiling {limits}"
    elif differs(before.saturation_per_s, after.saturation_per_s, 0.05):
        limits = from_to(before.saturation_per_s, after.saturation_per_s, _tps)
        writes = base.physical_io.write_requests, other.physical_io.write_requests
        reason = f": DBWR writes {_times(writes[1])} blocks per transaction instead of {_times(writes[0])}"
        writes_there = after.bottleneck.startswith((DATA, DBWR)) and differs(*writes, 0.1)
        yield f"the ceiling of the {after.bottleneck} {limits}{reason if writes_there else ''}"


def _more_users(pair: ScenarioPair | None) -> str:
    works = [scenario.workload for scenario in pair[:2]] if pair else []
    users = [work.users for work in works] or [0, 0]
    return f" with {users[1]:,} users instead of {users[0]:,}" if users[0] != users[1] else ""


def _reads(change: ComponentChange, base: RunResult, other: RunResult, pair: ScenarioPair | None) -> str:
    """Reads by their number and its cause, by what one takes, and by how busy the disk is."""
    parts = []
    if disk := another_disk(pair):
        parts.append(disk)
    reads = base.physical_io.read_requests, other.physical_io.read_requests
    if differs(*reads):
        parts.append(f"reads per transaction {from_to(*reads, _times)}{_hits(base, other, pair)}")
    each = _each(base), _each(other)
    if each[0] and each[1] and differs(*each, 0.02):
        busy = _busy("data disk", base, other)
        parts.append(f"a read takes {show_seconds(each[1])} instead of {show_seconds(each[0])}{busy}")
        if each[1] > each[0] and (binds := limit(pair, other)):
            parts.append(binds)
    if not parts:
        return f"reading {takes(change)}, which {effect(change)}"
    return f"{'; '.join(parts)}; reading {takes(change)}, which {effect(change)}"


def _hits(base: RunResult, other: RunResult, pair: ScenarioPair | None) -> str:
    """Gets and hits as far as they moved reads, and what was set otherwise that decides hits."""
    if base.cache is None or other.cache is None:
        return ""
    gets, hits = (_gets(base), _gets(other)), (base.cache.hit_fraction, other.cache.hit_fraction)
    more = other.physical_io.read_requests > base.physical_io.read_requests
    causes = [f"gets per transaction {from_to(*gets, _times)}"] if differs(*gets) else []
    if _share(hits[0]) != _share(hits[1]) and (hits[1] < hits[0]) == more:
        otherwise = list(_set_otherwise(pair))[:MOST_CAUSES]
        since = f" ({listed(otherwise)})" if otherwise else ""
        causes.append(f"the buffer cache hit ratio {from_to(*hits, _share)}{since}")
    return f" because {listed(causes)}" if causes else ""


def _set_otherwise(pair: ScenarioPair | None) -> Iterator[str]:
    if pair is None or pair.by:
        return
    for path, words in OF_THE_CACHE.items():
        section, _, field = path.partition(".")
        values: list[Any] = [
            getattr(scenario.workload if section == "workload" else getattr(scenario.system, section), field, None)
            for scenario in pair[:2]
        ]
        if values[0] == values[1] or None in values:
            continue
        if isinstance(values[0], str):
            yield f"{words} is {str(values[1]).upper()} instead of {values[0].upper()}"
        elif field.endswith(("bytes", "percent")):
            show = show_bytes if field.endswith("bytes") else _percent
            yield f"{words} is {show(values[1])} instead of {show(values[0])}"
        else:
            yield f"{words} differs"


def _busy(resource: str, base: RunResult, other: RunResult) -> str:
    pair = both(base, other)
    if pair is None:
        return ""
    used = [transaction_stats.utilisation.get(resource) for transaction_stats in pair]
    if used[0] is None or used[1] is None or abs(used[1] - used[0]) < LEAST_BUSY_CHANGE:
        return ""
    queueing = ": requests queue there" if used[1] > max(0.5, used[0]) and resource != "processors" else ""
    return f" ({resource} from {100 * used[0]:.0f} to {100 * used[1]:.0f} % busy{queueing})"


def _log(change: ComponentChange, base: RunResult, other: RunResult, scenarios: ScenarioPair | None) -> str:
    """Commits waiting for the log writer, where the log lies, and how many share one of its writes."""
    is_alone = scenarios is None or scenarios.by
    places = ["own", "own"] if scenarios is None or is_alone else [s.system.instance.redo_disk for s in scenarios[:2]]
    since = ""
    if places[0] != places[1]:
        disk = "the disk of the data" if places[1] == "data" else "a disk of its own"
        since = f" because the log is on {disk}"
    pair = both(base, other)
    shared = ""
    if pair is not None:
        commits = pair[0].commits_per_log_write, pair[1].commits_per_log_write
        if differs(*commits, least=0.05):
            shared = f"; {commits[1]:.2f} commits share a redo write instead of {commits[0]:.2f}"
    if not change.before_s or not change.after_s:
        return f"{LOG_FILE_SYNC} {'appears' if change.after_s else 'disappears'}, which {effect(change)}"
    resource = "redo disk" if pair and "redo disk" in pair[1].utilisation else "data disk"
    because = f"{since}{_busy(resource, base, other)}"
    return f"{LOG_FILE_SYNC} {takes(change)}{because}, which {effect(change)}{shared}"


def _each(result: RunResult) -> float:
    waited = result.time.wait.get(SEQUENTIAL)
    return waited.total_s / waited.waits if waited and waited.waits else 0.0


def _gets(result: RunResult) -> float:
    gets = result.logical_io
    return gets.consistent_gets + gets.current_gets if gets else 0.0


def _times(value: float) -> str:
    return show_number(value, 3)


def _share(fraction: float) -> str:
    return show_share(fraction, 2)


def _percent(value: float) -> str:
    return f"{value:g} %"


def _tps(per_s: float) -> str:
    return f"{show_number(per_s, 3)} TPS"
