"""The part of a run that counts: after the warm-up, and longer than a moment."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from blocktime.model.workloads.transactions.means import RunSoFar
from blocktime.model.workloads.transactions.tally import Sum, Tally


def played(responses_s: list[float], ends_s: list[float]) -> RunSoFar:
    """A run of transactions that took and ended like this, each a batch of its own."""
    tally = Tally()
    tally.responses_s.extend(responses_s)
    marks = np.zeros((len(ends_s) + 1, Sum.NOW + 1))
    marks[1:, Sum.NOW] = ends_s
    nothing = cast(Any, None)
    return RunSoFar(nothing, "", 1, tally, 1, marks, nothing, None, ends_s[-1])


def test_what_ends_at_one_moment_counts_with_the_span_before_it() -> None:
    waits_for_one_write = played([9.0] * 20 + [1.0] * 20, [*range(1, 11), *[20.0] * 30])
    left_out, responses = waits_for_one_write.batch_responses()
    assert left_out == 10
    assert len(responses) == 30
    assert waits_for_one_write.marks[-1, Sum.NOW] - waits_for_one_write.marks[left_out, Sum.NOW] == 10
    all_at_once = played([1.0] * 40, [20.0] * 40)
    assert all_at_once.batch_responses()[0] == 0


def test_the_warm_up_ends_where_it_did_if_transactions_end_one_by_one() -> None:
    left_out, _ = played([9.0] * 10 + [1.0] * 30, list(range(1, 41))).batch_responses()
    assert left_out == 10


def of_kinds(kinds: list[int], responses_s: list[float], second: float = 0.25, batch: int = 10) -> RunSoFar:
    """A run of two kinds of transactions, the share of the *second* being a quarter or as given."""
    tally = Tally()
    tally.kinds.extend(kinds)
    tally.responses_s.extend(responses_s)
    marks = np.zeros((len(kinds) // batch + 1, Sum.NOW + 1))
    marks[:, Sum.NOW] = range(len(marks))
    shares = [SimpleNamespace(share=share) for share in (1 - second, second)]
    solved = cast(Any, SimpleNamespace(parts=SimpleNamespace(kinds=shares)))
    return RunSoFar(solved, "", 1, tally, batch, marks, cast(Any, None), None, float(len(marks)))


def test_how_kinds_differ_is_no_error_of_the_mean() -> None:
    """Four batches of 10, of 5 to 10 fast ones: by their kinds all take alike."""
    kinds = [kind for fast in (10, 5, 9, 6) for kind in [0] * fast + [1] * (10 - fast)]
    alike = of_kinds(kinds, [1.0 + 8 * kind for kind in kinds]).mean_response()
    assert alike.mean == pytest.approx(3)
    assert alike.half == pytest.approx(0, abs=1e-9)
    noise = np.tile([-0.1, 0.1], 20)
    apart = of_kinds(kinds, [1.0 + 8 * kind + off for kind, off in zip(kinds, noise, strict=True)])
    assert 0 < apart.mean_response().half < 0.2


def test_a_mix_off_its_shares_widens_the_interval() -> None:
    """A third of the transactions take 9 s in the place of a quarter: the mean strays by 8/12 s."""
    kinds = [0, 0, 1] * 40
    strayed = of_kinds(kinds, [1.0 + 8 * kind for kind in kinds]).mean_response()
    assert strayed.mean == pytest.approx(1 + 8 / 3)
    assert strayed.below == pytest.approx(8 / 12)
    assert strayed.above == pytest.approx(8 / 12)


def test_a_kind_of_which_few_came_stays_in_the_error() -> None:
    halves = []
    for few in (9, 10):
        kinds = [0] * (400 - few) + [1] * few
        halves.append(of_kinds(kinds, [1.0 + 8 * kind for kind in kinds], few / 400).mean_response().half)
    assert halves[0] > 0.1
    assert halves[1] == pytest.approx(0, abs=1e-9)
