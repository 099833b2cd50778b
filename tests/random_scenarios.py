"""Random legal scenarios of every kind on the catalog's disks, each with a name by which it can be had again."""

import random
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from blocktime.model.catalog import entries
from blocktime.model.spec import WORKLOADS

Section = dict[str, Any]
Value = TypeVar("Value")

SCHEDULERS = {
    "2.4.21": ("noop",), "2.6.9": ("noop", "deadline", "cfq"), "2.6.32": ("noop", "deadline", "cfq"),
    "3.10": ("noop", "deadline", "cfq"), "4.18": ("none", "mq-deadline", "bfq", "kyber", "cfq"),
    "5.15": ("none", "mq-deadline", "bfq", "kyber"),
}  # fmt: skip
"""Release of a kernel -> schedulers that it has."""
QUEUE = {
    "nr_requests": (16, 64, 1024),
    "read_ahead_bytes": (0, "32K", "1M"),
    "max_request_bytes": ("64K", "1280K"),
    "nomerges": ("1", "2"),
    "memory_bytes": ("128M", "1G"),
}
"""Settings of a stream's queue and page cache, each in a tenth of the cases."""
BLOCK_SIZES = (2048, 4096, 8192, 16384)
USERS = (1, 1, 2, 4, 8, 16)
PATHS = ("direct", "direct", "buffered", "buffered", "sync", "dsync", "raw", "asm")
MOST_BYTES = 1 << 26  # a simulation of the page cache walks page by page
LEAST_CALLS = 64
GETS_PLAYED = 40_000


class Draw:
    """Values by chance, from one seed."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def one(self, *values: Value) -> Value:
        """One of *values*."""
        return self._random.choice(values)

    def chance(self, fraction: float) -> bool:
        """Whether something that happens in *fraction* of all cases happens."""
        return self._random.random() < fraction

    def near(self, low: float, high: float) -> float:
        """A number between *low* and *high*, as often near the one as the other on a scale of ratios."""
        return float(f"{low * (high / low) ** self._random.random():.3g}")


DISKS = (
    "array-cached", "array-raid10", "array-raid5", "ebs-gp2", "ebs-gp3", "ida-2004", "linear", "magni-sdb", "nvme",
    "sas-10k", "sas-15k", "sata-7k2", "savvinov-160mb", "ssd-sata",
)  # fmt: skip
"""Entries of the catalog that scenarios are drawn from: a further one changes all of them, and the table with them."""
STREAM_DISKS = (
    *DISKS, "azure-p30", "ebs-io2", "hyperdisk-balanced", "intel-p4500", "intel-s4500", "samsung-860-evo",
    "samsung-970-evo", "samsung-pm983", "sata-7k2-ncq",
)  # fmt: skip
"""Those of streams, which drives that reorder and flash with a controller are for."""
STREAM_SCHEDULERS = SCHEDULERS | {"6.8": SCHEDULERS["5.15"], "6.16": SCHEDULERS["5.15"]}


def case(name: str) -> Section:
    """The scenario of that name, ``KIND/NUMBER``: always the same one."""
    kind = name.partition("/")[0]
    draw = Draw(name)
    scenario = {
        "disk": _disk(draw),
        "host": _host(draw),
        "tablespace": {"block_size_bytes": draw.one(*BLOCK_SIZES)},
        "instance": _instance(draw),
        "workload": {"kind": kind},
    }
    _BY_KIND[kind](draw, scenario)
    return scenario


def names(kind: str, first: int = 0) -> Iterator[str]:
    """Names of a kind's scenarios, without end."""
    number = first
    while True:
        yield f"{kind}/{number}"
        number += 1


