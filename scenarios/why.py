"""What moved between two answers, and why, in a DBA's words and with the numbers of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from blocktime.model.causes import (
    BETWEEN_CALLS,
    COMMITTING,
    COPIED,
    COPIED_TWICE,
    COPIES,
    DELETING,
    DEVICE,
    DIRECT,
    DIRECT_WRITE,
    FREE_BUFFERS,
    FROM_CLIENT,
    HASHING,
    INDEXES,
    INSERTING,
    LOG_FILE_SYNC,
    LOG_FULL,
    MIGRATING,
    MORE_DATA,
    PARALLEL,
    PX_REPLY,
    PX_SEND,
    RUN_QUEUE,
    SCATTERED,
    SEARCHING,
    SENT_TWICE,
    SEQUENTIAL,
    SORTING,
    SUBMIT_BLOCKED,
    TEMP,
    TO_CLIENT,
    UPDATING,
)
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.results import RunResult
from blocktime.model.units import (
    show_alike,
    show_bytes,
    show_change,
    show_data,
    show_number,
    show_range,
    show_seconds,
    show_share,
)
from blocktime.scenarios import why_money, why_rows, why_streams, why_transactions
from blocktime.scenarios.idle import why_idle
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.why_cause import Cause, answer_within, causes
from blocktime.scenarios.why_device import ScenarioPair, another_disk, awaited, busy, devices
from blocktime.scenarios.why_words import NOTHING_S, ComponentChange, differs, effect, from_to, plural, takes

CPU = "CPU: "

GETS = "consistent gets"
WALK = "row access"
FETCH = "projecting rows"
CLIENT = "the client"
SENDS = "sending to the client"
CALLS = "database calls"
READS = "reads"
PROCESSOR = "waiting in the run queue"
SERVERS = "CPU shared by parallel servers"
WORK_AREAS = "work areas"
BETWEEN = "time outside calls (tracing of the measured system)"

CAUSES_OF_CHANGES = (SEARCHING, MIGRATING, UPDATING, INSERTING, DELETING, INDEXES, COMMITTING)
MECHANISM = {
    CPU + "buffer gets": GETS,
    CPU + "row access": WALK,
    CPU + "filtering rows": WALK,
    CPU + "projecting rows": FETCH,
    CPU + "calls": CALLS,
    CPU + "read calls": READS,
    CPU + "reading blocks into buffers": READS,
    CPU + COPIED: READS,
    CPU + COPIES: READS,
    FROM_CLIENT: CLIENT,
    TO_CLIENT: SENDS,
    MORE_DATA: SENDS,
    DIRECT: READS,
    PARALLEL: READS,
    SCATTERED: READS,
    SEQUENTIAL: READS,
    **{CPU + cause: cause for cause in CAUSES_OF_CHANGES},
    PX_REPLY: PX_REPLY,
    PX_SEND: PX_SEND,
    LOG_FILE_SYNC: LOG_FILE_SYNC,
    **{event: event for event in LOG_FULL},
    DIRECT_WRITE: DIRECT_WRITE,
    **dict.fromkeys((CPU + SORTING, CPU + HASHING, *TEMP), WORK_AREAS),
    FREE_BUFFERS: FREE_BUFFERS,
    SENT_TWICE: SENDS,
    COPIED_TWICE: READS,
    BETWEEN_CALLS: BETWEEN,
    RUN_QUEUE: PROCESSOR,
    SUBMIT_BLOCKED: READS,
}
"""Component -> the mechanism that moves it; a component not named here is its own mechanism."""

LEAST_EFFECT = 0.002
"""Share of the elapsed time below which a change of time alone is not worth a sentence."""
SAME_ELAPSED = 0.01
LEAST_WAITING = 0.01
"""Share of the elapsed time from which on a scan waits for its drive."""
SAME_BESIDE = 0.04
"""Twice the precision of a mean response."""
ALIKE_BYTES = 0.1
"""Share by which the data read may differ while its reads still differ because of their size."""
MOST_SENTENCES = 5
FULL = 0.97
"""Utilisation from which on a device has no time left."""
LEAST_OF_A_TRANSACTION_S = 1e-7
"""What takes less of the mean transaction is nothing to a DBA."""


def components(result: RunResult) -> dict[str, float]:
    """Seconds by component: CPU by cause, each wait event, each cause in no event; they sum to the elapsed time."""
    time = result.time
    seconds_of = {CPU + cause: seconds for cause, seconds in time.cpu.items() if seconds}
    seconds_of |= {event: waited.total_s for event, waited in time.wait.items()}
    seconds_of |= {cause: seconds for cause, seconds in time.unaccounted.items() if seconds}
    return seconds_of


def next_to_nothing(result: RunResult, seconds: float) -> bool:
    """Whether a component of this length is no line of the answer: of a transaction, less than a tenth of a µs."""
    return result.transactions is not None and abs(seconds) < LEAST_OF_A_TRANSACTION_S


def changes(base: RunResult, other: RunResult) -> list[ComponentChange]:
    """Every component of either answer, the largest change first."""
    before, after = components(base), components(other)
    longest_s = max(base.time.elapsed_s, other.time.elapsed_s)
    moved = []
    for name in {**before, **after}:
        was_s, is_s = before.get(name, 0.0), after.get(name, 0.0)
        moved.append(ComponentChange(name, was_s, is_s, is_s - was_s, longest_s))
    return sorted(moved, key=lambda change: -abs(change.change_s))


def why(base: RunResult, other: RunResult, scenarios: tuple[Scenario, Scenario] | None = None) -> list[str]:
    """One to five sentences on what moved between *base* and *other*, the largest effect first.

    Where the two scenarios are *scenarios*, what was set otherwise is named as the cause; of several fields those that
    alone move a part of the time, see :mod:`scenarios.why_cause`. With prices one more sentence tells what it costs.
    """
    return [*_why(base, other, scenarios and ScenarioPair(*scenarios)), *why_money.sentences(base, other)]


def causes_of(base: RunResult, other: RunResult, scenarios: tuple[Scenario, Scenario]) -> dict[str, Cause]:
    """The cause of each part of the time that moved enough to be told; nothing where a single field changed."""

    def parts(base: RunResult, other: RunResult) -> dict[str, float]:
        return {name: change.change_s for name, change in _by_mechanism(base, other).items()}

    wanted = {
        name: change.change_s
        for name, change in _by_mechanism(base, other).items()
        if abs(change.change_s) >= NOTHING_S and _is_explained(name, change, base, other)
    }
    return causes(base, other, ScenarioPair(*scenarios), parts, wanted)


def _is_explained(name: str, change: ComponentChange, base: RunResult, other: RunResult) -> bool:
    """Whether the change of a part is worth a sentence: by its time as it is shown, or by the counts behind it."""
    least_s = LEAST_EFFECT * max(base.time.elapsed_s, other.time.elapsed_s)
    moved = abs(change.change_s) >= least_s and show_seconds(change.before_s) != show_seconds(change.after_s)
    return moved or _counts_changed(name, base, other)


def _why(base: RunResult, other: RunResult, pair: ScenarioPair | None) -> list[str]:
    moved = _by_mechanism(base, other)
    texts, last_words = [], ""
    known = causes_of(base, other, pair[:2]) if pair else {}
    for name, change in _the_way_it_went_first(moved, other.time.elapsed_s - base.time.elapsed_s):
        tell = why_transactions.sentence if why_transactions.both(base, other) else _sentence
        cause = known.get(name)
        by = pair and cause and pair._replace(by=cause.words, alone=cause.result)
        sentence = tell(name, change, base, other, by or pair)
        if sentence and _is_explained(name, change, base, other):
            words = cause.words if cause else ""
            texts.append(f"with {'it' if words == last_words else words}, {sentence}" if words else sentence)
            last_words = words
    after = [
        *_last_session(base, other),
        *why_rows.afterwards(base, other),
        *_not_modelled(pair),
        *_scattered_rows(other, pair),
        *why_streams.rates(base, other),
        *why_transactions.afterwards(base, other, pair),
        *_beside(base, other),
    ]
    texts = [*texts[: MOST_SENTENCES - 1 - len(after)], *after]
    if why_streams.both(base, other) and why_streams.overlapped(base, other) and texts:
        return [*texts, *_of_calls_at_once(base, other, pair)][:MOST_SENTENCES]
    return [*_little_change(moved, base, other), *texts, *_what_stays(moved, base, other)][:MOST_SENTENCES]


def _the_way_it_went_first(moved: dict[str, ComponentChange], change_s: float) -> list[tuple[str, ComponentChange]]:
    """The changes, the largest first; but first of all the largest that goes the way of the elapsed time."""
    ranked = sorted(moved.items(), key=lambda item: -abs(item[1].change_s))
    first = next((item for item in ranked if item[1].change_s * change_s > 0), None)
    return ranked if first is None else [first, *(item for item in ranked if item is not first)]


def _beside(base: RunResult, other: RunResult) -> Iterator[str]:
    """What the programs beside the first take, where that moved by more than chance would."""
    for before, after in zip((base.programs or [])[1:], (other.programs or [])[1:], strict=False):
        if before.kind != after.kind or not before.took_s or not after.took_s:
            continue
        if abs(after.took_s - before.took_s) > SAME_BESIDE * before.took_s:
            took = " instead of ".join(show_alike(after.took_s, before.took_s))
            yield f"{after.name} beside it: {took} ({show_change(before.took_s, after.took_s)})"


def _last_session(base: RunResult, other: RunResult) -> Iterator[str]:
    """What all sessions together take, where both answers know it: it need not move as one session's time does."""
    before, after = base.time.last_session_s, other.time.last_session_s
    if before is None or after is None or not differs(before, after, SAME_ELAPSED):
        return
    times = show_alike(after, before, after - before)
    yield (
        f"the last session ends after {times[0]} instead of {times[1]} "
        f"({'' if after < before else '+'}{times[2]}, {show_change(before, after)})"
    )


