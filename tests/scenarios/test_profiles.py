"""A file's own entries: what they bring and whence, wherever ``use`` may name one, and what is wrong with one."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from blocktime.app.controls import control_fields, user_files
from blocktime.app.controls.page_question import opened
from blocktime.app.controls.settings import settle
from blocktime.app.session import address
from blocktime.model.catalog import KINDS, entry
from blocktime.model.errors import SpecError
from blocktime.scenarios import from_mapping, load, to_mapping, to_toml
from blocktime.scenarios.load import source_in
from blocktime.scenarios.profiles import section_of
from blocktime.scenarios.sweeps.points import Points
from blocktime.scenarios.why_device import ScenarioPair, another_disk
from tests.command_line import CommandLine
from tests.scenarios.test_load import faults

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "scenario-files.md"
EXAMPLES = re.findall(r"^    title = .*\n(?:(?:    .*)?\n)*", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
OURS = next(text for text in EXAMPLES if "[profile." in text)
"""The example of the guide with entries of its own."""


def mine(**sections: Any) -> dict[str, Any]:
    """The guide's example with other sections."""
    return {**tomllib.loads(OURS), **sections}


def profile(disks: Any, **sections: Any) -> dict[str, Any]:
    return {"profile": {"disk": disks}, **sections}


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split('"')[1])
def test_an_example_of_the_guide_is_a_scenario(text: str) -> None:
    data = tomllib.loads(text)
    assert from_mapping(data).title == data["title"]
    assert faults(data) == []


# --- what an entry brings ---------------------------------------------------------------------------------------------


def test_an_entry_brings_its_values_over_those_that_it_builds_on() -> None:
    found = from_mapping(mine()).system
    plain = from_mapping({"disk": {"use": "array-raid10", "raid_disks": 12}, "host": {"use": "linux-x86"}}).system
    assert found.disk == plain.disk
    assert (found.disk.raid_level, found.disk.raid_disks, found.host.cpus) == ("10", 12, 32)
    assert found.host == plain.host.model_copy(update={"cpus": 32})


def test_each_value_says_where_it_comes_from() -> None:
    constants = from_mapping(mine(disk={"use": "new-array"})).system.constants
    read, alone = constants["disk.overhead_s"], constants["disk.bandwidth_bytes_per_s"]
    assert read.model_dump(exclude_defaults=True) == {
        "value": 2e-4,
        "name": "disk/new-array: overhead_s",
        "how": "read",
        "source": "acceptance test",
        "interval": (15e-5, 3e-4),
    }
    assert alone.model_dump(exclude_defaults=True) == {
        "value": 6 * 2**30,
        "name": "disk/new-array: bandwidth_bytes_per_s",
        "how": "set by the scenario",
        "source": "new-array (this file)",
    }
    assert constants["disk.queue_depth"] == entry("disk", "nvme").constants["queue_depth"]


def test_an_answer_names_the_entry_among_its_sources(tmp_path: Path, blocktime: CommandLine) -> None:
    file = tmp_path / "orders.toml"
    file.write_text(OURS, encoding="utf-8")
    sources = json.loads(blocktime.prints("run", str(file), "--json"))["sources"]
    assert {"old-array (this file)", "db7 (this file)"} < set(sources)
    assert "new-array (this file)" not in sources


def test_fields_beside_use_differ_from_an_own_entry() -> None:
    found = from_mapping(mine(disk={"use": "new-array", "overhead_s": "1ms"}), where="orders.toml").system
    assert (found.disk.overhead_s, found.disk.bandwidth_bytes_per_s) == (0.001, 6 * 2**30)
    constant = found.constants["disk.overhead_s"]
    assert (constant.value, constant.how, constant.source) == (0.001, "set by the scenario", "orders.toml")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_the_catalog_may_have_own_entries(kind: str) -> None:
    fields_of = {
        "disk": {"overhead_s": "1ms"}, "host": {"cpus": 6}, "client": {"round_trip_s": "3ms"},
        "statistics": {"cpuspeed_hz": 2e9}, "prices": {"currency": "EUR", "core_per_hour": 0.1},
    }[kind]  # fmt: skip
    section: dict[str, Any] = {"use": "mine"}
    for part in reversed(KINDS[kind].split(".")):
        section = {part: section}
    system = from_mapping({"profile": {kind: {"mine": fields_of}}, **section}).system
    target: Any = system
    for part in KINDS[kind].split("."):
        target = getattr(target, part)
    assert target == section_of(kind).model_validate(fields_of)
    numbers = {f"{KINDS[kind]}.{name}" for name, value in fields_of.items() if name != "currency"}
    assert {path for path in system.constants if path.startswith(f"{KINDS[kind]}.")} == numbers


