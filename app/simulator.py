"""A process that simulates what it is handed, one scenario after another; a signal ends the run under way.

It reads a pickled (scenario, replications) from its standard input and writes a pickled (word, text) to its standard
output: ``answer`` with the result's JSON, ``refused`` with a sentence, or ``ended``.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import Final, Literal

from model.errors import BlocktimeError
from scenarios import Scenario, run

ENDS: Final = getattr(signal, "SIGUSR1", None)
"""The signal that ends a run and leaves the process; None where a system has none."""

Word = Literal["answer", "refused", "ended"]


class _Ended(BaseException):
    """Nobody wants the run any more."""


class _Switch:
    """Lets the signal through while a run is under way, and only then."""

    def __init__(self) -> None:
        self.on = False

    def end(self, *_: object) -> None:
        if self.on:
            self.on = False
            raise _Ended


def main() -> None:
    """Answer until the input ends."""
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
        pickle.dump(_answered(scenario, replications, switch), answers)
        answers.flush()


def _answered(scenario: Scenario, replications: int, switch: _Switch) -> tuple[Word, str]:
    try:
        switch.on = True
        try:
            return "answer", run(scenario, "simulate", replications=replications).model_dump_json()
        finally:
            switch.on = False
    except _Ended:
        return "ended", ""
    except BlocktimeError as error:
        return "refused", str(error)
    except ImportError:
        return "refused", "this installation has no simulation engine"
    except Exception as error:  # the next scenario may well have an answer
        return "refused", f"an error in blocktime: {type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
