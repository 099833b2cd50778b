"""How much of what statements read here and there the buffer cache holds, by how popular blocks are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from blocktime.model.demand.segment import row_shape, segment_of
from blocktime.model.demand.transaction_demand import classes_of_curve, room_of_cache, stated_classes, touch_rules
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import touch_count
from blocktime.model.laws.buffer_gets import distinct_blocks
from blocktime.model.laws.cache_misses import TouchRules
from blocktime.model.laws.numeric import Number, larger, over
from blocktime.model.spec import System, Workload
from blocktime.model.spec.popularity import WAYS, PopularBlocks
from blocktime.model.units import show_bytes

ROUNDING = 1e-3


class Popular(NamedTuple):
    """Classes of equally popular blocks, and how much of each a buffer cache holds."""

    blocks: tuple[float, ...]
    shares: tuple[float, ...]
    """Of the gets, by class."""
    regions: tuple[tuple[float, float], ...] = ()
    """Shares of each class's blocks that are in the cold and in the hot region."""

    @property
    def popularity(self) -> list[float]:
        """Share of the gets that goes to one block of each class."""
        return [share / size_blocks for share, size_blocks in zip(self.shares, self.blocks, strict=True)]

    @property
    def found_fraction(self) -> float:
        """Share of the gets that find their block."""
        return min(1.0, sum(share * sum(pair) for share, pair in zip(self.shares, self.regions, strict=True)))

    def written_blocks(self, changes: Number) -> Number:
        """Blocks that DBWR has to write behind so many changes: once, and again where they had left the cache."""
        touched = [
            distinct_blocks(size_blocks, changes * share)
            for size_blocks, share in zip(self.blocks, self.shares, strict=True)
        ]
        first = sum(size_blocks * (1 - sum(pair)) for size_blocks, pair in zip(touched, self.regions, strict=True))
        return sum(touched) + larger(0, changes * (1 - self.found_fraction) - first)


def popularity_field(work: Workload) -> str:
    """The field by which a statement says how popular its blocks are; empty where none does, or it is no statement."""
    ways = () if work.mixed else WAYS
    return next((name for name in ways if getattr(work, name, None)), "")


def by_popularity(system: System, work: Workload) -> System:
    """The system whose table is cached as the popularity of its blocks, the cache and its policy make it.

    The cache is as after a long time of such statements, each of which reads blocks by their popularity, so that one
    finds the policy's share of its gets. Raises :class:`OutsideLaw` where the share is stated besides. Of programs
    beside each other none is asked here: they share the cache.
    """
    if len(work.programs) > 1 or not popularity_field(work):
        return system
    return cached_so(system, work, popular_of(system, work).found_fraction)


def cached_so(system: System, work: Workload, found_fraction: float) -> System:
    """The system whose cache answers so much of what a statement gets by popularity."""
    if system.table.cached_fraction:
        raise OutsideLaw(
            f"table.cached_fraction {system.table.cached_fraction:g} and workload.{popularity_field(work)} both say "
            "what the cache holds of the table: leave one of them out"
        )
    return system.model_copy(update={"table": system.table.model_copy(update={"cached_fraction": found_fraction})})


def popular_of(system: System, work: Workload) -> Popular:
    """The classes of a statement's blocks, and how much of each the cache holds long after it has filled."""
    blocks = table_blocks(system)
    return _popular(classes_of(system, work, blocks), room_of_cache(system), touch_rules(system))


@lru_cache(maxsize=64)
def _popular(classes: tuple[tuple[float, float], ...], room: int, rules: TouchRules) -> Popular:
    alone = Popular(tuple(size_blocks for size_blocks, _ in classes), tuple(share for _, share in classes))
    return shared_residence([alone], [1.0], room, rules)[0]


def table_blocks(system: System) -> int:
    """Blocks of the table below its high-water mark."""
    return max(1, int(segment_of(system, row_shape(system.table)).blocks))


def classes_of(system: System, workload: Workload, blocks: int) -> tuple[tuple[float, float], ...]:
    """Blocks of each class and its share of the gets, the most popular first."""
    work = cast("PopularBlocks", workload)
    if not work.miss_curve:
        return tuple(stated_classes(work, blocks))
    size = system.tablespace.block_size_bytes
    points = [(point.cache_bytes / size, point.miss_percent / 100) for point in work.miss_curve]
    return classes_of_curve(*zip(*points, strict=True), touch_rules(system), room_of_cache(system))


def classes_in(system: System, work: Workload) -> Popular:
    """The classes of a statement's blocks, which its table has; raises :class:`OutsideLaw` where it is too small."""
    blocks, size = table_blocks(system), system.tablespace.block_size_bytes
    classes = classes_of(system, work, blocks)
    size_blocks_of_classes = sum(size_blocks for size_blocks, _ in classes)
    if size_blocks_of_classes > blocks * (1 + ROUNDING):
        raise OutsideLaw(
            f"workload.miss_curve asks for {show_bytes(size_blocks_of_classes * size)} of data; the table has "
            f"{show_bytes(blocks * size)}: give it as many rows"
        )
    return Popular(tuple(size_blocks for size_blocks, _ in classes), tuple(share for _, share in classes))


def shared_residence(
    every: Sequence[Popular], gets_per_s: Sequence[float], room: int, rules: TouchRules, touch_s: float = 0.0
) -> list[Popular]:
    """How much of the blocks of each the cache holds that all share; touches within *touch_s* count once.

    The classes of all, each with its part of the references, meet in one closed form of the policy.
    """
    total = sum(gets_per_s)
    rates = [
        over(rate, total) * wanted
        for popular, rate in zip(every, gets_per_s, strict=True)
        for wanted in popular.popularity
    ]
    blocks = [size_blocks for popular in every for size_blocks in popular.blocks]
    resident = iter(touch_count.resident_fractions(room, rates, blocks, rules, total * touch_s))
    return [Popular(popular.blocks, popular.shares, tuple(next(resident) for _ in popular.blocks)) for popular in every]
