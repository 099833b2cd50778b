"""Streams by the closed form and by simulation: one answer, whatever the device, the path and the calls."""

from __future__ import annotations

from typing import Any

import pytest

from model.engine import calculate, simulate
from scenarios import from_mapping

TENTH = 0.1
QUARTER = 0.25

IN_ORDER = {"pattern": "sequential"}
BEHIND = {"path": "buffered"}
AHEAD = BEHIND | IN_ORDER

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
    ("array-cached", "read_stream", AHEAD | {"count": 3000}, TENTH),
    ("nvme", "read_stream", AHEAD | {"count": 5000}, 0.03),
    ("nvme", "read_stream", AHEAD | {"count": 1000, "block_size_bytes": "64K"}, TENTH),
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
    fast = calculate(scenario.system, scenario.workload, name="fast").time.elapsed_s
    slow = simulate(scenario.system, scenario.workload, seed=1, name="slow").time.elapsed_s
    assert fast == pytest.approx(slow, rel=within)


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
    fast = calculate(scenario.system, scenario.workload, name="fast")
    slow = simulate(scenario.system, scenario.workload, seed=1, name="slow")
    for one, other in zip(fast.streams or [], slow.streams or [], strict=True):
        assert one.elapsed_s == pytest.approx(other.elapsed_s, rel=0.15)


@pytest.mark.parametrize(("disk", "rate"), [("sas-15k", 80), ("sata-7k2", 40), ("array-raid5", 400)])
def test_calls_that_arrive_side_by_side_queue_as_one_stream(disk: str, rate: float) -> None:
    """Poisson streams superpose: each waits behind the calls of both."""
    calls = READER | {"rate_per_s": rate, "count": 6000, "span_bytes": "4G"}
    scenario = from_mapping({"disk": {"use": disk}, "workload": {**calls, "beside": [calls]}})
    fast = calculate(scenario.system, scenario.workload, name="fast")
    slow = simulate(scenario.system, scenario.workload, seed=1, name="slow")
    for one, other in zip(fast.streams or [], slow.streams or [], strict=True):
        assert one.response_s == pytest.approx(other.response_s, rel=0.12)


@pytest.mark.parametrize(
    ("disk", "rate_per_s"), [("nvme", 20_000), ("array-cached", 300), ("array-raid5", 300)]
)
def test_arrivals_overlap_on_a_device_that_serves_several_at_once(disk: str, rate_per_s: float) -> None:
    """Its %util is the time with a call under way, 1 - e^-n for n calls there on average."""
    work = {"kind": "read_stream", "path": "direct", "pattern": "random", "span_bytes": "10G", "count": 3000}
    scenario = from_mapping({"disk": {"use": disk}, "workload": work | {"rate_per_s": rate_per_s}})
    law = calculate(scenario.system, scenario.workload).device["disk"]
    played = simulate(scenario.system, scenario.workload, seed=1).device["disk"]
    assert law.utilisation_fraction == pytest.approx(played.utilisation_fraction, rel=0.1)
