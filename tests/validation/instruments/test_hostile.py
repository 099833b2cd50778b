"""Files that no instrument wrote: a reader refuses them, or leaves their lines alone, in time that grows with size."""

import gc
import gzip
import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from time import process_time

import pytest

from blocktime.app.command.cli import main
from blocktime.validation.instruments import NotReadable, OpenedFile, read
from tests.validation.instruments import made
from tests.whole import quick

BANNER = "Linux 5.4.17 (a)  01/02/2024  _x86_64_ (4 CPU)\n\n"
IOSTAT = f"{BANNER}Device r/s w/s r_await\n"
PARSE = "PARSE #1:c=1,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=1"
AWR = "<html>WORKLOAD REPOSITORY report for"
DIGITS = "9" * 5000
SAMPLE = '{"timestamp":"%s","disk":[{"disk_device":"a","r_await":1%s}]}'

NUMBERS = {
    "processors of many digits": f"Linux 5 (a)  01/02/2024  _x_ ({DIGITS} CPU)\n\nDevice r/s r_await\nsda 1 2\n",
    "a rate of many digits": f"{IOSTAT}sda {DIGITS} 2.00 3.00\nsdb 1 2 3\n",
    "a known device's rate of many digits": f"{IOSTAT}sda 1 2 3\nsda {DIGITS} 2 3\n",
    "sar's rate of many digits": f"{BANNER}10:00:00 DEV tps await\n10:00:01 sda {DIGITS} 1\n10:00:01 sdb 1 1\n",
    "two headings of devices": f"{BANNER}Device r_await Device\n1.00 1.00 sdb\n",
    "a time zone in one stamp": f"{BANNER}2024-01-01T00:00:00Z\nDevice r/s r_await\nsda 1 2\n\n"
    "2024-01-01T00:00:05\nDevice r/s r_await\nsda 1 2\n",
    "JSON near the largest number": '{"sysstat":{"hosts":[{"statistics":['
    + SAMPLE % ("", ',"rkB/s":1e308')
    + '],"avg-cpu":{}}]}}',
    "JSON of a long exponent": '{"sysstat":{"hosts":[{"statistics":['
    + SAMPLE % ("", f',"rkB/s":1e-{DIGITS}')
    + "]}]}}",
    "a plan's long clock": f"| Id | Operation | A-Rows | A-Time |\n| 1 | X | 1 | {DIGITS}:00:00.01 |\n",
    "a plan's long bytes": f"| Id | Operation | A-Rows | Bytes |\n| 1 | X | 1 | {'9' * 305}T |\n",
    "a listing's long exponent": f"NAME,VALUE\na,1e-{DIGITS}\nb,1\n",
    "AWR's processors": f"{AWR}<table><tr><th>Platform</th><th>CPUs</th></tr><tr><td>L</td>"
    f"<td>{DIGITS}</td></tr></table>"
    "<table><tr><th>Event</th><th>Waits</th></tr><tr><td>a</td><td>1</td></tr></table></html>",
    "AWR's minutes": f"WORKLOAD REPOSITORY report for\n   Elapsed:   {'9' * 40},439.98 (mins)\n",
    "AWR's waits": f"{AWR}<table><tr><th>Event</th><th>Waits</th></tr><tr><td>a</td><td>{'9' * 305}P</td></tr>"
    "</table></html>",
    "a trace's release": f"{PARSE}\nOracle Database 19c Release {DIGITS}\n",
    "fio's block size": '{"fio version":"fio-3",\n"jobs":[{"job options":{\n"bs":"'
    + "9" * 400
    + 'k"},"read":{"iops":1,"total_ios":1}}]}',
    "JSON nested to what a parser takes": '{"sysstat":{"hosts":[{"statistics":[{"timestamp":{},"a":'
    + "[" * 900
    + "1"
    + "]" * 900
    + ',"disk":[{"disk-device":"a","tps":1.0}]}]}]}}',
    "calls in one line": f"{PARSE}{PARSE.replace('PARSE', 'EXEC') * 3000}\n",
}
LARGE: dict[str, tuple[int, Callable[[int], str]]] = {
    "tables without an end": (40_000, lambda n: f"{AWR}{'<table>' * n}"),
    "tags without an end": (125_000, lambda n: f"{AWR}<table><tr><td>{'<' * n}</table>"),
    "rows without an end": (60_000, lambda n: f"{AWR}<table>{'<tr ' * n}</table>"),
    "a long label": (50_000, lambda n: f"WORKLOAD REPOSITORY report for\nBuffer Cache: {'A' * n}\n"),
    "blanks in a parameter": (30_000, lambda n: f"a=1\nb=x{' ' * n}y\n"),
    "a long name of a parameter": (30_000, lambda n: f"NAME TYPE VALUE\n{'a' * n}\n"),
    "blanks in a wait": (
        40_000,
        lambda n: f"TKPROF: Release 1 - x on y\nElapsed times include waiting on\n  a{' ' * n}x\n",
    ),
    "devices of sar": (7_500, lambda n: f"{BANNER}10:00:00 DEV tps await\n" + lines(n, "10:00:01 d{} 1 1")),
    "devices of iostat": (7_500, lambda n: IOSTAT + lines(n, "d{} 1.00 1.00 1.00")),
    "headings of iostat": (4_000, lambda n: IOSTAT + lines(n, "Device r/s w/s r_await\nsda 1 1 1 1")),
    "columns under a rule": (
        2_500,
        lambda n: f"WORKLOAD REPOSITORY report for\n{'Event ' * n}\n{'-- ' * n}\n{'a 1 ' * n}\n",
    ),
    "columns of iostat": (7_500, lambda n: f"{BANNER}Device r_await {lines(n, 'c{}', ' ')}\nsda {'1.00 ' * (n + 1)}\n"),
    "jobs of fio": (
        2_000,
        lambda n: (
            '{"fio version":"fio-3",\n"jobs":[\n'
            + ",\n".join(['{"job options":{"bs":"4k"},"read":{"iops":1,"total_ios":1}}'] * n)
            + "]}"
        ),
    ),
    "statements of a trace": (
        1_000,
        lambda n: lines(
            n,
            "PARSING IN CURSOR #{0} len=1 dep=0 uid=0 oct=3 lid=0 tim=1 hv=1 ad='1' sqlid='s{0}'\n"
            f"select\nEND OF STMT\n{PARSE.replace('#1:', '#{0}:')}\n"
            + "".join(f"WAIT #{{0}}: nam='e{event}' ela= 5 a=1 b=2 c=3 tim=2\n" for event in range(3)),
        ),
    ),
}
"""A size, and the file of that size."""
MB = 1 << 20
MOST_KB = 400_000
"""Memory of a command that reads any of the files below."""
SIZE = quick(40, 240)
"""MB that each of them unpacks to."""
SIZED = "Foreground Wait Events                DB/Inst: A/a  Snaps: 1-2\n\n" + "\n".join(
    f"{'Event':26} {'Waits':>11}\n{'-' * 26} {'-' * 11}".split("\n")
)
ROW = "log buffer space               205,987\n"
STATEMENTS = made.TKPROF.replace("TKPROF: Release", "TKPROF Release")
WAITED = "WAIT #7: nam='db file scattered read' ela= 900 file#=1 block#=2 blocks=8 obj#=9 tim=2000\n"
BOMBS: dict[str, tuple[str, str, str]] = {
    "empty lines": (made.AWR, "\n" * MB, "38 figures"),
    "lines of blanks": (made.TKPROF, (" " * 79 + "\n") * (MB // 80), "statement"),
    "one line": (made.AWR, "a" * MB, "a line has more than 4 MB"),
    "rows of a table": (f"{made.AWR.replace('End of Report', '')}\n{SIZED}\n", ROW * (MB // len(ROW)), "doubt"),
    "cells of HTML": (f"{made.AWR_HTML}<table><tr>", "<td></td>" * (MB // 9), "doubt"),
    "rows of HTML": (f"{made.AWR_HTML}<table>", "<tr><td></td></tr>" * (MB // 18), "doubt"),
    "lines of a trace": (made.TRACE, WAITED * (MB // len(WAITED)), "statement"),
    "lines of no trace": (made.TRACE, "a\n" * (MB // 16), "statement"),
    "numbers of JSON": ('{"fio version":"fio-3",\n"jobs":[\n', "1," * (MB // 2), "more than"),
    "devices": (made.IOSTAT_OLD, "", "devices"),
    "parameters": (made.INIT_ORA, "db_cache_size=1\n" * (MB // 16), "10,000 figures"),
    "statements": ("TKPROF: Release 1 - x on y\n", STATEMENTS * (MB // len(STATEMENTS)), "doubt"),
    "reports": ("", made.TKPROF * (MB // len(made.TKPROF)), "more than 1,000 reports"),
}
"""What a file begins with, what follows again and again, and words of the answer or the refusal."""
COMMAND = """
import sys
from blocktime.app.command.cli import main
from tests.memory import peak_kib
from tests.validation.instruments import made
from tests.whole import quick
code = main(["measure", "--quiet", sys.argv[1]])
print(peak_kib())
sys.exit(code)
"""
TIMES = 4
"""How many times larger the second file is; a reader takes that many times as long, not its square."""
TRIES = 3
"""Measurements, the best of which counts: other work on the machine makes some of them worse."""


def lines(number: int, form: str, between: str = "\n") -> str:
    """*number* lines of a form, each with its own number."""
    return "".join(form.format(place) + between for place in range(number))


def measured(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The command answers, or refuses in one sentence."""
    file = tmp_path / "report"
    file.write_text(text, encoding="utf-8")
    code = main(["measure", str(file), "--json", "--out", str(tmp_path / "out.toml")])
    assert code in {0, 2}
    said = capsys.readouterr().err.splitlines()
    assert len(said) == (code == 2)
    assert not any("an error in blocktime" in line for line in said)


@pytest.mark.parametrize("kind", NUMBERS)
def test_odd_numbers_and_headings(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measured(tmp_path, NUMBERS[kind], capsys)


@pytest.mark.parametrize("kind", LARGE)
def test_time_grows_with_the_size_alone(kind: str, tmp_path: Path) -> None:
    size, text = LARGE[kind]
    files = tmp_path / "small", tmp_path / "large"
    for file, number in zip(files, (size, TIMES * size), strict=True):
        file.write_text(text(number), encoding="utf-8")
    ratios = []
    for _ in range(TRIES):
        small, large = (processor_time(file) for file in files)
        ratios.append(large / small)
        if ratios[-1] < TIMES * 3:
            return
    raise AssertionError(f"{TIMES} times the size takes {ratios} times as long")


def processor_time(file: Path) -> float:
    """Seconds of the processor for reading *file*, without collecting what other tests have left."""
    gc.collect()
    gc.freeze()
    began = process_time()
    with suppress(NotReadable):
        for reading in read(OpenedFile(file)):
            assert sum(len(list(series.by_column())) for series in reading.series) < 1_000_000
    seconds = process_time() - began
    gc.unfreeze()
    return seconds


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive_is_refused_in_a_sentence(method: int, tmp_path: Path) -> None:
    """Also where its directory and the header of its file differ: names, methods, lengths, versions."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("report.txt", "WORKLOAD REPOSITORY report for\n" * 50)
    good, path, chance = packed.getvalue(), tmp_path / "report.zip", Random(method)
    told = []
    for place in range(quick(150, 3000)):
        damaged = bytearray(good)
        damaged[4 + place % (len(good) - 4)] ^= chance.randrange(1, 256)
        path.write_bytes(damaged)
        try:
            OpenedFile(path).text()
        except NotReadable as fault:
            told.append(str(fault))
    assert len(told) > 50
    assert all(text.startswith("report.zip: ") and len(text) < 200 for text in told)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in kB on Linux")
@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_that_unpacks_to_a_large_one_takes_little_memory(kind: str, tmp_path: Path) -> None:
    begin, again, words = BOMBS[kind]
    file = tmp_path / "report.gz"
    with gzip.open(file, "wb", compresslevel=1) as packed:
        packed.write(begin.encode())
        for number in range(SIZE):
            each = again or "".join(f"d{number}-{device} {' '.join(['1.00'] * 13)}\n" for device in range(MB // 80))
            packed.write(each.encode())
    answer = subprocess.run([sys.executable, "-c", COMMAND, str(file)], capture_output=True, text=True, check=False)
    assert answer.returncode in {0, 2}, answer.stderr
    *_, used_kb = answer.stdout.split()
    assert int(used_kb) < MOST_KB
    assert words in answer.stdout + answer.stderr


def archive(folder: Path, *files: tuple[str, str]) -> Path:
    path = folder / "report.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files:
            packed.writestr(name, text)
    return path


def test_an_archive_of_thousands_of_files_is_refused_before_they_are_listed(tmp_path: Path) -> None:
    path = archive(tmp_path, *((f"{'a long name ' * 20}{number}", "") for number in range(5000)))
    with pytest.raises(NotReadable, match="holds thousands of files"):
        OpenedFile(path)


def test_an_archive_that_contradicts_itself_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = archive(tmp_path, ("awr.txt", made.AWR))
    data = path.read_bytes()
    for damaged in (
        data.replace(b"awr.txt", b"owr.txt", 1),  # the name in the header and that in the directory
        data.replace(b"\x08\x00", b"\x63\x00"),  # a method that nobody knows
        data[: len(data) // 2],
    ):
        path.write_bytes(damaged)
        with pytest.raises(NotReadable) as refusal:
            read(OpenedFile(path))
        assert "\n" not in str(refusal.value)


def test_a_compressed_file_in_a_compressed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "report.gz"
    path.write_bytes(gzip.compress(made.packed(made.AWR)))
    with pytest.raises(NotReadable, match="binary file"):
        OpenedFile(path)


def test_lines_of_a_file_keep_their_numbers_behind_empty_ones(tmp_path: Path) -> None:
    path = tmp_path / "report"
    text = "a\n" + "\n" * 20 + "b\n \n\t\n" + " \n" * 9 + "c\n\n\nd"
    path.write_text(text)
    source = OpenedFile(path)
    filled = [(number, line) for number, line in source.lines() if line.strip()]
    assert filled == [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    assert source.open_line == text.count("\n") + 1
