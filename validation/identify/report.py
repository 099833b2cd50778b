"""The figures of one AWR or Statspack report under names that hold for every release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

from blocktime.model.causes import DIRECT, LOG_FILE_SYNC, PARALLEL, SCATTERED, SEQUENTIAL
from blocktime.model.errors import quote
from blocktime.model.laws.commit import LOG_BLOCK_BYTES
from blocktime.model.laws.parallel_reads import LEAST_AT_ONCE
from blocktime.model.spec import Instance
from blocktime.model.units import show_share
from blocktime.validation.instruments import Figure, NotReadable, Reading
from blocktime.validation.instruments.awr import FOREGROUND, IDLE, SHARES

LOAD: Final = "Load Profile: "
TIME_MODEL: Final = "Time Model: "
ADVISORY: Final = "Buffer Pool Advisory: "
RECOVERY: Final = "Instance Recovery: E"
"""At the end of the interval."""
LAGS: Final = (
    "Log Sz RedoBlks", "Log File Size Redo Blks", "Log Ckpt Interval RedoBlks", "Log Ckpt Interval Redo Blks",
)  # fmt: skip
ACTUAL_LAGS: Final = ("Actual RedoBlks", "Actual Redo Blks")
CPUS_OF_A_WRITER: Final = 8
"""DB_WRITER_PROCESSES is CPU_COUNT / 8 where it is not set, at least one [oracle-reference]."""
CHECKPOINT_TIMEOUT_S: Final = 1800
"""LOG_CHECKPOINT_TIMEOUT where it is not set [oracle-reference]."""
DIGITS: Final = re.compile("[0-9]{1,18}")
FILES: Final = "File IO: "
APART: Final = ("drive ", "disk group ")
"""What files on different ones of lie apart."""
MEAN_READ: Final = re.compile(r"Av Rd ?\(ms\)|Av Rd")
WHOLE: Final = "report"
CPU: Final = "DB CPU"
UNNAMED: Final = "not in the report"
OVERLAP: Final = "in two lines of the report"
MOST_AT_ONCE: Final = 1000
HOST: Final = "Operating System Statistics: "
CAPS: Final = 0.01
"""Share of DB time from which on waits for the resource manager are told of."""
MOST_OF_SYNC: Final = 1.25
"""Overhead of a commit over its wait, beyond which the two contradict each other."""
FEWEST_POSTS: Final = 100
"""Commits below which their mean overhead tells little."""
FLASH_CACHE: Final = "db flash cache"
"""Begin of the events of reads from a flash cache of the instance; other devices serve them."""


@dataclass(frozen=True, slots=True)
class WaitEvent:
    """A wait event of sessions: how often, how long altogether, and the lines of both."""

    name: str
    waits: float
    total: Figure

    @property
    def each_s(self) -> float:
        """Mean wait; reports print it with too few digits, so it is divided out."""
        return self.total.value / self.waits if self.waits else 0.0


@dataclass(frozen=True, slots=True)
class DbTimePart:
    """A part of DB time: CPU, a wait event, or what no line names."""

    name: str
    seconds: float
    share: float
    """Of DB time."""
    waits: float | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class AdvisorySize:
    """A size of the default buffer pool, of the database's block size, and what would be read with it."""

    size_bytes: int
    factor: Figure
    """This size over that of the pool."""
    reads: Figure
    """Estimated physical reads since the startup; where they are not printed, over those with the pool as it is."""


@dataclass(frozen=True, slots=True)
class FileVolume:
    """What the database's files on one drive or disk group were asked for."""

    name: str
    reads: float
    read_s: float
    """Of them all."""
    line: int
    """Of its first file."""


