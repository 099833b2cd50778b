"""What some answers need and a small installation leaves out."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final

from blocktime.model.errors import SpecError

EXTRAS: Final = {
    "streamlit": ("page", "The page"),
    "pandas": ("page", "A data frame"),
    "scipy": ("fit", "A fit, or a search over ranges,"),
    "pyarrow": ("sweep", "A Parquet file"),
    "xlsxwriter": ("sweep", "An Excel file"),
    "distributed": ("sweep", "A cluster"),
    "mcp": ("mcp", "The assistant's door"),
}
"""Package -> the extra that brings it, and what it is for."""


def required(package: str) -> ModuleType:
    """The *package*; raises :class:`SpecError` with one sentence where it is not installed."""
    check_installed(package)
    return import_module(package)


def check_installed(package: str) -> None:
    """Raise :class:`SpecError` with one sentence where *package* is not installed; it is not imported."""
    with suppress(ModuleNotFoundError):
        if find_spec(package) is not None:
            return
    extra, what = EXTRAS[package]
    raise SpecError(f"{what} needs {package}, which is not installed: pip install 'blocktime[{extra}]' brings it")
