"""The server of the page: its one line, its clean end, and what it says when it cannot start."""

import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from blocktime.app.command import serve as page_server
from blocktime.model.errors import SpecError
from tests.patience import LIMIT_S

ROOT = Path(page_server.__file__).resolve().parents[2]


def test_a_taken_port_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert page_server.serve(port, browser=False) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert str(port) in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("port", [0, -1, 70000])
def test_an_impossible_port_is_one_sentence(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert page_server.serve(port, browser=False) == 2
    assert "1 to 65535" in capsys.readouterr().err


def test_without_streamlit_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "streamlit", None)
    with pytest.raises(SpecError, match=r"streamlit, which is not installed: pip install 'blocktime\[page\]'"):
        page_server.serve(browser=False)


def test_it_stays_on_this_machine() -> None:
    command = page_server.command(8501)
    assert "--server.address=127.0.0.1" in command
    assert "--browser.gatherUsageStats=false" in command
    assert "--server.fileWatcherType=none" in command


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_it_says_where_it_is_and_ends_cleanly(number: signal.Signals, tmp_path: Path) -> None:
    code = "import sys; from blocktime.app.command.serve import serve; sys.exit(serve(None, browser=False))"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**_environment()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Blocktime is at http://127.0.0.1:"), line
        address = line.split()[3]
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(address, timeout=LIMIT_S) as answer:
            assert answer.status == 200
        process.send_signal(number)
        out, err = process.communicate(timeout=LIMIT_S)
        assert (process.returncode, out, err) == (0, "", "")
        with pytest.raises(OSError, match="refused"):
            direct.open(address, timeout=LIMIT_S)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_a_fault_of_a_page_is_printed_and_a_browser_that_left_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--client.showErrorDetails=full" in page_server.command(8501)
    fault = f'Traceback\n  File "{ROOT}/app/what_if/what_if.py", line 1\nValueError: 5 min 14 s\n'
    left = f'Traceback\n  File "{ROOT}/lib/starlette/websockets.py", line 1\nWebSocketDisconnected\n'
    with TemporaryFile() as output:
        output.write(b"started\n")
        output.flush()
        told = len(b"started\n")
        for text in (left, fault):
            output.write(text.encode())
            output.flush()
            told += page_server._tell(output, told)
    assert capsys.readouterr().err == fault
