"""What a run answers, in the words of TKPROF, iostat and DBA_SEGMENTS; times in seconds, sizes in bytes."""

from collections.abc import Callable
from math import isnan
from typing import Any, Final, Literal, ParamSpec, TypeVar, cast

from pydantic import Field, computed_field, model_validator

from blocktime.model.laws.numeric import is_array, larger
from blocktime.model.provenance import Constant, Extrapolation, Frozen
from blocktime.model.units import show_number

Fields = ParamSpec("Fields")
Part = TypeVar("Part")


def part(model: Callable[Fields, Part], *_: Fields.args, **fields: Fields.kwargs) -> Part:
    """A part of an answer: of numbers checked, NaN as absent; of arrays as it is, NaN where there is no number."""
    made: Any = model
    if any(map(is_array, fields.values())):
        return cast(Part, made.model_construct(**fields))
    absent = {name: None for name, value in fields.items() if isinstance(value, float) and isnan(value)}
    return cast(Part, made(**(fields | absent)))


class EventTime(Frozen):
    """One wait event: how often, the longest, all together."""

    waits: float
    max_s: float
    total_s: float

    def plus(self, other: "EventTime | None") -> "EventTime":
        """Both together; numbers or arrays."""
        if other is None:
            return self
        longest = larger(self.max_s, other.max_s)
        return part(EventTime, waits=self.waits + other.waits, max_s=longest, total_s=self.total_s + other.total_s)


class Interval(Frozen):
    """A range that holds a mean with the stated confidence."""

    low_s: float
    high_s: float
    confidence: float
    runs: int | None = None
    """Runs, each with another seed, whose mean it is; absent where it is that of one run, from its batches."""

    @property
    def reach_percent(self) -> float:
        """Half of it, in percent of its middle."""
        middle_s = (self.low_s + self.high_s) / 2
        return 100 * (self.high_s - middle_s) / middle_s if middle_s else 0.0


class Call(Frozen):
    """One line of TKPROF: a kind of call."""

    count: float
    cpu_s: float
    elapsed_s: float
    disk: float
    query: float
    current: float
    rows: float


class TimeBreakdown(Frozen):
    """Where one session's elapsed time went: elapsed = CPU + waits + unaccounted."""

    elapsed_s: float
    cpu_s: float
    cpu: dict[str, float]
    """CPU seconds by cause."""
    wait: dict[str, EventTime]
    client_rows_s: float | None = None
    """Time the client works on rows and columns, within the waits for it and beside the server; its user CPU."""
    unaccounted_s: float
    unaccounted: dict[str, float]
    """The parts of unaccounted_s by cause; time counted twice is negative."""
    interval: Interval | None = None
    last_session_s: float | None = None
    """Of several sessions: from the begin of the first to the end of the last; elapsed_s is that of the mean one."""
    servers: float | None = None
    """Parallel servers that share the statement: the causes are those of the mean one, until the statement is done."""


class LogicalIO(Frozen):
    """Buffers got."""

    consistent_gets: float
    current_gets: float
    cpu_per_get_s: float
    """CPU of getting buffers and walking their rows, over the gets."""
    row_walk_fraction: float
    """Share of that CPU that walks rows."""
    undo_gets: float | None = None
    """Of the consistent gets of a statement those of undo, for what others have changed since it began; absent if
    none."""
    cleanouts: float | None = None
    """Blocks that a reader cleans out, each of them got once more; absent if none."""
    cleanout_redo_bytes: float | None = None
    """Redo of those that it leaves dirty in the cache; direct reads write none."""


class PhysicalIO(Frozen):
    """Reads and writes that left the buffer cache, as Oracle asks for them."""

    read_requests: float
    """Whole for one session; of several that share the rows of a statement the mean."""
    read_blocks: float
    """Data and index blocks, and the segment header with its extent map."""
    direct_blocks: float | None = None
    """Of them the blocks that bypass the buffer cache: V$SYSSTAT's ``physical reads direct``; absent if none."""
    read_bytes: float
    write_requests: float = 0
    write_bytes: float = 0
    request_blocks: dict[int, float] = {}
    """Size of a read in blocks -> how many reads of that size; of a stream, in sectors of 512 bytes."""
    direct_read_slots: dict[float, float] = {}
    """Seconds since the scan began -> asynchronous direct reads that a session may have in flight from then on."""


