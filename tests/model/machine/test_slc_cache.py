"""Flash with an SLC cache: full rate until it is full, the cells' rate from then on, emptied while nothing is asked."""

import pytest
from pydantic import ValidationError

from blocktime.model.machine.device.flash import Flash
from blocktime.model.spec import Disk
from blocktime.model.units import MIB

DRIVE = Disk(
    overhead_s=0.0, average_seek_s=0.0, rotation_s=0.0, bandwidth_bytes_per_s=400.0 * MIB, slc_cache_bytes=10 * MIB,
    slc_full_bytes_per_s=100.0 * MIB, parallel_requests=4, queue_depth=32,
)  # fmt: skip
"""4 ms for 1.6 MiB into the cache, 16 ms beyond it."""


def test_a_full_cache_leaves_the_rate_of_the_cells() -> None:
    drive, done, took = Flash(DRIVE), 0.0, []
    for number in range(14):
        before = done
        done = drive.submit(before, True, number * MIB, MIB)
        took.append(done - before)
    assert took[:10] == pytest.approx([1 / 400] * 10)
    assert took[10:] == pytest.approx([1 / 100] * 4)


def test_a_write_that_fits_in_part_goes_at_both_rates() -> None:
    drive = Flash(DRIVE)
    done = drive.submit(0.0, True, 0, 8 * MIB)
    assert drive.submit(done, True, 8 * MIB, 4 * MIB) - done == pytest.approx(2 / 400 + 2 / 100)


def test_an_idle_drive_empties_the_cache_and_a_busy_one_does_not() -> None:
    drive = Flash(DRIVE)
    done = drive.submit(0.0, True, 0, 10 * MIB)
    read = drive.submit(done, False, 0, 40 * MIB)  # 0.1 s
    assert drive.submit(read, True, 0, MIB) - read == pytest.approx(1 / 100)
    later = drive.free_s + 0.03  # 3 MiB leave it
    assert drive.submit(later, True, 0, 4 * MIB) - later == pytest.approx(3 / 400 + 1 / 100)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"slc_full_bytes_per_s": None}, "needs slc_full_bytes_per_s"),
        ({"slc_full_bytes_per_s": 500.0 * MIB}, "is more than"),
        ({"rotation_s": 0.004}, "is for flash"),
        ({"service_cv": 1.0}, "is for flash"),
        ({"slc_cache_bytes": 1024**4}, "is more than capacity_bytes"),
    ],
)
def test_what_is_no_slc_cache_is_refused(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Disk(**(DRIVE.model_dump() | fields))
