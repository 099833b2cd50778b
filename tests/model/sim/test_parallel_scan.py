"""A full scan that parallel servers share."""

import numpy as np
import pytest

from blocktime.model import OutsideLaw, calculate, calculate_many, simulate
from blocktime.model.laws.optimizer import parallel_share
from blocktime.model.laws.scan_reads import Piece, granules_of, pieces_of_granules
from blocktime.model.results import RunResult
from blocktime.model.spec import System, Workload
from blocktime.model.units import GIB, KIB
from blocktime.scenarios import from_mapping, load

SMALL = ["table.rows=2000000"]


def case(*changes: str, name: str = "parallel-scan") -> tuple[System, Workload]:
    scenario = load(name, [*SMALL, *changes])
    return scenario.system, scenario.workload


def answers(*changes: str) -> tuple[RunResult, RunResult]:
    return calculate(*case(*changes)), simulate(*case(*changes))


def test_granules_by_hand() -> None:
    """A table of 1.2 GB by two servers: 13 granules each, as SQL Monitor showed; one of 4 TB by two: 100 each."""
    assert granules_of(150_000, 8 * KIB, 2) == 26
    assert granules_of(5 * 10**8, 8 * KIB, 2) == 200
    assert granules_of(30 * 10**6, 8 * KIB, 8) == 240  # 245.8 GB in granules of 1.024 GB
    assert granules_of(20, 8 * KIB, 2) == 20


def test_a_cut_adds_a_read_where_it_falls_into_one() -> None:
    """100 reads of 128 blocks: of 12,799 places between blocks 99 lie between reads; 25 cuts add 24.8: 25 reads."""
    pieces = pieces_of_granules([Piece(128, 100)], 26)
    assert sum(piece.count for piece in pieces) == 125
    assert sum(piece.blocks * piece.count for piece in pieces) == 12_800


def test_the_cost_of_a_parallel_plan() -> None:
    """36,504 by 20 servers costs 2,028 [hooper-parallel has 2,025]; a serial plan is not divided."""
    assert 36_504 / parallel_share(20) == pytest.approx(2028)
    assert parallel_share(1) == 1
    serial, parallel = calculate(*case("workload.degree=1")), calculate(*case())
    assert parallel.optimizer.cost == pytest.approx(serial.optimizer.cost / 3.6, abs=1)


@pytest.mark.parametrize("degree", [2, 4, 8, 16])
def test_the_query_reads_and_gets_what_a_serial_one_does(degree: int) -> None:
    serial, lossless = calculate(*case("workload.degree=1")), "host.busy_loss_percent=0"
    for result in answers(f"workload.degree={degree}", lossless):
        assert result.physical_io.read_blocks == pytest.approx(serial.physical_io.read_blocks, abs=1)
        cuts = result.physical_io.read_requests - serial.physical_io.read_requests
        assert 0 < cuts <= 13 * degree
        assert result.logical_io.consistent_gets == pytest.approx(serial.logical_io.consistent_gets, rel=1e-9)
        longer_s = degree * result.time.cpu_s - serial.time.cpu_s
        assert 0 < longer_s < cuts * 60e-6
        assert result.time.last_session_s is None


@pytest.mark.parametrize("disk", ["nvme", "sas-15k", "array-raid10", "azure-p30"])
@pytest.mark.parametrize("degree", [2, 8])
def test_servers_take_no_less_than_what_they_share_needs(disk: str, degree: int) -> None:
    least, simulated = answers(f"disk.use={disk}", f"workload.degree={degree}")
    assert 0.75 * simulated.time.elapsed_s < least.time.elapsed_s <= 1.01 * simulated.time.elapsed_s
    assert least.physical_io.read_requests == pytest.approx(simulated.physical_io.read_requests, rel=0.01)


def test_servers_speed_a_query_up_until_the_drive_is_the_limit() -> None:
    fast = ["disk.bandwidth_bytes_per_s=100G", "disk.parallel_requests=64", "disk.queue_depth=1024", "host.cpus=16"]
    alone = simulate(*case("workload.degree=1", *fast)).time.elapsed_s
    gains = [alone / simulate(*case(f"workload.degree={n}", *fast)).time.elapsed_s for n in (2, 4, 8)]
    speeds = [1 - 0.12 * (n - 1) / 15 for n in (2, 4, 8)]  # of 16 cores that lose 12 % with all of them busy
    assert gains == pytest.approx([2 * speeds[0], 4 * speeds[1], 8 * speeds[2]], rel=0.06)
    slow = [simulate(*case(f"workload.degree={n}", "disk.use=ebs-gp3")).time.elapsed_s for n in (1, 8)]
    assert slow[1] == pytest.approx(slow[0], rel=0.03)


def test_the_coordinator_holds_up_servers_whose_rows_the_client_takes_slowly() -> None:
    for result in answers("workload.select=rows"):
        held_s = result.time.wait["PX Deq Credit: send blkd"].total_s
        assert held_s > 0.4 * result.time.elapsed_s
        serial = calculate(*case("workload.select=rows", "workload.degree=1"))
        assert 0.3 * serial.time.elapsed_s < result.time.elapsed_s < serial.time.elapsed_s


def test_parallel_servers_read_directly_whatever_the_size_of_the_table() -> None:
    system, work = case("table.rows=20000", "instance.buffer_cache_bytes=4G", "workload.degree=2")
    result = calculate(system, work)
    assert "direct path read" in result.time.wait
    assert result.access.startswith("direct path reads: parallel servers")
    assert system.instance.buffer_cache_bytes == 4 * GIB


def test_more_servers_than_the_instance_starts_are_refused() -> None:
    with pytest.raises(OutsideLaw, match=r"workload.degree 16 .*allowed are instance.parallel_max_servers, 8"):
        calculate(*case("workload.degree=16", "instance.parallel_max_servers=8"))
    with pytest.raises(OutsideLaw, match=r"asks for 48 parallel servers; .*40"):
        simulate(*case("workload.degree=12", "workload.users=4", "host.cpus=1"))


def test_several_parallel_queries_share_the_machine() -> None:
    one, four = simulate(*case("workload.degree=4")), simulate(*case("workload.degree=4", "workload.users=4"))
    assert four.time.last_session_s
    assert four.time.elapsed_s == pytest.approx(4 * one.time.elapsed_s, rel=0.25)
    assert four.physical_io.read_blocks == pytest.approx(one.physical_io.read_blocks)


def test_arrays_of_degrees_answer_as_one_by_one() -> None:
    system, work = case()
    found = calculate_many(system, work, {"workload.degree": [1, 2, 8]})
    each = [calculate(*case(f"workload.degree={n}")).time.elapsed_s for n in (1, 2, 8)]
    np.testing.assert_allclose(found["elapsed_s"], each, rtol=1e-9)


def test_a_parallel_query_beside_users_keeps_its_servers() -> None:
    users = {"kind": "transactions", "users": 4, "think_s": 0.05, "data_bytes": "256M", "begins": "warm"}
    scenario = from_mapping({"base": "parallel-scan", "table": {"rows": 1_000_000}, "workload": {"beside": [users]}})
    result = simulate(scenario.system, scenario.workload)
    assert result.time.servers == 4
    assert result.programs
    assert len(result.programs) == 2
