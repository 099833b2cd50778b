"""The part of a run that counts: after the warm-up, and longer than a moment."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from model.workloads.transactions.means import RunSoFar
from model.workloads.transactions.tally import Sum, Tally


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
