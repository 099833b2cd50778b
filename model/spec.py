"""Inputs: the system and the workload; a field has its unit in its name, its limits, and the source of its default."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from model.provenance import Constant, Frozen
from model.units import GIB, KIB, MIB, parse_bytes, parse_seconds


def _bytes(value: object) -> object:
    return parse_bytes(value) if isinstance(value, str) else _number(value)


def _seconds(value: object) -> object:
    return parse_seconds(value) if isinstance(value, str) else _number(value)


def _release(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _number(value: object) -> object:
    if isinstance(value, bool | str):
        raise ValueError(f"{value!r} is not a number")
    return value


Size = Annotated[int, BeforeValidator(_bytes)]
MeanSize = Annotated[float, BeforeValidator(_bytes)]
Rate = Annotated[float, BeforeValidator(_bytes)]
Seconds = Annotated[float, BeforeValidator(_seconds)]
Real = Annotated[float, BeforeValidator(_number)]
Whole = Annotated[int, BeforeValidator(_number)]

BlockSize = Annotated[Literal[2048, 4096, 8192, 16384, 32768], BeforeValidator(_bytes)]

MAXIMUM_ROWS = 10**12
MAXIMUM_COLUMNS = 1000


def setting(default: Any, says: str, source: str, **limits: Any) -> Any:
    """A field with its default, what it says to a DBA, and where the default comes from."""
    if callable(default):
        return Field(
            default_factory=default, description=says, json_schema_extra={"source": source}, **limits
        )
    return Field(default=default, description=says, json_schema_extra={"source": source}, **limits)


ORACLE = "oracle-reference"
GENERAL = "general knowledge"


class Tablespace(Frozen):
    """Where the segment lives."""

    block_size_bytes: BlockSize = setting(8 * KIB, "Block size of the tablespace (BLOCKSIZE)", ORACLE)
    space_management: Literal["assm", "manual"] = setting(
        "assm", "SEGMENT SPACE MANAGEMENT: AUTO (assm) or MANUAL", ORACLE
    )
    extent_management: Literal["system", "uniform"] = setting(
        "system", "EXTENT MANAGEMENT LOCAL: AUTOALLOCATE (system) or UNIFORM", ORACLE
    )
    uniform_extent_bytes: Size = setting(MIB, "Extent size under UNIFORM", ORACLE, ge=10 * KIB, le=2 * GIB)

    @model_validator(mode="after")
    def _extent_of_whole_blocks(self) -> Tablespace:
        if self.extent_management == "uniform":
            if self.uniform_extent_bytes % self.block_size_bytes:
                raise ValueError(
                    f"uniform_extent_bytes {self.uniform_extent_bytes} is not a multiple of block_size_bytes "
                    f"{self.block_size_bytes}"
                )
            if self.uniform_extent_bytes < 5 * self.block_size_bytes:
                raise ValueError(
                    f"uniform_extent_bytes {self.uniform_extent_bytes} is less than 5 blocks of "
                    f"{self.block_size_bytes}, the smallest extent Oracle allocates"
                )
        return self


class Column(Frozen):
    """One column of a table: its mean stored bytes, how far they vary, and the share of NULLs."""

    name: str = setting("", "Column name", GENERAL, max_length=128)
    type: Literal["number", "varchar2", "char", "date"] = setting("number", "Data type", GENERAL)
    bytes: MeanSize = setting(4.0, "Mean bytes of data, without the length byte", GENERAL, ge=0, le=4000)
    null_fraction: Real = setting(0.0, "Share of rows in which it is NULL", GENERAL, ge=0, le=1)


class Table(Frozen):
    """Rows, how long they are and how they were put into blocks."""

    rows: Whole = setting(1_000_000, "Rows (NUM_ROWS)", GENERAL, ge=1, le=MAXIMUM_ROWS)
    pctfree_percent: Real = setting(10, "PCTFREE", ORACLE, ge=0, le=99)
    pctused_percent: Annotated[Real, Field(ge=0, le=99)] | None = setting(
        None, "PCTUSED, for manual space management: a block emptied below takes rows again; 40 when nothing is said",
        ORACLE,
    )  # fmt: skip
    initrans: Whole = setting(1, "INITRANS", ORACLE, ge=1, le=255)
    created_by: Literal["insert", "ctas"] = setting(
        "insert", "Loaded by INSERT, or CREATE TABLE AS SELECT (one ITL entry more)", GENERAL
    )
    row_bytes: Annotated[MeanSize, Field(ge=3, le=1_000_000)] | None = setting(
        None, "Mean bytes of a row piece: 3 header bytes, lengths and data (AVG_ROW_LEN + 3); 100 when nothing is said",
        GENERAL,
    )  # fmt: skip
    row_bytes_sd: MeanSize = setting(0, "Standard deviation of the row length", GENERAL, ge=0, le=100_000)
    column_count: Annotated[Whole, Field(ge=1, le=MAXIMUM_COLUMNS)] | None = setting(
        None, "Columns of the table; 10 when nothing is said", GENERAL
    )
    columns: tuple[Column, ...] = setting(
        (),
        "The columns one by one, instead of row_bytes and column_count",
        GENERAL,
        max_length=MAXIMUM_COLUMNS,
    )
    blocks: Annotated[Whole, Field(ge=1, le=2**36)] | None = setting(
        None, "Blocks below the high-water mark, if known (DBA_TABLES.BLOCKS); else from the rows", GENERAL
    )
    migrated_fraction: Real = setting(
        0.0, "Share of the rows that have migrated (CHAIN_CNT over NUM_ROWS), for a scan", GENERAL, ge=0, le=1
    )
    cached_fraction: Real = setting(
        0.0, "Share of the blocks in the buffer cache beforehand", GENERAL, ge=0, le=1
    )
    dirty_fraction: Real = setting(0.0, "Share of the blocks dirty in the cache", GENERAL, ge=0, le=1)

    @model_validator(mode="after")
    def _one_description_of_the_row(self) -> Table:
        if self.columns and (self.row_bytes is not None or self.column_count is not None):
            given = "row_bytes" if self.row_bytes is not None else "column_count"
            raise ValueError(f"columns and {given} both describe the row; give one of them")
        if self.pctused_percent is not None and self.pctfree_percent + self.pctused_percent > 100:
            raise ValueError(
                f"pctfree_percent {self.pctfree_percent:g} and pctused_percent {self.pctused_percent:g} are more "
                "than 100 together"
            )
        if self.dirty_fraction > self.cached_fraction:
            raise ValueError(
                f"dirty_fraction {self.dirty_fraction:g} is more than cached_fraction {self.cached_fraction:g}; "
                "a dirty block is in the cache"
            )
        return self


class Index(Frozen):
    """The index a range scan walks."""

    blevel: Whole = setting(2, "Branch levels above the leaves (BLEVEL)", GENERAL, ge=0, le=23)
    key_bytes: MeanSize = setting(8, "Mean bytes of an entry's key", GENERAL, ge=1, le=6400)
    leaf_blocks: Annotated[Whole, Field(ge=1, le=2**36)] | None = setting(
        None, "LEAF_BLOCKS, if known; else from the key's bytes", GENERAL
    )
    clustering_factor: Annotated[Whole, Field(ge=1, le=MAXIMUM_ROWS)] | None = setting(
        None, "CLUSTERING_FACTOR, if known; else from clustering", GENERAL
    )
    clustering: Literal["clustered", "scattered"] = setting(
        "clustered", "Rows in index order lie in block order (clustered) or anywhere (scattered)", GENERAL
    )
    cached_fraction: Real = setting(
        0.0, "Share of the index's blocks in the buffer cache beforehand", GENERAL, ge=0, le=1
    )


class SystemStatistics(Frozen):
    """What the optimizer was told of the machine (AUX_STATS$)."""

    kind: Literal["noworkload", "workload", "none"] = setting(
        "noworkload",
        "NOWORKLOAD defaults, gathered WORKLOAD figures, or none (old I/O costing)",
        "oracle-tuning",
    )
    ioseektim_s: Seconds = setting(0.010, "IOSEEKTIM", "oracle-tuning", ge=1e-9, le=10)
    iotfrspeed_bytes_per_s: Rate = setting(
        4_096_000.0, "IOTFRSPEED (4,096 bytes/ms)", "oracle-tuning", ge=1, le=1e12
    )
    cpuspeed_hz: Rate = setting(
        5e8, "CPUSPEED or CPUSPEEDNW, cycles per second as the optimizer counts them", GENERAL, ge=1, le=1e12
    )
    sreadtim_s: Seconds = setting(0.012, "SREADTIM, for WORKLOAD", "oracle-tuning", ge=1e-9, le=10)
    mreadtim_s: Seconds = setting(0.026, "MREADTIM, for WORKLOAD", "oracle-tuning", ge=1e-9, le=100)
    mbrc: Annotated[Whole, Field(ge=1, le=512)] | None = setting(
        None, "MBRC of the statistics, for costing", "oracle-tuning"
    )
    block_cycles: Real = setting(
        7121.0, "CPU cycles the optimizer expects of a block", "lewis-cbo", ge=0, le=1e9
    )
    row_cycles: Real = setting(130.0, "CPU cycles it expects of a row, before columns", GENERAL, ge=0, le=1e9)
    column_cycles: Real = setting(
        20.0, "CPU cycles it expects of stepping over a column", "lewis-cbo", ge=0, le=1e9
    )


RELEASE = re.compile(r"[0-9]{1,2}((\.[0-9]{1,2}){1,4}|i|g|c|ai)?")


class Instance(Frozen):
    """The Oracle instance."""

    release: Annotated[str, BeforeValidator(_release)] = setting(
        "19.3.0.0", "Release; decides direct reads, file layout, which waits are posted", ORACLE
    )
    db_block_size_bytes: BlockSize = setting(8 * KIB, "DB_BLOCK_SIZE", ORACLE)
    buffer_cache_bytes: Size = setting(GIB, "DB_CACHE_SIZE", GENERAL, ge=MIB, le=64 * 1024 * GIB)
    db_file_multiblock_read_count: Literal["auto"] | Annotated[Whole, Field(ge=0, le=1_000_000)] = setting(
        "auto", "DB_FILE_MULTIBLOCK_READ_COUNT: auto, or blocks of DB_BLOCK_SIZE; 0 is bug 5768025", ORACLE
    )
    sessions: Whole = setting(
        170, "SESSIONS; shares the cache out for the automatic MBRC", ORACLE, ge=1, le=65535
    )
    max_io_bytes: Size = setting(
        MIB, "Largest read Oracle asks of the host", "rahn-mbrc", ge=32 * KIB, le=32 * MIB
    )
    serial_direct_read: Literal["auto", "always", "never"] = setting("auto", "_SERIAL_DIRECT_READ", GENERAL)
    disk_asynch_io: bool = setting(True, "DISK_ASYNCH_IO", ORACLE)
    direct_read_slots: Whole = setting(
        2, "Asynchronous direct reads in flight at first", "shallahamer-direct", ge=1, le=64
    )
    direct_read_slots_limit: Whole = setting(
        32,
        "Most asynchronous direct reads in flight, after the session waited for some",
        GENERAL,
        ge=1,
        le=256,
    )
    statistics: SystemStatistics = setting(SystemStatistics, "System statistics", "oracle-tuning")

    @field_validator("release")
    @classmethod
    def _a_release(cls, value: str) -> str:
        if not RELEASE.fullmatch(value):
            raise ValueError(f"{value!r} is not a release; write it like 11.1.0.6 or 19c")
        if release_tuple(value) < (8, 1):
            raise ValueError(f"{value!r} is older than 8.1, the oldest release described here")
        return value

    @model_validator(mode="after")
    def _within_the_largest_read(self) -> Instance:
        mbrc = self.db_file_multiblock_read_count
        if mbrc != "auto":
            most = self.max_io_bytes // self.db_block_size_bytes
            if not 0 <= mbrc <= most:
                raise ValueError(
                    f"db_file_multiblock_read_count {mbrc} is outside 0 to {most}: {most} blocks of "
                    f"{self.db_block_size_bytes} bytes are max_io_bytes {self.max_io_bytes}"
                )
        if self.direct_read_slots_limit < self.direct_read_slots:
            raise ValueError(
                f"direct_read_slots_limit {self.direct_read_slots_limit} is less than direct_read_slots "
                f"{self.direct_read_slots}"
            )
        return self


class Host(Frozen):
    """The machine: its kernel's I/O path and what work costs on its processors."""

    io_path: Literal["asm", "raw", "direct", "buffered", "sync"] = setting(
        "asm", "How files are opened: asm, raw, direct (O_DIRECT), buffered, sync (O_SYNC)", GENERAL
    )
    kernel: str = setting("5.15", "Kernel generation", GENERAL, max_length=20)
    scheduler: Literal["noop", "deadline", "cfq", "none", "mq-deadline", "bfq", "kyber"] = setting(
        "mq-deadline", "I/O scheduler", GENERAL
    )
    read_ahead_bytes: Size = setting(
        128 * KIB,
        "read_ahead_kb, the device request of a buffered read",
        "linux-block",
        ge=4 * KIB,
        le=16 * MIB,
    )
    max_request_bytes: Size = setting(
        512 * KIB, "max_sectors_kb, the largest request of a device", "linux-block", ge=4 * KIB, le=16 * MIB
    )
    nr_requests: Whole = setting(128, "nr_requests", "linux-block", ge=4, le=10_000)
    cpus: Whole = setting(4, "Processors", GENERAL, ge=1, le=4096)
    page_cache_hit_fraction: Real = setting(
        0.0, "Share of buffered reads found in the host's page cache", GENERAL, ge=0, le=1
    )
    copy_bytes_per_s: Rate = setting(4.0 * GIB, "Copy rate out of the page cache", GENERAL, ge=1, le=1e12)
    logical_io_s: Seconds = setting(1.34e-6, "CPU of a buffer get", "savvinov-lio", ge=0, le=0.1)
    line_miss_s: Seconds = setting(14.8e-9, "CPU of a missed cache line", "savvinov-lio", ge=0, le=0.1)
    line_stream_s: Seconds = setting(11.7e-9, "CPU of a streamed cache line", "savvinov-lio", ge=0, le=0.1)
    row_step_s: Seconds = setting(10.2e-9, "CPU of stepping onto a row", "savvinov-lio", ge=0, le=0.1)
    column_step_ratio: Real = setting(
        0.084, "Instructions of a column in those of a row", "savvinov-lio", ge=0, le=100
    )
    fetch_row_s: Seconds = setting(0.5e-6, "CPU of putting a row into the array", GENERAL, ge=0, le=0.1)
    fetch_column_s: Seconds = setting(
        0.1e-6, "CPU of putting a column value into the array", GENERAL, ge=0, le=0.1
    )
    call_s: Seconds = setting(20e-6, "CPU of a database call", GENERAL, ge=0, le=1)
    read_call_s: Seconds = setting(20e-6, "CPU of a read call and its memory", GENERAL, ge=0, le=1)
    reap_call_s: Seconds = setting(
        35e-6, "Time of asking for a finished asynchronous read", "rahn-mbrc", ge=0, le=1
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
        "CPU of counting one ITL entry of a block that is probed for space",
        "rahn-pctfree",
        ge=0,
        le=0.01,
    )
    insert_row_s: Seconds = setting(2e-6, "CPU of putting a row into a block in memory", GENERAL, ge=0, le=1)
    delete_row_s: Seconds = setting(
        15e-6, "CPU of deleting a row, with its undo and redo", GENERAL, ge=0, le=1
    )
    change_block_s: Seconds = setting(
        12e-6, "CPU of one change to a block: current get, undo record, redo record", GENERAL, ge=0, le=1
    )
    log_file_sync_s: Seconds = setting(0.5e-3, "Time a commit waits for the log writer", GENERAL, ge=0, le=10)
    between_calls_s: Seconds = setting(
        0.0,
        "Time per round trip that neither calls nor waits account for (tracing, mostly)",
        "rahn-mbrc",
        ge=0,
        le=1,
    )


