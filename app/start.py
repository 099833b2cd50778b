"""Where the process of the command begins: from here on Ctrl-C ends it with exit code 130 and without a word."""

import sys
from typing import Any

INTERRUPTED = 130


def main() -> int:
    """Run the command line and return its exit code; most of the first half second goes into imports."""
    sys.unraisablehook = _end_where_interrupted
    try:
        import signal

        from app.cli import main as run

        code = run()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done, and Python's own end takes a moment
        return code
    except KeyboardInterrupt:
        return INTERRUPTED


def _end_where_interrupted(unraisable: Any) -> None:
    """End the process where the interrupt meets a callback; Python would report it and go on."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        import os

        os._exit(INTERRUPTED)
    sys.__unraisablehook__(unraisable)
