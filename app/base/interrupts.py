"""That the command was asked to end: the exit code that says so, and by which signals."""

INTERRUPTED = 130

interrupts: list[int] = []
"""The numbers of the signals that have asked the command to end."""
