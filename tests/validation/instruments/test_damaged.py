"""Damaged reports: every figure that is still read stands in its line of the text, or one sentence refuses the file."""

import random
import re
from collections.abc import Callable
from functools import lru_cache
from math import isclose
from pathlib import Path

import pytest

from blocktime.validation.instruments import NotReadable, OpenedFile, Reading, read
from tests.validation.instruments import damages, made
from tests.validation.instruments.test_samples import FILES, text_of
from tests.whole import quick

TRIES = quick(2, 12)
"""Damages of each kind for each report: some 1,500 in all where a run is whole."""
SCALES = {1.0, 60.0, 1e-2, 1e-3, 1e-6, 1e-9, 512.0, 1e3, 1e6, 1e9, 1e12, 1024.0, 2.0**20, 2.0**30, 2.0**40, 2.0**50}
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
    return re.sub(r"\d+(?:\.\d+)?", lambda found: chance.choice(absurd) if chance.random() < 0.05 else found[0], text)


def letters_lost(text: str, chance: random.Random) -> str:
    for _ in range(6):
        place, length = chance.randrange(len(text)), chance.randrange(1, 12)
        text = text[:place] + text[place + length :]
    return text


def columns_moved(text: str, chance: random.Random) -> str:
    """Two words of some lines change their places, as where somebody edited a table."""
    lines = text.split("\n")
    for number in chance.sample(range(len(lines)), min(8, len(lines))):
        words = re.split(r"(\s+|,|</td>)", lines[number])
        if len(words) > 3:
            first, second = (2 * chance.randrange((len(words) + 1) // 2) for _ in range(2))
            words[first], words[second] = words[second], words[first]
            lines[number] = "".join(words)
    return "\n".join(lines)


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
    letters_lost,
    columns_moved,
    letters_strewn,
)


def stands_there(reading: Reading, lines: list[str]) -> None:
    """Each figure is a number of its line, in some unit."""
    for one in [*reading.figures, *(found for series in reading.series for found in series.figures())]:
        printed = numbers_in(row_at(one.line, lines))
        clock = one.name == "A-Time"
        assert clock or any(
            isclose(one.value, number * scale, rel_tol=1e-9, abs_tol=1e-300) for number in printed for scale in SCALES
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
        answered(tmp_path / "a.report", bytes_of_another_encoding(made.EVERY[name], random.Random(f"{name} {number}")))


@pytest.mark.skipif(not FILES, reason="the samples are not on this machine")
@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in FILES])
def test_damaged_samples_give_what_stands_there_or_one_sentence(path: Path, tmp_path: Path) -> None:
    text = text_of(path)
    damages = DAMAGES if len(text) < LARGE_LETTERS else (cut, lines_swapped)
    for number in range(1):
        for damage in damages:
            damaged = damage(text, random.Random(f"{path.name} {damage.__name__} {number}"))
            answered(tmp_path / "a.report", damaged.encode("utf-8", errors="surrogatepass"))


DATA = re.compile(r"(?:PARSE|EXEC|FETCH|CLOSE|WAIT|STAT) #")
OF_TRACE = re.compile(r"(?<=\b(?:c|e|p|r)=)[0-9]+(?=,)|(?<=\bcr=)[0-9]+(?=,)|(?<=ela= )[0-9]+")
LONG = "7" * 20


def printed_figures(name: str, folder: Path) -> list[tuple[int, int, int]]:
    """Line, begin and end of each printed number of a report that may not be negative."""
    lines = made.EVERY[name].split("\n")
    if name == "trace":
        data = [(number, line) for number, line in enumerate(lines, 1) if DATA.match(line) and "p3" not in line]
        return [(number, *found.span()) for number, line in data for found in OF_TRACE.finditer(line)]
    places = []
    [reading] = made.read_text(folder, made.EVERY[name])
    figures = [*reading.figures, *(one for series in reading.series for one in series.figures())]
    for one in figures:
        line = lines[one.line - 1]
        for found in re.finditer("[0-9]+", line) if name == "tables" else NUMBER.finditer(line, 9 * (name == "plan")):
            alone = not re.search(r"[\w.\-%:]$", line[: found.start()]) and not re.match(r"[:\-]", line[found.end() :])
            in_series = one.printed == "" and any(
                isclose(one.value, float(found[0].replace(",", "")) * scale) for scale in SCALES
            )
            if alone and (in_series or one.printed.startswith(found[0])) and one.unit != "fraction":
                places.append((one.line, *found.span()))
                break
    return places


