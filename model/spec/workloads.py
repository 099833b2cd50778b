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
    setting,
)
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
    select: Literal["rows", "count"] = setting("rows", "Query that returns all rows, or counts them", GENERAL)
    columns: Annotated[Whole, Field(ge=1, le=MAXIMUM_COLUMNS)] | None = setting(
        None, "Columns in the select list; all of them if not set", GENERAL
    )
    filter_fraction: Real = setting(
        1.0, "Share of the rows that pass the WHERE clause; 1 without one", GENERAL, ge=0, le=1
    )
    arraysize_rows: Whole = setting(100, "Rows per fetch (array size)", GENERAL, ge=1, le=1_000_000)
    degree: Whole = setting(
        1, "Degree of parallelism: parallel servers that share the scan; 1 is serial", GENERAL, ge=1, le=1024
    )
    other_gets: Whole = setting(
        0,
        "Consistent gets besides those of blocks with rows: segment header, map and bitmap blocks",
        GENERAL,
        ge=0,
        le=1_000_000,
    )
    users: Whole = setting(1, "Sessions that run it at the same time", GENERAL, ge=1, le=10_000)

    @property
    def sessions(self) -> int:
        """Sessions that scan: parallel servers of all users."""
        return self.users * self.degree


class IndexRangeScan(PopularBlocks, Work):
    """Rows of a key range, or of one key, through an index, fetched in arrays."""

    law_sources: ClassVar[tuple[str, ...]] = ("oracle-concepts", "savvinov-lio", "oracle-tuning")
    kind: Literal["index_range_scan"] = "index_range_scan"
    access: Literal["range", "unique", "full", "fast_full", "skip"] = setting(
        "range",
        "Leaves of a key range, one entry (INDEX UNIQUE SCAN), all leaves in order (FULL), all blocks (FAST FULL), a "
        "range below each value of the leading columns (SKIP)",
        "oracle-concepts",
    )
    predicate: Literal["range", "equality"] = setting(
        "range",
        "Asks for a range of keys (selectivity_fraction), or for one: the table's rows over index.distinct_keys",
        GENERAL,
    )
    index_only: bool = setting(
        False, "The index holds all columns that the query needs; the table is not visited", "oracle-concepts"
    )
    selectivity_fraction: Real = setting(
        0.01,
        "Share of the rows in the key range, or that pass the filter on the key",
        GENERAL,
        ge=LEAST_FRACTION,
        le=1,
    )
    parallel_reads: Literal["auto"] | Annotated[Whole, Field(ge=1, le=256)] = setting(
        "auto",
        "Table blocks that batched table access or prefetching reads at once, and waits for all (db file parallel "
        "read); 1 is one by one, auto as the release does: batches since 12.1. Files without asynchronous I/O are read "
        "one by one",
        "akhmadeev-batched",
    )
    rowid_order: bool = setting(
        False,
        "Rowids are sorted before the table is visited (BITMAP CONVERSION), so each block is got once; always so of a "
        "bitmap index",
        "oracle-concepts",
    )
    select: Literal["rows", "count"] = setting("rows", "Return the rows, or count them", GENERAL)
    arraysize_rows: Whole = setting(100, "Rows per fetch (array size)", GENERAL, ge=1, le=1_000_000)
    users: Whole = setting(1, "Sessions that run it at the same time", GENERAL, ge=1, le=10_000)

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
        0, "Rows between commits; 0 is one transaction", GENERAL, ge=0, le=MAXIMUM_ROWS
    )
    autocommit: bool = setting(
        False,
        "The driver commits with the statement (OCI_COMMIT_ON_SUCCESS, JDBC's autocommit); otherwise each COMMIT of a "
        "client is a round trip of its own",
        "oracle-oci",
    )
    caller: Literal["client", "plsql"] = setting(
        "client",
        "A client sends each statement by itself, or a PL/SQL block runs them in one call and waits for its commits "
        "at the end alone",
        "kyte-commit",
    )


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
        1.0,
        "Share of the rows that are updated, spread evenly over the blocks",
        GENERAL,
        ge=LEAST_FRACTION,
        le=1,
    )
    order: Literal["table", "random"] = setting(
        "table",
        "Rows come in the order of their blocks (full scan), or in any order (through an index)",
        GENERAL,
    )
    growth_bytes: Annotated[MeanSize, Field(ge=0, le=1_000_000)] | None = setting(
        None, "Mean bytes by which an updated row grows; 0 if not set", GENERAL
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
    users: Whole = setting(1, "Sessions that share the rows", GENERAL, ge=1, le=255)

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
    rows: Whole = setting(100_000, "Rows to insert", GENERAL, ge=1, le=10**9)
    method: Literal["row", "array", "direct"] = setting(
        "array", "One row a call, arrays, or direct path above the high-water mark (CTAS, APPEND)", GENERAL
    )
    arraysize_rows: Whole = setting(100, "Rows per call in arrays", GENERAL, ge=1, le=1_000_000)
    uncommitted_delete_fraction: Real = setting(
        0.0,
        "Share of the table's rows that another session has deleted and not committed",
        GENERAL,
        ge=0,
        le=1,
    )
    users: Whole = setting(1, "Sessions that share the rows", GENERAL, ge=1, le=254)

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
        1.0,
        "Share of the rows that are deleted, spread evenly over the blocks",
        GENERAL,
        ge=LEAST_FRACTION,
        le=1,
    )
    users: Whole = setting(1, "Sessions that share the rows", GENERAL, ge=1, le=255)

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
    block_size_bytes: Size = setting(8 * KIB, "Bytes of a call (bs= of dd)", GENERAL, ge=512, le=64 * MIB)
    count: Whole = setting(1000, "Calls (count= of dd), of each user", GENERAL, ge=1, le=100_000_000)
    runtime_s: Annotated[Seconds, Field(gt=0, le=86_400)] | None = setting(
        None,
        "Run time of each program: it begins no call later, even if calls of count remain; count alone if not set",
        GENERAL,
    )
    pattern: Literal["sequential", "random", "strided", "backward"] = setting(
        "sequential",
        "Access pattern: sequential, random, strided, or backward",
        GENERAL,
    )
    stride_bytes: Annotated[Size, Field(ge=512, le=1024**5)] | None = setting(
        None, "From the begin of a call to that of the next, for strided", GENERAL
    )
    start_byte: Annotated[Size, Field(ge=0, le=1024**5)] | None = setting(
        None,
        "Start of the first user's file on the device; if not set, behind the files before it",
        GENERAL,
    )
    span_bytes: Annotated[Size, Field(ge=512, le=1024**5)] | None = setting(
        None,
        "Bytes of each user's file: random calls go anywhere in it, sequential calls start over at its end; "
        "the bytes of all calls if not set, the rest of the device for random",
        GENERAL,
    )
    path: IoPath | None = setting(None, "How the file is opened; host.io_path if not set", GENERAL)
    in_flight: Whole = setting(
        1, "Asynchronous calls in flight (io_submit); 1 is pread and pwrite", GENERAL, ge=1, le=65536
    )
    submission: Literal["pread", "libaio", "io_uring", "polled"] | None = setting(
        None,
        "How calls past the page cache are submitted: pread or pwrite, io_submit, io_uring, or io_uring whose "
        "completions are polled; pread for one call in flight and libaio for several if not set",
        GENERAL,
    )
    batch: Whole = setting(
        1, "Calls that one io_submit or io_uring_enter hands over together", GENERAL, ge=1, le=65536
    )
    rate_per_s: Annotated[Real, Field(ge=1e-6, le=1e9)] | None = setting(
        None,
        "Calls that arrive a second, whether or not earlier ones are complete; a closed workload if not set",
        GENERAL,
    )
    arrivals: Literal["poisson", "regular"] = setting(
        "poisson", "Whether calls arrive at random or at equal intervals, with rate_per_s", GENERAL
    )
    think_s: Seconds = setting(
        0.0, "Think time: from the end of a call to the next one (closed workload)", GENERAL, ge=0, le=3600
    )
    think_cv: Real = setting(
        0.0, "Coefficient of variation of think_s: 0 fixed, 1 exponential", GENERAL, ge=0, le=10
    )
    extends: bool = setting(False, "Writes extend the file; otherwise its blocks exist already", GENERAL)
    fsync_every: Whole = setting(
        0, "Buffered writes between two fsync calls; 0 for no fsync", GENERAL, ge=0, le=100_000_000
    )
    users: Whole = setting(
        1, "Programs that do it at the same time, each with a file of its own", GENERAL, ge=1, le=1000
    )

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
            raise ValueError(
                f"span_bytes {self.span_bytes} is less than block_size_bytes {self.block_size_bytes}"
            )
        if self.rate_per_s is not None and (self.think_s or self.in_flight > 1):
            raise ValueError("rate_per_s is an open workload; think_s and in_flight belong to a closed one")
        if self.submission == "pread" and self.in_flight > 1:
            raise ValueError(
                f"submission pread has one call in flight; in_flight {self.in_flight} needs libaio, io_uring or polled"
            )
        if self.batch > self.in_flight:
            raise ValueError(
                f"batch {self.batch} is more than in_flight {self.in_flight}; allowed are 1 to in_flight"
            )
        if self.submission == "polled" and self.rate_per_s is not None:
            raise ValueError(
                "submission polled is for a closed workload, whose program waits; leave out rate_per_s"
            )
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
    synced: Literal["none", "sync", "dsync"] = setting(
        "none",
        "Past the page cache: whether the file is opened with O_SYNC or O_DSYNC beside O_DIRECT, so that each write is "
        "on the medium, and its journal committed where there is something to commit, before it ends",
        "linux-direct-sync",
    )


class ReadStream(Calls):
    """Reads in calls of one size."""

    writes: ClassVar[bool] = False
    kind: Literal["read_stream"] = "read_stream"
    fadvise: Literal["normal", "sequential", "random"] = setting(
        "normal",
        "posix_fadvise of a buffered file: sequential doubles the read-ahead, random switches it off",
        "linux-fadvise",
    )

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
