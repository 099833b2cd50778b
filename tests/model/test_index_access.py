"""Index unique scans and index-only scans: counts by hand, in both engines."""

from typing import Any

import pytest

from blocktime.model import calculate, simulate
from blocktime.model.causes import MORE_DATA
from blocktime.model.demand.index_statistics import index_statistics
from blocktime.model.demand.segment import row_shape, segment_of
from blocktime.model.errors import BlocktimeError, OutsideLaw
from blocktime.model.laws.block import branch_blocks, longest_key_bytes
from blocktime.scenarios import from_mapping, load

ENGINES = pytest.mark.parametrize("engine", [calculate, simulate])


def scan(index: dict[str, Any] | None = None, table: dict[str, Any] | None = None, **work: Any) -> Any:
    return from_mapping(
        {
            "disk": {"use": "nvme"},
            "table": {"rows": 100_000, "row_bytes": 100} | (table or {}),
            "index": {"key_bytes": 8, "clustering": "scattered"} | (index or {}),
            "workload": {"kind": "index_range_scan"} | work,
        }
    )


def answer(scenario: Any, engine: Any = calculate) -> Any:
    return engine(scenario.system, scenario.workload)


@ENGINES
@pytest.mark.parametrize("blevel", [0, 1, 2, 3])
@pytest.mark.parametrize("first_rows", [None, 1])
def test_a_unique_scan_gets_the_height_and_one_block_of_the_table(
    engine: Any, blevel: int, first_rows: int | None
) -> None:
    """Branch levels, one leaf, one block: blevel + 1 + 1; one fetch call, as no further row can follow."""
    scenario = from_mapping(
        {
            "base": "index-unique-scan",
            "index": {"blevel": blevel},
            "table": {"rows": 100_000 if blevel else 300},
            "client": {"first_fetch_rows": first_rows} if first_rows else {},
        }
    )
    result = answer(scenario, engine)
    assert result.logical_io.consistent_gets == blevel + 2
    assert result.physical_io.read_requests == result.physical_io.read_blocks == blevel + 2
    assert result.calls["fetch"].count == 1
    assert result.calls["fetch"].rows == 1


@ENGINES
def test_a_unique_scan_of_the_index_alone_gets_its_height(engine: Any) -> None:
    result = answer(scan({"blevel": 2, "unique": True}, access="unique", index_only=True), engine)
    assert result.logical_io.consistent_gets == result.physical_io.read_blocks == 3


@ENGINES
def test_a_unique_scan_follows_a_migrated_row_to_its_block(engine: Any) -> None:
    moved = {"migrated_fraction": 1.0}
    assert answer(scan({"unique": True}, moved, access="unique"), engine).logical_io.consistent_gets == 4
    alone = scan({"unique": True}, moved, access="unique", index_only=True)
    assert answer(alone, engine).logical_io.consistent_gets == 2


@ENGINES
def test_an_index_only_scan_gets_and_reads_levels_and_leaves(engine: Any) -> None:
    """100,000 rows; a leaf holds (8,192 - 192 - 819.2) / (8 + 1 + 11) = 359 entries: 279 leaves.

    A tenth of them is 27.9, so 28 leaves; 10,000 rows in arrays of 100 are 100 full calls and one that finds the end:
    100 calls get the leaf again. Of 279 leaves there is one branch level: 1 + 28 + 100 = 129 gets; 29 reads.
    """
    result = answer(scan(selectivity_fraction=0.1, index_only=True, arraysize_rows=100), engine)
    assert result.physical_io.read_blocks == 29
    assert result.logical_io.consistent_gets == 129


@ENGINES
@pytest.mark.parametrize("access", ["range", "unique"])
def test_an_index_only_access_does_not_depend_on_the_table_s_blocks(engine: Any, access: str) -> None:
    answers = [
        answer(scan({"unique": True, "clustering": clustering}, table, access=access, index_only=True), engine)
        for clustering in ("clustered", "scattered")
        for table in ({}, {"migrated_fraction": 0.5}, {"blocks": 50_000}, {"cached_fraction": 1.0})
    ]
    assert len({(each.logical_io.consistent_gets, each.physical_io.read_blocks) for each in answers}) == 1


