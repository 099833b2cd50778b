"""Several intervals of one system: users, their think time and the limit of the disk, fitted over all of them.

Users who pause do N = X(R + Z) at each load [lazowska-1984]: where sessions are printed, those beside the active ones
are X·Z and a constant. The disk's latency is fitted where fewest requests come, and its limit where most do, by the
model itself, as bursts of DBWR decide how long a read waits beside them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from blocktime.model.causes import SEQUENTIAL
from blocktime.scenarios import from_mapping, run
from blocktime.scenarios.measured import DB_TIME, READ_WAIT, TRANSACTIONS, figure_in
from blocktime.validation.identify.calibrated import with_values
from blocktime.validation.identify.hours import active_of, is_of_same_hour, others_of, same_work, sessions_of
from blocktime.validation.identify.identified_scenario import IdentifiedScenario, ModelledHour
from blocktime.validation.identify.report import Report
from blocktime.validation.instruments import Reading

LATENCY: Final = "disk.overhead_s"
LIMIT: Final = "disk.iops_limit"
QUEUES: Final = 1.25
"""A mean read of the busiest interval is so many times that of the quietest where they queue for the disk."""
SATURATED: Final = 0.97
"""Part of the limit from which on the disk is busy nearly all the time."""
NEAR: Final = 0.015
"""The fit ends where both reads are as near."""
ROUNDS: Final = 6
LEAST_ABOVE: Final = 1.0005
"""The limit over the requests of the busiest interval, at least."""
FIRST_ABOVE, FIRST_LATENCY = 1.1, 0.93
"""Where the fit begins: limit over requests, and latency over the read of the quietest interval."""
SURE: Final = 0.05
"""Half of the interval of a fitted field, as a part of it."""
USERS_OFF: Final = 0.15
"""Users of an interval may differ by as much from those that think time and sessions say."""
MOST_HOURS: Final = 24
"""Intervals that are modelled one by one."""


@dataclass(frozen=True, slots=True)
class Hour:
    """One interval: what was done, and how long it took."""

    report: Report
    per_s: float
    response_s: float
    read_s: float
    requests_per_s: float
    sessions: float

    @property
    def active(self) -> float:
        """Average active sessions."""
        return self.per_s * self.response_s


def busiest(reports: Sequence[Report]) -> Report:
    """The report with the most active sessions, of the instance with the most reports; their order has no effect."""
    hosts = [report.reading.host.instance for report in reports]
    return min(
        reports,
        key=lambda report: (
            -hosts.count(report.reading.host.instance), -active_of(report), report.reading.begins or "",
            report.reading.file,
        ),
    )  # fmt: skip


def hours_of(base: Report, readings: Sequence[Reading]) -> list[Hour]:
    """The intervals of the same work of one instance, the fewest requests first; each interval once."""
    reports = [base]
    for other in sorted(others_of(base, readings), key=lambda report: report.reading.file):
        again = any(is_of_same_hour(other.reading, report.reading) for report in reports)
        if not again and same_work(base, other):
            reports.append(other)
    hours = [hour for report in reports if (hour := _hour(report)) is not None]
    return sorted(hours, key=lambda hour: (hour.requests_per_s, hour.per_s))


def _hour(report: Report) -> Hour | None:
    rate, reads = report.transactions_per_s(), report.event(SEQUENTIAL)
    active, logged = active_of(report), sessions_of(report)
    if rate is None or not rate.value or not active:
        return None
    writes = report.per_second("Write IO requests", "Physical write")
    requests = (reads.waits / report.span_s if reads else 0.0) + (writes.value if writes else 0.0)
    return Hour(report, rate.value, active / rate.value, reads.each_s if reads else 0.0, requests, logged)


@dataclass(frozen=True, slots=True)
class ThinkingUsers:
    """Users who pause alike in each of several intervals."""

    think_s: float
    users: tuple[float, ...]
    """Of each interval."""


def thinking_users(hours: Sequence[Hour]) -> ThinkingUsers | None:
    """The think time with which as many sessions, less a constant, are users in each interval; None where none does.

    Least squares of S - A = c + X·Z; the same users in each interval where no sessions are printed: A = N - X·Z.
    """
    import numpy as np

    rates, active, logged = (
        np.array([getattr(hour, name) for hour in hours]) for name in ("per_s", "active", "sessions")
    )
    if len(hours) < 2 or np.ptp(rates) <= NEAR * rates.max():
        return None
    beside = logged - active if logged.all() else -active
    ones = np.column_stack([np.ones(len(hours)), rates])
    (_, think_s), *_ = np.linalg.lstsq(ones, beside, rcond=None)
    if think_s < 0:
        return None
    users = active + rates * think_s
    constant = beside - rates * think_s
    if np.abs(constant - constant.mean()).max() > USERS_OFF * users.max():
        return None
    return ThinkingUsers(float(think_s), tuple(map(float, users)))


def _content(identified: IdentifiedScenario) -> str:
    """The scenario so far without the disk's fitted fields and what is said of it, as a key."""
    sections = {name: value for name, value in identified.sections().items() if name != "measured"}
    disk = {name: value for name, value in sections["disk"].items() if name not in ("overhead_s", "iops_limit")}
    return json.dumps({**sections, "disk": disk})


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def fit_disk(identified: IdentifiedScenario, hours: Sequence[Hour], users: Sequence[float], think_s: float) -> None:
    """Latency and limit of the disk: reads of the quietest and of the busiest interval take as long as measured.

    The wait of a read goes with 1/(L - λ), so each pass moves the limit L above the requests λ by as many times as the
    modelled wait is longer than the measured one. Nothing is done where reads of the busiest interval do not queue.
    """
    quiet, busy = hours[0], hours[-1]
    if not quiet.read_s or busy.read_s < QUEUES * quiet.read_s or busy.requests_per_s <= quiet.requests_per_s:
        return
    least, requests = LEAST_ABOVE * busy.requests_per_s, busy.requests_per_s
    latency_s, limit = _rounded(FIRST_LATENCY * quiet.read_s), _rounded(FIRST_ABOVE * requests)
    for _ in range(ROUNDS):
        quietly, busily = (
            _modelled(_content(identified), latency_s, limit, max(1, round(users[place])), think_s) for place in (0, -1)
        )
        quiet_s, busy_s, more = quietly[READ_WAIT], busily[READ_WAIT], busily[TRANSACTIONS] / busy.per_s
        if max(abs(quiet_s / quiet.read_s - 1), abs(busy_s / busy.read_s - 1)) <= NEAR:
            break
        above = (limit - requests) * max(busy_s - latency_s, 1e-6 * busy.read_s)
        latency_s = _rounded(latency_s * quiet.read_s / quiet_s)
        if more * requests > SATURATED * limit:  # throughput is the limit's, and waits are the users'
            limit = _rounded(limit * min(2.0, max(0.5, 1 / more)))
        else:
            limit = _rounded(max(least, requests + above / max(busy.read_s - latency_s, 1e-3 * busy.read_s)))
    files = f"{quiet.report.reading.file} and {busy.report.reading.file}"
    for path, value, what in ((LATENCY, latency_s, "the latency"), (LIMIT, limit, "the limit")):
        source = f"{files}: {what} with which reads take as long as in the quietest and the busiest interval"
        identified.put(path, value, source, ((1 - SURE) * value, (1 + SURE) * value))
    identified.says = [
        text for text in identified.says if "is not known, and the model takes the disk as unlimited" not in text
    ]
    identified.says.append(
        f"the disk ends at {limit:,.0f} requests a second: reads of the busiest of {len(hours)} intervals "
        f"take {busy.read_s / quiet.read_s:.1f} times those of the quietest"
    )


