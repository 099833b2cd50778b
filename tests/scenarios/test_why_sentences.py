"""Reasons that were wrong, or said nothing: of changed rows, commits, awaits, processors and block sizes."""

from pathlib import Path

import pytest

from blocktime.scenarios import load, run
from blocktime.scenarios.why import why
from tests.answered import SMALL_OLTP, answered

SMALL = """
table.rows = 20000
table.row_bytes = 120
host.use = "epyc-9554"
disk.use = "nvme"
workload.kind = "update"
"""


def sentences(name: str | Path, before: tuple[str, ...], after: tuple[str, ...]) -> list[str]:
    """Why two variants of a scenario differ, by the instant estimate."""
    asked = load(name, before), load(name, after)
    return why(run(asked[0]), run(asked[1]), asked)


def test_a_scan_that_waited_before_is_not_now_io_bound() -> None:
    """Eight sessions wait for the drive with blocks of either size; one session waits for it with 16K alone."""
    said = []
    for users in (8, 1):
        settings = (f"workload.users={users}", "table.rows=3000000")
        asked = (
            load("full-scan-nvme", settings),
            load("full-scan-nvme", (*settings, "tablespace.block_size_bytes=16K", "disk.bandwidth_bytes_per_s=2G")),
        )
        said.append(" ".join(why(run(asked[0]), run(asked[1]), asked)))
    assert "now I/O bound" not in said[0]
    assert "now I/O bound" in said[1]


def test_waiting_for_a_full_volume_is_no_cpu_that_was_saved() -> None:
    volume = ("disk.use=ebs-gp3", "table.rows=3000000")
    beside = " ".join(
        sentences("full-scan-nvme", volume, (*volume, "workload.users=8", "tablespace.block_size_bytes=16K"))
    )
    assert "turns into waiting" not in beside
    assert "now I/O bound" not in beside
    larger = ("workload.users=8", "table.rows=3000000", "tablespace.block_size_bytes=16K")
    alone = " ".join(sentences("full-scan-nvme", larger[:2], larger))
    assert "turns into waiting" in alone


def test_cpu_that_stays_is_that_beside_the_reads() -> None:
    said = sentences("oltp-nvme", SMALL_OLTP, (*SMALL_OLTP, "instance.buffer_cache_bytes=32G"))
    assert not [text for text in said if text.startswith("CPU takes")]
    assert [text for text in said if text.startswith("CPU beside that of reads takes")]


def test_a_delete_instead_of_an_update_is_told_as_that(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    (first, *others) = sentences(file, (), ("workload.kind=delete",))
    assert "deleting 20,000 rows takes" in first
    assert "for updating 20,000 rows" in first
    assert not any("0 s instead of" in sentence or "instead of 0 s" in sentence for sentence in [first, *others])


def test_a_direct_path_insert_says_that_it_commits_once() -> None:
    often = "workload.commit_every_rows=1"
    told = sentences("insert-with-indexes", ("workload.method=row", often), ("workload.method=direct", often))
    (commits,) = [sentence for sentence in told if "commits fell" in sentence]
    assert commits.endswith(": a direct-path insert commits once, at its end")
    notes = answered("insert-with-indexes", "workload.method=direct", often).warnings
    assert any("commit_every_rows has no effect here" in note for note in notes)


def test_commits_in_a_block_say_what_is_not_modelled() -> None:
    told = sentences(
        "insert-with-indexes",
        ("workload.caller=plsql", "workload.commit_every_rows=1"),
        ("workload.caller=plsql", "workload.commit_every_rows=1000"),
    )
    assert any("waits for the log writer once, at its end" in sentence for sentence in told)


def test_an_await_that_fell_is_no_reason_for_more_time() -> None:
    asked = load("index-range-scan"), load("index-range-scan-migrated")
    told = why(*(answered(scenario.name) for scenario in asked), asked)
    assert any("reading takes" in sentence and "more" in sentence for sentence in told)
    assert not any("await of a request fell" in sentence for sentence in told)


def test_the_run_queue_of_hot_blocks_has_its_cause() -> None:
    hot = (*SMALL_OLTP, "workload.hottest_gets_percent=40", "workload.think_s=0.02")
    hotter = (*hot, "workload.hottest_blocks=4", "workload.hottest_changes_percent=40", "workload.users=2000")
    told = sentences("oltp-nvme", hot, hotter)
    (queue,) = [sentence for sentence in told if "run queue" in sentence]
    assert "a transaction needs" in queue
    assert queue.endswith("to rebuild blocks that others change (consistent reads)")


@pytest.mark.parametrize(("size", "cache"), [("16K", "256M"), ("4K", "1G")])
def test_block_sizes_of_transactions_say_what_hits_become(size: str, cache: str) -> None:
    told = sentences("oltp-nvme", SMALL_OLTP, (*SMALL_OLTP, f"tablespace.block_size_bytes={size}"))
    changes = (f"tablespace.block_size_bytes={size}", f"instance.buffer_cache_bytes={cache}")
    other = answered("oltp-nvme", *SMALL_OLTP, *changes)
    assert other.cache is not None
    (hits,) = [sentence for sentence in told if "where they are scattered" in sentence]
    assert f"{100 * other.cache.hit_fraction:.1f} % hits" in hits


def test_a_part_that_is_shown_alike_is_left_out() -> None:
    told = sentences("oltp-nvme", SMALL_OLTP, (*SMALL_OLTP, "instance.buffer_cache_bytes=520M"))
    for sentence in told:
        takes = sentence.partition(" takes ")[2].partition(", which")[0]
        first, instead, second = takes.partition(" instead of ")
        assert not instead or first != second
