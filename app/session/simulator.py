"""A process that simulates what it is handed, one scenario after another; a signal ends the run under way.

It reads a pickled (scenario, replications) from its standard input and writes a pickled (word, text) to its standard
output: ``so far`` with the JSON of a run that goes on, ``answer`` with that of the whole one, ``refused`` with a
sentence, ``slow`` with that of a run that only this machine's seconds ended, or ``ended``.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import BinaryIO, Final, Literal

from blocktime.app.base.with_parent import end_with_parent
from blocktime.model.errors import BlocktimeError, OverBudget
from blocktime.model.interim import sent_to
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, run

ENDS: Final = getattr(signal, "SIGUSR1", None)
"""The signal that ends a run and leaves the process; None where a system has none."""

IMPORTS: Final = ("importlib", "_frozen_importlib")
"""Packages whose frames say that an import is under way."""
AGAIN_S: Final = 0.05
"""Until a signal that comes during an import comes again."""

Word = Literal["so far", "answer", "refused", "slow", "ended"]


class _Ended(BaseException):
    """Nobody wants the run any more."""


class _Switch:
    """Lets the signal through while a run is under way, and only between imports.

    A module whose import is cut short stays half made in the process, and some cannot be imported again; a signal that
    comes meanwhile comes once more a little later.
    """

    def __init__(self) -> None:
        self.on = False
        self._run = 0
        self._is_coming_again = False

    def begin(self) -> None:
        """A run begins."""
        self._run += 1
        self.on = True

    def end(self, number: int, frame: FrameType | None) -> None:
        if not self.on:
            return
        if _is_importing(frame):
            if not self._is_coming_again:
                self._is_coming_again = True
                threading.Timer(AGAIN_S, self._come_again, (self._run, number)).start()
            return
        self.on = False
        raise _Ended

    def undisturbed(self, do: Callable[[], None]) -> None:
        """*do* something that no signal may cut short; one that comes meanwhile is sent again by who wants the end."""
        self.on = False
        do()
        self.on = True

    def _come_again(self, run: int, number: int) -> None:
        self._is_coming_again = False
        if self.on and self._run == run:  # else another run would be ended
            os.kill(os.getpid(), number)


def _is_importing(frame: FrameType | None) -> bool:
    """Whether an import is under way in a frame or in those that called it."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in IMPORTS:
            return True
        frame = frame.f_back
    return False


def main() -> None:
    """Answer until the input ends, or the process that asks is gone."""
    end_with_parent()
    switch = _Switch()
    if ENDS is not None:
        signal.signal(ENDS, switch.end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the page, which ends this process itself
    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr  # what anybody prints must not come between answers
    while True:
        try:
            scenario, replications = pickle.load(asked)
        except EOFError:
            return
        with sent_to(
            lambda result: switch.undisturbed(partial(_tell, answers, ("so far", _document(result))))
        ):
            answer = _answered(scenario, replications, switch)
        _tell(answers, answer)


def _tell(answers: BinaryIO, message: tuple[Word, str]) -> None:
    pickle.dump(message, answers)
    answers.flush()


def _document(result: RunResult) -> str:
    return result.model_dump_json()


def _answered(scenario: Scenario, replications: int | None, switch: _Switch) -> tuple[Word, str]:
    try:
        switch.begin()
        try:
            return "answer", _document(run(scenario, replications=replications))
        finally:
            switch.on = False
    except _Ended:
        return "ended", ""
    except OverBudget as error:
        return "slow" if error.of == "seconds" else "refused", str(error)
    except BlocktimeError as error:
        return "refused", str(error)
    except ImportError:
        return "refused", "this installation has no simulation engine"
    except Exception as error:  # the next scenario may well have an answer
        return "refused", f"an error in blocktime: {type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
