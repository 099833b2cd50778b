"""How far an instant estimate may be off: the regime of a scenario, and what random scenarios of it showed."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from blocktime.model.demand.host_limits import paces_slices
from blocktime.model.demand.transactions import DATA, REDO, ROUNDS_OF_USERS, run_transactions
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.results import Accuracy, RunResult
from blocktime.model.spec import System, Workload

TABLE = Path(__file__).with_name("accuracy.toml")
"""Residuals by kind and regime; ``python -m tools.residuals`` writes it."""
ALL = "all"
"""The regime that stands for a whole kind, where its own was sampled too seldom."""
FAR_FRACTION = 0.15
"""An answer is an estimate, and warns of it, where more than one of 20 such cases may lie farther off than this."""
ESTIMATE_FRACTION = 0.2
"""The same of a bound of 95 % of all such cases, where the table does not say how many lay far off."""


class EstimatedCase(NamedTuple):
    """A scenario with its instant estimate."""

    system: System
    work: Any
    result: RunResult
    exact: bool

    @property
    def positions(self) -> bool:
        """Whether the device's heads move."""
        disk = self.system.disk
        return disk.rotation_s > 0 or disk.average_seek_s > 0

    @property
    def is_set(self) -> bool:
        """Whether the device is a RAID set."""
        return self.system.disk.raid_level != "none"

    @property
    def is_paced(self) -> bool:
        """Whether the device lets so many requests or bytes a second through."""
        disk = self.system.disk
        return disk.iops_limit is not None or disk.throughput_limit_bytes_per_s is not None

    @property
    def busy(self) -> float:
        """Share of its capacity that is taken of the busiest device."""
        return busiest_fraction(self.result)

    @property
    def path(self) -> str:
        """How the files are opened."""
        return str(self.work.opened_as(self.system))

    @property
    def cached(self) -> bool:
        """Whether it goes through the page cache."""
        return self.path not in UNBUFFERED

    @property
    def arrives(self) -> bool:
        """Whether the work arrives at a rate."""
        return bool(self.work.rate_per_s is not None)

    @property
    def arrivals(self) -> bool:
        """Whether the work arrives at a rate, or a stream beside it does."""
        return any(calls.rate_per_s is not None for calls in (self.work, *self.work.beside))

    @property
    def overlaps(self) -> bool:
        """Whether calls of a stream are under way at a time."""
        in_flight = 1 if self.cached else self.work.in_flight  # io_submit to a page cache waits
        return bool(self.arrives or self.work.users * in_flight > 1)

    @property
    def syncs(self) -> bool:
        """Whether a stream's writes are waited for."""
        return bool(self.path != "buffered" or self.work.fsync_every)

    @property
    def calls_in_time(self) -> float | None:
        """Calls of a stream that its run time ends; None of others, and where calls arrive."""
        streams, ends_s = self.result.streams, getattr(self.work, "runtime_s", None)
        if not streams or ends_s is None or self.arrives:
            return None
        return streams[0].calls if streams[0].elapsed_s >= ends_s else None

    @property
    def saturated(self) -> bool:
        """Whether transactions come as fast as the first resource to saturate can serve them."""
        transaction_stats = self.result.transactions
        if transaction_stats is None:
            return False
        return bool(
            transaction_stats.per_s >= SATURATED * transaction_stats.saturation_per_s
            or self.busy >= SATURATED
        )

    @property
    def in_order(self) -> bool:
        """Whether a stream's calls follow each other on the device."""
        return bool(self.work.pattern != "random")


class Regime(NamedTuple):
    """Scenarios that the closed form answers about equally well: a noun phrase, why, and which they are."""

    name: str
    why: str
    holds: Callable[[EstimatedCase], bool]


