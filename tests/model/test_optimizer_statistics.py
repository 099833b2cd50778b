"""System statistics that were gathered count, whatever kind the others are of."""

from __future__ import annotations

from typing import Any

import pytest

from model import calculate
from scenarios import from_mapping


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
