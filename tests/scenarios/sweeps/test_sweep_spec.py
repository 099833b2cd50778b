"""What a sweep's table and its axes may say, and the one sentence for whatever they may not."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.errors import SpecError, UnknownName
from blocktime.scenarios.sweeps.sweep_spec import Axis, Sweep, axis_of, sweep_of

USERS = {"key": "workload.users", "values": [1, 2]}
ROWS = {"key": "table.rows", "low": 1, "high": 10}
BOTH_ZIPPED = [{**USERS, "zip": "a"}, {**ROWS, "zip": "a", "points": 3}]

EXAMPLE = """
[sweep]
design = "crossed"
where = ["workload.users <= 50 * host.cpus"]
engine = "calculate"
replications = 2
[[sweep.axis]]
key = "tablespace.block_size_bytes"
values = [2048, "4K", 8192]
[[sweep.axis]]
key = "workload.users"
low = 1
high = 200
points = 20
scale = "log"
zip = "a"
"""


def said(axis: Axis) -> dict[str, Any]:
    return axis.model_dump(exclude_defaults=True)


def fault_of(table: object) -> str:
    with pytest.raises(SpecError) as caught:
        sweep_of(table, "mine.toml")
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) <= SpecError.LONGEST
    return sentence


# --- the table --------------------------------------------------------------------------------------------------------


def test_a_table_of_a_file_is_a_sweep() -> None:
    sweep = sweep_of(tomllib.loads(EXAMPLE)["sweep"])
    assert (sweep.design, sweep.replications, sweep.seed) == ("crossed", 2, 1)
    assert sweep.where == ("workload.users <= 50 * host.cpus",)
    assert [said(axis) for axis in sweep.axis] == [
        {"key": "tablespace.block_size_bytes", "values": (2048, 4096, 8192)},
        {"key": "workload.users", "low": 1, "high": 200, "points": 20, "scale": "log", "zip": "a"},
    ]


def test_axes_of_the_command_line_stand_beside_those_of_a_file() -> None:
    sweep = sweep_of({"axis": [USERS, axis_of("table.rows=1:9:3")]})
    assert [axis.key for axis in sweep.axis] == ["workload.users", "table.rows"]


@pytest.mark.parametrize(
    ("key", "values", "understood"),
    [
        ("tablespace.block_size_bytes", ["8K", 4096], (8192, 4096)),
        ("table.row_bytes_sd", ["1K"], (1024,)),
        ("host.copy_bytes_per_s", ["1.5G"], (1610612736,)),
        ("workload.start_byte", ["1K"], (1024,)),
        ("disk.overhead_s", ["5ms", 1], (0.005, 1)),
        ("disk.use", ["nvme", "8K"], ("nvme", "8K")),
        ("instance.disk_asynch_io", [True, False], (True, False)),
        (" workload . users ", [1, 2.5], (1, 2.5)),
    ],
)
def test_values_with_units_are_numbers_where_the_field_has_a_unit(
    key: str, values: list[Any], understood: tuple[Any, ...]
) -> None:
    axis = Axis(key=key, values=tuple(values))
    assert axis.values == understood
    assert [type(value) for value in axis.values or ()] == [type(value) for value in understood]
    assert axis.key == key.replace(" ", "")


@pytest.mark.parametrize(
    ("table", "parts"),
    [
        ([], ["sweep: got []", "table with fields"]),
        ({}, ["sweep.axis", "[[sweep.axis]]"]),
        ({"axis": []}, ["axis", "[[sweep.axis]]"]),
        ({"axis": USERS}, ["sweep.axis", "[[sweep.axis]]"]),
        ({"axis": ["a"]}, ["sweep.axis.0: got 'a'", "table with fields"]),
        ({"axis": [{"values": [1]}]}, ["sweep.axis.0.key", "missing"]),
        ({"axis": [{"key": 3, "values": [1]}]}, ["sweep.axis.0.key: got 3", "text"]),
        ({"axis": [{"key": "rows", "values": [1]}]}, ["'rows' names no field", "did you mean table.rows or"]),
        ({"axis": [{"key": "tabel.rows", "values": [1]}]}, ["'tabel'", "did you mean table?"]),
        ({"axis": [{**USERS, "vals": 3}]}, ["sweep.axis.0.vals", "did you mean values?"]),
        ({"axis": [USERS], "sede": 3}, ["sweep.sede", "did you mean seed?"]),
        ({"axis": [{"key": "table.rows"}]}, ["table.rows: has no values"]),
        ({"axis": [{"key": "table.rows", "values": []}]}, ["table.rows: has no values"]),
        ({"axis": [{"key": "table.rows", "values": 5}]}, ["sweep.axis.0.values: got 5", "list"]),
        ({"axis": [{"key": "table.rows", "values": [[1]]}]}, ["sweep.axis.0.values: got [1]", "a number"]),
        ({"axis": [{"key": "table.rows", "values": [float("nan")]}]}, ["got nan"]),
        ({"axis": [{"key": "table.rows", "values": [10**5000]}]}, ["too long to show", "up to 9.2e+18"]),
        ({"axis": [{"key": "disk.use", "values": ["x" * 201]}]}, ["201 characters", "at most 200"]),
        ({"axis": [{"key": "disk.overhead_s", "values": ["5XB"]}]}, ["'5XB' is not a duration"]),
        ({"axis": [{"key": "table.rows", "low": 1}]}, ["table.rows: high of its range is missing"]),
        ({"axis": [{"key": "table.rows", "high": 1}]}, ["table.rows: low of its range is missing"]),
        ({"axis": [{**ROWS, "low": 11, "points": 2}]}, ["table.rows: got low 11 above high 10"]),
        ({"axis": [{**ROWS, "low": 0, "points": 2, "scale": "log"}]}, ["got low 0", "log", "more than 0"]),
        ({"axis": [{**ROWS, "low": "x", "points": 2}]}, ["sweep.axis.0.low: 'x'", "number"]),
        ({"axis": [{**ROWS, "low": True, "points": 2}]}, ["sweep.axis.0.low: got True", "number"]),
        ({"axis": [{**ROWS, "low": -1e300, "points": 2}]}, ["got -1e+300", "up to 9.2e+18"]),
        ({"axis": [{**ROWS, "points": 1}]}, ["sweep.axis.0.points: got 1", "at least 2"]),
        ({"axis": [{**ROWS, "points": 10**6}]}, ["points: got 1000000", "at most 100,000"]),
        ({"axis": [{**ROWS, "points": 2.5}]}, ["points: got 2.5", "whole number"]),
        ({"axis": [{**ROWS, "points": 2, "scale": "cubic"}]}, ["scale: got 'cubic'", "'linear' or 'log'"]),
        ({"axis": [{**USERS, "low": 1, "high": 2}]}, ["workload.users", "values and a range"]),
        ({"axis": [{**USERS, "points": 2}]}, ["workload.users", "values and a range"]),
        ({"axis": [{**USERS, "scale": "log"}]}, ["workload.users", "values and a range"]),
        ({"axis": [USERS, USERS]}, ["workload.users is the key of 2 axes"]),
        ({"axis": [USERS] * 33}, ["sweep.axis: got 33", "at most 32"]),
        ({"axis": BOTH_ZIPPED}, ["zip 'a' have 2 and 3 values"]),
        ({"axis": [ROWS]}, ["table.rows: points are missing"]),
        ({"axis": [USERS], "samples": 5}, ["samples: only the design latin_hypercube"]),
        ({"axis": [USERS], "design": "grid"}, ["sweep.design: got 'grid'", "'crossed' or 'latin_hypercube'"]),
        ({"axis": [USERS], "design": "latin_hypercube"}, ["samples: a latin_hypercube design needs"]),
        ({"axis": [USERS], "design": "latin_hypercube", "samples": 0}, ["sweep.samples: got 0", "at least 1"]),
        ({"axis": [USERS], "design": "latin_hypercube", "samples": 2**21}, ["samples: got 2097152", "1,048,576"]),
        ({"axis": [{**ROWS, "points": 3}], "design": "latin_hypercube", "samples": 4}, ["table.rows: got points 3"]),
        ({"axis": [USERS], "seed": -1}, ["sweep.seed: got -1", "at least 0"]),
        ({"axis": [USERS], "replications": 0}, ["sweep.replications: got 0", "at least 1"]),
        ({"axis": [USERS], "where": "table.rows > 1"}, ["sweep.where: got 'table.rows > 1'", "list"]),
        (
            {"axis": [USERS], "where": ["table.rows > open(1)"]},
            ["sweep.where 'table.rows", "got 'table.rows > open(1)'"],
        ),
    ],
)
def test_a_fault_is_one_sentence(table: object, parts: list[str]) -> None:
    sentence = fault_of(table)
    assert sentence.startswith("mine.toml: sweep")
    assert [part for part in parts if part not in sentence] == [], sentence
    assert "more fault" not in sentence, sentence


def test_other_faults_are_counted() -> None:
    assert fault_of({"axis": [USERS], "seed": -1, "design": "x"}).endswith("(and 1 more fault: sweep.seed)")


def test_a_sampled_range_has_no_points_and_values_may_be_sampled_too() -> None:
    sweep = sweep_of({"axis": [USERS, ROWS], "design": "latin_hypercube", "samples": 8})
    assert sweep.samples == 8


def test_a_range_and_values_of_one_zip_may_be_sampled_together() -> None:
    zipped = [{**USERS, "zip": "a"}, {**ROWS, "zip": "a"}]
    assert len(sweep_of({"axis": zipped, "design": "latin_hypercube", "samples": 3}).axis) == 2


def test_the_schema_describes_every_field() -> None:
    schema = Sweep.model_json_schema()
    fields = [*schema["properties"].values(), *schema["$defs"]["Axis"]["properties"].values()]
    assert len(fields) == 14
    assert all(field["description"].endswith(".") for field in fields)
    low = schema["$defs"]["Axis"]["properties"]["low"]
    assert {"string", "number"} <= {form["type"] for form in low["anyOf"]}


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
tables = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*Sweep.model_fields, *Axis.model_fields, "x"]), inner, max_size=5)
    ),
)


@given(tables)
def test_no_table_raises_anything_else(table: object) -> None:
    with suppress(SpecError):
        sweep_of(table)


# --- the command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("workload.users=1,2,4", {"values": (1, 2, 4)}),
        (" workload.users = 1 , 2 ", {"values": (1, 2)}),
        ("workload.users=5", {"values": (5,)}),
        ("table.rows=1_000,1e3", {"values": (1000, 1000.0)}),
        ("disk.use=nvme,sas-15k", {"values": ("nvme", "sas-15k")}),
        ('disk.use="a,b",\'c:d\',"q\\"r"', {"values": ("a,b", "c:d", 'q"r')}),
        ('disk.use=""', {"values": ("",)}),
        ("instance.disk_asynch_io=true,false", {"values": (True, False)}),
        ("instance.release=11.2.0.3,12.10", {"values": ("11.2.0.3", "12.10")}),
        ("host.kernel=5.10", {"values": ("5.10",)}),
        ("disk.overhead_s=5ms,250us", {"values": (0.005, 0.00025)}),
        ("workload.users=1:200:20", {"low": 1, "high": 200, "points": 20}),
        ("workload.users=1:200:20:log", {"low": 1, "high": 200, "points": 20, "scale": "log"}),
        ("tablespace.block_size_bytes=2K:32K:5:log", {"low": 2048, "high": 32768, "points": 5, "scale": "log"}),
        ("disk.overhead_s=1ms:0.5", {"low": 0.001, "high": 0.5}),
        ("workload.users=1:200:log", {"low": 1, "high": 200, "scale": "log"}),
    ],
)
def test_an_axis_of_the_command_line(text: str, fields: dict[str, Any]) -> None:
    assert said(axis_of(text)) == {"key": text.partition("=")[0].strip(), **fields}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["KEY=A,B,C"]),
        ("workload.users", ["KEY=A,B,C"]),
        ("=3", ["KEY=A,B,C"]),
        ("workload.users=", ["has no values"]),
        ("workload.users=  ", ["has no values"]),
        ("workload.users=1,,2", ["empty value"]),
        ("workload.users=1,", ["empty value"]),
        ("workload.users=1:", ["empty value"]),
        ("users=1", ["'users' names no field"]),
        ("tabel.rows=1", ["did you mean table?"]),
        ("workload.users=5:2:3", ["low 5 above high 2"]),
        ("workload.users=0:2:3:log", ["got low 0 on a log scale"]),
        ("workload.users=1:2:1", ["points: got 1", "at least 2"]),
        ("workload.users=1:2:x:log", ["points", "'x'"]),
        ("workload.users=1:2:true:log", ["points", "True"]),
        ("workload.users=1:2:3:cubic", ["scale: got 'cubic'", "'linear' or 'log'"]),
        ("workload.users=1:2:3:4", ["LOW:HIGH:POINTS:log"]),
        ("workload.users=1:2:3:4:log", ["LOW:HIGH:POINTS:log"]),
        ("workload.users=1..8", ["a range is LOW:HIGH:POINTS"]),
        ("table.rows=10K...20K", ["a range is LOW:HIGH:POINTS"]),
        ("workload.users=1:b:3", ["high: 'b'", "number"]),
        ("workload.users=1:inf:3", ["high: got inf"]),
        ("workload.users=1:2,3", ["commas and colons"]),
        ('disk.use="a,b', ["quote that is not closed"]),
        ("disk.use='a'b", ["quote that is not closed"]),
        ("workload.users=2024-01-01", ["got datetime.date(2024, 1, 1)"]),
        ("workload.users={}", ["got {}", "a number"]),
        ("workload.users=" + "1," * 60_000, ["120,015 characters", "at most 100,000"]),
    ],
)
def test_a_fault_of_the_command_line_is_one_sentence(text: str, parts: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        axis_of(text)
    sentence = str(caught.value)
    assert sentence.startswith("axis ")
    assert [part for part in parts if part not in sentence] == [], sentence
    assert len(sentence) < SpecError.LONGEST


def test_a_section_that_is_unknown_is_no_unknown_name_of_its_own() -> None:
    """The sentence is the axis's, with the nearest names in it."""
    with pytest.raises(SpecError) as caught:
        axis_of("dusk.use=nvme")
    assert not isinstance(caught.value, UnknownName)


@given(st.text(alphabet="disk.use=,:\"'0159eKm \\\n{}[]logtrue", max_size=40))
def test_no_text_raises_anything_else(text: str) -> None:
    for written in (text, f"workload.users={text}", f"disk.overhead_s={text}"):
        with suppress(SpecError):
            axis_of(written)


@given(st.lists(st.text(max_size=8), min_size=1, max_size=5))
def test_quotes_protect_every_text(texts: list[str]) -> None:
    plain = [text.translate({ord("'"): "", **dict.fromkeys(range(32)), 127: None}) for text in texts]
    axis = axis_of("disk.use=" + ",".join(f"'{text}'" for text in plain))
    assert axis.values == tuple(plain)
