"""Rows that grow, through the public face: where the pathology of document 002 is, and where it is not."""

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from blocktime.model import BlocktimeError, RunResult, System, calculate, calculate_many, simulate
from blocktime.model.demand import demand_of
from blocktime.model.spec import Column, Delete, Index, Insert, Instance, Table, Tablespace, Update
from blocktime.scenarios import from_mapping, load
from tests.whole import quick

N_BYTES = 4.9899
"""Mean bytes of the two NUMBER columns of document 002."""

LONGEST_SENTENCE = 400


def system(
    size: int = 16384,
    pctfree: float = 10,
    column: float = N_BYTES,
    rows: int = 50_000,
    manual: bool = False,
    release: str = "10.2.0.4",
    **table: Any,
) -> System:
    """Two columns, the second of them NULL as yet; table and index are in the cache."""
    columns = (Column(name="N1", bytes=column), Column(name="N2", null_fraction=1.0, bytes=column))
    return System(
        tablespace=Tablespace(block_size_bytes=size, space_management="manual" if manual else "assm"),
        table=Table(rows=rows, pctfree_percent=pctfree, cached_fraction=1.0, columns=columns, **table),
        instance=Instance(release=release),
        index=Index(cached_fraction=1.0),
    )


def update(column: float = N_BYTES, **fields: Any) -> Update:
    return Update(sets=(Column(name="N2", bytes=column),), **fields)


def plain(row: float, rows: int = 20_000, size: int = 8192, **fields: Any) -> System:
    """Rows of one length, and nothing more about them."""
    table = {"pctfree_percent": 10, **fields}
    return System(
        tablespace=Tablespace(block_size_bytes=size),
        table=Table(rows=rows, row_bytes=row, column_count=5, cached_fraction=1.0, **table),
        instance=Instance(release="10.2.0.4"),
    )


def itl_rejections(result: RunResult) -> float:
    return result.space_search.rejected_itl if result.space_search else 0.0


def is_pathological(result: RunResult) -> bool:
    """More than a few rejected probes for each row that moves."""
    return itl_rejections(result) > 10 * max(1.0, result.segment.migrated_rows)


# --- where it is, and where not ---------------------------------------------------------------------------------------


def test_it_is_there_at_16k_and_32k_and_not_below() -> None:
    by_size = {size: calculate(system(size), update()) for size in (2048, 4096, 8192, 16384, 32768)}
    assert [size for size, result in by_size.items() if is_pathological(result)] == [16384, 32768]
    assert itl_rejections(by_size[4096]) == itl_rejections(by_size[8192]) == 0
    assert by_size[16384].time.elapsed_s > 3 * by_size[8192].time.elapsed_s


@pytest.mark.parametrize(
    ("other", "work"),
    [
        ({"manual": True}, {}),
        ({"release": "11.2.0.1"}, {}),
        ({}, {"commit_every_rows": 100}),
        ({"pctfree": 35}, {}),
        ({"size": 4096}, {}),
    ],
    ids=["manual space management", "11.2", "commits", "room to grow", "space binds first"],
)
def test_it_is_gone_where_one_condition_is(other: dict[str, Any], work: dict[str, Any]) -> None:
    result = calculate(system(**other), update(**work))
    assert not is_pathological(result)
    assert itl_rejections(result) <= result.segment.blocks_after
    waited = result.time.wait.get("log file sync")
    commits_s = waited.total_s if waited else 0.0
    assert result.time.elapsed_s - commits_s < 1.5 * calculate(system(8192), update()).time.elapsed_s


@pytest.mark.parametrize("manual", [False, True])
def test_the_same_rows_move_with_and_without_it(manual: bool) -> None:
    before = calculate(system(), update())
    after = calculate(system(release="11.2.0.1", manual=manual), update())
    assert after.segment.migrated_rows == pytest.approx(before.segment.migrated_rows, rel=5e-3)


def moved(piece: int, **fields: Any) -> RunResult:
    """Rows of 9 bytes that grow until their moved piece, with the rowid of its head, has *piece* bytes."""
    table = plain(9, rows=60_000, **fields)
    return calculate(table, Update(growth_bytes=piece - 6 - 9))


