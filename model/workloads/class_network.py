"""The network that programs beside each other make of processors and disk, and what each of them does there.

A disk loses its order between classes: a request in sequence that follows one of another program pays the seek and the
turn of a random one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import disk_means, disk_sets
from blocktime.model.laws.classes import ClassMeans, Station, Visits, last_of, mean_values_of_classes
from blocktime.model.laws.processors import thread_speed
from blocktime.model.machine.device.elevator import IN_BATCHES
from blocktime.model.spec import System
from blocktime.model.units import show_number
from blocktime.model.workloads.work_class import Program, Requests, near_s, service_of

KEEPS_UP = 0.98
"""Of their rate, what arrivals reach beside others at least."""
MOST_BEHIND = 0.85
"""Of the disk, what writes that nobody waits for may take: beyond it a write cache fills, and means say nothing."""
ROUNDS = 60
CLOSE = 1e-6


@dataclass(slots=True)
class ProgramShare:
    """What one program does while the same programs are at work."""

    cycles_per_s: float
    disk_more_s: float
    """Of a cycle, beyond what it waits alone; as the next."""
    run_queue_more_s: float


class ClassNetwork:
    """Programs that are at work at the same time."""

    def __init__(self, system: System, programs: Sequence[Program]) -> None:
        self.system, self.programs = system, programs
        self.disk = system.disk
        self.behind = 0.0
        """Share of the disk that writes take which nobody waits for, and requests wait behind."""
        self.members = int(disk_means.servers_of(system.disk))
        self.cores = system.host.cores
        among_bytes = sum(program.requests[0].span_bytes for program in programs if program.requests)
        self.services = {
            id(asks): (near_s(system, asks, program.cycle_s), *service_of(system, asks, among_bytes))
            for program in programs
            for asks in program.requests
        }
        """Of requests: after one of their own program, after another, and the squared variation."""

    def solve(
        self, rest_s: Sequence[float] | None = None
    ) -> tuple[list[ClassMeans], list[tuple[Visits, ...]]]:
        """The programs' means and visits; *rest_s* is the time of a cycle elsewhere.

        Without it, it is what makes the cycle as long as alone.
        """
        now = [program.users / program.cycle_s for program in self.programs]
        rest = [0.0] * len(now) if rest_s is None else list(rest_s)
        for _ in range(ROUNDS):
            visits = [self._visits(program, now) for program in self.programs]
            means = mean_values_of_classes(
                [program.users for program in self.programs], rest, visits, self._stations(now)
            )
            before = [*now, *rest]
            if rest_s is None:
                rest = [
                    max(0.0, program.cycle_s - sum(self.residence_s(mean, asks)))
                    for program, mean, asks in zip(self.programs, means, visits, strict=True)
                ]
            else:
                rates = [
                    min(mean.cycles_per_s, program.users / program.cycle_s)
                    for mean, program in zip(means, self.programs, strict=True)
                ]
                now = [(new + old) / 2 for new, old in zip(rates, now, strict=True)]
            if all(abs(new - old) <= CLOSE * new for new, old in zip([*now, *rest], before, strict=True)):
                break
        return means, visits

    def residence_s(self, means: ClassMeans, visits: Sequence[Visits]) -> tuple[float, float]:
        """Of a cycle, at the disk and at the processors."""
        each = [
            visit.times * (visit.service_s + wait * last_of(visit.at_once))
            for visit, wait in zip(visits, means.wait_s, strict=True)
        ]
        return sum(each[1:]), each[0]

    def _at_once(self, asks: Requests) -> float:
        return float(self.disk.raid_disks / disk_sets.equal_stations(self.disk, asks.size_bytes, asks.write))

    def _other_share(self, program: Program, asks: Requests, rates: Sequence[float]) -> float:
        """Chance that the request before it, at the place where it goes, is another program's."""
        mine = others = 0.0
        for other_program, rate in zip(self.programs, rates, strict=True):
            for their in other_program.requests:
                arrives = rate * their.times * self._at_once(their)
                if other_program is program:
                    mine += arrives if their is asks else 0.0
                else:
                    others += arrives
        return others / (mine + others) if others else 0.0

    def _service(self, program: Program, asks: Requests, rates: Sequence[float]) -> tuple[float, float]:
        near, far_s, scv = self.services[id(asks)]
        other = self._other_share(program, asks, rates)
        return near + other * max(0.0, far_s - near), scv

    def _visits(self, program: Program, rates: Sequence[float]) -> tuple[Visits, ...]:
        asks = program.asked
        slices = 1 + (asks.times if asks else 0.0)
        running = sum(rate * program.cpu_s for program, rate in zip(self.programs, rates, strict=True))
        # NOTE: alone it is slowed by its own users, so the others add what it is slower beside them
        alone = program.users / program.cycle_s * program.cpu_s
        slower = thread_speed(alone, self.cores) / thread_speed(max(alone, running), self.cores)
        processors = Visits(slices, program.cpu_s / slices * slower)
        if asks is None:
            return processors, Visits(0.0, 0.0), Visits(0.0, 0.0)
        service_s, scv = self._service(program, asks, rates)
        disk, size = self.disk, asks.size_bytes
        hits = 0.0 if asks.write else disk.read_hit_fraction
        # NOTE: the interface moves what the cache answers while the disk works on the rest, if it holds two commands
        bus_s = hits * size / disk.bus_bytes_per_s
        if hits and max(disk.queue_depth, disk.parallel_requests) == 1:
            answered_s = float(disk_means.answered_s(disk, size, asks.write))
            square = (1 - hits) * (1 + scv) * service_s**2 + hits * answered_s**2
            service_s = (1 - hits) * service_s + hits * answered_s
            one_by_one = Visits(asks.times, service_s, self._at_once(asks), square / service_s**2 - 1)
            return processors, one_by_one, Visits(0.0, 0.0)
        times = asks.times * (1 - hits)
        if disk.rotation_s:
            own = Visits(times, service_s, self._at_once(asks), scv)
            return processors, own, Visits(asks.times if hits else 0.0, bus_s, 1.0, 0.0)
        sent_s = size / float(disk_means.rate_bytes_per_s(disk, asks.write)) / disk.raid_disks
        sent_s = min(sent_s, service_s)
        own = Visits(times, service_s - sent_s, 1.0, disk.service_cv**2)
        return processors, own, Visits(asks.times, (1 - hits) * sent_s + bus_s, 1.0, 0.0)

    def _stations(self, rates: Sequence[float]) -> list[Station]:
        """Processors, the disk, and the channel of a disk without moving heads."""
        begun_s = load = 0.0
        passes = self.system.host.scheduler in IN_BATCHES
        if self.disk.write_cache_bytes:
            # NOTE: a set's cache has a run on its way for each member, in the members' own queues
            passes = self.members == 1
        for program, rate in zip(self.programs, rates, strict=True):
            for asks in program.requests:
                if asks.waited:
                    continue
                service_s, scv = self._service(program, asks, rates)
                busy = min(1.0, rate * asks.times * self._at_once(asks) * service_s / self.members)
                begun_s += busy * service_s * (1 + scv) / 2
                load += 0.0 if passes else busy
        self.behind = load
        disk = Station(self.members, not self.disk.rotation_s, begun_s, min(load, KEEPS_UP))
        return [Station(int(self.cores.threads), takes_any=True), disk, Station()]


