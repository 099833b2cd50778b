"""What an answer costs is known before it begins, within a factor of three; more than the budget is refused."""

import pytest

from blocktime.app.base import output
from blocktime.app.command.cli import main
from blocktime.model.budget import Budget, show_duration
from blocktime.model.errors import OverBudget
from blocktime.scenarios import load, run
from blocktime.scenarios.forecast import Forecast, expected_within, forecast
from blocktime.scenarios.sweeps.sweep import SweepBackend, sweep
from tests.command_line import CommandLine

GROWS = ("workload.growth_bytes=980000", "table.rows=4000", "table.row_bytes=100")
MANY_USERS_ON_FLASH = (
    "workload.users=200", "workload.think_s=0.1", "workload.data_bytes=760M", "workload.hottest_blocks=320",
    "instance.buffer_cache_bytes=480M", "instance.checkpoint_s=5", "disk.use=nvme",
)  # fmt: skip
Captured = pytest.CaptureFixture[str]


def expected(name: str, *settings: str) -> Forecast:
    asked = load(name, settings)
    return forecast(asked.system, asked.workload, asked.replications)


@pytest.mark.parametrize(
    ("name", "settings", "low_s", "high_s"),
    [
        ("tpc-c", ("workload.users=20000",), 3.8, 35),
        ("tpc-c", (*MANY_USERS_ON_FLASH, "workload.transactions=100000"), 0.32, 2.9),
        ("tpc-c", ("disk.use=nvme", "workload.transactions=30000"), 0.21, 1.9),
        ("tpc-b", ("workload.transactions=60000",), 0.12, 1.2),
        ("rahn-pctfree-8k-10", GROWS, 0.23, 2.1),
        ("rahn-pctfree-8k-10", ("workload.kind=delete", "table.rows=1000000", "table.blocks=1000000"), 0.48, 4.3),
        ("rahn-pctfree-8k-10", ("workload.kind=delete", "table.rows=1000000", "workload.rows_fraction=0.001"), 0, 0.5),
        ("rahn-pctfree-8k-10", ("workload.kind=insert", "workload.rows=100000", "workload.users=2",
          "table.rows=1000000", "workload.method=array", "workload.arraysize_rows=5",
          "workload.uncommitted_delete_fraction=0.95"), 0.1, 0.9),
        ("rahn-pctfree-8k-10", ("workload.kind=delete", "workload.users=50", "table.rows=9000",
          "host.change_block_s=1"), 0.4, 4.3),
        ("rahn-full-scan", (), 0, 0.3),
        ("magni-dd-raw-10000", ("workload.count=1000000",), 1.5, 13),
        ("rahn-full-scan", ("workload.users=20", "table.cached_fraction=0.5"), 2, 18),
    ],
)  # fmt: skip
def test_a_forecast_is_within_a_factor_of_three_of_what_was_measured(
    name: str, settings: tuple[str, ...], low_s: float, high_s: float
) -> None:
    assert low_s <= expected(name, *settings).seconds <= high_s


@pytest.mark.parametrize(
    ("name", "users", "simulated"),
    [("tpc-b", 10, 4_000), ("tpc-b", 30, 17_900), ("tpc-c", 10, 15_600), ("tpc-c", 40, 98_300), ("tpc-c", 80, 82_400)],
)
def test_a_run_is_as_long_as_expected_within_a_factor_of_three(name: str, users: int, simulated: int) -> None:
    assert simulated / 3 <= expected(name, f"workload.users={users}").steps <= 3 * simulated


def test_more_is_expected_of_more() -> None:
    assert expected("tpc-b", "workload.transactions=8000").seconds > expected("tpc-b").seconds
    twice = expected("magni-dd-raw-10000", "workload.count=20000")
    assert twice.seconds > expected("magni-dd-raw-10000").seconds
    assert twice.bytes > expected("magni-dd-raw-10000").bytes
    repeated = load("tpc-c")
    assert forecast(repeated.system, repeated.workload, 5).seconds > 3 * expected("tpc-c").seconds


