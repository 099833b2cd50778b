"""Answers of streams made by hand, after the lines that document 001 prints; of transactions, from the law."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

import pytest
from streamlit.components.v2 import manifest_scanner

from blocktime.app.my_system import my_system
from blocktime.app.session import page_answers, simulation_requests, simulations, sweep_job
from blocktime.app.session.simulations import Ask, Players, SimulatedAnswer, SimulationJob
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import (
    DeviceLine,
    DeviceStats,
    EventTime,
    Interval,
    PhysicalIO,
    RunResult,
    Stage,
    StreamStats,
    TimeBreakdown,
)
from blocktime.scenarios import run
from tests.answered import answered

WAIT = "waiting for the device"


@pytest.fixture(scope="session", autouse=True)
def _components() -> Iterator[None]:
    """Each program under the test client would look for components in all that is installed, which takes half of it."""
    with pytest.MonkeyPatch.context() as patch:
        once = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


def line(begin_s: float, requests_per_s: float, each_s: float = 4.07e-3) -> DeviceLine:
    """An interval of a second in which each request is an 8K write of its own."""
    return DeviceLine(
        begin_s=begin_s, interval_s=1.0, merged_reads_per_s=0, merged_writes_per_s=0, reads_per_s=0,
        writes_per_s=requests_per_s, read_bytes_per_s=0, written_bytes_per_s=8192 * requests_per_s,
        average_request_bytes=8192, average_queue=requests_per_s * each_s, await_s=each_s, service_s=each_s,
        utilisation_fraction=min(1.0, requests_per_s * each_s),
    )  # fmt: skip


def raw_writes(seconds: int = 41, busiest: int = 20) -> RunResult:
    """dd of 8K blocks to a raw device, as document 001 has it: 244 writes a second, one at a time."""
    calls, elapsed = 244.0 * seconds, float(seconds)
    lines = [line(float(second), 246.0 if second == busiest else 244.0) for second in range(seconds)]
    return RunResult(
        scenario="dd-raw", how="simulation", seed=1, version="0", sources=["magni-linux"], extrapolated=[],
        warnings=[],
        time=TimeBreakdown(
            elapsed_s=elapsed, cpu_s=0.01 * elapsed, cpu={"calls": 0.01 * elapsed},
            wait={WAIT: EventTime(waits=calls, max_s=0.008, total_s=0.99 * elapsed)}, unaccounted_s=0,
            unaccounted={},
        ),
        calls={},
        physical_io=PhysicalIO(
            read_requests=0, read_blocks=0, read_bytes=0, write_requests=calls, write_bytes=8192 * calls
        ),
        device={
            "ida/c0d1": DeviceStats(
                reads_per_s=0, writes_per_s=244.0, read_bytes_per_s=0, written_bytes_per_s=244 * 8192,
                average_request_bytes=8192, average_queue=0.99308, await_s=4.07e-3, service_s=4.07e-3,
                utilisation_fraction=0.99308, request_bytes={8192: calls}, lines=lines,
            )
        },
        streams=[
            StreamStats(
                kind="write_stream", path="raw", calls=calls, bytes=8192 * calls, elapsed_s=elapsed,
                calls_per_s=244.0, bytes_per_s=244 * 8192, response_s=elapsed / calls,
                response_percentiles={"p50": 0.00407, "p95": 0.0041, "p99": 0.0043, "max": 0.0082},
            )
        ],
        timeline=[
            Stage(name="the call", begin_s=1.0, end_s=1.0041),
            Stage(name="waits in the queue", begin_s=1.0, end_s=1.0001),
            Stage(name="at the device", begin_s=1.0001, end_s=1.0041),
        ],
        access="raw: each write goes to the device as it is",
    )  # fmt: skip


@pytest.fixture
def raw() -> RunResult:
    """A run of 41 seconds."""
    return raw_writes()


@pytest.fixture
def merged(raw: RunResult) -> RunResult:
    """The same bytes through the page cache: merged up to 124K, and nobody waits for the device."""
    sizes = {126976: 600.0, 4096: 103.0}
    (device,) = raw.device.values()
    (stream,) = raw.streams or ()
    stats = device.model_copy(
        update={
            "request_bytes": sizes, "merged_writes": 9297.0, "average_request_bytes": 108974.0, "lines": [],
            "await_s": 0.1774, "average_queue": 72.44, "utilisation_fraction": 0.516,
        }
    )  # fmt: skip
    time = TimeBreakdown(
        elapsed_s=2.0, cpu_s=0.55, cpu={"calls": 0.55}, unaccounted_s=0, unaccounted={},
        wait={"held back by the page cache": EventTime(waits=1, max_s=1.45, total_s=1.45)},
    )  # fmt: skip
    quick = stream.model_copy(
        update={
            "path": "buffered", "elapsed_s": 2.0, "response_s": 2 / stream.calls, "page_cache_bytes": 81952768.0,
            "calls_per_s": stream.calls / 2, "bytes_per_s": stream.bytes / 2, "response_percentiles": {},
        }
    )  # fmt: skip
    return raw.model_copy(
        update={
            "scenario": "dd-fs", "time": time, "device": {"ida/c0d1": stats}, "streams": [quick], "timeline": None,
            "access": "buffered: pages are written back later",
        }
    )  # fmt: skip


PERCENTILES = {"p50": 0.0144, "p95": 0.134, "p99": 0.24, "max": 0.531}
Answered = Callable[..., RunResult]


def _law(name: str = "tpc-c", *settings: str) -> RunResult:
    """The closed form's answer."""
    return answered(name, *settings)


