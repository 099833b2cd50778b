"""Every library answer, written as a system would leave it and read back: the same figures, within their grain."""

import re
from math import isnan
from pathlib import Path

import pytest

from blocktime.app.command.run_cli import WRITTEN
from blocktime.app.reports.written import FORMS, written
from blocktime.app.text.iostat_text import columns_of, value_of
from blocktime.model.causes import (
    COPIED_TWICE,
    IDLE,
    OF_THE_COORDINATOR,
    OUTSIDE_CALLS,
    RUN_QUEUE,
    SENT_TWICE,
    SUBMIT_BLOCKED,
)
from blocktime.model.errors import SpecError
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run
from blocktime.validation.instruments import Figure, OpenedFile, Reading, read
from blocktime.validation.instruments.sysstat import COLUMNS
from tests.answered import answered as answer
from tests.command_line import CommandLine
from tests.known_by_law import KNOWN

NAMES = KNOWN
IN_CALLS = (SUBMIT_BLOCKED, RUN_QUEUE, SENT_TWICE, COPIED_TWICE)


def read_back(result: RunResult, form: str, folder: Path) -> dict[tuple[str, str], Figure]:
    path = folder / "written"
    path.write_text(written(result, form), encoding="utf-8")
    reading: Reading
    [reading] = read(OpenedFile(path))
    every = [*reading.figures, *(one for series in reading.series for one in series.figures())]
    return {(one.of, one.name): one for one in every}


def holds(figure: Figure, value: float) -> bool:
    room = 1e-6 * abs(value)
    return figure.low - room <= value <= figure.high + room


def test_the_command_prints_what_measure_reads(blocktime: CommandLine, tmp_path: Path) -> None:
    assert set(WRITTEN) == set(FORMS)
    (tmp_path / "report.txt").write_text(blocktime.prints("run", "rahn-full-scan", "--as", "awr"), encoding="utf-8")
    assert "SQL*Net message from client" in blocktime.prints("measure", str(tmp_path / "report.txt"))
    assert blocktime.refuses("run", "rahn-full-scan", "--as", "fio").startswith(
        "blocktime: --as fio: this answer has no fio; allowed are tkprof"
    )


@pytest.mark.parametrize("name", NAMES)
def test_calls_and_waits_come_back_from_tkprof(name: str, tmp_path: Path) -> None:
    result = answer(name)
    if not result.calls:
        with pytest.raises(SpecError, match="this answer has no tkprof; allowed are"):
            written(result, "tkprof")
        return
    found = read_back(result, "tkprof", tmp_path)
    for call, line in result.calls.items():
        of = "statement 1", f"{call.capitalize()} "
        assert holds(found[of[0], f"{of[1]}count"], line.count)
        assert holds(found[of[0], f"{of[1]}cpu"], line.cpu_s)
        assert holds(found[of[0], f"{of[1]}elapsed"], line.elapsed_s)
        assert holds(found[of[0], f"{of[1]}query"], line.query)
        assert holds(found[of[0], f"{of[1]}rows"], line.rows)
    for step, one in enumerate(result.row_sources or (), 1):
        of = f"statement 1, step {step} {one.operation}"
        assert holds(found[of, "rows (avg)"], one.rows)
        assert holds(found[of, "cr"], one.buffers)
        assert holds(found[of, "pr"], one.read_blocks)
        assert holds(found[of, "time"], one.time_s)
        assert holds(found[of, "starts"], one.starts)
        assert ((of, "cost") in found) == (one.cost is not None)
    servers = result.time.servers or 1
    for event, waited in result.time.wait.items():
        sessions = 1 if event in OF_THE_COORDINATOR else servers
        assert holds(found[f"statement 1, {event}", "waits"], sessions * waited.waits)
        assert holds(found[f"statement 1, {event}", "total"], sessions * waited.total_s)


