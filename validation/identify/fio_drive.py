"""A drive from fio's random reads at several depths.

Of flash the lone read, the ceiling, and how it reports completions; of a disk that turns its seeks, and who sorts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from blocktime.model.engine import simulate
from blocktime.model.measures import measures_of
from blocktime.model.spec.machine import COMMANDS
from blocktime.model.units import show_bytes, show_seconds
from blocktime.scenarios import from_mapping
from blocktime.scenarios.measured import READ_LATENCY, READS_A_SECOND
from blocktime.validation.identify.fio_grid import Cell, identify_grid, mean_error
from blocktime.validation.identify.identified_scenario import IdentifiedScenario, NotIdentified, ScenarioBuilder
from blocktime.validation.instruments import Figure, Reading

HOW: Final = "run fio with rw=randread, direct=1 and iodepth 1 and 32"
SET_GROWS: Final = 3.0
"""More than one disk gains by choosing among its commands: so many times the requests of depth 1 are a set's."""
MOST_PROGRAMS: Final = 256
TURNS_S: Final = 2e-3
"""A lone read that takes so long is one of a disk with positions."""
GATHERED: Final = 2.0
"""A drive holds completions back where a wake-up finds so many times those that gather while the program works."""
BANDWIDTH_BYTES_PER_S: Final = 2e9
COUNT: Final = 20_000
PLAYED: Final = 5_000
"""Reads of a run while seeks are searched."""
MINUTE_S: Final = 60.0
DISK_BYTES_PER_S: Final = 1e8
DISK_OVERHEAD_S: Final = 1e-4
AGE_S: Final = 1.0
SORTED: Final = 1.05
"""So many times the reads of depth 1: more than chance, so that something sorts."""
HALVINGS: Final = 12


@dataclass(frozen=True, slots=True)
class Depth:
    """Random reads at one depth."""

    depth: int
    block_bytes: int
    file: str
    per_s: Figure
    latency: Figure
    """Mean, from submission on."""
    submission_s: float
    fastest_s: float
    wakeups_per_s: float
    """Context switches of the job."""
    busy: float
    """Share of a processor that the job takes."""
    driver: str = ""
    """Of the drives that fio watched: sd, nvme; empty where it does not say."""
    jobs: int = 1
    write: bool = False

    @property
    def cell(self) -> Cell:
        """The same as a cell of a grid."""
        each = self.depth // self.jobs, self.jobs, self.write, self.block_bytes, self.file
        return Cell(*each, self.per_s, self.latency, self.submission_s)


def identify_device(readings: Sequence[Reading], rpm: float | None = None) -> IdentifiedScenario:
    """The drive that fio's reads in *readings* are of, as a scenario of the deepest; raises :class:`NotIdentified`.

    A disk that turns needs its turns a minute.
    """
    every = [cell for reading in readings if reading.format == "fio" for cell in _together(_depths(reading))]
    depths = sorted(every, key=lambda depth: depth.depth)
    if not depths:
        raise NotIdentified(f"these files hold no random reads or writes of fio whose depth is stated; {HOW}")
    sizes = {depth.block_bytes for depth in depths}
    again = any(before.depth == deeper.depth for before, deeper in pairwise(depths))
    rates = [depth.per_s.value for depth in depths]
    grows = depths[0].depth == 1 and max(rates) >= SET_GROWS * rates[0]
    is_set = grows and depths[0].latency.value >= TURNS_S
    if is_set or any(depth.write for depth in depths):
        return identify_grid([depth.cell for depth in depths])
    if rpm is None and (len(sizes) > 1 or again or any(depth.jobs > 1 for depth in depths)):
        return _better_drive(depths)
    if len(sizes) > 1 or again:
        raise NotIdentified(
            f"{depths[-1].file}: a disk of --rpm is described by reads of one block size, once at each depth"
        )
    if rpm is not None:
        return _RotatingDisk(depths, MINUTE_S / rpm).fill()
    if depths[0].depth == 1 and depths[0].latency.value >= TURNS_S:
        raise NotIdentified(
            f"{depths[0].file}: a lone read takes {show_seconds(depths[0].latency.value)}: this is a hard disk. "
            "Give its rotational speed by --rpm, as its data sheet prints it"
        )
    return _Flash(depths).fill()


