"""What streams write for each other, and ratios that are nearly nothing."""

import pytest

from blocktime.model.errors import BlocktimeError
from blocktime.scenarios import from_mapping, run

FAR = {"pattern": "random", "span_bytes": "1G"}
BUFFERED = {"kind": "write_stream", "path": "buffered"}


@pytest.mark.parametrize(("filesystem", "alike"), [("xfs", True), ("ext4", True), ("ext3", False)])
def test_fsync_writes_its_own_file_but_for_an_ordered_commit(filesystem: str, alike: bool) -> None:
    """Only the commit of ext3 in ordered mode writes what another program has dirtied."""
    mine = BUFFERED | FAR | {"block_size_bytes": 4096, "fsync_every": 10, "count": 200}
    other = BUFFERED | FAR | {"block_size_bytes": "1M", "count": 64}
    took = []
    for beside in ([], [other]):
        scenario = from_mapping(
            {
                "disk": {"use": "ssd-sata"},
                "host": {"memory_bytes": "64G", "filesystem": filesystem},
                "workload": {**mine, "beside": beside},
            }
        )
        took.append(run(scenario).time.elapsed_s)
    assert (took[1] < 1.1 * took[0]) == alike


@pytest.mark.parametrize(
    ("section", "field"),
    [("disk", "inner_bandwidth_ratio"), ("host", "dirty_ratio_percent"), ("host", "dirty_background_ratio_percent")],
)
def test_a_ratio_that_is_nearly_nothing_is_refused(section: str, field: str) -> None:
    with pytest.raises(BlocktimeError, match=rf"{field}.*at least"):
        from_mapping({section: {field: 5e-324}, "workload": {"kind": "write_stream"}})
