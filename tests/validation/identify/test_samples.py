"""Reports of a bench on limited volumes: the interval that a system was identified from is reproduced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scenarios import from_mapping, run
from scenarios.measured import CPU, DB_TIME, READ_REQUESTS, READ_WAIT, TRANSACTIONS, as_modelled
from validation.identify.system import identify
from validation.instruments import Keep, Source, read

FOLDER = os.environ.get("BLOCKTIME_SAMPLES")
BENCHES = ("slob-p30x2-s32-wu4", "slob-p60x2-s80-wu4", "slob-p80x2-s128-wu12")


@pytest.mark.skipif(not FOLDER, reason="BLOCKTIME_SAMPLES names no folder of reports")
@pytest.mark.parametrize("name", BENCHES)
def test_throughput_reads_and_cpu_within_3_percent_a_read_within_5(name: str) -> None:
    path = Path(FOLDER or "") / "awr_text" / f"{name}.txt.gz"
    found = identify(read(Source(path, path.name, Keep())))
    rows = as_modelled(found.compared, run(from_mapping(found.sections(), "my"), "simulate"))
    off = {row.measured.name: abs(row.off_fraction) for row in rows}
    assert max(off[name] for name in (TRANSACTIONS, READ_REQUESTS, CPU)) <= 0.03, off
    assert max(off[READ_WAIT], off[DB_TIME]) <= 0.05, off
