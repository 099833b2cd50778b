"""A sweep from its axes to its table: the same rows whoever works, kept, resumed, and paired with the base."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blocktime.model.errors import SpecError
from blocktime.model.measures import MEASURES, measures_of
from blocktime.scenarios import load, run
from blocktime.scenarios.load import source_of
from blocktime.scenarios.sweeps import answers as module_of_answers
from blocktime.scenarios.sweeps import sweep as module
from blocktime.scenarios.sweeps import sweep_run as module_of_run
from blocktime.scenarios.sweeps.executors import ThisProcess
from blocktime.scenarios.sweeps.ledger import Ledger
from blocktime.scenarios.sweeps.points import Points, version_of_model
from blocktime.scenarios.sweeps.rows import Rows
from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend, plan_of, sweep, sweeping, whole_table
from blocktime.scenarios.sweeps.sweep_plan import Faults, Plan
from blocktime.scenarios.sweeps.sweep_run import Running

QUEUE = (
    "disk.use=nvme", "host.scheduler=none", "workload.kind=read_stream", "workload.path=direct",
    "workload.pattern=random", "workload.count=300",
)  # fmt: skip
ALONE = (
    *QUEUE[1:],
    "disk.use=linear",
    "disk.parallel_requests=1",
    "host.max_request_bytes=8K",
    "workload.block_size_bytes=8K",
)
"""A queue whose simulations are summed up together."""


def planned(name: str, vary: Sequence[str], settings: Sequence[str] = (), **how: Any) -> Plan:
    return plan_of(name, vary, settings=settings, **how)


def rows_of(plan: Plan, folder: Path) -> dict[str, Any]:
    with sweeping(plan, SweepBackend(workers=1, store=folder)) as rows:
        return whole_table(rows)


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two tables are equal to the last bit."""
    return one.keys() == other.keys() and all(
        np.asarray(one[name]).tobytes() == np.asarray(other[name]).tobytes()
        if isinstance(one[name], np.ndarray)
        else one[name] == other[name]
        for name in one
    )


