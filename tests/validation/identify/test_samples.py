"""Reports of a bench on limited volumes, and traces of two array sizes: what a scenario was made from is reproduced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scenarios import from_mapping, run
from scenarios.measured import (
    CPU,
    DB_TIME,
    ELAPSED,
    FETCH_CALLS,
    GETS,
    READ_REQUESTS,
    READ_WAIT,
    TRANSACTIONS,
    as_modelled,
)
from validation.identify.limit import limit_of
from validation.identify.report import Report
from validation.identify.statement import identify_statement
from validation.identify.system import identify
from validation.instruments import Keep, OpenedFile, Reading, read

FOLDER = os.environ.get("BLOCKTIME_SAMPLES")
BENCHES = ("slob-p30x2-s32-wu4", "slob-p60x2-s80-wu4", "slob-p80x2-s128-wu12")


@pytest.mark.skipif(not FOLDER, reason="BLOCKTIME_SAMPLES names no folder of reports")
@pytest.mark.parametrize("name", BENCHES)
def test_throughput_reads_and_cpu_within_3_percent_a_read_within_5(name: str) -> None:
    path = Path(FOLDER or "") / "awr_text" / f"{name}.txt.gz"
    found = identify(read(OpenedFile(path, path.name, Keep())))
    rows = as_modelled(found.compared, run(from_mapping(found.sections(), "my"), "simulate"))
    off = {row.measured.name: abs(row.off_fraction) for row in rows}
    assert max(off[name] for name in (TRANSACTIONS, READ_REQUESTS, CPU)) <= 0.03, off
    assert max(off[READ_WAIT], off[DB_TIME]) <= 0.05, off


TRACES = {50: "arraysize-0.2ms-050", 500: "arraysize-0.2ms-500"}
STATEMENT = "4y53369cbbaqf"


def traced(array: int) -> list[Reading]:
    path = Path(FOLDER or "") / "trace10046" / f"{TRACES[array]}.trc.gz"
    return read(OpenedFile(path, path.name, Keep()))


@pytest.mark.skipif(not FOLDER, reason="BLOCKTIME_SAMPLES names no folder of reports")
@pytest.mark.parametrize(("own", "other"), [(50, 500), (500, 50)])
def test_from_one_array_size_to_the_other_gets_within_half_a_percent_and_elapsed_within_5(
    own: int, other: int
) -> None:
    sections = identify_statement([*traced(own), *traced(other)], STATEMENT).sections()
    measured = identify_statement(traced(other), STATEMENT)
    habit = {one.path: one.value for one in measured.known}
    sections["workload"]["arraysize_rows"] = habit["workload.arraysize_rows"]
    sections["client"]["first_fetch_rows"] = habit["client.first_fetch_rows"]
    rows = as_modelled(measured.compared, run(from_mapping(sections, "my"), "calculate"))
    off = {row.measured.name: abs(row.off_fraction) for row in rows}
    assert off[GETS] <= 0.005, off
    assert off[FETCH_CALLS] == 0, off
    assert off[ELAPSED] <= 0.05, off


@pytest.mark.skipif(not FOLDER, reason="BLOCKTIME_SAMPLES names no folder of reports")
@pytest.mark.parametrize(("own", "other"), [(50, 500), (500, 50)])
def test_the_gets_of_another_array_size_follow_from_one_trace(own: int, other: int) -> None:
    sections = identify_statement(traced(own), STATEMENT).sections()
    measured = identify_statement(traced(other), STATEMENT)
    habit = {one.path: one.value for one in measured.known}
    sections["workload"]["arraysize_rows"] = habit["workload.arraysize_rows"]
    sections["client"]["first_fetch_rows"] = habit["client.first_fetch_rows"]
    rows = as_modelled(measured.compared, run(from_mapping(sections, "my"), "calculate"))
    assert next(abs(row.off_fraction) for row in rows if row.measured.name == GETS) <= 0.005


@pytest.mark.skipif(not FOLDER, reason="BLOCKTIME_SAMPLES names no folder of reports")
@pytest.mark.parametrize(("name", "limit_per_s"), [(BENCHES[1], 16_000), (BENCHES[2], 20_000)])
def test_another_volume_by_its_limit_and_the_share_that_an_iostat_gives_others(
    name: str, limit_per_s: float
) -> None:
    folder = Path(FOLDER or "")
    paths = [folder / "awr_text" / f"{BENCHES[0]}.txt.gz", folder / "iostat" / f"{BENCHES[0]}.out.gz"]
    before = limit_of(Report(_read(paths[0])[0]), [one for path in paths for one in _read(path)])
    assert before.per_s is not None
    assert before.share < 1
    found = identify(_read(folder / "awr_text" / f"{name}.txt.gz"))
    system = found.sections()
    system["disk"] |= {"overhead_s": before.read_s, "iops_limit": before.share * limit_per_s}
    rows = as_modelled(found.compared, run(from_mapping(system, "my"), "simulate"))
    off = {row.measured.name: abs(row.off_fraction) for row in rows}
    assert max(off[TRANSACTIONS], off[READ_REQUESTS]) <= 0.10, off
    assert off[READ_WAIT] <= 0.20, off


def _read(path: Path) -> list[Reading]:
    return read(OpenedFile(path, path.name, Keep()))
