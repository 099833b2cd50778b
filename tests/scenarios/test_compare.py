"""What moved and why: the components sum, and every sentence says what both results say."""

from __future__ import annotations

import pytest

from model.results import Interval, RunResult
from scenarios import library, load, run
from scenarios.compare import MECHANISM, changes, components, why


def answer(name: str, *settings: str) -> RunResult:
    return run(load(name, settings), "calculate")


@pytest.mark.parametrize("name", library())
def test_components_sum_to_the_elapsed_time(name: str) -> None:
    result = answer(name)
    assert sum(components(result).values()) == pytest.approx(result.time.elapsed_s, rel=1e-9)


def test_components_come_as_cpu_then_waits_then_unaccounted() -> None:
    names = list(components(answer("rahn-full-scan")))
    rank = [0 if name.startswith("CPU: ") else 2 if name.startswith("unaccounted: ") else 1 for name in names]
    assert rank == sorted(rank)
    assert "CPU: buffer gets" in names
    assert "direct path read" in names


def test_changes_sum_to_the_difference_and_the_largest_comes_first() -> None:
    base, other = answer("rahn-full-scan"), answer("rahn-full-scan", "workload.arraysize_rows=1000")
    found = changes(base, other)
    assert sum(change.change_s for change in found) == pytest.approx(
        other.time.elapsed_s - base.time.elapsed_s
    )
    sizes = [abs(change.change_s) for change in found]
    assert sizes == sorted(sizes, reverse=True)
    assert {change.name for change in found} == {*components(base), *components(other)}


@pytest.mark.parametrize("first", library())
@pytest.mark.parametrize("second", ["rahn-full-scan", "index-range-scan-scattered"])
def test_there_are_one_to_five_sentences_each_in_one_line(first: str, second: str) -> None:
    found = why(answer(first), answer(second))
    assert 1 <= len(found) <= 5
    assert all("\n" not in sentence and sentence == sentence.strip() for sentence in found)


def test_nothing_changes() -> None:
    base = answer("rahn-full-scan")
    (sentence,) = why(base, base)
    assert sentence.startswith("elapsed time does not change: ")
    assert "waiting for the client, which this hardly touches" in sentence


def test_a_block_size_moves_the_gets_and_hardly_the_time() -> None:
    base, other = answer("rahn-full-scan"), answer("rahn-full-scan", "tablespace.block_size_bytes=16K")
    said = why(base, other)
    assert said[0].startswith("elapsed time hardly changes (125.")
    before, after = base.logical_io.consistent_gets, other.logical_io.consistent_gets
    gets = f"consistent gets fell from {before:,.0f} to {after:,.0f} (blocks fell from "
    assert said[1].startswith(gets)
    assert said[1].endswith(" ms of CPU")
    assert ", which saves " in said[1]


def test_longer_reads_are_fewer_because_they_are_longer() -> None:
    settings = ("instance.serial_direct_read=never", "workload.select=count")
    base = answer("rahn-full-scan", *settings, "instance.db_file_multiblock_read_count=16")
    other = answer("rahn-full-scan", *settings, "instance.db_file_multiblock_read_count=128")
    (sentence,) = [one for one in why(base, other) if one.startswith("reads")]
    before, after = base.physical_io.read_requests, other.physical_io.read_requests
    assert (
        f"reads fell from {before:,.0f} to {after:,.0f} because a read grew from 16 to 128 blocks" in sentence
    )
    assert "(128K to 1M)" in sentence
    assert " less" in sentence


def test_the_access_path_changes_with_its_reason() -> None:
    base = answer("rahn-full-scan", "instance.serial_direct_read=never")
    other = answer("rahn-full-scan")
    text = " ".join(why(base, other))
    assert "the access path changes from buffered to direct path (" in text
    assert "are above the threshold of" in text


def test_fetching_in_larger_arrays_saves_round_trips() -> None:
    said = why(answer("rahn-full-scan"), answer("rahn-full-scan", "workload.arraysize_rows=1000"))
    assert said[0].startswith("round trips to the client fell from 71,980 to 7,201, which saves ")
    assert any("fetch calls fell from 71,978 to 7,199" in sentence for sentence in said)


def test_a_faster_disk_shows_in_await() -> None:
    counted = "workload.select=count"
    (first, *_) = why(answer("rahn-full-scan", counted), answer("rahn-full-scan", counted, "disk.use=nvme"))
    assert first.startswith("await of a request fell from ")
    assert "%util" in first


def test_a_price_that_changes_is_named() -> None:
    counted = ("workload.select=count", "disk.use=nvme")
    dearer = answer("rahn-full-scan", *counted, "host.logical_io_s=10us")
    said = why(answer("rahn-full-scan", *counted), dearer)
    assert any(sentence.startswith("a get costs 10 µs of CPU instead of ") for sentence in said)


def test_a_component_of_an_unknown_name_is_told_by_its_name() -> None:
    base = answer("rahn-full-scan")
    waited = {**base.time.wait, "log file sync": base.time.wait["SQL*Net message from client"]}
    more_s = waited["log file sync"].total_s
    time = base.time.model_copy(update={"wait": waited, "elapsed_s": base.time.elapsed_s + more_s})
    said = why(base, base.model_copy(update={"time": time}))
    assert said[0].startswith("log file sync appears, which costs 93.")


def test_a_difference_within_the_intervals_may_be_chance() -> None:
    def replicated(result: RunResult, half: float) -> RunResult:
        s = result.time.elapsed_s
        interval = Interval(low_s=s - half, high_s=s + half, confidence=0.95)
        return result.model_copy(update={"time": result.time.model_copy(update={"interval": interval})})

    base, other = answer("rahn-full-scan"), answer("rahn-full-scan", "tablespace.block_size_bytes=2K")
    assert "may be chance: the 95% intervals" in why(replicated(base, 5), replicated(other, 5))[0]
    assert "may be chance" not in " ".join(why(replicated(base, 0.01), replicated(other, 0.01)))


def test_every_cause_of_the_model_belongs_to_a_mechanism() -> None:
    """A cause that is renamed in the model would otherwise be told as a stranger."""
    asked = [(name, ()) for name in library()] + [("rahn-full-scan", ("workload.users=50", "host.cpus=1"))]
    names = {name for scenario, settings in asked for name in components(answer(scenario, *settings))}
    assert names <= MECHANISM.keys()
