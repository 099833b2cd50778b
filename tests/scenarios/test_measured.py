"""What was measured beside what an answer says: the light, and figures that have not their form."""

from pathlib import Path

import pytest

from blocktime.app.text.measured_text import sentence
from blocktime.model.errors import SpecError
from blocktime.scenarios import from_mapping, load, run
from blocktime.scenarios.measured import AsModelled, ComparedFigure, light_of
from blocktime.scenarios.uncertainty import propagate
from blocktime.scenarios.uncertainty.constants import knowledge_of
from tests.answered import SMALL_OLTP


def row(value: float, modelled: float, half: float = 0.0) -> AsModelled:
    figure = ComparedFigure(
        name="log file sync", value=value, unit="s", low=value - half, high=value + half, file="a", line=1
    )
    return AsModelled(measured=figure, modelled=modelled)


@pytest.mark.parametrize(
    ("modelled", "light"),
    [(1.049, "reproduces"), (0.951, "reproduces"), (1.06, "roughly"), (0.81, "roughly"), (1.21, "does not")],
)
def test_the_light_is_that_of_the_figure_farthest_off(modelled: float, light: str) -> None:
    assert light_of([row(1.0, 1.01), row(1.0, modelled)]) == light


@pytest.mark.parametrize(("modelled", "side"), [(1.06, "6.0 % above"), (0.81, "19.0 % below")])
def test_the_sentence_says_on_which_side_that_figure_lies(modelled: float, side: str) -> None:
    assert f"log file sync, {side}, is farthest off" in sentence([row(1.0, 1.01), row(1.0, modelled)])


def test_what_the_printed_digits_leave_room_for_is_not_off() -> None:
    assert row(0.1, 0.14, half=0.05).off_fraction == 0
    assert row(0.1, 0.16, half=0.05).off_fraction == pytest.approx(0.6)


def test_a_figure_without_its_value_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text('base = "tpc-b"\n[[measured.compared]]\nname = "log file sync"\n')
    with pytest.raises(SpecError, match=r"my.toml: measured.compared: value: Field required"):
        load(path)


def test_a_drive_that_turns_does_not_vary_as_the_measured_volume_does(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        'base = "oltp-nvme"\n[disk]\nservice_cv = 0.5\n[[measured.compared]]\nname = "log file sync"\n'
        'value = 1.0\nunit = "s"\nlow = 1.0\nhigh = 1.0\nfile = "a"\nline = 1\n'
    )
    assert load(path, ["disk.use=sas-15k"]).system.disk.service_cv == 0
    assert load(path, ["disk.use=azure-p30"]).system.disk.service_cv == 0.5


@pytest.mark.parametrize(("reads", "says"), [(1e6, "treats it as unlimited"), (1.0, "an upper bound")])
def test_a_measured_disk_without_a_known_limit_is_told_of(tmp_path: Path, reads: float, says: str) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        f'base = "oltp-nvme"\n[[measured.compared]]\nname = "reads of data files a second"\nvalue = {reads}\n'
        'unit = "1/s"\nlow = 1.0\nhigh = 1e6\nfile = "a"\nline = 1\n'
    )
    told = run(load(path, SMALL_OLTP)).warnings
    assert [says in warning for warning in told if "the disk has no known limit" in warning] == [True]
    limited = run(load(path, [*SMALL_OLTP, "disk.use=azure-p30"])).warnings
    assert not any("no known limit" in warning for warning in limited)


MEASURED = """
base = "oltp-nvme"
[disk]
overhead_s = 1e-4
[instance]
buffer_cache_bytes = "256M"
[workload]
data_bytes = "3500M"
[[workload.mix]]
gets = 40
cpu_s = 1e-3
[[measured.known]]
field = "disk.overhead_s"
interval = [5e-5, 2e-4]
[[measured.known]]
field = "workload.mix.0.cpu_s"
interval = [8e-4, 1.2e-3]
[[measured.correlation]]
fields = ["disk.overhead_s", "workload.mix.0.cpu_s"]
value = -0.9
"""


