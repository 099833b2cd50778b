"""What changed blocks cost others: writes of DBWR, and reads of undo to see the block as it was."""

from __future__ import annotations

from model.laws.numeric import Number, expm1, larger, where

LEAST = 1e-12


def written_per_s(changes_per_s: Number, blocks: Number, age_s: Number) -> Number:
    """Writes a second of *blocks* equal blocks that change *changes_per_s* times together: nc/(1 + c·age).

    A block is written once it has been dirty for *age_s*, however often it changed meanwhile; it changes c times a
    second by chance, so it is clean for 1/c before.
    """
    each_per_s = changes_per_s / blocks
    return blocks * each_per_s / (1 + each_per_s * age_s)


def checkpoint_age_s(checkpoint_s: float, lag_bytes: float, redo_bytes_per_s: float) -> float:
    """Age in seconds at which DBWR writes a changed block: its own, or the time in which so much redo comes.

    The checkpoint lags behind the end of the redo by *lag_bytes* at most, so that no log is reused before its blocks
    are written; the bytes are infinite where there is no such limit. Formula: min(t, bytes / rate) [oracle-tuning].
    """
    return min(checkpoint_s, lag_bytes / max(redo_bytes_per_s, LEAST))


def dirty_age_s(checkpoint_s: Number, resident_blocks: Number, reads_per_s: Number) -> Number:
    """Mean time after which a dirty block is written: by its age, or when its buffer is wanted, whichever comes first.

    A block stays in the cache for as long as it takes to read all that are there, n/λ by Little's law [little-1961],
    which counts as by chance; the age is certain: n/λ · (1 - e^(-age·λ/n)).
    """
    passing = checkpoint_s * reads_per_s / resident_blocks
    # NOTE: below the least, the second term of its series is lost in rounding
    return checkpoint_s * where(passing < LEAST, 1.0, -expm1(-passing) / larger(passing, LEAST))


def undo_gets(gets: Number, others: Number, changed_blocks: Number, collision: Number) -> Number:
    """Extra consistent gets for undo in a transaction that makes *gets* gets while *others* are under way.

    Each of the others has on average made half of its changes and committed none; a get meets one of them with the
    probability *collision* that a get and a change are of the same block, Σ p² over the blocks, and each met costs one
    get of its undo block [oracle-concepts]. The copy made for one get serves those that come until the block changes
    again, so of the gets no more count than there are changes.
    """
    needed = (gets + changed_blocks - abs(gets - changed_blocks)) / 2
    return needed * others * changed_blocks / 2 * collision
