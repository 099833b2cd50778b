"""A number's name carries its unit, or it is a count that needs none."""

import inspect
import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from blocktime.model import results, spec
from blocktime.model.units import COUNTS, SUFFIXES, unit_of


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


FIELDS = sorted(set(numeric_fields()))


def test_there_are_numbers_on_both_sides() -> None:
    assert ("Disk", "overhead_s") in FIELDS
    assert ("Table", "row_bytes") in FIELDS  # a number or nothing
    assert ("Instance", "db_file_multiblock_read_count") in FIELDS  # a number or "auto"
    assert ("DeviceStats", "await_s") in FIELDS


def test_a_numeric_field_names_its_unit_or_is_a_count() -> None:
    unnamed = [pair for pair in FIELDS if not pair[1].endswith(tuple(SUFFIXES)) and pair[1] not in COUNTS]
    assert not unnamed, f"none of the suffixes {' '.join(SUFFIXES)}, and not in model.units.COUNTS"


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


@pytest.mark.parametrize(
    "suffix", ["_ms", "_us", "_ns", "_kb", "_mb", "_gb", "_pct", "_sec", "_seconds", "_minutes"]
)
def test_no_field_is_in_another_unit(suffix: str) -> None:
    assert not [pair for pair in FIELDS if pair[1].endswith(suffix)]
