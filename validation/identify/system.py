"""A scenario of the user's own system: the fields that a report determines, each with its lines and interval.

The system is a closed one: as many users as were active on average, who pause so little that throughput and DB time
are those of the report. What the model does not make of DB time stands there among other waits, kept as measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import Any, Final, cast

from blocktime.model.causes import (
    BUFFER_BUSY,
    DIRECT,
    FREE_BUFFERS,
    LATCH,
    LOG_FILE_SYNC,
    PARALLEL,
    RUN_QUEUE,
    SCATTERED,
    SEQUENTIAL,
)
from blocktime.model.demand.transaction_demand import curve_classes
from blocktime.model.errors import BlocktimeError
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.model.laws.commit import LOG_BLOCK_BYTES
from blocktime.model.laws.opened_files import WITHOUT_FILESYSTEM, database_path
from blocktime.model.laws.processors import thread_speed
from blocktime.model.loops import fastest
from blocktime.model.spec import Host, Instance, Transactions
from blocktime.model.units import MIB, show_bytes, show_data, show_number, show_seconds, show_share
from blocktime.model.workloads.transactions.parts import parts_of
from blocktime.model.workloads.transactions.write_rates import due_at
from blocktime.scenarios import from_mapping, run
from blocktime.scenarios.measured import (
    CPU,
    DB_TIME,
    DISK_BYTES,
    HOST_BUSY,
    PARALLEL_WAIT,
    READ_ON,
    READ_REQUESTS,
    READ_WAIT,
    REPRODUCES,
    SYNC_WAIT,
    TRANSACTIONS,
    WRITES,
    figure_in,
)
from blocktime.scenarios.why_words import listed
from blocktime.validation.identify.advisory import Curve, curve_of
from blocktime.validation.identify.calibrated_volume import CalibratedLimits, calibration_of, identify_volume
from blocktime.validation.identify.fio_drive import identify_device
from blocktime.validation.identify.hours import TransactionArrivals, arrivals_of, checked
from blocktime.validation.identify.identified_scenario import (
    IdentifiedScenario,
    NotIdentified,
    RefusedReport,
    ScenarioBuilder,
)
from blocktime.validation.identify.intervals import busiest, fit_disk, hours_of, model_hours, thinking_users
from blocktime.validation.identify.limit import LOG_BUFFER, LOG_WRITE, DeviceLimit, histogram, limit_of, log_pace
from blocktime.validation.identify.other_requests import OtherRequests, other_requests
from blocktime.validation.identify.report import CPU as CPU_TIME
from blocktime.validation.identify.report import Report, reads_at_once
from blocktime.validation.identify.unsupported_reports import CLUSTER, check
from blocktime.validation.instruments import Figure, Reading

BASE: Final = "oltp-nvme"
OPTIONS: Final = ("none", "asynch", "directio", "setall")
"""Values of FILESYSTEMIO_OPTIONS."""
BASE_MEMORY_BYTES: Final = 64 << 30
ASSUMED_CACHE_BYTES: Final = 1 << 30
MOST_DATA_BYTES: Final = 1 << 46
REWRITES: Final = 3
CARRIES: Final = 3
SAME_USERS: Final = 0.1
"""Transactions that programs beside them slow down by more tell that nobody knows how both share the disk."""
FEWEST_CARRIED: Final = 1000
"""Transactions of a run that settles how often programs beside them ask."""
SAME_RATE: Final = 0.03
"""The programs beside the users ask for as many requests as measured where they differ by less."""
SETTLES: Final = 4
MORE_THAN_ONE: Final = 2
CROWDED: Final = 0.3
"""Busy part of the host from which on sessions share cores and wait for them in the model."""
MOST_VOLUMES: Final = 64
"""Devices that a scenario may have."""
LEAST_ACTIVE: Final = 0.05
"""Average active sessions below which an hour was idle."""
MOST_BESIDE: Final = 0.02
"""Share of DB time that may be made of waits which only some of the transactions have."""
TELLS: Final = 0.1
"""Share of DB time from which on waits that the model does not make are told of."""
DIRECT_PATH: Final = "direct path"
"""Begin of the events of I/O past the buffer cache."""
MODELLED_READS: Final = (SEQUENTIAL, SCATTERED, PARALLEL)
MOST_READS: Final = 0.8
"""Share of all reads that sessions wait for one by one; below it the others are told of."""
HOTTEST_BLOCKS: Final = 4096
"""So many that nobody waits for another: the report's waits for busy blocks are among the stated ones."""
FEWEST_HOTTEST: Final = 16
BANDWIDTH_BYTES_PER_S: Final = 2e9
"""No limit: a block takes 4 µs of it, which a measured read holds."""
MOST_OF_BANDWIDTH: Final = 0.01
"""Part of the bandwidth that the bytes of a report use, so that no request waits for another's transfer."""
LATENCY_DIGITS: Final = 4
COUNTED_READS: Final = 4300
"""So many are by chance within 3 % of their mean, 1.96/√n, in 95 of 100 runs."""
FEWEST_COUNTED: Final = COUNTED_READS / 10
"""Fewer reads tell nothing of how many there are, however long the run."""
FEWEST_TRANSACTIONS: Final = 4000
"""A run has as many where nothing is said."""
MOST_TRANSACTIONS: Final = 256_000
MOST_PLAYED_GETS: Final = 5e7
CHECKPOINT_S: Final = float(Instance().checkpoint_s)
LEAST_CHECKPOINT_S: Final = 1.0
MOST_CHECKPOINT_S: Final = 86_400.0
"""What a scenario may state."""