def _disk(draw: Draw, disks: tuple[str, ...] = DISKS) -> Section:
    disk: Section = {"use": draw.one(*disks)}
    if disk["use"] in ("sas-10k", "sas-15k", "sata-7k2") and draw.chance(0.3):
        disk["raid_level"] = draw.one("0", "1", "5", "10")
        disk["raid_disks"] = draw.one(*{"0": (2, 5), "1": (2,), "5": (3, 5, 8), "10": (4, 8)}[disk["raid_level"]])
        disk["stripe_unit_bytes"] = draw.one(16384, 65536, 1 << 20)
    if "raid_level" in disk and draw.chance(0.5):
        disk["write_cache_bytes"] = draw.one("16M", "256M")
    if disk["use"] == "linear" and draw.chance(0.4):
        disk["service_cv"] = draw.one(0.5, 1)
    if disk["use"] not in ("linear", "sata-7k2-ncq") and draw.chance(0.1):
        disk["read_hit_fraction"] = draw.one(0.2, 0.8)
    return disk


def _host(draw: Draw, schedulers: dict[str, tuple[str, ...]] = SCHEDULERS) -> Section:
    kernel = draw.one(*schedulers)
    host: Section = {
        "cpus": draw.one(1, 2, 4, 16),
        "memory_bytes": "64G",
        "kernel": kernel,
        "scheduler": draw.one(*schedulers[kernel]),
        "io_path": draw.one(*PATHS),
        "filesystem": draw.one("ext3", "ext4", "xfs"),
    }
    if draw.chance(0.2):
        host["use"] = draw.one(*sorted(entries("host")))
        del host["kernel"], host["scheduler"], host["cpus"]
    if draw.chance(0.2):
        host["page_cache_hit_fraction"] = draw.one(0.3, 0.9)
    return host


def _instance(draw: Draw) -> Section:
    instance: Section = {
        "buffer_cache_bytes": draw.one("16M", "64M", "256M", "1G"),
        "release": draw.one("9.2", "10.2.0.4", "11.2.0.4", "19c"),
    }
    if draw.chance(0.3):
        instance["disk_asynch_io"] = False
    if draw.chance(0.3):
        instance["serial_direct_read"] = draw.one("always", "never")
    if draw.chance(0.3):
        instance["db_file_multiblock_read_count"] = draw.one(4, 8, 16)
    if draw.chance(0.2):
        instance["direct_read_slots"] = draw.one(1, 4, 8)
    return instance


def _table(draw: Draw, *rows: int) -> Section:
    table: Section = {
        "rows": draw.one(*rows),
        "row_bytes": draw.one(40, 100, 400),
        "pctfree_percent": draw.one(0, 10, 40),
        "column_count": draw.one(3, 10, 30),
    }
    if draw.chance(0.4):
        table["cached_fraction"] = draw.one(0.2, 0.8, 1.0)
        table["dirty_fraction"] = draw.one(0.0, 0.0, 0.2)
    return table


def _scanned(draw: Draw, scenario: Section) -> None:
    scenario["table"] = _table(draw, 1000, 20_000, 100_000)
    scenario["workload"]["users"] = draw.one(*USERS)
    if draw.chance(0.2):
        scenario["table"]["migrated_fraction"] = draw.one(0.01, 0.2)
    if draw.chance(0.3):
        scenario["client"] = {"round_trip_s": draw.one(0.05e-3, 2e-3)}
    if draw.chance(0.2):  # one session with direct path reads in flight: seldom met by chance
        scenario["workload"]["users"] = 1
        scenario["instance"] |= {"serial_direct_read": "always", "disk_asynch_io": True}


def _full_scan(draw: Draw, scenario: Section) -> None:
    _scanned(draw, scenario)
    scenario["workload"] |= {"arraysize_rows": draw.one(15, 100, 1000), "select": draw.one("rows", "rows", "count")}


def _index_range_scan(draw: Draw, scenario: Section) -> None:
    _scanned(draw, scenario)
    scenario["workload"] |= {
        "arraysize_rows": draw.one(15, 100),
        "selectivity_fraction": draw.one(0.001, 0.02, 0.3),
        "select": draw.one("rows", "rows", "count"),
    }
    scenario["index"] = {"clustering": draw.one("clustered", "scattered"), "cached_fraction": draw.one(0.0, 0.5, 1.0)}


