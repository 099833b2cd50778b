"""The page My system without a browser: a report becomes a profile, a scenario with its light, and what-ifs."""

import gzip
import os
import re
import time
from pathlib import Path

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app.answer import uncertainty_view
from blocktime.app.charts import measured_charts
from blocktime.app.command.cli import main
from blocktime.app.controls import user_files
from blocktime.app.my_system import my_system
from blocktime.app.reports.written import written as report_in_form
from blocktime.app.reports.written_awr import awr_html
from blocktime.app.session import report_job, report_reader, what_if_state
from blocktime.app.text.measured_text import hour_cells, hour_lines
from blocktime.model.units import show_seconds
from blocktime.scenarios import from_mapping, load, measured, run
from blocktime.scenarios.worker_pool import Worker
from blocktime.validation.identify.identified_scenario import ModelledHour
from blocktime.validation.identify.report import DbTimePart
from blocktime.validation.instruments import NotReadable
from tests.app.page_numbers import metric
from tests.command_line import CommandLine
from tests.patience import LIMIT_S
from tests.validation.instruments import made

ENTRY = Path(my_system.__file__).parents[1] / "streamlit_app.py"
pytestmark = pytest.mark.usefixtures("simulated_at_once", "small_sample")
PAGE = "from blocktime.app.my_system import my_system\nmy_system.page()\n"
REPORT = "a report.txt"
RECOVERY = (
    '<table summary="This table displays instance recovery statistics"><tr><th></th><th>Targt MTTR (s)</th>'
    "<th>Estd MTTR (s)</th><th>Recovery Estd IOs</th><th>Actual RedoBlks</th><th>Target RedoBlks</th></tr>"
    "ROW</table>"
)
TAKEN_ALONG = (what_if_state.QUESTION, what_if_state.NOTES, what_if_state.WELCOME, what_if_state.OPENED)
"""What the button *Open in What if* leaves in the session."""


@pytest.fixture
def without_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """No runs tell how sure a change is: for what the page shows beside it."""
    monkeypatch.setattr(uncertainty_view, "difference_of", lambda *_: None)


def opened() -> AppTest:
    """The page of a reader who has taken the example away."""
    app = AppTest.from_string(PAGE, default_timeout=LIMIT_S)
    app.session_state[my_system.STATE] = my_system.PageState()
    app.run()
    assert not app.exception
    return app


def given(*files: tuple[str, bytes], app: AppTest | None = None) -> AppTest:
    """The page after these files were dropped there."""
    app = app or opened()
    app.file_uploader[0].set_value([(name, content, "text/plain") for name, content in files]).run()
    assert not app.exception
    return app


def sampled() -> AppTest:
    app = opened()
    app.button(key="my_system.sample").click().run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    return "\n".join(one.value for one in [*app.markdown, *app.caption, *app.info, *app.warning])


def table(app: AppTest, column: str) -> list[dict[str, str]]:
    """The rows of the table that has that column."""
    return next(one.value.to_dict("records") for one in app.table if column in one.value.columns)


def written(folder: Path, name: str, content: bytes, *more: str) -> str:
    """What `measure --out` writes of that file."""
    (folder / name).write_bytes(content)
    out = folder / "out.toml"
    assert main(["measure", str(folder / name), "--quiet", "--out", str(out), *more]) == 0
    return out.read_text(encoding="utf-8")


def toml(app: AppTest) -> str:
    """What the button of the TOML downloads."""
    held = app.session_state[my_system.STATE]
    assert any(one.label.startswith("my.toml") for one in app.get("download_button"))
    return held.document.text


def test_the_empty_page_asks_for_files_and_offers_a_sample() -> None:
    app = opened()
    assert my_system.LOCAL in words(app)
    assert app.file_uploader.len == 1
    assert not app.table
    assert [one.label for one in app.button] == ["Try it with a sample report"]


def test_the_page_opens_with_an_example_and_a_report_takes_its_place() -> None:
    app = AppTest.from_string(PAGE, default_timeout=LIMIT_S).run()
    assert my_system.OF_EXAMPLE in words(app)
    assert table(app, "What it is")[0]["File"] == my_system.SAMPLE
    assert ":green[:material/circle:] **The model reproduces what was measured" in words(app)
    given((REPORT, my_system.sample().encode()), app=app)
    assert my_system.OF_EXAMPLE not in words(app)
    assert [row["File"] for row in table(app, "What it is")] == [REPORT]


