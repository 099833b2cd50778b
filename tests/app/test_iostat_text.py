"""iostat's own form to the letter, the lines that are picked of many, and requests by size."""

import re

import pytest
from click import unstyle

from blocktime.app.text.iostat_text import by_size, columns_of, device_section, lines_of, size_sections, value_of
from blocktime.model.laws.iostat_columns import DISCARDS
from blocktime.model.results import DeviceLine, RunResult
from blocktime.scenarios import load, run


def sizes_of(result: RunResult, width: int = 80, letter: str = "█") -> list[str]:
    """Requests by size, of all devices, as lines."""
    return [line for section in size_sections(result) for line in section.lines(width, letter)]


# Lines of document 001 as iostat printed them.
HEAD = "Device:    rrqm/s wrqm/s   r/s   w/s  rsec/s  wsec/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm  %util"
PRINTED = {
    "ida/c0d1     0.00  94.06  0.00  4.95    0.00  792.08     0.00   396.04   160.00     0.08   15.60   3.60   1.78":
    (94.06, 4.95, 792.08, 160.0, 0.08, 15.6, 3.6, 1.78),
    "sdb          0.00 437.37  0.00 65.66    0.00 4072.73     0.00  2036.36    62.03     0.12    1.85   1.85  12.12":
    (437.37, 65.66, 4072.727, 62.03, 0.12, 1.85, 1.85, 12.12),
}  # fmt: skip


def measured(merged: float, writes: float, sectors: float, *rest: float) -> DeviceLine:
    size, queue, await_ms, service_ms, percent = rest
    return DeviceLine(
        begin_s=0, interval_s=1, merged_reads_per_s=0, merged_writes_per_s=merged, reads_per_s=0,
        writes_per_s=writes, read_bytes_per_s=0, written_bytes_per_s=512 * sectors,
        average_request_bytes=512 * size, average_queue=queue, await_s=await_ms / 1000, service_s=service_ms / 1000,
        utilisation_fraction=percent / 100,
    )  # fmt: skip


def watched(raw: RunResult, name: str, lines: list[DeviceLine], **more: object) -> RunResult:
    (device,) = raw.device.values()
    return raw.model_copy(update={"device": {name: device.model_copy(update={"lines": lines, **more})}})


@pytest.mark.parametrize("printed", PRINTED)
def test_a_line_is_printed_as_iostat_prints_it(raw: RunResult, printed: str) -> None:
    line = measured(*PRINTED[printed])
    first = {name: getattr(line, name) for name in DeviceLine.model_fields if name not in ("begin_s", "interval_s")}
    alone = watched(raw, printed.split(maxsplit=1)[0], [], **first)
    assert [unstyle(text) for text in device_section(alone, 120).lines(120)] == ["Device", HEAD, printed]


def test_a_wide_number_widens_its_column_under_its_head(raw: RunResult) -> None:
    line = measured(10020.0, 234.0, 83224.0, 355.66, 72.44, 177.41, 2.21, 51.6)
    _, head, first, *_ = device_section(watched(raw, "ida/c0d1", [line]), 140).lines(140)
    assert first.split()[2:6] == ["10020.00", "0.00", "234.00", "0.00"]
    for name in columns_of(raw):
        end = head.index(name) + len(name)
        assert first[end - 1].isdigit(), name
        assert first[end] == " ", name


def test_a_steady_run_shows_its_first_lines_the_busiest_and_the_last(raw: RunResult) -> None:
    ((name, stats),) = raw.device.items()
    assert [(row.seconds, row.measured is None) for row in lines_of(name, stats)] == [
        ("0-1", False), ("1-2", False), ("2-3", False), ("3-4", False),
        ("… 16 lines left out; --json or a longer iostat.interval_s shows all", True),
        ("20-21", False), ("… 19 lines left out", True), ("40-41", False), ("all", False),
    ]  # fmt: skip


def test_a_long_run_shows_where_something_changes_and_its_idle_time_as_one(raw: RunResult) -> None:
    ((name, stats),) = raw.device.items()
    idle, fast = {"writes_per_s": 0.0, "written_bytes_per_s": 0.0}, {"writes_per_s": 900.0}
    large = {"written_bytes_per_s": 5e7}
    changed = {**dict.fromkeys(range(25, 31), idle), 8: fast, 33: large}
    lines = [line.model_copy(update=changed.get(place, {})) for place, line in enumerate(stats.lines)]
    shown = [row.seconds for row in lines_of(name, stats.model_copy(update={"lines": lines}))]
    assert [one for one in shown if "left out" not in one] == [
        "0-1", "1-2", "2-3", "7-8", "8-9", "9-10", "24-25", "… 6 idle intervals, 25-31", "31-32", "32-33",
        "33-34", "34-35", "40-41", "all",
    ]  # fmt: skip
    assert len(shown) <= 17


def test_a_restless_run_still_fits(raw: RunResult) -> None:
    ((name, stats),) = raw.device.items()
    wild = [
        line.model_copy(update={"writes_per_s": 100.0 + (place * 7919) % 613}) for place, line in enumerate(stats.lines)
    ]
    shown = lines_of(name, stats.model_copy(update={"lines": wild}))
    assert 14 <= len(shown) <= 17
    assert len(lines_of(name, stats.model_copy(update={"lines": wild}), most=300)) == 42


def test_a_short_run_shows_every_line(raw: RunResult) -> None:
    ((name, stats),) = raw.device.items()
    few = stats.model_copy(update={"lines": stats.lines[:16]})
    assert [row.seconds for row in lines_of(name, few)] == [*(f"{i}-{i + 1}" for i in range(16)), "all"]
    more = stats.model_copy(update={"lines": stats.lines[:17]})
    assert any(row.seconds.startswith("… 12 lines left out") for row in lines_of(name, more))


