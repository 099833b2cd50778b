"""A verdict in words that say which of a number's errors it judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from validation.words import WORDS

if TYPE_CHECKING:
    from validation.compare import Comparison

JUDGES: Final = (
    "The verdict holds the declared tolerance against the prediction of the model as it stands: of a number that "
    "fits, against its error in sample, which (fit) says. Its error out of sample is shown and not judged."
)


def verdict_text(one: Comparison) -> str:
    """The verdict, marked where it judges a fit and no prediction."""
    return f"{WORDS[one.verdict]} (fit)" if one.compared and one.in_sample else WORDS[one.verdict]
