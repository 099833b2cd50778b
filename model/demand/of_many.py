"""Many scenarios as one, whose fields are arrays."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any


class Overlay:
    """A section of the inputs with some fields replaced; what follows from these follows from the new values."""

    _base: Any
    _replaced: Mapping[str, Any]

    def __init__(self, base: Any, replaced: Mapping[str, Any]) -> None:
        if isinstance(base, Overlay):
            base, replaced = base._base, {**base._replaced, **replaced}
        self._base, self._replaced = base, replaced
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> Any:
        # Neither the base nor a field changes, so that each is asked for once.
        derived = getattr(type(self._base), name, None)
        if isinstance(derived, property | FunctionType):
            value = derived.__get__(self)
        else:
            value = getattr(self._base, name)
        self.__dict__[name] = value
        return value


def as_python(value: Any) -> Any:
    """A number as Python's own; a float that is whole as an int, which counts have to be."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
