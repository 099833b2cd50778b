"""How sure the difference between two results is."""

from __future__ import annotations

from typing import Any, Literal

from model.provenance import Frozen
from model.results import Contribution

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
    """Constants by their share of the difference's variance."""
    draws: int
    seed: int

    @property
    def sign(self) -> Sign:
        """Whether it surely takes less time, or more, or is no difference; or may be either."""
        if self.low_s == self.high_s == 0:
            return "none"
        if self.high_s < 0:
            return "less"
        return "more" if self.low_s > 0 else "either"

    def to_json(self) -> dict[str, Any]:
        """As an object of ``compare --json``."""
        return {"sign": self.sign, **self.model_dump(mode="json")}
