"""Streams by the closed form and by simulation: one answer, whatever the device, the path and the calls."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model.engine import calculate, simulate
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, from_mapping

FAR = {"pattern": "random", "span_bytes": "1G"}
BUFFERED = {"kind": "write_stream", "path": "buffered"}
READS = {"kind": "read_stream", "path": "direct"}
AHEAD = {"kind": "read_stream", "path": "buffered"}

CALLS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], float]] = {
    "fsync after more calls than there are is never called": (
        {"use": "ssd-sata"}, {}, BUFFERED | FAR | {"block_size_bytes": "1M", "count": 64, "fsync_every": 100}, 0.05),
    "what is written after the last fsync is not waited for": (
        {"use": "nvme"}, {}, BUFFERED | FAR | {"block_size_bytes": "64K", "count": 190, "fsync_every": 100}, 0.2),
    "reads with small holes share pages and windows": (
        {"use": "ebs-gp2"}, {}, AHEAD | {"block_size_bytes": 512, "pattern": "strided", "stride_bytes": 1024,
                                         "count": 2000, "think_s": 0.02}, 0.2),
    "an fsync of pages far apart is many requests": (
        {"use": "ebs-gp3"}, {}, BUFFERED | {"block_size_bytes": 4096, "pattern": "strided", "stride_bytes": "64K",
                                            "count": 400, "fsync_every": 100}, 0.2),
    "arrivals of two programs follow each other half the time": (
        {"use": "array-cached"}, {}, READS | {"block_size_bytes": 512, "pattern": "strided", "stride_bytes": 51200,
                                              "users": 2, "rate_per_s": 200, "count": 2000}, 0.2),
    "those that wait are sorted until the disk keeps up": (
        {"use": "sata-7k2"}, {"scheduler": "mq-deadline"},
        READS | {"block_size_bytes": 8192, "pattern": "strided", "stride_bytes": "128K", "users": 2,
                 "rate_per_s": 200, "count": 2000}, 0.5),
    "calls that come while ext3 commits wait for the rest of it": (
        {"use": "linear"}, {"filesystem": "ext3"}, BUFFERED | FAR | {"rate_per_s": 50, "count": 2000}, 0.25),
    "reads that the page cache answers wait for nothing": (
        {"use": "linear"}, {"page_cache_hit_fraction": 0.3},
        AHEAD | FAR | {"block_size_bytes": 512, "users": 8, "rate_per_s": 50, "count": 1000}, 0.1),
    "a pause hides one window of a call of many": (
        {"use": "ssd-sata"}, {}, AHEAD | {"block_size_bytes": "1M", "pattern": "sequential", "think_s": 0.02,
                                          "count": 64}, 0.25),
    "a volume lets the pieces of a call through one by one": (
        {"use": "ebs-gp3"}, {}, READS | FAR | {"block_size_bytes": "1M", "rate_per_s": 10, "count": 300}, 0.2),
    "a device with one server has an overhead for each piece": (
        {"use": "linear"}, {}, READS | FAR | {"block_size_bytes": "1M", "in_flight": 2, "count": 100}, 0.1),
    "calls in step come all at once": (
        {"use": "array-raid5"}, {}, READS | FAR | {"block_size_bytes": "1M", "users": 8, "rate_per_s": 10,
                                                   "arrivals": "regular", "count": 64}, 0.2),
    "a fair scheduler keeps the disk for a program that goes on": (
        {"use": "sata-7k2"}, {"scheduler": "bfq"},
        {"kind": "write_stream", "path": "raw", "block_size_bytes": 4096, "pattern": "strided",
         "stride_bytes": 409600, "users": 8, "count": 1000}, 0.2),
    "members of a set seek beyond far holes": (
        {"use": "array-raid10"}, {}, READS | {"block_size_bytes": "1M", "pattern": "strided", "stride_bytes": "16M",
                                              "count": 64}, 0.25),
    "a controller's cache answers reads in order too": (
        {"use": "sas-10k", "read_hit_fraction": 0.8}, {"scheduler": "kyber"},
        READS | {"pattern": "strided", "stride_bytes": "64K", "block_size_bytes": 4096, "users": 8, "count": 2000},
        0.35),
    "what the page cache answers leaves holes for the drive": (
        {"use": "ida-2004"}, {"page_cache_hit_fraction": 0.9},
        AHEAD | {"block_size_bytes": 4096, "pattern": "strided", "stride_bytes": "64K", "think_s": 0.02,
                 "think_cv": 1, "count": 1000}, 0.35),
    "programs that arrive near where they were keep a fair scheduler": (
        {"use": "array-raid5"}, {"scheduler": "cfq", "kernel": "3.10"},
        READS | {"block_size_bytes": 512, "pattern": "strided", "stride_bytes": 8192, "users": 2, "rate_per_s": 200,
                 "count": 2000}, 0.45),
    "commits that wait for one slot merge their records": (
        {"use": "linear"}, {"filesystem": "xfs", "kernel": "2.6.32", "scheduler": "noop"},
        BUFFERED | FAR | {"block_size_bytes": 8192, "users": 8, "fsync_every": 1, "count": 300}, 0.2),
    "a fair scheduler keeps a cached array for a program that goes on": (
        {"use": "array-raid5"}, {"scheduler": "cfq", "kernel": "2.6.32"},
        {"kind": "write_stream", "path": "dsync", "block_size_bytes": 4096, "pattern": "sequential", "users": 8,
         "count": 1000}, 0.2),
    "a queue goes to the copy of a mirror that is free first": (
        {"use": "sas-15k", "raid_level": "1", "raid_disks": 2, "stripe_unit_bytes": 16384}, {"scheduler": "noop"},
        READS | {"block_size_bytes": 8192, "pattern": "sequential", "users": 2, "in_flight": 32, "count": 300}, 0.5),
    "a full queue keeps calls out": (
        {"use": "magni-sdb"}, {"nr_requests": 128}, READS | FAR | {"block_size_bytes": 4096, "users": 8,
                                                                   "in_flight": 32, "count": 500}, 0.1),
    "writers into the page cache share the processors": (
        {"use": "sas-10k"}, {"cpus": 1}, BUFFERED | {"block_size_bytes": "1M", "pattern": "sequential", "users": 8,
                                                     "count": 64}, 0.05),
    "whole rows of RAID 5 are written without reading": (
        {"use": "sata-7k2", "raid_level": "5", "raid_disks": 3, "stripe_unit_bytes": 16384}, {},
        {"kind": "write_stream", "path": "direct", "block_size_bytes": "1M", "count": 64, "users": 2} | FAR, 0.35),
}  # fmt: skip


LARGE_HOST = {"cpus": 4, "memory_bytes": "64G", "kernel": "6.8", "scheduler": "none", "io_path": "direct"}
SAS = {"use": "sas-15k"}
RAID5 = {**SAS, "raid_level": "5", "raid_disks": 8}
WIDE = {**RAID5, "stripe_unit_bytes": "1M"}
READ = {"kind": "read_stream", "path": "direct", "count": 300}
WRITE = {**READ, "kind": "write_stream"}
ALONE: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "sorted requests wait for less than half a turn": (
        SAS,
        {"scheduler": "mq-deadline"},
        {
            **READ, "block_size_bytes": 4096, "pattern": "random", "span_bytes": "64M", "in_flight": 128,
            "count": 1500,
        },
    ),
    "a call of many units passes over the parity, too": (
        {**RAID5, "raid_disks": 3, "stripe_unit_bytes": "16K"},
        {},
        {**READ, "block_size_bytes": "1M", "pattern": "random", "span_bytes": "8G"},
    ),
    "nothing of the first unit of a member is read ahead": (
        WIDE,
        {},
        {**READ, "block_size_bytes": "64K", "pattern": "sequential"},
    ),
    "the members of a set turn alike": (
        WIDE,
        {},
        {**READ, "block_size_bytes": "1M", "pattern": "strided", "stride_bytes": "16M"},
    ),
    "a cache takes the blocks of a commit together": (
        {"use": "array-raid5"},
        {"nomerges": "2"},
        {
            **WRITE, "path": "buffered", "block_size_bytes": 4096, "pattern": "random", "span_bytes": "64M",
            "fsync_every": 10,
        },
    ),
    "whole rows leave a write cache unread": (
        {"use": "sas-10k", "raid_level": "5", "raid_disks": 5, "stripe_unit_bytes": "16K", "write_cache_bytes": "16M"},
        {},
        {**WRITE, "block_size_bytes": "64K", "pattern": "random", "span_bytes": "8G", "users": 8, "count": 128},
    ),
    "requests of calls that wait for room come between each other's": (
        {"use": "sas-10k"},
        {"max_request_bytes": "64K"},
        {
            **READ, "path": "buffered", "block_size_bytes": "1M", "pattern": "strided", "stride_bytes": "16M",
            "users": 8, "rate_per_s": 1000, "arrivals": "regular", "count": 64,
        },
    ),
    "nothing waits to grow where all that the queue holds is at the device": (
        {"use": "azure-p30"},
        {"kernel": "3.10", "scheduler": "noop", "cpus": 1},
        {
            **READ, "path": "asm", "block_size_bytes": 8192, "pattern": "sequential", "users": 8, "rate_per_s": 1000,
            "count": 500,
        },
    ),
    "a reader that arrives waits for a first, small window alone": (
        {"use": "magni-sdb"},
        {},
        {
            **READ, "path": "buffered", "block_size_bytes": 8192, "pattern": "sequential", "rate_per_s": 20,
            "arrivals": "regular",
        },
    ),
    "fsync on ext3 writes what others have written": (
        {"use": "ebs-io2"},
        {"kernel": "2.4.21", "scheduler": "noop", "cpus": 16, "filesystem": "ext3"},
        {
            **WRITE, "path": "buffered", "block_size_bytes": 4096, "pattern": "random", "span_bytes": "1G", "users": 8,
            "fsync_every": 100, "extends": True,
        },
    ),
    "a volume spaces the requests of a lone commit": (
        {"use": "intel-p4500"},
        {"use": "aws-r5-4xlarge"},
        {
            **WRITE, "path": "buffered", "block_size_bytes": 4096, "pattern": "random", "span_bytes": "64M",
            "rate_per_s": 50, "fsync_every": 1,
        },
    ),
    "the interface and the medium work on the pieces of a call together": (
        {"use": "nvme", "read_hit_fraction": 0.2},
        {},
        {**READ, "block_size_bytes": "1M", "pattern": "random", "span_bytes": "8G"},
    ),
    "the first requests of each run of flash are collected for": (
        {"use": "intel-p4500"},
        {},
        {**WRITE, "block_size_bytes": "64K", "pattern": "sequential", "users": 8, "count": 64},
    ),
    "commits that arrive share the way to the journal where requests wait": (
        {"use": "ida-2004"},
        {"filesystem": "ext3"},
        {
            **WRITE, "path": "sync", "block_size_bytes": "64K", "pattern": "strided", "stride_bytes": 6400 * 1024,
            "rate_per_s": 40, "count": 1000,
        },
    ),
    "a scheduler that waits for each reader's next call keeps the first windows of others": (
        {"use": "array-raid5"},
        {"kernel": "3.10", "scheduler": "cfq", "cpus": 16, "page_cache_hit_fraction": 0.9},
        {
            **READ, "path": "buffered", "block_size_bytes": 8192, "pattern": "sequential", "users": 8, "think_s": 0.02,
            "think_cv": 1, "count": 1024,
        },
    ),
    "all requests of a reader's windows pass in one turn": (
        {"use": "ida-2004"},
        {"kernel": "4.18", "max_request_bytes": "64K"},
        {**READ, "path": "buffered", "block_size_bytes": "64K", "pattern": "sequential", "users": 8, "count": 128},
    ),
    "a scheduler that waits in vain keeps the others waiting": (
        {"use": "sas-10k"},
        {"kernel": "4.18", "scheduler": "bfq"},
        {
            **WRITE, "block_size_bytes": 8192, "pattern": "strided", "stride_bytes": "16K", "users": 8, "think_s": 0.02,
            "think_cv": 1,
        },
    ),
    "what a controller's cache answers waits before a full drive, too": (
        {"use": "sas-10k", "read_hit_fraction": 0.2},
        {},
        {
            **READ, "block_size_bytes": 4096, "pattern": "strided", "stride_bytes": "400K", "rate_per_s": 1000,
            "count": 2000,
        },
    ),
    "heads pass over what a controller's cache answers": (
        {"use": "sas-10k", "read_hit_fraction": 0.8},
        {},
        {**READ, "path": "buffered", "block_size_bytes": "64K", "count": 1000},
    ),
    "heads pass over what a controller's cache answers to a queue": (
        {"use": "sas-10k", "read_hit_fraction": 0.8},
        {},
        {**READ, "block_size_bytes": "64K", "in_flight": 8, "count": 1000},
    ),
    "a volume counts each page that is read by itself": (
        {"use": "ebs-gp3"},
        {"read_ahead_bytes": 0},
        {
            **READ, "path": "buffered", "block_size_bytes": "1M", "pattern": "random", "span_bytes": "1G", "count": 64,
        },
    ),
    "the first of windows behind a cached one is waited for": (
        {"use": "intel-p4500"},
        {"page_cache_hit_fraction": 0.3},
        {**READ, "path": "buffered", "block_size_bytes": "64K", "count": 1024},
    ),
    "lone windows that are not cached are waited for": (
        {"use": "ebs-io2"},
        {"kernel": "3.10", "page_cache_hit_fraction": 0.9},
        {**READ, "path": "buffered", "block_size_bytes": "1M", "count": 64},
    ),
    "the first window of a call is of one run with the last of the call before": (
        {"use": "ebs-io2"},
        {},
        {**READ, "path": "buffered", "block_size_bytes": "1M", "count": 64},
    ),
    "what a controller's cache answers holds the one place of the queue": (
        {"use": "magni-sdb", "read_hit_fraction": 0.8},
        {},
        {**READ, "path": "buffered", "block_size_bytes": "64K", "count": 1024},
    ),
    "who hands down a batch waits for room for all of it": (
        {"use": "nvme"},
        {},
        {**READ, "block_size_bytes": "1M", "users": 2, "in_flight": 8, "batch": 8, "count": 64},
    ),
    "a batch passes the processor, then the device": (
        {"use": "samsung-970-evo"},
        {"max_request_bytes": "16K", "write_call_s": 8e-6},
        {**WRITE, "block_size_bytes": 4096, "in_flight": 32, "batch": 32},
    ),
    "calls that come while the heads wait for a place pass with it": (
        {"use": "sas-10k"},
        {},
        {
            **WRITE, "block_size_bytes": 512, "pattern": "strided", "stride_bytes": 8192, "rate_per_s": 1000,
            "count": 2000,
        },
    ),
    "a queue that has grown is waited for once, whatever the pages of a call": (
        {"use": "magni-sdb"},
        {"read_ahead_bytes": 0, "cpus": 1},
        {**READ, "path": "buffered", "block_size_bytes": "64K", "rate_per_s": 200, "users": 4},
    ),
    "a drive that reorders has as many to choose from as it needs to keep up": (
        {"use": "sata-7k2-ncq"},
        {},
        {
            **WRITE, "block_size_bytes": 4096, "pattern": "random", "span_bytes": "8G", "rate_per_s": 200,
            "arrivals": "regular", "count": 2000,
        },
    ),
}  # fmt: skip
"""Streams made by hand, one for each law of the closed form: within a tenth."""

EVERY = CALLS | {name: (disk, LARGE_HOST | host, work, 0.1) for name, (disk, host, work) in ALONE.items()}


def _both(scenario: Scenario) -> tuple[RunResult, RunResult]:
    fast = calculate(scenario.system, scenario.workload, name="fast")
    return fast, simulate(scenario.system, scenario.workload, seed=1, name="slow")


@pytest.mark.parametrize("name", EVERY)
def test_both_engines_give_one_elapsed_time_and_one_response(name: str) -> None:
    disk, host, work, within = EVERY[name]
    fast, slow = _both(
        from_mapping({"disk": disk, "host": {"memory_bytes": "64G", **host}, "workload": work})
    )
    assert fast.time.elapsed_s == pytest.approx(slow.time.elapsed_s, rel=within)
    assert fast.streams[0].response_s == pytest.approx(slow.streams[0].response_s, rel=within)


def test_a_call_waits_for_no_more_than_all_that_is_still_to_come() -> None:
    first = READS | FAR | {"block_size_bytes": "1M", "rate_per_s": 1000, "count": 64}
    beside = READS | {"block_size_bytes": "1M", "pattern": "sequential", "in_flight": 32, "count": 64}
    fast, slow = _both(
        from_mapping({"disk": {"use": "array-raid10"}, "workload": {**first, "beside": [beside]}})
    )
    assert fast.streams[0].response_s < 2 * slow.streams[0].response_s


def test_a_sweep_stays_with_a_stream_in_order_until_others_expire() -> None:
    """On a device with one slot, a deadline scheduler has the reader's next window before it has served the last."""
    first = AHEAD | FAR | {"block_size_bytes": 512, "rate_per_s": 50, "users": 2, "count": 1000}
    beside = AHEAD | {"block_size_bytes": "1M", "pattern": "sequential", "users": 2, "count": 64}
    fast, slow = _both(
        from_mapping({"disk": {"use": "savvinov-160mb"}, "workload": {**first, "beside": [beside]}})
    )
    assert fast.streams[0].response_s == pytest.approx(slow.streams[0].response_s, rel=0.75)


