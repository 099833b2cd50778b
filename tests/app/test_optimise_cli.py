"""``blocktime optimise`` as a reader sees it: the best point, what binds, the command that runs it; and a goal."""

import json
import shlex
from pathlib import Path

import pytest

from blocktime.app.command.cli import main
from blocktime.app.text.optimise_text import change, command_of, sentences_of, show_field
from blocktime.scenarios.search.optimise import Binding, Candidate, Optimum
from tests.command_line import CommandLine
from tests.smooth import answer_smoothly

Captured = pytest.CaptureFixture[str]
ASKED = ("optimise", "tpc-b", "--workers", "1")
USERS = ("--vary", "workload.users=1:60")
MOST = ("--maximise", "transactions_per_s")


@pytest.fixture(autouse=True)
def smooth(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_smoothly(monkeypatch)


def told(capsys: Captured, tmp_path: Path, *more: str) -> tuple[int, str, str]:
    code = main([*ASKED, *more, "--store", str(tmp_path / "store")])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_reader_sees_the_best_and_what_binds(capsys: Captured, tmp_path: Path) -> None:
    code, out, err = told(capsys, tmp_path, *USERS, *MOST, "--such-that", "response_s <= '9.6ms'")
    assert (code, err) == (0, "")
    assert all(len(line) <= 80 for line in out.splitlines())
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "tpc-b: the largest transactions_per_s, such that response_s <= '9.6ms'"
    assert "workload.users 10 6" in lines
    assert [line for line in lines if line.startswith("transactions_per_s 9.903") and line.endswith("-40.0 %")]
    assert "response_s <= '9.6ms' is the binding limit: it rules out workload.users 7" in " ".join(lines)
    assert "- All 60 combinations were answered; none is better." in lines


def test_the_command_runs_the_best_point(
    capsys: Captured, blocktime: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # points are played, as the command plays the best one
    vary = ("--vary", "instance.buffer_cache_bytes=32M,96M", "--vary", "workload.think_s=0.5,1.25")
    _, out, _ = told(capsys, tmp_path, *vary, "--minimise", "response_s", "--set", "workload.users=20", "--json")
    found = json.loads(out)
    program, *words = shlex.split(found["command"])
    assert program == "blocktime"
    assert "instance.buffer_cache_bytes=96M" in words
    result = json.loads(blocktime.prints(*words, "--json"))
    assert result["transactions"]["response_s"] == pytest.approx(found["best"]["measures"]["response_s"], rel=1e-9)


def test_where_nothing_is_found_it_says_so_and_how_near_it_is(capsys: Captured, tmp_path: Path) -> None:
    code, out, _ = told(capsys, tmp_path, *USERS, *MOST, "--such-that", "response_s <= '1ms'")
    assert code == 1
    words = " ".join(out.split())
    assert "No point satisfies response_s <= '1ms'" in words
    assert "The nearest point is workload.users 1: it has transactions_per_s 0.9908" in words
    assert "violates response_s <= '1ms' by 89.3 % of the larger side" in words
    assert "Command" not in out


@pytest.mark.parametrize(
    ("goal", "vary", "sentence", "code"),
    [
        ("response_s <= 10ms", "workload.users=1:1000",
         "The limit holds up to 13 users (9.96 ms), but not at 14 users (10.0", 0),
        ("response_s <= 9ms", "instance.buffer_cache_bytes=32M:256M", "holds from buffer_cache_bytes 77M (", 0),
        ("response_s = 2 * base", "workload.rate_per_s=1:5000:log",
         "response_s reaches 19.6 ms at rate_per_s 8", 0),
        ("response_s = 1", "workload.users=1:10",
         "No value in the range gives 1.00 s: 1 user (9.32 ms) and 10 users (9.79 ms)", 1),
        ("response_s <= 1", "workload.users=1:10", "The limit holds over the whole range: 1 user (9.32 ms)", 1),
        ("response_s >= 1", "workload.users=1:10", "The limit holds nowhere in the range: 1 user (9.32 ms)", 1),
        ("response_s = 1", "workload.users=1:10",
         "Try values above 10: response_s moves towards 1.00 s there.", 1),
        ("response_s <= 1", "workload.users=1:10",
         "The limit may fail above 10: response_s moves towards 1.00 s there.", 1),
        ("response_s >= 1", "workload.users=1:10", "Try values above 10", 1),
        ("response_s <= 8ms", "instance.buffer_cache_bytes=32M:64M", "Try values above 64M", 1),
        ("transactions_per_s <= 900", "workload.rate_per_s=1:5000", "holds wherever the model has an answer: ", 0),
        ("transactions_per_s = 900", "workload.rate_per_s=1:5000",
         "is not reached where the model has an answer", 1),
    ],
)  # fmt: skip
def test_a_goal_is_told_with_its_neighbours(
    goal: str, vary: str, sentence: str, code: int, capsys: Captured, tmp_path: Path
) -> None:
    found, out, _ = told(capsys, tmp_path, "--seek", goal, "--vary", vary)
    assert sentence in " ".join(out.split())
    assert all(len(line) <= 80 for line in out.splitlines())
    assert found == code


def test_quiet_is_the_command_alone(capsys: Captured, tmp_path: Path) -> None:
    _, out, err = told(capsys, tmp_path, *USERS, "--seek", "response_s <= 10ms", "--quiet")
    assert (out, err) == ("blocktime run tpc-b --set workload.users=13\n", "")
    _, out, _ = told(capsys, tmp_path, *USERS, *MOST, "--quiet")
    assert out == "blocktime run tpc-b --set workload.users=60\n"


def test_json_is_all_and_nothing_else(capsys: Captured, tmp_path: Path) -> None:
    _, out, err = told(capsys, tmp_path, *USERS, "--seek", "response_s <= 10ms", "--json")
    found = json.loads(out)
    assert err == ""
    assert (found["below"]["value"], found["above"]["value"], found["best"]["value"]) == (13, 14, 13)
    _, out, _ = told(capsys, tmp_path, *USERS, *MOST, "--such-that", "workload.users != 60", "--json")
    found = json.loads(out)
    assert found["best"]["values"] == {"workload.users": 59}
    assert found["best"]["slacks"] == [None]  # there is no how much


def test_the_points_can_be_written(capsys: Captured, tmp_path: Path) -> None:
    out = tmp_path / "points.csv"
    _, text, _ = told(capsys, tmp_path, *USERS, "--seek", "response_s <= 10ms", "--out", str(out))
    asked = int(text.rpartition(": ")[2].split(maxsplit=1)[0])
    assert sum(line[:1].isdigit() for line in out.read_text().splitlines()) == asked


def test_a_change_is_told_as_a_share_or_a_multiple() -> None:
    assert [change(2, 3), change(1, 20), change(0, 1), change(float("nan"), 1)] == ["+50.0 %", "×20", "", ""]


def test_a_command_can_be_pasted() -> None:
    values = {"disk.use": "a b", "instance.buffer_cache_bytes": 3 * 2**20, "workload.think_s": 0.123456}
    asked = {"seed": 7, "replications": None}
    assert command_of("my file.toml", ("host.cpus=4",), values, asked) == (
        "blocktime run 'my file.toml' --set host.cpus=4 --set 'disk.use=a b' "
        "--set instance.buffer_cache_bytes=3M --set workload.think_s=0.123456 --seed 7"
    )
    assert show_field("workload.think_s", 0.123456) == "123 ms"


def test_a_search_says_that_it_proves_nothing() -> None:
    best = Candidate({"workload.think_s": 1.0}, {"response_s": 0.1}, (0.0,))
    found = Optimum(
        "mine", "response_s", False, ("cpu_s <= 1",), best, None, {"response_s": 0.2}, (False,),
        {"workload.think_s": 2.0}, (Binding("cpu_s <= 1", "equal"),), (), 500, float("inf"), False, False, 2,
        "too much",
    )  # fmt: skip
    said = " ".join(sentences_of(found))
    assert "response_s is 100 ms instead of 200 ms; the base scenario violates cpu_s <= 1." in said
    assert "cpu_s <= 1 is the binding limit: the best point is exactly there." in said
    assert (
        "asked for 500 points of ranges of numbers. A better point is possible. It stopped before it converged" in said
    )
    assert "2 points have no answer: too much" in said


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (USERS, "give one of --minimise MEASURE, --maximise MEASURE and --seek GOAL"),
        ((*USERS, *MOST, "--seek", "response_s = 1"), "give one of"),
        ((*USERS, "--seek", "response_s = 1", "--such-that", "cpu_s < 1"), "--seek has its own goal"),
        (MOST, "nothing varies"),
        ((*USERS, *MOST, "--such-that", "respons_s < 1"), "did you mean response_s"),
        ((*USERS, "--vary", "workload.think_s=1:2", "--seek", "response_s = 1"), "seek takes one axis"),
    ],
)
def test_bad_input_is_one_sentence(more: tuple[str, ...], sentence: str, capsys: Captured, tmp_path: Path) -> None:
    code, out, err = told(capsys, tmp_path, *more)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert sentence in err
