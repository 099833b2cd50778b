"""The store of answered points: what is kept comes back bit for bit, and a bad file never stops anybody."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

from model.errors import SpecError
from model.measures import MEASURES
from scenarios.sweeps import ledger
from scenarios.sweeps.ledger import Ledger, StoredAnswer, usual_folder
from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[3]


def key(number: int, size: int = 16) -> bytes:
    return blake2b(number.to_bytes(8, "little"), digest_size=size).digest()


def kept(number: int) -> StoredAnswer:
    values = np.random.default_rng(number).random(len(MEASURES))
    values[number % len(MEASURES)] = np.nan
    return StoredAnswer(values, "simulate" if number % 2 else "calculate")


def points(start: int, stop: int) -> Iterator[tuple[bytes, StoredAnswer]]:
    return ((key(number), kept(number)) for number in range(start, stop))


def assert_same(found: dict[bytes, StoredAnswer], start: int, stop: int) -> None:
    assert set(found) == {key(number) for number in range(start, stop)}
    for name, point in points(start, stop):
        assert found[name].values.tobytes() == point.values.tobytes()
        assert found[name].engine == point.engine


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """A process that runs *code*, which knows this module's helpers."""
    head = (
        "import sys; from pathlib import Path; import numpy as np; from hashlib import blake2b;"
        "from model.measures import MEASURES; from model.errors import SpecError;"
        "from scenarios.sweeps.ledger import StoredAnswer, Ledger\n"
        "def key(number): return blake2b(number.to_bytes(8, 'little'), digest_size=16).digest()\n"
        "def points(start, stop):\n"
        "    for number in range(start, stop):\n"
        "        yield key(number), StoredAnswer(np.full(len(MEASURES), float(number)), 'calculate')\n"
        "folder = Path(sys.argv[1])\n"
    )
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", head + code, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(process: subprocess.Popen[str]) -> str:
    out, error = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, error
    return out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "some" / "store"


def test_what_is_kept_comes_back_bit_for_bit(folder: Path) -> None:
    with Ledger(folder, "1") as store:
        assert len(store) == 0
        store.put_many(points(0, 2000))
        assert_same(store.get_many([key(number) for number in range(2000)]), 0, 2000)
        assert len(store) == 2000
    with Ledger(folder, "1") as store:
        assert len(store) == 2000
        assert store.notes == []
        assert_same(store.get_many([key(number) for number in range(1990, 3000)]), 1990, 2000)
        assert store.get_many([]) == {}


@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize("many", [1, 899, 900, 901, 1800])
def test_any_number_of_keys_in_any_order_and_twice(folder: Path, size: int, many: int) -> None:
    keys = [key(number, size) for number in range(many)]
    with Ledger(folder, "1") as store:
        store.put_many((one, kept(number)) for number, one in enumerate(keys))
        found = store.get_many([*reversed(keys), *keys])
    assert set(found) == set(keys)
    assert found[keys[-1]].values.tobytes() == kept(many - 1).values.tobytes()


def test_keeping_twice_changes_nothing(folder: Path) -> None:
    with Ledger(folder, "1") as store:
        store.put_many(points(0, 10))
        store.put_many((name, StoredAnswer(point.values + 1, "other")) for name, point in points(0, 10))
        store.put_many([*points(8, 12), *points(8, 12)])
        assert len(store) == 12
        assert_same(store.get_many([key(number) for number in range(12)]), 0, 12)


def test_all_points_of_a_call_are_kept_or_none(folder: Path) -> None:
    def broken() -> Iterator[tuple[bytes, StoredAnswer]]:
        yield from points(0, 10)
        raise KeyError("no eleventh point")

    with Ledger(folder, "1") as store:
        with pytest.raises(KeyError):
            store.put_many(broken())
        with pytest.raises(ValueError, match=f"a point has {len(MEASURES)} numbers, not 3"):
            store.put_many([*points(0, 10), (key(10), StoredAnswer(np.zeros(3), "calculate"))])
        assert len(store) == 0
        assert store.get_many([key(0)]) == {}


def test_points_of_other_versions_are_counted_and_not_used(folder: Path) -> None:
    with Ledger(folder, "1") as store:
        store.put_many(points(0, 1199))
    with Ledger(folder, "2") as store:
        assert store.get_many([key(0)]) == {}
        store.put_many([(key(0), kept(1))])
        assert store.unused == f"the store {folder} holds 1,199 points of other versions, which are not used"
        assert len(store) == 1
    with Ledger(folder, "1") as store:
        assert store.unused == f"the store {folder} holds 1 point of other versions, which is not used"
        assert_same(store.get_many([key(0)]), 0, 1)
    with Ledger(folder, "3") as store:
        assert store.unused == f"the store {folder} holds 1,200 points of other versions, which are not used"


