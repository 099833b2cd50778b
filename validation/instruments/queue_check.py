"""Little's law in what iostat and sar print: queue = rate x await, in the means of each device [lazowska-1984]."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from operator import mul
from typing import Final

from blocktime.validation.instruments.figures import Reading, Series, plural

LITTLE: Final = 0.03
"""Queue and rate x await differ by more only where they are not of the same requests."""
MS: Final = 1e-3
"""Awaits are printed in milliseconds."""
QUEUES: Final = ("aqu-sz", "avgqu-sz")
AWAITS: Final = {"r_await": "r/s", "w_await": "w/s", "d_await": "d/s", "f_await": "f/s"}
"""Mean time of a kind of requests -> the column that counts them."""


def contradictions(reading: Reading) -> Iterator[str]:
    """A sentence where the means of devices contradict Little's law, with the device that is farthest off."""
    checked = [(series.of, each) for series in reading.series if (each := queue_of(series, reading.first_sample))]
    off = [(of, *each) for of, each in checked if not each[0] - each[2] <= each[1] <= each[0] + each[2]]
    if off:
        of, queue, product, _ = max(off, key=lambda row: abs(row[2] - row[1]))
        yield (
            f"Little's law does not hold in the means of {plural(len(off), 'device')} of {len(checked):,}: {of} has a "
            f"queue of {queue:.2f}, and its requests a second times their await are {product:.2f}; use await with care"
        )


def queue_of(series: Series, first_sample: int) -> tuple[float, float, float] | None:
    """Mean queue, mean rate x await, and by how much they may differ; None without the three columns."""
    places = {column.name: place for place, column in enumerate(series.columns)}
    queue = next((name for name in QUEUES if name in places), None)
    pairs = [(rate, each) for each, rate in AWAITS.items() if each in places and rate in places]
    if not pairs and "await" in places:
        pairs = [(name, "await") for name in (("tps",) if "tps" in places else ("r/s", "w/s")) if name in places]
    if queue is None or not pairs:
        return None
    first, wide = series.first_row(first_sample), len(series.columns)
    rows = max(1, len(series.lines) - first)
    printed = {name: series.values[first * wide + places[name] :: wide] for name in (queue, *chain(*pairs))}
    grains = {name: series.columns[places[name]].grain for name in printed}
    waiting = sum(printed[queue]) / rows
    product = sum(sum(map(mul, printed[rate], printed[each])) for rate, each in pairs) * MS / rows
    grain = grains[queue] + MS / 2 * sum(
        grains[each] * sum(printed[rate]) / rows + grains[rate] * sum(printed[each]) / rows for rate, each in pairs
    )
    return waiting, product, LITTLE * waiting + grain
