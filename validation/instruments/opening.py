"""Opens a file as text: gzip or zip with one member around it, any of the encodings that reports come in, bounded."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import re
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import IO, Final

from blocktime.model.errors import cut
from blocktime.validation.instruments.figures import Keep, NotReadable, Reading

HEAD_BYTES: Final = 256 * 1024
"""What a file is recognised by."""
WHOLE_BYTES: Final = 256 * 1024**2
"""Most text of a report that is read; only traces may have more in the terminal. An AWR report has some 1.5 MB."""
TEXT_BYTES: Final = 32 * 1024**2
"""Most text of a report in JSON, which is held in memory at once."""
MOST_REPORTS: Final = 1_000
"""In one file."""
MOST_DIRECTORY_BYTES: Final = 1024**2
"""Of an archive's directory, which is read at once."""
END_OF_ZIP_BYTES: Final = 22 + 65_535
EMPTY_LINES: Final = re.compile(r"^(?:\n{8,}+|(?:[ \t\f]*+\n){8,}+)", re.MULTILINE)
"""Lines that no reader needs one by one."""
DAMAGED: Final = (
    EOFError, LookupError, NotImplementedError, OSError, RuntimeError, ValueError, struct.error, zlib.error,
    zipfile.BadZipFile,
)  # fmt: skip
"""What Python's gzip and zipfile raise for data that are damaged, or compressed in a way that they do not know."""
LINE_BYTES: Final = 4 * 1024**2
"""Longest line of a file that is read line by line."""
CHUNK_BYTES: Final = 1024**2

Progress = Callable[[int, int], None]


