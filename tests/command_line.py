"""The command `blocktime`, called in this process."""

import pytest

from blocktime.app.command.cli import main


class CommandLine:
    """What the command prints, and how it refuses."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def prints(self, *words: str) -> str:
        """Its standard output, once it has succeeded."""
        self._capsys.readouterr()
        assert main(words) == 0
        return self._capsys.readouterr().out

    def refuses(self, *words: str, sentences: int = 1) -> str:
        """Its sentences on standard error, a line each, with nothing beside them."""
        self._capsys.readouterr()
        assert main(words) == 2
        out, err = self._capsys.readouterr()
        assert out == ""
        lines = err.splitlines()
        assert len([line for line in lines if line.startswith("blocktime: ")]) == len(lines) == sentences, err
        assert "Usage" not in err
        return err
