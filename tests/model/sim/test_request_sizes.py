"""Requests of buffered calls, counted against what the kernel's functions do with them, by hand.

``bio_full`` and ``bio_try_merge_hw_seg`` let a bio grow by runs of bytes, ``get_max_segment_size`` and
``bio_split_rw`` cut it at max_sectors_kb and max_segments; ``mapping_set_large_folios`` gives a file system folios,
``page_cache_ra_order`` (16 KiB in the first window) those of reads, ``fgf_set_order`` those of a write call.
``ractl_max_pages`` (before: ``ondemand_readahead``) takes max(read_ahead, min(call, io_pages)); ``get_init_ra_size``,
``get_next_ra_size`` and the mark in the middle of a window that is no longer than its call decide the rest.
"""

import pytest

from blocktime.model.errors import BlocktimeError
from blocktime.scenarios import from_mapping, run

KIB = 1024
LIMIT = {"max_request_bytes": 1280 * KIB, "max_segments": 128, "scheduler": "none", "io_path": "buffered"}
WRITES = {"kind": "write_stream", "fsync_every": 100}
READS = {"kind": "read_stream"}

CASES = {
    # 100 MiB written: 128 segments of 64 KiB do not bind, so max_sectors_kb does (bio_split_rw)
    "writes on xfs": ("6.12", "xfs", 128, WRITES, 1024, 100, 80, 1280),
    # PAGE_SIZE folios: 128 segments are 512 KiB (bio_try_merge_hw_seg)
    "writes on ext4 without folios": ("5.15", "ext4", 128, WRITES, 1024, 100, 200, 512),
    # xfs reads into folios since 5.18, but iomap_get_folio passes no order before 6.6
    "writes on xfs before fgf_set_order": ("6.1", "xfs", 128, WRITES, 1024, 100, 200, 512),
    # fgf_set_order(4096) is order 0
    "writes of single pages on xfs": ("6.12", "xfs", 128, WRITES, 4, 25600, 200, 512),
    # windows of 128, 128, 256 pages: ractl_max_pages takes what is left of the call at the mark in its middle
    "calls of 1 MiB over a window of 32 KiB": ("6.17", "ext4", 32, READS, 1024, 100, 150, 683),
    # the same windows, of single pages: those of 256 pages are cut at 128 segments
    "the same without folios": ("5.15", "ext4", 32, READS, 1024, 100, 200, 512),
    # before io_pages (4.10) a window is read_ahead_kb at most
    "the same before io_pages": ("4.9", "ext4", 32, READS, 1024, 100, 3200, 32),
    # windows of io_pages, then of what is left: 320 and 192 pages
    "calls of 2 MiB on xfs": ("6.12", "xfs", 128, READS, 2048, 50, 100, 1024),
    # a window of 4 MiB goes down as 3 x 1280 and 256 KiB
    "a window of 4 MiB on xfs": ("6.12", "xfs", 4096, READS, 64, 1600, 100, 1024),
}


@pytest.mark.parametrize("case", CASES)
def test_requests_are_those_of_the_kernels_code(case: str) -> None:
    kernel, filesystem, window, kind, call, count, requests, size = CASES[case]
    result = run(
        from_mapping(
            {
                "host": LIMIT | {"kernel": kernel, "filesystem": filesystem, "read_ahead_bytes": window * KIB},
                "disk": {"use": "nvme"},
                "workload": kind
                | {"block_size_bytes": call * KIB, "count": count}
                | ({"fsync_every": count} if "fsync_every" in kind else {}),
            }
        )
    )
    io = result.physical_io
    made = io.write_requests if "fsync_every" in kind else io.read_requests
    journal = 2 if "fsync_every" in kind else 0
    assert made - journal == pytest.approx(requests, rel=0.05)
    device = result.device["disk"]
    assert device.average_request_bytes == pytest.approx(size * KIB, rel=0.05)


def test_past_the_page_cache_a_segment_is_a_page() -> None:
    host = LIMIT | {"kernel": "6.17", "io_path": "direct"}
    work = READS | {"block_size_bytes": 1280 * KIB, "count": 20}
    result = run(from_mapping({"host": host, "disk": {"use": "nvme"}, "workload": work}))
    assert result.physical_io.read_requests == 20 * 3


def test_without_read_ahead_each_page_is_read_by_itself() -> None:
    host = LIMIT | {"kernel": "5.15", "read_ahead_bytes": 0}
    work = READS | {"block_size_bytes": 64 * KIB, "count": 50}
    result = run(from_mapping({"host": host, "disk": {"use": "nvme"}, "workload": work}))
    assert result.physical_io.read_requests == 50 * 16


@pytest.mark.parametrize(("kernel", "filesystem"), [("5.15", "ext4"), ("5.15", "xfs"), ("6.17", "none")])
def test_folios_on_a_kernel_before_them_are_refused_in_one_sentence(kernel: str, filesystem: str) -> None:
    host = {"kernel": kernel, "filesystem": filesystem, "folios": True}
    with pytest.raises(BlocktimeError, match=f"folios are not in kernel {kernel} with filesystem"):
        from_mapping({"host": host, "workload": READS | {"count": 1}})


def test_folios_may_be_stated_where_they_are_and_left_out() -> None:
    host = LIMIT | {"kernel": "6.17", "filesystem": "ext4"}
    found = []
    for folios in (True, False):
        work = WRITES | {"block_size_bytes": 1024 * KIB, "count": 100}
        scenario = {"host": host | {"folios": folios}, "disk": {"use": "nvme"}, "workload": work}
        found.append(run(from_mapping(scenario)).physical_io.write_requests)
    assert found[0] < found[1] / 2
