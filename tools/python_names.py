"""What ``import blocktime`` has, as the items of a list: how each is called, and what its docstring says."""

from __future__ import annotations

import inspect
from functools import cached_property
from types import FunctionType
from typing import Final

import blocktime
from tools.law_tables import plain_docstring
from tools.markdown_tables import code, item

MEMBERS: Final = (FunctionType, property, cached_property)


def python_names(kind: str) -> str:
    """The *functions* or the *values*, by that word."""
    named = {name: getattr(blocktime, name) for name in blocktime.__all__}
    chosen = {name: value for name, value in named.items() if inspect.isclass(value) == (kind == "values")}
    return "\n".join(item(_said(name, value)) for name, value in chosen.items())


def _said(name: str, value: object) -> str:
    doc = plain_docstring(inspect.getdoc(value) or "")
    if not inspect.isclass(value):
        return f"{code(f'{name}{_parameters(value)}')} – {doc}"
    members = [
        f"{code(called)}, {plain_docstring(inspect.getdoc(member) or '').rstrip('.')}"
        for called, member in vars(value).items()
        if isinstance(member, MEMBERS) and not called.startswith("_") and "app.api" in value.__module__
    ]
    return f"{code(name)} – {doc}" + (f" It has {'; '.join(members)}." if members else "")


def _parameters(value: object) -> str:
    signature = inspect.signature(value)  # type: ignore[arg-type]
    parameters = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
