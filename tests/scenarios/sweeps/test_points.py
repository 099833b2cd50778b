"""Points are resolved quickly and exactly as ``load`` resolves them, and named by what their answers depend on."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.errors import SpecError
from blocktime.scenarios.load import load, source_of
from blocktime.scenarios.sweeps.points import (
    DIGEST_BYTES,
    Points,
    _is_plain,
    _marks_of,
    mark_of,
    run_mark,
    version_of_model,
)
from blocktime.scenarios.sweeps.sweep_plan import keys_of
from tests.scenarios.every_field import fields_of

# What a sweep may vary of a full scan, with values as a user writes them: plain fields, nested ones, a catalog entry.
FIELDS: dict[str, list[Any]] = {
    "tablespace.block_size_bytes": [2048, "4K", 8192, 16384],
    "table.pctfree_percent": [0, 10, 33.5],
    "table.cached_fraction": [0, 0.5],
    "instance.db_file_multiblock_read_count": [1, 8, "auto"],
    "instance.statistics.cpuspeed_hz": [1e8, 741_512_000],
    "instance.release": ["10.2.0.4", "11.1.0.6"],
    "host.io_path": ["asm", "buffered"],
    "disk.use": ["sas-15k", "nvme"],
    "disk.overhead_s": ["5ms", 0.001],
    "workload.arraysize_rows": [10, 100],
    "workload.users": [1, 4],
}


def every_plain_field(kind: str) -> list[str]:
    """The keys that replace one number and nothing around it."""
    numbers = ("integer", "number")
    return [
        key
        for key, schema in fields_of(kind)
        if _is_plain(key) and any(form.get("type") in numbers for form in schema.get("anyOf", [schema]))
    ]


@st.composite
def points(draw: st.DrawFn) -> dict[str, Any]:
    keys = draw(st.lists(st.sampled_from(sorted(FIELDS)), unique=True, min_size=1, max_size=6))
    return {key: draw(st.sampled_from(FIELDS[key])) for key in keys}


def written(values: dict[str, Any]) -> list[str]:
    return [f"{key}={value}" for key, value in values.items()]


def bare(one: Any) -> Any:
    """The numbers of a system, without where they come from."""
    return one.system.model_copy(update={"constants": {}}), one.workload


@given(points(), points())
@settings(deadline=None)
def test_a_point_is_what_load_makes_of_its_values_whatever_came_before(
    first: dict[str, Any], values: dict[str, Any]
) -> None:
    many = Points(source_of("rahn-full-scan"), list(values))
    many.point({key: first.get(key, value) for key, value in values.items()})
    assert bare(many.point(values)) == bare(load("rahn-full-scan", written(values)))
    assert bare(many.scenario(values)) == bare(load("rahn-full-scan", written(values)))


@given(points())
@settings(deadline=None)
def test_one_scenario_has_one_digest_however_it_was_come_by(values: dict[str, Any]) -> None:
    by_axes = Points(source_of("rahn-full-scan"), list(values)).point(values)
    by_setting = Points(source_of("rahn-full-scan", written(values)), []).base
    assert by_axes.digest == by_setting.digest
    *some, last = values
    mixed = source_of("rahn-full-scan", written({last: values[last]}))
    # a catalog entry laid over single fields takes them along: then the order decides what the scenario is
    if not any(key.endswith(".use") for key in values):
        assert Points(mixed, some).point(values).digest == by_axes.digest


@given(points(), points())
@settings(deadline=None)
def test_scenarios_with_other_numbers_have_other_digests(one: dict[str, Any], other: dict[str, Any]) -> None:
    first = Points(source_of("rahn-full-scan"), list(one)).point(one)
    second = Points(source_of("rahn-full-scan"), list(other)).point(other)
    if bare(first) != bare(second):  # equal ones differ too where a constant is fitted here and given there
        assert first.digest != second.digest


PLAIN = sorted(key for key in every_plain_field("transactions") if key.split(".")[0] != "table")
"""Fields that hold one number each, of the system and of the workload."""


@given(st.lists(st.sampled_from(PLAIN), min_size=2, max_size=2, unique=True), st.integers(1, 5), st.integers(1, 5))
def test_values_that_change_places_make_another_point(keys: list[str], one: int, other: int) -> None:
    """The name of a field is part of what is told apart, not its value alone."""
    points = Points(source_of("tpc-b"), keys)
    try:
        first = points.point(dict(zip(keys, (one, other), strict=True)))
        second = points.point(dict(zip(keys, (other, one), strict=True)))
    except SpecError:  # one of the two cannot be
        return
    assert (first.digest == second.digest) == (bare(first) == bare(second))


@pytest.mark.parametrize("name", ["rahn-full-scan", "magni-imp-4k", "magni-dd-fs-100", "tpc-b"])
def test_every_field_has_a_mark_of_its_own(name: str) -> None:
    """Equal values in different fields, of sections within sections too, are told apart."""
    scenario = load(name)
    marks = {**_marks_of(scenario.system), **_marks_of(scenario.workload, "workload.")}
    assert len(marks) > 100
    assert len(set(marks.values())) == len(marks)


def test_titles_and_names_are_not_part_of_the_digest_but_seed_and_way_are_of_the_key() -> None:
    one = source_of("rahn-full-scan")
    assert Points(one.with_layer("one", {}), []).base.digest == Points(one, []).base.digest
    digest = Points(one, []).base.digest
    keys = [keys_of(digest, run_mark(seed, way)) for way in ("", " over table.rows") for seed in (1, 2)]
    assert len({bytes(key) for (key,) in keys}) == 4


@pytest.mark.parametrize("changed", [{"how": "assumed"}, {"range": {"table.rows": (1.0, 2.0)}}])
def test_whence_a_constant_comes_is_part_of_the_digest(
    changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer says where a constant was fitted, and warns outside."""
    source = source_of("rahn-full-scan")
    before, scenario = Points(source, []).base.digest, load("rahn-full-scan")
    constants = {path: constant.model_copy(update=changed) for path, constant in scenario.system.constants.items()}
    system = scenario.system.model_copy(update={"constants": constants})
    other = scenario.model_copy(update={"system": system})
    monkeypatch.setattr(Points, "scenario", lambda *_: other)
    assert Points(source, []).base.digest != before