def _of_calls_at_once(base: RunResult, other: RunResult, pair: ScenarioPair | None) -> Iterator[str]:
    """What the elapsed time says of calls that are under way at once."""
    noise = chance(base, other)
    if noise:
        yield noise
    elif why_streams.at_a_rate(pair):
        yield "elapsed time says little here, because the run ends soon after the last call arrives"


def _mechanism_of(base: RunResult, other: RunResult) -> Callable[[str], str]:
    if why_streams.both(base, other):
        return why_streams.mechanism_of(base, other)
    if why_transactions.both(base, other):
        return why_transactions.mechanism
    if base.time.servers != other.time.servers:
        return lambda component: SERVERS if component.startswith(CPU) else MECHANISM.get(component, component)
    if why_rows.other_changes(base, other):
        return lambda component: why_rows.CHANGES.get(component) or MECHANISM.get(component, component)
    return lambda component: MECHANISM.get(component, component)


def _by_mechanism(base: RunResult, other: RunResult) -> dict[str, ComponentChange]:
    """The changes summed by mechanism, so that no second is told twice."""
    moved: dict[str, ComponentChange] = {}
    mechanism_of = _mechanism_of(base, other)
    if why_streams.both(base, other):  # what the device gets may move though nobody waits for it
        moved[DEVICE] = ComponentChange(DEVICE, 0.0, 0.0, 0.0)
    for change in changes(base, other):
        name = mechanism_of(change.name)
        sofar = moved.get(name, ComponentChange(name, 0.0, 0.0, 0.0))
        moved[name] = ComponentChange(
            name,
            sofar.before_s + change.before_s,
            sofar.after_s + change.after_s,
            sofar.change_s + change.change_s,
            change.longest_s,
        )
    return moved


