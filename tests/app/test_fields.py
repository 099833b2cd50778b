"""What a control knows of a field is what the specification says, and values survive being held and written."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.app.controls import control_fields, forms, settings
from blocktime.model.errors import SpecError
from blocktime.model.spec import WORKLOADS
from blocktime.model.units import parse_bytes, parse_seconds, show_bytes, show_seconds
from blocktime.scenarios import library, load
from blocktime.scenarios.sweeps.sweep_spec import axis_of

CONTROLS = {
    control.path: (kind, control)
    for kind in WORKLOADS
    for controls in forms.groups_of(kind).values()
    for control in controls
}
BY_LINK = {
    "link-update": ["workload.kind=update", "workload.growth_bytes=5.9899", "workload.rows_fraction=0.125"],
    "link-insert": ["workload.kind=insert", "workload.uncommitted_delete_fraction=0.5"],
    "link-write": ["workload.kind=write_stream", "workload.rate_per_s=12.5", "workload.path=sync"],
    "link-read": ["workload.kind=read_stream", "workload.pattern=strided", "workload.stride_bytes=1M"],
    "link-delete": ["workload.kind=delete", "workload.rows_fraction=0.3", "workload.commit_every_rows=100"],
}


def facts(path: str, kind: str = "full_scan") -> control_fields.Facts:
    found = control_fields.facts(path, kind)
    assert found is not None
    return found


@pytest.mark.parametrize("name", sorted([*library(), *BY_LINK]))
def test_every_value_survives_being_held_and_written(name: str) -> None:
    base = "rahn-full-scan" if name in BY_LINK else name
    scenario = load(base, BY_LINK.get(name, []))
    for path in CONTROLS:
        field = control_fields.facts(path, scenario.workload.kind)
        value = control_fields.value_at(scenario, path)
        held = control_fields.control_value(field, value) if field else None
        if field is None or control_fields.says_nothing(held) or held == control_fields.AS_STATED:
            continue
        text = control_fields.text_of(field, held)
        again = load(base, [*BY_LINK.get(name, []), settings.setting(path, text)])
        assert control_fields.value_at(again, path) == value, path


def test_an_optional_field_may_hold_nothing() -> None:
    field = facts("workload.growth_bytes", "update")
    assert field.optional
    assert (field.kind, field.unit, field.low, field.high) == ("real", "bytes", 0, 1_000_000)
    assert control_fields.control_value(field, None) == ""
    assert field.show(None) == "not given"
    assert field.show(5.9899) == "5.9899 bytes"
    assert control_fields.control_value(field, 6) == "6"
    assert control_fields.text_of(field, "6.0") == "6"
    assert not facts("table.pctfree_percent").optional


@pytest.mark.parametrize(
    ("path", "default"),
    [
        ("workload.growth_bytes", None), ("workload.rows", 100_000), ("workload.rows_fraction", 1.0),
        ("workload.commit_every_rows", 0), ("workload.selectivity_fraction", 0.01), ("workload.path", None),
        ("workload.in_flight", 1),
    ],
)  # fmt: skip
def test_what_the_baseline_has_not_is_at_its_default(path: str, default: float | None) -> None:
    assert control_fields.value_at(load("rahn-full-scan"), path) == default


def test_a_choice_may_be_left_open() -> None:
    field = facts("workload.path", "write_stream")
    assert (field.kind, field.optional, field.show(None)) == ("choice", True, "not given")
    assert field.options == ("asm", "raw", "direct", "buffered", "sync", "dsync")


def test_limits_are_those_of_the_field() -> None:
    for path, low, high in (("table.pctfree_percent", 0, 99), ("workload.arraysize_rows", 1, 1_000_000)):
        field = facts(path)
        assert (field.low, field.high) == (low, high)
        load("rahn-full-scan", [f"{path}={high}"])
        with pytest.raises(SpecError):
            load("rahn-full-scan", [f"{path}={high + 1}"])


def test_kinds_of_controls() -> None:
    assert facts("tablespace.block_size_bytes").kind == "ladder"
    assert facts("tablespace.block_size_bytes").options == (2048, 4096, 8192, 16384, 32768)
    assert facts("instance.disk_asynch_io").kind == "flag"
    assert facts("instance.buffer_cache_bytes").kind == "size"
    assert facts("workload.selectivity_fraction", "index_range_scan").kind == "real"
    assert facts("host.page_cache_hit_fraction").kind == "share"
    assert facts("disk.use").kind == "choice"


def test_a_field_of_another_workload_or_of_none_has_no_control() -> None:
    assert control_fields.facts("workload.selectivity_fraction", "full_scan") is None
    assert control_fields.facts("table.no_such_field") is None
    assert control_fields.facts("nothing.at_all") is None


def test_the_disk_in_use_is_recognised() -> None:
    assert control_fields.value_at(load("rahn-full-scan"), "disk.use") == "sas-15k"
    assert control_fields.value_at(load("rahn-full-scan", ["disk.use=nvme"]), "disk.use") == "nvme"
    assert (
        control_fields.value_at(load("rahn-full-scan", ["disk.overhead_s=7ms"]), "disk.use") == control_fields.AS_STATED
    )


def test_values_are_shown_with_their_unit() -> None:
    assert facts("tablespace.block_size_bytes").show(16384) == "16K"
    assert facts("table.pctfree_percent").show(10) == "10 %"
    assert facts("workload.arraysize_rows").show(1500) == "1,500 rows"
    assert facts("instance.disk_asynch_io").show(False) == "off"
    assert facts("host.page_cache_hit_fraction").show(0.5) == "50 %"
    assert facts("workload.selectivity_fraction", "index_range_scan").show(0.0125) == "1.25 %"
    assert facts("disk.use").show("nvme") == "NVMe solid-state disk"


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (2 * 1024**3, "2G"), (1536, "1.5K"), (1280 * 1024**2, "1.25G"), (1025 * 1024**2, "1025M"),
        (2_000_000_000, "1953125K"), (2_000_000_001, "2000000001B"), (100, "100B"),
    ],
)  # fmt: skip
def test_sizes_are_written_exactly_with_a_unit(size: int, text: str) -> None:
    assert control_fields.size_text(size) == text
    assert parse_bytes(text) == size


@given(st.integers(0, 2**46))
def test_every_size_survives_being_written(size: int) -> None:
    assert parse_bytes(control_fields.size_text(size)) == size


@given(st.floats(1e-6, 1, allow_nan=False).map(lambda share: round(share, 8)))
def test_every_share_survives_the_percent_of_its_control(share: float) -> None:
    field = facts("workload.selectivity_fraction", "index_range_scan")
    assert float(control_fields.text_of(field, control_fields.control_value(field, share))) == pytest.approx(
        share, rel=1e-9
    )


@pytest.mark.parametrize(
    ("path", "value", "held", "shown"),
    [
        ("instance.buffer_cache_bytes", 59_492_300, "59492300B", "56.7M"),
        ("instance.buffer_cache_bytes", 2_000_000_000, "1953125K", "1.86G"),
        ("instance.buffer_cache_bytes", 64 << 20, "64M", "64M"),
        ("workload.think_s", 0.208301, "208.301 ms", "208 ms"),
        ("workload.think_s", 0.25, "250 ms", "250 ms"),
    ],
)
def test_what_no_reader_would_type_is_held_exactly_and_told_rounded(
    path: str, value: float, held: str, shown: str
) -> None:
    field = facts(path, "transactions")
    assert control_fields.control_value(field, value) == held  # exactly, or another scenario would be asked
    assert field.show(value) == shown


def test_a_section_without_a_catalog_has_no_entry_to_use() -> None:
    assert control_fields.facts("table.use") is None
    assert control_fields.facts("disk.use") is not None


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0008412, "841.2 µs"), (0.08713, "87.13 ms"), (1.5e-5, "15 µs"), (2.0, "2 s")]
)
def test_a_duration_is_shown_in_its_own_unit(seconds: float, text: str) -> None:
    assert control_fields.duration_text(seconds) == text
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("path", CONTROLS)
def test_what_a_control_prints_it_reads_back(path: str) -> None:
    """Two hundred values of each number: as a control holds them exactly, as labels show them about, in every unit."""
    kind, control = CONTROLS[path]
    field = control.facts(kind)
    assert field is not None
    if field.kind not in ("whole", "real", "size", "duration"):
        return
    low, high = max(field.low or 0, 1e-9), min(field.high or 1e15, 1e15)
    chance = Random(control.path)
    for _ in range(200):
        chosen = math.exp(chance.uniform(math.log(low), math.log(max(low, high))))
        value = round(chosen) if field.kind in ("whole", "size") else float(f"{chosen:.8g}")
        held = control_fields.control_value(field, value)
        assert control_fields.read(field, held) == value
        text = control_fields.text_of(field, held)
        assert (float(text) if field.kind in ("whole", "real") else control_fields.read(field, text)) == value
        assert control_fields.read(field, field.show(value)) == pytest.approx(value, rel=0.006)
        assert field.help()


@pytest.mark.parametrize("seconds", [301, 314, 400, 4000, 7380, 90_000, 273_600])
def test_a_long_think_time_has_a_control(seconds: float) -> None:
    field = facts("workload.think_s", "transactions")
    assert parse_seconds(show_seconds(seconds)) == pytest.approx(seconds, rel=0.01)
    assert "workload.think_s" in field.help()


@given(st.floats(1e-9, 1e9))
def test_every_time_and_size_that_is_shown_is_read(number: float) -> None:
    assert parse_seconds(show_seconds(number)) == pytest.approx(number, rel=0.05)
    assert parse_bytes(show_bytes(round(number))) == pytest.approx(round(number), rel=0.006)


@pytest.mark.parametrize(
    ("path", "typed", "text"),
    [
        ("disk.throughput_limit_bytes_per_s", "250M", "262144000"),
        ("disk.throughput_limit_bytes_per_s", "125 MB/s", "131072000"),
        ("disk.iops_limit", "13,600", "13600"), ("disk.iops_limit", "13.6K", "13600"),
        ("disk.iops_limit", "3,918.0277060576 requests/s", "3918.0277060576"),
        ("table.rows", "120 million", "120000000"), ("table.rows", "1.5 Billion", "1500000000"),
        ("table.rows", "250M", "250000000"), ("table.rows", "50 m", "50000000"), ("table.row_bytes", "1K", "1024"),
        ("table.rows", "abc", "abc"), ("table.rows", "1,2", "1,2"), ("disk.iops_limit", "1e3", "1000"),
    ],
)  # fmt: skip
def test_a_number_is_typed_as_a_dba_writes_it(path: str, typed: str, text: str) -> None:
    assert control_fields.text_of(facts(path), typed) == text


@pytest.mark.parametrize(
    ("path", "typed", "value"),
    [
        ("disk.throughput_limit_bytes_per_s", "125 MB/s", 131_072_000), ("disk.iops_limit", "13,600", 13_600),
        ("disk.iops_limit", "13.6K", 13_600), ("table.rows", "250M", 250_000_000), ("table.rows", "50 m", 50_000_000),
    ],
)  # fmt: skip
def test_a_setting_and_an_axis_take_what_the_page_takes(path: str, typed: str, value: float) -> None:
    assert control_fields.value_at(load("full-scan-nvme", [f"{path}={typed}"]), path) == value
    assert control_fields.read(facts(path), typed) == value
    if "," not in typed:
        assert axis_of(f"{path}={typed}:1T:3").low == value


@pytest.mark.parametrize("typed", ["1e9999999999", "5x", "", "1,2", "M", "--5"])
def test_what_means_no_number_is_told(typed: str) -> None:
    with pytest.raises(SpecError, match=r"is not a number; write one like 250, 13,600 or 250M"):
        load("full-scan-nvme", [f"disk.iops_limit='{typed}'"])


def test_a_share_is_typed_in_percent() -> None:
    field = facts("workload.selectivity_fraction", "index_range_scan")
    assert [control_fields.text_of(field, typed) for typed in ("1.25", "1.25%", "100 %")] == ["0.0125", "0.0125", "1"]