def _export(draw: Draw, scenario: Section) -> None:
    _scanned(draw, scenario)
    scenario["workload"] |= {"direct": draw.chance(0.5), "buffer_bytes": draw.one(30_720, 1_000_000)}


def _changed(draw: Draw, scenario: Section) -> None:
    scenario["table"] = _table(draw, 1000, 5000, 20_000)
    scenario["tablespace"]["space_management"] = draw.one("assm", "assm", "manual")
    scenario["workload"]["users"] = draw.one(1, 1, 2, 4, 8)


def _changed_and_committed(draw: Draw, scenario: Section) -> None:
    _changed(draw, scenario)
    if draw.chance(0.3):
        scenario["workload"]["commit_every_rows"] = draw.one(100, 1000)


def _update(draw: Draw, scenario: Section) -> None:
    _changed_and_committed(draw, scenario)
    scenario["workload"] |= {
        "growth_bytes": draw.one(0, 5, 40),
        "rows_fraction": draw.one(0.1, 1.0),
        "order": draw.one("table", "table", "random"),
        "repeats": draw.one(1, 1, 1, 3),
    }


def _delete(draw: Draw, scenario: Section) -> None:
    _changed_and_committed(draw, scenario)
    scenario["workload"]["rows_fraction"] = draw.one(0.1, 1.0)


def _insert(draw: Draw, scenario: Section) -> None:
    _changed_and_committed(draw, scenario)
    scenario["workload"] |= {"rows": draw.one(1000, 5000, 20_000), "method": draw.one("row", "array", "direct")}
    if draw.chance(0.2):
        scenario["workload"]["uncommitted_delete_fraction"] = draw.one(0.1, 0.5)


def _import(draw: Draw, scenario: Section) -> None:
    _changed(draw, scenario)
    scenario["table"] = {name: value for name, value in scenario["table"].items() if not name.endswith("_fraction")}
    scenario["workload"] |= {"commit": draw.chance(0.5), "buffer_bytes": draw.one(30_720, 1_000_000)}
    scenario["instance"]["db_writer_requests"] = draw.one(1, 64)


