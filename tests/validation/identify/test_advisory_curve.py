"""A buffer pool advisory becomes the miss curve of the scenario that `measure` writes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from blocktime.app.reports.written import written
from blocktime.model.causes import SEQUENTIAL
from blocktime.scenarios import from_mapping, load, run
from blocktime.scenarios.measured import READ_REQUESTS, TRANSACTIONS
from blocktime.validation.identify.identified_scenario import IdentifiedScenario
from blocktime.validation.identify.system import identify
from tests.answered import SMALL_OLTP
from tests.validation.instruments.made import read_text
from tools.bars import offs

EVEN = "popularity of the blocks is taken as even: what a larger cache gives is a lower bound"
HEAD = """
Buffer Pool Advisory                  DB/Inst: MODELLED/modelled  Snap: 2

                                    Est
                                   Phys      Estimated
    Size for   Size      Buffers   Read     Phys Reads
P    Est (M) Factor  (thousands) Factor    (thousands)
--- -------- ------ ------------ ------ --------------
"""
ROWS = (
    ("D", 256, ".3", 6_400),
    ("D", 512, ".5", 5_900),
    ("D", 768, ".8", 5_400),
    ("D", 1024, "1.0", 5_000),
    ("D", 1536, "1.5", 4_500),
    ("D", 2048, "2.0", 4_100),
    ("K", 2048, "1.0", 1),
    ("16k", 4096, "2.0", 1),
)
Row = tuple[str, int, str, int]


def reported(tmp_path: Path, rows: Sequence[Row] = ROWS) -> IdentifiedScenario:
    """The system of a report with this advisory."""
    text = written(run(load("oltp-nvme", SMALL_OLTP)), "awr")
    lines = [
        f"{pool:<3} {size:>8,} {factor:>6} {size // 8:>12,} {'1.0':>6} {reads:>14,}\n"
        for pool, size, factor, reads in rows
    ]
    advisory = HEAD + "".join(lines) + " " * 26 + "-" * 54 + "\n\nEnd of Report"
    return identify(read_text(tmp_path, text.replace("\nEnd of Report", advisory)))


def curve_in(found: IdentifiedScenario) -> dict[int, float]:
    return {point["cache_bytes"]: point["miss_percent"] for point in found.sections()["workload"]["miss_curve"]}


def source_in(found: IdentifiedScenario) -> str:
    return next(one.source for one in found.known if one.path == "workload.miss_curve")


def missed(found: IdentifiedScenario, cache_bytes: int) -> float:
    """Share of the gets that read, in per cent, with a cache of this size."""
    sections: dict[str, Any] = found.sections()
    sections["instance"]["buffer_cache_bytes"] = cache_bytes
    scenario = from_mapping(sections, "my")
    result = run(scenario)
    mix = sections["workload"]["mix"][0]
    return 100 * result.time.wait[SEQUENTIAL].waits / max(mix["gets"], mix["changed_blocks"])


def test_the_pool_as_it_was_misses_what_the_interval_did(tmp_path: Path) -> None:
    found = reported(tmp_path)
    sections = found.sections()
    assert sections["instance"]["buffer_cache_bytes"] == 1 << 30
    curve = curve_in(found)
    gets = sections["workload"]["mix"][0]["gets"]
    report = run(load("oltp-nvme", SMALL_OLTP))
    assert curve[1 << 30] == pytest.approx(100 * report.physical_io.read_requests / gets, rel=0.01)
    assert curve[1 << 29] == pytest.approx(curve[1 << 30] * 5.9 / 5)
    assert list(curve) == [size << 20 for size in (256, 512, 768, 1024, 1536, 2048)]
    assert "scaled so that size factor 1.00 misses what the interval did" in source_in(found)
    assert "lines " in source_in(found)
    assert EVEN not in found.says
    assert any("256M to 2G" in text for text in found.says)
    assert any(text.startswith("one report cannot tell one busy user from many") for text in found.says)


def test_another_size_of_the_cache_misses_as_the_advisory_says(tmp_path: Path) -> None:
    found = reported(tmp_path)
    for size, percent in curve_in(found).items():
        assert missed(found, size) == pytest.approx(percent, rel=0.05)


def test_beyond_its_ends_a_larger_cache_misses_less_and_a_smaller_one_more(tmp_path: Path) -> None:
    found = reported(tmp_path)
    sizes = [128 << 20, *curve_in(found), 4 << 30, 16 << 30]
    misses = [missed(found, size) for size in sizes]
    assert misses == sorted(misses, reverse=True)
    assert misses[0] < 100
    assert misses[-1] > 0


def test_the_report_is_reproduced(tmp_path: Path) -> None:
    found = reported(tmp_path)
    off = offs(found, run(from_mapping(found.sections(), "my")))
    assert max(abs(off[name]) for name in (TRANSACTIONS, READ_REQUESTS)) < 0.05, off


def test_reads_that_rise_with_the_size_count_as_the_least_so_far(tmp_path: Path) -> None:
    rows = [(pool, size, factor, 6_500 if size == 768 else reads) for pool, size, factor, reads in ROWS]
    found = reported(tmp_path, rows)
    curve = curve_in(found)
    assert curve[768 << 20] == curve[512 << 20]
    assert "where they rise with the size, the least so far" in source_in(found)


def test_sizes_that_would_miss_more_than_all_gets_are_left_out(tmp_path: Path) -> None:
    rows = [("D", 128, ".1", 900_000), *ROWS]
    found = reported(tmp_path, rows)
    assert min(curve_in(found)) == 256 << 20
    assert "without the smallest 1, which would miss more than all gets" in source_in(found)


@pytest.mark.parametrize("rows", [ROWS[3:4], ROWS[-2:], ROWS[:3]], ids=["one", "other pools", "no factor 1"])
def test_an_advisory_that_is_no_curve_leaves_popularity_even(tmp_path: Path, rows: Sequence[Row]) -> None:
    found = reported(tmp_path, rows)
    assert "miss_curve" not in found.sections()["workload"]
    assert EVEN in found.says