class RegimeResiduals(NamedTuple):
    """What random scenarios of one kind and regime showed: simulated time over estimated time, and bounds from it."""

    n: int
    median: float
    longest: float
    """The largest ratio of simulated to estimated time."""
    shortest: float
    within_fraction: float
    factor: float
    usual_fraction: float | None = None
    """Within which 95 % of such cases lie, as far as so few can tell: of k beyond it (k + 1)/(n + 2) [laplace-1814]."""

    def seen(self, times: float) -> float:
        """The relative distance of a ratio of times above 1, as far as a few cases can tell; 0 below it."""
        return margin(self.n) * max(0.0, times - 1)


def margin(n: int) -> float:
    """How much farther than the worst of *n* cases an estimate may lie by what it declares: less for more cases."""
    return 1 + 10 / math.sqrt(n)


def busiest_fraction(result: RunResult) -> float:
    """Share of its capacity that is taken of the busiest device; of other work than transactions iostat's %util."""
    if result.transactions is not None:
        used = result.transactions.utilisation.items()
        return max((share for name, share in used if name == REDO or name.startswith(DATA)), default=0.0)
    return max((device.utilisation_fraction for device in result.device.values()), default=0.0)


EXACT = Regime("one session, nothing queues", "Both engines add up the same times.", lambda case: case.exact)
OF_STATEMENTS = (
    Regime(
        "one session, few asynchronous reads",
        "The estimate is exact to within a read or two.",
        lambda case: (
            case.exact
            and "direct path read" in case.result.time.wait
            and case.result.physical_io.read_requests < MANY_READS
        ),
    ),
    EXACT,
    Regime(
        "one session, some blocks cached",
        "Chance decides which blocks are cached, and therefore which reads are sequential.",
        lambda case: case.work.sessions == 1 and 0 < case.system.table.cached_fraction < 1,
    ),
    Regime(
        "one session, solid-state device",
        "The estimate gives every read the same time.",
        lambda case: case.work.sessions == 1 and not case.positions and not case.cached,
    ),
    Regime(
        "one session, page cache",
        "Pages are read ahead in windows while the session works.",
        lambda case: case.work.sessions == 1 and case.cached,
    ),
    Regime(
        "one session, RAID set of rotating disks",
        "Read-ahead of the RAID members decides which of them seek.",
        lambda case: case.work.sessions == 1 and case.is_set,
    ),
    Regime(
        "one session, few reads of a rotating disk",
        "The time of the few reads depends on where the heads start and on what the first read caches.",
        lambda case: case.work.sessions == 1 and case.result.physical_io.read_requests < FEW_READS,
    ),
    Regime(
        "one session, rotating disk",
        "The time of a read depends on where the heads are.",
        lambda case: case.work.sessions == 1,
    ),
    Regime(
        "several sessions, no reads",
        "The sessions share only the processors.",
        lambda case: not case.result.device,
    ),
    Regime(
        "several sessions, few reads left by the cache",
        "Chance decides which blocks are cached, and each session reads only a few blocks.",
        lambda case: (
            0 < case.system.table.cached_fraction < 1 and case.result.physical_io.read_requests < FEW_READS
        ),
    ),
    Regime(
        "several sessions, device seldom busy",
        "The sessions share the processors, and rarely use the device at the same time.",
        lambda case: case.busy < BUSY,
    ),
    Regime(
        "several sessions, solid-state device",
        "CPU and device times vary from call to call.",
        lambda case: not case.positions,
    ),
    Regime(
        "several sessions share rows, rotating disks",
        "Each session reads little, and seek distances depend on the order of the reads.",
        lambda case: case.work.plays_rows,
    ),
    Regime(
        "several sessions, rotating disks",
        "Seek distances depend on the order in which the sessions read.",
        lambda case: True,
    ),
)
OF_STREAMS = (
    EXACT,
    Regime(
        "calls that arrive at a busy device",
        "Calls arrive almost as fast as the device serves them, or faster, so chance decides how long the queue is.",
        lambda case: case.arrivals and case.busy >= NEARLY_FULL,
    ),
    Regime(
        "several streams on rotating disks",
        "Several streams share the device, and each causes seeks for the others.",
        lambda case: bool(case.work.beside) and case.positions,
    ),
    Regime(
        "several streams, this one in sequence",
        "Several streams share the device, and their order decides what is read ahead, merged or written back.",
        lambda case: bool(case.work.beside) and case.in_order,
    ),
    Regime(
        "several streams, this one at random places",
        "Several streams share the device.",
        lambda case: bool(case.work.beside),
    ),
    Regime(
        "RAID set of rotating disks, one call at a time",
        "Read-ahead of the RAID members decides which of them seek.",
        lambda case: case.is_set and case.positions and not case.overlaps,
    ),
    Regime(
        "RAID set of rotating disks",
        "Read-ahead of the RAID members, and which of them are idle, decide which members seek.",
        lambda case: case.is_set and case.positions,
    ),
    Regime(
        "calls in sequence that arrive, page cache",
        "Calls arrive at random, and the page cache writes back and reads ahead in bursts.",
        lambda case: case.arrives and case.cached and case.in_order,
    ),
    Regime(
        "calls at random places that arrive, page cache",
        "Calls arrive at random, and those that sync share the journal.",
        lambda case: case.arrives and case.cached,
    ),
    Regime(
        "calls that arrive from several programs",
        "Calls of several programs arrive at random, and the last program ends late.",
        lambda case: case.arrives and case.work.users > 1,
    ),
    Regime(
        "calls that arrive",
        "Chance decides how many calls meet at the device.",
        lambda case: case.arrives,
    ),
    Regime(
        "several programs in sequence, rotating disks",
        "Seek distances depend on the order of the programs' calls.",
        lambda case: case.overlaps and case.positions and case.in_order,
    ),
    Regime(
        "calls in flight, rotating disks",
        "The scheduler and the drive sort calls that wait together.",
        lambda case: case.overlaps and case.positions,
    ),
    Regime(
        "several programs that sync, page cache",
        "Several programs share the page cache, and commit together or one by one.",
        lambda case: case.cached and case.work.writes and case.overlaps and case.syncs,
    ),
    Regime(
        "page cache, some pages cached",
        "What the program waits for depends on which read-ahead windows are cached.",
        lambda case: (
            case.cached and not case.work.writes and 0 < case.system.host.page_cache_hit_fraction < 1
        ),
    ),
    Regime(
        "several programs, page cache",
        "Several programs share the page cache and the processors.",
        lambda case: case.cached and case.overlaps,
    ),
    Regime(
        "page cache, reads in sequence",
        "The kernel reads ahead of the program.",
        lambda case: case.cached and case.in_order and not case.work.writes,
    ),
    Regime(
        "page cache, write-back",
        "The kernel writes back in bursts.",
        lambda case: case.cached and case.path == "buffered" and case.work.writes,
    ),
    Regime(
        "page cache, random reads or synchronous writes",
        "The program waits for each of its calls.",
        lambda case: case.cached,
    ),
    Regime(
        "calls in flight, solid-state device",
        "Calls queue, and the estimate has only the mean queue.",
        lambda case: case.overlaps,
    ),
    Regime(
        "one call at a time",
        "Caches, burst credits and RAID members make the time of single calls vary.",
        lambda case: True,
    ),
)
OF_TRANSACTIONS = (
    Regime(
        "cold buffer cache",
        "The estimate assumes a warm buffer cache.",
        lambda case: case.work.begins == "cold",
    ),
    Regime(
        "fewer than ten transactions of each user",
        "The estimate is for a long run; this run ends before its slow transactions do.",
        lambda case: not case.arrives and run_transactions(case.work) < ROUNDS_OF_USERS * case.work.users,
    ),
    Regime(
        "volume with limits",
        "The limits of the volume set the pace, so chance has little effect.",
        lambda case: case.is_paced,
    ),
    Regime(
        "saturated system, write cache",
        "The estimate is for a long run; a short run ends before the write cache is full.",
        lambda case: case.saturated and case.system.disk.write_cache_bytes > 0,
    ),
    Regime(
        "saturated system, solid-state device",
        "The estimate is for a long run; a short run ends before DBWR falls behind.",
        lambda case: case.saturated and not case.positions,
    ),
    Regime(
        "saturated system, disk",
        "The estimate is for a long run; a short run ends before DBWR falls behind.",
        lambda case: case.saturated,
    ),
    Regime(
        "users in step",
        "Users with equal think times synchronize: their requests avoid each other, or arrive all at once.",
        lambda case: (
            not case.arrives
            and case.work.users > 1
            and (case.work.think_s == 0 or case.work.think_cv < IN_STEP)
        ),
    ),
    Regime(
        "busy disk",
        "DBWR writes in bursts, and reads of several users arrive together.",
        lambda case: case.busy > BUSY,
    ),
    Regime(
        "solid-state device that is seldom busy",
        "Few requests queue, and chance decides which.",
        lambda case: not case.positions,
    ),
    Regime(
        "RAID set that is seldom busy",
        "Few requests queue, and chance decides at which RAID member.",
        lambda case: case.is_set,
    ),
    Regime("disk that is seldom busy", "Few requests queue, and chance decides which.", lambda case: True),
)
OF_PROGRAMS = (
    Regime(
        "several programs on a rotating disk",
        "Each program causes seeks for the others, and the estimate has only mean values.",
        lambda case: case.positions,
    ),
    Regime(
        "several programs on a solid-state device",
        "Chance decides when the programs use the processors and the device at the same time.",
        lambda case: True,
    ),
)
SATURATED = 0.95
BUSY = 0.5
NEARLY_FULL = 0.75
FEW_READS = 10
MANY_READS = 500
"""Of so many reads one or two are less than half a per cent of the time."""
IN_STEP = 0.5