def test_at_8k_short_pieces_meet_the_itl_limit_first() -> None:
    """At PCTFREE 10, 169 pieces of 17 bytes fit a block; of 18 bytes only 168 do."""
    assert [piece for piece in range(16, 24) if is_pathological(moved(piece))] == [17]
    assert moved(16).segment.migrated_rows == 0  # PCTFREE has room for one byte more


def test_at_8k_with_pctfree_near_0_longer_ones_do_too() -> None:
    assert is_pathological(moved(21, pctfree_percent=0))
    assert is_pathological(moved(21, pctfree_percent=2))
    assert not is_pathological(moved(24, pctfree_percent=0))


# --- how it grows -----------------------------------------------------------------------------------------------------


def test_rejections_are_quadratic_in_rows_where_it_is() -> None:
    one, two = (calculate(system(rows=rows), update()) for rows in (100_000, 200_000))
    assert itl_rejections(two) == pytest.approx(4 * itl_rejections(one), rel=0.05)


@pytest.mark.parametrize("other", [{"size": 8192}, {"manual": True}, {"release": "11.2.0.1"}])
def test_rejections_are_linear_in_rows_where_it_is_not(other: dict[str, Any]) -> None:
    one, two = (calculate(system(rows=rows, **other), update()) for rows in (100_000, 200_000))
    found = [result.segment.rejected_probes or 0 for result in (one, two)]
    assert found[1] == pytest.approx(2 * found[0], rel=0.05, abs=50)
    assert two.time.elapsed_s == pytest.approx(2 * one.time.elapsed_s, rel=0.05)


def test_several_sessions_move_as_many_rows_with_fewer_rejections() -> None:
    alone = calculate(system(), update())
    for users in (2, 4):
        several = calculate(system(), update(users=users))
        assert several.segment.migrated_rows == pytest.approx(alone.segment.migrated_rows, rel=0.01)
        assert itl_rejections(several) <= 1.02 * itl_rejections(alone)


# --- other shapes of work ---------------------------------------------------------------------------------------------


def blocks_are_conserved(result: RunResult) -> None:
    segment = result.segment
    assert segment.blocks
    for one in segment.blocks:
        for use in filter(None, (one.before, one.after)):
            parts = (use.header_bytes, use.itl_bytes, use.row_bytes, use.stub_bytes, use.moved_bytes, use.free_bytes)
            assert min(parts) >= 0
            assert sum(parts) == pytest.approx(segment.block_size_bytes, abs=1e-6)


def test_rows_beyond_a_block_chain_and_a_block_without_rows_of_its_own_shows_none() -> None:
    result = calculate(plain(100, rows=200, size=2048), Update(growth_bytes=5000))
    assert result.segment.chained_rows == result.segment.migrated_rows == 200
    assert result.segment.blocks_after > 400
    blocks_are_conserved(result)
    assert all(one.after.rows or not one.after.row_bytes for one in result.segment.blocks)
    whole = calculate(plain(100, rows=2000, size=2048), Update(growth_bytes=200))
    assert whole.segment.chained_rows == 0
    blocks_are_conserved(whole)


@pytest.mark.parametrize("work", [update(), update(rows_fraction=0.4), update(order="random"), Delete()])
@pytest.mark.parametrize("size", [4096, 16384])
def test_the_sampled_blocks_are_conserved(size: int, work: Any) -> None:
    blocks_are_conserved(calculate(system(size, rows=20_000), work))


def test_rows_that_move_again_have_their_stubs_re_pointed() -> None:
    once = calculate(plain(20), Update(growth_bytes=30))
    thrice = calculate(plain(20), Update(growth_bytes=30, repeats=3))
    assert once.changes.moved_again == 0
    assert thrice.changes.moved_again > 0
    assert once.segment.migrated_rows <= thrice.segment.migrated_rows <= 20_000
    assert thrice.changes.rows == 60_000
    assert thrice.changes.rows == (thrice.changes.in_place + thrice.changes.migrated + thrice.changes.moved_again)
    blocks_are_conserved(thrice)


