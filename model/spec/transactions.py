"""Transactions of many users: what each kind gets, changes and commits, over which data, how often."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from blocktime.model.laws.parallel_reads import LEAST_AT_ONCE
from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import GENERAL, LEAST_FRACTION, Real, Seconds, Size, Whole, setting
from blocktime.model.spec.groups import BUFFER_CACHE, REPLACEMENT, TRANSACTION, USERS
from blocktime.model.spec.placed import DataDevice, PlacedTablespace, check_placed, devices_of
from blocktime.model.spec.popularity import PopularBlocks
from blocktime.model.spec.programs import Work
from blocktime.model.units import GIB, KIB

MOST_THINK_S = 86_400.0


class Transaction(Frozen):
    """One kind of transaction: means of what it does to blocks, rows and redo."""

    name: str = setting("transaction", GENERAL, names=True, max_length=60)
    """Name of the kind."""
    weight: Real = setting(1.0, GENERAL, unit="parts", within=(LEAST_FRACTION, 1e9))
    """Weight in the mix, relative to the other kinds."""
    gets: Real = setting(100.0, GENERAL, TRANSACTION.at(10, "Gets"), unit="blocks", within=(0, 10_000_000))
    """Consistent gets: blocks of indexes and tables that it looks at."""
    rows: Real = setting(20.0, GENERAL, unit="rows", within=(0, 1e9))
    """Rows that it visits, each walked to; those sent to the client cost no more."""
    changed_blocks: Real = setting(
        5.0, GENERAL, TRANSACTION.at(20, "Blocks changed"), related="undo", within=(0, 1_000_000)
    )
    """Blocks that it changes, each with a current get and undo."""
    redo_bytes: Size = setting(5 * KIB, GENERAL, TRANSACTION.at(30, "Redo"), within=(0, GIB))
    """Redo that it writes."""
    commits: bool = setting(True, GENERAL)
    """Whether it commits, and waits for the log writer."""
    calls: Real = setting(5.0, GENERAL, TRANSACTION.at(60, "Calls"), unit="round trips", within=(0, 1_000_000))
    """Database calls, each a round trip to the client; below 1 where a PL/SQL loop runs many transactions a call."""
    cpu_s: Seconds = setting(0.0, GENERAL, TRANSACTION.at(70, "CPU outside gets and calls"), within=(0, 86_400))
    """CPU of its SQL and PL/SQL beyond gets, rows, changes and calls."""
    stated_wait_s: Seconds = setting(0.0, GENERAL, TRANSACTION.at(80, "Other waits, as stated"), within=(0, 86_400))
    """Waits that are stated and not modelled: of a cluster, for locks of the application."""
    scan_blocks: Real = setting(0.0, GENERAL, unit="blocks", within=(0, 10_000_000))
    """Blocks that it scans by multiblock reads, beside its gets; they enter the cache at the cold end."""
    parallel_reads: Real = setting(
        0.0, GENERAL, TRANSACTION.at(40, "Reads submitted together"), unit="reads", within=(0, 1_000)
    )
    """Single-block reads that it hands over at once, waiting for all (db file parallel read), on average; 0 none."""
    parallel_reads_percent: Real = setting(
        100.0, GENERAL, TRANSACTION.at(50, "Share of reads submitted together"), within=(0, 100)
    )
    """Share of the single-block reads that are handed over so."""

    @property
    def parallel_fraction(self) -> float:
        """Share of the single-block reads that are handed over several at once."""
        return self.parallel_reads_percent / 100 if self.parallel_reads else 0.0

    @model_validator(mode="after")
    def _several_at_once(self) -> "Transaction":
        if 0 < self.parallel_reads < LEAST_AT_ONCE:
            raise ValueError(
                f"parallel_reads {self.parallel_reads:g} is not a batch: allowed are {LEAST_AT_ONCE} reads or more, "
                "and 0 to submit them one at a time"
            )
        if self.parallel_reads > max(self.gets, self.changed_blocks):
            raise ValueError(
                f"parallel_reads {self.parallel_reads:g} is more than the {max(self.gets, self.changed_blocks):g} "
                "blocks that the transaction gets (gets): give at most as many"
            )
        return self


class Transactions(PopularBlocks, Work):
    """Users, each with one transaction at a time, on a buffer cache, processors, data files and redo log."""

    law_sources: ClassVar[tuple[str, ...]] = (
        "oracle-concepts",
        "shallahamer-touch-count",
        "che-2002",
        "reiser-lavenberg-1980",
        "kleinrock-1975",
        "drive-data-sheets",
    )
    kind: Literal["transactions"] = "transactions"
    mix: tuple[Transaction, ...] = setting(lambda: (Transaction(),), GENERAL, min_length=1, max_length=32)
    """The kinds of transactions."""
    users: Whole = setting(
        10, GENERAL, USERS.at(10, "Users"), words="sessions concurrency connections", within=(1, 20_000)
    )
    """Users, each with one transaction at a time."""
    think_s: Seconds = setting(1.0, GENERAL, USERS.at(20, "Think time"), words="think_time", ge=0)
    """Think time: mean time from the end of a user's transaction to the start of the next."""
    think_cv: Real = setting(1.0, GENERAL, within=(0, 10))
    """Coefficient of variation of think_s: 0 fixed, 1 exponential."""
    rate_per_s: Annotated[Real, Field(ge=1e-6, le=1e7)] | None = setting(
        None, GENERAL, USERS.at(30, "Arrivals, instead of users"), words="tps"
    )
    """Transactions that arrive a second, whether or not earlier ones are complete; a closed workload if not set."""
    data_bytes: Size = setting(
        4 * GIB, GENERAL, BUFFER_CACHE.at(20, "Data"), words="data_size", within=(KIB**2, KIB**5)
    )
    """Size of the tables and indexes that the transactions access."""
    tablespaces: tuple[PlacedTablespace, ...] = setting((), GENERAL, max_length=64)
    """Table spaces of the data and the devices that they lie on; all data lie on one disk if not set."""
    hot_data_percent: Real = setting(
        20.0, GENERAL, BUFFER_CACHE.at(30, "Hot share of the data"), within=(LEAST_FRACTION, 100)
    )
    """Share of the blocks that is hot."""
    hot_gets_percent: Real = setting(80.0, GENERAL, BUFFER_CACHE.at(40, "Share of gets"), within=(0, 100))
    """Share of the gets that goes to the hot blocks."""
    hottest_blocks: Whole = setting(
        16, GENERAL, REPLACEMENT.at(60, "Hottest blocks"), words="hot_block hot_blocks", within=(1, 1_000_000)
    )
    """Number of the hottest blocks, such as index roots and segment headers."""
    hottest_gets_percent: Real = setting(
        10.0, GENERAL, REPLACEMENT.at(70, "Share of gets, hottest blocks"), within=(0, 100)
    )
    """Share of all gets that go to the hottest blocks; these never leave the cache."""
    hottest_changes_percent: Real = setting(
        0.0,
        GENERAL,
        REPLACEMENT.at(80, "Share of changes, hottest blocks"),
        related="hot_block hot_blocks",
        within=(0, 100),
    )
    """Share of the changes that go to the hottest blocks."""
    hot_pool: Literal["default", "keep"] = setting(
        "default",
        GENERAL,
        BUFFER_CACHE.at(60, "Hot data in the pool"),
        options={"default": "DEFAULT", "keep": "KEEP"},
        needs={"keep": ("instance.db_keep_cache_bytes", "16M")},
    )
    """BUFFER_POOL of the hot blocks."""
    cold_pool: Literal["default", "recycle"] = setting(
        "default",
        GENERAL,
        BUFFER_CACHE.at(80, "Other data in the pool"),
        options={"default": "DEFAULT", "recycle": "RECYCLE"},
        needs={"recycle": ("instance.db_recycle_cache_bytes", "16M")},
    )
    """BUFFER_POOL of the other blocks."""
    begins: Literal["warm", "cold"] = setting("warm", GENERAL)
    """Buffer cache at the start: warm, as after a long run, or empty."""
    transactions: Annotated[Whole, Field(ge=100, le=2_000_000)] | None = setting(None, GENERAL)
    """Number of simulated transactions; if not set, as many as precision_percent needs."""

    @property
    def data_devices(self) -> list[DataDevice]:
        """The devices that the data lie on."""
        return devices_of(self.tablespaces)

    @property
    def mixed(self) -> tuple[Transaction, ...]:
        """The kinds of transactions that it mixes."""
        return self.mix

    @property
    def chance_fraction(self) -> float:
        """Half the interval of the mean response of one simulation, over that mean."""
        return self.precision_percent / 100

    @property
    def scans_blocks(self) -> bool:
        """Whether a transaction reads several blocks at once."""
        return any(one.scan_blocks for one in self.mix)

    @model_validator(mode="after")
    def _closed_or_open(self) -> "Transactions":
        if self.think_s > MOST_THINK_S:
            raise ValueError(
                f"think_s {self.think_s:g} is more than a day, {MOST_THINK_S:,.0f} s; where transactions come on "
                "their own give rate_per_s instead"
            )
        if self.rate_per_s is not None and "think_s" in self.model_fields_set and self.think_s:
            raise ValueError(
                f"rate_per_s {self.rate_per_s:g} and think_s {self.think_s:g} exclude each other: transactions arrive "
                "at a rate, or users come back after a pause; give one of them"
            )
        return self

    @model_validator(mode="after")
    def _table_spaces_hold_all_blocks(self) -> "Transactions":
        check_placed(self.tablespaces)
        return self

    @model_validator(mode="after")
    def _kinds_apart(self) -> "Transactions":
        names = [one.name for one in self.mix]
        if len(set(names)) < len(names):
            twice = next(name for place, name in enumerate(names) if name in names[:place])
            raise ValueError(f"mix has two kinds of transactions named {twice!r}; give each a name of its own")
        return self
