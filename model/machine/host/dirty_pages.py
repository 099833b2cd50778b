"""Pages of the host's cache that differ from the device: dirty, or on their way. Knows no time of its own."""

from __future__ import annotations


class DirtyPages:
    """Dirty pages by their place on the device, the oldest first, and how many are being written."""

    __slots__ = ("_since_s", "page_bytes", "write_back_pages")

    def __init__(self, page_bytes: int) -> None:
        self.page_bytes = page_bytes
        self._since_s: dict[int, float] = {}
        self.write_back_pages = 0

    def __len__(self) -> int:
        return len(self._since_s)

    @property
    def bytes(self) -> int:
        """Bytes that are dirty or being written, as the limits count them."""
        return (len(self._since_s) + self.write_back_pages) * self.page_bytes

    def write(self, page: int, now_s: float) -> None:
        """A page is written to; one that is dirty already keeps its age."""
        self._since_s.setdefault(page, now_s)

    def in_order(self) -> list[int]:
        """All dirty pages in order of their place."""
        return sorted(self._since_s)

    def oldest_s(self) -> float:
        """When the page that is dirty the longest became so; there must be one."""
        return next(iter(self._since_s.values()))

    def older_than(self, since_s: float) -> bool:
        """Whether a page has been dirty since then or longer."""
        return bool(self._since_s) and next(iter(self._since_s.values())) <= since_s

    def take(self, pages: range) -> int:
        """Pages go to the device: how many of them, as another task may have taken some before."""
        before = len(self._since_s)
        for page in pages:
            self._since_s.pop(page, None)
        taken = before - len(self._since_s)
        self.write_back_pages += taken
        return taken

    def written(self, pages: int) -> None:
        """Pages have arrived at the device."""
        self.write_back_pages -= pages
