"""Whatever is thrown at a scenario: an answer whose books balance, or one sentence; never a traceback, never a NaN."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from blocktime.app.text.document import run_lines
from blocktime.model.closing import check_books
from blocktime.model.errors import BlocktimeError, BooksDoNotBalance, OverBudget
from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping, library, load, run
from blocktime.scenarios.schema import schema_of
from tests.leaves import floats_of
from tests.patience import LIMIT_S

LONGEST_SENTENCE = 400

SCHEMA = schema_of("scenario")
HEADINGS = ("base", "title", "source", "seed", "replications")
USES = {
    "disk": ("nvme", "sas-15k", "array-cached", "savvinov-160mb"),
    "host": ("rahn-2008", "savvinov-pc", "shallahamer-2016"),
    "client": ("local", "rahn-proc"),
    "instance.statistics": ("rahn-2008",),
    "prices": ("example",),
}

# Fields whose form the schema cannot say.
SPECIAL: dict[str, tuple[Any, ...]] = {
    "release": ("8.1", "9.2.0.1", "10.2.0.4", "11.1.0.6", "11.2", "19.3.0.0", "23.99"),
    "db_file_multiblock_read_count": ("auto", 0, 1, 2, 7, 32),
    "direct_read_slots": (1, 2),
    "direct_read_slots_limit": (2, 5, 256),
    "uniform_extent_bytes": ("160K", "1M", "64M", 327_680, 2**31),
    "initrans": (1, 2, 10, 30),
    "currency": ("EUR", "USD"),
}

TEXT = st.text(max_size=30)
WRONG = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(10**30), max_value=10**30),
    st.sampled_from([0, -1, 1, 10**9, 10**18, 2**53 + 1, 10**400]),
    st.floats(),
    st.sampled_from([0.0, -0.0, 5e-324, 1e-300, 1e300, math.inf, -math.inf, math.nan]),
    TEXT,
    st.sampled_from(["8K", "-1M", "1e999", "nan", "9" * 500, "auto", "x\ny", "5 ms", "k" * 2000]),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(TEXT, st.integers(), max_size=2),
)


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema itself, or the definition it refers to."""
    if "$ref" in schema:
        return dict(SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]])
    return schema


