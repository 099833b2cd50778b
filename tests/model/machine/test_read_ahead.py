"""Windows grow while a reader goes on in order, run ahead of it, and end with the file."""

from __future__ import annotations

from model.machine.host.read_ahead import ReadAhead


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
