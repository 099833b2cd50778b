"""Which questions the model of a measured system may answer, and which not: a sentence from what its report says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from blocktime.model.demand.transaction_demand import CPUS
from blocktime.model.spec import Transactions
from blocktime.model.units import show_data, show_number, show_share
from blocktime.model.workloads.transactions.stations import saturation_of
from blocktime.scenarios.measured import DISK_BYTES, HOST_BUSY, REPRODUCES, AsModelled, light_of
from blocktime.scenarios.spec import Scenario

SHARED: Final = 0.2
"""Part of the host for other programs, from which on what more processors give is not known."""


def questions_of(scenario: Scenario, rows: Sequence[AsModelled]) -> str:
    """What may be asked of the system of *scenario*, whose figures are *rows*; empty for one of no transactions."""
    if not scenario.workload.mixed or not rows:
        return ""
    if light_of(rows) == "does not":
        return "Questions it may answer: counts alone, as its times are not those that were measured."
    by_name = {row.measured.name: row for row in rows}
    answers = (
        *_storage(scenario, by_name.get(DISK_BYTES)), _processors(scenario, by_name), _cache(scenario), _load(scenario),
    )  # fmt: skip
    return f"Questions it may answer: {'; '.join(answers)}."


def _storage(scenario: Scenario, row: AsModelled | None) -> Iterator[str]:
    if row is None and scenario.system.database_path == "buffered":
        yield "storage: only for reads that the page cache does not answer, and the report does not tell these"
        return
    if row is None or row.modelled >= (1 - REPRODUCES) * row.measured.value:
        yield "storage: yes"
        return
    stated, beside = row.measured.value, row.measured.value - row.modelled
    yield (
        f"latency of the storage: yes; its limits: no, {show_data(beside)}/s of the {show_data(stated)}/s that the "
        "report states are not on the modelled disk"
    )


def _processors(scenario: Scenario, rows: Mapping[str, AsModelled]) -> str:
    host = scenario.system.host
    share = host.cpus_of_others / host.cores.all_threads
    if HOST_BUSY not in rows:
        return "processors: only if no other program uses the host, as the report has no statistics of it"
    if not share:
        return "processors: yes"
    alone = scenario.system.model_copy(update={"host": host.model_copy(update={"cpus_of_others": 0.0})})
    per_s = 1 / saturation_of(alone, cast("Transactions", scenario.workload)).demands[CPUS]
    return (
        f"processors: {'no' if share >= SHARED else 'roughly'}, {show_share(share)} of the host is used by others "
        f"(without them it would saturate at {show_number(per_s, 3)} TPS)"
    )


def _cache(scenario: Scenario) -> str:
    if getattr(scenario.workload, "miss_curve", ()):
        return "buffer cache: yes, within its advisory"
    return "buffer cache: a lower bound, as the report has no advisory"


def _load(scenario: Scenario) -> str:
    disk = scenario.system.disk
    if disk.iops_limit is None and disk.throughput_limit_bytes_per_s is None:
        return "more load: only until the disk saturates, whose limit is not known"
    return "more load: yes"