def test_rows_whose_blocks_the_cache_holds_are_not_read_one_by_one() -> None:
    rows = ("workload.kind=update", "workload.order=random", "workload.rows_fraction=1", "table.rows=1000000")
    read, held = (expected("rahn-pctfree-8k-10", *rows, f"instance.buffer_cache_bytes={size}") for size in ("8M", "4G"))
    assert held.seconds < read.seconds / 2


def test_more_than_the_budget_is_refused_before_it_begins() -> None:
    asked = load("tpc-c", ["workload.users=20000"])
    with pytest.raises(OverBudget, match=r"about .* s for 200,000 transactions; the limit is 1 s"):
        expected_within(Budget(1.0), asked.system, asked.workload)
    with pytest.raises(OverBudget, match="of memory"):
        run(load("batch-beside-users"), budget=Budget(None, 1e6))
    assert run(load("tpc-b", ["workload.transactions=100"]), budget=Budget(None, None)).transactions


def test_the_command_names_the_way_out(blocktime: CommandLine) -> None:
    err = blocktime.refuses(
        "run",
        "rahn-pctfree-8k-10",
        *(word for one in (*GROWS, "table.rows=40000", "workload.users=4") for word in ("--set", one)),
        "--max-est-exec-time",
        "5",
    )
    assert err.count("\n") == 1
    assert "the limit is 5.0 s" in err or "the limit is 5 s" in err
    assert "--max-est-exec-time 0" in err
    assert "--max-est-memory 0" in blocktime.refuses("run", "magni-dd-raw-10000", "--max-est-memory", "1M")
    assert "a size such as 4G" in blocktime.refuses("run", "tpc-b", "--max-est-memory", "lots")


def test_transactions_that_take_too_long_get_bounds_and_the_way_to_more(blocktime: CommandLine) -> None:
    out = blocktime.prints("run", "tpc-c", "--set", "workload.users=20000", "--max-est-exec-time", "1")
    assert "Bounds, not simulated: at most " in out
    assert "raise the limit (--max-est-" in out
    answers = blocktime.prints("compare", "tpc-b", "tpc-c,workload.users=20000", "--max-est-exec-time", "1")
    assert "these are bounds, not a simulation" in " ".join(answers.split())


def test_a_point_of_a_sweep_has_the_same_budget() -> None:
    table = sweep(
        "tpc-b", ["workload.users=1,2"], settings=["workload.transactions=400"],
        budget=Budget(1e-3), at=SweepBackend(workers=1, keep=False),
    )  # fmt: skip
    assert all("the limit is" in str(error) for error in table["error"])


def test_a_terminal_is_told_what_takes_long_and_how_far_it_is(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blocktime.app.command.run_cli.SEEN_AFTER_S", 0.01)
    monkeypatch.setattr(output, "SEEN_AFTER_S", 0.01)
    monkeypatch.setattr(output, "REFRESH_S", 0.01)
    words = ["run", "tpc-b", "--set", "workload.transactions=12000", "--quiet"]
    assert main(words[:-1]) == 0
    assert capsys.readouterr().err == ""  # nobody looks
    monkeypatch.setattr("blocktime.app.base.output.shows_progress", lambda quiet: not quiet)
    monkeypatch.setattr("blocktime.app.command.run_cli.shows_progress", lambda quiet: not quiet)
    assert main(words[:-1]) == 0
    err = capsys.readouterr().err
    assert "for 12,000 transactions" in err
    assert "answering tpc-b: 0 s of about" in err
    assert main(words) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "words", ["validate savvinov_logical_io", "calibrate savvinov_logical_io", "compare tpc-b --set workload.users=2"]
)
def test_so_it_is_of_other_commands(words: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "SEEN_AFTER_S", 0.001)
    monkeypatch.setattr(output, "REFRESH_S", 0.005)
    monkeypatch.setattr("blocktime.app.base.output.shows_progress", lambda quiet: not quiet)
    assert main(words.split()) == 0
    assert " s" in capsys.readouterr().err.split(": ", 1)[1]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(2.04, "2 s"), (45.2, "45 s"), (147, "2.5 minutes"), (3000, "50 minutes"), (9000, "2.5 hours")],
)
def test_durations_are_said_as_one_speaks(seconds: float, words: str) -> None:
    assert show_duration(seconds) == words
