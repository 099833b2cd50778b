"""What all programs of a run share: the clock, the processors, the disk behind its queue, the page cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from blocktime.model.demand.calls import goes_on, largest_bytes_of, writes_at_once
from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.host_limits import log_disk_of
from blocktime.model.demand.transaction_demand import touch_rules
from blocktime.model.kernels.buffer_kernel import PLACE_BYTES, Buffers
from blocktime.model.laws import block_layer, page_cache, write_back_throttle
from blocktime.model.laws.commit import ADAPTIVE, LOG_FILES_BYTES
from blocktime.model.laws.processors import speeds_of
from blocktime.model.loops import fastest
from blocktime.model.machine.device.block_queue import BlockQueue
from blocktime.model.machine.device.diskstats import Counters
from blocktime.model.machine.device.drive import capacity_of, drive_of, tagged_of
from blocktime.model.machine.device.elevator import elevator_of
from blocktime.model.machine.device.servers import Processors, Servers, Threads
from blocktime.model.machine.device.throttle import WriteBackThrottle
from blocktime.model.machine.device.volume import BehindHost, HostLimits
from blocktime.model.machine.host.read_ahead import ReadAhead, read_ahead_of
from blocktime.model.sim.clock import Clock, environment
from blocktime.model.sim.data_files import BlockRequests, Files, largest_request_bytes
from blocktime.model.sim.device import PROGRAM, BlockDevice, Server
from blocktime.model.sim.pool import BufferPool
from blocktime.model.sim.references import ByPlace
from blocktime.model.sim.streams import stream, varied
from blocktime.model.sim.write_back import PageCache
from blocktime.model.sim.writers import Archiver, DatabaseWriter, LogWriter, RedoLogs
from blocktime.model.spec import Host, System, Table, release_tuple

SERVICE = "service"
MOST_WAITING = 1 << 40


class Place(NamedTuple):
    """The place of a program on a machine, and its start time."""

    owner: int = 0
    """Number of its first session."""
    first_byte: int = 0
    """Of its data on the disk."""
    begin_s: float = 0.0


@dataclass(slots=True)
class Machine:
    """One host and its disk, in simulated time."""

    env: Clock
    host: Host
    processors: Processors
    disk: BlockDevice
    page_cache: PageCache
    counters: Counters
    system: System
    shared: bool = False
    """Whether programs share its buffer cache; a statement alone has a stated share of hits instead."""
    in_phases: bool = False
    """Whether the run ends with the last program, so that each of its phases counts."""
    pool: BufferPool | None = None
    """The buffer cache, once somebody needs it."""
    limits: HostLimits | None = None
    """The limits of the host over all its volumes."""
    cache_shares: dict[int, Any] = field(default_factory=dict)
    """What the buffer cache holds at first of the blocks of programs that say how popular these are, by owner."""
    writes_back: bool = False
    changing: dict[Table, list[Any]] = field(default_factory=dict)
    """Programs that change rows of one table, where several do."""
    segments: dict[Table, Any] = field(default_factory=dict)
    """The segments that several programs change."""
    transactions: list[Any] = field(default_factory=list)
    """Programs of transactions, whose changes statements beside them meet."""
    log: LogWriter | None = None
    """LGWR of the instance, once somebody has redo for it."""
    log_files: Files | None = None
    """Those that the log lies in."""
    temp: Machine | None = None
    """The machine as the temporary tablespace sees it, where that has a disk of its own."""

    def of_temp(self, system: System, seed: int) -> Machine:
        """The machine with the disk that the temporary tablespace lies on: its own, or that of the data."""
        if system.instance.temp_disk == "data":
            return self
        if self.temp is None:
            counters = counters_of(system)
            disk = device_of(self.env, system, counters, seed + 2, self.limits)
            cache = PageCache(self.env, self.host, disk, page_cache.journal_byte(capacity_of(system.disk)))
            self.temp = replace(self, disk=disk, page_cache=cache, counters=counters)
            self.temp.temp = self.temp
        return self.temp

    def write_back(self) -> None:
        """Start write-back and journal commits at the first write into the page cache."""
        if not self.writes_back:
            self.writes_back = True
            self.env.process(self.page_cache.flusher())
            self.env.process(self.page_cache.journal())

    def read_ahead(self, fadvise: str = "normal") -> ReadAhead:
        """The windows of one reader."""
        return read_ahead_of(self.host, fadvise)

    def largest_bytes(self, path: str) -> int:
        """Bytes to which the pages of reads on a path merge."""
        return int(largest_bytes_of(self.host, path))

    def buffer_cache(self, system: System, owner: int) -> BufferPool:
        """The buffer cache that programs share; without users to own it one that is empty at first.

        Its blocks are then numbered by their places on the disk, and DBWR's requests are *owner*'s.
        """
        if self.pool is None:
            instance, size = system.instance, system.tablespace.block_size_bytes
            buffers = Buffers(max(1, int(instance.buffer_cache_bytes // size)), touch_rules(system))
            self.env.watch.hold(PLACE_BYTES * buffers.size_blocks)
            writer = self.database_writer(system, buffers, owner, instance.checkpoint_s)
            self.pool = fastest(BufferPool)(self.env, buffers, writer)
        return self.pool

    def database_writer(self, system: System, buffers: Buffers, owner: int, age_s: float) -> DatabaseWriter:
        """DBWR of *buffers*, whose requests are *owner*'s; it writes what has been dirty for *age_s* seconds.

        Blocks are numbered by their places on the disk.
        """
        largest = self.disk.queue.largest_bytes
        counters = self.counted_apart(owner) if self.shared else self.counters
        files = fastest(Files)(self.env, self.disk, largest, owner, counters)
        limits, layout = (writes_at_once(system), age_s), ByPlace(int(system.tablespace.block_size_bytes))
        writer = fastest(DatabaseWriter)(self.env, files, buffers, layout, limits)
        writer.one_by_one = not goes_on(system)
        writer.look()
        return writer

    def redo_log(self, system: System, behind_byte: int, seed: int) -> LogWriter:
        """LGWR, whose log lies among the data from *behind_byte* on, where nothing else is said, or on its own disk."""
        if self.log is None:
            instance, size = system.instance, int(system.tablespace.block_size_bytes)
            if instance.redo_disk == "data":
                files = fastest(Files)(self.env, self.disk, largest_request_bytes(system.host))
            else:
                files = log_files_of(self.env, system, seed, self.limits)
            wanted = behind_byte if instance.redo_byte is None else int(instance.redo_byte)
            first_byte = max(0, min(capacity_of(system.disk) - LOG_FILES_BYTES, wanted)) // size * size
            data = fastest(Files)(self.env, self.disk, largest_request_bytes(system.host))
            self.log_files, self.log = files, log_writer_of(self.env, system, files, data, first_byte)
        return self.log

    def counted_apart(self, owner: int) -> Counters:
        """Counters of the device for the requests of one program, whose sessions are numbered from *owner* on."""
        apart = self.disk.apart
        if (counters := apart.get(owner // PROGRAM)) is None:
            counters = apart[owner // PROGRAM] = counters_of(self.system)
        return counters


def machine_of(system: System, seed: int, counters: Counters | None = None) -> Machine:
    """The machine that a specification describes, at the start of a run."""
    env = environment()
    counted = counters_of(system) if counters is None else counters
    limits = host_limits_of(system)
    disk = device_of(env, system, counted, seed, limits)
    cache = PageCache(env, system.host, disk, page_cache.journal_byte(capacity_of(system.disk)))
    processors = processors_of(system.host)
    return Machine(env, system.host, processors, disk, cache, counted, system, limits=limits)


def processors_of(host: Host) -> Processors:
    """Processors that are all alike, or the threads of cores that share what they have."""
    cores = host.cores
    return fastest(Servers)(int(cores.threads)) if speeds_of(cores) is None else fastest(Threads)(cores)


def device_of(
    env: Clock,
    system: System,
    counters: Counters,
    seed: int,
    limits: HostLimits | None = None,
    *,
    in_order: bool = False,
) -> BlockDevice:
    """The disk behind the kernel's queue; where it serves all *in_order* of arrival, nobody waits for room there."""
    host, disk = system.host, system.disk
    release = block_layer.release_of(host.kernel)
    idles = disk.rotation_s > 0 and release >= block_layer.IDLES
    queue = fastest(BlockQueue)(
        elevator_of("none" if in_order else host.scheduler, idles=idles),
        block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments),
        MOST_WAITING if in_order else host.nr_requests,
        "2" if in_order else host.nomerges,
    )
    depth = max(disk.queue_depth, disk.parallel_requests)
    device = fastest(BlockDevice)(env, server_of(system, seed, limits), queue, counters, depth)
    device.tagged = tagged_of(disk)
    flushed = disk.write_cache_flushed and disk.write_cache_bytes > 0
    device.fua = disk.fua
    device.flushes = flushed and block_layer.empties_write_cache(release, host.filesystem)
    device.plugs = release < block_layer.TASKS_PLUG
    if write_back_throttle.is_throttled(release, host.scheduler):
        device.throttle = fastest(WriteBackThrottle)(
            int(min(depth, host.nr_requests)), rotating=disk.rotation_s > 0, volatile=device.flushes
        )
    return device


