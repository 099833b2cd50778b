"""What the executors' tests let workers do: found by a spawned worker as it is by a test."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from blocktime.model.errors import UnknownName
from blocktime.scenarios import worker_pool
from tests.patience import LIMIT_S


def doubled(items: Sequence[float]) -> list[float]:
    return [2 * item for item in items]


def times(factor: float, items: Sequence[float]) -> list[float]:
    return [factor * item for item in items]


def wait_until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def doubled_by(directory: str, many: int, items: Sequence[float]) -> list[float]:
    """Doubled, and a file named for each process that took part: none goes on before so many do."""
    (Path(directory) / str(os.getpid())).touch()
    wait_until(lambda: len(list(Path(directory).iterdir())) >= many, "the others did not come")
    return doubled(items)


def marks(directory: str, items: Sequence[float]) -> list[float]:
    """Doubled once there is a file ``go``, and a file named for each item that is begun."""
    for item in items:
        (Path(directory) / str(item)).touch()
    wait_until((Path(directory) / "go").exists, "nobody says go")
    return doubled(items)


def dies_once(marker: str, at: float, items: Sequence[float]) -> list[float]:
    """Doubled, but the first worker that meets *at* is killed."""
    if at in items and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return doubled(items)


def dies_at(at: float, items: Sequence[float]) -> list[float]:
    """Doubled, but whoever meets *at* is killed."""
    if at in items:
        os.kill(os.getpid(), signal.SIGKILL)
    return doubled(items)


def fails_at(at: float, items: Sequence[float]) -> list[float]:
    if at in items:
        raise UnknownName("disk", "nvmee", ["nvme"])
    return doubled(items)


def one_short(items: Sequence[float]) -> list[float]:
    return doubled(items)[1:]


def unpicklable(items: Sequence[float]) -> list[object]:
    return [lambda: None for _ in items]


def sleeps(started: str, items: Sequence[float]) -> list[float]:
    """Far too long for a test, and says that it began."""
    (Path(started) / str(os.getpid())).touch()
    time.sleep(10 * LIMIT_S)
    return doubled(items)


def large(items: Sequence[bytes]) -> list[bytes]:
    return [item[::-1] for item in items]


class Half:
    """The pipe to who asks, from a worker that is killed in the middle of what it sends."""

    def __init__(self, pipe: BinaryIO) -> None:
        self.pipe = pipe

    def write(self, data: bytes) -> None:
        self.pipe.write(memoryview(data)[: len(data) // 2])
        self.pipe.flush()
        os.kill(os.getpid(), signal.SIGKILL)


def large_dies_once(marker: str, items: Sequence[bytes]) -> list[bytes]:
    """Turned round, but the first worker is killed while it sends its answer."""
    if not Path(marker).exists():
        Path(marker).touch()
        worker_pool._ANSWERS[0] = Half(worker_pool._ANSWERS[0])
    return large(items)


def never_begins(started: str) -> None:
    (Path(started) / str(os.getpid())).touch()
    os.kill(os.getpid(), signal.SIGKILL)


def sleeps_but_first(started: str, items: Sequence[float]) -> list[float]:
    return doubled(items) if 0.0 in items else sleeps(started, items)


def pid() -> str:
    """No two processes have the same."""
    return str(os.getpid())
