"""What a report says outside of the modelled fields: bytes, the host, and which questions may then be asked."""

import pytest

from blocktime.app.text.measured_text import sentence
from blocktime.scenarios import Scenario, from_mapping, run
from blocktime.scenarios.measured import (
    DISK_BYTES,
    READ_WAIT,
    SYNC_WAIT,
    AsModelled,
    ComparedFigure,
    as_modelled,
    figure_in,
    light_of,
)
from blocktime.scenarios.questions import questions_of
from blocktime.scenarios.run import beyond_measured
from blocktime.validation.identify.identified_scenario import IdentifiedScenario
from blocktime.validation.identify.system import identify
from blocktime.validation.instruments import Reading
from blocktime.validation.instruments.figures import ReportedHost
from tests.validation.instruments.made import report_of

SPAN_S = 1800.0
OS = "Operating System Statistics: "


def report(*more: tuple[str, str, float], cpus: int = 16, cpu_s: float = 1200.0) -> Reading:
    """Half an hour of 40 transactions a second with 6 reads each."""
    count = 40 * SPAN_S
    said = [
        ("report", "Elapsed", SPAN_S),
        ("Load Profile: Transactions", "Per Second", 40.0),
        ("Load Profile: Logical read", "Per Second", 8000.0),
        ("Load Profile: Block changes", "Per Second", 480.0),
        ("Load Profile: Physical write", "Per Second", 90.0),
        ("Load Profile: Redo size", "Per Second", 100e3),
        ("Load Profile: User calls", "Per Second", 200.0),
        ("Time Model: DB time", "Time (s)", 2400.0),
        ("Time Model: DB CPU", "Time (s)", cpu_s),
        ("Wait Events: foreground: db file sequential read", "Waits", 6 * count),
        ("Wait Events: foreground: db file sequential read", "Total Wait Time (s)", 800.0),
        *more,
    ]
    return report_of(*said, host=ReportedHost(cpus=cpus))


def asked(identified: IdentifiedScenario, *settings: str) -> str:
    scenario = from_mapping(identified.sections(), "my")
    return questions_of(scenario, as_modelled(scenario.compared, run(scenario)))


