"""Users and their transactions: gets in the buffer cache, reads, changes, a commit, and a pause for thought."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import simpy

from model.demand.transactions import KindDemand
from model.laws import changed_blocks
from model.laws.processors import Contention
from model.sim.pool import BufferPool
from model.sim.references import Drawn, Layout, References
from model.sim.stretches import Stretches
from model.sim.writers import LogWriter
from model.workloads.transactions.tally import Tally, Wait

Step = Generator[simpy.Event, Any, None]


@dataclass(slots=True)
class Shop:
    """What all users share."""

    env: simpy.Environment
    sessions: Stretches
    threads: int
    layout: Layout
    pools: list[BufferPool]
    hot_blocks: int
    """Blocks below this number are hot; they have a pool of their own if there are two."""
    log: LogWriter
    kinds: list[KindDemand]
    references: References
    latch: list[Contention]
    pin: list[Contention]
    costs: Costs
    tally: Tally
    ended: Any
    """Called after each transaction."""
    under_way: int = 0


@dataclass(frozen=True, slots=True)
class Costs:
    """CPU seconds of single steps, and what makes a get meet a change."""

    read_s: float
    """Of a read call."""
    fill_s: float
    """Of a block that was read, with its copy out of the page cache."""
    in_page_cache: float
    """Share of the reads that the page cache answers."""
    undo_s: float
    mbrc: int
    changes: float
    """Of a mean transaction, outside the hottest blocks."""
    collision: float
    hottest_changes: float
    hottest_collision: float


def closed_user(shop: Shop, begin_s: float, thinks_s: Iterator[float]) -> Step:
    """One user: wait for the begin; work, think, work, think, …"""
    timeout = shop.env.timeout
    yield timeout(begin_s)
    while True:
        yield from transaction(shop)
        yield timeout(next(thinks_s))


def arrivals(shop: Shop, gaps_s: Iterator[float]) -> Step:
    """Transactions that come whether or not earlier ones are done."""
    while True:
        yield shop.env.timeout(next(gaps_s))
        shop.env.process(transaction(shop))


def transaction(shop: Shop) -> Step:  # noqa: PLR0915  (one way, step by step)
    """One transaction from its first call to the end of its commit; what it took is added up as it ends."""
    env, tally, costs = shop.env, shop.tally, shop.costs
    begin_s = env.now
    drawn = shop.references.next()
    kind = shop.kinds[drawn.kind]
    undo = _undo(shop, kind)
    shop.under_way += 1
    running = min(shop.sessions.running + 1, shop.threads)
    latch, pin = shop.latch[running], shop.pin[running]
    late_s: list[float] = []
    reads = yield from _gets(shop, drawn, late_s)
    scans: list[tuple[int, int]] = []
    if drawn.scan_blocks:
        scans = yield from _scan(shop, drawn, late_s)
    others = _others(shop, drawn, reads)
    wanted = _handed_over(reads, shop.references.handed_over(drawn.kind, len(reads)), scans)
    handed_over = _of_the_disk(shop, wanted)
    requests = len(reads) + len(scans)
    spin_s = kind.hottest_gets * latch.spin_s
    missed = len(reads) + sum(length for _, length in scans)
    own_s = kind.cpu_s + requests * costs.read_s + missed * costs.fill_s + undo * costs.undo_s + spin_s
    stretch_s = own_s / (len(handed_over) + 1)
    asleep_s = kind.hottest_gets * latch.wait_s + kind.hottest_changes * pin.wait_s
    if kind.apart_s + asleep_s > 0:
        yield env.timeout(kind.apart_s + asleep_s)
    other_s: list[float] = []
    for event in others:
        if not event.processed:
            now = env.now
            yield event
            other_s.append(env.now - now)
    read_s: list[float] = []
    queue_s, cpu_s = yield from shop.sessions.play(handed_over, stretch_s, read_s)
    shop.log.note(kind.redo_bytes)
    if kind.commits:
        now = env.now
        yield shop.log.commit()
        tally.wait(Wait.SYNC, env.now - now)
    shop.under_way -= 1
    tally.cpu_s += cpu_s
    tally.run_queue_s += queue_s
    tally.spin_s += spin_s
    tally.undo += undo
    tally.gets += len(drawn.blocks)
    tally.misses += missed
    tally.requests += requests
    for _, length in scans:
        tally.scan_reads[length] = tally.scan_reads.get(length, 0) + 1
    for kind_of in (Wait.READ, Wait.PARALLEL, Wait.SCAN):
        asked_for = sum(wait is kind_of for wait, _, _ in wanted)
        times_s = [
            each_s for each_s, (wait, _, _) in zip(read_s, handed_over, strict=True) if wait is kind_of
        ]
        tally.waited(kind_of, times_s)
        tally.waits[kind_of] += asked_for - len(times_s)
    if other_s:
        tally.waited(Wait.OTHER, other_s)
    if late_s:
        tally.waited(Wait.FREE, late_s)
    if asleep_s:
        tally.wait(Wait.LATCH, kind.hottest_gets * latch.wait_s, kind.hottest_gets * latch.waits)
        tally.wait(Wait.BUSY, kind.hottest_changes * pin.wait_s, kind.hottest_changes * pin.waits)
    tally.responses_s.append(env.now - begin_s)
    tally.kinds.append(drawn.kind)
    shop.ended()


def _handed_over(
    reads: list[int], sizes: list[int], scans: list[tuple[int, int]]
) -> list[tuple[Wait, list[int], int]]:
    """What is waited for: its event, the first block of each read that is handed over, and the blocks of each."""
    if len(sizes) == len(reads):
        found = [(Wait.READ, [block], 1) for block in reads]
    else:
        blocks = iter(reads)
        found = [(Wait.READ if size == 1 else Wait.PARALLEL, list(islice(blocks, size)), 1) for size in sizes]
    return found + [(Wait.SCAN, [first], length) for first, length in scans]


def _of_the_disk(shop: Shop, wanted: list[tuple[Wait, list[int], int]]) -> list[tuple[Wait, list[int], int]]:
    """What is left of the reads where the page cache answers some; a multiblock read it answers as a whole."""
    found = shop.costs.in_page_cache
    if not found:
        return wanted
    left = [(wait, shop.references.not_found(blocks, found), length) for wait, blocks, length in wanted]
    return [one for one in left if one[1]]


def _undo(shop: Shop, kind: KindDemand) -> float:
    """Extra gets for changes that others have under way."""
    costs, others = shop.costs, shop.under_way
    if not others:
        return 0.0
    found = changed_blocks.undo_gets(float(kind.drawn_gets), others, costs.changes, costs.collision)
    if costs.hottest_changes:
        found += changed_blocks.undo_gets(
            float(kind.hottest_gets), others, costs.hottest_changes, costs.hottest_collision
        )
    return float(found)


def _gets(shop: Shop, drawn: Drawn, late_s: list[float]) -> Generator[simpy.Event, Any, list[int]]:
    """Get all blocks of a transaction; those that it has to read."""
    first = drawn.first
    reads = yield from shop.pools[0].get((drawn.blocks[:first], drawn.changes[:first], None), late_s)
    if first == len(drawn.blocks):
        return reads
    return reads + (yield from shop.pools[1].get((drawn.blocks[first:], drawn.changes[first:], None), late_s))


def _scan(
    shop: Shop, drawn: Drawn, late_s: list[float]
) -> Generator[simpy.Event, Any, list[tuple[int, int]]]:
    """Scan blocks in order: the reads of those that are not in memory, which enter at the cold end."""
    import numpy as np  # noqa: PLC0415

    count = drawn.scan_blocks
    blocks = np.arange(drawn.scan_from, drawn.scan_from + count)
    pool = len(shop.pools) - 1 if drawn.scan_from >= shop.hot_blocks else 0
    aside = np.ones(count, dtype=np.bool_)
    reads = yield from shop.pools[pool].get((blocks, ~aside, aside), late_s)
    return shop.layout.runs(reads, shop.costs.mbrc)


def _others(shop: Shop, drawn: Drawn, reads: list[int]) -> list[simpy.Event]:
    """Reads under way of other sessions that this transaction has to wait for."""
    reading = shop.sessions.reading
    if not reading:
        return []
    own = set(reads)
    return [reading[block] for block in drawn.blocks.tolist() if block in reading and block not in own]
