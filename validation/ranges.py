"""The range of conditions that a constant was fitted in."""

from __future__ import annotations

from typing import Final

from model.books import conditions_of
from model.demand import demand_of
from model.spec import Stream
from scenarios import load
from validation.numbers import MeasuredNumber

# Quantity -> fields whose fitted range it bounds.
RANGES: Final[dict[str, tuple[str, ...]]] = {
    "logical_io_s": ("block_size_bytes",),
    "line_miss_s": ("row_bytes",),
    "line_stream_s": ("row_bytes",),
    "row_step_s": ("row_bytes",),
    "column_step_ratio": ("columns",),
    "fetch_column_s": ("columns", "arraysize_rows"),
    "row_s": ("arraysize_rows",),
    "between_calls_s": ("arraysize_rows",),
    "send_cpu_fraction": ("arraysize_rows",),
    "more_data_send_s": ("arraysize_rows",),
    "reap_call_s": ("read_bytes",),
    "buffer_block_s": ("block_size_bytes",),
    "update_row_s": ("row_bytes", "growth_bytes"),
    "migrate_row_s": ("row_bytes", "growth_bytes"),
    "itl_entry_s": ("itl_entries",),
}


def conditions_behind(number: MeasuredNumber) -> dict[str, float]:
    """The quantities that ranges are stated in, as the run that predicts *number* has them."""
    name, settings = number.pick
    scenario = load(name, settings)
    if isinstance(scenario.workload, Stream):
        return {}
    demand = demand_of(scenario.system, scenario.workload)
    return conditions_of(scenario.system, scenario.workload, demand)


def range_of(name: str, conditions: list[dict[str, float]]) -> dict[str, tuple[float, float]]:
    """Smallest and largest value of each quantity that plays a part in all the runs behind a constant."""
    found = {}
    for quantity in RANGES.get(name.split(": ")[1], ()):
        values = [round(c[quantity], 4) for c in conditions if quantity in c]
        if len(values) == len(conditions):
            found[quantity] = (min(values), max(values))
    return found
