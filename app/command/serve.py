"""Start the page on this machine, say where it is, and end it when asked."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final

import blocktime
from blocktime.app.base.output import print_lines
from blocktime.model.extras import check_installed
from blocktime.scenarios.child_process import Child

HOST: Final = "127.0.0.1"
USUAL_PORT: Final = 8501
STARTS_WITHIN_S: Final = 300.0
MOST_READ: Final = 65_536
OUR_FOLDERS: Final = ("app", "blocktime")
"""Our own folders: a traceback through one of them is a fault of ours."""
ENDS_WITHIN_S: Final = 10.0
ROOT: Final = Path(blocktime.__file__).resolve().parents[1]
"""The folder of this checkout or installation."""
ENTRY: Final = Path(__file__).resolve().parents[1] / "page_server.py"


def serve(port: int | None = None, browser: bool = True) -> int:
    """Serve the page until Ctrl-C or SIGTERM; 0 when it was ended so, 2 with one sentence when it cannot start."""
    check_installed("streamlit")
    if port is None:
        port = USUAL_PORT if _is_free(USUAL_PORT) else _free_port()
    elif not 0 < port < 65536:
        return _refuse(f"Port {port} is not a port; give one from 1 to 65535.")
    elif not _is_free(port):
        return _refuse(f"Port {port} is taken or not allowed; give another with --port, or none to let one be chosen.")
    with TemporaryFile() as output:
        process = started(command(port), output)
        ended = threading.Event()
        before = _on_signals(lambda *_: ended.set())
        try:
            return _watch(process, port, browser, ended, output)
        finally:
            _stop(process)
            for number, handler in before.items():
                signal.signal(number, handler)


def command(port: int) -> list[str]:
    """What Python is told to serve the page on *port* of the loopback interface."""
    options = {
        "server.address": HOST, "server.port": port, "server.headless": "true", "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false", "client.showErrorDetails": "full",
    }  # fmt: skip
    words = [f"--{name}={value}" for name, value in options.items()]
    return ["-m", "streamlit", "run", str(ENTRY), *words]


def started(words: Sequence[str], output: IO[bytes], **variables: str) -> Child:
    """A server that writes to *output*.

    It runs in the folder of this checkout or installation: Streamlit obeys settings that lie in the working folder.
    """
    root = str(ROOT)
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    env = {"PYTHONPATH": path, **variables}
    if store := os.environ.get("BLOCKTIME_STORE"):
        env.setdefault("BLOCKTIME_STORE", os.path.abspath(store))
    return Child(words, env, cwd=root, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)


def _watch(
    process: subprocess.Popen[bytes], port: int, browser: bool, ended: threading.Event, output: IO[bytes]
) -> int:
    address = f"http://{HOST}:{port}"
    deadline = time.monotonic() + STARTS_WITHIN_S
    while not _healthy(address):
        if ended.is_set():
            return 0
        if process.poll() is not None or time.monotonic() > deadline:
            output.seek(0)
            last = output.read().decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
            return _refuse(f"The page did not start: {last[0]}")
        ended.wait(0.1)
    print(f"Blocktime is at {address} — Ctrl-C ends it", flush=True)
    if browser:
        webbrowser.open(address)
    printed = os.fstat(output.fileno()).st_size
    while not ended.wait(0.25):
        printed += _tell(output, printed)
        if process.poll() is not None:
            return _refuse(f"The page server ended with exit code {process.returncode}.")
    return 0


def _tell(output: IO[bytes], printed: int) -> int:
    """Print what the server wrote after its first *printed* bytes if it is a fault of a page; return its length.

    The place where the server writes next stays as it is. What it says of connections that browsers end is left out.
    """
    new = os.pread(output.fileno(), MOST_READ, printed) if hasattr(os, "pread") else b""
    text = new.decode(errors="replace")
    if any(f'File "{ROOT / folder}{os.sep}' in text for folder in OUR_FOLDERS):
        print(text, end="", file=sys.stderr, flush=True)
    return len(new)


def _healthy(address: str) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # never by way of a proxy
    try:
        with direct.open(f"{address}/_stcore/health", timeout=2) as answer:
            return bool(answer.read() == b"ok")
    except OSError:
        return False


def _on_signals(handler: Any) -> dict[int, Any]:
    """Let Ctrl-C and SIGTERM call *handler*; the handlers from before. Only the main thread may do so."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(timeout=ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _refuse(sentence: str) -> int:
    print_lines([f"blocktime: {sentence}"], err=True)
    return 2
