"""Every law, constant and default names where it comes from, and the list of sources knows the name."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from blocktime.model import money_books, spec
from blocktime.model.catalog import KINDS, entries
from blocktime.model.provenance import help_of
from blocktime.model.spec import WORKLOADS
from blocktime.model.spec.fields import Declaration
from blocktime.model.spec.instance import Replacement
from blocktime.model.units import KIB, MIB
from blocktime.model.workloads.streams import books as stream_books
from blocktime.scenarios import library

ROOT = Path(__file__).resolve().parents[2]
LISTED = re.compile(r"^- `([^`]+)`", re.MULTILINE)
CITED = re.compile(r"\[([a-z][a-z0-9]*(?:-[a-z0-9]+)+|[a-z]+ [a-z]+)\]")

SPEC_FIELDS = [
    (model, field)
    for model in (
        spec.Tablespace,
        spec.Column,
        spec.Table,
        spec.Index,
        spec.SystemStatistics,
        spec.Instance,
        spec.Host,
        spec.Client,
        spec.Disk,
        spec.Iostat,
        spec.Prices,
        *spec.WORKLOADS.values(),
    )
    for field in model.model_fields
    if field != "kind" or model is spec.SystemStatistics
]
SECTIONS: dict[str, type[BaseModel]] = {
    "disk": spec.Disk,
    "host": spec.Host,
    "client": spec.Client,
    "statistics": spec.SystemStatistics,
    "prices": spec.Prices,
}
CONSTANTS = [
    (f"{kind}/{name}: {field}", kind, field, constant)
    for kind in KINDS
    for name, entry in entries(kind).items()
    for field, constant in entry.constants.items()
]


@pytest.fixture(scope="module")
def known() -> set[str]:
    """Keys of the list of sources."""
    keys = LISTED.findall((ROOT / "docs" / "sources.md").read_text(encoding="utf-8"))
    assert len(keys) == len(set(keys)), "a key is listed twice"
    return set(keys)


def docstrings(file: Path) -> Iterator[str]:
    """Every docstring of a module: its own, those of classes and functions, and those below a constant or field."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def cited(folder: str) -> set[tuple[str, str]]:
    """File and key of each ``[key]`` in the docstrings below *folder*."""
    return {
        (str(file.relative_to(ROOT)), key)
        for file in sorted((ROOT / folder).rglob("*.py"))
        for text in docstrings(file)
        for key in CITED.findall(text)
    }


def test_what_a_docstring_cites_is_listed(known: set[str]) -> None:
    found = cited("model")
    assert len(found) > 10
    assert not sorted((file, key) for file, key in found if key not in known)


def test_every_law_names_a_source(known: set[str]) -> None:
    """In the docstring of its module or in its own."""
    plain = {"__init__.py", "numeric.py", "disk_fields.py"}  # no claim about the world
    silent = []
    for file in sorted((ROOT / "model" / "laws").glob("*.py")):
        keys = {key for text in docstrings(file) for key in CITED.findall(text)}
        if file.name not in plain and not keys & known:
            silent.append(file.name)
    assert not silent, f"no source is named in model/laws: {silent}"


def test_the_sources_of_results_are_listed(known: set[str]) -> None:
    assert all(kind.law_sources for kind in WORKLOADS.values())
    found = {key for kind in WORKLOADS.values() for key in kind.law_sources}
    found.update(stream_books.BUFFERED_SOURCES, money_books.LAW_SOURCES)
    assert not found - known


@pytest.mark.parametrize("name", sorted(library()))
def test_a_library_scenario_names_a_listed_source(known: set[str], name: str) -> None:
    assert library()[name].source.split(":")[0] in known


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_catalog_entry_names_a_listed_source(known: set[str], kind: str) -> None:
    for entry in entries(kind).values():
        assert entry.title.strip(), entry.name
        assert entry.source.split(":")[0] in known, f"{kind}/{entry.name}: {entry.source}"


