"""What ``import blocktime`` has: names and dictionaries in, answers that say themselves out."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blocktime as bt
from blocktime.app.command.cli import main
from blocktime.scenarios import load, run
from tests.patience import LIMIT_S

SCAN, USERS = "full-scan-nvme", "tpc-b"


def test_importing_it_imports_nothing_heavy() -> None:
    code = (
        "import blocktime, sys; dir(blocktime); print([name for name in ('numpy', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=LIMIT_S)
    assert done.stdout == "[]\n"


def test_every_name_is_there_and_says_what_it_is() -> None:
    for name in bt.__all__:
        assert getattr(bt, name).__doc__, name
    assert set(bt.__all__) <= set(dir(bt))
    with pytest.raises(AttributeError, match="no attribute 'simulate'; it has AnswerComparison, "):
        _ = bt.simulate


@pytest.mark.parametrize(
    ("change", "sections"),
    [
        ({"tablespace.block_size_bytes": "16K", "disk.use": "sata-7k2"}, {}),
        ({"tablespace": {"block_size_bytes": 16384}, "disk": "sata-7k2"}, {}),
        (None, {"tablespace": {"block_size_bytes": "16K"}, "disk": {"use": "sata-7k2"}}),
        ({"disk": "sata-7k2"}, {"tablespace": {"block_size_bytes": np.int64(16384)}}),
    ],
)
def test_dictionaries_are_the_settings_of_the_command(change: Any, sections: dict[str, Any]) -> None:
    wanted = load(SCAN, ["tablespace.block_size_bytes=16K", "disk.use=sata-7k2"])
    loaded = bt.load(SCAN, change, **sections)
    assert (loaded.system, loaded.workload) == (wanted.system, wanted.workload)
    assert bt.run(SCAN, change, **sections).elapsed_s == run(wanted).time.elapsed_s


def test_a_scenario_a_file_and_its_content_give_one_answer(tmp_path: Path) -> None:
    content = {"base": SCAN, "table": {"rows": 1000}}
    file = tmp_path / "mine.toml"
    file.write_text(f'base = "{SCAN}"\n[table]\nrows = 1000\n')
    times = [bt.run(asked).elapsed_s for asked in (content, file, str(file), bt.load(content))]
    assert len(set(times)) == 1
    assert times[0] == bt.run(SCAN, table={"rows": 1000}).elapsed_s


def test_a_result_has_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    result = bt.run(USERS)
    assert main(["run", USERS, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert result.to_dict() == printed
    assert result["elapsed_s"] == result.elapsed_s == result.run.time.elapsed_s
    assert repr(result) == f"<Result of {USERS}: {printed['sentence']}>"
    assert result.sentence in result._repr_html_()
    assert "<svg" in result._repr_html_()
    assert result.to_html().startswith("<!doctype html>")
    with pytest.raises(bt.BlocktimeError, match="no measure of this answer named 'elapsed'"):
        _ = result["elapsed"]


def test_a_comparison_says_what_differs_and_why() -> None:
    compared = bt.compare(SCAN, tablespace={"block_size_bytes": "16K"})
    both = bt.compare(SCAN, bt.load(SCAN, {"tablespace.block_size_bytes": "16K"}))
    assert [each.elapsed_s for each in compared.results] == [each.elapsed_s for each in both.results]
    assert compared.titles[1] == "with tablespace.block_size_bytes=16K"
    assert compared.sentence in repr(compared)
    assert "\n" not in repr(compared)
    assert compared.why == compared.reasons(1)
    assert "consistent gets" in compared.why[0]
    assert compared.why[0] in compared._repr_html_()
    assert "Why B differs from A" in compared.to_html()
    assert compared.sure == ()
    (sure,) = bt.compare(SCAN, disk="sata-7k2", uncertainty=True).sure
    assert 0 < sure.low_s < sure.change_s < sure.high_s


def test_a_file_with_a_change_is_compared_with_itself(tmp_path: Path) -> None:
    file = tmp_path / "question.toml"
    file.write_text(f'base = "{SCAN}"\n[change]\ndisk.use = "sata-7k2"\n')
    now, then = bt.compare(file).results
    assert (now.elapsed_s, then.elapsed_s) == (bt.run(SCAN).elapsed_s, bt.run(SCAN, disk="sata-7k2").elapsed_s)
    assert bt.run(file, side="system").elapsed_s == now.elapsed_s


@pytest.mark.parametrize(
    ("users", "count"), [([1, 2, 4], 3), (np.array([1, 2, 4]), 3), (range(1, 5), 4), ((1, 4, 4), 4)]
)
def test_a_sweep_is_a_table_with_units(users: Any, count: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    swept = bt.sweep(SCAN, {"workload.users": users, "disk.use": ["nvme", "sata-7k2"]}, table={"rows": 10_000})
    frame = swept.to_pandas()
    assert len(frame) == len(swept) == 2 * count
    assert frame.attrs["units"]["elapsed_s"] == "s"
    assert frame.attrs["labels"]["elapsed_s"]
    first = frame.iloc[0]
    there = bt.run(SCAN, {"workload.users": int(first["workload.users"])}, table={"rows": 10_000}, disk="nvme")
    assert first["elapsed_s"] == there.elapsed_s
    assert repr(swept) == f"<Sweep of {SCAN}: {len(frame)} points, {len(frame.columns)} columns>"
    assert "<table" in swept._repr_html_()


def test_searches_find_what_the_commands_find(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    best = bt.optimise(
        SCAN, {"table.rows": [1000, 2000, 4000]}, maximise="elapsed_s", such_that=["table.rows < 4000"]
    ).best
    assert best is not None
    assert best.values == {"table.rows": 2000}
    found = bt.seek(SCAN, "elapsed_s <= 2 * base", {"table.rows": [50_000_000, 90_000_000, 200_000_000]})
    assert found.best is not None
    assert found.best.value == 90_000_000


def test_reports_become_a_system_that_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "awr.txt"
    assert main(["run", USERS, "--as", "awr"]) == 0
    report.write_text(capsys.readouterr().out)
    measured = bt.measure([report])
    assert repr(measured).startswith(f"<Measured: {len(measured.figures):,} figures of 1 reports; ")
    assert measured.scenario.compared
    assert bt.run(measured).run.transactions is not None
    assert measured.figures[0].keys() >= {"file", "name", "value", "unit", "line"}
    measured.save(tmp_path / "mine.toml")
    assert bt.load(tmp_path / "mine.toml").workload == measured.scenario.workload


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: bt.run(SCAN, disk=3), 'run: disk: got 3; it takes a dictionary of its fields or the name of an entry, '
         'such as disk="nvme"'),
        (lambda: bt.run(SCAN, disk="nvmee"), "run: disk.use: no disk named 'nvmee'; did you mean nvme?"),
        (lambda: bt.run(SCAN, table=5), "run: table: got 5; it takes a dictionary of its fields"),
        (lambda: bt.run(SCAN, {"table.rows": -1}), "run: table.rows: got -1; allowed is at least 1"),
        (lambda: bt.run(SCAN, tabel={"rows": 3}), "run: no section named 'tabel'; did you mean table?"),
        (lambda: bt.compare(SCAN), 'compare: got one scenario; give two, or a change such as disk="nvme"'),
        (lambda: bt.compare(SCAN, USERS, disk="nvme"), "compare: got several scenarios and a change; give the change "
         "of one scenario, or scenarios"),
        (lambda: bt.sweep(SCAN), "sweep: nothing varies; give fields and values, such as "
         '{"workload.users": [1, 10, 100]}'),
        (lambda: bt.sweep(SCAN, {"table.rows": 5}), "sweep: table.rows: got 5; give a list of values, or a tuple (low, "
         "high, points)"),
        (lambda: bt.run(SCAN, seed=-1), f"{SCAN}: seed: got -1; it is a whole number of at least 0"),
        (lambda: bt.run(SCAN, replications="3"), f"{SCAN}: replications: got '3'; it is a whole number of at least 1"),
        (lambda: bt.run(SCAN, ["a=b"]), "run: got ['a=b']; a change is a dictionary of fields"),
        (lambda: bt.run(5), "run: got 5; a scenario is a name, a file or a dictionary of fields"),
        (lambda: bt.measure(5), "measure: got 5; it takes the name of a report, or several"),
        (lambda: bt.measure([]), "measure: got []; it takes the name of a report, or several"),
        (lambda: bt.optimise(SCAN, 5, minimise="elapsed_s"), "optimise: got 5; what varies is a dictionary of fields "
         "and values"),
        (lambda: bt.run(SCAN).report("awk"), "no report named 'awk'; did you mean awr?"),
        (lambda: bt.run(SCAN, side="x"), "run: side: got 'x'; allowed are change and system"),
    ],
)  # fmt: skip
def test_errors_speak_python(call: Any, said: str) -> None:
    with pytest.raises(bt.BlocktimeError) as caught:
        call()
    assert str(caught.value) == said


def test_validation_and_library() -> None:
    assert bt.validate(["rahn_full_scan"]).failures == []
    assert bt.library()[SCAN].startswith("Full scan")
