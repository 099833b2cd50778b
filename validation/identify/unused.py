"""Reports that are read and that a scenario does not use: each by name, with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from blocktime.validation.identify.hours import is_of_another_instance, is_of_same_hour, why_no_arrivals
from blocktime.validation.identify.identified_scenario import IdentifiedScenario
from blocktime.validation.identify.intervals import busiest
from blocktime.validation.identify.plans import FORMATS as OF_STATEMENTS
from blocktime.validation.identify.report import Report
from blocktime.validation.instruments import FORMATS, Reading

TITLES: Final = {form.name: form.title.partition(",")[0] for form in FORMATS}
OF_SYSTEM: Final = {
    "fio": "a drive is described by fio's jobs alone: give them without AWR, and take the drive over",
    "tkprof": "--statement makes a scenario of one of its statements",
    "10046": "--statement makes a scenario of one of its statements",
    "sar": "it is held against the hour and the processors of the report, and tells nothing else",
}
"""Format -> why the scenario of a system takes no figure of it."""


def unused(readings: Sequence[Reading], identified: IdentifiedScenario, statement: str | None) -> Iterator[str]:
    """A sentence for each of *readings* that *identified* takes nothing of: of a system, a drive, or a *statement*.

    What is used is named in the source of a field, in a figure that is compared, or in what the scenario says.
    """
    sources = " ".join((*(known.source for known in identified.known), *identified.says))
    used = {compared.file for compared in identified.compared}
    reports = [Report(reading) for reading in readings if reading.format == "awr"]
    first = busiest(reports).reading if reports else None
    hours = {hour.file for hour in identified.hours}
    for place, reading in enumerate(readings):
        again = any(reading is not other and other.file == reading.file for other in readings[:place])
        if again or (reading.file not in used and reading.file not in sources and reading.file not in hours):
            yield f"not used: {reading.file}: {_why(reading, first, identified, statement)}"


def _why(reading: Reading, first: Reading | None, identified: IdentifiedScenario, statement: str | None) -> str:
    form = TITLES[reading.format]
    if statement is not None:
        if reading.format in OF_STATEMENTS:
            return f"no statement of it has the SQL ID of statement {statement}"
        return f"it is {form}, and a statement is described by SQL traces and TKPROF alone"
    if first is None:
        return f"it is {form}, and a drive is described by fio's jobs alone"
    if reading.format == "awr":
        return _why_of_awr(Report(first), reading)
    if reading.format == "iostat" and "disk.iops_limit" not in identified.values():
        return "no limit of the disk shows in the report, so nothing is to be told from it"
    if reading.format == "iostat":
        return "no device of it has the reads a second of the report, so nothing tells which one is the database's"
    return OF_SYSTEM.get(reading.format, f"it is {form}, of which a scenario takes no figure")


def _why_of_awr(first: Report, reading: Reading) -> str:
    if is_of_another_instance(first.reading, reading):
        return f"it is of another database or instance than {first.reading.file}"
    if is_of_same_hour(first.reading, reading):
        return f"it is of the same interval as {first.reading.file}"
    return why_no_arrivals(first, Report(reading)) or "another report tells users from arrivals already"
