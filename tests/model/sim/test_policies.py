"""LRU and CLOCK beside touch counts on the same references, and their laws."""

import time
from typing import Any

import pytest

from blocktime.model.sim import policies
from blocktime.model.workloads.transactions.expected_run import expected_run
from blocktime.scenarios import load

CHANCE = 0.012
"""Three standard deviations of half of the references at 70 % hits."""


def compared(*settings: str, seed: int = 1) -> dict[str, float]:
    scenario = load("tpc-c", settings)
    solved: Any = expected_run(scenario.system, scenario.workload)
    parts = solved.parts
    return policies.compare(parts, solved.per_s, parts.mean("gets") + parts.mean("changed_blocks"), seed)


@pytest.mark.parametrize("size", ["8M", "16M", "56M"])
def test_replays_meet_their_laws(size: str) -> None:
    found = compared(f"instance.buffer_cache_bytes={size}")
    assert list(found) == ["touch count", "LRU", "CLOCK", policies.LRU_LAW, policies.TOUCH_LAW]
    assert found["LRU"] == pytest.approx(found[policies.LRU_LAW], abs=CHANCE)
    assert found["touch count"] == pytest.approx(found[policies.TOUCH_LAW], abs=CHANCE)


def test_a_sample_of_the_blocks_hits_as_all_do(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled = compared("instance.buffer_cache_bytes=16M")
    monkeypatch.setattr(policies, "BUFFERS", 10**9)
    monkeypatch.setattr(policies, "REFERENCES", 100_000)
    whole = compared("instance.buffer_cache_bytes=16M")
    for name in ("LRU", "CLOCK", "touch count"):
        assert sampled[name] == pytest.approx(whole[name], abs=CHANCE)


def test_pools_of_their_own_are_compared_together() -> None:
    found = compared(
        "workload.hot_pool=keep", "instance.db_keep_cache_bytes=8M", "instance.buffer_cache_bytes=8M"
    )
    assert found["LRU"] == pytest.approx(found[policies.LRU_LAW], abs=CHANCE)


@pytest.mark.parametrize("setting", ["instance.buffer_cache_bytes=1G", "workload.mix.0.scan_blocks=10"])
def test_nothing_is_compared_where_everything_is_held_or_scanned(setting: str) -> None:
    assert compared(setting) == {}


def test_it_is_made_again_by_its_seed_and_quick() -> None:
    begin_s = time.process_time()
    first = compared()
    assert time.process_time() - begin_s < 2  # of this process's own time: some 50 ms
    assert first == compared()
    assert first != compared(seed=2)
