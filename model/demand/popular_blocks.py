"""How much of what a statement reads here and there the buffer cache holds, by how popular blocks are."""

from __future__ import annotations

from typing import Any

from model.demand import demand_of
from model.demand.transactions import classes_of_curve, stated_classes, touch_rules
from model.errors import OutsideLaw
from model.laws import touch_count
from model.spec import IndexRangeScan, System, Workload
from model.spec.popularity import WAYS


def says_popularity(work: Workload) -> str:
    """The field by which a statement says how popular its blocks are; empty where none does, or it is no statement."""
    ways = () if work.mixed else WAYS
    return next((name for name in ways if getattr(work, name, None)), "")


def by_popularity(system: System, work: Workload) -> System:
    """The system whose table is cached as the popularity of its blocks, the cache and its policy make it.

    The cache is as after a long time of such statements, each of which reads blocks by their popularity, so that one
    finds the policy's share of its gets. Raises :class:`OutsideLaw` where the share is stated besides.
    """
    named = says_popularity(work)
    if not named:
        return system
    if system.table.cached_fraction:
        raise OutsideLaw(
            f"table.cached_fraction {system.table.cached_fraction:g} and workload.{named} both say what the cache "
            "holds of the table: leave one of them out"
        )
    if len(work.programs) > 1:
        raise OutsideLaw(
            f"workload.{named} is of a statement that runs alone; programs beside it share the buffer cache"
        )
    reads: Any = work
    cached = found_fraction(system, reads)
    return system.model_copy(update={"table": system.table.model_copy(update={"cached_fraction": cached})})


def found_fraction(system: System, work: IndexRangeScan) -> float:
    """Share of the gets that find their block, long after the cache has filled."""
    size, instance, rules = system.tablespace.block_size_bytes, system.instance, touch_rules(system)
    cache = instance.buffer_cache_bytes
    if size != instance.db_block_size_bytes and instance.db_nk_cache_bytes is not None:
        cache = instance.db_nk_cache_bytes
    room = max(1, int(cache // size))
    if work.miss_curve:
        points = [(point.cache_bytes / size, point.miss_percent / 100) for point in work.miss_curve]
        classes = classes_of_curve(*zip(*points, strict=True), rules)
    else:
        classes = tuple(stated_classes(work, max(1, int(demand_of(system, work).segment.blocks))))
    if room >= sum(many for many, _ in classes):
        return 1.0
    popular = [share / many for many, share in classes]
    found = touch_count.hit_fraction(room, popular, [many for many, _ in classes], rules)
    return found * sum(share for _, share in classes)
