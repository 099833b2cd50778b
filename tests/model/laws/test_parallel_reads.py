"""Batches of reads: exact in the mean; the slowest of several, against small cases worked out by hand."""

import numpy as np
import pytest
from scipy.special import gammainc

from blocktime.model.laws.parallel_reads import batches_of, gamma_below, mean_batches, slowest_service, whole_sizes


@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.68, 0.99])
def test_the_share_of_the_reads_is_met_for_each_number_of_reads(fraction: float) -> None:
    for reads in range(2, 60):
        full, last, chance = batches_of(reads, fraction, 9)
        in_batches = full * 9 + last * chance
        assert full * 9 + last <= reads
        if last:
            assert in_batches == pytest.approx(fraction * reads)
        else:
            assert fraction * reads - in_batches <= 1


def test_all_reads_go_in_batches_and_one_that_is_left_alone() -> None:
    assert batches_of(20, 1.0, 9) == (2, 2, 1.0)
    assert batches_of(19, 1.0, 9) == (2, 0, 0.0)
    assert batches_of(5, 1.0, 9) == (0, 5, 1.0)


def test_sizes_are_whole_and_reads_a_wait_the_mean() -> None:
    sizes = whole_sizes(8.94)
    assert sum(share for _, share in sizes) == pytest.approx(1)
    assert sum(share / size for size, share in sizes) == pytest.approx(1 / 8.94)


def test_the_mean_transaction_has_the_batches_of_all_numbers_of_reads() -> None:
    found = mean_batches(100.0, 0.7, 0.6, 8.0)
    assert sum(size * count for size, count in found.items()) == pytest.approx(42, rel=1e-6)
    assert mean_batches(40.0, 1.0, 1.0, 8.0) == {8: 5.0}


def test_the_longest_of_exponential_services_is_harmonic() -> None:
    harmonic = sum(1 / count for count in range(1, 9))
    assert slowest_service(8, 1.0) == pytest.approx(harmonic, rel=1e-3)
    assert slowest_service(8, 0.0) == 1.0  # all take equally long


@pytest.mark.parametrize("shape", [0.04, 0.5, 1.0, 4.0, 100.0, 1e4])
def test_the_gamma_distribution_is_that_of_scipy(shape: float) -> None:
    values = np.linspace(0.0, 5 * shape + 5, 500)
    assert gamma_below(shape, values) == pytest.approx(gammainc(shape, values), abs=1e-10)
