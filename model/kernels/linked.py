"""A loop that calls functions, laws among them: they are compiled with it, as they stand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any
from zlib import crc32

from model.kernels import Answer, Arguments, Kernel

Function = Callable[..., Any]


INSIDE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Nobody but the loop calls them; ways in from outside would take a third of the compiler's time."""


class Linked(Kernel[Arguments, Answer]):
    """A loop whose compiled form stays on disk until it, or anything that it calls or names, changes."""

    @cached_property
    def compiled(self) -> Callable[Arguments, Answer]:
        """The loop and what it calls as machine code."""
        from numba import njit  # noqa: PLC0415

        own = _copy(self.py_func, {})
        # NOTE: numba looks at the loop's own file to see whether what it kept is stale; a name says it of the rest
        own.__qualname__ = f"{self.py_func.__name__}_{crc32(_said(self.py_func).encode()):08x}"
        compiled: Callable[Arguments, Answer] = njit(cache=True)(own)
        return compiled


def _named(function: Function) -> dict[str, Any]:
    """Globals that the function names."""
    code, scope = function.__code__, function.__globals__
    return {name: scope[name] for name in code.co_names if name in scope}


def _copy(function: Function, compiled: dict[Function, Function]) -> Function:
    """The function, for a compiler: those that it calls are compiled ones."""
    from numba import njit  # noqa: PLC0415

    scope = dict(function.__globals__)
    for name, value in _named(function).items():
        if isinstance(value, FunctionType):
            if value not in compiled:
                compiled[value] = njit(_copy(value, compiled), forceinline=True, **INSIDE)
            scope[name] = compiled[value]
    return FunctionType(function.__code__, scope, function.__name__)


def _said(function: Function) -> str:
    """What the function says, and all that it calls or names."""
    said = [repr((function.__code__.co_code, function.__code__.co_consts, function.__code__.co_names))]
    for name, value in sorted(_named(function).items()):
        if isinstance(value, FunctionType):
            said.append(_said(value))
        elif isinstance(value, (int, float)):
            said.append(f"{name} = {value!r}")
        elif hasattr(value, "_fields"):
            said.append(f"{name} {value._fields} {value.__annotations__}")
    return "\n".join(said)
