"""How far a file is read ahead of its reader: windows that grow while it goes on in order. Knows no time."""

from __future__ import annotations

from typing import Any

from blocktime.model.laws.block_layer import PAGE_BYTES, optimal_pages, release_of
from blocktime.model.laws.page_cache import (
    advised_bytes,
    first_window_pages,
    most_window_pages,
    next_window_pages,
    pages_of,
)
from blocktime.model.loops import fastest
from blocktime.model.spec import Host


class Window:
    """Pages that are read together, and when they have arrived."""

    pages: range
    mark: int | None
    """The page at which the reader sets the next window off; None for a read that is not followed."""
    arrived: Any

    def __init__(self, pages: range, mark: int | None) -> None:
        self.pages, self.mark = pages, mark
        self.arrived = None


class ReadAhead:
    """The windows of one reader [linux-readahead]."""

    end_page: int | None
    """Where the file ends."""
    _follows: bool
    """Whether reads in order are recognised; not after POSIX_FADV_RANDOM."""
    _most_pages: int
    """read_ahead_kb in pages; with 0 every page is read when it is wanted, by itself."""
    _optimal_pages: int
    """Pages that a longer call is read in at a time; 0 where the kernel never goes beyond read_ahead_kb."""
    _windows: list[Window]
    _expected: int
    """Where a read goes on in order; the first read of a file at its begin does too."""

    def __init__(self, most_pages: int, optimal_pages: int = 0, *, follows: bool = True) -> None:
        self._follows, self._most_pages, self._optimal_pages = follows, most_pages, optimal_pages
        self._windows, self._expected = [], 0
        self.end_page = None

    def wanted(self, page: int, pages: range, has: bool = False) -> tuple[Window | None, list[Window]]:
        """The window that holds *page*, one of a call's *pages*, and those to hand down now; often none.

        A call that *has* the page needs no window, even where calls elsewhere made the reader forget it.
        """
        window = self._holding(page)
        if window is None and has:
            return None, []
        if window is None:
            behind = bool(self._windows) and page == self._last().pages.stop
            in_order = self._follows and (page == self._expected or page > pages.start or behind)
            left = pages.stop - page
            most = self._most(left)
            window_pages = first_window_pages(left, most) if in_order else left
            window_pages = self._until_end(page, window_pages if self._most_pages else 1)
            if not in_order:
                self._windows.clear()
            mark = pages.stop if window_pages > left else page
            if left > self._most_pages and most > self._most_pages:
                mark = page + (window_pages + 1) // 2  # ra->size >> 1 of its end
            window = Window(range(page, page + window_pages), mark if in_order and self._most_pages else None)
            self._windows.append(window)
            windows = [window]
        else:
            windows = []
        if window.mark == page:
            window.mark = None
            start = window.pages.stop
            window_pages = self._until_end(start, next_window_pages(len(window.pages), self._most(pages.stop - page)))
            if window_pages > 0:
                following = Window(range(start, start + window_pages), start)
                self._windows.append(following)
                windows.append(following)
        return window, windows

    def call(self, start_byte: int, size_bytes: int) -> PagedRead:
        """The read of a call."""
        return PagedRead(self, start_byte, size_bytes)

    def quiet_until(self, page: int, window: Window) -> int:
        """The first page behind *page*, which *window* holds, that may be wanted in any other way than it was."""
        known = False
        end: int = window.pages.stop
        for listed in self._windows:
            other: Window = listed
            known = known or other is window
            start: int = other.pages.start
            if page < start < end:
                end = start
        if window.mark is not None and page < window.mark < end:
            end = window.mark
        return end if known else page + 1  # calls elsewhere made the reader forget it

    def _most(self, request_pages: int) -> int:
        return most_window_pages(request_pages, self._most_pages, self._optimal_pages)

    def passed(self, page: int) -> None:
        """The reader has all bytes before *page*, and perhaps some of that."""
        self._expected = page
        left: list[Window] = []
        for listed in self._windows:
            window: Window = listed
            if window.pages.stop > page:
                left.append(window)
        self._windows = left

    def _last(self) -> Window:
        return self._windows[len(self._windows) - 1]

    def _holding(self, page: int) -> Window | None:
        for listed in self._windows:
            window: Window = listed
            if window.pages.start <= page < window.pages.stop:
                return window
        return None

    def _until_end(self, start: int, window_pages: int) -> int:
        return window_pages if self.end_page is None else max(0, min(window_pages, self.end_page - start))


class PagedRead:
    """The pages of one call of a reader, in the order in which it waits for them."""

    window: Window | None
    """The pages that it waits for next."""
    _ahead: ReadAhead
    _pages: range
    _page: int
    _has_page: int
    """Pages before it are there, or on their way to another call."""
    _end_byte: int

    def __init__(self, ahead: ReadAhead, start_byte: int, size_bytes: int) -> None:
        self._ahead, self._pages = ahead, pages_of(start_byte, size_bytes, PAGE_BYTES)
        self._page = self._has_page = self._pages.start
        self.window, self._end_byte = None, start_byte + size_bytes

    def next_windows(self) -> list[Window] | None:
        """The windows to hand down before it waits once more, often none; None where it has all its pages."""
        if self.window is not None:
            self._page = self._ahead.quiet_until(self._page, self.window)
        if self._page >= self._pages.stop:
            self._ahead.passed(self._end_byte // PAGE_BYTES)
            return None
        self.window, fresh = self._ahead.wanted(self._page, self._pages, self._page < self._has_page)
        if self.window is None:
            self._page += 1
        else:
            self._has_page = max(self._has_page, self.window.pages.stop)
        return fresh


def read_ahead_of(host: Host, fadvise: str = "normal") -> ReadAhead:
    """The reader of a file on that host, which has told posix_fadvise how it reads."""
    optimal = optimal_pages(release_of(host.kernel), int(host.max_request_bytes))
    ahead_bytes = int(advised_bytes(host.read_ahead_bytes, fadvise))
    return fastest(ReadAhead)(ahead_bytes // PAGE_BYTES, int(optimal), follows=fadvise != "random")
