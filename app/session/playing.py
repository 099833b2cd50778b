"""Simulations beside the page: processes that play what sessions ask for, and what is known of their answers."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final, Protocol

from blocktime.app.base.with_parent import Child
from blocktime.app.session.simulator import ENDS
from blocktime.scenarios import Scenario

MOST_AT_ONCE: Final = max(1, min(2, (os.cpu_count() or 1) - 1))
"""Simulations under way at the same time; one processor is left to the page."""
MOST_KNOWN: Final = 300
"""Answers that are remembered, for all sessions."""
LOOKS_S: Final = 0.05
GRACE_S: Final = 1.0
"""For a run to end by itself; compiled loops hear nothing until they are through."""
FORGOTTEN_S: Final = 20.0
"""A job that nobody has looked at for so long ends: its page is closed."""


@dataclass(frozen=True)
class Ask:
    """One scenario to simulate: one run, so many with other seeds, or as many as its precision needs."""

    document: str
    """The scenario's JSON: what an answer is known by."""
    scenario: Scenario = field(compare=False, repr=False)
    replications: int | None = 1
    """None for as many as the precision needs."""

    @property
    def key(self) -> tuple[str, int | None]:
        """What its answer is known by."""
        return self.document, self.replications


@dataclass(frozen=True)
class SimulatedAnswer:
    """What came of one: the result's JSON, or a sentence on why there is none."""

    document: str = ""
    refused: str = ""
    until_s: float = inf
    """Moment of the clock after which it is asked again: another time the machine may be quicker."""


class Job:
    """What one session wants simulated, in order; anybody may look at it or cancel it at any time."""

    def __init__(self, asks: Sequence[Ask], *, urgent: bool = True) -> None:
        self.asks = tuple(asks)
        self.urgent = urgent
        """Whether it goes before those that are not."""
        self.done = 0
        """Of them, in their order, those that are answered."""
        self.news = 0
        """How many answers, and answers so far, have come."""
        self.so_far: dict[tuple[str, int | None], SimulatedAnswer] = {}
        """Answers of runs that go on, to a narrower interval."""
        self._began_s = self._looked_s = time.monotonic()
        self._cancelled = threading.Event()
        self._ended = threading.Event()
        self._changed = threading.Condition()

    @property
    def ended(self) -> bool:
        """Whether nothing more comes of it."""
        return self._ended.is_set()

    @property
    def took_s(self) -> float:
        """Seconds since it was asked for."""
        return time.monotonic() - self._began_s

    @property
    def unwanted(self) -> bool:
        """Whether it was cancelled, or nobody has looked at it for long."""
        return self._cancelled.is_set() or time.monotonic() - self._looked_s > FORGOTTEN_S

    def look(self) -> None:
        """Somebody still wants it."""
        self._looked_s = time.monotonic()

    def cancel(self) -> None:
        """It is not wanted any more; what it has played is kept."""
        self._cancelled.set()

    def show(self, ask: Ask, answer: SimulatedAnswer) -> None:
        """Let others see the answer of a run so far."""
        self.so_far[ask.key] = answer
        self._note()

    def advance(self) -> None:
        """One more is answered."""
        self.done += 1
        self._note()

    def end(self) -> None:
        """Nothing more comes of it."""
        self._ended.set()
        self._note(0)

    def _note(self, more: int = 1) -> None:
        with self._changed:
            self.news += more
            self._changed.notify_all()

    def wait_for(self, count: int, until_s: float) -> None:
        """Until it has ended or *count* are answered, but not longer than *until_s* after it was asked for."""
        with self._changed:
            self._changed.wait_for(lambda: self.ended or self.done >= count, max(0.0, until_s - self.took_s))

    def wait(self, seconds: float) -> bool:
        """Until it has ended, but not longer; whether it has."""
        return self._ended.wait(seconds)


class Plays(Protocol):
    """Who simulates one scenario at a time."""

    def play(self, ask: Ask, job: Job) -> SimulatedAnswer | None:
        """What came of it; None where *job* is not wanted any more."""


