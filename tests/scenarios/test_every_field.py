"""Every field moves a figure of an answer, or is listed as not read by that kind of workload."""

import json
import re
from typing import Any

import pytest

from blocktime.scenarios.unread import is_unread, unread
from tests.scenarios.every_field import BASES, all_changed, answer, bases_of, fields_of, is_still, moves
from tests.whole import quick


def test_every_kind_has_its_bases() -> None:
    assert list(BASES) == list(unread())


def some(kind: str, whole: list[Any], parts: int) -> list[Any]:
    """A part of a list, another one for each kind in turn."""
    first = list(BASES).index(kind)
    return whole[first % quick(parts, 1) :: quick(parts, 1)]


@pytest.mark.parametrize("kind", BASES)
def test_each_field_that_is_not_listed_moves_an_answer(kind: str) -> None:
    """Where the tests are to be quick: a tenth of the fields of the machine, and half of those of the workload."""
    fields = list(fields_of(kind))
    own = [field for field in fields if field[0].startswith("workload.")]
    asked = [*some(kind, own, 2), *some(kind, [field for field in fields if field not in own], 10)]
    still = [path for path, schema in asked if not is_unread(kind, path) and is_still(kind, path, schema)]
    assert not still, f"{kind}: {', '.join(still)}"


FRACTION = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?")


def figures(text: str | None) -> str:
    """An answer's figures to 11 digits, whichever way they were found: events add up in another order than loops."""
    found = json.loads(text or "{}")
    of_the_way = ("events", "played_by")
    kept = json.dumps({name: value for name, value in found.items() if name not in of_the_way})
    return FRACTION.sub(lambda number: f"{float(number[0]):.11g}", kept)


@pytest.mark.parametrize("kind", BASES)
def test_what_is_listed_moves_nothing(kind: str) -> None:
    fields = [(path, schema) for path, schema in fields_of(kind) if is_unread(kind, path)]
    for data in some(kind, bases_of(kind), 10):
        changed, names = all_changed(data, fields)
        if figures(answer(changed)) != figures(answer(data)):
            moving = [path for path, schema in fields if moves(data, path, schema)]
            pytest.fail(f"{kind}: {', '.join(moving or names)}")