REGIMES = {
    "statements": OF_STATEMENTS,
    "streams": OF_STREAMS,
    "transactions": OF_TRANSACTIONS,
    "programs": OF_PROGRAMS,
}
"""Family of kinds -> its regimes in order: a scenario belongs to the first that holds."""


def regime_of(case: EstimatedCase, family: str) -> Regime:
    """The regime that a scenario of a *family* of kinds belongs to."""
    return next(regime for regime in REGIMES[family] if regime.holds(case))


@cache
def table() -> dict[tuple[str, str], RegimeResiduals]:
    """Kind, or family of kinds, and regime -> what random scenarios showed."""
    kinds = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {
        (kind, regime): RegimeResiduals(**row)
        for kind, regimes in kinds.items()
        for regime, row in regimes.items()
    }


def is_estimate(accuracy: Accuracy | None) -> bool:
    """Whether an answer may well be so far off that it counts as an estimate; a simulated one is none."""
    if accuracy is None:
        return False
    if accuracy.usual_fraction is None:
        return accuracy.within_fraction > ESTIMATE_FRACTION
    return accuracy.usual_fraction > FAR_FRACTION


def with_accuracy(
    system: System, work: Workload, result: RunResult, family: str, *, exact: bool
) -> RunResult:
    """*result*, an instant estimate, with how far it may be off; an estimate warns of it first."""
    regime = regime_of(case := EstimatedCase(system, work, result, exact), family)
    residual = next(
        near
        for place in ((work.kind, regime.name), (family, regime.name), (work.kind, ALL))
        if (near := table().get(place))
    )
    accuracy = Accuracy(
        within_fraction=residual.within_fraction,
        factor=residual.factor,
        usual_fraction=residual.usual_fraction,
        regime=regime.name,
        why=regime.why,
        shorter_fraction=min(residual.within_fraction, residual.seen(1 / residual.shortest)),
        longer_fraction=min(residual.within_fraction, residual.seen(residual.longest)),
        calls=case.calls_in_time,
    )
    warnings = [*result.warnings, *paces_slices(system.disk)]
    if is_estimate(accuracy):
        what = "response time" if result.transactions else "time" if accuracy.calls is None else "number"
        text = f"A simulation would give a {what} of {accuracy.usual_span(result.time)}"
        warnings = [f"{text} in 95 % of such cases. {regime.why}", *warnings]
    return result.model_copy(update={"accuracy": accuracy, "warnings": warnings})
