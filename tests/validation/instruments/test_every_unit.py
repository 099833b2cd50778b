"""Every number that a reader knows has the unit that the instrument's manual states."""

import json
import re
from pathlib import Path

import pytest

from blocktime.validation.instruments.fio import OF_JOB, OPTIONS, PLAIN, TIMES
from blocktime.validation.instruments.sysstat import COLUMNS, CPU
from blocktime.validation.instruments.tkprof import DETAILS
from blocktime.validation.instruments.views import UNITS
from tests.validation.instruments import made
from tests.validation.instruments.made import read_text

Unit = tuple[float, str]


def figures(text: str, folder: Path) -> dict[str, Unit]:
    """Value and unit of each figure; before its name stands the last word of what it is of."""
    [reading] = read_text(folder, text)
    every = [*reading.figures, *(figure for series in reading.series for figure in series.figures())]
    return {f"{figure.of.split(' ')[-1]} {figure.name}": (figure.value, figure.unit) for figure in every}


def by_the_manual(column: str) -> Unit:
    """Value and unit of a 1 in a column of iostat, sar or sadf [iostat(1), sar(1)]."""
    rules = (
        (r"%|percent", (0.01, "fraction")),
        (r"MB", (1024**2, "bytes/s")),
        (r"kB", (1024, "bytes/s")),
        (r"sec", (512, "bytes/s")),
        (r"avgrq-sz", (512, "bytes")),
        (r"req-sz", (1024, "bytes")),
        (r"qu-sz", (1, "requests")),
        (r"await|svctm", (1e-3, "s")),
        (r"/s|tps", (1, "1/s")),
    )
    return next(unit for words, unit in rules if re.search(words, column))


def test_each_column_of_sysstat_has_its_unit(tmp_path: Path) -> None:
    rows = {"disk-device": "sda", **dict.fromkeys(COLUMNS, 1)}
    cpu = {"cpu": "all", **dict.fromkeys(CPU, 1)}
    sample = {"timestamp": {"date": "2026-11-22", "time": "13:20:19"}, "disk": [rows], "cpu-load": [cpu]}
    found = figures(json.dumps({"sysstat": {"hosts": [{"statistics": [sample]}]}}), tmp_path)
    assert found == (
        {f"sda {name}": pytest.approx(by_the_manual(name)) for name in COLUMNS}
        | {f"cpu {name}": (0.01, "fraction") for name in CPU}
    )


def test_each_number_of_tkprof_has_its_unit(tmp_path: Path) -> None:
    details = " ".join(f"{name}={place}" for place, name in enumerate(DETAILS, 1))
    text = re.sub(r"\(cr=.*\)", f"({details})".replace("time=6", "time=6 us"), made.TKPROF)
    text = re.sub(r"Fetch .*", "Fetch 1 2 3 4 5 6 7", text)
    found = figures(text, tmp_path)
    calls = {
        "count": (1, "count"), "cpu": (2, "s"), "elapsed": (3, "s"), "disk": (4, "blocks"), "query": (5, "gets"),
        "current": (6, "gets"), "rows": (7, "rows"),
    }  # fmt: skip
    steps = {
        "cr": (1, "gets"), "r": (2, "blocks"), "pr": (3, "blocks"), "pw": (4, "blocks"), "w": (5, "blocks"),
        "time": (6e-6, "s"), "starts": (7, "count"), "cost": (8, "cost"), "size": (9, "bytes"), "card": (10, "rows"),
    }  # fmt: skip
    assert {name: found[f"(0123456789abc) Fetch {name}"] for name in calls} == calls
    assert {name: found[f"FULL {name}"] for name in DETAILS} == steps


def test_each_number_of_a_call_in_a_trace_has_its_unit(tmp_path: Path) -> None:
    text = made.TRACE.replace("c=100,e=1500,p=16,cr=17,cu=0,mis=0,r=100", "c=1,e=2,p=3,cr=4,cu=5,mis=6,r=7")
    found = figures(text, tmp_path)
    calls = {
        "c": (1e-6, "s"), "e": (2e-6, "s"), "p": (3, "blocks"), "cr": (4, "gets"), "cu": (5, "gets"),
        "mis": (6, "count"), "r": (7, "rows"), "count": (1, "count"),
    }  # fmt: skip
    for name, unit in calls.items():
        assert found[f"(0123456789abc) FETCH {name}"] == pytest.approx(unit), name


