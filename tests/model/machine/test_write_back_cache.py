"""A cache that is written back: how many commands it has out at its device."""

from __future__ import annotations

import pytest

from blocktime.model.machine.device.array_cache import Bus, WriteBack

UNIT = 4096


class CountedDrive:
    """Each command takes a second, whatever else is under way; how many are, at most."""

    def __init__(self) -> None:
        self.free_s, self.most = 0.0, 0
        self._ends: list[float] = []

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        self._ends = [end for end in self._ends if end > now_s] + [now_s + 1.0]
        self.most = max(self.most, len(self._ends))
        return now_s + 1.0

    def distance(self, start_byte: int) -> float:
        return 0.0


@pytest.mark.parametrize("depth", [2, 5])
def test_no_more_commands_are_out_than_its_depth(depth: int) -> None:
    drive = CountedDrive()
    cache = WriteBack(drive, 100 * UNIT, Bus(0.0, 1e12), unit_bytes=UNIT, depth=depth)
    for place in range(20):
        cache.submit(0.0, True, 10 * place * UNIT, UNIT)
    assert cache.flush(0.0) == pytest.approx(20 / depth, rel=0.01)
    assert drive.most == depth