@pytest.mark.parametrize("cores", [2, 4, 8])
def test_cores_and_threads_are_those_of_the_report(cores: int) -> None:
    found = identify([report((f"{OS}NUM_CPU_CORES", "Value", cores))]).values()
    assert (found["host.cpus"], found["host.threads_per_core"]) == (cores, 16 // cores)
    assert "host.threads_per_core" not in identify([report()]).values()


@pytest.mark.parametrize(("busy", "others"), [(0.5, 8 - 2 / 3), (0.9, 14.4 - 2 / 3)])
def test_other_programs_keep_their_part_of_the_host(busy: float, others: float) -> None:
    times = ((f"{OS}BUSY_TIME", "Value", busy * 16 * SPAN_S), (f"{OS}IDLE_TIME", "Value", (1 - busy) * 16 * SPAN_S))
    found = identify([report(*times)])
    assert found.values()["host.cpus_of_others"] == pytest.approx(others, abs=0.01)
    scenario = from_mapping(found.sections(), "my")
    result = run(scenario)
    assert result.transactions is not None
    assert result.transactions.utilisation["processors"] == pytest.approx(busy, abs=0.02)
    rows = as_modelled(scenario.compared, result)
    assert light_of(rows) == "reproduces"
    assert "processors: no" in questions_of(scenario, rows)
    alone = run(from_mapping(identify([report()]).sections(), "my"))
    assert alone.transactions is not None
    assert result.transactions.saturation_per_s < 0.7 * alone.transactions.saturation_per_s


def test_a_host_of_its_own_and_one_without_statistics_are_told_apart() -> None:
    own = ((f"{OS}BUSY_TIME", "Value", 1300.0), (f"{OS}IDLE_TIME", "Value", 16 * SPAN_S - 1300.0))
    assert "processors: yes" in asked(identify([report(*own)]))
    assert "the report has no statistics of it" in asked(identify([report()]))


def limited(found: IdentifiedScenario, limit_bytes_per_s: float) -> Scenario:
    """The system on another volume."""
    scenario = from_mapping(found.sections(), "my")
    disk = scenario.system.disk.model_copy(update={"throughput_limit_bytes_per_s": limit_bytes_per_s})
    system = scenario.system.model_copy(update={"disk": disk})
    return scenario.model_copy(update={"system": system, "changed": True})


@pytest.mark.parametrize(("bytes_each", "reads", "writes"), [(2**20, 80e6, 0.0), (2**18, 30e6, 12e6)])
def test_bytes_beside_the_transactions_are_carried_by_the_disk(bytes_each: int, reads: float, writes: float) -> None:
    own = {"read": 240 * 8192, "write": 90 * 8192 + 100e3}
    requests = {"read": 240 + reads / bytes_each, "write": 90 + writes / bytes_each}
    counted = [
        (f"Instance Activity: physical {what} total {unit}", "Total", each * SPAN_S)
        for what, more in (("read", reads), ("write", writes))
        for unit, each in (("bytes", own[what] + more), ("IO requests", requests[what]))
    ]
    found = identify([report(*counted)])
    beside = found.values()["workload.beside"]
    assert [program["kind"] for program in beside] == ["read_stream", "write_stream"][: 1 + bool(writes)]
    assert all(program["block_size_bytes"] == pytest.approx(bytes_each, rel=0.05) for program in beside)
    assert "storage: yes" in asked(found)
    scenario = from_mapping(found.sections(), "my")
    result = run(scenario)
    rows = {row.measured.name: row for row in as_modelled(scenario.compared, result)}
    assert rows[DISK_BYTES].modelled == pytest.approx(rows[DISK_BYTES].measured.value, rel=0.05)
    assert abs(rows[READ_WAIT].off_fraction) < 0.03
    small, large = (run(limited(found, limit)) for limit in (0.4 * (reads + writes), 9 * (reads + writes)))
    assert figure_in(small, READ_WAIT) > 2 * rows[READ_WAIT].modelled
    assert figure_in(large, READ_WAIT) < 1.5 * rows[READ_WAIT].modelled
    assert not any("does not hold" in note for note in beyond_measured(limited(found, 9e8), large))


def test_bytes_of_more_requests_than_are_played_are_named() -> None:
    more = (
        ("Instance Activity: physical read total bytes", "Total", 90e6 * SPAN_S),
        ("Instance Activity: physical read total IO requests", "Total", 90e6 * SPAN_S / 8192),
        ("Instance Activity: physical reads direct", "Total", 8000 * SPAN_S),
        ("Instance Activity: physical reads direct temporary tablespace", "Total", 3000 * SPAN_S),
    )
    found = identify([report(*more)])
    assert "workload.beside" not in found.values()
    (text,) = (text for text in found.says if "not on the modelled disk" in text)
    assert "39.1 MB/s of direct reads" in text
    assert "23.4 MB/s of reads of temporary files" in text
    assert "its limits: no" in asked(found)
    for limit, says in ((40e6, "does not hold for the disk"), (200e6, "they leave")):
        scenario = limited(found, limit)
        assert any(says in note for note in beyond_measured(scenario, run(scenario)))
    assert DISK_BYTES not in {row.name for row in identify([report()]).compared}


@pytest.mark.parametrize(("share", "light"), [(0.02, "reproduces"), (0.2, "roughly"), (0.9, "does not")])
def test_a_figure_weighs_by_its_part_of_the_time(share: float, light: str) -> None:
    def row(name: str, modelled: float, share: float, given: bool = False) -> AsModelled:
        figure = ComparedFigure(
            name=name, value=1.0, unit="s", low=1.0, high=1.0, file="a", line=1, share=share, given=given
        )
        return AsModelled(measured=figure, modelled=modelled)

    rows = [row("DB time of a transaction", 1.01, 1.0), row(SYNC_WAIT, 0.5, share), row("CPU", 1.0, 0.9, True)]
    assert light_of(rows) == light
    assert sentence(rows).index("DB time") < sentence(rows).index("log file sync")


def test_what_was_given_proves_nothing() -> None:
    figure = ComparedFigure(name="CPU", value=1.0, unit="s", low=1, high=1, file="a", line=1, given=True)
    rows = [AsModelled(measured=figure, modelled=1.0)]
    assert light_of(rows) == "roughly"
    assert "nothing shows how well it fits" in sentence(rows)


def test_the_time_from_a_log_write_to_its_session_is_the_report_s() -> None:
    counted = (
        ("Instance Activity: redo synch time overhead (usec)", "Total", 65.0 * 50_000),
        ("Instance Activity: redo synch writes", "Total", 50_000.0),
    )
    assert identify([report(*counted)]).values()["host.commit_overhead_s"] == pytest.approx(65e-6)


def test_a_cap_and_a_resource_manager_are_named() -> None:
    waited = [("Wait Events: foreground: resmgr:cpu quantum", name, value) for name, value in
              (("Waits", 5000.0), ("Total Wait Time (s)", 240.0))]  # fmt: skip
    assert any("10.0 % of DB time waits for the resource manager" in text for text in identify([report(*waited)]).says)
