"""The machine: its processors and the kernel's path of a request, the client, the storage, and what watches it."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from blocktime.model.laws.block_layer import FOLIOS, has_folios, release_of
from blocktime.model.laws.processors import Cores
from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import GENERAL, Rate, Real, Seconds, Size, Whole, as_text, setting
from blocktime.model.units import GIB, KIB, MIB

LEAST_CACHE_BYTES = 4096
LEAST_ROTATION_S = 1e-6
ROUNDING = 1e-9
SHEETS = "drive-data-sheets"
IoPath = Literal["asm", "raw", "direct", "buffered", "sync", "dsync"]


class Host(Frozen):
    """The machine: its kernel's I/O path and what work costs on its processors."""

    io_path: IoPath = setting(
        "asm",
        "How files are opened: asm, raw, direct (O_DIRECT), buffered, sync (O_SYNC), dsync (O_DSYNC)",
        GENERAL,
    )
    kernel: str = setting(
        "5.15",
        "Kernel release; decides how requests merge and plug, and what iostat counts",
        GENERAL,
        max_length=80,
    )
    scheduler: Literal["noop", "deadline", "cfq", "none", "mq-deadline", "bfq", "kyber"] = setting(
        "mq-deadline", "I/O scheduler", GENERAL
    )
    read_ahead_bytes: Size = setting(
        128 * KIB,
        "read_ahead_kb, the window of buffered reads; 0 reads each page when it is wanted",
        "linux-readahead",
        ge=0,
        le=16 * MIB,
    )
    max_request_bytes: Size = setting(
        512 * KIB, "max_sectors_kb, the largest request of a device", "linux-block", ge=4 * KIB, le=16 * MIB
    )
    max_segments: Whole = setting(
        128,
        "max_segments, pieces of a request that do not lie together in memory: pages, or folios",
        "linux-block",
        ge=1,
        le=4096,
    )
    nr_requests: Whole = setting(
        128, "nr_requests, requests of one direction the queue holds", "linux-block", ge=1, le=10_000
    )
    nomerges: Annotated[Literal["0", "1", "2"], BeforeValidator(as_text)] = setting(
        "0",
        "nomerges: 0 merges with any waiting request, 1 with the last one only, 2 never",
        "linux-block",
    )
    filesystem: Literal["ext3", "ext4", "xfs", "none"] = setting(
        "ext4", "File system of a buffered or O_SYNC file; none is a block device", GENERAL
    )
    folios: bool | None = setting(
        None,
        "Whether the page cache keeps files in folios; if not set, as kernel and file system have it",
        "linux-folios",
    )
    journal: bool = setting(
        True,
        "Whether ext3 and ext4 keep a journal; without one, as ext2, a commit writes the file's inode where it is",
        "linux-ext3",
    )
    journal_commit_s: Seconds = setting(
        5.0, "commit=, seconds after which ext3 and ext4 commit a transaction", "linux-ext3", ge=0.01, le=3600
    )
    journal_data: Literal["ordered", "writeback"] = setting(
        "ordered",
        "data=: ordered writes new file data before an ext3 commit; writeback does not",
        "linux-ext3",
    )
    journal_elsewhere: bool = setting(False, "The journal lies on another device", GENERAL)
    journal_age_s: Seconds = setting(
        0.0, "Age of the journal's open transaction when the workload begins", GENERAL, ge=0, le=3600
    )
    memory_bytes: Size = setting(
        16 * GIB,
        "Memory: buffer caches and programs take it first, the page cache may use the rest",
        GENERAL,
        ge=MIB,
        le=64 * 1024 * GIB,
    )
    dirty_background_ratio_percent: Real = setting(
        10.0,
        "vm.dirty_background_ratio: share of memory that may be dirty before write-back begins",
        "linux-vm",
        ge=0.001,
        le=100,
    )
    dirty_ratio_percent: Real = setting(
        20.0,
        "vm.dirty_ratio: share of memory that may be dirty before writers are throttled",
        "linux-vm",
        ge=0.001,
        le=100,
    )
    dirty_writeback_s: Seconds = setting(
        5.0,
        "vm.dirty_writeback_centisecs: interval of periodic write-back",
        "linux-vm",
        ge=0.01,
        le=3600,
    )
    dirty_expire_s: Seconds = setting(
        30.0, "vm.dirty_expire_centisecs: age at which a dirty page is written", "linux-vm", ge=0.01, le=86400
    )
    cpus: Whole = setting(4, "Processors: cores", GENERAL, ge=1, le=4096)
    threads_per_core: Whole = setting(
        1,
        "Hardware threads of a core (SMT); a vCPU of x86 is mostly one, of Arm a core",
        GENERAL,
        ge=1,
        le=8,
    )
    smt_gain_percent: Real = setting(
        17.0,
        "Extra throughput of a core with all its threads busy, compared with one thread",
        "smt-gain",
        ge=0,
        le=700,
    )
    busy_loss_percent: Real = setting(
        12.0,
        "How much slower a core of a large processor is while all are busy than while it is the only one (clock, "
        "memory, last-level cache); of n busy cores each loses (n - 2)/cpus of it",
        "turbo-bins",
        ge=0,
        le=50,
    )
    cpuspeed_hz: Rate = setting(
        2.5e9,
        "CPUSPEEDNW as the instance measures it when it starts: cycles a second, 1 to 3.5 GHz since about 2010",
        GENERAL,
        ge=1,
        le=1e12,
    )
    iops_limit: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, "IOPS limit of the virtual machine, over all its volumes", "azure-vm-sizes"
    )
    bandwidth_limit_bytes_per_s: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(
        None, "Bandwidth limit of the virtual machine, over all its volumes", "azure-vm-sizes"
    )
    burst_iops: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, "Burst IOPS of the virtual machine, while its credits last", "azure-vm-sizes"
    )
    burst_bandwidth_bytes_per_s: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(
        None, "Burst bandwidth of the virtual machine, while its credits last", "azure-vm-sizes"
    )
    burst_s: Seconds = setting(
        1800.0,
        "How long a virtual machine's credits, full at the start, last at its burst rates",
        "azure-vm-sizes",
        ge=0,
        le=86400,
    )
    page_cache_hit_fraction: Real = setting(
        0.0, "Share of buffered reads found in the host's page cache", GENERAL, ge=0, le=1
    )
    copy_bytes_per_s: Rate = setting(4.0 * GIB, "Copy rate out of the page cache", GENERAL, ge=1, le=1e12)
    logical_io_s: Seconds = setting(1.34e-6, "CPU of a buffer get", "savvinov-lio", ge=0, le=0.1)
    line_miss_s: Seconds = setting(14.8e-9, "CPU of a missed cache line", "savvinov-lio", ge=0, le=0.1)
    line_stream_s: Seconds = setting(11.7e-9, "CPU of a streamed cache line", "savvinov-lio", ge=0, le=0.1)
    row_step_s: Seconds = setting(10.2e-9, "CPU of stepping onto a row", "savvinov-lio", ge=0, le=0.1)
    column_step_ratio: Real = setting(
        0.084, "Instructions for a column, relative to those for a row", "savvinov-lio", ge=0, le=100
    )
    fetch_row_s: Seconds = setting(0.5e-6, "CPU of putting a row into the array", GENERAL, ge=0, le=0.1)
    fetch_column_s: Seconds = setting(
        0.1e-6, "CPU of putting a column value into the array", GENERAL, ge=0, le=0.1
    )
    filter_row_s: Seconds = setting(
        30e-9,
        "CPU of holding a column value against the WHERE clause: 20 to 40 ns for a NUMBER",
        GENERAL,
        ge=0,
        le=0.1,
    )
    call_s: Seconds = setting(20e-6, "CPU of a database call", GENERAL, ge=0, le=1)
    read_call_s: Seconds | None = setting(
        None,
        "CPU of a read call, from submission to wake-up; if not set 5 µs, and 12 µs of a stream past the page cache",
        "axboe-2019",
        ge=0,
        le=1,
    )
    reap_call_s: Seconds = setting(
        35e-6, "Time to collect a finished asynchronous read (io_getevents)", "rahn-mbrc", ge=0, le=1
    )
    write_call_s: Seconds | None = setting(
        None,
        "CPU of a write call, with the program's own loop around it; if not set as read_call_s",
        "axboe-2019",
        ge=0,
        le=1,
    )
    page_write_s: Seconds = setting(
        1e-6, "CPU of putting one page into the page cache", GENERAL, ge=0, le=0.1
    )
    page_submit_s: Seconds = setting(
        0.5e-6, "CPU of submitting one page to the block layer", GENERAL, ge=0, le=0.1
    )
    buffer_block_s: Seconds = setting(
        4e-6, "CPU of putting a block read into the buffer cache", "shallahamer-direct", ge=0, le=0.1
    )
    update_row_s: Seconds = setting(
        42.7e-6, "CPU of updating a row, with its undo and redo", "rahn-pctfree", ge=0, le=1
    )
    migrate_row_s: Seconds = setting(
        116e-6, "CPU of migrating a row, beyond that of updating it", "rahn-pctfree", ge=0, le=1
    )
    itl_entry_s: Seconds = setting(
        45e-9,
        "CPU of checking one ITL entry of a block in the search for space",
        "rahn-pctfree",
        ge=0,
        le=0.01,
    )
    insert_row_s: Seconds = setting(2e-6, "CPU of putting a row into a block in memory", GENERAL, ge=0, le=1)
    insert_column_s: Seconds = setting(
        0.0, "CPU of a column value of an inserted row, beyond that of the row", GENERAL, ge=0, le=0.1
    )
    delete_row_s: Seconds = setting(
        15e-6, "CPU of deleting a row, with its undo and redo", GENERAL, ge=0, le=1
    )
    change_block_s: Seconds = setting(
        12e-6, "CPU of one change to a block: current get, undo record, redo record", GENERAL, ge=0, le=1
    )
    commit_s: Seconds = setting(40e-6, "CPU of a commit, the log writer's included", GENERAL, ge=0, le=1)
    latch_hold_s: Seconds = setting(
        0.5e-6, "Time a cache buffers chains latch is held for a get", GENERAL, ge=0, le=0.01
    )
    latch_spin_s: Seconds = setting(
        20e-6, "Time a process spins for a latch before it sleeps (_spin_count)", GENERAL, ge=0, le=0.1
    )
    log_file_sync_s: Seconds = setting(0.5e-3, "Time a commit waits for the log writer", GENERAL, ge=0, le=10)
    between_calls_s: Seconds = setting(
        0.0,
        "Time per round trip to write the trace, which neither calls nor waits account for; with instance.sql_trace",
        "rahn-mbrc",
        ge=0,
        le=1,
    )

    @field_validator("kernel", mode="before")
    @classmethod
    def _a_release(cls, value: object) -> object:
        """A number would lose the nought of 5.10, so the release is text."""
        if isinstance(value, int | float):
            raise ValueError(f'{value!r} is a number; write the release as text, such as "5.10"')
        if isinstance(value, str):
            release_of(value)
        return value

    @property
    def cores(self) -> Cores:
        """Its processors, for the laws of what they share."""
        return Cores(
            self.cpus, self.threads_per_core, self.smt_gain_percent / 100, self.busy_loss_percent / 100
        )

    @property
    def limits_volumes(self) -> bool:
        """Whether it limits what its volumes do together."""
        return self.iops_limit is not None or self.bandwidth_limit_bytes_per_s is not None

    @model_validator(mode="after")
    def _bursts_go_beyond_limits(self) -> "Host":
        for burst, limit in (
            ("burst_iops", "iops_limit"),
            ("burst_bandwidth_bytes_per_s", "bandwidth_limit_bytes_per_s"),
        ):
            most, least = getattr(self, burst), getattr(self, limit)
            if most is not None and (least is None or most < least):
                given = "is not set" if least is None else f"is {least:g}"
                raise ValueError(f"{burst} {most:g} needs {limit} that is not above it; {limit} {given}")
        return self

    @model_validator(mode="after")
    def _journal_can_be_left_out(self) -> "Host":
        if not self.journal and self.filesystem not in ("ext3", "ext4"):
            raise ValueError(
                f"journal false is for filesystem ext3 and ext4; filesystem is {self.filesystem}"
            )
        return self

    @model_validator(mode="after")
    def _folios_are_in_the_kernel(self) -> "Host":
        if self.folios and not has_folios(release_of(self.kernel), self.filesystem):
            first = {name: ".".join(map(str, release)) for name, release in FOLIOS.items()}
            raise ValueError(
                f"folios are not in kernel {self.kernel} with filesystem {self.filesystem}: xfs has them since "
                f"{first['xfs']}, ext4 since {first['ext4']}; leave folios out or set kernel"
            )
        return self


