"""Each report that a scenario does not use is named, with the reason."""

from pathlib import Path

import pytest

from blocktime.app.reports.measuring import document_of, read_file
from blocktime.app.reports.written import written
from blocktime.scenarios import load, run
from blocktime.validation.instruments import Keep, Reading
from tests.answered import SMALL_OLTP
from tests.validation.instruments import made

OF_SYSTEM = {
    "fio": "a drive is described by fio's jobs alone",
    "tkprof": "--statement makes a scenario of one of its statements",
    "trace": "--statement makes a scenario of one of its statements",
    "plan": "it is plans of DBMS_XPLAN, of which a scenario takes no figure",
    "tables": "of which a scenario takes no figure",
    "init.ora": "of which a scenario takes no figure",
    "iostat new": "no limit of the disk shows in the report",
    "sar": "it is held against the hour and the processors of the report",
}


def reading(folder: Path, name: str, text: str) -> Reading:
    (folder / name).write_text(text, encoding="utf-8")
    [only] = read_file(folder / name, name, Keep())
    return only


@pytest.fixture(scope="module")
def awr() -> str:
    asked = load("oltp-nvme", [*SMALL_OLTP, "workload.users=32", "workload.think_s=20ms", "host.cpus=4"])
    return written(run(asked), "awr", asked)


def not_used(*readings: Reading, statement: str | None = None) -> list[str]:
    identified = document_of(readings, statement).identified
    assert identified is not None
    return [text.removeprefix("not used: ") for text in identified.says if text.startswith("not used: ")]


def test_a_system_names_the_kinds_that_it_takes_nothing_of(awr: str, tmp_path: Path) -> None:
    first = reading(tmp_path, "a.txt", awr)
    assert not not_used(first)
    others = [reading(tmp_path, f"{kind}.x", made.EVERY[kind]) for kind in OF_SYSTEM]
    told = not_used(first, *others)
    assert len(told) == len(others)
    for text, (kind, why) in zip(told, OF_SYSTEM.items(), strict=True):
        assert text.startswith(f"{kind}.x: ")
        assert why in text


def test_a_system_names_the_intervals_and_instances_that_it_does_not_use(awr: str, tmp_path: Path) -> None:
    first = reading(tmp_path, "a.txt", awr)
    again = reading(tmp_path, "again.txt", awr)
    other = reading(tmp_path, "other.txt", awr.replace("MODELLED               1 ", "MODELLED              77 "))
    assert not_used(first, again, other) == [
        "again.txt: it is of the same interval as a.txt",
        "other.txt: it is of another database or instance than a.txt",
    ]


def test_another_instance_does_not_tell_users_from_arrivals(awr: str, tmp_path: Path) -> None:
    asked = load("oltp-nvme", [*SMALL_OLTP, "workload.users=64", "workload.think_s=20ms", "host.cpus=4"])
    busier = written(run(asked), "awr", asked)
    first = reading(tmp_path, "a.txt", awr)
    same = document_of([first, reading(tmp_path, "b.txt", busier)]).identified
    other = document_of(
        [first, reading(tmp_path, "c.txt", busier.replace("MODELLED               1 ", "MODELLED              77 "))]
    ).identified
    assert same is not None
    assert other is not None
    assert any("b.txt" in text for text in same.says)
    assert [text for text in other.says if "a.txt" in text] == [  # the busier one is described
        "not used: a.txt: it is of another database or instance than c.txt"
    ]


def test_a_drive_and_a_statement_name_what_they_do_not_use(tmp_path: Path) -> None:
    options = '"job options" : { "rw" : "randread", "direct" : "1", '
    fio = reading(tmp_path, "fio.x", made.FIO.replace('"job options" : { ', options))
    iostat = reading(tmp_path, "iostat.x", made.IOSTAT_NEW)
    assert not_used(fio, iostat) == ["iostat.x: it is iostat -x, and a drive is described by fio's jobs alone"]
    trace = reading(tmp_path, "trace.x", made.TRACE)
    tkprof = reading(tmp_path, "tkprof.x", made.TKPROF.replace("0123456789abc", "abcabcabcabc1"))
    assert not_used(trace, tkprof, iostat, statement="0123456789abc") == [
        "tkprof.x: no statement of it has the SQL ID of statement 0123456789abc",
        "iostat.x: it is iostat -x, and a statement is described by SQL traces and TKPROF alone",
    ]