@pytest.mark.parametrize(("filesystem", "alike"), [("xfs", True), ("ext4", True), ("ext3", False)])
def test_fsync_writes_its_own_file_but_for_an_ordered_commit(filesystem: str, alike: bool) -> None:
    """Only the commit of ext3 in ordered mode writes what another program has dirtied."""
    mine = BUFFERED | FAR | {"block_size_bytes": 4096, "fsync_every": 10, "count": 200}
    other = BUFFERED | FAR | {"block_size_bytes": "1M", "count": 64}
    took = []
    for beside in ([], [other]):
        scenario = from_mapping(
            {
                "disk": {"use": "ssd-sata"},
                "host": {"memory_bytes": "64G", "filesystem": filesystem},
                "workload": {**mine, "beside": beside},
            }
        )
        took.append(simulate(scenario.system, scenario.workload, seed=1, name="slow").time.elapsed_s)
    assert (took[1] < 1.1 * took[0]) == alike


@pytest.mark.parametrize(
    ("section", "field"),
    [
        ("disk", "inner_bandwidth_ratio"),
        ("host", "dirty_ratio_percent"),
        ("host", "dirty_background_ratio_percent"),
    ],
)
def test_a_ratio_that_is_nearly_nothing_is_refused(section: str, field: str) -> None:
    with pytest.raises(BlocktimeError, match=rf"{field}.*at least"):
        from_mapping({section: {field: 5e-324}, "workload": {"kind": "write_stream"}})


