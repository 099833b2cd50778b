"""Where rows lie: tablespace, table, columns, index."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import (
    GENERAL,
    MAXIMUM_COLUMNS,
    MAXIMUM_INDEXES,
    MAXIMUM_ROWS,
    ORACLE,
    BlockSize,
    MeanSize,
    Real,
    Size,
    Whole,
    setting,
)
from blocktime.model.spec.groups import SEGMENT
from blocktime.model.units import GIB, KIB, MIB

WALKED = ("index_range_scan",)
"""Kinds of workload with controls of the index; a full scan that is joined finds the others by a search."""


class Tablespace(Frozen):
    """Where the segment lives."""

    block_size_bytes: BlockSize = setting(
        8 * KIB, ORACLE, SEGMENT.at(10, "Block size"), words="block_size", related="db_block_size"
    )
    """Block size of the tablespace (BLOCKSIZE)."""
    space_management: Literal["assm", "manual"] = setting(
        "assm", ORACLE, SEGMENT.at(50, "Segment space management"), words="assm freelists", options={"assm": "ASSM"}
    )
    """SEGMENT SPACE MANAGEMENT: AUTO (assm) or MANUAL."""
    extent_management: Literal["system", "uniform"] = setting("system", ORACLE)
    """EXTENT MANAGEMENT LOCAL: AUTOALLOCATE (system) or UNIFORM."""
    uniform_extent_bytes: Size = setting(MIB, ORACLE, within=(10 * KIB, 2 * GIB))
    """Extent size under UNIFORM."""

    @model_validator(mode="after")
    def _extent_of_whole_blocks(self) -> "Tablespace":
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

    name: str = setting("", GENERAL, names=True, max_length=128)
    """Column name."""
    type: Literal["number", "varchar2", "char", "date"] = setting("number", GENERAL)
    """Data type."""
    bytes: MeanSize = setting(4.0, GENERAL, within=(0, 4000))
    """Mean bytes of data, without the length byte."""
    null_fraction: Real = setting(0.0, GENERAL, within=(0, 1))
    """Share of rows in which it is NULL."""


class IndexEntries(Frozen):
    """Entries of an index, and the leaves that hold them."""

    key_bytes: MeanSize = setting(8, GENERAL, SEGMENT.at(80, "Key length", *WALKED), within=(1, 6400))
    """Mean bytes of the values in an entry's key, without length bytes."""
    key_columns: Whole = setting(1, GENERAL, within=(1, 32))
    """Columns of the key; each has a length byte in an entry."""
    unique: bool = setting(False, "foote-index", SEGMENT.at(90, "Unique index", "full_scan", *WALKED))
    """A unique index, which keeps the rowid without a length byte."""
    null_fraction: Real = setting(0.0, "oracle-concepts", words="nulls", ge=0, lt=1)
    """Share of the rows whose key columns are all NULL; the index has no entry for them."""
    compress_columns: Whole = setting(0, "foote-compress", words="compress index_compression", within=(0, 32))
    """COMPRESS n: leading columns that a leaf keeps once for all entries that share them."""
    prefix_bytes: Annotated[MeanSize, Field(ge=1, le=6400)] | None = setting(None, GENERAL)
    """Mean bytes of the values in the compressed columns; their share of key_bytes if not set."""
    prefix_distinct_keys: Annotated[Whole, Field(ge=1, le=MAXIMUM_ROWS)] | None = setting(
        None, GENERAL, SEGMENT.at(110, "Distinct leading values", *WALKED), related="skip_scan"
    )
    """Distinct values of the leading columns that are compressed, or that a skip scan passes over."""
    pctfree_percent: Real = setting(10.0, ORACLE, within=(0, 99))
    """PCTFREE of the index: share of a leaf that the build leaves free."""
    grown_by: Literal["build", "ascending", "random"] = setting("build", "yao-1978")
    """How its entries came: built at once, by keys that ascend (90-10 splits, full leaves), or by keys in any order
    (50-50 splits, leaves 69 % full)."""
    leaf_blocks: Annotated[Whole, Field(ge=1, le=2**36)] | None = setting(None, GENERAL)
    """LEAF_BLOCKS, if known; else from the key's bytes."""
    clustering: Literal["clustered", "interleaved", "scattered"] = setting(
        "clustered", GENERAL, SEGMENT.at(70, "Clustering of rows", *WALKED), related="clustering_factor"
    )
    """Rows in index order lie in block order (clustered), by turns in some blocks that fill together (interleaved), or
    anywhere (scattered)."""
    cached_fraction: Real = setting(0.0, GENERAL, within=(0, 1))
    """Share of the index's blocks in the buffer cache beforehand."""

    @model_validator(mode="after")
    def _a_prefix_of_the_key(self) -> "IndexEntries":
        most = self.key_columns - self.unique
        if self.compress_columns > most:
            raise ValueError(
                f"compress_columns is {self.compress_columns}; allowed are at most {most} of "
                f"{self.key_columns} key columns; a unique index keeps its last one"
            )
        if self.prefix_bytes is not None and self.prefix_bytes > self.key_bytes:
            raise ValueError(f"prefix_bytes {self.prefix_bytes:g} is more than key_bytes {self.key_bytes:g}")
        return self


