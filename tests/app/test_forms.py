"""Controls take label, unit, limits and help from the one declaration of their field."""

import tomllib
from pathlib import Path
from typing import Final

import pytest
from streamlit.config import get_config_options

from blocktime.app.controls import forms
from blocktime.scenarios import load, run

CONTROLS = [control for controls in forms.GROUPS.values() for control in controls]
KINDS = (
    "full_scan", "index_range_scan", "update", "insert", "delete", "import", "export", "write_stream", "read_stream",
    "transactions",
)  # fmt: skip


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: f"{control.path}-{control.label}")
def test_every_control_is_a_declared_field_that_explains_itself(control: forms.Control) -> None:
    fields = [field for kind in KINDS if (field := control.facts(kind))]
    assert fields
    for field in fields:
        assert field.says
        assert f"`{control.path}`" in field.help()


PRICED = {control.path for control in forms.GROUPS["Prices"]}


def shown(kind: str) -> set[str]:
    paths = [control.path for control in CONTROLS if control.facts(kind)]
    assert len(set(paths)) == len(paths)  # two widgets of one key would be refused
    assert set(paths) >= PRICED  # every kind of work costs something
    return set(paths) - PRICED


def test_each_query_has_the_controls_that_play_a_part() -> None:
    assert shown("index_range_scan") - shown("full_scan") == {
        "index.clustering", "index.key_bytes", "index.unique", "workload.selectivity_fraction",
        "workload.access", "workload.index_only", "workload.predicate", "index.distinct_keys",
        "index.prefix_distinct_keys", "index.bitmap", "index.table_cached_blocks", "workload.rowid_order",
        "workload.parallel_reads", "workload.zipf_exponent",
    }  # fmt: skip
    assert shown("full_scan") - shown("index_range_scan") == {
        "workload.columns", "workload.filter_fraction", "workload.degree", "workload.other_gets",
        "instance.release",
        "instance.db_file_multiblock_read_count",
        "instance.buffer_cache_bytes", "instance.serial_direct_read", "instance.disk_asynch_io",
    }  # fmt: skip


def test_each_statement_that_changes_rows_has_the_controls_that_play_a_part() -> None:
    common = {
        "tablespace.block_size_bytes", "table.rows", "table.row_bytes", "table.pctfree_percent",
        "tablespace.space_management",
        "host.use", "host.cpus", "host.threads_per_core", "host.smt_gain_percent", "host.busy_loss_percent",
        "workload.users", "workload.commit_every_rows", "workload.caller", "client.use",
    }  # fmt: skip
    reading = {
        "instance.release",
        "instance.db_file_multiblock_read_count", "instance.buffer_cache_bytes", "host.io_path", "disk.use",
        "instance.filesystemio_options",
        "host.page_cache_hit_fraction", "workload.rows_fraction", "disk.iops_limit",
        "disk.throughput_limit_bytes_per_s", "host.iops_limit", "host.bandwidth_limit_bytes_per_s",
    }  # fmt: skip
    assert shown("delete") == common | reading
    assert shown("update") == common | reading | {
        "workload.growth_bytes", "workload.order", "workload.repeats", "workload.zipf_exponent"
    }  # fmt: skip
    assert shown("insert") == common | {
        "workload.rows", "workload.method", "workload.arraysize_rows", "workload.uncommitted_delete_fraction"
    }  # fmt: skip


