"""The loops worth compiling: plain Python with types, which build.py compiles ahead to the same last bit."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType
from typing import TypeVar, cast

from blocktime.model.loops import build

Loop = TypeVar("Loop")
_AS_WRITTEN: ContextVar[bool] = ContextVar("_AS_WRITTEN", default=False)


@functools.cache
def compiled() -> ModuleType | None:
    """The compiled module, if there is one that was made from the text that is there, for this Python."""
    loader = ExtensionFileLoader(build.name(), str(build.file()))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    try:
        module = module_from_spec(spec)
        loader.exec_module(module)
    except (ImportError, OSError):
        return None
    return module


def why_slow() -> str:
    """A sentence if a loop was requested that is not compiled; otherwise empty."""
    return build.PLAIN if compiled.cache_info().currsize and compiled() is None else ""


def fastest(loop: Loop) -> Loop:
    """The compiled twin of a loop, or itself."""
    if _AS_WRITTEN.get():
        return loop
    name: str = getattr(loop, "__name__")  # noqa: B009  (compiled or not)
    return cast(Loop, getattr(compiled(), name, loop))


@contextmanager
def as_written() -> Iterator[None]:
    """Within this context, the thread uses the plain classes, which can be extended; compiled classes are final."""
    before = _AS_WRITTEN.set(True)
    try:
        yield
    finally:
        _AS_WRITTEN.reset(before)
