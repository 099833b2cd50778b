"""Servers of our own with a page, on the loopback interface, and ended by us."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from blocktime.app.command import serve
from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def served(command: Callable[[int], Sequence[str]] = serve.command, port: int | None = None) -> Iterator[str]:
    """The address of a server that *command* starts, once it answers; it has a store of its own.

    No traceback that it prints may lead through our own code.
    """
    port = port or serve._free_port()
    address = f"http://{serve.HOST}:{port}"
    with TemporaryFile() as output, TemporaryDirectory() as store:
        process = serve.started(command(port), output, BLOCKTIME_STORE=store)

        def printed() -> str:
            output.seek(0)
            return output.read().decode(errors="replace")

        try:
            deadline = time.monotonic() + LIMIT_S
            while not serve._healthy(address):
                assert process.poll() is None, printed()
                assert time.monotonic() < deadline, printed()
                time.sleep(0.05)
            yield address
        finally:
            serve._stop(process)
        ours = [f'File "{ROOT / folder}/' for folder in serve.OUR_FOLDERS]
        assert not any(folder in printed() for folder in ours), printed()
