"""The bars over reports of others: the rows of ``python3 dev.py bars``, where these reports are there."""

import os
from pathlib import Path

import pytest

from tools.bars import CHECKS, Bar, Samples, main

FOLDER = os.environ.get("BLOCKTIME_SAMPLES")
UNMET = {
    "db file parallel read": "the time of a read does not vary in the model, so the slowest of several comes too early",
    "solaris-before-setall: worst": "reads fall to a fifth between the first two given sizes: 14 % off",
    "ec2-slob-00, simulate: reads": "a log that is full holds sessions back in bursts: 4.5 % off",
}


@pytest.mark.skipif(not FOLDER, reason="BLOCKTIME_SAMPLES names no folder of reports")
@pytest.mark.parametrize("check", CHECKS)
def test_every_bar_is_met_but_those_that_are_known(check: str) -> None:
    rows = list(CHECKS[check](Samples(Path(FOLDER or ""))))
    print("\n".join(row.line() for row in rows))
    missed = [row for row in rows if row.met is False]
    assert [row for row in missed if not any(known in row.what for known in UNMET)] == []


@pytest.mark.parametrize(
    ("bar", "met"),
    [
        (Bar("a check", "a figure", -0.04, 0.03), False),
        (Bar("a check", "a figure", -0.02, 0.03), True),
        (Bar("a check", "a share", 0.9, 0.85, least=True), True),
        (Bar("a check", "a share", 0.8, 0.85, least=True), False),
        (Bar("a check", "told alone", 0.5, None), None),
    ],
)
def test_a_row_says_whether_its_bar_is_met(bar: Bar, met: bool | None) -> None:
    assert bar.met is met
    assert ("NOT MET" in bar.line()) == (met is False)


def test_without_a_folder_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("BLOCKTIME_SAMPLES", raising=False)
    assert main([]) == 2
    assert "name a folder of reports" in capsys.readouterr().err
