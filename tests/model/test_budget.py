"""A watch counts the work of every simulation, and ends it at the same event on every machine."""

from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import pytest

from blocktime.model import closing
from blocktime.model.budget import Budget, watched
from blocktime.model.demand import row_turns
from blocktime.model.engine import simulate
from blocktime.model.errors import OverBudget
from blocktime.model.loops import as_written
from blocktime.model.loops.watch import Watch
from blocktime.model.machine.segment import heap_blocks, heap_rows
from blocktime.model.sim import caller, shared_machine, write_back
from blocktime.model.workloads.statements import cached_segment, processes, shared_segment
from blocktime.model.workloads.statements.cached_segment import ASK_NS, CachedSegment
from blocktime.model.workloads.streams import processes as streams
from blocktime.model.workloads.transactions import at_begin, users
from blocktime.scenarios import from_mapping, load
from blocktime.scenarios.sweeps.sweep import SweepBackend, sweep
from tests.command_line import CommandLine

SIMULATED = {
    "tpc-b": ("workload.transactions=100",),
    "parallel-scan": ("table.rows=20000",),
    "backup-beside-users": ("workload.transactions=100",),
}

RARE = """[table]
rows = 1500
[workload]
kind = "transactions"
users = 5
transactions = 300
[[workload.beside]]
kind = "index_range_scan"
"""
"""A statement of a millisecond again and again, while users think."""


def work_of(name: str, *, compiled: bool, budget: Budget) -> tuple[int, str]:
    """Work that a simulation takes, and what ended it."""
    asked = load(name, SIMULATED[name])
    with nullcontext() if compiled else as_written(), watched(budget) as watch:
        try:
            simulate(asked.system, asked.workload)
        except OverBudget as over:
            return watch.work, str(over)
    return watch.work, ""


@pytest.mark.parametrize("name", SIMULATED)
def test_the_work_is_the_same_with_and_without_compiled_loops(name: str) -> None:
    whole, none = work_of(name, compiled=True, budget=Budget(None, None))
    assert (whole, none) == work_of(name, compiled=False, budget=Budget(None, None))
    half = Budget(whole / 2e9)
    work, sentence = work_of(name, compiled=True, budget=half)
    assert (work, sentence) == work_of(name, compiled=False, budget=half)
    assert work < whole
    assert "of simulated time" in sentence


def test_a_run_that_takes_more_than_was_expected_is_ended(blocktime: CommandLine, tmp_path: Path) -> None:
    rare = tmp_path / "rare.toml"
    rare.write_text(RARE)
    err = blocktime.refuses("run", str(rare), "--max-est-exec-time", "1")
    assert "the simulation reached the limit of 1 s when" in err
    assert "of simulated time" in err
    assert err.endswith("or allow it by --max-est-exec-time 0\n")
    seldom = ("--set", "workload.rate_per_s=1e-3", "--max-est-exec-time", "1")
    assert "the simulation reached" in blocktime.refuses("run", str(rare), *seldom)


def test_a_program_that_begins_anew_asks_no_law_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rare, asked, begun = tmp_path / "rare.toml", [], []
    law, again = processes.session_demand, processes.StatementProgram.again
    rare.write_text(RARE)
    monkeypatch.setattr(processes, "session_demand", lambda *of: asked.append(of) or law(*of))
    monkeypatch.setattr(processes.StatementProgram, "again", lambda *of: begun.append(of) or again(*of))
    scenario = load(str(rare), ["workload.transactions=100"])
    simulate(scenario.system, scenario.workload)
    assert len(begun) > 1000
    assert len(asked) == 2  # beside the users, and alone


def test_a_point_of_a_sweep_is_ended_alone(tmp_path: Path) -> None:
    rare = tmp_path / "rare.toml"
    rare.write_text(RARE)
    table = sweep(
        str(rare), ["workload.rate_per_s=10,0.001"], settings=["workload.transactions=100"],
        budget=Budget(3.0), at=SweepBackend(workers=1, keep=False),
    )  # fmt: skip
    often, seldom = (str(error or "") for error in table["error"])
    assert not often
    assert "the simulation reached the limit of 3 s" in seldom


def test_asking_the_cache_for_blocks_is_work(monkeypatch: pytest.MonkeyPatch) -> None:
    asks, get = list[object](), CachedSegment.get
    monkeypatch.setattr(CachedSegment, "get", lambda *of: asks.append(of) or get(*of))
    scan = {"kind": "index_range_scan", "selectivity_fraction": 0.5}
    users = {"kind": "transactions", "users": 1, "think_s": 0.01, "transactions": 100, "beside": [scan]}
    scenario = from_mapping({"table": {"rows": 100_000}, "workload": users})
    with watched(Budget(None, None)) as watch:
        simulate(scenario.system, scenario.workload)
    assert len(asks) > 10_000
    assert watch.work > ASK_NS * len(asks)


