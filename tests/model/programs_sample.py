"""Random small programs beside each other, by both engines: ``python -m tests.model.programs_sample NUMBER FIRST``."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

from model.errors import OutsideLaw
from model.results import ProgramStats
from scenarios import from_mapping, run

DISKS = ("sas-15k", "sas-10k", "array-raid10", "array-raid5", "nvme", "ssd-sata")


def scenario(seed: int) -> dict[str, Any]:
    """Two or three programs of random kinds on a random disk."""
    draw = random.Random(seed)
    first, *beside = (_program(draw) for _ in range(draw.choice((2, 2, 3))))
    return {
        "disk": {"use": draw.choice(DISKS)},
        "instance": {"buffer_cache_bytes": draw.choice(("64M", "256M"))},
        "table": {"rows": draw.choice((50_000, 200_000)), "row_bytes": 120},
        "workload": first | {"beside": beside},
    }


def _program(draw: random.Random) -> dict[str, Any]:
    kind = draw.choice(("transactions", "transactions", "read_stream", "write_stream", "full_scan"))
    if kind == "transactions":
        changed = draw.choice((0, 2, 4))
        return {
            "kind": kind,
            "transactions": 400,
            "users": draw.choice((4, 10, 20)),
            "think_s": draw.choice((0.05, 0.1, 0.3)),
            "data_bytes": draw.choice(("1G", "4G")),
            "mix": [{"name": "order", "gets": draw.choice((10, 30)), "rows": 10, "changed_blocks": changed}],
        }
    if kind == "full_scan":
        return {"kind": kind, "select": "count", "users": draw.choice((1, 1, 2))}
    return {
        "kind": kind,
        "path": "direct",
        "block_size_bytes": draw.choice(("8K", "128K", "1M")),
        "pattern": draw.choice(("sequential", "random")),
        "span_bytes": "1G",
        "count": draw.choice((300, 800)),
        "users": draw.choice((1, 1, 3)),
        "think_s": draw.choice((0.0, 0.0, 0.01)),
    }


def took_s(program: ProgramStats) -> float:
    """What a program takes: a transaction, or an execution."""
    return float((program.response_s if program.elapsed_s is None else program.elapsed_s) or 0.0)


def ratios(seed: int) -> list[float]:
    """Simulated over estimated time of each program; empty where one of the engines refuses."""
    asked = from_mapping(scenario(seed))
    try:
        found = [run(asked, engine).programs for engine in ("calculate", "simulate")]
    except OutsideLaw:
        return []
    if None in found:
        return []
    pairs = zip(found[0] or [], found[1] or [], strict=True)
    return [took_s(there) / took_s(here) for here, there in pairs if took_s(here) and took_s(there)]


def _lines(number: int, first: int) -> Iterator[str]:
    for seed in range(first, first + number):
        asked = scenario(seed)
        kinds = [each["kind"] for each in (asked["workload"], *asked["workload"]["beside"])]
        off = " ".join(f"{ratio:.3f}" for ratio in ratios(seed))
        yield f"{seed} {asked['disk']['use']} {' '.join(kinds)}: {off}"


if __name__ == "__main__":
    for line in _lines(*map(int, sys.argv[1:3])):
        print(line, flush=True)
