"""Keys of several rows, and skip scans: counts by hand and by walking, in both engines."""

import random
from itertools import pairwise
from typing import Any

import pytest

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import buffer_gets
from tests.model.test_index_access import ENGINES, answer
from tests.model.test_index_access import scan as any_scan

SKIPS = {"access": "skip"}
LEADING = {"key_columns": 2, "distinct_keys": 100_000, "prefix_distinct_keys": 4}


def scan(index: dict[str, Any] | None = None, **work: Any) -> Any:
    return any_scan(index, **{"predicate": "equality"} | work)


def walked(blocks: int, rows: int, keys: int, seed: int) -> int:
    """Changes of block along an index whose rows lie in blocks at random, those of a key in rowid order."""
    chance = random.Random(seed)
    lie = sorted((chance.randrange(keys), chance.randrange(blocks)) for _ in range(rows))
    return 1 + sum(before[1] != after[1] for before, after in pairwise(lie))


@pytest.mark.parametrize("keys", [1, 10, 200, 2000])
def test_the_clustering_factor_of_keys_at_random_is_that_of_a_walk(keys: int) -> None:
    blocks, rows = 100, 10_000
    found = sum(walked(blocks, rows, keys, seed) for seed in range(5)) / 5
    law = buffer_gets.random_clustering_factor(blocks, rows, keys)
    assert law == pytest.approx(found, rel=0.03 if keys < 2000 else 0.08)  # with few rows a key their number varies


def test_a_key_for_each_row_is_the_law_without_keys() -> None:
    assert buffer_gets.random_clustering_factor(50, 3000, 3000) == buffer_gets.random_clustering_factor(50, 3000)
    assert buffer_gets.random_clustering_factor(50, 3000, 1) == pytest.approx(50)  # one key lies in block order


@ENGINES
def test_one_key_gets_each_of_its_blocks_once(engine: Any) -> None:
    """100,000 rows of 100 keys: 1,000 rows of a key, at random in 1,409 blocks.

    1,409 * (1 - (1 - 1/1,409)^1,000) = 716.3 of them hold some, in rowid order: 717 gets of the table, and a clustering
    factor of 1 + 99 * (1 - 1/1,409) + 100 * 715.3 = 71,628. Of 279 leaves a hundredth is 3.
    """
    result = answer(scan({"distinct_keys": 100}, select="count"), engine)
    table, index = result.row_sources[1:]
    assert index.rows == 1000
    assert index.buffers == 1 + 3
    assert result.index.clustering_factor == pytest.approx(71_628, abs=15)
    assert table.buffers - index.buffers == pytest.approx(717, abs=1)
    assert table.read_blocks - index.read_blocks == pytest.approx(717, abs=1)


@ENGINES
def test_clustered_keys_lie_side_by_side(engine: Any) -> None:
    """A hundredth of 1,409 blocks is 14.09: 15 gets."""
    result = answer(scan({"distinct_keys": 100, "clustering": "clustered"}, select="count"), engine)
    table, index = result.row_sources[1:]
    assert table.buffers - index.buffers == 15


@pytest.mark.parametrize("arraysize", [10, 100])
def test_a_fetch_that_stops_in_a_block_of_the_key_gets_it_again(arraysize: int) -> None:
    """1,000 rows, in rowid order in 717 blocks: a row in 0.284 has another one of its block behind it."""
    rows = answer(scan({"distinct_keys": 100}, arraysize_rows=arraysize))
    count = answer(scan({"distinct_keys": 100}, select="count"))
    of_table = [one.row_sources[-2].buffers - one.row_sources[-1].buffers for one in (rows, count)]
    assert of_table[0] - of_table[1] == pytest.approx(0.284 * (1000 / arraysize - 1), abs=1)


def test_fewer_keys_never_get_or_read_less() -> None:
    answers = [answer(scan({"distinct_keys": keys}, select="count")) for keys in (100_000, 5000, 100, 7, 1)]
    for counts in (
        [one.logical_io.consistent_gets for one in answers],
        [one.physical_io.read_blocks for one in answers],
        [one.optimizer.cost for one in answers],
    ):
        assert counts == sorted(counts)


