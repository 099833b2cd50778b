"""The command `measure`: what it prints, as text and as JSON, and how it ends."""

import io
import json
import os
import threading
import tomllib
from pathlib import Path

import pytest

from blocktime.app.command import measure_cli
from blocktime.app.command.cli import main
from blocktime.scenarios import from_mapping, load, run
from tests.command_line import CommandLine
from tests.validation.instruments import made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("iostat old", "tkprof", "fio"):
        (tmp_path / f"{name}.whatever").write_text(made.EVERY[name], encoding="utf-8")
    return tmp_path


def test_a_folder_stands_for_its_files(folder: Path, blocktime: CommandLine) -> None:
    lines = blocktime.prints("measure", str(folder), "--quiet").splitlines()
    assert [line.partition(":")[0] for line in lines] == ["fio.whatever", "iostat old.whatever", "tkprof.whatever"]


def test_text_names_sections_lines_and_what_was_left_alone(folder: Path, blocktime: CommandLine) -> None:
    out = blocktime.prints("measure", str(folder / "iostat old.whatever"))
    assert "Linux 3.10.0-1, 8 CPUs" in out
    assert "lines 7 to 17" in out
    assert "a.host.example" not in out
    row = next(line for line in out.splitlines() if line.startswith("dm-0"))
    assert row.split() == ["dm-0", "300.00", "0.00", "6.00", "0.00", "10.00", "0.00", "10.00", "3.00", "90.00"]
    assert "means over all samples but the first" in out


def test_wide_numbers_stand_apart(tmp_path: Path, blocktime: CommandLine) -> None:
    path = tmp_path / "iostat.txt"
    path.write_text(made.IOSTAT_NEW.replace("    222.14", " 1305454.67"))
    row = next(line for line in blocktime.prints("measure", str(path)).splitlines() if line.startswith("nvme0n1"))
    assert row.split()[:4] == ["nvme0n1", "6,900.25", "1.69", "1,305,454.67"]


def test_json_holds_every_figure(folder: Path, blocktime: CommandLine) -> None:
    data = json.loads(blocktime.prints("measure", str(folder), "--json"))
    assert data["refused"] == []
    fio, iostat, tkprof = data["readings"]
    assert all(reading["digest"].startswith("sha256:") for reading in (fio, iostat, tkprof))
    [disk] = [series for series in iostat["series"] if series["of"] == "dm-0"]
    assert next(column["values"] for column in disk["columns"] if column["name"] == "r/s") == [100, 300]
    assert {"name", "of", "value", "unit", "low", "high", "line", "printed"} == set(tkprof["figures"][0])


def test_one_device_alone(folder: Path, blocktime: CommandLine) -> None:
    file = str(folder / "iostat old.whatever")
    [reading] = json.loads(blocktime.prints("measure", file, "--device", "sda", "--json"))["readings"]
    assert [series["of"] for series in reading["series"]] == ["sda"]
    assert "sda" in blocktime.refuses("measure", file, "--device", "sbd")


def test_figures_are_written_as_toml_and_nothing_is_replaced(folder: Path, blocktime: CommandLine) -> None:
    out = folder / "my.toml"
    assert main(["measure", str(folder), "--quiet", "--out", str(out)]) == 0
    measured = tomllib.loads(out.read_text(encoding="utf-8"))["measured"]
    assert [file["format"] for file in measured["file"]] == ["fio", "iostat", "tkprof"]
    fetch = next(one for one in measured["figure"] if one["name"] == "Fetch elapsed")
    assert (fetch["value"], fetch["unit"], fetch["line"], fetch["file"]) == (3.51, "s", 15, 2)
    reads = next(one for one in measured["series"] if (one["of"], one["name"]) == ("dm-0", "r/s"))
    assert (reads["mean"], reads["lowest"], reads["highest"], reads["first_line"]) == (300, 300, 300, 17)
    assert "is there already; --force replaces a file" in blocktime.refuses(
        "measure", str(folder / "fio.whatever"), "--quiet", "--out", str(out)
    )
    assert main(["measure", str(folder / "fio.whatever"), "--quiet", "--out", str(out), "--force"]) == 0
    assert len(tomllib.loads(out.read_text(encoding="utf-8"))["measured"]["file"]) == 1