def shares(system: System, programs: Sequence[Program]) -> list[ProgramShare]:
    """What each program does while all of *programs* are at work."""
    alone = [_alone(system, program) for program in programs]
    network = ClassNetwork(system, programs)
    means, visits = network.solve(
        [
            max(0.0, program.cycle_s - disk_s - cpu_s)
            for program, (disk_s, cpu_s) in zip(programs, alone, strict=True)
        ]
    )
    if network.behind > MOST_BEHIND:
        raise OutsideLaw(
            f"writes behind the programs take {100 * network.behind:.0f} % of the disk, and what waits depends on how "
            "full the write cache is: there is no instant estimate for the programs together; simulate"
        )
    times = []
    for program, (disk_s, cpu_s), mean, asks in zip(programs, alone, means, visits, strict=True):
        at_disk_s, at_cpu_s = network.residence_s(mean, asks)
        disk_more_s, cpu_more_s = max(0.0, at_disk_s - disk_s), max(0.0, at_cpu_s - cpu_s)
        if program.overlaps:
            spare_s = max(0.0, program.cycle_s - disk_s)
            disk_more_s = max(0.0, disk_more_s - spare_s)
        longer_s = disk_more_s + cpu_more_s
        cycles_per_s = program.users / (program.cycle_s + longer_s)
        if program.rate_per_s is not None:
            if cycles_per_s < KEEPS_UP * program.rate_per_s:
                raise OutsideLaw(
                    f"{program.work.kind}: rate_per_s asks for {program.rate_per_s:g} a second, and beside the other "
                    f"programs the machine does {show_number(cycles_per_s, 4)}: the queue would grow without end; "
                    "lower the rate, or simulate"
                )
            cycles_per_s = program.rate_per_s
        times.append(ProgramShare(cycles_per_s, disk_more_s, cpu_more_s))
    return times


def _alone(system: System, program: Program) -> tuple[float, float]:
    """Seconds of a cycle at the disk and at the processors, alone."""
    if program.alone_s is None:
        network = ClassNetwork(system, [program])
        means, visits = network.solve()
        program.alone_s = network.residence_s(means[0], visits[0])
    return program.alone_s