class Worker:
    """One process that simulates; it is started when it is first needed, and anew after it was lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def play(self, ask: Ask, job: Job) -> SimulatedAnswer | None:
        """Hand *ask* to the process, and end its run as soon as *job* is not wanted any more."""
        try:
            process = self._started()
            assert process.stdin is not None
            pickle.dump((ask.scenario, ask.replications), process.stdin)
            process.stdin.flush()
            word, text = self._heard(process, ask, job)
        except (OSError, EOFError, pickle.UnpicklingError):
            self.close()
            return (
                None
                if job.unwanted
                else SimulatedAnswer(refused="the simulation's process has ended unexpectedly")
            )
        if word == "ended":
            return None
        if word == "slow":
            return SimulatedAnswer(refused=text, until_s=time.monotonic() + FORGOTTEN_S)
        return SimulatedAnswer(document=text) if word == "answer" else SimulatedAnswer(refused=text)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
        self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = Child(
                ["-m", "blocktime.app.session.simulator"],
                {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def _heard(self, process: subprocess.Popen[bytes], ask: Ask, job: Job) -> tuple[str, str]:
        """What the process answers; *job* gets answers so far.

        A thread of its own tells the process when the job is not wanted any more.
        """
        assert process.stdout is not None
        answered = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(process, job, answered), daemon=True)
        watcher.start()
        try:
            while (heard := pickle.load(process.stdout))[0] == "so far":
                job.show(ask, SimulatedAnswer(document=heard[1]))
        finally:
            answered.set()
            watcher.join()
        return str(heard[0]), str(heard[1])

    @staticmethod
    def _watch(process: subprocess.Popen[bytes], job: Job, answered: threading.Event) -> None:
        """Ask the process to end its run once the job is unwanted; end the process where it does not hear."""
        while not answered.wait(LOOKS_S):
            if job.unwanted:
                break
        for _ in range(round(GRACE_S / LOOKS_S)):  # the first request may come before the run begins
            if ENDS is None or answered.is_set():
                break
            process.send_signal(ENDS)
            answered.wait(LOOKS_S)
        if not answered.is_set():
            process.kill()


class Players:
    """Those who simulate for all sessions of a server, and the answers that are known."""

    def __init__(self, workers: Sequence[Plays] | None = None) -> None:
        self._workers = [Worker() for _ in range(MOST_AT_ONCE)] if workers is None else list(workers)
        self._known: OrderedDict[tuple[str, int | None], SimulatedAnswer] = OrderedDict()
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []

    def known(self, document: str, replications: int | None = 1) -> SimulatedAnswer | None:
        """The answer to a scenario, if somebody has asked for it before."""
        with self._changed:
            played = self._known.get((document, replications))
            if played is not None and time.monotonic() > played.until_s:
                del self._known[document, replications]
                return None
            if played is not None:
                self._known.move_to_end((document, replications))
            return played

    def keep(self, ask: Ask, played: SimulatedAnswer) -> None:
        """Remember an answer; the one not asked for the longest gives way."""
        with self._changed:
            self._known[ask.key] = played
            self._known.move_to_end(ask.key)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)

    def start(self, job: Job) -> Job:
        """Play *job* when it is its turn."""
        with self._changed:
            self._waiting.append(job)
            self._waiting = deque(sorted(self._waiting, key=lambda waiting: not waiting.urgent))
            if len(self._threads) < len(self._workers):
                worker = self._workers[len(self._threads)]
                thread = threading.Thread(target=self._work, args=(worker,), name="simulations", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
        return job

    def _work(self, worker: Plays) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                job = self._waiting.popleft()
            goes_on = False
            try:
                goes_on = self._play(job, worker)
            finally:
                if goes_on:
                    self.start(job)
                else:
                    job.end()

    def _play(self, job: Job, worker: Plays) -> bool:
        """Play what is asked; whether some of it is left, as a more urgent job waits."""
        for ask in job.asks[job.done :]:
            if job.unwanted:
                return False
            if not job.urgent and any(waiting.urgent for waiting in tuple(self._waiting)):
                return True
            if self.known(*ask.key) is None:
                played = worker.play(ask, job)
                if played is None:
                    return False
                self.keep(ask, played)
            job.advance()
        return False
