"""An interval that was not used: what the file of a system predicts for its load, against what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import exp, hypot, log
from typing import Any, Final

from blocktime.model.errors import SpecError
from blocktime.scenarios import Scenario, from_mapping, run
from blocktime.scenarios.measured import (
    CPU,
    READ_REQUESTS,
    READ_WAIT,
    TRANSACTIONS,
    WRITES,
    AsModelled,
    ComparedFigure,
    Light,
    as_modelled,
    light_of,
)
from blocktime.scenarios.uncertainty.model_error import OTHER_WORK, WITHIN, model_error
from blocktime.validation.identify.system import identify
from blocktime.validation.instruments import Reading

POPULARITY: Final = (
    "data_bytes", "miss_curve", "hot_data_percent", "hot_gets_percent",
    "hottest_blocks", "hottest_gets_percent", "hottest_changes_percent",
)  # fmt: skip
ALONE: Final = 0.4
"""Least part of a read's time that is no wait for other reads."""
LOAD: Final = ("users", "think_s", "rate_per_s", "beside", *POPULARITY)
"""Fields of the workload that say how much is asked for, and which blocks; the other report gives them."""
MACHINE: Final = {"cpus": None, "threads_per_core": 1, "cpus_of_others": 0.0}
"""Fields of the host's processors, with their values where a report says nothing; the other report gives them."""
DEMAND: Final = (
    "gets", "changed_blocks", "redo_bytes", "calls", "commits", "parallel_reads", "parallel_reads_percent",
    "stated_wait_s",
)  # fmt: skip
"""Fields of a transaction that say what it asks for, and waits that are stated; the other report gives them."""


@dataclass(frozen=True, slots=True)
class FigurePrediction:
    """One figure of the other interval."""

    row: AsModelled
    low: float
    high: float
    """Where the measured one lies with 95 % confidence."""

    @property
    def covered(self) -> bool:
        """Whether the measured figure, within its printed digits, lies in the interval."""
        return self.row.measured.high >= self.low and self.row.measured.low <= self.high

    def to_json(self) -> dict[str, Any]:
        """The figure as data."""
        return {
            **self.row.measured.model_dump(include={"name", "unit", "file", "line"}),
            "measured": self.row.measured.value,
            "predicted": self.row.modelled,
            "low": self.low,
            "high": self.high,
            "off_fraction": self.row.off_fraction,
            "covered": self.covered,
        }


@dataclass(frozen=True, slots=True)
class IntervalComparison:
    """A system's file against an interval that was not used."""

    figures: tuple[FigurePrediction, ...]

    @property
    def light(self) -> Light:
        """By the figure that is farthest off."""
        return light_of([figure.row for figure in self.figures])

    @property
    def covered(self) -> int:
        """Figures that lie within their interval."""
        return sum(figure.covered for figure in self.figures)

    def to_json(self) -> dict[str, Any]:
        """All figures as data, and how many are covered."""
        return {
            "against": {
                "light": self.light,
                "covered": self.covered,
                "figures": [figure.to_json() for figure in self.figures],
            }
        }


def against(system: Scenario, content: Mapping[str, Any], readings: Sequence[Reading]) -> IntervalComparison:
    """What *system*, whose file has this *content*, predicts for the load of other *readings*.

    The system is the file's: disk, size of the cache, and CPU beyond gets. The load is the other report's: sessions,
    what a transaction asks for and which blocks, waits that are stated, and processors with their other programs. One
    interval does not tell whether its CPU goes with gets, with changes or with reads: each is predicted, and the middle
    of them is told.

    Where no limit of the disk is known, it may be as low as the waits of the file's interval allow: that is predicted,
    too. The interval of a figure holds all of these, and the model's error on published numbers with how far off the
    figure is on the interval that the file was made from: exp(±1.96 √(s² + ln²(1 + off))).

    Raises :class:`SpecError` for a file without measured figures, or their own report.
    """
    if not system.compared or not system.workload.mixed:
        raise SpecError(
            f"{system.name}: has no measured figures of transactions; blocktime measure --out writes such a file"
        )
    other = identify(readings)
    other.compared = [figure for figure in other.compared if figure.share]
    if _same(system.compared, other.compared):
        raise SpecError(
            f"{other.compared[0].file}: is the interval that {system.name} was made from; give one that was not used"
        )
    off_fractions = {row.measured.name: row.off_fraction for row in as_modelled(system.compared, run(system))}
    sections = other.sections()
    times = _times(content, sections, system.compared, other.compared)
    mean = (min(times) * max(times)) ** 0.5
    cases = [
        (content, mean),
        (content, min(times)),
        (content, max(times)),
        *((at, mean) for at in at_limit(content, system)),
    ]
    middle, *others = (
        as_modelled(other.compared, run(from_mapping(loaded(case, sections, each), system.name)))
        for case, each in cases
    )
    sd = model_error().sd_of(OTHER_WORK)
    figures = []
    for row, *ends in zip(middle, *others, strict=True):
        width = exp(WITHIN * hypot(sd, log(1 + max(-0.9, off_fractions.get(row.measured.name, 0.0)))))
        span = [as_modelled.modelled for as_modelled in (row, *ends)]
        figures.append(FigurePrediction(row, min(span) / width, max(span) * width))
    return IntervalComparison(tuple(figures))


