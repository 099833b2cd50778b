"""Bad input of transactions: one sentence with what, where, got and allowed; and notes on fields of no effect."""

from pathlib import Path
from typing import Any

import pytest

from blocktime.model.errors import BlocktimeError
from blocktime.scenarios import from_mapping, load, run, to_toml


def test_kinds_change_one_by_one_by_name_or_number() -> None:
    changed = load("tpc-c", ["workload.mix.New-Order.gets=80", "workload.mix.1.calls=7"]).workload
    base = load("tpc-c").workload
    assert changed.mix[0] == base.mix[0].model_copy(update={"gets": 80.0})
    assert changed.mix[1] == base.mix[1].model_copy(update={"calls": 7.0})
    assert changed.mix[2:] == base.mix[2:]


def test_a_changed_kind_survives_a_file(tmp_path: Path) -> None:
    scenario = load("tpc-c", ["workload.mix.Delivery.gets=100", "workload.users=3"])
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(scenario), "utf-8")
    assert load(path).workload == scenario.workload
    assert load(path, ["workload.mix.Delivery.rows=1"]).workload.mix[3].gets == 100


def test_a_kind_of_a_mix_that_nobody_gave_is_the_default_one() -> None:
    changed = load("rahn-full-scan", ["workload.kind=transactions", "workload.mix.0.gets=7"]).workload
    assert [one.gets for one in changed.mix] == [7.0]


@pytest.mark.parametrize(
    ("name", "settings", "closed"),
    [("tpc-c", ["workload.rate_per_s=5"], False), ("tpc-c", ["workload.think_s=2"], True)],
)
def test_arrivals_and_users_replace_each_other_over_a_base(name: str, settings: list[str], closed: bool) -> None:
    result = run(load(name, settings))
    assert result.transactions
    assert (result.transactions.saturation_users is not None) is closed


def notes(*settings: str) -> str:
    return " ".join(run(load("tpc-b", ["workload.transactions=100", *settings])).warnings)


@pytest.mark.parametrize(
    "setting",
    ["table.rows=5", "index.clustering=scattered", "host.filesystem=ext3",
     "instance.sessions=10", "tablespace.space_management=manual"],
)  # fmt: skip
def test_a_field_that_decides_nothing_is_named(setting: str) -> None:
    assert f"{setting.partition('=')[0]} has no effect on transactions" in notes(setting)
    assert "no effect" not in notes()


def test_a_field_that_another_makes_idle_is_named_with_the_reason() -> None:
    setting = "host.page_cache_hit_fraction=0.5"
    assert "host.page_cache_hit_fraction has no effect here: used only for files opened buffered" in notes(setting)
    assert "no effect" not in notes(setting, "host.io_path=buffered")
    assert "host.cpus has no effect here: a single session uses one processor" in " ".join(
        run(load("rahn-full-scan", ["host.cpus=4"])).warnings
    )


def test_defaults_and_users_that_never_pause_are_named() -> None:
    said = notes("workload.think_s=0")
    assert "host, client and disk costs are typical values" in said
    assert "think time is 0" in said


def test_buffer_pools_that_leave_little_memory_are_named() -> None:
    short = "the buffer pools take 13G of 16G. Oracle plans at most 80 % for the whole instance"
    assert short in notes("instance.buffer_cache_bytes=13G")
    assert short in notes("instance.buffer_cache_bytes=10G", "instance.db_recycle_cache_bytes=3G")
    assert "short of memory" not in notes("instance.buffer_cache_bytes=12G")


def test_replications_give_the_interval_of_the_response() -> None:
    result = run(load("tpc-b", ["workload.transactions=200"]), replications=2)
    assert result.transactions
    assert result.transactions.response_interval == result.time.interval


def test_an_overload_is_refused_by_the_simulation_too() -> None:
    with pytest.raises(BlocktimeError, match="the queue would grow without end"):
        run(load("tpc-c", ["workload.rate_per_s=500"]))


def test_what_sizes_multiblock_reads_has_no_effect_without_scans_alone() -> None:
    setting = "instance.sessions=10", "instance.release=10.2.0.4"
    assert "instance.sessions and instance.release have no effect on transactions that scan no blocks" in notes(
        *setting
    )
    assert "no effect" not in notes(*setting, "workload.mix.0.scan_blocks=20")


def test_transactions_that_take_no_time_are_refused() -> None:
    free = [f"{cost}=0" for cost in ("workload.think_s", "client.round_trip_s", "host.call_s")]
    free += [f"workload.mix.0.{what}=0" for what in ("gets", "rows", "changed_blocks", "redo_bytes")]
    with pytest.raises(BlocktimeError, match=r"takes no time and workload\.think_s is 0.* host\.call_s more than 0"):
        run(load("tpc-b", [*free, "workload.mix.0.commits=false"]))


KIND = {"kind": "transactions", "users": 5}


def warnings_of(**sections: object) -> list[str]:
    return run(from_mapping({"workload": KIND, **sections})).warnings


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
    few, many = (run(from_mapping({"workload": {**KIND, "mix": [{"rows": rows}]}})) for rows in (0, 1000))
    more = {cause: many.time.cpu[cause] - few.time.cpu[cause] for cause in few.time.cpu}
    assert max(more, key=lambda cause: more[cause]) == "row access"
    assert sum(more.values()) == pytest.approx(more["row access"], rel=0.1)  # and what users meet
    assert "projecting rows" not in many.time.cpu


def test_await_is_no_less_than_what_the_requests_of_a_saturated_device_wait() -> None:
    """A device with a limit of 125 MB/s: its reads wait for it, and iostat's await with them.

    What the queue has no room for waits, too, and no iostat sees it.
    """
    question: dict[str, Any] = {
        "disk": {"use": "ebs-gp3", "iops_limit": 16000},
        "host": {"nr_requests": 1024},
        "instance": {"buffer_cache_bytes": "64M"},
        "workload": {
            **KIND,
            "users": 300,
            "think_s": 0.1,
            "data_bytes": "10G",
            "mix": [{"gets": 100, "changed_blocks": 0}],
        },
    }
    found = run(from_mapping(question))
    read = found.time.wait["db file sequential read"]
    assert found.device["disk"].await_s == pytest.approx(read.total_s / read.waits, rel=0.01)
    assert found.device["disk"].await_s > 0.01
    few = run(from_mapping(question | {"host": {"nr_requests": 128}}))
    waited = few.time.wait["db file sequential read"]
    assert waited.total_s / waited.waits == pytest.approx(read.total_s / read.waits, rel=0.03)
    assert few.device["disk"].await_s == pytest.approx(128 / few.device["disk"].reads_per_s, rel=0.02)
