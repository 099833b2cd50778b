"""What the executors' tests let workers do: found by a spawned worker as it is by a test."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from blocktime.model.errors import UnknownName
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


def large_dies_once(marker: str, items: Sequence[bytes]) -> list[bytes]:
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return large(items)


def prepared() -> None:
    os.environ["BLOCKTIME_TEST_PREPARED"] = "yes"


def is_prepared(items: Sequence[float]) -> list[str]:
    return [os.environ.get("BLOCKTIME_TEST_PREPARED", "no") for _ in items]


def not_prepared() -> None:
    raise RuntimeError("the library is broken")


def never_ready(started: str) -> None:
    (Path(started) / str(os.getpid())).touch()
    os.kill(os.getpid(), signal.SIGKILL)


def sleeps_but_first(started: str, items: Sequence[float]) -> list[float]:
    return doubled(items) if 0.0 in items else sleeps(started, items)


def pid() -> str:
    """No two processes have the same."""
    return str(os.getpid())
