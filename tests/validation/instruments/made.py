"""Small reports in the forms that instruments print, made for these tests."""
# ruff: noqa: E501  (instruments print wide lines)

import gzip
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from blocktime.validation.instruments import Figure, OpenedFile, Reading, read

IOSTAT_OLD: Final = """Linux 3.10.0-1 (a.host.example) \t11/22/2026 \t_x86_64_\t(8 CPU)

11/22/2026 11:20:39 AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           6.00    0.00    6.17    6.54    0.00   81.29

Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sda               0.00     0.07    0.41   20.44     0.01     0.17    18.02     0.42   20.33    3.95   20.66   1.65   3.43
dm-0              1.50     0.00  100.00    0.00     2.00     0.00    40.96     0.50    5.00    5.00    0.00   2.00  20.00

11/22/2026 11:20:44 AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.00    0.00    2.00    3.00    0.00   94.00

Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sda               0.00     0.00    1.00    2.00     0.01     0.02    20.00     0.10   10.00    4.00   13.00   1.00   0.30
dm-0              0.00     0.00  300.00    0.00     6.00     0.00    40.96     3.00   10.00   10.00    0.00   3.00  90.00
"""
IOSTAT_NEW: Final = """Linux 6.8.0 (a.host.example) 	2026-11-22 	_x86_64_	(4 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.49   39.91    1.67    0.94    0.00   56.00

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util
nvme0n1       6900.25    222.14     0.39   5.38   12.58    32.21    1.69     57.08     1.36  44.55    9.61    33.71    0.10   0.46
"""
FIO: Final = """note: something that a shell printed before
{
  "fio version" : "fio-3.28",
  "time" : "Sun Nov 22 13:00:00 2026",
  "jobs" : [
    {
      "jobname" : "a job",
      "job options" : { "bs" : "4k", "iodepth" : "16", "filename" : "/a/secret/file" },
      "read" : {
        "io_bytes" : 40960,
        "bw_bytes" : 20480,
        "iops" : 5.25,
        "runtime" : 2000,
        "total_ios" : 10,
        "lat_ns" : { "min" : 1000, "max" : 3000, "mean" : 2000.5, "percentile" : { "50.000000" : 1999 } }
      },
      "write" : { "total_ios" : 0, "iops" : 0.0 },
      "usr_cpu" : 1.5
    }
  ]
}
"""
TKPROF: Final = """
TKPROF: Release 19.0.0.0.0 - Development on Sun Nov 22 10:00:00 2026

Trace file: somewhere.trc
********************************************************************************

SQL ID: 0123456789abc Plan Hash: 1

select secret from a_table

call     count       cpu    elapsed       disk      query    current        rows
------- ------  -------- ---------- ---------- ---------- ----------  ----------
Parse        1      0.00       0.00          0          0          0           0
Execute      1      0.01       0.02          0          0          0           0
Fetch       11      1.25       3.51        900       1000          2        1000
------- ------  -------- ---------- ---------- ---------- ----------  ----------
total       13      1.26       3.53        900       1000          2        1000

Misses in library cache during parse: 1
Rows (1st) Rows (avg) Rows (max)  Row Source Operation
---------- ---------- ----------  ---------------------------------------------------
      1000       1000       1000  TABLE ACCESS FULL A_TABLE (cr=1000 pr=900 pw=0 time=3500123 us cost=274 size=26000 card=1000)

Elapsed times include waiting on following events:
  Event waited on                             Times   Max. Wait  Total Waited
  ----------------------------------------   Waited  ----------  ------------
  db file scattered read                         60        0.05          2.10
  SQL*Net message from client                    11        0.01          0.04
********************************************************************************
       1  session in tracefile.
      92  lines in trace file.
       4  elapsed seconds in trace file.
"""
TRACE: Final = """Trace file /a/place/x.trc
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
Node name:      a.host.example
*** 2026-11-22T10:00:00.000001+00:00 (PDB(3))
*** SESSION ID:(1.2) 2026-11-22T10:00:00.000001+00:00
=====================
PARSING IN CURSOR #7 len=20 dep=0 uid=1 oct=3 lid=1 tim=1000 hv=1 ad='1' sqlid='0123456789abc'
select secret from t
END OF STMT
PARSE #7:c=10,e=20,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=1,tim=1020
EXEC #7:c=0,e=5,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1030
WAIT #7: nam='db file scattered read' ela= 900 file#=1 block#=2 blocks=8 obj#=9 tim=2000
WAIT #7: nam='db file scattered read' ela= 300 file#=1 block#=10 blocks=8 obj#=9 tim=2400
FETCH #7:c=100,e=1500,p=16,cr=17,cu=0,mis=0,r=100,dep=0,og=1,plh=1,tim=2600
STAT #7 id=1 cnt=100 pid=0 pos=1 obj=9 op='TABLE ACCESS FULL T (cr=17 pr=16 pw=0 str=1 time=1490 us cost=5 size=1 card=100)'
WAIT #7: nam='SQL*Net message from client' ela= 186 driver id=1 #bytes=1 p3
XCTEND rlbk=0, rd_only=0, tim=2700
CLOSE #7:c=1,e=1,dep=0,type=0,tim=2710
"""
AWR: Final = """
WORKLOAD REPOSITORY report for

DB Name         DB Id    Unique Name DB Role          Edition Release    RAC CDB
------------ ----------- ----------- ---------------- ------- ---------- --- ---
SECRET        2005902057 secret      PRIMARY          EE      19.0.0.0.0 NO  NO

Host Name        Platform                         CPUs Cores Sockets Memory(GB)
---------------- -------------------------------- ---- ----- ------- ----------
a-secret-host    Linux x86 64-bit                    2     1       1      15.11

              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:      1124 15-Oct-26 23:24:11        95        .6
  End Snap:      1126 16-Oct-26 00:24:16        68        .6
   Elapsed:               60.08 (mins)
   DB Time:            1,801.13 (mins)

Load Profile                    Per Second   Per Transaction  Per Exec  Per Call
~~~~~~~~~~~~~~~            ---------------   --------------- --------- ---------
             DB Time(s):              30.0               0.2      0.04    122.11
      Redo size (bytes):      41,336,005.0         202,060.6
          Read IO (MB):               2.8               0.0
           Transactions:             204.6

Foreground Wait Events                DB/Inst: SECRET/secret  Snaps: 1124-1126
-> s  - second, ms - millisecond, us - microsecond, ns - nanosecond

                                                Total
                                       %Time     Wait              Waits   % DB
Event                            Waits -outs Time (s)  Avg wait     /txn   time
-------------------------- ----------- ----- -------- --------- -------- ------
log buffer space               205,987         74,389  361.13ms      0.3   68.8
db flash cache single bloc   1,428,511          1,124  787.10us      1.9    1.0
SQL*Net more data to clien      71,976              2       27us      0.3    0.1
                          ------------------------------------------------------

Buffer Pool Advisory                        DB/Inst: SECRET/secret  Snap: 1126

    Size for   Size      Buffers   Est Phys
P    Est (M) Factor (thousands)  Read Factor
--- -------- ------ ------------ -----------
D        768     .1           94         3.9
D      7,680    1.0          942         1.0
                          ------------------------------------------------------

End of Report
"""
AWR_HTML: Final = """<html lang="en"><head><title>AWR Report for DB: SECRET, Inst: secret</title></head><body class="awr">
<h1>WORKLOAD REPOSITORY report for</h1>
<table summary="This table displays database instance information">
<tr><th>DB Name</th><th>DB Id</th><th>Release</th><th>RAC</th></tr>
<tr><td>SECRET</td><td>1</td><td>19.0.0.0.0</td><td>NO</td></tr></table>
<table summary="This table displays load profile">
<tr><th></th><th>Per Second</th><th>Per Transaction</th></tr>
<tr><td>DB Time(s):</td><td> 30.0</td><td> 0.2</td></tr></table>
<table summary="This table displays Foreground Wait Events and their wait statistics">
<tr><th>Event</th><th>Waits</th><th>%Time -outs</th><th>Total Wait Time (s)</th><th>Avg wait</th></tr>
<tr><td>db file sequential read</td><td align="right">3,190,258</td><td>&#160;</td><td>4,795</td><td>1.50ms</td></tr></table>
<table summary="This table displays MTTR advisory">
<tr><th>P</th><th>Size for Est (M)</th><th>Size Factor</th><th>Buffers (thousands)</th></tr>
<tr><td>D</td><td>992</td><td>0.10</td><td>122</td></tr></table>
<table summary="This table displays the text of the SQL statements">
<tr><th>SQL Id</th><th>SQL Text</th></tr><tr><td>0123456789abc</td><td>select 42 from <script>alert(1)</script></td></tr></table>
End of Report
</body></html>
"""
SADF: Final = """{"sysstat": {"hosts": [{"nodename": "a.host.example", "sysname": "Linux", "release": "6.8.0", "number-of-cpus": 4,
 "statistics": [
  {"timestamp": {"date": "2026-11-22", "time": "13:20:19", "tz": "UTC", "interval": 31},
   "cpu-load": [{"cpu": "all", "usr": 2.15, "idle": 82.88}, {"cpu": "0", "usr": 2.71, "idle": 91.99}],
   "disk": [
    {"disk-device": "sda", "tps": 9.62, "rkB": 7.86, "wkB": 0.00, "areq-sz": 2.48, "aqu-sz": 0.01, "await": 13.00, "util-percent": 0.96}],
   "network": {"net-dev": [{"iface": "eth0", "rxpck": 1.5}]}}
 ]}]}}
"""
SAR: Final = """Linux 6.8.0 (a.host.example) 	11/22/2026 	_x86_64_	(4 CPU)

12:00:01 AM       DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util
12:10:01 AM       sda     10.50    100.00    200.00      0.00     28.57      0.05      4.50      3.20
12:20:01 AM       sda     20.50    300.00    100.00      0.00     19.51      0.10      5.50      6.40
Average:          sda     15.50    200.00    150.00      0.00     22.58      0.07      5.00      4.80
"""
PLAN: Final = """SQL_ID  0123456789abc, child number 0
-------------------------------------
select secret from t

Plan hash value: 1

----------------------------------------------------------------------------------------------
| Id  | Operation         | Name   | Starts | E-Rows | A-Rows |   A-Time   | Buffers | Reads  |
----------------------------------------------------------------------------------------------
|   0 | SELECT STATEMENT  |        |      1 |        |   1000 |00:00:03.51 |    1000 |    900 |
|*  1 |  TABLE ACCESS FULL| SECRET |      1 |   1000 |   100K |00:01:03.50 |    1000 |    900 |
----------------------------------------------------------------------------------------------

Predicate Information (identified by operation id):
"""
TABLES: Final = """
"OWNER","TABLE_NAME","NUM_ROWS","BLOCKS","AVG_ROW_LEN","PCT_FREE","LAST_ANALYZED"
"SECRET","SECRET_ORDERS",7197670,113322,110,10,"22-NOV-26"
"SECRET","SECRET_LINES",1000,8,20,0,"22-NOV-26"

2 rows selected.
"""
AUX_STATS: Final = """
SNAME                          PNAME                               PVAL1 PVAL2
------------------------------ ------------------------------ ---------- --------------------
SYSSTATS_INFO                  STATUS                                    COMPLETED
SYSSTATS_MAIN                  CPUSPEEDNW                     3074.07407
SYSSTATS_MAIN                  MBRC
"""
PARAMETERS: Final = """
NAME                                 TYPE        VALUE
------------------------------------ ----------- ------------------------------
db_cache_size                        big integer 4G
db_file_multiblock_read_count        integer     128
filesystemio_options                 string      setall
local_listener                       string      secret-host:1521
"""
INIT_ORA: Final = """*.db_cache_size=4294967296
*.filesystemio_options='SETALL'
*.db_block_size=8192
secret1.instance_number=1
"""
STATSPACK_OLD: Final = """STATSPACK report for

DB Name         DB Id    Instance     Inst Num Release     Cluster Host
------------ ----------- ------------ -------- ----------- ------- ------------
SECRET        1234567890 secret              1 9.2.0.8.0   NO      secrethost

              Snap Id     Snap Time      Sessions Curs/Sess Comment
            --------- ------------------ -------- --------- -------------------
Begin Snap:        11 15-10월 -26 10:00:03      42       3.1
  End Snap:        12 15-10월 -26 11:00:05      44       3.2
   Elapsed:               60.03 (mins)

Cache Sizes (end)
~~~~~~~~~~~~~~~~~
               Buffer Cache:     1,024M      Std Block Size:          8K
           Shared Pool Size:       512M          Log Buffer:      1,024K

Load Profile
~~~~~~~~~~~~                            Per Second       Per Transaction
                                   ---------------       ---------------
                  Redo size:             12,345.67              2,345.60
              Logical reads:             34,567.89              6,789.01
               Transactions:                  5.26

Top 5 Timed Events
~~~~~~~~~~~~~~~~~~                                                     % Total
Event                                               Waits    Time (s) Ela Time
-------------------------------------------- ------------ ----------- --------
db file sequential read                           567,890       4,321    61.50
CPU time                                                        2,010    28.61
          -------------------------------------------------------------

Wait Events for DB: SECRET  Instance: secret  Snaps: 11 -12
-> s  - second

                                                                   Avg
                                                     Total Wait   wait    Waits
Event                               Waits   Timeouts   Time (s)   (ms)     /txn
---------------------------- ------------ ---------- ---------- ------ --------
db file sequential read           567,890          0      4,321      8     29.9
          -------------------------------------------------------------

End of Report
"""
SEGMENTS: Final = """
Segments by Logical Reads                DB/Inst: SECRET/secret  Snaps: 1-2
-> Total Logical Reads:       5,000,000

                     Tablespace
Owner                   Name
-------------------- ----------
                     Subobject  Obj.                             Logical
Object Name            Name     Type        Obj#   Dataobj#        Reads  %Total
-------------------- ---------- ----- ---------- ---------- ------------ -------
SECRETUSER1          SECRETTS
SECRETTABLE                     TABLE      73481      73483      119,216    2.23
SECRETUSER2          SECRETTS
SECRETTABLE                     TABLE      73484      73484      118,992    2.22
                          ------------------------------------------------------
"""
EVERY: Final = {
    "statspack old": STATSPACK_OLD,
    "awr segments": AWR.replace("\nEnd of Report", SEGMENTS + "\nEnd of Report"),
    "iostat old": IOSTAT_OLD, "iostat new": IOSTAT_NEW, "fio": FIO, "tkprof": TKPROF, "trace": TRACE, "awr": AWR,
    "awr html": AWR_HTML, "sadf": SADF, "sar": SAR, "plan": PLAN, "tables": TABLES, "aux stats": AUX_STATS, "parameters": PARAMETERS, "init.ora": INIT_ORA,
}  # fmt: skip


