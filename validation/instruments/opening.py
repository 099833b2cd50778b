"""Opens a file as text: gzip or zip with one member around it, any of the encodings that reports come in, bounded."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import lzma
import re
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from model.errors import cut
from validation.instruments.figures import Keep, NotReadable

HEAD_BYTES: Final = 256 * 1024
"""What a file is recognised by."""
WHOLE_BYTES: Final = 256 * 1024**2
"""Largest text that is held in memory at once; an AWR report has some 1.5 MB."""
LINE_BYTES: Final = 4 * 1024**2
"""Longest line of a file that is read line by line."""
CHUNK_BYTES: Final = 1024**2
DAMAGED: Final = (
    EOFError, LookupError, NotImplementedError, OSError, ValueError, struct.error, zlib.error, lzma.LZMAError,
    zipfile.BadZipFile,
)  # fmt: skip
"""What Python's gzip and zipfile raise for data that are damaged, or compressed in a way that they do not know."""

Progress = Callable[[int, int], None]


class OpenedFile:
    """One file: its name, its digest, and its text, whole or line by line."""

    def __init__(self, path: Path, name: str | None = None, keep: Keep | None = None) -> None:
        """Look at *path*; raises :class:`NotReadable` for what is no text. *keep* is what readers may keep of names."""
        self.path, self.name, self.keep = path, name or path.name, keep or Keep()
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

    @property
    def digest(self) -> str:
        """SHA-256 of the file as it lies there."""
        sums = hashlib.sha256()
        with self.path.open("rb") as stream:
            while chunk := stream.read(CHUNK_BYTES):
                sums.update(chunk)
        return f"sha256:{sums.hexdigest()}"

    def text(self) -> str:
        """The whole text; raises :class:`NotReadable` where it is larger than WHOLE_BYTES or damaged."""
        with self._open() as stream:
            data = stream.read(WHOLE_BYTES + 1)
        if len(data) > WHOLE_BYTES:
            limit = WHOLE_BYTES // 1024**2
            raise NotReadable(
                f"{self.name}: its text is larger than {limit} MB, too large for this kind of report"
            )
        assert self.encoding is not None
        text = data.decode(self.encoding, errors="replace")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def lines(self, progress: Progress | None = None) -> Iterator[str]:
        """Its lines, one after the other in bounded memory; *progress* is called with (bytes done, all bytes)."""
        for lines in self.batches(progress):
            yield from lines

    def batches(self, progress: Progress | None = None) -> Iterator[list[str]]:
        """Its lines, some thousands at a time."""
        assert self.encoding is not None
        with self._open() as stream:
            text = io.TextIOWrapper(
                io.BufferedReader(_Raw(stream)), self.encoding, errors="replace", newline=None
            )
            rest = ""
            try:
                while chunk := text.read(CHUNK_BYTES):
                    lines = (rest + chunk).split("\n")
                    rest = lines.pop()
                    if len(rest) > LINE_BYTES:
                        limit = LINE_BYTES // 1024**2
                        raise NotReadable(f"{self.name}: a line has more than {limit} MB; this is no report")
                    yield lines
                    if progress is not None:
                        progress(min(_position(stream), self.bytes), self.bytes)
                if rest:
                    yield [rest]
            finally:
                text.detach()

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        with self.path.open("rb") as stream:
            start = stream.read(4)
            stream.seek(0)
            try:
                if start[:2] == b"\x1f\x8b":
                    with gzip.GzipFile(fileobj=stream) as unpacked:
                        yield unpacked  # type: ignore[misc]
                elif start == b"PK\x03\x04":
                    with self._member(stream) as member:
                        yield member
                else:
                    yield stream
            except DAMAGED as fault:
                raise NotReadable(
                    f"{self.name}: the compressed data are damaged ({cut(str(fault))})"
                ) from None

    @contextmanager
    def _member(self, stream: IO[bytes]) -> Iterator[IO[bytes]]:
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
            with packed.open(members[0]) as member:
                yield member


class _Raw(io.RawIOBase):
    """A reader's bytes for io's buffer; it leaves the reader open."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
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
        codecs.getincrementaldecoder("utf-8")().decode(
            start
        )  # a character cut at the end of the head is none
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