COMMANDS = {"ide": 1, "sata": 32, "scsi": 256, "sas": 65_536, "nvme": 65_536}
"""Commands of each interface that a drive may hold: NCQ's tags, SCSI's one byte and SAS's two, a queue of NVMe."""


class Disk(Frozen):
    """A device behind a queue: a rotating disk, flash, a set of disks, or a volume with limits.

    A drive turns where ``rotation_s`` is above 0. Positions on it then matter: seek curve, angle of the platter,
    zones. With ``raid_level`` the fields describe one member, and the controller stands in front.
    """

    overhead_s: Seconds = setting(0.1e-3, "Command overhead of a request", SHEETS, ge=0, le=10)
    average_seek_s: Seconds = setting(3.7e-3, "Average seek", SHEETS, ge=0, le=10)
    track_seek_s: Seconds | None = setting(
        None, "Seek to the next track; a sixth of the average seek if not set", SHEETS, ge=0, le=10
    )
    full_seek_s: Seconds | None = setting(
        None, "Seek over the whole disk; twice the average seek if not set", SHEETS, ge=0, le=10
    )
    rotation_s: Seconds = setting(4.0e-3, "One turn of the platter; 0 for flash", SHEETS, ge=0, le=10)
    head_switch_s: Seconds = setting(
        0.4e-3, "Switch from one track to the next, which the tracks' skew allows for", SHEETS, ge=0, le=1
    )
    heads: Whole = setting(4, "Recording surfaces: tracks of a cylinder", SHEETS, ge=1, le=64)
    zones: Whole = setting(1, "Recording zones; the outer ones transfer faster", SHEETS, ge=1, le=64)
    inner_bandwidth_ratio: Real = setting(
        0.6, "Transfer rate of the innermost zone over that of the outermost", SHEETS, ge=0.01, le=1
    )
    capacity_bytes: Size = setting(72 * GIB, "Capacity", SHEETS, ge=MIB, le=1024**5)
    bandwidth_bytes_per_s: Rate = setting(
        75.0 * MIB, "Transfer rate, in the outermost zone", SHEETS, ge=1, le=1e12
    )
    write_overhead_s: Seconds | None = setting(
        None, "Command overhead of a write, where it differs", SHEETS, ge=0, le=10
    )
    write_bandwidth_bytes_per_s: Rate | None = setting(
        None, "Sustained transfer rate of queued writes, where it is less", SHEETS, ge=1, le=1e12
    )
    slc_cache_bytes: Size = setting(
        0,
        "SLC cache: flash that takes writes at the full rate until it is full; 0 for none",
        SHEETS,
        ge=0,
        le=1024**5,
    )
    slc_full_bytes_per_s: Rate | None = setting(
        None,
        "Transfer rate of writes while the SLC cache is full, and at which an idle drive empties it",
        SHEETS,
        ge=1,
        le=1e12,
    )
    spare_fraction: Annotated[Real, Field(ge=0.005, le=10)] | None = setting(
        None,
        "Over-provisioning: spare flash as a share of the capacity; if not set, random writes have no write "
        "amplification",
        "desnoyers-2012",
    )
    used_fraction: Real = setting(
        1.0,
        "Share of a flash drive's capacity that holds data; the rest, trimmed or never written, is spare flash too",
        "desnoyers-2012",
        ge=0.01,
        le=1,
    )
    fresh: bool = setting(
        False,
        "A flash drive that is erased but for its data when the workload begins; otherwise it is in steady state",
        "desnoyers-2012",
    )
    parallel_requests: Whole = setting(1, "Requests served at once", SHEETS, ge=1, le=4096)
    reads_collide: bool = setting(
        False,
        "Reads collide: each waits for the one slot (channel or die of flash) that holds its place, not for any",
        "flash-channels",
    )
    controller_reads_per_s: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, "Maximum of reads a second of the controller of a flash drive", SHEETS
    )
    controller_writes_per_s: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, "Maximum of writes a second of the controller of a flash drive", SHEETS
    )
    report_interval_s: Seconds = setting(
        0.0,
        "Interval at which a busy flash drive reports completions; 0 reports each at once",
        "interrupt-coalescing",
        ge=0,
        le=1,
    )
    queue_depth: Whole = setting(
        1, "Commands the device and its driver hold at once (tagged queueing, NCQ)", SHEETS, ge=1, le=65536
    )
    reorder_age_s: Seconds | None = setting(
        None,
        "A rotating drive takes the command of its queue with the shortest seek and turn, unless one is older than "
        "this; not set for a drive that serves them in order",
        "worthington-1994",
        ge=0.1,
        le=3600,
    )
    interface: Literal["ide", "sata", "scsi", "sas", "nvme"] | None = setting(
        None, "Interface of a drive, which limits the commands it holds; not set for no limit", SHEETS
    )
    service_cv: Real = setting(
        0.0,
        "Coefficient of variation of the service time, of a device without positions: 0 fixed, 1 exponential; a "
        "volume's limits stay as they are",
        GENERAL,
        ge=0,
        le=10,
    )
    track_buffer_bytes: Size = setting(
        256 * KIB, "Read-ahead buffer of the drive; 0 for none", SHEETS, ge=0, le=16 * GIB
    )
    write_cache_bytes: Size = setting(
        0,
        "Write cache of the drive or the controller; 0 where writes go to the medium",
        SHEETS,
        ge=0,
        le=1024 * GIB,
    )
    write_cache_flushed: bool = setting(
        False,
        "The write cache loses its content with the power: fsync, O_SYNC and O_DSYNC empty it (cache flush); "
        "off for one with a battery",
        GENERAL,
    )
    fua: bool = setting(
        False,
        "Takes single writes past its volatile write cache (FUA), as NVMe drives do, SATA drives with libata.fua=1 "
        "alone; otherwise a flush follows each",
        "libata-fua",
    )
    read_hit_fraction: Real = setting(
        0.0, "Share of reads that the controller's cache answers", GENERAL, ge=0, le=1
    )
    bus_bytes_per_s: Rate = setting(
        300.0 * MIB, "Rate of the interface, for what a cache answers", SHEETS, ge=1, le=1e12
    )
    raid_level: Annotated[Literal["none", "0", "1", "5", "10"], BeforeValidator(as_text)] = setting(
        "none", "RAID level of the set; none is a single device", GENERAL
    )
    raid_disks: Whole = setting(1, "Members of the set", GENERAL, ge=1, le=1024)
    stripe_unit_bytes: Size = setting(
        64 * KIB, "Bytes on one member before the next", GENERAL, ge=4 * KIB, le=16 * MIB
    )
    iops_limit: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, "IOPS limit of the volume", GENERAL
    )
    throughput_limit_bytes_per_s: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(
        None, "Bandwidth limit of the volume", GENERAL
    )
    limit_io_bytes: Size = setting(
        256 * KIB,
        "Bytes that a volume's limit counts as one request; 0 where a request of any size counts once",
        "aws-ebs",
        ge=0,
        le=16 * MIB,
    )
    limit_slice_s: Seconds = setting(
        0.0,
        "A throttle of the host (cgroup io.max) gives its limits out in slices, of 0.1 s in Linux; 0 paces requests",
        "linux-blk-throttle",
        ge=0,
        le=1,
    )
    burst_iops: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, "Burst IOPS of the volume, while its credits last", GENERAL
    )
    burst_credits: Real = setting(
        0.0, "Burst credits at the start, which is also their maximum", GENERAL, ge=0, le=1e12
    )

    volume_per_month: Annotated[Real, Field(ge=0, le=1e12)] | None = setting(
        None,
        "What the whole volume costs a month, in the prices' currency, beside what is paid for its bytes and requests",
        GENERAL,
    )

    @model_validator(mode="after")
    def _one_kind_of_device(self) -> "Disk":
        self._check_raid()
        self._check_kind()
        self._check_limits()
        self._check_slc_cache()
        self._check_collection()
        self._check_controller()
        self._check_queue()
        self._check_seeks()
        return self

    def _check_raid(self) -> None:
        """As many disks as the RAID level needs."""
        least = {"none": 1, "0": 2, "1": 2, "5": 3, "10": 4}[self.raid_level]
        if self.raid_level == "none" and self.raid_disks > 1:
            raise ValueError(
                f"raid_disks {self.raid_disks} does not suit raid_level none: set raid_level, or raid_disks 1"
            )
        if self.raid_disks < least:
            raise ValueError(
                f"raid_disks {self.raid_disks} does not suit raid_level {self.raid_level}, which needs {least} or more"
            )
        if self.raid_level in ("1", "10") and self.raid_disks % 2:
            raise ValueError(f"raid_disks {self.raid_disks} is odd; raid_level {self.raid_level} needs pairs")

    def _check_kind(self) -> None:
        """A platter or flash, not both; a cache of a page or more."""
        if 0 < self.rotation_s < LEAST_ROTATION_S:
            raise ValueError(
                f"rotation_s {self.rotation_s:g} is too short: allowed are 0 (flash) and {LEAST_ROTATION_S:g} or more"
            )
        if self.service_cv and (self.rotation_s or self.average_seek_s or self.raid_level != "none"):
            raise ValueError(
                "service_cv is for a device without positions: rotation_s and average_seek_s 0, no RAID"
            )
        beside = [name for name in ("write_cache_bytes", "read_hit_fraction") if getattr(self, name)]
        if self.service_cv and beside:
            raise ValueError(f"service_cv goes without {beside[0]}: no cache answers some of the requests")
        if 0 < self.write_cache_bytes < LEAST_CACHE_BYTES:
            raise ValueError(
                f"write_cache_bytes {self.write_cache_bytes} is less than a page of {LEAST_CACHE_BYTES}"
            )

    def _check_limits(self) -> None:
        """The limits of a volume, and its credits."""
        if self.burst_iops is not None and (self.iops_limit is None or self.burst_iops < self.iops_limit):
            raise ValueError("burst_iops needs an iops_limit that is not above it")
        if self.limit_slice_s and self.burst_iops is not None:
            raise ValueError(
                f"limit_slice_s {self.limit_slice_s:g} is of a throttle that saves no credits: leave burst_iops out"
            )

    def _check_seeks(self) -> None:
        """The shortest and the longest seek beside the mean one."""
        if self.track_seek_s is not None and self.track_seek_s > self.average_seek_s:
            raise ValueError(
                f"track_seek_s {self.track_seek_s:g} is more than average_seek_s {self.average_seek_s:g}"
            )
        if self.full_seek_s is not None and self.full_seek_s < self.average_seek_s:
            raise ValueError(
                f"full_seek_s {self.full_seek_s:g} is less than average_seek_s {self.average_seek_s:g}"
            )

    def _check_queue(self) -> None:
        """The queue of the drive: no deeper than its interface has commands, and sorted only where nothing else is."""
        most = None if self.interface is None else COMMANDS[self.interface] * self.raid_disks
        if most is not None and self.queue_depth > most:
            raise ValueError(
                f"queue_depth {self.queue_depth} is more than interface {self.interface} has commands: allowed are 1 "
                f"to {most}"
            )
        if self.reorder_age_s is None:
            return
        if not self.rotation_s:
            raise ValueError(
                "reorder_age_s is for a drive that turns: set rotation_s, or leave reorder_age_s out"
            )
        beside = [
            name
            for name in (
                "write_cache_bytes",
                "read_hit_fraction",
                "iops_limit",
                "throughput_limit_bytes_per_s",
            )
            if getattr(self, name)
        ]
        if beside:
            raise ValueError(
                f"reorder_age_s goes without {beside[0]}: a drive that reorders serves every "
                f"command itself; leave one of the two out"
            )

    def _check_controller(self) -> None:
        """The controller and the channels of flash: a lone read holds the controller no longer than it takes."""
        reads, writes = self.controller_reads_per_s, self.controller_writes_per_s
        for name, ceiling in (("controller_reads_per_s", reads), ("controller_writes_per_s", writes)):
            if ceiling is not None and (self.rotation_s or self.service_cv):
                raise ValueError(f"{name} is for flash with fixed service times: rotation_s and service_cv 0")
        if self.report_interval_s and (self.rotation_s or self.service_cv):
            raise ValueError(
                "report_interval_s is for flash with fixed service times: rotation_s and service_cv 0"
            )
        # NOTE: a write is done when the drive's memory has it, before the controller has finished with it
        if reads is not None and reads * self.overhead_s < 1 - ROUNDING:
            raise ValueError(
                f"controller_reads_per_s {reads:g} is a command each {1 / reads:g} s, longer than a lone read takes, "
                f"overhead_s {self.overhead_s:g}; allowed are {1 / max(self.overhead_s, LEAST_ROTATION_S):g} and more"
            )
        if not self.reads_collide:
            return
        if self.rotation_s or self.service_cv:
            raise ValueError(
                "reads_collide is for flash with fixed service times: rotation_s and service_cv 0"
            )
        if self.parallel_requests > self.queue_depth:
            raise ValueError(
                f"parallel_requests {self.parallel_requests} are more channels than commands: queue_depth is "
                f"{self.queue_depth}, so set it to {self.parallel_requests} or more"
            )

    def _check_collection(self) -> None:
        """Garbage collection is of flash whose cells have one rate."""
        if self.spare_fraction is None:
            if self.fresh:
                raise ValueError(
                    "fresh is for flash that collects garbage: set spare_fraction, or leave it out"
                )
            return
        if self.rotation_s or self.service_cv:
            raise ValueError(
                "spare_fraction is for flash with fixed service times: rotation_s and service_cv 0"
            )
        if self.slc_cache_bytes:
            raise ValueError(
                "spare_fraction goes without slc_cache_bytes, which has a rate of its own once it is full; leave one "
                "of the two out"
            )

    def _check_slc_cache(self) -> None:
        if not self.slc_cache_bytes:
            return
        if self.rotation_s or self.service_cv:
            raise ValueError(
                "slc_cache_bytes is for flash with fixed service times: rotation_s and service_cv 0"
            )
        if self.slc_full_bytes_per_s is None:
            raise ValueError("slc_cache_bytes needs slc_full_bytes_per_s, the rate of writes once it is full")
        rate = self.write_bandwidth_bytes_per_s or self.bandwidth_bytes_per_s
        if self.slc_full_bytes_per_s > rate:
            raise ValueError(
                f"slc_full_bytes_per_s {self.slc_full_bytes_per_s:g} is more than {rate:g}, the rate of writes into "
                "the SLC cache"
            )
        if self.slc_cache_bytes > self.capacity_bytes:
            raise ValueError(
                f"slc_cache_bytes {self.slc_cache_bytes} is more than capacity_bytes {self.capacity_bytes}"
            )


class Iostat(Frozen):
    """How the devices are watched: ``iostat -x`` with an interval."""

    interval_s: Seconds = setting(1.0, "Seconds between two lines", GENERAL, ge=0.01, le=3600)
    first_s: Seconds = setting(
        0.0,
        "From the begin of the workload to the begin of the first line's interval",
        GENERAL,
        ge=0,
        le=3600,
    )