class Client(Frozen):
    """The client program and the network to it."""

    round_trip_s: Seconds = setting(0.2e-3, "Network round trip and the client's turn", GENERAL, ge=0, le=100)
    row_s: Seconds = setting(1e-6, "Time the client takes per row", GENERAL, ge=0, le=10)
    sdu_bytes: Size = setting(8192, "Session data unit (SDU)", ORACLE, ge=512, le=2 * MIB)
    message_send_s: Seconds = setting(2e-6, "Time of a SQL*Net message to client", "rahn-mbrc", ge=0, le=10)
    more_data_send_s: Seconds = setting(
        25e-6, "Time of a SQL*Net more data to client", "rahn-mbrc", ge=0, le=10
    )
    send_cpu_fraction: Real = setting(
        0.56, "Share of the time of sends that is CPU, counted in both by a trace", "rahn-mbrc", ge=0, le=1
    )


class Disk(Frozen):
    """A device behind a queue: positioning, transfer, and how many requests it serves at once."""

    overhead_s: Seconds = setting(0.1e-3, "Command overhead of a request", "drive-data-sheets", ge=0, le=10)
    average_seek_s: Seconds = setting(3.7e-3, "Average seek", "drive-data-sheets", ge=0, le=10)
    rotation_s: Seconds = setting(
        4.0e-3, "One turn of the platter; 0 for flash", "drive-data-sheets", ge=0, le=10
    )
    bandwidth_bytes_per_s: Rate = setting(75.0 * MIB, "Transfer rate", "drive-data-sheets", ge=1, le=1e12)
    parallel_requests: Whole = setting(1, "Requests served at once", "drive-data-sheets", ge=1, le=4096)


