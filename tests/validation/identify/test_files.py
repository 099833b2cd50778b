"""What the database's files lie on, and how they are opened: from the parameters of a report, without their names."""

from pathlib import Path

import pytest

from blocktime.app.reports.written import written
from blocktime.scenarios import load, run
from blocktime.validation.identify.identified_scenario import IdentifiedScenario
from blocktime.validation.identify.report import Report
from blocktime.validation.identify.system import identify
from blocktime.validation.instruments import NotReadable
from blocktime.validation.instruments.figures import Setting
from tests.answered import SMALL_OLTP
from tests.validation.instruments import made
from tests.validation.instruments.made import read_text


def identified(folder: Path, *parameters: tuple[str, str]) -> IdentifiedScenario:
    """The system of a modelled hour on 32 CPUs, whose report lists these parameters too."""
    asked = load("oltp-nvme", [*SMALL_OLTP, "workload.users=32", "workload.think_s=20ms", "host.cpus=32"])
    report = written(run(asked), "awr", asked)
    lines = report.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("db_block_size"))
    listed = [("Parameter Name", "Begin value"), ("-" * 36, "-" * 40), ("db_block_size", "8192"), *parameters]
    lines[place - 2 : place + 1] = [f"{name:<36} {value}" for name, value in listed]
    return identify(read_text(folder, "\n".join(lines)))


def fields(found: IdentifiedScenario) -> dict[str, object]:
    return {known.path: known.value for known in found.known}


@pytest.mark.parametrize(
    ("files", "options", "path", "opened"),
    [
        ("+DATA/ORCL/CONTROLFILE/current.257.1", "", "asm", None),
        ("/dev/raw/raw1", "setall", "raw", None),
        ("/u01/oradata/orcl/control01.ctl", "SETALL", "direct", "setall"),
        ("/u01/oradata/orcl/control01.ctl", "asynch", "buffered", "asynch"),
        ("H:\\ORACLE\\CNTRL.DBF", "", "buffered", "none"),
    ],
)
def test_control_files_tell_what_the_files_lie_on(
    tmp_path: Path, files: str, options: str, path: str, opened: str | None
) -> None:
    listed = [("control_files", files)] + [("filesystemio_options", options)] * bool(options)
    found = identified(tmp_path, *listed)
    known = fields(found)
    assert known["tablespace.block_size_bytes"] == known["instance.db_block_size_bytes"] == 8192
    assert known["host.io_path"] == path
    assert known.get("instance.filesystemio_options") == opened
    assert any("page cache" in text for text in found.says) is (path == "buffered")
    assert "ORCL" not in str(found.sections()).upper()


def test_without_control_files_nothing_is_said_of_them(tmp_path: Path) -> None:
    known = fields(identified(tmp_path))
    assert "host.io_path" not in known
    assert "instance.filesystemio_options" not in known


@pytest.mark.parametrize(("listed", "count"), [((), 4), ((("db_writer_processes", "20"),), 20)])
def test_dbwr_without_asynchronous_io_has_a_process_for_eight_cpus(
    tmp_path: Path, listed: tuple[tuple[str, str], ...], count: int
) -> None:
    found = identified(tmp_path, ("control_files", "/u01/control01.ctl"), *listed)
    assert fields(found)["instance.db_writer_processes"] == count


@pytest.mark.parametrize(
    ("name", "value", "least"),
    [
        (name, value, least)
        for name, least in (
            ("db_block_size", 1), ("db_writer_processes", 1), ("log_buffer", 1), ("log_checkpoint_timeout", 0),
        )
        for value in ("-0.0", "-1", "8K", "1e3", "nan", "9" * 19, "٣")
    ],
)  # fmt: skip
def test_a_parameter_that_is_no_count_is_refused_with_its_line(name: str, value: str, least: int) -> None:
    report = Report(made.report_of(settings=[Setting(name, value, 7)]))
    with pytest.raises(NotReadable, match=rf"line 7: {name}: got '.*'; allowed is a whole number of at least {least} "):
        report.whole_setting(name, least)


def test_a_report_with_a_block_size_of_less_than_nothing_makes_no_system(tmp_path: Path) -> None:
    asked = load("tpc-b")
    text = written(run(asked), "awr", asked).replace(" 8192", " -0.0", 1)
    with pytest.raises(NotReadable, match=r"db_block_size: got '-0.0'; allowed"):
        identify(read_text(tmp_path, text))
