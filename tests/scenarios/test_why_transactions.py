"""What moved between two answers of transactions, and why: each cause is told with the numbers of both."""

from typing import Any

import pytest

from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, from_mapping, load, run
from blocktime.scenarios.why import components, why
from blocktime.scenarios.why_transactions import mechanism
from tests.answered import answered

FEW = "workload.transactions=4000"
"""A run of a known length: what is told needs no precision."""


def told(settings: list[str], base: list[str] | None = None, name: str = "tpc-c") -> list[str]:
    """Why the scenario with *settings* differs from that with *base*, by the law."""
    first, second = [FEW, *(base or [])], [FEW, *settings]
    asked = load(name, first), load(name, second)
    return why(answered(name, *first), answered(name, *second), asked)


def one(said: list[str], *words: str) -> str:
    """The one sentence that has all of the words."""
    found = [sentence for sentence in said if all(word in sentence for word in words)]
    assert len(found) == 1, said
    return found[0]


@pytest.mark.parametrize(("size", "hits"), [("40M", "fell"), ("68M", "rose")])
def test_reads_are_told_by_hits_and_those_by_the_cache(size: str, hits: str) -> None:
    said = told([f"instance.buffer_cache_bytes={size}"])
    sentence = one(
        said,
        "reads per transaction",
        f"because the buffer cache hit ratio {hits} from",
        f"the buffer cache is {size} instead of",
    )
    assert "fell" in sentence
    assert "which saves" in sentence if hits == "rose" else "which costs" in sentence
    assert said[0] == sentence


@pytest.mark.parametrize("endless", [True, None])
def test_a_limit_that_nobody_knows_does_not_move(endless: bool | None) -> None:
    asked = load("tpc-c", [FEW]), load("tpc-c", [FEW, "instance.buffer_cache_bytes=68M"])
    answers = [run(scenario) for scenario in asked]
    for place, answer in enumerate(answers):
        assert answer.transactions
        stats = answer.transactions.model_copy(update={"without_disk": endless})
        answers[place] = answer.model_copy(update={"transactions": stats})
    told_of_it = any("the ceiling of the data disk" in sentence for sentence in why(*answers, asked))
    assert told_of_it is (endless is None)


def test_more_users_queue_at_the_bottleneck_and_do_more() -> None:
    said = told(["workload.users=40"])
    one(said, "a read takes", "data disk", "% busy: requests queue there")
    one(said, "throughput rose from 9.", "with 40 users instead of 10")


def test_a_log_among_the_data_is_told_as_the_cause_of_its_waits() -> None:
    one(told(["instance.redo_disk=data"]), "log file sync takes", "because the log is on the disk of the data", "costs")
    one(told([], ["instance.redo_disk=data"]), "because the log is on a disk of its own", "saves")


def test_another_disk_is_named_and_processors_saturate_then() -> None:
    said = told(["disk.use=nvme"])
    one(said, "the disk is nvme", "a read takes")
    one(said, "the bottleneck is the processors instead of the data disk: ceiling")


BUSY = ["disk.use=nvme", "workload.think_s=0", "workload.users=16"]


def test_the_run_queue_of_the_processors_is_told() -> None:
    said = told([*BUSY, "host.cpus=1"], [*BUSY, "host.cpus=16"])
    one(said, "the run queue (CPU wait) takes", "instead of", "costs")
    one(said, "throughput fell")


def test_latches_of_the_hottest_blocks_are_told() -> None:
    contended = [
        *BUSY,
        "host.cpus=16",
        "workload.users=64",
        "host.latch_hold_s=2e-5",
        "workload.hottest_gets_percent=60",
    ]
    many = [*contended, "workload.hottest_blocks=1"]
    said = told(many, [*contended, "workload.hottest_blocks=1000"])
    assert any("latch" in sentence for sentence in said), said


def test_a_cheaper_transaction_is_told_by_its_gets() -> None:
    said = told(["workload.mix.0.gets=24"], name="tpc-b")
    one(said, "reads per transaction rose", "because")


def test_nothing_changed_is_said_of_the_response() -> None:
    said = told(["iostat.interval_s=2"])
    assert said[0].startswith("the response does not change")


@pytest.mark.parametrize("setting", [
    "workload.hot_gets_percent=60", "workload.hot_data_percent=50", "workload.data_bytes=200M",
    "instance.replacement.percent_hot=10", "tablespace.block_size_bytes=4K", "workload.rate_per_s=8",
    "workload.think_s=0", "workload.mix.New-Order.weight=10", "host.cpus=1",
])  # fmt: skip
def test_whatever_changes_there_are_one_to_five_sentences(setting: str) -> None:
    said = told([setting])
    assert 1 <= len(said) <= 5
    for sentence in said:
        assert len(sentence.splitlines()) == 1
        assert "nan" not in sentence
        assert "None" not in sentence


def test_every_component_has_a_mechanism_that_sums_to_the_response() -> None:
    result: RunResult = run(load("tpc-c"))
    sums: dict[str, float] = {}
    for name, seconds in components(result).items():
        sums[mechanism(name)] = sums.get(mechanism(name), 0.0) + seconds
    assert sum(sums.values()) == pytest.approx(result.time.elapsed_s)
    assert {"reads", "CPU", "log file sync", "the client and the network"} <= sums.keys()


def test_transactions_beside_another_kind_of_work_are_compared() -> None:
    scenarios: tuple[Scenario, Scenario] = load("tpc-c"), load("savvinov-lio-pc")
    answers = run(scenarios[0]), run(scenarios[1])
    assert why(*answers, scenarios)


def test_more_gets_are_the_cause_of_more_reads() -> None:
    one(told(["workload.mix.0.gets=900"]), "reads per transaction rose", "because gets per transaction rose from 9")


def test_what_is_next_to_nothing_is_called_so() -> None:
    said = told(["disk.use=nvme", "host.cpus=1", "workload.users=4000"], name="tpc-b")
    one(said, "the run queue (CPU wait) takes", "instead of nothing")
    assert not any("e-0" in sentence for sentence in said)


def test_costs_are_those_of_a_million_transactions() -> None:
    said = told(["prices.use=example", "workload.mix.0.gets=900"], ["prices.use=example"])
    one(said, "a million transactions cost", "because CPU rose from")


def test_the_limit_of_a_volume_that_binds_is_named() -> None:
    """125 MB/s with 16,000 IOPS: the bytes bind, and the requests are hardly used."""
    question: dict[str, Any] = {
        "disk": {"use": "ebs-gp3", "iops_limit": 160_000, "throughput_limit_bytes_per_s": "125M"},
        "tablespace": {"block_size_bytes": "32K"},
        "instance": {"buffer_cache_bytes": "64M"},
        "workload": {
            "kind": "transactions", "think_s": 0.1, "data_bytes": "10G", "mix": [{"gets": 100, "changed_blocks": 0}],
        },
    }  # fmt: skip
    few = from_mapping(question)
    many = from_mapping({**question, "workload": {**question["workload"], "users": 300}})
    said = " ".join(why(run(few), run(many), (few, many)))
    assert "the limit of 125 MB/s binds while the limit of 160,000 IOPS is 2.5 % used" in said