def _played(name: str = "tpc-c", *settings: str) -> RunResult:
    """The same with what only a simulation has."""
    result = _law(name, *settings)
    stats = result.transactions
    assert stats is not None
    took = stats.response_s
    more = stats.model_copy(
        update={
            "response_percentiles": PERCENTILES, "measured": 31_840, "warm_up": 160,
            "response_interval": Interval(low_s=0.99 * took, high_s=1.01 * took, confidence=0.95),
            "per_s_low": 0.99 * stats.per_s, "per_s_high": 1.01 * stats.per_s,
            "kinds": [kind.model_copy(update={"response_percentiles": PERCENTILES}) for kind in stats.kinds],
        }
    )  # fmt: skip
    return result.model_copy(update={"how": "simulation", "seed": 1, "transactions": more})


@pytest.fixture
def law() -> Answered:
    """Transactions in closed form."""
    return _law


@pytest.fixture
def played() -> Answered:
    """The same with what only a simulation has, so that no test waits for a run."""
    return _played


PLAYED: Final[dict[tuple[str, int], SimulatedAnswer]] = {}
"""What tests have simulated so far; nobody changes an answer."""


class _Inline(Players):
    """Simulates in this process, before anybody waits."""

    def __init__(self) -> None:
        super().__init__([])

    def start(self, job: SimulationJob) -> SimulationJob:
        for ask in job.asks:
            self._play(job, ask, self)
        return job

    @staticmethod
    def play(ask: Ask, job: SimulationJob) -> SimulatedAnswer:
        del job
        if ask.key not in PLAYED:
            PLAYED[ask.key] = simulated(ask)
        return PLAYED[ask.key]


def simulated(ask: Ask) -> SimulatedAnswer:
    """What a simulator answers."""
    try:
        found = run(ask.scenario, replications=ask.replications)
    except BlocktimeError as error:
        return SimulatedAnswer(refused=str(error))
    return SimulatedAnswer(document=found.model_dump_json())


@pytest.fixture
def small_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's sample report is of a system whose cache is soon full: that of 8G takes half a second a run."""
    of_small = ("instance.buffer_cache_bytes=256M", "workload.data_bytes=3500M")
    monkeypatch.setattr(my_system, "OF_SAMPLE", (*my_system.OF_SAMPLE, *of_small))


@pytest.fixture
def unanswered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is simulated: for what a page does whatever the answer is."""
    nobody = Players([])
    monkeypatch.setattr(simulation_requests, "players", lambda: nobody)
    monkeypatch.setattr(page_answers, "PATIENCE_S", 0.0)


@pytest.fixture
def simulated_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages have their simulations before they are drawn, so that one run shows them."""
    inline = _Inline()
    monkeypatch.setattr(simulation_requests, "players", lambda: inline)


@pytest.fixture(autouse=True)
def _nobody_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine, a job that a test waits for is not one that nobody looks at any more."""
    monkeypatch.setattr(simulations, "FORGOTTEN_S", 1e6)
    monkeypatch.setattr(sweep_job, "FORGOTTEN_S", 1e6)