@lru_cache(maxsize=MOST_HOURS)
def _modelled(content: str, latency_s: float, limit_per_s: float, users: int, think_s: float) -> dict[str, float]:
    """Figures of so many users on a disk of these values, without a limit where that is 0; *content* is JSON."""
    more = {"workload.users": users, "workload.think_s": think_s, LATENCY: latency_s}
    if limit_per_s:
        more[LIMIT] = limit_per_s
    result = run(from_mapping(with_values(json.loads(content), more), "my"))
    named = {name: figure_in(result, name) for name in (TRANSACTIONS, DB_TIME, READ_WAIT)}
    return {name: value for name, value in named.items() if value is not None}


def model_hours(
    identified: IdentifiedScenario, hours: Sequence[Hour], users: Sequence[float], think_s: float
) -> list[ModelledHour]:
    """Each interval as measured and as modelled, the fewest requests first."""
    modelled, disk = [], (identified.values().get(LATENCY, 0.0), identified.values().get(LIMIT, 0.0))
    for hour, count in zip(hours[:MOST_HOURS], users, strict=False):
        answer = _modelled(_content(identified), *disk, max(1, round(count)), think_s)
        reading = hour.report.reading
        modelled.append(ModelledHour(
            file=reading.file, begins=reading.begins or "", users=round(count), per_s=hour.per_s,
            response_s=hour.response_s, modelled_per_s=answer[TRANSACTIONS], modelled_response_s=answer[DB_TIME],
        ))  # fmt: skip
    return modelled
