"""Blocks of the journal go down one by one and merge: five of a commit are two requests, and three merges."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
import simpy

from blocktime.model import simulate
from blocktime.model.laws.block_layer import PAGE_BYTES
from blocktime.model.loops import as_written
from blocktime.model.machine.device.request import Request
from blocktime.model.sim.write_back import JOURNAL_BYTES, PageCache
from blocktime.model.spec import Disk, Host, System, WriteStream

FLASH = Disk(rotation_s=0.0, average_seek_s=0.0)


@pytest.mark.parametrize("disk", [FLASH, Disk()], ids=["flash", "platter"])
@pytest.mark.parametrize(("nomerges", "requests", "merges"), [("0", 3, 3), ("2", 6, 0)])
def test_a_growing_file_commits_each_time(disk: Disk, nomerges: str, requests: int, merges: int) -> None:
    host = Host(nomerges=nomerges)  # type: ignore[arg-type]
    work = WriteStream(path="dsync", extends=True, count=100, block_size_bytes=4096)
    found = simulate(System(host=host, disk=disk), work)
    assert found.physical_io.write_requests == 100 * requests
    assert found.device["disk"].merged_writes == 100 * merges


@pytest.mark.parametrize(("journal", "blocks"), [(True, 5), (False, 1)])
def test_commits_go_on_in_the_journal_until_it_is_full(journal: bool, blocks: int) -> None:
    """Without a journal each writes the same block of the inode."""
    env, places, waiting = simpy.Environment(), list[int](), list[Request]()

    def bio(write: bool, start_byte: int, size_bytes: int, _: object) -> Request:
        request = Request(write, start_byte, start_byte + size_bytes, 0, True, 0.0)
        places.append(start_byte)
        waiting.append(request)
        return request

    def unplug() -> None:
        for request in waiting:
            request.first(request)
        waiting.clear()

    device: Any = SimpleNamespace(
        bio=bio, unplug=unplug, submitter=lambda owner: owner, flush=lambda: iter(()), throttle=None
    )
    with as_written():
        cache = PageCache(env, Host(filesystem="ext3", journal=journal), device, 10 * JOURNAL_BYTES)
    commits = JOURNAL_BYTES // PAGE_BYTES // 5 + 3
    for _ in range(commits):
        env.run(env.process(cache.commit_record(0)))
    steps = {after - before for before, after in pairwise(places)}
    assert len(places) == commits * blocks
    assert min(places) == 10 * JOURNAL_BYTES
    if journal:
        assert PAGE_BYTES in steps
        assert len(steps) == 2
        assert JOURNAL_BYTES <= max(places) - min(places) < JOURNAL_BYTES + 2 * 5 * PAGE_BYTES
    else:
        assert steps == {0}
