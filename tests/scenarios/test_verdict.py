"""The answer in one sentence: right for six questions in twenty systems each, and the verdict of the rows below it.

What is right was written down from what each system is, before the sentence was made.
"""

from __future__ import annotations

import re
from random import Random
from typing import Final

import pytest

from blocktime.app.controls import presets
from blocktime.app.controls.page_question import PageQuestion, opened
from blocktime.app.text import key_numbers
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run, verdict
from tests.whole import SEED, WHOLE

BLOCKS, UPDATE, SETALL, USERS, CACHE, VOLUME, *_ = presets.QUESTIONS
SMALL: Final = "table.rows=2M"
RIGHT: Final[dict[str, tuple[presets.Preset, dict[str, str]]]] = {
    # Half the gets save CPU where the CPU takes the time; where the drive is full only the headers of blocks are saved.
    "blocks": (BLOCKS, {
        "": "Yes", "table.rows=5M": "Yes", "table.rows=1M": "Yes", "table.rows=200K": "Yes",
        "table.row_bytes=60": "Yes", "table.row_bytes=200": "Yes", "table.row_bytes=300": "Yes",
        "table.pctfree_percent=0": "Yes", "table.pctfree_percent=30": "Yes", "table.column_count=5": "Yes",
        "table.column_count=60": "Yes", f"{SMALL};host.cpus=2": "Yes",
        f"{SMALL};disk.bandwidth_bytes_per_s=7G": "Yes", f"{SMALL};workload.users=8": "Hardly",
        f"{SMALL};workload.users=4": "Hardly", f"{SMALL};disk.use=ebs-gp3": "Hardly",
        "table.rows=5M;disk.use=ebs-gp3": "Hardly", f"{SMALL};disk.bandwidth_bytes_per_s=500M": "Hardly",
        f"{SMALL};disk.bandwidth_bytes_per_s=1G": "Hardly", f"{SMALL};disk.bandwidth_bytes_per_s=250M": "Hardly",
    }),
    # The bug is that of blocks whose ITL list fills up before they are full: not with PCTFREE 35, nor with its fix.
    "update": (UPDATE, {
        "": "bug 6918210", "table.pctfree_percent=5": "bug 6918210", "table.pctfree_percent=20": "bug 6918210",
        "table.pctfree_percent=35": "No difference", "table.pctfree_percent=40": "No difference",
        "table.pctfree_percent=50": "No difference", "instance.release=10.2.0.4": "bug 6918210",
        "instance.release=11.1.0.6": "bug 6918210", "instance.release=11.2.0.4": "No difference",
        "instance.release=12.2.0.1": "No difference", "instance.release=19.3.0.0": "No difference",
        "tablespace.space_management=manual": "No difference", "table.rows=20000": "bug 6918210",
        "table.rows=50000": "bug 6918210", "table.rows=100000": "bug 6918210", "table.rows=400000": "bug 6918210",
        "table.initrans=2": "bug 6918210", "table.initrans=20": "bug 6918210", "disk.use=nvme": "bug 6918210",
        "host.cpus=2": "bug 6918210",
    }),
    # Asynchronous direct reads hide the disk behind the CPU, unless the disk takes the time alone.
    "setall": (SETALL, {
        "table.rows=5M": "Yes", "table.rows=1M": "Yes", "host.page_cache_hit_fraction=0.5;table.rows=5M": "Yes",
        "host.page_cache_hit_fraction=0.9;table.rows=5M": "Yes", "table.row_bytes=60;table.rows=5M": "Yes",
        "table.row_bytes=300;table.rows=5M": "Yes", "table.column_count=60;table.rows=5M": "Yes",
        "host.cpus=2;table.rows=5M": "Yes", "table.pctfree_percent=30;table.rows=5M": "Yes",
        "tablespace.block_size_bytes=16K;table.rows=5M": "Yes", "tablespace.block_size_bytes=4K;table.rows=5M": "Yes",
        "disk.bandwidth_bytes_per_s=7G;table.rows=5M": "Yes", f"{SMALL};workload.users=2": "Yes",
        f"{SMALL};disk.use=ebs-gp3": "No", f"{SMALL};disk.use=sas-15k": "No", f"{SMALL};workload.users=8": "No",
        f"{SMALL};workload.users=16": "No", "table.rows=5M;disk.use=ebs-gp3": "No",
        f"{SMALL};disk.bandwidth_bytes_per_s=100M": "No", "table.rows=1M;disk.use=ebs-gp3": "No",
    }),
    # The disk saturates first where it has a low limit or the cache is small, else the processors if they are few.
    "users": (USERS, {
        f"workload.transactions=300;{system}": f"{first} first"
        for first, systems in {
            "data disk": (
                "host.cpus=64", "disk.iops_limit=5000", "disk.iops_limit=20000", "disk.iops_limit=10000",
                "disk.use=ebs-gp3", "instance.buffer_cache_bytes=4G", "instance.buffer_cache_bytes=2G",
                "workload.data_bytes=128G", "workload.data_bytes=256G", "host.cpus=32",
            ),
            "processors": (
                "host.cpus=8", "host.cpus=4", "host.cpus=2", "host.cpus=6", "instance.buffer_cache_bytes=32G",
                "instance.buffer_cache_bytes=48G", "workload.data_bytes=16G", "workload.data_bytes=12G",
                "workload.data_bytes=4G", "host.cpus=4;workload.data_bytes=16G",
            ),
        }.items()
        for system in systems
    }),
    # Nothing where all data are in a cache of 8 GB; else fewer reads.
    "cache": (CACHE, {
        "workload.users=50": "It saves", "workload.data_bytes=16G": "It saves", "workload.data_bytes=32G": "It saves",
        "workload.data_bytes=128G": "It saves", "workload.data_bytes=256G": "It saves", "host.cpus=4": "It saves",
        "instance.buffer_cache_bytes=1G": "It saves", "instance.buffer_cache_bytes=4G": "It saves",
        "instance.buffer_cache_bytes=12G": "It saves", "client.round_trip_s=1ms": "It saves",
        "workload.think_s=0.5": "It saves", "workload.users=100": "It saves",
        "disk.use=sas-15k;workload.users=5": "It saves", "workload.data_bytes=1G": "No difference",
        "workload.data_bytes=2G": "No difference", "workload.data_bytes=3G": "No difference",
        "workload.data_bytes=4G": "No difference", "workload.data_bytes=5G": "No difference",
        "workload.data_bytes=6G": "No difference", "workload.data_bytes=500M": "No difference",
    }),
    # 3,000 IOPS and 125 MB/s are less than a scan takes; what is cached, or a volume without such limits, is enough.
    "volume": (VOLUME, {
        "table.rows=5M": "No", "table.rows=1M": "No", "table.rows=100K": "No", f"{SMALL};workload.users=8": "No",
        "table.rows=5M;workload.users=4": "No", "table.column_count=60;table.rows=5M": "No",
        "table.row_bytes=60;table.rows=5M": "No", "tablespace.block_size_bytes=16K;table.rows=5M": "No",
        "table.rows=5M;host.cpus=2": "No", "table.rows=5M;disk.throughput_limit_bytes_per_s=250M": "No",
        "table.rows=5M;disk.throughput_limit_bytes_per_s=500M": "No", "table.rows=5M;disk.iops_limit=16000": "No",
        "table.rows=5M;disk.throughput_limit_bytes_per_s=1G": "No",
        "table.rows=5M;disk.throughput_limit_bytes_per_s=1G;disk.iops_limit=16000": "No",
        "table.rows=5M;disk.throughput_limit_bytes_per_s=4G;disk.iops_limit=1000": "No",
        "table.rows=5M;disk.throughput_limit_bytes_per_s=4G;disk.iops_limit=16000": "No",
        "table.rows=5M;table.cached_fraction=1;instance.buffer_cache_bytes=16G": "Yes",
        "table.rows=1M;table.cached_fraction=1;instance.buffer_cache_bytes=16G": "Yes",
        f"{SMALL};table.cached_fraction=1;instance.buffer_cache_bytes=16G": "Yes",
        "table.rows=500K;table.cached_fraction=1;instance.buffer_cache_bytes=16G": "Yes",
    }),
}  # fmt: skip
CASES: Final = [(name, system) for name, (_, systems) in RIGHT.items() for system in systems]