def log_files_of(env: Clock, system: System, seed: int, limits: HostLimits | None) -> Files:
    """The redo log on a disk of its own."""
    # NOTE: the log writer waits for each of its writes, so nothing has to be sorted
    of_log = changed(system, disk=log_disk_of(system))
    queue = device_of(env, of_log, counters_of(system), seed + 1, limits, in_order=True)
    return fastest(Files)(env, queue, largest_request_bytes(system.host))


def log_writer_of(env: Clock, system: System, files: Files, data: BlockRequests, first_byte: int) -> LogWriter:
    """LGWR of an instance, whose log lies in *files* from a byte on; archived logs may lie with the *data*."""
    instance, host = system.instance, system.host
    writer = fastest(LogWriter)(env, files, first_byte, int(instance.log_buffer_bytes))
    writer.call_s, writer.overhead_s = host.log_write_call_s, host.commit_overhead_s
    writer.standby_s = instance.standby_s
    writer.may_post = instance.log_file_sync != "poll"
    adapts = instance.log_file_sync == "auto" and release_tuple(instance.release) >= ADAPTIVE
    writer.may_poll = adapts or not writer.may_post
    if instance.redo_log_bytes is not None:
        writer.logs = logs = fastest(RedoLogs)(float(instance.redo_log_bytes), int(instance.redo_log_groups))
        if instance.archive_disk != "none":
            behind = max(0, capacity_of(system.disk) - 2 * LOG_FILES_BYTES)
            logs.archiver = fastest(Archiver)(writer, data if instance.archive_disk == "data" else None, behind)
    return writer


def host_limits_of(system: System) -> HostLimits | None:
    """What the host of a system allows its volumes together; None where it allows them all."""
    return HostLimits(system.host, system.disk) if system.host.limits_volumes else None


def server_of(system: System, seed: int, limits: HostLimits | None = None) -> Server:
    """What serves the requests of a volume, behind the *limits* that it shares with others, or its host's alone."""
    disk = system.disk
    server: Server = drive_of(disk, service_factors(system, seed) if disk.service_cv else None)
    limits = limits or host_limits_of(system)
    return server if limits is None else BehindHost(server, limits)


def counters_of(system: System) -> Counters:
    """What iostat will read."""
    release = block_layer.release_of(system.host.kernel)
    return fastest(Counters)(
        system.iostat.interval_s, system.iostat.first_s, at_submission=block_layer.counts_sectors_at_submission(release)
    )


def service_factors(system: System, seed: int) -> Iterator[float]:
    """Factors on the mean service time, request by request."""
    return varied(1.0, system.disk.service_cv, stream(seed, SERVICE))