def identify(readings: Sequence[Reading], rpm: float | None = None) -> IdentifiedScenario:
    """The system of the first AWR or Statspack report of *readings*; what else its disk does is told from an iostat.

    Without one, the drive of fio's jobs, which makes *rpm* turns a minute.

    Raises :class:`NotIdentified` where there is none, or its interval was idle.
    """
    reports = [Report(reading) for reading in readings if reading.format == "awr"]
    if not reports and any(reading.format == "fio" for reading in readings):
        return identify_device(readings, rpm)
    calibration = calibration_of(readings)
    if not reports and calibration is not None:
        return identify_volume(calibration)
    if not reports:
        raise NotIdentified("these files hold no AWR or Statspack report; a system is not described without one")
    report = busiest(reports)
    check(report)
    contradicted = checked(report, readings)
    hours = hours_of(report, readings)
    arrivals = arrivals_of(report, readings)
    thinking = thinking_users(hours) if isinstance(arrivals, TransactionArrivals) and arrivals.users else None
    if thinking is not None and isinstance(arrivals, TransactionArrivals):
        place = next(place for place, hour in enumerate(hours) if hour.report is report)
        arrivals = replace(arrivals, users=thinking.users[place], think_s=thinking.think_s)
    identified = _of_report(report, limit_of(report, readings), arrivals, calibration)
    if thinking is not None and "workload.tablespaces" not in identified.values():
        if not histogram(report, SEQUENTIAL):
            fit_disk(identified, hours, thinking.users, thinking.think_s)
        identified.hours = model_hours(identified, hours, thinking.users, thinking.think_s)
    identified.says += contradicted
    return identified


def _of_report(
    report: Report, limit: DeviceLimit, arrivals: TransactionArrivals | str | None, calibration: CalibratedLimits | None
) -> IdentifiedScenario:
    reading, span_s = report.reading, report.span_s
    if not any(report.events()):
        raise NotIdentified(
            f"{reading.file}: the report has no foreground wait events, so what sessions waited for is unknown; "
            "give the whole report, as awrrpt.sql or spreport.sql writes it"
        )
    db_time, cpu = report.time("DB time"), report.time("DB CPU")
    per_s = report.transactions_per_s()
    if db_time is None or cpu is None or per_s is None or report.per_second("Logical read") is None:
        lacks = "time model" if db_time is None or cpu is None else "load profile with transactions and logical reads"
        raise NotIdentified(f"{reading.file}: has no {lacks}; a system is not described without it")
    active = db_time.value / span_s
    if active < LEAST_ACTIVE or per_s.value <= 0:
        raise RefusedReport(
            f"{reading.file}: {active:.2f} sessions were active on average and {per_s.value:g} transactions ended a "
            "second: an idle interval identifies nothing; give the report of a busy one"
        )
    span = f", {reading.begins} to {reading.ends}" if reading.begins and reading.ends else ""
    identified = IdentifiedScenario(f"{reading.title.partition(':')[0]}{span}", BASE)
    each = SystemProfile(identified, report, per_s)
    each.system()
    each.load(max(active, each.listed_s(cpu) / span_s), active, arrivals)
    each.mix(db_time, cpu)
    each.cache()
    each.length()
    each.disk(limit, calibration)
    each.transaction_cpu(cpu)
    each.hottest()
    each.carry(limit)
    each.compare(db_time, cpu)
    each.settle(cpu)
    return identified


