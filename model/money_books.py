"""From what the work took and a price book to what it costs, for any kind of workload; numbers or arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from model.causes import BUFFER_GETS
from model.demand.calls import span_bytes
from model.laws import price
from model.laws.numeric import Number, known_or, known_where, larger, over, some
from model.machine.device.drive import capacity_of
from model.results import Money, RunResult, part
from model.spec import Stream, System, Transactions, Workload

MILLION = 1e6
LAW_SOURCES = ("oracle-core-factor", "oracle-price-list")


@dataclass(frozen=True, slots=True)
class CoreHour:
    """What an hour of one core costs, by its parts."""

    licence: Number
    support: Number
    infrastructure: Number

    @property
    def all(self) -> Number:
        """The three parts together."""
        return self.licence + self.support + self.infrastructure


def with_money(system: System, work: Workload, result: RunResult) -> RunResult:
    """*result* with what the work costs; as it is where there is no price book."""
    money = money_of(system, work, result)
    if money is None:
        return result
    sources = sorted({*result.sources, *money_sources(system)})
    return result.model_copy(update={"money": money, "sources": sources})


def money_sources(system: System) -> set[str]:
    """Where prices and the laws about them come from."""
    book = (
        constant.source
        for path, constant in system.constants.items()
        if path.startswith(("prices.", "disk.volume_per_month"))
    )
    return {*LAW_SOURCES, *(source.split(":")[0] for source in book)}


@dataclass(frozen=True, slots=True)
class ResourcesUsed:
    """What one run, or one transaction, took that is paid for; numbers or arrays."""

    elapsed_s: Number
    """Until the last session is done."""
    cpu_s: Number
    """Of one session, or one transaction."""
    segment_bytes: Number | None
    """Afterwards; None where there is no segment."""
    gets: Number
    cpu_per_get_s: Number
    transactions_per_s: Number | None = None
    """None for anything but transactions."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long one run or transaction takes from begin to begin, and the hours of cores that it uses."""

    hours: Number
    core_hours: Number
    core_share: Number = 1.0
    """Of a core, for a second of CPU: less than 1 where threads share cores."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What work at some pace costs; numbers or arrays."""

    pace: Pace
    core: CoreHour
    licences: Number
    """Of the whole machine."""
    storage_bytes: Number
    storage_iops: Number
    stored_per_hour: Number
    machine_per_hour: Number
    used_cores: Number
    per_million_gets: Number

    @property
    def total(self) -> Number:
        """What one run, or one transaction, uses."""
        return self.pace.core_hours * self.core.all + self.pace.hours * self.stored_per_hour

    @property
    def machine(self) -> Number:
        """The whole machine for as long."""
        return self.pace.hours * self.machine_per_hour

    @property
    def used_per_hour(self) -> Number:
        """What an hour of such work uses."""
        return self.used_cores * self.core.all + self.stored_per_hour


def money_of(system: System, work: Workload, answer: Any) -> Money | None:
    """What one run of *work* by all its users costs, or one transaction; None without a currency, or without time.

    *answer* is a result, or the figures of one or of many. CPU is that of the sessions: writers in the background,
    and streams beside the first, are left out.
    """
    if system.prices.currency is None:
        return None
    time, gets, done = answer.time, answer.logical_io, answer.transactions
    spent = ResourcesUsed(
        elapsed_s=known_or(time.last_session_s, time.elapsed_s),
        cpu_s=time.cpu_s,
        segment_bytes=None if answer.segment is None else answer.segment.bytes_after,
        gets=gets.consistent_gets if gets else 0.0,
        cpu_per_get_s=gets.cpu_per_get_s if gets else 0.0,
        transactions_per_s=done.per_s if done else None,
    )
    cost = _cost_of(system, work, spent)
    pace, core = cost.pace, cost.core
    there = pace.hours > 0
    if not some(there):
        return None
    gets_cpu_s = time.cpu.get(BUFFER_GETS, 0.0)
    freed = known_where(gets_cpu_s > 0, cost.used_cores * over(gets_cpu_s, time.cpu_s) / 2)
    amounts = {
        "takes_s": pace.hours * price.SECONDS_PER_HOUR,
        "cpu_core_hours": pace.core_hours,
        "licence": pace.core_hours * core.licence,
        "support": pace.core_hours * core.support,
        "infrastructure": pace.core_hours * core.infrastructure,
        "storage": pace.hours * cost.stored_per_hour,
        "total": cost.total,
        "machine": cost.machine,
        "core_per_hour": core.all,
        "used_cores": cost.used_cores,
        "machine_cores": system.host.cpus,
        "machine_licences": cost.licences,
        "storage_bytes": cost.storage_bytes,
        "storage_iops": cost.storage_iops,
        "used_per_hour": cost.used_per_hour,
        "machine_per_hour": cost.machine_per_hour,
        "per_million_logical_io": known_where(spent.gets > 0, cost.per_million_gets),
        "per_transaction": known_where(done is not None, cost.total),
        "halving_gets_saves_per_hour": freed * core.all,
        "halving_gets_frees_cores": freed,
    }
    known = {name: known_where(there, amount) for name, amount in amounts.items()}
    return part(Money, currency=system.prices.currency, per="transaction" if done else "run", **known)


