"""The closed form of transactions against their simulation where mechanisms meet; and a knee that no question moves."""

from __future__ import annotations

from typing import Any

import pytest

from model import RunResult
from model.transaction_curves import load_curve
from scenarios import from_mapping, load, run

FEW = {"transactions": 1500}


def both(disk: str, mix: dict[str, Any], work: dict[str, Any], **more: Any) -> tuple[RunResult, RunResult]:
    """Both answers to transactions of one kind."""
    scenario = from_mapping(
        {
            "disk": {"use": disk},
            "workload": {"kind": "transactions", "mix": [{"name": "a", **mix}], **FEW, **work},
            **more,
        }
    )
    return run(scenario, "calculate"), run(scenario, "simulate", seed=5)


SMALL = {"instance": {"buffer_cache_bytes": "256M"}}
WIDE = {"host": {"cpus": 16}}


@pytest.mark.parametrize(
    ("disk", "mix", "work", "more"),
    [
        # DBWR's writes do not slow reads of a device that is idle but for 2 % of the time
        ("nvme", {"gets": 300, "changed_blocks": 10}, {"users": 1, "think_s": 0, "data_bytes": "10G"}, SMALL),
        # a write of the log ends once a turn
        (
            "sata-7k2",
            {"gets": 5, "changed_blocks": 0, "redo_bytes": 500},
            {"users": 100, "data_bytes": "64M"},
            WIDE,
        ),
        ("sas-10k", {"gets": 50, "changed_blocks": 10}, {"users": 1, "think_s": 0, "data_bytes": "64M"}, {}),
        # a limit of a volume is no time of a request
        (
            "ebs-gp3",
            {"gets": 300, "changed_blocks": 2, "redo_bytes": 500},
            {"users": 1, "data_bytes": "1G"},
            SMALL,
        ),
        # members of a set hold a part of the data each
        (
            "array-raid10",
            {"gets": 50, "changed_blocks": 0},
            {"users": 4, "think_s": 0.1, "data_bytes": "10G"},
            SMALL,
        ),
    ],
)
def test_both_engines_give_the_same_response(
    disk: str, mix: dict[str, Any], work: dict[str, Any], more: dict[str, Any]
) -> None:
    law, played = both(disk, mix, work, **more)
    assert law.transactions
    assert played.transactions
    assert law.transactions.response_s == pytest.approx(played.transactions.response_s, rel=0.1)


def test_all_in_memory_waits_for_no_free_buffer() -> None:
    """Blocks that never leave the cache need not be written for anybody."""
    law, played = both(
        "sata-7k2",
        {"gets": 300, "changed_blocks": 10, "redo_bytes": 500},
        {"users": 10, "think_s": 0, "data_bytes": "64M"},
        **WIDE,
    )
    assert "free buffer waits" not in law.time.wait
    assert "free buffer waits" not in played.time.wait


@pytest.mark.parametrize("name", ["tpc-b", "magni-tpcb-8k", "magni-tpcc-8k"])
def test_the_knee_is_the_same_whatever_load_is_asked_for(name: str) -> None:
    found = [run(load(name, [f"workload.users={users}"]), "calculate").transactions for users in (1, 20, 300)]
    knees = {(one.bottleneck, one.saturation_per_s, one.saturation_users) for one in found if one}
    assert len(knees) == 1
    played = run(load(name, ["workload.users=20", "workload.transactions=400"]), "simulate").transactions
    assert played
    assert (played.bottleneck, played.saturation_per_s, played.saturation_users) in knees
    ((_, most, _),) = knees
    assert all(one.per_s <= most * (1 + 1e-9) for one in found if one)


@pytest.mark.parametrize("name", ["tpc-b", "magni-tpcb-8k"])
def test_no_curve_over_load_lies_above_what_the_system_can_do(name: str) -> None:
    scenario = load(name, ["workload.users=20"])
    points = load_curve(scenario.system, scenario.workload)
    answer = run(scenario, "calculate").transactions
    assert answer
    assert max(one.per_s for one in points) <= answer.saturation_per_s * (1 + 1e-9)
    assert max(one.most_per_s for one in points) == pytest.approx(answer.saturation_per_s, rel=1e-9)