@dataclass(slots=True)
class Report:
    """What an AWR or Statspack report says, by section."""

    reading: Reading
    _by_part: dict[str, list[Figure]] = field(init=False)

    def __post_init__(self) -> None:
        self._by_part = {}
        for figure in self.reading.figures:
            self._by_part.setdefault(figure.of, []).append(figure)

    def per_second(self, *names: str) -> Figure | None:
        """A line of the load profile, by the begin of its name; the first of *names* that is there."""
        for name in names:
            for part, figures in self._by_part.items():
                if part.lower().startswith((LOAD + name).lower()):
                    return next((figure for figure in figures if figure.name.lower().startswith("per second")), None)
        return None

    def time(self, name: str) -> Figure | None:
        """A line of the time model, in seconds."""
        return next((figure for figure in self._by_part.get(TIME_MODEL + name, []) if figure.unit == "s"), None)

    def named(self, part: str, name: str) -> Figure | None:
        """The figure *name* of *part*."""
        return next((figure for figure in self._by_part.get(part, []) if figure.name == name), None)

    def event(self, name: str) -> WaitEvent | None:
        """The wait event of that name; None where none is printed."""
        return next((event for event in self.events() if event.name == name), None)

    def events(self) -> Iterator[WaitEvent]:
        """The wait events of sessions that are part of DB time, as printed; the names of text reports are cut."""
        for part, figures in self._by_part.items():
            name = part.removeprefix(FOREGROUND)
            if name == part or name.startswith(IDLE):
                continue
            waits, total = self.named(part, "Waits"), _first(figures, "Total Wait Time")
            if waits and total:
                yield WaitEvent(name, waits.value, self._finer(name, total))

    def volumes(self) -> list[FileVolume]:
        """What the files lie on by its number, where that is drives or disk groups: folders may share a disk."""
        volumes: dict[str, FileVolume] = {}
        for part, figures in self._by_part.items():
            name = part.rpartition(", ")[2]
            if not part.startswith(FILES) or not name.startswith(APART):
                continue
            named = {figure.name: figure for figure in figures}
            reads = named["Reads"].value if "Reads" in named else 0.0
            each = next((figure.value for figure in figures if MEAN_READ.fullmatch(figure.name)), 0.0)
            before = volumes.get(name, FileVolume(name, 0.0, 0.0, figures[0].line))
            volumes[name] = FileVolume(name, before.reads + reads, before.read_s + reads * each, before.line)
        return sorted(volumes.values(), key=lambda volume: volume.name)

    def profile(self) -> list[DbTimePart]:
        """DB time by CPU and wait event, the longest first; last what no line names, or what lines count twice.

        Where a report prints each event's share of DB time, one without it is idle.
        """
        whole, cpu = self.time("DB time"), self.time(CPU)
        if whole is None or not whole.value:
            return []
        parts = [DbTimePart(CPU, cpu.value, cpu.value / whole.value, line=cpu.line)] if cpu else []
        events = [event for event in self.events() if event.total.value]
        busy = [event for event in events if any(self.named(FOREGROUND + event.name, share) for share in SHARES)]
        for event in busy or events:
            share = event.total.value / whole.value
            parts.append(DbTimePart(event.name, event.total.value, share, event.waits, event.total.line))
        rest = whole.value - sum(part.seconds for part in parts)
        last = UNNAMED if rest >= 0 else OVERLAP
        return [*sorted(parts, key=lambda part: -part.seconds), DbTimePart(last, rest, rest / whole.value)]

    def checkpoint_lag(self) -> Figure | None:
        """Redo blocks that the checkpoint lags behind at most, by the size of the logs or LOG_CHECKPOINT_INTERVAL."""
        return self._least_lag(LAGS)

    def _least_lag(self, names: Sequence[str]) -> Figure | None:
        lags = [self.named(RECOVERY, name) for name in names]
        return min((lag for lag in lags if lag), key=lambda lag: lag.value, default=None)

    def checkpoint_age(self) -> tuple[float, Figure] | None:
        """Seconds since the oldest change that is not written, by the redo since then; None where not printed.

        DBWR that falls behind leaves blocks older than LOG_CHECKPOINT_TIMEOUT asks for; the model finds out itself
        how far it falls behind.
        """
        redo, lag = self.per_second("Redo size"), self._least_lag(ACTUAL_LAGS)
        if redo is None or lag is None or not redo.value or not lag.value:
            return None
        stated_s = self.whole_setting("log_checkpoint_timeout", least=0)
        timeout_s = CHECKPOINT_TIMEOUT_S if stated_s is None else stated_s or inf  # 0: no limit
        return min(lag.value * LOG_BLOCK_BYTES / redo.value, timeout_s), lag

    def advised(self) -> list[AdvisorySize]:
        """The buffer pool advisory of the default pool, the smallest size first."""
        advice = []
        for part, figures in self._by_part.items():
            size = part.removeprefix(ADVISORY).replace(",", "")
            if size == part or not re.fullmatch("[0-9]{1,12}", size):
                continue
            factor = _first(figures, "Size Fact")
            reads = _first(figures, "Estimated Phys") or _first(figures, "Est Phys Read Fact")
            if factor is not None and reads is not None:
                advice.append(AdvisorySize(int(size) << 20, factor, reads))
        return sorted(advice, key=lambda row: row.size_bytes)

    def _finer(self, name: str, total: Figure) -> Figure:
        """The same total from the list of top events, where that prints more digits."""
        figures = [
            figure
            for figure in self._by_part.get(f"Wait Events: top: {name}", [])
            if figure.name.startswith("Total Wait Time")
        ]
        return min([total, *figures], key=lambda figure: figure.high - figure.low)

    @property
    def span_s(self) -> float:
        """Length of the interval."""
        if elapsed := self.named(WHOLE, "Elapsed"):
            if elapsed.value <= 0:
                raise NotReadable(
                    f"{self.reading.file}: line {elapsed.line}: got an interval of {elapsed.value:g} s; "
                    "allowed is more than 0"
                )
            return elapsed.value
        if self.reading.interval_s:
            return self.reading.interval_s
        raise NotReadable(f"{self.reading.file}: does not say how long its interval is")

    def transactions_per_s(self) -> Figure | None:
        """Commits and rollbacks a second, from their counts where those are listed, else from the load profile."""
        printed = self.per_second("Transactions")
        counts = [self.named(f"Instance Activity: user {what}", "Total") for what in ("commits", "rollbacks")]
        there = [count for count in counts if count is not None]
        if not there or not sum(figure.value for figure in there):
            return printed
        value = sum(figure.value for figure in there) / self.span_s
        return Figure("per Second", "user commits", value, "1/s", value, value, there[0].line)

    def count_of(self, statistic: str) -> Figure | None:
        """A statistic of the instance over the interval."""
        return self.named(f"Instance Activity: {statistic}", "Total")

    def cores(self) -> Figure | None:
        """Cores of the host, as the header or the operating system's statistics say."""
        return self.named(f"{HOST}NUM_CPU_CORES", "Value") or self.named("host", "Cores")

    def busy_share(self) -> tuple[float, Figure] | None:
        """Busy part of the host's processors, by the operating system's statistics; None without these."""
        busy, idle = (self.named(f"{HOST}{name}_TIME", "Value") for name in ("BUSY", "IDLE"))
        if busy is not None and idle is not None and busy.value + idle.value > 0:
            return busy.value / (busy.value + idle.value), busy
        for part, figures in self._by_part.items():
            share = _first(figures, "%Idle") if part.startswith("Host CPU: ") else None
            if share is not None and 0 <= share.value <= 1:
                return 1 - share.value, replace(share, value=1 - share.value, low=1 - share.high, high=1 - share.low)
        return None

    def caps(self, cpus: int) -> Iterator[str]:
        """Sentences about what keeps the instance from processors of the host: resource manager, and its own cap."""
        waited, db_time = self.event("resmgr:cpu quantum"), self.time("DB time")
        if waited and db_time and waited.total.value > CAPS * db_time.value:
            share = show_share(waited.total.value / db_time.value, 1)
            yield (
                f"{share} of DB time waits for the resource manager (resmgr:cpu quantum): it is kept as measured, "
                "and no what-if of the processors moves it"
            )
        count = self.whole_setting("cpu_count")
        if count is not None and count < cpus:
            yield f"cpu_count is {count} of {cpus} CPUs: with a resource plan the instance gets no more than these"

    def stated_bytes(self) -> Figure | None:
        """Bytes a second that the report states for all reads and writes; None where it states none."""
        for part, figures in self._by_part.items():
            if part.lower() == "io profile: total (mb)":
                return _first(figures, "Read+Write")
        there = [figure for what in ("read", "write") if (figure := self._counted_per_s(what, "bytes", "IO (MB)"))]
        if not there:
            return None
        low, value, high = (sum(getattr(figure, end) for figure in there) for end in ("low", "value", "high"))
        return replace(there[0], unit="bytes/s", low=low, value=value, high=high)

    def stated_of(self, what: str, unit: str) -> float:
        """Bytes or requests a second, as *unit* says, that the report states for a read or write; 0 without."""
        named = {"bytes": ("total (mb)", "IO (MB)"), "requests": ("total requests", "IO requests")}[unit]
        for part, figures in self._by_part.items():
            if part.lower() == f"io profile: {named[0]}":
                begins = (f"{what}/", f"{what} ")
                return next((figure.value for figure in figures if figure.name.lower().startswith(begins)), 0.0)
        figure = self._counted_per_s(what, "bytes" if unit == "bytes" else "IO requests", named[1])
        return figure.value if figure is not None else 0.0

    def _counted_per_s(self, what: str, statistic: str, in_profile: str) -> Figure | None:
        """A statistic of all of the instance's reads or writes a second; the load profile's line without it."""
        counted = self.count_of(f"physical {what} total {statistic}")
        if counted is None:
            return self.per_second(f"{what} {in_profile}")
        low, value, high = (getattr(counted, end) / self.span_s for end in ("low", "value", "high"))
        return replace(counted, low=low, value=value, high=high)

    def block_bytes(self) -> int:
        """Size of the database's blocks, or the default of one."""
        return self.whole_setting("db_block_size") or int(Instance().db_block_size_bytes)

    def bytes_by_kind(self, block_bytes: int) -> Iterator[tuple[str, float]]:
        """Bytes a second of I/O that is no single-block read, DBWR's or LGWR's write, by what does it."""
        span_s = self.span_s
        temp = {what: self.count_of(f"physical {what} direct temporary tablespace") for what in ("reads", "writes")}
        for what in ("reads", "writes"):
            direct, spilled = self.count_of(f"physical {what} direct"), temp[what]
            blocks = direct.value / span_s if direct else self._direct_blocks(what)
            apart = spilled.value / span_s if spilled else 0.0
            yield f"of direct {what}", max(0.0, blocks - apart) * block_bytes
            yield f"of {what} of temporary files", apart * block_bytes
        cached, requests = self.count_of("physical reads cache"), self.count_of("physical read IO requests")
        single = sum(event.waits for event in self.events() if event.name in (SEQUENTIAL, SCATTERED, PARALLEL))
        if cached and requests:
            yield "of multiblock reads", max(0.0, cached.value - max(single, 1.0)) / span_s * block_bytes

    def _direct_blocks(self, what: str) -> float:
        """Blocks a second past the buffer cache, of the section of I/O."""
        for part, figures in self._by_part.items():
            if part == "IO Profile: Direct (blocks)":
                figure = _first(figures, "Read/" if what == "reads" else "Write/")
                return figure.value if figure else 0.0
        return 0.0

    def post_s(self) -> Figure | None:
        """Seconds from the end of LGWR's write until a session runs again, as the instance counts them; None without.

        Redo synch time overhead over redo synch writes [krotov-log-file-sync].
        """
        overhead, writes = (self.count_of("redo synch time overhead (usec)"), self.count_of("redo synch writes"))
        if not (overhead and writes and writes.value and overhead.value) or writes.value < FEWEST_POSTS:
            return None
        each_s, sync = 1e-6 * overhead.value / writes.value, self.event(LOG_FILE_SYNC)
        if sync is not None and each_s > MOST_OF_SYNC * sync.each_s:  # it is part of the wait: this counter is wrong
            return None
        share = each_s / overhead.value
        return replace(overhead, unit="s", value=each_s, low=overhead.low * share, high=overhead.high * share)

    def setting(self, name: str) -> str | None:
        """A parameter that the report lists; only those that differ from their default are there."""
        return next((setting.value for setting in self.reading.settings if setting.name == name), None)

    def whole_setting(self, name: str, least: int = 1) -> int | None:
        """The same of a parameter that is a count, a size or seconds; raises :class:`NotReadable` for another value."""
        setting = next((setting for setting in self.reading.settings if setting.name == name), None)
        if setting is None:
            return None
        if not DIGITS.fullmatch(setting.value) or int(setting.value) < least:
            raise NotReadable(
                f"{self.reading.file}: line {setting.line}: {name}: got {quote(setting.value)}; allowed is a whole "
                f"number of at least {least} and at most 18 digits"
            )
        return int(setting.value)

    def writer_processes(self) -> int | None:
        """Processes of DBWR, as the parameters or the processors say; None where neither is printed."""
        cpus = self.reading.host.cpus
        if stated := self.whole_setting("db_writer_processes"):
            return stated
        return max(1, cpus // CPUS_OF_A_WRITER) if cpus else None


def _first(figures: Sequence[Figure], begin: str) -> Figure | None:
    """The first of *figures* whose name begins so."""
    return next((figure for figure in figures if figure.name.startswith(begin)), None)


def reads_at_once(report: Report) -> float:
    """Single-block reads of a wait for several: reads less those of the other read events, over these waits; 0 without.

    Below two there are none to tell apart, as where a report does not print the reads; beyond what an operating system
    takes at once, reads of others are among them.
    """
    waits = {event.name: event.waits for event in report.events()}
    read = report.per_second("Read IO requests", "Physical read")
    counted = report.named("Instance Activity: physical read IO requests", "Total")
    if not waits.get(PARALLEL) or read is None:
        return 0.0
    reads = counted.value if counted is not None else read.value * report.span_s
    others = sum(
        count
        for event, count in waits.items()
        if event in (SEQUENTIAL, SCATTERED, DIRECT) or event.startswith(FLASH_CACHE)
    )
    at_once = (reads - others) / waits[PARALLEL]
    return at_once if LEAST_AT_ONCE <= at_once <= MOST_AT_ONCE else 0.0
