"""Laws of the page cache by what the kernel does: where writers wait, the windows, and where ext3 puts a page."""

import pytest

from blocktime.model.laws import page_cache


@pytest.mark.parametrize(("release", "held_back_bytes"), [((2, 6, 18), 400.0), ((3, 2), 250.0)])
def test_paced_writers_are_held_half_way_between_the_limits(release: tuple[int, ...], held_back_bytes: float) -> None:
    assert page_cache.writer_limit_bytes(100.0, 400.0, release) == held_back_bytes


@pytest.mark.parametrize(("page", "place"), [(0, 0), (11, 11), (12, 13), (1035, 1036), (1036, 1038)])
def test_a_block_of_addresses_lies_before_the_pages_that_it_tells(page: int, place: int) -> None:
    assert page_cache.place_of_page(page) == place


@pytest.mark.parametrize("most_pages", [1, 8, 31, 32, 64, 100, 256])
def test_windows_are_those_of_the_kernel_at_every_size(most_pages: int) -> None:
    """``get_init_ra_size`` and ``get_next_ra_size`` of mm/readahead.c: conditions and their order as there."""
    for size in range(1, most_pages + 1):
        newsize = 1 << (size - 1).bit_length()
        if newsize <= most_pages // 32:
            newsize = newsize * 4
        elif newsize <= most_pages // 4:
            newsize = newsize * 2
        else:
            newsize = most_pages
        assert page_cache.first_window_pages(size, most_pages) == newsize
        cur = 4 * size if size < most_pages // 16 else 2 * size if size <= most_pages // 2 else most_pages
        assert page_cache.next_window_pages(size, most_pages) == cur