def numbers(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Numbers within the schema's limits, its edges among them, small and large ones alike."""
    low = schema.get("minimum", schema.get("exclusiveMinimum", schema.get("ge", 0)))
    high = schema.get("maximum", schema.get("le", 10**6))
    if schema["type"] == "integer":
        spread = st.floats(math.log(max(low, 1)), math.log(max(high, 2))).map(
            lambda z: int(min(high, max(low, math.exp(z))))
        )
        return st.one_of(spread, st.sampled_from([low, high]), st.integers(low, high))
    above = max(low, high * 1e-12)
    spread = st.floats(math.log(above), math.log(high)).map(lambda z: min(high, max(above, math.exp(z))))
    least = math.nextafter(low, math.inf) if "exclusiveMinimum" in schema else low
    return st.one_of(spread, st.sampled_from([least, high]), st.floats(least, high))


def with_unit(schema: dict[str, Any], name: str) -> st.SearchStrategy[str]:
    """The same numbers as text with a unit."""
    if name.endswith("_s") and not name.endswith("_bytes_per_s"):
        return numbers(schema).map(lambda number: f"{number * 1e3!r}ms")
    if schema["type"] == "integer":
        return numbers(schema).map(str)
    return numbers(schema).map(lambda number: f"{number / 1024:.6f}K")


def valid(schema: dict[str, Any], name: str, path: str) -> st.SearchStrategy[Any]:  # noqa: PLR0911  (a return for each type)
    """Values that the schema allows."""
    schema = resolved(schema)
    special = SPECIAL.get(name)
    if special is not None:
        return st.sampled_from(special)
    if name == "use":
        return st.sampled_from(USES[path.rpartition(".")[0]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        choices = [choice for choice in schema["anyOf"] if choice.get("type") != "null"]
        if len(choices) > 1 and choices[1]["type"] == "string":
            return st.one_of(numbers(choices[0]), numbers(choices[0]), with_unit(choices[0], name))
        return st.one_of([valid(choice, name, path) for choice in choices])
    kind = schema.get("type")
    if kind == "boolean":
        return st.booleans()
    if kind in ("integer", "number"):
        return numbers(schema)
    if kind == "string":
        return st.text(max_size=min(20, schema.get("maxLength", 20)))
    if kind == "array":
        return st.lists(valid(schema["items"], name, path), min_size=1, max_size=4)
    return section(schema, path, wild=False)


@st.composite
def section(draw: st.DrawFn, schema: dict[str, Any], path: str, wild: bool) -> dict[str, Any]:
    """Some fields of a section; when *wild*, values of any kind and keys that do not exist."""
    fields = schema.get("properties", {})
    chosen = draw(st.lists(st.sampled_from(sorted(fields)), max_size=5, unique=True)) if fields else []
    found = {}
    for name in chosen:
        below = f"{path}.{name}" if path else name
        target = resolved(fields[name])
        if wild and draw(st.integers(0, 4)) == 2:
            found[name] = draw(WRONG)
        elif wild and target.get("type") == "object":
            found[name] = draw(section(target, below, wild=True))
        else:
            found[name] = draw(valid(fields[name], name, below))
    if wild and draw(st.integers(0, 9)) == 3:
        found[draw(st.one_of(TEXT, st.sampled_from(["rows", "use", "int", "float", "kind", "full_scan"])))] = draw(
            WRONG
        )
    return found


@st.composite
def mappings(draw: st.DrawFn, wild: bool) -> dict[str, Any]:
    """A scenario file as nested mappings: a base or none, some sections, each with some fields."""
    data: dict[str, Any] = {}
    if draw(st.booleans()):
        data["base"] = draw(st.sampled_from(sorted(library())))
    sections = sorted(set(SCHEMA["properties"]) - set(HEADINGS))
    for name in draw(st.lists(st.sampled_from(sections), max_size=5, unique=True)):
        schema = resolved(SCHEMA["properties"][name])
        if name == "workload":
            schema = resolved(draw(st.sampled_from(schema["anyOf"])))
        data[name] = draw(WRONG) if wild and draw(st.integers(0, 19)) == 7 else draw(section(schema, name, wild))
        if name == "workload" and isinstance(data[name], dict) and not wild:
            data[name]["kind"] = schema["properties"]["kind"]["const"]
    if wild and draw(st.integers(0, 9)) == 3:
        data[draw(st.one_of(TEXT, st.sampled_from(HEADINGS)))] = draw(WRONG)
    if wild:
        return data
    if "prices" in data:
        data["prices"].setdefault("currency", "EUR")
    table = data.get("table", {})
    if "columns" in table:
        table.pop("row_bytes", None)
        table.pop("column_count", None)
    if "dirty_fraction" in table:
        table["cached_fraction"] = max(table.get("cached_fraction", 0), table["dirty_fraction"])
    return data


def check_answer(result: RunResult) -> None:
    """The books balance once more, every number is finite, and the JSON says the same."""
    check_books(result)
    dumped = result.model_dump(mode="python")
    assert not [place for place, value in floats_of(dumped) if not math.isfinite(value)]
    assert result.time.elapsed_s >= 0
    printed = json.loads(result.model_dump_json(), parse_constant=pytest.fail)
    assert printed["time"]["elapsed_s"] == pytest.approx(result.time.elapsed_s, rel=1e-12)
    negative = [place for place, value in floats_of(dumped) if value < 0 and "unaccounted" not in place]
    assert not negative
    physical = result.physical_io
    size = sum(blocks * many for blocks, many in physical.request_blocks.items())
    assert physical.read_blocks == pytest.approx(size, rel=1e-6, abs=1e-9)
    assert result.sources
    if result.streams is not None:
        assert all(stream.calls > 0 and stream.response_s >= 0 for stream in result.streams)
        return
    assert result.cache is None or 0 <= result.cache.hit_fraction <= 1
    assert 0 <= result.logical_io.row_walk_fraction <= 1
    if result.transactions is not None:
        stats = result.transactions
        assert stats.per_s > 0
        assert stats.under_way == pytest.approx(stats.per_s * stats.response_s, rel=1e-9)
        assert stats.bottleneck in stats.utilisation
        assert all(0 <= share <= 1 for share in stats.utilisation.values())
        assert list(run_lines(result))
        return
    assert result.segment.bytes_after >= result.segment.blocks_after


def check_error(error: BlocktimeError) -> None:
    """One line a reader can act on, and never a fault of the program itself."""
    text = str(error)
    assert not isinstance(error, BooksDoNotBalance), text
    assert text
    assert len(text.splitlines()) == 1, text
    assert len(text) < LONGEST_SENTENCE, text


def answered(data: dict[str, Any]) -> None:
    """There is an answer that holds together, or an error that is a sentence."""
    try:
        result = run(from_mapping(data, where="file.toml"))
    except BlocktimeError as error:
        check_error(error)
        return
    check_answer(result)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(mappings(wild=True))
@example({"base": "rahn-full-scan", "disk": {"overhead_s": math.inf}})
@example({"workload": {"int": 3}})
@example({"table": {"float": 3}})
@example({"table": {"rows": 10**400}})
@example({"instance": {"db_file_multiblock_read_count": 10**400}})
@example({"disk": {"use": "nvme", "parallel_requests": 10**400}})
@example({"table": {"a\nb": 1}})
@example({"table": {"k" * 2000: 1}})
@example({"table": "k" * 2000})
def test_anything_gives_an_answer_or_one_sentence(data: dict[str, Any]) -> None:
    answered(data)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(mappings(wild=False))
def test_what_the_schema_allows_gives_an_answer(data: dict[str, Any]) -> None:
    """Only fields that contradict one another may still be refused; they keep their books."""
    answered(data)


@pytest.mark.timeout(LIMIT_S)
@pytest.mark.parametrize(
    "settings_",
    [["workload.users=10000"], ["table.rows=100000000000", "table.cached_fraction=0.9999999"]],
    ids=["users", "few reads of many blocks"],
)
def test_what_would_take_for_ever_is_refused(settings_: list[str]) -> None:
    """Reads are not the only work: cached blocks and the turns of many sessions take their time as well."""
    with pytest.raises(OverBudget, match="the limit is"):
        run(load("savvinov-lio-pc", ["instance.serial_direct_read=never", *settings_]))


@pytest.mark.parametrize("users", [2, 20])
def test_company_on_asynchronous_reads_through_the_page_cache_keeps_its_books(users: int) -> None:
    scenario = load("shallahamer-async", ["host.page_cache_hit_fraction=0", f"workload.users={users}"])
    check_answer(run(scenario))


@pytest.mark.parametrize(
    "data",
    [
        {"disk": {"bandwidth_bytes_per_s": 5e-324}},
        {"host": {"io_path": "buffered", "copy_bytes_per_s": 5e-324}},
        {"instance": {"statistics": {"cpuspeed_hz": 5e-324}}},
        {"instance": {"statistics": {"iotfrspeed_bytes_per_s": 5e-324}}},
        {"instance": {"statistics": {"ioseektim_s": 5e-324}}},
        {"instance": {"statistics": {"kind": "workload", "sreadtim_s": 5e-324}}},
        {"workload": {"kind": "index_range_scan", "selectivity_fraction": 5e-324}},
    ],
    ids=repr,
)
def test_the_smallest_number_above_nothing_is_an_answer_or_an_error(data: dict[str, Any]) -> None:
    answered(data)
