"""iostat's columns from sums over a span."""

import numpy as np
import pytest

from blocktime.model.laws.iostat_columns import DeviceSums, columns_of, quantities

BUSY = DeviceSums((60, 20), (20, 5), (480_000, 320_000), ticks_s=(3.0, 1.0), busy_s=1.6, flushes=(4, 0.1))
IDLE = DeviceSums((0, 0), (0, 0), (0, 0), ticks_s=(0.0, 0.0), busy_s=0.0)


def test_columns_are_sums_over_the_span_or_over_the_requests() -> None:
    assert quantities(BUSY, 2.0) == pytest.approx(
        {
            "merged_reads_per_s": 10.0,
            "merged_writes_per_s": 2.5,
            "reads_per_s": 30.0,
            "writes_per_s": 10.0,
            "read_bytes_per_s": 240_000.0,
            "written_bytes_per_s": 160_000.0,
            "average_request_bytes": 10_000.0,
            "average_queue": 2.0,
            "read_await_s": 0.05,
            "write_await_s": 0.05,
            "average_read_bytes": 8000.0,
            "average_write_bytes": 16_000.0,
            "reads_merged_fraction": 0.25,
            "writes_merged_fraction": 0.2,
            "flushes_per_s": 2.0,
            "flush_await_s": 0.025,
            "await_s": 0.05,
            "service_s": 0.02,
            "utilisation_fraction": 0.8,
        }
    )


def test_a_device_is_never_busier_than_all_the_time() -> None:
    columns = quantities(BUSY._replace(busy_s=2.0 + 1e-9), 2.0)
    assert columns["utilisation_fraction"] == 1.0
    assert columns["service_s"] == 2.0 / 80


def test_an_idle_device_has_zeros_alone_and_beside_a_busy_one() -> None:
    assert set(quantities(IDLE, 2.0).values()) == {0.0}
    both = DeviceSums(
        *(np.array(pair).T if np.ndim(pair[0]) else np.array(pair) for pair in zip(BUSY, IDLE, strict=True))
    )
    for name, values in quantities(both, 2.0).items():
        assert values.tolist() == [quantities(BUSY, 2.0)[name], 0.0], name


HEADS = {
    "2.6.5": "rrqm/s wrqm/s r/s w/s rsec/s wsec/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util",
    "2.6.18": "rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util",
    "2.6.34": "rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util",
    "3.10": "rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
    "4.15": "r/s w/s rkB/s wkB/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz svctm %util",
    "5.4": (
        "r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz d/s dkB/s drqm/s %drqm "
        "d_await dareq-sz aqu-sz %util"
    ),
    "5.15": (
        "r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz d/s dkB/s drqm/s %drqm "
        "d_await dareq-sz f/s f_await aqu-sz %util"
    ),
}
"""Kernel release -> the columns of iostat -x that published outputs under such kernels have."""


@pytest.mark.parametrize("kernel", HEADS)
def test_a_kernel_gets_the_columns_of_the_newest_sysstat_older_than_itself(kernel: str) -> None:
    assert " ".join(columns_of(kernel)) == HEADS[kernel]


@pytest.mark.parametrize(
    ("last", "first", "changed"),
    [
        ("2.6.16", "2.6.17", {"rkB/s", "wkB/s"}),
        ("2.6.34", "2.6.35", {"r_await", "w_await"}),
        ("5.4", "5.5", {"f/s", "f_await"}),
    ],
)
def test_columns_change_with_one_release(last: str, first: str, changed: set[str]) -> None:
    assert set(columns_of(last)) ^ set(columns_of(first)) == changed
    assert columns_of(None) == columns_of("2.6.5")
