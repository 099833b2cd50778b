"""What of a question about transactions decides nothing, in one sentence each; and what their rows and device cost."""

from __future__ import annotations

import pytest

from model.errors import BlocktimeError
from scenarios import from_mapping, run

KIND = {"kind": "transactions", "users": 5}


def warnings_of(**sections: object) -> list[str]:
    return run(from_mapping({"workload": KIND, **sections}), "calculate").warnings


def test_users_beside_a_rate_are_said_to_have_no_effect() -> None:
    said = warnings_of(workload={**KIND, "rate_per_s": 2})
    assert any("workload.users has no effect beside workload.rate_per_s" in one for one in said)
    assert not any("workload.users" in one for one in warnings_of())


def test_a_block_size_of_the_instance_alone_is_said_to_have_no_effect() -> None:
    said = warnings_of(instance={"db_block_size_bytes": "16K"})
    assert any("instance.db_block_size_bytes has no effect on its own" in one and "8K" in one for one in said)
    both = warnings_of(instance={"db_block_size_bytes": "16K"}, tablespace={"block_size_bytes": "16K"})
    assert not any("db_block_size_bytes" in one for one in both)


@pytest.mark.parametrize("value", [-1, "all", [1]])
def test_a_sweep_that_is_no_section_is_refused(value: object) -> None:
    with pytest.raises(BlocktimeError, match=r"sweep: got .*; it is a section"):
        from_mapping({"workload": KIND, "sweep": value})


def test_rows_are_walked_to_and_not_fetched() -> None:
    few, many = (
        run(from_mapping({"workload": {**KIND, "mix": [{"rows": rows}]}}), "calculate") for rows in (0, 1000)
    )
    more = {cause: many.time.cpu[cause] - few.time.cpu[cause] for cause in few.time.cpu}
    assert max(more, key=lambda cause: more[cause]) == "walking rows"
    assert sum(more.values()) == pytest.approx(more["walking rows"], rel=1e-3)
    assert "fetching rows" not in many.time.cpu


def test_await_is_no_less_than_what_the_requests_of_a_saturated_device_wait() -> None:
    """A device with a limit of 125 MB/s: its reads wait for it, and iostat's await with them."""
    question = {
        "disk": {"use": "ebs-gp3", "iops_limit": 16000},
        "instance": {"buffer_cache_bytes": "64M"},
        "workload": {
            **KIND,
            "users": 300,
            "think_s": 0.1,
            "data_bytes": "10G",
            "mix": [{"gets": 100, "changed_blocks": 0}],
        },
    }
    found = run(from_mapping(question), "calculate")
    read = found.time.wait["db file sequential read"]
    assert found.device["disk"].await_s == pytest.approx(read.total_s / read.waits, rel=0.01)
    assert found.device["disk"].await_s > 0.01