def _better_drive(depths: Sequence[Depth]) -> IdentifiedScenario:
    """The drive of a grid of reads: one with a ceiling that gathers completions, or units that collide.

    The one that is nearer to the cells counts.
    """
    grid = identify_grid([depth.cell for depth in depths])
    size = grid.values()["workload.block_size_bytes"]
    cells = sorted((d for d in depths if d.block_bytes == size), key=lambda d: (d.depth, d.per_s.value))
    flash = _Flash(cells).fill()
    deep = cells[-1].cell
    for name, value, what in (("in_flight", deep.depth, "iodepth"), ("users", deep.jobs, "numjobs")):
        flash.put(f"workload.{name}", value, what)
    flash.put("host.cpus", MOST_PROGRAMS, "not a limit")
    call = next((known for known in grid.known if known.path == "host.read_call_s"), None)
    if call is not None and "one program makes" in call.source:
        flash.put(call.path, call.value, call.source, call.interval)
    flash.known += [known for known in grid.known if known.path == "disk.throughput_limit_bytes_per_s"]
    flash.says += [text for text in grid.says if "no law explains" in text or "a limit of the host" in text]
    both = (flash, grid)
    return min(both, key=lambda drive: mean_error(drive, [depth.cell for depth in cells]))


def _depths(reading: Reading) -> Iterator[Depth]:
    """The jobs of a file that read at random past the page cache; raises NotIdentified for any other."""
    figures = {(figure.of, figure.name): figure for figure in reading.figures}
    words = {setting.name: setting.value for setting in reading.settings}
    for of in dict.fromkeys(of for of, name in figures if name == "iodepth"):
        reads = f"{of} read"
        is_write = (f"{of} write", "iops") in figures
        if (is_write and (reads, "iops") in figures) or (f"{of} trim", "iops") in figures:
            raise NotIdentified(f"{reading.file}: {of} reads and writes at once; {HOW}")
        reads = f"{of} write" if is_write else reads
        wanted = (("rw", "randwrite" if is_write else "randread", "their order"), ("direct", "1", "direct=1"))
        for name, needed, what in wanted:
            stated = words.get(f"{of} {name}")
            if stated != needed:
                text = f"states {name}={stated}" if stated else f"does not state {what}"
                raise NotIdentified(f"{reading.file}: {of} {text}; {HOW}")
        per_s = figures.get((reads, "iops"))
        latency = figures.get((reads, "lat_ns mean")) or figures.get((reads, "lat mean"))
        block = figures.get((of, "bs"))
        if per_s is None or latency is None or block is None or not per_s.value:
            raise NotIdentified(f"{reading.file}: {of} has no rate, latency or block size of reads; {HOW}")

        def value(key: str, subject: str, default: float = 0.0) -> float:
            figure = figures.get((subject, key)) or figures.get((subject, key.replace("_ns", "")))
            return figure.value if figure else default

        yield Depth(
            depth=int(value("iodepth", of, 1) * value("numjobs", of, 1)),
            block_bytes=int(block.value),
            file=reading.file,
            per_s=per_s,
            latency=latency,
            submission_s=value("slat_ns mean", reads),
            fastest_s=value("clat_ns p1", reads, latency.value) + value("slat_ns mean", reads),
            wakeups_per_s=value("ctx", of) / (value("runtime", reads) or 1.0),
            busy=value("usr_cpu", of) + value("sys_cpu", of),
            driver=words.get("report driver", ""),
            jobs=int(value("numjobs", of, 1)),
            write=is_write,
        )


def _together(depths: Iterable[Depth]) -> Iterator[Depth]:
    """The same with clones of a job as one, as ``group_reporting`` prints them: the sum of their requests."""
    alike: dict[tuple[int, int, int, bool], list[Depth]] = {}
    for depth in depths:
        alike.setdefault((depth.depth, depth.jobs, depth.block_bytes, depth.write), []).append(depth)
    for (_, jobs, _, _), clones in alike.items():
        if not 1 < len(clones) == jobs:
            yield from clones
            continue
        first = clones[0].per_s
        low, value, high = (sum(getattr(clone.per_s, end) for clone in clones) for end in ("low", "value", "high"))
        yield replace(clones[0], per_s=replace(first, low=low, value=value, high=high))