def test_a_catalog_constant_says_whence_and_is_a_field(known: set[str]) -> None:
    for where, kind, field, constant in CONSTANTS:
        assert constant.source.split(":")[0] in known, f"{where}: {constant.source}"
        assert field in SECTIONS[kind].model_fields, f"{where} sets nothing: {kind} has no such field"
        fitted = constant.how == "fitted"
        assert fitted == bool(constant.fitted_to), f"{where} says {constant.how}: {constant.fitted_to}"
        assert all(low <= high for low, high in constant.range.values()), where


def test_a_constant_that_repeats_another_has_its_value() -> None:
    values = {where: constant.value for where, _, _, constant in CONSTANTS}
    for where, _, _, constant in CONSTANTS:
        if constant.same_as:
            assert constant.value == values[constant.same_as], f"{where} is not {constant.same_as}"


@pytest.mark.parametrize("kind", KINDS)
def test_a_catalog_entry_is_one_that_a_scenario_may_use(kind: str) -> None:
    for entry in entries(kind).values():
        SECTIONS[kind].model_validate(dict(entry.values()))


def test_a_field_of_the_spec_says_what_it_is_and_whence(known: set[str]) -> None:
    for model, field in SPEC_FIELDS:
        info, where = model.model_fields[field], f"{model.__name__}.{field}"
        assert help_of(model, field), f"{where} has no help below it"
        assert isinstance(info.json_schema_extra, Declaration), f"{where} has no source"
        assert info.json_schema_extra.source.split(":")[0] in known, where


DOCUMENTED: dict[type[BaseModel], dict[str, object]] = {
    spec.Tablespace: {"block_size_bytes": 8 * KIB, "space_management": "assm", "extent_management": "system"},
    spec.Table: {"pctfree_percent": 10, "initrans": 1, "created_by": "insert"},
    spec.Index: {"pctfree_percent": 10, "table_cached_blocks": 1},
    Replacement: {"percent_hot": 50, "touch_time_s": 3, "hot_criteria": 2, "stay_count": 0, "cool_count": 1},
    spec.SystemStatistics: {"kind": "noworkload", "ioseektim_s": 0.01, "iotfrspeed_bytes_per_s": 4_096_000},
    spec.Instance: {
        "db_block_size_bytes": 8 * KIB, "db_keep_cache_bytes": 0, "db_recycle_cache_bytes": 0, "max_io_bytes": MIB,
        "db_writer_processes": 1, "disk_asynch_io": True, "serial_direct_read": "auto", "direct_read_slots": 2,
    },
    spec.Host: {
        "read_ahead_bytes": 128 * KIB, "max_request_bytes": 512 * KIB, "max_segments": 128, "nr_requests": 128,
        "nomerges": "0", "journal": True, "journal_commit_s": 5, "journal_data": "ordered", "dirty_writeback_s": 5,
        "dirty_expire_s": 30, "dirty_background_ratio_percent": 10, "dirty_ratio_percent": 20,
    },
    spec.Client: {"sdu_bytes": 8 * KIB},
    spec.Disk: {"limit_io_bytes": 256 * KIB, "raid_level": "none", "raid_disks": 1, "write_cache_bytes": 0},
}  # fmt: skip
"""What Oracle, Linux and AWS have where nobody sets anything, by their documentation."""


@pytest.mark.parametrize("section", DOCUMENTED)
def test_a_default_is_the_documented_one(section: type[BaseModel]) -> None:
    fields = section.model_fields
    assert {name: fields[name].default for name in DOCUMENTED[section]} == DOCUMENTED[section]


def test_every_section_of_the_system_is_looked_at() -> None:
    """A section added to the system has to be added above."""
    seen = {model for model, _ in SPEC_FIELDS}
    sections = {
        info.annotation
        for info in spec.System.model_fields.values()
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel)
    }
    assert sections <= seen


def test_a_measured_case_names_a_listed_source(known: set[str]) -> None:
    for file in sorted((ROOT / "validation" / "measured").glob("*.toml")):
        assert tomllib.loads(file.read_text(encoding="utf-8"))["source"]["key"] in known, file.name