def test_imports_and_exports_have_the_controls_that_play_a_part() -> None:
    common = {
        "tablespace.block_size_bytes", "table.rows", "table.row_bytes", "table.pctfree_percent",
        "tablespace.space_management",
        "table.column_count", "instance.buffer_cache_bytes", "instance.disk_asynch_io", "instance.filesystemio_options",
        "host.io_path", "disk.use", "host.use", "host.cpus", "host.threads_per_core", "host.smt_gain_percent",
        "host.busy_loss_percent", "workload.buffer_bytes", "workload.largest_row_bytes",
        "workload.users", "client.use",
    }  # fmt: skip
    assert shown("import") == common | {"instance.redo_disk", "workload.commit"}
    assert shown("export") == common | {
        "instance.release", "instance.db_file_multiblock_read_count", "instance.serial_direct_read",
        "workload.direct", "host.page_cache_hit_fraction", "disk.iops_limit", "disk.throughput_limit_bytes_per_s",
        "host.iops_limit", "host.bandwidth_limit_bytes_per_s", "instance.block_end_saves_get",
    }  # fmt: skip


def test_a_stream_has_the_controls_of_calls_kernel_disk_and_iostat_alone() -> None:
    common = {
        "workload.block_size_bytes", "workload.count", "workload.runtime_s", "workload.pattern",
        "workload.stride_bytes", "workload.span_bytes", "workload.path", "workload.in_flight", "workload.submission",
        "workload.batch", "host.nomerges",
        "workload.think_s", "workload.rate_per_s",
        "workload.arrivals", "workload.users", "host.io_path", "host.use", "host.cpus", "host.kernel",
        "host.threads_per_core", "host.smt_gain_percent", "host.busy_loss_percent",
        "host.scheduler", "host.nr_requests", "host.max_request_bytes", "host.max_segments", "host.folios",
        "host.filesystem",
        "host.memory_bytes", "disk.use", "disk.queue_depth", "iostat.interval_s", "iostat.first_s",
        "disk.report_interval_s",
        "disk.raid_level", "disk.raid_disks", "disk.iops_limit", "disk.throughput_limit_bytes_per_s",
        "disk.burst_iops", "disk.burst_credits", "disk.limit_io_bytes", "disk.limit_slice_s",
        "disk.interface", "disk.reorder_age_s", "host.iops_limit", "host.bandwidth_limit_bytes_per_s",
        "host.burst_iops", "host.burst_bandwidth_bytes_per_s", "host.burst_s",
    }  # fmt: skip
    assert shown("write_stream") == common | {
        "workload.fsync_every", "disk.controller_writes_per_s", "disk.spare_fraction",
        "disk.used_fraction", "disk.fresh", "disk.fua", "workload.synced",
        "disk.write_cache_bytes", "host.dirty_background_ratio_percent",
        "host.dirty_ratio_percent", "host.dirty_writeback_s", "host.dirty_expire_s", "disk.write_cache_flushed",
        "workload.extends", "host.journal",
    }  # fmt: skip
    assert shown("read_stream") == common | {
        "disk.controller_reads_per_s",
        "workload.fadvise",
        "host.read_ahead_bytes",
        "host.page_cache_hit_fraction",
    }