class CacheUse(Frozen):
    """Gets whose block was, or was not, in the buffer cache; a scan by direct path reads looks for none there."""

    hits: float
    misses: float
    hit_fraction: float


class BlockUse(Frozen):
    """What the bytes of one block hold; the parts sum to the block."""

    header_bytes: float
    itl_bytes: float
    row_bytes: float
    """Rows that lie in the block they were inserted into, directory entries included."""
    stub_bytes: float
    moved_bytes: float
    """Row pieces that migrated into the block."""
    free_bytes: float
    rows: float
    stubs: float
    moved_in: float
    itl_entries: float


class BlockContents(Frozen):
    """One block of the sample; *before* is absent where the block did not exist."""

    block: int
    reserve_bytes: float
    before: BlockUse | None
    after: BlockUse


class SpaceSearch(Frozen):
    """Looking for blocks with room for rows that move, or are inserted."""

    searches: float
    """Times that the bitmap or a free list was asked; an array of inserts keeps its block until it rejects a row."""
    placed: float
    """Row pieces that found a place."""
    rejected_itl: float
    """Probes of blocks with a full ITL list."""
    rejected_space: float
    rejected_held: float
    """Probes of blocks whose free space another session has not committed."""
    time_s: float
    elapsed_fraction: float
    functions: list[str]
    """The functions of a stack that shows this time, outermost first; none are known of free lists."""

    @property
    def rejected(self) -> float:
        """Probes that found no place."""
        return self.rejected_itl + self.rejected_space + self.rejected_held


class IndexChanges(Frozen):
    """What one index of the table took from rows that came, went or had their key set; by all sessions."""

    keys: float
    """Entries put in and taken out."""
    leaf_changes: float
    half_splits: float
    """50-50 splits: leaf node splits without those of the last leaf."""
    last_splits: float
    """90-10 splits."""
    blevel: float
    leaf_blocks_before: float
    leaf_blocks_after: float
    current_gets: float
    reads: float
    """Leaves and branches read one by one."""
    written_blocks: float
    """Blocks that DBWR has to write for it: each that is changed, and again one that leaves the cache in between."""
    undo_bytes: float
    redo_bytes: float


class RowChanges(Frozen):
    """Rows changed, and what that writes to undo and redo."""

    rows: float
    """Rows changed, those of repeated executions counted again."""
    table_rows: float
    """Different rows among them."""
    in_place: float
    migrated: float
    moved_again: float
    """Migrations of rows that had migrated before."""
    growth_bytes: float
    """All that a row grows by, over all executions."""
    executions: float
    """How often the statement ran: repeated, or once for each commit."""
    commits: float
    undo_bytes: float
    """Those of its indexes are in it, as in the redo."""
    redo_bytes: float
    dirty_blocks: float
    """Blocks of table and indexes that DBWR has to write, now or later."""
    undo_blocks: float = 0.0
    """Blocks of the instance's own size that the undo fills, which DBWR has to write, too."""
    indexes: list[IndexChanges] = []
    """The table's indexes, as the scenario lists them; an update shows those whose key it sets."""


class SegmentSpace(Frozen):
    """The segment as DBA_SEGMENTS and DBA_TABLES show it."""

    blocks_before: float
    """Data blocks below the high-water mark; the header, the extent map and bitmap blocks are not among them."""
    blocks_after: float
    dba_tables_blocks: float
    """BLOCKS of DBA_TABLES afterwards: with the bitmap blocks, which a scan does not get."""
    bytes_before: float
    bytes_after: float
    rows_per_block: float
    row_bytes: float
    block_size_bytes: float
    avg_row_len_before_bytes: float
    """AVG_ROW_LEN: the columns with their length bytes, truncated, as statistics have it."""
    avg_row_len_after_bytes: float
    extents: float
    migrated_rows: float = 0
    chained_rows: float | None = None
    itl_full_blocks: float | None = None
    """Blocks whose ITL has as many entries as it may."""
    rejected_probes: float | None = None
    pctfree_needed_percent: float | None = None
    """Smallest whole PCTFREE at which no row of a full block migrates; 100 where none is enough."""
    freeness_before: dict[str, float] | None = None
    """Class of the bitmap -> blocks."""
    freeness_after: dict[str, float] | None = None
    map_before: str | None = None
    """One digit a block, or every n-th block: 0 full, 1 to 4 by quarters free, 5 a full ITL list."""
    map_after: str | None = None
    blocks: list[BlockContents] | None = None
    """A sample of blocks, before and after."""


