"""An interval that was not used: what the file of a system predicts for its load, against what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import exp, hypot, log
from typing import Any, Final

from model.errors import SpecError
from scenarios import Scenario, from_mapping, run
from scenarios.measured import CPU, AsModelled, Compared, Light, as_modelled, light_of
from scenarios.uncertainty.model_error import OTHER_WORK, WITHIN, model_error
from validation.identify.system import identify
from validation.instruments import Reading

LOAD: Final = ("users", "think_s", "hottest_changes_percent")
"""Fields of the workload that say how much is asked for; the other report gives them."""
ASKED: Final = (
    "gets", "changed_blocks", "redo_bytes", "calls", "commits", "parallel_reads", "parallel_reads_percent",
)  # fmt: skip
"""Fields of a transaction that say what it asks for; the other report gives them."""
BY_GETS: Final = ("cpu_s", "stated_wait_s")
"""Fields of a transaction that the system's file gives, for as many logical reads as a transaction has there."""


@dataclass(frozen=True, slots=True)
class Predicted:
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
class Against:
    """A system's file against an interval that was not used."""

    figures: tuple[Predicted, ...]

    @property
    def light(self) -> Light:
        """By the figure that is farthest off."""
        return light_of([one.row for one in self.figures])

    @property
    def covered(self) -> int:
        """Figures that lie within their interval."""
        return sum(one.covered for one in self.figures)

    def to_json(self) -> dict[str, Any]:
        """All figures as data, and how many are covered."""
        return {
            "against": {
                "light": self.light,
                "covered": self.covered,
                "figures": [one.to_json() for one in self.figures],
            }
        }


def against(
    system: Scenario, content: Mapping[str, Any], readings: Sequence[Reading], engine: str = "auto"
) -> Against:
    """What *system*, whose file has this *content*, predicts for the load of other *readings*.

    The system is the file's: disk, cache misses of a get, CPU and stated waits of a logical read. The load is the other
    report's: sessions, and what a transaction asks for. The interval of a figure is that of the model's error on
    published numbers and of how far off the figure is on the interval that the file was made from:
    exp(±1.96 √(s² + ln²(1 + off))). Raises :class:`SpecError` for a file without measured figures, or their own report.
    """
    if not system.compared or not system.workload.mixed:
        raise SpecError(
            f"{system.name}: has no measured figures of transactions; blocktime measure --out writes such a file"
        )
    other = identify(readings)
    if _same(system.compared, other.compared):
        raise SpecError(
            f"{other.compared[0].file}: is the interval that {system.name} was made from; give one that was not used"
        )
    own = {row.measured.name: row.off_fraction for row in as_modelled(system.compared, run(system, engine))}
    predicted = run(from_mapping(loaded(content, other.sections()), system.name), engine)
    sd = model_error().sd_of(OTHER_WORK)
    figures = []
    for row in as_modelled(other.compared, predicted):
        width = exp(WITHIN * hypot(sd, log(1 + max(-0.9, own.get(row.measured.name, 0.0)))))
        figures.append(Predicted(row, row.modelled / width, row.modelled * width))
    return Against(tuple(figures))


def loaded(content: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The file of a system under the load of another interval."""
    found = deepcopy({key: value for key, value in content.items() if key != "measured"})
    work, load = found["workload"], other["workload"]
    work.update({name: load[name] for name in LOAD if name in load})
    mine, asked = work["mix"][0], load["mix"][0]
    before = mine["gets"] + mine["changed_blocks"]
    times = (asked["gets"] + asked["changed_blocks"]) / before if before else 1.0
    mine.update({name: mine[name] * times for name in BY_GETS if name in mine})
    for name in ASKED:
        mine.pop(name, None)
        if name in asked:
            mine[name] = asked[name]
    return found


def _same(mine: Sequence[Compared], other: Sequence[Compared]) -> bool:
    """Whether both were read of one interval: throughput and CPU agree to the last digit."""
    values = {one.name: one.value for one in mine}
    return bool(other) and all(
        values.get(one.name, one.value if one.name != CPU else None) == one.value for one in other
    )