def test_the_sample_goes_from_its_report_to_a_light() -> None:
    app = sampled()
    assert table(app, "What it is")[0]["File"] == my_system.SAMPLE
    read, *others, rest = (row["Event"] for row in table(app, "% of DB time"))
    assert read == "db file sequential read"
    assert set(others) <= {"DB CPU", "log file sync"}
    assert rest in {"not in the report", "in two lines of the report"}  # a rounding of the report's
    assert ":green[:material/circle:] **The model reproduces what was measured" in words(app)
    assert {"transactions a second", "DB time of a transaction"} <= {row["Figure"] for row in table(app, "Modelled")}
    assert "A second interval" not in words(app)
    assert "add a report at another load." in words(app)


def test_the_bars_are_a_figure_and_say_what_is_longest() -> None:
    parts = [DbTimePart("db file sequential read", 75.0, 0.75, 3.0, 7), DbTimePart("little", 0.01, 0.0001, 1.0, 8)]
    parts += [DbTimePart("not in the report", 25.0, 0.25)]
    shown = measured_charts.largest(parts)
    assert [part.name for part in shown] == ["db file sequential read", "not in the report"]
    figure, says = measured_charts.profile(shown)
    assert len(go.Figure(figure).data) == 2
    assert says == "The largest part of DB time is db file sequential read, 75 %"


def test_as_modelled_is_what_the_terminal_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], blocktime: CommandLine
) -> None:
    written(tmp_path, REPORT, my_system.sample().encode())
    capsys.readouterr()
    lines = [" ".join(line.split()) for line in blocktime.prints("run", str(tmp_path / "out.toml")).splitlines()]
    for row in table(given((REPORT, my_system.sample().encode())), "Modelled"):
        assert " ".join(row.values()) in lines


def test_the_file_is_that_of_measure(tmp_path: Path) -> None:
    content = my_system.sample().encode()
    assert toml(given((REPORT, content))) == written(tmp_path, REPORT, content)


def test_files_can_be_removed() -> None:
    app = sampled()
    app.button(key="my_system.clear").click().run()
    assert not app.exception
    assert app.button(key="my_system.sample").label == "Try it with a sample report"
    assert my_system.LOCAL in words(app)


def test_a_compressed_report_is_read_too(tmp_path: Path) -> None:
    content = gzip.compress(my_system.sample().encode(), mtime=0)
    assert toml(given(("awr.gz", content))) == written(tmp_path, "awr.gz", content)


def test_a_file_that_is_no_report_gives_one_sentence_and_loses_nothing() -> None:
    app = given((REPORT, my_system.sample().encode()), ("letter", b"Dear reader"))
    assert [one.value.startswith("letter: this is none of the reports") for one in app.error] == [True]
    assert "reproduces" in words(app)
    app = given(("letter", b"Dear reader"))
    assert app.error.len == 1
    assert not app.table


def test_files_of_more_than_the_limit_are_refused_together(monkeypatch: pytest.MonkeyPatch) -> None:
    app = given((REPORT, my_system.sample().encode()))
    monkeypatch.setattr(my_system, "MOST_BYTES", 100)
    given(("more", b"0123"), app=app)
    assert "at most 20 MB are read" in app.error[0].value
    assert "reproduces" in words(app)


def test_a_faster_disk_moves_the_response_and_says_why() -> None:
    app = sampled()
    held = app.session_state[my_system.STATE]
    app.text_input("disk.overhead_s").set_value("200us").run()
    assert not app.exception
    after = run(user_files.load(held.question.name, ["disk.overhead_s=200us"]))
    assert metric(app, "Response").value == show_seconds(after.time.elapsed_s)
    assert metric(app, "Response").delta.startswith("-")
    assert metric(app, "TPS").delta.startswith("+")
    assert "Faster: " in words(app)
    assert "What-if takes less time than baseline, by" in words(app)
    assert "of this uncertainty." in words(app)
    assert "with 95 % confidence" in words(app)
    app.button(key="my_system.reset").click().run()
    assert not metric(app, "Response").delta


@pytest.mark.usefixtures("without_interval")
@pytest.mark.parametrize(
    ("path", "value"), [("disk.iops_limit", "8,000"), ("host.cpus", "1"), ("workload.users", "40")]
)
def test_every_number_has_an_effect(path: str, value: str) -> None:
    app = sampled()
    app.text_input(path).set_value(value).run()
    assert not app.exception
    assert any(row["Change"] for row in table(app, "What-if"))


