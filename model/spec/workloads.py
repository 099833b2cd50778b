"""What is asked of the system: scans, statements that change rows, streams of reads and writes."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self, TypeVar, cast

from pydantic import Field, model_validator

from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.spec.fields import (
    GENERAL,
    LEAST_FRACTION,
    MAXIMUM_COLUMNS,
    MAXIMUM_ROWS,
    MeanSize,
    Real,
    Seconds,
    Size,
    Whole,
    array_size,
    setting,
    users,
)
from blocktime.model.spec.groups import ROWS_CHANGED, SEGMENT, STREAM, WORKLOAD
from blocktime.model.spec.kinds import OfItsKind
from blocktime.model.spec.loads import Export, Import
from blocktime.model.spec.machine import IoPath
from blocktime.model.spec.popularity import WAYS, PopularBlocks
from blocktime.model.spec.programs import KINDS, Work, whole_share
from blocktime.model.spec.segments import Column
from blocktime.model.spec.transactions import Transactions
from blocktime.model.units import KIB, MIB

if TYPE_CHECKING:
    from blocktime.model.spec import System


class FullScan(Work):
    """``select * from t`` (rows) or ``select count(*) from t`` (count), fetched in arrays."""

    law_sources: ClassVar[tuple[str, ...]] = (
        "oracle-concepts",
        "rahn-mbrc",
        "savvinov-lio",
        "shallahamer-direct",
        "oracle-tuning",
    )
    kind: Literal["full_scan"] = "full_scan"
    select: Literal["rows", "count"] = setting(
        "rows", GENERAL, WORKLOAD.at(10, "Query returns"), options={"count": "count(*)"}
    )
    """Query that returns all rows, or counts them."""
    columns: Annotated[Whole, Field(ge=1, le=MAXIMUM_COLUMNS)] | None = setting(
        None, GENERAL, WORKLOAD.at(80, "Columns selected")
    )
    """Columns in the select list; all of them if not set."""
    filter_fraction: Real = setting(
        1.0, GENERAL, WORKLOAD.at(60, "Share of rows that pass the WHERE clause"), within=(0, 1)
    )
    """Share of the rows that pass the WHERE clause; 1 without one."""
    arraysize_rows: Whole = array_size()
    """Rows per fetch (array size)."""
    degree: Whole = setting(
        1,
        GENERAL,
        WORKLOAD.at(70, "Degree of parallelism"),
        words="dop parallel parallel_degree parallel_query",
        within=(1, 1024),
    )
    """Degree of parallelism: parallel servers that share the scan; 1 is serial."""
    other_gets: Whole = setting(0, GENERAL, WORKLOAD.at(130, "Header and map gets"), within=(0, 1_000_000))
    """Consistent gets besides those of blocks with rows: segment header, map and bitmap blocks."""
    join: Literal["none", "nested_loops", "hash"] = setting(
        "none",
        "oracle-tuning",
        WORKLOAD.at(22, "Joined with the inner table by"),
        words="joins hash_join nested_loop nested_loops_join use_nl use_hash",
        options={"none": "no join", "nested_loops": "nested loops", "hash": "a hash join"},
        needs={"nested_loops": ("workload.inner_rows", "1000000"), "hash": ("workload.inner_rows", "1000000")},
    )
    """Join of the rows that pass with a second table, the inner one: through its index (index.*) for each row, or by a
    hash table of the smaller of the two."""
    inner_rows: Annotated[Whole, Field(ge=1, le=MAXIMUM_ROWS)] | None = setting(
        None, GENERAL, WORKLOAD.at(24, "Rows of the inner table")
    )
    """Rows of the inner table of a join; index.unique, or index.distinct_keys, says how many of them match a row."""
    inner_row_bytes: MeanSize = setting(
        100, GENERAL, WORKLOAD.at(26, "Row length of the inner table"), within=(3, 10**6)
    )
    """Mean bytes of a row piece of the inner table."""
    inner_column_count: Whole = setting(10, GENERAL, within=(1, MAXIMUM_COLUMNS))
    """Columns of the inner table."""
    inner_cached_fraction: Real = setting(
        0.0, GENERAL, WORKLOAD.at(28, "Inner table in the buffer cache"), within=(0, 1)
    )
    """Share of the inner table's blocks in the buffer cache beforehand."""
    sort: Literal["none", "order_by", "group_by"] = setting(
        "none",
        "oracle-tuning",
        WORKLOAD.at(30, "Rows are sorted"),
        words="sorts sorting order_by group_by hash_group_by work_area spill onepass multipass",
        options={"none": "no sort", "order_by": "ORDER BY", "group_by": "GROUP BY"},
    )
    """ORDER BY sorts the rows in a work area, GROUP BY keeps one of each group there; what has no room goes to temp."""
    groups: Whole = setting(1000, GENERAL, WORKLOAD.at(32, "Groups of the GROUP BY"), within=(1, MAXIMUM_ROWS))
    """Groups that a GROUP BY returns, at most the rows that it reads."""
    users: Whole = users(10_000)
    """Sessions that run it at the same time."""

    @model_validator(mode="after")
    def _a_join_has_two_tables(self) -> "FullScan":
        if self.join != "none" and self.inner_rows is None:
            raise ValueError(
                f"join {self.join} goes without a second table: give inner_rows, the rows of the inner table"
            )
        built = f"join {self.join}" if self.join != "none" else f"sort {self.sort}"
        if self.in_stages and self.degree > 1:
            raise ValueError(f"{built} is of a serial scan: give degree 1, or leave out join and sort")
        if self.sort != "none" and self.select == "count":
            raise ValueError(f"sort {self.sort} and select count: count(*) sorts nothing; give select rows")
        return self

    @property
    def in_stages(self) -> bool:
        """Whether its plan has row sources above the scan that work in stages: a join or a sort."""
        return self.join != "none" or self.sort != "none"

    @property
    def sessions(self) -> int:
        """Sessions that scan: parallel servers of all users."""
        return self.users * self.degree


