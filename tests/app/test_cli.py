"""The command line in this process: what it prints, what it refuses, and with which exit code."""

import json
import re
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from blocktime.app.command import run_cli
from blocktime.app.command.cli import COMMANDS, commands, main
from blocktime.app.command.files import write_beside
from blocktime.app.command.list_text import LISTS, names_of
from blocktime.model.budget import Budget
from blocktime.model.errors import BooksDoNotBalance, SpecError
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, library, load, run
from tests.command_line import CommandLine

Captured = pytest.CaptureFixture[str]


def test_alone_it_shows_one_screen_that_starts_with_three_commands_worth_trying(blocktime: CommandLine) -> None:
    lines = blocktime.prints().splitlines()
    assert len(lines) <= 24
    assert [line.split()[1] for line in lines[:8] if line.startswith("  blocktime ")] == ["run", "compare", "app"]


@pytest.mark.parametrize(
    "command", ["run rahn-full-scan", "compare rahn-full-scan --set tablespace.block_size_bytes=16K"]
)
def test_what_is_worth_trying_works(command: str, capsys: Captured) -> None:
    assert main(command.split()) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) > 30
    assert "\x1b" not in out
    assert err == ""


def test_every_command_has_help() -> None:
    for name in COMMANDS:
        done = CliRunner().invoke(commands, [name, "--help"])
        assert done.exit_code == 0
        assert done.output.startswith(f"Usage: blocktime {name}") or f" {name} " in done.output.splitlines()[0]


BUDGET = {"--max-est-exec-time": 120, "--max-est-memory": "4G"}
DEFAULTS: dict[str, dict[str, object]] = {
    "app": {"--browser": True},
    "compare": BUDGET,
    "optimise": {"--limit": 100_000, **BUDGET},
    "run": {"--side": "change", **BUDGET},
    "sensitivity": {"--measure": "elapsed_s", "--limit": 100_000, **BUDGET},
    "sweep": {"--limit": 100_000, "--side": "change", **BUDGET},
}
"""Options that stand at something where nobody gives them: the others are off, or say what they do."""


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_has_its_default(name: str) -> None:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    given = {option.opts[0]: option.default for option in command.params if isinstance(option, click.Option)}
    plain = {word: value for word, value in given.items() if type(value) in (int, float, str, bool)}
    assert {word: value for word, value in plain.items() if value is not False} == DEFAULTS.get(name, {})


