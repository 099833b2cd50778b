"""A scenario is a base and what differs: layers, units, catalog entries and where each value comes from."""

import importlib
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from blocktime.model.catalog import entries, entry
from blocktime.model.errors import SpecError, UnknownName
from blocktime.model.spec import FullScan, IndexRangeScan
from blocktime.scenarios import from_mapping, library, load, run, to_mapping, to_toml
from blocktime.scenarios.load import library_data
from blocktime.scenarios.schema import schema_of
from tests.known_by_law import SUMMED

NAMES = sorted(library())


def without_origin(scenario: Any) -> dict[str, Any]:
    """What a scenario means, without where it was read and what its constants are called after."""
    dumped = scenario.model_dump(mode="json", exclude={"name", "origin", "title", "source", "base", "differences"})
    dumped["system"].pop("constants")
    return dict(dumped)


def layered(tmp_path: Path, text: str, settings: tuple[str, ...] = ()) -> Any:
    """A scenario from the text of a file."""
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load(path, settings)


# --- the library ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_each_library_scenario_says_what_it_is_and_whence(name: str) -> None:
    scenario = load(name)
    assert scenario.title.strip()
    assert scenario.source.strip()
    assert scenario.title == library()[name].title
    assert scenario.name == scenario.origin == scenario.base == name
    assert scenario.differences == {}


def test_titles_tell_scenarios_apart() -> None:
    assert len({entry_.title for entry_ in library().values()}) == len(NAMES)


def test_loading_leaves_the_library_as_it_was() -> None:
    before = repr({name: library_data(name) for name in NAMES})
    load("index-range-scan", ["table.rows=5", "instance.statistics.cpuspeed_hz=1e9", "disk.use=nvme"])
    assert repr({name: library_data(name) for name in NAMES}) == before


# --- bases ------------------------------------------------------------------------------------------------------------


def test_a_base_of_a_base_shines_through() -> None:
    """index-range-scan-scattered stands on index-range-scan, which stands on rahn-full-scan."""
    scattered, clustered, scan = (
        load(name) for name in ("index-range-scan-scattered", "index-range-scan", "rahn-full-scan")
    )
    assert scattered.system.table == scan.system.table
    untraced = scan.system.instance.model_copy(update={"sql_trace": False})
    assert scattered.system.instance == untraced
    assert scattered.workload == clustered.workload
    assert scattered.system.index.clustering == "scattered"
    assert clustered.system.index.clustering == "clustered"


def test_a_later_layer_wins_field_by_field() -> None:
    pio, lio = load("savvinov-pio-lio").system, load("savvinov-lio-server").system
    assert pio.table.rows == 4_000_000
    assert pio.table.created_by == lio.table.created_by == "ctas"
    assert pio.tablespace == lio.tablespace
    assert pio.host.io_path == "direct"
    assert pio.host.logical_io_s == lio.host.logical_io_s


def test_a_file_stands_on_a_library_scenario(tmp_path: Path) -> None:
    scenario = layered(tmp_path, 'base = "rahn-full-scan"\n[tablespace]\nblock_size_bytes = "16K"\n')
    assert scenario.base == "rahn-full-scan"
    assert scenario.name == "mine"
    assert scenario.system.tablespace.block_size_bytes == 16384
    assert scenario.system.table == load("rahn-full-scan").system.table
    assert scenario.differences == {"tablespace": {"block_size_bytes": "16K"}}


