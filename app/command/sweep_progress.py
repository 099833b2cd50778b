"""How a sweep comes along: how much there is to do, about how long it takes, and one line while it is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

from blocktime.app.base.output import REFRESH_S, print_lines, show_progress, shows_progress
from blocktime.model.budget import show_duration
from blocktime.model.units import show_number
from blocktime.scenarios.sweeps.sweep import Listener
from blocktime.scenarios.sweeps.sweep_run import Outcome, Running

WORTH_SAYING = 2_000
"""Points that take so long to check that it is seen."""


@contextmanager
def telling(quiet: bool, aloud: bool, keep: bool) -> Iterator[TerminalProgress]:
    """A listener that ends its line whatever happens, and says where it is interrupted what is kept, if *keep*."""
    listener = TerminalProgress(quiet, aloud)
    try:
        yield listener
    except KeyboardInterrupt:
        listener.end()
        if listener.outcome is not None and not quiet:
            done, wanted = listener.outcome.done, listener.outcome.wanted
            stored = f"kept {done:,} of {wanted:,} answers; the same command continues from there"
            print_lines([f"blocktime: interrupted; {stored if keep else '--no-store kept no answers'}"], err=True)
        raise
    finally:
        listener.end()


class TerminalProgress(Listener):
    """Says on the terminal what a sweep will do and how far it is."""

    def __init__(self, quiet: bool, aloud: bool) -> None:
        """*aloud* where standard output may be told how much there is to do."""
        self._aloud = aloud and not quiet
        self._line = shows_progress(quiet)
        self._began: tuple[float, int] | None = None
        """When the line began, and how many were done then."""
        self._drawn_s = 0.0
        self.outcome: Outcome | None = None

    def end(self) -> None:
        """Take the line away."""
        if self._began is not None:
            show_progress("")
            self._began = None

    def checked(self, done: int, declared: int) -> None:
        """The line while points are checked, where there are many."""
        if declared > WORTH_SAYING:
            self._show("checking points", done, declared)

    def planned(self, running: Running, notes: Sequence[str]) -> None:
        """How many points there are, and what the store has of them."""
        self.end()
        self.outcome = running.outcome
        for note in notes:
            self._say(note, err=True)
        self._say(_begins(running, running.outcome.reused))

    def expects(self, running: Running, seconds: float, workers: int) -> None:
        """About how long it will take."""
        where = f"{workers} processes" if workers > 1 else "one process"
        left = running.outcome.left
        if left:
            self._say(
                f"about {show_duration(seconds)} for {left:,} answer{'s' * (left > 1)}, the base among them, by {where}"
            )
            self.report_progress(running.outcome)

    def report_progress(self, outcome: Outcome) -> None:
        """The line while points are answered."""
        self._show("answering", outcome.done, outcome.wanted)

    def _say(self, sentence: str, err: bool = False) -> None:
        if self._aloud:
            print_lines([sentence], err)
            sys.stdout.flush()

    def _show(self, what: str, done: int, count: int) -> None:
        if not self._line:
            return
        now_s = monotonic()
        if self._began is None:
            self._began = now_s, done
        elif now_s - self._drawn_s < REFRESH_S:
            return
        self._drawn_s = now_s
        began_s, already = self._began
        words = f"{what}: {done:,} of {count:,}"
        if done > already:
            rate = (done - already) / (now_s - began_s)
            words += f", {show_number(rate, 3)}/s, about {show_duration((count - done) / rate)} left"
        show_progress(words)


def _begins(running: Running, known: int) -> str:
    """How much there is to do, and how many answers of it are *known*."""
    reused = f"; {known:,} answer{'s are' if known > 1 else ' is'} known already" if known else ""
    return f"{running.plan.base.name}: {running.plan.said()}{reused}"
