"""What one session counts is whole, in both engines."""

from random import Random
from typing import Any

import pytest

from blocktime.model import calculate, simulate
from blocktime.scenarios import from_mapping

KINDS = ("full_scan", "index_range_scan", "export", "import", "update", "insert", "delete")


def scenario(kind: str, random: Random) -> Any:
    work: dict[str, Any] = {"kind": kind}
    if kind == "full_scan":
        work["arraysize_rows"] = random.choice([7, 15, 100])
    elif kind == "index_range_scan":
        work["selectivity_fraction"] = random.choice([0.001, 0.013, 0.3])
    elif kind == "update":
        work |= {"rows_fraction": 0.33, "order": random.choice(["random", "table"]), "growth_bytes": 5}
    elif kind == "insert":
        work |= {"rows": 777, "method": random.choice(["row", "array", "direct"])}
    table = {
        "rows": random.choice([1_001, 7_777]),
        "row_bytes": random.choice([41, 117]),
        "row_bytes_sd": random.choice([0, 9]),
        "cached_fraction": random.choice([0, 0, 0.3, 0.77]),
        "migrated_fraction": random.choice([0, 0.013]) if kind in ("full_scan", "index_range_scan") else 0,
    }
    return from_mapping({"disk": {"use": "nvme"}, "table": table, "workload": work})


@pytest.mark.parametrize("run", [calculate, simulate])
@pytest.mark.parametrize("degree", [2, 3, 7])
def test_counts_of_a_parallel_query_are_whole(run: Any, degree: int) -> None:
    table = {"rows": 100_001, "row_bytes": 117}
    given = from_mapping({"disk": {"use": "nvme"}, "table": table, "workload": {"kind": "full_scan", "degree": degree}})
    result = run(given.system, given.workload)
    io = result.physical_io
    counts = [io.read_requests, io.read_blocks, *io.request_blocks.values(), io.direct_blocks]
    assert all(count == int(count) for count in counts)
    assert sum(io.request_blocks.values()) == io.read_requests
    assert sum(size * many for size, many in io.request_blocks.items()) == io.read_blocks


@pytest.mark.parametrize("run", [calculate, simulate])
@pytest.mark.parametrize("kind", KINDS)
def test_counts_of_one_session_are_whole(run: Any, kind: str) -> None:
    random = Random(kind)
    for _ in range(8):
        given = scenario(kind, random)
        result = run(given.system, given.workload)
        counts: dict[str, Any] = {
            "gets": result.logical_io.consistent_gets,
            "current": result.logical_io.current_gets,
            "hits": result.cache.hits if result.cache else 0,
            "migrated": result.segment.migrated_rows,
            "blocks": result.segment.blocks_before,
            **{f"{count} reads": many for count, many in result.physical_io.request_blocks.items()},
            **{name: event.waits for name, event in result.time.wait.items()},
        }
        for name in ("read_requests", "read_blocks", "write_requests"):
            counts[name] = getattr(result.physical_io, name)
        assert {name: many for name, many in counts.items() if many != int(many)} == {}, given.workload


@pytest.mark.parametrize("run", [calculate, simulate])
@pytest.mark.parametrize("setting", [{"arraysize_rows": 7}, {"arraysize_rows": 100}])
def test_a_get_that_reads_no_block_is_a_hit(run: Any, setting: dict[str, Any]) -> None:
    table = {"rows": 7_777, "row_bytes": 117}
    for kind, more in (("full_scan", {}), ("index_range_scan", {"selectivity_fraction": 0.3})):
        given = from_mapping({"table": table, "workload": {"kind": kind, **setting, **more}})
        result = run(given.system, given.workload)
        gets, blocks = result.logical_io.consistent_gets, result.physical_io.read_blocks
        assert (result.cache.hits, result.cache.misses) == (gets - blocks, blocks)
        assert 0 < result.cache.hit_fraction == pytest.approx(1 - blocks / gets)
