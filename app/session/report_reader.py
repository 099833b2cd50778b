"""A process that reads one report for the page, whose server goes on meanwhile.

It is called with the file's place and its name, and writes a pickled list of readings or a sentence that refuses it to
its standard output.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from blocktime.validation.instruments import Keep, NotReadable, OpenedFile, Reading, read
from blocktime.validation.instruments.opening import WHOLE_BYTES

MOST_S: Final = 20.0
"""Seconds that the reading of one file may take."""
ORPHANED_S: Final = 30
"""After so many seconds the process ends by itself, as nobody waits for it any more."""


def read_apart(name: str, content: bytes) -> list[Reading]:
    """Every report in *content*, read by a process of its own; raises NotReadable with one sentence.

    The file lies on the disk no longer than it is read.
    """
    with tempfile.TemporaryDirectory(prefix="blocktime-") as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        try:
            answer = subprocess.run(
                [sys.executable, "-P", "-m", "blocktime.app.session.report_reader", str(path), name],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=MOST_S,
                check=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            ).stdout
        except subprocess.TimeoutExpired:
            raise NotReadable(
                f"{name}: reading it takes more than {MOST_S:g} s; give the report of a shorter time, or read it with "
                "blocktime measure"
            ) from None
        except (OSError, subprocess.CalledProcessError):
            raise NotReadable(f"{name}: the process that read it has ended unexpectedly") from None
    readings = pickle.loads(answer)
    if isinstance(readings, str):
        raise NotReadable(readings)
    return list(readings)


def main() -> None:
    """Read the file that the command line names."""
    if hasattr(signal, "alarm"):
        signal.alarm(ORPHANED_S)
    path, name = sys.argv[1:]
    answer: list[Reading] | str
    try:
        answer = read(OpenedFile(Path(path), name, Keep(), WHOLE_BYTES))
    except NotReadable as refusal:
        answer = str(refusal)
    except OSError as fault:
        answer = f"{name}: cannot be read: {fault.strerror or fault}"
    pickle.dump(answer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
