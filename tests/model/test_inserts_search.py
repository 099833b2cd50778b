"""Each ordinary insert searches for a block; an array keeps its block until it rejects a row."""

from typing import Any

import numpy as np
import pytest

from blocktime.model import calculate, calculate_many, simulate
from blocktime.scenarios import from_mapping


def inserts(method: str, deleted: float = 0.0, users: int = 1, **work: Any) -> Any:
    given = from_mapping(
        {
            "table": {"rows": 20_000, "row_bytes": 100},
            "workload": {
                "kind": "insert",
                "rows": 2_000,
                "method": method,
                "users": users,
                "uncommitted_delete_fraction": deleted,
                **work,
            },
        }
    )
    return calculate(given.system, given.workload).space_search


def test_searches_are_counted_and_not_rows() -> None:
    single, array = inserts("row"), inserts("array", arraysize_rows=100)
    assert single.placed == array.placed == 2_000
    assert single.searches >= 2_000
    assert 20 <= array.searches <= 20 + 2_000 / 70 + 1


@pytest.mark.parametrize(("users", "walked"), [(1, (0.95, 1.05)), (3, (0.5, 1.05))])
def test_beside_an_uncommitted_delete_each_single_row_walks_the_blocks_on_offer(
    users: int, walked: tuple[float, float]
) -> None:
    """Of several sessions each begins at another block, so some find one behind fewer of those on offer."""
    single, array = inserts("row", 1.0, users), inserts("array", 1.0, users, arraysize_rows=100)
    blocks = 20_000 / 73
    least, most = walked
    assert least * 2_000 * blocks < single.rejected_held < most * 2_000 * blocks
    assert array.rejected_held < 0.05 * single.rejected_held
    assert single.time_s > 10 * array.time_s


@pytest.mark.parametrize("engine", [calculate, simulate])
def test_a_single_row_insert_beside_an_uncommitted_delete_by_hand(engine: Any) -> None:
    """10 rows one by one beside a delete of all 730 rows.

    A block of 8,192 bytes has 8,192 - 74 - 2 * 24 = 8,070 beside its headers, 7,250.8 of them without PCTFREE; a row of
    98 bytes and its entry in the directory take 100: 72 rows, so 730 rows fill 10 blocks and
    leave 10 rows for the last. Each insert looks for room anew: the delete has put the 10 full blocks on offer, but
    their space is not free before it commits, so that all are got and rejected; the last block has room of its own.
    10 inserts: 100 rejected probes, 10 searches with a bitmap block each, 10 gets of the block that takes the row.
    """
    given = from_mapping(
        {
            "table": {"rows": 730, "row_bytes": 98, "cached_fraction": 1},
            "workload": {"kind": "insert", "rows": 10, "method": "row", "uncommitted_delete_fraction": 1.0},
        }
    )
    result = engine(given.system, given.workload)
    assert result.segment.rows_per_block == 72
    assert result.space_search.searches == 10
    assert result.space_search.rejected_held == 100
    assert result.logical_io.current_gets == 100 + 10 + 10
    committed = given.workload.model_copy(update={"uncommitted_delete_fraction": 0.0})
    alone = engine(given.system, committed)
    assert alone.space_search.rejected_held == 0


def test_arrays_of_scenarios_search_as_one_scenario_does() -> None:
    given = from_mapping({"table": {"rows": 20_000}, "workload": {"kind": "insert", "method": "row"}})
    rows = [1_000, 5_000]
    many = calculate_many(
        given.system, given.workload.model_copy(update={"uncommitted_delete_fraction": 1.0}), {"workload.rows": rows}
    )
    for place, count in enumerate(rows):
        work = given.workload.model_copy(update={"uncommitted_delete_fraction": 1.0, "rows": count})
        result = calculate(given.system, work)
        assert many["rejected_probes"][place] == pytest.approx(result.segment.rejected_probes, rel=0.05)
    assert np.all(np.diff(many["elapsed_s"]) > 0)