@pytest.mark.parametrize(
    ("path", "settings", "idle"),
    [
        ("workload.stride_bytes", [], True),
        ("workload.stride_bytes", ["workload.pattern=strided", "workload.stride_bytes=1M"], False),
        ("workload.arrivals", [], True),
        ("workload.arrivals", ["workload.rate_per_s=10"], False),
        ("workload.think_s", ["workload.rate_per_s=10"], True),
        ("workload.in_flight", ["workload.rate_per_s=10"], True),
        ("workload.in_flight", [], False),
        ("host.io_path", ["workload.path=raw"], True),
        ("host.io_path", [], False),
        ("host.memory_bytes", ["workload.path=buffered"], False),
        ("host.memory_bytes", ["workload.path=sync"], True),
        ("host.filesystem", ["workload.path=sync"], False),
        ("host.filesystem", ["workload.path=raw"], True),
        ("workload.fsync_every", ["host.io_path=buffered"], False),
        ("workload.fsync_every", ["host.io_path=direct"], True),
        ("workload.count", [], False),
        ("disk.write_cache_flushed", [], True),
        ("disk.write_cache_flushed", ["disk.write_cache_bytes=8M"], False),
        ("disk.raid_disks", [], True),
        ("disk.raid_disks", ["disk.raid_level=10", "disk.raid_disks=4"], False),
        ("workload.rate_per_s", [], False),
        ("workload.rate_per_s", ["workload.in_flight=2"], True),
        ("workload.rate_per_s", ["workload.rate_per_s=10"], False),
        ("disk.burst_iops", [], True),
        ("disk.burst_iops", ["disk.iops_limit=100"], False),
        ("disk.limit_io_bytes", [], True),
        ("disk.limit_io_bytes", ["disk.throughput_limit_bytes_per_s=1M"], True),
        ("disk.limit_io_bytes", ["disk.iops_limit=100"], False),
        ("host.burst_iops", [], True),
        ("host.burst_iops", ["host.iops_limit=100"], False),
        ("host.burst_bandwidth_bytes_per_s", ["host.iops_limit=100"], True),
        ("host.burst_bandwidth_bytes_per_s", ["host.bandwidth_limit_bytes_per_s=1M"], False),
        ("host.burst_s", ["host.iops_limit=100"], True),
        ("host.burst_s", ["host.iops_limit=100", "host.burst_iops=300"], False),
        ("disk.limit_io_bytes", ["host.iops_limit=100"], False),
        ("disk.limit_slice_s", [], True),
        ("disk.limit_slice_s", ["disk.throughput_limit_bytes_per_s=1M"], False),
        ("disk.burst_credits", ["disk.iops_limit=100"], True),
        ("disk.burst_credits", ["disk.iops_limit=100", "disk.burst_iops=300"], False),
    ],
)
def test_a_control_of_a_stream_that_decides_nothing_says_so(
    path: str, settings: list[str], idle: bool
) -> None:
    control = next(control for control in CONTROLS if control.path == path)
    assert bool(control.idle(load("rahn-full-scan", ["workload.kind=write_stream", *settings]))) is idle


@pytest.mark.parametrize(
    ("path", "settings", "idle"),
    [
        ("workload.growth_bytes", ["workload.kind=update"], False),
        ("workload.arraysize_rows", ["workload.kind=insert"], False),
        ("workload.arraysize_rows", ["workload.kind=insert", "workload.method=row"], True),
        ("workload.arraysize_rows", ["workload.kind=insert", "workload.method=direct"], True),
    ],
)
def test_a_control_of_a_change_that_decides_nothing_says_so(
    path: str, settings: list[str], idle: bool
) -> None:
    control = next(control for control in CONTROLS if control.path == path)
    assert bool(control.idle(load("rahn-full-scan", settings))) is idle


@pytest.mark.parametrize(
    ("path", "setting", "idle"),
    [
        ("host.page_cache_hit_fraction", "host.io_path=asm", True),
        ("host.page_cache_hit_fraction", "host.io_path=buffered", False),
        ("index.clustering", "index.clustering_factor=5000", True),
        ("index.clustering", "index.clustering=scattered", False),
    ],
)
def test_a_control_that_decides_nothing_says_so(path: str, setting: str, idle: bool) -> None:
    control = next(control for control in CONTROLS if control.path == path)
    assert bool(control.idle(load("index-range-scan", [setting]))) is idle


@pytest.mark.parametrize(
    ("path", "settings", "idle"),
    [
        ("host.cpus", [], True),
        ("host.cpus", ["workload.users=2"], False),
        ("host.busy_loss_percent", [], True),
        ("host.busy_loss_percent", ["workload.users=2"], False),
        ("host.busy_loss_percent", ["workload.users=2", "host.cpus=1"], True),
        ("host.smt_gain_percent", ["workload.users=2"], True),
        ("host.smt_gain_percent", ["workload.users=2", "host.threads_per_core=2"], False),
        ("host.cpus", ["prices.use=example"], False),
        ("disk.use", [], False),
        ("disk.use", ["table.cached_fraction=1"], True),
        ("disk.use", ["table.cached_fraction=1", "instance.serial_direct_read=always"], False),
        ("instance.disk_asynch_io", ["instance.serial_direct_read=never"], True),
        ("workload.columns", ["workload.select=count"], True),
        ("workload.arraysize_rows", ["workload.select=count"], True),
        ("workload.arraysize_rows", [], False),
    ],
)
def test_a_control_of_a_scan_that_decides_nothing_says_so(path: str, settings: list[str], idle: bool) -> None:
    control = next(control for control in CONTROLS if control.path == path)
    assert bool(control.idle(load("rahn-full-scan", settings))) is idle