class OpenedFile:
    """One file: its name, its digest, and its text, whole or line by line."""

    def __init__(self, path: Path, name: str | None = None, keep: Keep | None = None, most_bytes: float = inf) -> None:
        """Look at *path*; raises :class:`NotReadable` for what is no text.

        *keep* is what readers may keep of names, *most_bytes* how much text is read.
        """
        self.path, self.name, self.keep = path, name or path.name, keep or Keep()
        self.most_bytes = most_bytes
        self._reports, self._figure_count = 0, [0]
        self.open_line = 0
        """The last line, once it was read, where no line break ends it; else 0."""
        self.bytes = path.stat().st_size
        if not self.bytes:
            raise NotReadable(f"{self.name}: the file is empty")
        with self._open() as stream:
            start = stream.read(HEAD_BYTES)
        if not start.strip():
            raise NotReadable(f"{self.name}: there is only white space in it")
        self.encoding = encoding_of(start)
        if self.encoding is None:
            raise NotReadable(f"{self.name}: this is a binary file, not a report as text")
        self.head = start.decode(self.encoding, errors="replace")

    def reading(self, form: str) -> Reading:
        """A reading of *form* to be filled; raises :class:`NotReadable` for more than MOST_REPORTS of one file."""
        self._reports += 1
        if self._reports > MOST_REPORTS:
            raise NotReadable(f"{self.name}: more than {MOST_REPORTS:,} reports in one file; give each a file")
        return Reading(form, "", self.name, "", figure_count=self._figure_count)

    @property
    def digest(self) -> str:
        """SHA-256 of the file as it lies there."""
        sums = hashlib.sha256()
        with self.path.open("rb") as stream:
            while chunk := stream.read(CHUNK_BYTES):
                sums.update(chunk)
        return f"sha256:{sums.hexdigest()}"

    def text(self) -> str:
        """The whole text; raises :class:`NotReadable` where it has more than TEXT_BYTES."""
        chunks, size = [], 0
        for chunk in self.chunks():
            size += len(chunk)
            if size > TEXT_BYTES:
                limit = TEXT_BYTES // 1024**2
                raise NotReadable(f"{self.name}: its text has more than {limit} MB, too much for such a report")
            chunks.append(chunk)
        return "".join(chunks)

    def lines(self, progress: Progress | None = None) -> Iterator[tuple[int, str]]:
        """Its lines with their numbers, in bounded memory; of many empty lines together only the first.

        *progress* is called with (bytes done, all bytes).
        """
        for first, lines in self.batches(progress):
            yield from enumerate(lines, first)

    def batches(self, progress: Progress | None = None) -> Iterator[tuple[int, list[str]]]:
        """Its lines, some thousands at a time, each time with the number of the first."""
        number, rest = 1, ""
        for chunk in self.chunks(progress):
            block, is_line, rest = (rest + chunk).rpartition("\n")
            if len(rest) > LINE_BYTES:
                limit = LINE_BYTES // 1024**2
                raise NotReadable(f"{self.name}: a line has more than {limit} MB; this is no report")
            place = 0
            for run in EMPTY_LINES.finditer(block):
                lines = block[place : run.start()].split("\n")  # what stands behind its last line break is empty
                yield number, lines
                number += len(lines) + run[0].count("\n") - 1
                place = run.end()
            if is_line:
                lines = block[place:].split("\n")
                yield number, lines
                number += len(lines)
        if rest:
            self.open_line = number
            yield number, [rest]

    def chunks(self, progress: Progress | None = None) -> Iterator[str]:
        """Its text, piece by piece; raises :class:`NotReadable` where it is damaged, or longer than is read."""
        assert self.encoding is not None
        with self._open() as stream:
            text = io.TextIOWrapper(
                io.BufferedReader(_Raw(stream, self)), self.encoding, errors="replace", newline=None
            )
            try:
                while chunk := text.read(CHUNK_BYTES):
                    yield chunk
                    if progress is not None:
                        progress(min(_position(stream), self.bytes), self.bytes)
            finally:
                text.detach()

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        with self.path.open("rb") as stream:
            start = stream.read(4)
            stream.seek(0)
            if start[:2] == b"\x1f\x8b":
                with self._unpacking(), gzip.GzipFile(fileobj=stream) as unpacked:
                    yield unpacked  # type: ignore[misc]
            elif start == b"PK\x03\x04":
                with self._unpacking(), self._member(stream) as member:
                    yield member
            else:
                yield stream

    @contextmanager
    def _unpacking(self) -> Iterator[None]:
        """Raise :class:`NotReadable` for whatever the unpacking finds wrong."""
        try:
            yield
        except DAMAGED as fault:
            raise NotReadable(f"{self.name}: the compressed data are damaged ({cut(str(fault))})") from None

    @contextmanager
    def _member(self, stream: IO[bytes]) -> Iterator[IO[bytes]]:
        if _directory_bytes(stream) > MOST_DIRECTORY_BYTES:
            raise NotReadable(f"{self.name}: this archive holds thousands of files; unpack it and name them")
        with zipfile.ZipFile(stream) as packed:
            members = [info for info in packed.infolist() if not info.is_dir()]
            if len(members) != 1:
                names = ", ".join(info.filename for info in members[:6]) or "nothing"
                more = f" and {len(members) - 6} more" if len(members) > 6 else ""
                raise NotReadable(
                    f"{self.name}: this archive holds {len(members)} files ({names}{more}); unpack it and name them"
                )
            if members[0].flag_bits & 1:
                raise NotReadable(f"{self.name}: this archive is encrypted; unpack it first")
            if members[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise NotReadable(f"{self.name}: this archive is not packed by deflate; unpack it first")
            with packed.open(members[0]) as member:
                yield member


def _directory_bytes(stream: IO[bytes]) -> int:
    """Size of the directory of a zip file, as its end says; what has none is left to who opens it."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - END_OF_ZIP_BYTES))
    end = stream.read()
    stream.seek(0)
    place = end.rfind(b"PK\x05\x06")
    size_field = end[place + 12 : place + 16] if place >= 0 else b""
    return int.from_bytes(size_field, "little")  # of the form for large archives it is the largest number


class _Raw(io.RawIOBase):
    """The bytes of an opened file for io's buffer, up to as many as are read; it leaves the file open."""

    def __init__(self, stream: IO[bytes], source: OpenedFile) -> None:
        self._stream, self._source, self._done = stream, source, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        self._done += len(data)
        if self._done > self._source.most_bytes:
            limit = self._source.most_bytes / 1024**2
            raise NotReadable(
                f"{self._source.name}: its text has more than {limit:.0f} MB, too much for such a report; give the "
                "report of a shorter time"
            )
        buffer[: len(data)] = data
        return len(data)


def _position(stream: IO[bytes]) -> int:
    inner = getattr(stream, "fileobj", None) or getattr(stream, "_fileobj", None) or stream
    return int(inner.tell())


def encoding_of(start: bytes) -> str | None:
    """The encoding of a text that begins with *start*; nothing where it is binary."""
    if start[:3] == b"\xef\xbb\xbf":
        return "utf-8-sig"
    if start[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return "utf-16"
    zeros = start[:4096].count(0)
    if zeros:
        even, odd = start[0:4096:2].count(0), start[1:4096:2].count(0)
        if zeros * 3 > min(len(start), 4096) and not (even and odd):
            return "utf-16-le" if odd else "utf-16-be"
        return None
    if sum(byte < 32 and byte not in b"\t\n\r\f\x1b\x07\x08\x0b" for byte in start[:4096]) > 8:
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)  # a character cut at the end of the head is none
        return "utf-8"
    except UnicodeDecodeError:
        return "cp949" if _comes_in_pairs(start) else "latin-1"


def _comes_in_pairs(start: bytes) -> bool:
    """Whether bytes above 127 nearly always come two by two, as Hangul does and accented letters do not."""
    runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", start)]
    return sum(run % 2 == 0 for run in runs) > 0.9 * len(runs)


def is_toml(text: str) -> bool:
    """Whether *text* is a TOML file with entries, as a scenario is."""
    try:
        return bool(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