class _Drive(ScenarioBuilder):
    """Fills in the reads of the deepest job."""

    def __init__(self, depths: Sequence[Depth]) -> None:
        self.lone, self.deep, self.count = depths[0], depths[-1], len(depths)
        listed = ", ".join(str(depth.depth) for depth in depths)
        size = show_bytes(self.deep.block_bytes)
        super().__init__(IdentifiedScenario(f"Random reads of {size} by fio at depth {listed}"), self.deep.file)

    def fill(self) -> IdentifiedScenario:
        """The whole scenario."""
        self.reads()
        self.drive()
        self.add_compared(READS_A_SECOND, self.deep.per_s.value, "1/s", self.deep.per_s)
        self.add_compared(READ_LATENCY, self.deep.latency.value, "s", self.deep.latency)
        return self.found

    def drive(self) -> None:
        """The drive, and the scheduler before it."""
        raise NotImplementedError

    def reads(self) -> None:
        """What fio asks for."""
        deep = self.deep
        self.know("workload.kind", "read_stream", "rw=randread, direct=1")
        self.assume("workload.path", "direct", "as fio opens it")
        self.assume("workload.pattern", "random", "as fio reads it")
        self.know("workload.block_size_bytes", deep.block_bytes, "bs")
        self.know("workload.in_flight", deep.depth, "iodepth times numjobs")
        self.assume("workload.count", COUNT, "enough for a mean")
        self.assume("host.cpus", 16, "not a limit")
        if deep.submission_s:
            self.know("host.read_call_s", deep.submission_s, "mean submission, with the calls of the deepest job")


class _Flash(_Drive):
    """A drive without positions: the lone read, the ceiling, and the interval of reports; of one depth bounds alone."""

    def drive(self) -> None:
        """What is known, and what is set so that it decides nothing."""
        lone, deep = self.lone, self.deep
        commands = max(32, deep.depth)
        if deep.driver == "sd":
            # NOTE: a queue of SCSI has one hardware queue, for which the kernel takes mq-deadline [linux-blk-mq]
            self.assume("host.scheduler", "mq-deadline", "as the kernel chooses for a drive with one queue")
            commands = COMMANDS["sata"]
        else:
            self.assume("host.scheduler", "none", "a device without positions")
        for name, value, why in (
            ("rotation_s", 0.0, "a device without positions"),
            ("average_seek_s", 0.0, "a device without positions"),
            ("bandwidth_bytes_per_s", BANDWIDTH_BYTES_PER_S, "not a limit: one block size does not tell it"),
            ("capacity_bytes", 1 << 40, "not a limit"),
            ("parallel_requests", commands, "not a limit"),
            ("queue_depth", commands, "as many as SATA has" if deep.driver == "sd" else "not a limit"),
        ):
            self.assume(f"disk.{name}", value, why)
        beside_s = deep.submission_s + deep.block_bytes / BANDWIDTH_BYTES_PER_S
        if lone.depth > 1:
            fastest_s = max(1e-6, lone.fastest_s - beside_s)
            self.know("disk.overhead_s", fastest_s, f"fastest hundredth at depth {lone.depth}: a bound only",
                      interval=(0.0, lone.latency.value))  # fmt: skip
            self.found.says.append("no job has depth 1: what a lone read takes is bounded only; add iodepth 1")
        else:
            lone_s = max(1e-6, lone.latency.value - beside_s)
            self.know(
                "disk.overhead_s", lone_s, f"{lone.file}: mean at depth 1, less submission and transfer", lone.latency
            )
        if deep.depth == 1:
            self.found.says.append(
                f"one depth gives a bound only: the drive serves {deep.per_s.value:,.0f} reads a second or more; add "
                "iodepth 32"
            )
            return
        if deep.per_s.value * self.found.values()["disk.overhead_s"] >= 1:
            self.know(
                "disk.controller_reads_per_s", deep.per_s.value, f"reads a second at depth {deep.depth}", deep.per_s
            )
            self.found.says.append(
                f"the ceiling of {deep.per_s.value:,.0f} reads a second is what depth {deep.depth} reaches; whether a "
                "deeper queue reaches more is not known, nor how latencies spread there"
            )
        gathers = 1 / max(0.05, 1 - deep.busy)
        if deep.wakeups_per_s and deep.per_s.value / deep.wakeups_per_s > GATHERED * gathers:
            interval_s = 1 / deep.wakeups_per_s
            self.know(
                "disk.report_interval_s",
                interval_s,
                f"{deep.per_s.value / deep.wakeups_per_s:.1f} reads a context switch of the job at depth {deep.depth}",
            )


