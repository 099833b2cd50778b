"""Programs on one machine in the terminal: what each takes together and alone, in an answer and in a comparison."""

import pytest
from click import unstyle

from blocktime.app.text.compare_table import lines
from blocktime.app.text.compare_text import compare_lines
from blocktime.app.text.document import run_lines
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


def test_a_comparison_tells_every_program_together_and_alone(
    backup: RunResult, two_backups: RunResult
) -> None:
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