@ENGINES
def test_a_skip_scan_searches_below_each_leading_value(engine: Any) -> None:
    """Entries of 8 + 2 + 11 bytes: 341 a leaf, 294 leaves, below one branch block, which is the root.

    4 searches: 1 branch, 4 leaves; 4 rows in 4 blocks of the table.
    """
    result = answer(scan(LEADING, select="count", access="skip"), engine)
    _, table, index = result.row_sources
    assert result.index.leaf_blocks == 294
    assert (index.operation, index.buffers, index.read_blocks, index.rows) == ("INDEX SKIP SCAN", 5, 5, 4)
    assert table.buffers - index.buffers == table.read_blocks - index.read_blocks == 4


@ENGINES
def test_one_leading_value_is_a_range_scan(engine: Any) -> None:
    index = LEADING | {"prefix_distinct_keys": 1}
    skip, walk = (answer(scan(index, access=access), engine) for access in ("skip", "range"))
    assert skip.logical_io == walk.logical_io
    assert skip.physical_io == walk.physical_io
    assert skip.optimizer == walk.optimizer


def test_more_leading_values_never_get_less_and_never_more_than_the_index() -> None:
    found = [
        answer(scan(LEADING | {"prefix_distinct_keys": many}, select="count", index_only=True, access="skip"))
        for many in (1, 2, 40, 300, 10_000, 100_000)
    ]
    gets = [one.logical_io.consistent_gets for one in found]
    costs = [one.optimizer.cost for one in found]
    assert gets == sorted(gets)
    assert costs == sorted(costs)
    assert gets[-1] == found[-1].index.blocks  # every leaf and branch


@pytest.mark.parametrize(("blevel", "leading", "cost"), [(1, 2, 3), (3, 2, 5), (2, 400, 2 + 294)])
def test_the_optimizer_pays_for_a_leaf_each_search(blevel: int, leading: int, cost: int) -> None:
    """Two values below one branch level cost 3, as [lewis-skip] has it; at most all leaves, as a full scan does."""
    index = LEADING | {"blevel": blevel, "prefix_distinct_keys": leading}
    assert answer(scan(index, access="skip", index_only=True)).optimizer.io_cost == cost


def test_branches_of_searches_by_hand() -> None:
    """10,000 leaves below 100 branches, 100 a branch, below a root: 7 searches pass the root and 7 branches."""
    assert buffer_gets.branch_gets(2, 10_000, 100, 7) == 1 + 7
    assert buffer_gets.branch_gets(2, 10_000, 100, 5000) == 1 + 100
    assert buffer_gets.branch_gets(2, 10_000, 100, 1) == 2
    assert buffer_gets.branch_gets(0, 1, 100, 1) == 0


def test_leaves_of_searches_by_hand() -> None:
    assert buffer_gets.probed_leaves(279, 27.9, 1) == 28
    assert buffer_gets.probed_leaves(279, 27.9, 10) == 10 * 3
    assert buffer_gets.probed_leaves(279, 0.1, 10) == 10
    assert buffer_gets.probed_leaves(279, 0.1, 1000) == 279


@pytest.mark.parametrize(
    ("index", "work", "sentence"),
    [
        ({"distinct_keys": 100_001}, {}, r"index.distinct_keys is 100,001; .* each of the 100,000 rows"),
        ({}, {}, r"predicate is equality, but nothing says .* set index.distinct_keys"),
        ({"distinct_keys": 9, "unique": True}, {}, r"unique is true, but index.distinct_keys is 9; .* 100,000 rows"),
        ({"distinct_keys": 2, "clustering_factor": 90_000}, {}, r"clustering_factor is 90,000; .* rowid order"),
        ({"distinct_keys": 9, "prefix_distinct_keys": 2}, SKIPS, r"the index has one column; .* set index.key_columns"),
        ({"distinct_keys": 9, "key_columns": 2}, SKIPS, r"how many values .* set index.prefix_distinct_keys"),
        (LEADING | {"distinct_keys": 3}, SKIPS, r"prefix_distinct_keys is 4; allowed are at most the 3 keys"),
    ],
)
def test_what_no_index_has_is_refused_in_a_sentence(index: dict[str, Any], work: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OutsideLaw, match=sentence):
        answer(scan(index, **work))
