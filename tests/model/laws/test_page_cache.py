"""Laws of the page cache by what the kernel does: where writers are held back, and where ext3 puts a page."""

import pytest

from model.laws import page_cache


@pytest.mark.parametrize(("release", "held_back_bytes"), [((2, 6, 18), 400.0), ((3, 2), 250.0)])
def test_paced_writers_are_held_half_way_between_the_limits(
    release: tuple[int, ...], held_back_bytes: float
) -> None:
    assert page_cache.held_back_bytes(100.0, 400.0, release) == held_back_bytes


@pytest.mark.parametrize(("page", "place"), [(0, 0), (11, 11), (12, 13), (1035, 1036), (1036, 1038)])
def test_a_block_of_addresses_lies_before_the_pages_that_it_tells(page: int, place: int) -> None:
    assert page_cache.place_of_page(page) == place
