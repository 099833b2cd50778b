"""What the text of a run says of several sessions: the mean one's time, and until when the last one takes."""

from __future__ import annotations

import re

import pytest
from click import unstyle

from app.text.document import run_lines
from app.text.profile import scale_of
from app.text.text import tkprof_lines
from model.units import show_seconds
from scenarios import load, run
from scenarios.idle import RULES


@pytest.mark.parametrize("users", [1, 30])
def test_several_sessions_have_a_last_one(users: int) -> None:
    settings = ["workload.kind=delete", f"workload.users={users}", "table.rows=50000"]
    result = run(load("full-scan-nvme", settings), "simulate")
    text = unstyle("\n".join(run_lines(result, width=80)))
    found = re.search(r"^last session ends after +([\d.,]+)$", text, re.MULTILINE)
    assert (found is not None) == (users > 1)
    if found:
        last_s = result.time.last_session_s
        assert last_s is not None
        assert float(found[1].replace(",", "")) == pytest.approx(scale_of([result]).per_s * last_s, abs=5e-4)
        flat = " ".join(text.split())
        early = f"done early, the last one after {show_seconds(last_s)}"
        assert (early in flat) == (result.time.elapsed_s < users * result.time.cpu_s / 4)


def test_tkprof_tells_of_all_parallel_servers() -> None:
    """Calls and events alike are sums over the servers, as of their trace files together."""
    result = run(load("parallel-scan", ["table.rows=2000000"]), "calculate")
    printed = next(line for line in tkprof_lines(result) if line.strip().startswith("direct path read "))
    assert int(printed.split()[3]) == pytest.approx(result.physical_io.read_requests, abs=4)


def test_processors_decide_for_parallel_servers() -> None:
    scenario = load("parallel-scan")
    assert not RULES["host.cpus"](scenario.system, scenario.workload)[0]
    alone = load("full-scan-nvme")
    assert RULES["host.cpus"](alone.system, alone.workload)[0]
