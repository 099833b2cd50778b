"""Reports of the user's own system: each file read, and the file that `measure --out` writes of them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from blocktime.validation.identify.identified_scenario import IdentifiedScenario, NotIdentified, RefusedReport
from blocktime.validation.identify.statement import identify_statement
from blocktime.validation.identify.system import identify
from blocktime.validation.identify.unused import unused
from blocktime.validation.instruments import Keep, NotReadable, OpenedFile, Reading, read
from blocktime.validation.instruments.measured_file import measured_lines

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Document:
    """What `measure --out` writes."""

    text: str
    identified: IdentifiedScenario | None
    """None where the figures determine no system; the file holds the figures alone."""
    reason: str = ""
    """Why they determine none."""


def read_file(path: Path, name: str, keep: Keep, progress: Progress | None = None) -> list[Reading]:
    """Every report in one file; raises NotReadable with one sentence."""
    try:
        return read(OpenedFile(path, name, keep), progress)
    except OSError as fault:
        raise NotReadable(f"{name}: cannot be read: {fault.strerror or fault}") from None


def document_of(readings: Sequence[Reading], statement: str | None = None, rpm: float | None = None) -> Document:
    """A scenario of the system, of *statement*, or of a disk that turns *rpm* times, as far as *readings* identify it.

    Raises NotIdentified where they do not determine the statement, or are declined.
    """
    try:
        identified = identify(readings, rpm) if statement is None else identify_statement(readings, statement)
    except NotIdentified as reason:
        if statement is not None or isinstance(reason, RefusedReport):
            raise
        return Document("\n".join(measured_lines(readings)) + "\n", None, str(reason))
    identified.says += unused(readings, identified, statement)
    return Document("\n".join(measured_lines(readings, identified.sections())) + "\n", identified)
