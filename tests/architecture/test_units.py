"""A number's name carries its unit, or it is a count that needs none."""

import inspect
import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from blocktime.model import results, spec
from blocktime.model.spec.fields import Declaration
from blocktime.model.units import SUFFIXES, unit_of

# Counts, sizes whose name is the unit itself, ordinals and Oracle's own parameter names, which need no unit;
# amounts of money, whose currency stands beside them.
COUNTS = frozenset(
    {
        "waits", "blocks", "rows", "reads", "requests", "users", "sessions", "cpus", "initrans",
        "cpus_of_others", "seed", "cleanouts", "undo_gets",
        "columns",
        "column_count", "consistent_gets", "current_gets", "read_requests", "write_requests", "read_blocks",
        "hits", "misses", "blocks_before", "blocks_after", "migrated_rows", "itl_full_blocks", "rejected_probes",
        "rows_per_block", "average_queue", "bytes", "bytes_before", "bytes_after", "row_bytes_sd",
        "direct_read_slots", "redo_log_groups", "direct_read_slots_limit", "interleaved_blocks",
        "table_cached_blocks", "io_cost", "cpu_cost", "cost", "mbrc", "count", "disk", "query",
        "current", "db_file_multiblock_read_count", "nr_requests", "parallel_requests", "blevel",
        "clustering_factor", "key_columns", "leaf_blocks", "replications", "extents", "events", "confidence",
        "block", "itl_entries", "executions", "factor", "table_rows", "draws", "runs",
        "moved_in", "stubs", "commits", "in_place", "migrated", "moved_again", "searches", "placed",
        "batch", "fsync_every", "in_flight", "in_flight_most", "calls", "merged_reads", "merged_writes",
        "keys", "leaf_changes", "half_splits", "last_splits", "leaf_blocks_before", "leaf_blocks_after",
        "late_requests", "heads", "zones", "call_trips", "other_gets",
        "distinct_keys", "prefix_distinct_keys", "compress_columns",
        "degree", "servers", "starts", "buffers", "index_cost", "height", "parallel_max_servers",
        "db_writer_processes", "zipf_exponent",
        "queue_depth", "raid_disks", "max_segments", "iops_limit", "burst_iops", "burst_credits",
        "core_factor", "storage_iops", "licence", "support", "infrastructure", "storage", "total", "machine",
        "per_million_logical_io", "per_transaction",
        "threads_per_core", "db_writer_requests", "gets", "weight", "commits_per_log_write", "measured", "under_way",
        "per_s_low", "per_s_high", "saturation_users", "warm_up", "unwritten_blocks", "transactions",
        "rejected_itl", "rejected_space", "rejected_held", "repeats", "commit_every_rows", "chained_rows",
        "parallel_reads", "parallel_min_servers", "dirty_blocks", "written_blocks", "groups", "inner_column_count",
        "depth", "merge_width", "passes",
    }
)  # fmt: skip


def is_number(annotation: Any) -> bool:
    """Whether a field of this type holds a number, alone or among other things."""
    if annotation in (int, float):
        return True
    if get_origin(annotation) in (Union, types.UnionType, Annotated):
        return any(is_number(member) for member in get_args(annotation))
    return False


def numeric_fields() -> Iterator[tuple[str, str]]:
    """Class and name of every numeric field of the inputs and of the results."""
    for module in (spec, results):
        for name, model in inspect.getmembers(module, inspect.isclass):
            if issubclass(model, BaseModel) and model.__module__.startswith(module.__name__):
                for field, info in model.model_fields.items():
                    if is_number(info.annotation):
                        yield name, field


def declared_unit(model: str, field: str) -> str:
    """The unit that a field of the specification declares."""
    owner = getattr(spec, model, None)
    declared = owner.model_fields[field].json_schema_extra if owner and field in owner.model_fields else None
    return declared.unit if isinstance(declared, Declaration) else ""


FIELDS = sorted(set(numeric_fields()))


def test_there_are_numbers_on_both_sides() -> None:
    assert ("Disk", "overhead_s") in FIELDS
    assert ("Table", "row_bytes") in FIELDS  # a number or nothing
    assert ("Instance", "db_file_multiblock_read_count") in FIELDS  # a number or "auto"
    assert ("DeviceStats", "await_s") in FIELDS


def test_a_numeric_field_names_its_unit_or_is_a_count() -> None:
    unnamed = [
        (model, field)
        for model, field in FIELDS
        if not field.endswith(tuple(SUFFIXES)) and field not in COUNTS and not declared_unit(model, field)
    ]
    assert not unnamed, f"none of the suffixes {' '.join(SUFFIXES)}, and not in COUNTS"


def test_a_longer_suffix_comes_before_the_shorter_one_in_it() -> None:
    """``unit_of`` takes the first that fits: `_bytes_per_s` is no `_s`."""
    known = list(SUFFIXES)
    for index, suffix in enumerate(known):
        assert not [earlier for earlier in known[:index] if suffix.endswith(earlier)]
    assert unit_of("bandwidth_bytes_per_s") == "bytes/s"
    assert unit_of("reads_per_s") == "1/s"
    assert unit_of("overhead_s") == "s"


def test_no_count_has_a_suffix_that_would_give_it_a_unit_of_another_kind() -> None:
    wrong = {name: unit_of(name) for name in COUNTS if unit_of(name) not in ("", "blocks", "rows")}
    assert not wrong


@pytest.mark.parametrize("suffix", ["_ms", "_us", "_ns", "_kb", "_mb", "_gb", "_pct", "_sec", "_seconds", "_minutes"])
def test_no_field_is_in_another_unit(suffix: str) -> None:
    assert not [pair for pair in FIELDS if pair[1].endswith(suffix)]
