"""Promises of a scenario file: `run --check` says which are kept, and ends with 1 where one is not."""

import json
from pathlib import Path

import pytest

import blocktime as bt
from blocktime.app.command.cli import main
from tests.command_line import CommandLine

FILE = """base = "tpc-b"
[[promise]]
keep = "response_p95_s <= '20 ms'"
[[promise]]
keep = "transactions_per_s >= 0.9 * workload.users"
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(FILE)
    return "mine.toml"


def test_a_kept_promise_has_its_number(blocktime: CommandLine, file: str) -> None:
    *_, first, second = blocktime.prints("run", file, "--check", "--quiet").splitlines()
    p95_s = bt.run(file)["response_p95_s"]
    assert first == f"kept    response_p95_s <= '20 ms': response_p95_s is {1000 * p95_s:.1f} ms"
    assert second.startswith("kept    transactions_per_s >= 0.9 * workload.users: transactions_per_s is ")
    assert [promise.holds for promise in bt.run(file).promises] == [True, True]


def test_a_broken_one_ends_with_1_and_names_the_limit(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    slow = ["run", file, "--check", "--set", "workload.users=400", "--set", "workload.transactions=400"]
    assert main([*slow, "--quiet"]) == 1
    *_, first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("broken  response_p95_s <= '20 ms': response_p95_s is ")
    assert first.endswith("; data disk 100 % busy")
    assert second.startswith("broken  transactions_per_s >= 0.9 * workload.users: ")
    assert main([*slow, "--json"]) == 1
    assert [each["holds"] for each in json.loads(capsys.readouterr().out)["promises"]] == [False, False]
    assert main(["run", file, "--quiet", "--set", "workload.transactions=400"]) == 0  # nobody asked


@pytest.mark.parametrize(
    ("promise", "sentence"),
    [
        ('[[promise]]\nkeep = "calls_per_s > 1"', "promise 'calls_per_s > 1': the answer has no calls_per_s; it has "),
        ('[[promise]]\nkeep = "respnse_s < 1"', "promise 'respnse_s < 1': no measure named 'respnse_s'; did you mean "),
        ('[[promise]]\nkeep = "response_s"', "promise 'response_s': got 'response_s'; allowed are "),
        (
            '[[promise]]\nkept = "response_s < 1"',
            "promise: got {'kept': 'response_s < 1'}; each [[promise]] is keep = ",
        ),
        ("promise = 3", "promise: got 3; each [[promise]] is keep = "),
        ("", "--check: the file has no [[promise]]"),
    ],
)
def test_a_promise_that_cannot_be_checked_is_one_sentence(
    blocktime: CommandLine, file: str, promise: str, sentence: str
) -> None:
    Path(file).write_text(f'base = "tpc-b"\n{promise}\n')
    assert f"mine.toml: {sentence}" in blocktime.refuses("run", file, "--check")


def test_check_and_a_report_do_not_go_together(blocktime: CommandLine, file: str) -> None:
    assert "--as awr: --check prints the answer itself; allowed is one of them" in blocktime.refuses(
        "run", file, "--check", "--as", "awr"
    )
