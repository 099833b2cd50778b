"""Transactions through time: users, buffer cache, processors, data disk, log writer and database writer."""

from __future__ import annotations

from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from model.demand import transactions as asked
from model.errors import OutsideLaw
from model.kernels.buffers import Buffers
from model.results import RunResult
from model.sim import streams_run
from model.sim.data_files import Files, InOrder, Scheduled, is_in_order, largest_request_bytes
from model.sim.references import Layout, References, place_limits
from model.sim.steady import estimate
from model.sim.streams import stream
from model.sim.tally import Tally
from model.sim.transaction_means import Played, result_of
from model.sim.users import Costs, Shop, arrivals, closed_user
from model.sim.warm import dirty, warm
from model.sim.writers import LOG_FILES_BYTES, DatabaseWriter, LogWriter
from model.spec import System, Transactions
from model.state.drive import capacity_of
from model.state.servers import Servers, Threads
from model.transaction_calc import Solved, solve
from model.transaction_network import dirty_groups
from model.units import show_bytes

BATCHES = 200
"""Batches that the first run is cut into, to find the end of its warm-up."""
FIRST_TRANSACTIONS = 4_000
ROUNDS_OF_USERS = 10
"""Transactions of each user that a first run has at least."""
MOST_TRANSACTIONS = 256_000
MOST_GETS = 500_000_000
MOST_BUFFERS = 50_000_000


def simulate_transactions(system: System, work: Transactions, *, seed: int, name: str) -> RunResult:
    """Answer transactions by simulation; means of one transaction after the warm-up, with their interval.

    A run is as long as ``workload.transactions`` says, or until the interval of the mean response is as narrow as
    ``precision_percent``. Raises :class:`OutsideLaw` for arrivals beyond what the resources can do, and beyond 500
    million gets or 50 million buffers.
    """
    solved = solve(system, work)
    run = _Run(system, work, solved, seed)
    run.until(_first(work))
    while work.transactions is None and not run.is_precise() and 2 * run.done <= run.most:
        run.until(2 * run.done)
    return result_of(name, system, work, run.played())


def _first(work: Transactions) -> int:
    """Transactions that are played at first."""
    if work.transactions is not None:
        return work.transactions
    users = 1 if work.rate_per_s is not None else work.users
    return max(FIRST_TRANSACTIONS, ROUNDS_OF_USERS * users)