def _little_change(moved: dict[str, ComponentChange], base: RunResult, other: RunResult) -> Iterator[str]:
    """Say so when the elapsed time stays, and what most of it is."""
    time = "the response" if why_transactions.both(base, other) else "elapsed time"
    before, after = base.time.elapsed_s, other.time.elapsed_s
    noise = chance(base, other)
    if noise:
        yield noise
        return
    if abs(after - before) > SAME_ELAPSED * max(before, after, 1e-12):
        return
    stays = _largest_unmoved(moved, after)
    rest = f": {_untouched(stays, after)}" if stays is not None else _largest_part(moved, after)
    if abs(after - before) <= 1e-9 * max(before, after):
        yield f"{time} does not change{rest}"
        return
    ends = show_range(before, after)
    yield f"{time} barely changes ({ends}, {show_change(before, after)}){rest}"


def are_paired(base: RunResult, other: RunResult) -> bool:
    """Whether both are one run of several with the same seed: their random numbers cancel in the difference."""
    intervals = base.time.interval, other.time.interval
    return base.seed == other.seed and all(interval and interval.runs for interval in intervals)


def chance(base: RunResult, other: RunResult) -> str:
    """That the difference of two elapsed times may be chance; empty where it is none, or nobody knows."""
    first, second = base.time.interval, other.time.interval
    if first is None or second is None or first.low_s > second.high_s or second.low_s > first.high_s:
        return ""
    if are_paired(base, other) or base.time.elapsed_s == other.time.elapsed_s:
        return ""
    ends = [show_range(interval.low_s, interval.high_s) for interval in (first, second)]
    overlap = f"the {show_share(first.confidence)} intervals {ends[0]} and {ends[1]} overlap"
    rates = [_full_at(result) for result in (base, other)]
    if all(rates):
        full = f"the disk is full at {rates[1]}, so CPU that is saved turns into waiting"
        return f"no clear difference: {full}; {overlap}"
    return f"no clear difference, it may be chance: {overlap}"


