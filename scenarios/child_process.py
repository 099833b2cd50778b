"""A process of ours ends with the one that started it, however that ended."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

PARENT: Final = "BLOCKTIME_PARENT"
"""The variable that tells a child of a pipe: nobody writes to it, and its other end is open while the parent lives."""


class Child(subprocess.Popen[bytes]):
    """A process that runs Python with *words*, finds no module in the working folder and calls `end_with_parent`."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str], **how: Any) -> None:
        pipe, ours = os.pipe()
        weakref.finalize(self, os.close, ours)
        try:
            super().__init__(
                [sys.executable, "-P", *words], env={**os.environ, **env, PARENT: str(pipe)}, pass_fds=(pipe,), **how
            )
        finally:
            os.close(pipe)


def end_with_parent() -> None:
    """End this process as soon as its parent is gone; Linux does so even within a compiled loop."""
    if not (named := os.environ.pop(PARENT, "")).isdecimal():
        return
    pipe = int(named)
    os.set_inheritable(pipe, False)
    threading.Thread(target=_end_where_closed, args=(pipe,), daemon=True).start()
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)


def _end_where_closed(pipe: int) -> None:
    """Other systems than Linux, and a parent that went before this process could ask for a signal."""
    while os.read(pipe, 1):
        pass
    os._exit(1)


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes and threads that are started within never see Ctrl-C, which goes to all processes of a terminal."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