def at_limit(content: Mapping[str, Any], system: Scenario) -> list[dict[str, Any]]:
    """The file of a system with the lowest limit that its waits allow; nothing where a limit is known.

    N reads under way on average may wait for each other most of their time. Where a disk serves one after the other,
    busy for the part u, the wait is u/2(1 - u) services [kleinrock-1975], so u²/(1 - u) is at most twice the N that
    wait.
    """
    disk, fields = system.system.disk, content.get("disk", {})
    value = {figure.name: figure.value for figure in system.compared}
    limits = ("iops_limit", "throughput_limit_bytes_per_s", "use")
    is_known = disk.iops_limit is not None or disk.throughput_limit_bytes_per_s is not None
    is_known |= any(name in fields and fields[name] != "nvme" for name in limits)
    if is_known or system.workload.beside or not value.get(READ_REQUESTS) or not value.get(READ_WAIT):
        return []
    waiting = (1 - ALONE) * value[READ_REQUESTS] * value[READ_WAIT]
    busy = (waiting**2 + 2 * waiting) ** 0.5 - waiting
    per_s = (value[READ_REQUESTS] + value.get(WRITES, 0.0)) / busy
    return [{**content, "disk": {**fields, "iops_limit": per_s, "overhead_s": ALONE * disk.overhead_s}}]


def _times(
    content: Mapping[str, Any],
    sections: Mapping[str, Any],
    figures_of_file: Sequence[ComparedFigure],
    other_figures: Sequence[ComparedFigure],
) -> list[float]:
    """How many times the gets, changes and reads of the file's transaction one of the other interval has."""
    before, now = (sections_of["workload"]["mix"][0] for sections_of in (content, sections))
    counts = [
        [transaction["gets"] + transaction["changed_blocks"], transaction["changed_blocks"], _reads(figures)]
        for transaction, figures in ((before, figures_of_file), (now, other_figures))
    ]
    return [after / earlier for earlier, after in zip(*counts, strict=True) if earlier and after] or [1.0]


def _reads(figures: Sequence[ComparedFigure]) -> float:
    """Reads of a transaction, as measured."""
    values = {figure.name: figure.value for figure in figures}
    return values.get(READ_REQUESTS, 0.0) / values[TRANSACTIONS] if TRANSACTIONS in values else 0.0


def loaded(content: Mapping[str, Any], other: Mapping[str, Any], times: float) -> dict[str, Any]:
    """The file of a system under the load of another interval, whose transactions have so many times its own CPU."""
    document = deepcopy({key: value for key, value in content.items() if key != "measured"})
    for section, load, names in (
        (document["workload"], other["workload"], LOAD),
        (document["workload"]["mix"][0], other["workload"]["mix"][0], DEMAND),
    ):
        for name in names:
            section.pop(name, None)
            if name in load:
                section[name] = load[name]
    machine = other.get("host", {})
    if "cpus" in machine:
        document.setdefault("host", {}).update({name: machine.get(name, usual) for name, usual in MACHINE.items()})
    kind = document["workload"]["mix"][0]
    if "cpu_s" in kind:
        kind["cpu_s"] *= times
    return document


def _same(figures: Sequence[ComparedFigure], other: Sequence[ComparedFigure]) -> bool:
    """Whether both were read of one interval: throughput and CPU agree to the last digit."""
    values = {compared.name: compared.value for compared in figures}
    return bool(other) and all(
        values.get(compared.name, compared.value if compared.name != CPU else None) == compared.value
        for compared in other
    )
