"""The store of answered points: one SQLite file, keyed by a hash of all that an answer depends on."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from blocktime.model.errors import SpecError, StoreUnusable
from blocktime.model.folder_of_answers import folder_of_answers, make_private
from blocktime.model.measures import MEASURES

FORMAT: Final = 1
APPLICATION_ID: Final = 0x42746D65  # "Btme": by this a SQLite file says whose it is
BUSY_S: Final = 60.0
KEYS_AT_ONCE: Final = 900  # SQLite may be built to take no more than 999 parameters
FILES_AT_MOST: Final = 20
POINT_BYTES: Final = 8 * len(MEASURES)
NOTHING: Final = np.full(len(MEASURES), np.nan, "<f8").tobytes()
MOST_AT_HAND: Final = 150_000
"""Points that need not be read again by who has kept them; some 60 MB."""

_MAGIC: Final = b"SQLite format 3\0"
_HEADER_BYTES: Final = 100
_FORMAT_AT: Final = slice(60, 64)
_OWNER_AT: Final = slice(68, 72)

# An index from version and key to a row is twice as fast to fill as a table that is sorted by key:
# the rows are appended. Other measures are another version: their numbers stand in other places.
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS version (id INTEGER PRIMARY KEY, name TEXT NOT NULL, measures TEXT NOT NULL, "
    "points INTEGER NOT NULL DEFAULT 0, UNIQUE (name, measures))",
    "CREATE TABLE IF NOT EXISTS point (version INTEGER NOT NULL, key BLOB NOT NULL, engine TEXT NOT NULL, "
    "crc INTEGER NOT NULL, numbers BLOB NOT NULL, UNIQUE (version, key))",
)
# What is wrong with the machine and not with the file.
_MACHINE: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_BUSY: f"another process has been writing for {BUSY_S:.0f} s; try again when it is done",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; it needs a folder that may be written",
    sqlite3.SQLITE_READONLY: "cannot be written; it needs a folder that may be written",
    sqlite3.SQLITE_PERM: "cannot be written; it needs a folder that may be written",
    sqlite3.SQLITE_IOERR: "the disk refused to read or write; it may be full",
    sqlite3.SQLITE_NOMEM: "there is not enough memory",
}

_Result = TypeVar("_Result")


Rows = NDArray[np.float64]
"""For each point one number per name in MEASURES, NaN where there is none."""
Stored = tuple[bytes, str, int, memoryview]
"""Key, engine, sum and numbers of a point."""

_OPENING: Final = threading.RLock()
_IN_USE: Final[Counter[Path]] = Counter()
"""Connections of this process to a file. While there is one, nobody may open and close the file beside SQLite: that
would drop SQLite's locks, of all connections of the process [POSIX], and others would write under them."""


class _Damaged(Exception):
    """The file is not what was written into it."""


