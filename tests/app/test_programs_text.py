"""Programs on one machine in the terminal: what each takes together and alone, in an answer and in a comparison."""

import pytest
from click import unstyle

from blocktime.app.answer import programs_view
from blocktime.app.charts import program_charts
from blocktime.app.text.compare_table import lines
from blocktime.app.text.compare_text import compare_lines
from blocktime.app.text.document import run_lines
from blocktime.model.measures import measures_of
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from tests.answered import answered

SMALL = ["workload.transactions=200", "workload.users=4", "workload.beside.0.count=20"]


@pytest.fixture(scope="module")
def backup() -> RunResult:
    return run(load("backup-beside-users", SMALL))


@pytest.fixture(scope="module")
def two_backups() -> RunResult:
    return run(load("backup-beside-users", [*SMALL, "workload.beside.read_stream.users=2"]))


def test_an_answer_has_a_line_for_each_program(backup: RunResult) -> None:
    said = "\n".join(unstyle(line) for line in run_lines(backup))
    assert "Programs on one machine" in said
    assert "transactions × 4" in said
    for program in backup.programs or ():
        took_s = program.alone.took_s
        assert took_s is not None
        assert show_seconds(took_s) in said


def test_a_comparison_tells_every_program_together_and_alone(backup: RunResult, two_backups: RunResult) -> None:
    said = [unstyle(line) for line in compare_lines([backup, two_backups], ["one", "two"])]
    for which in (0, 1):
        for where in ("together", "alone"):
            found = []
            for result in (backup, two_backups):
                program = (result.programs or [])[which]
                took_s = (program if where == "together" else program.alone).took_s
                assert took_s is not None
                found.append(show_seconds(took_s))
            name = (backup.programs or [])[which].name
            line = next(line for line in said if line.startswith(f"{name} {where}"))
            assert all(took in line for took in found)
    titles = [line.title for line in lines([backup, two_backups])]
    assert {"read stream together (s)", "read stream alone (s)"} <= set(titles)


def test_who_ages_blocks_out_is_who_reads_into_the_cache() -> None:
    """A stream past the cache reads the most of the disk, and brings no block into the buffer cache."""
    by_index = answered("batch-beside-users", "workload.order=random")
    users = (by_index.programs or [])[1]
    told = " ".join(users.because)
    assert "update ages its blocks out" in told
    assert "read stream ages" not in told


def test_the_time_line_says_when_programs_begin_and_end_and_how_users_fare_meanwhile(backup: RunResult) -> None:
    users, stream = backup.programs or []
    disk = backup.device["disk"].lines
    end_s = disk[-1].begin_s + disk[-1].interval_s
    begins, ends = zip(*stream.runs, strict=True)
    assert begins[0] == 0
    assert begins[1:] == ends[:-1]
    assert ends[-1] <= end_s + 1
    assert not users.runs
    assert stream.elapsed_s in [pytest.approx(end - begin) for begin, end in stream.runs]
    assert all(line.interval_s >= 1 for line in users.lines)
    assert [line.begin_s for line in users.lines[1:]] == pytest.approx(
        [line.begin_s + line.interval_s for line in users.lines[:-1]]
    )
    figure, says = program_charts.time_line(backup)
    drawn = {trace["name"]: trace for trace in figure["data"]}
    assert drawn["queue"]["y"] == [line.average_queue for line in disk]
    assert drawn["response of transactions"]["y"] == [1000 * line.response_s for line in users.lines]
    assert drawn["read stream"]["base"] == list(begins)
    assert f"read stream ends after {show_seconds(ends[0])}" in says


def test_a_stream_beside_users_says_through_what_it_is_slower() -> None:
    stream = (answered("batch-beside-users").programs or [])[2]
    assert stream.response_s is not None
    assert stream.alone.response_s is not None
    assert stream.response_s > 1.02 * stream.alone.response_s
    (because,) = stream.because
    assert because.startswith(f"a call takes {show_seconds(stream.response_s)}")
    assert because.endswith("its largest other user is transactions")


def test_every_program_has_measures_by_its_name(backup: RunResult) -> None:
    numbers = measures_of(backup)
    for program in backup.programs or ():
        assert numbers[f"{program.kind}_took_s"] == program.took_s
        assert numbers[f"{program.kind}_alone_s"] == program.alone.took_s
        assert numbers[f"{program.kind}_times_alone"] == program.times_as_long
        assert numbers[f"{program.kind}_done_per_s"] == program.per_s
    assert not [name for name in numbers if name.startswith("update_")]


def test_a_program_of_another_size_is_the_same_scenario_with_that_size() -> None:
    scenario = load("batch-beside-users")
    for rank, path in ((0, "table.rows"), (2, "workload.beside.1.count")):
        size, _ = programs_view.size_of(scenario, rank)
        other = programs_view.with_size(scenario, rank, 2 * size)
        wanted = load("batch-beside-users", [f"{path}={2 * size}"])
        assert (other.system, other.workload) == (wanted.system, wanted.workload)
