"""The loops as they stand, in the place of compiled ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest

from blocktime.model import loops
from blocktime.model.loops import buffers, cache, calendar, rotating

PLAIN = {
    name: loop
    for part in (buffers, cache, calendar, rotating)
    for name, loop in vars(part).items()
    if getattr(loop, "__module__", "") == part.__name__
}


@contextmanager
def plain_loops(*kernels: ModuleType) -> Iterator[None]:
    """Have the kernels' modules use them for a while."""
    with pytest.MonkeyPatch.context() as patch:
        for kernel in kernels:
            for name in PLAIN.keys() & vars(kernel).keys():
                patch.setattr(kernel, name, PLAIN[name])
        yield


def are_compiled() -> bool:
    """Whether there are compiled ones to compare them with."""
    return loops.compiled() is not None
