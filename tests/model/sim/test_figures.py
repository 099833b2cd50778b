"""The flat numbers of a simulation: those of the whole result, whatever was simulated before."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model import OutsideLaw, engine, simulate
from blocktime.model.engine import simulate_many, simulate_measures
from blocktime.model.measures import MEASURES, measures_of
from blocktime.model.provenance import Constant
from blocktime.model.sim.streams import stream, varied
from blocktime.model.spec import (
    Disk,
    FullScan,
    Host,
    Prices,
    ReadStream,
    System,
    Table,
    Transactions,
    Workload,
    WriteStream,
)
from blocktime.model.workloads.streams import processes as streams_run

EUROS = Prices(currency="EUR", licence_per_processor=40_000, core_per_hour=0.05, storage_per_gb_month=0.1)
FITTED = {
    "host.read_call_s": Constant(
        value=1e-5, how="fitted", source="a test", range={"call_bytes": (4096.0, 8192.0)}
    )
}


def system_of(host: dict[str, Any] | None = None, disk: dict[str, Any] | None = None, **more: Any) -> System:
    """A device without positions that takes calls as they come."""
    path = {"io_path": "raw", "scheduler": "none", "max_request_bytes": 4096, "max_segments": 1}
    plain = {"rotation_s": 0, "average_seek_s": 0, "overhead_s": 1e-3, "bandwidth_bytes_per_s": 1e9}
    return System(
        host=Host.model_validate(path | (host or {})), disk=Disk.model_validate(plain | (disk or {})), **more
    )


def arriving(kind: type[ReadStream | WriteStream] = ReadStream, **more: Any) -> ReadStream | WriteStream:
    """Random calls of 4K that arrive."""
    return kind.model_validate({"block_size_bytes": 4096, "pattern": "random", "rate_per_s": 900} | more)


def agree(system: System, work: Workload, seed: int = 1) -> None:
    """The same names, and the same numbers but for their last digits."""
    found = simulate_measures(system, work, seed=seed)
    expected = measures_of(simulate(system, work, seed=seed))
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-9, abs=0), name


@pytest.fixture
def unplayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No whole simulation is made."""
    monkeypatch.delattr(engine, "simulate")


def at_load(load: float, each_s: float, servers: int) -> float:
    return load * servers / each_s


@settings(max_examples=150)
@given(
    kind=st.sampled_from([ReadStream, WriteStream]),
    size_bytes=st.sampled_from([2560, 4096]),
    count=st.sampled_from([1, 2, 7, 100, 500]),
    load=st.floats(0.05, 3),
    servers=st.integers(1, 64),
    room=st.integers(0, 40),
    cv=st.sampled_from([0.0, 0.5, 1.0, 4.0]),
    call_s=st.sampled_from([0.0, 2e-5, 2e-3]),
    cpus=st.integers(1, 8),
    arrivals=st.sampled_from(["poisson", "poisson", "regular"]),
    kernel=st.sampled_from(["2.6.5", "5.15"]),
    more=st.sampled_from([{}, {"prices": EUROS}, {"constants": FITTED}]),
    seed=st.integers(0, 5),
)
def test_they_are_those_of_the_whole_result(
    *,
    kind: Any,
    size_bytes: int,
    count: int,
    load: float,
    servers: int,
    room: int,
    cv: float,
    call_s: float,
    cpus: int,
    arrivals: str,
    kernel: str,
    more: dict[str, Any],
    seed: int,
) -> None:
    servers = servers if cv else 1  # else places would matter
    host = {
        "read_call_s": call_s,
        "write_call_s": call_s / 2,
        "cpus": cpus,
        "kernel": kernel,
        "nr_requests": servers + room,
    }
    disk = {"parallel_requests": servers, "service_cv": cv}
    rate_per_s = at_load(load, 1e-3 + size_bytes / 1e9, servers)
    work = arriving(kind, block_size_bytes=size_bytes, count=count, rate_per_s=rate_per_s, arrivals=arrivals)
    system = system_of(host, disk, **more)
    assert streams_run.measures(system, work, seeds=[seed]) is not None
    agree(system, work, seed)


def test_figures_of_many_calls_are_those_of_the_whole_result() -> None:
    agree(
        system_of(disk={"service_cv": 1, "parallel_requests": 32}), arriving(count=50_000, rate_per_s=29_000)
    )


@pytest.mark.usefixtures("unplayed")
def test_calls_that_arrive_at_one_queue_need_no_whole_result() -> None:
    assert simulate_measures(system_of(prices=EUROS), arriving())["device_reads_per_s"] > 0


@pytest.mark.parametrize(
    ("system", "work"),
    [
        (system_of(), ReadStream(block_size_bytes=4096, count=50)),
        (system_of(disk={"queue_depth": 32}), ReadStream(block_size_bytes=4096, count=50, in_flight=4)),
        (system_of(), arriving(users=2, count=50)),
        (system_of(), arriving(count=50, beside=(ReadStream(count=50),))),
        (system_of({"scheduler": "mq-deadline"}), arriving(count=50)),
        (system_of({"nr_requests": 3}, {"parallel_requests": 4, "service_cv": 1}), arriving(count=50)),
        (system_of({"io_path": "buffered"}), WriteStream(count=50)),
        (System(), arriving(count=50)),
        (System(table=Table(rows=20_000), prices=EUROS), FullScan()),
        (System(), Transactions(transactions=100)),
    ],
    ids=[
        "closed",
        "flight",
        "users",
        "beside",
        "sweeps",
        "room",
        "buffered",
        "platter",
        "scan",
        "transactions",
    ],
)
def test_all_else_is_simulated(system: System, work: Workload) -> None:
    assert simulate_measures(system, work, seed=4) == measures_of(simulate(system, work, seed=4))


