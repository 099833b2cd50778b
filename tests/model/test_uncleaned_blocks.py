"""A full scan of blocks that others have changed: cleanout after their commit, and a checkpoint before direct reads."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model.causes import CLEANOUT, KO_CHECKPOINT
from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping, run

ROWS = 100_000
SCAN = {"kind": "full_scan", "select": "count"}


def scanned(direct: bool, work: dict[str, Any] | None = None, **table: Any) -> RunResult:
    instance = {"serial_direct_read": "always" if direct else "never"}
    data = {"table": {"rows": ROWS, "row_bytes": 200, **table}, "disk": {"use": "nvme"}, "instance": instance}
    return run(from_mapping(data | {"workload": SCAN | (work or {})}))


@pytest.mark.parametrize("fraction", [0.25, 1.0])
def test_each_block_is_got_once_more_and_changed(fraction: float) -> None:
    for direct in (False, True):
        clean, uncleaned = scanned(direct), scanned(direct, committed_dirty_fraction=fraction)
        blocks = fraction * clean.segment.blocks_after
        assert uncleaned.logical_io.cleanouts == pytest.approx(blocks)
        gets = uncleaned.logical_io.consistent_gets - clean.logical_io.consistent_gets
        assert gets == pytest.approx(blocks)
        assert uncleaned.time.cpu[CLEANOUT] > 0
        assert clean.logical_io.cleanouts is None


def test_a_cache_keeps_what_is_cleaned_and_direct_reads_do_it_anew() -> None:
    """Four sessions: through the cache one of them cleans each block, with 72 bytes of redo; by direct reads all do."""
    users = {"users": 4}
    cached, direct = (scanned(way, users, committed_dirty_fraction=1.0) for way in (False, True))
    assert direct.logical_io.cleanouts == pytest.approx(4 * cached.logical_io.cleanouts)
    assert direct.logical_io.cleanout_redo_bytes is None
    assert cached.logical_io.cleanout_redo_bytes == pytest.approx(72 * cached.logical_io.cleanouts)


def test_dirty_blocks_are_written_before_direct_reads() -> None:
    """One wait, as long as their number; a buffered scan finds them in the cache."""
    waits = [scanned(True, dirty_fraction=share, cached_fraction=0.4).time.wait for share in (0.0, 0.1, 0.2)]
    assert KO_CHECKPOINT not in waits[0]
    assert [waited[KO_CHECKPOINT].waits for waited in waits[1:]] == [1, 1]
    assert waits[2][KO_CHECKPOINT].total_s == pytest.approx(2 * waits[1][KO_CHECKPOINT].total_s)
    assert KO_CHECKPOINT not in scanned(False, dirty_fraction=0.2, cached_fraction=0.4).time.wait
    parallel = scanned(False, {"degree": 4}, dirty_fraction=0.2, cached_fraction=0.4)
    assert parallel.time.wait[KO_CHECKPOINT].total_s == pytest.approx(waits[2][KO_CHECKPOINT].total_s)
