"""A resolved scenario, and the headings of the file that it comes from."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field, model_validator

from blocktime.model.provenance import Frozen
from blocktime.model.spec import System, Whole, Workload
from blocktime.scenarios.measured import ComparedFigure

SECTIONS = ("tablespace", "table", "index", "instance", "host", "client", "disk", "iostat", "prices", "workload")
PRECISION = "workload.precision_percent"
PROFILE = "profile"
"""The heading of a file's own entries; see :mod:`scenarios.profiles`."""
DIFFERING = (PROFILE, *SECTIONS)
"""What of a file says how it differs from its base."""
CHANGE: Final = "change"
"""The table of a file that is a question: fields with their values on the side with the change."""
PROMISE: Final = "promise"
"""The list of what an answer has to keep."""
HEADINGS = (
    "base", "title", "source", "seed", "replications", "sweep", "inferred", "measured", "profile", CHANGE, PROMISE,
)  # fmt: skip


class Scenario(Frozen):
    """Everything one run needs: a system and a workload, every constant explicit, and how it came about."""

    name: str
    title: str = ""
    source: str = ""
    base: str | None = None
    """The library scenario that it stands on."""
    differences: dict[str, Any] = {}
    """What differs from the base, as nested sections."""
    origin: str = ""
    """The file or library entry it was read from."""
    compared: tuple[ComparedFigure, ...] = ()
    """What was measured of the system that the file describes; see :mod:`scenarios.measured`."""
    written: tuple[str, ...] = ()
    """Fields that ``measure`` wrote and no setting changes: they draw no note that they have no effect."""
    changed: bool = Field(default=False, exclude=True)
    """Whether settings other than the precision are laid over what the file says."""
    promises: tuple[str, ...] = ()
    """What the answer has to keep; see :mod:`scenarios.search.promises`."""
    correlations: tuple[tuple[str, str, float], ...] = ()
    """Two measured constants by name, and how their logarithms hang together."""
    notes: tuple[str, ...] = ()
    """What is to be said of fields of earlier releases."""
    seed: Whole = Field(default=1, ge=0, le=2**63 - 1)
    replications: Whole = Field(default=1, ge=1, le=1000)
    system: System
    workload: Workload

    @property
    def as_measured(self) -> tuple[ComparedFigure, ...]:
        """What was measured of exactly this system; nothing where a setting changes it."""
        return () if self.changed else self.compared

    @model_validator(mode="after")
    def _rows_fit_in_each_table(self) -> Scenario:
        for rank, program in enumerate(self.workload.beside):
            if program.table is not None:
                self.system.check_fits(program.table, f"workload.beside.{rank}.table")
        return self
