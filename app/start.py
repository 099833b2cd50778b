"""Where the process of the command begins: from here on Ctrl-C ends it with exit code 130 and without a word."""

import gc
import sys
from typing import Any, Final

from blocktime.app.base.interrupts import INTERRUPTED, interrupts

COLLECTED_AFTER: Final = 100_000
"""New objects after which Python looks for cycles among them: imports make many objects and hardly a cycle."""


def main() -> int:
    """Run the command line and return its exit code; most of the first half second goes into imports."""
    sys.unraisablehook = _end_where_interrupted
    gc.set_threshold(COLLECTED_AFTER)
    try:
        import signal

        # A shell's background job ignores it.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupt)
        # ``blocktime`` starts Python with SIGINT blocked: one that came since then arrives here.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        from blocktime.app.command.cli import main as run  # from here on an interrupt has its handler

        code = run()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done, and Python's own end takes a moment
        gc.freeze()  # which is shorter where Python looks for no cycles among what the system frees anyway
        return code
    except BaseException as error:
        if interrupts or isinstance(error, KeyboardInterrupt):
            return INTERRUPTED
        raise


def _interrupt(number: int, _: Any) -> None:
    """Note the interrupt, then raise it: an import in C or the parser may turn it into another error."""
    interrupts.append(number)
    raise KeyboardInterrupt


def _end_where_interrupted(unraisable: Any) -> None:
    """End the process where the interrupt meets a callback; Python would report it and go on."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        import os

        os._exit(INTERRUPTED)
    sys.__unraisablehook__(unraisable)
