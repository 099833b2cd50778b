"""Cost of changed blocks for others: writes of DBWR, and reads of undo for consistent read."""

from __future__ import annotations

from math import exp

from blocktime.model.laws.numeric import Number, expm1, larger, smaller, where

LEAST = 1e-12
STEPS = 12


def written_per_s(changes_per_s: Number, blocks: Number, age_s: Number) -> Number:
    """Writes per second of *blocks* equal blocks that change *changes_per_s* times in total: nc/(1 + c·age).

    DBWR writes a block once it has been dirty for *age_s*, however often it changed. The block changes c times per
    second at random, so it is clean for 1/c before.
    """
    each_per_s = changes_per_s / blocks
    return blocks * each_per_s / (1 + each_per_s * age_s)


def dirty_fraction(changes_per_s: Number, share: Number, read_age_s: Number, hit_age_s: Number) -> Number:
    """Share of alike blocks that are dirty in memory: (c(1-h)a + c·h·b)/(1 + c·b).

    The fraction h = *share* is in memory. A block changes c times a second; 1-h of its changes have to read
    it first, and it is dirty for a from then on. Of the others those that find it clean make it dirty for b. With all
    blocks held it is cb/(1 + cb), as in :func:`written_per_s`.
    """
    after_read = changes_per_s * (1 - share) * read_age_s
    after_hit = changes_per_s * share * hit_age_s
    return smaller(share, (after_read + after_hit) / (1 + changes_per_s * hit_age_s))


def checkpoint_age_s(checkpoint_s: float, lag_bytes: float, redo_bytes_per_s: float) -> float:
    """Age in seconds at which DBWR writes a changed block: its own limit, or the time for *lag_bytes* of redo.

    The checkpoint lags behind the end of the redo by at most *lag_bytes*, so that DBWR has written the blocks of a log
    before its reuse; the bytes are infinite without such a limit. Formula: min(t, bytes / rate) [oracle-tuning].
    """
    return min(checkpoint_s, lag_bytes / max(redo_bytes_per_s, LEAST))


def recovery_lag_bytes(
    target_s: Number, redo_bytes: Number, blocks: Number, redo_bytes_per_s: Number, reads_per_s: Number
) -> Number:
    """Redo in bytes that the checkpoint may lag behind where a recovery is to take *target_s* seconds.

    A recovery reads the redo in order, and each block that it changes from the disk; *redo_bytes* change *blocks*
    distinct ones. Formula: target / (1/R + b/(r·n)) [oracle-tuning].
    """
    return target_s / (1 / redo_bytes_per_s + blocks / larger(redo_bytes, LEAST) / reads_per_s)


def dirty_age_s(checkpoint_s: Number, resident_blocks: Number, reads_per_s: Number) -> Number:
    """Mean time after which DBWR writes a dirty block: by its age, or when a session needs its buffer.

    A block stays in the cache for n/λ by Little's law [little-1961], an exponential time; the age is fixed: n/λ · (1 -
    e^(-age·λ/n)).
    """
    passing = checkpoint_s * reads_per_s / resident_blocks
    # NOTE: below the least, the second term of its series is lost in rounding
    return checkpoint_s * where(passing < LEAST, 1.0, -expm1(-passing) / larger(passing, LEAST))


def leaving_per_s(mean_age_s: float, age_s: float) -> float:
    """How often dirty blocks leave memory, if they are dirty for *mean_age_s* and at most for *age_s*.

    The inverse of :func:`dirty_age_s`, m = (1 - e^(-λA))/λ, by Newton's steps.
    """
    share = mean_age_s / max(age_s, LEAST)
    if share >= 1 - LEAST:
        return 0.0
    passing = min(1 / max(share, LEAST), 2 * (1 - share) / share)
    for _ in range(STEPS):
        left = exp(-passing)
        passing -= (1 - left - share * passing) / (left - share)
    return passing / max(age_s, LEAST)


def undo_gets(gets: Number, others: Number, changed_blocks: Number, collision: Number, most_entries: Number) -> Number:
    """Additional consistent gets for undo in a transaction with *gets* gets beside *others* transactions in progress.

    Each of the others has on average made half of its changes and committed none; a get meets a change with the
    probability *collision* that both are of the same block, Σ p² over the blocks, and costs one get of the undo block
    [oracle-concepts]. The copy for one get serves later gets until the block changes again, so gets count at most as
    often as changes. Who has no entry in the block's ITL list has changed nothing in it: of the others at most
    *most_entries* have, and each of them at most all of its changes there, one at least.
    """
    needed = (gets + changed_blocks - abs(gets - changed_blocks)) / 2
    return needed * open_changes(others, changed_blocks, collision, most_entries)


def open_changes(others: Number, changed_blocks: Number, collision: Number, most_entries: Number) -> Number:
    """Changes of *others* that a get finds in its block and that are not committed; see :func:`undo_gets`."""
    met, of_one = others * changed_blocks / 2 * collision, changed_blocks * collision
    most = most_entries * (1 + of_one + abs(1 - of_one)) / 2
    return (met + most - abs(met - most)) / 2


def records_since(ended: Number, changed_blocks: Number, collision: Number) -> Number:
    """Undo records of a block that a query applies, as *ended* transactions have committed since it began.

    Each change of theirs is in the block with the chance *collision*, and each record is applied by itself, one get of
    its undo block [oracle-concepts].
    """
    return ended * changed_blocks * collision