@pytest.mark.parametrize(
    ("disk", "work", "says"),
    [
        ({}, {"count": 30, "rate_per_s": 1e-6}, "not done after 30 days"),
        ({}, {"block_size_bytes": 700}, "no multiple of 512"),
        ({"capacity_bytes": 2**21}, {"start_byte": 2**20, "span_bytes": 2**21}, "beyond the device's end"),
    ],
)
def test_they_are_refused_as_the_simulation_is(disk: Any, work: Any, says: str) -> None:
    system, asked = system_of(disk=disk), arriving(**work)
    with pytest.raises(OutsideLaw, match=says) as expected:
        simulate(system, asked)
    with pytest.raises(OutsideLaw) as found:
        simulate_measures(system, asked)
    assert str(found.value) == str(expected.value)


def test_those_of_a_part_are_those_of_its_answer() -> None:
    system, work = system_of(), arriving(count=5_000_001)
    assert streams_run.measures(system, work, seeds=[4]) is None
    assert simulate_measures(system, work, seed=4) == measures_of(simulate(system, work, seed=4))


# Many together


def test_those_of_many_are_those_of_each_to_the_last_bit() -> None:
    system, work = system_of(prices=EUROS, constants=FITTED), arriving(count=700)
    rates, overheads_s, cvs = [20.0, 900.0, 1100.0] * 4, [1e-4, 1e-3] * 6, [0.0, 0.0, 0.5, 1.0] * 3
    axes = {"workload.rate_per_s": rates, "disk.overhead_s": np.array(overheads_s), "disk.service_cv": cvs}
    seeds = np.array([1, 1, 2] * 4)
    columns, has = simulate_many(system, work, axes, seeds, lambda *_: None)
    assert has.all()
    for place, (rate, overhead_s, cv) in enumerate(zip(rates, overheads_s, cvs, strict=True)):
        disk = system.disk.model_copy(update={"overhead_s": overhead_s, "service_cv": cv})
        alone = simulate_measures(
            system.model_copy(update={"disk": disk}),
            work.model_copy(update={"rate_per_s": rate}),
            seed=int(seeds[place]),
        )
        together = {name: columns[name][place] for name in MEASURES}
        assert {name: number for name, number in together.items() if not np.isnan(number)} == alone


def test_what_many_leave_out_is_answered_one_by_one() -> None:
    axes, seeds = {"workload.rate_per_s": [900.0, None], "workload.count": [100, 100]}, np.array([1, 1])
    assert list(simulate_many(system_of(), arriving(), axes, seeds, lambda *_: None)[1]) == [True, False]

    def refused(*_: Any) -> None:
        raise OutsideLaw("more than is allowed")

    assert not simulate_many(system_of(), arriving(), axes, seeds, refused)[1].any()


# What was simulated before


def test_they_do_not_depend_on_what_was_simulated_before() -> None:
    asked = [
        (system_of(disk={"service_cv": cv}), arriving(count=count, rate_per_s=rate), seed)
        for cv in (0.5, 1.0)
        for count in (10, 1000, 5000)
        for rate in (500, 900)
        for seed in (1, 2)
    ]
    fresh = []
    for system, work, seed in asked:
        streams_run._kept_factors.cache_clear()
        fresh.append(simulate_measures(system, work, seed=seed))
    assert [simulate_measures(system, work, seed=seed) for system, work, seed in asked] == fresh
    again = [simulate_measures(system, work, seed=seed) for system, work, seed in reversed(asked)]
    assert again[::-1] == fresh
    assert streams_run._kept_factors.cache_info().hits > 0


@pytest.mark.parametrize("cv", [0.0, 1e-7, 0.3, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("many", [1, 4096, 4097, 10_000])
def test_kept_draws_are_those_of_the_simulation(cv: float, many: int) -> None:
    kept = streams_run._factors(5, "service", cv, many)
    assert kept.tolist() == list(islice(varied(1.0, cv, stream(5, "service")), many))
    for rate in (3.0, 7e5):
        gaps_s = streams_run._factors(5, "arrivals 0", 1.0, many) * (1 / rate)
        assert gaps_s.tolist() == list(islice(varied(1 / rate, 1.0, stream(5, "arrivals 0")), many))


def test_what_is_kept_is_bounded_and_stays_as_it_is() -> None:
    before = streams_run._kept_factors.cache_info().misses
    many = streams_run.MOST_KEPT + 1
    assert streams_run._factors(1, "service", 1.0, many).size == many
    assert streams_run._kept_factors.cache_info().misses == before
    assert streams_run._kept_factors.cache_info().maxsize == streams_run.KEPT
    with pytest.raises(ValueError, match="read-only"):
        streams_run._factors(1, "service", 1.0, 10)[0] = 2.0
