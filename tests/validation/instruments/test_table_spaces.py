"""Table spaces and files of AWR and Statspack: every number by its heading, no name, and what lies apart."""

from pathlib import Path

import pytest

from blocktime.validation.instruments import Keep, OpenedFile, read
from blocktime.validation.instruments.table_spaces import places_of
from tests.validation.instruments.made import AWR, read_text

SPACES = """
Tablespace IO Stats                       DB/Inst: SECRET/secret  Snaps: 1-2
-> ordered by IOs (Reads + Writes) desc

Tablespace
------------------------------
          Av       Av     Av      1-bk  Av 1-bk          Writes   Buffer  Av Buf
  Reads   Rds/s  Rd(ms) Blks/Rd   Rds/s  Rd(ms)  Writes   avg/s    Waits  Wt(ms)
------- ------- ------- ------- ------- ------- ------- ------- -------- -------
SECRET_DATA
  9,000   2,500     1.3     1.0   2,490     1.3   1,200     333       12     0.5
A_SECRET_TABLESPACE_OF_30_LETTERS
  1,000     278     0.4     7.5     200     0.3       0       0        0     0.0
          ------------------------------------------------------
File IO Stats                             DB/Inst: SECRET/secret  Snaps: 1-2
-> ordered by Tablespace, File

Tablespace               Filename
------------------------ ----------------------------------------------------
          Av       Av     Av      1-bk  Av 1-bk          Writes   Buffer  Av Buf
  Reads   Rds/s  Rd(ms) Blks/Rd   Rds/s  Rd(ms)  Writes   avg/s    Waits  Wt(ms)
------- ------- ------- ------- ------- ------- ------- ------- -------- -------
SECRET_DATA              /secret1/oradata/a01.dbf
  5,000   1,389     1.3     1.0   1,380     1.3   1,200     333       12     0.5

                         /secret2/oradata/a02.dbf
  4,000   1,111     1.3     1.0   1,110     1.3       0       0        0

A_SECRET_TABLESPACE_OF_30_LETTERS
                         /secret2/oradata/b01.dbf
  1,000     278     0.4     7.5     200     0.3       0       0        0

          ------------------------------------------------------
"""
REPORT = AWR.replace("\nEnd of Report", SPACES + "\nEnd of Report")
PAGE = """<html><h1>WORKLOAD REPOSITORY report for</h1><table summary="a"><tr><th>DB Name</th><th>Release</th></tr>
<tr><td>X</td><td>11.2.0.4.0</td></tr></table>
<table summary="This table displays IO Statistics for different tablespaces"><tr><th>Tablespace</th><th>Reads</th>
<th>Av Rds/s</th><th>Av Rd(ms)</th><th>Av Blks/Rd</th><th>1-bk Rds/s</th><th>Av 1-bk Rd(ms)</th><th>Writes</th>
<th>Writes avg/s</th></tr>
<tr><td>SECRET</td>
<td>100</td><td>1</td><td>0.5</td><td>1.0</td><td>7,149</td><td>0.9</td><td>0</td><td>71</td></tr></table>
End of Report</html>"""


def test_each_number_stands_under_its_heading_and_names_are_numbered(tmp_path: Path) -> None:
    reading = read_text(tmp_path, REPORT)[0]
    found = {(one.of, one.name): one for one in reading.figures if " IO: " in one.of}
    first, second = "Tablespace IO: table space 1", "Tablespace IO: table space 2"
    assert [found[first, name].value for name in ("Reads", "Av Rds/s", "Writes", "Buffer Waits")] == [
        9000,
        2500,
        1200,
        12,
    ]
    assert found[second, "Av Rd(ms)"].value == pytest.approx(0.4e-3)
    assert found[first, "Av Rds/s"].unit == "1/s"
    assert REPORT.splitlines()[found[second, "Reads"].line - 1].split()[0] == "1,000"
    files = [of for of, name in found if name == "Reads" and of.startswith("File")]
    assert files == [
        "File IO: table space 1, file 1, folder 1",
        "File IO: table space 1, file 2, folder 2",
        "File IO: table space 2, file 3, folder 2",
    ]
    assert sum(found[of, "Reads"].value for of in files) == 10_000
    assert "ecret" not in "".join(f"{one.of} {one.name}" for one in reading.figures).lower()
    assert not reading.names


def test_names_are_kept_where_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(REPORT)
    names = {one.of: one.text for one in read(OpenedFile(path, keep=Keep(names=True)))[0].names}
    assert names["table space 1"] == "SECRET_DATA"
    assert names["folder 2"] == "/secret2"


@pytest.mark.parametrize("cells", ["<td>7,149</td><td>0.9</td><td>0</td>", "<td>0.9</td><td>0</td><td>7,149</td>"])
def test_writes_that_stand_under_single_block_reads_are_writes(tmp_path: Path, cells: str) -> None:
    reading = read_text(tmp_path, PAGE.replace("<td>7,149</td><td>0.9</td><td>0</td>", cells), "a.html")[0]
    found = {one.name: one.value for one in reading.figures if one.of == "Tablespace IO: table space 1"}
    assert (found["Writes"], found["1-bk Rds/s"]) == (7149.0, 0.9)


@pytest.mark.parametrize(
    ("files", "places"),
    [
        (["/u01/a/x.dbf", "/u02/a/y.dbf"], ["folder /u01", "folder /u02"]),
        (["/o/d/sapdata1/p_1/p.data1", "/o/d/sapdata2/q"], ["folder /o/d/sapdata1", "folder /o/d/sapdata2"]),
        (["/o/d/x.dbf", "/o/d/y.dbf"], ["folder /o/d", "folder /o/d"]),
        ([r"K:\A\1", r"k:\B\2", r"L:\A\1"], ["drive K", "drive K", "drive L"]),
        (["+DATA/db/x.1", "+reco/db/y.2"], ["disk_group DATA", "disk_group RECO"]),
        (["MISSING00004", ""], ["", ""]),
    ],
)
def test_what_lies_apart_follows_from_drive_disk_group_or_folder(files: list[str], places: list[str]) -> None:
    assert places_of(files) == places