def test_a_scenario_may_hold_what_was_measured(folder: Path) -> None:
    out = folder / "my.toml"
    assert main(["measure", str(folder / "fio.whatever"), "--quiet", "--out", str(out)]) == 0
    out.write_text(out.read_text(encoding="utf-8") + '[workload]\nkind = "full_scan"\n[table]\nrows = 1000\n', "utf-8")
    assert (
        run(load(out)).time.elapsed_s
        == run(from_mapping({"workload": {"kind": "full_scan"}, "table": {"rows": 1000}})).time.elapsed_s
    )


def test_what_is_refused_loses_nothing_of_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "letter").write_text("Dear reader", encoding="utf-8")
    assert main(["measure", str(folder), "--quiet"]) == 2
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 3
    assert captured.err.startswith("blocktime: letter: this is none of the reports")


def test_a_folder_of_very_many_files_is_refused_at_once(
    folder: Path, blocktime: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_cli, "MOST_FILES", 2)
    monkeypatch.setattr(measure_cli, "read_file", None)
    assert "has more than 2 files; at most 2 are read: name a folder" in blocktime.refuses("measure", str(folder))


def test_a_scenario_is_no_report_and_is_told_how_to_open(tmp_path: Path, blocktime: CommandLine) -> None:
    (tmp_path / "mine.toml").write_text('base = "tpc-b"\n[workload]\nusers = 5\n', encoding="utf-8")
    refused = blocktime.refuses("measure", str(tmp_path / "mine.toml"))
    assert "this is a scenario, not a report: open it with `blocktime run mine.toml`" in refused


def test_a_queue_that_sadf_prints_under_two_names_is_shown_once(tmp_path: Path, blocktime: CommandLine) -> None:
    (tmp_path / "sadf.json").write_text(made.SADF.replace('"aqu-sz"', '"avgqu-sz": 0.5, "aqu-sz"'), encoding="utf-8")
    out = blocktime.prints("measure", str(tmp_path / "sadf.json"))
    assert "aqu-sz" in out
    assert "avgqu-sz" not in out


def test_a_file_that_is_not_there(blocktime: CommandLine) -> None:
    assert blocktime.refuses("measure", "nowhere.txt") == "blocktime: measure: there is no file nowhere.txt\n"


