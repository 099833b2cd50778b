"""What stands at the ends of an answer, with its place."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel


def leaves(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value in a document of sections and lists, with the path to it."""
    if isinstance(part, dict | list | tuple):
        for key, value in part.items() if isinstance(part, dict) else enumerate(part):
            yield from leaves(value, f"{path}.{key}")
    else:
        yield path, part


def floats_of(part: Any) -> Iterator[tuple[str, float]]:
    """Every number among them; a flag is none."""
    for path, value in leaves(part):
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield path, value


def same_answer(found: BaseModel, expected: BaseModel, what: str = "") -> None:
    """Two results agree in all but how they were found."""
    left, right = (
        dict(leaves(result.model_dump(exclude={"events", "method", "played_by", "warnings"})))
        for result in (found, expected)
    )
    assert left.keys() == right.keys(), what
    for path, value in right.items():
        near = pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value
        assert left[path] == near, (what, path)