class Ledger:
    """The points that one version answered, in a folder that may hold those of other versions and be shared."""

    def __init__(self, folder: Path, version: str) -> None:
        self.notes: list[str] = []
        """Files that cannot be used."""
        self.unused: str
        """How many points of other versions the folder holds, in a sentence; empty where there are none."""
        self._folder = folder
        self._version = version
        self._at_hand: dict[bytes, int] = {}
        """Where the points that were kept here first stand among these engines and numbers."""
        self._engines: list[str] = []
        self._rows: list[Rows] = [np.empty((0, len(MEASURES)))]
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def __len__(self) -> int:
        return self._on_a_whole_file(self._count)

    def get(self, keys: Sequence[bytes]) -> tuple[Rows, list[str]]:
        """What is kept under each of *keys*, and the engine that answered: empty for those that are not kept."""
        places = [self._at_hand.get(key, -1) for key in keys]
        if places and min(places) >= 0:
            if len(self._rows) > 1:
                self._rows = [np.concatenate(self._rows)]
            return self._rows[0][places], [self._engines[place] for place in places]
        in_order = sorted(set(keys))  # neighbours share pages of the index
        rows = self._on_a_whole_file(lambda: self._get(in_order))
        values = np.frombuffer(b"".join([rows[key][1] if key in rows else NOTHING for key in keys]), "<f8")
        engines = [rows[key][0] if key in rows else "" for key in keys]
        return values.reshape(len(keys), len(MEASURES)), engines

    def put(self, keys: Sequence[bytes], values: Rows, engines: Sequence[str]) -> None:
        """Keep points, all of them or none; a point that is kept already stays as it is."""
        if values.shape != (len(keys), len(MEASURES)):
            raise ValueError(f"{len(keys)} points have {len(MEASURES)} numbers each, not {values.shape}")
        numbers = memoryview(np.ascontiguousarray(values, "<f8").tobytes())
        each = (numbers[begin : begin + POINT_BYTES] for begin in range(0, len(numbers), POINT_BYTES))
        points = zip(keys, engines, each, strict=True)
        rows = [(key, engine, _sum(key, engine.encode(), some), some) for key, engine, some in points]
        rows.sort(key=itemgetter(0))  # neighbours share pages of the index
        self._on_a_whole_file(lambda: self._put(rows))
        first = len(self._engines)
        if first + len(keys) <= MOST_AT_HAND and self._at_hand.keys().isdisjoint(keys):
            self._at_hand.update(zip(keys, range(first, first + len(keys)), strict=True))
            self._engines += engines
            self._rows.append(values)

    def _get(self, keys: Sequence[bytes]) -> dict[bytes, tuple[str, bytes]]:
        """Engine and numbers of those that are kept; SQLite sees its own pages' damage, but not that of the bytes."""
        stored: dict[bytes, tuple[str, bytes]] = {}
        names: dict[bytes, str] = {}
        for start in range(0, len(keys), KEYS_AT_ONCE):
            some = keys[start : start + KEYS_AT_ONCE]
            places = ",".join("?" * len(some))
            rows = self._connection.execute(
                f"SELECT key, engine, crc, numbers FROM point WHERE version = ? AND key IN ({places})",
                (self._id, *some),
            )
            for key, engine, crc, numbers in rows:
                try:
                    whole = len(numbers) == POINT_BYTES and _sum(key, engine, numbers) == crc
                except TypeError:
                    whole = False
                if not whole:
                    raise _Damaged
                stored[key] = names.get(engine) or names.setdefault(engine, engine.decode()), numbers
        return stored

    def _put(self, rows: Sequence[Stored]) -> None:
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            before = self._connection.total_changes
            self._connection.executemany(
                f"INSERT OR IGNORE INTO point (version, key, engine, crc, numbers) VALUES ({self._id}, ?, ?, ?, ?)",
                rows,
            )
            added = self._connection.total_changes - before
            self._connection.execute("UPDATE version SET points = points + ? WHERE id = ?", (added, self._id))

    def _count(self) -> int:
        (points,) = self._connection.execute("SELECT total(points) FROM version WHERE id = ?", (self._id,)).fetchone()
        return int(points)

    def _on_a_whole_file(self, work: Callable[[], _Result]) -> _Result:
        """Do *work*, once more on a fresh file where the present one turns out to be damaged."""
        while True:
            try:
                with _in_one_sentence(self._folder):
                    return work()
            except _Damaged:
                self._close()
                with _in_one_sentence(self._folder):
                    _mark_of(self._path).touch()
                self._open()

    def _close(self) -> None:
        with _OPENING:
            self._connection.close()
            _IN_USE[_file_of(self._path)] -= 1

    def _open(self) -> None:
        """Open the first file of the folder that can be used, make it where there is none, and note the others."""
        skipped: list[tuple[Path, str]] = []
        with _OPENING, _in_one_sentence(self._folder):
            if self._folder.exists() and not self._folder.is_dir():
                raise StoreUnusable(f"the store {self._folder}: is not a folder")
            mode = make_private(str(self._folder))
            for number in range(1, FILES_AT_MOST + 1):
                # A file that cannot be used keeps its name: another process may have it open, and SQLite
                # finds what is not written back yet by that name.
                self._path = self._folder / ("points.sqlite" if number == 1 else f"points-{number}.sqlite")
                reason = _reason_against(self._path)
                if not reason:
                    try:
                        with suppress(FileExistsError):  # SQLite's other files follow its mode
                            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode))
                        self._connection, self._id, others = _connect(self._path, self._version)
                        _IN_USE[_file_of(self._path)] += 1
                        break
                    except _Damaged:
                        _mark_of(self._path).touch()
                        reason = "is damaged"
                skipped.append((self._path, reason))
            else:
                raise SpecError(f"the store {self._folder}: none of {FILES_AT_MOST} files can be used; delete them")
        notes = [
            f"the store {path} {reason}: it is left alone, and {self._path.name} is used" for path, reason in skipped
        ]
        self.unused = ""
        if others:
            points, are = ("point", "is") if others == 1 else ("points", "are")
            self.unused = f"the store {self._folder} holds {others:,} {points} of other versions, which {are} not used"
        self.notes += [note for note in notes if note not in self.notes]


