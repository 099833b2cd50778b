"""Document 001, its dd, iostat and pwrite parts: what the printed numbers say of each other, and how the model does."""

from collections import Counter
from statistics import median

import pytest

from blocktime.model.errors import MeasurementError
from blocktime.model.paths import busiest, middle, steps_of
from blocktime.model.results import DeviceLine
from blocktime.model.spec import WriteStream
from blocktime.scenarios import load
from blocktime.validation import MeasuredNumber, Runs, load_case, numbers_of
from blocktime.validation.cases import parse_case
from blocktime.validation.compare import compare
from blocktime.validation.numbers import rows_of, value_of
from blocktime.validation.quantity import check_path

CASE = "magni_linux_io"
NUMBERS = list(numbers_of(load_case(CASE)))
SIX = ("wrqm/s", "w/s", "wkB/s", "avgrq-sz", "avgqu-sz", "await")


def table(name: str) -> list[dict[str, float]]:
    """Rows of a table, every cell that is a number or a time as a number."""
    (found,) = [one for one in load_case(CASE).table if one.name == name]
    plain = [{key: row[key] for key in found.columns} for row in rows_of(found)]
    return [{key: value_of(cell, name) for key, cell in row.items() if key not in ("run", "line")} for row in plain]


def line(run: str, number: int) -> dict[str, float]:
    """One printed line of iostat."""
    return {n.column: n.printed for n in NUMBERS if n.table == "iostat" and n.row == f"{run},{number}"}


def of(table_name: str, row: str = "") -> list[MeasuredNumber]:
    return [n for n in NUMBERS if n.table == table_name and n.row.startswith(row)]


# --- what is there ----------------------------------------------------------------------------------------------------


def test_every_number_is_marked() -> None:
    assert Counter(n.mark for n in NUMBERS) == {"tests": 106, "descriptive": 49, "fits": 12}


def test_ten_constants_at_most_are_fitted_to_all_of_it() -> None:
    constants = {constant for n in NUMBERS for constant in n.fits}
    assert len(constants) == 9
    assert sum(n.mark == "tests" for n in NUMBERS) > 8 * sum(n.mark == "fits" for n in NUMBERS)


@pytest.mark.parametrize(
    ("row", "columns", "tolerance"),
    [
        ("dd-raw-100,1", ("w/s", "wsec/s", "wkB/s", "avgrq-sz", "avgqu-sz", "await", "svctm", "%util"), 0.03),
        ("dd-raw-10000,1", ("w/s", "avgrq-sz", "await", "%util"), 0.03),
        ("dd-raw-10000,2", ("w/s", "avgrq-sz", "await", "%util"), 0.03),
        ("dd-raw-100,1", ("wrqm/s", "rrqm/s", "r/s", "rsec/s", "rkB/s"), 0.0),
        ("dd-fs-100,1", ("wrqm/s", "w/s", "wsec/s", "avgrq-sz"), 0.05),
        ("dd-fs-100,1", ("avgqu-sz", "await", "svctm", "%util"), 0.25),
        ("dd-fs-10000,1", SIX, 0.30),
        ("dd-fs-10000,2", ("wrqm/s", "wkB/s", "avgrq-sz", "avgqu-sz", "await"), 0.30),
        ("pwrite-8,1", ("w/s", "wsec/s", "avgrq-sz", "avgqu-sz", "svctm", "%util"), 0.20),
    ],
)
def test_tolerances_are_those_declared(row: str, columns: tuple[str, ...], tolerance: float) -> None:
    found = [n for n in of("iostat", row) if n.column in columns]
    assert len(found) == len(columns)
    assert {n.tolerance for n in found} == {tolerance}
    assert {n.mark for n in found} == {"tests"}


# --- what the printed numbers say of each other -----------------------------------------------------------------------


def test_without_its_doubts_only_the_queue_contradicts_itself() -> None:
    """w/s x svctm = %util, sectors / 2 = kB, avgrq-sz x w/s = wsec/s hold in every line."""
    case = load_case(CASE)
    document = case.model_dump(exclude={"name"}, exclude_none=True)
    import tomlkit

    bare = {**document, "doubt": []}
    with pytest.raises(MeasurementError, match=r"row dd-fs-10000,1, column avgqu-sz"):
        parse_case(tomlkit.dumps(bare), CASE)
    bare["check"] = [check for check in bare["check"] if "iostat.avgqu-sz" not in check["left"]]
    parse_case(tomlkit.dumps(bare), CASE)


def test_processor_lines_sum_to_the_whole() -> None:
    for row in table("avg-cpu"):
        assert sum(row.values()) == pytest.approx(100, abs=0.015)


def test_sums_of_user_and_sys_are_right() -> None:
    for times, sums in (("dd times", "dd CPU"), ("pwrite times", "pwrite CPU")):
        for parts, whole in zip(table(times), table(sums), strict=True):
            assert whole["cpu"] == pytest.approx(parts["user"] + parts["sys"])