def test_an_import_through_the_page_cache_writes_nothing_asynchronously() -> None:
    control = next(one for one in CONTROLS if one.path == "instance.disk_asynch_io")
    assert "page cache" in control.idle(load("magni-imp-4k"))
    assert not control.idle(load("magni-imp-4k", ["host.io_path=direct"]))


def test_filesystemio_options_are_for_files_of_a_file_system() -> None:
    control = next(one for one in CONTROLS if one.path == "instance.filesystemio_options")
    assert control.idle(load("full-scan-nvme")) == "ASM and raw devices ignore it"
    assert not control.idle(load("full-scan-filesystem"))


@pytest.mark.parametrize("settings", [["host.io_path=buffered"], ["instance.disk_asynch_io=false"]])
def test_reads_of_transactions_go_one_by_one_without_asynchronous_io(settings: list[str]) -> None:
    control = next(one for one in CONTROLS if one.path == "workload.mix.0.parallel_reads")
    assert not control.idle(load("oltp-nvme"))
    assert "one at a time" in control.idle(load("oltp-nvme", settings))


def test_reads_that_the_page_cache_answers_know_no_disk() -> None:
    cached, from_disk = (
        load("shallahamer-pread", [f"host.page_cache_hit_fraction={share}"]) for share in (1, 0)
    )
    for path in ("disk.use", "host.scheduler", "host.read_ahead_bytes", "disk.iops_limit"):
        control = next(one for one in CONTROLS if one.path == path and one.facts("read_stream"))
        assert control.idle(cached) == "the page cache has every block"
        assert "page cache" not in control.idle(from_disk)


@pytest.mark.parametrize(("moved", "needs"), list(forms.COMPANIONS.items()), ids=str)
def test_a_value_that_needs_another_field_is_taken_with_it(
    moved: tuple[str, str], needs: tuple[str, str]
) -> None:
    name = "tpc-b" if "pool" in moved[0] else "magni-dd-raw-100"
    run(load(name, ["=".join(needs), "=".join(moved)]))


def test_options_with_another_name_are_options_of_their_field() -> None:
    for path, names in forms.SHOWN.items():
        control = next(control for control in CONTROLS if control.path == path)
        declared = {option for kind in KINDS if (field := control.facts(kind)) for option in field.options}
        assert names.keys() <= declared, path


CONFIGURATION: Final = tomllib.loads(
    (Path(forms.__file__).parents[1] / ".streamlit").joinpath("config.toml").read_text("utf-8")
)


def test_no_message_is_sent_as_a_reference_that_a_browser_may_have_forgotten_meanwhile() -> None:
    """One that is not known any more ends a browser's connection: it shows nothing from then on."""
    option = "minCachedMessageSize"
    assert f"global.{option}" in get_config_options()
    assert CONFIGURATION["global"][option] >= 2**31, "larger than a message can be"


def test_a_control_may_say_its_value_twice_as_an_interrupted_drawing_leaves_its_state_to_the_next() -> None:
    option = "disableWidgetStateDuplicationWarning"
    assert f"global.{option}" in get_config_options()
    assert CONFIGURATION["global"][option] is True


def test_the_configuration_keeps_the_page_to_itself() -> None:
    config = CONFIGURATION
    assert config["browser"]["gatherUsageStats"] is False
    assert config["client"]["toolbarMode"] == "viewer"
