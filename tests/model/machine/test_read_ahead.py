"""Windows grow while a reader goes on in order, run ahead of it, and end with the file."""

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from blocktime.model.laws.page_cache import next_address_block, place_of_page
from blocktime.model.machine.host.read_ahead import ReadAhead


def windows(reads: list[range], most: int = 32, end: int | None = None) -> list[tuple[int, int]]:
    """First page and pages of every window that these reads hand down."""
    ahead = ReadAhead(most)
    ahead.end_page = end
    found = []
    for pages in reads:
        for page in pages:
            found += [(one.pages.start, len(one.pages)) for one in ahead.wanted(page, pages)[1]]
        ahead.passed(pages.stop)
    return found


def test_windows_double_up_to_the_limit_and_run_one_ahead() -> None:
    found = windows([range(page, page + 1) for page in range(80)], most=32)
    assert found[:5] == [(0, 4), (4, 8), (12, 16), (28, 32), (60, 32)]


def test_every_page_is_read_once() -> None:
    found = windows([range(page, page + 2) for page in range(0, 200, 2)], end=200)
    pages = [page for first, many in found for page in range(first, first + many)]
    assert pages == list(range(200))


def test_reads_anywhere_bring_their_own_pages_alone() -> None:
    assert windows([range(500, 502), range(90, 92), range(7, 9)]) == [(500, 2), (90, 2), (7, 2)]


def test_a_call_longer_than_the_limit_is_read_in_windows() -> None:
    found = windows([range(256)], most=32, end=256)
    assert {many for _, many in found} == {32}
    assert sum(many for _, many in found) == 256


def asked(pairs: list[tuple[range, range]], ahead: ReadAhead, skips: bool) -> list[tuple[int, int, int | None]]:
    """The windows of two readers of a file, who change turns with each; past pages that can ask for nothing, or not."""
    found = []

    def read(pages: range) -> Iterator[None]:
        page = has = pages.start
        while page < pages.stop:
            holding, fresh = ahead.wanted(page, pages, page < has)
            found.extend((one.pages.start, one.pages.stop, one.mark) for one in fresh)
            has = has if holding is None else max(has, holding.pages.stop)
            if fresh:
                yield
            page = ahead.quiet_until(page, holding) if skips and holding is not None else page + 1
        ahead.passed(pages.stop)

    for pair in pairs:
        turns = deque(map(read, pair))
        while turns:
            with suppress(StopIteration):
                next(turns[0])
                turns.append(turns[0])
            turns.popleft()
    return found


@pytest.mark.parametrize("seed", [*range(20), 142, 159, 212])  # the last ones where windows overlap
def test_pages_that_ask_for_nothing_may_be_passed_over(seed: int) -> None:
    random = Random(seed)
    most, optimal = random.choice((0, 8, 32, 64)), random.choice((0, 40))
    pairs, at = [], 0
    for _ in range(60):
        at = at if random.random() < 0.7 else max(0, at + random.randrange(-90, 90))
        near = max(0, at + random.randrange(-60, 60))
        pairs.append((range(at, at + random.randrange(1, 120)), range(near, near + random.randrange(1, 120))))
        at = pairs[-1][0].stop
    one, other = (asked(pairs, ReadAhead(most, optimal, follows=seed % 5 > 0), skips) for skips in (True, False))
    assert one == other


def test_an_address_block_lies_where_places_jump() -> None:
    pages = range(6000)
    jumps = [page for page in pages[1:] if place_of_page(page) != place_of_page(page - 1) + 1]
    assert [next_address_block(page) for page in pages[:5100]] == [
        next(jump for jump in jumps if jump > page) for page in pages[:5100]
    ]
