"""What follows from a scenario, remembered by which object it is: to compare two costs as much as to work it out."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Generic, ParamSpec, TypeVar, cast

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Value = TypeVar("Value")


class _Identity(Generic[Value]):
    """A value that equals itself alone; as it is held, its place in memory stays its own."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def by_object(most: int) -> Callable[[Callable[Arguments, Answer]], Callable[Arguments, Answer]]:
    """Remember the last *most* answers of a function of objects that nobody changes."""

    def decorate(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
        @lru_cache(maxsize=most)
        def known(*keys: _Identity[Any]) -> Answer:
            return cast(Callable[..., Answer], function)(*(key.value for key in keys))

        @wraps(function)
        def remembering(*values: Arguments.args, **named: Arguments.kwargs) -> Answer:
            assert not named, "objects are told by their place"
            return known(*map(_Identity, values))

        return remembering

    return decorate