@pytest.mark.parametrize("index_only", [False, True])
def test_a_narrower_range_never_gets_or_reads_more(index_only: bool) -> None:
    answers = [
        answer(scan(selectivity_fraction=share, index_only=index_only))
        for share in (1e-6, 1e-4, 0.01, 0.03, 0.1, 0.4, 1)
    ]
    for counts in (
        [each.logical_io.consistent_gets for each in answers],
        [each.physical_io.read_blocks for each in answers],
    ):
        assert counts == sorted(counts)


@pytest.mark.parametrize("share", [1e-6, 0.01, 0.5, 1])
def test_an_index_only_scan_never_takes_more_gets_reads_or_time(share: float) -> None:
    alone, both = (answer(scan(selectivity_fraction=share, index_only=only)) for only in (True, False))
    assert alone.logical_io.consistent_gets < both.logical_io.consistent_gets
    assert alone.physical_io.read_blocks < both.physical_io.read_blocks
    assert alone.time.elapsed_s < both.time.elapsed_s


def test_leaves_of_an_index_only_scan_are_read_in_order() -> None:
    """Leaves of an index lie in key order: on a rotating disk one after the other needs no seek."""
    scenario = load("index-only-scan")
    in_order = answer(scenario).time.wait["db file sequential read"]
    apart = answer(load("index-range-scan-scattered")).time.wait["db file sequential read"]
    assert in_order.total_s / in_order.waits < 0.2 * apart.total_s / apart.waits


@pytest.mark.parametrize(
    ("work", "cost"),
    [
        ({"access": "unique"}, 1 + 1),  # blevel + the table's block
        ({"access": "unique", "index_only": True}, 1),
        ({"selectivity_fraction": 0.1, "index_only": True}, 1 + 30),
    ],
)
def test_the_optimizer_costs_the_access(work: dict[str, Any], cost: int) -> None:
    assert answer(scan({"unique": True, "leaf_blocks": 294}, **work)).optimizer.io_cost == cost


def test_a_unique_scan_needs_a_unique_index() -> None:
    with pytest.raises(OutsideLaw, match=r"index\.unique is false; a unique scan needs a unique index"):
        answer(scan(access="unique"))


@ENGINES
def test_a_full_scan_visits_all_leaves_and_the_rows_that_pass(engine: Any) -> None:
    """279 leaves and their branch; 1,000 rows pass in 10 calls, of which 10 get the leaf again: 1 + 279 + 10."""
    result = answer(scan(selectivity_fraction=0.01, index_only=True, access="full"), engine)
    assert result.logical_io.consistent_gets == 1 + 279 + 10
    assert result.physical_io.read_blocks == 280
    assert result.optimizer.io_cost == 280
    visiting = answer(scan(selectivity_fraction=0.01, access="full"), engine)
    assert visiting.logical_io.consistent_gets > result.logical_io.consistent_gets + 900


@ENGINES
def test_a_fast_full_scan_reads_the_index_as_a_table_is_read(engine: Any) -> None:
    """279 leaves with 358 entries each and 1 branch block, in multiblock reads; the cost is that of so many blocks."""
    result = answer(scan(selectivity_fraction=1, select="count", index_only=True, access="fast_full"), engine)
    assert result.segment.blocks_before == 280
    assert result.physical_io.read_requests < 40
    assert result.logical_io.consistent_gets == pytest.approx(281, abs=2)
    assert "db file scattered read" in result.time.wait
    table = answer(scan(selectivity_fraction=1, select="count"))
    assert result.time.elapsed_s < 0.2 * table.time.elapsed_s


@ENGINES
def test_a_cached_index_is_not_read_however_little_of_the_table_is_cached(engine: Any) -> None:
    work = {"select": "count", "index_only": True, "access": "fast_full"}
    cached = answer(scan({"cached_fraction": 1.0}, **work), engine)
    cold = answer(scan(table={"cached_fraction": 1.0}, **work), engine)
    assert cached.physical_io.read_blocks == 0
    assert cold.physical_io.read_blocks > 270


def test_a_fast_full_scan_that_needs_the_table_is_refused() -> None:
    with pytest.raises(BlocktimeError, match=r"fast_full .*set index_only = true"):
        scan(access="fast_full")


