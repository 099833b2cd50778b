"""How far an estimate may be off stands in the answer's own units, alike in terminal, report and page."""

from __future__ import annotations

import pytest

from blocktime.app.reports.report_html import run_page
from blocktime.app.text.accuracy_text import accuracy_words, is_estimate, simulated_range
from blocktime.model.results import Accuracy, RunResult
from blocktime.model.units import show_span
from blocktime.scenarios import load, run
from tests.command_line import CommandLine

SCAN = "full-scan-nvme"


def answered(within: float, factor: float, elapsed_s: float = 9.2) -> RunResult:
    """An answer that takes so long and may be off by so much."""
    result = run(load(SCAN), "calculate")
    accuracy = Accuracy(within_fraction=within, factor=factor, regime="several sessions", why="Reads meet.")
    time = result.time.model_copy(update={"elapsed_s": elapsed_s})
    return result.model_copy(update={"time": time, "accuracy": accuracy})


def test_it_is_told_as_a_range_in_seconds() -> None:
    result = answered(0.25, 1.5)
    assert simulated_range(result) == "a simulation would give 7.3 to 11.5 s"
    assert simulated_range(result, "C") == "a simulation of C would give 7.3 to 11.5 s"
    assert (
        accuracy_words(result)
        == "a simulation would give 7.3 to 11.5 s in 95 % of such cases: several sessions"
    )


@pytest.mark.parametrize(
    ("within", "factor", "says"),
    [
        (0.0, 1.0, "same as simulated: several sessions"),
        (3e-6, 1.07, "same as simulated in 95 % of such cases: several sessions"),
    ],
)
def test_engines_that_agree_to_what_is_printed_are_told_as_the_same(
    within: float, factor: float, says: str
) -> None:
    result = answered(within, factor)
    assert accuracy_words(result) == says
    assert not is_estimate(result)


def test_a_simulated_answer_says_nothing_of_it() -> None:
    result = answered(0.25, 1.5).model_copy(update={"accuracy": None})
    assert simulated_range(result) == accuracy_words(result) == ""


def test_the_terminal_says_it(blocktime: CommandLine) -> None:
    settings = ["disk.use=sas-15k", "workload.users=8"]
    result = run(load(SCAN, settings), "calculate")
    words = [word for one in settings for word in ("--set", one)]
    printed = " ".join(blocktime.prints("run", SCAN, *words, "--engine", "calculate").split())
    assert f"accuracy {accuracy_words(result)}" in printed
    accuracy = result.accuracy
    assert accuracy is not None
    assert is_estimate(result)
    for once in (show_span(*accuracy.usual_s(result.time)), accuracy.why):
        assert printed.count(once) == 1
    page = run_page(load(SCAN, settings), result)
    assert f"Accuracy: {accuracy_words(result)}. {accuracy.why}" in page
    assert "factor of" not in printed
    assert " times as long" not in printed


def test_where_a_run_time_ends_a_stream_the_number_of_calls_may_be_off() -> None:
    changes = ["workload.runtime_s=2", "workload.count=100000", "workload.span_bytes=100M"]
    result = run(load("magni-dd-raw-100", changes), "calculate")
    assert simulated_range(result).endswith(" calls")
    assert simulated_range(
        run(load("magni-dd-raw-100", [*changes, "workload.count=10"]), "calculate")
    ).endswith("ms")