class _RotatingDisk(_Drive):
    """A disk that turns: its average seek from the lone read; from the deepest who sorts, and how short seeks get."""

    def __init__(self, depths: Sequence[Depth], rotation_s: float) -> None:
        super().__init__(depths)
        self.rotation_s = rotation_s

    def drive(self) -> None:
        """Geometry as far as it matters, then what the depths tell."""
        lone, transfer_s = self.lone, self.deep.block_bytes / DISK_BYTES_PER_S
        if lone.depth > 1:
            raise NotIdentified("no job has depth 1, whose mean is that of a seek and half a turn; add iodepth 1")
        seek_s = lone.latency.value - lone.submission_s - DISK_OVERHEAD_S - self.rotation_s / 2 - transfer_s
        if seek_s <= 0:
            raise NotIdentified(
                f"{lone.file}: a lone read takes {show_seconds(lone.latency.value)}, and half a turn alone "
                f"{show_seconds(self.rotation_s / 2)}: --rpm is that of another disk"
            )
        self.assume("disk.rotation_s", self.rotation_s, "--rpm")
        self.know(
            "disk.average_seek_s", seek_s,
            f"{lone.file}: mean at depth 1, less submission, overhead, half a turn and transfer", lone.latency,
        )  # fmt: skip
        self.assume("disk.overhead_s", DISK_OVERHEAD_S, "small beside a seek, and part of what is known as one")
        self.assume("disk.bandwidth_bytes_per_s", DISK_BYTES_PER_S, "one block size does not tell it")
        self.assume("disk.capacity_bytes", 1 << 38, "the reads go over all of it; seeks are shares of it")
        if self.count == 1 or self.deep.per_s.value < SORTED * lone.per_s.value:
            self.assume("host.scheduler", "none", "depth makes the disk no quicker")
            self.assume("disk.queue_depth", COMMANDS["sata"], "served in order: not a limit")
            if self.count == 1:
                self.found.says.append("one depth does not tell who sorts the reads: none is taken to; add iodepth 32")
            return
        self._sorts()
        self._short_seeks()

    def _sorts(self) -> None:
        """Who sorts, by what the fastest reads wait for: those that pass all others, but not those at the disk.

        Such a read waits for the end of one under way, then for those before it in the disk's own queue, and is served.
        """
        waits = self.deep.fastest_s * self.deep.per_s.value
        depth = max(1, round(waits) - 1) if waits < self.deep.depth else 1
        seen = f"the fastest hundredth at depth {self.deep.depth} takes {waits:.1f} times the mean service"
        by_host = {"host.scheduler": "mq-deadline", "disk.queue_depth": depth}
        by_disk = {"host.scheduler": "none", "disk.queue_depth": COMMANDS["sata"], "disk.reorder_age_s": AGE_S}
        sorts = min(
            [by_host] if depth > 1 else [by_host, by_disk],
            key=lambda candidate: abs(self._modelled_per_s(candidate) - self.deep.per_s.value),
        )
        for path, value in sorts.items():
            if path == "disk.reorder_age_s":
                self.assume(path, value, "some tenths of a second to a few seconds; makers do not print it")
            else:
                self.know(path, value, seen)
        who = f"the host sorts the reads and hands the disk {depth} at a time" if sorts is by_host else "the disk sorts"
        self.found.says.append(f"{seen}: {who}; fio does not print the scheduler")

    def _short_seeks(self) -> None:
        """The seek to the next track with which the deepest job is as quick as measured."""
        low, high = 0.0, self.found.values()["disk.average_seek_s"]
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            quicker = self._modelled_per_s({"disk.track_seek_s": middle}) > self.deep.per_s.value
            low, high = (middle, high) if quicker else (low, middle)
        self.know(
            "disk.track_seek_s", low, f"what makes the reads of depth {self.deep.depth} as quick as they are",
            self.deep.per_s,
        )  # fmt: skip

    def _modelled_per_s(self, fields: dict[str, Any]) -> float:
        """Reads a second of the deepest job with these *fields* besides those that are known."""
        content = self.found.sections()
        for path, value in {**fields, "workload.count": PLAYED}.items():
            section, name = path.split(".")
            content[section][name] = value
        scenario = from_mapping(content, "disk")
        return float(measures_of(simulate(scenario.system, scenario.workload))["calls_per_s"])
