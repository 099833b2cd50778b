"""Damaged reports: every figure that is still read stands in its line of the text, or one sentence refuses the file."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from functools import lru_cache
from math import isclose
from pathlib import Path

import pytest

from tests.validation.instruments import made
from tests.validation.instruments.test_samples import FILES, text_of
from validation.instruments import NotReadable, OpenedFile, Reading, read

TRIES = int(os.environ.get("BLOCKTIME_DAMAGED_TRIES", "12"))
"""Damages of each kind for each report; more with the environment variable."""
SCALES = {
    1.0, 60.0, 1e-2, 1e-3, 1e-6, 1e-9, 512.0, 1e3, 1e6, 1e9, 1e12, 1024.0, 2.0**20, 2.0**30, 2.0**40, 2.0**50,
}  # fmt: skip
NUMBER = re.compile(r"[0-9][0-9,]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+")
SUMMED = {"10046"}
LARGE_LETTERS = 200_000
"""Samples with more letters are damaged in two ways alone."""


def cut(text: str, chance: random.Random) -> str:
    return text[: chance.randrange(1, len(text))]


def lines_dropped(text: str, chance: random.Random) -> str:
    return "\n".join(line for line in text.split("\n") if chance.random() > 0.1)


def lines_doubled(text: str, chance: random.Random) -> str:
    return "\n".join(f"{line}\n{line}" if chance.random() < 0.1 else line for line in text.split("\n"))


def lines_swapped(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(3):
        first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[first], lines[second] = lines[second], lines[first]
    return "\n".join(lines)


def numbers_absurd(text: str, chance: random.Random) -> str:
    absurd = ("-1", "1e400", "9" * 40, "nan", "inf", "0x10", "1_000", "####", "", "٣")
    return re.sub(
        r"\d+(?:\.\d+)?", lambda found: chance.choice(absurd) if chance.random() < 0.05 else found[0], text
    )


def letters_strewn(text: str, chance: random.Random) -> str:
    strewn = ("\x00", "\x1b]0;x\x07", "<td>", "&#0;", "{", "]", '"', "\u202e", ",", "|")
    for _ in range(4):
        place = chance.randrange(len(text))
        text = text[:place] + chance.choice(strewn) + text[place:]
    return text


DAMAGES: tuple[Callable[[str, random.Random], str], ...] = (
    cut,
    lines_dropped,
    lines_doubled,
    lines_swapped,
    numbers_absurd,
    letters_strewn,
)


def stands_there(reading: Reading, lines: list[str]) -> None:
    """Each figure is a number of its line, in some unit."""
    for one in [*reading.figures, *(found for series in reading.series for found in series.figures())]:
        printed = numbers_in(row_at(one.line, lines))
        clock = one.name == "A-Time"
        assert clock or any(
            isclose(one.value, number * scale, rel_tol=1e-9, abs_tol=1e-300)
            for number in printed
            for scale in SCALES
        ), (one, row_at(one.line, lines))
        assert one.low <= one.value <= one.high
        assert one.printed.partition(" ")[0] in row_at(one.line, lines), one


def row_at(line: int, lines: list[str]) -> str:
    """A line; of a row of HTML all its lines."""
    row = lines[line - 1]
    if "<tr" not in row.lower():
        return row
    after = "\n".join(lines[line : line + 40])
    return row + re.split("<tr|</table|<table", after, maxsplit=1, flags=re.IGNORECASE)[0]


@lru_cache(maxsize=100_000)
def numbers_in(line: str) -> tuple[float, ...]:
    found = NUMBER.findall(line)
    values = {float(number.replace(",", "")) for number in found if number.strip(",.")}
    values |= {float(part) for number in found for part in number.split(",") if part.strip(".")}
    return (*values, *(-value for value in values))


def bytes_of_another_encoding(text: str, chance: random.Random) -> bytes:
    data = bytearray(text.encode())
    for _ in range(20):
        data[chance.randrange(len(data))] = chance.randrange(128, 256)
    return bytes(data)


def answered(path: Path, data: bytes) -> list[Reading]:
    """What is read of *data*: figures that stand there; nothing where one sentence refuses it."""
    path.write_bytes(data)
    refusal = ""
    try:
        source = OpenedFile(path)
        readings = read(source)
    except NotReadable as fault:
        refusal, readings = str(fault), []
    assert "\n" not in refusal
    lines = source.text().split("\n") if readings else []
    for reading in readings:
        assert reading.count()
        if reading.format not in SUMMED:
            stands_there(reading, lines)
    return readings


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("name", made.EVERY)
def test_damaged_reports_give_what_stands_there_or_one_sentence(
    name: str, damage: Callable[[str, random.Random], str], tmp_path: Path
) -> None:
    for number in range(TRIES):
        text = damage(made.EVERY[name], random.Random(f"{name} {damage.__name__} {number}"))
        answered(tmp_path / "a.report", text.encode("utf-8", errors="surrogatepass"))


@pytest.mark.parametrize("name", made.EVERY)
def test_a_report_in_bytes_of_another_encoding(name: str, tmp_path: Path) -> None:
    for number in range(TRIES):
        answered(
            tmp_path / "a.report",
            bytes_of_another_encoding(made.EVERY[name], random.Random(f"{name} {number}")),
        )


@pytest.mark.skipif(not FILES, reason="the samples are not on this machine")
@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in FILES])
def test_damaged_samples_give_what_stands_there_or_one_sentence(path: Path, tmp_path: Path) -> None:
    text = text_of(path)
    damages = DAMAGES if len(text) < LARGE_LETTERS else (cut, lines_swapped)
    for number in range(max(1, TRIES // 12)):
        for damage in damages:
            damaged = damage(text, random.Random(f"{path.name} {damage.__name__} {number}"))
            answered(tmp_path / "a.report", damaged.encode("utf-8", errors="surrogatepass"))
