"""Processes that work beside this one: each has pipes of its own, so one that is killed costs its task alone.

A pool whose workers share a pipe, as those of the standard library and of Pebble do, waits for ever once a worker is
killed while it sends an answer.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from queue import PriorityQueue
from types import FrameType
from typing import Any, BinaryIO, Final, Generic, TypeVar

from blocktime.model.errors import SpecError
from blocktime.scenarios.child_process import Child, deaf_to_interrupts, end_with_parent

W = TypeVar("W")

PROGRAM: Final = ("-c", "from blocktime.scenarios.worker_pool import main; main()")
STARTS: Final = 3
"""How often a worker is started that dies before it can work."""
ENDS: Final = getattr(signal, "SIGUSR1", None)
"""The signal that ends a call and leaves the process; None where a system has none."""
LOOKS_S: Final = 0.05
GRACE_S: Final = 1.0
"""For a call to end by itself; compiled loops hear nothing until they are through."""
IMPORTS: Final = ("importlib", "_frozen_importlib")
"""Packages whose frames say that an import is under way."""
AGAIN_S: Final = 0.05
"""Until a signal that comes during an import comes again."""


class WorkerLost(Exception):
    """The worker died during the call."""


class CallCancelled(Exception):
    """Nobody wanted the call any more."""


# In the process that asks


class Worker:
    """One process that does one call at a time; it is started when it is first needed, and anew after it was lost."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        hear: Callable[[Any], None] | None = None,
        is_unwanted: Callable[[], bool] | None = None,
    ) -> Any:
        """What *function*, one of a module, returns there for *arguments*; *hear* gets what it tells meanwhile.

        Raises :class:`CallCancelled` soon after *is_unwanted* says so, :class:`WorkerLost` where the process died in
        the call, and :class:`SpecError` where none can be started. *function* itself should not raise.
        """
        call = pickle.dumps((function, arguments))
        try:
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            pickle.dump(call, process.stdin)
            process.stdin.flush()
            with _watched(process, is_unwanted):
                while (message := pickle.load(process.stdout))[0] == "so far":
                    if hear is not None:
                        hear(message[1])
        except (OSError, EOFError, pickle.UnpicklingError):
            self._drop()
            if is_unwanted is not None and is_unwanted():
                raise CallCancelled from None
            raise WorkerLost from None
        word, value = message
        if word == "ended":
            raise CallCancelled
        if word == "raised":
            raise RuntimeError(value)
        return value

    def kill(self) -> None:
        """End the process, whatever it does, and start no other one; any thread may say so."""
        with self._lock:
            self._closed = True
            if self.process is not None:
                self.process.kill()

    def close(self) -> None:
        """End the process, and wait until it has; within no call."""
        self.kill()
        self._drop()

    def _drop(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):  # what was still to be written has no reader
                        stream.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self.process is not None and self.process.poll() is None:
            return self.process
        for _ in range(STARTS):
            self._drop()
            with self._lock:
                if self._closed:
                    raise EOFError
                process = self.process = self._start()
            assert process.stdout is not None
            with suppress(EOFError, OSError, pickle.UnpicklingError):
                pickle.load(process.stdout)
                return process
        self._drop()
        raise SpecError(
            f"workers: a process was started {STARTS} times and died before it could work; "
            "see whether there is memory for it, or take fewer"
        )

    def _start(self) -> subprocess.Popen[bytes]:
        env = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        pipe = subprocess.PIPE
        try:
            with deaf_to_interrupts():
                return Child(PROGRAM, env, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        except OSError as error:
            raise SpecError(f"workers: a process cannot be started: {error}") from error


@contextmanager
def _watched(process: subprocess.Popen[bytes], is_unwanted: Callable[[], bool] | None) -> Iterator[None]:
    """A thread of its own tells the process when its call is not wanted any more."""
    if is_unwanted is None:
        yield
        return
    answered = threading.Event()
    watcher = threading.Thread(target=_watch, args=(process, is_unwanted, answered), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        answered.set()
        watcher.join()


def _watch(process: subprocess.Popen[bytes], is_unwanted: Callable[[], bool], answered: threading.Event) -> None:
    """Ask the process to end its call once that is unwanted; end the process where it does not hear."""
    while not answered.wait(LOOKS_S):
        if is_unwanted():
            break
    for _ in range(round(GRACE_S / LOOKS_S)):  # the first request may come before the call begins
        if ENDS is None or answered.is_set():
            break
        process.send_signal(ENDS)
        answered.wait(LOOKS_S)
    if not answered.is_set():
        process.kill()


class WorkerPool(Generic[W]):
    """Threads that do tasks, each with a worker of its own; the urgent ones first, others in their order."""

    def __init__(self, workers: Sequence[W]) -> None:
        self.workers = workers
        self._tasks: PriorityQueue[tuple[int, int, Callable[[W], None] | None]] = PriorityQueue()
        self._turns = count()
        self._threads: list[threading.Thread] = []

    def submit(self, task: Callable[[W], None], *, urgent: bool = True) -> None:
        """Have *task* done with the next worker that is free; it should not raise."""
        self._tasks.put((0 if urgent else 1, next(self._turns), task))
        if len(self._threads) < len(self.workers):
            worker = self.workers[len(self._threads)]
            self._threads.append(threading.Thread(target=self._work, args=(worker,), daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """Do no further task, and wait for those under way."""
        for _ in self._threads:
            self._tasks.put((-1, next(self._turns), None))
        for thread in self._threads:
            thread.join()

    def _work(self, worker: W) -> None:
        while (task := self._tasks.get()[-1]) is not None:
            task(worker)


# In the worker


class _Ended(BaseException):
    """Nobody wants the call any more."""


class _Switch:
    """Lets the signal through while a call is under way, and only between imports.

    A module whose import is cut short stays half made in the process, and some cannot be imported again; a signal that
    comes meanwhile comes once more a little later.
    """

    def __init__(self) -> None:
        self.on = False
        self._call = 0
        self._is_coming_again = False

    def begin(self) -> None:
        """A call begins."""
        self._call += 1
        self.on = True

    def end(self, number: int, frame: FrameType | None) -> None:
        if not self.on:
            return
        if _is_importing(frame):
            if not self._is_coming_again:
                self._is_coming_again = True
                threading.Timer(AGAIN_S, self._come_again, (self._call, number)).start()
            return
        self.on = False
        raise _Ended

    def _come_again(self, call: int, number: int) -> None:
        self._is_coming_again = False
        if self.on and self._call == call:  # else another call would be ended
            os.kill(os.getpid(), number)


def _is_importing(frame: FrameType | None) -> bool:
    """Whether an import is under way in a frame or in those that called it."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in IMPORTS:
            return True
        frame = frame.f_back
    return False


_SWITCH: Final = _Switch()
_ANSWERS: list[BinaryIO] = []


def tell(value: Any) -> None:
    """From within a call: tell who asked something; no signal cuts it short, and one that comes now comes again."""
    _SWITCH.on = False
    _send("so far", value)
    _SWITCH.on = True


def main() -> None:
    """Do calls until the input ends, or the process that asks is gone."""
    end_with_parent()
    if ENDS is not None:
        signal.signal(ENDS, _SWITCH.end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asks, which ends this process itself
    calls = sys.stdin.buffer
    _ANSWERS.append(os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    sys.stdout = sys.stderr  # what anybody prints must not come between answers
    _send("ready", None)
    while True:
        try:
            call = pickle.load(calls)
        except EOFError:
            return
        _send(*_done(call))


def _done(call: bytes) -> tuple[str, Any]:
    try:
        _SWITCH.begin()
        try:
            function, arguments = pickle.loads(call)
            return "answer", function(*arguments)
        finally:
            _SWITCH.on = False
    except _Ended:
        return "ended", None
    except Exception as error:
        return "raised", f"{type(error).__name__}: {error}"


def _send(word: str, value: Any) -> None:
    pickle.dump((word, value), _ANSWERS[0])
    _ANSWERS[0].flush()
