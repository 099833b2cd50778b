"""What is not modelled, by the words of a DBA: one table for errors, lists, the page's search and its About."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Unmodelled(NamedTuple):
    """A subject outside of the model."""

    name: str
    nearest: str
    """What comes nearest, with its field."""
    words: tuple[str, ...]

    def sentence(self) -> str:
        """A clause for an error."""
        return f"{self.name}: not modelled; nearest: {self.nearest}"


@cache
def subjects() -> tuple[Unmodelled, ...]:
    """All subjects, in the order of their table."""
    import tomllib

    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["subject"]
    return tuple(Unmodelled(row["name"], row["nearest"], tuple(row["words"])) for row in rows)


@cache
def _by_phrase() -> dict[tuple[str, ...], Unmodelled]:
    return {words_of(text): subject for subject in subjects() for text in subject.words}


def words_of(text: str) -> tuple[str, ...]:
    """The words of *text*, without signs and capitals."""
    return tuple(re.findall(r"[a-z0-9]+", text.lower()))


def unmodelled(text: str) -> Unmodelled | None:
    """The subject of which *text* has a whole word or phrase, the longest first; None for any other text."""
    words = words_of(text[:200])
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            if subject := _by_phrase().get(words[start : start + length]):
                return subject
    return None