class System(Frozen):
    """Everything a workload meets, every constant explicit."""

    tablespace: Tablespace = Tablespace()
    table: Table = Table()
    index: Index = Index()
    instance: Instance = Instance()
    host: Host = Host()
    client: Client = Client()
    disk: Disk = Disk()
    constants: dict[str, Constant] = {}
    """Dotted path of a field -> where its value comes from, for those taken from a catalog."""

    @model_validator(mode="after")
    def _a_row_fits_somewhere(self) -> System:
        itl_bytes = 24 * max(self.table.initrans, 3)
        if 110 + itl_bytes + 11 > self.tablespace.block_size_bytes / 2:
            raise ValueError(
                f"initrans {self.table.initrans} needs {itl_bytes} bytes, more than half of a block of "
                f"{self.tablespace.block_size_bytes}"
            )
        return self


class FullScan(Frozen):
    """``select * from t`` (rows) or ``select count(*) from t`` (count), fetched in arrays."""

    kind: Literal["full_scan"] = "full_scan"
    select: Literal["rows", "count"] = setting("rows", "Return all rows, or count them", GENERAL)
    arraysize_rows: Whole = setting(100, "Rows per fetch (array size)", GENERAL, ge=1, le=1_000_000)
    users: Whole = setting(1, "Sessions that run it at the same time", GENERAL, ge=1, le=10_000)