def test_derived_ratios_are_right() -> None:
    raw, fs = (row["real"] for row in table("dd times"))
    assert table("ratio")[0]["ratio"] == pytest.approx(raw / fs, abs=5e-4)
    pwrite = [row["real"] for row in table("pwrite times")]
    assert table("time of 16 pages over 1")[0]["ratio"] == pytest.approx(pwrite[-1] / pwrite[0], abs=5e-4)


def test_the_two_long_lines_hold_the_whole_file() -> None:
    """160,000 sectors, 20,000 pages: counted when they are submitted."""
    first, second = line("dd-fs-10000", 1), line("dd-fs-10000", 2)
    assert first["wsec/s"] + second["wsec/s"] == 10_000 * 8192 / 512
    created = [one["wsec/s"] / 8 - one["wrqm/s"] for one in (first, second)]
    assert created == [383, 320]
    in_flight = [383 - first["w/s"], 383 + 320 - first["w/s"] - second["w/s"]]
    assert in_flight == [149, 141]
    assert min(in_flight) < second["avgqu-sz"] < max(in_flight)
    assert first["avgrq-sz"] > 248, "larger than any request: it is none"


def test_intervals_are_those_that_make_whole_requests() -> None:
    case = {n.row: dict(setting.split("=") for setting in n.pick[1]) for n in of("iostat")}
    for row, columns in {
        "dd-fs-100,1": ("wrqm/s", "w/s", "wsec/s"),
        "dd-raw-100,1": ("w/s", "wsec/s"),
        "pwrite-8,1": ("wrqm/s", "w/s", "wsec/s"),
    }.items():
        run, number = row.split(",")
        interval_s = float(case[row]["iostat.interval_s"])
        for column in columns:
            counted = line(run, int(number))[column] * interval_s
            assert counted == pytest.approx(round(counted), abs=0.01), (row, column)


def test_the_program_writes_once_more_than_its_total() -> None:
    for pages in (1, 2, 4, 8, 16):
        work = load(f"magni-pwrite-{pages}").workload
        assert isinstance(work, WriteStream)
        assert (work.count, work.block_size_bytes) == (101, 4096 * pages)


def test_one_machine_under_two_programs() -> None:
    dd, pwrite = (load(name).system.host for name in ("magni-dd-fs-10000", "magni-pwrite-1"))
    kernel = ["kernel", "scheduler", "filesystem", "nr_requests", "max_request_bytes", "cpus", "journal_commit_s"]
    assert [getattr(dd, field) for field in kernel] == [getattr(pwrite, field) for field in kernel]


# --- lines of a result ------------------------------------------------------------------------------------------------


def made(writes_per_s: float) -> DeviceLine:
    fields = dict.fromkeys(DeviceLine.model_fields, 0.0)
    return DeviceLine(
        **{**fields, "interval_s": 1.0, "writes_per_s": writes_per_s, "written_bytes_per_s": writes_per_s}
    )


def test_lines_are_picked_by_number_and_by_name() -> None:
    lines = [made(writes) for writes in (3, 9, 4, 1)]
    assert busiest(lines).writes_per_s == 9
    assert middle(lines).writes_per_s == 4
    assert steps_of("device.disk.lines[1].await_s") == ["device", "disk", "lines", 1, "await_s"]
    for path in ("device.disk.lines[1].await_s", "device.disk.lines[busiest].await_s", "streams[0].bytes"):
        check_path(path)
    for wrong in ("device.disk.lines[last].await_s", "streams[busiest].bytes", "device.disk.lines[0]"):
        with pytest.raises(ValueError, match=r"."):
            check_path(wrong)


# --- the model --------------------------------------------------------------------------------------------------------


def test_the_long_lines_hold_within_fifteen_percent_in_the_middle() -> None:
    runs = Runs()
    found = [compare(n, runs) for n in of("iostat", "dd-fs-10000") if n.column in SIX]
    assert len(found) == 12
    assert median(abs(one.relative_error or 0) for one in found) <= 0.15


@pytest.mark.parametrize(
    ("setting", "columns"),
    [
        ("host.kernel=2.6.18", {"avgrq-sz"}),
        ("host.nr_requests=32", {"avgqu-sz", "await"}),
        ("host.max_request_bytes=32K", {"w/s", "wrqm/s"}),
        ("disk.rotation_s=6ms", {"real", "await", "w/s"}),
        ("disk.write_bandwidth_bytes_per_s=77e6", {"w/s"}),
    ],
)
def test_a_wrong_machine_fails(setting: str, columns: set[str]) -> None:
    dd = [n for n in NUMBERS if n.mark != "descriptive" and n.pick[0].startswith("magni-dd")]
    wrong = Runs(settings=[setting])
    failed = {n.column for n in dd if compare(n, wrong).verdict == "fails"}
    assert columns <= failed