def test_an_empty_name_is_not_the_folder_one_is_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert main(["measure", "", "--quiet"]) == 2
    assert main(["run", ""]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("is empty; name") == 2


def test_links_in_a_circle_and_other_places_that_are_no_file(folder: Path, blocktime: CommandLine) -> None:
    (folder / "circle").symlink_to(folder / "circle")
    file = str(folder / "fio.whatever")
    assert "is a circular symbolic link" in blocktime.refuses("measure", file, "--out", str(folder / "circle"))
    assert "/dev/full is not a file that could be replaced" in blocktime.refuses(
        "measure", file, "--force", "--out", "/dev/full"
    )


def test_a_pipe_of_a_shell_is_read_as_a_file(
    folder: Path, capsys: pytest.CaptureFixture[str], blocktime: CommandLine
) -> None:
    data = (folder / "fio.whatever").read_bytes()
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    assert main(["measure", str(pipe), "--quiet"]) == 0
    writer.join()
    assert capsys.readouterr().out.startswith("pipe: fio")
    assert blocktime.refuses("measure", "/dev/null") == (
        "blocktime: measure: /dev/null is not a file; name a file, a folder, a pipe or -\n"
    )


def test_a_job_without_a_depth_has_none(folder: Path, blocktime: CommandLine) -> None:
    (folder / "none.json").write_text(made.FIO.replace('"iodepth" : "16", ', ""), "utf-8")
    assert "depth -: " in blocktime.prints("measure", str(folder / "none.json"), "--quiet")


def test_standard_input_that_is_closed(blocktime: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert "standard input is closed" in blocktime.refuses("measure", "-")


def test_a_file_that_may_not_be_opened_is_refused_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def refuse(path: Path, *how: object, **more: object) -> object:
        if path.name == "fio.whatever":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *how, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "open", refuse)
    assert main(["measure", str(folder), "--quiet"]) == 2
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 2
    assert captured.err == "blocktime: fio.whatever: cannot be read: Permission denied\n"


def test_names_and_sql_are_printed_and_written_only_when_asked_for(folder: Path, blocktime: CommandLine) -> None:
    file, out = str(folder / "tkprof.whatever"), folder / "my.toml"
    assert "select secret" not in blocktime.prints("measure", file, "--out", str(out)) + out.read_text(encoding="utf-8")
    printed = " ".join(
        blocktime.prints("measure", file, "--keep-sql", "--keep-names", "--out", str(out), "--force").split()
    )
    assert "statement 1 (0123456789abc), SQL text, line 9: select secret from a_table" in printed
    assert "TABLE ACCESS FULL A_TABLE" in printed
    names = tomllib.loads(out.read_text(encoding="utf-8"))["measured"]["name"]
    assert {name["what"] for name in names} == {"SQL text", "row source"}
    [reading] = json.loads(blocktime.prints("measure", file, "--keep-sql", "--json"))["readings"]
    assert [name["text"] for name in reading["names"]] == ["select secret from a_table"]


def test_standard_input_is_copied_up_to_a_limit(blocktime: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blocktime.app.command.measure_cli.MOST_INPUT_BYTES", 1000)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x" * 2000)))
    assert "standard input has more than" in blocktime.refuses("measure", "-")


def test_a_series_of_depths_ends_in_one_table(tmp_path: Path, blocktime: CommandLine) -> None:
    for depth in (16, 1, 4):
        text = made.FIO.replace('"iodepth" : "16"', f'"iodepth" : "{depth}"').replace("5.25", f"{depth * 100}.5")
        (tmp_path / f"depth-{depth}.json").write_text(text, encoding="utf-8")
    lines = blocktime.prints("measure", str(tmp_path)).splitlines()
    begin = lines.index("fio: 3 jobs by direction, block size and depth")
    rows = [line.split() for line in lines[begin + 2 : begin + 5]]
    assert [(row[3], row[4], row[5], row[7]) for row in rows] == [
        ("read", "4K", "1", "100.5"), ("read", "4K", "4", "400.5"), ("read", "4K", "16", "1,600.5"),
    ]  # fmt: skip
    out = blocktime.prints("measure", str(tmp_path / "depth-1.json"))
    assert "fio: 1 job by direction" in out
    assert "lat_ns min" in out


