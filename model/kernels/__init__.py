"""The few loops worth compiling, each beside the plain twin that it is compiled from.

Whoever does not use them pays nothing: numba is imported when the first loop is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Generic, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

WORTH_COMPILING = 500_000
"""Requests: over so many a plain loop takes 0.2 to 0.6 s; to import numba takes 1 s, to compile a loop up to 3 s."""


class Kernel(Generic[Arguments, Answer]):
    """A loop over requests, for numba to compile; what it answers is the same to the last bit either way."""

    def __init__(self, py_func: Callable[Arguments, Answer]) -> None:
        self.py_func = py_func
        self._requests = 0

    @cached_property
    def compiled(self) -> Callable[Arguments, Answer]:
        """The loop as machine code, kept on disk from one run of the program to the next."""
        from numba import njit  # noqa: PLC0415

        compiled: Callable[Arguments, Answer] = njit(cache=True)(self.py_func)
        return compiled

    def for_requests(self, count: int, worth: int = WORTH_COMPILING) -> Callable[Arguments, Answer]:
        """The loop to take for *count* requests more: the plain one until all together are *worth* compiling."""
        self._requests += count
        return self.compiled if self._requests >= worth else self.py_func