def test_another_entry_leaves_no_word_and_no_flag_of_an_own_one() -> None:
    own = {"use": "array-raid10", "raid_level": "0", "write_cache_flushed": True, "interface": "sas"}
    data = profile({"mine": own}, disk={"use": "mine"})
    disk = from_mapping(data).system.disk
    assert (disk.raid_level, disk.write_cache_flushed, disk.interface) == ("0", True, "sas")
    changed = source_in(data, "mine", "mine.toml").with_layer("--set", {"disk": {"use": "nvme"}}).scenario()
    assert changed.system.disk == from_mapping({"disk": {"use": "nvme"}}).system.disk


def test_a_word_of_the_scenario_replaces_a_number_of_the_entry() -> None:
    for data in (
        {"disk": {"use": "array-raid10", "raid_level": "none", "raid_disks": 1}},
        profile({"mine": {"use": "array-raid10", "raid_level": "none", "raid_disks": 1}}, disk={"use": "mine"}),
    ):
        system = from_mapping(data).system
        assert system.disk.raid_level == "none"
        assert "disk.raid_level" not in system.constants


# --- wherever a name may stand ----------------------------------------------------------------------------------------


def test_settings_and_comparisons_name_own_entries(tmp_path: Path, blocktime: CommandLine) -> None:
    file = tmp_path / "orders.toml"
    file.write_text(OURS, encoding="utf-8")
    changed = load(file, ["disk.use=new-array"])
    assert changed.system == from_mapping(mine(disk={"use": "new-array"})).system
    assert blocktime.prints("compare", str(file), f"{file},disk.use=new-array", "--quiet").startswith("Faster: ")
    before = load(file)
    assert another_disk(ScenarioPair(before, changed)) == "the disk is new-array instead of old-array"


def test_a_sweep_takes_own_entries_and_those_of_the_catalog() -> None:
    points = Points(source_in(mine(), "orders", "orders.toml"), ("disk.use", "host.cpus"))
    for name in ("old-array", "new-array", "nvme"):
        point = points.point({"disk.use": name, "host.cpus": 2})
        assert point.system.disk == from_mapping(mine(disk={"use": name})).system.disk
        assert point.system.host.cpus == 2


def test_what_is_written_names_the_entries_and_defines_them() -> None:
    scenario = from_mapping(mine())
    assert to_mapping(scenario)["profile"] == mine()["profile"]
    back = from_mapping(tomllib.loads(to_toml(scenario)))
    assert (back.system, back.workload) == (scenario.system, scenario.workload)


def test_a_link_carries_the_entries() -> None:
    name, changes, system = user_files.opened(OURS.encode(), "orders.toml")
    assert (changes, system) == ({}, {})
    question = opened(name, {"disk.use": "new-array"})
    shown, notes = address.read(address.written(question, "rahn-full-scan"), "rahn-full-scan")
    assert (shown, notes) == (question, [])
    scenario, refused = settle(shown.name, shown.changed)
    assert refused == {}
    assert scenario.system.disk == from_mapping(mine(disk={"use": "new-array"})).system.disk
    asked = control_fields.facts("disk.use")
    assert asked is not None
    assert control_fields.with_file_entries(asked, scenario).options == (*asked.options, "old-array", "new-array")


@pytest.mark.parametrize("name", ["old-array", "new-array", "nvme"])
def test_the_page_says_which_entry_a_section_is(name: str) -> None:
    assert control_fields.value_at(from_mapping(mine(disk={"use": name})), "disk.use") == name


# --- what is wrong ----------------------------------------------------------------------------------------------------