class _Run:
    """One run, which can go on."""

    def __init__(self, system: System, work: Transactions, solved: Solved, seed: int) -> None:
        self.system, self.work, self.solved, self.seed = system, work, solved, seed
        first = _first(work)
        gets = max(1.0, solved.parts.mean("drawn_gets") + solved.parts.mean("scan_blocks"))
        self.most = min(MOST_TRANSACTIONS, int(MOST_GETS / gets))
        if first > max(self.most, work.transactions or 0) or first * gets > MOST_GETS:
            raise OutsideLaw(
                f"simulating {first:,} transactions of {gets:,.0f} gets is refused; the limit is {MOST_GETS:,} gets: "
                "use engine calculate or fewer transactions"
            )
        self.env = simpy.Environment()
        self.batch = max(1, first // BATCHES)
        self.tally = Tally()
        self.done = 0
        self._target = self.env.event()
        self._wanted = 0
        self._marks: list[NDArray[np.float64]] = []
        self.shop = self._shop(seed)
        self._mark()

    def _shop(self, seed: int) -> Shop:
        """All resources, as they are at the begin."""
        system, work, parts = self.system, self.work, self.solved.parts
        host, data = system.host, parts.data
        references = References(parts.kinds, data, seed)
        self.files, self.redo = self._devices(data, seed)
        layout = Layout(data)
        rules = asked.touch_rules(system)
        limits = (system.instance.db_writer_requests, system.instance.checkpoint_s)
        pools = []
        for pool in data.pools:
            room = min(pool.room_blocks, int(sum(data.blocks[group] for group in pool.groups)))
            if room > MOST_BUFFERS:
                raise OutsideLaw(
                    f"simulating {room:,} buffers is refused; the limit is {MOST_BUFFERS:,}: use engine calculate"
                )
            buffers = Buffers(max(1, room), rules, int(self.batch * BATCHES * parts.gets))
            if work.begins == "warm":
                warm(
                    buffers,
                    pool,
                    data,
                    rules,
                    stream(seed, f"warm {pool.name}"),
                    system.instance.checkpoint_s,
                )
            pools.append((buffers, DatabaseWriter(self.env, self.files, buffers, layout, limits)))
        if work.begins == "warm":
            groups = dirty_groups(parts, self.solved.point.per_s)
            dirty(pools, int(data.blocks[0]), groups, stream(seed, "dirty"), system.instance.checkpoint_s)
        log_at = 0 if self.redo is not self.files else self._behind(data)
        shop = Shop(
            env=self.env,
            processors=Threads(host.cpus, host.threads_per_core, host.smt_gain_percent / 100)
            if host.threads_per_core > 1
            else Servers(host.cpus),
            threads=parts.threads,
            files=self.files,
            layout=layout,
            pools=pools,
            hot_blocks=int(data.blocks[0]),
            log=LogWriter(self.env, self.redo, log_at),
            kinds=parts.kinds,
            references=references,
            latch=parts.latch,
            pin=parts.pin,
            costs=Costs(
                read_s=host.read_call_s,
                fill_s=host.buffer_block_s,
                undo_s=host.logical_io_s,
                mbrc=parts.mbrc,
                changes=parts.changes,
                collision=data.collision,
                hottest_changes=parts.hottest_changes,
                hottest_collision=1 / work.hottest_blocks,
            ),
            tally=self.tally,
            reading={},
            ended=self._ended,
        )
        self._begin(shop, seed)
        return shop

    def _begin(self, shop: Shop, seed: int) -> None:
        """The processes."""
        work = self.work
        self.env.process(shop.log.run())
        for _, writer in shop.pools:
            self.env.process(writer.run())
        if work.rate_per_s is not None:
            gaps_s = streams_run.varied(1 / work.rate_per_s, 1.0, stream(seed, "arrivals"))
            self.env.process(arrivals(shop, gaps_s))
            return
        thinks_s = streams_run.varied(work.think_s, work.think_cv, stream(seed, "think"))
        begins_s = stream(seed, "begin").uniform(0, work.think_s, work.users)
        for user in range(work.users):
            self.env.process(closed_user(shop, float(begins_s[user]), thinks_s))

    def _behind(self, data: Any) -> int:
        """First byte of the log on the disk of the data."""
        size = data.block_size_bytes
        room = capacity_of(self.system.disk) - LOG_FILES_BYTES
        given = self.system.instance.redo_byte
        wanted = place_limits(data) + size if given is None else int(given)
        return int(max(0, min(room, wanted)) // size * size)

    def _devices(self, data: Any, seed: int) -> tuple[Files, Files]:
        """The data disk and the redo disk, which may be the same."""
        system = self.system
        needed, there = place_limits(data), capacity_of(system.disk)
        if needed > there:
            raise OutsideLaw(
                f"workload.data_bytes {show_bytes(needed)} is more than the disk holds, {show_bytes(there)}: set "
                "disk.capacity_bytes, or disk.raid_level and raid_disks"
            )
        files = self._device("disk", data.block_size_bytes, seed)
        if system.instance.redo_disk == "data":
            return files, files
        return files, self._device("redo", data.block_size_bytes, seed + 1)

    def _device(self, name: str, block_bytes: int, seed: int) -> Files:
        system = self.system
        counters = streams_run.counters_of(system)
        largest = largest_request_bytes(system.host)
        alone = name == "redo"  # the log writer waits for each of its writes
        if alone or is_in_order(system, largest, block_bytes):
            return InOrder(self.env, streams_run.server_of(system, seed), counters, largest)
        return Scheduled(self.env, streams_run.device_of(self.env, system, counters, seed), largest)

    def _ended(self) -> None:
        self.done += 1
        if self.done % self.batch == 0:
            self._mark()
        if self.done == self._wanted:
            self._target.succeed()

    def _mark(self) -> None:
        shop = self.shop if self.done else None
        written = sum(writer.written for _, writer in shop.pools) if shop else 0
        self._marks.append(self.tally.sums(self.env.now, written, shop.log.writes if shop else 0))

    def until(self, wanted: int) -> None:
        """Play until so many transactions have ended."""
        self._wanted = wanted
        self._target = self.env.event()
        self.env.run(until=self._target)

    def played(self) -> Played:
        """What was played so far."""
        return Played(
            solved=self.solved,
            seed=self.seed,
            tally=self.tally,
            batch=self.batch,
            marks=np.array(self._marks),
            files=self.files,
            redo=None if self.redo is self.files else self.redo,
            end_s=self.env.now,
        )

    def is_precise(self) -> bool:
        """Whether the interval of the mean response is as narrow as wanted."""
        found = estimate(self.played().batch_responses()[1])
        return found.half <= self.work.precision_percent / 100 * found.mean
