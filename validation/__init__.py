"""Measured numbers, exactly as printed, against the model."""

from blocktime.validation.case import Case
from blocktime.validation.cases import case_names, load_case
from blocktime.validation.compare import Comparison, Runs
from blocktime.validation.numbers import MeasuredNumber, numbers_of
from blocktime.validation.validate import Validation, validate

__all__ = [
    "Case",
    "Comparison",
    "MeasuredNumber",
    "Runs",
    "Validation",
    "case_names",
    "load_case",
    "numbers_of",
    "validate",
]