def _full_at(result: RunResult) -> str:
    """What the only device moves in a second, where it has no time left; empty otherwise."""
    (device, *others) = result.device.values() or [None]
    if device is None or others or device.utilisation_fraction < FULL:
        return ""
    return f"{show_data(device.read_bytes_per_s + device.written_bytes_per_s)}/s"


def _what_stays(moved: dict[str, ComponentChange], base: RunResult, other: RunResult) -> Iterator[str]:
    """After a change of elapsed time: what bounds the next one, when half of what is left did not move."""
    before, after = base.time.elapsed_s, other.time.elapsed_s
    if abs(after - before) <= SAME_ELAPSED * max(before, after, 1e-12) or chance(base, other):
        return
    stays = _largest_unmoved(moved, after)
    if stays is not None:
        yield _untouched(stays, after)


def _untouched(stays: ComponentChange, elapsed_s: float) -> str:
    part_of_time, whole = show_alike(stays.after_s, elapsed_s)
    part = f"all of the {whole}" if part_of_time == whole else f"{part_of_time} of the {whole}"
    return f"{_work(stays.name)} takes {part}, as before"


def _largest_part(moved: dict[str, ComponentChange], elapsed_s: float) -> str:
    """What most of a time is that stays though its parts move; empty where nothing is known of it."""
    largest = max(moved.values(), key=lambda change: change.after_s, default=None)
    if largest is None or largest.after_s <= 0:
        return ""
    before, after = largest.show(largest.before_s), largest.show(largest.after_s)
    was = ", as before" if before == after else f" instead of {before}"
    part = "most" if largest.after_s > elapsed_s / 2 else "the largest part"
    return f": {part} of the {show_seconds(elapsed_s)} is {_work(largest.name)}, {after}{was}"


def _largest_unmoved(moved: dict[str, ComponentChange], elapsed_s: float) -> ComponentChange | None:
    still = [
        change
        for change in moved.values()
        if abs(change.change_s) <= SAME_ELAPSED * max(change.before_s, change.after_s, 0.0)
        and change.after_s >= 0.5 * elapsed_s
    ]
    return max(still, key=lambda change: change.after_s) if still else None


