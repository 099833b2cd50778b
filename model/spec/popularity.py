"""How popular blocks are: classes, a measured miss curve, and what both may say."""

from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, model_validator

from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import GENERAL, LEAST_FRACTION, Real, Size, setting
from blocktime.model.spec.groups import BUFFER_CACHE, STATEMENTS, TRANSACTIONS
from blocktime.model.units import GIB, KIB

TOLERATED_PERCENT = 0.1


class BlockClass(Frozen):
    """Blocks that are equally popular."""

    blocks_percent: Real = setting(100.0, GENERAL, within=(LEAST_FRACTION, 100))
    """Share of the blocks."""
    gets_percent: Real = setting(100.0, GENERAL, within=(0, 100))
    """Share of the gets that goes to them."""


class CachePoint(Frozen):
    """What a cache of one size would have missed, as a buffer pool advisory says."""

    cache_bytes: Size = setting(GIB, GENERAL, within=(KIB, 1024**5))
    """Size of the cache."""
    miss_percent: Real = setting(1.0, GENERAL, within=(0, 100))
    """Share of the gets that would read."""


WAYS = ("popularity", "zipf_exponent", "miss_curve")
"""Fields that say how popular blocks are; one of them."""


class PopularBlocks(Frozen):
    """How popular the blocks of a workload are, where it says so."""

    popularity: tuple[BlockClass, ...] = setting((), GENERAL, max_length=64)
    """Classes of blocks by popularity; they say what table.cached_fraction, or hot_data_percent and hot_gets_percent,
    say otherwise."""
    zipf_exponent: Annotated[Real, Field(ge=0.1, le=2)] | None = setting(
        None, "che-2002", BUFFER_CACHE.at(50, "Zipf exponent", *STATEMENTS, *TRANSACTIONS), words="zipf"
    )
    """Zipf exponent: the k-th most popular block is accessed k^-exponent times as often as the first."""
    miss_curve: tuple[CachePoint, ...] = setting((), "che-2002", max_length=64)
    """Measured misses by size of the cache, smallest first, as a buffer pool advisory has them; classes of blocks
    follow."""

    @model_validator(mode="after")
    def _one_popularity(self) -> Self:
        given = [name for name in WAYS if getattr(self, name)]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} both say how popular blocks are; give one of them")
        for name in ("blocks_percent", "gets_percent"):
            total = sum(getattr(one, name) for one in self.popularity)
            if self.popularity and abs(total - 100) > TOLERATED_PERCENT:
                raise ValueError(f"popularity: the classes' {name} sum to {total:g}; allowed is 100")
        for smaller, larger in pairwise(self.miss_curve):
            if larger.cache_bytes <= smaller.cache_bytes:
                raise ValueError(
                    f"miss_curve: cache_bytes {larger.cache_bytes} comes after {smaller.cache_bytes}; sizes grow"
                )
            if larger.miss_percent > smaller.miss_percent:
                raise ValueError(
                    f"miss_curve: a cache of {larger.cache_bytes} bytes misses {larger.miss_percent:g} % and a smaller "
                    f"one {smaller.miss_percent:g} %; a larger cache never misses more"
                )
        if len(self.miss_curve) == 1:
            raise ValueError("miss_curve has one point; give two or more")
        return self
