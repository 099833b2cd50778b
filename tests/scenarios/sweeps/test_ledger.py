"""The store of answered points: what is kept comes back bit for bit, and a bad file never stops anybody."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from blocktime.model.errors import SpecError
from blocktime.model.measures import MEASURES
from blocktime.scenarios.sweeps import ledger
from blocktime.scenarios.sweeps.ledger import Ledger, usual_folder
from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[3]


def key(number: int, size: int = 16) -> bytes:
    return blake2b(number.to_bytes(8, "little"), digest_size=size).digest()


class StoredAnswer(NamedTuple):
    """An answered point."""

    values: NDArray[np.float64]
    engine: str


def put_many(store: Ledger, points: Iterable[tuple[bytes, StoredAnswer]]) -> None:
    keys, kept = zip(*points, strict=True)
    store.put(keys, np.array([point.values for point in kept]), [point.engine for point in kept])


def get_many(store: Ledger, keys: Sequence[bytes]) -> dict[bytes, StoredAnswer]:
    """What is kept; of the other keys there is neither a number nor an engine."""
    found = dict(zip(keys, map(StoredAnswer, *store.get(keys)), strict=True))
    assert all(engine or np.isnan(values).all() for values, engine in found.values())
    return {key: point for key, point in found.items() if point.engine}


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
        "from blocktime.model.measures import MEASURES; from blocktime.model.errors import SpecError;"
        "from blocktime.scenarios.sweeps.ledger import Ledger\n"
        "def key(number): return blake2b(number.to_bytes(8, 'little'), digest_size=16).digest()\n"
        "def keys(start, stop): return [key(number) for number in range(start, stop)]\n"
        "def put(store, start, stop):\n"
        "    values = np.repeat(np.arange(start, stop, dtype=float)[:, None], len(MEASURES), axis=1)\n"
        "    store.put(keys(start, stop), values, ['calculate'] * len(values))\n"
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


def test_what_holds_comes_back_bit_for_bit(folder: Path) -> None:
    with Ledger(folder, "1") as store:
        assert len(store) == 0
        put_many(store, points(0, 2000))
        assert_same(get_many(store, [key(number) for number in range(2000)]), 0, 2000)
        assert len(store) == 2000
    with Ledger(folder, "1") as store:
        assert len(store) == 2000
        assert store.notes == []
        assert_same(get_many(store, [key(number) for number in range(1990, 3000)]), 1990, 2000)
        assert get_many(store, []) == {}


@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize("many", [1, 899, 900, 901, 1800])
def test_any_number_of_keys_in_any_order_and_twice(folder: Path, size: int, many: int) -> None:
    keys = [key(number, size) for number in range(many)]
    with Ledger(folder, "1") as store:
        put_many(store, [(one, kept(number)) for number, one in enumerate(keys)])
        found = get_many(store, [*reversed(keys), *keys])
    assert set(found) == set(keys)
    assert found[keys[-1]].values.tobytes() == kept(many - 1).values.tobytes()


def test_keeping_twice_changes_nothing(folder: Path) -> None:
    with Ledger(folder, "1") as store:
        put_many(store, points(0, 10))
        put_many(store, [(name, StoredAnswer(point.values + 1, "other")) for name, point in points(0, 10)])
        put_many(store, [*points(8, 12), *points(8, 12)])
        assert len(store) == 12
        assert_same(get_many(store, [key(number) for number in range(12)]), 0, 12)


def test_all_points_of_a_call_are_kept_or_none(folder: Path) -> None:
    with Ledger(folder, "1") as store:
        with pytest.raises(ValueError, match="shorter"):
            store.put([key(0), key(1)], np.zeros((2, len(MEASURES))), ["calculate"])
        with pytest.raises(ValueError, match=f"2 points have {len(MEASURES)} numbers each, not"):
            store.put([key(0), key(1)], np.zeros((2, 3)), ["calculate"] * 2)
        with pytest.raises(UnicodeEncodeError):  # by SQLite, on its way
            store._put([(key(0), "calculate", 0, memoryview(b"")), (key(1), "\ud800", 0, memoryview(b""))])
        assert len(store) == 0
        assert get_many(store, [key(0)]) == {}


def test_points_of_other_versions_are_counted_and_not_used(folder: Path) -> None:
    with Ledger(folder, "1") as store:
        put_many(store, points(0, 1199))
    with Ledger(folder, "2") as store:
        assert get_many(store, [key(0)]) == {}
        put_many(store, [(key(0), kept(1))])
        assert store.unused == f"the store {folder} holds 1,199 points of other versions, which are not used"
        assert len(store) == 1
    with Ledger(folder, "1") as store:
        assert store.unused == f"the store {folder} holds 1 point of other versions, which is not used"
        assert_same(get_many(store, [key(0)]), 0, 1)
    with Ledger(folder, "3") as store:
        assert store.unused == f"the store {folder} holds 1,200 points of other versions, which are not used"


def test_other_measures_are_another_version(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger(folder, "1") as store:
        put_many(store, points(0, 2))
    monkeypatch.setattr(ledger, "MEASURES", dict(reversed(MEASURES.items())))
    with Ledger(folder, "1") as store:
        assert get_many(store, [key(0)]) == {}
        assert "2 points of other versions" in store.unused


def test_two_have_it_open_at_once(folder: Path) -> None:
    with Ledger(folder, "1") as one, Ledger(folder, "1") as other:
        put_many(one, points(0, 5))
        assert_same(get_many(other, [key(number) for number in range(9)]), 0, 5)
        put_many(other, points(3, 8))
        assert len(one) == len(other) == 8
        assert_same(get_many(one, [key(number) for number in range(9)]), 0, 8)


def modes(folder: Path) -> dict[str, str]:
    return {
        path.name: oct(path.stat().st_mode & 0o777)
        for path in (folder, *folder.iterdir())
        if not path.name.endswith("-journal")
    }


@pytest.mark.parametrize("named", [True, False])
def test_others_see_no_point_unless_a_folder_that_somebody_names_is_there_to_be_shared(
    folder: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    umask = os.umask(0o022)
    try:
        if named:
            monkeypatch.setenv("BLOCKTIME_STORE", str(folder))
        else:
            monkeypatch.delenv("BLOCKTIME_STORE")
            monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
            folder = folder / "blocktime"
        files = ("points.sqlite", "points.sqlite-wal", "points.sqlite-shm")
        with Ledger(usual_folder(), "1") as store:
            put_many(store, points(0, 5))
            assert modes(folder) == {folder.name: "0o700", **dict.fromkeys(files, "0o600")}
        (folder / "points.sqlite").unlink()
        folder.chmod(0o755)
        with Ledger(usual_folder(), "1") as store:
            put_many(store, points(0, 5))
            of_folder, of_files = ("0o755", "0o644") if named else ("0o700", "0o600")
            assert modes(folder) == {folder.name: of_folder, **dict.fromkeys(files, of_files)}
    finally:
        os.umask(umask)


def test_readers_go_on_while_one_writes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "BUSY_S", 0.01)
    with Ledger(folder, "1") as store:
        put_many(store, points(0, 5))
        writer = sqlite3.connect(folder / "points.sqlite", isolation_level=None)
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute("DELETE FROM point")
        assert_same(get_many(store, [key(number) for number in range(9)]), 0, 5)
        writer.execute("ROLLBACK")
        writer.close()


def test_who_waits_too_long_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "BUSY_S", 0.01)
    with Ledger(folder, "1") as store:
        writer = sqlite3.connect(folder / "points.sqlite", isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(SpecError, match=r"^the store .*: another process has been writing for 60 s; try"):
            put_many(store, points(0, 5))
        writer.execute("ROLLBACK")
        writer.close()
        put_many(store, points(0, 5))
        assert len(store) == 5


def test_several_processes_make_it_and_write_at_once(folder: Path) -> None:
    code = (
        "sys.stdin.readline()\n"
        "first = int(sys.argv[2])\n"
        "with Ledger(folder, '1') as store:\n"
        "    for start in range(first, first + 1000, 100):\n"
        "        put(store, start, start + 100)\n"
        "        assert all(store.get(keys(start, start + 100))[1])\n"
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
        found = get_many(store, [key(number) for number in range(2500)])
    assert [found[key(number)].values[0] for number in range(2500)] == list(range(2500))
    assert sorted(os.listdir(folder)) == ["points.sqlite"]


def test_a_writer_that_is_killed_leaves_what_was_kept(folder: Path) -> None:
    code = (
        "with Ledger(folder, '1') as store:\n"
        "    put(store, 0, 100)\n"
        "    print('kept', flush=True)\n"
        "    store._connection.execute('BEGIN IMMEDIATE')\n"
        "    store._connection.execute('DELETE FROM point')\n"
        "    import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    process = python(code, folder)
    assert process.communicate(timeout=LIMIT_S)[0] == "kept\n"
    with Ledger(folder, "1") as store:
        assert store.notes == []
        assert len(store) == len(get_many(store, [key(number) for number in range(200)])) == 100


def test_a_file_that_is_no_database_is_left_alone(folder: Path) -> None:
    folder.mkdir(parents=True)
    for content in (b"rows, columns\n1, 2\n" * 20, b"SQLite format 3\0", b"\0" * 8192):
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "points.sqlite").write_bytes(content)
        for known in (0, 3):
            with Ledger(folder, "1") as store:
                assert store.notes == [
                    f"the store {folder}/points.sqlite is not a SQLite database: "
                    "it is left alone, and points-2.sqlite is used"
                ]
                assert len(store) == known
                put_many(store, points(0, 3))
        assert (folder / "points.sqlite").read_bytes() == content


def test_a_file_of_another_format_is_left_alone(folder: Path) -> None:
    with Ledger(folder, "1") as store:
        put_many(store, points(0, 3))
    file = sqlite3.connect(folder / "points.sqlite")
    file.execute("PRAGMA user_version = 7")
    file.close()
    before = (folder / "points.sqlite").read_bytes()
    with Ledger(folder, "1") as store:
        assert store.notes == [
            f"the store {folder}/points.sqlite has format 7 instead of 1: it is left alone, and points-2.sqlite is used"
        ]
        assert len(store) == 0
    assert (folder / "points.sqlite").read_bytes() == before


def test_another_programs_database_is_refused_and_left_alone(folder: Path) -> None:
    folder.mkdir(parents=True)
    file = sqlite3.connect(folder / "points.sqlite")
    file.execute("CREATE TABLE point (x, y)")
    file.close()
    before = (folder / "points.sqlite").read_bytes()
    with pytest.raises(SpecError, match=r"points\.sqlite: is another program's database; points need a folder"):
        Ledger(folder, "1")
    assert (folder / "points.sqlite").read_bytes() == before
    assert os.listdir(folder) == ["points.sqlite"]


@pytest.mark.parametrize("share", [0.02, 0.5, 0.99])
def test_a_truncated_file_is_left_alone(folder: Path, share: float) -> None:
    with Ledger(folder, "1") as store:
        put_many(store, points(0, 500))
    path = folder / "points.sqlite"
    os.truncate(path, int(path.stat().st_size * share))
    before = path.read_bytes()
    note = f"the store {path} is damaged: it is left alone, and points-2.sqlite is used"
    for known in (0, 10):
        with Ledger(folder, "1") as store:
            assert_same(get_many(store, [key(number) for number in range(500)]), 0, known)
            assert store.notes == [note]
            assert len(store) == known
            put_many(store, points(0, 10))
    assert path.read_bytes() == before


def test_damage_found_on_the_way_is_noted_and_the_work_goes_on(folder: Path) -> None:
    with Ledger(folder, "0") as store:
        put_many(store, points(0, 1))
    path = folder / "points.sqlite"
    with Ledger(folder, "1") as store:
        put_many(store, points(0, 500))
    page = 4096 * 20
    content = bytearray(path.read_bytes())
    content[page : page + 4096] = os.urandom(4096)
    path.write_bytes(content)
    note = f"the store {path} is damaged: it is left alone, and points-2.sqlite is used"
    with Ledger(folder, "1") as store:
        assert store.notes == []
        assert "1 point of other versions" in store.unused
        assert get_many(store, [key(number) for number in range(500)]) == {}
        assert store.notes == [note]
        put_many(store, points(0, 20))
        assert_same(get_many(store, [key(number) for number in range(500)]), 0, 20)
        assert store.notes == [note]
    with Ledger(folder, "1") as store:
        assert store.notes == [note]
        assert len(store) == 20
    assert path.read_bytes() == content
    for file in (path, folder / "points-2.sqlite"):
        file.unlink()
    with Ledger(folder, "1") as store:  # the mark goes with the file
        assert store.notes == []
        put_many(store, points(0, 20))
    with Ledger(folder, "1") as store:
        assert (len(store), store.notes) == (20, [])


@pytest.mark.parametrize(
    ("column", "value"), [("key", key(99)), ("engine", b"other"), ("crc", 1), ("numbers", kept(7).values.tobytes())]
)
def test_a_sum_covers_each_column_of_a_point(folder: Path, column: str, value: object) -> None:
    """A point of which one column is another's, in a file that SQLite takes for whole."""
    with Ledger(folder, "1") as store:
        put_many(store, points(0, 3))
    path = folder / "points.sqlite"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(f"UPDATE point SET {column} = ? WHERE key = ?", (value, key(1)))
    with Ledger(folder, "1") as store:
        assert get_many(store, [key(1), key(99)]) == {}
        assert [note.partition(":")[0] for note in store.notes] == [f"the store {path} is damaged"]


