"""From what the work took and a price list to what it costs, for any kind of workload; numbers or arrays."""

from __future__ import annotations

from typing import Any, cast

from blocktime.model.demand.calls import span_bytes
from blocktime.model.laws import price
from blocktime.model.laws.numeric import Number, known_or, known_where, larger, over, some
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.results import Money, RunResult, part
from blocktime.model.spec import Stream, System, Transactions, Workload
from blocktime.model.spec.prices import PRICED
from blocktime.model.units import GIB, MIB

MILLION = 1e6
LAW_SOURCES = ("oracle-core-factor", "oracle-price-list")


def with_money(system: System, work: Workload, result: RunResult) -> RunResult:
    """*result* with what the work costs; as it is where there is no price list."""
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


def money_of(system: System, work: Workload, answer: Any) -> Money | None:
    """What one run of *work* by all its users costs, or one transaction; None without a currency, or without time.

    *answer* is a result, or the figures of one or of many. CPU is that of the sessions: writers in the background,
    and streams beside the first, are left out.
    """
    prices, cpus = system.prices, system.host.cpus
    if prices.currency is None:
        return None
    hours, core_hours, core_share = _pace(system, work, answer)
    there = hours > 0
    if not some(there):
        return None
    # NOTE: a core's share of licences is not rounded, that of a whole machine is
    licence = _or_nothing(prices.licence_per_processor) * prices.core_factor
    parts = {
        "licence": price.licence_per_hour(licence, prices.licence_years),
        "support": price.support_per_hour(licence, prices.support_percent),
        "infrastructure": _or_nothing(prices.core_per_hour),
    }
    core_per_hour, licences = sum(parts.values()), price.licences(cpus, prices.core_factor)
    licensed = (parts["licence"] + parts["support"]) / prices.core_factor
    size_bytes, requests_per_s = _paid_storage(system, work, answer)
    memory_bytes, stored = _paid_memory(system, answer), _stored_per_hour(system, size_bytes, requests_per_s)
    month = _month(cpus * parts["infrastructure"], licences * licensed, stored, memory_bytes, system)
    machine_per_hour, stored_per_hour = (month[name] / price.HOURS_PER_MONTH for name in ("machine", "storage"))
    used_cores = over(core_hours, hours)
    total = core_hours * core_per_hour + hours * stored_per_hour
    gets = answer.logical_io.consistent_gets if answer.logical_io else 0.0
    get_s = answer.logical_io.cpu_per_get_s if answer.logical_io else 0.0
    million_gets = MILLION * core_share * price.core_hours(get_s) * core_per_hour
    amounts = {
        "takes_s": hours * price.SECONDS_PER_HOUR,
        "cpu_core_hours": core_hours,
        **{name: core_hours * per_hour for name, per_hour in parts.items()},
        "storage": hours * stored_per_hour,
        "total": total,
        "machine": hours * machine_per_hour,
        "core_per_hour": core_per_hour,
        "used_cores": used_cores,
        "machine_cores": cpus,
        "machine_licences": licences,
        "storage_bytes": size_bytes,
        "storage_iops": requests_per_s,
        "used_per_hour": used_cores * core_per_hour + stored_per_hour,
        "machine_per_hour": machine_per_hour,
        "memory_bytes": memory_bytes,
        "per_million_logical_io": known_where(gets > 0, million_gets),
        "per_transaction": known_where(answer.transactions is not None, total),
    }
    known = {name: known_where(there, amount) for name, amount in amounts.items()}
    per = "transaction" if answer.transactions else "run"
    not_priced = [what for name, what in PRICED.items() if getattr(prices, name) is None]
    of_month = {name: known_where(there, amount) for name, amount in month.items()}
    return part(Money, currency=prices.currency, per=per, month=of_month, not_priced=not_priced, **known)


def _pace(system: System, work: Workload, answer: Any) -> tuple[Number, Number, Number]:
    """Hours of one run or transaction from begin to begin, those of cores that it uses, and of a core for its CPU.

    Runs come one after the other; transactions as many as are done a second. The threads of a core share its price.
    """
    time, cpus = answer.time, system.host.cpus
    if answer.transactions is not None:
        if not answer.transactions.per_s:
            return 0.0, 0.0, 1.0
        hours = price.core_hours(1 / answer.transactions.per_s)
        cpu_hours = price.core_hours(time.cpu_s)
        core_hours = min(cpu_hours, cpus * hours)
        return hours, core_hours, core_hours / cpu_hours if cpu_hours else 1.0
    core_hours = price.core_hours(work.sessions * time.cpu_s)
    # NOTE: the mean session may end before the last one; no machine does more than its cores can
    elapsed_s = known_or(time.last_session_s, time.elapsed_s)
    return larger(price.core_hours(elapsed_s), core_hours / cpus), core_hours, 1.0


def _month(
    cores_per_hour: Number, licences_per_hour: Number, stored_per_hour: Number, memory_bytes: Number, system: System
) -> dict[str, Number]:
    """The whole machine for a month, and its parts."""
    of = {"cores": cores_per_hour, "storage": stored_per_hour, "licence": licences_per_hour}
    parts = {name: per_hour * price.HOURS_PER_MONTH for name, per_hour in of.items()}
    parts["memory"] = memory_bytes / GIB * _or_nothing(system.prices.memory_per_gb_month)
    return {"machine": sum(parts.values()), **{name: parts[name] for name in ("cores", "memory", "storage", "licence")}}


def _stored_per_hour(system: System, size_bytes: Number, requests_per_s: Number) -> Number:
    """Hourly cost of all volumes: size, and what they may do beyond what their price by size includes."""
    prices, disk = system.prices, system.disk
    paid_per_s = larger(0.0, requests_per_s - disk.raid_disks * prices.storage_free_iops)
    limit = _or_nothing(disk.throughput_limit_bytes_per_s)
    rate_bytes_per_s = disk.raid_disks * larger(0.0, limit - prices.storage_free_bytes_per_s)
    flat = _or_nothing(disk.volume_per_month) + rate_bytes_per_s / MIB * _or_nothing(prices.storage_per_mb_s_month)
    by_size, by_iops = _or_nothing(prices.storage_per_gb_month), _or_nothing(prices.storage_per_iops_month)
    return price.storage_per_hour(size_bytes, by_size, paid_per_s, by_iops, flat)


def _paid_memory(system: System, answer: Any) -> Number:
    """Bytes of the buffer caches; of transactions all pools, of streams none."""
    instance = system.instance
    pools = instance.db_keep_cache_bytes + instance.db_recycle_cache_bytes if answer.transactions is not None else 0
    return 0 if answer.streams else instance.buffer_cache_bytes + pools


def _or_nothing(amount: Number | None) -> Number:
    return 0.0 if amount is None else amount


def _paid_storage(system: System, work: Workload, answer: Any) -> tuple[Number, Number]:
    """Bytes and requests a second that are paid for; bytes of a segment are those afterwards."""
    prices, disk = system.prices, system.disk
    of_set = None if disk.iops_limit is None else disk.raid_disks * disk.iops_limit
    requests_per_s = _or_nothing(of_set if prices.storage_iops is None else prices.storage_iops)
    if prices.storage_bytes is not None:
        return prices.storage_bytes, requests_per_s
    if answer.segment is not None and answer.segment.bytes_after is not None:
        return answer.segment.bytes_after, requests_per_s
    if answer.transactions is not None:
        return cast("Transactions", work).data_bytes, requests_per_s
    everything, calls = capacity_of(disk), cast("Stream", work)
    return min(everything, calls.users * span_bytes(calls, everything, calls.start_byte or 0)), requests_per_s