class IndexRangeScan(Frozen):
    """Rows of a key range through an index, fetched in arrays."""

    kind: Literal["index_range_scan"] = "index_range_scan"
    selectivity_fraction: Real = setting(0.01, "Share of the rows in the key range", GENERAL, gt=0, le=1)
    select: Literal["rows", "count"] = setting("rows", "Return the rows, or count them", GENERAL)
    arraysize_rows: Whole = setting(100, "Rows per fetch (array size)", GENERAL, ge=1, le=1_000_000)
    users: Whole = setting(1, "Sessions that run it at the same time", GENERAL, ge=1, le=10_000)


class Update(Frozen):
    """``update t set c = …`` through a full scan: rows grow, and migrate where their block has no room."""

    kind: Literal["update"] = "update"
    rows_fraction: Real = setting(
        1.0, "Share of the rows that are updated, spread evenly over the blocks", GENERAL, gt=0, le=1
    )
    order: Literal["table", "random"] = setting(
        "table",
        "Rows come in the order of their blocks (full scan), or in any order (through an index)",
        GENERAL,
    )
    growth_bytes: Annotated[MeanSize, Field(ge=0, le=1_000_000)] | None = setting(
        None, "Mean bytes by which an updated row grows; 0 when nothing is said", GENERAL
    )
    sets: tuple[Column, ...] = setting(
        (),
        "Columns the update sets, with what they hold afterwards; growth follows from the table's columns",
        GENERAL,
        max_length=MAXIMUM_COLUMNS,
    )
    repeats: Whole = setting(
        1, "How often the update runs, each time with the same growth", GENERAL, ge=1, le=100
    )
    commit_every_rows: Whole = setting(
        0, "Rows between commits; 0 is one transaction", GENERAL, ge=0, le=MAXIMUM_ROWS
    )
    users: Whole = setting(1, "Sessions that share the rows among them", GENERAL, ge=1, le=255)

    @model_validator(mode="after")
    def _one_description_of_the_growth(self) -> Update:
        if self.sets and self.growth_bytes is not None:
            raise ValueError("sets and growth_bytes both say how rows grow; give one of them")
        names = [column.name.upper() for column in self.sets]
        if len(set(names)) < len(names):
            raise ValueError("sets names a column twice")
        return self


