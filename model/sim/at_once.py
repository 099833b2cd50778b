"""A run of transactions without SimPy: one compiled loop over its events, fed with what chance brings."""

from __future__ import annotations

from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from model.kernels import shop as s
from model.kernels import transactions as loop
from model.kernels import writing
from model.kernels.buffers import DIRTIES
from model.laws.commit import LOG_FILES_BYTES
from model.sim.at_begin import Begin
from model.sim.at_once_parts import nodes_of, shop_of
from model.sim.data_files import InOrder
from model.sim.streams import stream, varied
from model.sim.tally import Tally
from model.sim.transaction_means import Played
from model.spec import System, Transactions
from model.state.drive import capacity_of
from model.transaction_calc import Solved
from model.transaction_parts import Parts

METHOD = "compiled loop over users, buffer cache, processors, disks, log writer and database writer"
MOST_NODES = 20_000_000
MOST_BUFFERS = 5_000_000
EVENTS_OF_A_TRANSACTION = 18
"""Which take as long as so many gets or more."""
LEAST_STEPS = 5_000_000
"""Gets and events that take 4 s or so by SimPy; numba and the loop start in 3 s once it has been compiled."""
DRAWN_AT_ONCE = 4096

Whole = NDArray[np.int64]


def is_at_once(system: System, parts: Parts, begin: Begin) -> bool:
    """Whether the loop is the same as the simulation of all parties, and has room for them."""
    disk = system.disk
    plain = (
        disk.raid_level == "none"
        and not (disk.rotation_s or disk.write_cache_bytes or disk.read_hit_fraction)
        and disk.iops_limit is None
        and disk.throughput_limit_bytes_per_s is None
        and isinstance(begin.files, InOrder)
    )
    room = (
        capacity_of(disk) >= begin.log_byte + LOG_FILES_BYTES
        and nodes_of(begin) <= MOST_NODES
        and sum(buffers.size_blocks for buffers, _ in begin.pools) <= MOST_BUFFERS
    )
    return plain and room and not any(kind.scan_blocks for kind in parts.kinds)


def is_worth_it(parts: Parts, count: int) -> bool:
    """Whether so many transactions take longer by events than the loop takes to start."""
    return count * (parts.gets + EVENTS_OF_A_TRANSACTION) >= LEAST_STEPS


class AtOnce:
    """One run, which can go on."""

    def __init__(self, system: System, work: Transactions, solved: Solved, begin: Begin, batch: int) -> None:
        self.solved, self.begin, self.batch = solved, begin, batch
        self.tally = Tally()
        self.done = 0
        self._marks = [self.tally.sums(0.0, 0.0, 0.0)]
        self._shop = shop_of(system, work, solved.parts, begin, batch)
        self._factors = [
            varied(1.0, system.disk.service_cv, stream(begin.seed + number, "service")) for number in range(2)
        ]
        none: Whole = np.zeros(0, np.int64)
        self._pauses_s = (
            chain(begin.begins_s.tolist(), begin.thinks_s) if begin.gaps_s is None else begin.gaps_s
        )
        self._drawn = s.Drawn(none, none, none, none, np.zeros(0, np.bool_), np.empty(0))

    def until(self, wanted: int) -> bool:
        """Play until so many transactions have ended; whether it could, and not too many were under way."""
        own, sums = self._shop.whole, self._shop.real
        own[s.WANTED] = wanted
        why = loop.OUT_OF_SUPPLIES
        while why == loop.OUT_OF_SUPPLIES:
            self._supply()
            why = loop.played.compiled(self._shop, self._drawn)
            self._take()
        self.done = int(own[s.DONE])
        self.tally.longest_s = sums[s.LONGEST : s.LONGEST + s.EVENTS].tolist()
        self.tally.inspected = int(sums[s.INSPECTED])
        return bool(why == loop.DONE_WITH_IT)

    def _supply(self) -> None:
        """Numbers drawn, so that the loop can go on."""
        own, drawn = self._shop.whole, self._drawn
        if own[s.NEXT_ONE] == len(drawn.kind):
            kind, begins, first, blocks, changes, *_ = self.begin.references.chunk()
            drawn = drawn._replace(kind=kind, begin=begins, first=first, blocks=blocks, changes=changes)
            own[s.NEXT_ONE] = 0
        rest = drawn.pauses_s[own[s.NEXT_PAUSE] :]
        many = int(own[s.SESSIONS]) + DRAWN_AT_ONCE - len(rest)
        own[s.NEXT_PAUSE] = 0
        more = np.fromiter(islice(self._pauses_s, many), float, many)
        self._drawn = drawn._replace(pauses_s=np.concatenate([rest, more]))
        for number, draws in enumerate(self._factors):
            device, factors = (
                writing.device_of(self._shop, number),
                s.real_part(self._shop, s.FACTORS + number),
            )
            used = int(device[s.NEXT_FACTOR])
            if used:
                factors[: len(factors) - used] = factors[used:].copy()
                factors[len(factors) - used :] = np.fromiter(islice(draws, used), float, used)
                device[s.NEXT_FACTOR] = 0

    def _take(self) -> None:
        """What the loop has found."""
        shop, own, tally = self._shop, self._shop.whole, self.tally
        many, marks = int(own[s.RESPONSES]), int(own[s.MARKS])
        tally.responses_s.frombytes(s.real_part(shop, s.RESPONSES_S)[:many].tobytes())
        tally.kinds.frombytes(s.whole_part(shop, s.KINDS_ENDED)[:many].astype(np.int8).tobytes())
        self._marks += list(s.real_part(shop, s.MARKED)[: marks * s.COLUMNS].reshape(-1, s.COLUMNS).copy())
        own[s.RESPONSES] = own[s.MARKS] = 0
        for number, files in enumerate((self.begin.files, self.begin.redo)):
            device = writing.device_of(shop, number)
            notes = s.real_part(shop, s.NOTES + number)[: device[s.NOTED] * s.NOTED_FIELDS]
            assert isinstance(files, InOrder)
            files.noted.frombytes(notes.tobytes())
            device[s.NOTED] = 0

    @property
    def dirty_blocks(self) -> int:
        """Blocks in memory that are changed and not written, now."""
        pools = range(len(self.begin.pools))
        return sum(int(s.whole_part(self._shop, s.of_pool(pool, s.CACHE))[DIRTIES]) for pool in pools)

    @property
    def written_blocks(self) -> int:
        """Blocks that DBWR has written so far."""
        return int(self._shop.real[s.WRITTEN])

    def played(self) -> Played:
        """What was played so far."""
        begin = self.begin
        return Played(
            solved=self.solved,
            method=METHOD,
            seed=begin.seed,
            tally=self.tally,
            batch=self.batch,
            marks=np.array(self._marks),
            files=begin.files,
            redo=None if begin.redo is begin.files else begin.redo,
            end_s=float(self._shop.real[s.NOW]),
        )