@pytest.mark.parametrize("size", [8192, 16384])
def test_random_order_moves_as_many_short_rows(size: int) -> None:
    table, random = (calculate(system(size), update(order=order)) for order in ("table", "random"))
    assert random.segment.migrated_rows == pytest.approx(table.segment.migrated_rows, rel=0.01)
    assert random.segment.blocks_after == pytest.approx(table.segment.blocks_after, rel=0.05)


def test_a_share_of_the_rows_grows_alone() -> None:
    found = [calculate(system(8192), update(rows_fraction=share)) for share in (0.05, 0.2, 0.5, 1.0)]
    assert [result.changes.rows for result in found if result.changes] == [2500, 10_000, 25_000, 50_000]
    moves = [result.segment.migrated_rows for result in found]
    assert moves[0] == 0  # PCTFREE 10 has room for them
    assert moves == sorted(moves)


def test_an_uncommitted_delete_hides_its_space_under_assm_alone() -> None:
    work = Insert(rows=5000, uncommitted_delete_fraction=1.0)
    held = {
        kind: calculate(
            System(
                tablespace=Tablespace(space_management=kind),
                table=Table(rows=20_000, row_bytes=100, cached_fraction=1.0),
            ),
            work,
        ).space_search
        for kind in ("assm", "manual")
    }
    assert held["assm"].rejected_held > 1000
    assert held["manual"].rejected_held <= 1  # the block that was filled last is still on the list


WORKS: list[Any] = [
    update(),
    update(order="random"),
    update(repeats=2),
    update(commit_every_rows=1000),
    Insert(rows=3000),
    Insert(rows=300, method="row"),
    Insert(rows=3000, uncommitted_delete_fraction=0.5),
    Delete(),
    Delete(rows_fraction=0.3, commit_every_rows=500),
]


@pytest.mark.parametrize("manual", [False, True])
@pytest.mark.parametrize("work", WORKS, ids=lambda work: f"{work.kind}")
def test_the_simulation_says_what_the_calculator_says(work: Any, manual: bool) -> None:
    """One session, every block in the cache."""
    there = system(rows=10_000, manual=manual)
    one, other = calculate(there, work), simulate(there, work)
    assert other.time.elapsed_s == pytest.approx(one.time.elapsed_s, rel=1e-6)
    assert other.segment == one.segment
    assert other.changes == one.changes
    assert other.logical_io.current_gets == one.logical_io.current_gets
    if one.space_search:
        assert other.space_search.rejected_itl == one.space_search.rejected_itl
        assert other.space_search.searches == one.space_search.searches


SIZES = (2048, 4096, 8192, 16384, 32768)
SHARES = (0, 1, 2, 5, 10, 15, 20, 30, 34, 35, 36, 40)


def many_and_alone(rows: int, work: Update, **other: Any) -> dict[tuple[int, int], tuple[float, float]]:
    """(block size, PCTFREE) -> elapsed time in closed form, and played."""
    points = [(size, pctfree) for size in SIZES for pctfree in SHARES[:: quick(2, 1)]]
    axes = {
        "tablespace.block_size_bytes": np.array([size for size, _ in points]),
        "table.pctfree_percent": np.array([pctfree for _, pctfree in points]),
    }
    many = calculate_many(system(rows=rows, **other), work, axes)["elapsed_s"]
    alone = [calculate(system(*point, rows=rows, **other), work).time.elapsed_s for point in points]
    return dict(zip(points, zip(many.tolist(), alone, strict=True), strict=True))


def worst(found: dict[tuple[int, int], tuple[float, float]]) -> tuple[float, tuple[int, int]]:
    return max((abs(many / alone - 1), point) for point, (many, alone) in found.items())


@pytest.mark.parametrize("other", [{}, {"manual": True}, {"release": "11.2.0.1"}], ids=["10.2", "manual", "11.2"])
def test_many_at_once_are_within_five_percent_of_each_alone(other: dict[str, Any]) -> None:
    """The worst seen is 2.5 %, at 16K and PCTFREE 20."""
    found = many_and_alone(50_000, update(), **other)
    off, point = worst(found)
    assert off < 0.05, f"{off:.1%} at {point}"


# --- what is refused --------------------------------------------------------------------------------------------------