def test_replications_by_column_are_those_one_by_one() -> None:
    """Each has a seed of its own, the one that ``run`` has for it."""
    asked = module_of_answers.SweepTask(Points(source_of("rahn-full-scan", ALONE), ["workload.rate_per_s"]), 5)
    places = np.arange(4)
    items = module_of_answers.Items(places // 2, places % 2, {"workload.rate_per_s": [900.0, 900.0, 2000.0, 2000.0]})
    found = module_of_answers.answers(asked, items)
    assert not found.errors
    assert len({answer.row.tobytes() for answer in found}) == 4
    for answer, item in zip(found, items, strict=True):
        (alone,) = module_of_answers.answers(asked, [item])
        assert (answer.row.tobytes(), answer.method) == (alone.row.tobytes(), alone.method)


SCAN = ["tablespace.block_size_bytes=4K,8K,16K", "instance.db_file_multiblock_read_count=4,8"]
MIXED = ["workload.users=1,3", "disk.use=sas-15k,nvme", "table.rows=20000,50000"]


@pytest.mark.parametrize(
    ("name", "vary", "settings"),
    [
        ("rahn-full-scan", SCAN, ()),
        ("rahn-full-scan", MIXED, ()),
        ("rahn-pctfree-16k-10", ["table.pctfree_percent=10,35"], ("table.rows=5000",)),
        ("savvinov-lio-priced", ["table.pctfree_percent=0,50"], ()),
        ("shallahamer-pread", ["workload.rate_per_s=1000:4000:3"], QUEUE),
        ("tpc-b", ["workload.users=2,5"], ("workload.transactions=200",)),
    ],
)
def test_each_row_is_what_run_answers(name: str, vary: list[str], settings: tuple[str, ...], tmp_path: Path) -> None:
    plan = planned(name, vary, settings)
    table = rows_of(plan, tmp_path)
    for place, values in enumerate(plan.values(0, len(plan))):
        alone = run(load(name, [*settings, *(f"{key}={value}" for key, value in values.items())]))
        expected = measures_of(alone)
        assert alone.method.startswith(table["method"][place])
        for measure in MEASURES:
            found = table[measure][place] if measure in table else math.nan
            assert found == pytest.approx(expected.get(measure, math.nan), rel=1e-9, nan_ok=True), measure
        assert [table[key][place] for key in values] == list(values.values())


def test_a_second_run_answers_nothing_and_gives_the_same(tmp_path: Path) -> None:
    heard: list[Running] = []

    class Ear(Listener):
        def planned(self, running: Running, notes: Sequence[str]) -> None:
            heard.append(running)

    tables = []
    for _ in range(2):
        with sweeping(planned("rahn-full-scan", MIXED), SweepBackend(workers=1, store=tmp_path), Ear()) as rows:
            tables.append(whole_table(rows))
    assert heard[0].outcome.reused == 0
    assert heard[0].outcome.answered == 8
    assert (heard[1].outcome.reused, heard[1].outcome.answered, heard[1].unknown) == (8, 0, 0)
    assert same(*tables)


@pytest.mark.parametrize(
    ("own_s", "each_s", "sizes"),
    [(0.0, 0.01, [32, 100, 100]), (0.2, 0.01, [4, 128, 180]), (4.0, 1.0, [2, 4]), (0.0, 5.0, [2, 1]),
     (0.05, 4e-5, [19, 608, 19_456, 23_750])],
)  # fmt: skip
def test_chunks_take_a_second_or_so_much_that_little_of_it_is_their_own(
    own_s: float, each_s: float, sizes: list[int], tmp_path: Path
) -> None:
    with Ledger(tmp_path, version_of_model()) as ledger:
        running = Running(planned("rahn-full-scan", SCAN), ledger)
    running._learn(1, own_s + each_s, are_played=False)
    chosen = []
    for _ in sizes:
        chosen.append(running._chunk(1, running.outcome.left))
        running._learn(chosen[-1], own_s + chosen[-1] * each_s, are_played=False)
    assert chosen == pytest.approx(sizes, rel=0.05)
    assert running._chunk(3, 120) <= max(20, 0.011 / each_s)


def test_an_extended_sweep_reuses_what_it_has(tmp_path: Path) -> None:
    rows_of(planned("rahn-full-scan", ["table.rows=20000,50000"]), tmp_path)
    with Ledger(tmp_path, version_of_model()) as ledger:
        longer = Running(planned("rahn-full-scan", ["table.rows=20000,30000,50000"]), ledger)
        assert longer.outcome.reused == 2
        # an answer by arrays may differ in its last digit from one by others, so those are kept apart
        crossed = Running(planned("rahn-full-scan", ["table.rows=20000", "workload.users=1,2"]), ledger)
        assert crossed.outcome.reused == 0
        other_seed = Running(planned("rahn-full-scan", ["table.rows=20000,50000"], seed=7), ledger)
        assert other_seed.outcome.reused == 0


def test_a_sweep_that_is_interrupted_keeps_what_it_had_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module_of_run, "MOST_IN_A_CHUNK", 3)

    def plan() -> Plan:
        return planned("shallahamer-pread", ["workload.rate_per_s=1000:4000:12"], QUEUE)

    class Halting(ThisProcess):
        def map(self, work: Any, chunks: Any) -> Any:
            for number, answers in super().map(work, chunks):
                if number == 2:
                    raise KeyboardInterrupt
                yield number, answers

    with Ledger(tmp_path, version_of_model()) as ledger:
        halted = Running(plan(), ledger)
        with pytest.raises(KeyboardInterrupt):
            halted.run(Halting())
    with Ledger(tmp_path, version_of_model()) as ledger:
        again = Running(plan(), ledger)
        assert again.outcome.reused == halted.outcome.answered > 0
        again.run(ThisProcess())
        whole = whole_table(Rows(again.plan, ledger, again.outcome))
    assert same(whole, rows_of(plan(), tmp_path / "fresh"))