class Directions(Frozen):
    """Reads, writes and cache flushes apart, as iostat prints them since sysstat 11.5.7 and 12.3.1."""

    read_await_s: float | None = None
    """iostat's r_await; None where it is not known, as are the other two times."""
    write_await_s: float | None = None
    average_read_bytes: float = 0
    average_write_bytes: float = 0
    reads_merged_fraction: float = 0
    """iostat's %rrqm: share of the bios that joined a waiting request."""
    writes_merged_fraction: float = 0
    flushes_per_s: float = 0
    """Cache flushes; they are among the writes, too."""
    flush_await_s: float | None = None


class DeviceLine(Directions):
    """What iostat -x prints of one device for one interval, in seconds and bytes."""

    begin_s: float
    """From the begin of the workload."""
    interval_s: float
    merged_reads_per_s: float
    merged_writes_per_s: float
    reads_per_s: float
    writes_per_s: float
    read_bytes_per_s: float
    written_bytes_per_s: float
    average_request_bytes: float
    average_queue: float
    await_s: float
    service_s: float
    utilisation_fraction: float


class DeviceStats(Directions):
    """One device over the run, in iostat's quantities."""

    reads_per_s: float
    writes_per_s: float = 0
    merged_reads_per_s: float = 0
    merged_writes_per_s: float = 0
    read_bytes_per_s: float
    written_bytes_per_s: float = 0
    average_request_bytes: float
    average_queue: float | None = None
    """None where it is not known, as of writes that nobody waits for; so is await_s."""
    await_s: float | None = None
    service_s: float
    """iostat's svctm: the time with a request under way, over requests."""
    utilisation_fraction: float
    """iostat's %util: share of the time with a request under way; of a device that serves several at once more than
    the share of its capacity, which ``transactions.utilisation`` has."""
    merged_reads: float = 0
    """Bios that joined a waiting request."""
    merged_writes: float = 0
    request_bytes: dict[int, float] = {}
    """Size of a request at the device -> how many of that size."""
    late_requests: float | None = None
    """Requests done after the programs ended, as of write-back and late journal commits: in the lines and sizes, in no
    average; None where there are none."""
    lines: list[DeviceLine] = []
    """What iostat prints, interval by interval, as the kernel's release counts."""


class Stage(Frozen):
    """One stage of a request's way through the kernel; seconds from the begin of the workload."""

    name: str
    begin_s: float
    end_s: float


class StreamStats(Frozen):
    """One stream of reads or writes, over all its users."""

    kind: str
    path: str
    calls: float
    bytes: float
    elapsed_s: float
    """From its begin to the end of its last call."""
    calls_per_s: float
    bytes_per_s: float
    response_s: float
    """Mean time of a call."""
    response_percentiles: dict[str, float] = {}
    """p50, p95, p99, max -> seconds; absent where only the mean is known."""
    in_flight_most: int = 1
    """Most calls of one user that were under way at once."""
    page_cache_bytes: float = 0
    """Bytes of the calls that went through the page cache."""

    @property
    def writes(self) -> bool:
        """Whether its calls write."""
        return self.kind == "write_stream"


class TransactionKind(Frozen):
    """One kind of transaction of the mix."""

    name: str
    per_s: float
    response_s: float
    response_percentiles: dict[str, float] = {}
    consistent_gets: float
    current_gets: float
    read_blocks: float