def test_without_a_base_the_defaults_stand(tmp_path: Path) -> None:
    scenario = layered(tmp_path, "[table]\nrows = 7\n")
    assert scenario.base is None
    assert scenario.system == from_mapping({"table": {"rows": 7}}).system
    assert scenario.system.constants == {}


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "read", "value"),
    [
        ("tablespace.block_size_bytes=16K", lambda s: s.system.tablespace.block_size_bytes, 16384),
        ("tablespace.block_size_bytes = 16384", lambda s: s.system.tablespace.block_size_bytes, 16384),
        ("table.rows=1_000", lambda s: s.system.table.rows, 1000),
        ("table.cached_fraction=0.25", lambda s: s.system.table.cached_fraction, 0.25),
        ("host.io_path=buffered", lambda s: s.system.host.io_path, "buffered"),
        ('host.io_path="buffered"', lambda s: s.system.host.io_path, "buffered"),
        ("instance.release=11.2.0.3", lambda s: s.system.instance.release, "11.2.0.3"),
        ("instance.disk_asynch_io=false", lambda s: s.system.instance.disk_asynch_io, False),
        ("instance.statistics.cpuspeed_hz=1e9", lambda s: s.system.instance.statistics.cpuspeed_hz, 1e9),
        ("disk.overhead_s=5ms", lambda s: s.system.disk.overhead_s, 0.005),
        ("workload.users=3", lambda s: s.workload.users, 3),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_setting_reaches_its_field(setting: str, read: Callable[[Any], Any], value: Any) -> None:
    assert read(load("rahn-full-scan", [setting])) == value


def test_settings_lie_over_the_file_and_the_last_one_wins(tmp_path: Path) -> None:
    text = 'base = "rahn-full-scan"\n[table]\nrows = 5\npctfree_percent = 20\n'
    scenario = layered(tmp_path, text, ("table.rows=6", "table.rows=7"))
    assert scenario.system.table.rows == 7
    assert scenario.system.table.pctfree_percent == 20
    assert scenario.differences == {"table": {"rows": 7, "pctfree_percent": 20}}


def test_settings_in_one_section_do_not_push_out_the_others() -> None:
    base = load("rahn-full-scan").system
    scenario = load("rahn-full-scan", ["instance.statistics.cpuspeed_hz=1e9", "instance.sessions=10"]).system
    assert scenario.instance.statistics.block_cycles == base.instance.statistics.block_cycles
    assert scenario.instance.buffer_cache_bytes == base.instance.buffer_cache_bytes
    assert scenario.instance.sessions == 10


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("1048576", 2**20),
        ("1024K", 2**20),
        ("1024k", 2**20),
        ("1024KB", 2**20),
        ("1024 KiB", 2**20),
        ("1.5M", 3 * 2**19),
        ("1G", 2**30),
        ("1T", 2**40),
    ],
)
def test_sizes_take_units(text: str, size_bytes: int) -> None:
    found = from_mapping({"instance": {"buffer_cache_bytes": text}})
    assert found.system.instance.buffer_cache_bytes == size_bytes


@pytest.mark.parametrize(
    ("text", "duration_s"),
    [
        ("2", 2.0),
        ("5ms", 0.005),
        ("250us", 250e-6),
        ("250µs", 250e-6),
        ("80 ns", 80e-9),
        ("1.5e-3", 0.0015),
        ("2s", 2.0),
    ],
)
def test_durations_take_units(text: str, duration_s: float) -> None:
    found = from_mapping({"disk": {"overhead_s": text}})
    assert found.system.disk.overhead_s == pytest.approx(duration_s)


# --- catalog entries --------------------------------------------------------------------------------------------------


def test_use_takes_every_value_of_the_entry_with_its_source() -> None:
    scenario = from_mapping({"disk": {"use": "sas-10k"}})
    known = entry("disk", "sas-10k").constants
    for field, constant in known.items():
        assert getattr(scenario.system.disk, field) == constant.value
        assert scenario.system.constants[f"disk.{field}"] == constant


def test_another_use_replaces_all_of_the_first() -> None:
    scenario = load("rahn-full-scan", ["disk.use=nvme"])
    assert scenario.system.disk == from_mapping({"disk": {"use": "nvme"}}).system.disk
    named = {key.split(".")[1] for key in scenario.system.constants if key.startswith("disk.")}
    assert named == set(entry("disk", "nvme").constants)
    assert {key for key in scenario.system.constants if key.startswith("host.")}


def test_single_fields_may_differ_from_the_entry() -> None:
    scenario = load("rahn-full-scan", ["disk.use=nvme", "disk.overhead_s=1ms"])
    nvme = from_mapping({"disk": {"use": "nvme"}}).system.disk
    assert scenario.system.disk.overhead_s == 0.001
    assert scenario.system.disk.bandwidth_bytes_per_s == nvme.bandwidth_bytes_per_s