def test_branch_blocks_by_hand() -> None:
    """1,000,000 rows in 2,000 leaves of 500: 4 branches over the leaves, 1 root over these."""
    assert branch_blocks(2000, 1_000_000) == 5
    assert branch_blocks(1, 100) == 0
    assert branch_blocks(2, 100) == 1


@pytest.mark.parametrize(
    ("key", "at_8k", "at_16k", "at_32k"),
    [
        # entries a leaf: (block - 192 - 10 %) / (key + columns + 11, or 10 where unique); leaves of 1,000,000 rows
        ({"key_bytes": 5, "key_columns": 1, "unique": True}, (448, 2233), (909, 1101), (1831, 547)),  # NUMBER, 16 each
        ({"key_bytes": 7, "key_columns": 1}, (377, 2653), (765, 1308), (1541, 649)),  # DATE, 19 each
        ({"key_bytes": 15, "key_columns": 1}, (265, 3774), (539, 1856), (1085, 922)),  # VARCHAR2, 27 each
        ({"key_bytes": 12, "key_columns": 2}, (287, 3485), (582, 1719), (1172, 854)),  # NUMBER and DATE, 25 each
    ],
)
def test_leaves_by_hand(
    key: dict[str, Any], at_8k: tuple[int, int], at_16k: tuple[int, int], at_32k: tuple[int, int]
) -> None:
    """At 8K 7,180.8 bytes of a leaf take entries, at 16K 14,553.6, at 32K 29,299.2."""
    for size, (entries, leaves) in ((8192, at_8k), (16_384, at_16k), (32_768, at_32k)):
        table = {"rows": 1_000_000, "row_bytes": 100}
        scenario = scan(key, table, access="full", index_only=True, select="count", selectivity_fraction=1)
        system = scenario.system.model_copy(
            update={"tablespace": scenario.system.tablespace.model_copy(update={"block_size_bytes": size})}
        )
        found = index_statistics(system, segment_of(system, row_shape(system.table))).leaf_blocks
        assert found == leaves == -(-1_000_000 // entries)


@ENGINES
def test_the_height_follows_from_the_leaves(engine: Any) -> None:
    """359 entries a leaf, and as many blocks below a branch: 359 rows are one leaf, 359 leaves have one branch.

    129,000 rows are 360 leaves: two branches below a root. A unique scan gets the height, without the table.
    """
    for rows, height in ((359, 1), (360, 2), (128_000, 2), (129_600, 3)):
        found = answer(
            scan({"key_columns": 2, "unique": True}, {"rows": rows}, access="unique", index_only=True), engine
        )
        assert found.index.height == found.logical_io.consistent_gets == height


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        ({"blevel": 0}, r"index.blevel is 0, but the index has 279 leaf blocks"),
        ({"key_bytes": 6398}, r"index.key_bytes 6,398 .*allowed are 6,398 \(ORA-01450\)"),
        ({"leaf_blocks": 99}, r"leaf_blocks is 99; allowed is at least 250, .* at most 400 of the 100,000 entries"),
        ({"clustering_factor": 1000}, r"clustering_factor is 1,000; .*1,220 blocks that the rows fill"),
        ({"clustering_factor": 100_001}, r"clustering_factor is 100,001; .*100,000 rows"),
    ],
)
def test_what_no_index_has_is_refused_in_a_sentence(index: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OutsideLaw, match=sentence):
        answer(scan(index))


@pytest.mark.parametrize("kind", ["full_scan", "index_range_scan", "export", "delete"])
def test_more_rows_than_the_blocks_hold_are_refused(kind: str) -> None:
    """A block of 8,192 bytes has 8,070 for rows beside its headers, and a row takes 102: 1,263.9 blocks are full."""
    for blocks, fit in ((1263, True), (1262, False)):
        given = from_mapping(
            {"table": {"rows": 99_999, "row_bytes": 100, "blocks": blocks}, "workload": {"kind": kind}}
        )
        if fit and kind != "delete":  # a delete is played row by row: no block may hold more than its bytes allow
            assert answer(given).time.elapsed_s > 0
        elif not fit:
            with pytest.raises(OutsideLaw, match=r"table.blocks is 1,262; allowed is at least 1,263"):
                answer(given)


