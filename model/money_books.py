"""From a finished result and a price book to what the work costs, for any kind of workload."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

from model.demand.calls import span_bytes
from model.laws import price
from model.results import Money, RunResult, check_books
from model.spec import Stream, System, Transactions, Workload
from model.state.drive import capacity_of

BUFFER_GETS = "buffer gets"
MILLION = 1e6
LAW_SOURCES = ("oracle-core-factor", "oracle-price-list")

Engine = TypeVar("Engine", bound=Callable[..., RunResult])


@dataclass(frozen=True, slots=True)
class CoreHour:
    """What an hour of one core costs, by its parts."""

    licence: float
    support: float
    infrastructure: float

    @property
    def all(self) -> float:
        """The three parts together."""
        return self.licence + self.support + self.infrastructure


def priced(engine: Engine) -> Engine:
    """An engine whose results say what the work costs, where the system has a price book."""

    @wraps(engine)
    def answer(system: System, work: Workload, **how: Any) -> RunResult:
        return with_money(system, work, engine(system, work, **how))

    return cast(Engine, answer)


def with_money(system: System, work: Workload, result: RunResult) -> RunResult:
    """*result* with what the work costs; as it is where there is no price book."""
    money = money_of(system, work, result)
    if money is None:
        return result
    book = {one.source for path, one in system.constants.items() if path.startswith("prices.")}
    sources = sorted({*result.sources, *LAW_SOURCES, *(source.split(":")[0] for source in book)})
    return check_books(result.model_copy(update={"money": money, "sources": sources}))


def money_of(system: System, work: Workload, result: RunResult) -> Money | None:
    """What one run of *work* by all its users costs, or one transaction; None without a currency, or without time.

    CPU is that of the sessions: writers in the background, and streams beside the first, are left out.
    """
    prices, cpus, time = system.prices, system.host.cpus, result.time
    pace = _pace(system, work, result)
    if prices.currency is None or not pace.hours:
        return None
    core, licences = _core_hour(system), price.licences(cpus, prices.core_factor)
    size_bytes, requests_per_s = _paid_storage(system, work, result)
    stored = price.storage_per_hour(
        size_bytes, prices.storage_per_gb_month or 0.0, requests_per_s, prices.storage_per_iops_month or 0.0
    )
    licensed = (core.licence + core.support) / prices.core_factor
    machine_per_hour = licences * licensed + cpus * core.infrastructure + stored
    used_cores, gets = pace.core_hours / pace.hours, result.logical_io
    total = pace.core_hours * core.all + pace.hours * stored
    freed = None
    if time.cpu.get(BUFFER_GETS):
        freed = used_cores * (time.cpu[BUFFER_GETS] / time.cpu_s) / 2
    return Money(
        currency=prices.currency,
        per="transaction" if result.transactions else "run",
        takes_s=pace.hours * price.SECONDS_PER_HOUR,
        cpu_core_hours=pace.core_hours,
        licence=pace.core_hours * core.licence,
        support=pace.core_hours * core.support,
        infrastructure=pace.core_hours * core.infrastructure,
        storage=pace.hours * stored,
        total=total,
        machine=pace.hours * machine_per_hour,
        core_per_hour=core.all,
        used_cores=used_cores,
        machine_cores=cpus,
        machine_licences=licences,
        storage_bytes=size_bytes,
        storage_iops=requests_per_s,
        used_per_hour=used_cores * core.all + stored,
        machine_per_hour=machine_per_hour,
        per_million_logical_io=(
            MILLION * pace.core_share * price.core_hours(gets.cpu_per_get_s) * core.all
            if gets and gets.consistent_gets
            else None
        ),
        per_transaction=total if result.transactions else None,
        halving_gets_saves_per_hour=None if freed is None else freed * core.all,
        halving_gets_frees_cores=freed,
    )


@dataclass(frozen=True, slots=True)
class Pace:
    """How long one run or transaction takes from begin to begin, and the hours of cores that it uses."""

    hours: float
    core_hours: float
    core_share: float = 1.0
    """Of a core, for a second of CPU: less than 1 where threads share cores."""


def _pace(system: System, work: Workload, result: RunResult) -> Pace:
    """Runs come one after the other; transactions as many as are done a second."""
    cpus, time = system.host.cpus, result.time
    if result.transactions:
        if not result.transactions.per_s:
            return Pace(0.0, 0.0)
        hours = price.core_hours(1 / result.transactions.per_s)
        cpu_hours = price.core_hours(time.cpu_s)
        core_hours = min(cpu_hours, cpus * hours)  # the threads of a core share its price
        return Pace(hours, core_hours, core_hours / cpu_hours if cpu_hours else 1.0)
    core_hours = price.core_hours(work.users * time.cpu_s)
    # NOTE: the mean session may end before the last one; no machine does more than its cores can
    return Pace(max(price.core_hours(time.elapsed_s), core_hours / cpus), core_hours)


def _core_hour(system: System) -> CoreHour:
    """The hour of one core; its share of licences is not rounded, that of a whole machine is."""
    prices = system.prices
    licence = (prices.licence_per_processor or 0.0) * prices.core_factor
    return CoreHour(
        licence=price.licence_per_hour(licence, prices.licence_years),
        support=price.support_per_hour(licence, prices.support_percent),
        infrastructure=prices.core_per_hour or 0.0,
    )


def _paid_storage(system: System, work: Workload, result: RunResult) -> tuple[float, float]:
    """Bytes and requests a second that are paid for."""
    prices, disk = system.prices, system.disk
    requests_per_s = prices.storage_iops if prices.storage_iops is not None else disk.iops_limit or 0.0
    if prices.storage_bytes is not None:
        return prices.storage_bytes, requests_per_s
    if result.segment is not None:
        return result.segment.bytes_after, requests_per_s
    if isinstance(work, Transactions):
        return work.data_bytes, requests_per_s
    if isinstance(work, Stream):
        everything = capacity_of(disk)
        return min(
            everything, work.users * span_bytes(work, everything, work.start_byte or 0)
        ), requests_per_s
    return 0.0, requests_per_s