@pytest.mark.parametrize("value", [0.003, "3ms"])
def test_a_field_that_differs_says_that_the_scenario_set_it(value: object) -> None:
    """Written as a number or with a unit, on the entry of its own layer or of a base."""
    own = from_mapping({"disk": {"use": "sas-15k", "average_seek_s": value}}, where="mine.toml")
    later = from_mapping({"base": "rahn-full-scan", "disk": {"average_seek_s": value}}, where="mine.toml")
    for scenario in (own, later):
        assert scenario.system.disk.average_seek_s == pytest.approx(0.003)
        constant = scenario.system.constants["disk.average_seek_s"]
        assert constant.how == "set by the scenario"
        assert constant.value == pytest.approx(0.003)
        assert constant.source == "mine.toml"
        assert constant.range == {}
        assert scenario.system.constants["disk.rotation_s"] == entry("disk", "sas-15k").constants["rotation_s"]


def test_the_nested_statistics_take_an_entry_too() -> None:
    scenario = from_mapping({"instance": {"statistics": {"use": "rahn-2008", "cpuspeed_hz": 1e9}, "sessions": 9}})
    statistics = scenario.system.instance.statistics
    assert statistics.block_cycles == entry("statistics", "rahn-2008").constants["block_cycles"].value
    assert statistics.cpuspeed_hz == 1e9
    assert scenario.system.constants["instance.statistics.cpuspeed_hz"].how == "set by the scenario"
    assert scenario.system.instance.sessions == 9


def test_every_constant_has_the_value_that_the_system_has() -> None:
    for name in NAMES:
        scenario = load(name, ["disk.overhead_s=0.5ms", "host.call_s=1e-5"])
        for path, constant in scenario.system.constants.items():
            inside, _, rest = path.partition(".")
            value: Any = scenario.workload if inside == "workload" else getattr(scenario.system, inside)
            for part in rest.split("."):
                value = getattr(value, part)
            assert float(value) == pytest.approx(constant.value), f"{name}: {path}"


def test_a_constant_used_outside_its_range_is_told() -> None:
    result = run(load("rahn-full-scan", ["workload.arraysize_rows=1000"]))
    assert any("for array size 100, used at array size 1,000" in str(found) for found in result.extrapolated)
    changed = load("rahn-full-scan", ["tablespace.block_size_bytes=32K", "host.logical_io_s=1us"])
    told = {found.constant for found in run(changed).extrapolated}
    assert "host.logical_io_s" not in told


# --- two descriptions of one thing ------------------------------------------------------------------------------------


def test_row_bytes_push_out_the_columns_of_the_base() -> None:
    scenario = load("rahn-full-scan", ["table.row_bytes=200"])
    assert scenario.system.table.columns == ()
    assert scenario.system.table.row_bytes == 200
    counted = load("rahn-full-scan", ["table.column_count=3"])
    assert counted.system.table.columns == ()
    assert counted.system.table.column_count == 3


def test_columns_push_out_row_bytes_and_their_spread() -> None:
    columns = [{"name": "ID", "bytes": 4}, {"name": "TEXT", "type": "varchar2", "bytes": "1K"}]
    scenario = from_mapping({"base": "full-scan-nvme", "table": {"columns": columns}})
    table = scenario.system.table
    assert (table.row_bytes, table.column_count, table.row_bytes_sd) == (None, None, 0)
    assert [column.bytes for column in table.columns] == [4, 1024]
    assert table.rows == 50_000_000
    assert from_mapping({"base": "rahn-full-scan", "table": {"columns": columns}}).system.table.row_bytes_sd == 0


def test_both_in_one_layer_contradict() -> None:
    with pytest.raises(SpecError, match="both describe the row"):
        from_mapping({"base": "rahn-full-scan", "table": {"columns": [{"bytes": 3}], "row_bytes": 100}})


def test_another_kind_of_workload_drops_the_fields_that_it_does_not_have() -> None:
    scan = from_mapping({"base": "index-range-scan", "workload": {"kind": "full_scan"}}).workload
    assert scan == FullScan(arraysize_rows=100)
    walk = from_mapping({"base": "rahn-full-scan", "workload": {"kind": "index_range_scan", "users": 2}}).workload
    assert walk == IndexRangeScan(arraysize_rows=100, users=2)
    assert load("index-range-scan", ["workload.kind=full_scan"]).workload == scan