class TransactionStats(Frozen):
    """What users see: throughput, response, and what holds them up; times and counts beside it are per transaction."""

    per_s: float
    response_s: float
    """Mean, from the first call to the end of the commit, seen by the client."""
    response_percentiles: dict[str, float] = {}
    """p50, p95, p99, max -> seconds; absent where only the mean is known."""
    response_interval: Interval | None = None
    """Of the mean response, from batches of this run or from replications."""
    per_s_low: float | None = None
    per_s_high: float | None = None
    under_way: float
    """Transactions under way on average: Little's law, per_s × response_s."""
    measured: int | None = None
    """Transactions that the figures are of."""
    warm_up: int | None = None
    """Transactions before those, left out."""
    unwritten_blocks: int | None = None
    """Blocks that became dirty and that DBWR left for later, where it does not keep up: throughput will fall."""
    utilisation: dict[str, float]
    """Resource -> busy share of its capacity, whatever iostat's %util of a disk."""
    bottleneck: str
    """The resource that saturates first as load grows."""
    saturation_per_s: float
    """Throughput at which it does."""
    saturation_users: float | None = None
    """Users from whom on somebody has to wait, where the two bounds of throughput meet; absent for open arrivals."""
    without_disk: bool | None = None
    """True where both hold for the rest of the system alone, because no figure told the limit of a measured disk."""
    log_writes_per_s: float
    commits_per_log_write: float
    written_blocks_per_s: float
    """By DBWR."""
    kinds: list[TransactionKind]


class OptimizerCost(Frozen):
    """The optimizer's opinion, in single-block reads."""

    io_cost: float
    cpu_cost: float
    cost: float
    mbrc: float
    sreadtim_s: float | None = None
    """SREADTIM and MREADTIM as they were used, gathered or from IOSEEKTIM and IOTFRSPEED; the old costing has none, and
    an access by single blocks no MREADTIM."""
    mreadtim_s: float | None = None
    cpuspeed_hz: float | None = None
    index_cost: float | None = None
    """Of the cost that of the index, where a table is visited through it."""


class WorkArea(Frozen):
    """The work area of a sort, a GROUP BY or a hash join, as V$SQL_WORKAREA shows it, and what it does in temp."""

    optimal_bytes: float
    """OMem: memory with which nothing goes to temp."""
    one_pass_bytes: float
    """1Mem: memory with which all goes to temp once at most."""
    used_bytes: float
    passes: int
    """0 is optimal, 1 one pass, more multipass."""
    runs: int
    """Sorted runs, or partitions of a hash join."""
    merge_width: int
    """Runs that are read at once."""
    call_bytes: float
    """Of a read or write of temp."""
    temp_bytes: float
    """Written to temp, all passes together."""


class RowSource(Frozen):
    """One row source of a query's plan, as DBMS_XPLAN prints it; what it counts holds what lies below it."""

    operation: str
    starts: float
    rows: float
    """A-Rows: rows that it returned, of all its starts."""
    buffers: float
    read_blocks: float
    """DBMS_XPLAN's Reads, in blocks."""
    time_s: float
    """Waits for reads by blocks read, CPU of gets by gets; rows are walked by whoever takes them from their block."""
    cost: float | None = None
    depth: int | None = None
    """Levels below the topmost in a plan with branches; without them each row source is below the one before."""
    written_blocks: float | None = None
    """DBMS_XPLAN's Writes, in blocks of temp."""
    work_area: WorkArea | None = None


class IndexStatistics(Frozen):
    """The index as it was used, given or derived."""

    leaf_blocks: float
    blocks: float
    """Leaf and branch blocks."""
    height: float
    """Levels from the root to the leaves: BLEVEL + 1."""
    clustering_factor: float
    distinct_keys: float | None = None


class Money(Frozen):
    """What the work costs by the scenario's price list; amounts in ``currency``.

    What is *used* is the CPU that the sessions take and the storage, for as long as the work takes; the *machine* is
    all cores with whole licences, busy or not, and the same storage.
    """

    currency: str
    per: str
    """What the amounts are of: one run of the workload by all its users, or one transaction."""
    takes_s: float
    """From the begin of one to that of the next, one after the other or as they are done a second."""
    cpu_core_hours: float
    licence: float
    support: float
    infrastructure: float
    storage: float
    total: float
    """Used: licence, support, infrastructure and storage."""
    machine: float
    """The machine and its storage, while one run is done or for each transaction."""
    core_per_hour: float
    """A core with its licence and support."""
    used_cores: float
    """Cores busy with it on average, run after run."""
    machine_cores: float
    machine_licences: float
    storage_bytes: float
    storage_iops: float
    used_per_hour: float
    machine_per_hour: float
    memory_bytes: float
    """Of the buffer caches, which are paid for."""
    month: dict[str, float]
    """The whole machine for a month: ``machine``, and of it ``cores``, ``memory``, ``storage`` and ``licence``."""
    not_priced: list[str]
    """What the price list has no price for, so that it costs nothing here."""
    per_million_logical_io: float | None = None
    """CPU of a million consistent gets, row processing included."""
    per_transaction: float | None = None


