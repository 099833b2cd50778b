"""Damaged reports against whole ones: ``python -m tests.validation.instruments.damages [FILES] [FOLDER]``.

Six damages as they happen to files of users. Every figure that is still read equals one of the whole file, and each
that is gone has its line listed: among the lines not read, the doubts, or in the sentence that refuses the file.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from blocktime.validation.instruments import Figure, Keep, NotReadable, OpenedFile, Reading, read
from tests.validation.instruments import made

Lines = list[str]
NUMBERED = re.compile(r"(?<=^tables): [0-9]+$")
"""Rows that go by their number, which a row before them moves."""
NUMBER = re.compile(r"(?<![\w.,:/-])[0-9][0-9,]*(?:\.[0-9]+)?(?![\w.,:/-])")


def is_cut_off(lines: Lines, chance: random.Random) -> tuple[str, set[int]]:
    """The file ends within a line, as where a copy was broken off."""
    place = chance.randrange(1, len(lines))
    line = lines[place][: chance.randrange(len(lines[place]) + 1)]
    return "\n".join([*lines[:place], line]), set(range(place, len(lines)))


def has_overflown_numbers(lines: Lines, chance: random.Random) -> tuple[str, set[int]]:
    """A number was too wide for its column: SQL*Plus prints #."""
    return _changed(lines, chance, lambda line: _at_a_number(line, chance, lambda number: "#" * len(number)))


def has_tabs(lines: Lines, chance: random.Random) -> tuple[str, set[int]]:
    """An editor put tabs in place of blanks."""
    del chance
    return "\n".join(_with_tabs(line) for line in lines), set()


def has_a_wrapped_line(lines: Lines, chance: random.Random) -> tuple[str, set[int]]:
    """A mail program broke a long line at a blank."""
    long = [place for place, line in enumerate(lines) if len(line.split()) > 3 and NUMBER.search(line)] or [0]
    place = chance.choice(long)
    blank = lines[place].rfind(" ", 0, max(2, int(len(lines[place]) * chance.uniform(0.5, 0.95))))
    return "\n".join([*lines[:place], lines[place][:blank], lines[place][blank + 1 :], *lines[place + 1 :]]), {place}


def has_dos_line_ends(lines: Lines, chance: random.Random) -> tuple[str, set[int]]:
    """The file went over Windows, and lines have blanks at their ends."""
    return "\r\n".join(line + " " * chance.choice((0, 0, 2)) for line in lines), set()


def has_a_foreign_line(lines: Lines, chance: random.Random) -> tuple[str, set[int]]:
    """A warning of a shell stands between two parts, behind a blank line."""
    gaps = [place for place in range(1, len(lines)) if not lines[place - 1].strip() and lines[place].strip()] or [0]
    place = chance.choice(gaps)
    return "\n".join([*lines[:place], "bash: warning: setlocale: cannot change locale", "", *lines[place:]]), set()


def has_a_line_twice(lines: Lines, chance: random.Random) -> tuple[str, set[int]]:
    """A line was pasted twice."""
    place = chance.randrange(len(lines))
    return "\n".join([*lines[: place + 1], *lines[place:]]), set()


DAMAGES = (is_cut_off, has_overflown_numbers, has_dos_line_ends, has_tabs, has_a_foreign_line, has_a_line_twice)
OPEN = (has_a_wrapped_line,)
"""Damages that readers do not tell in each case: what is behind the break may stand outside of any table."""
SUMMED = "trace"
"""Figures of a trace are sums of its lines: they change with each of them."""
TEXTS = {name: text for name, text in made.EVERY.items() if name != SUMMED and not text.lstrip().startswith(("{", "<"))}


def _with_tabs(line: str) -> str:
    """*line* with tabs for blanks that reach to a tab stop, each for two blanks or more."""
    parts = [line[place : place + 8] for place in range(0, len(line), 8)]
    return "".join(re.sub("  +$", "\t", part) if len(part) == 8 else part for part in parts)