class IndexRangeScan(PopularBlocks, Work):
    """Rows of a key range, or of one key, through an index, fetched in arrays."""

    law_sources: ClassVar[tuple[str, ...]] = ("oracle-concepts", "savvinov-lio", "oracle-tuning")
    kind: Literal["index_range_scan"] = "index_range_scan"
    access: Literal["range", "unique", "full", "fast_full", "skip"] = setting(
        "range", "oracle-concepts", WORKLOAD.at(20, "Index access"), words="fast_full_scan unique_scan skip_scan"
    )
    """Leaves of a key range, one entry (INDEX UNIQUE SCAN), all leaves in order (FULL), all blocks (FAST FULL), a range
    below each value of the leading columns (SKIP)."""
    predicate: Literal["range", "equality"] = setting("range", GENERAL, WORKLOAD.at(40, "Predicate"))
    """Asks for a range of keys (selectivity_fraction), or for one: the table's rows over index.distinct_keys."""
    index_only: bool = setting(
        False, "oracle-concepts", WORKLOAD.at(30, "Index has all columns"), words="covering_index"
    )
    """The index holds all columns that the query needs; the table is not visited."""
    selectivity_fraction: Real = setting(
        0.01, GENERAL, WORKLOAD.at(50, "Share of rows in the key range"), within=(LEAST_FRACTION, 1)
    )
    """Share of the rows in the key range, or that pass the filter on the key."""
    parallel_reads: Literal["auto"] | Annotated[Whole, Field(ge=1, le=256)] = setting(
        "auto",
        "akhmadeev-batched",
        SEGMENT.at(140, "Table blocks read at once"),
        offers="auto 1 8 32 127",
        unit="reads",
    )
    """Table blocks that batched table access or prefetching reads at once, and waits for all (db file parallel read); 1
    is one by one, auto as the release does: batches since 12.1. Files without asynchronous I/O are read one by one."""
    rowid_order: bool = setting(False, "oracle-concepts", SEGMENT.at(130, "Rowids are sorted first"), related="bitmap")
    """Rowids are sorted before the table is visited (BITMAP CONVERSION), so each block is got once; always so of a
    bitmap index."""
    select: Literal["rows", "count"] = setting(
        "rows", GENERAL, WORKLOAD.at(10, "Query returns"), options={"count": "count(*)"}
    )
    """Return the rows, or count them."""
    arraysize_rows: Whole = array_size()
    """Rows per fetch (array size)."""
    users: Whole = users(10_000)
    """Sessions that run it at the same time."""

    @model_validator(mode="after")
    def _index_alone(self) -> "IndexRangeScan":
        if self.access == "fast_full" and not self.index_only:
            raise ValueError(
                "access fast_full reads the blocks of the index in any order and no table: set index_only = true"
            )
        return self


