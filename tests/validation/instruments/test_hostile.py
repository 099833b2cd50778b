"""Files that no instrument wrote: a reader refuses them, or leaves their lines alone, in time that grows with size."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import process_time

import pytest

from app.cli import main
from validation.instruments import NotReadable, Source, read

BANNER = "Linux 5.4.17 (a)  01/02/2024  _x86_64_ (4 CPU)\n\n"
IOSTAT = f"{BANNER}Device r/s w/s r_await\n"
PARSE = "PARSE #1:c=1,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=1"
AWR = "<html>WORKLOAD REPOSITORY report for"
DIGITS = "9" * 5000
SAMPLE = '{"timestamp":"%s","disk":[{"disk_device":"a","r_await":1%s}]}'
MOST_S = 10.0
"""Processor time for any of the files below; each took more than that where time grew with the square of the size."""

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
    "AWR's waits": f"{AWR}<table><tr><th>Event</th><th>Waits</th></tr><tr><td>a</td><td>{'9' * 305}P</td></tr>"
    "</table></html>",
    "a trace's release": f"{PARSE}\nOracle Database 19c Release {DIGITS}\n",
    "fio's block size": '{"fio version":"fio-3",\n"jobs":[{"job options":{\n"bs":"'
    + "9" * 400
    + 'k"},"read":{"iops":1,"total_ios":1}}]}',
    "calls in one line": f"{PARSE}{PARSE.replace('PARSE', 'EXEC') * 3000}\n",
}
LARGE = {
    "tables without an end": f"{AWR}{'<table>' * 300_000}",
    "tags without an end": f"{AWR}<table><tr><td>{'<' * 1_000_000}</table>",
    "rows without an end": f"{AWR}<table>{'<tr ' * 500_000}</table>",
    "a long label": f"WORKLOAD REPOSITORY report for\nBuffer Cache: {'A' * 400_000}\n",
    "blanks in a parameter": f"a=1\nb=x{' ' * 250_000}y\n",
    "a long name of a parameter": f"NAME TYPE VALUE\n{'a' * 250_000}\n",
    "blanks in a wait": f"TKPROF: Release 1 - x on y\nElapsed times include waiting on\n  a{' ' * 300_000}x\n",
    "devices of sar": f"{BANNER}10:00:00 DEV tps await\n"
    + "".join(f"10:00:01 d{place} 1 1\n" for place in range(60_000)),
    "devices of iostat": IOSTAT + "".join(f"d{place} 1.00 1.00 1.00\n" for place in range(60_000)),
    "columns under a rule": f"WORKLOAD REPOSITORY report for\n{'Event ' * 20_000}\n"
    f"{'-- ' * 20_000}\n{'a 1 ' * 20_000}\n",
    "columns of iostat": f"{BANNER}Device r_await {' '.join(f'c{place}' for place in range(60_000))}\n"
    f"sda {'1.00 ' * 60_001}\n",
    "jobs of fio": '{"fio version":"fio-3",\n"jobs":[\n'
    + ",\n".join(['{"job options":{"bs":"4k"},"read":{"iops":1,"total_ios":1}}'] * 15_000)
    + "]}",
    "statements of a trace": "".join(
        f"PARSING IN CURSOR #{place} len=1 dep=0 uid=0 oct=3 lid=0 tim=1 hv=1 ad='1' sqlid='s{place}'\n"
        "select\nEND OF STMT\n"
        f"{PARSE.replace('#1:', f'#{place}:')}\n"
        + "".join(f"WAIT #{place}: nam='e{event}' ela= 5 a=1 b=2 c=3 tim=2\n" for event in range(3))
        for place in range(9_000)
    ),
}


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
    file = tmp_path / "report"
    file.write_text(LARGE[kind], encoding="utf-8")
    began = process_time()
    with suppress(NotReadable):
        for reading in read(Source(file)):
            assert sum(len(list(series.by_column())) for series in reading.series) < 1_000_000
    assert process_time() - began < MOST_S
