"""Flash that collects garbage: the law, what data sheets print, fresh drives and sets."""

from math import log
from random import Random

import pytest
from pydantic import ValidationError

from blocktime.model import simulate
from blocktime.model.laws.garbage_collection import amplification
from blocktime.model.machine.device.flash import Flash
from blocktime.model.spec import Disk, Host, System, WriteStream
from blocktime.model.units import GIB, MIB
from blocktime.scenarios import from_mapping

DRIVE = Disk(
    overhead_s=1e-4, write_overhead_s=2e-5, average_seek_s=0.0, rotation_s=0.0, bandwidth_bytes_per_s=500e6,
    parallel_requests=16, queue_depth=32, capacity_bytes=100 * GIB, spare_fraction=0.1,
)  # fmt: skip
RANDOM = {"pattern": "random", "in_flight": 16, "count": 4_000}


def test_the_law_gives_what_is_printed_for_thirty_per_cent() -> None:
    assert amplification(1.3) == pytest.approx(2.36, abs=0.005)  # [xiang-kurkoski-2012]


@pytest.mark.parametrize("ratio", [1.05, 1.2, 2.0, 4.0])
def test_the_share_that_still_counts_is_what_random_overwriting_leaves(ratio: float) -> None:
    kept = 1 - 1 / amplification(ratio)
    assert -log(kept) / (1 - kept) == pytest.approx(ratio)


def test_flash_that_is_played_page_by_page_writes_as_much_again() -> None:
    """Blocks are collected in the order in which they were written, over 1,000 pages of data and 1,300 of flash."""
    chance, pages, log_of_pages = Random(1), 1_000, list(range(1_000))
    version = dict.fromkeys(range(pages), 0)
    written = [(page, 0) for page in log_of_pages]
    head, host, again = 0, 0, 0
    while host < 60_000:
        while len(written) - head >= 1_300:
            page, number = written[head]
            head += 1
            if version[page] == number:
                written.append((page, number))
                again += host > 20_000
        page = chance.randrange(pages)
        version[page] += 1
        written.append((page, version[page]))
        host += 1
    assert 1 + again / 40_000 == pytest.approx(amplification(1.3), rel=0.02)


@pytest.mark.parametrize(
    ("disk", "size", "printed_per_s"),
    [
        ("intel-s4500", 4096, 33_000), ("intel-s4500", 8192, 21_000), ("intel-p4500", 4096, 38_000),
        ("samsung-pm983", 4096, 50_000),
    ],
)  # fmt: skip
def test_drives_sustain_the_writes_of_their_data_sheets(disk: str, size: int, printed_per_s: float) -> None:
    calls = {"kind": "write_stream", "path": "raw", "block_size_bytes": size, **RANDOM, "in_flight": 32}
    scenario = from_mapping({"disk": {"use": disk}, "workload": calls})
    took_s = simulate(scenario.system, scenario.workload).time.elapsed_s
    assert 4_000 / took_s == pytest.approx(printed_per_s, rel=0.01)


def test_a_fresh_drive_is_as_quick_as_one_without_spare_flash_until_it_is_full() -> None:
    system = System(host=Host(io_path="direct"), disk=DRIVE.model_copy(update={"fresh": True}))
    work = WriteStream(block_size_bytes=8192, **RANDOM)  # type: ignore[arg-type]
    plain = system.model_copy(update={"disk": DRIVE.model_copy(update={"spare_fraction": None})})
    assert simulate(system, work).time.elapsed_s == pytest.approx(simulate(plain, work).time.elapsed_s)
    worn = system.model_copy(update={"disk": DRIVE})
    assert simulate(worn, work).time.elapsed_s > 4 * simulate(system, work).time.elapsed_s


def test_a_fresh_drive_takes_what_holds_no_data_before_it_collects() -> None:
    fields = {"fresh": True, "capacity_bytes": 100 * MIB, "used_fraction": 0.9, "parallel_requests": 1}
    drive, times, done = Flash(DRIVE.model_copy(update=fields)), list[float](), 0.0
    for number in range(3_000):
        begun, done = done, drive.submit(done, True, 8192 * (7_919 * number % 11_520), 8192)
        times.append(done - begun)
    first = next(place for place, took in enumerate(times) if took > 1.2 * times[1])
    assert first == pytest.approx(20 * MIB / 8192, abs=3)  # a tenth is not used, and a tenth more is spare


def test_runs_in_order_collect_nothing_even_where_several_alternate() -> None:
    drive, before = Flash(DRIVE), [number * GIB for number in range(4)]
    done = 0.0
    for number in range(100):
        for place in before:
            begun, done = done, drive.submit(done, True, place + number * MIB, MIB)
            took = done - begun
    assert took == pytest.approx(2e-5 + MIB / 500e6)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"rotation_s": 0.004}, "spare_fraction is for flash"),
        ({"service_cv": 1.0, "write_overhead_s": None}, "spare_fraction is for flash"),
        ({"spare_fraction": None, "fresh": True}, "fresh is for flash that collects garbage"),
        ({"slc_cache_bytes": MIB, "slc_full_bytes_per_s": 1e6}, "goes without slc_cache_bytes"),
        ({"spare_fraction": 0.0}, "greater than or equal to 0.005"),
    ],
)
def test_what_collects_nothing_is_refused(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Disk(**(DRIVE.model_dump() | fields))
