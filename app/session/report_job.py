"""Work on reports beside the page: one call in a process of its own, which a page awaits and anybody may leave."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from blocktime.app.session.job import Job
from blocktime.model.errors import BlocktimeError
from blocktime.scenarios.worker_pool import CallCancelled, Worker, WorkerLost, WorkerPool

FORGOTTEN_S: Final = 60.0
"""A job that nobody has looked at for so long ends: its page is closed."""


class ReportJob(Job):
    """One call: what it returns, or why it returns nothing."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        super().__init__()
        self.call = function, arguments
        self.value: Any = None
        self.refused = ""

    @property
    def is_unwanted(self) -> bool:
        """Whether it was cancelled, or nobody has looked at it for long."""
        return self.is_cancelled or self.unlooked_s > FORGOTTEN_S

    def play(self, worker: Worker) -> None:
        """Have *worker* do the call."""
        try:
            self.value, self.refused = worker.call(outcome_of, *self.call, is_unwanted=lambda: self.is_unwanted)
        except CallCancelled:
            self.refused = "this was cancelled"
        except WorkerLost:
            self.refused = "the process that worked on the reports has ended unexpectedly: give fewer or shorter ones"
        except (BlocktimeError, RuntimeError) as error:
            self.refused = str(error)
        finally:
            self.end()


def outcome_of(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, str]:
    """What *function* returns, or a sentence on why it does not."""
    try:
        return function(*arguments), ""
    except BlocktimeError as error:
        return None, str(error)


@lru_cache(maxsize=1)
def _pool() -> WorkerPool[Worker]:
    """The one process that works on reports, for all sessions; each call waits for its turn."""
    return WorkerPool([Worker()])


def start(function: Callable[..., Any], *arguments: Any) -> ReportJob:
    """Call *function*, one of a module, beside the page."""
    job = ReportJob(function, *arguments)
    _pool().submit(job.play)
    return job
