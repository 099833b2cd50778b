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
from blocktime.model.units import GIB, KIB, MIB


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

    name: str = setting("", "Column name", GENERAL, max_length=128)
    type: Literal["number", "varchar2", "char", "date"] = setting("number", "Data type", GENERAL)
    bytes: MeanSize = setting(4.0, "Mean bytes of data, without the length byte", GENERAL, ge=0, le=4000)
    null_fraction: Real = setting(0.0, "Share of rows in which it is NULL", GENERAL, ge=0, le=1)


class IndexEntries(Frozen):
    """Entries of an index, and the leaves that hold them."""

    key_bytes: MeanSize = setting(
        8, "Mean bytes of the values in an entry's key, without length bytes", GENERAL, ge=1, le=6400
    )
    key_columns: Whole = setting(
        1, "Columns of the key; each has a length byte in an entry", GENERAL, ge=1, le=32
    )
    unique: bool = setting(
        False, "A unique index, which keeps the rowid without a length byte", "foote-index"
    )
    null_fraction: Real = setting(
        0.0,
        "Share of the rows whose key columns are all NULL; the index has no entry for them",
        "oracle-concepts",
        ge=0,
        lt=1,
    )
    compress_columns: Whole = setting(
        0, "COMPRESS n: leading columns that a leaf keeps once for all entries that share them", "foote-compress",
        ge=0, le=32,
    )  # fmt: skip
    prefix_bytes: Annotated[MeanSize, Field(ge=1, le=6400)] | None = setting(
        None,
        "Mean bytes of the values in the compressed columns; their share of key_bytes if not set",
        GENERAL,
    )
    prefix_distinct_keys: Annotated[Whole, Field(ge=1, le=MAXIMUM_ROWS)] | None = setting(
        None,
        "Distinct values of the leading columns that are compressed, or that a skip scan passes over",
        GENERAL,
    )
    pctfree_percent: Real = setting(
        10.0, "PCTFREE of the index: share of a leaf that the build leaves free", ORACLE, ge=0, le=99
    )
    grown_by: Literal["build", "ascending", "random"] = setting(
        "build",
        "How its entries came: built at once, by keys that ascend (90-10 splits, full leaves), or by keys in any order "
        "(50-50 splits, leaves 69 % full)",
        "yao-1978",
    )
    leaf_blocks: Annotated[Whole, Field(ge=1, le=2**36)] | None = setting(
        None, "LEAF_BLOCKS, if known; else from the key's bytes", GENERAL
    )
    clustering: Literal["clustered", "interleaved", "scattered"] = setting(
        "clustered",
        "Rows in index order lie in block order (clustered), by turns in some blocks that fill together (interleaved), "
        "or anywhere (scattered)",
        GENERAL,
    )
    cached_fraction: Real = setting(
        0.0, "Share of the index's blocks in the buffer cache beforehand", GENERAL, ge=0, le=1
    )

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

    blevel: Annotated[Whole, Field(ge=0, le=23)] | None = setting(
        None, "Branch levels above the leaves (BLEVEL), if known; else from the leaves", GENERAL
    )
    clustering_factor: Annotated[Whole, Field(ge=1, le=MAXIMUM_ROWS)] | None = setting(
        None, "CLUSTERING_FACTOR, if known; else from clustering", GENERAL
    )
    distinct_keys: Annotated[Whole, Field(ge=1, le=MAXIMUM_ROWS)] | None = setting(
        None, "DISTINCT_KEYS, if known; the rows of one key lie in rowid order. Else a key of its own for each row",
        GENERAL,
    )  # fmt: skip
    interleaved_blocks: Whole = setting(
        16, "Blocks that take rows by turns where rows lie interleaved; ASSM spreads concurrent inserts over 16",
        "lewis-cached-blocks", ge=2, le=4096,
    )  # fmt: skip
    table_cached_blocks: Whole = setting(
        1,
        "TABLE_CACHED_BLOCKS: rows in so many blocks visited last count for no change of block",
        "lewis-cached-blocks",
        ge=1,
        le=255,
    )
    bitmap: bool = setting(
        False, "A bitmap index: for each key the rowids as a compressed bitmap", "antoshenkov-bbc"
    )


class MaintainedIndex(IndexEntries):
    """An index of the table that takes part in every row that comes, goes, or has its key set."""

    new_keys: Literal["ascending", "random"] = setting(
        "random", "New keys are the largest so far, as a sequence makes them, or any", GENERAL
    )
    updated: bool = setting(False, "An update of the table sets a column of its key", GENERAL)


class Table(Frozen):
    """Rows, how long they are and how they were put into blocks."""

    rows: Whole = setting(1_000_000, "Rows (NUM_ROWS)", GENERAL, ge=1, le=MAXIMUM_ROWS)
    pctfree_percent: Real = setting(10, "PCTFREE", ORACLE, ge=0, le=99)
    pctused_percent: Annotated[Real, Field(ge=0, le=99)] | None = setting(
        None, "PCTUSED under manual space management: a block that falls below it takes rows again; 40 if not set",
        ORACLE,
    )  # fmt: skip
    initrans: Whole = setting(1, "INITRANS", ORACLE, ge=1, le=255)
    created_by: Literal["insert", "ctas"] = setting(
        "insert", "Loaded by INSERT, or CREATE TABLE AS SELECT (one ITL entry more)", GENERAL
    )
    row_bytes: Annotated[MeanSize, Field(ge=3, le=1_000_000)] | None = setting(
        None, "Mean bytes of a row piece: 3 header bytes, lengths and data (AVG_ROW_LEN + 3); 100 if not set",
        GENERAL,
    )  # fmt: skip
    row_bytes_sd: MeanSize = setting(0, "Standard deviation of the row length", GENERAL, ge=0, le=100_000)
    column_count: Annotated[Whole, Field(ge=1, le=MAXIMUM_COLUMNS)] | None = setting(
        None, "Columns of the table; 10 if not set", GENERAL
    )
    columns: tuple[Column, ...] = setting(
        (),
        "The columns one by one, instead of row_bytes and column_count",
        GENERAL,
        max_length=MAXIMUM_COLUMNS,
    )
    blocks: Annotated[Whole, Field(ge=1, le=2**36)] | None = setting(
        None,
        "Data blocks below the high-water mark, if known: what a full scan gets; DBA_TABLES.BLOCKS counts the "
        "bitmap blocks among them besides; else from the rows",
        GENERAL,
    )
    migrated_fraction: Real = setting(
        0.0, "Share of the rows that have migrated (CHAIN_CNT over NUM_ROWS), for a scan", GENERAL, ge=0, le=1
    )
    cached_fraction: Real = setting(
        0.0, "Share of the blocks in the buffer cache beforehand", GENERAL, ge=0, le=1
    )
    dirty_fraction: Real = setting(0.0, "Share of the blocks dirty in the cache", GENERAL, ge=0, le=1)
    indexes: tuple[MaintainedIndex, ...] = setting(
        (),
        "Its indexes, which inserts, updates of their key, deletes and imports maintain",
        GENERAL,
        max_length=MAXIMUM_INDEXES,
    )

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