def test_a_field_of_the_other_kind_is_refused() -> None:
    with pytest.raises(SpecError, match="belongs to index_range_scan"):
        load("index-range-scan", ["workload.kind=full_scan", "workload.selectivity_fraction=0.5"])


# --- there and back ---------------------------------------------------------------------------------------------------

SETTINGS = [
    (),
    ("tablespace.block_size_bytes=16K",),
    ("disk.use=nvme", "disk.overhead_s=5ms", "workload.users=4"),
    ("instance.statistics.cpuspeed_hz=1e9", "table.pctfree_percent=0.5", "instance.disk_asynch_io=false"),
    ("table.row_bytes=77", "table.column_count=3", "host.io_path=buffered"),
]


@pytest.mark.sampled(40)
@pytest.mark.parametrize("settings", SETTINGS, ids=range(len(SETTINGS)))
@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_reads_back(tmp_path: Path, name: str, settings: tuple[str, ...]) -> None:
    scenario = load(name, settings)
    back = layered(tmp_path, to_toml(scenario))
    assert without_origin(back) == without_origin(scenario)
    assert back.title == scenario.title
    if name in SUMMED and not settings:
        assert run(back).time == run(scenario).time
    again = from_mapping(to_mapping(scenario))
    assert without_origin(again) == without_origin(scenario)
    assert tomllib.loads(to_toml(back)) == tomllib.loads(to_toml(scenario))


def test_a_file_of_ones_own_reads_back_with_all_it_says(tmp_path: Path) -> None:
    text = (
        'base = "rahn-full-scan"\ntitle = "mine"\nsource = "a note"\nseed = 7\nreplications = 3\n'
        '[table]\nrows = 5\ncolumns = [ { name = "A\\"B", bytes = 3.5 } ]\n[workload]\nusers = 2\n'
    )
    scenario = layered(tmp_path, text)
    back = layered(tmp_path, to_toml(scenario))
    assert without_origin(back) == without_origin(scenario)
    assert (back.title, back.source, back.seed, back.replications) == ("mine", "a note", 7, 3)


def test_a_file_with_settings_keeps_both(tmp_path: Path) -> None:
    scenario = layered(tmp_path, 'base = "rahn-full-scan"\n[table]\nrows = 5\n', ("disk.use=nvme",))
    back = layered(tmp_path, to_toml(scenario))
    assert back.system.table.rows == 5
    assert back.system.disk == scenario.system.disk


# --- the schema -------------------------------------------------------------------------------------------------------


