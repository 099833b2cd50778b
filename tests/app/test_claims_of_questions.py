"""What a question, its title and the guide claim of an answer is what the answer gives."""

import re
from pathlib import Path

import pytest

from blocktime.app.controls.presets import QUESTIONS, Preset, all_presets
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, load, run
from tests.whole import quick

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"
BY_TITLE = {question.title: question for question in QUESTIONS}


def asked(question: Preset, *settings: str) -> Scenario:
    return load(question.scenario, [*(f"{path}={text}" for path, text in question.changes.items()), *settings])


def both(title: str) -> tuple[RunResult, RunResult]:
    question = BY_TITLE[title]
    return run(load(question.scenario)), run(asked(question))


def test_the_update_takes_the_minutes_of_its_title_and_the_advice_takes_them_away() -> None:
    title = "Why does the same update take 11 minutes there?"
    before, after = both(title)
    assert round(after.time.elapsed_s / 60) == 11
    for advice in ("table.pctfree_percent=35", "instance.release=11.2.0.4"):
        assert run(asked(BY_TITLE[title], advice)).time.elapsed_s < 2 * before.time.elapsed_s


def test_setall_is_worth_it_for_the_scan_and_not_for_users_of_the_page_cache() -> None:
    before, after = both("Is filesystemio_options=setall worth it?")
    assert (f"{before.time.elapsed_s:.1f}", f"{after.time.elapsed_s:.1f}") == ("7.7", "3.8")
    claims = re.findall(r"^\| (none|setall) \| (\d+) GB \| ([\d.]+) ms \|$", GUIDE.read_text("utf-8"), re.M)
    assert len(claims) == 3
    cached = ["host.io_path=buffered", "host.page_cache_hit_fraction=0.8"]
    for options, gigabytes, response_ms in claims[:: quick(2, 1)]:
        more = [f"instance.filesystemio_options={options}", f"instance.buffer_cache_bytes={gigabytes}G"]
        elapsed_ms = 1e3 * run(load("oltp-nvme", [*cached, *more])).time.elapsed_s
        assert elapsed_ms == pytest.approx(float(response_ms), abs=0.0051)


def test_a_bigger_cache_and_16k_blocks_save_what_their_questions_ask_for() -> None:
    for title in ("Are 16K blocks faster?", "What does a bigger buffer cache save?"):
        before, after = both(title)
        assert after.time.elapsed_s < before.time.elapsed_s
    volume = both("Will this cloud volume carry my scan?")
    assert volume[1].time.elapsed_s > 10 * volume[0].time.elapsed_s


@pytest.mark.parametrize("question", list(all_presets()), ids=lambda question: question.title)
def test_figures_in_the_words_of_a_question_are_those_of_its_scenario(question: Preset) -> None:
    base, other = load(question.scenario), asked(question)
    of_both = [(one.system, one.workload.model_dump()) for one in (base, other)]
    figures = {
        "million rows": [system.table.rows / 1e6 for system, _ in of_both],
        "users": [work.get("users") for _, work in of_both],
        "ms": [1e3 * (work.get("think_s") or 0) for _, work in of_both],
        "K blocks": [system.tablespace.block_size_bytes / 1024 for system, _ in of_both],
        "GB": [
            *(system.instance.buffer_cache_bytes / 2**30 for system, _ in of_both),
            *(system.instance.pga_bytes / 2**30 for system, _ in of_both),
            *((work.get("data_bytes") or 0) / 2**30 for _, work in of_both),
        ],
        "IOPS": [system.disk.iops_limit for system, _ in of_both],
        "MiB/s": [(system.disk.throughput_limit_bytes_per_s or 0) / 2**20 for system, _ in of_both],
    }
    said = re.findall(rf"([\d,.]+) ?({'|'.join(figures)})\b", f"{question.title} {question.says}")
    for figure, unit in said:
        decimals = len(figure.partition(".")[2])
        rounded = [round(value, decimals) for value in figures[unit] if value is not None]
        assert float(figure.replace(",", "")) in rounded, (figure, unit)