def test_a_point_that_fails_has_its_error_and_the_others_their_rows(tmp_path: Path) -> None:
    plan = planned("tpc-b", ["workload.rate_per_s=5,1e6"], ("workload.users=1", "workload.transactions=100"))
    with sweeping(plan, SweepBackend(workers=1, store=tmp_path)) as rows:
        table = whole_table(rows)
        assert list(rows.outcome.failed) == [1]
    assert table["error"][0] is None
    assert "workload.rate_per_s" in table["error"][1]
    assert table["method"] == ["simulation", None]
    assert np.isnan(table["elapsed_s"]).tolist() == [False, True]
    with Ledger(tmp_path, version_of_model()) as ledger:
        assert Running(plan, ledger).outcome.reused == 1


def test_all_faults_are_told_at_once_and_nothing_is_run(tmp_path: Path) -> None:
    with pytest.raises(Faults) as fault:
        planned("rahn-full-scan", ["table.pctfree_percent=10,200,-1", "workload.users=1,2"])
    said = "\n".join(fault.value.lines)
    assert "4 of 6 points" in said
    assert "got 200" in said
    assert "got -1" in said
    assert "(2 points)" in said
    with pytest.raises(Faults, match=r"did you mean pctfree_percent.*disk.oops"):
        planned("rahn-full-scan", ["table.pctfre_percent=10,20", "disk.oops=1"])


def test_more_answers_than_allowed_are_refused_with_their_number() -> None:
    with pytest.raises(SpecError, match=r"2,000,000 points .*100,000 .*--limit 2000000"):
        planned("rahn-full-scan", ["table.rows=1:2000:2000", "disk.overhead_s=0.001:0.002:1000"])
    with pytest.raises(SpecError, match=r"10 points × 20 replications .*limit 200"):
        planned("rahn-full-scan", ["table.rows=1:2000:10"], replications=20, limit=100)


def test_conditions_leave_points_out_before_they_are_checked() -> None:
    plan = planned(
        "rahn-full-scan",
        ["table.pctfree_percent=10,50,200", "workload.users=1,2"],
        where=["table.pctfree_percent <= 99", "2 * workload.users < host.cpus"],
    )
    assert [tuple(values.values()) for values in plan.values(0, 10)] == [(10, 1), (50, 1)]
    assert plan.said() == "2 points (4 more are left out by where)"
    one = planned("rahn-full-scan", ["workload.users=1,2"], where=["workload.users == 2"])
    assert one.said() == "1 point (1 more is left out by where)"


def test_replications_give_intervals_and_pairs_narrow_them(tmp_path: Path) -> None:
    plan = planned(
        "shallahamer-pread", ["workload.rate_per_s=1500,3000"], ("workload.rate_per_s=1500", *QUEUE), replications=6
    )
    table = rows_of(plan, tmp_path)
    assert (table["elapsed_low_s"] < table["elapsed_s"]).all()
    assert (table["elapsed_high_s"] > table["elapsed_s"]).all()
    # the first point is the base: the same seeds give the same times, so the difference is nothing, and surely so
    for name in ("elapsed_change_s", "elapsed_change_low_s", "elapsed_change_high_s"):
        assert table[name][0] == 0
    assert table["elapsed_change_high_s"][1] < 0
    singles = [
        run(load("shallahamer-pread", [*QUEUE, "workload.rate_per_s=3000"]), seed=seed).time.elapsed_s
        for seed in range(1, 7)
    ]
    assert table["elapsed_s"][1] == pytest.approx(np.mean(singles), rel=1e-9)


def test_the_store_may_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "usual_folder", lambda: pytest.fail("the store was asked for"))
    found = sweep("rahn-full-scan", ["workload.arraysize_rows=10,100"], at=SweepBackend(workers=1, keep=False))
    assert found["elapsed_s"][0] > found["elapsed_s"][1]


def test_the_library_s_sweeps_are_what_their_titles_ask(tmp_path: Path) -> None:
    table = sweep("block-size-mbrc", at=SweepBackend(workers=1, keep=False))
    assert len(table["point"]) == 37
    assert (
        max(
            size * many
            for size, many in zip(
                table["tablespace.block_size_bytes"], table["instance.db_file_multiblock_read_count"], strict=True
            )
        )
        == 2**20
    )


