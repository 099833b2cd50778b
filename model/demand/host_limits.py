"""What a virtual machine allows its volumes together: each seen through it, how long bursts last, what binds."""

from __future__ import annotations

from math import inf
from typing import Any

from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.transaction_demand import run_transactions
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import volume_limits
from blocktime.model.laws.volume_limits import counted_requests
from blocktime.model.results import DeviceStats, RunResult
from blocktime.model.spec import Disk, System, Workload
from blocktime.model.units import show_data, show_seconds

ROUNDING = 1e-9
BINDS = 0.9
"""Share of a limit from which on it binds."""


def through_host(system: System) -> System:
    """The system with each volume as its host lets it be, at the host's burst rates where it has any.

    The smaller limit of the two counts, of volume and host. Where both have credits, the host's count first.
    """
    host, disk = system.host, system.disk
    if not host.limits_volumes:
        return system
    iops = _at_most(host.iops_limit, host.burst_iops)
    bytes_per_s = _at_most(host.bandwidth_limit_bytes_per_s, host.burst_bandwidth_bytes_per_s)
    member_iops, member_bytes_per_s = (
        None if limit is None else limit / disk.raid_disks for limit in (iops, bytes_per_s)
    )
    changes: dict[str, Any] = {
        "iops_limit": _smaller(disk.iops_limit, member_iops),
        "throughput_limit_bytes_per_s": _smaller(disk.throughput_limit_bytes_per_s, member_bytes_per_s),
    }
    if disk.burst_iops is not None and member_iops is not None:
        changes["burst_iops"] = min(disk.burst_iops, member_iops) if (disk.iops_limit or 0) < member_iops else None
    paid = system.prices.storage_iops
    plain = {
        "iops_limit": iops,
        "bandwidth_limit_bytes_per_s": bytes_per_s,
        "burst_iops": None,
        "burst_bandwidth_bytes_per_s": None,
    }
    return system.model_copy(
        update={
            "host": host.model_copy(update=plain),
            "disk": disk.model_copy(update=changes),
            "prices": system.prices.model_copy(
                update={"storage_iops": (disk.iops_limit or 0.0) if paid is None else paid}
            ),
        }
    )


def with_host_limits(system: System, work: Workload, result: RunResult) -> RunResult:
    """The answer with what is to be said of its host's limits: which binds, and how long a burst lasts."""
    host = system.host
    if not host.limits_volumes or not result.device:
        return result
    lasts_s = burst_lasts_s(system, result)
    texts = []
    if lasts_s < inf:
        names = " and ".join(name for name, _, _ in _limits(system, result))
        spent = lasts_s < _span_s(result, work)
        begun = (
            "spends its burst credits during the run"
            if spent
            else f"serves this load on its burst credits, which last {show_seconds(lasts_s)}"
        )
        texts.append(f"the host {begun}; after that it allows its volumes {names} together")
    binding = [
        f"the host's limit of {most} binds: its volumes together use {100 * used:.0f} % of it"
        for _, most, used in _limits(system, result)
        if used >= BINDS
    ]
    return result.model_copy(update={"warnings": [*result.warnings, *binding[:1], *texts]})


def host_limits_used(system: System, result: RunResult) -> dict[str, float]:
    """What is to be said of each limit of the host, and the share of it that the volumes use together."""
    return {f"the host's limit of {most}": used for _, most, used in _limits(system, result)}


def burst_lasts_s(system: System, result: RunResult) -> float:
    """Seconds that full credits of the host last at what its volumes do; endless without."""
    host, used = system.host, _used(system, result)
    lasts = inf
    for limit, burst, per_s in (
        (host.iops_limit, host.burst_iops, used[0]),
        (host.bandwidth_limit_bytes_per_s, host.burst_bandwidth_bytes_per_s, used[1]),
    ):
        if limit is not None and burst is not None and per_s > limit * (1 + ROUNDING):
            lasts = min(lasts, host.burst_s * (burst - limit) / (per_s - limit))
    return lasts