class Insert(Frozen):
    """``insert into t``: rows one by one, in arrays, or by direct path (CREATE TABLE AS SELECT, APPEND)."""

    kind: Literal["insert"] = "insert"
    rows: Whole = setting(100_000, "Rows to insert", GENERAL, ge=1, le=10**9)
    method: Literal["row", "array", "direct"] = setting(
        "array", "One row a call, arrays, or direct path above the high-water mark (CTAS, APPEND)", GENERAL
    )
    arraysize_rows: Whole = setting(100, "Rows per call in arrays", GENERAL, ge=1, le=1_000_000)
    commit_every_rows: Whole = setting(
        0, "Rows between commits; 0 is one transaction", GENERAL, ge=0, le=MAXIMUM_ROWS
    )
    uncommitted_delete_fraction: Real = setting(
        0.0,
        "Share of the table's rows that another session has deleted and not committed",
        GENERAL,
        ge=0,
        le=1,
    )
    users: Whole = setting(1, "Sessions that share the rows among them", GENERAL, ge=1, le=254)


class Delete(Frozen):
    """``delete from t`` through a full scan."""

    kind: Literal["delete"] = "delete"
    rows_fraction: Real = setting(
        1.0, "Share of the rows that are deleted, spread evenly over the blocks", GENERAL, gt=0, le=1
    )
    commit_every_rows: Whole = setting(
        0, "Rows between commits; 0 is one transaction", GENERAL, ge=0, le=MAXIMUM_ROWS
    )
    users: Whole = setting(1, "Sessions that share the rows among them", GENERAL, ge=1, le=255)


Query = FullScan | IndexRangeScan
Dml = Update | Insert | Delete
Workload = Annotated[FullScan | IndexRangeScan | Update | Insert | Delete, Field(discriminator="kind")]

WORKLOADS: dict[str, type[FullScan | IndexRangeScan | Update | Insert | Delete]] = {
    "full_scan": FullScan,
    "index_range_scan": IndexRangeScan,
    "update": Update,
    "insert": Insert,
    "delete": Delete,
}


def release_tuple(release: str) -> tuple[int, ...]:
    """A release as numbers that compare: ``"11.1.0.6"`` -> (11, 1, 0, 6); a bare ``"19c"`` is its first, (19, 1)."""
    parts = tuple(int(part) for part in release.rstrip("igca").split("."))
    return parts if len(parts) > 1 else (*parts, 1)