def _changed(lines: Lines, chance: random.Random, change: Callable[[str], str]) -> tuple[str, set[int]]:
    """One line with a number changed."""
    places = [place for place, line in enumerate(lines) if NUMBER.search(line)] or [0]
    place = chance.choice(places)
    return "\n".join([*lines[:place], change(lines[place]), *lines[place + 1 :]]), {place}


def _at_a_number(line: str, chance: random.Random, change: Callable[[str], str]) -> str:
    numbers = list(NUMBER.finditer(line))
    if not numbers:
        return line
    found = chance.choice(numbers)
    return line[: found.start()] + change(found[0]) + line[found.end() :]


@dataclass(frozen=True)
class ReadFile:
    """What a file says: its figures with how often each is there, and how much is listed as not read."""

    figures: Counter[tuple[str, str, float]]
    lines: dict[tuple[str, str, float], int]
    listed: int
    refused: str = ""


def read_of(text: str, folder: Path) -> ReadFile:
    """The figures of *text*."""
    path = folder / "file.txt"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        readings = read(OpenedFile(path, path.name, Keep()))
    except NotReadable as refusal:
        return ReadFile(Counter(), {}, 1, str(refusal))
    figures: Counter[tuple[str, str, float]] = Counter()
    lines: dict[tuple[str, str, float], int] = {}
    for figure in (figure for reading in readings for figure in _figures(reading)):
        key = NUMBERED.sub("", figure.of), figure.name, figure.value
        figures[key] += 1
        lines[key] = figure.line
    listed = sum(sum(left.lines for left in one.unread) + len(one.doubts) + len(one.missing) for one in readings)
    return ReadFile(figures, lines, listed)


def _figures(reading: Reading) -> Iterator[Figure]:
    yield from reading.figures
    for series in reading.series:
        yield from series.figures()


def faults(text: str, damage: Callable[[Lines, random.Random], tuple[str, set[int]]], whole: ReadFile, folder: Path,
           chance: random.Random) -> Iterator[str]:  # fmt: skip
    """Sentences about figures of a damaged *text* that neither equal those of the *whole* nor are listed."""
    damaged_text, touched = damage(text.split("\n"), chance)
    damaged = read_of(damaged_text, folder)
    if damaged.refused:
        return
    for key in damaged.figures:
        if key not in whole.figures:
            yield f"{key[0]}, {key[1]}: {key[2]:g} stands in no whole file"
    gone = [key for key in whole.figures if key not in damaged.figures]
    if gone and damage is is_cut_off:
        gone = [key for key in gone if whole.lines[key] - 1 < min(touched)]
    if gone and damaged.listed <= whole.listed:
        of, name, value = gone[0]
        yield f"{of}, {name}: {value:g} is gone, and nothing is listed"


def main() -> None:
    """Damage so many files, and print each damage's faults."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    damages = (*DAMAGES, *OPEN)
    texts = dict(TEXTS)
    if len(sys.argv) > 2:
        texts |= {path.name: path.read_text(encoding="utf-8", errors="replace") for path in Path(sys.argv[2]).glob("*")}
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wholes = {name: read_of(text, folder) for name, text in texts.items()}
        names = [name for name, whole in wholes.items() if not whole.refused]
        for number in range(count):
            of, damage = names[number % len(names)], damages[number // len(names) % len(damages)]
            for fault in faults(texts[of], damage, wholes[of], folder, random.Random(number)):
                found[damage.__name__] += 1
                if found[damage.__name__] <= 8:
                    print(f"{number}: {of} {damage.__name__}: {fault}")
    print(f"{count} files of {len(names)} kinds by {len(damages)} damages: {sum(found.values())} faults, 0 tracebacks")
    for damage_name, faulty in found.items():
        print(f"  {damage_name}: {faulty}")


if __name__ == "__main__":
    main()