def _calls(draw: Draw, kind: str, *, most: int) -> Section:
    """A stream's calls."""
    calls: Section = {
        "kind": kind,
        "block_size_bytes": draw.one(512, 4096, 8192, 65536, 1 << 20),
        "pattern": draw.one("sequential", "random", "random", "strided"),
        "path": draw.one(*PATHS),
        "users": draw.one(1, 1, 1, 2, 8),
    }
    size = calls["block_size_bytes"]
    how = draw.chance(0.3), draw.chance(0.3), draw.chance(0.25)
    if how[0]:
        calls["in_flight"] = draw.one(2, 8, 32)
        if draw.chance(0.3):
            calls["submission"] = draw.one("io_uring", "polled")
        if calls["pattern"] == "sequential" and draw.chance(0.2):
            calls["batch"] = calls["in_flight"]
    elif how[1]:
        calls |= {"rate_per_s": draw.one(10, 50, 200, 1000), "arrivals": draw.one("poisson", "poisson", "regular")}
    elif how[2]:
        calls |= {"think_s": draw.one(0.001, 0.02), "think_cv": draw.one(0, 1)}
    calls["count"] = most if "rate_per_s" in calls else draw.one(300, most)
    calls["count"] = max(LEAST_CALLS, min(calls["count"], MOST_BYTES // size // calls["users"]))
    if calls["pattern"] == "random" or draw.chance(0.1):
        calls["span_bytes"] = draw.one("64M", "1G", "8G")
    if calls["pattern"] == "strided":
        calls["stride_bytes"] = size * draw.one(2, 16, 100)
    return calls


def _writes(draw: Draw, most: int) -> Section:
    calls = _calls(draw, "write_stream", most=most)
    if calls["path"] == "buffered" and draw.chance(0.5):
        calls["fsync_every"] = draw.one(1, 10, 100)
    if draw.chance(0.2):
        calls["extends"] = True
    return calls


def _reads(draw: Draw, most: int) -> Section:
    calls = _calls(draw, "read_stream", most=most)
    if calls["path"] == "buffered" and draw.chance(0.2):
        calls["fadvise"] = draw.one("sequential", "random")
    return calls


def _write_stream(draw: Draw, scenario: Section) -> None:
    _stream(draw, scenario, _writes)


def _read_stream(draw: Draw, scenario: Section) -> None:
    _stream(draw, scenario, _reads)


def _stream(draw: Draw, scenario: Section, calls: Callable[[Draw, int], Section]) -> None:
    for section in ("tablespace", "instance"):
        del scenario[section]
    scenario["disk"], scenario["host"] = _disk(draw, STREAM_DISKS), _host(draw, STREAM_SCHEDULERS)
    for field, values in QUEUE.items():
        if draw.chance(0.1):
            scenario["host"][field] = draw.one(*values)
    scenario["workload"] = calls(draw, 2000)
    if draw.chance(0.2):
        others = [draw.one(_reads, _writes)(draw, 1000) for _ in range(draw.one(1, 1, 2))]
        scenario["workload"]["beside"] = others


def _transactions(draw: Draw, scenario: Section) -> None:
    scenario["host"].pop("io_path")
    for name in [name for name in scenario["instance"] if name not in ("buffer_cache_bytes", "release")]:
        del scenario["instance"][name]
    if scenario["instance"]["buffer_cache_bytes"] == "1G":
        scenario["instance"]["buffer_cache_bytes"] = "256M"  # filling it takes longer than all the rest
    mix = [_transaction(draw, name) for name in ("a", "b")[: draw.one(1, 1, 2)]]
    gets = max(kind["gets"] + kind["scan_blocks"] for kind in mix)
    work = scenario["workload"] | {
        "data_bytes": draw.one("64M", "1G", "10G"),
        "transactions": max(300, min(2000, GETS_PLAYED // gets)),
        "mix": mix,
    }
    if draw.chance(0.3):
        work["rate_per_s"] = draw.one(1, 5, 20, 60, 200)
    else:
        work |= {"users": draw.one(1, 4, 10, 30, 100), "think_s": draw.one(0, 0.1, 1.0), "think_cv": draw.one(0, 1, 1)}
    if draw.chance(0.3):
        work |= {"hot_data_percent": draw.one(1, 5, 50), "hot_gets_percent": draw.one(50, 90)}
    if draw.chance(0.2):
        work["hottest_changes_percent"] = draw.one(5, 50)
    scenario["instance"]["redo_disk"] = draw.one("own", "own", "data")
    if draw.chance(0.2):
        scenario["instance"]["db_writer_requests"] = draw.one(1, 8)
    if draw.chance(0.1):
        work["begins"] = "cold"
    if draw.chance(0.1):
        scenario["host"]["threads_per_core"] = 2
    scenario["workload"] = work


def _transaction(draw: Draw, name: str) -> Section:
    return {
        "name": name,
        "weight": draw.one(1, 5),
        "gets": draw.one(5, 50, 300),
        "changed_blocks": draw.one(0, 2, 10),
        "redo_bytes": draw.one(500, 5000),
        "commits": draw.chance(0.85),
        "scan_blocks": draw.one(0, 0, 0, 20),
    }


_BY_KIND: dict[str, Callable[[Draw, Section], None]] = {
    "full_scan": _full_scan,
    "index_range_scan": _index_range_scan,
    "update": _update,
    "insert": _insert,
    "delete": _delete,
    "import": _import,
    "export": _export,
    "read_stream": _read_stream,
    "write_stream": _write_stream,
    "transactions": _transactions,
}
KINDS = tuple(WORKLOADS)
