"""Peak memory of a process, its own and not what its parent had when it was started."""

from pathlib import Path


def peak_kib() -> int:
    """Return the most memory in KiB that this program has held since it began (Linux: `VmHWM`, proc_pid_status(5)).

    `ru_maxrss` of getrusage(2) is not reset by execve(2): in a child it begins at what its parent had.
    """
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise OSError("/proc/self/status: no line VmHWM")
