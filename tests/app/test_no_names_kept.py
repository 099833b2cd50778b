"""No name of a host, user, object or file and no SQL of a report is in anything that is made of it, unless asked."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from blocktime.app.answer import uncertainty_view
from blocktime.app.command.cli import main
from blocktime.app.controls.page_question import PageQuestion
from blocktime.app.my_system import my_system
from blocktime.app.session.downloads import PageAnswer, report
from blocktime.scenarios import load, run
from tests.app.test_page_my_system import given, toml, words
from tests.command_line import CommandLine
from tests.validation.instruments import made

pytestmark = pytest.mark.usefixtures("simulated_at_once", "small_sample")
PLANTED = "7q7wk"
"""In every planted name, and in nothing else."""
HEADER = """
DB Name         DB Id    Unique Name DB Role          Edition Release    RAC CDB
------------ ----------- ----------- ---------------- ------- ---------- --- ---
ZZDB7Q7WK      2005902057 zzuniq7q7wk PRIMARY          EE      19.0.0.0.0 NO  NO

Instance     Inst Num Startup Time
------------ -------- ---------------
zz7q7wk             1 15-Oct-26 17:05

Container DB Id  Container Name       Open Time
--------------- --------------- ---------------
     2005902057 ZZCDB7Q7WK      15-Oct-26 17:05

Host Name        Platform                         CPUs Cores Sockets Memory(GB)
---------------- -------------------------------- ---- ----- ------- ----------
zzhost7q7wk.ex   Linux x86 64-bit                    8     8       1      64.00
"""
SECTIONS = """
Top ADDM Findings by Average Active Sessions        DB/Inst: ZZDB7Q7WK/zz7q7wk
                                Avg active sessions
Finding Name                    of the task
------------------------------- -------------------
Top SQL of zzuser7q7wk                           1.20

SQL ordered by Reads                DB/Inst: ZZDB7Q7WK/zz7q7wk  Snaps: 1124-1126
-> Total Disk Reads:         100,000

   Physical              Reads              Elapsed
      Reads  Executions per Exec   %Total   Time (s)  %CPU   %IO    SQL Id
----------- ----------- ---------- ------ ---------- ------ ------ -------------
     54,321         100      543.2   54.3       32.1    5.0   90.0 0123456789abc
Module: zzmodule7q7wk@zzhost7q7wk.example (TNS V1-V3)
select /* zzhint7q7wk */ zzcolumn7q7wk from zzuser7q7wk.zztable7q7wk where name = 'zzvalue7q7wk'

                          ------------------------------------------------------

Tablespace IO Stats                 DB/Inst: ZZDB7Q7WK/zz7q7wk  Snaps: 1124-1126

Tablespace
          Av       Av     Av      1-bk  Av 1-bk          Writes   Buffer  Av Buf
  Reads   Rds/s  Rd(ms) Blks/Rd   Rds/s  Rd(ms)  Writes   avg/s    Waits  Wt(ms)
------- ------- ------- ------- ------- ------- ------- ------- -------- -------
ZZTS7Q7WK
 54,321      15     5.2     1.0      15     5.2   1,234       0        7     3.1
                          ------------------------------------------------------

File IO Stats                       DB/Inst: ZZDB7Q7WK/zz7q7wk  Snaps: 1124-1126

Tablespace               Filename
------------------------ ----------------------------------------------------
          Av       Av     Av      1-bk  Av 1-bk          Writes   Buffer  Av Buf
  Reads   Rds/s  Rd(ms) Blks/Rd   Rds/s  Rd(ms)  Writes   avg/s    Waits  Wt(ms)
------- ------- ------- ------- ------- ------- ------- ------- -------- -------
ZZTS7Q7WK                  /zzdir7q7wk/ZZDB7Q7WK/zzfile7q7wk.dbf
 54,321      15     5.2     1.0      15     5.2   1,234       0        7     3.1
                          ------------------------------------------------------
{segments}
Service Statistics                  DB/Inst: ZZDB7Q7WK/zz7q7wk  Snaps: 1124-1126

                                                           Physical      Logical
Service Name                  DB Time (s)   DB CPU (s)    Reads (K)    Reads (K)
---------------------------- ------------ ------------ ------------ ------------
zzservice7q7wk                    1,717.3        717.3           54        5,432
                          ------------------------------------------------------

init.ora Parameters                 DB/Inst: ZZDB7Q7WK/zz7q7wk  Snaps: 1124-1126

                                                                End value
Parameter Name                Begin value                       (if different)
----------------------------- --------------------------------- --------------
audit_file_dest               /zzdir7q7wk/admin/adump
control_files                 /zzdir7q7wk/ZZDB7Q7WK/control01.ctl
db_block_size                 8192
db_domain                     zzdomain7q7wk.example
db_name                       ZZDB7Q7WK
local_listener                zzhost7q7wk:1521
                          ------------------------------------------------------

Complete List of SQL Text
SQL Id        SQL Text
------------- ----------------------------------------------------------------
0123456789abc select /* zzhint7q7wk */ zzcolumn7q7wk from zzuser7q7wk.zztable7q7wk whe
              re name = 'zzvalue7q7wk'
                          ------------------------------------------------------