class Changes(Work):
    """A statement that changes rows of its table."""

    plays_rows: ClassVar[bool] = True
    commit_every_rows: Whole = setting(
        0, GENERAL, ROWS_CHANGED.at(90, "Commit every n rows; 0 = at the end"), words="commit", within=(0, MAXIMUM_ROWS)
    )
    """Rows between commits; 0 is one transaction."""
    autocommit: bool = setting(False, "oracle-oci")
    """The driver commits with the statement (OCI_COMMIT_ON_SUCCESS, JDBC's autocommit); otherwise each COMMIT of a
    client is a round trip of its own."""
    caller: Literal["client", "plsql"] = setting(
        "client",
        "kyte-commit",
        ROWS_CHANGED.at(100, "Run from"),
        words="plsql forall",
        options={"client": "client calls", "plsql": "one PL/SQL block"},
    )
    """A client sends each statement by itself, or a PL/SQL block runs them in one call and waits for its commits at the
    end alone."""


class Update(PopularBlocks, Changes):
    """``update t set c = …`` through a full scan: rows grow, and migrate where their block has no room."""

    law_sources: ClassVar[tuple[str, ...]] = (
        "oracle-concepts",
        "adams-migration",
        "geist-assm",
        "lewis-assm-bug",
        "rahn-pctfree",
    )
    uncommitted_delete_fraction: ClassVar[float] = 0.0
    kind: Literal["update"] = "update"
    rows_fraction: Real = setting(
        1.0, GENERAL, ROWS_CHANGED.at(20, "Share of rows updated"), within=(LEAST_FRACTION, 1)
    )
    """Share of the rows that are updated, spread evenly over the blocks."""
    order: Literal["table", "random"] = setting(
        "table", GENERAL, ROWS_CHANGED.at(40, "Rows found by"), options={"table": "full scan", "random": "index"}
    )
    """Rows come in the order of their blocks (full scan), or in any order (through an index)."""
    growth_bytes: Annotated[MeanSize, Field(ge=0, le=1_000_000)] | None = setting(
        None, GENERAL, ROWS_CHANGED.at(10, "Each row grows by")
    )
    """Mean bytes by which an updated row grows; 0 if not set."""
    sets: tuple[Column, ...] = setting((), GENERAL, max_length=MAXIMUM_COLUMNS)
    """Columns the update sets, with what they hold afterwards; growth follows from the table's columns."""
    repeats: Whole = setting(1, GENERAL, ROWS_CHANGED.at(50, "Times the update runs"), within=(1, 100))
    """How often the update runs, each time with the same growth."""
    users: Whole = users(255)
    """Sessions that share the rows."""

    @property
    def at_random(self) -> bool:
        """Whether the rows come in any order, through an index."""
        return self.order == "random"

    @property
    def passes(self) -> int:
        """How often it goes over its rows."""
        return self.repeats

    def changes_of_rows(self, table_rows: int) -> int:
        """How many rows of a table it changes, all passes together."""
        return whole_share(table_rows, self.rows_fraction) * self.repeats

    @model_validator(mode="after")
    def _popular_rows_come_in_any_order(self) -> "Update":
        named = next((name for name in WAYS if getattr(self, name)), "")
        if named and not self.at_random:
            raise ValueError(
                f"{named} says how popular blocks are, but order {self.order} visits each block once: set order = "
                "random, or leave it out"
            )
        return self

    @model_validator(mode="after")
    def _one_description_of_the_growth(self) -> "Update":
        if self.sets and self.growth_bytes is not None:
            raise ValueError("sets and growth_bytes both say how rows grow; give one of them")
        names = [column.name.upper() for column in self.sets]
        if len(set(names)) < len(names):
            raise ValueError("sets names a column twice")
        return self


