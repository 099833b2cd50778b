"""What a simulation counts as held is what its process takes, at two sizes of each kind of work."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import gc, json, sys
from blocktime.model.budget import Budget, watched
from blocktime.model.engine import simulate
from blocktime.scenarios import from_mapping
from tests.memory import peak_kib

def played(data):
    scenario = from_mapping(data)
    with watched(Budget(None, None)) as watch:
        simulate(scenario.system, scenario.workload)
    return watch.peak

small, large = map(json.loads, sys.argv[1:])
played(small)
gc.collect()
before = peak_kib()
print(played(large), 1024 * (peak_kib() - before))
"""
"""The small one loads what is imported late; its own peak lies below that of the large one."""
NVME = {"use": "nvme"}
SLOW = {"use": "sata-7k2"}
FEW = {"kind": "transactions", "data_bytes": "2G", "transactions": 100, "users": 1}


def rows(kind: str, of_table: int, **work: Any) -> dict[str, Any]:
    return {"workload": {"kind": kind, **work}, "table": {"rows": of_table}}


def stream(kind: str, disk: dict[str, str], **calls: Any) -> dict[str, Any]:
    return {"workload": {"kind": kind, "pattern": "random", **calls}, "disk": disk}


def users(cache: str = "16M", **work: Any) -> dict[str, Any]:
    return {"workload": FEW | work, "instance": {"buffer_cache_bytes": cache}, "disk": NVME}


def beside(work: dict[str, Any], *others: dict[str, Any], **system: Any) -> dict[str, Any]:
    return system | {"workload": work | {"beside": list(others)}}


HOURLY = {"kind": "read_stream", "pattern": "random", "think_s": 1, "count": 3500}
SCAN = {"kind": "index_range_scan", "selectivity_fraction": 1}
OF_SIZE = {
    "update": lambda size: rows("update", 1_500_000 * size, users=1),
    "update in any order": lambda size: rows("update", 250_000 * size, growth_bytes=100, order="random"),
    "delete by sessions": lambda size: rows("delete", 1_000_000 * size, users=4),
    "insert": lambda size: rows("insert", 1000, rows=1_500_000 * size, users=1),
    "insert by sessions": lambda size: rows("insert", 1000, rows=1_000_000 * size, users=4, method="array"),
    "calls": lambda size: stream("read_stream", SLOW, path="raw", count=400_000 * size),
    "dirty pages": lambda size: stream("write_stream", SLOW, path="buffered", count=100_000 * size),
    "arriving calls": lambda size: stream("read_stream", SLOW, path="buffered", rate_per_s=5000, count=9000 * size),
    "buffers": lambda size: users(f"{2 * size}G", data_bytes="32G"),
    "buffers of statements": lambda size: beside(
        SCAN, SCAN, table={"rows": 750_000 * size, "row_bytes": 1000}, instance={"buffer_cache_bytes": "2G"}
    ),
    "lines of iostat": lambda size: beside(*[HOURLY] * (1 + size), disk=SLOW),
    "users": lambda size: users(users=20_000 * size, think_s=100, transactions=1000),
    "transactions": lambda size: users(users=20, think_s=0.01, transactions=600_000 * size, mix=[{"gets": 2}]),
}


def small_work(work: dict[str, Any]) -> dict[str, Any]:
    """A program of next to nothing."""
    most = {"count": 4, "rows": 1000, "transactions": 100, "users": 4}
    return {name: min(most[name], given) if name in most else given for name, given in work.items()}


def small(data: dict[str, Any]) -> dict[str, Any]:
    """The same of next to nothing."""
    work = small_work(data["workload"])
    work |= {name: list(map(small_work, others)) for name, others in work.items() if name == "beside"}
    less: dict[str, Any] = {**data, "workload": work}
    if "table" in data:
        less["table"] = {"rows": 1000}
    if "instance" in data:
        less["instance"] = {"buffer_cache_bytes": "16M"}
    return less


@pytest.mark.sampled(6)
@pytest.mark.parametrize("program", list(product(OF_SIZE, (1, 2))), ids=lambda program: f"{program[0]} {program[1]}")
def test_what_is_counted_is_what_is_taken(program: tuple[str, int]) -> None:
    kind, size = program
    data = OF_SIZE[kind](size)
    words = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{PROGRAM}",
        json.dumps(small(data)),
        json.dumps(data),
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True, timeout=LIMIT_S)
    counted, grown = map(int, done.stdout.split())
    assert grown > 10e6
    assert grown / 1.1 <= counted <= 2 * grown