def read_or_refused(folder: Path, text: str) -> tuple[list[Reading], list[str]]:
    """What is read of *text*, and what of it is doubted, lacks or is refused."""
    try:
        readings = made.read_text(folder, text)
    except NotReadable as refusal:
        return [], [str(refusal)]
    return readings, [said for reading in readings for said in (*reading.doubts, *reading.missing)]


@pytest.mark.parametrize("absurd", ["negative", "long"])
@pytest.mark.parametrize("name", [name for name in made.EVERY if name not in ("parameters", "init.ora")])
def test_an_absurd_figure_is_doubted_and_not_used(name: str, absurd: str, tmp_path: Path) -> None:
    text = made.EVERY[name]
    places = printed_figures(name, tmp_path)
    assert places
    for number, begin, end in random.Random(name).sample(places, min(len(places), quick(6, 1000))):
        lines = text.split("\n")
        line = lines[number - 1]
        if absurd == "long" and "Linux x86" in line:
            continue  # no room: it would run into the platform
        if absurd == "long":  # over the blanks before it, so that no column moves
            room = len(line[:begin]) - len(line[:begin].rstrip(" ")) - 2
            room = max(0, min(room, len(LONG) - (end - begin)))
            lines[number - 1] = line[: begin - room] + LONG + line[end:]
        elif not line[begin:end].strip("0.,"):
            continue
        elif line[begin - 1 : begin] == " " and not line.startswith("{"):
            lines[number - 1] = f"{line[: begin - 1]}-{line[begin:]}"
        else:
            lines[number - 1] = f"{line[:begin]}-{line[begin:]}"
        readings, told = read_or_refused(tmp_path, "\n".join(lines))
        assert any(f"line {number:,}: " in doubt for doubt in told), (lines[number - 1], told)
        for reading in readings:
            figures = [*reading.figures, *(one for series in reading.series for one in series.figures())]
            assert all(0 <= one.value < 1e18 for one in figures if one.line == number or name == "trace")


@pytest.mark.parametrize("name", made.EVERY)
def test_a_report_that_ends_within_a_line_says_so_and_uses_nothing_of_it(name: str, tmp_path: Path) -> None:
    text = made.EVERY[name].rstrip("\n")
    lines = text.split("\n")
    [whole] = made.read_text(tmp_path, made.EVERY[name])
    own = {one.line for one in [*whole.figures, *(one for series in whole.series for one in series.figures())]}
    own |= {setting.line for setting in whole.settings}
    own |= {number for number, line in enumerate(lines, 1) if name == "trace" and DATA.match(line)}
    told = 0
    for place in {len(text) * part // 11 for part in range(1, 11)} | {
        len(text) - 9 - part for part in range(quick(0, 60))
    }:
        cut_text = text[:place]
        number = cut_text.count("\n") + 1
        behind = cut_text.rpartition("\n")[2].rstrip()
        readings, said = read_or_refused(tmp_path, cut_text)
        if number in own and 0 < len(behind) < len(lines[number - 1].rstrip()):
            told += 1
            assert not readings or any(
                "truncated" in one or f"line {number:,}: the file ends" in one for one in said
            ), cut_text[-80:]
            for reading in readings:
                figures = [*reading.figures, *(one for series in reading.series for one in series.figures())]
                assert all(one.line < number for one in (*figures, *reading.settings))
    assert told, name


def test_a_report_without_its_last_line_break_is_whole_where_its_digits_say_so(tmp_path: Path) -> None:
    for name in ("iostat old", "iostat new", "sar", "tkprof", "awr", "plan", "statspack old", "fio", "sadf"):
        [reading] = made.read_text(tmp_path, made.EVERY[name].rstrip("\n"))
        [before] = made.read_text(tmp_path, made.EVERY[name])
        assert reading.doubts == before.doubts == [], name
        assert reading.count() == before.count(), name


@pytest.mark.skipif(not FILES, reason="the samples are not on this machine")
@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in FILES])
def test_good_reports_have_no_doubts_but_for_what_is_cut_off_in_them(path: Path) -> None:
    try:
        doubts = [doubt for reading in read(OpenedFile(path)) for doubt in reading.doubts]
    except NotReadable:
        return
    assert all("cut off" in doubt for doubt in doubts)
    assert len(doubts) <= 6


@pytest.mark.parametrize("damage", damages.DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("name", damages.TEXTS)
def test_a_figure_of_a_damaged_file_is_that_of_the_whole_one_or_its_line_is_listed(
    name: str, damage: Callable[[list[str], random.Random], tuple[str, set[int]]], tmp_path: Path
) -> None:
    text = damages.TEXTS[name]
    whole = damages.read_of(text, tmp_path)
    for seed in range(quick(2, 20)):
        assert not list(damages.faults(text, damage, whole, tmp_path, random.Random(seed)))
