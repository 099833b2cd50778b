"""Several files of one system: what two intervals tell that one cannot, and where files contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from blocktime.model.units import show_number, show_seconds
from blocktime.validation.identify.identified_scenario import RefusedReport
from blocktime.validation.identify.report import Report
from blocktime.validation.instruments import Reading

FORMS: Final = (
    "%d-%b-%y %H:%M:%S", "%d-%b-%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p", "%m/%d/%y %H:%M:%S", "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
)  # fmt: skip
SAME_WORK: Final = 0.10
"""Logical reads of a transaction differ by less where two intervals are of the same work."""
SAME: Final = 0.03
"""Throughput, response or sessions of two intervals differ by less where they count as the same."""
LISTED: Final = ("Logical read", "Block changes", "Physical read", "Physical write", "Redo size", "Transactions")


@dataclass(frozen=True, slots=True)
class TransactionArrivals:
    """How transactions come, as two intervals tell: users who pause, or arrivals."""

    says: str
    users: float = 0.0
    think_s: float = 0.0
    rate_per_s: float | None = None


def checked(report: Report, readings: Sequence[Reading]) -> list[str]:
    """Sentences where other *readings* say something else of the same interval; the figures of *report* are used.

    Raises :class:`RefusedReport` for files of different machines or hours.
    """
    reading = report.reading
    for other in readings:
        if other is reading or other.format not in ("awr", "iostat", "sar"):
            continue
        if reading.host.cpus and other.host.cpus and reading.host.cpus != other.host.cpus:
            raise RefusedReport(
                f"these are two machines: {reading.file} has {reading.host.cpus} CPUs, "
                f"{other.file} has {other.host.cpus}"
            )
        if other.format != "awr" and _apart(reading, other):
            raise RefusedReport(
                f"{other.file} is of {other.begins} to {other.ends}, {reading.file} of {reading.begins} to "
                f"{reading.ends}: give files of the same hour"
            )
    return [text for other in others_of(report, readings) for text in _contradicted(report, other)]


def arrivals_of(report: Report, readings: Sequence[Reading]) -> TransactionArrivals | str | None:
    """Whether users pause or arrivals come, by the first other interval that tells; a sentence where none does.

    Closed: N = X(R + Z) holds at both loads, for the same N, or for so many more users as more sessions were logged on
    [lazowska-1984]. Open: as many transactions come however long they take, or the same sessions end more of them.
    None without another interval.
    """
    text: str | None = None
    for other in sorted(others_of(report, readings), key=_rate):  # the farthest loads tell most
        if is_of_same_hour(report.reading, other.reading):
            continue
        question = _of_two(report, other)
        if isinstance(question, TransactionArrivals):
            return question
        text = text or question
    return text


def _rate(report: Report) -> tuple[float, str]:
    rate = report.transactions_per_s()
    return (rate.value if rate else 0.0), report.reading.file


def _of_two(first: Report, second: Report) -> TransactionArrivals | str:
    both = (first, second)
    files = f"in {first.reading.file} and {second.reading.file}"
    per_s = [figure.value if (figure := report.transactions_per_s()) else 0.0 for report in both]
    work = [_work(report) for report in both]
    if not all(work):
        return f"{files}: one of them has no load profile, so they do not tell users from arrivals"
    if abs(work[1] / work[0] - 1) > SAME_WORK:
        return (
            f"{files}: a transaction makes {work[0]:,.0f} logical reads in one and {work[1]:,.0f} in the other: "
            "this is other work, which does not tell users from arrivals"
        )
    return _of_same_work(both, files, per_s)


def same_work(first: Report, second: Report) -> bool:
    """Whether a transaction makes as many logical reads in both."""
    work = _work(first), _work(second)
    return bool(all(work)) and abs(work[1] / work[0] - 1) <= SAME_WORK


def _work(report: Report) -> float:
    """Logical reads of a transaction; 0 where the report has no load profile."""
    rate, logical = report.transactions_per_s(), report.per_second("Logical read")
    return logical.value / rate.value if logical and rate and rate.value else 0.0


def _of_same_work(both: Sequence[Report], files: str, per_s: Sequence[float]) -> TransactionArrivals | str:
    active = [active_of(report) for report in both]
    took = [there / rate for there, rate in zip(active, per_s, strict=True)]
    more, longer = per_s[1] / per_s[0] - 1, took[1] / took[0] - 1
    evidence = (
        f"{files}: {show_number(per_s[0], 4)} transactions a second that take {show_seconds(took[0])}, and "
        f"{show_number(per_s[1], 4)} that take {show_seconds(took[1])}"
    )
    if abs(more) <= SAME < abs(longer):
        return TransactionArrivals(
            f"{evidence}: as many come however long they take, so they are arrivals", rate_per_s=per_s[0]
        )
    if abs(more) <= SAME:
        return f"{evidence}: the load is the same, which does not tell users from arrivals"
    think_s = (active[0] - active[1]) / (per_s[1] - per_s[0])
    if more * longer < 0 and think_s >= 0:
        users = active[0] + per_s[0] * think_s
        return TransactionArrivals(
            f"{evidence}: the same {show_number(users, 3)} users who pause for {show_seconds(think_s)} do both",
            users,
            think_s,
        )
    return _by_sessions(evidence, [sessions_of(report) for report in both], active, per_s)


def _by_sessions(
    evidence: str, there: Sequence[float], active: Sequence[float], per_s: Sequence[float]
) -> TransactionArrivals | str:
    if not all(there):
        return f"{evidence}: without the sessions that were logged on, this does not tell users from arrivals"
    logged = f"; {show_number(there[0], 4)} and {show_number(there[1], 4)} sessions were logged on"
    if abs(there[1] / there[0] - 1) <= SAME:
        return TransactionArrivals(
            f"{evidence}{logged}: the same sessions end more of them as more is asked for, so they are arrivals",
            rate_per_s=per_s[0],
        )
    think_s = (there[1] - there[0] - active[1] + active[0]) / (per_s[1] - per_s[0])
    users = active[0] + per_s[0] * think_s
    if think_s >= 0 and users <= (1 + SAME) * there[0]:
        others = "" if users >= (1 - SAME) * there[0] else ", and the others at no work"
        return TransactionArrivals(
            f"{evidence}{logged}: {show_number(users, 3)} users who pause for {show_seconds(think_s)}{others}",
            users,
            think_s,
        )
    return f"{evidence}{logged}: no number of users who pause alike does both, so they do not tell users from arrivals"


def active_of(report: Report) -> float:
    """Average active sessions; 0 where the report has no DB time."""
    db_time = report.time("DB time")
    return db_time.value / report.span_s if db_time else 0.0


def sessions_of(report: Report) -> float:
    """Sessions logged on, mean of begin and end."""
    figures = [report.named("instance", f"{what} sessions") for what in ("Begin", "End")]
    values = [figure.value for figure in figures if figure is not None]
    return sum(values) / len(values) if values else 0.0


def others_of(report: Report, readings: Sequence[Reading]) -> Iterator[Report]:
    """The other AWR or Statspack reports of the same instance."""
    return (
        Report(reading)
        for reading in readings
        if reading.format == "awr"
        and reading is not report.reading
        and not is_of_another_instance(report.reading, reading)
    )


def is_of_another_instance(first: Reading, other: Reading) -> bool:
    """Whether two reports say that they are of two databases, or of two instances of one."""
    return bool(first.host.instance and other.host.instance and first.host.instance != other.host.instance)


def why_no_arrivals(first: Report, second: Report) -> str:
    """Why these two do not tell users from arrivals; empty where they do."""
    verdict = _of_two(first, second)
    return verdict if isinstance(verdict, str) else ""


def is_of_same_hour(reading: Reading, other: Reading) -> bool:
    """Whether two reports are of one interval."""
    return reading.begins is not None and (reading.begins, reading.ends) == (other.begins, other.ends)


def _contradicted(report: Report, other: Report) -> Iterator[str]:
    if not is_of_same_hour(report.reading, other.reading):
        return
    for name in LISTED:
        figure, theirs = report.per_second(name), other.per_second(name)
        if figure and theirs and not (figure.low <= theirs.high and theirs.low <= figure.high):
            yield (
                f"the files contradict each other: {name} a second is {show_number(figure.value)} in "
                f"{report.reading.file}, line {figure.line:,}, and {show_number(theirs.value)} in "
                f"{other.reading.file}, line {theirs.line:,}; the first is used"
            )


def _apart(first: Reading, other: Reading) -> bool:
    """Whether two spans do not meet; those that are not printed in a known form may."""
    spans = [(_time(reading.begins), _time(reading.ends)) for reading in (first, other)]
    (begins, ends), (from_, to) = spans
    if begins is None or ends is None or from_ is None or to is None:
        return False
    return ends < from_ or to < begins


def _time(text: str | None) -> datetime | None:
    for form in FORMS if text else ():
        try:
            return datetime.strptime(text or "", form)
        except ValueError:
            continue
    return None
