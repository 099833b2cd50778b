"""A drive or a set from a grid of fio's jobs: depth times jobs, reads and writes, of one block size or several.

N requests under way keep N·D/(N + D - 1) of D units busy, as in a closed network with balanced demands [lazowska-1984],
up to what drive, link or controller serve at most, and to what each program can issue. All cells together tell the time
of a lone request, the units, and those limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import log
from typing import Final

from blocktime.model.units import show_bytes, show_number, show_seconds
from blocktime.scenarios import from_mapping, run
from blocktime.scenarios.measured import READ_LATENCY, READS_A_SECOND
from blocktime.validation.identify.identified_scenario import IdentifiedScenario, NotIdentified, ScenarioBuilder
from blocktime.validation.instruments import Figure

UNITS: Final = tuple(dict.fromkeys(round(1.05**step) for step in range(143)))
"""Numbers of units that are tried, 1 to some 1,000."""
PRICE: Final = 0.003
"""What a further limit has to save of the squared errors of the logarithms."""
MORE_BY_JOBS: Final = 1.1
"""So many times what one program reaches: several issue more, so that its calls are a limit."""
FAR: Final = 0.1
"""A cell that is farther off is told of."""
BANDWIDTH_BYTES_PER_S: Final = 1e11
"""No limit: what a transfer takes is part of the time of a lone request."""
COUNT: Final = 40_000
PLAYED: Final = 4_000
"""Requests of a cell while drives are held against it."""
SHARE_OF_CALL: Final = 0.6
"""A program's call takes no more of the time between two of its requests, where calls limit none."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one job, or several alike, reached with so many requests under way each."""

    depth: int
    jobs: int
    write: bool
    block_bytes: int
    file: str
    per_s: Figure
    latency: Figure
    submission_s: float

    @property
    def in_flight(self) -> int:
        """Requests under way of all jobs."""
        return self.depth * self.jobs


@dataclass(frozen=True, slots=True)
class UnitsFit:
    """What cells of one direction and block size tell."""

    lone_s: float
    units: int
    most_per_s: float | None
    """Of drive, link or controller; None where none shows."""
    program_per_s: float | None
    """Requests that one program issues at most; None where none shows."""
    error: float

    def per_s(self, depth: int, jobs: int) -> float:
        """Requests a second."""
        in_flight = depth * jobs
        rate = self.units * in_flight / (in_flight + self.units - 1) / self.lone_s
        rate = min(rate, self.most_per_s or rate)
        return min(rate, jobs * (self.program_per_s or rate))


def fitted_units(cells: Sequence[Cell]) -> UnitsFit:
    """The law of *cells*, by least squares of logarithms; a limit counts where it explains enough."""
    lone = [cell for cell in cells if cell.in_flight == 1]
    lone_s = len(lone) / sum(cell.per_s.value for cell in lone) if lone else 0.0
    most = max(cell.per_s.value for cell in cells)
    alone = max((cell.per_s.value for cell in cells if cell.jobs == 1), default=most)
    programs = (None, alone) if most > MORE_BY_JOBS * alone else (None,)
    best: UnitsFit | None = None
    for units, ceiling, program in product(UNITS, (None, most), programs):
        found_s = lone_s or min(
            units * cell.in_flight / (cell.in_flight + units - 1) / cell.per_s.value for cell in cells
        )
        fit = UnitsFit(found_s, units, ceiling, program, 0.0)
        errors = (log(fit.per_s(cell.depth, cell.jobs) / cell.per_s.value) ** 2 for cell in cells)
        error = sum(errors) + PRICE * ((ceiling is not None) + (program is not None))
        if best is None or error < best.error - 1e-12:
            best = UnitsFit(found_s, units, ceiling, program, error)
    assert best is not None
    return best


