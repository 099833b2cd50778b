"""System statistics that were gathered count, whatever kind the others are of."""

from typing import Any

import pytest

from blocktime.model import calculate
from blocktime.model.errors import OutsideLaw, SpecError
from blocktime.scenarios import from_mapping


def cost(**statistics: Any) -> Any:
    given = from_mapping({"instance": {"statistics": statistics}, "workload": {"kind": "full_scan"}})
    return calculate(given.system, given.workload).optimizer


@pytest.mark.parametrize("kind", ["noworkload", "workload"])
@pytest.mark.parametrize("field", [{"mbrc": 64}, {"sreadtim_s": 0.006}, {"mreadtim_s": 0.1}])
def test_a_gathered_figure_moves_the_cost(kind: str, field: dict[str, Any]) -> None:
    assert cost(kind=kind, **field).cost != cost(kind=kind).cost


def test_gathered_times_are_used_as_they_are() -> None:
    """B/m · MREADTIM/SREADTIM + 1."""
    plain = cost(mbrc=16, sreadtim_s=0.005, mreadtim_s=0.01)
    assert plain.mbrc == 16
    double = cost(mbrc=16, sreadtim_s=0.005, mreadtim_s=0.02)
    assert double.io_cost - 1 == pytest.approx(2 * (plain.io_cost - 1))


def test_without_gathered_figures_both_kinds_cost_the_same() -> None:
    assert cost(kind="workload") == cost(kind="noworkload")


def test_the_figures_used_are_in_the_answer() -> None:
    """8 blocks of 8K: SREADTIM 10 ms + 2 ms, MREADTIM 10 ms + 16 ms; what was gathered as it is."""
    plain, gathered = cost(), cost(sreadtim_s=0.005, cpuspeed_hz=1e9)
    assert (plain.sreadtim_s, plain.mreadtim_s, plain.cpuspeed_hz) == pytest.approx((0.012, 0.026, 2.5e9))
    assert (gathered.sreadtim_s, gathered.mreadtim_s, gathered.cpuspeed_hz) == pytest.approx((0.005, 0.026, 1e9))
    old = cost(kind="none")
    assert (old.sreadtim_s, old.mreadtim_s, old.cpuspeed_hz) == (None, None, None)


def test_the_speed_of_processors_follows_the_host() -> None:
    """CPU cycles over CPUSPEED times SREADTIM: a host of 2004 counts five times as many reads for them."""
    of = {
        use: calculate(given.system, given.workload).optimizer
        for use in ("magni-2004", "linux-x86")
        for given in [from_mapping({"host": {"use": use}, "workload": {"kind": "full_scan"}})]
    }
    assert of["magni-2004"]
    assert of["linux-x86"]
    assert of["magni-2004"].cpu_cost == pytest.approx(5 * of["linux-x86"].cpu_cost)


def test_times_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(SpecError, match=r"mreadtim_s 0.004 is less than sreadtim_s 0.006"):
        cost(kind="workload", sreadtim_s=0.006, mreadtim_s=0.004)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sreadtim_s": 0.2}, r"sreadtim_s is 0.2, but mreadtim_s follows .* as 0.026; .*: give both or none"),
        ({"mreadtim_s": 0.004}, r"mreadtim_s is 0.004, but sreadtim_s follows .* as 0.012; "),
    ],
)
def test_a_time_that_denies_the_other_is_refused(given: dict[str, float], sentence: str) -> None:
    """10 ms + 8K at 4,096 bytes/ms is 12 ms, ten milliseconds and eight blocks 26 ms; old costing reads neither."""
    with pytest.raises(OutsideLaw, match=sentence):
        cost(**given)
    assert cost(kind="none", **given) == cost(kind="none")


@pytest.mark.parametrize("kind", ["none", "noworkload"])
def test_the_one_of_a_scan_comes_with_9_2(kind: str) -> None:
    io_costs = []
    for release in ("8.1.7", "9.2", "19c"):
        given = from_mapping(
            {"instance": {"release": release, "statistics": {"kind": kind}}, "workload": {"kind": "full_scan"}}
        )
        opinion = calculate(given.system, given.workload).optimizer
        io_costs.append(opinion.io_cost)
    assert io_costs[1] == pytest.approx(io_costs[0] + 1)
    assert io_costs[2] == io_costs[1]
