"""Reads that an estimate follows: more users than it follows wait as those would that it follows one by one."""

from __future__ import annotations

import pytest

from model import calculate
from model.workloads.statements import followed
from scenarios import load

USERS = 250


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("rahn-full-scan", ()),
        ("full-scan-filesystem", ()),
        ("index-range-scan-scattered", ("disk.use=sata-7k2", "workload.selectivity_fraction=0.001")),
    ],
)
def test_many_users_take_what_as_many_would_that_are_followed(
    monkeypatch: pytest.MonkeyPatch, name: str, settings: tuple[str, ...]
) -> None:
    scenario = load(name, [*settings, f"workload.users={USERS}"])
    some = calculate(scenario.system, scenario.workload)
    monkeypatch.setattr(followed, "MOST_SESSIONS", USERS)
    every = calculate(scenario.system, scenario.workload)
    for figure in ("elapsed_s", "last_session_s"):
        assert getattr(some.time, figure) == pytest.approx(getattr(every.time, figure), rel=0.01), figure


def test_ten_thousand_users_are_followed_no_longer_than_some(monkeypatch: pytest.MonkeyPatch) -> None:
    replayed: list[int] = []
    init = followed._Replay.__init__
    monkeypatch.setattr(
        followed._Replay,
        "__init__",
        lambda self, system, work, *more: (replayed.append(work.sessions), init(self, system, work, *more))[
            1
        ],
    )
    scenario = load("rahn-full-scan", ["workload.users=10000"])
    calculate(scenario.system, scenario.workload)
    assert replayed == [followed.MOST_SESSIONS]
