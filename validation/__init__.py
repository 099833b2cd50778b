"""Measured numbers, exactly as printed, against the model."""

from validation.case import Case, case_names, load_case
from validation.compare import Comparison, Runs, Validation, validate
from validation.numbers import MeasuredNumber, numbers_of

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
