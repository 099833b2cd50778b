"""Hit ratio of LRU, from the popularity of blocks.

References are independent: each goes to a block with the popularity of that block. Che's approximation [che-2002] keeps
each block for the same time T after its last reference, in which sessions reference as many other blocks as fit the
cache; the reason for its accuracy is in [fricker-robert-roberts-2012]. Against exact LRU its hit fraction is off by
less than 0.01 with room for 1 of 40 blocks or more, 0.001 for 10 of 40, 0.0005 for 20 of 1,000 and 0.0002 for 1,000 of
100,000 or more, under Zipf exponents from 0.5 to 1.2.
"""

from __future__ import annotations

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.numeric import Number

MOST_STEPS = 100
"""Newton's steps; a cache with room for all blocks but 1 in 10^15 takes some 40; rounding may add some."""


def lru_hit_fraction(room: Number, popularity: Number, blocks: Number = 1) -> Number:
    """Share of references that find their block under LRU: Σ p(1 - e^-pT), T from :func:`characteristic_references`.

    *popularity* and *blocks* are as there; this is the share long after the cache has filled [che-2002].
    """
    import numpy as np

    share, members = _shares(popularity, blocks)
    stay = np.asarray(characteristic_references(room, share, members))
    hits = np.minimum(-np.expm1(-stay[..., None] * share) @ (share * members), 1.0)
    return hits if hits.ndim else float(hits)


def characteristic_references(room: Number, popularity: Number, blocks: Number = 1) -> Number:
    """References for which a block stays after its last one under LRU: T of Σ(1 - e^-pT) = room [che-2002].

    *popularity* is that of one block, *blocks* the number of blocks with it; they need not sum to 1. With room for all,
    T is infinite. Newton's steps from T = room, which is below the root, never pass it, as the sum is concave.
    """
    import numpy as np

    share, members = _shares(popularity, blocks)
    wanted = np.asarray(room, dtype=float)
    if (wanted < 0).any():
        raise OutsideLaw("a cache has room for no fewer than 0 blocks")
    fits = wanted >= members.sum()
    stay = np.where(fits, 0.0, wanted)
    for _ in range(MOST_STEPS):
        left = np.exp(-stay[..., None] * share)
        short = wanted + np.expm1(-stay[..., None] * share) @ members
        step = np.where(fits, 0.0, short / (left @ (share * members)))
        stay = stay + step
        if not (step > 1e-13 * stay).any():
            break
    stay = np.where(fits, np.inf, stay)
    return stay if stay.ndim else float(stay)


def hot_share_groups(blocks: Number, hot_data_fraction: float, hot_gets_fraction: float) -> tuple[Number, Number]:
    """Popularity of a block and number of such blocks, for two groups with uniform popularity within each.

    The share *hot_gets_fraction* of the references goes to the share *hot_data_fraction* of the blocks. A group without
    blocks takes no references, and one without references is left out.
    """
    import numpy as np

    data, gets = hot_data_fraction, hot_gets_fraction
    if not (0 <= data <= 1 and 0 <= gets <= 1):
        raise OutsideLaw(f"hot data of {data:g} and hot gets of {gets:g} are no fractions between 0 and 1")
    if data in {0, 1}:
        gets = data
    share = np.array([data, 1 - data])
    popularity = np.divide([gets, 1 - gets], share, out=np.zeros(2), where=share > 0)
    return _shares(popularity, share * blocks)


def _shares(popularity: Number, blocks: Number) -> tuple[Number, Number]:
    """Popularities that sum to 1 over the blocks that are wanted at all, and how many blocks have each."""
    import numpy as np

    popularity = np.atleast_1d(np.asarray(popularity, dtype=float))
    wanted, members = np.broadcast_arrays(popularity, np.asarray(blocks, dtype=float))
    if not ((wanted >= 0).all() and (members >= 0).all() and np.isfinite(wanted @ members) and wanted @ members):
        raise OutsideLaw("popularities are finite and not negative, and some block is wanted")
    is_drawn = (wanted > 0) & (members > 0)
    wanted, members = wanted[is_drawn], members[is_drawn]
    return wanted / (wanted @ members), members