@pytest.mark.parametrize("kernel", ["2.6.5", "2.6.18", "3.10", "4.15", "5.4", "6.1"])
@pytest.mark.parametrize("width", [60, 72, 80, 100, 120])
def test_reads_beside_writes_fit_the_terminal_and_nothing_is_dropped_in_silence(
    raw: RunResult, width: int, kernel: str
) -> None:
    both = measured(9000, 300, 70000, 200, 140, 400, 3, 100).model_copy(
        update={"merged_reads_per_s": 70.0, "reads_per_s": 800.0, "read_bytes_per_s": 3e7, "read_await_s": 0.002,
                "write_await_s": 0.4, "average_read_bytes": 37500.0, "average_write_bytes": 119466.0,
                "reads_merged_fraction": 0.08, "writes_merged_fraction": 0.97, "flushes_per_s": 3.0,
                "flush_await_s": 0.01}
    )  # fmt: skip
    alone = {name: value for name, value in both.model_dump().items() if name not in ("begin_s", "interval_s")}
    result = watched(raw, "sda", [both] * 3, **alone).model_copy(update={"kernel": kernel})
    lines = [unstyle(text) for text in device_section(result, width).lines(width)]
    if width >= 80:
        assert max(map(len, lines)) <= width
    missing = set(columns_of(result)) - set(lines[1].split()) - set(DISCARDS.split())
    text = re.sub(r"-\s+", "-", " ".join(lines))  # a line may end within rareq-sz
    assert all(name in text for name in missing)


@pytest.mark.parametrize(("kernel", "head"), [("3.10", "Device:"), ("4.15", "Device"), ("6.1", "Device")])
def test_a_wide_terminal_shows_all_that_iostat_prints_in_its_order(raw: RunResult, kernel: str, head: str) -> None:
    result = raw.model_copy(update={"kernel": kernel})
    lines = [unstyle(text) for text in device_section(result, 250).lines(250)]
    assert lines[1].split() == [head, *columns_of(result), "seconds"]
    assert len(lines[2].split()) == len(lines[1].split())


def test_units_are_iostats(raw: RunResult) -> None:
    (stats,) = raw.device.values()
    shown = {name: value_of(name, stats) for name in ("wsec/s", "wkB/s", "avgrq-sz", "await", "%util")}
    assert shown == pytest.approx({"wsec/s": 3904, "wkB/s": 1952, "avgrq-sz": 16, "await": 4.07, "%util": 99.308})


def test_requests_by_size(merged: RunResult) -> None:
    assert [unstyle(text) for text in sizes_of(merged, 80, "#")] == [
        "Requests of ida/c0d1",
        "703 requests of 4K to 124K, 106K on average; 9,297 bios were merged into",
        "waiting requests",
        "size              requests      %  % of bytes",
        "4K                     103   14.7         0.6  #####",
        "124K                   600   85.3        99.4  ###########################",
    ]


def test_requests_of_one_size(raw: RunResult) -> None:
    assert "10,004 requests of 8K; none was merged" in list(sizes_of(raw))
    assert list(sizes_of(watched(raw, "sda", [], request_bytes={}))) == []


def test_cache_flushes_are_no_requests_of_0_bytes(raw: RunResult) -> None:
    lines = [unstyle(text) for text in sizes_of(watched(raw, "sda", [], request_bytes={0: 501.0, 8192: 502.0}))]
    assert lines[1] == "501 cache flushes, and 502 requests of 8K; none was merged"
    assert lines[3].startswith("cache flush            501   50.0")
    (only, *_) = list(sizes_of(watched(raw, "sda", [], request_bytes={0: 1.0})))[1:]
    assert only == "1 cache flush"
    merged = watched(raw, "sda", [], request_bytes={8192: 1.0}, merged_writes=1.0)
    assert "1 request of 8K; 1 bio was merged into waiting requests" in list(sizes_of(merged))


def test_many_sizes_come_by_powers_of_two() -> None:
    sizes = {4096 * pages: 1.0 for pages in range(1, 33)} | {0: 2.0}
    assert by_size(sizes, most=33)[1] == ("4K", 1.0, 4096.0)
    bands = by_size(sizes, most=16)
    assert [(band, many) for band, many, _ in bands] == [
        ("cache flush", 2), ("2K–4K", 1), ("4K–8K", 1), ("8K–16K", 2), ("16K–32K", 4), ("32K–64K", 8), ("64K–128K", 16)
    ]  # fmt: skip
    assert sum(size for *_, size in bands) == sum(size * many for size, many in sizes.items())


def test_without_a_device_nothing_is_printed(raw: RunResult) -> None:
    assert list(device_section(raw.model_copy(update={"device": {}})).lines()) == []


@pytest.mark.parametrize(
    ("kernel", "printed"), [("2.6.5", True), ("4.19", True), ("4.20", False), ("6.1", False), (None, True)]
)
def test_svctm_stands_only_where_the_kernels_iostat_prints_it(
    raw: RunResult, kernel: str | None, printed: bool
) -> None:
    result = raw.model_copy(update={"kernel": kernel})
    assert ("svctm" in columns_of(result)) is printed
    assert ("svctm" in "".join(device_section(result, 160).lines(160))) is printed


def test_an_answer_knows_the_kernel_that_its_device_is_watched_by() -> None:
    assert run(load("magni-dd-raw-100", ["host.kernel=6.1"])).kernel == "6.1"
    assert run(load("savvinov-lio-pc")).kernel is None