class Contribution(Frozen):
    """How much of the variance of a time one constant causes, or the model's own error for one mechanism."""

    constant: Constant | None = None
    """With its interval; its name is the catalog's, or that of an input of a library scenario that was fitted."""
    fields: list[str] = []
    """Of the scenario, that the constant fills."""
    mechanism: str = ""
    """Whose error on published numbers this is, such as logical I/O; empty for a constant."""
    extrapolated: bool = False
    """Whether the constant is used outside the range that it was fitted in."""
    variance_fraction: float
    """What would go of the variance if it were known. Of correlated constants each takes what they have in common."""

    @property
    def name(self) -> str:
        """The constant's name, or the mechanism's."""
        return self.mechanism if self.constant is None else self.constant.name


class Uncertainty(Frozen):
    """Within what the elapsed time lies: joint uncertainty of the constants, the model's own error, and chance."""

    elapsed: Interval
    contributions: list[Contribution]
    """By share, largest first; those that make next to nothing are left out."""
    uncertain_constants: list[str]
    """Names of those that have an interval, or are extrapolated."""
    extrapolated_constants: list[str] = []
    """Names of those that are used outside the range that they were fitted in, which widens the interval."""
    known_constants: list[str]
    """Fields whose constants have none, taken as known."""
    chance_s: float | None = None
    """Half of the interval that chance alone makes, where replications or batches tell it."""
    draws: int
    seed: int
    runs: int = 0
    """Simulations that tell how the time depends on the constants; 0 where each draw is an exact sum."""


class ProgramFigures(Frozen):
    """What one of several programs gets of the machine: its mean session, or its mean transaction."""

    elapsed_s: float | None = None
    """Of a program that ends: its mean session; of a stream until its last call is done."""
    per_s: float | None = None
    """Transactions, or calls of a stream, a second."""
    response_s: float | None = None
    """Mean response of a transaction, or of a call."""
    cpu_s: float
    run_queue_s: float
    """Waiting for a processor."""
    waits: dict[str, EventTime]
    reads: float
    """Read requests, of one session or transaction."""
    hit_fraction: float | None = None
    """Of its gets, those that find their block in the buffer cache."""
    undo_s: float | None = None
    """CPU of consistent reads of blocks that others change."""

    @property
    def took_s(self) -> float | None:
        """An execution, all calls of a stream, or a transaction; None where too few ended."""
        return self.response_s if self.elapsed_s is None else self.elapsed_s


class ResponseLine(Frozen):
    """Mean response of the transactions that ended in one interval; seconds from the begin of the run."""

    begin_s: float
    interval_s: float
    response_s: float


class ProgramStats(ProgramFigures):
    """One of the programs that share the machine, beside what it gets alone."""

    name: str
    kind: str
    users: int
    begin_s: float
    disk_fraction: float
    """Share of the time that the disk is busy, for its requests: they wait or are served."""
    requests: int
    """Of the disk, over the whole run, that were its own."""
    alone: ProgramFigures

    @property
    def times_as_long(self) -> float | None:
        """How many times as long it takes beside the others as alone; None where too little of it was played."""
        together, alone = self.took_s, self.alone.took_s
        return together / alone if together and alone else None

    because: list[str]
    """Why it gets less than alone, the largest cause first; empty where it does not."""
    runs: list[tuple[float, float]] = []
    """Begin and end of each execution, the first 100 of them; seconds from the begin of the run."""
    lines: list[ResponseLine] = []
    """Of transactions: their response, interval by interval."""