def test_fields_have_their_lines() -> None:
    app = sampled()
    app.session_state[my_system.FIELDS] = True
    rows = {row["Field"].replace("\\", ""): row for row in table(app.run(), "Source")}
    assert rows["workload.users"]["Value"] == "21"
    assert rows["instance.buffer_cache_bytes"]["From"] == "measured"


@pytest.mark.usefixtures("without_interval")
def test_commands_give_the_same() -> None:
    app = sampled()
    app.text_input("disk.overhead_s").set_value("200 us").run()
    assert app.code[-1].value.splitlines() == [
        "blocktime measure sample-awr.txt --out my.toml",
        "blocktime run my.toml",
        "blocktime compare my.toml my.toml,disk.overhead_s=200us",
    ]


@pytest.mark.usefixtures("without_interval")
def test_a_larger_cache_saves_reads() -> None:
    app = sampled()
    app.text_input("instance.buffer_cache_bytes").set_value("384M").run()
    assert metric(app, "Reads").delta.startswith("-")
    app.text_input("instance.buffer_cache_bytes").set_value("much").run()
    assert not app.exception
    assert "Buffer cache" in words(app)


@pytest.mark.usefixtures("without_interval")
def test_a_change_within_the_error_of_the_model_is_said_to_tell_nothing() -> None:
    app = sampled()
    was_s = user_files.load(app.session_state[my_system.STATE].question.name).system.disk.overhead_s
    app.text_input("disk.overhead_s").set_value(f"{1.004 * was_s:.7f}s").run()
    assert "do not rely on it" in words(app)


@pytest.mark.usefixtures("without_interval")
def test_what_does_not_reproduce_has_counts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "REPRODUCES", 0.0)
    monkeypatch.setattr(measured, "ROUGHLY", 0.001)
    app = sampled()
    assert ":red[:material/circle:] **The model does not reproduce" in words(app)
    assert not app.metric
    assert "only counts are shown" in words(app)
    app.text_input("instance.buffer_cache_bytes").set_value("384M").run()
    assert any(row["Change"].startswith("-") for row in table(app, "What-if"))


def test_one_statement_of_a_trace(tmp_path: Path) -> None:
    app = given(("a.trc", made.TRACE.encode()))
    assert app.selectbox[0].options == ["0123456789abc"]
    assert app.info[0].value == "Choose a statement above to model it."
    app.selectbox[0].select("0123456789abc").run()
    assert not app.exception
    assert "consistent gets" in {row["Figure"] for row in table(app, "Modelled")}
    assert toml(app) == written(tmp_path, "a.trc", made.TRACE.encode(), "--statement", "0123456789abc")


def test_an_iostat_alone_is_read_and_says_what_it_does_not_tell() -> None:
    app = given(("io", made.EVERY["iostat old"].encode()))
    assert "a.host.example" not in words(app)
    app.session_state["my_system.lines.0"] = True
    app.run()
    assert "dm-0" in app.code[0].value
    assert "a.host.example" not in app.code[0].value
    assert "a system is not described without" in app.info[0].value
    assert "[measured]" in toml(app)


@pytest.mark.usefixtures("without_interval")
def test_what_if_opens_with_the_system_and_its_changes() -> None:
    app = sampled()
    app.text_input("workload.users").set_value("40").run()
    held = app.session_state[my_system.STATE]
    app.button(key="my_system.open").click().run()
    question = app.session_state[what_if_state.QUESTION]
    assert question.name == held.question.name
    assert (question.system, question.change) == ({}, {"workload.users": "40"})


@pytest.mark.usefixtures("without_interval")
def test_changes_that_wait_for_minutes_are_shown_by_every_button() -> None:
    busy = load("oltp-nvme", my_system.OF_SAMPLE)
    report = awr_html(run(busy), busy)
    redo = re.search(r"<td>Redo size[^<]*</td><td>([0-9,.]+)</td>", report)
    assert redo is not None
    blocks = 320.4 * float(redo[1].replace(",", "")) / 512
    row = f"<tr><td>E</td><td>0</td><td>53</td><td>94686</td><td>{blocks:.0f}</td><td>99000000</td></tr>"
    told = RECOVERY.replace("ROW", row)
    app = given((REPORT, report.replace("End of Report", told + "End of Report").encode()))
    assert toml(app)
    for key in ("my_system.fields", "my_system.lines.0"):
        app.session_state[key] = True
    app.run()
    assert not app.exception
    app.text_input("workload.users").set_value("3").run()
    app.button(key="my_system.reset").click().run()
    app.text_input("workload.users").set_value("2").run()
    app.button(key="my_system.open").click().run()
    assert not app.exception
    what_if = AppTest.from_file(str(ENTRY), default_timeout=LIMIT_S)
    for key in TAKEN_ALONG:
        what_if.session_state[key] = app.session_state[key]
    what_if.run()
    assert not what_if.exception
    assert not what_if.error
    held = what_if.session_state[what_if_state.QUESTION].name
    assert user_files.load(held).system.instance.checkpoint_s == pytest.approx(320.4, rel=0.01)
    assert what_if.text_input("workload.users").value == "2"


