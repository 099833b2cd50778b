"""From a simulated run of transactions to the mean one: the warm-up left out, with intervals and percentiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blocktime.model import causes
from blocktime.model.closing import close, device_of, devices, percentiles
from blocktime.model.demand import transaction_demand
from blocktime.model.demand.transaction_demand import CPUS, DBWR, REDO, data_disk_name
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.model.results import (
    SIMULATION,
    DeviceStats,
    EventTime,
    Interval,
    ResponseLine,
    RunResult,
    TransactionKind,
)
from blocktime.model.sim.data_files import Files
from blocktime.model.spec import System, Transactions
from blocktime.model.units import show_number, show_seconds
from blocktime.model.workloads.steady import CONFIDENCE, MeanEstimate, estimate, warm_up_batches
from blocktime.model.workloads.transactions.books import Mean, Rates, figures_of, reads_by_size
from blocktime.model.workloads.transactions.expected_run import ExpectedRun, credit_warnings
from blocktime.model.workloads.transactions.tally import (
    ARCHIVING,
    BUSY,
    FREE,
    INCOMPLETE,
    LATCH,
    OTHER,
    PARALLEL,
    READ,
    SCAN,
    SPACE,
    SYNC,
    Sum,
    Tally,
)

NAMES = {
    READ: causes.SEQUENTIAL,
    PARALLEL: causes.PARALLEL,
    SCAN: causes.SCATTERED,
    SYNC: causes.LOG_FILE_SYNC,
    SPACE: causes.LOG_SPACE,
    INCOMPLETE: causes.CHECKPOINT_INCOMPLETE,
    ARCHIVING: causes.ARCHIVING_NEEDED,
    LATCH: causes.LATCH,
    BUSY: causes.BUFFER_BUSY,
    OTHER: causes.OTHER_SESSION,
    FREE: causes.FREE_BUFFERS,
}
"""Wait events as Oracle calls them."""

FEW = 10
"""Transactions of each user, or of a kind, below which a run says too little."""


@dataclass(slots=True)
class RunSoFar:
    """A run so far."""

    expected: ExpectedRun
    method: str
    """Which way it was played."""
    seed: int
    tally: Tally
    batch: int
    """Transactions between two marks."""
    marks: NDArray[np.float64]
    devices: dict[str, Files]
    redo: Files | None
    end_s: float
    whole: bool = False
    """Whether all of it counts: programs beside it that end are no warm-up."""
    goes_on: bool = False
    """Whether more of it is played for a narrower interval."""
    limit: str = ""
    """The limit that ended it before it was as precise as wanted."""

    def batch_responses(self) -> tuple[int, NDArray[np.float64]]:
        """Batches of the warm-up, and the mean response of each batch after it."""
        batches = len(self.tally.responses_s) // self.batch
        took = np.frombuffer(self.tally.responses_s, dtype=float)[: batches * self.batch].copy()
        means = took.reshape(batches, self.batch).mean(axis=1)
        # NOTE: all that wait for one write end at one moment; a rate is that of a span
        last_moment = int(np.searchsorted(self.marks[:, Sum.NOW], self.marks[-1, Sum.NOW]))
        left_out = 0 if self.whole else min(warm_up_batches(means), max(0, last_moment - 1))
        return left_out, means[left_out:]

    def lines(self, least_s: float) -> list[ResponseLine]:
        """The response over time, in intervals of whole batches that last at least *least_s* seconds."""
        moments, took = self.marks[:, Sum.NOW], np.frombuffer(self.tally.responses_s, dtype=float)
        lines: list[ResponseLine] = []
        first = 0
        for last in range(1, len(moments)):
            if moments[last] - moments[first] >= least_s:
                begin_s, mean_s = float(moments[first]), float(took[first * self.batch : last * self.batch].mean())
                line = ResponseLine(begin_s=begin_s, interval_s=float(moments[last]) - begin_s, response_s=mean_s)
                first = last
                lines.append(line)
        return lines

    def mean_response(self) -> MeanEstimate:
        """The mean response and its interval.

        Each kind comes as often as its share says, so the difference between kinds is no error [cochran-1977]: the
        means of its kinds are subtracted from each batch, unless few of a kind came. The deviation of the mix from the
        shares widens the interval.
        """
        left_out, means = self.batch_responses()
        parts, begin, end = self.expected.parts, left_out * self.batch, (left_out + means.size) * self.batch
        kinds = np.frombuffer(self.tally.kinds, dtype=np.int8)[begin:end]
        took = np.frombuffer(self.tally.responses_s, dtype=float)[begin:end]
        counts = np.bincount(kinds, minlength=len(parts.kinds))
        of_kind = np.bincount(kinds, took, len(parts.kinds)) / np.maximum(counts, 1)
        of_kind = np.where(counts < FEW, means.mean(), of_kind)
        by_kind = of_kind[kinds].reshape(-1, self.batch).mean(axis=1)
        by_shares = float(of_kind @ np.array([float(kind.share) for kind in parts.kinds]))
        strayed = abs(float(by_kind.mean()) - by_shares)
        mean, below, above = estimate(means - by_kind + by_kind.mean())
        return MeanEstimate(mean, below + strayed, above + strayed)


def result_of(
    name: str, system: System, work: Transactions, played: RunSoFar, behind: int = 0, queued: int = 0
) -> RunResult:
    """The books of the run; in its last part DBWR left *behind* dirty blocks, and *queued* more transactions waited."""
    left_out, responses = played.batch_responses()
    sums = played.marks[-1] - played.marks[left_out]
    count = len(responses) * played.batch
    span_s = float(sums[Sum.NOW])
    each = sums / count
    per_s = count / span_s
    first = left_out * played.batch
    took = np.frombuffer(played.tally.responses_s, dtype=float)[first : first + count].copy()
    kinds = np.frombuffer(played.tally.kinds, dtype=np.int8)[first : first + count].copy()
    response = played.mean_response()
    between = estimate(np.diff(played.marks[left_out:, Sum.NOW]) / played.batch)
    mean = Mean(
        how=SIMULATION,
        method=played.method,
        response_s=float(took.mean()),
        cpu=_cpu(system, played, each, kinds),
        waits=_waits(played, each),
        run_queue_s=float(each[Sum.QUEUE]),
        gets=_gets(played, kinds) + float(each[Sum.UNDO]),
        current_gets=_mean_of(played, kinds, "changed_blocks"),
        misses=float(each[Sum.MISSES]),
        read_requests=_requests(played, each),
        read_bytes=float(each[Sum.MISSES]) * played.expected.parts.data.block_size_bytes,
        written_blocks=float(each[Sum.WRITTEN]),
        per_s=per_s,
        device=_devices(played),
        kinds=_kinds(played, took, kinds, per_s),
        percentiles=percentiles(took),
        response_interval=_response_interval(response),
        per_s_interval=_rate_interval(between),
        measured=count,
        warm_up=first,
        unwritten_blocks=behind or None,
        seed=played.seed,
        warnings=[
            *credit_warnings(played.expected),
            *([] if played.goes_on else _warnings(work, played, response)),
            *_left_for_later(behind, span_s),
            *_more_arrive(work, queued),
        ],
    )
    for event, waits, seconds in ((causes.FROM_CLIENT, "trips", "trips_s"), (causes.STATED, "", "stated_wait_s")):
        if total_s := _mean_of(played, kinds, seconds):
            times = _mean_of(played, kinds, waits) if waits else 1.0
            mean.waits[event] = EventTime(waits=times, max_s=total_s / times, total_s=total_s)
    rates = _rates(played, _utilisation(played, each, per_s, mean.device), per_s, float(sums[Sum.LOG_WRITES]) / span_s)
    return close(name, system, work, figures_of(system, work, mean, rates))


def _rates(played: RunSoFar, utilisation: dict[str, float], per_s: float, log_writes_per_s: float) -> Rates:
    """What the run used, and what it could do at most."""
    cores = played.expected.lasting.system.host.cores
    left = {CPUS: cores.left_fraction(utilisation[CPUS])}
    bounds = played.expected.bounds.of_run(per_s, utilisation | left)
    return Rates(
        utilisation=utilisation,
        bottleneck=bounds.bottleneck,
        saturation_per_s=bounds.ceiling_per_s,
        saturation_users=bounds.saturation_users,
        log_writes_per_s=log_writes_per_s,
    )


def _response_interval(response: MeanEstimate) -> Interval | None:
    """The interval of the mean response; None where nothing tells it."""
    if not np.isfinite(response.half):
        return None
    low_s, high_s = max(0.0, response.mean - response.below), response.mean + response.above
    return Interval(low_s=low_s, high_s=high_s, confidence=CONFIDENCE)


def _rate_interval(between: MeanEstimate) -> tuple[float, float] | None:
    """The interval of the throughput, by the mean time *between* two ends; None where nothing tells it."""
    if not np.isfinite(between.half):
        return None
    return 1 / max(between.mean + between.above, 1e-12), 1 / max(between.mean - between.below, 1e-12)


def _mean_of(played: RunSoFar, kinds: NDArray[np.int8], name: str) -> float:
    """Mean of a number of the kinds, as they came."""
    values = np.array([float(getattr(kind, name)) for kind in played.expected.parts.kinds])
    return float(values[kinds].mean())


def _gets(played: RunSoFar, kinds: NDArray[np.int8]) -> float:
    return _mean_of(played, kinds, "gets") + _mean_of(played, kinds, "scan_blocks")


def _cpu(system: System, played: RunSoFar, each: NDArray[np.float64], kinds: NDArray[np.int8]) -> dict[str, float]:
    """CPU by cause; a hardware thread that shares its core takes longer for all of it."""
    host = system.host
    values = {
        cause: np.array([float(kind.cpu[cause]) for kind in played.expected.parts.kinds])
        for cause in played.expected.parts.kinds[0].cpu
    }
    cpu = {cause: float(value[kinds].mean()) for cause, value in values.items()}
    cpu[transaction_demand.READS] = float(each[Sum.REQUESTS]) * stated_call_s(host.read_call_s)
    for cause, seconds in transaction_demand.block_cpu_s(system).items():
        cpu[cause] = float(each[Sum.MISSES]) * seconds
    cpu[causes.UNDO] = float(each[Sum.UNDO]) * host.logical_io_s
    cpu[transaction_demand.SPINS] = float(each[Sum.SPIN])
    known = sum(cpu.values())
    longer = float(each[Sum.CPU]) / known if known else 1.0
    return {cause: seconds * longer for cause, seconds in cpu.items()}


def _waits(played: RunSoFar, each: NDArray[np.float64]) -> dict[str, EventTime]:
    return {
        name: EventTime(
            waits=float(each[Sum.WAITS + event]),
            max_s=played.tally.longest_s[event],
            total_s=float(each[Sum.WAITED_S + event]),
        )
        for event, name in NAMES.items()
        if each[Sum.WAITED_S + event] > 0
    }


def _requests(played: RunSoFar, each: NDArray[np.float64]) -> dict[int, float]:
    """Blocks of a read -> reads."""
    multiblock = float(each[Sum.WAITS + SCAN])
    single = float(each[Sum.REQUESTS]) - multiblock
    return reads_by_size(single, multiblock, float(each[Sum.MISSES]) - single)


def _kinds(played: RunSoFar, took: NDArray[np.float64], kinds: NDArray[np.int8], per_s: float) -> list[TransactionKind]:
    transaction_kinds = []
    for number, kind in enumerate(played.expected.parts.kinds):
        times = took[kinds == number]
        if not times.size:
            continue
        transaction_kinds.append(
            TransactionKind(
                name=kind.name,
                per_s=per_s * times.size / took.size,
                response_s=float(times.mean()),
                response_percentiles=percentiles(times),
                consistent_gets=float(kind.gets + kind.scan_blocks),
                current_gets=float(kind.changed_blocks),
                read_blocks=float(kind.drawn_gets + kind.scan_blocks) * (1 - played.expected.parts.hit),
            )
        )
    return transaction_kinds


def _devices(played: RunSoFar) -> dict[str, DeviceStats]:
    """Each device over the whole run; of the requests that are done, as others are under way when it ends."""
    return devices(
        **{
            name: device_of(files.finish(played.end_s), played.end_s)
            for name, files in (*played.devices.items(), ("redo", played.redo))
            if files is not None
        }
    )


def _utilisation(
    played: RunSoFar, each: NDArray[np.float64], per_s: float, device: dict[str, DeviceStats]
) -> dict[str, float]:
    """Busy share of each resource; of a disk that serves several requests at once, from their number and time."""
    parts = played.expected.lasting
    busy = {CPUS: parts.system.host.cores.busy_fraction(float(each[Sum.CPU]) * per_s)}
    disks = {data.name: data_disk_name(data.name) for data in parts.devices}
    for name, label in (disks | {"redo": REDO}).items():
        if name in device:
            busy[label] = device[name].utilisation_fraction
    reads, written = float(each[Sum.REQUESTS]) * parts.on_disk, float(each[Sum.WRITTEN])
    for data in parts.devices:
        if data.disk.servers > 1 and data.name in device:
            busy_s = data.share * (reads * data.disk.read_busy_s + written * data.disk.write_busy_s)
            busy[disks[data.name]] = min(1.0, per_s * busy_s)
    if played.expected.bounds.bottleneck == DBWR:
        busy[DBWR] = min(1.0, max(per_s * written * data.share / data.disk.writer_per_s for data in parts.devices))
    return busy


def _left_for_later(behind: int, span_s: float) -> list[str]:
    if not behind:
        return []
    return [
        f"DBWR does not keep up: {behind:,} blocks became dirty that it has not written within {show_seconds(span_s)}; "
        "in the long run throughput falls and sessions wait for free buffers, which more transactions would show"
    ]


def _more_arrive(work: Transactions, queued: int) -> list[str]:
    if not queued:
        return []
    return [
        f"workload.rate_per_s {work.rate_per_s:g} is more than the system does: {queued:,} more transactions wait than "
        "before, the queue grows as long as they arrive, and times depend on how many there are; lower the rate"
    ]


def _warnings(work: Transactions, played: RunSoFar, response: MeanEstimate) -> list[str]:
    if work.transactions is not None and work.rate_per_s is None and work.transactions < FEW * work.users:
        return [
            f"{work.transactions:,} transactions of {work.users:,} users are too few: those that take long have not "
            f"ended, so response and throughput look better than they are; simulate {FEW * work.users:,} or more"
        ]
    if np.isfinite(response.half) and response.half <= work.precision_percent / 100 * response.mean:
        return []
    if work.transactions is not None:
        return []
    reach = f"{show_number(100 * response.half / response.mean, 3)} % to either side"
    wanted = f"not the {work.precision_percent:g} % wanted"
    if played.limit:
        return [
            f"the interval of the mean response is {reach}, {wanted}: {played.limit}; raise the limit "
            "(--max-est-exec-time), or ask for less precision"
        ]
    return [f"the interval of the mean response is {reach} after the longest run, {wanted}"]