class SystemProfile(ScenarioBuilder):
    """Fills in what one transaction does, section by section."""

    def __init__(self, identified: IdentifiedScenario, report: Report, per_s: Figure) -> None:
        super().__init__(identified, report.reading.file)
        self.report, self.per_s = report, per_s
        self.count = per_s.value * report.span_s
        self.events = list(report.events())
        logical = report.per_second("Logical read")
        self.logical = logical.value / per_s.value if logical else 0.0
        changes = report.per_second("Block changes")
        self.changed = min(self.logical, changes.value / per_s.value / 2) if changes else 0.0
        self.at_once = reads_at_once(report)
        if self.at_once > self.logical - self.changed:  # those of others are among them
            self.at_once = 0.0
        self.paced = log_pace(report) is not None
        """Whether redo ends at what LGWR writes, so that the model makes the waits for the log buffer."""
        self.commits = self._waits_for_commits()
        self.parallel = self._event(PARALLEL) * self.at_once / self.count
        """Reads that a session hands over several at once."""
        one_by_one = sum(event.waits for event in self.events if event.name in (SEQUENTIAL, SCATTERED)) / self.count
        if self.parallel and self.at_once > one_by_one + self.parallel:
            identified.says.append(
                f"{self.at_once:,.0f} reads of one wait for {PARALLEL} are more than a mean transaction makes, "
                f"{show_number(one_by_one + self.parallel, 3)}: few transactions have them; they are kept as measured"
            )
            self.at_once = self.parallel = 0.0
        self.reads = one_by_one + self.parallel
        writes = report.per_second("Physical write")
        self.written = writes.value / per_s.value if writes else 0.0
        self.again = 1 - min(1.0, self.written / self.changed) if self.changed else 0.0
        self.curve: Curve | None = None
        self.others: list[OtherRequests] = []
        self.checkpoint_age = report.checkpoint_age()
        age_s = self.checkpoint_age[0] if self.checkpoint_age else CHECKPOINT_S
        most = self.written * self.per_s.value * age_s / 2 if self.changed else HOTTEST_BLOCKS
        self.hottest_blocks = int(min(HOTTEST_BLOCKS, max(FEWEST_HOTTEST, most)))
        """As many as DBWR writes within the age of a changed block, half of what it writes at most."""

    def _waits_for_commits(self) -> bool:
        """Whether each transaction waits for its commit, as in the model.

        Where fewer wait, as PL/SQL and rollbacks do not, the model waits for the rest as well: a small part of DB time.
        """
        sync, db_time = self.report.event(LOG_FILE_SYNC), self.report.time("DB time")
        if sync is None or db_time is None or sync.waits <= self.count / 2:
            return False
        return (self.count - sync.waits) * sync.each_s <= MOST_BESIDE * db_time.value

    def listed_s(self, cpu: Figure) -> float:
        """CPU and the waits that the model makes; where they overlap, more than DB time."""
        modelled = set(MODELLED_READS)
        if not self.parallel:
            modelled.discard(PARALLEL)
        if self.paced:
            modelled.add(LOG_BUFFER)
        listed_s = cpu.value + sum(event.total.value for event in self.events if event.name in modelled)
        sync = self.report.event(LOG_FILE_SYNC) if self.commits else None
        return listed_s + (min(sync.waits, self.count) * sync.each_s if sync else 0.0)

    def system(self) -> None:
        """Instance and host."""
        host = self.report.reading.host
        if block := self.report.whole_setting("db_block_size"):
            for field in ("instance.db_block_size_bytes", "tablespace.block_size_bytes"):
                self.know(field, block, "parameters")
        if host.cpus:
            self._processors(host.cpus)
        self._files(host.files)
        self.know("workload.kind", "transactions", "load profile")
        self.assume("client.round_trip_s", 0.0, "DB time does not hold the client's time")

    def _processors(self, cpus: int) -> None:
        """Cores, their threads, and what other programs of the host keep busy."""
        cores = self.report.cores()
        if cores is not None and cores.value < cpus and not cpus % cores.value:
            self.know("host.cpus", int(cores.value), "cores", cores, interval=(cores.value, cores.value))
            self.know("host.threads_per_core", cpus // int(cores.value), f"{cpus} CPUs on so many cores", cores)
        else:
            self.know("host.cpus", cpus, "header: CPUs, each a processor of its own")
        busy, cpu = self.report.busy_share(), self.report.time(CPU_TIME)
        if busy is not None and cpu is not None:
            others = min(0.99 * cpus, busy[0] * cpus - cpu.value / self.report.span_s)
            if others > REPRODUCES * cpus:
                self.know(
                    "host.cpus_of_others", round(others, 2),
                    f"the host is {show_share(busy[0])} busy, and sessions use "
                    f"{show_share(cpu.value / self.report.span_s / cpus)} of it", busy[1],
                )  # fmt: skip
        self.found.says += self.report.caps(cpus)

    def _files(self, lie_on: str | None) -> None:
        """How the database's files are opened, where the report says what they lie on."""
        if lie_on in WITHOUT_FILESYSTEM:
            self.know("host.io_path", lie_on, f"parameters: control files on {lie_on}")
        elif lie_on is not None:
            options = (self.report.setting("filesystemio_options") or "").lower()
            if options in OPTIONS:
                self.know("instance.filesystemio_options", options, "parameters")
            else:
                options = "none"
                self.assume(
                    "instance.filesystemio_options",
                    options,
                    "not listed, so it is the default, which the platform decides [oracle-reference]",
                )
            self._writers()
            path = database_path("buffered", options)
            self.know("host.io_path", path, "parameters: control files in a file system")
            if path == "buffered":
                self.found.says.append(
                    "files are read through the operating system's page cache, and the report does not tell which "
                    "reads it answered; past it (filesystemio_options directio or setall) these go to the disk, so "
                    "give their memory to the buffer cache"
                )

    def _writers(self) -> None:
        """Processes of DBWR, each of which writes one by one through a page cache."""
        if count := self.report.writer_processes():
            source = f"default of {self.report.reading.host.cpus} CPUs [oracle-reference]"
            if self.report.whole_setting("db_writer_processes"):
                source = "parameters"
            self.know("instance.db_writer_processes", count, source)

    def load(self, active: float, by_db_time: float, arrivals: TransactionArrivals | str | None) -> None:
        """Who asks for transactions: as many users as were active, or what a second interval tells."""
        users = max(1, ceil(active))
        what = "DB time"
        if active > by_db_time:
            what = "CPU and waits"
            if active > (1 + TELLS) * by_db_time:
                self.found.says.append(
                    f"CPU and the waits for reads and commits sum to {show_share(active / by_db_time)} of DB time: "
                    "some of them overlap, and the model takes longer than DB time by as much"
                )
        source = f"{what} / elapsed = {show_number(active, 4)} sessions active on average, rounded up"
        if isinstance(arrivals, TransactionArrivals):
            self.found.says.append(arrivals.says)
            if arrivals.rate_per_s is not None:
                self.know("workload.rate_per_s", self.per_s.value, "two intervals: arrivals", self.per_s)
                return
            users, source = max(users, round(arrivals.users)), "two intervals: N = X(R + Z) at both"
        think_s = (users - active) / self.per_s.value
        self.know("workload.users", users, source)
        self.know("workload.think_s", think_s, "what leaves that many active on average", self.per_s)
        few = "one busy user" if users == 1 else f"{users:,} busy users"
        if not isinstance(arrivals, TransactionArrivals):
            self.found.says.append(
                arrivals
                or f"one report cannot tell {few} from many mostly idle ones, and the model has {few}: "
                "add a report at another load"
            )

    def mix(self, db_time: Figure, cpu: Figure) -> None:
        """What the mean transaction does."""
        mix, per_s = "workload.mix.0.", self.per_s
        logical, changes = self.report.per_second("Logical read"), self.report.per_second("Block changes")
        redo, calls = self.report.per_second("Redo size"), self.report.per_second("User calls")
        self.know(
            f"{mix}gets", self.logical - self.changed, "logical reads less current gets, a transaction", logical, per_s
        )
        self.know(f"{mix}changed_blocks", self.changed, "block changes / 2, a transaction", changes, per_s)
        self.assume(f"{mix}rows", 0, "their CPU is part of what is stated")
        self.know(
            f"{mix}redo_bytes", round(redo.value / per_s.value) if redo else 0, "redo size a transaction", redo, per_s
        )
        self.know(f"{mix}calls", calls.value / per_s.value if calls else 0.0, "user calls a transaction", calls)
        synced = self._event(LOG_FILE_SYNC)
        self.know(
            f"{mix}commits", self.commits, f"log file sync: {synced:,.0f} waits for {self.count:,.0f} transactions"
        )
        if self.parallel:
            reads = self.report.per_second("Read IO requests", "Physical read")
            self.know(
                f"{mix}parallel_reads", self.at_once,
                f"reads less those of other events, over the waits of {PARALLEL}", reads,
            )  # fmt: skip
            self.know(
                f"{mix}parallel_reads_percent", 100 * self.parallel / self.reads,
                f"of the reads of data files, those of {PARALLEL}", reads,
            )  # fmt: skip
        stated = max(0.0, db_time.value - self.listed_s(cpu))
        self.know(
            f"{mix}stated_wait_s", stated / self.count,
            "DB time less CPU, reads of data files and commits, a transaction", db_time,
        )  # fmt: skip
        self._tell(stated, db_time.value)

    def _tell(self, stated_s: float, db_time_s: float) -> None:
        """Say of which kinds the waits that are kept as measured are, where they are more than a little."""
        direct_s = sum(event.total.value for event in self.events if event.name.startswith(DIRECT_PATH))
        if direct_s >= TELLS * db_time_s:
            self.found.says.append(
                f"{show_share(direct_s / db_time_s, 1)} of DB time is direct path I/O, which is kept as measured: "
                "no what-if of the disk moves it"
            )
        stated_s -= min(direct_s, stated_s)
        if stated_s < TELLS * db_time_s:
            return
        cluster_s = sum(event.total.value for event in self.events if event.name.startswith(CLUSTER))
        stated = {BUFFER_BUSY, LATCH, FREE_BUFFERS}
        stated |= (set() if self.paced else {LOG_BUFFER}) | (set() if self.commits else {LOG_FILE_SYNC})
        busy = sorted(
            (event for event in self.events if event.name in stated or event.name.startswith("enq")),
            key=lambda event: -event.total.value,
        )
        named = (
            [f"{show_share(cluster_s / db_time_s, 1)} of DB time waits for the cluster"]
            if cluster_s > stated_s / 10
            else []
        )
        named += [
            f"{show_share(device.total.value / db_time_s, 1)} is {device.name}"
            for device in busy[:2]
            if device.total.value > stated_s / 10
        ]
        unnamed = self.report.profile()[-1]
        if unnamed.seconds > stated_s / 10:
            named.append(f"{show_share(unnamed.share, 1)} stands in no line of the report")
        self.found.says.append(
            f"{show_share(stated_s / db_time_s, 1)} of DB time is neither CPU nor I/O of data files"
            f"{' nor commits' * self.commits} and is kept as measured in every what-if{': ' * bool(named)}"
            f"{', '.join(named)}"
        )

    def _event(self, name: str) -> float:
        return sum(event.waits for event in self.events if event.name == name)

    def cache(self) -> None:
        """Buffer cache, and data whose hit ratio is the report's: by its advisory, or of even popularity."""
        gets = max(self.logical - self.changed, self.changed, 1e-9)
        hit = min(0.99999, max(0.02, 1 - self.reads / gets))
        cache = self.report.named("Memory Statistics: Buffer Cache", "Begin")
        self.curve = curve = curve_of(self.report, 1 - hit, cache.value if cache else None)
        cache_bytes = curve.cache_bytes if curve else int(cache.value) if cache else ASSUMED_CACHE_BYTES
        if cache and cache_bytes == int(cache.value):
            self.know("instance.buffer_cache_bytes", cache_bytes, "memory statistics: buffer cache", cache)
        elif curve:
            self.know("instance.buffer_cache_bytes", cache_bytes, "buffer pool advisory: size factor 1.00")
        else:
            self.assume("instance.buffer_cache_bytes", cache_bytes, "the report does not print it")
            self.found.says.append("the report does not print the size of the buffer cache: 1G is assumed")
        most_bytes = 2 * max(cache_bytes, curve.largest_bytes if curve else 0)
        memory = self.report.named("host", "Memory")
        if memory and memory.value > cache_bytes:
            self.know("host.memory_bytes", int(memory.value), "header: Memory", memory)
        elif most_bytes > BASE_MEMORY_BYTES:
            self.assume("host.memory_bytes", most_bytes, "not a limit")
        requests = self.report.per_second("Read IO requests")
        if requests and requests.value and self.reads * self.per_s.value < MOST_READS * requests.value:
            share = 1 - self.reads * self.per_s.value / requests.value
            self.found.says.append(
                f"{show_share(share)} of the reads are none of {', '.join(MODELLED_READS)}, as direct ones ({DIRECT}): "
                "their time is kept as measured, and no what-if of the disk moves it"
            )
        self.assume(
            "workload.hottest_blocks",
            self.hottest_blocks,
            "nobody waits for another's block, and DBWR writes them as often as the others at most",
        )
        if curve:
            self._by_advisory(curve)
        else:
            self._evenly(cache_bytes, hit)

    def _by_advisory(self, curve: Curve) -> None:
        """Blocks as popular as the misses of a cache of each size say."""
        self.know("workload.miss_curve", curve.as_fields(), curve.source)
        self.found.says.append(
            "the misses of a cache of another size follow the report's buffer pool advisory, from "
            f"{show_bytes(curve.points[0][0])} to {show_bytes(curve.largest_bytes)}; it counts since the startup and "
            "is scaled to the interval"
        )

    def _evenly(self, cache_bytes: int, hit: float) -> None:
        self.know(
            "workload.data_bytes",
            int(cache_bytes / hit),
            f"data of even popularity of which {show_share(hit, 2)} are found in the cache",
        )
        self.assume("workload.hot_data_percent", 50, "even popularity")
        self.assume("workload.hot_gets_percent", 50, "even popularity")
        self.found.says.append("popularity of the blocks is taken as even: what a larger cache gives is a lower bound")

    def hottest(self) -> None:
        """What goes to the hottest blocks: gets that never miss, and changes that are made again before DBWR writes.

        Popular blocks of an advisory are changed again as well. Where DBWR then writes too little, as much of the gets
        goes to blocks that are only read, like roots of indexes; where too much, changes go to the hottest blocks.
        """
        gets, again = 0.0, self.again
        why, says = ("even popularity", "block changes / 2 less physical writes: changed again before DBWR writes")
        if self.curve:
            why = "DBWR writes no less than the report has"
            says += f", {show_share(again, 1)}, less those of popular blocks"
        if 0 < again < 1:
            gets, again = max(0.0, 1 - self._modelled_writes(0.0, 0.0) / self.written), 0.0
            for _ in range(REWRITES):
                again = max(0.0, 1 - (1 - again) * self.written / self._modelled_writes(gets, again))
        if gets:
            why = "physical writes: more than if all blocks that are got often were changed often"
        (self.know if gets else self.assume)("workload.hottest_gets_percent", round(100 * gets, 3), why)
        self.know("workload.hottest_changes_percent", round(100 * again, 3), says)
        if self.curve:
            data_bytes = self._sections(gets, again)["workload"]["data_bytes"]
            self.know("workload.data_bytes", data_bytes, "blocks that the advisory's misses ask for")

    def _modelled_writes(self, gets: float, again: float) -> float:
        """Blocks that DBWR writes of a transaction."""
        scenario = from_mapping(self._sections(gets, again), "my")
        parts = parts_of(scenario.system, cast("Transactions", scenario.workload))
        due = (fastest(due_at)(device, self.per_s.value) for device in parts.devices)
        return sum(writes.wanted for writes in due) or self.written

    def _sections(self, gets: float, again: float) -> dict[str, Any]:
        """The scenario so far, with these shares of gets and changes for the hottest blocks."""
        sections = self.found.sections()
        work = sections["workload"]
        work |= {"hottest_gets_percent": 100 * gets, "hottest_changes_percent": 100 * again}
        if self.curve:
            work["data_bytes"] = MOST_DATA_BYTES
            scenario = from_mapping(sections, "my")
            classes = curve_classes(scenario.system, cast("Transactions", scenario.workload))
            blocks = ceil(sum(count for count, _ in classes)) + self.hottest_blocks
            work["data_bytes"] = blocks * int(scenario.system.tablespace.block_size_bytes)
        return sections

    def disk(self, limit: DeviceLimit, calibration: CalibratedLimits | None = None) -> None:
        """A volume with the latency of its fastest reads, and the limit that binds."""
        self.assume("disk.use", "nvme", "a device without positions")
        self.assume("disk.capacity_bytes", MOST_DATA_BYTES, "not a limit")
        self.assume("disk.parallel_requests", 1024, "not a limit")
        self.assume("disk.queue_depth", 1024, "not a limit")
        self.assume("host.nr_requests", 1024, "not a limit")
        stated = self.report.stated_bytes()
        bandwidth = max(BANDWIDTH_BYTES_PER_S, stated.value / MOST_OF_BANDWIDTH if stated else 0.0)
        transfer_s = self.report.block_bytes() / bandwidth
        if self.found.values().get("host.io_path") != "buffered":
            self.others = other_requests(
                self.report, self._modelled_bytes(), self._modelled_requests(),
                self.found.values().get("workload.transactions", FEWEST_TRANSACTIONS),
            )  # fmt: skip
        if self.others:
            self.assume("host.max_request_bytes", MIB, "requests are as large as the report counts them")
        (self.know if limit.read_source else self.assume)(
            "disk.overhead_s",
            _with_digits(max(0.0, limit.read_s - transfer_s)),
            limit.read_source or "nothing was read",
        )
        if limit.varies_source:
            self.know("disk.service_cv", round(limit.varies, 3), limit.varies_source)
        if overhead := self.report.post_s():
            self.know(
                "host.commit_overhead_s", _with_digits(overhead.value), "redo synch time overhead / redo synch writes",
                overhead,
            )  # fmt: skip
        if limit.write_s:
            alone_s = max(0.0, limit.write_s - limit.write_bytes / bandwidth)
            self.know("disk.write_overhead_s", _with_digits(alone_s), limit.write_source)
        for rate in ("disk.bandwidth_bytes_per_s", "disk.write_bandwidth_bytes_per_s"):
            self.assume(rate, bandwidth, "not a limit")
        if limit.log_varies is not None:
            self.know("instance.redo_service_cv", round(limit.log_varies, 3), f"wait event histogram of {LOG_WRITE}")
        if limit.redo_bytes_per_s:
            self.know("instance.redo_limit_bytes_per_s", limit.redo_bytes_per_s, limit.redo_source)
            self._log_buffer()
        self._checkpoint()
        if limit.per_s:
            beside_per_s = sum(other.per_s for other in self.others)
            per_s, self.found.share = limit.per_s + beside_per_s, round(limit.share, 4)
            self.know("disk.iops_limit", per_s, limit.source + ", and those beside the users" * bool(self.others))
        elif calibration is not None:
            limit.says = [f"the limits of the disk are those of the calibration in {calibration.file}"]
            for path, figure in calibration.limits:
                self.know(path, figure.value, f"{calibration.file}: {figure.name}", figure)
        self._table_spaces(limit, transfer_s)
        self.found.says += limit.says

    def _checkpoint(self) -> None:
        """How old a changed block becomes before DBWR writes it, and how much redo may come until then."""
        if lag := self.report.checkpoint_lag():
            self.know(
                "instance.checkpoint_redo_bytes", max(MIB, int(lag.value * LOG_BLOCK_BYTES)),
                f"instance recovery: {lag.name}, of {LOG_BLOCK_BYTES} bytes each", lag,
            )  # fmt: skip
        if self.checkpoint_age:
            age_s, actual = self.checkpoint_age
            self.know(
                "instance.checkpoint_s", _with_digits(min(MOST_CHECKPOINT_S, max(LEAST_CHECKPOINT_S, age_s))),
                f"instance recovery: {actual.name} of {LOG_BLOCK_BYTES} bytes over the redo of a second", actual,
            )  # fmt: skip

    def _table_spaces(self, limit: DeviceLimit, transfer_s: float) -> None:
        """The drives or disk groups that files lie on, each with its share of the reads; one where a limit binds."""
        volumes = [volume for volume in self.report.volumes() if volume.reads]
        every = sum(volume.reads for volume in volumes)
        shares = [volume.reads / every for volume in volumes]
        if len(volumes) < MORE_THAN_ONE or len(volumes) > MOST_VOLUMES:
            return
        lie_on = f"the files lie on {len(volumes)} {volumes[0].name.rpartition(' ')[0]}s"
        if limit.per_s:
            self.found.says.append(
                f"{lie_on}, and one device stands for all, as the report does not tell how the limit that binds is "
                "shared among them"
            )
            return
        placed: list[dict[str, Any]] = [
            {"name": f"files on {volume.name}", "device": volume.name, "blocks_percent": 100 * share}
            for volume, share in zip(volumes, shares, strict=True)
        ]
        means_s = [volume.read_s / volume.reads for volume in volumes]
        if all(means_s):
            mean_s = sum(volume.read_s for volume in volumes) / every
            for space, each_s in zip(placed, means_s, strict=True):
                alone_s = limit.read_s * each_s / mean_s
                space["overhead_s"] = _with_digits(max(0.0, alone_s - transfer_s))
        source = f"files by what they lie on, line {volumes[0].line:,}: share of {every:,.0f} reads, and mean read"
        self.know("workload.tablespaces", placed, source)
        self.found.says.append(
            f"{lie_on}, each a device with its share of the reads; whether they share disks the report does not tell"
        )

    def _log_buffer(self) -> None:
        figure = self.report.named("instance", "Log Buffer")
        parameter = self.report.whole_setting("log_buffer")
        if figure:
            self.know("instance.log_buffer_bytes", int(figure.value), "memory statistics: log buffer", figure)
        elif parameter:
            self.know("instance.log_buffer_bytes", parameter, "parameters")

    def transaction_cpu(self, cpu: Figure) -> None:
        """CPU that the model does not make of gets, changes and reads; or a get's price where it makes more."""
        scenario = from_mapping(self._sections(0.0, self.again), "my")
        modelled_s = parts_of(scenario.system, cast("Transactions", scenario.workload)).cpu_s
        each_s = cpu.value / self.count
        if each_s >= modelled_s:
            # Of a processor among as many as were busy on average, which share cores and caches.
            speed = float(thread_speed(cpu.value / self.report.span_s, scenario.system.host.cores))
            more_s = max(0.0, each_s * speed - modelled_s)
            source = f"DB CPU of a transaction less the {show_seconds(each_s - more_s)} of its gets, changes and reads"
            self.know("workload.mix.0.cpu_s", more_s, f"{source}, among as many as were active", cpu)
            return
        self._scale_prices(scenario.system.host, each_s / modelled_s, cpu)

    def _scale_prices(self, host: Host, factor: float, cpu: Figure) -> None:
        """Let gets, changes, reads, calls and commits cost *factor* times as much as on *host*."""
        for name in ("logical_io_s", "change_block_s", "read_call_s", "buffer_block_s", "call_s", "commit_s"):
            price_s = stated_call_s(host.read_call_s) if name == "read_call_s" else getattr(host, name)
            self.found.put(
                f"host.{name}",
                price_s * factor,
                f"{self.file}: scaled to the DB CPU of a transaction, line {cpu.line:,}",
            )

    def length(self) -> None:
        """A simulated run of so many transactions that their reads are enough to be counted, where these are rare."""
        wanted = ceil(COUNTED_READS / self.reads) if self.reads else 0
        most = min(MOST_TRANSACTIONS, MOST_PLAYED_GETS / max(self.logical, 1.0))
        if wanted > FEWEST_TRANSACTIONS and most > max(FEWEST_TRANSACTIONS, FEWEST_COUNTED / self.reads):
            count = int(min(wanted, most))
            reads = count * self.reads
            self.assume(
                "workload.transactions",
                count,
                f"of so many a simulation counts {reads:,.0f} reads, by chance within {show_share(2 / reads**0.5)}",
            )

    def _modelled_requests(self) -> dict[str, float]:
        """Reads and writes of data files a second that transactions ask for."""
        return {"read": self.reads * self.per_s.value, "write": self.written * self.per_s.value}

    def _modelled_bytes(self) -> dict[str, float]:
        redo = self.report.per_second("Redo size")
        modelled = {what: per_s * self.report.block_bytes() for what, per_s in self._modelled_requests().items()}
        return modelled | {"write": modelled["write"] + (redo.value if redo else 0.0)}

    def carry(self, limit: DeviceLimit) -> None:
        """Let programs beside the users ask the disk for the other bytes that the report states.

        As many programs ask again and again that today's disk serves the stated requests: N = X(R + Z) [lazowska-1984].
        """
        if not self.others:
            return
        read = self.report.event(SEQUENTIAL)
        times_s = (limit.write_s or 0.0, read.each_s if read else 0.0)
        call_s = [times_s[not other.writes] or limit.read_s for other in self.others]
        for _ in range(CARRIES):
            beside = [other.program(s, self.per_s.value) for other, s in zip(self.others, call_s, strict=True)]
            self.found.put("workload.beside", beside, f"{self.file}: bytes and requests that no transaction asks for")
            sections = self.found.sections()
            sections["workload"]["transactions"] = FEWEST_CARRIED
            try:
                programs = list(run(from_mapping(sections, "my")).programs or ())
            except BlocktimeError:  # more than a simulation plays
                break
            if abs((programs.pop(0).per_s or 0.0) / self.per_s.value - 1) > SAME_USERS:
                break
            rates = [(program.per_s or 0.0) / other.per_s for program, other in zip(programs, self.others, strict=True)]
            if max(abs(rate - 1) for rate in rates) <= SAME_RATE:
                self._tell_of_others()
                return
            call_s = [program.response_s or 0.0 for program in programs]
        dropped = ("workload.beside", "host.max_request_bytes")
        self.found.known = [known for known in self.found.known if known.path not in dropped]
        if limit.per_s:
            self.found.put("disk.iops_limit", limit.per_s, limit.source)
        self.others = []

    def _tell_of_others(self) -> None:
        named = [
            f"{other.per_s:,.0f} {other.kind.partition('_')[0]}s of {show_bytes(other.call_bytes)}"
            for other in self.others
        ]
        self.found.says.append(
            f"the disk also carries {show_data(sum(other.bytes_per_s for other in self.others))}/s that no transaction "
            f"waits for in the model: {listed(named)} a second, as programs beside the users; how many of them are "
            "under way at once is not in the report, and twice the mean is assumed"
        )

    def settle(self, cpu: Figure) -> None:
        """Take off what the model makes of a busy host: CPU of shared cores, and waits for it that are stated, too."""
        busy, queue_s = self.report.busy_share(), 0.0
        if busy is None or busy[0] < CROWDED:
            return
        each_s = cpu.value / self.count
        for _ in range(SETTLES):
            sections = self.found.sections()
            sections["workload"]["transactions"] = FEWEST_TRANSACTIONS
            scenario = from_mapping(sections, "my")
            result = run(scenario)
            more_s = (figure_in(result, CPU) or each_s) - each_s
            waits_s = result.time.unaccounted.get(RUN_QUEUE, 0.0)
            work_s = parts_of(scenario.system, cast("Transactions", scenario.workload)).cpu_s
            less_s = more_s * work_s / (each_s + more_s)  # before shared cores stretch it
            if self.found.values().get("workload.mix.0.cpu_s", 0.0) > less_s:
                self.found.lower("workload.mix.0.cpu_s", less_s)
            else:
                self._scale_prices(scenario.system.host, each_s / (each_s + more_s), cpu)
            self.found.lower("workload.mix.0.stated_wait_s", waits_s - queue_s)
            queue_s = waits_s
            if abs(more_s) <= REPRODUCES / 2 * each_s:
                return

    def compare(self, db_time: Figure, cpu: Figure) -> None:
        """What the report says and an answer says too."""
        count, add = self.count, self.add_compared
        waits, fields = {event.name: event for event in self.events}, self.found.values()
        shares = {name: event.total.value / db_time.value for name, event in waits.items()}
        add(TRANSACTIONS, self.per_s.value, "1/s", self.per_s, given="workload.rate_per_s" in fields)
        add(DB_TIME, db_time.value / count, "s", db_time)
        add(CPU, cpu.value / count, "s", cpu, cpu.value / db_time.value, given=True)
        if SEQUENTIAL in waits:
            total, given = waits[SEQUENTIAL].total, "disk.iops_limit" not in fields
            add(READ_WAIT, waits[SEQUENTIAL].each_s, "s", total, shares[SEQUENTIAL], given=given)
            reading = sum(shares.get(name, 0.0) for name in MODELLED_READS)
            add(READ_REQUESTS, self.reads * self.per_s.value, "1/s", total, reading, given=True)
        for volume in self.report.volumes() if "workload.tablespaces" in self.found.values() else ():
            if volume.read_s:
                line = Figure(volume.name, volume.name, volume.read_s, "s", volume.read_s, volume.read_s, volume.line)
                add(f"{READ_ON}{volume.name}", volume.read_s / volume.reads, "s", line, shares.get(SEQUENTIAL, 0.0))
        if self.parallel and waits[PARALLEL].total.value > REPRODUCES * db_time.value:
            add(PARALLEL_WAIT, waits[PARALLEL].each_s, "s", waits[PARALLEL].total, shares[PARALLEL])
        elif self.parallel:
            share = waits[PARALLEL].total.value / db_time.value
            self.found.says.append(
                f"{PARALLEL} is {show_share(share, 1)} of DB time, too little to tell how well the "
                f"model fits: it is not compared"
            )
        if self.commits:
            add(SYNC_WAIT, waits[LOG_FILE_SYNC].each_s, "s", waits[LOG_FILE_SYNC].total, shares[LOG_FILE_SYNC])
        writes = self.report.per_second("Physical write")
        requests = self.reads + self.written
        add(WRITES, self.written * self.per_s.value, "1/s", writes, self.written / (requests or 1), given=True)
        self._outside()

    def _outside(self) -> None:
        """What the report says of disks and host as a whole: it weighs nothing in DB time, and limits questions."""
        stated, busy = self.report.stated_bytes(), self.report.busy_share()
        if busy is not None:
            low, high = max(0.0, busy[0] - REPRODUCES), busy[0] + REPRODUCES
            figure = replace(busy[1], value=busy[0], low=low, high=high)
            self.add_compared(HOST_BUSY, busy[0], "fraction", figure, 0.0, given=True)
        if stated is None or self.found.values().get("host.io_path") == "buffered":
            return
        self.add_compared(DISK_BYTES, stated.value, "bytes/s", stated, 0.0)
        beside = stated.value - sum(self._modelled_bytes().values()) - sum(each.bytes_per_s for each in self.others)
        if beside <= REPRODUCES * stated.value:
            return
        named = [
            f"{show_data(amount)}/s {name}"
            for name, amount in self.report.bytes_by_kind(self.report.block_bytes())
            if amount > REPRODUCES * beside
        ]
        self.found.says.append(
            f"{show_data(beside)} of the {show_data(stated.value)} a second that the report states are not on the "
            f"modelled disk{': ' * bool(named)}{listed(named)}. What-ifs of its latency hold; those of another "
            "volume or limit leave these out"
        )


def _with_digits(latency_s: float) -> float:
    """A latency with as many digits as a report's mean has, and one more for what is taken off it."""
    return float(f"{latency_s:.{LATENCY_DIGITS}g}")