@pytest.mark.parametrize("name", NAMES)
def test_db_time_holds_the_cpu_and_all_waits_that_are_not_idle(name: str, tmp_path: Path) -> None:
    result = answer(name)
    if result.streams:
        return
    path = tmp_path / "report"
    path.write_text(written(result, "awr"), encoding="utf-8")
    [reading] = read(OpenedFile(path))
    assert not reading.doubts
    figures = {(one.of, one.name): one for one in reading.figures}
    number = 3600 * result.transactions.per_s if result.transactions else 1.0
    time = result.time
    waited_s = sum(waited.total_s for event, waited in time.wait.items() if event not in IDLE)
    twice_s = sum(time.unaccounted.get(cause, 0.0) for cause in (SENT_TWICE, COPIED_TWICE))
    busy_s = number * (time.cpu_s + waited_s + min(0.0, twice_s))
    assert figures["Time Model: DB time", "Time (s)"].high >= busy_s * (1 - 1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_calls_are_timed_by_a_clock(name: str) -> None:
    blocks_in_submit = name == "full-scan-filesystem"
    if blocks_in_submit:
        result = run(load(name, ["instance.filesystemio_options=asynch"]))
    else:
        result = answer(name)
    time, servers = result.time, result.time.servers or 1
    blocked_s = sum(time.unaccounted.get(cause, 0.0) for cause in IN_CALLS)
    waited_s = sum(waited.total_s for event, waited in time.wait.items() if event not in OUTSIDE_CALLS)
    if result.calls:
        called_s = sum(call.elapsed_s for call in result.calls.values())
        assert called_s == pytest.approx(servers * (time.cpu_s + waited_s + blocked_s), rel=1e-9)
    if blocks_in_submit:
        assert blocked_s > 1
        assert result.row_sources is not None
        assert result.row_sources[0].time_s == pytest.approx(called_s, rel=1e-3)
        tims = [int(tim) for tim in re.findall("tim=([0-9]+)", written(result, "trace"))]
        assert tims[-1] * 1e-6 == pytest.approx(time.elapsed_s, rel=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_devices_come_back_from_iostat(name: str, tmp_path: Path) -> None:
    result = answer(name)
    printed = [value_of(column, stats) for stats in result.device.values() for column in columns_of(result)]
    if not printed or any(map(isnan, printed)):
        assert FORMS["iostat"](result) == ""
        return
    found = read_back(result, "iostat", tmp_path)
    for device, stats in result.device.items():
        whole = stats.lines[-1] if stats.lines else stats
        assert holds(found[device, "r/s"], whole.reads_per_s)
        assert holds(found[device, "%util"], whole.utilisation_fraction)


@pytest.mark.parametrize("kernel", ["2.6.5", "2.6.18", "2.6.39", "4.15", "5.4", "6.1"])
def test_every_iostat_is_read_back_whole(kernel: str, tmp_path: Path) -> None:
    result = run(load("magni-dd-fs-100", [f"host.kernel={kernel}", "disk.write_cache_bytes=8M"]))
    found = read_back(result, "iostat", tmp_path)
    [(device, stats)] = result.device.items()
    (line,) = stats.lines
    for column in columns_of(result):
        figure = found[device, column]
        assert figure.low - 1e-9 <= value_of(column, line) * COLUMNS[column].scale <= figure.high + 1e-9, column
    assert (tmp_path / "written").read_text("utf-8").startswith(f"Linux {kernel} ")


@pytest.mark.parametrize("form", ["awr", "awr-html"])
@pytest.mark.parametrize("name", NAMES)
def test_the_load_profile_and_the_waits_come_back_from_awr(name: str, form: str, tmp_path: Path) -> None:
    result = answer(name)
    if result.streams:
        assert FORMS[form](result, None) == ""
        return
    found = read_back(result, form, tmp_path)
    stats = result.transactions
    number, per_s = (stats.per_s * 3600, stats.per_s) if stats else (1.0, 1 / result.time.elapsed_s)
    reads = found["Load Profile: Physical read (blocks)", "Per Second"]
    assert holds(reads, result.physical_io.read_blocks * per_s)
    assert holds(found["Time Model: DB CPU", "Time (s)"], result.time.cpu_s * number)
    for event, waited in result.time.wait.items():
        if round(waited.waits * number):
            assert holds(found[f"Wait Events: foreground: {event}", "Waits"], waited.waits * number)
            assert holds(found[f"Wait Events: foreground: {event}", "Avg wait"], waited.total_s / waited.waits)


@pytest.mark.parametrize(
    "name", ["rahn-full-scan", next(name for name in NAMES if load(name).workload.kind == "transactions")]
)
def test_awr_as_text_and_as_html_tell_the_same(name: str, tmp_path: Path) -> None:
    text, html = (read_back(answer(name), form, tmp_path) for form in ("awr", "awr-html"))
    assert {key: one.value for key, one in text.items()} == {key: one.value for key, one in html.items()}
    assert holds(text["report", "Elapsed"], 3600.0 if answer(name).transactions else answer(name).time.elapsed_s)


@pytest.mark.parametrize("name", NAMES)
def test_fetches_come_back_from_the_excerpt_of_a_trace(name: str, tmp_path: Path) -> None:
    result = answer(name)
    fetch = result.calls.get("fetch")
    if fetch is None or not fetch.count:
        assert FORMS["trace"](result, None) == ""
        return
    found = read_back(result, "trace", tmp_path)
    calls = int(min(fetch.count, 50))
    of = "statement 1 (modelledquery)"
    assert found[of, "FETCH count"].value == calls
    assert found[of, "FETCH r"].value == round(fetch.rows * calls / fetch.count)
    assert found[of, "FETCH cr"].value == round(fetch.query * calls / fetch.count)


@pytest.mark.parametrize("name", NAMES)
def test_streams_come_back_from_fio(name: str, tmp_path: Path) -> None:
    result = answer(name)
    if not result.streams:
        assert FORMS["fio"](result, None) == ""
        return
    found = read_back(result, "fio", tmp_path)
    for number, stream in enumerate(result.streams, 1):
        of = f"job {number} {'read' if stream.kind == 'read_stream' else 'write'}"
        told = {"iops": stream.calls_per_s, "io_bytes": stream.bytes, "bw_bytes": stream.bytes_per_s}
        told |= {"total_ios": stream.calls, "runtime": stream.elapsed_s, "lat_ns mean": stream.response_s}
        for figure, value in told.items():
            assert holds(found[of, figure], value), figure


@pytest.mark.parametrize("form", ["awr", "awr-html"])
def test_reads_and_writes_of_placed_table_spaces_come_back_from_awr(form: str, tmp_path: Path) -> None:
    placed = (
        'workload.tablespaces=[{name="a", blocks_percent=50, device="x"}, {name="b", blocks_percent=20, device="x"}, '
        '{name="c", blocks_percent=30, device="y", overhead_s=0.002}]'
    )
    asked = load("oltp-nvme", [placed])
    result = run(asked)
    path = tmp_path / "report"
    path.write_text(written(result, form, asked), encoding="utf-8")
    [reading] = read(OpenedFile(path))
    for title in ("Tablespace IO", "File IO"):
        of_device: dict[str, dict[str, float]] = {"x": {}, "y": {}}
        for figure in reading.figures:
            if figure.of.startswith(f"{title}: table space "):
                sums = of_device["y" if figure.of.startswith(f"{title}: table space 3") else "x"]
                sums[figure.name] = sums.get(figure.name, 0) + figure.value
        for name, sums in of_device.items():
            device = result.device[name]
            assert sums["Reads"] == pytest.approx(3600 * device.reads_per_s, rel=1e-3)
            assert sums["Writes"] == pytest.approx(3600 * device.writes_per_s, rel=1e-3)
            spaces = 2 if name == "x" else 1
            assert sums["Av Rd(ms)"] / spaces == pytest.approx(device.read_await_s, abs=5e-6)


@pytest.mark.parametrize("form", ["awr", "awr-html"])
def test_an_idle_system_has_a_report_with_empty_tables(form: str) -> None:
    idle = load("oltp-nvme", ["workload.users=1", "workload.think_s=400", "disk.use=azure-p60"])
    assert "End of Report" in written(run(idle), form, idle)
