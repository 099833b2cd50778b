"""Sessions that change one table meet in simulated time: in its blocks, their ITL lists, its rows and its buffers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model import simulate
from blocktime.model.causes import BUFFER_BUSY, ITL_ENTRY, ROW_LOCK
from blocktime.model.demand.heap_run import heap_rules
from blocktime.model.demand.row_changes import is_mended, lengths_of
from blocktime.model.demand.row_turns import NEW, Turn
from blocktime.model.errors import OutsideLaw
from blocktime.model.machine.segment.extent_map import high_water_steps
from blocktime.model.results import RunResult
from blocktime.model.workloads.statements import shared_segment
from blocktime.scenarios import from_mapping
from tests.oracles.heap_literal import LiteralHeap


def scenario(
    kind: str, *, block: str = "8K", cpus: int = 8, table: Any = None, change: str = "12us", **work: Any
) -> Any:
    return from_mapping(
        {
            "disk": {"use": "nvme"},
            "host": {"cpus": cpus, "change_block_s": change},
            "instance": {"release": "10.2.0.4", "buffer_cache_bytes": "1G"},
            "tablespace": {"block_size_bytes": block},
            "table": {"rows": 4000, "row_bytes": 100, "cached_fraction": 1.0, **(table or {})},
            "workload": {"kind": kind, **work},
        }
    )


def run(kind: str, **asked: Any) -> RunResult:
    given_ = scenario(kind, **asked)
    return simulate(given_.system, given_.workload, seed=1)


def waited_s(result: RunResult, event: str) -> float:
    return result.time.wait[event].total_s if event in result.time.wait else 0.0


@pytest.mark.parametrize("users", [2, 5])
@pytest.mark.parametrize(
    ("kind", "work"), [("update", {"growth_bytes": 60}), ("delete", {"rows_fraction": 0.5}), ("insert", {"rows": 900})]
)
def test_sessions_of_disjoint_rows_change_together_what_one_session_changes(
    kind: str, work: dict[str, Any], users: int
) -> None:
    alone, several = run(kind, **work), run(kind, users=users, **work)
    assert alone.changes is not None
    assert several.changes is not None
    for name in ("rows", "in_place", "migrated", "moved_again"):
        assert getattr(several.changes, name) == getattr(alone.changes, name), name
    assert several.time.wait.keys() == alone.time.wait.keys()  # nobody wants what another one has


def test_the_second_of_two_updates_of_the_same_rows_ends_not_before_the_first_commits() -> None:
    result = run("update", growth_bytes=0, beside=[{"kind": "update", "growth_bytes": 0}])
    first, second = result.programs
    assert first.elapsed_s is not None
    assert second.elapsed_s is not None
    assert first.elapsed_s == pytest.approx(first.alone.elapsed_s)
    assert second.elapsed_s == pytest.approx(first.elapsed_s + second.alone.elapsed_s, rel=1e-3)
    assert second.waits[ROW_LOCK].waits == 1
    assert second.waits[ROW_LOCK].total_s == pytest.approx(first.elapsed_s, rel=1e-3)
    assert any(ROW_LOCK in because for because in second.because)


def test_an_update_does_not_change_rows_that_a_delete_before_it_has_taken() -> None:
    result = run("delete", rows_fraction=0.25, beside=[{"kind": "update", "growth_bytes": 0, "begin_s": 1e-4}])
    assert result.programs[1].waits[ROW_LOCK].waits == 1
    update = run("update", growth_bytes=0, beside=[{"kind": "delete", "rows_fraction": 0.25, "begin_s": 60.0}])
    assert update.changes.rows == 4000  # the delete comes after it


def test_rows_of_tables_of_their_own_are_nobody_elses() -> None:
    own = {"rows": 4001, "row_bytes": 100, "cached_fraction": 1.0}
    result = run("update", growth_bytes=0, beside=[{"kind": "update", "growth_bytes": 0, "table": own}])
    assert ROW_LOCK not in result.programs[1].waits


def one_block(**work: Any) -> RunResult:
    """A table of one block that is full: two ITL entries, and no room for a third."""
    table = {"rows": 79, "row_bytes": 100.0, "pctfree_percent": 0, "created_by": "insert"}
    return run("update", table=table, order="random", growth_bytes=0, **work)


def test_the_third_session_in_a_full_block_waits_for_an_itl_entry() -> None:
    two, three = one_block(users=2), one_block(users=3)
    assert two.segment is not None
    assert waited_s(two, ITL_ENTRY) == 0.0
    assert three.time.wait[ITL_ENTRY].waits == pytest.approx(1 / 3)
    last_s, mean_s = three.time.last_session_s, three.time.elapsed_s
    assert last_s is not None
    each_s = three.time.cpu_s
    assert last_s >= 2 * each_s  # it begins its changes when one of the others has committed
    assert mean_s < last_s


def test_more_initrans_spares_the_wait_for_an_itl_entry() -> None:
    table = {"rows": 70, "row_bytes": 100.0, "pctfree_percent": 0, "initrans": 3}
    assert waited_s(run("update", table=table, order="random", growth_bytes=0, users=3), ITL_ENTRY) == 0.0


def test_sessions_that_wait_for_each_other_are_told_in_one_sentence() -> None:
    beside = [{"kind": "update", "growth_bytes": 0}]
    with pytest.raises(OutsideLaw, match=r"sessions 1 and \d wait for each other .*ORA-00060"):
        run("update", change="40us", order="random", growth_bytes=0, beside=beside)


def test_who_wants_rows_that_nobody_gives_back_is_told() -> None:
    beside = [{"kind": "insert", "rows": 10, "uncommitted_delete_fraction": 0.5}]
    with pytest.raises(OutsideLaw, match=r"workload\.uncommitted_delete_fraction.*never commits"):
        run("update", growth_bytes=0, beside=beside)


def test_sessions_that_change_one_block_at_once_wait_for_its_buffer() -> None:
    result = one_block(users=2)
    assert result.time.wait[BUFFER_BUSY].waits > 0
    assert waited_s(result, BUFFER_BUSY) < result.time.elapsed_s / 2
    apart = run("update", growth_bytes=0, users=2)
    assert waited_s(apart, BUFFER_BUSY) == 0.0


Log = list[tuple[str, int, Turn | None]]


def logged(monkeypatch: pytest.MonkeyPatch, asked: Any) -> tuple[RunResult, Log, Any]:
    """A simulated run, the changes and commits in the order of simulated time, and its segment."""
    log: Log = []
    segments = []
    make, commit = shared_segment.make, shared_segment.SharedSegment.commit

    def note_turn(heap: Any, session: int, work: Any, turn: Turn, lengths: Any) -> None:
        log.append((work.kind, session, turn))
        make(heap, session, work, turn, lengths)

    def note_commit(segment: Any, session: int) -> None:
        segments.append(segment)
        log.append(("commit", session, None))
        commit(segment, session)

    monkeypatch.setattr(shared_segment, "make", note_turn)
    monkeypatch.setattr(shared_segment.SharedSegment, "commit", note_commit)
    result = simulate(asked.system, asked.workload, seed=1)
    return result, log, segments[0]


@pytest.mark.parametrize(
    ("kind", "work"),
    [
        ("update", {"growth_bytes": 6, "users": 2}),
        ("update", {"growth_bytes": 6, "users": 3, "commit_every_rows": 100}),
        ("insert", {"rows": 300, "method": "array", "arraysize_rows": 20, "users": 2}),
    ],
)
def test_bug_6918210_with_two_sessions_is_played_probe_by_probe(
    monkeypatch: pytest.MonkeyPatch, kind: str, work: dict[str, Any]
) -> None:
    """What one session has filled the other probes: the same changes, row by row without shortcuts, count the same."""
    table = {"rows": 4000, "row_bytes": 9, "pctfree_percent": 10, "created_by": "insert"}
    asked = scenario(kind, block="16K", table=table, **work)
    result, log, shared = logged(monkeypatch, asked)
    system = asked.system
    space, (length, grows, _) = system.tablespace, lengths_of(system, asked.workload)
    rules = heap_rules(space, system.table, is_mended(system))
    literal = LiteralHeap(rules, high_water_steps(space.block_size_bytes, rules.assm, None), shared.heap.sessions)
    literal.insert(0, system.table.rows, length)
    literal.commit(0)
    literal.reconnect()
    before = replace(literal.counts)
    for what, session, turn in log:
        if turn is None:
            literal.commit(session)
        elif turn[0] == NEW:
            literal.insert(session, turn[2], length, asked.workload.rows_a_call)
        else:
            literal.update(session, *turn, grows)
        assert what in ("commit", kind)
    counts = rules.since(literal.counts, before)
    assert result.space_search is not None
    for name in ("searches", "rejected_itl", "rejected_space", "rejected_held"):
        assert getattr(result.space_search, name) == getattr(counts, name), name
    assert len({session for _, session, _ in log}) == asked.workload.users
    if kind == "update" and not asked.workload.commit_every_rows:
        assert counts.rejected_itl > 0


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    asked_kind=st.sampled_from(["update", "delete", "insert"]),
    beside=st.sampled_from(["", "update", "delete", "insert"]),
    sessions=st.tuples(st.integers(2, 4), st.sampled_from([1, 4])),
    segment=st.tuples(st.sampled_from([0, 10, 40]), st.sampled_from(["assm", "manual"])),
    changes=st.tuples(st.sampled_from([0, 1, 7, 100]), st.sampled_from(["table", "random"])),
)
def test_books_balance_whoever_meets(
    asked_kind: str, beside: str, sessions: tuple[int, int], segment: tuple[int, str], changes: tuple[int, str]
) -> None:
    """The time of the mean session is the sum of its parts, and rows are changed once for each who wants them."""
    (users, cpus), (pctfree, management), (commits, order) = sessions, segment, changes
    kind = asked_kind
    work: dict[str, Any] = {"users": users, "commit_every_rows": commits}
    work |= {"update": {"growth_bytes": 40, "order": order}, "insert": {"rows": 200}}.get(kind, {})
    if beside:
        work["beside"] = [{"kind": beside} | ({"rows": 100} if beside == "insert" else {})]
    table = {"rows": 500, "row_bytes": 100, "cached_fraction": 1.0, "pctfree_percent": pctfree}
    asked = from_mapping(
        {
            "disk": {"use": "nvme"},
            "host": {"cpus": cpus},
            "tablespace": {"space_management": management},
            "table": table,
            "workload": {"kind": kind, **work},
        }
    )
    try:
        result = simulate(asked.system, asked.workload, seed=3)
    except OutsideLaw as deadlock:
        assert "wait for each other" in str(deadlock)  # noqa: PT017  (most have an answer)
        return
    time = result.time
    waits = sum(event.total_s for event in time.wait.values())
    assert time.elapsed_s == pytest.approx(time.cpu_s + waits + time.unaccounted_s, rel=1e-6)
    assert result.segment is not None
    changed = result.changes.rows
    assert changed == (200 if kind == "insert" else 500) or (beside == "delete" and changed < 500)


def test_books_close_where_another_has_deleted_all_rows() -> None:
    """An update in random order comes to rows that are gone, and still has to look for them."""
    table = {"rows": 500, "row_bytes": 100, "cached_fraction": 1.0, "pctfree_percent": 0}
    work = {"users": 2, "commit_every_rows": 0, "growth_bytes": 40, "order": "random"}
    found = run("update", cpus=1, table=table, beside=[{"kind": "delete"}], **work)
    assert found.changes is not None
    assert found.changes.rows == 0
    assert found.time.cpu["row access"] > 0
