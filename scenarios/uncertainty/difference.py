"""How sure the difference between two results is."""

from __future__ import annotations

from typing import Any, Literal

from blocktime.model.provenance import Frozen
from blocktime.model.results import Contribution

Sign = Literal["less", "more", "none", "either"]


class Difference(Frozen):
    """How much longer one result takes than another, and within what that lies with *confidence*."""

    change_s: float
    low_s: float
    high_s: float
    low_fraction: float
    high_fraction: float
    """Of the time that it differs from."""
    confidence: float
    contributions: list[Contribution]
    """Constants and errors of the model by their share of the difference's variance."""
    extrapolated_constants: list[str] = []
    """Names of those that either result uses outside the range that they were fitted in."""
    draws: int
    seed: int

    @property
    def sign(self) -> Sign:
        """Whether its interval holds only less time, only more, none at all, or both."""
        if self.low_s == self.high_s == 0:
            return "none"
        if self.high_s < 0:
            return "less"
        return "more" if self.low_s > 0 else "either"

    @property
    def is_sure(self) -> bool:
        """Whether its sign is sure: its interval is on one side of 0, and nothing in it is extrapolated."""
        return self.sign == "none" or (self.sign != "either" and not self.extrapolated_constants)

    def to_json(self) -> dict[str, Any]:
        """As an object of ``compare --json``."""
        return {"sign": self.sign, "sure": self.is_sure, **self.model_dump(mode="json")}
