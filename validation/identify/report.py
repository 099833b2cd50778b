"""The figures of one AWR or Statspack report under names that hold for every release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final

from blocktime.model.causes import DIRECT, PARALLEL, SCATTERED, SEQUENTIAL
from blocktime.model.errors import shown
from blocktime.model.laws.commit import LOG_BLOCK_BYTES
from blocktime.model.laws.parallel_reads import LEAST_AT_ONCE
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
                    return next(
                        (figure for figure in figures if figure.name.lower().startswith("per second")), None
                    )
        return None

    def time(self, name: str) -> Figure | None:
        """A line of the time model, in seconds."""
        return next(
            (figure for figure in self._by_part.get(TIME_MODEL + name, []) if figure.unit == "s"), None
        )

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
        busy = [
            event for event in events if any(self.named(FOREGROUND + event.name, share) for share in SHARES)
        ]
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
        asked_s = CHECKPOINT_TIMEOUT_S if stated_s is None else stated_s or inf  # 0: no limit
        return min(lag.value * LOG_BLOCK_BYTES / redo.value, asked_s), lag

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
                f"{self.reading.file}: line {setting.line}: {name}: got {shown(setting.value)}; allowed is a whole "
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
