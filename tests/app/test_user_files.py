"""A file that somebody opens: read back the same, or refused in one sentence; no way to other files of the server."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.app.base.text_packing import LARGEST_BYTES, pack
from blocktime.app.controls import user_files
from blocktime.app.controls.settings import setting
from blocktime.model.errors import SpecError
from blocktime.scenarios import from_mapping, library, load, to_toml
from blocktime.scenarios.load import library_data
from tests.app.scenarios_at_random import changed

OWN = b'title = "Mine"\nsource = "measured"\nseed = 7\n[table]\nrows = 100_000\n[host]\nuse = "rahn-2008"\n'
MIX = b"""base = "tpc-c"
[[workload.mix]]
name = "new = order. [x]"
gets = 40.5
[[workload.mix]]
name = "pay \\"it\\""
weight = 3
"""


@settings(max_examples=60)
@given(changed())
def test_the_file_of_a_changed_scenario_opens_as_that_scenario_and_those_changes(
    asked: tuple[str, dict[str, str]],
) -> None:
    base, changes = asked
    before = load(base, [setting(path, text) for path, text in changes.items()])
    name, found, _ = user_files.opened(to_toml(before).encode(), "some.toml")
    assert name == base
    assert set(found) == set(changes)
    after = user_files.load(name, [setting(path, text) for path, text in found.items()])
    assert (after.workload, after.system, after.seed) == (before.workload, before.system, before.seed)


@pytest.mark.parametrize("base", sorted(library()))
def test_a_title_of_its_own_makes_a_baseline_of_its_own(base: str) -> None:
    text = tomlkit.dumps({**library_data(base), "title": "Mine"})
    name, changes, _ = user_files.opened(text.encode(), "mine.toml")
    assert user_files.is_user_file(name)
    assert changes == {}
    assert user_files.title(name) == "Mine (mine.toml)"
    found, expected = user_files.load(name), from_mapping(library_data(base))
    assert (found.workload, found.seed, found.name) == (expected.workload, expected.seed, "mine")
    assert found.system.model_copy(update={"constants": {}}) == expected.system.model_copy(update={"constants": {}})


def test_an_own_file_takes_changes_and_its_name_holds_all_of_it() -> None:
    name, changes, _ = user_files.opened(OWN, "/home/me/My file.toml")
    assert changes == {}
    assert user_files.opened_link(user_files.packed_of(name)) == (name, {}, {})
    scenario = user_files.load(name, ["table.rows=5"])
    assert (scenario.seed, scenario.system.table.rows, scenario.name) == (7, 5, "My-file")
    assert user_files.label(name) == "My-file.toml"
    user_files._source_of_user_file.cache_clear()  # as in another server
    assert user_files.load(name, ["table.rows=5"]) == scenario


def test_lists_become_changes_of_the_base() -> None:
    name, changes, _ = user_files.opened(MIX, "mix.toml")
    assert name == "tpc-c"
    assert set(changes) == {"workload.mix"}
    mix = user_files.load(name, [f"workload.mix={changes['workload.mix']}"]).workload.mix  # type: ignore[union-attr]
    assert [kind.name for kind in mix] == ["new = order. [x]", 'pay "it"']
    assert mix[0].gets == 40.5


@pytest.mark.parametrize("heading", ["seed = 3", "replications = 4", "title = 'x'", "source = 'y'"])
def test_what_no_change_can_say_stays_in_the_file(heading: str) -> None:
    name, changes, _ = user_files.opened(f"base = 'tpc-b'\n{heading}\n[host]\ncpus = 2\n".encode(), "a.toml")
    assert user_files.is_user_file(name)
    assert changes == {}
    assert user_files.load(name).system.host.cpus == 2


def test_what_varies_in_a_sweep_is_left_out() -> None:
    document = b"base = 'tpc-b'\n[[sweep.axis]]\nkey = 'host.cpus'\nvalues = [1, 2]\n"
    assert user_files.opened(document, "a.toml") == ("tpc-b", {}, {})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"hello", "bad.toml: is not TOML"),
        (b"", "bad.toml: is empty"),
        (b"\xff\xfe", "is not text"),
        (b"#" * (LARGEST_BYTES + 1), "has 1,000,001 bytes; a scenario has at most 1,000,000"),
        (b"[tabel]\nrows = 1", "no section named 'tabel'; did you mean table?"),
        (b"[table]\nrowz = 1", "table.rowz: there is no such field; did you mean rows?"),
        (b"base = 'tpc-d'", "no base scenario named 'tpc-d'; did you mean tpc-"),
        (b"base = 'other.toml'", "no base scenario named 'other.toml'"),
        (b"base = '/etc/passwd'", "no base scenario named '/etc/passwd'"),
        (b"base = 3", "base: got 3"),
        (b"[host]\nuse = '../../host'", "no host named"),
        (b"[table]\nrows = 1e400", "table.rows: got inf; it must be a finite number"),
        (b"[table]\nrows = " + b"9" * 5000, "is not TOML"),
        (b"title = ['a']", "title: got ['a']"),
        (b"seed = -1", "seed: got -1; allowed is at least 0"),
        (b"workload = 3", "workload: got 3"),
        (b"x = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"[table]\n" + b"a." * 30_000 + b"b = 1", "nested too deeply"),
        (b"[table]\n" + b"'a b'." * 14_000 + b"b = 1", "nested too deeply"),
        (b"[table]\nx = {" + b'"a\\" b". ' * 9_000 + b"b = 1}", "nested too deeply"),
        (b"[workload]\nkind = 'transactions'\n" + b"[[workload.mix]]\n" * 40_000, "allowed are at most 32"),
        (b"inferred = [{field = 'x'}]", "inferred: field"),
    ],
)
def test_a_bad_file_gets_one_sentence(content: bytes, said: str) -> None:
    with pytest.raises(SpecError) as refusal:
        user_files.opened(content, "bad.toml")
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_no_file_of_the_server_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text("[table]\nrows = 12345\n")
    monkeypatch.chdir(tmp_path)
    for name in ("secret.toml", "./secret.toml", str(tmp_path / "secret.toml"), "secret"):
        with pytest.raises(SpecError, match="no scenario named"):
            user_files.load(name)
        with pytest.raises(SpecError, match="no base scenario named"):
            user_files.opened(f"base = {name!r}".encode(), "mine.toml")


def test_a_file_that_no_link_has_room_for_is_refused() -> None:
    from random import Random

    draw = Random(1)
    columns = [{"name": f"{draw.getrandbits(500):x}"[:120], "bytes": draw.randint(1, 30)} for _ in range(900)]
    with pytest.raises(SpecError, match=r"^big.toml: it takes [\d,]+ characters of a link"):
        user_files.opened(tomlkit.dumps({"title": "x", "table": {"columns": columns}}).encode(), "big.toml")
    with pytest.raises(SpecError, match=r"^big.toml: it takes [\d,]+ characters of a link"):
        user_files.opened(tomlkit.dumps({"base": "tpc-b", "table": {"columns": columns}}).encode(), "big.toml")


@pytest.mark.parametrize(
    ("file", "label"),
    [
        ("a.toml", "a.toml"),
        ("../../etc/passwd", "passwd.toml"),
        ("C:\\me\\Ein System (neu).toml", "Ein-System-neu.toml"),
        ("<img src=x>.toml", "img-src-x.toml"),
        ("; rm -rf ~.toml", "rm--rf.toml"),
        ("…", "scenario.toml"),
        ("-x.toml", "x.toml"),
        ("x" * 500, "x" * 60 + ".toml"),
    ],
)
def test_names_of_files_are_harmless(file: str, label: str) -> None:
    name, *_ = user_files.opened(OWN, file)
    assert user_files.label(name) == label


def test_a_title_is_one_line() -> None:
    name, *_ = user_files.opened(b'title = "a\\n# b\\u0000\\u202e"\n[table]\nrows = 5\n', "a.toml")
    assert user_files.title(name) == "a # b (a.toml)"
    assert user_files.load(name).title.isprintable()


@given(st.recursive(st.none() | st.text(), lambda inner: st.dictionaries(st.text(), inner, max_size=3), max_leaves=8))
def test_a_link_with_any_data_is_opened_or_refused(data: object) -> None:
    if not isinstance(data, dict):
        return
    text = tomlkit.dumps({key: value for key, value in data.items() if value is not None and not _has_none(value)})
    try:
        name, changes, _ = user_files.opened_link(pack(text))
    except SpecError:
        return
    user_files.load(name, [f"{path}={text}" for path, text in changes.items()])


def _has_none(value: object) -> bool:
    return value is None or (isinstance(value, dict) and any(_has_none(one) for one in value.values()))


def test_a_file_with_a_change_has_both_sides() -> None:
    document = b"base = 'tpc-b'\n[host]\ncpus = 2\n[change]\n'workload.users' = 3\n"
    opened = user_files.opened(document, "a.toml")
    assert opened == ("tpc-b", {"host.cpus": "2", "workload.users": "3"}, {"host.cpus": "2"})
    assert user_files.opened(document.replace(b"'workload.users' = 3", b""), "a.toml").system == {"host.cpus": "2"}
    own = user_files.opened(OWN + b"[change]\n'table.rows' = 5\n", "mine.toml")
    assert (own.changed, own.system) == ({"table.rows": "5"}, {})
    assert user_files.load(own.name).system.table.rows == 100_000
    with pytest.raises(SpecError, match=r"a\.toml: change: got 3"):
        user_files.opened(b"base = 'tpc-b'\nchange = 3\n", "a.toml")