def test_a_folder_of_nothing_but_damage_is_refused(folder: Path) -> None:
    folder.mkdir(parents=True)
    for number in range(1, 21):
        (folder / (f"points-{number}.sqlite" if number > 1 else "points.sqlite")).write_text("damaged")
    with pytest.raises(SpecError, match=r"^the store .*: none of 20 files can be used; delete them$"):
        Ledger(folder, "1")


def test_no_damage_gives_a_wrong_number_or_another_error(folder: Path, tmp_path: Path) -> None:
    with Ledger(folder, "1") as store:
        put_many(store, points(0, 60))
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
                found = get_many(store, list(right))
                put_many(store, points(0, 60))
                assert len(store) >= 0
                again = get_many(store, list(right))
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
        put_many(store, points(0, 100))
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(SpecError) as caught:
            put_many(store, points(100, 5000))
        assert str(caught.value) == f"the store {folder}: the disk is full"
        assert len(store) == 100
        assert_same(get_many(store, [key(number) for number in range(5000)]), 0, 100)
        store._connection.execute("PRAGMA max_page_count = 1000000")
        put_many(store, points(100, 200))
    with Ledger(folder, "1") as store:
        assert store.notes == []
        assert_same(get_many(store, [key(number) for number in range(5000)]), 0, 200)