def _work(mechanism: str) -> str:
    """A mechanism as the subject of a sentence."""
    return {
        CLIENT: "waiting for the client",
        SENDS: "sending to the client",
        READS: "reading",
        GETS: "CPU for consistent gets",
        WALK: "row processing",
        FETCH: "filling the fetch array",
        CALLS: "CPU for database calls",
        LOG_FILE_SYNC: "waiting for the log writer",
        **dict.fromkeys(LOG_FULL, "waiting for the log"),
        DIRECT_WRITE: "waiting for direct writes",
        FREE_BUFFERS: "waiting for free buffers",
        why_transactions.CPU: "CPU beside that of reads",
    }.get(mechanism, mechanism)


def _counts_changed(name: str, base: RunResult, other: RunResult) -> bool:
    """Whether the counts behind a mechanism moved, even where its seconds hardly did."""
    if why_transactions.both(base, other):
        return False
    if name in why_rows.COMPONENTS:
        return why_rows.counts_changed(name, base, other)
    if name in why_streams.COMPONENTS:
        return why_streams.counts_changed(name, base, other)
    if name == GETS and base.changes is None:
        return differs(_gets_of(base), _gets_of(other))
    if name == READS:
        before, after = base.physical_io, other.physical_io
        return (
            differs(before.read_requests, after.read_requests)
            or differs(before.read_bytes, after.read_bytes)
            or path(base) != path(other)
        )
    return False


def _sentence(name: str, change: ComponentChange, base: RunResult, other: RunResult, pair: ScenarioPair | None) -> str:
    if name in why_rows.COMPONENTS:
        text = why_rows.sentence(name, change, base, other)
        return f"{text}{_why_no_commits(name, pair)}"
    if name in why_streams.COMPONENTS and why_streams.both(base, other):
        return why_streams.sentence(name, change, base, other, pair)
    if name == READS:
        return _reads(change, base, other, pair)
    if name == GETS:
        return _gets(change, base, other, pair)
    if name in (WALK, FETCH, CALLS, SERVERS):
        return _processor_work(name, change, base, other, pair)
    if name in (CLIENT, SENDS, WORK_AREAS):
        return (_work_areas if name == WORK_AREAS else partial(_client, name))(change, base, other)
    if not change.before_s or not change.after_s:
        what = "appears" if change.after_s else "disappears"
        return f"{name} {what}, which {effect(change)}"
    return f"{name} {from_to(change.before_s, change.after_s, change.show)}, which {effect(change)}"


def _why_no_commits(name: str, pair: ScenarioPair | None) -> str:
    """Why rows between commits, which a scenario may set, move no commit there."""
    if name != LOG_FILE_SYNC or pair is None:
        return ""
    path = "workload.commit_every_rows"
    reasons = (why_idle(path, scenario) for scenario in (pair.other, pair.base) if scenario.workload.inserts)
    return next((f": {reason}" for reason in reasons if reason), "")


def _not_modelled(pair: ScenarioPair | None) -> Iterator[str]:
    """What a change would move in a real system, and does not here."""
    if pair is None:
        return
    works: list[Any] = [scenario.workload for scenario in pair[:2]]
    in_a_block = all(getattr(work, "caller", "") == "plsql" for work in works)
    if in_a_block and works[0].commit_every_rows != works[1].commit_every_rows:
        yield (
            "a PL/SQL block waits for the log writer once, at its end; the CPU and redo of each commit are not in the "
            "model"
        )


def _scattered_rows(other: RunResult, pair: ScenarioPair | None) -> Iterator[str]:
    """What another block size does to hits where hot rows lie scattered: a cache of as many bytes has other buffers.

    The model takes hot rows to lie side by side, so that as many bytes are hot in blocks of any size. Scattered, each
    hot row needs a block of its own: then hits are those of a cache with as many buffers as before times the ratio of
    the sizes, buffers = bytes of the cache / block size.
    """
    if pair is None or pair.other.workload.mixed == () or other.cache is None:
        return
    sizes = [scenario.system.tablespace.block_size_bytes for scenario in pair[:2]]
    instance = pair.other.system.instance
    if sizes[0] == sizes[1] or not instance.buffer_cache_bytes:
        return
    as_many = instance.model_copy(update={"buffer_cache_bytes": instance.buffer_cache_bytes * sizes[0] / sizes[1]})
    system = pair.other.system.model_copy(update={"instance": as_many})
    scattered = answer_within(pair.other.model_copy(update={"system": system}))
    if scattered is None or scattered.cache is None:
        return
    buffers = "half as many" if sizes[1] == 2 * sizes[0] else f"{show_number(sizes[0] / sizes[1], 3)} times as many"
    yield (
        f"these hits hold where hot rows lie side by side; where they are scattered, {buffers} buffers for the same "
        f"hot rows give {show_share(scattered.cache.hit_fraction, 1)} hits and a response of "
        f"{show_seconds(scattered.time.elapsed_s)}"
    )