class Insert(Changes):
    """``insert into t``: rows one by one, in arrays, or by direct path (CREATE TABLE AS SELECT, APPEND)."""

    law_sources: ClassVar[tuple[str, ...]] = ("oracle-concepts", "geist-assm", "lewis-delete")
    inserts: ClassVar[bool] = True
    rows_fraction: ClassVar[float] = 0.0
    growth_bytes: ClassVar[None] = None
    sets: ClassVar[tuple[Column, ...]] = ()
    kind: Literal["insert"] = "insert"
    rows: Whole = setting(100_000, GENERAL, ROWS_CHANGED.at(60, "Rows inserted"), within=(1, 10**9))
    """Rows to insert."""
    method: Literal["row", "array", "direct"] = setting(
        "array",
        GENERAL,
        ROWS_CHANGED.at(70, "Rows arrive"),
        words="append ctas",
        options={"row": "one by one", "array": "in arrays", "direct": "by direct path"},
    )
    """One row a call, arrays, or direct path above the high-water mark (CTAS, APPEND)."""
    arraysize_rows: Whole = array_size()
    """Rows per call in arrays."""
    uncommitted_delete_fraction: Real = setting(
        0.0, GENERAL, ROWS_CHANGED.at(80, "Rows deleted elsewhere, not committed"), within=(0, 1)
    )
    """Share of the table's rows that another session has deleted and not committed."""
    nologging: bool = setting(False, GENERAL, ROWS_CHANGED.at(75, "NOLOGGING"), words="nologging unrecoverable")
    """NOLOGGING: a direct load writes no redo of its blocks, unless the database logs by force."""
    users: Whole = users(254)
    """Sessions that share the rows."""

    @model_validator(mode="after")
    def _only_direct_loads_go_unlogged(self) -> "Insert":
        if self.nologging and self.method != "direct":
            raise ValueError(
                f'nologging is true and method "{self.method}": Oracle logs a conventional insert all the same; '
                'give method "direct", or take nologging off'
            )
        return self

    @property
    def added_rows(self) -> int:
        """Rows that the table has more of afterwards than before."""
        return self.rows

    @property
    def rows_a_call(self) -> int:
        """Rows that one call of the client brings."""
        return self.arraysize_rows if self.method == "array" else 1

    @property
    def by_direct_path(self) -> bool:
        """Whether its rows go into blocks above the high-water mark, without undo of their own."""
        return self.method == "direct"


class Delete(Changes):
    """``delete from t`` through a full scan."""

    law_sources: ClassVar[tuple[str, ...]] = ("oracle-concepts", "lewis-delete")
    deletes: ClassVar[bool] = True
    uncommitted_delete_fraction: ClassVar[float] = 0.0
    growth_bytes: ClassVar[None] = None
    sets: ClassVar[tuple[Column, ...]] = ()
    kind: Literal["delete"] = "delete"
    rows_fraction: Real = setting(
        1.0, GENERAL, ROWS_CHANGED.at(30, "Share of rows deleted"), within=(LEAST_FRACTION, 1)
    )
    """Share of the rows that are deleted, spread evenly over the blocks."""
    users: Whole = users(255)
    """Sessions that share the rows."""

    def changes_of_rows(self, table_rows: int) -> int:
        """How many rows of a table it deletes."""
        return whole_share(table_rows, self.rows_fraction)


SomeCalls = TypeVar("SomeCalls", bound="Calls")