def test_the_seconds_of_a_machine_are_the_last_resort(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, clock = load("tpc-b", ["workload.transactions=40000"]), iter([0.0, 5.0, 1e9])
    monkeypatch.setattr("blocktime.model.budget.thread_time", lambda: next(clock))
    told = "of this machine's processor, 10 times the limit"
    with watched(Budget(100.0)), pytest.raises(OverBudget, match=told) as over:
        simulate(asked.system, asked.workload)
    assert over.value.of == "seconds"


def test_what_an_answer_holds_is_counted_and_given_back() -> None:
    asked = load("tpc-b", ["workload.transactions=100"])
    with watched(Budget(None, 1e5)), pytest.raises(OverBudget, match="of memory when") as over:
        simulate(asked.system, asked.workload)
    assert over.value.of == "memory"
    with watched(Budget(None, None)) as watch:
        simulate(asked.system, asked.workload)
    assert watch.allocated_bytes == 0


class Recording(Watch):
    """A watch that also knows the most that was held."""

    most = 0

    def hold(self, size_bytes: int) -> None:
        super().hold(size_bytes)
        self.most = max(self.most, self.allocated_bytes)


STATEMENTS = ("full-scan-nvme", "table.rows=1000", "workload.users=3")
UPDATES = ("two-updates-one-table", "table.rows=2000")
UNBUFFERED = ("magni-dd-raw-100",)
PROGRAMS = ("random-read-depth", "workload.runtime_s=0.01", 'workload.beside=[{kind="full_scan"}]', "table.rows=1000")
CACHED = ("magni-dd-raw-100", "workload.path=buffered")
ARRIVING = ("magni-dd-raw-100", "workload.rate_per_s=3000", "workload.path=buffered", "workload.count=500")
USERS = ("tpc-b", "workload.transactions=100")
BESIDE = ("index-range-scan", "table.rows=2000", 'workload.beside=[{kind="index_range_scan"}]')
LONG = ("magni-dd-raw-100", "workload.count=10", "workload.think_s=1")


@pytest.mark.parametrize(
    ("module", "constant", "asked"),
    [
        (processes, "SESSION_NS", STATEMENTS),
        (processes, "SESSION_BYTES", STATEMENTS),
        (shared_segment, "CHANGE_NS", UPDATES),
        (shared_segment, "LOCK_BYTES", UPDATES),
        (shared_segment, "LOCKED_BYTES", UPDATES),
        (shared_segment, "PINNED_BYTES", UPDATES),
        (heap_blocks, "BLOCK_BYTES", UPDATES),
        (heap_blocks, "TOUCHED_BYTES", UPDATES),
        (heap_blocks, "STEP_NS", UPDATES),
        (heap_rows, "ROW_BYTES", UPDATES),
        (heap_rows, "ROWS_NS", UPDATES),
        (row_turns, "TURN_NS", UPDATES),
        (caller, "RESPONSE_BYTES", UNBUFFERED),
        (streams, "PROGRAM_NS", PROGRAMS),
        (streams, "PROGRAM_BYTES", PROGRAMS),
        (at_begin, "FILLED_NS", USERS),
        (at_begin, "BUFFER_BYTES", USERS),
        (cached_segment, "BUFFER_BYTES", BESIDE),
        (shared_machine, "PLACE_BYTES", BESIDE),
        (closing, "LINE_BYTES", LONG),
        (at_begin, "SESSION_BYTES", USERS),
        (users, "MISSED_BYTES", USERS),
        (users, "ENDED_BYTES", USERS),
        (write_back, "DIRTY_BYTES", CACHED),
        (write_back, "SORTED_BYTES", CACHED),
        (write_back, "PIECE_BYTES", CACHED),
        (write_back, "DIRTIED_NS", CACHED),
        (caller, "UNDER_WAY_BYTES", ARRIVING),
        (at_begin, "DRAWN_BYTES", USERS),
        (users, "GET_NS", USERS),
    ],
)
def test_everything_that_has_a_price_is_counted(
    module: ModuleType, constant: str, asked: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario, counted = load(asked[0], asked[1:]), []
    monkeypatch.setattr("blocktime.model.budget.Watch", Recording)
    if module is not closing:  # which comes last, when much is given back
        monkeypatch.setattr(closing, "LINE_BYTES", 0)
    for times in (1, 10):
        monkeypatch.setattr(module, constant, times * getattr(module, constant))
        with as_written(), watched(Budget(None, None)) as watch:
            simulate(scenario.system, scenario.workload)
        assert isinstance(watch, Recording)
        counted.append((watch.work, watch.most))
    grown = [counted[1][of] > counted[0][of] for of in (0, 1)]
    assert grown == [constant.endswith("_NS"), constant.endswith("_BYTES")]