def usual_folder() -> Path:
    """Where points are kept unless somebody says otherwise."""
    return Path(folder_of_answers())


def _sum(key: bytes, engine: bytes, numbers: bytes | memoryview) -> int:
    """What tells whether a point is as it was written."""
    return crc32(b"".join((key, engine, numbers)))


def _mark_of(path: Path) -> Path:
    """A file that says that *path* is damaged, to those who would find out only later."""
    return path.with_name(path.name + ".damaged")


def _file_of(path: Path) -> Path:
    return path.resolve()


def _reason_against(path: Path) -> str:
    """Why the file at *path* is not to be used; empty where it can be, or can be made."""
    if not path.exists():
        _mark_of(path).unlink(missing_ok=True)
        return ""
    if not path.is_file():
        raise SpecError(f"the store {path}: is not a file")
    if _IN_USE[_file_of(path)] > 0:
        return "is damaged" if _mark_of(path).exists() else ""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if not header:  # being made
        return ""
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        return "is not a SQLite database"
    if int.from_bytes(header[_OWNER_AT]) != APPLICATION_ID:
        raise SpecError(f"the store {path}: is another program's database; points need a folder of their own")
    if (written := int.from_bytes(header[_FORMAT_AT])) != FORMAT:
        return f"has format {written} instead of {FORMAT}"
    return "is damaged" if _mark_of(path).exists() else ""


def _connect(path: Path, version: str) -> tuple[sqlite3.Connection, int, int]:
    """A connection to the file at *path*, made where it is missing; *version*'s number and the others' points."""
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        with _in_one_sentence(path.parent):
            connection.text_factory = bytes  # a damaged text is found by its sum
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cell_size_check = ON")
            connection.execute("PRAGMA cache_size = -65536")  # KiB: the index of a million points
            connection.execute("PRAGMA wal_autocheckpoint = 16384")  # pages: each is written back once, not often
            with connection:
                number = _register(connection, version)
            connection.execute("PRAGMA journal_mode = WAL")
            (others,) = connection.execute("SELECT total(points) FROM version WHERE id <> ?", (number,)).fetchone()
    except BaseException:
        connection.close()
        raise
    return connection, number, int(others)


def _register(connection: sqlite3.Connection, version: str) -> int:
    """The number of *version*, after making the tables where there are none."""
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("PRAGMA user_version").fetchone() == (0,):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        for table in _TABLES:
            connection.execute(table)
    names = (version, " ".join(MEASURES))
    connection.execute("INSERT OR IGNORE INTO version (name, measures) VALUES (?, ?)", names)
    row: tuple[int] = connection.execute("SELECT id FROM version WHERE name = ? AND measures = ?", names).fetchone()
    return row[0]


@contextmanager
def _in_one_sentence(folder: Path) -> Iterator[None]:
    """Faults of the machine as one sentence, those of the file as its damage."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:  # not SQLite's, but a wrong use of it
            raise
        if text := _MACHINE.get(code & 0xFF):
            raise StoreUnusable(f"the store {folder}: {text}") from error
        raise _Damaged from error
    except (OSError, ValueError) as error:
        raise StoreUnusable(f"the store {folder}: {getattr(error, 'strerror', None) or error}") from error