def _alone(pair: ScenarioPair | None, other: RunResult) -> RunResult:
    """The answer that shows what a part's cause does: with that cause alone, where several fields changed."""
    return other if pair is None or pair.alone is None else pair.alone


def _gets(change: ComponentChange, base: RunResult, other: RunResult, pair: ScenarioPair | None) -> str:
    """Consistent gets, by their number, by what one costs, or by both."""
    before, after = _gets_of(base), _gets_of(other)
    effect_text = effect(change, " of CPU")
    price = ""
    each = (change.before_s / before if before else 0.0, change.after_s / after if after else 0.0)
    if differs(*each):
        price = f"a get costs {show_seconds(each[1])} of CPU instead of {show_seconds(each[0])}"
    if not differs(before, after):
        return f"{price}, which {effect_text}" if price else ""
    counts, alone = [], _alone(pair, other)
    if base.segment and alone.segment and differs(base.segment.blocks_before, alone.segment.blocks_before):
        counts.append(f"blocks {from_to(base.segment.blocks_before, alone.segment.blocks_before)}")
    if differs(_fetches(base), _fetches(alone)):
        counts.append(f"fetch calls {from_to(_fetches(base), _fetches(alone))}")
    with_causes = f" ({'; '.join(counts)})" if counts else ""
    and_price = f" and {price}" if price else ""
    return f"consistent gets {from_to(before, after)}{with_causes}{and_price}, which {effect_text}"


def _reads(change: ComponentChange, base: RunResult, other: RunResult, pair: ScenarioPair | None) -> str:
    """Reads: the path they take, how many and how large they are, how much they fetch."""
    before, after = base.physical_io, other.physical_io
    parts = []
    if pair is not None and not pair.by and abs(change.change_s) >= LEAST_EFFECT * base.time.elapsed_s:
        parts += [cause for cause in (_io_path(pair), another_disk(pair)) if cause]
    if path(base) != path(other):
        parts.append(f"the access path changes from {path(base)} to {path(other)}{_reason(other)}")
    if not before.read_requests or not after.read_requests:
        if before.read_requests != after.read_requests:
            parts.append(f"reads {from_to(before.read_requests, after.read_requests)}")
    elif differs(before.read_requests, after.read_requests):
        parts.append(f"reads {from_to(before.read_requests, after.read_requests)}{_read_size(base, other)}")
    if differs(before.read_bytes, after.read_bytes) and before.read_requests and after.read_requests:
        parts.append(f"data read {from_to(before.read_bytes, after.read_bytes, show_data)}")
    service = awaited(base, other, pair)
    waits_s = [device.await_s or 0.0 for device in devices(base, other) or ()]
    if service and (waits_s[1] - waits_s[0]) * change.change_s < 0:  # it is not the reason
        service = ""
    if service:
        parts.append(service)
    more = "more" if change.change_s > 0 else "less"
    takes = f"reading takes {change.show(abs(change.change_s))} {more}{_wait_and_cpu(base, other)}"
    takes += _covered(base, other)
    if abs(change.change_s) < NOTHING_S:
        takes = "reading takes as long as before"
    return "; ".join([*parts, takes + ("" if service else busy(base, other))])