def test_the_longest_keys_by_block_size() -> None:
    assert [longest_key_bytes(size * 1024) for size in (2, 4, 8, 16, 32)] == [1478, 3118, 6398, 12_958, 26_078]


@ENGINES
@pytest.mark.parametrize(
    ("clustering", "arraysize", "gets"),
    [
        ("clustered", 15, 1 + 28 + 141 + 667 + 657),
        ("clustered", 100, 1 + 28 + 141 + 100 + 98),
        ("clustered", 500, 1 + 28 + 141 + 20 + 19),
        ("scattered", 15, 1 + 28 + 9993 + 667),
        ("scattered", 100, 1 + 28 + 9993 + 100),
        ("scattered", 500, 1 + 28 + 9993 + 20),
    ],
)
def test_gets_of_a_range_scan_by_hand(engine: Any, clustering: str, arraysize: int, gets: int) -> None:
    """10,000 of 100,000 rows, 71 in a block: 1,409 blocks with rows; 1 branch level and 28 of 279 leaves.

    Clustered, the factor is 1,409: a tenth is 141 gets of the table. Scattered, it is 1 + 99,999·(1 - 1/1,409),
    rounded up 99,930: a tenth is 9,993.
    Each call after the first gets its leaf again: 667, 100, 20 calls. Clustered, a call that stops within a block gets
    that again: 666, 99, 19 stops, but for those at a multiple of 71 rows: 9, 1, 0.
    """
    scenario = scan({"clustering": clustering}, selectivity_fraction=0.1, arraysize_rows=arraysize)
    assert answer(scenario, engine).logical_io.consistent_gets == gets


@pytest.mark.parametrize(
    ("work", "cost"),
    [
        ({"kind": "full_scan"}, 1 + 1504 / 8 * 26 / 12),
        ({"access": "unique"}, 1 + 1),
        ({"selectivity_fraction": 0.1}, 1 + 27 + 9993),
        ({"selectivity_fraction": 0.1, "access": "full"}, 1 + 266 + 9993),
        ({"access": "fast_full", "index_only": True}, 1 + 266 / 8 * 26 / 12),
    ],
)
def test_costs_of_five_plans_by_hand(work: dict[str, Any], cost: float) -> None:
    """A unique index with 377 entries a leaf: 266 leaves below a root; a scattered factor of 99,930.

    A read of 8 blocks takes 26 ms, one of 1 block 12. The table has 1,504 formatted blocks below its high-water mark.
    The optimizer knows no size of an index but LEAF_BLOCKS: a fast full scan costs as a scan of so many blocks.
    """
    assert answer(scan({"unique": True}, **work)).optimizer.io_cost == pytest.approx(cost, rel=1e-9)


@pytest.mark.parametrize(("key_bytes", "columns", "more"), [(8, 1, True), (7, 1, False), (7, 2, True), (2, 6, False)])
def test_of_an_entry_its_columns_are_sent_with_a_byte_of_length_each(key_bytes: int, columns: int, more: bool) -> None:
    """1,000 of them are more than the 8,192 bytes of a message, or not."""
    settings = [f"index.key_bytes={key_bytes}", f"index.key_columns={columns}", "workload.arraysize_rows=1000"]
    asked = load("index-only-scan", settings)
    assert (MORE_DATA in calculate(asked.system, asked.workload).time.wait) == more


@pytest.mark.parametrize("engine", [calculate, simulate])
@pytest.mark.parametrize("bitmap", [False, True])
@pytest.mark.parametrize(("fraction", "entries"), [(0.999999, 0), (0.99995, 1), (0.9999, 2)])
def test_an_index_has_an_entry_or_is_refused(engine: Any, bitmap: bool, fraction: float, entries: int) -> None:
    index = {"bitmap": bitmap, "null_fraction": fraction}
    asked = scan(index, {"rows": 20_000}, selectivity_fraction=1.0)
    if entries:
        assert engine(asked.system, asked.workload).calls["fetch"].rows == entries
        return
    with pytest.raises(OutsideLaw, match=r"^index.null_fraction 0.999999 .* none of the 20,000 rows .*; allowed is"):
        engine(asked.system, asked.workload)
