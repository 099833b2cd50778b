"""A run that goes on sends its answer so far, which changes nothing of its last one."""

from blocktime.model.interim import PRECISION_PERCENT, sent_to
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run

USERS = ["workload.users=20", "workload.precision_percent=1"]


def sent(*settings: str, replications: int = 1) -> tuple[list[RunResult], RunResult]:
    """What a run sends before its end, and its answer."""
    so_far: list[RunResult] = []
    with sent_to(so_far.append):
        result = run(load("tpc-b", [*USERS, *settings]), replications=replications)
    return so_far, result


def reach_percent(result: RunResult) -> float:
    stats = result.transactions
    assert stats is not None
    assert stats.response_interval is not None
    interval, mean_s = stats.response_interval, stats.response_s
    return 100 * max(interval.high_s - mean_s, mean_s - interval.low_s) / mean_s


def test_answers_so_far_are_of_the_same_run_and_precise_enough_to_be_shown() -> None:
    so_far, result = sent()
    assert so_far
    counts = [one.transactions.measured or 0 for one in (*so_far, result) if one.transactions]
    assert counts == sorted(counts)
    assert all(1 < reach_percent(one) <= PRECISION_PERCENT + 0.1 for one in so_far)
    assert so_far[0].warnings == result.warnings  # it is not the longest run, so it does not say that it was


def test_a_listener_changes_nothing_of_the_answer() -> None:
    assert sent()[1] == run(load("tpc-b", USERS))


def test_several_runs_and_runs_of_a_given_length_send_nothing() -> None:
    assert sent(replications=2)[0] == []
    assert sent("workload.transactions=2000")[0] == []
