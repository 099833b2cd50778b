"""``blocktime sensitivity`` as a reader sees it: a tornado, shares, sentences; and what it refuses."""

import json
from pathlib import Path

import pytest

from blocktime.app.command.cli import main
from blocktime.app.text.sensitivity_text import sensitivity_lines, sentences_of
from blocktime.scenarios.search.sensitivity import Sensitivity, TornadoBar
from tests.command_line import CommandLine
from tests.smooth import answer_smoothly

Captured = pytest.CaptureFixture[str]
ASKED = ("sensitivity", "tpc-b", "--measure", "response_s", "--workers", "1")
VARY = ("--vary", "workload.users=1:40", "--vary", "disk.use=nvme,sas-15k")


@pytest.fixture(autouse=True)
def smooth(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_smoothly(monkeypatch)


def told(capsys: Captured, tmp_path: Path, *more: str) -> tuple[int, str, str]:
    code = main([*ASKED, *more, "--store", str(tmp_path / "store")])
    out, err = capsys.readouterr()
    return code, out, err


def made(*tornado: TornadoBar) -> Sensitivity:
    return Sensitivity("mine", "response_s", 0.2, 8, tornado)


def test_a_reader_sees_what_matters(capsys: Captured, tmp_path: Path) -> None:
    code, out, _ = told(capsys, tmp_path, *VARY)
    assert code == 0
    lines = out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert any(line.startswith("One at a time from the base scenario, 9.79 ms") for line in lines)
    (drawn,) = (line for line in lines if "at nvme" in line)
    assert "at sas-15k" in drawn
    assert "|" in drawn
    assert "workload.users (base 10)" in out
    assert "- disk.use matters most" in out


def test_the_bars_share_one_scale_and_the_base_is_marked() -> None:
    bars = (
        TornadoBar("workload.users", 0.1, 0.5, 1, 60, 10),
        TornadoBar("workload.think_s", 0.2, 0.3, 2, 1, 9.0, True),
    )
    text = list(sensitivity_lines(made(*bars), 80))
    users, think = (line for line in text if "ms at" in line and "|" in line)
    assert users.index("|") == think.index("|")  # at 200 ms on both
    lengths = [sum(letter in "█#|" for letter in line) for line in (users, think)]
    assert lengths[0] == pytest.approx(4 * lengths[1], abs=4)
    assert "  workload.think_s (base 9.00 s, outside of what varies)" in text


def test_wide_outcomes_are_drawn_by_ratio() -> None:
    bars = (TornadoBar("workload.users", 0.002, 2.0, 1, 60, 10),)
    assert any("bars by ratio" in line for line in sensitivity_lines(made(*bars), 80))


def test_sentences_say_what_matters_and_what_does_not() -> None:
    bars = (
        TornadoBar("workload.users", 0.1, 0.5, 1, 60, 10),
        TornadoBar("workload.think_s", 0.2, 0.3, 2, 1, 9.0),
        TornadoBar("host.cpus", 0.2, 0.201, 8, 4, 4),
        TornadoBar("iostat.interval_s", 0.2, 0.2, 1, 9, 1),
    )
    text = " ".join(sentences_of(made(*bars)))
    assert "workload.users matters most: changed alone, it moves response_s between 100 ms at 1" in text
    assert "workload.think_s moves it by 25 % of that" in text
    assert "host.cpus and iostat.interval_s: less than 5 % of that" in text
    assert "two fields together may move it further" in text


def test_what_does_not_vary_is_said(capsys: Captured, tmp_path: Path) -> None:
    code, out, _ = told(capsys, tmp_path, *VARY, "--measure", "current_gets")
    assert code == 0
    assert "current_gets does not vary: it is 5 at all" in out
    assert "nan" not in out.lower()


def test_json_is_all_and_nothing_else(capsys: Captured, tmp_path: Path) -> None:
    code, out, err = told(capsys, tmp_path, *VARY, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert {"measure", "base", "tornado", "points", "sentences"} <= set(found)
    assert [bar["key"] for bar in found["tornado"]] == ["disk.use", "workload.users"]


def test_quiet_is_the_sentences_alone(capsys: Captured, tmp_path: Path) -> None:
    _, out, err = told(capsys, tmp_path, *VARY, "--quiet")
    assert out.startswith("disk.use matters most")
    assert err == ""


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ((), "nothing varies"),
        (("--vary", "workload.users=7"), "got 7 alone"),
        (("--vary", "workload.users=1:9", "--measure", "respons_s"), "did you mean response_s"),
        (("--vary", "workload.rate_per_s=1:900"), "a tornado needs all"),
    ],
)
def test_bad_input_is_one_sentence(more: tuple[str, ...], sentence: str, capsys: Captured, tmp_path: Path) -> None:
    code, _, err = told(capsys, tmp_path, *more)
    assert code == 2
    assert err.count("\n") == 1
    assert sentence in err


def test_a_store_and_no_store_contradict_each_other(blocktime: CommandLine, tmp_path: Path) -> None:
    asked = ["sweep", "tpc-b", "--vary", "workload.users=1,2", "--no-store"]
    assert "with --no-store, which keeps no answers; give one of them" in blocktime.refuses(
        *asked, "--store", str(tmp_path / "kept")
    )