"""


def planted_report() -> str:
    """An AWR report of a modelled system with sections full of names."""
    text = re.sub(r"\nDB Name .*?(?=\n +Snap Id)", lambda _: HEADER, my_system.sample(), count=1, flags=re.DOTALL)
    segments = made.SEGMENTS.replace("SECRET", "ZZ7Q7WK").replace("secret", "zz7q7wk")
    text = text.replace("End of Report", SECTIONS.replace("{segments}", segments) + "\nEnd of Report")
    assert text.count("zz7q7wk") > 5
    return text


def planted_trace() -> str:
    """A SQL trace with names in its header, its statement and its plan."""
    return (
        made.TRACE.replace("/a/place/x.trc", "/zzdir7q7wk/x.trc")
        .replace("a.host.example", "zzhost7q7wk.example")
        .replace("select secret from t", "select zzcolumn7q7wk from t")
        .replace("FULL T ", "FULL ZZTABLE7Q7WK ")
    )


OTHERS = {
    "io": made.IOSTAT_OLD.replace("a.host.example", "zzhost7q7wk"),
    "sar": made.SAR.replace("a.host.example", "zzhost7q7wk"),
    "sadf": made.SADF.replace("a.host.example", "zzhost7q7wk"),
    "fio": made.FIO.replace("/a/secret/file", "/zzdir7q7wk/file"),
    "tkprof": made.TKPROF.replace("secret", "zzcolumn7q7wk")
    .replace("A_TABLE", "ZZTABLE7Q7WK")
    .replace("somewhere", "zzfile7q7wk"),
    "plan": made.PLAN.replace("SECRET", "ZZ7Q7WK").replace("secret", "zz7q7wk"),
    "parameters": made.PARAMETERS.replace("secret-host", "zzhost7q7wk"),
    "tables": made.TABLES.replace("SECRET", "ZZ7Q7WK"),
}


def outputs(
    folder: Path, capsys: pytest.CaptureFixture[str], content: str, statement: Sequence[str], few: Sequence[str]
) -> Iterator[str]:
    """All that the commands print and write of a report with that *content*; *few* settings keep its runs short."""
    file, out, page = folder / "given.txt", folder / "my.toml", folder / "page.html"
    file.write_text(content, encoding="utf-8")
    for form in ([], ["--figures"], ["--json"], ["--quiet"], ["--out", str(out), *statement]):
        assert main(["measure", str(file), *form]) == 0
        yield "".join(capsys.readouterr())
    yield out.read_text(encoding="utf-8")
    changed = f"{out},disk.overhead_s=1ms"
    for command in (["run", str(out)], ["compare", str(out), changed]):
        for form in ([], ["--json"], ["--quiet", "--html", str(page)]):
            assert main([*command, *few, *form]) == 0
            yield "".join(capsys.readouterr())
        yield page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "statement", "few"),
    [
        (planted_report, (), ("--set", "workload.transactions=100")),
        (planted_trace, ("--statement", "0123456789abc"), ()),
    ],
    ids=["awr", "trace"],
)
def test_no_command_keeps_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: Callable[[], str], statement: tuple[str, ...],
    few: tuple[str, ...],
) -> None:  # fmt: skip
    for text in outputs(tmp_path, capsys, content(), statement, few):
        assert text
        assert PLANTED not in text.lower()


@pytest.mark.parametrize("name", OTHERS)
def test_measure_keeps_no_name_of_any_instrument(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert PLANTED in OTHERS[name].lower()
    file = tmp_path / "given.txt"
    file.write_text(OTHERS[name], encoding="utf-8")
    for form in ([], ["--figures"], ["--json"], ["--out", str(tmp_path / "my.toml")]):
        main(["measure", str(file), *form])
        assert PLANTED not in "".join(capsys.readouterr()).lower()
    if (tmp_path / "my.toml").exists():
        assert PLANTED not in (tmp_path / "my.toml").read_text(encoding="utf-8").lower()


def test_names_are_there_for_who_asks(tmp_path: Path, blocktime: CommandLine) -> None:
    file = tmp_path / "given.txt"
    for content, names in (
        (planted_report(), ("zzhost7q7wk", "zz7q7wktable", "zz7q7wkuser1")),
        (planted_trace(), ("zzhost7q7wk", "zzcolumn7q7wk")),
    ):
        file.write_text(content, encoding="utf-8")
        printed = blocktime.prints("measure", str(file), "--json", "--keep-names", "--keep-sql").lower()
        assert [name for name in names if name not in printed] == []


def test_the_page_and_what_it_gives_keep_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncertainty_view, "difference_of", lambda *_: None)  # runs that say how sure a change is
    app = given(("given.txt", planted_report().encode()))
    app.session_state["my_system.lines.0"] = True
    app.session_state[my_system.FIELDS] = True
    app.run()
    app.text_input("disk.overhead_s").set_value("1ms").run()
    assert not app.exception
    shown = [words(app), toml(app), *(one.value for one in app.code), *(str(one.value) for one in app.table)]
    for text in shown:
        assert PLANTED not in text.lower()


def test_the_report_of_the_page_keeps_no_name(tmp_path: Path) -> None:
    app = given(("given.txt", planted_report().encode()))
    path = tmp_path / "my.toml"
    path.write_text(toml(app), encoding="utf-8")
    base, other = load(path), load(path, ["disk.overhead_s=1ms"])
    before, after = run(base), run(other)
    assert (
        PLANTED
        not in report(
            PageAnswer(PageQuestion("my", change={"disk.overhead_s": "1ms"}), base, other, before, after)
        ).lower()
    )
