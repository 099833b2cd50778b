"""The range of conditions that a constant was fitted in."""

from __future__ import annotations

from math import isnan
from typing import Final

from blocktime.model.demand.operating_conditions import conditions_of
from blocktime.model.workloads.families import family_of
from blocktime.scenarios import load
from blocktime.validation.numbers import MeasuredNumber

RANGES: Final[dict[str, tuple[str, ...]]] = {
    "logical_io_s": ("block_size_bytes",),
    "line_miss_s": ("row_bytes",),
    "line_stream_s": ("row_bytes",),
    "row_step_s": ("row_bytes",),
    "column_step_ratio": ("columns",),
    "fetch_column_s": ("sent_columns", "arraysize_rows"),
    "between_calls_s": ("arraysize_rows",),
    "reap_call_s": ("read_bytes",),
    "buffer_block_s": ("block_size_bytes",),
    "migrate_row_s": ("row_bytes", "growth_bytes"),
    "itl_entry_s": ("itl_entries",),
    "insert_row_s": ("row_bytes", "arraysize_rows"),
    "insert_column_s": ("columns", "row_bytes"),
    "change_block_s": ("rows_per_change",),
    "write_call_s": ("call_bytes",),
    "page_write_s": ("call_bytes",),
    "journal_age_s": ("written_bytes",),
    "row_s": ("arraysize_rows",),
    "column_s": ("sent_columns", "row_bytes"),
    "round_trip_s": ("message_bytes",),
    "message_send_s": ("message_bytes",),
    "more_data_send_s": ("arraysize_rows",),
    "send_cpu_fraction": ("arraysize_rows",),
    "overhead_s": ("request_bytes", "in_flight"),
    "bandwidth_bytes_per_s": ("request_bytes", "in_flight"),
    "write_bandwidth_bytes_per_s": ("request_bytes", "written_bytes"),
    "cpuspeed_hz": ("columns",),
    "block_cycles": ("block_size_bytes",),
}
"""Field of the catalog -> what matters for it physically, and so bounds where it was fitted."""


def conditions_behind(number: MeasuredNumber) -> dict[str, float]:
    """The quantities that ranges are stated in, as the run that predicts *number* has them.

    Of several streams the first counts, whose numbers are printed.
    """
    name, settings = number.pick
    scenario = load(name, settings)
    system, work = scenario.system, scenario.workload
    asks = family_of(work.kind).demand
    demand = asks(system, work) if asks else None
    quantities = conditions_of(system, work, demand)[0].quantities
    return {quantity: float(value) for quantity, value in quantities.items() if not isnan(value)}


def range_of(name: str, conditions: list[dict[str, float]]) -> dict[str, tuple[float, float]]:
    """Smallest and largest value, in six digits, of each quantity that plays a part in all runs behind a constant."""
    ranges = {}
    for quantity in RANGES.get(name.split(": ")[1], ()):
        values = [_rounded(c[quantity]) for c in conditions if quantity in c]
        if len(values) == len(conditions):
            ranges[quantity] = (min(values), max(values))
    return ranges


def _rounded(value: float) -> float:
    return value if value == round(value) else float(f"{value:.6g}")
