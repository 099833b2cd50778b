"""Grids of fio's jobs, depth times jobs: drives and sets of known kinds, of which some cells are left out."""

import json
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from blocktime.scenarios import from_mapping, run
from blocktime.validation.identify.fio_grid import UnitsFit, fitted_units
from blocktime.validation.identify.identified_scenario import IdentifiedScenario
from blocktime.validation.identify.system import identify
from tests.validation.instruments.made import read_text

GIVEN = ((1, 1), (8, 1), (32, 1), (1, 32))
OTHERS = ((2, 1), (4, 1), (16, 1), (1, 4), (1, 16), (4, 4), (16, 2))


def output(depth: int, jobs: int, per_s: float, *, write: bool = False, block: str = "4k", clones: bool = False) -> str:
    """fio's JSON of one cell: one job, or each of its clones."""
    done = {"iops": per_s / (jobs if clones else 1), "runtime": 10_000, "total_ios": 1000, "slat_ns": {"mean": 3000.5},
            "lat_ns": {"mean": 1e9 * depth * jobs / per_s}}  # fmt: skip
    said = {"rw": "randwrite" if write else "randread", "direct": "1", "bs": block, "iodepth": str(depth),
            "numjobs": str(jobs)}  # fmt: skip
    part = {"read": {"total_ios": 0}, "write": {"total_ios": 0}, "write" if write else "read": done}
    entry = {"jobname": "x", "job options": said, **part, "usr_cpu": 5.0, "sys_cpu": 9.0, "ctx": 0}
    return json.dumps({"fio version": "fio-3.36", "jobs": [entry] * (jobs if clones else 1)}, indent=1)


def found_of(tmp_path: Path, texts: list[str]) -> IdentifiedScenario:
    return identify([reading for text in texts for reading in read_text(tmp_path, text)])


def played(found: IdentifiedScenario, depth: int, jobs: int, **fields: Any) -> float:
    sections = {name: part for name, part in found.sections().items() if name != "measured"}
    sections["workload"] |= {"in_flight": depth, "users": jobs, "count": 3000 // jobs, **fields}
    streams = run(from_mapping(sections, "drive")).streams
    assert streams is not None
    return streams[0].calls_per_s


@pytest.mark.parametrize(
    ("lone_s", "units", "most", "program"),
    [(5.5e-3, 14, None, None), (150e-6, 20, None, None), (95e-6, 40, 90_000, None), (90e-6, 64, None, 95_000)],
)
def test_the_cells_that_were_left_out_are_predicted(
    tmp_path: Path, lone_s: float, units: int, most: float | None, program: float | None
) -> None:
    law = UnitsFit(lone_s, units, most, program, 0.0)
    found = found_of(tmp_path, [output(*cell, law.per_s(*cell)) for cell in GIVEN])
    off = [abs(played(found, *cell) / law.per_s(*cell) - 1) for cell in OTHERS]
    assert median(off) <= 0.06
    assert sum(each <= 0.1 for each in off) >= 0.7 * len(off)
    assert ("host.read_call_s" in {k.path for k in found.known if "one program" in k.source}) == (program is not None)


def test_writes_have_a_time_and_a_limit_of_their_own(tmp_path: Path) -> None:
    reads, writes = UnitsFit(100e-6, 24, 150_000, None, 0), UnitsFit(25e-6, 24, 70_000, None, 0)
    texts = [output(*cell, law.per_s(*cell), write=law is writes) for law, cell in product((reads, writes), GIVEN)]
    found = found_of(tmp_path, texts)
    values = found.values()
    assert values["workload.kind"] == "read_stream"
    assert values["disk.controller_writes_per_s"] == pytest.approx(70_000)
    for cell in ((4, 1), (1, 16)):
        assert played(found, *cell, kind="write_stream") == pytest.approx(writes.per_s(*cell), rel=0.1)
        assert played(found, *cell) == pytest.approx(reads.per_s(*cell), rel=0.1)
    alone = found_of(tmp_path, [output(*cell, writes.per_s(*cell), write=True) for cell in GIVEN])
    assert alone.values()["workload.kind"] == "write_stream"
    assert played(alone, 16, 1) == pytest.approx(writes.per_s(16, 1), rel=0.1)


def test_larger_blocks_tell_the_bytes_a_second(tmp_path: Path) -> None:
    law = UnitsFit(100e-6, 30, None, None, 0)
    small = [output(*cell, law.per_s(*cell)) for cell in GIVEN]
    large = [output(depth, 1, min(law.per_s(depth, 1), 520e6 / 65536), block="64k") for depth in (1, 8, 32)]
    values = found_of(tmp_path, small + large).values()
    assert values["disk.throughput_limit_bytes_per_s"] == pytest.approx(520e6, rel=0.01)


def test_clones_of_a_job_are_one_cell_and_what_no_law_explains_is_said(tmp_path: Path) -> None:
    law = UnitsFit(4e-3, 12, None, None, 0)
    texts = [output(*cell, law.per_s(*cell), clones=True) for cell in GIVEN]
    assert found_of(tmp_path, texts).values()["disk.parallel_requests"] == pytest.approx(12, abs=1)
    odd = [*texts, output(4, 1, 3 * law.per_s(4, 1))]
    assert any("no law explains these cells" in text and "4 × 1" in text for text in found_of(tmp_path, odd).says)


def test_limits_count_only_where_they_explain() -> None:
    from blocktime.validation.identify.fio_grid import Cell
    from blocktime.validation.instruments import Figure

    def cells(law: UnitsFit) -> list[Cell]:
        rates = [law.per_s(*cell) for cell in GIVEN]
        return [Cell(*cell, False, 4096, "a", Figure("iops", "a", rate, "1/s", rate, rate, 1),
                     Figure("lat", "a", 1e-3, "s", 1e-3, 1e-3, 1), 1e-6)
                for cell, rate in zip(GIVEN, rates, strict=True)]  # fmt: skip

    free = fitted_units(cells(UnitsFit(1e-3, 10, None, None, 0)))
    assert (free.units, free.most_per_s, free.program_per_s) == (10, None, None)
    held = fitted_units(cells(UnitsFit(1e-4, 100, 60_000, 40_000, 0)))
    assert held.program_per_s == pytest.approx(40_000)
