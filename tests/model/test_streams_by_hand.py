"""Streams made by hand, one for each law of the closed form: the simulation takes as long."""

from __future__ import annotations

from typing import Any

import pytest

from model import calculate, simulate
from scenarios import from_mapping

HOST = {"cpus": 4, "memory_bytes": "64G", "kernel": "6.8", "scheduler": "none", "io_path": "direct"}
DISK = {"use": "sas-15k"}
RAID5 = {**DISK, "raid_level": "5", "raid_disks": 8}
WIDE = {**RAID5, "stripe_unit_bytes": "1M"}
READ = {"kind": "read_stream", "path": "direct", "count": 300}
WRITE = {**READ, "kind": "write_stream"}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "sorted requests wait for less than half a turn": (
        DISK,
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
NEAR = 0.1


@pytest.mark.parametrize("name", CASES)
def test_the_closed_form_takes_as_long_as_the_simulation(name: str) -> None:
    disk, host, work = CASES[name]
    scenario = from_mapping({"disk": disk, "host": {**HOST, **host}, "workload": work})
    law, played = (run(scenario.system, scenario.workload) for run in (calculate, simulate))
    assert law.time.elapsed_s == pytest.approx(played.time.elapsed_s, rel=NEAR)
    assert law.streams[0].response_s == pytest.approx(played.streams[0].response_s, rel=NEAR)