def test_the_interval_of_an_answer_holds_those_of_measured_fields(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(MEASURED)
    uncertain = {one.name: one for one in knowledge_of(load(path)).uncertain}
    assert uncertain["scenario/my: disk.overhead_s"].high == 2e-4
    assert uncertain["scenario/my: workload.mix.0.cpu_s"].low == 8e-4
    other = {one.name for one in knowledge_of(load(path, ["disk.overhead_s=2ms"])).uncertain}
    assert "scenario/my: disk.overhead_s" not in other  # another value is no measured one
    found = load(path)
    assert found.correlations == (("scenario/my: disk.overhead_s", "scenario/my: workload.mix.0.cpu_s", -0.9),)
    (result,) = propagate([found], [run(found)]).results
    assert result.uncertainty is not None
    assert result.uncertainty.runs > 0
    assert "scenario/my: workload.mix.0.cpu_s" in [one.name for one in result.uncertainty.contributions]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ('[[measured.correlation]]\nfields = ["disk.overhead_s"]\nvalue = 0.5', "allowed are two fields"),
        ("[measured]\nknown = 3", "it is a list of tables"),
    ],
)
def test_knowledge_without_its_form_is_refused_in_one_sentence(tmp_path: Path, said: str, words: str) -> None:
    path = tmp_path / "my.toml"
    path.write_text(f'base = "tpc-b"\n{said}\n')
    with pytest.raises(SpecError, match=words):
        load(path)


def test_more_reads_than_were_measured_of_a_disk_without_a_limit_are_an_upper_bound(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        'base = "tpc-b"\n[disk]\nuse = "nvme"\n[[measured.compared]]\nname = "reads of data files a second"\n'
        'value = 1.0\nunit = "1/s"\nlow = 1.0\nhigh = 1.0\nfile = "a"\nline = 1\n'
    )
    said = "the answer is an upper bound"
    assert any(said in one for one in run(load(path)).warnings)
    bound = load(path, ["disk.iops_limit=100000"])
    assert not any(said in one for one in run(bound).warnings)


def test_no_note_speaks_of_a_field_that_measure_wrote(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        'base = "oltp-nvme"\n[host]\nmemory_bytes = "512G"\n'
        '[[measured.known]]\nfield = "host.memory_bytes"\nhow = "assumed"\nsource = "not a limit"\n'
    )

    def notes(*settings: str) -> list[str]:
        return [text for text in run(load(path, [*SMALL_OLTP, *settings])).warnings if "host.memory" in text]

    assert notes() == []
    assert len(notes("host.memory_bytes=256G")) == 1
    path.write_text(path.read_text().replace("assumed", "measured"))
    assert notes() == []


def test_a_system_is_as_measured_until_a_setting_changes_it(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        'base = "oltp-nvme"\n[[measured.compared]]\nname = "log file sync"\nvalue = 1.0\nunit = "s"\nlow = 1.0\n'
        'high = 1.0\nfile = "a"\nline = 1\n'
    )
    assert load(path).as_measured == load(path).compared
    changed = load(path, ["host.cpus=2"])
    assert changed.compared
    assert changed.as_measured == ()


@pytest.mark.parametrize(("cache", "is_beyond"), [("4M", True), ("8M", False), ("32M", False), ("40M", True)])
def test_a_cache_beyond_the_advisory_is_said(cache: str, is_beyond: bool) -> None:
    curve = [{"cache_bytes": f"{size}M", "miss_percent": miss} for size, miss in ((8, 20), (16, 10), (32, 5))]
    work = {"miss_curve": curve, "transactions": 200, "hottest_gets_percent": 0}
    scenario = from_mapping({"base": "tpc-b", "workload": work, "instance": {"buffer_cache_bytes": cache}})
    said = [warning for warning in run(scenario).warnings if "advisory, which tells misses from 8M to 32M" in warning]
    assert len(said) == is_beyond
