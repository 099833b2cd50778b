"""Measured numbers, exactly as printed, against the model."""

from validation.case import Case
from validation.cases import case_names, load_case
from validation.compare import Comparison, Runs
from validation.numbers import MeasuredNumber, numbers_of
from validation.validate import Validation, validate

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