TENTH = 0.1
QUARTER = 0.25

IN_ORDER = {"pattern": "sequential"}
BEHIND = {"path": "buffered"}

ONE_ANSWER: list[tuple[str, str, dict[str, Any], float]] = [
    # a write cache absorbs a burst, and is emptied at its own pace afterwards
    ("array-raid5", "write_stream", {"block_size_bytes": 4096, "count": 2000, "span_bytes": "64M"}, TENTH),
    ("array-raid10", "write_stream", {"block_size_bytes": 4096, "count": 500, "users": 8, "in_flight": 8}, TENTH),
    ("array-raid5", "write_stream", {"block_size_bytes": "64K", "count": 12000, "span_bytes": "2G"}, QUARTER),
    ("array-raid10", "write_stream", {"block_size_bytes": "1M", "count": 1500, "pattern": "sequential"}, TENTH),
    ("array-raid10", "write_stream", {"path": "sync", "count": 300, "users": 2, "span_bytes": "64M"}, TENTH),
    # members of a set read ahead side by side, or serve random places in turns
    ("array-raid5", "read_stream", {"block_size_bytes": "64K", "count": 3000, "pattern": "sequential"}, TENTH),
    ("array-raid5", "read_stream", {"count": 1000, "users": 8, "span_bytes": "10G"}, QUARTER),
    ("array-raid5", "read_stream", {"block_size_bytes": "1M", "count": 200, "span_bytes": "10G"}, QUARTER),
    ("array-raid10", "read_stream", {"count": 3000, "users": 2, "pattern": "sequential"}, TENTH),
    # each request through the page cache has its overhead, in part behind another
    ("array-cached", "read_stream", BEHIND | IN_ORDER | {"count": 3000}, TENTH),
    ("nvme", "read_stream", BEHIND | IN_ORDER | {"count": 5000}, 0.03),
    ("nvme", "read_stream", BEHIND | IN_ORDER | {"count": 1000, "block_size_bytes": "64K"}, TENTH),
    # programs take turns on a platter
    ("sas-15k", "read_stream", {"count": 500, "users": 8, "pattern": "sequential"}, TENTH),
    ("sata-7k2", "write_stream", {"count": 300, "users": 2, "in_flight": 2, "pattern": "sequential"}, TENTH),
    # the journal lies apart from the data; what programs commit at a time adjoins
    ("sata-7k2", "write_stream", {"path": "sync", "count": 300, "span_bytes": "1G"}, TENTH),
    ("sas-10k", "write_stream", {"path": "sync", "count": 300, "users": 8, "span_bytes": "64M"}, QUARTER),
    ("array-cached", "write_stream", {"path": "sync", "count": 300, "span_bytes": "64M"}, TENTH),
    ("ebs-gp3", "write_stream", {"path": "sync", "block_size_bytes": "64K", "count": 300, "users": 8}, TENTH),
    ("sata-7k2", "write_stream", {"path": "buffered", "fsync_every": 10, "count": 300, "span_bytes": "1G"}, QUARTER),
    # calls that arrive: what is written behind keeps their pace, what falls behind merges
    ("sas-10k", "write_stream", BEHIND | {"block_size_bytes": "1M", "count": 300, "users": 8, "rate_per_s": 50}, TENTH),
    ("sas-10k", "read_stream", IN_ORDER | {"block_size_bytes": 512, "count": 300, "users": 8, "rate_per_s": 50}, TENTH),
    ("ssd-sata", "read_stream", {"count": 300, "users": 8, "rate_per_s": 50}, TENTH),
]  # fmt: skip


