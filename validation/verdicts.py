"""A verdict in words that say which of a number's errors it judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from validation.words import WORDS

if TYPE_CHECKING:
    from validation.compare import Comparison

JUDGES: Final = (
    "The verdict compares the error of the present model with the declared tolerance. For a number that a constant "
    "was fitted to, that is the error in sample, marked (fit); its error out of sample is shown, but not judged."
)


def verdict_text(comparison: Comparison) -> str:
    """The verdict, marked where it judges a fit and no prediction."""
    return (
        f"{WORDS[comparison.verdict]} (fit)"
        if comparison.compared and comparison.in_sample
        else WORDS[comparison.verdict]
    )
