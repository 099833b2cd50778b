"""A finished sweep asked again: what it printed is kept beside its answers, and found with the standard library alone.

It is printed again where nothing has changed: the words of the command, what stands in the files that they name, the
program and the packages that it uses, the file of answers, the width and the encoding of the terminal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from app.base.output import forget_output, prepare_output, print_lines, width_of_terminal
from model.folder_of_answers import folder_of_answers

PACKAGES = ("app", "model", "scenarios", "validation")
LONGEST_BYTES = 2**22
"""Of a text that is kept, and of a file that words name."""


class _Changing(Exception):
    """Another process writes to the store, or a file is too large to be kept."""


def printed_again(words: Sequence[str]) -> bool:
    """Print what the same sweep printed when it was finished; False where that is not known, or not sure."""
    if list(words[:1]) != ["sweep"]:
        return False
    try:
        with open(_place(words), "rb") as file:
            seal, _, text = file.read(2 * LONGEST_BYTES).partition(b"\n")
        if seal != _seal(words, text):
            return False
    except Exception:  # whatever it is, the sweep itself will meet it and say so
        return False
    prepare_output()
    try:
        print_lines([text.decode()])
    except BrokenPipeError:
        forget_output()
    return True


def inputs_of(words: Sequence[str]) -> bytes:
    """Digest of the program and of the files that *words* name, as they are now; empty where they cannot be known."""
    digest = blake2b(digest_size=32)
    try:
        for part in (*_program(), *_named(words)):
            digest.update(b"\0" + repr(part).encode(errors="surrogateescape"))
    except (OSError, UnicodeError, _Changing):
        return b""
    return digest.digest()


def keep_printed(words: Sequence[str], began: bytes, store: str | None, lines: Sequence[str]) -> None:
    """Keep the *lines* that a sweep would print if it were asked again now, its answers being in the folder *store*.

    *began* are its inputs before it read them: what was edited meanwhile is another question.
    """
    text = "\n".join(lines).encode()
    told = _store_in(words)
    if len(text) > LONGEST_BYTES or (told and os.path.normpath(told)) != (store and os.path.normpath(store)):
        return
    if not began or began != inputs_of(words):
        return
    try:
        place = _place(words)
        beside = f"{place}.{os.getpid()}.part"
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(beside, "wb") as file:
            file.write(_seal(words, text) + b"\n" + text)
        os.replace(beside, place)
    except (OSError, UnicodeError, _Changing):  # it costs the next one its time and nothing else
        return


def _store_in(words: Sequence[str]) -> str | None:
    """The folder that ``--store FOLDER`` or ``--store=FOLDER`` names."""
    store = None
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, sign, value = word.partition("=")
        if name == "--store":
            store = value if sign else following
    return store


def _folder(words: Sequence[str]) -> str:
    return _store_in(words) or folder_of_answers()


def _place(words: Sequence[str]) -> str:
    """The file that keeps what these words printed, at this width and in this encoding."""
    asked = repr((list(words), width_of_terminal(), getattr(sys.stdout, "encoding", None)))
    name = blake2b(asked.encode(errors="surrogateescape"), digest_size=16).hexdigest()
    return os.path.join(_folder(words), "finished", name)


def _seal(words: Sequence[str], text: bytes) -> bytes:
    """Digest of *text* and of all that it depends on beside the words."""
    digest = blake2b(text + b"\0" + inputs_of(words), digest_size=32)
    for part in _answers(_folder(words)):
        digest.update(b"\0" + repr(part).encode(errors="surrogateescape"))
    return digest.hexdigest().encode()


def _program() -> Iterator[object]:
    """Python, the installed packages by version, and each file of the program by size and times, as Python knows it."""
    yield sys.version
    yield sorted(item for item in os.environ.items() if item[0].startswith("BLOCKTIME_"))
    for folder in sys.path:
        if os.path.basename(folder) == "site-packages" and os.path.isdir(folder):
            yield sorted(name for name in os.listdir(folder) if name.endswith(".dist-info"))
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for package in PACKAGES:
        yield from _files(os.path.join(root, package))


def _files(folder: str) -> Iterator[object]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                yield _as_it_is(entry)


def _as_it_is(entry: os.DirEntry[str]) -> tuple[object, ...]:
    stat = entry.stat()
    return entry.path, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _named(words: Sequence[str]) -> Iterator[object]:
    """What stands in the files that are named; a library's scenario is one of the program's."""
    for word in words:
        if os.path.isfile(word):
            if os.path.getsize(word) > LONGEST_BYTES:
                raise _Changing
            with open(word, "rb") as file:
                yield word, blake2b(file.read()).hexdigest()


def _answers(folder: str) -> Iterator[object]:
    """The store's files as they are; SQLite's log is empty or away where nobody writes."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith("-wal") and entry.stat().st_size:
                raise _Changing
            if entry.name.startswith("points") and not entry.name.endswith(("-wal", "-shm")):
                yield _as_it_is(entry)