class Calls(Work):
    """A program that reads or writes in calls of one size, as dd and a benchmark do."""

    law_sources: ClassVar[tuple[str, ...]] = (
        "linux-2.6-block",
        "linux-blk-mq",
        "linux-vm",
        "sysstat-iostat",
        "drive-data-sheets",
    )
    asks_the_kernel: ClassVar[bool] = True
    block_size_bytes: Size = setting(8 * KIB, GENERAL, STREAM.at(10, "Call size"), within=(512, 64 * MIB))
    """Bytes of a call (bs= of dd)."""
    count: Whole = setting(1000, GENERAL, STREAM.at(20, "Calls of each user"), within=(1, 100_000_000))
    """Calls (count= of dd), of each user."""
    runtime_s: Annotated[Seconds, Field(gt=0, le=86_400)] | None = setting(
        None, GENERAL, STREAM.at(30, "Maximum run time")
    )
    """Run time of each program: it begins no call later, even if calls of count remain; count alone if not set."""
    pattern: Literal["sequential", "random", "strided", "backward"] = setting(
        "sequential",
        GENERAL,
        STREAM.at(40, "Access pattern"),
        options={"sequential": "in order", "random": "anywhere", "backward": "backwards"},
        needs={"strided": ("workload.stride_bytes", "1M")},
    )
    """Access pattern: sequential, random, strided, or backward."""
    stride_bytes: Annotated[Size, Field(ge=512, le=1024**5)] | None = setting(None, GENERAL, STREAM.at(50, "Stride"))
    """From the begin of a call to that of the next, for strided."""
    start_byte: Annotated[Size, Field(ge=0, le=1024**5)] | None = setting(None, GENERAL)
    """Start of the first user's file on the device; if not set, behind the files before it."""
    span_bytes: Annotated[Size, Field(ge=512, le=1024**5)] | None = setting(
        None, GENERAL, STREAM.at(60, "Bytes of each file")
    )
    """Bytes of each user's file: random calls go anywhere in it, sequential calls start over at its end; the bytes of
    all calls if not set, the rest of the device for random."""
    path: IoPath | None = setting(None, GENERAL, STREAM.at(70, "File opened as"))
    """How the file is opened; host.io_path if not set."""
    in_flight: Whole = setting(1, GENERAL, STREAM.at(80, "Calls in flight"), related="rman backup", within=(1, 65536))
    """Asynchronous calls in flight (io_submit); 1 is pread and pwrite."""
    submission: Literal["pread", "libaio", "io_uring", "polled"] | None = setting(
        None, GENERAL, STREAM.at(90, "Submitted by")
    )
    """How calls past the page cache are submitted: pread or pwrite, io_submit, io_uring, or io_uring whose completions
    are polled; pread for one call in flight and libaio for several if not set."""
    batch: Whole = setting(1, GENERAL, STREAM.at(100, "Calls in one submission"), related="batch", within=(1, 65536))
    """Calls that one io_submit or io_uring_enter hands over together."""
    rate_per_s: Annotated[Real, Field(ge=1e-6, le=1e9)] | None = setting(
        None, GENERAL, STREAM.at(120, "Arrival rate"), words="tps"
    )
    """Calls that arrive a second, whether or not earlier ones are complete; a closed workload if not set."""
    arrivals: Literal["poisson", "regular"] = setting(
        "poisson", GENERAL, STREAM.at(130, "Arrivals"), options={"poisson": "by chance", "regular": "in step"}
    )
    """Whether calls arrive at random or at equal intervals, with rate_per_s."""
    think_s: Seconds = setting(
        0.0, GENERAL, STREAM.at(110, "Pause between calls"), words="think_time", within=(0, 3600)
    )
    """Think time: from the end of a call to the next one (closed workload)."""
    think_cv: Real = setting(0.0, GENERAL, within=(0, 10))
    """Coefficient of variation of think_s: 0 fixed, 1 exponential."""
    extends: bool = setting(False, GENERAL, STREAM.at(170, "The file grows"))
    """Writes extend the file; otherwise its blocks exist already."""
    fsync_every: Whole = setting(0, GENERAL, STREAM.at(160, "fsync after (calls); 0 = never"), within=(0, 100_000_000))
    """Buffered writes between two fsync calls; 0 for no fsync."""
    users: Whole = users(1000)
    """Programs that do it at the same time, each with a file of its own."""

    def opened_as(self, system: "System") -> str:
        """How its file is opened: it is none of the database's."""
        return self.path or system.host.io_path

    def passes_page_cache(self, system: "System") -> bool:
        """Whether its calls go past the page cache."""
        return self.opened_as(system) in UNBUFFERED

    @property
    def step_bytes(self) -> int:
        """From the begin of a call to that of the next one of its program, where they go in order."""
        return cast(int, self.stride_bytes) if self.pattern == "strided" else self.block_size_bytes

    @model_validator(mode="after")
    def _calls_that_can_be(self) -> Self:
        if self.pattern == "strided" and self.stride_bytes is None:
            raise ValueError("pattern strided needs stride_bytes")
        if self.span_bytes is not None and self.span_bytes < self.block_size_bytes:
            raise ValueError(f"span_bytes {self.span_bytes} is less than block_size_bytes {self.block_size_bytes}")
        if self.rate_per_s is not None and (self.think_s or self.in_flight > 1):
            raise ValueError("rate_per_s is an open workload; think_s and in_flight belong to a closed one")
        if self.submission == "pread" and self.in_flight > 1:
            raise ValueError(
                f"submission pread has one call in flight; in_flight {self.in_flight} needs libaio, io_uring or polled"
            )
        if self.batch > self.in_flight:
            raise ValueError(f"batch {self.batch} is more than in_flight {self.in_flight}; allowed are 1 to in_flight")
        if self.submission == "polled" and self.rate_per_s is not None:
            raise ValueError("submission polled is for a closed workload, whose program waits; leave out rate_per_s")
        return self