def test_a_flag_is_no_number_whatever_came_before() -> None:
    points = Points(source_of("rahn-full-scan"), ["table.initrans"])
    points.point({"table.initrans": 1})
    with pytest.raises(SpecError, match="True is not a number"):
        points.point({"table.initrans": True})


def test_the_version_covers_the_laws(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil
    from pathlib import Path

    from blocktime import model

    before = version_of_model()
    copy = tmp_path / "model"
    shutil.copytree(Path(model.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(model, "__file__", str(copy / "__init__.py"))
    version_of_model.cache_clear()
    assert version_of_model() == before
    with (copy / "laws" / "device_time.py").open("a") as law:
        law.write("\n")
    version_of_model.cache_clear()
    assert version_of_model() != before
    monkeypatch.undo()
    version_of_model.cache_clear()


def test_points_travel_and_say_the_same_there() -> None:
    values = {"disk.use": "nvme", "table.rows": 5_000}
    points = Points(source_of("rahn-full-scan"), list(values))
    there = pickle.loads(pickle.dumps(points))
    assert there.point(values) == points.point(values)
    assert len(pickle.dumps(points)) < 50_000


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"table.pctfree_percent": 200}, ["table.pctfree_percent: got 200", "at most 99"]),
        ({"table.pctfree": 10}, ["table.pctfree: there is no such field", "pctfree_percent"]),
        ({"tabel.rows": 10}, ["no section named 'tabel'"]),
        ({"rows": 10}, ["'rows' names no field"]),
        ({"disk.use": "nvmee"}, ["disk.use", "did you mean nvme"]),
        ({"table.rows": [1, 2]}, ["table.rows: got [1, 2]"]),
        ({"table.rows": {"a": 1}}, ["table.rows: got {'a': 1}"]),
        ({"disk.raid_level": "10", "disk.raid_disks": 3}, ["raid_disks 3"]),
        ({"table.initrans": 200, "tablespace.block_size_bytes": 2048}, ["initrans 200", "2048"]),
    ],
)
def test_a_point_that_cannot_be_says_why(values: dict[str, Any], said: list[str]) -> None:
    with pytest.raises(SpecError) as fault:
        Points(source_of("rahn-full-scan"), list(values)).point(values)
    for part in said:
        assert part in str(fault.value)


def test_a_kind_of_transaction_is_changed_by_its_number() -> None:
    points = Points(source_of("tpc-b"), ["workload.mix.0.gets", "workload.users"])
    point = points.point({"workload.mix.0.gets": 77, "workload.users": 3})
    assert point.workload.mix[0].gets == 77  # type: ignore[union-attr]
    assert point.workload.users == 3  # type: ignore[union-attr]


@pytest.mark.parametrize("file", ["laws.py", "catalog/disk.toml"])
def test_answers_depend_on_code_and_catalog(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "catalog").mkdir()
    for name in ("__init__.py", "laws.py", "catalog/disk.toml", "notes.txt"):
        (tmp_path / name).write_text("1", encoding="utf-8")
    monkeypatch.setattr("blocktime.model.__file__", str(tmp_path / "__init__.py"))
    before = version_of_model.__wrapped__()
    (tmp_path / "notes.txt").write_text("2", encoding="utf-8")
    assert version_of_model.__wrapped__() == before
    (tmp_path / file).write_text("2", encoding="utf-8")
    assert version_of_model.__wrapped__() != before


def test_keys_are_sums_of_marks() -> None:
    digests = bytes(np.random.default_rng(1).bytes(4 * DIGEST_BYTES))
    for place, key in enumerate(keys_of(digests, run_mark(3))):
        digest = digests[place * DIGEST_BYTES :][:DIGEST_BYTES]
        total = int.from_bytes(digest, "big") + run_mark(3)
        assert bytes(key) == (total % 2 ** (8 * DIGEST_BYTES)).to_bytes(DIGEST_BYTES, "big")


@given(st.lists(st.one_of(st.floats(allow_nan=False), st.integers(-(2**60), 2**60)), unique=True))
def test_other_numbers_have_other_marks(numbers: list[float]) -> None:
    assert len({mark_of("table.rows", number) for number in numbers}) == len(set(numbers))