@pytest.mark.parametrize("command", ["run rahn-full-scan", "compare rahn-full-scan rahn-full-scan"])
def test_what_is_asked_for_reaches_the_answer(
    command: str, blocktime: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, seen = run(load("rahn-full-scan")), set[tuple[object, ...]]()

    def noted(_: Scenario, seed: object, times: object, progress: object, budget: Budget) -> RunResult:
        seen.add((seed, times, budget))
        return answer

    def propagated(
        asked: object, results: object, seed: int, progress: object, budget: Budget, executors: object
    ) -> None:
        raise SpecError(f"intervals with seed {seed} within {budget.seconds}")

    monkeypatch.setattr(run_cli, "run", noted)
    monkeypatch.setattr(run_cli, "propagate", propagated)
    how = "--seed 7 --replications 3 --max-est-exec-time 0 --max-est-memory 0 --uncertainty"
    assert "intervals with seed 7 within None" in blocktime.refuses(*command.split(), *how.split())
    assert seen == {(7, 3, Budget(None, None))}
    blocktime.prints(*command.split(), "--max-est-exec-time", "9", "--max-est-memory", "3G")
    assert (None, None, Budget(9, 3 * 2**30)) in seen


def test_list_names_everything_with_where_it_comes_from(blocktime: CommandLine) -> None:
    out = blocktime.prints("list")
    for expected in ("rahn-full-scan", "nvme", "rahn-2008", "savvinov_logical_io", "scenarios", "cases"):
        assert expected in out
    lines = blocktime.prints("list", "scenarios").splitlines()
    assert [line.split()[0] for line in lines] == list(library())
    assert all(line.endswith("]") for line in lines)
    assert "nvme" in blocktime.prints("list", "disks", "--quiet").splitlines()
    assert {"scenarios", "disks", "hosts", "cases"} <= set(json.loads(blocktime.prints("list", "--json")))


def test_list_shows_one_named_thing(blocktime: CommandLine) -> None:
    out = blocktime.prints("list", "nvme").splitlines()
    assert out[:3] == ["nvme (disk)", "NVMe solid-state disk [general knowledge]", out[2]]
    assert any(line.split()[:3] == ["overhead_s", "80", "µs"] and "controller and bus" in line for line in out)
    assert blocktime.prints("list", "disks", "nvme", "--quiet") == "nvme\n"
    text = blocktime.prints("list", "magni-dd-raw-10000")
    assert "based on magni-dd-fs-10000; differs in" in text
    assert "  host.io_path = raw\n" in text
    assert "[magni-linux]" in text
    host, statistics = json.loads(blocktime.prints("list", "rahn-2008", "--json"))
    assert (host["kind"], statistics["kind"]) == ("hosts", "statistics")
    assert all({"value", "unit", "how", "source"} <= set(one) for one in host["constants"].values())


def test_list_has_a_page_for_every_name_that_it_names(blocktime: CommandLine) -> None:
    for kind in LISTS:
        for name, _, _ in names_of(kind):
            assert blocktime.prints("list", name).startswith(f"{name} (")


def test_json_is_alone_on_standard_output(capsys: Captured) -> None:
    assert main(["run", "rahn-full-scan", "--json", "--set", "workload.arraysize_rows=15"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert err == ""
    assert result["scenario"] == "rahn-full-scan"
    assert result["method"] == "simulation, 1,073 reads"
    assert result["calls"]["fetch"]["count"] == 479846
    assert "interval" not in result["time"]


GROWING = """
[tablespace]
block_size_bytes = 16384
[table]
rows = 20_000
row_bytes = 50
[workload]
kind = "update"
growth_bytes = 30
"""


def test_json_of_an_update_has_its_segment_and_no_part_that_does_not_apply(
    tmp_path: Path, blocktime: CommandLine
) -> None:
    file = tmp_path / "growing.toml"
    file.write_text(GROWING)
    result = json.loads(blocktime.prints("run", str(file), "--json"))
    assert result["segment"]["migrated_rows"] > 0
    assert {"itl_full_blocks", "rejected_probes"} <= set(result["segment"])
    assert result["changes"]["migrated"] == result["segment"]["migrated_rows"]
    assert result["space_search"]["functions"][0] == "kdtgrs"
    scanned = json.loads(blocktime.prints("run", "rahn-full-scan", "--json"))
    assert not {"changes", "space_search"} & set(scanned)
    assert not {"itl_full_blocks", "rejected_probes", "blocks", "freeness_after"} & set(scanned["segment"])


def test_a_scan_becomes_an_update_by_its_kind(blocktime: CommandLine) -> None:
    command = ["run", "rahn-full-scan", "--set", "table.rows=20000", "--set", "workload.kind=update"]
    out = blocktime.prints(*command, "--set", "workload.growth_bytes=20")
    assert "\nRows\nupdated   20,000" in out
    assert "\nInside " in out
    assert blocktime.prints(*command, "--set", "workload.growth_bytes=20", "--quiet").count("\n") == 1


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("workload.kind=update workload.growth_bytes=-5", "got -5; allowed is at least 0"),
        ("workload.kind=update workload.order=sideways", "allowed are 'table' or 'random'"),
        ("workload.kind=update table.row_bytes=9000 table.rows=1000", "fits no block of"),
        (
            "workload.kind=update table.rows=1000 table.pctfree_percent=99 tablespace.block_size_bytes=2K",
            "table.pctfree_percent 99",
        ),
        ("workload.kind=update table.initrans=200 tablespace.block_size_bytes=2K", "initrans 200 needs 4,800 bytes"),
        (
            "workload.kind=update workload.users=8 table.rows=1000000000",
            "the limit is 2 minutes, and sessions that change rows of one table meet at its rows: ask for less",
        ),
        ("workload.kind=update workload.users=300", "workload.users: got 300; allowed is at most 255"),
        ("workload.kind=update workload.rows_fraction=0", "got 0; allowed is more than 0"),
        ("workload.kind=upadte", "'update'"),
    ],
)
def test_changes_that_cannot_be_are_refused(settings: str, says: str, blocktime: CommandLine) -> None:
    options = [word for setting in settings.split() for word in ("--set", setting)]
    assert says in blocktime.refuses("run", "rahn-full-scan", *options)


def test_the_page_of_an_update_has_its_sections(tmp_path: Path) -> None:
    file, page = tmp_path / "growing.toml", tmp_path / "page.html"
    file.write_text(GROWING)
    assert main(["run", str(file), "--html", str(page), "--quiet"]) == 0
    html = page.read_text("utf-8")
    for expected in ("<h2>Rows</h2>", "<h2>Segment</h2>", "<h2>Space search</h2>", "<h2>Inside ", "rows that moved in"):
        assert expected in html
    assert "\x1b" not in html


def test_compare_json_has_results_and_differences(blocktime: CommandLine) -> None:
    compared = json.loads(blocktime.prints("compare", "rahn-full-scan", "full-scan-nvme", "--json"))
    first, second = compared["results"]
    (difference,) = compared["differences"]
    change = second["time"]["elapsed_s"] - first["time"]["elapsed_s"]
    assert difference["elapsed_change_s"] == pytest.approx(change)
    assert difference["elapsed_change_fraction"] == pytest.approx(change / first["time"]["elapsed_s"])
    assert sum(one["change_s"] for one in difference["components"]) == pytest.approx(change)
    assert difference["why"]


def test_each_title_of_a_comparison_names_what_is_set_in_all(blocktime: CommandLine, tmp_path: Path) -> None:
    page = tmp_path / "both.html"
    words = ["compare", "full-scan-nvme,host.cpus=4", "rahn-full-scan", "--set", "table.rows=1M", "--html", str(page)]
    text = " ".join(blocktime.prints(*words).split())
    assert "counted, Oracle 19c with table.rows=1M, host.cpus=4" in text
    assert "from a cold cache with table.rows=1M" in text
    assert "from a cold cache with table.rows=1M" in page.read_text("utf-8")


@pytest.mark.parametrize("word", ["auto", "calculate", "simulate", "guess"])
def test_the_engine_of_earlier_versions_is_ignored_in_one_sentence(word: str, capsys: Captured) -> None:
    assert main(["run", "rahn-full-scan", "--quiet"]) == 0
    answer = capsys.readouterr().out
    assert main(["run", "rahn-full-scan", "--quiet", "--engine", word]) == 0
    out, err = capsys.readouterr()
    assert out == answer
    assert (err.count("\n"), f"--engine '{word}' is ignored" in err) == (1, True)
    assert main(["run", "--help"]) == 0
    assert "engine" not in capsys.readouterr().out


def test_quiet_is_one_line(blocktime: CommandLine) -> None:
    assert blocktime.prints("run", "rahn-full-scan", "--quiet").count("\n") == 1
    lines = blocktime.prints("compare", "rahn-full-scan", "full-scan-nvme", "index-range-scan", "--quiet").splitlines()
    assert [line.partition(":")[0] for line in lines if not line.startswith("They do not return")] == ["B", "C"]
    two = blocktime.prints("compare", "rahn-full-scan", "full-scan-nvme", "--quiet").splitlines()
    assert two[0].startswith("Faster: ")


def test_simulate_takes_seed_and_replications(capsys: Captured) -> None:
    command = ["run", "full-scan-nvme", "--seed", "7", "--replications", "2", "--json"]
    assert main([*command, "--set", "table.rows=20000"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert result["seed"] == 7
    assert result["method"].startswith("simulation, ")
    assert set(result["time"]["interval"]) == {"low_s", "high_s", "confidence", "runs"}
    assert result["time"]["interval"]["runs"] == 2
    assert err == ""


@pytest.mark.parametrize("kind", ["scenario", "case", "result"])
def test_schemas_are_json(kind: str, blocktime: CommandLine) -> None:
    assert json.loads(blocktime.prints("schema", kind))["type"] == "object"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("rnu", "did you mean run"),
        ("run rahn-full-scna", "did you mean rahn-full-scan"),
        ("run nothing-like-it", "no scenario or file named"),
        ("run missing.toml", "missing.toml"),
        ("run", "NAME|FILE"),
        ("run a b", "unexpected extra argument"),
        ("run rahn-full-scan --set disk.use=nvme workload.users=2", "each KEY=VALUE needs a --set of its own"),
        ("run rahn-full-scan --jsno", "did you mean --json"),
        ("--vresion", "did you mean --version"),
        ("run rahn-full-scan --set", "requires an argument"),
        ("run rahn-full-scan --seed x", "--seed: got 'x'; allowed is a whole number from 0"),
        ("run rahn-full-scan --replications 0", "--replications: got 0; allowed is a whole number from 1 to 1000"),
        ("compare rahn-full-scan", "got one scenario"),
        ("compare", "Missing argument"),
        ("list disk", "statistics, prices, case or measure named 'disk'; did you mean disks"),
        ("list nvmee", "statistics, prices, case or measure named 'nvmee'; did you mean nvme?"),
        ("sweep tpc-c --vary workload.users=1,2 --measure qqq", "are known, see blocktime list measures"),
        ("run rahn-full-scan --as awr --json", "--as awr: --json is another form of the answer"),
        ("list disks nvm", "no disk named 'nvm'; did you mean nvme?"),
        ("list disk nvme", "list: got 'disk'; allowed before a name are scenarios, sweeps, disks"),
        ("schema nothing", "no schema named"),
        ("validate nothing", "no measured case named"),
        ("calibrate nothing", "no measured case named"),
        ("app --port 0", "--port: got 0; allowed is a whole number from 1 to 65535"),
        ("run rahn-full-scan --html /dev/null", "is not a file that could be replaced"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(arguments: str, says: str, blocktime: CommandLine) -> None:
    assert says in blocktime.refuses(*arguments.split())


def test_what_an_answer_refuses_names_the_file(tmp_path: Path, blocktime: CommandLine) -> None:
    file = tmp_path / "rush.toml"
    file.write_text('title = "x"\n[workload]\nkind = "transactions"\nrate_per_s = 100_000\n', encoding="utf-8")
    for command in (["run", str(file)], ["compare", "oltp-nvme", str(file)]):
        assert "rush.toml: workload.rate_per_s 100000 is more than" in blocktime.refuses(*command)


def test_odd_files_are_refused(tmp_path: Path, blocktime: CommandLine) -> None:
    empty, binary, huge, broken = (tmp_path / f"{name}.toml" for name in ("empty", "binary", "huge", "broken"))
    empty.touch()
    binary.write_bytes(bytes(range(256)) * 40)
    broken.write_text("[table\nrows = 3")
    with huge.open("wb") as file:
        file.truncate(100 * 2**20)
    assert "is empty" in blocktime.refuses("run", str(empty))
    assert "is not text" in blocktime.refuses("run", str(binary))
    assert "104,857,600 bytes" in blocktime.refuses("run", str(huge))
    assert "is not TOML" in blocktime.refuses("run", str(broken))
    assert "is not a file" in blocktime.refuses("run", str(tmp_path))
    assert "there is no folder" in blocktime.refuses("run", str(empty), "--html", str(tmp_path / "no" / "x.html"))


@pytest.mark.parametrize("name", ["a\nb", "x\x1b[31mred", "null\0byte", "é" * 300, "-", "", "x" * 100_000])
def test_odd_names_do_not_reach_the_terminal_as_they_are(name: str, blocktime: CommandLine) -> None:
    said = blocktime.refuses("run", name)
    assert "\x1b" not in said
    assert len(said) < 2000


def test_the_page_needs_no_network(tmp_path: Path, capsys: Captured) -> None:
    page = tmp_path / "answer.html"
    assert main(["run", "rahn-full-scan", "--html", str(page), "--quiet"]) == 0
    html = page.read_text("utf-8")
    assert not re.search(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)\s*=""", html)
    assert "default-src 'none'" in html
    assert "<script" not in html
    assert '<figure class="chart"' in html
    for expected in ("TKPROF", "block_size_bytes", "rahn-mbrc", "It takes 125."):
        assert expected in html
    assert [file.name for file in tmp_path.iterdir()] == ["answer.html"]
    both = tmp_path / "both.html"
    assert main(["compare", "rahn-full-scan", "full-scan-nvme", "--html", str(both), "--json"]) == 0
    assert "Why B differs from A" in both.read_text("utf-8")
    out = capsys.readouterr().out
    assert json.loads(out.partition("\n")[2])["differences"]
    assert main(["run", "full-scan-nvme", "--html", str(page), "--quiet"]) == 0  # a page of ours is replaced
    assert page.read_text("utf-8") != html


def test_a_title_cannot_become_markup(tmp_path: Path) -> None:
    scenario, page = tmp_path / "s.toml", tmp_path / "s.html"
    scenario.write_text('base = "rahn-full-scan"\ntitle = "</script><b>bold</b>"\n')
    assert main(["run", str(scenario), "--html", str(page), "--quiet"]) == 0
    assert "<b>bold" not in page.read_text("utf-8")
    assert main(["compare", str(scenario), "rahn-full-scan", "--html", str(page), "--quiet"]) == 0
    assert "<b>bold" not in page.read_text("utf-8")


def test_writing_replaces_the_whole_file_or_nothing(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("before")
    with pytest.raises(UnicodeEncodeError):
        write_beside(page, "half \ud800")
    assert page.read_text() == "before"
    write_beside(page, "after")
    assert page.read_text() == "after"
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_calibrate_prints_estimates(blocktime: CommandLine) -> None:
    out = blocktime.prints("calibrate", "rahn_full_scan")
    assert "\nhost/rahn-2008\n" in out
    assert re.search(r"\n  fetch_column_s +0\.11\d* µs +\S+ ns to \S+ µs +1 ", out)
    assert all(len(line) <= 88 for line in out.splitlines())


def test_a_fault_of_the_program_is_said_to_be_one(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLOCKTIME_TRACEBACK", raising=False)
    for error in (BooksDoNotBalance("a sum is off"), ZeroDivisionError("by zero")):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("blocktime.app.command.run_cli.load", fail)
        assert main(["run", "rahn-full-scan"]) == 1
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert "an error in blocktime, not in your input" in err
    monkeypatch.setenv("BLOCKTIME_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["run", "rahn-full-scan"])


def test_app_passes_on_what_serve_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int | None, bool]] = []

    def serve(port: int | None, browser: bool) -> int:
        asked.append((port, browser))
        return 0

    monkeypatch.setattr("blocktime.app.command.serve.serve", serve)
    assert main(["app"]) == 0
    assert main(["app", "--port", "9000", "--no-browser"]) == 0
    assert asked == [(None, True), (9000, False)]


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("blocktime.app.command.run_cli.load", stop)
    assert main(["run", "rahn-full-scan"]) == 130


def test_progress_goes_to_a_terminal_alone(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    command = ["run", "full-scan-nvme", "--replications", "2", "--set", "table.rows=20000"]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("blocktime.app.base.output.SEEN_AFTER_S", 0.0)
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "answering full-scan-nvme" in err
    assert "replications" not in out.partition("\n")[0]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main([*command, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_compare_names_what_was_set_otherwise_of_the_disk(blocktime: CommandLine, tmp_path: Path) -> None:
    page = tmp_path / "both.html"
    words = ["compare", "magni-dd-raw-100", "--set", "disk.use=nvme"]
    assert "- the disk is nvme instead of ida-2004; " in blocktime.prints(*words, "--html", str(page))
    assert "<li>the disk is nvme instead of ida-2004; " in page.read_text(encoding="utf-8")
    (difference,) = json.loads(blocktime.prints(*words, "--json"))["differences"]
    assert difference["why"][0].startswith("the disk is nvme")


@pytest.mark.parametrize("content", [b"", b"mine", b"\xff\xfe", b"<!doctype html><title>mine</title>"])
@pytest.mark.parametrize(
    "words",
    [
        "run rahn-full-scan", "compare rahn-full-scan full-scan-nvme", "validate savvinov_logical_io",
        "sweep rahn-full-scan --vary table.rows=10,20",
    ],
)  # fmt: skip
def test_no_page_replaces_what_is_no_page_of_ours(
    words: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.html"
    mine.write_bytes(content)
    assert main([*words.split(), "--html", str(mine), "--quiet"]) == 2
    assert capsys.readouterr() == ("", f"blocktime: --html: {mine} is there already; --force replaces a file\n")
    assert mine.read_bytes() == content
    if content == b"mine":
        assert main([*words.split(), "--quiet", "--html", str(mine), "--force"]) == 0
        assert mine.read_text("utf-8").startswith("<!doctype html>")
