"""A path may go into a list, as in ``table.indexes.0.key_bytes``: in settings, in axes of sweeps, in files."""

import pytest

from blocktime.model.errors import SpecError
from blocktime.scenarios import load
from blocktime.scenarios.load import from_mapping, source_of, to_mapping
from blocktime.scenarios.sweeps.points import Points


def test_a_setting_changes_one_field_of_one_entry() -> None:
    before, after = (
        load("insert-with-indexes", changes).system.table.indexes
        for changes in ([], ["table.indexes.2.key_bytes=40", "table.indexes.2.unique=true"])
    )
    assert after[:2] == before[:2]
    assert after[2] == before[2].model_copy(update={"key_bytes": 40, "unique": True})


def test_a_scenario_with_it_is_written_and_read_again() -> None:
    scenario = load("insert-with-indexes", ["table.indexes.2.key_bytes=40"])
    assert from_mapping(to_mapping(scenario)).system == scenario.system


def test_an_axis_goes_along_a_field_of_an_entry() -> None:
    points = Points(source_of("insert-with-indexes"), ["table.indexes.0.key_bytes", "table.rows"])
    values = [{"table.indexes.0.key_bytes": size, "table.rows": 1000} for size in (5, 30)]
    found = [points.point(one) for one in values]
    assert [point.system.table.indexes[0].key_bytes for point in found] == [5, 30]
    assert found[0].digest != found[1].digest


@pytest.mark.parametrize(
    ("name", "setting", "says"),
    [
        ("insert-with-indexes", "table.indexes.3.key_bytes=9", "table.indexes.3: table.indexes has 3 entries; "
         "allowed are 0 to 2"),
        ("insert-with-indexes", "table.indexes.name.key_bytes=9", "table.indexes.name: table.indexes has 3 entries"),
        ("insert-with-indexes", "table.indexes.-1.key_bytes=9", "table.indexes.-1: table.indexes has 3 entries"),
        ("insert-with-indexes", "table.indexes.0.key_byte=9", "table.indexes.0.key_byte: there is no such field"),
        ("insert-with-indexes", "table.indexes.0.key_bytes.1=9", "table.indexes.0.key_bytes: got {'1': 9}"),
        ("index-range-scan", "table.indexes.0.key_bytes=9", "table.indexes.0: table.indexes has no entries here; "
         "give the list as a whole"),
    ],
)  # fmt: skip
def test_a_path_that_leads_nowhere_is_told_in_a_sentence(name: str, setting: str, says: str) -> None:
    with pytest.raises(SpecError) as told:
        load(name, [setting])
    assert says in str(told.value)
    assert "\n" not in str(told.value)
