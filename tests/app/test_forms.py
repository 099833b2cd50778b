"""Controls take label, unit, limits and help from the one declaration of their field."""

import tomllib
from pathlib import Path
from typing import Final

import pytest
from streamlit.config import get_config_options

from blocktime.app.controls import forms
from blocktime.app.controls.control_fields import facts
from blocktime.app.controls.more_fields import searchable
from blocktime.model.spec import WORKLOADS
from blocktime.scenarios import load, run
from blocktime.scenarios.declared import declarations, declared_fields
from blocktime.scenarios.unread import is_unread

CONTROLS = [
    (kind, control) for kind in WORKLOADS for controls in forms.groups_of(kind).values() for control in controls
]


def test_every_control_is_a_declared_field_that_explains_itself() -> None:
    for kind, control in CONTROLS:
        field = control.facts(kind)
        assert field, (kind, control.path)
        assert field.says, (kind, control.path)
        assert f"`{control.path}`" in field.help()


@pytest.mark.parametrize("kind", WORKLOADS)
def test_a_control_is_shown_of_fields_that_matter_and_each_of_these_is_found(kind: str) -> None:
    """The measured list decides, from both directions; its own test sets every field off its value."""
    grouped = {control.path for controls in forms.groups_of(kind).values() for control in controls}
    assert not [path for path in grouped if is_unread(kind, path)]
    places = {path: declared.places for path, declared in declarations(kind).items()}
    missing = [
        path
        for path, places_of_field in places.items()
        if any(place.is_for(kind) for place in places_of_field) and not is_unread(kind, path)
    ]
    assert set(missing) == grouped
    matter = [path for path in declared_fields(kind) if not is_unread(kind, path)]
    assert set(matter) <= searchable(kind).keys()


PRICED = {control.path for control in forms.groups_of("full_scan")["Prices"]}


def control_of(path: str, kind: str = "full_scan") -> forms.Control:
    assert facts(path, kind)
    return forms.control_of(path, kind)


def shown(kind: str) -> set[str]:
    paths = [control.path for each, control in CONTROLS if each == kind]
    assert len(set(paths)) == len(paths)  # two widgets of one key would be refused
    assert set(paths) >= {path for path in PRICED if not is_unread(kind, path)}  # every kind of work costs something
    assert "prices.use" in paths
    return set(paths) - PRICED


STATEMENTS = ("full_scan", "index_range_scan", "update", "insert", "delete", "import", "export")


@pytest.mark.parametrize("kind", WORKLOADS)
def test_every_kind_of_work_has_its_machine_and_its_prices(kind: str) -> None:
    assert shown(kind) >= {"host.use", "host.cpus", "host.io_path", "disk.use", "host.iops_limit", "workload.users"}


def test_each_kind_has_the_controls_that_play_a_part() -> None:
    for kind in STATEMENTS:
        assert shown(kind) >= {"tablespace.block_size_bytes", "table.rows", "table.pctfree_percent", "client.use"}
        assert "workload.pattern" not in shown(kind)
        assert ("index.clustering" in shown(kind)) == (kind == "index_range_scan")
        assert ("workload.caller" in shown(kind)) == (kind in ("update", "insert", "delete"))
    assert shown("insert") >= {"instance.buffer_cache_bytes", "disk.iops_limit"}, "DBWR writes behind an insert"
    assert "instance.serial_direct_read" not in shown("update")
    for kind in ("write_stream", "read_stream"):
        assert shown(kind) >= {"host.scheduler", "disk.queue_depth", "iostat.interval_s", "workload.in_flight"}
        assert "table.rows" not in shown(kind)
        assert "disk.interface" not in shown(kind), "it refuses a queue depth, and moves nothing"
    assert shown("write_stream") - shown("read_stream") >= {"disk.spare_fraction", "workload.fsync_every"}
    assert shown("read_stream") - shown("write_stream") == {
        "disk.controller_reads_per_s", "workload.fadvise", "host.read_ahead_bytes", "host.page_cache_hit_fraction",
    }  # fmt: skip


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
def test_a_control_of_a_stream_that_decides_nothing_says_so(path: str, settings: list[str], idle: bool) -> None:
    scenario = load("rahn-full-scan", ["workload.kind=write_stream", *settings])
    assert bool(control_of(path, "write_stream").idle(scenario)) is idle


@pytest.mark.parametrize(
    ("path", "settings", "idle"),
    [
        ("workload.growth_bytes", ["workload.kind=update"], False),
        ("workload.arraysize_rows", ["workload.kind=insert"], False),
        ("workload.arraysize_rows", ["workload.kind=insert", "workload.method=row"], True),
        ("workload.arraysize_rows", ["workload.kind=insert", "workload.method=direct"], True),
    ],
)
def test_a_control_of_a_change_that_decides_nothing_says_so(path: str, settings: list[str], idle: bool) -> None:
    scenario = load("rahn-full-scan", settings)
    assert bool(control_of(path, scenario.workload.kind).idle(scenario)) is idle


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
    control = control_of(path, "index_range_scan")
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
    scenario = load("rahn-full-scan", settings)
    assert bool(control_of(path, scenario.workload.kind).idle(scenario)) is idle


def test_an_import_through_the_page_cache_writes_nothing_asynchronously() -> None:
    control = control_of("instance.disk_asynch_io", "import")
    assert "page cache" in control.idle(load("magni-imp-4k"))
    assert not control.idle(load("magni-imp-4k", ["host.io_path=direct"]))


def test_filesystemio_options_are_for_files_of_a_file_system() -> None:
    control = control_of("instance.filesystemio_options")
    assert control.idle(load("full-scan-nvme")) == "ASM and raw devices ignore it"
    assert not control.idle(load("full-scan-filesystem"))


@pytest.mark.parametrize("settings", [["host.io_path=buffered"], ["instance.disk_asynch_io=false"]])
def test_reads_of_transactions_go_one_by_one_without_asynchronous_io(settings: list[str]) -> None:
    control = control_of("workload.mix.0.parallel_reads", "transactions")
    assert not control.idle(load("oltp-nvme"))
    assert "one at a time" in control.idle(load("oltp-nvme", settings))


def test_reads_that_the_page_cache_answers_know_no_disk() -> None:
    cached, from_disk = (load("shallahamer-pread", [f"host.page_cache_hit_fraction={share}"]) for share in (1, 0))
    for path in ("disk.use", "host.scheduler", "host.read_ahead_bytes", "disk.iops_limit"):
        control = control_of(path, "read_stream")
        assert control.idle(cached) == "the page cache has every block"
        assert "page cache" not in control.idle(from_disk)


DECLARED = {path: declared for kind in WORKLOADS for path, declared in declarations(kind).items()}
NEEDS = [(path, value, *needs) for path, told in DECLARED.items() for value, needs in told.needs.items()]


@pytest.mark.parametrize(("path", "value", "needed", "fits"), NEEDS)
def test_a_value_that_needs_another_field_is_taken_with_it(path: str, value: str, needed: str, fits: str) -> None:
    name = "tpc-b" if "pool" in path else "full-scan-nvme" if "join" in path else "magni-dd-raw-100"
    run(load(name, [f"{needed}={fits}", f"{path}={value}"]))


def test_options_with_another_name_are_options_of_their_field() -> None:
    for path, declared in DECLARED.items():
        if declared.options:
            kinds = {option for kind in WORKLOADS if (field := facts(path, kind)) for option in field.options}
            assert declared.options.keys() <= kinds, path


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
