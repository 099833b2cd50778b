"""iostat's columns from sums over a span."""

from __future__ import annotations

import numpy as np
import pytest

from model.laws.iostat import DeviceSums, quantities

BUSY = DeviceSums((60, 20), (8, 4), (480_000, 320_000), ticks_s=4.0, busy_s=1.6)
IDLE = DeviceSums((0, 0), (0, 0), (0, 0), ticks_s=0.0, busy_s=0.0)


def test_columns_are_sums_over_the_span_or_over_the_requests() -> None:
    assert quantities(BUSY, 2.0) == pytest.approx(
        {
            "merged_reads_per_s": 4.0,
            "merged_writes_per_s": 2.0,
            "reads_per_s": 30.0,
            "writes_per_s": 10.0,
            "read_bytes_per_s": 240_000.0,
            "written_bytes_per_s": 160_000.0,
            "average_request_bytes": 10_000.0,
            "average_queue": 2.0,
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
