"""Completion in a shell: commands, scenarios, fields with their values; and the script that asks for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from blocktime.app.command.cli import main
from tests.command_line import CommandLine
from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]


def offered(words: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> list[str]:
    """What bash is offered for the last of *words*."""
    monkeypatch.setenv("_BLOCKTIME_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    with pytest.raises(SystemExit):
        main([])
    return [line.partition(",")[2] for line in capfd.readouterr().out.split("\n") if line]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("blocktime va", ["validate"]),
        ("blocktime run tpc", ["tpc-b", "tpc-c"]),
        ("blocktime compare tpc-b tpc", ["tpc-b", "tpc-c"]),
        ("blocktime sweep ./mine", ["./mine"]),
        ("blocktime run tpc-b,disk.iops", ["tpc-b,disk.iops_limit="]),
        ("blocktime run tpc-b --set tablespace.block", ["tablespace.block_size_bytes="]),
        ("blocktime run tpc-b --set host.u", ["host.use="]),
        ("blocktime run tpc-b --set disk.use=azure-p6", ["disk.use=azure-p60"]),
        ("blocktime sweep tpc-b --vary disk.use=nvme,azure-p6", ["disk.use=nvme,azure-p60"]),
        ("blocktime run tpc-b --set instance.filesystemio_options=", [
            f"instance.filesystemio_options={word}" for word in ("none", "asynch", "directio", "setall")]),
        ("blocktime run tpc-b --set workload.kind=del", ["workload.kind=delete"]),
    ],
)  # fmt: skip
def test_a_word_is_completed(
    words: str, wanted: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert sorted(offered(words, monkeypatch, capfd)) == sorted(wanted)


@pytest.mark.parametrize(
    ("shell", "line"),
    [("bash", "complete -o nosort -F _blocktime_completion blocktime"), ("zsh", "#compdef blocktime"),
     ("fish", "function _blocktime_completion;")],
)  # fmt: skip
def test_each_shell_has_its_script(shell: str, line: str, blocktime: CommandLine) -> None:
    assert line in blocktime.prints("completion", shell)


def test_another_shell_is_one_sentence(blocktime: CommandLine) -> None:
    assert "'tcsh' is not one of" in blocktime.refuses("completion", "tcsh")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_takes_a_field_and_its_value_as_one_word(tmp_path: Path) -> None:
    command = tmp_path / "blocktime"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m blocktime "$@"\n')
    command.chmod(0o755)
    script = (
        'eval "$(blocktime completion bash)"; [[ "$COMP_WORDBREAKS" == *=* ]] && echo breaks\n'
        "compopt() { echo compopt; }\n"
        "COMP_WORDS=(blocktime run tpc-b --set disk.use=azure-p6); COMP_CWORD=4\n"
        '_blocktime_completion blocktime disk.use=azure-p6 --set; echo "${COMPREPLY[@]}"'
    )
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, check=False, timeout=LIMIT_S,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stdout == "disk.use=azure-p60\n", done.stderr
