"""The popularity of the OLTP scenario's blocks against the clauses of TPC-C, and which description of it counts."""

import numpy as np
import pytest
from numpy.typing import NDArray

from blocktime.model.errors import BlocktimeError
from blocktime.scenarios import load, run

GETS = 86.9
"""Of the mean transaction, beside those of the hottest blocks."""


def nurand(bits: int, values: int) -> NDArray[np.float64]:
    """Probability of each value of TPC-C's NURand(2^bits - 1, 1, values) with C = 0 (clause 2.1.6), exactly.

    Pairs of a random number and a value whose OR lies within u are the pairs that both lie within u, so differences of
    their products over all subsets of bits count each OR.
    """
    low = 1 << bits
    value = np.arange(1, values + 1)
    counts = np.zeros((values // low + 1, low))
    np.add.at(counts, (value // low, value % low), 1.0)
    ones = np.ones(low)
    for bit in range(bits):
        within = (np.arange(low) >> bit & 1).astype(bool)
        counts[:, within] += counts[:, ~within]
        ones[within] += ones[~within]
    pairs = counts * ones
    for bit in range(bits):
        within = (np.arange(low) >> bit & 1).astype(bool)
        pairs[:, within] -= pairs[:, ~within]
    found = np.zeros(values)
    np.add.at(found, np.arange(pairs.size) % values, pairs.ravel())
    return found / found.sum()


def share(bits: int, values: int, rows: int, *reaches: float) -> list[float]:
    """Share of the accesses that go to the most popular share of the blocks, of so many *rows* each."""
    wanted = nurand(bits, values)
    blocks = np.add.reduceat(wanted, np.arange(0, values, rows))
    sums = np.cumsum(np.sort(blocks)[::-1])
    return [float(sums[int(reach * len(sums)) - 1]) for reach in reaches]


def test_nurand_has_the_skew_that_was_published() -> None:
    """84 % of the accesses to 20 % of the rows of STOCK, 75 % to 20 % of its pages of 4K [leutenegger-dias-1993]."""
    assert share(13, 100_000, 1, 0.2)[0] == pytest.approx(0.84, abs=0.005)
    assert share(13, 100_000, 13, 0.2)[0] == pytest.approx(0.75, abs=0.01)


def test_stock_and_customers_are_as_popular_as_nurand_makes_them() -> None:
    classes = load("oltp-nvme").workload.popularity
    stock, customers = classes[3:7], classes[7:9]
    for part, bits, values, rows, per_transaction in (
        (stock, 13, 100_000, 24, 0.45 * 10 + 0.04 * 200),
        (customers, 10, 3_000, 10, 0.45 + 0.43 * 2.2 + 0.04 * 2.2 + 0.04 * 10),
    ):
        blocks = np.cumsum([one.blocks_percent for one in part])
        gets = np.cumsum([one.gets_percent for one in part])
        assert gets[-1] == pytest.approx(100 * per_transaction / GETS, abs=0.1)
        reaches = blocks[:-1] / blocks[-1]
        assert gets[:-1] / gets[-1] == pytest.approx(share(bits, values, rows, *reaches), abs=0.02)


def test_gets_of_the_mean_transaction_are_those_that_the_classes_share() -> None:
    work = load("oltp-nvme").workload
    weights = sum(kind.weight for kind in work.mix)
    gets = sum(kind.weight * (kind.gets + kind.changed_blocks) for kind in work.mix) / weights
    assert gets * (1 - work.hottest_gets_percent / 100) == pytest.approx(GETS, rel=0.01)


def test_eight_of_64_gb_answer_most_gets_of_oltp() -> None:
    result = run(load("oltp-nvme"))
    assert result.cache is not None
    assert result.transactions is not None
    assert 0.85 < result.cache.hit_fraction < 0.95
    assert 8 < result.transactions.kinds[0].read_blocks < 15


def test_twice_the_cache_halves_the_reads() -> None:
    small, large = (run(load("oltp-nvme", [f"instance.buffer_cache_bytes={size}"])) for size in ("8G", "16G"))
    assert large.physical_io.read_requests == pytest.approx(small.physical_io.read_requests / 2, rel=0.05)


@pytest.mark.parametrize(
    ("setting", "stays"),
    [
        ("workload.zipf_exponent=0.9", "zipf_exponent"),
        ("workload.hot_gets_percent=90", "hot_gets_percent"),
        ("workload.hot_data_percent=10", "hot_data_percent"),
        ('workload.miss_curve=[{cache_bytes="1G",miss_percent=9},{cache_bytes="60G",miss_percent=1}]', "miss_curve"),
    ],
)
def test_a_way_to_say_popularity_replaces_the_one_below(setting: str, stays: str) -> None:
    work = load("oltp-nvme", [setting]).workload
    assert not work.popularity
    assert getattr(work, stays)
    given = {name for name in ("zipf_exponent", "miss_curve") if getattr(work, name)}
    assert given == {stays} & {"zipf_exponent", "miss_curve"}


def test_two_ways_in_one_place_are_still_refused() -> None:
    curve = 'workload.miss_curve=[{cache_bytes="1G",miss_percent=9},{cache_bytes="60G",miss_percent=1}]'
    with pytest.raises(BlocktimeError, match="both say how popular"):
        load("tpc-c", ["workload.zipf_exponent=0.9", curve])