def test_other_measures_are_another_version(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger(folder, "1") as store:
        store.put_many(points(0, 2))
    monkeypatch.setattr(ledger, "MEASURES", dict(reversed(MEASURES.items())))
    with Ledger(folder, "1") as store:
        assert store.get_many([key(0)]) == {}
        assert "2 points of other versions" in store.unused


def test_two_have_it_open_at_once(folder: Path) -> None:
    with Ledger(folder, "1") as one, Ledger(folder, "1") as other:
        one.put_many(points(0, 5))
        assert_same(other.get_many([key(number) for number in range(9)]), 0, 5)
        other.put_many(points(3, 8))
        assert len(one) == len(other) == 8
        assert_same(one.get_many([key(number) for number in range(9)]), 0, 8)


def test_readers_go_on_while_one_writes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "BUSY_S", 0.01)
    with Ledger(folder, "1") as store:
        store.put_many(points(0, 5))
        writer = sqlite3.connect(folder / "points.sqlite", isolation_level=None)
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute("DELETE FROM point")
        assert_same(store.get_many([key(number) for number in range(9)]), 0, 5)
        writer.execute("ROLLBACK")
        writer.close()


def test_who_waits_too_long_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "BUSY_S", 0.01)
    with Ledger(folder, "1") as store:
        writer = sqlite3.connect(folder / "points.sqlite", isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(SpecError, match=r"^the store .*: another process has been writing for 60 s; try"):
            store.put_many(points(0, 5))
        writer.execute("ROLLBACK")
        writer.close()
        store.put_many(points(0, 5))
        assert len(store) == 5


def test_several_processes_make_it_and_write_at_once(folder: Path) -> None:
    code = (
        "sys.stdin.readline()\n"
        "first = int(sys.argv[2])\n"
        "with Ledger(folder, '1') as store:\n"
        "    for start in range(first, first + 1000, 100):\n"
        "        store.put_many(points(start, start + 100))\n"
        "        assert len(store.get_many([key(n) for n in range(start, start + 100)])) == 100\n"
        "    print(store.notes)\n"
    )
    processes = [python(code, folder, 500 * number) for number in range(4)]
    for process in processes:  # they have imported what they need by the time they can read this
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [said(process) for process in processes] == ["[]\n"] * 4
    with Ledger(folder, "1") as store:
        assert len(store) == 2500
        found = store.get_many([key(number) for number in range(2500)])
    assert [found[key(number)].values[0] for number in range(2500)] == list(range(2500))
    assert sorted(os.listdir(folder)) == ["points.sqlite"]


def test_a_writer_that_is_killed_leaves_what_was_kept(folder: Path) -> None:
    code = (
        "with Ledger(folder, '1') as store:\n"
        "    store.put_many(points(0, 100))\n"
        "    print('kept', flush=True)\n"
        "    store._connection.execute('BEGIN IMMEDIATE')\n"
        "    store._connection.execute('DELETE FROM point')\n"
        "    import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    process = python(code, folder)
    assert process.communicate(timeout=LIMIT_S)[0] == "kept\n"
    with Ledger(folder, "1") as store:
        assert store.notes == []
        assert len(store) == len(store.get_many([key(number) for number in range(200)])) == 100


def test_a_file_that_is_no_database_is_left_alone(folder: Path) -> None:
    folder.mkdir(parents=True)
    for content in (b"rows, columns\n1, 2\n" * 20, b"SQLite format 3\0", b"\0" * 8192):
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "points.sqlite").write_bytes(content)
        for known in (0, 3):
            with Ledger(folder, "1") as store:
                assert store.notes == [
                    f"the store {folder}/points.sqlite is no SQLite database: "
                    "it is left alone, and points-2.sqlite is used"
                ]
                assert len(store) == known
                store.put_many(points(0, 3))
        assert (folder / "points.sqlite").read_bytes() == content


def test_a_file_of_another_format_is_left_alone(folder: Path) -> None:
    with Ledger(folder, "1") as store:
        store.put_many(points(0, 3))
    file = sqlite3.connect(folder / "points.sqlite")
    file.execute("PRAGMA user_version = 7")
    file.close()
    before = (folder / "points.sqlite").read_bytes()
    with Ledger(folder, "1") as store:
        assert store.notes == [
            f"the store {folder}/points.sqlite has format 7 instead of 1: "
            "it is left alone, and points-2.sqlite is used"
        ]
        assert len(store) == 0
    assert (folder / "points.sqlite").read_bytes() == before


def test_another_programs_database_is_refused_and_left_alone(folder: Path) -> None:
    folder.mkdir(parents=True)
    file = sqlite3.connect(folder / "points.sqlite")
    file.execute("CREATE TABLE point (x, y)")
    file.close()
    before = (folder / "points.sqlite").read_bytes()
    with pytest.raises(
        SpecError, match=r"points\.sqlite: is another program's database; points need a folder"
    ):
        Ledger(folder, "1")
    assert (folder / "points.sqlite").read_bytes() == before
    assert os.listdir(folder) == ["points.sqlite"]


@pytest.mark.parametrize("share", [0.02, 0.5, 0.99])
def test_a_truncated_file_is_left_alone(folder: Path, share: float) -> None:
    with Ledger(folder, "1") as store:
        store.put_many(points(0, 500))
    path = folder / "points.sqlite"
    os.truncate(path, int(path.stat().st_size * share))
    before = path.read_bytes()
    note = f"the store {path} is damaged: it is left alone, and points-2.sqlite is used"
    for known in (0, 10):
        with Ledger(folder, "1") as store:
            assert_same(store.get_many([key(number) for number in range(500)]), 0, known)
            assert store.notes == [note]
            assert len(store) == known
            store.put_many(points(0, 10))
    assert path.read_bytes() == before


def test_damage_found_on_the_way_is_noted_and_the_work_goes_on(folder: Path) -> None:
    with Ledger(folder, "0") as store:
        store.put_many(points(0, 1))
    path = folder / "points.sqlite"
    with Ledger(folder, "1") as store:
        store.put_many(points(0, 500))
    page = 4096 * 20
    content = bytearray(path.read_bytes())
    content[page : page + 4096] = os.urandom(4096)
    path.write_bytes(content)
    note = f"the store {path} is damaged: it is left alone, and points-2.sqlite is used"
    with Ledger(folder, "1") as store:
        assert store.notes == []
        assert "1 point of other versions" in store.unused
        assert store.get_many([key(number) for number in range(500)]) == {}
        assert store.notes == [note]
        store.put_many(points(0, 20))
        assert_same(store.get_many([key(number) for number in range(500)]), 0, 20)
        assert store.notes == [note]
    with Ledger(folder, "1") as store:
        assert store.notes == [note]
        assert len(store) == 20
    assert path.read_bytes() == content
    for file in (path, folder / "points-2.sqlite"):
        file.unlink()
    with Ledger(folder, "1") as store:  # the mark goes with the file
        assert store.notes == []
        store.put_many(points(0, 20))
    with Ledger(folder, "1") as store:
        assert (len(store), store.notes) == (20, [])


def test_a_folder_of_nothing_but_damage_is_refused(folder: Path) -> None:
    folder.mkdir(parents=True)
    for number in range(1, 21):
        (folder / (f"points-{number}.sqlite" if number > 1 else "points.sqlite")).write_text("damaged")
    with pytest.raises(SpecError, match=r"^the store .*: none of 20 files can be used; delete them$"):
        Ledger(folder, "1")


def test_no_damage_gives_a_wrong_number_or_another_error(folder: Path, tmp_path: Path) -> None:
    with Ledger(folder, "1") as store:
        store.put_many(points(0, 60))
    whole = (folder / "points.sqlite").read_bytes()
    right = {name: point.values.tobytes() for name, point in points(0, 60)}
    chance = np.random.default_rng(6)
    outcomes, refusals = set(), set()
    for attempt in range(150):
        place = tmp_path / str(attempt)
        place.mkdir()
        content = bytearray(whole)
        at = int(chance.integers(16, len(content)))
        length = int(chance.choice([1, 8, 300]))
        content[at : at + length] = chance.bytes(len(content[at : at + length]))
        (place / "points.sqlite").write_bytes(content)
        try:
            with Ledger(place, "1") as store:
                found = store.get_many(list(right))
                store.put_many(points(0, 60))
                assert len(store) >= 0
                again = store.get_many(list(right))
                outcomes.add(bool(store.notes))
        except SpecError as error:
            refusals.add(str(error).partition("points.sqlite: ")[2])
            continue
        assert all(point.values.tobytes() == right[name] for name, point in found.items())
        assert {name: point.values.tobytes() for name, point in again.items()} == right
    assert outcomes == {True, False}
    assert refusals <= {"is another program's database; points need a folder of their own"}


def test_a_full_disk_is_one_sentence_and_loses_nothing(folder: Path) -> None:
    with Ledger(folder, "1") as store:
        store.put_many(points(0, 100))
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(SpecError) as caught:
            store.put_many(points(100, 5000))
        assert str(caught.value) == f"the store {folder}: the disk is full"
        assert len(store) == 100
        assert_same(store.get_many([key(number) for number in range(5000)]), 0, 100)
        store._connection.execute("PRAGMA max_page_count = 1000000")
        store.put_many(points(100, 200))
    with Ledger(folder, "1") as store:
        assert store.notes == []
        assert_same(store.get_many([key(number) for number in range(5000)]), 0, 200)


def test_a_file_that_may_not_grow_is_one_sentence_and_loses_nothing(folder: Path) -> None:
    code = (
        "import resource\n"
        "with Ledger(folder, '1') as store:\n"
        "    store.put_many(points(0, 100))\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "    for start in range(100, 10000, 1000):\n"
        "        try: store.put_many(points(start, start + 1000))\n"
        "        except SpecError as error: print(error)\n"
    )
    lines = said(python(code, folder)).splitlines()
    assert set(lines) == {f"the store {folder}: the disk refused to read or write; it may be full"}
    with Ledger(folder, "1") as store:
        assert store.notes == []
        assert len(store) == len(store.get_many([key(number) for number in range(10000)])) == 100


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(SpecError, match=r"^the store .*file: is not a folder$"):
        Ledger(file, "1")
    with pytest.raises(SpecError, match=r"^the store .*file/below: Not a directory$"):
        Ledger(file / "below", "1")
    with pytest.raises(SpecError, match=r"^the store .*: embedded null byte$"):
        Ledger(tmp_path / "a\0b", "1")
    with pytest.raises(SpecError, match=r"^the store .*longlong.*\.\.\.$"):  # File name too long
        Ledger(tmp_path / ("long" * 100), "1")
    (tmp_path / "points.sqlite").mkdir()
    with pytest.raises(SpecError, match=r"^the store .*points\.sqlite: is not a file$"):
        Ledger(tmp_path, "1")


def test_a_folder_that_may_not_be_written_is_one_sentence(folder: Path) -> None:
    """As somebody who owns nothing, because root may write anywhere."""
    with Ledger(folder, "1") as store:
        store.put_many(points(0, 100))
    code = (
        "import os\n"
        "if os.geteuid() == 0: os.seteuid(65534)\n"
        "for place in (folder, folder.parent / 'new'):\n"
        "    try: Ledger(place, '1')\n"
        "    except SpecError as error: print(error)\n"
    )
    for path in (folder / "points.sqlite", folder, folder.parent):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in (folder.parent, *list(folder.parents)[1:5]):  # workers of pytest have a folder of their own
        if os.geteuid() == 0:
            path.chmod(0o755)
    try:
        lines = said(python(code, folder)).splitlines()
    finally:
        folder.chmod(0o755)
        folder.parent.chmod(0o755)
    assert lines == [
        f"the store {folder}: cannot be written; it needs a folder that may be written",
        f"the store {folder.parent / 'new'}: Permission denied",
    ]


def test_the_usual_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("BLOCKTIME_STORE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert usual_folder() == tmp_path / ".cache" / "blocktime"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert usual_folder() == tmp_path / ".cache" / "blocktime"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert usual_folder() == tmp_path / "caches" / "blocktime"
    monkeypatch.setenv("BLOCKTIME_STORE", "here")
    assert usual_folder() == Path("here")
    monkeypatch.setenv("BLOCKTIME_STORE", "")
    assert usual_folder() == tmp_path / "caches" / "blocktime"


def test_no_home_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLOCKTIME_STORE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as where there is no home
    with pytest.raises(SpecError, match=r"^BLOCKTIME_STORE: is not set, and there is no home folder"):
        usual_folder()


OTHER_PROCESS = """
import sys
import numpy as np
from pathlib import Path
from model.measures import MEASURES
from scenarios.sweeps.ledger import Ledger, StoredAnswer
with Ledger(Path(sys.argv[1]), "one") as ledger:
    none = StoredAnswer(np.zeros(len(MEASURES)), "calculate")
    ledger.put_many((number.to_bytes(16, "big"), none) for number in range(300))
"""


def test_a_second_ledger_of_this_process_does_not_take_the_locks_of_the_first(tmp_path: Path) -> None:
    """Closing any descriptor of a file drops all locks of the process on it; then others remove its log."""
    row = StoredAnswer(np.zeros(len(MEASURES)), "calculate")
    with Ledger(tmp_path, "one") as first:
        first.put_many([((10**6).to_bytes(16, "big"), row)])
        with Ledger(tmp_path, "one"):
            pass
        env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
        subprocess.run([sys.executable, "-c", OTHER_PROCESS, str(tmp_path)], env=env, check=True)
        assert (tmp_path / "points.sqlite-wal").exists()
        first.put_many([((10**6 + 1).to_bytes(16, "big"), row)])
        assert len(first) == 302
    with Ledger(tmp_path, "one") as again:
        assert len(again) == 302
        assert again.notes == []
