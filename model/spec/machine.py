"""The machine: its processors and the kernel's path of a request, the client, the storage, and what watches it."""

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from blocktime.model.laws.block_layer import FOLIOS, has_folios, release_of
from blocktime.model.laws.processors import Cores
from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import (
    GENERAL,
    Declaration,
    Rate,
    Real,
    Seconds,
    Size,
    Whole,
    as_text,
    catalog_entry,
    setting,
)
from blocktime.model.spec.groups import BLOCK_LAYER, IOSTAT, PAGE_CACHE, PRICES, SERVER, STATEMENTS, STORAGE, STREAMS
from blocktime.model.units import GIB, KIB, MIB

LEAST_CACHE_BYTES = 4096
LEAST_ROTATION_S = 1e-6
ROUNDING = 1e-9
SHEETS = "drive-data-sheets"
IoPath = Literal["asm", "raw", "direct", "buffered", "sync", "dsync"]


class Host(Frozen):
    """The machine: its kernel's I/O path and what work costs on its processors."""

    use: ClassVar[Declaration] = catalog_entry(SERVER.at(10, "Machine"), STORAGE.at(280, "Machine"))
    io_path: IoPath = setting(
        "asm",
        GENERAL,
        SERVER.at(60, "I/O path"),
        STORAGE.at(10, "I/O path"),
        words="fs files filesystem file_system ext4 xfs asm",
        related="o_direct",
    )
    """How files are opened: asm, raw, direct (O_DIRECT), buffered, sync (O_SYNC), dsync (O_DSYNC)."""
    kernel: str = setting(
        "5.15",
        GENERAL,
        BLOCK_LAYER.at(10, "Kernel"),
        offers="2.6.5 2.6.18 2.6.32 3.10 4.18 5.15 6.1 6.17",
        max_length=80,
    )
    """Kernel release; decides how requests merge and plug, and what iostat counts."""
    scheduler: Literal["noop", "deadline", "cfq", "none", "mq-deadline", "bfq", "kyber"] = setting(
        "mq-deadline", GENERAL, BLOCK_LAYER.at(20, "I/O scheduler"), words="elevator"
    )
    """I/O scheduler."""
    read_ahead_bytes: Size = setting(
        128 * KIB,
        "linux-readahead",
        BLOCK_LAYER.at(80, "Read-ahead", "read_stream"),
        words="read_ahead_kb readahead",
        within=(0, 16 * MIB),
    )
    """read_ahead_kb, the window of buffered reads; 0 reads each page when it is wanted."""
    max_request_bytes: Size = setting(
        512 * KIB,
        "linux-block",
        BLOCK_LAYER.at(50, "Largest request"),
        words="max_sectors_kb",
        within=(4 * KIB, 16 * MIB),
    )
    """max_sectors_kb, the largest request of a device."""
    max_segments: Whole = setting(128, "linux-block", BLOCK_LAYER.at(60, "Segments of a request"), within=(1, 4096))
    """max_segments, pieces of a request that do not lie together in memory: pages, or folios."""
    nr_requests: Whole = setting(128, "linux-block", BLOCK_LAYER.at(30, "nr_requests"), within=(1, 10_000))
    """nr_requests, requests of one direction the queue holds."""
    nomerges: Annotated[Literal["0", "1", "2"], BeforeValidator(as_text)] = setting(
        "0", "linux-block", BLOCK_LAYER.at(40, "nomerges")
    )
    """nomerges: 0 merges with any waiting request, 1 with the last one only, 2 never."""
    filesystem: Literal["ext3", "ext4", "xfs", "none"] = setting("ext4", GENERAL, PAGE_CACHE.at(10, "File system"))
    """File system of a buffered or O_SYNC file; none is a block device."""
    folios: bool | None = setting(None, "linux-folios", BLOCK_LAYER.at(70, "Files in folios"))
    """Whether the page cache keeps files in folios; if not set, as kernel and file system have it."""
    journal: bool = setting(True, "linux-ext3", PAGE_CACHE.at(20, "Journal", "write_stream"))
    """Whether ext3 and ext4 keep a journal; without one, as ext2, a commit writes the file's inode where it is."""
    journal_commit_s: Seconds = setting(5.0, "linux-ext3", within=(0.01, 3600))
    """commit=, seconds after which ext3 and ext4 commit a transaction."""
    journal_data: Literal["ordered", "writeback"] = setting("ordered", "linux-ext3")
    """data=: ordered writes new file data before an ext3 commit; writeback does not."""
    journal_elsewhere: bool = setting(False, GENERAL)
    """The journal lies on another device."""
    journal_age_s: Seconds = setting(0.0, GENERAL, within=(0, 3600))
    """Age of the journal's open transaction when the workload begins."""
    memory_bytes: Size = setting(
        16 * GIB, GENERAL, PAGE_CACHE.at(30, "Memory"), words="ram memory", within=(MIB, 64 * 1024 * GIB)
    )
    """Memory: buffer caches and programs take it first, the page cache may use the rest."""
    dirty_background_ratio_percent: Real = setting(
        10.0, "linux-vm", PAGE_CACHE.at(40, "dirty_background_ratio", "write_stream"), within=(0.001, 100)
    )
    """vm.dirty_background_ratio: share of memory that may be dirty before write-back begins."""
    dirty_ratio_percent: Real = setting(
        20.0, "linux-vm", PAGE_CACHE.at(50, "dirty_ratio", "write_stream"), words="dirty_ratio", within=(0.001, 100)
    )
    """vm.dirty_ratio: share of memory that may be dirty before writers are throttled."""
    dirty_writeback_s: Seconds = setting(
        5.0, "linux-vm", PAGE_CACHE.at(60, "dirty_writeback", "write_stream"), within=(0.01, 3600)
    )
    """vm.dirty_writeback_centisecs: interval of periodic write-back."""
    dirty_expire_s: Seconds = setting(
        30.0, "linux-vm", PAGE_CACHE.at(70, "dirty_expire", "write_stream"), within=(0.01, 86400)
    )
    """vm.dirty_expire_centisecs: age at which a dirty page is written."""
    cpus: Whole = setting(
        4,
        GENERAL,
        SERVER.at(20, "Processors (cores)"),
        STORAGE.at(290, "Processors (cores)"),
        words="cpu_count cores",
        within=(1, 4096),
    )
    """Processors: cores."""
    threads_per_core: Whole = setting(
        1,
        GENERAL,
        SERVER.at(30, "Threads of a core"),
        STORAGE.at(300, "Threads of a core"),
        words="hyperthreading smt",
        within=(1, 8),
    )
    """Hardware threads of a core (SMT); a vCPU of x86 is mostly one, of Arm a core."""
    smt_gain_percent: Real = setting(
        17.0,
        "smt-gain",
        SERVER.at(40, "Gain by a second thread"),
        STORAGE.at(310, "Gain by a second thread"),
        within=(0, 700),
    )
    """Extra throughput of a core with all its threads busy, compared with one thread."""
    busy_loss_percent: Real = setting(
        12.0,
        "turbo-bins",
        SERVER.at(50, "Slowdown with all cores busy"),
        STORAGE.at(320, "Slowdown with all cores busy"),
        within=(0, 50),
    )
    """How much slower a core of a large processor is while all are busy than while it is the only one (clock, memory,
    last-level cache); of n busy cores each loses (n - 2)/cpus of it."""
    cpus_of_others: Real = setting(
        0.0, GENERAL, SERVER.at(55, "Processors busy for other programs"), within=(0, 32_768)
    )
    """Processors (hardware threads) that other programs of the host keep busy all the time."""
    cpuspeed_hz: Rate = setting(2.5e9, GENERAL, within=(1, 1e12))
    """CPUSPEEDNW as the instance measures it when it starts: cycles a second, 1 to 3.5 GHz since about 2010."""
    iops_limit: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None,
        "azure-vm-sizes",
        SERVER.at(110, "IOPS limit of the host"),
        STORAGE.at(230, "IOPS limit of the host"),
        words="vm_limit ebs_optimized",
        related="iops",
        unit="requests/s",
    )
    """IOPS limit of the virtual machine, over all its volumes."""
    bandwidth_limit_bytes_per_s: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(
        None,
        "azure-vm-sizes",
        SERVER.at(120, "Throughput limit of the host"),
        STORAGE.at(240, "Throughput limit of the host"),
        related="vm_limit",
    )
    """Bandwidth limit of the virtual machine, over all its volumes."""
    burst_iops: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, "azure-vm-sizes", STORAGE.at(250, "Burst of the host", *STREAMS), unit="requests/s"
    )
    """Burst IOPS of the virtual machine, while its credits last."""
    burst_bandwidth_bytes_per_s: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(
        None, "azure-vm-sizes", STORAGE.at(260, "Throughput burst of the host", *STREAMS)
    )
    """Burst bandwidth of the virtual machine, while its credits last."""
    burst_s: Seconds = setting(
        1800.0, "azure-vm-sizes", STORAGE.at(270, "Burst duration of the host", *STREAMS), within=(0, 86400)
    )
    """How long a virtual machine's credits, full at the start, last at its burst rates."""
    page_cache_hit_fraction: Real = setting(
        0.0,
        GENERAL,
        SERVER.at(90, "Reads found in the page cache"),
        STORAGE.at(330, "Reads found in the page cache", *STATEMENTS, "read_stream"),
        within=(0, 1),
    )
    """Share of buffered reads found in the host's page cache."""
    copy_bytes_per_s: Rate = setting(4.0 * GIB, GENERAL, within=(1, 1e12))
    """Copy rate out of the page cache."""
    logical_io_s: Seconds = setting(1.34e-6, "savvinov-lio", within=(0, 0.1))
    """CPU of a buffer get."""
    line_miss_s: Seconds = setting(14.8e-9, "savvinov-lio", within=(0, 0.1))
    """CPU of a missed cache line."""
    line_stream_s: Seconds = setting(11.7e-9, "savvinov-lio", within=(0, 0.1))
    """CPU of a streamed cache line."""
    row_step_s: Seconds = setting(10.2e-9, "savvinov-lio", within=(0, 0.1))
    """CPU of stepping onto a row."""
    column_step_ratio: Real = setting(0.084, "savvinov-lio", within=(0, 100))
    """Instructions for a column, relative to those for a row."""
    fetch_row_s: Seconds = setting(0.5e-6, GENERAL, within=(0, 0.1))
    """CPU of putting a row into the array."""
    fetch_column_s: Seconds = setting(0.1e-6, GENERAL, within=(0, 0.1))
    """CPU of putting a column value into the array."""
    filter_row_s: Seconds = setting(30e-9, GENERAL, within=(0, 0.1))
    """CPU of holding a column value against the WHERE clause: 20 to 40 ns for a NUMBER."""
    call_s: Seconds = setting(20e-6, GENERAL, within=(0, 1))
    """CPU of a database call."""
    read_call_s: Seconds | None = setting(None, "axboe-2019", within=(0, 1))
    """CPU of a read call, from submission to wake-up; if not set 5 µs, and 12 µs of a stream past the page cache."""
    reap_call_s: Seconds = setting(35e-6, "rahn-mbrc", within=(0, 1))
    """Time to collect a finished asynchronous read (io_getevents)."""
    write_call_s: Seconds | None = setting(None, "axboe-2019", within=(0, 1))
    """CPU of a write call, with the program's own loop around it; if not set as read_call_s."""
    page_write_s: Seconds = setting(1e-6, GENERAL, within=(0, 0.1))
    """CPU of putting one page into the page cache."""
    page_submit_s: Seconds = setting(0.5e-6, GENERAL, within=(0, 0.1))
    """CPU of submitting one page to the block layer."""
    buffer_block_s: Seconds = setting(4e-6, "shallahamer-direct", within=(0, 0.1))
    """CPU of putting a block read into the buffer cache."""
    migrate_row_s: Seconds = setting(8.5e-6, "rahn-pctfree", within=(0, 1))
    """CPU of finding a block for a row that migrates, beyond that of its changes."""
    itl_entry_s: Seconds = setting(45e-9, "rahn-pctfree", within=(0, 0.01))
    """CPU of checking one ITL entry of a block in the search for space."""
    insert_row_s: Seconds = setting(2e-6, GENERAL, within=(0, 1))
    """CPU of putting a row into a block in memory."""
    insert_column_s: Seconds = setting(0.0, GENERAL, within=(0, 0.1))
    """CPU of a column value of an inserted row, beyond that of the row."""
    change_block_s: Seconds = setting(12e-6, GENERAL, words="undo update_row_s delete_row_s", within=(0, 1))
    """CPU of one change to a block, such as of an updated or deleted row: current get, undo record, redo record."""
    commit_s: Seconds = setting(55e-6, "asktom-commit-loop", within=(0, 1))
    """CPU of a commit, the log writer's included."""
    latch_hold_s: Seconds = setting(0.5e-6, GENERAL, within=(0, 0.01))
    """Time a cache buffers chains latch is held for a get."""
    latch_spin_s: Seconds = setting(20e-6, GENERAL, within=(0, 0.1))
    """Time a process spins for a latch before it sleeps (_spin_count)."""
    log_write_call_s: Seconds = setting(
        30e-6, GENERAL, SERVER.at(146, "LGWR's call"), words="lgwr log_writer", within=(0, 1)
    )
    """Time that LGWR takes from its wake-up until its write is with the device."""
    commit_overhead_s: Seconds = setting(
        75e-6,
        GENERAL,
        SERVER.at(148, "Wake-up after a commit"),
        words="log_file_sync log_file_sync_s redo_synch_time_overhead",
        within=(0, 10),
    )
    """Time from the end of LGWR's write until a session that waits for it runs again, where LGWR posts it: redo synch
    time overhead over redo synch writes."""
    between_calls_s: Seconds = setting(0.0, "rahn-mbrc", within=(0, 1))
    """Time per round trip to write the trace, which neither calls nor waits account for; with instance.sql_trace."""

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
            self.cpus,
            self.threads_per_core,
            self.smt_gain_percent / 100,
            self.busy_loss_percent / 100,
            self.cpus_of_others,
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
    def _others_leave_a_part(self) -> "Host":
        if self.cpus_of_others and self.cpus_of_others >= (threads := self.cpus * self.threads_per_core):
            raise ValueError(
                f"cpus_of_others is {self.cpus_of_others:g}; allowed is less than the {threads} processors of the host"
            )
        return self

    @model_validator(mode="after")
    def _journal_can_be_left_out(self) -> "Host":
        if not self.journal and self.filesystem not in ("ext3", "ext4"):
            raise ValueError(f"journal false is for filesystem ext3 and ext4; filesystem is {self.filesystem}")
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

    use: ClassVar[Declaration] = catalog_entry(
        SERVER.at(100, "Disk"), STORAGE.at(20, "Disk"), words="ssd hdd volume lun san aws azure ebs premium_ssd"
    )
    overhead_s: Seconds = setting(0.1e-3, SHEETS, words="latency", within=(0, 10))
    """Command overhead of a request."""
    average_seek_s: Seconds = setting(3.7e-3, SHEETS, within=(0, 10))
    """Average seek."""
    track_seek_s: Seconds | None = setting(None, SHEETS, within=(0, 10))
    """Seek to the next track; a sixth of the average seek if not set."""
    full_seek_s: Seconds | None = setting(None, SHEETS, within=(0, 10))
    """Seek over the whole disk; twice the average seek if not set."""
    rotation_s: Seconds = setting(4.0e-3, SHEETS, words="rpm", within=(0, 10))
    """One turn of the platter; 0 for flash."""
    head_switch_s: Seconds = setting(0.4e-3, SHEETS, within=(0, 1))
    """Switch from one track to the next, which the tracks' skew allows for."""
    heads: Whole = setting(4, SHEETS, within=(1, 64))
    """Recording surfaces: tracks of a cylinder."""
    zones: Whole = setting(1, SHEETS, within=(1, 64))
    """Recording zones; the outer ones transfer faster."""
    inner_bandwidth_ratio: Real = setting(0.6, SHEETS, within=(0.01, 1))
    """Transfer rate of the innermost zone over that of the outermost."""
    capacity_bytes: Size = setting(72 * GIB, SHEETS, within=(MIB, 1024**5))
    """Capacity."""
    bandwidth_bytes_per_s: Rate = setting(75.0 * MIB, SHEETS, words="bandwidth", within=(1, 1e12))
    """Transfer rate, in the outermost zone."""
    write_overhead_s: Seconds | None = setting(None, SHEETS, within=(0, 10))
    """Command overhead of a write, where it differs."""
    write_bandwidth_bytes_per_s: Rate | None = setting(None, SHEETS, within=(1, 1e12))
    """Sustained transfer rate of queued writes, where it is less."""
    slc_cache_bytes: Size = setting(0, SHEETS, within=(0, 1024**5))
    """SLC cache: flash that takes writes at the full rate until it is full; 0 for none."""
    slc_full_bytes_per_s: Rate | None = setting(None, SHEETS, within=(1, 1e12))
    """Transfer rate of writes while the SLC cache is full, and at which an idle drive empties it."""
    spare_fraction: Annotated[Real, Field(ge=0.005, le=10)] | None = setting(
        None, "desnoyers-2012", STORAGE.at(90, "Spare flash", "write_stream")
    )
    """Over-provisioning: spare flash as a share of the capacity; if not set, random writes have no write
    amplification."""
    used_fraction: Real = setting(
        1.0, "desnoyers-2012", STORAGE.at(100, "Share of the flash in use", "write_stream"), within=(0.01, 1)
    )
    """Share of a flash drive's capacity that holds data; the rest, trimmed or never written, is spare flash too."""
    fresh: bool = setting(False, "desnoyers-2012", STORAGE.at(120, "Erased beforehand", "write_stream"))
    """A flash drive that is erased but for its data when the workload begins; otherwise it is in steady state."""
    parallel_requests: Whole = setting(1, SHEETS, within=(1, 4096))
    """Requests served at once."""
    reads_collide: bool = setting(False, "flash-channels")
    """Reads collide: each waits for the one slot (channel or die of flash) that holds its place, not for any."""
    controller_reads_per_s: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, SHEETS, STORAGE.at(60, "Controller limit, reads/s", "read_stream")
    )
    """Maximum of reads a second of the controller of a flash drive."""
    controller_writes_per_s: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, SHEETS, STORAGE.at(80, "Controller limit, writes/s", "write_stream")
    )
    """Maximum of writes a second of the controller of a flash drive."""
    report_interval_s: Seconds = setting(
        0.0, "interrupt-coalescing", STORAGE.at(70, "Interrupt coalescing", *STREAMS), within=(0, 1)
    )
    """Interval at which a busy flash drive reports completions; 0 reports each at once."""
    queue_depth: Whole = setting(
        1, SHEETS, STORAGE.at(30, "Queue depth of the disk", *STREAMS), related="ncq", within=(1, 65536)
    )
    """Commands the device and its driver hold at once (tagged queueing, NCQ)."""
    reorder_age_s: Seconds | None = setting(
        None,
        "worthington-1994",
        STORAGE.at(50, "Oldest command in reordering", *STREAMS),
        words="ncq",
        within=(0.1, 3600),
    )
    """A rotating drive takes the command of its queue with the shortest seek and turn, unless one is older than this;
    not set for a drive that serves them in order."""
    interface: Literal["ide", "sata", "scsi", "sas", "nvme"] | None = setting(
        None, SHEETS, STORAGE.at(40, "Interface of the disk", *STREAMS)
    )
    """Interface of a drive, which limits the commands it holds; not set for no limit."""
    service_cv: Real = setting(0.0, GENERAL, within=(0, 10))
    """Coefficient of variation of the service time, of a device without positions: 0 fixed, 1 exponential; a volume's
    limits stay as they are."""
    track_buffer_bytes: Size = setting(256 * KIB, SHEETS, within=(0, 16 * GIB))
    """Read-ahead buffer of the drive; 0 for none."""
    write_cache_bytes: Size = setting(
        0,
        SHEETS,
        STORAGE.at(130, "Write cache of the disk", "write_stream"),
        words="write_cache battery bbu",
        within=(0, 1024 * GIB),
    )
    """Write cache of the drive or the controller; 0 where writes go to the medium."""
    write_cache_flushed: bool = setting(
        False, GENERAL, STORAGE.at(140, "fsync and O_SYNC flush the cache", "write_stream")
    )
    """The write cache loses its content with the power: fsync, O_SYNC and O_DSYNC empty it (cache flush); off for one
    with a battery."""
    fua: bool = setting(False, "libata-fua", STORAGE.at(110, "Forced unit access (FUA)", "write_stream"))
    """Takes single writes past its volatile write cache (FUA), as NVMe drives do, SATA drives with libata.fua=1 alone;
    otherwise a flush follows each."""
    read_hit_fraction: Real = setting(0.0, GENERAL, within=(0, 1))
    """Share of reads that the controller's cache answers."""
    bus_bytes_per_s: Rate = setting(300.0 * MIB, SHEETS, within=(1, 1e12))
    """Rate of the interface, for what a cache answers."""
    raid_level: Annotated[Literal["none", "0", "1", "5", "10"], BeforeValidator(as_text)] = setting(
        "none",
        GENERAL,
        STORAGE.at(150, "RAID level", *STREAMS),
        words="raid raid_0 raid_1 raid_5 raid_10",
        related="number_of_disks disks spindles stripe striping number",
        needs={
            "none": ("disk.raid_disks", "1"),
            "0": ("disk.raid_disks", "2"),
            "1": ("disk.raid_disks", "2"),
            "5": ("disk.raid_disks", "4"),
            "10": ("disk.raid_disks", "4"),
        },
    )
    """RAID level of the set; none is a single device."""
    raid_disks: Whole = setting(
        1,
        GENERAL,
        STORAGE.at(160, "Members of the RAID set", *STREAMS),
        words="number_of_disks disks spindles stripe striping number",
        within=(1, 1024),
    )
    """Members of the set."""
    stripe_unit_bytes: Size = setting(
        64 * KIB, GENERAL, words="stripe_size chunk", related="stripe striping", within=(4 * KIB, 16 * MIB)
    )
    """Bytes on one member before the next."""
    iops_limit: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, GENERAL, STORAGE.at(170, "IOPS limit of the volume"), words="cgroup iops", unit="requests/s"
    )
    """IOPS limit of the volume, of each member of a set."""
    throughput_limit_bytes_per_s: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(
        None, GENERAL, STORAGE.at(180, "Throughput limit of the volume"), words="throughput"
    )
    """Bandwidth limit of the volume, of each member of a set."""
    limit_io_bytes: Size = setting(
        256 * KIB, "aws-ebs", STORAGE.at(190, "Size that counts as one request", *STREAMS), within=(0, 16 * MIB)
    )
    """Bytes that a volume's limit counts as one request; 0 where a request of any size counts once."""
    limit_slice_s: Seconds = setting(
        0.0,
        "linux-blk-throttle",
        STORAGE.at(200, "Throttling slice (io.max)", *STREAMS),
        related="cgroup",
        within=(0, 1),
    )
    """A throttle of the host (cgroup io.max) gives its limits out in slices, of 0.1 s in Linux; 0 paces requests."""
    burst_iops: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(
        None, GENERAL, STORAGE.at(210, "Burst", *STREAMS), unit="requests/s"
    )
    """Burst IOPS of the volume, while its credits last."""
    burst_credits: Real = setting(
        0.0, GENERAL, STORAGE.at(220, "Burst credits", *STREAMS), unit="requests", within=(0, 1e12)
    )
    """Burst credits at the start, which is also their maximum."""

    volume_per_month: Annotated[Real, Field(ge=0, le=1e12)] | None = setting(
        None, GENERAL, PRICES.at(100, "Flat price of the volume")
    )
    """What the whole volume costs a month, in the prices' currency, beside what is paid for its bytes and requests."""

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
            raise ValueError("service_cv is for a device without positions: rotation_s and average_seek_s 0, no RAID")
        beside = [name for name in ("write_cache_bytes", "read_hit_fraction") if getattr(self, name)]
        if self.service_cv and beside:
            raise ValueError(f"service_cv goes without {beside[0]}: no cache answers some of the requests")
        if 0 < self.write_cache_bytes < LEAST_CACHE_BYTES:
            raise ValueError(f"write_cache_bytes {self.write_cache_bytes} is less than a page of {LEAST_CACHE_BYTES}")

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
            raise ValueError(f"track_seek_s {self.track_seek_s:g} is more than average_seek_s {self.average_seek_s:g}")
        if self.full_seek_s is not None and self.full_seek_s < self.average_seek_s:
            raise ValueError(f"full_seek_s {self.full_seek_s:g} is less than average_seek_s {self.average_seek_s:g}")

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
            raise ValueError("reorder_age_s is for a drive that turns: set rotation_s, or leave reorder_age_s out")
        beside = [
            name for name in ("write_cache_bytes", "iops_limit", "throughput_limit_bytes_per_s") if getattr(self, name)
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
            if ceiling is not None and self.rotation_s:
                raise ValueError(f"{name} is for a device without positions: rotation_s 0")
        if self.report_interval_s and (self.rotation_s or self.service_cv):
            raise ValueError("report_interval_s is for flash with fixed service times: rotation_s and service_cv 0")
        # NOTE: a write is done when the drive's memory has it, before the controller has finished with it
        if reads is not None and reads * self.overhead_s < 1 - ROUNDING:
            raise ValueError(
                f"controller_reads_per_s {reads:g} is a command each {1 / reads:g} s, longer than a lone read takes, "
                f"overhead_s {self.overhead_s:g}; allowed are {1 / max(self.overhead_s, LEAST_ROTATION_S):g} and more"
            )
        if not self.reads_collide:
            return
        if self.rotation_s:
            raise ValueError("reads_collide is for a device without positions: rotation_s 0")
        if self.parallel_requests > self.queue_depth:
            raise ValueError(
                f"parallel_requests {self.parallel_requests} are more channels than commands: queue_depth is "
                f"{self.queue_depth}, so set it to {self.parallel_requests} or more"
            )

    def _check_collection(self) -> None:
        """Garbage collection is of flash whose cells have one rate."""
        if self.spare_fraction is None:
            if self.fresh:
                raise ValueError("fresh is for flash that collects garbage: set spare_fraction, or leave it out")
            return
        if self.rotation_s or self.service_cv:
            raise ValueError("spare_fraction is for flash with fixed service times: rotation_s and service_cv 0")
        if self.slc_cache_bytes:
            raise ValueError(
                "spare_fraction goes without slc_cache_bytes, which has a rate of its own once it is full; leave one "
                "of the two out"
            )

    def _check_slc_cache(self) -> None:
        if not self.slc_cache_bytes:
            return
        if self.rotation_s or self.service_cv:
            raise ValueError("slc_cache_bytes is for flash with fixed service times: rotation_s and service_cv 0")
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

    interval_s: Seconds = setting(1.0, GENERAL, IOSTAT.at(10, "Interval"), within=(0.01, 3600))
    """Seconds between two lines."""
    first_s: Seconds = setting(0.0, GENERAL, IOSTAT.at(20, "First interval begins after"), within=(0, 3600))
    """From the begin of the workload to the begin of the first line's interval."""
