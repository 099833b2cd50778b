"""What the system says of other processes, each of which may end while it is asked."""

import psutil


def words_of(process: psutil.Process) -> str:
    """The command line of *process*; empty for one that has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def is_gone(pid: int) -> bool:
    """Whether a process has ended, be it that nobody has asked how."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def children_of(pid: int | None = None, *, recursive: bool = False) -> list[psutil.Process]:
    """The processes that *pid*, or this one, has started and that run."""
    return [child for child in psutil.Process(pid).children(recursive) if words_of(child)]
