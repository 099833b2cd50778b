"""The process that simulates for the page: a signal ends a run, and leaves the process fit for the next one."""

from __future__ import annotations

import importlib
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.session.simulator import AGAIN_S, ENDS, _Ended, _Switch

pytestmark = pytest.mark.skipif(ENDS is None, reason="this system has no signal that ends a run alone")

SLOW = """
import os, signal, time
os.kill(os.getpid(), signal.SIGUSR1)
time.sleep(0.01)
DONE = True
"""


@pytest.fixture
def switch() -> Iterator[_Switch]:
    switch = _Switch()
    before = signal.signal(ENDS, switch.end)
    yield switch
    signal.signal(ENDS, before)


def test_a_signal_ends_a_run(switch: _Switch) -> None:
    switch.begin()
    with pytest.raises(_Ended):
        signal.raise_signal(ENDS)
    signal.raise_signal(ENDS)  # nothing is under way any more


def test_an_import_is_never_cut_short(
    switch: _Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "imported_slowly.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    switch.begin()
    module = importlib.import_module("imported_slowly")
    assert module.DONE
    with pytest.raises(_Ended):
        time.sleep(30)  # the signal comes again


def test_a_signal_that_waited_for_an_import_ends_no_later_run(
    switch: _Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "imported_at_the_end.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    switch.begin()
    importlib.import_module("imported_at_the_end")
    switch.begin()  # the run has ended, and the next begins before the signal comes again
    time.sleep(4 * AGAIN_S)
    assert switch.on
