"""The cause of a part is the smallest set of changed fields that alone moves it by most of what is claimed."""

from functools import cache
from itertools import combinations
from random import Random

from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, load, run
from blocktime.scenarios.why import _by_mechanism as parts_between
from blocktime.scenarios.why import causes_of, why
from blocktime.scenarios.why_cause import ENOUGH
from tests.whole import SEED, quick

CHANGES = {
    "full-scan-nvme": (
        "table.row_bytes=140", "table.column_count=30", "tablespace.block_size_bytes=16K", "disk.use=ebs-gp3",
        "instance.filesystemio_options=none", "workload.arraysize_rows=500", "table.pctfree_percent=40",
        "host.use=opteron-2218", "table.initrans=20", "instance.db_file_multiblock_read_count=16",
        "workload.parallel_requests=4", "workload.sent_columns=1", "host.scheduler=none", "table.rows=40000000",
        "disk.throughput_limit_bytes_per_s=500M",
    ),
    "rahn-full-scan": (
        "workload.arraysize_rows=15", "tablespace.block_size_bytes=16K", "table.pctfree_percent=30",
        "disk.use=nvme", "workload.sent_columns=1", "client.use=lan", "table.row_bytes=300",
        "instance.release=19.3",
    ),
    "index-range-scan-scattered": (
        "disk.use=nvme", "workload.rows_fraction=0.001", "workload.arraysize_rows=15", "index.blevel=3",
        "instance.buffer_cache_bytes=8G", "workload.parallel_reads=16", "table.row_bytes=80",
        "tablespace.block_size_bytes=16K", "workload.cached_fraction=0.5",
    ),
    "oltp-nvme": (
        "workload.users=400", "instance.buffer_cache_bytes=512M", "disk.use=ebs-gp3", "instance.redo_disk=data",
        "host.cpus=8", "workload.think_s=0.5", "workload.mix.0.gets=200", "workload.data_bytes=7G",
        "tablespace.block_size_bytes=16K",
    ),
    "random-read-depth": (
        "workload.in_flight=4", "workload.request_bytes=64K", "disk.use=ebs-gp3", "workload.users=4",
        "host.scheduler=mq-deadline", "workload.calls=50000",
    ),
    "insert-with-indexes": (
        "workload.commit_every_rows=10", "table.row_bytes=300", "workload.method=array", "table.indexes=1",
        "disk.use=sata-7k2", "workload.rows=20000",
    ),
}  # fmt: skip
"""Scenario -> changes of every kind; those that it has no field for are left out."""
SMALL = {
    "oltp-nvme": ("instance.buffer_cache_bytes=256M", "workload.data_bytes=3500M", "workload.transactions=1000"),
    "index-range-scan-scattered": ("table.rows=1000000",),
}
"""Scenario -> what makes its runs short, with and without the changes."""


@cache
def answer(name: str, *settings: str) -> tuple[Scenario, RunResult] | None:
    """A scenario and its instant estimate; None where its fields do not go together."""
    try:
        scenario = load(name, (*SMALL.get(name, ()), *settings))
        return scenario, run(scenario)
    except BlocktimeError:
        return None


def groups(most: int) -> list[tuple[str, tuple[str, ...]]]:
    """Pairs and triples of changes that go together, by chance, the same for a seed."""
    chance, wanted = Random(f"{SEED} causes"), []
    while len(wanted) < most:
        name = chance.choice([*CHANGES])
        settings = tuple(chance.sample(CHANGES[name], chance.choice((2, 3))))
        if answer(name, *settings) is not None:
            wanted.append((name, settings))
    return wanted


def test_the_columns_alone_are_named_where_rows_are_shorter_too() -> None:
    asked, found = zip(
        *(
            answer("full-scan-nvme", *settings) or ()
            for settings in ((), ("table.row_bytes=140", "table.column_count=30"))
        ),
        strict=True,
    )
    told = why(*found, asked)
    assert told[0].startswith(
        "with table.column_count 30 instead of 20, walking the rows takes 2.50 s instead of 2.14 s"
    )
    assert not any("150 to 140" in sentence for sentence in told)
    assert "with table.row_bytes 140 instead of 150, consistent gets fell" in told[1]


def test_a_single_change_needs_no_search() -> None:
    asked, found = zip(
        *(answer("full-scan-nvme", *settings) or () for settings in ((), ("table.row_bytes=140",))), strict=True
    )
    assert causes_of(*found, asked) == {}


def test_the_smallest_set_that_moves_a_part_alone_is_its_cause() -> None:
    parts = 0
    for name, settings in groups(quick(12, 500)):
        (before, base), (after, other) = answer(name) or (), answer(name, *settings) or ()
        claimed = parts_between(base, other)
        for part, cause in causes_of(base, other, (before, after)).items():
            change_s = claimed[part].change_s
            moving = [
                subset
                for size in range(1, len(cause.fields) + 1)
                for subset in combinations(settings, size)
                if _moves(name, part, change_s, subset)
            ]
            named = tuple(setting for setting in settings if _is_named(setting, cause.words))
            assert named in moving, (name, settings, part, cause.fields)
            assert min(map(len, moving)) == len(named), (name, settings, part, cause.fields)
            parts += 1
    assert parts > quick(12, 500)


def _is_named(setting: str, words: str) -> bool:
    return f" {setting.partition('=')[0]} " in f" {words} "


def _moves(name: str, part: str, change_s: float, settings: tuple[str, ...]) -> bool:
    """Whether these settings alone move the part by most of its change."""
    base, other = answer(name), answer(name, *settings)
    if base is None or other is None:
        return False
    moved = parts_between(base[1], other[1])
    return part in moved and moved[part].change_s * change_s >= ENOUGH * change_s**2