def _work_areas(change: ComponentChange, base: RunResult, other: RunResult) -> str:
    """What sorts, groups and hash joins take, and why: how much has no room in memory."""
    areas = [[source.work_area for source in result.row_sources or () if source.work_area] for result in (base, other)]
    written = [sum(area.temp_bytes for area in of_result) for of_result in areas]
    passes = [max((area.passes for area in of_result), default=None) for of_result in areas]
    text = f"sorting and hashing {takes(change)}"
    if None in passes:
        return f"{text}, CPU and waits for temp"
    before, after = (PASSES[min(number or 0, 2)] for number in passes)
    how = f"the work area is {after} as before" if before == after else f"the work area is {after} instead of {before}"
    to_temp = f"; data written to temp {from_to(written[0], written[1], show_data)}" if differs(*written) else ""
    return f"{text}: {how}{to_temp}"


PASSES = "optimal", "one pass", "multipass"


def _io_path(pair: ScenarioPair) -> str:
    """How files are opened, where that differs, and what it has to do with the page cache."""
    before, after = (scenario.system.database_path for scenario in pair[:2])
    if before == after:
        return ""
    cached = [opened not in UNBUFFERED for opened in (before, after)]
    way = "" if cached[0] == cached[1] else ", through the page cache" if cached[1] else ", past the page cache"
    return f"files are opened as {after} instead of {before}{way}"


def _covered(base: RunResult, other: RunResult) -> str:
    """Why a session waits longer for asynchronous reads that are no more than before."""
    before, after = (result.time.wait.get(DIRECT) for result in (base, other))
    if before is None or after is None or after.total_s <= before.total_s:
        return ""
    saved_s = base.time.cpu_s - other.time.cpu_s
    if saved_s <= 0 or other.physical_io.read_bytes > base.physical_io.read_bytes:
        return ""
    if before.total_s >= LEAST_WAITING * base.time.elapsed_s:  # it waited before, too
        most_of_it = 2 * saved_s >= after.total_s - before.total_s
        return ", as CPU that is saved turns into waiting" if most_of_it else ""
    is_full = any(device.utilisation_fraction >= FULL for device in other.device.values())
    return ": the scan is now I/O bound" if is_full else ""


def _read_size(base: RunResult, other: RunResult) -> str:
    """Why the number of reads changed, where their size did."""
    before, after = base.physical_io, other.physical_io
    largest = max(before.request_blocks, default=0), max(after.request_blocks, default=0)
    block = before.read_bytes / before.read_blocks, after.read_bytes / after.read_blocks
    size = largest[0] * block[0], largest[1] * block[1]
    if not differs(*size):
        mean = before.read_blocks / before.read_requests, after.read_blocks / after.read_requests
        if differs(*block) or differs(before.read_bytes, after.read_bytes):
            return f" (the largest stays at {show_bytes(size[1])})"
        grew = "grew" if mean[1] > mean[0] else "shrank"
        return f" because the mean read {grew} from {show_number(mean[0], 3)} to {show_number(mean[1], 3)} blocks"
    text = f"a read {'grew' if size[1] > size[0] else 'shrank'} from "
    if differs(*block):
        text += f"{show_bytes(size[0])} to {show_bytes(size[1])}"
    else:
        text += f"{largest[0]:,} to {plural(largest[1], 'block')} ({show_bytes(size[0])} to {show_bytes(size[1])})"
    alike = not differs(before.read_bytes, after.read_bytes, ALIKE_BYTES)
    return f" because {text}" if alike else f" while {text}"


def _wait_and_cpu(base: RunResult, other: RunResult) -> str:
    """How the effect of reads is split into waiting and CPU, where CPU has a part."""
    cpu = waited = before_s = after_s = longest_s = 0.0
    for change in changes(base, other):
        longest_s = change.longest_s
        if MECHANISM.get(change.name) == READS:
            if change.name.startswith(CPU):
                cpu += change.change_s
            else:
                waited += change.change_s
                if change.name != COPIED_TWICE:
                    before_s += change.before_s
                    after_s += change.after_s
    little = 0.02 * abs(cpu + waited)
    if abs(cpu) < little:
        return ""
    if abs(waited) < little:
        was, stays = (show_seconds(waits_s, longest_s) for waits_s in (before_s, after_s))
        return f" (all of it CPU{f'; the waits stay at {stays}' * bool(after_s and stays == was)})"
    return f" (waiting {_signed(waited, longest_s)}, CPU {_signed(cpu, longest_s)})"