def _cost_of(system: System, work: Workload, spent: ResourcesUsed) -> Cost:
    prices, cpus = system.prices, system.host.cpus
    pace, core = _pace(system, work, spent), _core_hour(prices)
    licences = price.licences(cpus, prices.core_factor)
    size_bytes, requests_per_s = _paid_storage(system, work, spent)
    stored = price.storage_per_hour(
        size_bytes,
        _or_nothing(prices.storage_per_gb_month),
        requests_per_s,
        _or_nothing(prices.storage_per_iops_month),
        _or_nothing(system.disk.volume_per_month),
    )
    licensed = (core.licence + core.support) / prices.core_factor
    return Cost(
        pace=pace,
        core=core,
        licences=licences,
        storage_bytes=size_bytes,
        storage_iops=requests_per_s,
        stored_per_hour=stored,
        machine_per_hour=licences * licensed + cpus * core.infrastructure + stored,
        used_cores=over(pace.core_hours, pace.hours),
        per_million_gets=MILLION * pace.core_share * price.core_hours(spent.cpu_per_get_s) * core.all,
    )


def _pace(system: System, work: Workload, spent: ResourcesUsed) -> Pace:
    """Runs come one after the other; transactions as many as are done a second."""
    cpus = system.host.cpus
    if spent.transactions_per_s is not None:
        if not spent.transactions_per_s:
            return Pace(0.0, 0.0)
        hours = price.core_hours(1 / spent.transactions_per_s)
        cpu_hours = price.core_hours(spent.cpu_s)
        core_hours = min(cpu_hours, cpus * hours)  # the threads of a core share its price
        return Pace(hours, core_hours, core_hours / cpu_hours if cpu_hours else 1.0)
    core_hours = price.core_hours(work.sessions * spent.cpu_s)
    # NOTE: the mean session may end before the last one; no machine does more than its cores can
    return Pace(larger(price.core_hours(spent.elapsed_s), core_hours / cpus), core_hours)


def _or_nothing(amount: Number | None) -> Number:
    return 0.0 if amount is None else amount


def _core_hour(prices: Any) -> CoreHour:
    """The hour of one core; its share of licences is not rounded, that of a whole machine is."""
    licence = _or_nothing(prices.licence_per_processor) * prices.core_factor
    return CoreHour(
        licence=price.licence_per_hour(licence, prices.licence_years),
        support=price.support_per_hour(licence, prices.support_percent),
        infrastructure=_or_nothing(prices.core_per_hour),
    )


def _paid_storage(system: System, work: Workload, spent: ResourcesUsed) -> tuple[Number, Number]:
    """Bytes and requests a second that are paid for."""
    prices, disk = system.prices, system.disk
    requests_per_s = _or_nothing(disk.iops_limit if prices.storage_iops is None else prices.storage_iops)
    if prices.storage_bytes is not None:
        return prices.storage_bytes, requests_per_s
    if spent.segment_bytes is not None:
        return spent.segment_bytes, requests_per_s
    if spent.transactions_per_s is not None:
        return cast("Transactions", work).data_bytes, requests_per_s
    everything, calls = capacity_of(disk), cast("Stream", work)
    return min(everything, calls.users * span_bytes(calls, everything, calls.start_byte or 0)), requests_per_s
