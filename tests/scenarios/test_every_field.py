"""Every field moves a figure of an answer, in either engine, or is listed as not read by that kind of workload."""

from __future__ import annotations

from typing import Any

import pytest

from scenarios.unread import UNREAD, is_unread
from tests.scenarios.every_field import BASES, all_changed, answer, bases_of, fields_of, moves


def test_every_kind_has_its_bases() -> None:
    assert list(BASES) == list(UNREAD)


@pytest.mark.parametrize("kind", BASES)
def test_each_field_that_is_not_listed_moves_an_answer(kind: str) -> None:
    still = [
        path for path, schema in fields_of(kind) if not is_unread(kind, path) and is_still(kind, path, schema)
    ]
    assert not still, f"{kind}: {', '.join(still)}"


def is_still(kind: str, path: str, schema: dict[str, Any]) -> bool:
    """Whether a field may be set, and moves nothing in any of the small scenarios, in either engine."""
    may_be_set = False
    for engine in ("calculate", "simulate"):
        for data in bases_of(kind):
            moved = moves(data, path, schema, engine)
            if moved:
                return False
            may_be_set = may_be_set or moved is False
    return may_be_set


@pytest.mark.parametrize("kind", BASES)
def test_what_is_listed_moves_nothing(kind: str) -> None:
    fields = [(path, schema) for path, schema in fields_of(kind) if is_unread(kind, path)]
    for data in bases_of(kind):
        changed, names = all_changed(data, fields)
        for engine in ("calculate", "simulate"):
            if answer(changed, engine) != answer(data, engine):
                moving = [path for path, schema in fields if moves(data, path, schema, engine)]
                pytest.fail(f"{kind}, {engine}: {', '.join(moving or names)}")