SHRINKING = Update(sets=(Column(name="N1", bytes=1.0),))
REFUSED = {
    "a row that fits no block": (lambda: calculate(plain(3000, size=2048), Update(growth_bytes=1)), "3,000.* 2048"),
    "growth below nothing": (lambda: Update(growth_bytes=-1), "0"),
    "rows that shrink": (lambda: calculate(system(), SHRINKING), "shorter"),
    "a column that is not there": (lambda: calculate(system(), Update(sets=(Column(name="N3"),))), "N3.* N1"),
    "a column set twice": (lambda: Update(sets=(Column(name="A"), Column(name="a"))), "twice"),
    "columns that are not described": (
        lambda: calculate(System(table=Table(rows=100)), Update(sets=(Column(name="A"),))),
        "columns are not described",
    ),
    "fewer blocks than its rows fill": (
        lambda: calculate(System(table=Table(blocks=10, rows=200_000)), Update(growth_bytes=5)),
        "table.blocks 10",
    ),
    "PCTFREE that leaves nothing": (
        lambda: calculate(plain(100, size=2048, pctfree_percent=99), Update()),
        "pctfree_percent.* 99",
    ),
    "more INITRANS than half a block": (lambda: plain(100, size=2048, initrans=100), "initrans.* 100"),
    "too many rows": (lambda: calculate(plain(20, rows=50_000_001), Update(users=2)), "table.rows.* 50,000,000"),
    "too many with those that come": (
        lambda: calculate(plain(20, rows=49_999_999), Insert(rows=2, users=2)),
        "table.rows",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_contradicts_itself_is_refused_in_one_sentence(what: str) -> None:
    call, words = REFUSED[what]
    with pytest.raises((BlocktimeError, ValidationError), match=words) as error:
        call()
    if not isinstance(error.value, ValidationError):
        assert len(str(error.value).splitlines()) == 1
        assert len(str(error.value)) < LONGEST_SENTENCE


def test_demands_of_an_update_are_those_of_the_played_segment() -> None:
    change = demand_of(system(), update()).change
    assert change.outcome.counts.migrated == change.migrated
    assert change.rows == change.in_place + change.migrated


# --- shares, sessions and repetitions --------------------------------------------------------------------------------


COLD = {"cached_fraction": 0.0}


@pytest.mark.parametrize("users", [1, 2, 8])
@pytest.mark.parametrize(
    "work",
    [
        Update(growth_bytes=5),
        Update(growth_bytes=5, order="random"),
        Update(order="random", rows_fraction=1e-9),
        Delete(),
        Insert(rows=1),
        Insert(rows=500, method="direct"),
    ],
)
def test_simulating_reads_what_is_asked_for(work: Any, users: int) -> None:
    shared = work.model_copy(update={"users": users})
    slow = System(table=Table(rows=60_000, row_bytes=60, **COLD), instance=Instance(release="19.3"))
    asked, played = calculate(slow, shared).physical_io, simulate(slow, shared).physical_io
    assert played.read_blocks == pytest.approx(asked.read_blocks, rel=0.02, abs=2)
    assert played.read_requests * users == pytest.approx(asked.read_requests * users, rel=0.02, abs=2)


@pytest.mark.parametrize("users", [5, 8, 32])
def test_the_last_session_is_not_done_before_the_processors_can_be(users: int) -> None:
    one = calculate(system(16384), update()).time.elapsed_s
    played = simulate(system(16384), update(users=users)).time
    least = users * played.cpu_s / system(16384).host.cpus
    assert played.last_session_s is not None
    assert least * (1 - 1e-9) <= played.last_session_s < one
    assert played.elapsed_s <= played.last_session_s


def test_two_sessions_probe_what_a_third_has_deleted_each_for_itself() -> None:
    table = Table(rows=100_000, row_bytes=100, cached_fraction=1.0)
    with_company = System(table=table, instance=Instance(release="10.2.0.4"))
    alone = calculate(with_company, Insert(rows=4_000, method="row", uncommitted_delete_fraction=1.0)).space_search
    both = calculate(
        with_company, Insert(rows=4_000, method="row", uncommitted_delete_fraction=1.0, users=2)
    ).space_search
    # each begins at another block, so one of them passes fewer of those on offer
    assert alone.rejected_held / 2 <= both.rejected_held <= alone.rejected_held


@pytest.mark.parametrize(
    ("work", "off"),
    [
        (update(commit_every_rows=100), 0.01),
        (update(commit_every_rows=10_000), 0.05),
        (update(commit_every_rows=100_000), 0.15),
        (update(rows_fraction=0.3), 0.05),
        (Insert(rows=10_000, uncommitted_delete_fraction=0.1), 0.05),
        (Insert(rows=10_000, uncommitted_delete_fraction=0.6), 0.05),
        (Insert(rows=10_000, method="direct"), 0.01),
        (Delete(), 0.01),
    ],
)
def test_the_closed_form_away_from_one_transaction(work: Any, off: float) -> None:
    asked = system(16384)
    many = calculate_many(asked, work, {"table.pctfree_percent": np.array([10.0, 10.0])})
    assert many["elapsed_s"][0] == pytest.approx(calculate(asked, work).time.elapsed_s, rel=off)


@pytest.mark.parametrize(("growth", "fraction"), [(300, 0.02), (1500, 0.01), (60, 0.5), (7, 0.9)])
def test_the_pctfree_advised_for_a_share_of_the_rows_is_enough(growth: int, fraction: float) -> None:
    work = Update(growth_bytes=growth, rows_fraction=fraction)
    before = calculate(plain(100, rows=20_000), work).segment
    needed = before.pctfree_needed_percent
    assert needed is not None
    assert needed < 100
    enough = System(table=Table(rows=20_000, row_bytes=100, pctfree_percent=needed, cached_fraction=1.0))
    assert calculate(enough, work).segment.migrated_rows == 0


def test_repeated_runs_are_several_executions_of_the_same_rows() -> None:
    found = calculate(system(8192), update(repeats=3))
    assert found.changes.table_rows == 50_000
    assert found.changes.rows == 150_000
    assert found.calls["execute"].count == 3
    assert found.segment.migrated_rows <= found.changes.table_rows


def test_visits_at_random_read_again_what_the_cache_has_lost() -> None:
    table = Table(rows=200_000, row_bytes=100, **COLD)
    work = Update(growth_bytes=1, order="random")
    reads = [
        calculate(
            System(table=table, instance=Instance(buffer_cache_bytes=size), index=Index(cached_fraction=1.0)), work
        ).physical_io.read_blocks
        for size in (2**30, 2**24, 2**22)
    ]
    blocks = calculate(System(table=table), work).segment.blocks_before
    assert reads[0] == pytest.approx(blocks, rel=0.01)
    assert reads[0] < reads[1] < reads[2] < table.rows


@pytest.mark.parametrize("engine", [calculate, simulate])
@pytest.mark.parametrize("name", ["rahn-pctfree-2k-10", "rahn-pctfree-8k-10", "rahn-pctfree-8k-35"])
def test_an_update_gets_each_row_twice_more_where_it_migrates(engine: Any, name: str) -> None:
    """Its own block; where it moves to and the bitmap block that says so; and each block that has no room."""
    asked = load(name, ["table.rows=1000"])
    result = engine(asked.system, asked.workload)
    changes = result.changes
    wanted = 1000 + 2 * changes.migrated + result.segment.rejected_probes
    assert result.logical_io.current_gets == wanted


@pytest.mark.parametrize("engine", [calculate, simulate])
@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "update", "order": order, "growth_bytes": growth, "users": users, "commit_every_rows": commits}
        for order in ("table", "random")
        for growth in (0, 3000)
        for users in (1, 3)
        for commits in (0, 7)
    ]
    + [{"kind": "delete"}],
)
def test_a_share_of_no_row_changes_nothing(engine: Any, fields: dict[str, Any]) -> None:
    asked = from_mapping({"table": {"rows": 900}, "workload": {**fields, "rows_fraction": 1e-7}})
    found = engine(asked.system, asked.workload)
    assert found.changes.rows == found.changes.migrated == 0
    assert found.logical_io.current_gets == 0
    assert found.time.elapsed_s > 0
