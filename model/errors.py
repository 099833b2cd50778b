"""What can go wrong, as one tree.

BlocktimeError
├─ SpecError            a scenario, catalog or case file is wrong: where, key, got, allowed
│  ├─ UnknownName       no such scenario, disk, host, case or key: nearest names offered
│  └─ StoreUnusable     answers cannot be kept where they should be: no room, no right to write
├─ MeasurementError     a measured file contradicts itself and no doubt says so
├─ OutsideLaw           a law was asked for a case it does not describe
├─ OverBudget           an answer would take, or has taken, more than is allowed
└─ BooksDoNotBalance    a result broke an invariant: a fault of this program
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from blocktime.model.unmodelled import unmodelled


class BlocktimeError(Exception):
    """Root of every error that this program raises on purpose; its text is one sentence."""


class SpecError(BlocktimeError):
    """An input is wrong; says where, which key, what was got and what is allowed, in one printable line."""

    LONGEST = 390
    file: str | None = None
    """The file that was read as a scenario, where the fault is in it."""

    def __init__(self, sentence: str) -> None:
        line = "".join(mark if mark.isprintable() else " " for mark in sentence)
        super().__init__(line if len(line) <= self.LONGEST else line[: self.LONGEST - 3] + "...")


def cut(text: str, longest: int = 60) -> str:
    """*text* short enough to stand in a sentence."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def quote(value: object) -> str:
    """*value* as a user wrote it, short enough for a sentence; a whole number without a point."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    try:
        return cut(repr(value))
    except (ValueError, RecursionError):  # digits without end, lists in lists
        return "something too long to show"


class UnknownName(SpecError):
    """A name stands for nothing; offers the nearest names that do, those of a file's *own* first."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str], where: str = "", listing: str = "",
        from_file: Iterable[str] = (),
    ) -> None:  # fmt: skip
        from difflib import get_close_matches

        first, others = sorted(from_file), sorted(known)
        names = first + others
        near = get_close_matches(cut(name), names, n=3, cutoff=0.6) or _sharing_a_word(cut(name), names)[:3]
        if subject := unmodelled(name) if not set(name) & set("./\\") else None:  # the name of a file is a name
            hint = subject.sentence()
        elif near:
            hint = "did you mean " + " or ".join(near) + "?"
        elif len(others) <= 30:
            hint = "known: " + ", ".join(names)
        else:
            hint = f"{len(names)} are known" + (f", {listing}" if listing else "")
        prefix = f"{cut(where)}: " if where else ""
        super().__init__(f"{prefix}no {kind} named {cut(name)!r}; {hint}")


def _sharing_a_word(name: str, names: Iterable[str]) -> list[str]:
    """Those of *names* that share a word of three letters or more with *name*, the shortest first."""
    words = {word for word in _words(name) if len(word) > 2}
    return sorted((known for known in names if words & _words(known)), key=len)


def _words(name: str) -> set[str]:
    return set(re.split(r"[\W_]+", name.lower()))


class StoreUnusable(SpecError):
    """Answers cannot be kept in their folder."""


class MeasurementError(BlocktimeError):
    """A transcribed measurement contradicts itself and no doubt is on file."""


class OutsideLaw(BlocktimeError):
    """A law was asked for a case that it does not describe."""


class OverBudget(BlocktimeError):
    """An answer would take more than is allowed, or has taken it."""

    def __init__(self, sentence: str, of: Literal["time", "memory", "seconds", "limit"]) -> None:
        """*of* what it is more: of work, of memory, of the seconds of this machine, or than any simulation may do."""
        super().__init__(sentence, of)
        self.of = of

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def amount(self) -> str:
        """What was too much and which limit it met, without what to do about it."""
        return str(self.args[0]).rpartition(": ")[0]


class BooksDoNotBalance(BlocktimeError):
    """A result broke an invariant (times, bytes or counts); a fault of this program, not of the input."""