def test_each_number_of_fio_has_its_unit(tmp_path: Path) -> None:
    moments = {"min": 1, "max": 2, "mean": 3, "stddev": 4}
    read = dict.fromkeys(PLAIN, 1) | dict.fromkeys(TIMES, moments)
    options = {"iodepth": "16", "numjobs": "3", "bs": "4k", "runtime": "2h", "rwmixread": "70"}
    assert options.keys() == OPTIONS.keys()
    job = {"job options": options, "read": read, **dict.fromkeys(OF_JOB, 1)}
    found = figures(json.dumps({"fio version": "fio-3", "jobs": [job]}, indent=1), tmp_path)
    plain = {
        "io_bytes": (1, "bytes"), "bw_bytes": (1, "bytes/s"), "iops": (1, "1/s"), "runtime": (1e-3, "s"),
        "total_ios": (1, "count"),
    }  # fmt: skip
    assert {name: found[f"read {name}"] for name in PLAIN} == plain
    for name in TIMES:
        per_s = 1e-9 if name.endswith("_ns") else 1e-6
        for moment, value in moments.items():
            assert found[f"read {name} {moment}"] == pytest.approx((value * per_s, "s"))
    of_job = {name: found[f"1 {name}"] for name in (*OF_JOB, *OPTIONS)}
    assert of_job == {
        "usr_cpu": (0.01, "fraction"), "sys_cpu": (0.01, "fraction"), "ctx": (1, "count"), "iodepth": (16, "count"),
        "numjobs": (3, "count"), "bs": (4096, "bytes"), "runtime": (7200, "s"), "rwmixread": (70, "percent"),
    }  # fmt: skip


@pytest.mark.parametrize(("runtime", "seconds"), [("90", 90), ("90s", 90), ("3m", 180), ("2h", 7200)])
def test_a_run_time_of_fio_has_the_unit_behind_it(runtime: str, seconds: float, tmp_path: Path) -> None:
    text = made.FIO.replace('"iodepth" : "16"', f'"runtime" : "{runtime}"')
    assert figures(text, tmp_path)["1 runtime"] == (seconds, "s")


def test_each_column_of_a_view_has_its_unit(tmp_path: Path) -> None:
    """Times of V$ views are hundredths of a second, but for those that name another part of it."""
    columns = {
        "NUM_ROWS": (1, "rows"), "BLOCKS": (1, "blocks"), "EMPTY_BLOCKS": (1, "blocks"), "PHYBLKRD": (1, "blocks"),
        "PHYBLKWRT": (1, "blocks"), "BYTES": (1, "bytes"), "INITIAL_EXTENT": (1, "bytes"), "NEXT_EXTENT": (1, "bytes"),
        "AVG_ROW_LEN": (1, "bytes"), "AVG_COL_LEN": (1, "bytes"), "PCT_FREE": (0.01, "fraction"),
        "PCT_USED": (0.01, "fraction"), "TIME_WAITED": (0.01, "s"), "AVERAGE_WAIT": (0.01, "s"),
        "MAX_WAIT": (0.01, "s"), "READTIM": (0.01, "s"), "WRITETIM": (0.01, "s"), "SINGLEBLKRDTIM": (0.01, "s"),
        "TIME_WAITED_FG": (0.01, "s"), "TIME_WAITED_MICRO": (1e-6, "s"), "WAIT_TIME_MILLI": (1e-3, "s"),
        "PHYRDS": (1, "count"), "CHAIN_CNT": (1, "count"), "MAX_IOPS": (1, "1/s"), "MAX_MBPS": (2**20, "bytes/s"),
        "LATENCY": (1e-3, "s"),
    }  # fmt: skip
    assert all(any(re.search(words, name) for name in columns) for words, _, _ in UNITS)
    found = figures(f"{','.join(columns)}\n{','.join('1' for _ in columns)}\n", tmp_path)
    assert found == {f"1 {name.lower()}": pytest.approx(unit) for name, unit in columns.items()}