EXACT_SUM: Final = "exact sum"
SIMULATION: Final = "simulation"
BOUND: Final = "bound"
NOT_PLAYED: Final = {EXACT_SUM: "exact sum", BOUND: "bound, not simulated"}
"""What a result says of an answer that was not played."""


class RunResult(Frozen):
    """One answer, with everything needed to make it again."""

    scenario: str
    how: Literal["exact sum", "simulation", "bound"]
    """How the answer was made; :attr:`method` says it with what was played."""
    seed: int
    version: str
    sources: list[str]
    extrapolated: list[Extrapolation]
    warnings: list[str]
    notes: list[str] | None = None
    """What to know of the run that is no reason for doubt."""
    time: TimeBreakdown
    calls: dict[str, Call]
    logical_io: LogicalIO | None = None
    physical_io: PhysicalIO
    cache: CacheUse | None = None
    segment: SegmentSpace | None = None
    device: dict[str, DeviceStats]
    kernel: str | None = None
    """Release of the host's kernel, which says what its iostat prints; absent where the device was not asked for."""
    optimizer: OptimizerCost | None = None
    row_sources: list[RowSource] | None = None
    """Of a query, topmost first, each above the next one."""
    index: IndexStatistics | None = None
    streams: list[StreamStats] | None = None
    transactions: TransactionStats | None = None
    programs: list[ProgramStats] | None = None
    """What each of several programs gets; the rest of the result is that of the first."""
    timeline: list[Stage] | None = None
    """One request of the first stream, from the call to its end."""
    played_by: str = ""
    """Which sum, which compiled loop, or the simulation of all parties."""
    changes: RowChanges | None = None
    space_search: SpaceSearch | None = None
    money: Money | None = None
    uncertainty: Uncertainty | None = None
    access: str
    """How the blocks were read: direct path or buffered, asynchronous or not, and why."""
    events: int | None = Field(default=None, description="Simulated events")
    played_fraction: float | None = None
    """Share of the work that was played: the rest goes on at the rate of its steady stretch; absent where all was."""

    @model_validator(mode="before")
    @classmethod
    def _without_method(cls, document: Any) -> Any:
        """A document without what follows from the rest of it."""
        if isinstance(document, dict) and "method" in document:
            return {name: value for name, value in document.items() if name != "method"}
        return document

    @computed_field  # type: ignore[prop-decorator]
    @property
    def method(self) -> str:
        """How the answer was made: "exact sum", or "simulation, 16,880 transactions, ±1.6 %" with its 95 % interval."""
        if self.how == EXACT_SUM and self.played_fraction is not None and self.changes is not None:
            return f"sum, played {show_number(100 * self.played_fraction, 2)} % of {self.changes.rows:,.0f} rows"
        if self.how != SIMULATION:
            return NOT_PLAYED[self.how]
        return ", ".join(filter(None, [SIMULATION, self._amount_played(), self._precision()]))

    @property
    def is_simulated(self) -> bool:
        """Whether the answer was played."""
        return self.how == SIMULATION

    def _amount_played(self) -> str:
        """What the numbers are of: transactions after the warm-up, calls, reads of all sessions or written blocks."""
        amount, name = self.physical_io.read_requests, "read"
        if self.transactions is not None:
            amount, name = float(self.transactions.measured or 0), "transaction"
        elif self.streams:
            amount, name = sum([stream.calls for stream in self.streams]), "call"
        elif not amount:
            amount, name = self.physical_io.write_requests, "written block"
        text = f"{amount:,.0f} {name}{'' if amount == 1 else 's'}" if amount else ""
        if self.played_fraction is None:
            return text
        return f"played {show_number(100 * self.played_fraction, 2)} % of {text}"

    def _precision(self) -> str:
        """How far the interval of the main number reaches on its longer side, in percent of it; nothing without one."""
        if self.transactions is not None:
            interval, value = self.transactions.response_interval, self.transactions.response_s
        else:
            interval, value = self.time.interval, self.time.elapsed_s
        if interval is None or not value or interval.low_s == interval.high_s:
            return ""
        if interval.runs:
            return f"mean of {interval.runs:,} runs ±{show_number(interval.reach_percent, 2)} %"
        reach = max(interval.high_s - value, value - interval.low_s) / value
        return f"±{show_number(100 * reach, 2)} %"