@pytest.mark.parametrize(
    ("disk", "kind", "calls", "within"),
    ONE_ANSWER,
    ids=[f"{disk} {kind} {number}" for number, (disk, kind, _, _) in enumerate(ONE_ANSWER)],
)
def test_both_engines_answer_alike(disk: str, kind: str, calls: dict[str, Any], within: float) -> None:
    work = {"kind": kind, "pattern": "random", "path": "direct", **calls}
    if work["pattern"] == "random":
        work = {"span_bytes": "1G", **work}
    # a processor for each program: the order in which they come first decides the seeks of all later rounds
    host = {"memory_bytes": "64G", "cpus": 16}
    scenario = from_mapping({"disk": {"use": disk}, "host": host, "workload": work})
    fast, slow = _both(scenario)
    assert fast.time.elapsed_s == pytest.approx(slow.time.elapsed_s, rel=within)


WRITER = {"kind": "write_stream", "path": "direct", "count": 1500}
READER = {"kind": "read_stream", "path": "direct", "count": 300, "pattern": "random", "span_bytes": "1G"}

BESIDE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("sata-7k2", READER | {"in_flight": 8, "count": 1500}, READER | {"rate_per_s": 10}),
    ("sata-7k2", READER | {"users": 4, "in_flight": 8}, READER | {"in_flight": 8, "count": 100}),
    ("ebs-gp3", READER | {"users": 4}, READER | {"users": 4, "block_size_bytes": "64K"}),
    ("nvme", WRITER | {"path": "buffered"}, READER | {"users": 4, "in_flight": 8}),
    ("array-raid5", READER | {"count": 1500}, WRITER | {"path": "sync", "users": 4, "count": 300}),
]