def test_the_heading_says_how_the_answer_was_made() -> None:
    assert ":gray-badge[simulation, " in words(sampled())


def test_a_file_is_read_by_a_process_of_its_own_within_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    content = my_system.sample().encode()
    [reading] = report_reader.read_apart("a.txt", content)
    assert reading.format == "awr"
    assert reading.file == "a.txt"
    monkeypatch.setattr(report_reader, "MOST_S", 0.001)
    with pytest.raises(NotReadable, match="reading it takes more than"):
        report_reader.read_apart("a.txt", content)
    monkeypatch.setattr(report_reader, "MOST_S", 1000.0)
    bomb = gzip.compress(b"PARSE #1:c=0,e=0\n" + b"\n" * (257 << 20), 1)
    app = given(("bomb.gz", bomb))
    assert ["its text has more than 256 MB" in one.value for one in app.error] == [True]


def another_report(users: int) -> bytes:
    """The sample's system under another load."""
    scenario = load("oltp-nvme", [*my_system.OF_SAMPLE, f"workload.users={users}", "workload.transactions=2000"])
    return report_in_form(run(scenario), "awr", scenario).encode()


def test_a_second_report_is_predicted_as_in_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], blocktime: CommandLine, without_interval: None
) -> None:
    written(tmp_path, REPORT, my_system.sample().encode())
    (tmp_path / "second.txt").write_bytes(another_report(20))
    capsys.readouterr()
    against = ("--against", str(tmp_path / "second.txt"))
    lines = [
        " ".join(line.split())
        for line in blocktime.prints("validate", str(tmp_path / "out.toml"), *against).splitlines()
    ]
    app = given((REPORT, my_system.sample().encode()))
    app.file_uploader[1].set_value(("second.txt", another_report(20), "text/plain")).run()
    assert not app.exception
    rows = table(app, "Predicted")
    assert len(rows) >= 4
    for row in rows:
        assert " ".join(" ".join(row.values()).split()) in lines
    assert "lie within the 95 % interval of their prediction" in words(app)
    app.file_uploader[1].set_value(("second.txt", b"nothing", "text/plain")).run()
    assert any("second.txt" in error.value for error in app.error)


def test_another_volume_by_name_keeps_what_was_measured(without_interval: None) -> None:
    app = sampled()
    volume = next(box for box in app.selectbox if box.label == "Another volume")
    volume.set_value(next(option for option in volume.options if "P60" in option)).run()
    assert not app.exception
    held = app.session_state[my_system.STATE]
    base, other, _ = held.question.sides()
    assert held.question.change == {"disk.use": "azure-p60"}
    assert other.system.disk.overhead_s == base.system.disk.overhead_s
    assert other.system.disk.iops_limit == 16_000
    assert "a request that does not wait takes as long as measured" in words(app)


def test_intervals_of_one_system_are_a_table(without_interval: None) -> None:
    app = sampled()
    hour = ModelledHour("a.txt", "", 12, 500.0, 0.010, 505.0, 0.0102)
    app.session_state[my_system.STATE].document.identified.hours = [hour]
    (row,) = table(app.run(), "TPS modelled")
    assert list(row.values()) == ["a.txt", *hour_cells(hour)]
    assert " ".join(list(hour_lines([hour]))[-1].split()) == " ".join(row.values())


def test_work_on_reports_that_ends_badly_is_a_sentence() -> None:
    calls = ((from_mapping, ({"base": "oltp"}, "my"), "oltp"), (os._exit, (1,), "ended unexpectedly"))
    for function, arguments, says in calls:
        job = report_job.ReportJob(function, *arguments)
        job.play(worker := Worker())
        worker.close()
        assert job.is_ended
        assert says in job.refused


def test_work_that_nobody_wants_ends() -> None:
    job = report_job.ReportJob(time.sleep, 3600)
    job.cancel()
    job.play(worker := Worker())
    worker.close()
    assert job.refused == "this was cancelled"