def report_of(*said: tuple[str, str, float], line: int = 1, **fields: Any) -> Reading:
    """A report with these figures of something, in seconds where that matters."""
    figures = [Figure(name, of, value, "s", value, value, line) for of, name, value in said]
    return Reading("awr", "", fields.pop("file", "report.txt"), "", figures, **fields)


def waited(event: str, waits: float, seconds: float, who: str = "foreground") -> list[tuple[str, str, float]]:
    """Figures of the waits for an event."""
    of = f"Wait Events: {who}: {event}"
    return [(of, "Waits", waits), (of, "Total Wait Time (s)", seconds)]


def read_text(folder: Path, text: str, name: str = "a.file") -> list[Reading]:
    """What is read of *text* as a file."""
    return read_bytes(folder, text.encode(), name)


def read_bytes(folder: Path, data: bytes, name: str = "a.file") -> list[Reading]:
    """What is read of *data* as a file."""
    path = folder / name
    path.write_bytes(data)
    return read(OpenedFile(path))


def packed(text: str) -> bytes:
    """*text* as gzip makes it."""
    return gzip.compress(text.encode(), mtime=0)


FOLDER: Final = Path(__file__).parent / "figures"


def frozen(name: str) -> list[str]:
    """What was read of the report of that name, on file."""
    return (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()


def lines_of(readings: Sequence[Reading]) -> list[str]:
    """All that was read, in a line each."""
    lines: list[str] = []
    for one in readings:
        lines.append(f"{one.format}: {one.title}; {one.begins} to {one.ends}, {one.interval_s} s; {one.host}")
        lines += [f"{what}: {text}" for what in ("follows", "missing", "doubts") for text in getattr(one, what)]
        lines += [f"unread: {left.lines} of {left.what}" for left in one.unread]
        lines += [f"{setting.name} = {setting.value}, line {setting.line}" for setting in one.settings]
        for figure in (*one.figures, *(figure for series in one.series for figure in series.figures())):
            ends = f"{figure.value!r} {figure.unit}, {figure.low!r} to {figure.high!r}"
            lines.append(f"{figure.of} | {figure.name}: {ends}, line {figure.line}, {figure.printed}".strip())
    return lines


def write(names: Sequence[str]) -> None:
    """Freeze what is read of some of the reports."""
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        for name in names:
            text = "\n".join(lines_of(read_text(Path(folder), EVERY[name])))
            (FOLDER / f"{name}.txt").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or list(EVERY))