def _without_writing(calls: SomeCalls) -> SomeCalls:
    """*calls* that say nothing of writing."""
    for field in ("fsync_every", "extends"):
        if getattr(calls, field):
            raise ValueError(f"{field} is for a write_stream; reads change nothing")
    return calls


class WriteStream(Calls):
    """Writes in calls of one size: dd, redo, a backup piece, a benchmark."""

    writes: ClassVar[bool] = True
    kind: Literal["write_stream"] = "write_stream"
    synced: Literal["none", "sync", "dsync"] = setting("none", "linux-direct-sync", STREAM.at(150, "O_DIRECT with"))
    """Past the page cache: whether the file is opened with O_SYNC or O_DSYNC beside O_DIRECT, so that each write is on
    the medium, and its journal committed where there is something to commit, before it ends."""


class ReadStream(Calls):
    """Reads in calls of one size."""

    writes: ClassVar[bool] = False
    kind: Literal["read_stream"] = "read_stream"
    fadvise: Literal["normal", "sequential", "random"] = setting(
        "normal", "linux-fadvise", STREAM.at(140, "posix_fadvise")
    )
    """posix_fadvise of a buffered file: sequential doubles the read-ahead, random switches it off."""

    @model_validator(mode="after")
    def _reads_write_nothing(self) -> Self:
        return _without_writing(self)


Query = FullScan | IndexRangeScan
Dml = Update | Insert | Delete
Load = Import | Export
Stream = WriteStream | ReadStream
Statement = Query | Dml | Load

WORKLOADS: dict[str, type[Statement | Stream | Transactions]] = {
    "full_scan": FullScan,
    "index_range_scan": IndexRangeScan,
    "update": Update,
    "insert": Insert,
    "delete": Delete,
    "import": Import,
    "export": Export,
    "write_stream": WriteStream,
    "read_stream": ReadStream,
    "transactions": Transactions,
}
KINDS.update(WORKLOADS)

Workload = Annotated[Statement | Stream | Transactions, OfItsKind(lambda: WORKLOADS, WORKLOADS.__getitem__)]
