"""The books hold every number of an answer: finite, not negative, and nothing is busy for longer than there is time."""

from math import inf, nan
from typing import Any

import pytest
from pydantic import BaseModel

from blocktime.model.closing import check_books
from blocktime.model.errors import BooksDoNotBalance
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run


@pytest.fixture(scope="module")
def beside_users() -> RunResult:
    return run(load("backup-beside-users", ["workload.transactions=100"]))


def with_another(answer: Any, path: str, value: float) -> Any:
    """*answer* with another number under a dotted path."""
    first, _, rest = path.partition(".")
    if isinstance(answer, list):
        return [with_another(answer[0], rest, value), *answer[1:]]
    old = answer[first] if isinstance(answer, dict) else getattr(answer, first)
    new = with_another(old, rest, value) if rest else value
    return answer.model_copy(update={first: new}) if isinstance(answer, BaseModel) else answer | {first: new}


@pytest.mark.parametrize("value", [-1.0, nan, inf])
@pytest.mark.parametrize(
    "path",
    ["transactions.log_writes_per_s", "programs.0.reads", "device.disk.merged_reads", "device.disk.lines.0.await_s"],
)
def test_every_number_is_an_amount(beside_users: RunResult, path: str, value: float) -> None:
    with pytest.raises(BooksDoNotBalance, match=f"{path.rpartition('.')[2]}: .* is no amount"):
        check_books(with_another(beside_users, path, value))


@pytest.mark.parametrize("path", ["transactions.utilisation.data disk", "programs.0.disk_fraction"])
def test_nothing_is_busy_for_longer_than_there_is_time(beside_users: RunResult, path: str) -> None:
    assert check_books(beside_users) is beside_users
    with pytest.raises(BooksDoNotBalance, match="of the time"):
        check_books(with_another(beside_users, path, 1.1))
