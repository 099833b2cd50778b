"""What the buffer cache that programs share holds of blocks whose popularity is stated.

The closed form of the policy meets the classes of all of them, each with its gets a second; these follow from what the
programs take, which follows from what they find. So the two are worked out in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import cast

from blocktime.model.demand import demand_of
from blocktime.model.demand.popular_blocks import Popular, cached_so, classes_in, popularity_field, shared_residence
from blocktime.model.demand.transaction_demand import data_of, kinds_of, room_of_cache, touch_rules
from blocktime.model.spec import Statement, System, Transactions, Workload
from blocktime.model.workloads.statements import closed_form
from blocktime.model.workloads.transactions.expected_run import expected_run

ROUNDS = 4
LONGEST_S = 1e9
"""A phase that does not end."""
ProgramEntry = tuple[System, Workload]
"""A program's system, and the program alone."""


@dataclass(frozen=True, slots=True)
class CacheShare:
    """What the cache holds of one program's classes of blocks."""

    on_average: Popular
    """While the program runs."""
    at_first: Popular | None
    """While those run that begin with the first program; None where it is not among them."""


def cache_shares_of(
    every: Sequence[ProgramEntry], begins_s: Sequence[float], *, endless: bool = False
) -> list[CacheShare | None]:
    """Of each program the classes of its blocks and what the cache holds of them; None where it states none.

    Transactions beside them take their part of the cache; scans do not, as their blocks enter at its cold end. Where
    *endless* work is first, all run throughout.
    """
    stated = [bool(popularity_field(work)) for _, work in every]
    if not any(stated):
        return [None] * len(every)
    system = every[0][0]
    rules, room = touch_rules(system), room_of_cache(system)
    popular = _popular(every, stated)
    hit_share, rates, ends_s = (dict.fromkeys(popular, 0.5), dict.fromkeys(popular, 0.0), dict.fromkeys(popular, inf))
    begin_s = {rank: 0.0 if endless else begins_s[rank] for rank in popular}
    phases: list[tuple[float, dict[int, Popular]]] = []
    for _ in range(ROUNDS):
        for rank in popular:
            if stated[rank] or not rates[rank]:
                its_system, work = every[rank]
                if work.mixed:
                    rates[rank] = _drawn_per_s(its_system, cast("Transactions", work))
                    continue
                seen = cached_so(its_system, work, hit_share[rank])
                result, _ = closed_form.calculate(seen, cast("Statement", work), name="")
                rates[rank] = float(work.sessions * _visits(its_system, work) / result.time.elapsed_s)
                if not endless:
                    ends_s[rank] = begin_s[rank] + result.time.elapsed_s
        phases = []
        for span_s, there in _together(begin_s, ends_s):
            gets = [rates[rank] for rank in there]
            regions = shared_residence([popular[rank] for rank in there], gets, room, rules, rules.touch_time_s)
            phases.append((span_s, dict(zip(there, regions, strict=True))))
        means = {rank: _mean(phases, rank) for rank in popular}
        hit_share = {rank: mean.found_fraction for rank, mean in means.items()}
    first = phases[0][1] if min(begin_s.values()) == 0 else {}
    return [CacheShare(means[rank], first.get(rank)) if says else None for rank, says in enumerate(stated)]


def _popular(every: Sequence[ProgramEntry], stated: Sequence[bool]) -> dict[int, Popular]:
    """The classes of blocks of those programs that have any, by the program's rank."""
    popular: dict[int, Popular] = {}
    for rank, (says, (its_system, work)) in enumerate(zip(stated, every, strict=True)):
        classes = classes_in(its_system, work) if says else _drawn(its_system, work) if work.mixed else None
        if classes is not None:
            popular[rank] = classes
    return popular


def _together(begin_s: dict[int, float], ends_s: dict[int, float]) -> Iterator[tuple[float, list[int]]]:
    """Spans in which nobody begins and nobody ends, in seconds, and the ranks of those that run then."""
    for since_s, until_s in pairwise(sorted({*begin_s.values(), *ends_s.values()})):
        there = [rank for rank, begin in begin_s.items() if begin <= since_s and ends_s[rank] >= until_s]
        if there:
            yield min(until_s - since_s, LONGEST_S), there


def _mean(phases: Sequence[tuple[float, dict[int, Popular]]], rank: int) -> Popular:
    """What the cache holds of a program's blocks on average over the phases in which it runs."""
    spans = [(span_s, there[rank]) for span_s, there in phases if rank in there]
    every_s = sum(span_s for span_s, _ in spans)
    regions = tuple(
        (
            sum(span_s * popular.regions[group][0] for span_s, popular in spans) / every_s,
            sum(span_s * popular.regions[group][1] for span_s, popular in spans) / every_s,
        )
        for group in range(len(spans[0][1].blocks))
    )
    return spans[0][1]._replace(regions=regions)


def _visits(system: System, work: Workload) -> float:
    """Gets of a session that go to blocks by their popularity."""
    cold, warm = (
        float(demand_of(cached_so(system, work, share), cast("Statement", work)).reads) for share in (0.0, 1.0)
    )
    return cold - warm


def _drawn_per_s(system: System, work: Transactions) -> float:
    """Gets a second of transactions outside the hottest blocks."""
    drawn = sum(kind.share * kind.drawn_gets for kind in kinds_of(system, work))
    return float(expected_run(system, work).per_s * drawn)


def _drawn(system: System, work: Workload) -> Popular | None:
    """The classes of transactions whose blocks use the default pool."""
    data = data_of(system, cast("Transactions", work))
    groups = [
        group
        for pool in data.pools
        if pool.name == "default"
        for group in pool.groups
        if data.blocks[group] and data.shares[group]
    ]
    if not groups:
        return None
    return Popular(
        tuple(float(data.blocks[group]) for group in groups), tuple(float(data.shares[group]) for group in groups)
    )