A = {"overhead_s": "1ms"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (profile({"fast": A}, disk={"use": "fats"}), "disk.use: no disk named 'fats'; did you mean fast?"),
        (
            {"profile": {"client": {"zeta": {}}}, "client": {"use": "x"}},
            "client.use: no client named 'x'; known: zeta, local, magni-imp-2004, magni-sqlplus-2004, rahn-proc",
        ),
        (
            profile({"fast": A}, disk={"use": 3}),
            "disk.use: got 3; it is the name of an entry, of the catalog or of this file",
        ),
        (profile({"nvme": A}), "profile.disk.nvme: the catalog has a disk of that name; give this one another name"),
        (
            {"profile": {"tablespace": {"mine": {}}}},
            "profile: no kind of entry named 'tablespace'; known: client, disk, host, prices, statistics",
        ),
        (profile({"fast": {"zonez": 1}}), "profile.disk.fast.zonez: there is no such field; did you mean zones?"),
        (
            profile({"fast": {"overhead_s": "99s", "zones": 0}}),
            "profile.disk.fast.overhead_s: got 99; allowed is at most 10 s (and 1 more fault: zones)",
        ),
        (
            profile({"fast": {"raid_level": "5"}}),
            "profile.disk.fast: raid_disks 1 does not suit raid_level 5, which needs 3 or more",
        ),
        (
            profile({"fast": {"use": "fast"}}),
            "profile.disk.fast.use: entries build on one another in a circle or too deeply: fast -> fast",
        ),
        (
            profile({"a": {"use": "b"}, "b": {"use": "a"}}),
            "profile.disk.a.use: entries build on one another in a circle or too deeply: a -> b -> a",
        ),
        (profile({"fast": {"use": "nvm"}}), "profile.disk.fast.use: no disk named 'nvm'; did you mean nvme?"),
        (profile({"fast": {"title": 3}}), "profile.disk.fast.title: got 3; it must be text"),
        (profile({"fast": 3}), "profile.disk.fast: got 3; it is a section with fields"),
        (profile(3), "profile.disk: got 3; it is a section with fields"),
        ({"profile": 3}, "profile: got 3; it is a section with fields"),
        (
            profile({"fast": {"overhead_s": {"value": 1, "sauce": "x"}}}),
            "profile.disk.fast.overhead_s.sauce: there is no such field; did you mean source or value?",
        ),
        (
            profile({"fast": {"overhead_s": {"value": 1, "how": "guessed"}}}),
            "profile.disk.fast.overhead_s.how: got 'guessed'; allowed are 'read', 'derived', 'general knowledge', "
            "'assumed' or 'set by the scenario'",
        ),
    ],
    ids=range(17),
)
def test_what_is_wrong_with_an_entry_is_one_sentence(data: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError) as error:
        from_mapping(data, where="mine.toml")
    assert str(error.value) == f"mine.toml: {said}"


def test_own_names_come_first_where_the_catalog_is_long() -> None:
    with pytest.raises(SpecError, match=r"no disk named 'xyzzy'; known: abc, zzz, array-cached, "):
        from_mapping(profile({"zzz": A, "abc": A}, disk={"use": "xyzzy"}))


def test_an_entry_that_nobody_uses_changes_nothing() -> None:
    assert from_mapping(profile({"fast": A})).system == from_mapping({}).system


@pytest.mark.parametrize(
    "data",
    [{"profile": {"disks": {}}}, profile({"fast": {"overhed_s": 1}}), profile({"fast": {"zones": 0}})],
    ids=range(3),
)
def test_the_schema_refuses_what_the_program_refuses(data: dict[str, Any]) -> None:
    with pytest.raises(SpecError):
        from_mapping(data)
    assert faults(data)


@pytest.mark.parametrize(
    ("constant", "said"),
    [
        (
            '{ value = "1ms", how = "read", source = "s" }',
            "overhead_s.source: got 's'; allowed are 3 characters or more",
        ),
        ('{ value = "1ms", interval = [5, 1] }', "overhead_s.interval: got 5 to 1; give two numbers from 0 on"),
    ],
)
def test_an_entry_that_nobody_uses_is_checked(tmp_path: Path, constant: str, said: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(f'base = "rahn-full-scan"\n[profile.disk.a]\noverhead_s = {constant}\n', "utf-8")
    with pytest.raises(SpecError, match=re.escape(said)):
        load(file)
