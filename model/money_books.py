"""From what the work took and a price list to what it costs, for any kind of workload; numbers or arrays."""

from __future__ import annotations

from typing import Any, cast

from blocktime.model.causes import BUFFER_GETS
from blocktime.model.demand.calls import span_bytes
from blocktime.model.laws import price
from blocktime.model.laws.numeric import Number, known_or, known_where, larger, over, some
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.results import Money, RunResult, part
from blocktime.model.spec import Stream, System, Transactions, Workload

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
    prices, cpus, time = system.prices, system.host.cpus, answer.time
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
    stored_per_hour = price.storage_per_hour(
        size_bytes,
        _or_nothing(prices.storage_per_gb_month),
        requests_per_s,
        _or_nothing(prices.storage_per_iops_month),
        _or_nothing(system.disk.volume_per_month),
    )
    machine_per_hour = licences * licensed + cpus * parts["infrastructure"] + stored_per_hour
    used_cores = over(core_hours, hours)
    total = core_hours * core_per_hour + hours * stored_per_hour
    gets = answer.logical_io.consistent_gets if answer.logical_io else 0.0
    get_s = answer.logical_io.cpu_per_get_s if answer.logical_io else 0.0
    million_gets = MILLION * core_share * price.core_hours(get_s) * core_per_hour
    gets_cpu_s = time.cpu.get(BUFFER_GETS, 0.0)
    freed = known_where(gets_cpu_s > 0, used_cores * over(gets_cpu_s, time.cpu_s) / 2)
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
        "per_million_logical_io": known_where(gets > 0, million_gets),
        "per_transaction": known_where(answer.transactions is not None, total),
        "halving_gets_saves_per_hour": freed * core_per_hour,
        "halving_gets_frees_cores": freed,
    }
    known = {name: known_where(there, amount) for name, amount in amounts.items()}
    return part(Money, currency=prices.currency, per="transaction" if answer.transactions else "run", **known)


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


def _or_nothing(amount: Number | None) -> Number:
    return 0.0 if amount is None else amount


def _paid_storage(system: System, work: Workload, answer: Any) -> tuple[Number, Number]:
    """Bytes and requests a second that are paid for; bytes of a segment are those afterwards."""
    prices, disk = system.prices, system.disk
    requests_per_s = _or_nothing(disk.iops_limit if prices.storage_iops is None else prices.storage_iops)
    if prices.storage_bytes is not None:
        return prices.storage_bytes, requests_per_s
    if answer.segment is not None and answer.segment.bytes_after is not None:
        return answer.segment.bytes_after, requests_per_s
    if answer.transactions is not None:
        return cast("Transactions", work).data_bytes, requests_per_s
    everything, calls = capacity_of(disk), cast("Stream", work)
    return min(everything, calls.users * span_bytes(calls, everything, calls.start_byte or 0)), requests_per_s
