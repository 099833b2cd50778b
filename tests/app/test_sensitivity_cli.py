"""``blocktime sensitivity`` as a reader sees it: a tornado, shares, sentences; and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blocktime.app.command.cli import main
from blocktime.app.text.sensitivity_text import sensitivity_lines, sentences_of
from blocktime.scenarios.search.sensitivity import Sensitivity, SobolIndex, TornadoBar, VarianceShare
from tests.command_line import CommandLine

Captured = pytest.CaptureFixture[str]
ASKED = ("sensitivity", "tpc-b", "--engine", "calculate", "--measure", "response_s", "--workers", "1")
VARY = ("--vary", "workload.users=1:40", "--vary", "disk.use=nvme,sas-15k", "--samples", "16")
NONE = VarianceShare(0.0, -0.02, 0.02)


def told(capsys: Captured, tmp_path: Path, *more: str) -> tuple[int, str, str]:
    code = main([*ASKED, *more, "--store", str(tmp_path / "store")])
    out, err = capsys.readouterr()
    return code, out, err


def made(
    *indices: SobolIndex, tornado: tuple[TornadoBar, ...] = (), low: float = 0.1, high: float = 0.5
) -> Sensitivity:
    bars = tornado or (TornadoBar("workload.users", 0.1, 0.4, 1, 60, 10),)
    return Sensitivity("mine", "response_s", 0.2, 256, 1024, 0.2, low, high, bars, indices)


def index(
    key: str, first: VarianceShare, total: VarianceShare, interaction: VarianceShare = NONE
) -> SobolIndex:
    return SobolIndex(key, first, total, interaction)


def test_a_reader_sees_what_matters(capsys: Captured, tmp_path: Path) -> None:
    code, out, _ = told(capsys, tmp_path, *VARY)
    assert code == 0
    lines = out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert any(line.startswith("One at a time from the base scenario, 9.35 ms") for line in lines)
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
    text = list(sensitivity_lines(made(tornado=bars), 80))
    users, think = (line for line in text if "ms at" in line and "|" in line)
    assert users.index("|") == think.index("|")  # at 200 ms on both
    lengths = [sum(letter in "█#|" for letter in line) for line in (users, think)]
    assert lengths[0] == pytest.approx(4 * lengths[1], abs=4)
    assert "  workload.think_s (base 9.00 s, outside of what varies)" in text


def test_wide_outcomes_are_drawn_by_ratio() -> None:
    bars = (TornadoBar("workload.users", 0.002, 2.0, 1, 60, 10),)
    assert any("bars by ratio" in line for line in sensitivity_lines(made(tornado=bars), 80))


def test_sentences_say_what_matters_and_what_does_not() -> None:
    much, some = VarianceShare(0.7, 0.6, 0.8), VarianceShare(0.9, 0.8, 1.0)
    found = made(
        index("workload.users", much, some, VarianceShare(0.2, 0.1, 0.3)),
        index("workload.think_s", NONE, VarianceShare(0.2, 0.1, 0.3), VarianceShare(0.2, 0.1, 0.3)),
        index("iostat.interval_s", VarianceShare(0, 0, 0), VarianceShare(0, 0, 0), VarianceShare(0, 0, 0)),
        index("host.cpus", VarianceShare(0.03, 0.01, 0.04), VarianceShare(0.03, 0.02, 0.04)),
    )
    said = " ".join(sentences_of(found))
    assert "workload.users matters most: it contributes to 90 % of the variance of response_s" in said
    assert "alone it contributes 70 %" in said
    assert "iostat.interval_s: no effect beyond noise" in said
    assert "workload.think_s: alone no effect beyond noise, but may matter together" in said
    assert "host.cpus: measurable, but less than 5 %" in said
    assert "About 27 % of the variance is interaction" in said
    assert "clearest for workload.users and workload.think_s" in said
    assert "--samples" not in said


def test_wide_intervals_and_no_interaction_are_said() -> None:
    wide = index("workload.users", VarianceShare(0.9, 0.5, 1.2), VarianceShare(1.1, 0.6, 1.4))
    said = " ".join(sentences_of(made(wide, index("host.cpus", NONE, NONE))))
    assert "Interaction between axes is 10 % of the variance, which is within the noise" in said
    assert "up to 70 percentage points wide; --samples 1024 halves them" in said
    assert "contributes to 100 %" in said


def test_what_does_not_vary_is_said(capsys: Captured, tmp_path: Path) -> None:
    code, out, _ = told(capsys, tmp_path, *VARY, "--measure", "current_gets")
    assert code == 0
    assert "current_gets does not vary: it is 5 at all" in out
    assert "nan" not in out.lower()


def test_json_is_all_and_nothing_else(capsys: Captured, tmp_path: Path) -> None:
    code, out, err = told(capsys, tmp_path, *VARY, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert {"measure", "base", "tornado", "indices", "points", "sentences"} <= set(found)
    assert [bar["key"] for bar in found["tornado"]] == ["disk.use", "workload.users"]
    assert found["indices"][0]["total"]["value"] > found["indices"][1]["total"]["value"]


def test_quiet_is_the_sentences_alone(capsys: Captured, tmp_path: Path) -> None:
    _, out, err = told(capsys, tmp_path, *VARY, "--quiet")
    assert out.startswith("disk.use matters most")
    assert err == ""


def test_the_samples_can_be_written_once(capsys: Captured, tmp_path: Path) -> None:
    out = tmp_path / "samples.csv"
    code, text, _ = told(capsys, tmp_path, *VARY, "--out", str(out))
    assert code == 0
    assert f"wrote {out}: " in text
    assert told(capsys, tmp_path, *VARY, "--out", str(out))[0] == 2
    assert told(capsys, tmp_path, *VARY, "--out", str(out), "--force")[0] == 0


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ((), "nothing varies"),
        (("--vary", "workload.users=7"), "got 7 alone"),
        (("--vary", "workload.users=1:9", "--measure", "respons_s"), "did you mean response_s"),
        (("--vary", "workload.users=1:9", "--samples", "9"), "allowed is a power of two"),
        (("--vary", "workload.rate_per_s=1:900", "--samples", "8"), "indices need all"),
    ],
)
def test_bad_input_is_one_sentence(
    more: tuple[str, ...], sentence: str, capsys: Captured, tmp_path: Path
) -> None:
    code, _, err = told(capsys, tmp_path, *more)
    assert code == 2
    assert err.count("\n") == 1
    assert sentence in err


def test_a_share_and_its_interval_stay_between_none_and_all() -> None:
    lines = list(
        sensitivity_lines(
            made(index("disk.use", VarianceShare(0.9, -0.02, 1.04), VarianceShare(1.01, 0.9, 1.1))), 80
        )
    )
    assert any("90 (0..100)" in line and "100 (90..100)" in line for line in lines)


def test_a_store_and_no_store_contradict_each_other(blocktime: CommandLine, tmp_path: Path) -> None:
    asked = ["sweep", "tpc-b", "--vary", "workload.users=1,2", "--engine", "calculate", "--no-store"]
    assert "with --no-store, which keeps no answers; give one of them" in blocktime.refuses(
        *asked, "--store", str(tmp_path / "kept")
    )