class Index(IndexEntries):
    """The index a range scan walks."""

    blevel: Annotated[Whole, Field(ge=0, le=23)] | None = setting(None, GENERAL, words="height index_height")
    """Branch levels above the leaves (BLEVEL), if known; else from the leaves."""
    clustering_factor: Annotated[Whole, Field(ge=1, le=MAXIMUM_ROWS)] | None = setting(
        None, GENERAL, words="clustering_factor"
    )
    """CLUSTERING_FACTOR, if known; else from clustering."""
    distinct_keys: Annotated[Whole, Field(ge=1, le=MAXIMUM_ROWS)] | None = setting(
        None, GENERAL, SEGMENT.at(100, "Distinct keys", "full_scan", *WALKED), words="ndv"
    )
    """DISTINCT_KEYS, if known; the rows of one key lie in rowid order. Else a key of its own for each row."""
    interleaved_blocks: Whole = setting(16, "lewis-cached-blocks", within=(2, 4096))
    """Blocks that take rows by turns where rows lie interleaved; ASSM spreads concurrent inserts over 16."""
    table_cached_blocks: Whole = setting(
        1,
        "lewis-cached-blocks",
        SEGMENT.at(150, "TABLE_CACHED_BLOCKS", *WALKED),
        words="table_cached_blocks",
        within=(1, 255),
    )
    """TABLE_CACHED_BLOCKS: rows in so many blocks visited last count for no change of block."""
    bitmap: bool = setting(False, "antoshenkov-bbc", SEGMENT.at(120, "Bitmap index", *WALKED), words="bitmap")
    """A bitmap index: for each key the rowids as a compressed bitmap."""


class MaintainedIndex(IndexEntries):
    """An index of the table that takes part in every row that comes, goes, or has its key set."""

    new_keys: Literal["ascending", "random"] = setting("random", GENERAL)
    """New keys are the largest so far, as a sequence makes them, or any."""
    updated: bool = setting(False, GENERAL)
    """An update of the table sets a column of its key."""


class Table(Frozen):
    """Rows, how long they are and how they were put into blocks."""

    rows: Whole = setting(
        1_000_000, GENERAL, SEGMENT.at(20, "Rows"), words="num_rows row_count table_size", within=(1, MAXIMUM_ROWS)
    )
    """Rows (NUM_ROWS)."""
    pctfree_percent: Real = setting(10, ORACLE, SEGMENT.at(40, "PCTFREE"), words="pctfree pct_free", within=(0, 99))
    """PCTFREE."""
    pctused_percent: Annotated[Real, Field(ge=0, le=99)] | None = setting(None, ORACLE)
    """PCTUSED under manual space management: a block that falls below it takes rows again; 40 if not set."""
    initrans: Whole = setting(1, ORACLE, within=(1, 255))
    """INITRANS."""
    created_by: Literal["insert", "ctas"] = setting("insert", GENERAL)
    """Loaded by INSERT, or CREATE TABLE AS SELECT (one ITL entry more)."""
    row_bytes: Annotated[MeanSize, Field(ge=3, le=1_000_000)] | None = setting(
        None, GENERAL, SEGMENT.at(30, "Row length"), words="avg_row_len row_length"
    )
    """Mean bytes of a row piece: 3 header bytes, lengths and data (AVG_ROW_LEN + 3); 100 if not set."""
    row_bytes_sd: MeanSize = setting(0, GENERAL, unit="bytes", within=(0, 100_000))
    """Standard deviation of the row length."""
    column_count: Annotated[Whole, Field(ge=1, le=MAXIMUM_COLUMNS)] | None = setting(
        None, GENERAL, SEGMENT.at(60, "Columns")
    )
    """Columns of the table; 10 if not set."""
    columns: tuple[Column, ...] = setting((), GENERAL, max_length=MAXIMUM_COLUMNS)
    """The columns one by one, instead of row_bytes and column_count."""
    blocks: Annotated[Whole, Field(ge=1, le=2**36)] | None = setting(None, GENERAL)
    """Data blocks below the high-water mark, if known: what a full scan gets; DBA_TABLES.BLOCKS counts the bitmap
    blocks among them besides; else from the rows."""
    migrated_fraction: Real = setting(0.0, GENERAL, within=(0, 1))
    """Share of the rows that have migrated (CHAIN_CNT over NUM_ROWS), for a scan."""
    cached_fraction: Real = setting(0.0, GENERAL, within=(0, 1))
    """Share of the blocks in the buffer cache beforehand."""
    dirty_fraction: Real = setting(0.0, GENERAL, within=(0, 1))
    """Share of the blocks dirty in the cache."""
    committed_dirty_fraction: Real = setting(
        0.0, GENERAL, words="cleanout delayed_block_cleanout block_cleanout commit_cleanout uncleaned", within=(0, 1)
    )
    """Share of the blocks whose changes are committed and not cleaned out: a full scan does it, once through the cache,
    and anew each time by direct reads."""
    indexes: tuple[MaintainedIndex, ...] = setting((), GENERAL, max_length=MAXIMUM_INDEXES)
    """Its indexes, which inserts, updates of their key, deletes and imports maintain."""

    @model_validator(mode="after")
    def _one_description_of_the_row(self) -> "Table":
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
