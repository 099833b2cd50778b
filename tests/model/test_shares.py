"""Sessions that share a segment: each reads its part, and all together what the segment has, cut at their borders."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from blocktime.model import RunResult, calculate, calculate_many, simulate
from blocktime.model.closing import check_books
from blocktime.model.errors import BooksDoNotBalance
from blocktime.model.laws.extents import Run, segment_shape
from blocktime.model.laws.scan_reads import Piece, buffered_pieces, pieces_of_part, reads_added_by_cuts
from blocktime.model.machine.segment.extent_map import Extent, lay_out, part_of, reads_of, uncached_reads_of
from blocktime.model.measures import measures_of
from blocktime.model.spec import Delete, Disk, FullScan, Import, Insert, Instance, System, Table, Tablespace, Update
from blocktime.model.units import MIB
from tests.whole import quick

BLOCK_SIZES = [2048, 4096, 8192, 16384, 32768]
MOST_USERS = 255


@st.composite
def segments(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "data_blocks": draw(st.integers(1, 300) | st.integers(1, 30_000)),
        "block_size_bytes": draw(st.sampled_from(BLOCK_SIZES)),
        "assm": draw(st.booleans()),
        "uniform_extent_bytes": draw(st.sampled_from([None, None, MIB, 8 * MIB])),
        "release_11_2": draw(st.booleans()),
    }


def bounds(blocks: int, parts: int) -> list[tuple[int, int]]:
    return [(blocks * rank // parts, blocks * (rank + 1) // parts) for rank in range(parts)]


def literal_reads(extents: list[Extent], parts: int, mbrc: int) -> int:
    blocks = sum(extent.data for extent in extents)
    return sum(
        1
        for begin, end in bounds(blocks, parts)
        for _ in reads_of(part_of(extents, begin, end), mbrc=mbrc, window_blocks=None)
    )


def whole(runs: list[Run], mbrc: int, cached: float = 0.0) -> list[Piece]:
    return [
        Piece(piece.blocks, piece.count * run.count)
        for run in runs
        for piece in buffered_pieces(run.blocks, mbrc, cached)
    ]


def reads(pieces: list[Piece]) -> float:
    return float(sum(piece.count for piece in pieces))


def blocks_of(pieces: list[Piece]) -> float:
    return float(sum(piece.blocks * piece.count for piece in pieces))


# --- the law and the literal parts ------------------------------------------------------------------------------------


@given(segments(), st.integers(1, MOST_USERS))
def test_parts_hold_each_block_once_and_in_order(segment: dict[str, Any], parts: int) -> None:
    extents = lay_out(**segment)
    together = [
        extent.first + extent.lead + offset
        for begin, end in bounds(segment["data_blocks"], parts)
        for extent in part_of(extents, begin, end)
        for offset in range(extent.data)
    ]
    assert together == [e.first + e.lead + offset for e in extents for offset in range(e.data)]


@settings(max_examples=200)
@given(segments(), st.integers(1, MOST_USERS), st.integers(1, 128))
def test_a_cut_adds_a_read_at_most(segment: dict[str, Any], parts: int, mbrc: int) -> None:
    extents, shape = lay_out(**segment), segment_shape(**segment)
    alone, together = reads(whole(shape.runs, mbrc)), literal_reads(extents, parts, mbrc)
    added = reads_added_by_cuts(shape.runs, parts, mbrc)
    assert alone <= together <= min(alone + parts - 1, segment["data_blocks"])
    assert -1e-9 <= added <= min(parts - 1, segment["data_blocks"] - alone) + 1e-6
    # where cuts fall is chance to the law: so few reads may be all whole or all cut
    assert alone + added == pytest.approx(together, abs=1 + 0.8 * (parts - 1))


def test_the_law_is_the_mean_over_where_the_cuts_fall() -> None:
    """Over segments of all lengths, so that cuts fall anywhere; 5 % each where there are some hundred reads."""
    law, literal = 0.0, 0
    for size in BLOCK_SIZES:
        for blocks in range(20_000, 60_000, quick(2474, 1237)):
            for parts in (2, 7, 50, 200):
                where = {"block_size_bytes": size, "assm": True, "uniform_extent_bytes": None}
                extents = lay_out(blocks, release_11_2=True, **where)  # type: ignore[arg-type]
                shape = segment_shape(blocks, release_11_2=True, **where)  # type: ignore[arg-type]
                found = literal_reads(extents, parts, MIB // size)
                expected = reads(whole(shape.runs, MIB // size)) + reads_added_by_cuts(shape.runs, parts, MIB // size)
                assert expected == pytest.approx(found, rel=0.05)
                law, literal = law + expected, literal + found
    assert law == pytest.approx(literal, rel=0.002)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=4), st.integers(1, 12))
def test_parts_of_one_block_read_it_each(lengths: list[int], mbrc: int) -> None:
    runs = [Run(0, length, 1) for length in lengths]
    blocks = sum(lengths)
    alone = reads(whole(runs, mbrc))
    for parts in (blocks, blocks + 1, 10 * blocks):
        assert alone + reads_added_by_cuts(runs, parts, mbrc) == pytest.approx(blocks)


@settings(max_examples=200)
@given(segments(), st.integers(1, MOST_USERS), st.integers(1, 128), st.sampled_from([0.0, 0.01, 0.3, 0.9, 1.0]))
def test_a_part_reads_its_share_of_the_blocks(segment: dict[str, Any], parts: int, mbrc: int, cached: float) -> None:
    runs = segment_shape(**segment).runs
    every = whole(runs, mbrc, cached)
    part = pieces_of_part(every, runs, parts, mbrc, cached)
    assert blocks_of(part) * parts == pytest.approx(blocks_of(every), rel=1e-9, abs=1e-9)
    assert reads(part) * parts >= reads(every) * (1 - 1e-9)
    assert reads(part) <= blocks_of(part) * (1 + 1e-9) + 1e-12
    assert all(piece.count >= 0 for piece in part)
    if parts == 1:
        assert part == every


@settings(max_examples=200)
@given(segments(), st.integers(1, 60), st.integers(2, 4), st.integers(1, 128))
def test_parts_of_parts_take_more_reads_and_each_fewer(
    segment: dict[str, Any], parts: int, more: int, mbrc: int
) -> None:
    """Parts again cut; other numbers may do with fewer reads, where a part is a multiple of MBRC."""
    segment["data_blocks"] -= segment["data_blocks"] % (parts * more)
    assume(segment["data_blocks"])
    runs = segment_shape(**segment).runs
    fewer, many = (pieces_of_part(whole(runs, mbrc), runs, n, mbrc, 0) for n in (parts, parts * more))
    assert reads(many) * more >= reads(fewer) * (1 - 1e-9)
    assert reads(many) <= reads(fewer) * (1 + 1e-9)


@pytest.mark.parametrize("cached", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("parts", [3, 40, 250])
@pytest.mark.parametrize("mbrc", [4, 16, 128])
def test_cuts_among_cached_blocks(cached: float, parts: int, mbrc: int) -> None:
    where: dict[str, Any] = {"block_size_bytes": 8192, "assm": True, "uniform_extent_bytes": None, "release_11_2": True}
    blocks = 30_000
    extents, runs = lay_out(blocks, **where), segment_shape(blocks, **where).runs
    flags: list[bool] = (np.random.default_rng(5).random(blocks) < cached).tolist()

    def reads_between(begin: int, end: int) -> int:
        own = iter(flags[begin:end])
        found = uncached_reads_of(
            part_of(extents, begin, end), mbrc=mbrc, cached_of=lambda many: list(islice(own, many))
        )
        return sum(1 for _ in found)

    found = sum(reads_between(begin, end) for begin, end in bounds(blocks, parts))
    part = pieces_of_part(whole(runs, mbrc, cached), runs, parts, mbrc, cached)
    assert reads(part) * parts == pytest.approx(found, rel=0.05)


# --- both engines and the arrays --------------------------------------------------------------------------------------


def system(size: Any = 8192, rows: int = 120_000, **table: Any) -> System:
    return System(
        tablespace=Tablespace(block_size_bytes=size),
        table=Table(rows=rows, row_bytes=200, **table),
        instance=Instance(release="19.3.0.0"),
        disk=Disk(overhead_s=1e-4, average_seek_s=4e-3, rotation_s=4e-3),
    )


def total_reads(result: RunResult, users: int) -> float:
    return result.physical_io.read_requests * users


@settings(max_examples=quick(20, 40))
@given(
    st.sampled_from(BLOCK_SIZES),
    st.integers(1, MOST_USERS),
    st.sampled_from([Update(growth_bytes=0), Delete()]),
    st.sampled_from([0.0, 0.0, 0.3]),
    st.integers(2_000, 60_000),
)
def test_the_engines_read_alike(size: int, users: int, work: Any, cached: float, rows: int) -> None:
    spec = system(size, rows, cached_fraction=cached)
    shared = work.model_copy(update={"users": users})
    alone, law, played = (run(spec, one) for run, one in ((calculate, work), (calculate, shared), (simulate, shared)))
    few = 1 + 0.3 * (users - 1) * (rows < 20_000)
    noise = 4 * np.sqrt(cached * (1 - cached) * played.segment.blocks_before)
    assert total_reads(played, users) == pytest.approx(total_reads(law, users), rel=0.08, abs=few + noise)
    assert played.physical_io.read_blocks * users == pytest.approx(
        law.physical_io.read_blocks * users, abs=1e-6 + noise
    )
    for result in (law, played):
        assert total_reads(result, users) <= total_reads(alone, 1) + users + noise
    if users == 1:
        assert law.physical_io == alone.physical_io
        if not cached:
            assert played.physical_io == alone.physical_io


@pytest.mark.parametrize(
    ("run", "users"), [(calculate, 1), (calculate, 20), (calculate, 200), (simulate, 1), (simulate, 20)]
)
def test_reads_of_a_share_are_about_as_large_at_all_block_sizes(run: Any, users: int) -> None:
    """Up to 8K blocks the first megabyte lies in extents of 64 KB, and that is all that there is between them."""
    sizes = []
    for size in BLOCK_SIZES:
        io = run(system(size, 500_000), Update(growth_bytes=0, users=users)).physical_io
        sizes.append(io.read_bytes / io.read_requests)
    assert max(sizes) < 1.35 * min(sizes)


def test_arrays_share_as_one_scenario_does() -> None:
    users = [1, 2, 3, 50, 200, 255, 1, 7]
    sizes = [2048, 8192, 8192, 8192, 16384, 32768, 8192, 4096]
    many = calculate_many(system(), Delete(), {"workload.users": users, "tablespace.block_size_bytes": sizes})
    for place, (own, size) in enumerate(zip(users, sizes, strict=True)):
        alone = measures_of(calculate(system(size), Delete(users=own)))
        for name in ("read_requests", "read_blocks", "read_bytes", "elapsed_s", "cpu_s"):
            assert many[name][place] == pytest.approx(alone[name], rel=1e-9), (name, own, size)
        last_s = alone.get("last_session_s", np.nan)
        assert many["last_session_s"][place] == pytest.approx(last_s, nan_ok=True)
    for some in ([0], [3, 0], [6, 5, 4], [7]):
        few = calculate_many(
            system(),
            Delete(),
            {
                "workload.users": [users[place] for place in some],
                "tablespace.block_size_bytes": [sizes[place] for place in some],
            },
        )
        for name, values in many.items():
            if name != "refused":
                # numpy's vectors and their remainders differ in the last bit of a power, by how long the array is
                np.testing.assert_allclose(values[some], few[name], rtol=1e-14, err_msg=name)


def test_single_blocks_are_shared_to_the_last() -> None:
    """Half a read each is a read for every other session, not none."""
    spec, work = system(rows=40_000), Update(order="random", rows_fraction=0.002, users=200)
    law, played = calculate(spec, work).physical_io, simulate(spec, work).physical_io
    assert 0 < law.read_requests < 0.5
    assert played.read_requests * 200 == pytest.approx(law.read_requests * 200, abs=0.5)


# --- until the last one is done ---------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(
    st.sampled_from([2048, 8192, 16384]),
    st.integers(2, 60),
    st.sampled_from([Update(growth_bytes=0), Delete(), Insert(rows=5_000), Import(), FullScan(select="count")]),
)
def test_the_last_session_ends_after_all_the_work(size: int, users: int, work: Any) -> None:
    spec = system(size, 20_000)
    result = simulate(spec, work.model_copy(update={"users": users}))
    time, cpus = result.time, spec.host.cpus
    assert time.last_session_s is not None
    assert time.last_session_s >= time.elapsed_s
    assert time.last_session_s >= users * time.cpu_s / cpus * (1 - 1e-9)
    for device in result.device.values():
        assert device.utilisation_fraction <= 1
    early = any("end early" in warning for warning in result.warnings)
    assert early == (time.elapsed_s < users * time.cpu_s / cpus)


def test_a_lone_session_is_not_the_last_one() -> None:
    for run in (calculate, simulate):
        assert run(system(), FullScan()).time.last_session_s is None
        assert run(system(), FullScan(users=2)).time.last_session_s is not None


def test_books_with_a_last_session_before_the_mean_one_do_not_balance() -> None:
    result = simulate(system(), Delete(users=4))
    early = result.time.model_copy(update={"last_session_s": 0.9 * result.time.elapsed_s})
    with pytest.raises(BooksDoNotBalance, match="the last session ends after"):
        check_books(result.model_copy(update={"time": early}))


def test_more_processors_never_put_the_last_session_off() -> None:
    spec, ends = system(), []
    for cpus in (1, 2, 4, 8):
        host = spec.host.model_copy(update={"cpus": cpus})
        ends.append(simulate(spec.model_copy(update={"host": host}), Delete(users=40)).time.last_session_s)
    # NOTE: reads that come in another order may lie worse for the heads, by less than a hundredth
    assert all(more <= 1.01 * fewer for fewer, more in pairwise(ends))


@pytest.mark.parametrize("users", [4, 60])
@pytest.mark.parametrize("work", [Insert(rows=200_000, method="array"), Import()])
def test_who_is_done_early_does_not_hang_on_the_block_size(work: Any, users: int) -> None:
    """Turns on the processors go by time: where sessions take many, the mean one is as far ahead at all sizes."""
    shares = []
    for size in BLOCK_SIZES:
        time = simulate(system(size), work.model_copy(update={"users": users})).time
        assert time.last_session_s is not None
        shares.append(time.elapsed_s / time.last_session_s)
    assert max(shares) < 1.15 * min(shares)


@pytest.mark.parametrize("run", [calculate, simulate])
def test_the_mean_session_wants_its_share_of_the_blocks(run: Any) -> None:
    for work in (Insert(rows=50_000, method="array"), Delete(), Update(growth_bytes=0)):
        alone, shared = (run(system(), work.model_copy(update={"users": n})).cache for n in (1, 10))
        assert shared.hits + shared.misses == pytest.approx((alone.hits + alone.misses) / 10, rel=0.01)


def test_sessions_that_share_few_reads_wait_for_no_more_than_those() -> None:
    """Of eight sessions three make one read each: the first read of a session is as seldom as its reads are."""
    table = Table(rows=1000, row_bytes=40, cached_fraction=0.8)
    system = System(table=table, disk=Disk(average_seek_s=4e-3, rotation_s=4e-3), instance=Instance(release="10.2.0.4"))
    found = calculate(system, Delete(rows_fraction=0.1, users=8))
    reads = 8 * found.physical_io.read_requests
    assert 1 < reads < 4
    assert found.time.last_session_s is not None
    assert found.time.last_session_s < (reads + 0.5) * 6.5e-3