def mean_error(identified: IdentifiedScenario, cells: Sequence[Cell]) -> float:
    """How far the drive of *identified* is from *cells* on average, as the model plays them; logarithms."""
    errors = []
    for cell in cells:
        sections = identified.sections()
        sections["workload"] |= {"in_flight": cell.depth, "users": cell.jobs, "count": max(1, PLAYED // cell.jobs)}
        result = run(from_mapping({name: part for name, part in sections.items() if name != "measured"}, "drive"))
        errors += [abs(log(stream.calls_per_s / cell.per_s.value)) for stream in result.streams or ()]
    return sum(errors) / len(errors)


def identify_grid(cells: Sequence[Cell]) -> IdentifiedScenario:
    """The drive or set that *cells* are of, as a scenario of the cell with most reads under way, else writes.

    Raises :class:`NotIdentified` for cells without one under way at most twice.
    """
    kinds: dict[tuple[bool, int], list[Cell]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.in_flight, cell.depth)):
        kinds.setdefault((cell.write, cell.block_bytes), []).append(cell)
    main = min(kinds, key=lambda kind: (kind[0], -len(kinds[kind]), kind[1]))
    if kinds[main][0].in_flight > 2:
        raise NotIdentified(
            f"{kinds[main][0].file}: {kinds[main][0].in_flight} requests are under way at least: what a lone one takes "
            "is not known; add a job of iodepth 1"
        )
    return _Grid(kinds, main).fill()


class _Grid(ScenarioBuilder):
    """Fills in the drive, and the cell with most under way."""

    def __init__(self, kinds: dict[tuple[bool, int], list[Cell]], main: tuple[bool, int]) -> None:
        self.kinds, self.main = kinds, main
        self.deep = kinds[main][-1]
        self.fits = {kind: fitted_units(cells) for kind, cells in kinds.items()}
        what = " and ".join(dict.fromkeys("writes" if write else "reads" for write, _ in kinds))
        count = sum(map(len, kinds.values()))
        title = f"Random {what} of {show_bytes(main[1])} by fio, {count} cells of depth and jobs"
        super().__init__(IdentifiedScenario(title), self.deep.file)

    def fill(self) -> IdentifiedScenario:
        """The whole scenario."""
        deep, fit, (write, block) = self.deep, self.fits[self.main], self.main
        self.know("workload.kind", "write_stream" if write else "read_stream", "rw, direct=1")
        for name, value in (("path", "direct"), ("pattern", "random")):
            self.assume(f"workload.{name}", value, "as fio does it")
        self.know("workload.block_size_bytes", block, "bs")
        self.know("workload.in_flight", deep.depth, "iodepth")
        self.know("workload.users", deep.jobs, "numjobs")
        self.assume("workload.count", COUNT // deep.jobs, "enough for a mean")
        for path, free in (
            ("host.cpus", 256), ("host.nr_requests", 10_000), ("host.scheduler", "none"), ("disk.use", "nvme"),
            ("disk.queue_depth", 65_536), ("disk.capacity_bytes", 1 << 42), ("disk.average_seek_s", 0.0),
            ("disk.rotation_s", 0.0), ("disk.bus_bytes_per_s", BANDWIDTH_BYTES_PER_S),
            ("disk.bandwidth_bytes_per_s", BANDWIDTH_BYTES_PER_S),
            ("disk.write_bandwidth_bytes_per_s", BANDWIDTH_BYTES_PER_S),
        ):  # fmt: skip
            self.assume(path, free, "not a limit")
        self.know("disk.parallel_requests", fit.units, "units that collide", deep.per_s,
                  interval=(max(1.0, 0.8 * fit.units), 1.25 * fit.units))  # fmt: skip
        self.assume("disk.reads_collide", True, "a request goes to the unit that holds its place")
        self.assume("disk.service_cv", 1.0, "as the law of balanced demands has it")
        for kind in self.kinds:
            if kind[1] == block:
                self._direction(kind[0], self.fits[kind])
        self._larger_blocks()
        if not write:
            self.add_compared(READS_A_SECOND, deep.per_s.value, "1/s", deep.per_s)
            self.add_compared(READ_LATENCY, deep.latency.value, "s", deep.latency)
        self.found.says += self._unexplained()
        return self.found

    def _direction(self, write: bool, fit: UnitsFit) -> None:
        """Time of a lone request, what a program's call takes, and what the drive serves at most."""
        cells, name = self.kinds[write, self.main[1]], "write" if write else "read"
        alone = max((cell.per_s.value for cell in cells if cell.jobs == 1), default=1 / fit.lone_s)
        slowest = max(cell.submission_s for cell in cells)
        call_s = 1 / fit.program_per_s if fit.program_per_s else min(slowest or 1e-6, SHARE_OF_CALL / alone)
        source = f"{cells[0].file}: "
        if fit.program_per_s:
            source = f"one program makes {fit.program_per_s:,.0f} calls a second, and several make more"
            self.found.says.append(f"{source}: a limit of the host, host.{name}_call_s")
        else:
            source += "mean submission"
        self.know(f"host.{name}_call_s", float(f"{call_s:.4g}"), source, cells[-1].per_s)
        lone_s = max(1e-6, fit.lone_s - call_s)
        path = "disk.write_overhead_s" if write else "disk.overhead_s"
        self.know(path, float(f"{lone_s:.4g}"), f"{cells[0].file}: a lone {name} less its call", cells[0].per_s)
        if write and (False, self.main[1]) not in self.kinds:
            self.assume("disk.overhead_s", float(f"{lone_s:.4g}"), "no reads were measured")
        if fit.most_per_s is not None and fit.most_per_s * lone_s >= 1:
            self.know(f"disk.controller_{name}s_per_s", fit.most_per_s, f"{name}s a second at most", cells[-1].per_s)
            self.found.says.append(
                f"drive, link or controller serve {fit.most_per_s:,.0f} {name}s a second at most, as all cells say"
            )
        rates = [cell.per_s.value for cell in cells]
        self.found.says.append(
            f"{name}s: a lone one takes {show_seconds(fit.lone_s)}, and {show_number(max(rates) / min(rates), 3)} "
            f"times as many are done at most; {fit.units} units explain how they grow"
        )

    def _larger_blocks(self) -> None:
        """The bytes a second at which larger blocks end."""
        sizes = sorted(block for write, block in self.kinds if write == self.main[0])
        if len(sizes) < 2:
            return
        moved = {size: max(c.per_s.value for c in self.kinds[self.main[0], size]) * size for size in sizes}
        largest = sizes[-1]
        if moved[largest] < 0.9 * self.fits[self.main].per_s(self.deep.depth, self.deep.jobs) * largest:
            figure = self.kinds[self.main[0], largest][-1].per_s
            self.know(
                "disk.throughput_limit_bytes_per_s", moved[largest], f"bytes a second of {show_bytes(largest)}", figure
            )

    def _unexplained(self) -> Iterator[str]:
        """Cells that are farther from the law than a tenth."""
        far = []
        for (write, size), cells in self.kinds.items():
            for cell in cells:
                law = self.fits[write, size].per_s(cell.depth, cell.jobs)
                if abs(law / cell.per_s.value - 1) > FAR:
                    far.append(
                        f"{cell.depth} × {cell.jobs} {'writes' if write else 'reads'} of {show_bytes(size)}: "
                        f"{cell.per_s.value:,.0f} a second, the law {law:,.0f}"
                    )
        if far:
            yield f"no law explains these cells within {FAR:.0%}: {'; '.join(far)}"