@cache
def validator() -> Any:
    """JSON Schema's own checker, where something has brought it along."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = schema_of("scenario")
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def faults(data: dict[str, Any]) -> list[str]:
    """What the schema says against a file."""
    return [f"{'.'.join(map(str, fault.path))}: {fault.message}" for fault in validator().iter_errors(data)]


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_accepts_every_library_file(name: str) -> None:
    assert faults(library_data(name)) == []


@pytest.mark.parametrize(
    "text",
    [
        'base = "rahn-full-scan"\ntitle = "t"\nsource = "s"\nseed = 1\nreplications = 2',
        "[tablespace]\nblock_size_bytes = 16384",
        '[tablespace]\nblock_size_bytes = "16K"',
        '[instance]\nbuffer_cache_bytes = "1.5GB"\ndb_file_multiblock_read_count = "auto"',
        '[instance]\nstatistics = { use = "rahn-2008", cpuspeed_hz = 1e9 }',
        '[disk]\nuse = "sas-15k"\noverhead_s = "5ms"\nbandwidth_bytes_per_s = "100M"',
        '[table]\nrow_bytes = "1K"',
        '[table]\ncolumns = [ { type = "varchar2", bytes = "1K", null_fraction = 0.5 } ]',
        "[index]\nleaf_blocks = 5",
        '[workload]\nkind = "index_range_scan"\nselectivity_fraction = 0.5',
        "[workload]\nusers = 2",
    ],
)
def test_the_schema_accepts_what_the_program_accepts(text: str) -> None:
    data = tomllib.loads(text)
    from_mapping(data)
    assert faults(data) == []


@pytest.mark.parametrize(
    "text",
    [
        "tabel = 3",
        "[table]\nrow = 3",
        "[table]\nrows = 0",
        "[table]\nrow_bytes = 1",
        "[table]\npctfree_percent = 100",
        "[tablespace]\nblock_size_bytes = 5000",
        "[index]\nleaf_blocks = 0",
        '[host]\nscheduler = "anticipatory"',
        '[workload]\nkind = "full"',
        "[instance]\ndb_file_multiblock_read_count = -1",
        "[instance.statistics]\nmbrc = 0",
        "seed = -1",
    ],
)
def test_the_schema_refuses_what_the_program_refuses(text: str) -> None:
    data = tomllib.loads(text)
    with pytest.raises(SpecError):
        from_mapping(data)
    assert faults(data)


def test_the_schema_of_a_result_accepts_a_result() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    result = run(load("rahn-full-scan")).model_dump(mode="json")
    jsonschema.Draft202012Validator(schema_of("result")).validate(result)


def test_there_is_no_other_schema() -> None:
    with pytest.raises(UnknownName, match="scenario"):
        schema_of("scenari")


def test_library_and_catalog_come_with_the_package() -> None:
    """The files are found beside the code, not in the folder one happens to stand in."""
    file = importlib.import_module("scenarios").__file__
    assert file is not None
    assert {path.stem for path in (Path(file).parent / "library").glob("*.toml")} == set(NAMES)
    assert all(entries(kind) for kind in ("disk", "host", "client", "statistics"))


def test_a_kernel_release_is_text_and_keeps_its_nought() -> None:
    assert load("magni-dd-raw-100", ["host.kernel=5.10"]).system.host.kernel == "5.10"
    assert load("magni-dd-raw-100", ["host.kernel=3.10.0-1160.el7.x86_64"]).system.host.kernel.startswith("3.10.0")
    with pytest.raises(
        SpecError, match=r"host\.kernel: 'banana' is not a kernel release; write it like 2\.6\.5 or 5\.15"
    ):
        load("magni-dd-raw-100", ["host.kernel=banana"])
    with pytest.raises(SpecError, match="write the release as text"):
        from_mapping({"host": {"kernel": 5.1}, "workload": {"kind": "read_stream"}})


def test_another_catalog_entry_leaves_nothing_of_the_first() -> None:
    disk = load("magni-dd-raw-100", ["disk.use=array-raid10"]).system.disk
    assert disk.raid_level == "10"
    base = from_mapping({"base": "magni-dd-raw-100", "disk": {"use": "array-raid10"}})
    again = from_mapping({**to_mapping(base), "disk": {"use": "nvme"}})
    assert (again.system.disk.raid_level, again.system.disk.raid_disks) == ("none", 1)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["host.scheduler=cfq", "host.kernel=6.8"], "kernel 6.8 has no scheduler cfq"),
        (["host.scheduler=bfq"], "kernel 2.6.5 has no scheduler bfq"),
        (["host.dirty_background_ratio_percent=50"], "the kernel uses half of the latter"),
    ],
)
def test_settings_that_no_machine_has_together_are_named(settings: list[str], said: str) -> None:
    assert any(said in note for note in run(load("magni-dd-raw-100", settings)).warnings)


def test_an_inferred_field_goes_with_its_kind_of_workload() -> None:
    changed = load("magni-tpcb-8k", ["workload.kind=full_scan"])
    assert changed.workload.kind == "full_scan"
    assert "workload.think_s" not in changed.system.constants
    paced = load("magni-tpcb-8k", ["workload.rate_per_s=5"])
    assert "workload.think_s" not in paced.system.constants
    assert "workload.think_s" in load("magni-tpcb-8k", ["workload.users=5"]).system.constants


def test_a_file_that_infers_a_field_of_another_kind_is_refused_as_before() -> None:
    data = {"workload": {"kind": "full_scan"}, "inferred": [{"field": "workload.think_s"}]}
    with pytest.raises(SpecError, match="it is the path of a number"):
        from_mapping(data)
