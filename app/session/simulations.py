"""Simulations beside the page: processes that play what sessions ask for, and what is known of their answers."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Final, Protocol

from blocktime.app.session.job import Job
from blocktime.model.errors import BlocktimeError, OverBudget
from blocktime.model.interim import sent_to
from blocktime.scenarios import Scenario, run
from blocktime.scenarios.worker_pool import CallCancelled, Worker, WorkerLost, WorkerPool, tell

MOST_AT_ONCE: Final = max(1, min(2, (os.cpu_count() or 1) - 1))
"""Simulations under way at the same time; one processor is left to the page."""
MOST_KNOWN: Final = 300
"""Answers that are remembered, for all sessions."""
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


class SimulationJob(Job):
    """What one session wants simulated, in order; anybody may look at it or cancel it at any time."""

    def __init__(self, asks: Sequence[Ask], *, urgent: bool = True) -> None:
        super().__init__()
        self.asks = tuple(asks)
        self.urgent = urgent
        """Whether it goes before those that are not."""
        self.done = 0
        """How many of them are answered."""
        self.news = 0
        """How many answers, and answers so far, have come."""
        self.so_far: dict[tuple[str, int | None], SimulatedAnswer] = {}
        """Answers of runs that go on, to a narrower interval."""
        self._left = len(self.asks)
        self._changed = threading.Condition()

    @property
    def is_unwanted(self) -> bool:
        """Whether it was cancelled, or nobody has looked at it for long."""
        return self.is_cancelled or self.unlooked_s > FORGOTTEN_S

    def show(self, ask: Ask, answer: SimulatedAnswer) -> None:
        """Let others see the answer of a run so far."""
        self.so_far[ask.key] = answer
        with self._changed:
            self.news += 1
            self._changed.notify_all()

    def leave(self, is_answered: bool) -> None:
        """One more is answered, or given up; after the last one nothing more comes of it."""
        with self._changed:
            self._left -= 1
            self.done += is_answered
            self.news += is_answered
            if self._left <= 0:
                self.end()
            self._changed.notify_all()

    def wait_for(self, count: int, until_s: float) -> None:
        """Until it has ended or *count* are answered, but not longer than *until_s* after it was asked for."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_ended or self.done >= count, max(0.0, until_s - self.took_s))


class Plays(Protocol):
    """Who simulates one scenario at a time."""

    def play(self, ask: Ask, job: SimulationJob) -> SimulatedAnswer | None:
        """What came of it; None where *job* is not wanted any more."""


class Simulator(Worker):
    """A process that simulates."""

    def play(self, ask: Ask, job: SimulationJob) -> SimulatedAnswer | None:
        """Hand *ask* to the process, and end its run as soon as *job* is not wanted any more."""
        try:
            answer: SimulatedAnswer = self.call(
                simulate, ask.scenario, ask.replications,
                hear=lambda document: job.show(ask, SimulatedAnswer(document)), is_unwanted=lambda: job.is_unwanted,
            )  # fmt: skip
        except CallCancelled:
            return None
        except WorkerLost:
            return SimulatedAnswer(refused="the simulation's process has ended unexpectedly")
        except BlocktimeError as error:
            return SimulatedAnswer(refused=str(error))
        return replace(answer, until_s=time.monotonic() + FORGOTTEN_S) if answer.until_s < inf else answer


def simulate(scenario: Scenario, replications: int | None) -> SimulatedAnswer:
    """In a worker: the answer, and those so far are told."""
    try:
        with sent_to(lambda result: tell(result.model_dump_json())):
            return SimulatedAnswer(run(scenario, replications=replications).model_dump_json())
    except OverBudget as error:
        return SimulatedAnswer(refused=str(error), until_s=0.0 if error.of == "seconds" else inf)
    except BlocktimeError as error:
        return SimulatedAnswer(refused=str(error))
    except ImportError:
        return SimulatedAnswer(refused="this installation has no simulation engine")
    except Exception as error:  # the next scenario may well have an answer
        return SimulatedAnswer(refused=f"an error in blocktime: {type(error).__name__}: {error}")


class Players:
    """Those who simulate for all sessions of a server, and the answers that are known."""

    def __init__(self, workers: Sequence[Plays] | None = None) -> None:
        self._pool = WorkerPool([Simulator() for _ in range(MOST_AT_ONCE)] if workers is None else workers)
        self._known: OrderedDict[tuple[str, int | None], SimulatedAnswer] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, document: str, replications: int | None = 1) -> SimulatedAnswer | None:
        """The answer to a scenario, if somebody has asked for it before."""
        with self._lock:
            played = self._known.get((document, replications))
            if played is not None and time.monotonic() > played.until_s:
                del self._known[document, replications]
                return None
            if played is not None:
                self._known.move_to_end((document, replications))
            return played

    def keep(self, ask: Ask, played: SimulatedAnswer) -> None:
        """Remember an answer; the one not asked for the longest gives way."""
        with self._lock:
            self._known[ask.key] = played
            self._known.move_to_end(ask.key)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)

    def start(self, job: SimulationJob) -> SimulationJob:
        """Play what *job* asks for, each when it is its turn."""
        for ask in job.asks:
            self._pool.submit(partial(self._play, job, ask), urgent=job.urgent)
        return job

    def _play(self, job: SimulationJob, ask: Ask, worker: Plays) -> None:
        is_answered = False
        try:
            if not job.is_unwanted and self.known(*ask.key) is None:
                played = worker.play(ask, job)
                if played is not None:
                    self.keep(ask, played)
            is_answered = self.known(*ask.key) is not None
        finally:
            job.leave(is_answered)