def test_a_transaction_is_reused_whatever_else_varies(tmp_path: Path) -> None:
    short = ("workload.transactions=100",)
    rows_of(planned("tpc-b", ["workload.users=1,2"], short), tmp_path)
    with Ledger(tmp_path, version_of_model()) as ledger:
        more = ["workload.users=2", "disk.use=sas-15k,nvme", "instance.sessions=170,200"]
        assert Running(planned("tpc-b", ["workload.users=2,3"], short), ledger).outcome.reused == 1
        crossed = Running(planned("tpc-b", more[:1], (*short, "instance.sessions=170")), ledger)
        assert crossed.outcome.reused in (0, 1)


def test_equal_points_are_answered_once_and_share_their_error(tmp_path: Path) -> None:
    plan = planned("tpc-b", ["workload.rate_per_s=5,1e6,5,1000000"], ("workload.transactions=100",))
    with sweeping(plan, SweepBackend(workers=1, store=tmp_path)) as rows:
        table = whole_table(rows)
        assert rows.outcome.answered == 2
        assert sorted(rows.outcome.failed) == [1, 3]
    assert table["elapsed_s"][0] == table["elapsed_s"][2]
    assert table["error"][1] == table["error"][3]


def test_the_last_digit_does_not_depend_on_what_the_store_held(tmp_path: Path) -> None:
    vary = ["table.pctfree_percent=0,10", "disk.overhead_s=1us,2us", "instance.sessions=1,170"]
    fresh = rows_of(planned("full-scan-nvme", vary), tmp_path / "fresh")
    point = ("table.pctfree_percent=10", "disk.overhead_s=2us", "instance.sessions=170")
    rows_of(planned("full-scan-nvme", ["disk.use=nvme"], point), tmp_path / "used")
    rows_of(planned("full-scan-nvme", vary[:1], point[1:]), tmp_path / "used")
    assert same(rows_of(planned("full-scan-nvme", vary), tmp_path / "used"), fresh)


def test_programs_beside_each_other_are_played_one_by_one(tmp_path: Path) -> None:
    """The first is a statement, which arrays would answer alone."""
    beside = 'workload.beside=[{kind="read_stream", path="direct", count=20}]'
    table = rows_of(planned("full-scan-nvme", ["table.rows=10_000,20_000"], [beside]), tmp_path)
    alone = [run(load("full-scan-nvme", [beside, f"table.rows={rows}"])) for rows in (10_000, 20_000)]
    assert table["elapsed_s"].tolist() == [result.time.elapsed_s for result in alone]
    assert all(result.programs for result in alone)


def test_a_condition_sees_what_a_catalog_entry_brings(tmp_path: Path) -> None:
    plan = planned("full-scan-nvme", ["disk.use=sas-15k,nvme,sata-7k2"], where=["disk.average_seek_s == 0"])
    assert [values["disk.use"] for values in plan.values(0, 3)] == ["nvme"]


def test_a_release_is_no_number_in_a_condition() -> None:
    with pytest.raises(Faults, match=r"5.4.* is not a number"):
        planned("rahn-full-scan", ["host.kernel=5.4,5.15"], where=["host.kernel < 5.10"])


def test_an_unknown_kind_of_workload_is_told_beside_other_axes() -> None:
    with pytest.raises(Faults, match="foo"):
        planned("tpc-b", ["workload.kind=foo", "workload.users=1,2"])


def test_what_the_file_says_of_replications_holds_unless_asked_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'base = "tpc-b"\nreplications = 3\nseed = 7\n[sweep]\nengine = "simulate"\n'
        '[[sweep.axis]]\nkey = "workload.users"\nvalues = [1, 2]\n'
    )
    said = plan_of(str(file)).how
    assert (said.seed, said.replications) == (7, 3)  # and the engine of an earlier version is no fault
    assert plan_of(str(file), replications=1).how.replications == 1


def test_a_store_that_is_damaged_while_rows_are_read_gives_no_empty_rows(tmp_path: Path) -> None:
    plan = planned("rahn-full-scan", ["table.rows=1000,2000"])
    with sweeping(plan, SweepBackend(workers=1, store=tmp_path)) as rows:
        rows.ledger = Ledger(tmp_path / "other", version_of_model())
        with rows.ledger, pytest.raises(SpecError, match="damaged while the answers were read"):
            list(rows.blocks())
