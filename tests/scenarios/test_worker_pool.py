"""A worker: a signal ends a call, and leaves the process fit for the next one."""

import importlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from blocktime.scenarios.worker_pool import ENDS, _Ended, _Switch
from tests.patience import LIMIT_S

pytestmark = pytest.mark.skipif(ENDS is None, reason="this system has no signal that ends a call alone")

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


def test_a_signal_ends_a_call(switch: _Switch) -> None:
    switch.begin()
    with pytest.raises(_Ended):
        signal.raise_signal(ENDS)
    signal.raise_signal(ENDS)  # nothing is under way any more


def test_an_import_is_never_cut_short(switch: _Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_slowly.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    switch.begin()

    def imports_and_waits() -> None:
        importlib.import_module("imported_slowly")
        time.sleep(LIMIT_S)  # the signal comes again

    with pytest.raises(_Ended):
        imports_and_waits()
    assert sys.modules["imported_slowly"].DONE


def test_a_signal_that_waited_for_an_import_ends_no_later_call(
    switch: _Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "imported_at_the_end.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    waits: list[tuple[Callable[..., None], tuple[int, int]]] = []
    later = SimpleNamespace(start=lambda: None)
    monkeypatch.setattr(threading, "Timer", lambda _, call, words: waits.append((call, words)) or later)
    switch.begin()
    importlib.import_module("imported_at_the_end")
    switch.begin()  # the call has ended, and the next begins before the signal comes again
    ((come_again, words),) = waits
    come_again(*words)
    assert switch.on
