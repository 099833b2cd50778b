"""Transactions in the terminal, in JSON, in the report and side by side."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click import unstyle

from blocktime.app.answer.instruments import TABS
from blocktime.app.reports.report_html import compare_page, run_page
from blocktime.app.text import transaction_text
from blocktime.app.text.compare_text import compare_lines
from blocktime.app.text.document import Form, run_lines, sections
from blocktime.app.text.text import answer
from blocktime.model.results import EventTime, RunResult
from blocktime.scenarios import load
from blocktime.scenarios.why import components
from tests.command_line import CommandLine

FAST = ["--set", "workload.transactions=300"]

Answered = Callable[..., RunResult]


def lines(result: RunResult, width: int = 80) -> list[str]:
    return [unstyle(line) for line in run_lines(result, "a title", width=width)]


def section(found: list[str], title: str) -> list[str]:
    """The lines under a heading."""
    begin = found.index(title) + 1
    end = next((place for place in range(begin, len(found)) if not found[place]), len(found))
    return found[begin:end]


def test_throughput_and_response_come_first_with_their_intervals(played: Answered) -> None:
    result = played()
    said = answer(result)
    assert re.match(r"9\.[78]\d TPS; a transaction takes [\d.]+ ms \(p95 134 ms\): .* waiting for reads", said)
    assert re.search(r"Bottleneck: data disk, \d+ % utilised; ceiling [\d.]+ TPS, reached at about 6\d users\.", said)
    found = " ".join(section(lines(result), "Transactions"))
    for words in (
        "transactions/s (TPS), 9.6", "with 95 % confidence", "mean ", "p50 14.4 ms, p95 134 ms, p99 240 ms, max 531 ms",
        "average active sessions (AAS)", "31,840 transactions, after 160 of warm-up",
    ):  # fmt: skip
        assert words in found


def test_the_profile_sums_to_the_response_in_milliseconds(played: Answered) -> None:
    result = played()
    rows = section(lines(result), "Response-time profile of one transaction")
    numbers = [float(match[1]) for row in rows[1:] if (match := re.match(r".{30}\s+([\d.]+)", row))]
    assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.001)
    assert numbers[-1] == pytest.approx(1000 * result.time.elapsed_s, abs=1e-4)
    assert rows[0].split() == ["component", "ms", "%", "times", "each"]
    assert rows[1].startswith("db file sequential read")
    calls = next(row for row in rows if row.startswith("CPU: calls"))
    assert calls.split()[4] == "2.00"  # calls of the mean transaction, not of a statement


def test_what_rounds_to_nothing_is_no_line(law: Answered) -> None:
    result = law()
    waits = {**result.time.wait, "latch: cache buffers chains": EventTime(waits=1e-9, max_s=1e-7, total_s=1e-16)}
    tiny = result.model_copy(update={"time": result.time.model_copy(update={"wait": waits})})
    assert "latch: cache buffers chains" in components(tiny)
    assert not any("latch" in line for line in lines(tiny))
    assert not any(" 0.0000 " in line for line in lines(tiny))


def test_the_load_profile_is_per_second_and_per_transaction(law: Answered) -> None:
    result = law()
    rows = {line[:30].strip(): line[30:].split() for line in section(lines(result), "Load profile")[1:]}
    stats, gets, io = result.transactions, result.logical_io, result.physical_io
    assert stats
    assert gets
    for name, each in (
        ("logical reads (buffer gets)", gets.consistent_gets + gets.current_gets),
        ("blocks read", io.read_blocks),
        ("blocks written by DBWR", io.write_requests),
        ("redo writes", stats.log_writes_per_s / stats.per_s),
    ):
        assert [float(cell) for cell in rows[name]] == pytest.approx([each * stats.per_s, each], rel=1e-3)
    assert rows["cache hit ratio, % of gets"] == [f"{100 * result.cache.hit_fraction:.2f}"] if result.cache else False


def test_resources_stand_with_the_knee_and_kinds_with_their_reads(law: Answered, played: Answered) -> None:
    result = played()
    rows = section(lines(result), "Resources")
    assert [row[:20].strip() for row in rows[1:4]] == ["data disk", "redo disk", "processors"]
    assert "reached at about 6" in " ".join(rows[4:])
    kinds = section(lines(result), "Kinds of transactions")
    assert kinds[0].split() == ["kind", "TPS", "response", "p95", "gets", "blocks", "read"]
    assert [row.split()[0] for row in kinds[1:]] == ["New-Order", "Payment", "Order-Status", "Delivery", "Stock-Level"]
    assert not list(transaction_text.kind_section(law("tpc-b")).lines())


def test_the_gets_of_the_kinds_are_those_of_the_load_profile(law: Answered, played: Answered) -> None:
    """But for the undo that consistent reads visit, which no kind has of its own."""
    result = played()
    stats, gets = result.transactions, result.logical_io
    assert stats
    assert gets
    weighted = sum(kind.per_s * (kind.consistent_gets + kind.current_gets) for kind in stats.kinds) / stats.per_s
    assert weighted == pytest.approx(gets.consistent_gets + gets.current_gets, rel=0.01)


def test_processors_saturate_and_a_disk_saturates(law: Answered) -> None:
    assert "Bottleneck: processors, " in answer(law("tpc-c", "disk.use=nvme"))


@pytest.mark.parametrize(
    ("disk", "words"),
    [
        ("sas-15k", ", so the load at which it saturates is unknown"),
        ("nvme", "; bottleneck of the other resources: processors"),
    ],
)
def test_a_disk_without_a_limit_has_no_knee(law: Answered, disk: str, words: str) -> None:
    stats = law("tpc-c", f"disk.use={disk}").transactions
    assert stats
    endless = stats.model_copy(update={"without_disk": True})
    assert transaction_text.saturation(endless).startswith(f"The disk has no known limit{words}")


def test_active_sessions_are_db_time_a_second(played: Answered) -> None:
    """The idle wait for the client is no DB time."""
    result = played()
    stats, idle = result.transactions, result.time.wait["SQL*Net message from client"].total_s
    assert stats
    expected = stats.per_s * (stats.response_s - idle)
    assert transaction_text.active_sessions(result) == pytest.approx(expected)


def test_arrivals_have_a_limit_and_no_users(law: Answered) -> None:
    result = law("tpc-c", "workload.rate_per_s=5")
    assert result.transactions
    assert result.transactions.saturation_users is None
    assert "users" not in answer(result)
    assert not any("users" in line for line in section(lines(result), "Resources"))


def test_iostat_has_one_line_a_disk_and_says_whose_await_it_is(played: Answered) -> None:
    result = played("tpc-b")
    slow = result.device["disk"].model_copy(update={"await_s": 0.05})
    found = lines(result.model_copy(update={"device": {**result.device, "disk": slow}}))
    rows = section(found, "Device")
    assert [row.split()[0] for row in rows[1:3]] == ["disk", "redo"]
    assert "includes DBWR's writes" in " ".join(rows)


@pytest.mark.parametrize("width", [72, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int, played: Answered) -> None:
    wide = [line for line in lines(played(), width) if len(line) > width]
    assert wide == []


def test_json_and_the_report_hold_it(tmp_path: Path, blocktime: CommandLine, played: Answered) -> None:
    page = tmp_path / "page.html"
    data = json.loads(blocktime.prints("run", "tpc-c", "--json", "--html", str(page)))
    assert data["transactions"]["bottleneck"] == "data disk"
    text = page.read_text("utf-8")
    for words in (
        "Load profile",
        "Throughput over load",
        "Hits over the size of the buffer cache",
        "<th>ms</th>",
        "TPS",
    ):
        assert words in text
    assert run_page(load("tpc-b"), played("tpc-b")).count("<h2>Resources") == 1


def test_a_simulated_run_prints_what_only_it_knows(blocktime: CommandLine) -> None:
    text = blocktime.prints("run", "tpc-b", *FAST, "--seed", "2")
    for words in ("p95", "with 95 % confidence", "of warm-up", "log file sync"):
        assert words in text


def test_side_by_side_is_in_milliseconds_with_tps(law: Answered) -> None:
    settings = ("instance.buffer_cache_bytes=40M",)
    results = [law(), law("tpc-c", *settings)]
    found = [
        unstyle(line)
        for line in compare_lines(results, ["", "less"], scenarios=[load("tpc-c"), load("tpc-c", settings)])
    ]
    head = next(line for line in found if line.startswith("ms of one transaction"))
    assert head.split()[-4:] == ["A", "B", "B-A", "%"]
    last = next(line for line in found if line.startswith("response "))
    assert float(last.split()[1]) == pytest.approx(1000 * results[0].time.elapsed_s, abs=1e-3)
    names = [line[:30].strip() for line in found]
    for name in ("TPS", "Buffer cache hit ratio", "Reads per transaction", "data disk % busy", "Users at saturation"):
        assert name in names
    assert "elapsed" not in names
    assert not any("a single-block read for each block" in line for line in found)


def test_transactions_beside_a_scan_are_compared_in_seconds(law: Answered) -> None:
    from blocktime.scenarios import run

    results = [law(), run(load("rahn-full-scan"))]
    found = [unstyle(line) for line in compare_lines(results, ["", ""])]
    assert any(line.startswith("seconds ") for line in found)
    assert "They are not the same work: A is one transaction, B is a whole run." in found
    page = compare_page([load("tpc-c"), load("rahn-full-scan")], results, ["", ""])
    assert "Why B differs from A" in page


def test_list_shows_the_presets(blocktime: CommandLine) -> None:
    text = blocktime.prints("list", "tpc-c")
    assert "transactions" in text
    assert "New-Order" in text


def test_money_is_that_of_a_million_transactions(law: Answered) -> None:
    found = section(lines(law("tpc-c", "prices.use=example")), "Money of a million transactions")
    assert found[0].split() == ["USD", "a", "month", "whole", "machine", "%"]
    assert found[6].split() == ["USD", "a", "million", "%", "an", "hour"]
    assert "0.000000" not in " ".join(found[:13])


def test_each_kind_of_the_mix_is_a_line_of_the_list(blocktime: CommandLine) -> None:
    text = blocktime.prints("list", "tpc-c")
    assert "workload.mix.Payment = weight 43, gets 14" in text
    assert "commits false" in text
    assert "{" not in text


@pytest.mark.parametrize("name", ["tpc-b", "tpc-c"])
@pytest.mark.parametrize("width", [62, 80])
def test_half_a_page_holds_every_column(name: str, width: int, played: Answered) -> None:
    found = [
        unstyle(line)
        for section in sections(played(name), Form(width, bar=""), TABS["Transactions"].text.names)
        for line in section.lines(width, "")
    ]
    assert max(map(len, found)) <= width
    heading = next(line for line in found if line.startswith("component"))
    assert heading.split() == ["component", "ms", "%", "times", "each"]
    for line in section(found, "Response-time profile of one transaction"):
        assert len(line) <= len(heading)


def test_beside_other_programs_the_knee_is_that_of_the_transactions_alone(played: Answered) -> None:
    stats = played().transactions
    assert stats
    said = transaction_text.saturation(stats, beside=True)
    assert said.startswith("Bottleneck without the other programs: ")
    assert "the transactions take" in said
    assert "utilised" not in said


def test_no_share_of_an_unknown_limit_is_told_and_no_calls_that_are_not_known(played: Answered) -> None:
    result = played("tpc-b")
    stats, disk = result.transactions, result.device["disk"]
    assert stats is not None
    shares = {**stats.utilisation, "data disk": 0.62}
    stats = stats.model_copy(update={"utilisation": shares})
    result = result.model_copy(update={"transactions": stats})
    for busy_fraction, tells in ((0.7, False), (1.0, True)):
        device = {"disk": disk.model_copy(update={"utilisation_fraction": busy_fraction})}
        sentence = transaction_text.util_sentence(result.model_copy(update={"device": device}))
        assert ("62 % of its capacity is used" in sentence) is tells
    busy = {**result.device, "disk": disk.model_copy(update={"utilisation_fraction": 0.9})}
    result = result.model_copy(update={"device": busy})
    assert "of its capacity is used" in transaction_text.util_sentence(result)
    endless = result.model_copy(update={"transactions": stats.model_copy(update={"without_disk": True})})
    assert transaction_text.util_sentence(endless) == ""
    rows = {line[:20].strip(): line.split()[-1] for line in transaction_text.resource_section(endless).lines()}
    assert rows["data disk"] == "unknown"
    waits = {event: waited for event, waited in result.time.wait.items() if "from client" not in event}
    silent = result.model_copy(update={"time": result.time.model_copy(update={"wait": waits})})
    calls = next(line for line in lines(silent) if line.startswith("CPU: calls"))
    assert calls.split()[2:] == ["0.1200", "1.3"]