def _used(system: System, result: RunResult) -> tuple[float, float]:
    requests = bytes_per_s = 0.0
    for device in result.device.values():
        each = device.reads_per_s + device.writes_per_s
        requests += each * float(counted_requests(system.disk, device.average_request_bytes))
        bytes_per_s += device.read_bytes_per_s + device.written_bytes_per_s
    return requests, bytes_per_s


def _limits(system: System, result: RunResult) -> list[tuple[str, str, float]]:
    """The limits in words, in the long run and at most, and the used share of the most."""
    host, used = system.host, _used(system, result)
    limits = []
    if host.iops_limit is not None:
        most = host.iops_limit if host.burst_iops is None else host.burst_iops
        limits.append((f"{host.iops_limit:,.0f} requests/s", f"{most:,.0f} requests/s", used[0] / most))
    if host.bandwidth_limit_bytes_per_s is not None:
        least, burst = host.bandwidth_limit_bytes_per_s, host.burst_bandwidth_bytes_per_s
        most = least if burst is None else burst
        limits.append((f"{show_data(least)}/s", f"{show_data(most)}/s", used[1] / most))
    return sorted(limits, key=lambda limit: -limit[2])


def _span_s(result: RunResult, work: Workload) -> float:
    if result.transactions is None:
        return float(result.time.elapsed_s)
    transactions: Any = work
    return run_transactions(transactions) / max(result.transactions.per_s, ROUNDING)


def _at_most(limit: float | None, burst: float | None) -> float | None:
    """The rate that a limit allows while credits last."""
    return limit if limit is None or burst is None else burst


def _smaller(first: float | None, other: float | None) -> float | None:
    return other if first is None else first if other is None else min(first, other)


SPENT = 0.999


def refuse_spent_credits(system: System, result: RunResult, begin_s: float) -> None:
    """Raise :class:`OutsideLaw` where burst credits of volume or host end in a run, but after *begin_s* seconds."""
    lasts_s = min(burst_lasts_s(system, result), _credits_of_volume_last_s(system.disk, result.device.get("disk")))
    if begin_s < lasts_s < result.time.elapsed_s:
        raise OutsideLaw(
            f"the burst credits last {show_seconds(lasts_s)} of some {show_seconds(result.time.elapsed_s)}, which are "
            "too long to simulate: leave the burst out (burst_iops), or ask for less"
        )


def _credits_of_volume_last_s(disk: Disk, device: DeviceStats | None) -> float:
    if device is None or disk.burst_iops is None:
        return inf
    requests_per_s = device.reads_per_s + device.writes_per_s
    counted = counted_requests(disk, device.average_request_bytes)
    return float(volume_limits.credits_last_s(disk, requests_per_s * counted))


def credit_warnings(disk: Disk, device: DeviceStats | None, span_s: float) -> list[str]:
    """How long the burst credits of a volume last that did what *device* says during *span_s* seconds."""
    lasts_s = _credits_of_volume_last_s(disk, device)
    if lasts_s == inf:
        return []
    then = f"after that the volume serves {disk.iops_limit:,.0f} requests/s"
    if lasts_s * SPENT <= span_s:
        return [f"the volume spends its {disk.burst_credits:,.0f} burst credits during the run; {then}"]
    return [
        f"the volume serves this load on its burst credits, which last {show_seconds(lasts_s)} at this rate; {then}"
    ]


def log_disk_of(system: System) -> Disk:
    """The disk that the log lies on: like that of the data, with a limit and a variation of its own if it has them."""
    limit, varies, disk = system.instance.redo_limit_bytes_per_s, system.instance.redo_service_cv, system.disk
    if varies is not None:
        disk = changed(disk, service_cv=varies)
    if limit is None:
        return disk
    return changed(disk, throughput_limit_bytes_per_s=min(limit, disk.throughput_limit_bytes_per_s or limit))
