"""A drive from fio's random reads: what several depths determine, what one leaves open, and what is declined."""

import json
from pathlib import Path
from typing import Any

import pytest

from blocktime.app.command.cli import main
from blocktime.scenarios import from_mapping
from blocktime.scenarios.measured import READ_LATENCY, READS_A_SECOND
from blocktime.validation.identify.identified_scenario import NotIdentified
from blocktime.validation.identify.system import identify
from tests.command_line import CommandLine
from tests.engines import by
from tests.validation.instruments.made import read_text
from tools.bars import offs

SECONDS = 10


def job(
    depth: int,
    per_s: float,
    latency_s: float,
    *,
    wakeups_per_s: float = 0.0,
    fastest_s: float | None = None,
    **options: str,
) -> str:
    """fio's JSON of random reads at one depth."""
    fastest_s = fastest_s or latency_s / 2
    said: dict[str, Any] = {
        "rw": "randread",
        "direct": "1",
        "bs": "4k",
        "iodepth": str(depth),
        "numjobs": "1",
        **options,
    }
    reads = {
        "iops": per_s, "runtime": 1000 * SECONDS, "total_ios": int(per_s * SECONDS),
        "slat_ns": {"mean": 4000.5}, "lat_ns": {"mean": latency_s * 1e9},
        "clat_ns": {"mean": latency_s * 1e9 - 4000, "percentile": {"1.000000": int(fastest_s * 1e9)}},
    }  # fmt: skip
    write = {"iops": per_s, "total_ios": 10} if said["rw"] == "randrw" else {"total_ios": 0}
    jobs = [
        {
            "jobname": "x", "job options": said, "read": reads, "write": write,
            "usr_cpu": 10.5, "sys_cpu": 30.5, "ctx": int(wakeups_per_s * SECONDS),
        }
    ]  # fmt: skip
    return json.dumps({"fio version": "fio-3.36", "jobs": jobs}, indent=1)


LONE, DEEP = job(1, 9_000, 110e-6, wakeups_per_s=9_000), job(32, 60_000, 533e-6, wakeups_per_s=8_000)


def readings(tmp_path: Path, *texts: str) -> list[Any]:
    return [reading for text in texts for reading in read_text(tmp_path, text)]


def test_two_depths_determine_the_lone_read_the_ceiling_and_the_interval_of_reports(tmp_path: Path) -> None:
    found = identify(readings(tmp_path, LONE, DEEP))
    values = {one.path: one.value for one in found.known if not one.assumed}
    assert values["disk.overhead_s"] == pytest.approx(104e-6, rel=0.01)
    assert values["disk.controller_reads_per_s"] == 60_000
    assert values["disk.report_interval_s"] == pytest.approx(125e-6)
    off = offs(found, by("simulate", from_mapping(found.sections(), "drive")))
    assert off == pytest.approx({READS_A_SECOND: 0, READ_LATENCY: 0}, abs=0.05)


def test_a_job_that_is_woken_for_each_read_tells_of_no_interval(tmp_path: Path) -> None:
    found = identify(readings(tmp_path, LONE, job(32, 60_000, 533e-6, wakeups_per_s=50_000)))
    assert "disk.report_interval_s" not in {one.path for one in found.known}


def test_one_depth_is_a_bound_only_and_says_so(tmp_path: Path) -> None:
    found = identify(readings(tmp_path, LONE))
    assert "disk.controller_reads_per_s" not in {one.path for one in found.known}
    assert any("one depth gives a bound only" in text for text in found.says)
    found = identify(readings(tmp_path, DEEP))
    assert any("no job has depth 1" in text for text in found.says)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ((job(1, 9_000, 110e-6, rw="read"),), "states rw=read; run fio with rw=randread"),
        ((job(1, 9_000, 110e-6, rw="randrw"),), "reads and writes at once"),
        ((job(1, 9_000, 110e-6, direct="0"),), "states direct=0"),
        ((job(1, 120, 8e-3),), "this is a hard disk. Give its rotational speed by --rpm"),
    ],
)
def test_what_determines_no_drive_is_declined_in_a_sentence(
    tmp_path: Path, texts: tuple[str, ...], message: str
) -> None:
    with pytest.raises(NotIdentified, match=message):
        identify(readings(tmp_path, *texts))


def test_the_command_writes_a_drive_that_runs_and_answers_another_depth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], blocktime: CommandLine
) -> None:
    for name, text in (("lone.json", LONE), ("deep.json", DEEP)):
        (tmp_path / name).write_text(text)
    out = tmp_path / "drive.toml"
    files = [str(tmp_path / "lone.json"), str(tmp_path / "deep.json")]
    assert main(["measure", *files, "--out", str(out), "--quiet"]) == 0
    capsys.readouterr()
    assert blocktime.prints("run", str(out)).startswith("As measured and as modelled")
    assert "As measured" not in blocktime.prints("run", str(out), "--set", "workload.in_flight=8")


TURNING = job(1, 125, 8e-3)


def of_disk(tmp_path: Path, *texts: str) -> dict[str, Any]:
    found = identify(readings(tmp_path, *texts), rpm=10_000)
    off = offs(found, by("simulate", from_mapping(found.sections(), "disk")))
    assert max(map(abs, off.values())) < 0.02
    return {one.path: one.value for one in found.known}


def test_a_disk_whose_reads_the_host_sorts(tmp_path: Path) -> None:
    """The fastest reads pass all that wait, and wait for one under way and two in the disk's queue."""
    values = of_disk(tmp_path, TURNING, job(32, 180, 178e-3, fastest_s=21e-3))
    assert values["disk.average_seek_s"] == pytest.approx(4.9e-3, rel=0.02)
    assert (values["host.scheduler"], values["disk.queue_depth"]) == ("mq-deadline", 3)
    assert 0 < values["disk.track_seek_s"] < values["disk.average_seek_s"]
    assert "disk.reorder_age_s" not in values


def test_a_disk_that_sorts_its_queue(tmp_path: Path) -> None:
    values = of_disk(tmp_path, TURNING, job(32, 290, 110e-3, fastest_s=6e-3))
    assert (values["host.scheduler"], values["disk.queue_depth"]) == ("none", 32)
    assert values["disk.reorder_age_s"] == 1.0


def test_a_disk_that_serves_in_order(tmp_path: Path) -> None:
    values = of_disk(tmp_path, TURNING, job(32, 125, 256e-3))
    assert values["host.scheduler"] == "none"
    assert "disk.reorder_age_s" not in values


@pytest.mark.parametrize(
    ("texts", "message"), [((DEEP,), "no job has depth 1"), ((LONE, DEEP), "--rpm is that of another disk")]
)
def test_turns_that_do_not_suit_are_declined(tmp_path: Path, texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(NotIdentified, match=message):
        identify(readings(tmp_path, *texts), rpm=10_000)


def test_turns_go_with_a_file_to_write(tmp_path: Path, blocktime: CommandLine) -> None:
    path = tmp_path / "lone.json"
    path.write_text(TURNING)
    assert "--rpm goes with --out" in blocktime.refuses("measure", str(path), "--rpm", "10000")
    assert (
        "one depth does not tell who sorts"
        in " ".join(
            blocktime.prints(
                "measure", str(path), "--rpm", "10000", "--out", str(tmp_path / "disk.toml"), "--quiet"
            ).split()
        ).lower()
    )