def test_a_file_that_may_not_grow_is_one_sentence_and_loses_nothing(folder: Path) -> None:
    code = (
        "import resource\n"
        "with Ledger(folder, '1') as store:\n"
        "    put(store, 0, 100)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "    for start in range(100, 10000, 1000):\n"
        "        try: put(store, start, start + 1000)\n"
        "        except SpecError as error: print(error)\n"
    )
    lines = said(python(code, folder)).splitlines()
    assert set(lines) == {f"the store {folder}: the disk refused to read or write; it may be full"}
    with Ledger(folder, "1") as store:
        assert store.notes == []
        assert len(store) == len(get_many(store, [key(number) for number in range(10000)])) == 100


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
        put_many(store, points(0, 100))
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
from blocktime.model.measures import MEASURES
from blocktime.scenarios.sweeps.ledger import Ledger
with Ledger(Path(sys.argv[1]), "one") as ledger:
    keys = [number.to_bytes(16, "big") for number in range(300)]
    ledger.put(keys, np.zeros((300, len(MEASURES))), ["calculate"] * 300)
"""


def test_a_second_ledger_of_this_process_does_not_take_the_locks_of_the_first(tmp_path: Path) -> None:
    """Closing any descriptor of a file drops all locks of the process on it; then others remove its log."""
    row = StoredAnswer(np.zeros(len(MEASURES)), "calculate")
    with Ledger(tmp_path, "one") as first:
        put_many(first, [((10**6).to_bytes(16, "big"), row)])
        with Ledger(tmp_path, "one"):
            pass
        env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
        subprocess.run([sys.executable, "-c", OTHER_PROCESS, str(tmp_path)], env=env, check=True)
        assert (tmp_path / "points.sqlite-wal").exists()
        put_many(first, [((10**6 + 1).to_bytes(16, "big"), row)])
        assert len(first) == 302
    with Ledger(tmp_path, "one") as again:
        assert len(again) == 302
        assert again.notes == []