def test_several_files_of_fio_are_one_table_and_each_a_line_with_numbers(
    tmp_path: Path, blocktime: CommandLine
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(made.FIO, encoding="utf-8")
    assert "lat_ns min" not in blocktime.prints("measure", str(tmp_path))
    assert "lat_ns min" in blocktime.prints("measure", str(tmp_path), "--figures")
    first, _ = blocktime.prints("measure", str(tmp_path), "--quiet").splitlines()
    assert "read 4K, depth 16: 5.25 IOPS, lat mean 2 µs, p99 -" in first


def test_mean_and_p99_are_of_the_time_that_has_percentiles(tmp_path: Path, blocktime: CommandLine) -> None:
    clat = '"clat_ns" : { "mean" : 1700.5, "percentile" : { "99.000000" : 2999 } }, "lat_ns"'
    (tmp_path / "a.json").write_text(made.FIO.replace('"lat_ns"', clat, 1), encoding="utf-8")
    assert "clat mean 1.7 µs, p99 3 µs" in blocktime.prints("measure", str(tmp_path / "a.json"), "--quiet")


AWR_FIRST = """
Foreground Wait Events                DB/Inst: SECRET/secret  Snaps: 1124-1126

                                           Total Wait
Event                              Waits     Time (s)    Avg wait
----------------------------- ---------- ------------ -----------
log file sync                      1,000            2      2.00ms
db file sequential read           90,000          180      2.00ms
log buffer space                      10            1    100.00ms
"""


PARAMETERS = """
init.ora Parameters

Parameter Name                Begin value
----------------------------- ---------------------------------
db_block_size                 8192
"""


def test_the_figures_are_counted_once(tmp_path: Path, blocktime: CommandLine) -> None:
    (file := tmp_path / "awr.txt").write_text(made.AWR + PARAMETERS, encoding="utf-8")
    first, *lines = blocktime.prints("measure", str(file)).splitlines()
    assert f"{first.split()[-2]} figures in all: --figures prints them" in lines


def test_awr_begins_with_events_and_load_and_tells_the_rest_with_figures(
    tmp_path: Path, blocktime: CommandLine
) -> None:
    begin, _, rest = made.AWR.partition("Foreground Wait Events")
    _, _, rest = rest.partition("Buffer Pool Advisory")
    file = tmp_path / "awr.txt"
    file.write_text(f"{begin}{AWR_FIRST}\nBuffer Pool Advisory{rest}", encoding="utf-8")
    lines = blocktime.prints("measure", str(file)).splitlines()
    titles = ["elapsed time and DB time", "top foreground events", "Load Profile"]
    places = [*map(lines.index, titles), next(n for n, line in enumerate(lines) if line.startswith("read "))]
    assert places == sorted(places)
    events = [" ".join(line.split()) for line in lines if "wait" in line or "log" in line or "db file" in line]
    assert [event.partition(" 2.00ms")[0] for event in events if "2.00ms" in event] == [
        "db file sequential read 90,000 180",
        "log file sync 1,000 2",
    ]
    assert any("1,801.13 min" in line for line in lines)
    assert not any("Buffer Pool Advisory: D" in line for line in lines)
    assert lines[-2].startswith("Next: --figures")
    assert lines[-1].endswith("docs/measure/awr.md says more.")


def test_statements_are_ordered_by_elapsed_time_with_their_waits(tmp_path: Path, blocktime: CommandLine) -> None:
    fast = made.TKPROF.split("*" * 80)[1].replace("3.5", "0.0").replace("0123456789abc", "abcdefghijklm")
    text = made.TKPROF.replace("\nSQL ID:", f"\n{fast}{'*' * 80}\n\nSQL ID:", 1)
    file = tmp_path / "a.prf"
    file.write_text(text, encoding="utf-8")
    lines = blocktime.prints("measure", str(file)).splitlines()
    begin = lines.index("longest 2 of 2 by elapsed time of their calls")
    assert lines[begin + 2].startswith("statement 2 (0123456789abc)")
    assert lines[begin + 3].startswith("statement 1 (abcdefghijklm)")
    waits = lines.index("their longest waits")
    assert lines[waits + 2].split()[:4] == ["db", "file", "scattered", "read,"]


def test_one_sample_of_iostat_is_called_so_and_wide_headings_stay_apart(tmp_path: Path, blocktime: CommandLine) -> None:
    (tmp_path / "one").write_text(made.EVERY["iostat new"].replace("%util", "util-percent"), encoding="utf-8")
    lines = blocktime.prints("measure", str(tmp_path / "one")).splitlines()
    begin = lines.index("the one sample")
    assert lines[begin + 1].split()[-2:] == ["aqu-sz", "util-percent"]
    assert not any("means over" in line for line in lines)


def test_headings_names_and_digits_without_end_are_cut(tmp_path: Path, blocktime: CommandLine) -> None:
    long = "x" * 300_000
    text = made.AWR_HTML.replace("<th>Per Transaction", f"<th>\x1b[31mPer Transaction {long}")
    text = text.replace("<td> 30.0</td>", f"<td>30.{'0' * 300_000}</td>").replace("DB Time(s):", f"DB Time(s){long}:")
    (tmp_path / "awr.html").write_text(text, encoding="utf-8")
    out = blocktime.prints("measure", str(tmp_path / "awr.html"))
    assert "\x1b[31m" not in out
    assert max(map(len, out.splitlines())) < 400