def question_in(name: str, system: str) -> PageQuestion:
    preset = RIGHT[name][0]
    fields = dict(field.split("=") for field in system.split(";") if field)
    return opened(preset.scenario, {**fields, **preset.changes}, fields, preset=preset.key)


def rows_below(before: RunResult, after: RunResult) -> list[float]:
    """The times of the answer's rows: those that the card above the sentence's reasons shows."""
    number = key_numbers.whole(after)
    return [value for result in (before, after) if (value := number.read(result)) is not None]


@pytest.mark.parametrize("name", RIGHT)
def test_there_are_twenty_systems_for_each_question(name: str) -> None:
    assert len(RIGHT[name][1]) == 20


@pytest.mark.parametrize(
    ("name", "system"), CASES if WHOLE else Random(SEED).sample(CASES, 12), ids=lambda text: text or "as it is"
)
def test_the_sentence_is_right_and_that_of_the_rows_below(name: str, system: str) -> None:
    question, right = question_in(name, system), RIGHT[name][1][system]
    base, other, refused = question.sides()
    assert not refused
    before, after = run(base), run(other)
    text = verdict.sentence(before, after, (base, other), question.ask)
    assert right in text.partition(". ")[0], text
    assert not text.startswith("No d") or right == "No difference"
    was_s, now_s = rows_below(before, after)
    if question.ask == "faster":
        saved = (was_s - now_s) / was_s
        limit = verdict.LITTLE if right == "Yes" else 0.01
        assert (saved > limit) is (right != "No"), text
    if question.ask == "saving":
        assert (now_s < 0.99 * was_s) is (right == "It saves"), text
    if question.ask == "enough" and right == "Yes":
        assert now_s <= (1 + verdict.MOST_LONGER) * was_s, text
    if question.ask == "users":
        stats = after.transactions
        assert stats is not None
        (users,) = re.findall(r"^At ([\d,]+) users", text)
        think_s = getattr(other.workload, "think_s", 0.0)
        least_s = stats.saturation_users / stats.saturation_per_s - think_s  # type: ignore[operator]
        assert int(users.replace(",", "")) == pytest.approx(stats.saturation_per_s * (think_s + 2 * least_s), rel=1e-3)


def test_how_sure_it_is_stands_last() -> None:
    question = question_in("cache", "workload.users=50")
    base, other, _ = question.sides()
    before, after = run(base), run(other)
    assert re.search(r" Within ±\d\.\d %\.$", verdict.sentence(before, after, (base, other), "saving"))
    alike = verdict.sentence(before, before, (base, base))
    assert alike.startswith("No difference: ")


def test_where_the_constants_leave_the_sign_open_it_is_perhaps_so() -> None:
    base, other = load("full-scan-nvme"), load("full-scan-nvme", ["tablespace.block_size_bytes=16K"])
    before, after = run(base), run(other)
    sure, unsure = (verdict.sentence(before, after, (base, other), is_open=is_open) for is_open in (False, True))
    assert unsure == f"Perhaps f{sure.removeprefix('F')}"
    assert verdict.sentence(before, before, (base, base), is_open=True).startswith("No difference: ")
