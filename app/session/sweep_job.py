"""A sweep in the background: a thread that answers it, and what a page may ask of it meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import Final, Literal

from blocktime.app.controls.sweep_form import SweepForm
from blocktime.app.reports.sweep_table import SweepTable, table_of
from blocktime.app.session.job import Job
from blocktime.model.errors import BlocktimeError
from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend, sweeping
from blocktime.scenarios.sweeps.sweep_plan import Plan
from blocktime.scenarios.sweeps.sweep_run import Outcome, Running

MOST_AT_ONCE: Final = 2
"""Sweeps that are answered at the same time; others wait for their turn."""
MOST_ENDED: Final = 12
"""Jobs that are remembered after their end."""
SURE_REPORTS: Final = 3
"""Times that a process has given answers, from which on the clock tells how fast they come."""
LOOKS_S: Final = 0.2
FORGOTTEN_S: Final = 60.0
"""A job that nobody has looked at for so long ends: its page is closed."""

State = Literal["waiting", "checking", "trying", "answering", "tried", "done", "failed", "cancelled"]
ENDED: Final = ("tried", "done", "failed", "cancelled")


class _Left(Exception):
    """The job is not wanted any more, or knows enough."""


class SweepJob(Job, Listener):
    """One sweep on its way; its thread writes what it knows, and others read it at any time.

    A job that only *tries* checks every point and answers a few, to say how long all of them take; those are kept.
    """

    def __init__(
        self,
        form: SweepForm,
        *,
        tries: bool = False,
        plan: Plan | None = None,
        awaited: Callable[[], bool] = lambda: False,
    ) -> None:
        """Where somebody has checked *form* already, *plan* is what it means.

        *awaited* says whether its page is open, even where that shows something else and does not look.
        """
        super().__init__()
        self.id = token_hex(8)
        self.forgotten = False
        """Whether it has ended because nobody looked at it any more."""
        self.form, self.tries, self.plan = form, tries, plan
        self.state: State = "waiting"
        self.faults: list[str] = []
        self.notes: list[str] = []
        self.checked_points = self.declared = 0
        self.wanted = self.reused = self.answered = self.failed = 0
        self.workers = 1
        self.table: SweepTable | None = None
        self._expected_s: float | None = None
        self._running: Running | None = None
        self._before = self._reports = 0
        """Answers that were known before its processes began, and how often they have given some."""
        self._began_s = self._last_s = 0.0
        """When they began and when the last answers came, by the clock."""
        self._awaited = awaited

    # What a page asks

    @property
    def active(self) -> bool:
        """Whether it goes on."""
        return self.state not in ENDED

    @property
    def cancelling(self) -> bool:
        """Whether it was told to end and has not yet."""
        return self.active and self.is_cancelled

    @property
    def done(self) -> int:
        """Answers that are known."""
        return self.reused + self.answered

    @property
    def rate_per_s(self) -> float | None:
        """Answers a second since its processes began; None before each of them has given some."""
        if self.state != "answering" or self._reports < SURE_REPORTS * self.workers:
            return None
        return (self.answered - self._before) / max(1e-3, self._last_s - self._began_s)

    @property
    def left_s(self) -> float | None:
        """About how long it will take from now on, by the mean of its answers so far; None where nobody knows yet."""
        if self._running is None or not self._reports:
            return self._expected_s
        each_s = 1 / self.rate_per_s if self.rate_per_s else self._running.each_s / self.workers
        return max(0.0, (self.wanted - self.done) * each_s - (time.monotonic() - self._last_s))

    # What its thread does

    def start(self, turns: threading.Semaphore) -> None:
        """Begin when one of *turns* is free."""
        threading.Thread(target=self._run, args=(turns,), name=f"sweep-{self.id}", daemon=True).start()

    def _run(self, turns: threading.Semaphore) -> None:
        try:
            while not turns.acquire(timeout=LOOKS_S):
                self._go_on()
            try:
                self._answer()
            finally:
                turns.release()
        except _Left:
            self.state = "tried" if self._knows_enough else "cancelled"
        except BlocktimeError as error:
            self._fail(getattr(error, "lines", [str(error)]))
        except Exception as error:  # a page must not wait for a thread that is gone
            self._fail([f"an error in blocktime: {type(error).__name__}: {error}"])
        finally:
            self.end()

    def _answer(self) -> None:
        self.state = "checking"
        if self.plan is None:
            self.plan = self.form.plan(self.checked)
        self._go_on()
        self.state = "trying"
        with sweeping(self.plan, SweepBackend(), self) as rows:
            self._take(rows.outcome)
            self._go_on()
            if not self.tries:
                self.table = table_of(rows)
        self.state = "tried" if self.tries else "done"

    @property
    def _knows_enough(self) -> bool:
        return self.tries and self._expected_s is not None

    def _fail(self, faults: Sequence[str]) -> None:
        self.faults = list(faults)
        self.state = "failed"

    def _go_on(self) -> None:
        """Leave off once it was cancelled, or nobody has looked at it for long."""
        if self.is_cancelled:
            raise _Left
        if self._awaited():
            self.look()
        elif self.unlooked_s > FORGOTTEN_S:
            self.forgotten = True
            raise _Left

    # What it hears

    def checked(self, done: int, declared: int) -> None:
        """So many points are checked."""
        self.checked_points, self.declared = done, declared
        self._go_on()

    def planned(self, running: Running, notes: Sequence[str]) -> None:
        """It is known what the store has."""
        self.notes = list(notes)
        self._take(running.outcome)
        self._go_on()

    def expects(self, running: Running, seconds: float, workers: int) -> None:
        """It is known how long the rest takes."""
        self._expected_s, self.workers = seconds, workers
        self._take(running.outcome)
        if self.tries:
            raise _Left
        self._running, self._before = running, self.answered
        self.state = "answering"
        self._go_on()

    def report_progress(self, outcome: Outcome) -> None:
        """Some more are answered."""
        self._take(outcome)
        self._last_s = time.monotonic()
        self._reports += 1
        if self._reports == 1 and self._running is not None:  # they take time to start
            self._began_s = self._last_s - self._running.each_s * (self.answered - self._before)
        self._go_on()

    def _take(self, outcome: Outcome) -> None:
        self.wanted, self.reused, self.answered = outcome.wanted, outcome.reused, outcome.answered
        self.failed = len(outcome.failed)


class Jobs:
    """All jobs of a server, for any session; the oldest of those that ended are forgotten."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, SweepJob] = {}
        self._turns = {tries: threading.Semaphore(MOST_AT_ONCE) for tries in (False, True)}

    def start(self, job: SweepJob) -> SweepJob:
        """Begin *job* when it is its turn."""
        with self._lock:
            self._jobs[job.id] = job
            ended = [job.id for job in self._jobs.values() if not job.active]
            for old in ended[: max(0, len(ended) - MOST_ENDED)]:
                del self._jobs[old]
        job.start(self._turns[job.tries])
        return job

    def get(self, name: str | None) -> SweepJob | None:
        """The job of that id, if it is remembered."""
        return self._jobs.get(name or "")