@pytest.mark.parametrize(("disk", "first", "second"), BESIDE, ids=[one[0] for one in BESIDE])
def test_streams_beside_each_other_end_alike(
    disk: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    """The shorter one ends long before the longer one, which then has the device to itself."""
    scenario = from_mapping(
        {"disk": {"use": disk}, "host": {"memory_bytes": "64G"}, "workload": {**first, "beside": [second]}}
    )
    fast, slow = _both(scenario)
    for one, other in zip(fast.streams or [], slow.streams or [], strict=True):
        assert one.elapsed_s == pytest.approx(other.elapsed_s, rel=0.15)


@pytest.mark.parametrize(("disk", "rate"), [("sas-15k", 80), ("sata-7k2", 40), ("array-raid5", 400)])
def test_calls_that_arrive_side_by_side_queue_as_one_stream(disk: str, rate: float) -> None:
    """Poisson streams superpose: each waits behind the calls of both."""
    calls = READER | {"rate_per_s": rate, "count": 6000, "span_bytes": "4G"}
    scenario = from_mapping({"disk": {"use": disk}, "workload": {**calls, "beside": [calls]}})
    fast, slow = _both(scenario)
    for one, other in zip(fast.streams or [], slow.streams or [], strict=True):
        assert one.response_s == pytest.approx(other.response_s, rel=0.12)


@pytest.mark.parametrize(
    ("disk", "rate_per_s"), [("nvme", 20_000), ("array-cached", 300), ("array-raid5", 300)]
)
def test_arrivals_overlap_on_a_device_that_serves_several_at_once(disk: str, rate_per_s: float) -> None:
    """Its %util is the time with a call under way, 1 - e^-n for n calls there on average."""
    work = {"kind": "read_stream", "path": "direct", "pattern": "random", "span_bytes": "10G", "count": 3000}
    scenario = from_mapping({"disk": {"use": disk}, "workload": work | {"rate_per_s": rate_per_s}})
    law, played = (answer.device["disk"] for answer in _both(scenario))
    assert law.utilisation_fraction == pytest.approx(played.utilisation_fraction, rel=0.1)