def _signed(change_s: float, longest_s: float) -> str:
    return ("-" if change_s < 0 else "+") + show_seconds(abs(change_s), longest_s)


def _processor_work(
    name: str, change: ComponentChange, base: RunResult, other: RunResult, pair: ScenarioPair | None
) -> str:
    effect_text = effect(change, " of CPU")
    fetch = base.calls.get("fetch"), other.calls.get("fetch")
    counts = 0.0, 0.0
    if fetch[0] is not None and fetch[1] is not None:
        counts = (fetch[0].count, fetch[1].count) if name == CALLS else (fetch[0].rows, fetch[1].rows)
    if name == CALLS and differs(*counts):
        return f"fetch calls {from_to(*counts)}, which {effect_text}"
    if name == FETCH and differs(*counts):
        return f"rows returned {from_to(*counts)}, which {effect_text}"
    lengths = _row_bytes(base), _row_bytes(_alone(pair, other))
    if name == WALK and differs(*lengths):
        length = f"{show_number(lengths[0], 4)} to {show_number(lengths[1], 4)} bytes"
        return f"walking the rows, {length} long, {takes(change)}, which {effect_text}"
    what = {
        WALK: "walking the rows",
        FETCH: "putting rows into the array",
        CALLS: "answering calls",
        SERVERS: f"the CPU work of each of {other.time.servers:,.0f} parallel servers"
        if other.time.servers
        else "the CPU work of one session",
    }[name]
    return f"{what} {takes(change)}, which {effect_text}"


def _client(name: str, change: ComponentChange, base: RunResult, other: RunResult) -> str:
    trips = _waits(base, FROM_CLIENT), _waits(other, FROM_CLIENT)
    if name == CLIENT:
        if differs(*trips):
            effect_text = effect(change, " waiting for the client")
            return f"round trips to the client {from_to(*trips)}, which {effect_text}"
        waited = from_to(change.before_s, change.after_s, show_seconds)
        return f"waiting for the client {waited}{_works_meanwhile(change, base, other)}"
    effect_text = effect(change, " of sending")
    sent = _messages(base), _messages(other)
    if differs(*sent):
        return f"SQL*Net messages and more data to the client {from_to(*sent)}, which {effect_text}"
    return f"sending to the client {from_to(change.before_s, change.after_s, change.show)}, which {effect_text}"


def _works_meanwhile(change: ComponentChange, base: RunResult, other: RunResult) -> str:
    """Why a client takes another time for as many round trips, where more messages of an array are the reason."""
    more = _waits(base, MORE_DATA), _waits(other, MORE_DATA)
    if not differs(*more) or (more[1] > more[0]) == (change.change_s > 0):
        return ""
    works = "it works on the first part of an array while the server sends the rest"
    if more[1] < more[0]:
        works = "less of an array is sent while it works on the first part"
    return f": {works} (SQL*Net more data to client {from_to(*more)})"


def _messages(result: RunResult) -> float:
    return _waits(result, TO_CLIENT) + _waits(result, MORE_DATA)


def path(result: RunResult) -> str:
    """How the blocks are read, without the reason."""
    return result.access.partition(":")[0]


def _reason(result: RunResult) -> str:
    reason = result.access.partition(":")[2].strip()
    return f" ({reason})" if reason else ""


def _gets_of(result: RunResult) -> float:
    """Consistent gets without those of undo, which have a cause of their own."""
    gets = result.logical_io
    return gets.consistent_gets - (gets.undo_gets or 0.0) if gets else 0.0


def _row_bytes(result: RunResult) -> float:
    return result.segment.row_bytes if result.segment else 0.0


def _fetches(result: RunResult) -> float:
    fetch = result.calls.get("fetch")
    return fetch.count if fetch else 0.0


def _waits(result: RunResult, event: str) -> float:
    waited = result.time.wait.get(event)
    return waited.waits if waited else 0.0
