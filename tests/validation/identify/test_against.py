"""An interval that was not used: predicted, measured, covered or not."""

import json
from pathlib import Path

import pytest

from blocktime.app.command.cli import main
from blocktime.app.reports.written import written
from blocktime.scenarios import Scenario, load, run
from blocktime.scenarios.measured import CPU, READ_REQUESTS, READ_WAIT, TRANSACTIONS, WRITES, ComparedFigure
from blocktime.validation.identify.against import ALONE, at_limit, loaded
from tests.command_line import CommandLine

Captured = pytest.CaptureFixture[str]


def report(folder: Path, name: str, users: int) -> Path:
    """The report that a database with so many users would leave."""
    settings = [f"workload.users={users}", "workload.transactions=4000"]
    path = folder / name
    path.write_text(written(run(load("tpc-b", settings)), "awr"))
    return path


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A system's file, the report that it was made from, and one of another load."""
    folder = tmp_path_factory.mktemp("against")
    first, other, out = report(folder, "first.txt", 8), report(folder, "other.txt", 12), folder / "my.toml"
    assert main(["measure", str(first), "--out", str(out), "--quiet"]) == 0
    return out, first, other


def test_another_load_of_the_same_system_is_predicted_and_covered(
    measured: tuple[Path, Path, Path], blocktime: CommandLine
) -> None:
    out, _, other = measured
    found = json.loads(blocktime.prints("validate", str(out), "--against", str(other), "--json"))["against"]
    figures = {one["name"]: one for one in found["figures"]}
    assert {TRANSACTIONS, CPU, READ_WAIT, READ_REQUESTS} <= set(figures)
    assert abs(figures[CPU]["off_fraction"]) < 0.02
    assert abs(figures[TRANSACTIONS]["off_fraction"]) < 0.2
    for one in figures.values():
        assert one["low"] < one["predicted"] < one["high"]
        assert one["covered"] == (one["low"] <= one["measured"] <= one["high"])
    assert found["covered"] == sum(one["covered"] for one in figures.values()) >= len(figures) - 1


def test_the_same_system_on_another_disk(measured: tuple[Path, Path, Path], blocktime: CommandLine) -> None:
    out, _, other = measured
    slower = f"{out},disk.overhead_s=0.05"
    figures = json.loads(blocktime.prints("validate", slower, "--against", str(other), "--json"))["against"]["figures"]
    (read,) = (one for one in figures if one["name"] == READ_WAIT)
    assert read["predicted"] > 0.05
    assert not read["covered"]


def test_what_it_prints(measured: tuple[Path, Path, Path], blocktime: CommandLine) -> None:
    out, _, other = measured
    printed = blocktime.prints("validate", str(out), "--against", str(other))
    assert printed.startswith("An interval that was not used")
    assert "95 % interval" in printed
    assert "is farthest off" in printed


def test_what_cannot_be_held_against_it(measured: tuple[Path, Path, Path], blocktime: CommandLine) -> None:
    out, first, other = measured
    for command, says in (
        ((str(out), "--against", str(first)), "is the interval that my was made from"),
        (("tpc-b", "--against", str(other)), "has no measured figures"),
        (("--against", str(other)), "got 0 files; name the one file of a system"),
        ((str(out), "--against", str(out)), "these files hold no AWR or Statspack report"),
        ((str(out), "--against", "absent.txt"), "there is no file absent.txt"),
    ):
        said = blocktime.refuses("validate", *command)
        assert says in said
        assert len(said.splitlines()) == 1


def test_a_comparison_says_how_well_the_system_is_reproduced(
    measured: tuple[Path, Path, Path], blocktime: CommandLine
) -> None:
    out, _, _ = measured
    what_if = f"{out},disk.overhead_s=2ms"
    printed = blocktime.prints("compare", str(out), what_if)
    assert printed.startswith("The model ")
    assert "with 95 % confidence" in " ".join(printed.split())
    told = json.loads(blocktime.prints("compare", str(out), what_if, "--json"))
    first, second = told["results"]
    (difference,) = told["differences"]
    assert difference["uncertainty"]["low_s"] <= difference["elapsed_change_s"] <= difference["uncertainty"]["high_s"]
    assert first["as_measured"]["light"] in ("reproduces", "roughly", "does not")
    assert "as_measured" not in second


@pytest.mark.parametrize("host", [{"cpus": 16, "threads_per_core": 2, "cpus_of_others": 3.0}, {"cpus": 4}])
def test_the_processors_are_those_of_the_other_interval(host: dict[str, float]) -> None:
    content = {"host": {"cpus": 4, "threads_per_core": 2, "cpus_of_others": 2.0}, "workload": {"mix": [{}]}}
    usual = {"threads_per_core": 1, "cpus_of_others": 0.0}
    assert loaded(content, {"host": host, "workload": {"mix": [{}]}}, 1.0)["host"] == usual | host
    assert loaded(content, {"workload": {"mix": [{}]}}, 1.0)["host"] == content["host"]


def test_a_disk_without_a_known_limit_may_be_at_its_limit() -> None:
    def system(waiting: float, **disk: float) -> Scenario:
        figures = [
            ComparedFigure(name=name, value=value, unit="", low=value, high=value, file="a", line=1)
            for name, value in ((READ_REQUESTS, 1000.0), (READ_WAIT, waiting / 1000), (WRITES, 200.0))
        ]
        scenario = load("oltp-nvme", ["disk.overhead_s=2ms", *(f"disk.{name}={value}" for name, value in disk.items())])
        return scenario.model_copy(update={"compared": tuple(figures)})

    limits = []
    for waiting in (0.1, 1.0, 30.0):
        (content,) = at_limit({"disk": {"use": "nvme"}}, system(waiting))
        limits.append(content["disk"]["iops_limit"])
        busy = 1200 / limits[-1]
        assert busy**2 / (1 - busy) == pytest.approx(2 * (1 - ALONE) * waiting)
        assert content["disk"]["overhead_s"] == pytest.approx(ALONE * 0.002)
    assert limits[0] > 2 * limits[1] > 2 * limits[2] > 2 * 1200
    assert not at_limit({"disk": {"use": "nvme"}}, system(1.0, iops_limit=5000))
    assert not at_limit({"disk": {"use": "azure-p60"}}, system(1.0))
